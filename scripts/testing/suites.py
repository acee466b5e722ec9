# SPDX-License-Identifier: Apache-2.0
"""The suites of the tests, in groups that build what they need."""

import json
import os
import subprocess
import sys

from outcome import Outcome, read_xml
from runner import ROOT

STRUCTURE = ROOT / "tests" / "structure"
MODELS = ROOT / "tests" / "models" / "check_models.py"
LONG_TIMEOUT = 7200


def describe(preset):
    return json.loads((ROOT / "build" / preset / "tests.json").read_text())


def tests_of(preset, prefixes=("unit_", "property_"), only_kernels=False):
    return [
        (test["name"], [test["path"]])
        for test in describe(preset)["tests"]
        if test["name"].startswith(tuple(prefixes)) and (test["calls_kernels"] or not only_kernels)
    ]


# Tests that run on an OpenCL runtime, by program.
DEVICE_TESTS = {
    "unit_gpu": "*",
    "unit_schemes": "*Device*.*:WatchedGroup.*",
    "unit_seal": "*Device.*",
}
# The longest commands run in parts: otherwise one would run alone at the end.
SHARDS = {"unit_gpu-devices": 2, "unit_schemes": 2}


def parts(name, command, chosen, left_out):
    """Returns commands that together run the tests `chosen` of a program."""
    chosen = f"--gtest_filter={chosen}{'-' if left_out else ''}{':'.join(left_out)}"
    shards = SHARDS.get(name, 1)
    if shards == 1:
        return [(name, [*command, chosen])]
    sharded = ["/usr/bin/env", f"GTEST_TOTAL_SHARDS={shards}"]
    return [
        (f"{name}-{shard}", [*sharded, f"GTEST_SHARD_INDEX={shard}", *command, chosen])
        for shard in range(shards)
    ]


def split_devices(commands, left_out={}):
    """Returns the commands without tests on devices, and commands of only these tests. Neither has
    the tests of `left_out`, which are given by program."""
    on_host, on_devices = [], []
    for name, command in commands:
        device_tests = DEVICE_TESTS.get(name)
        others = [left_out[name]] if name in left_out else []
        if device_tests:
            on_devices += parts(f"{name}-devices", command, device_tests, others)
            others = [*others, device_tests]
        if device_tests != "*":
            on_host += parts(name, command, "*", others)
    return on_host, on_devices


def label(commands, tag):
    """Adds a tag to the names of commands. Several runs of one program then have different log
    files."""
    return [(f"{name}-{tag}", command) for name, command in commands]


def kernel_tables():
    """Returns the kernel tables of this build, as ringlet_kernel_info lists them."""
    listing = subprocess.run(
        [describe("dev")["kernel_info"]], check=True, capture_output=True, text=True
    ).stdout
    return json.loads(listing)["tables"]


def built(runner, preset, what, targets=()):
    """Builds a preset once in each run of the tests."""
    key = (preset, tuple(targets))
    done = runner.__dict__.setdefault("built", {})
    if key not in done:
        done[key] = runner.suite(
            f"build: {what}", lambda: runner.build(preset, targets), counts_tests=False
        )
    return done[key]


def build_dev(runner):
    return built(runner, "dev", "clang, preset dev")


def build_tests(runner):
    """Builds the part that `make test` needs: no benchmarks, lessons or hardware models."""
    return built(runner, "dev", "clang, tests of preset dev", ["ringlet_tests"])


OF_SOURCES = ("check_house_rules.py", "check_sizes.py", "check_words.py", "check_phrases.py",
              "check_walks.py", "check_visa.py", "check_seal_names.py")  # fmt: skip


def run_structure_checks(runner, *scripts, build="dev"):
    commands = []
    for script in scripts:
        of_build = script not in OF_SOURCES
        options = ["--build", ROOT / "build" / build] if of_build else []
        commands.append((f"{script[:-3]}-{build}", [sys.executable, STRUCTURE / script, *options]))
    return runner.programs(commands, xml_option="--xml=")


def headers(runner, what, *options):
    """Compiles each header alone, with as many compilers at a time as there are processors."""
    command = [sys.executable, STRUCTURE / "check_headers.py", *options]
    runner.suite(what, lambda: runner.program(command, "check_headers", xml_option="--xml="))


