# SPDX-License-Identifier: Apache-2.0
"""Suites of the GPU backend. None of them needs a GPU: vendors' offline compilers compile the
kernels for GPUs, and OpenCL runtimes and a checker run them on the processor.
"""

import concurrent.futures
import json
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import gpu_bundle
import lessons
from outcome import Outcome
from runner import ROOT
import suites

GATES = ROOT / "tests" / "gpu_gates"
KERNELS = ROOT / "src" / "gpu" / "kernels"
MOST_REGISTERS = 64
GATE_WIDTH = 16
# The degree of the figures in programs' names.
FIGURES_DEGREE = 32768
ALL_ARITHMETICS = "narrow and lazy and exact"
# Tests of unit_gpu by name. oclgrind is a thousand times slower than PoCL.
SMALL = "*Small*"
# In 512 bytes of local memory their transforms pass through global memory.
SMALL_BLOCKS = "NarrowNtt.Small*"
TILES = "*SubDevice*:*Tile*"
SUB_GROUPS = "*SubGroups.*"
# The tests that RINGLET_TEST_SCALE extends to more degrees, by program.
LARGE = {"unit_gpu": "*", "unit_schemes": suites.DEVICE_TESTS["unit_schemes"]}
OCLGRIND_ICD = Path("/usr/lib/oclgrind/liboclgrind-rt-icd.so")


def catalogue():
    """Returns the programs that the host code compiles, for each device of the gates."""
    listing = subprocess.run(
        [suites.describe("dev")["gpu_programs"]], check=True, capture_output=True, text=True
    ).stdout
    return {device["target"]: device for device in json.loads(listing)}


def binary(name):
    for test in suites.describe("dev")["tests"]:
        if test["name"] == name:
            return test["path"]
    raise RuntimeError(f"the build has no {name}")


def unit_gpu():
    return binary("unit_gpu")


class Compiler:
    """One vendor's offline compiler, called by a script that prints the outcome for each kernel."""

    def __init__(self, name, command, problem_of):
        self.name = name
        self.command = command
        self.problem_of = problem_of

    def compile(self, runner, file, flags, log_name):
        """Returns the kernels of a file, or None if it does not compile, and the log."""
        log = runner.logs / f"{log_name}.log"
        command = [sys.executable, *self.command, *flags, file]
        run = subprocess.run(command, capture_output=True, text=True)
        log.write_text(run.stdout + run.stderr)
        return (None if run.returncode else json.loads(run.stdout)["kernels"]), log

    @staticmethod
    def flags(program):
        """Returns the driver's own options, and for CUDA also the definitions."""
        flags = [f"--option={option}" for option in program["options"]]
        if not any("-D" in option for option in program["options"]):
            flags += [f"-D{definition}" for definition in program["definitions"]]
        return flags


def nvrtc_library(version):
    """Returns the NVRTC library that python/requirements-gpu.txt installs, or None."""
    place = Path(sysconfig.get_path("purelib")) / "nvidia"
    found = sorted(place.glob(f"*/lib/libnvrtc.so.{version}"))
    return found[0] if found else None


def nvidia_problem(kernel, most_registers=MOST_REGISTERS):
    if kernel["registers"] > most_registers:
        return f"{kernel['registers']} registers, more than {most_registers}"
    spilled = kernel["spill_stores"] + kernel["spill_loads"] + kernel["stack"]
    return f"{spilled} bytes outside of its registers" if spilled else None


def intel_problem(kernel, _most_registers=MOST_REGISTERS):
    if kernel["width"] != GATE_WIDTH:
        return f"sub-groups of {kernel['width']} instead of {GATE_WIDTH}"
    return f"{kernel['scratch']} bytes outside of its registers" if kernel["scratch"] else None


def nvidia_compiler(library, prelude):
    command = [GATES / "nvrtc_compile.py", "--nvrtc", library, "--arch", "sm_90"]
    return Compiler("NVRTC for sm_90", [*command, "--prelude", prelude], nvidia_problem)


