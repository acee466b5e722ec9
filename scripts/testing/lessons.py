# SPDX-License-Identifier: Apache-2.0
"""Runs programs that do not depend on the device on a device: the lessons of examples/, which print
the same lines on the device of RINGLET_DEVICE, programs of SEAL's interface, which check their
results themselves, and Python's tests of the schemes.

A program that wrongly computed on the processor would print these lines too. PoCL therefore logs
its launches, and each lesson must fail on a machine without a device.
"""

import sys
from pathlib import Path

from outcome import Outcome
from runner import ROOT
from suites import LONG_TIMEOUT, not_there

EXAMPLES = ROOT / "examples"
# Named by its API: with CUDA's devices gpu:0 would be another device.
DEVICE = "opencl:0"
QUICK = ("example_04_bgv_basics", "example_seal_04_bgv_basics", "example_seal_05_ckks_basics")
QUICK_APPLICATIONS = ("app_matrix_product", "app_private_lookup", "app_private_statistics")
QUICK_PROGRAMS = ("seal_program_rows_in_ntt_form", "seal_program_switch_by_hand")
# Rings other than X^N + 1, kernels alone, and programs without an Evaluator use only the processor.
OF_NO_DEVICE = (
    "example_10_bits",
    "example_11_double_words",
    "seal_program_context_walk",
    "seal_program_decryption_by_hand",
)
LAUNCH = "| ndrange_kernel | complete |"
SCHEME_TESTS = (
    "test_ckks.py",
    "test_exact.py",
    "circuits/test_circuits.py",
    "circuits/test_exact_circuits.py",
    "test_random_calls.py",
    "test_contexts.py",
    "test_files.py",
    "test_scheme_errors.py",
)
# Transparent results are found only when they are read; kernels and backend are those of the
# device; a forked process cannot use a device of its parent.
OF_THE_PROCESSOR = (
    "transparent",
    "same_bits_on_every_table",
    "key_sizes",
    "between_processes",
    "may_share_a_lazy_file",
)


def all_lessons():
    names = {path.stem for path in EXAMPLES.glob("**/expected/*.txt")}
    names |= {f"seal_program_{path.stem}" for path in EXAMPLES.glob("seal_programs/*.cpp")}
    return sorted(names.difference(OF_NO_DEVICE))


def folder_of(name):
    """Returns the folder of a program below examples/, in the sources and in the build."""
    folders = {"app_": "applications", "seal_program_": "seal_programs"}
    return next((folders[start] for start in folders if name.startswith(start)), ".")


def pocl_environment(runner):
    """Returns an environment in which the OpenCL loader sees only PoCL, or None if PoCL is not
    installed."""
    folder = runner.logs / "opencl-vendors" / "pocl"
    folder.mkdir(parents=True, exist_ok=True)
    entries = list(Path("/etc/OpenCL/vendors").glob("pocl*.icd"))
    for entry in entries:
        (folder / entry.name).write_text(entry.read_text())
    return {"OCL_ICD_VENDORS": str(folder)} if entries else None


class Trace:
    """Counts the kernels that PoCL launches. PoCL itself writes them into a file."""

    def __init__(self, runner, name):
        self.path = runner.logs / f"{name}.trace"
        self.path.unlink(missing_ok=True)
        self.environment = {"POCL_TRACING": "text", "POCL_TRACING_OPT": str(self.path)}

    def count(self):
        """Returns the number of launches and removes the file."""
        if not self.path.is_file():
            return 0
        with self.path.open() as lines:
            launches = sum(LAUNCH in line for line in lines)
        self.path.unlink()
        return launches


def run_lesson(runner, name, tag, environment):
    """Runs one lesson and checks its lines. Returns the exit status, the log and the number of
    launches."""
    trace = Trace(runner, f"lesson-{name}-{tag}")
    folder = folder_of(name)
    program = ROOT / "build" / "dev" / "examples" / folder / name
    expected = EXAMPLES / folder / "expected" / f"{name}.txt"
    command = ["cmake", f"-DPROGRAM={program}", f"-DEXPECTED={expected}"]
    command += ["-P", EXAMPLES / "check_output.cmake"]
    if folder == "seal_programs":
        command = [program]
    status, log = runner.command(
        command, f"lesson-{name}-{tag}", {**environment, **trace.environment}, LONG_TIMEOUT
    )
    return status, log, trace.count()