def structure(runner):
    if not build_tests(runner):
        return

    scripts = (
        "check_instructions.py",
        "check_layering.py",
        "check_weak_symbols.py",
        "check_divisions.py",
        "check_projection.py",
        "check_setup.py",
        "check_extended.py",
        *OF_SOURCES,
        "check_kernel_table.py",
    )
    runner.suite("structure", lambda: run_structure_checks(runner, *scripts))
    runner.suite("models of arithmetics", lambda: run_models(runner, "short"))


def run_models(runner, scale):
    command = [sys.executable, MODELS, f"--scale={scale}"]
    return runner.program(command, f"models-{scale}", None, LONG_TIMEOUT, "--xml=")


def without_runtimes(runner):
    """Returns an environment in which OpenCL sees no runtime."""
    nowhere = runner.logs / "no-opencl-vendors"
    nowhere.mkdir(exist_ok=True)
    return {"OCL_ICD_VENDORS": str(nowhere)}


def unit(runner):
    """Runs the tests on the best table and on scalar64. Skips tests on devices."""
    if build_tests(runner):
        runner.suite(
            "unit and property", lambda: runner.programs(tests_of("dev"), without_runtimes(runner))
        )
        for_each_table(runner, "unit and property", lambda name: name == "scalar64", kernel_layers)


# One size of each kind: transforms of words and double words, products of wide polynomials.
FEW_BENCHMARKS = "n=4096/(q=48|q=49|q=124|l=3)|m=2783/q=125(/products=1.*|/reduce)?$"


def benchmarks(runner):
    """Checks that every benchmark program writes the entries that it promises. No timing is judged.
    """
    outcome = Outcome()
    for program in sorted((ROOT / "build" / "dev" / "lab" / "bench").glob("ringlet_bench_*")):
        result = runner.logs / f"{program.name}.json"
        result.unlink(missing_ok=True)
        command = [program, f"--benchmark_filter={FEW_BENCHMARKS}", "--benchmark_min_time=0.001"]
        status, log = runner.command(
            [*command, f"--benchmark_out={result}", "--benchmark_out_format=json"], program.name
        )
        text = result.read_text() if status == 0 else ""
        entries = json.loads(text)["benchmarks"] if text else []
        complete = [e for e in entries if {"min", "median", "time_unit"} <= e.keys()]
        found = f"{program.name}: {len(complete)} of {len(entries)} entries; log: {log}"
        outcome.check(entries and len(complete) == len(entries), found)
    return outcome


def counted_slots(runner):
    """Checks count_slots.py on a transform whose least numbers of instructions are known, and that
    predict_transforms.py predicts it. No timing is judged."""
    outcome = Outcome()
    table = next(table for table in kernel_tables() if table["name"] == "avx2")
    if not table["available"]:
        outcome.skip("this machine cannot run table avx2")
        return outcome
    program = ROOT / "build" / "dev" / "lab" / "bench" / "ringlet_transform_once"
    command = [sys.executable, ROOT / "lab" / "scripts" / "count_slots.py", program]
    command += ["--kernel", "avx2", "--degree", "1024", "--bits", "49"]
    status, log = runner.command(command, "count_slots")
    rows = [line.split() for line in log.read_text().splitlines() if "/n=1024/q=49" in line]
    # Per 16 coefficients in vectors of 4: each vector is loaded and stored at least once. There are
    # 10 levels with half as many butterflies, each with a product, a sum and a difference.
    least = {"slots": 2 * 10 * 3, "loads": 4, "stores": 4}
    for direction in ("forward", "inverse"):
        found = [row for row in rows if row[0].startswith(f"{direction}/avx2/")]
        heads = ("slots", "multiply", "permute", "loads", "stores")
        counts = dict(zip(heads, found[0][1:])) if found else {}
        are_counted = all(float(counts.get(name, 0)) >= value for name, value in least.items())
        found = f"count_slots, {direction}: {counts}, at least {least}; log: {log}"
        outcome.check(not status and are_counted, found)
    command = [sys.executable, ROOT / "lab" / "scripts" / "predict_transforms.py", program]
    command += ["--kernel", "avx2/float", "--degree", "1024", "--rounds", "1"]
    status, log = runner.command(command, "predict_transforms")
    text = log.read_text()
    if "skipped" in text:
        outcome.skip(f"predict_transforms: {text.strip()}")
    else:
        outcome.check(not status and "of 2 rows" in text, f"predict_transforms; log: {log}")
    return outcome


