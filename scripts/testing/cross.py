# SPDX-License-Identifier: Apache-2.0
"""Suites of ringlet::kernels for processors that this machine does not have, under emulation."""

import concurrent.futures
import json
import shutil
import sys
from pathlib import Path

from outcome import Outcome
from runner import ROOT
from suites import build_dev, built, not_there, run_structure_checks

# Preset: processor, compiler, and the kernel that a plan for 50 bits chooses there.
CROSS_PRESETS = {
    "aarch64": ("aarch64", "aarch64-linux-gnu-g++", "scalar64/radix2"),
    "s390x": ("s390x", "s390x-linux-gnu-g++", "vmsl56/radix4"),
    "s390x-clang": ("s390x", "clang++-19", "vmsl56/radix4"),
}


def emulator(preset, *options):
    """Returns the command that runs a program of a cross build."""
    processor = CROSS_PRESETS[preset][0]
    return [f"qemu-{processor}", *options, "-L", f"/usr/{processor}-linux-gnu"]


def short(runner):
    """Runs ringlet::kernels for other processors under emulation, and compares the results with
    those of this machine."""
    if not build_dev(runner):
        return
    for preset, (processor, compiler, _) in CROSS_PRESETS.items():
        name = f"{processor}, {compiler}"
        tools = (compiler, f"{processor}-linux-gnu-g++", f"qemu-{processor}")
        missing = [tool for tool in dict.fromkeys(tools) if not shutil.which(tool)]
        if missing:
            runner.suite(f"cross: {name}", lambda missing=missing: not_there(missing))
        elif built(runner, preset, name):
            runner.suite(
                f"known answers, {name}", lambda preset=preset: known_answers(runner, preset)
            )
            runner.suite(f"transforms, {name}", lambda preset=preset: variants(runner, preset))
            if processor == "s390x":
                runner.suite(
                    f"vector code, {name}", lambda preset=preset: vector_code(runner, preset)
                )

    if shutil.which("llvm-mca-19"):
        runner.suite("predicted cycles", lambda: predictions(runner))
    else:
        runner.suite("predicted cycles", lambda: not_there(["llvm-mca-19"]))


# A processor of each kind; the script knows more of them.
PREDICTED = ("z14", "neoverse-n1", "icelake-server")


def predictions(runner):
    """Checks that lab/scripts/predict_cycles.py predicts more than 0 cycles for every kernel in
    both directions."""
    outcome = Outcome()
    result = runner.logs / "predictions.json"
    script = ROOT / "lab" / "scripts" / "predict_cycles.py"
    options = ["--processor", *PREDICTED, "--degree", "512", "1024", "--json", result]
    status, log = runner.command([sys.executable, script, *options], "predictions", timeout=600)
    if status:
        outcome.fail(f"predict_cycles.py: status {status}; log: {log}")
        return outcome
    content = json.loads(result.read_text())
    for problem in content["missing"]:
        outcome.fail(f"predict_cycles.py: {problem}")
    for entry in content["predictions"]:
        what = f"{entry['kernel']} {entry['direction']} on {entry['processor']}"
        fair = 0 < entry["cycles"] < 100 * entry["degree"] * entry["degree"].bit_length()
        found = f"predict_cycles.py: {what}: {entry['cycles']} cycles"
        outcome.check(fair and entry["kind"] == "predicted", found)
    return outcome


def vector_code(runner, preset):
    scripts = ("check_instructions.py", "check_weak_symbols.py", "check_vmsl.py")
    return run_structure_checks(runner, *scripts, build=preset)


def known_answers(runner, preset):
    program = Path("tests") / "cross" / "ringlet_known_answers"
    outcome = Outcome()
    texts = []
    for build, prefix in (("dev", []), (preset, emulator(preset))):
        status, log = runner.command(
            [*prefix, ROOT / "build" / build / program], f"known-answers-{build}"
        )
        texts.append(log.read_text())
        if status:
            outcome.fail(f"known answers of build {build}: status {status}; log: {log}")
    for native, emulated in zip(*(text.splitlines() for text in texts), strict=False):
        found = f"{preset} prints '{emulated}' where the native build prints '{native}'"
        outcome.check(native == emulated, found)
    if len(texts[0].splitlines()) != len(texts[1].splitlines()):
        outcome.fail(f"{preset} prints another number of answers")
    return outcome


# The largest log2 of a degree for which the ranges of all lanes are asserted.
CHECKED_LOG_DEGREE = "13"


def variants(runner, preset):
    """Checks every kernel of transforms against scalar64/radix2, also with asserted ranges. On IBM
    Z checks them also on a processor without vector enhancements."""
    folder = ROOT / "build" / preset / "tests" / "cross"
    program, checked = folder / "ringlet_ntt_variants", folder / "ringlet_ntt_variants_checked"
    best = CROSS_PRESETS[preset][2]
    runs = {
        "variants": ([*emulator(preset), program], best),
        "variants-checked": ([*emulator(preset), checked, CHECKED_LOG_DEGREE], best),
    }
    if CROSS_PRESETS[preset][0] == "s390x":
        old = emulator(preset, "-cpu", "qemu,vxeh=off,vxeh2=off")
        runs["variants-old"] = ([*old, program, "6"], "scalar64/radix2")
    outcome = Outcome()
    with concurrent.futures.ThreadPoolExecutor(runner.jobs) as pool:
        done = {
            name: pool.submit(runner.command, command, f"{name}-{preset}", timeout=900)
            for name, (command, _) in runs.items()
        }
    for name, (_, default) in runs.items():
        status, log = done[name].result()
        lines = log.read_text().splitlines()
        if status:
            outcome.fail(f"{name} of {preset}: status {status}; log: {log}")
        if f"default: {default}" not in lines:
            outcome.fail(f"{name} of {preset}: {default} was not chosen; log: {log}")
        outcome.passed += sum(" transforms, " in line for line in lines) - outcome.failed
    return outcome