def on_device(runner, name, environment):
    """Checks that the lesson prints its expected lines and that kernels ran on the device."""
    outcome = Outcome()
    status, log, launches = run_lesson(
        runner, name, "device", {**environment, "RINGLET_DEVICE": DEVICE}
    )
    if status:
        outcome.fail(f"{name} on {DEVICE}: status {status}; log: {log}")
    elif launches == 0:
        outcome.fail(f"{name} on {DEVICE}: PoCL launched nothing, so it computed elsewhere")
    else:
        outcome.passed += 1
        print(f"   {name}: {launches} launches", flush=True)
    return outcome


def without_device(runner, name):
    """Checks that the lesson reports a missing device and does not compute on the processor
    instead."""
    outcome = Outcome()
    nowhere = runner.logs / "opencl-vendors" / "none"
    nowhere.mkdir(parents=True, exist_ok=True)
    environment = {"RINGLET_DEVICE": DEVICE, "OCL_ICD_VENDORS": str(nowhere)}
    environment["OPENCL_VENDOR_PATH"] = str(nowhere)
    status, log, _ = run_lesson(runner, name, "nowhere", environment)
    is_refused = status and "no device found" in " ".join(log.read_text().split())
    outcome.check(is_refused, f"{name} without a device: status {status}; log: {log}")
    return outcome


def on_processor(runner, name, environment):
    """Checks that a lesson on the processor launches no kernel on a device."""
    outcome = Outcome()
    status, log, launches = run_lesson(
        runner, name, "processor", {**environment, "RINGLET_DEVICE": ""}
    )
    found = f"{name} on the processor: status {status}, {launches} launches; log: {log}"
    outcome.check(not status and not launches, found)
    return outcome


def lessons(runner, names):
    environment = pocl_environment(runner)
    if environment is None:
        return not_there(["PoCL"])
    outcome = on_processor(runner, names[0], environment)
    outcome.add(runner.side_by_side(lambda name: on_device(runner, name, environment), names))
    outcome.add(runner.side_by_side(lambda name: without_device(runner, name), names))
    return outcome


def python_schemes(runner):
    """Runs Python's tests of CKKS, BFV and BGV with RINGLET_DEVICE."""
    environment = pocl_environment(runner)
    if environment is None:
        return not_there(["PoCL"])
    trace = Trace(runner, "pytest-device")
    command = [sys.executable, "-m", "pytest", "-q"]
    command += ["-k", " and ".join(f"not {name}" for name in OF_THE_PROCESSOR)]
    command += [ROOT / "python" / "tests" / name for name in SCHEME_TESTS]
    outcome = runner.program(
        command,
        "pytest-device",
        {**environment, **trace.environment, "RINGLET_DEVICE": DEVICE},
        LONG_TIMEOUT,
        xml_option="--junitxml=",
    )
    launches = trace.count()
    if launches == 0:
        outcome.fail(f"pytest on {DEVICE}: PoCL launched nothing, so it computed elsewhere")
    else:
        print(f"   pytest: {launches} launches", flush=True)
    return outcome


def python_applications(runner):
    """Checks that all Python applications have the same results on a device and on the processor.
    """
    environment = pocl_environment(runner)
    if environment is None:
        return not_there(["PoCL"])
    command = [sys.executable, "-m", "pytest", "-q", "-k", "depend_on_the_device"]
    command += [ROOT / "python" / "tests" / "test_applications.py"]
    environment["RINGLET_TEST_SCALE"] = "large"
    return runner.program(
        command, "pytest-applications", environment, LONG_TIMEOUT, xml_option="--junitxml="
    )


def short(runner):
    names = QUICK + QUICK_APPLICATIONS + QUICK_PROGRAMS
    runner.suite("gpu: lessons on a device", lambda: lessons(runner, names))


def long(runner):
    runner.suite("gpu: all lessons on a device", lambda: lessons(runner, all_lessons()))