def chosen_tables(runner):
    """Returns the tables, without those that RINGLET_FORCE_KERNELS leaves out."""
    wanted = os.environ.get("RINGLET_FORCE_KERNELS", "").split("/")[0]
    return [table for table in kernel_tables() if wanted in ("", table["name"])]


# All programs, and those that test kernels and the next layers: higher layers call only what these
# have tested.
ALL_LAYERS = ("",)
KERNEL_LAYERS = ("kernels", "ntt", "ring", "hexl")
# Tests that a forced table does not change, and which run once: kernels by their full name, ranges,
# Valgrind's check of every table, and the largest ring, which runs the code of smaller ones.
SAME_ON_EVERY_TABLE = "Kernels/*:*SignedRanges*:*ConstantTime*:*NttProducts.*:Rings/*/8191"


def programs_of(table, kinds=("unit_", "property_"), layers=ALL_LAYERS):
    """Returns the commands of a forced run of a table, without tests on devices, which have other
    kernels. For a table without transforms of words, these are the tests of the layer that its
    kernels serve: double words, or wide polynomials."""
    of_double_words = table["double_words"] and not table["transforms"]
    if not table["transforms"]:
        layers = ("ntt",) if of_double_words else ("ring",)
    prefixes = [kind + layer for kind in kinds for layer in layers]
    commands = tests_of("dev", prefixes, only_kernels=True)
    if layers is not ALL_LAYERS:
        chosen = f"{'*Wide*' if of_double_words else '*'}-{SAME_ON_EVERY_TABLE}"
        forced = [(name, [*command, f"--gtest_filter={chosen}"]) for name, command in commands]
        return label(forced, table["name"])
    return label(split_devices(commands)[0], table["name"])


def kernel_layers(table):
    return programs_of(table, layers=KERNEL_LAYERS)


def for_each_table(runner, what, is_wanted, programs, environment=None, timeout=900):
    """Runs programs(table), in one suite, for each table with a wanted name. A table that the
    machine lacks counts as skipped."""
    tables = [table for table in chosen_tables(runner) if is_wanted(table["name"])]

    def suite():
        commands = []
        for table in tables:
            forced = {"RINGLET_FORCE_KERNELS": table["name"]}
            if table["available"]:
                commands += [(*command, forced) for command in programs(table)]
        outcome = runner.programs(commands, environment, timeout)
        for table in tables:
            if not table["available"]:
                needs = ", ".join(table["features"])
                outcome.skip(f"this machine cannot run table {table['name']}, which needs {needs}")
        return outcome

    if tables:
        runner.suite(f"{what}: {', '.join(table['name'] for table in tables)}", suite)


def forcing(runner):
    """Checks the errors of forced runs: an unknown name, and a table of which no kernel ran."""
    idle = describe("dev")["idle_test"]
    outcome = Outcome()

    def expect(value, wanted_status):
        status, log = runner.command([idle], "idle", {"RINGLET_FORCE_KERNELS": value})
        outcome.check(
            status == wanted_status,
            f"a program that calls no kernel, under RINGLET_FORCE_KERNELS='{value}': "
            f"status {status} instead of {wanted_status}; log: {log}",
        )

    expect("", 0)
    expect("no_such_table", 2)
    for table in kernel_tables():
        expect(table["name"], 1 if table["available"] else 2)
    return outcome


def tables(runner):
    if not build_dev(runner):
        return
    runner.suite("forced kernels are checked", lambda: forcing(runner))
    for_each_table(runner, "unit and property", lambda name: name != "scalar64", kernel_layers)


def unit_targets(prefixes=("unit_",)):
    return [name for name, _ in tests_of("dev", prefixes)]


