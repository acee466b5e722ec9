# SPDX-License-Identifier: Apache-2.0
"""Suites of the accelerator's hardware: lint, synthesis counts, and simulation by Verilator."""

import concurrent.futures
import json
import shutil
import sys

from outcome import Outcome
from runner import ROOT, tail
from suites import LONG_TIMEOUT, build_dev, built, not_there

HARDWARE = ROOT / "hw" / "karatsuba"
# Simulations that do more where RINGLET_TEST_SCALE asks for it; of their 10 encryptions, 1000.
LONG_SCALE = "100"


def designs():
    """Every top level and set of parameters that is linted, as hw/karatsuba/designs.json says."""
    return json.loads((HARDWARE / "designs.json").read_text())["designs"]


def lint_command(design, parameters):
    command = ["verilator", "--lint-only", "-Wall", "--top-module", design["top"]]
    # Verilator cuts paths at spaces: these are relative to where commands run.
    hardware = HARDWARE.relative_to(ROOT)
    for folder in design["folders"]:
        command += ["-y", hardware / folder, f"-I{hardware / folder}"]
    command += [f"-G{name}={value}" for name, value in parameters.items()]
    return [*command, design["top"]]


def lint(runner):
    """Every design with each of its parameter sets; any warning is a failure."""
    if not shutil.which("verilator"):
        return not_there(["verilator"])
    outcome = Outcome()
    work = [
        (design, number, parameters)
        for design in designs()
        for number, parameters in enumerate(design["parameters"])
    ]

    def one(item):
        design, number, parameters = item
        name = f"lint-{design['top']}-{number}"
        status, log = runner.command(lint_command(design, parameters), name)
        return design["top"], parameters, status or log.stat().st_size, log

    with concurrent.futures.ThreadPoolExecutor(runner.jobs) as pool:
        for top, parameters, bad, log in pool.map(one, work):
            if bad:
                print(tail(log))
                outcome.fail(f"{top} with {parameters} is not free of warnings; log: {log}")
            else:
                outcome.passed += 1
    outcome.add(unlinted_modules())
    return outcome


def unlinted_modules():
    """A folder with Verilog that no design names would escape lint."""
    outcome = Outcome()
    named = {folder for design in designs() for folder in design["folders"]}
    verilog = [*HARDWARE.rglob("*.sv"), *HARDWARE.rglob("*.v")]
    for folder in sorted({path.parent for path in verilog}):
        if str(folder.relative_to(HARDWARE)) in named:
            outcome.passed += 1
        else:
            outcome.fail(f"{folder} is in no design of designs.json")
    return outcome


def programs():
    description = json.loads((ROOT / "build" / "dev" / "hardware.json").read_text())
    return [(test["name"], test["path"]) for test in description["tests"]]


def simulations(runner, environment=None, timeout=900):
    outcome = Outcome()
    commands = []
    for name, path in programs():
        if path:
            commands.append((name, [path]))
        else:
            outcome.skip(f"{name}: verilator was not there when the build was configured")
    outcome.add(runner.programs(commands, environment, timeout))
    return outcome


def synthesis(runner, *options):
    """Cells of each block by yosys; the multipliers of the paper's design are asserted."""
    script = HARDWARE / "synth" / "synthesize.py"
    if not shutil.which("yosys"):
        return not_there(["yosys"])
    command = [sys.executable, script, "--jobs", runner.jobs, *options]
    return runner.program(command, "hardware-synthesis", timeout=LONG_TIMEOUT, xml_option="--xml=")


def prepared(runner):
    return build_dev(runner) and built(
        runner, "dev", "the accelerator's simulation", ["ringlet_hardware"]
    )


def short(runner):
    runner.suite("hardware: lint", lambda: lint(runner))
    multipliers = ["--coarse", "--design", "faithful"]
    runner.suite("hardware: multipliers", lambda: synthesis(runner, *multipliers))
    if prepared(runner):
        runner.suite("hardware: simulation", lambda: simulations(runner))


def long(runner):
    table = ["--json", runner.logs / "hardware-synthesis.json"]
    runner.suite("hardware: synthesis of all blocks", lambda: synthesis(runner, *table))
    if prepared(runner):
        environment = {"RINGLET_TEST_SCALE": LONG_SCALE}
        runner.suite(
            "hardware: simulation, long",
            lambda: simulations(runner, environment, LONG_TIMEOUT),
        )