def intel_compiler(prelude):
    command = [GATES / "ocloc_compile.py", "--device", "pvc", "--prelude", prelude]
    return Compiler("ocloc for pvc", command, intel_problem)


def judge_program(runner, compiler, program, folder):
    """Checks that every kernel of the program compiles and that its main kernels meet the limits.
    Returns the outcome, and the problems of other kernels."""
    outcome = Outcome()
    name = re.sub(r"\W+", "-", f"{compiler.name} {program['name']}")
    source = folder / f"{name}.txt"
    source.write_text(program["text"])
    kernels, log = compiler.compile(runner, source, compiler.flags(program), name)
    if not kernels:
        outcome.fail(f"{compiler.name}: {program['name']} does not compile; log: {log}")
        return outcome, []
    outcome.passed += 1
    found = {kernel["name"]: kernel for kernel in kernels}
    for main, most_registers in program["main_kernels"].items():
        problem = "there is no such kernel"
        if main in found:
            problem = compiler.problem_of(found[main], most_registers)
        outcome.check(not problem, f"{compiler.name}: {main} of {program['name']}: {problem}")
    others = [kernel for kernel in kernels if kernel["name"] not in program["main_kernels"]]
    reported = [
        f"{compiler.name}: {kernel['name']} of {program['name']}: {compiler.problem_of(kernel)}"
        for kernel in others
        if compiler.problem_of(kernel)
    ]
    return outcome, reported


def planted_spill(runner, compiler, flags):
    """Tests the gate itself with a kernel that exceeds the limits."""
    outcome = Outcome()
    kernels, log = compiler.compile(
        runner, GATES / "planted_spill.inc", flags, f"planted-{compiler.command[0].stem}"
    )
    is_found = kernels and compiler.problem_of(kernels[0])
    outcome.check(is_found, f"{compiler.name}: nothing found in the planted spill; log: {log}")
    return outcome