def other_build(
    runner,
    preset,
    what,
    prefixes=("unit_",),
    *,
    environment=None,
    timeout=900,
    libraries=(),
    left_out={},
):
    """Runs the unit tests of another build, without those of `left_out`, and builds `libraries`
    there too."""
    if not build_dev(runner):
        return
    if not built(runner, preset, what, [*unit_targets(prefixes), *libraries]):
        return
    on_host, on_devices = split_devices(tests_of(preset, prefixes), left_out)
    commands = label(on_host + on_devices, preset)
    runner.suite(
        f"{' and '.join(prefix.rstrip('_') for prefix in prefixes)}, {what}",
        lambda: runner.programs(commands, environment, timeout),
    )


SANITIZER_OPTIONS = {
    "ASAN_OPTIONS": "detect_stack_use_after_return=1:strict_string_checks=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1",
    "LSAN_OPTIONS": f"suppressions='{ROOT}/tests/gpu_gates/lsan_suppressions.txt'",
}


# Tests on devices of the next table. Only they run without sanitizers in test-all.
REPEATING_ON_DEVICES = {
    "unit_gpu": "DeviceFusion*:DeviceDigits*:DeviceTransform*:Narrow*:NttBatch*:WatchedDigits*",
    "unit_schemes": "*SchemesDeviceFaults.Operations/b*",
}
# Tests of which sanitizers and another compiler see nothing new: statistics, ranges, searches of
# plans, kernel variants on a device, and parameters of tests that run the same code with others.
REPEATING = {
    "unit_circuits": "PolynomialCost.*:SuggestParameters.*:Inverse.*:SignApproximation.*"
    ":NoiseOfSums.*",
    "unit_gpu": REPEATING_ON_DEVICES["unit_gpu"],
    "unit_kernels": "*SignedRangesOf.*:*SignedPolicyTest.*:*EltwiseSums.Hold*",
    "unit_ntt": "RnsNttTest.SixteenPrimes*:WidePrimes.*",
    "unit_ring": "ExpansionFactor.OfLargeRings:Rings/*/8191:Rings/DivisionTest.*/2783"
    ":Rings/BackendTest.*/8192",
    "unit_rlwe": "*HybridKeySwitch.IsItsFormulaAtEveryLevelByEveryTable/b*:*RescalingNoise.*"
    ":*HybridKeySwitch.*/ckks_28:*SumsOfImages*/bgv_43:GeneralRing.WhatIsCheap*"
    ":GeneralRing.RingsWhoseErrors*",
    "unit_schemes": "Circuit.*:Flooding.*:*GeneralNoise.*:*HaveTheSameBitsWithEveryKernel*"
    f":*FloodingHasTheDeclared*:Large/GeneralRings.*/bgv*:{REPEATING_ON_DEVICES['unit_schemes']}",
}


def repeating_on_devices():
    """Returns commands of the tests on devices that the build with sanitizers leaves out."""
    return [
        part
        for name, command in tests_of("dev")
        if name in REPEATING_ON_DEVICES
        for part in parts(f"{name}-devices", command, REPEATING_ON_DEVICES[name], [])
    ]


def asan(runner, left_out=REPEATING):
    """Runs the unit tests under ASan and UBSan, without kernels for AVX-512, which take as long to
    compile as all others, and without the tests of `left_out`: test-long has both. PoCL calls
    free() on memory from operator new when it loads a program from a file. ASan cannot ignore this
    for one library, so tests on devices run without the check.
    """
    preset, what = "asan-ubsan", "ASan and UBSan"
    if not build_dev(runner) or not built(runner, preset, what, unit_targets()):
        return
    on_host, on_devices = split_devices(tests_of(preset, ("unit_",)), left_out)
    on_host, on_devices = label(on_host, preset), label(on_devices, preset)
    options = {"ASAN_OPTIONS": f"{SANITIZER_OPTIONS['ASAN_OPTIONS']}:alloc_dealloc_mismatch=0"}
    commands = on_host + [(*command, options) for command in on_devices]
    runner.suite(f"unit, {what}", lambda: runner.programs(commands, SANITIZER_OPTIONS))


def gcc(runner):
    """Builds all libraries with gcc, without kernels for AVX-512, and runs the tests of the layers
    up to rlwe, without those that repeat others. Of the other kernels it checks the syntax."""
    layers = ("base", "arith", "kernels", "ntt", "ring", "rlwe")
    prefixes = tuple(f"unit_{layer}" for layer in layers)
    libraries = ("ringlet_hexl", "ringlet_seal")
    other_build(runner, "gcc", "gcc 12", prefixes, libraries=libraries, left_out=REPEATING)
    headers(runner, "public headers alone")
    runner.suite(
        "AVX-512, gcc 12", lambda: run_structure_checks(runner, "check_avx512_units.py")
    )
    if (ROOT / "build" / "gcc" / "layers.json").is_file():
        runner.suite(
            "weak symbols, gcc 12",
            lambda: run_structure_checks(runner, "check_weak_symbols.py", build="gcc"),
        )


def not_there(tools):
    outcome = Outcome()
    outcome.skip(f"{' and '.join(tools)} not installed")
    return outcome


def package(runner):
    command = [sys.executable, ROOT / "tests" / "package" / "check_package.py"]
    runner.suite(
        "install and use", lambda: runner.program(command, "check_package", xml_option="--xml=")
    )


def build_python(runner, with_lab=False):
    """Builds the Python package into the virtual environment, as a row of the table. With
    `with_lab` also builds ringlet_lab."""

    def install():
        outcome = Outcome()
        command = [ROOT / "scripts" / "python_package.sh", *(["--lab"] if with_lab else [])]
        status, log = runner.command(command, "python_package")
        if status:
            print(log.read_text(errors="replace"))
            outcome.fail(f"the Python package did not build; log: {log}")
        return outcome

    what = "build: Python packages" if with_lab else "build: Python package"
    return runner.suite(what, install, counts_tests=False)


def pytest_files(runner, name, *folders, environment=None, left_out=()):
    """Runs each test file in its own process, as many at a time as there are processors. Pytest's
    cache is off, because these processes would write it at the same time."""
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    found = sorted(path for folder in folders for path in folder.rglob("test_*.py"))
    files = [path for path in found if path.stem not in left_out]
    commands = [(f"pytest-{path.stem}", [*pytest, path]) for path in files]
    runner.suite(name, lambda: runner.programs(commands, environment, xml_option="--junitxml="))


def python(runner):
    if build_python(runner):
        nowhere = without_runtimes(runner)
        long = ("test_tenseal_names", "test_tenseal_programs")
        tests = ROOT / "python" / "tests"
        pytest_files(runner, "pytest", tests, environment=nowhere, left_out=long)


def tenseal(runner):
    """Runs each public name of TenSEAL, and programs for it, on ringlet.tenseal and on TenSEAL. A
    missing TenSEAL is a failure."""
    if build_python(runner):
        tests = ROOT / "python" / "tests" / "tenseal_suite"
        variables = {"RINGLET_TEST_TENSEAL": "required"}
        pytest_files(runner, "TenSEAL's programs, on both", tests, environment=variables)


def examples(runner):
    """Checks the output of lessons and applications, and the errors that they must raise."""

    def run():
        xml = (runner.logs / "examples.xml").resolve()
        xml.unlink(missing_ok=True)
        command = ["ctest", "--test-dir", ROOT / "build" / "dev" / "examples"]
        command += ["--parallel", runner.jobs, "--output-junit", xml, "--output-on-failure"]
        status, log = runner.command(command, "examples")
        outcome = read_xml(xml) if xml.is_file() else Outcome()
        if status and not outcome.failed:
            outcome.fail(f"ctest of examples: status {status}; log: {log}")
        return outcome

    if build_dev(runner):
        runner.suite("examples", run)


def lab(runner):
    """Tests the benchmarks: their programs, the package ringlet_lab, and the bundle for GPUs."""
    if build_dev(runner):
        runner.suite("benchmarks start", lambda: benchmarks(runner))
        runner.suite("slots are counted", lambda: counted_slots(runner))
    if build_python(runner, with_lab=True):
        pytest_files(runner, "pytest, lab", ROOT / "lab" / "tests", ROOT / "tests" / "gpu_bundle")