def compile_programs(runner, compiler, programs):
    """Checks programs. Returns the outcome, and the problems of kernels that are not judged."""
    outcome, reported = Outcome(), []
    folder = runner.logs / "gpu-programs"
    folder.mkdir(exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(runner.jobs) as pool:
        for part, lines in pool.map(
            lambda program: judge_program(runner, compiler, program, folder), programs
        ):
            outcome.add(part)
            reported += lines
    return outcome, reported


def is_for_short_run(program):
    """Returns True for programs without transforms, and for transforms with judged kernels up to
    the size of the figures. Of other transforms it accepts programs of all arithmetics at that
    size: they contain the code of the programs of one arithmetic.
    """
    degree = re.search(r" N=(\d+)", program["name"])
    if not degree:
        return True
    if program["main_kernels"]:
        return int(degree[1]) <= FIGURES_DEGREE
    return int(degree[1]) == FIGURES_DEGREE and ALL_ARITHMETICS in program["name"]


def compile_gate(runner, compiler, device, is_long, planted_flags=()):
    programs = [each for each in device["programs"] if is_long or is_for_short_run(each)]
    print(f"   {compiler.name}: {len(programs)} of {len(device['programs'])} programs")
    outcome, reported = compile_programs(runner, compiler, programs)
    outcome.add(planted_spill(runner, compiler, planted_flags))
    for line in reported:
        print(f"   not judged: {line}")
    return outcome


def catalogue_is_whole(device):
    """Checks that the catalogue has every file of kernels: the gates compile no other file."""
    outcome = Outcome()
    used = {file for program in device["programs"] for file in program["files"]}
    for path in sorted(KERNELS.iterdir()):
        is_used = path.name.startswith("prelude.") or path.name in used
        problem = f"{path.name} is in no program of the catalogue of {device['target']}"
        outcome.check(is_used, problem)
    return outcome


def prelude_file(runner, device):
    path = runner.logs / f"prelude-{device['target']}"
    path.write_text(device["prelude"])
    return path


def compile_gates(runner, is_long=False):
    devices = catalogue()
    outcome = catalogue_is_whole(devices["sm_90"])
    library = nvrtc_library(13)
    if library:
        compiler = nvidia_compiler(library, prelude_file(runner, devices["sm_90"]))
        outcome.add(compile_gate(runner, compiler, devices["sm_90"], is_long))
    else:
        outcome.add(suites.not_there(["NVRTC (python/requirements-gpu.txt)"]))
    if shutil.which("ocloc"):
        device = devices["pvc"]
        compiler = intel_compiler(prelude_file(runner, device))
        width = f"-DRINGLET_SUB_GROUP_SIZE={GATE_WIDTH}"
        outcome.add(compile_gate(runner, compiler, device, is_long, [width]))
    else:
        outcome.add(suites.not_there(["ocloc"]))
    return outcome


def vendor_environment(runner, name, library):
    """Returns an environment in which the OpenCL loader sees only one runtime."""
    folder = runner.logs / "opencl-vendors" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.icd").write_text(f"{library}\n")
    return {"OCL_ICD_VENDORS": str(folder)}


def oclgrind_environment(runner, log):
    cache = runner.logs / "oclgrind-cache"
    cache.mkdir(exist_ok=True)
    return {
        **vendor_environment(runner, "oclgrind", OCLGRIND_ICD),
        "RINGLET_CACHE_DIR": str(cache),
        "OCLGRIND_DATA_RACES": "1",
        "OCLGRIND_CHECK_API": "1",
        "OCLGRIND_LOCAL_MEM_SIZE": "65536",
        "OCLGRIND_NUM_THREADS": "1",
        "OCLGRIND_LOG": str(log),
    }


PLANTED = {
    "without_fault": "",
    "missing_barrier": "Read-write data race at local memory",
    "unordered_sum": "Read-write data race at global memory",
    "beyond_the_end": "Invalid read of size 8 at global memory",
}


def planted_races(runner):
    """Checks that the race checker sees launched kernels and finds planted races."""
    outcome = Outcome()
    for kernel, complaint in PLANTED.items():
        findings = runner.logs / f"oclgrind-{kernel}.txt"
        findings.unlink(missing_ok=True)
        status, log = runner.command(
            [suites.describe("dev")["planted_race"], GATES / "planted_race.cl", kernel],
            f"planted-{kernel}",
            oclgrind_environment(runner, findings),
        )
        text = findings.read_text() if findings.is_file() else ""
        if status or "Oclgrind" not in log.read_text():
            outcome.fail(f"{kernel} did not run under oclgrind; log: {log}")
        else:
            is_right = complaint in text if complaint else not text
            outcome.check(is_right, f"{kernel}: expected '{complaint}', got '{text[:80]}'")
    return outcome


def oclgrind_shard(runner, pattern, shard, timeout):
    """Runs one of runner.jobs parts of the tests; as the last part, those of small blocks."""
    findings = runner.logs / f"oclgrind-{shard}.txt"
    findings.unlink(missing_ok=True)
    environment = {
        **oclgrind_environment(runner, findings),
    }
    if shard < runner.jobs:
        environment |= {"GTEST_TOTAL_SHARDS": str(runner.jobs), "GTEST_SHARD_INDEX": str(shard)}
    else:
        pattern = SMALL_BLOCKS
        environment["OCLGRIND_LOCAL_MEM_SIZE"] = "512"
    command = [unit_gpu(), f"--gtest_filter={pattern}"]
    outcome = runner.program(command, f"oclgrind-{shard}", environment, timeout)
    text = findings.read_text(errors="replace").strip() if findings.is_file() else ""
    if text:
        outcome.fail(f"{text.splitlines()[0]}; all findings: {findings}")
    return outcome


def oclgrind(runner, pattern, timeout=900):
    if not OCLGRIND_ICD.is_file():
        return suites.not_there(["oclgrind"])
    outcome = planted_races(runner)
    shards = range(runner.jobs + 1)
    outcome.add(runner.side_by_side(lambda s: oclgrind_shard(runner, pattern, s, timeout), shards))
    return outcome


def tiles(runner):
    """Runs the tests with two parts of one device as two tiles. PoCL offers as many units
    as it is told, also on one processor, so a skipped test is a failure.
    """
    command = [unit_gpu(), f"--gtest_filter={TILES}"]
    outcome = runner.program(command, "unit_gpu-tiles", {"POCL_MAX_PTHREAD_COUNT": "2"})
    for reason in outcome.skips:
        outcome.fail(f"skipped: {reason}")
    return outcome


def nvrtc(runner):
    """Compares Ringlet's declarations of CUDA with NVIDIA's headers, and tests the use of NVRTC."""
    library = nvrtc_library(13)
    if not library:
        return suites.not_there(["CUDA's headers (python/requirements-gpu.txt)"])
    headers = library.parents[1] / "include"
    command = ["clang++-19", "-std=c++20", "-fsyntax-only", "-Isrc", "-Iinclude"]
    command += ["-isystem", headers, GATES / "cuda_abi_check.cpp"]
    status, log = runner.command(command, "cuda-declarations")
    outcome = Outcome()
    outcome.check(not status, f"CUDA is declared otherwise than in NVIDIA's headers; log: {log}")
    command = [unit_gpu(), "--gtest_filter=*RealNvrtc*"]
    outcome.add(runner.program(command, "unit_gpu-nvrtc", {"RINGLET_NVRTC": str(library)}))
    return outcome


def counted_instructions(runner):
    """Checks that assembly takes fewer instructions than the compilers, by the laboratory's count.
    """
    script = ROOT / "lab" / "scripts" / "count_gpu_instructions.py"
    outcome = Outcome()
    if not nvrtc_library(13) or not shutil.which("ocloc"):
        return suites.not_there(["NVRTC", "ocloc"])
    for options in (["--operations"], ["--path", "exact"], ["--path", "exact", "--radix", "4"]):
        command = [sys.executable, script, ROOT / "build" / "dev", *options]
        status, log = runner.command(command, f"count_gpu_instructions{options[-1]}")
        lines = log.read_text().splitlines()
        table = [line for line in lines if line.startswith("| ") and "---" not in line]
        rows = [line.strip("| ").split(" | ") for line in table]
        for name, *cells in rows[1:]:
            pairs = [tuple(map(float, cells[i : i + 2])) for i in range(0, len(cells), 2)]
            # PTX has no assembly for these, and vISA none for the first.
            may_equal = name in ("add_mod", "mul_high", "barrett_reduce")
            is_less = all(a < p or (may_equal and a == p) for p, a in pairs)
            outcome.check(is_less, f"{name}, plain and by assembly: {pairs}")
        outcome.check(not status and len(rows) > 1, f"no counts; log: {log}")
    return outcome


def oldest_nvrtc(runner):
    """Checks that the oldest NVRTC compiles all kernels. Their register use is not judged."""
    library = nvrtc_library(12)
    if not library:
        return suites.not_there(["NVRTC 12 (python/requirements-gpu.txt)"])
    device = catalogue()["sm_90"]
    programs = [{**program, "main_kernels": {}} for program in device["programs"]]
    compiler = nvidia_compiler(library, prelude_file(runner, device))
    return compile_programs(runner, compiler, programs)[0]


def intel_folder():
    """Returns the folder of Intel's runtime: below the build folder, or in the user's cache if the
    path of the build folder has a space. The runtime does not find its own libraries behind a
    space.
    """
    folder = ROOT / "build" / "intel-opencl"
    if len(str(folder).split()) == 1:
        return folder
    return Path.home() / ".cache" / "ringlet" / "intel-opencl"


def intel_runtime(runner):
    """Installs Intel's OpenCL runtime for processors in its folder. Returns an Outcome."""
    outcome = Outcome()
    requirements = GATES / "requirements-intel.txt"
    folder = intel_folder()
    stamp = folder / "requirements.txt"
    if not stamp.is_file() or stamp.read_bytes() != requirements.read_bytes():
        shutil.rmtree(folder, ignore_errors=True)
        pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
        pip += ["--ignore-installed", "--prefix", folder, "-r", requirements]
        status, log = runner.command(pip, "intel-opencl-install")
        if status:
            outcome.fail(f"pip could not install {requirements}; log: {log}")
            return outcome
        shutil.copyfile(requirements, stamp)
    return outcome


def intel_environment(runner):
    library = intel_folder() / "lib" / "libintelocl.so"
    return vendor_environment(runner, "intel", library)


def python_devices(runner, name="pytest-pocl", environment=None):
    """Runs Python's tests of devices and the demo on a runtime. A skipped test is a failure."""
    tests = ROOT / "python" / "tests"
    command = [sys.executable, "-m", "pytest", "-q", "-k", "device"]
    command += [tests / name for name in ("test_device_contexts.py", "test_devices.py")]
    command.append(tests / "test_demo.py")
    outcome = runner.program(command, name, environment, xml_option="--junitxml=")
    for reason in outcome.skips:
        outcome.fail(f"skipped: {reason}")
    return outcome


def sub_groups(runner):
    """Runs unit_gpu on a runtime with real sub-groups. A skipped test of sub-groups is a failure.
    """
    environment = intel_environment(runner)
    command = [unit_gpu(), f"--gtest_filter={SUB_GROUPS}"]
    outcome = runner.program(command, "unit_gpu-sub-groups", environment, suites.LONG_TIMEOUT)
    for reason in outcome.skips:
        outcome.fail(f"skipped: {reason}")
    command = [unit_gpu(), f"--gtest_filter=-{SUB_GROUPS}"]
    outcome.add(runner.program(command, "unit_gpu-intel", environment, suites.LONG_TIMEOUT))
    return outcome


def large(runner):
    """Runs the tests of all degrees in practical use and their neighbours, which the short run
    leaves out. Each call of the driver fails once in each operation.
    """
    outcome = Outcome()
    for name, pattern in LARGE.items():
        command = [binary(name), f"--gtest_filter={pattern}"]
        environment = {"RINGLET_TEST_SCALE": "large"}
        outcome.add(runner.program(command, f"{name}-large", environment, suites.LONG_TIMEOUT))
    return outcome


def short(runner):
    if not suites.build_dev(runner):
        return
    runner.suite("gpu: compile gates", lambda: compile_gates(runner))
    runner.suite("gpu: declarations of CUDA, NVRTC", lambda: nvrtc(runner))
    runner.suite("gpu: counted instructions", lambda: counted_instructions(runner))
    runner.suite("gpu: oclgrind", lambda: oclgrind(runner, SMALL))
    runner.suite("gpu: variants on PoCL", lambda: runner.programs(suites.repeating_on_devices()))
    runner.suite("gpu: tiles", lambda: tiles(runner))
    lessons.short(runner)
    if suites.build_python(runner):
        runner.suite("gpu: pytest on PoCL", lambda: python_devices(runner))


def long(runner):
    if not suites.build_dev(runner):
        return
    runner.suite("gpu: compile gates, all programs", lambda: compile_gates(runner, is_long=True))
    runner.suite("gpu: all degrees, every failing call", lambda: large(runner))
    runner.suite("gpu: the oldest NVRTC", lambda: oldest_nvrtc(runner))
    runner.suite("gpu: dress rehearsal of the bundle", lambda: gpu_bundle.rehearse(runner))
    lessons.long(runner)
    has_python = suites.build_python(runner)
    if has_python:
        runner.suite("gpu: pytest on a device", lambda: lessons.python_schemes(runner))
        runner.suite(
            "gpu: applications in Python on a device", lambda: lessons.python_applications(runner)
        )
    if platform.machine() != "x86_64":
        missing = ["Intel's OpenCL runtime (x86-64)"]
        runner.suite("gpu: sub-groups", lambda: suites.not_there(missing))
    elif runner.suite(
        "gpu: Intel's OpenCL runtime", lambda: intel_runtime(runner), counts_tests=False
    ):
        runner.suite("gpu: sub-groups", lambda: sub_groups(runner))
        if has_python:
            runner.suite(
                "gpu: Python on Intel's runtime",
                lambda: python_devices(runner, "pytest-intel", intel_environment(runner)),
            )
