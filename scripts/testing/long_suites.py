# SPDX-License-Identifier: Apache-2.0
"""Suites that only the long run has."""

import shutil
import subprocess
import sys

from outcome import Outcome
import suites


def models_long(runner):
    runner.suite("models of arithmetics, longer digits", lambda: suites.run_models(runner, "long"))


KILLS = 20
DAMAGED = 100_000  # inputs of each loader in Python
SHAPES = 5_000  # for each call on arrays, without encryption
ENCRYPTED_SHAPES = 200  # for each call on arrays and each scheme


def python_long(runner):
    """Runs long Python tests: distributed products with a killed worker, calls in random order,
    damaged inputs, calls on arrays of random shapes, models of scikit-learn on every row of their
    data sets."""
    if not suites.build_python(runner):
        return
    killed = "test_distributed_failures.py::test_a_killed_worker_loses_and_doubles_nothing"
    tests = {
        "pytest-killed-workers": f"distributed/{killed}",
        "pytest-random-calls": "test_random_calls.py",
        "pytest-damaged-inputs": "test_hostile_bytes.py",
        "pytest-models-of-scikit-learn": "learn",
        "pytest-arrays": "arrays/test_numpy_calls.py",
    }
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    commands = [(name, [*pytest, f"python/tests/{test}"]) for name, test in tests.items()]
    environment = {
        "RINGLET_TEST_KILLS": str(KILLS),
        "RINGLET_TEST_SCALE": "large",
        "RINGLET_TEST_MUTATIONS": str(DAMAGED),
        "RINGLET_TEST_SHAPES": str(SHAPES),
        "RINGLET_TEST_ENCRYPTED": str(ENCRYPTED_SHAPES),
    }
    runner.suite(
        f"{KILLS} workers killed, random calls, {DAMAGED} damaged inputs for each loader, "
        f"arrays of {SHAPES} shapes for each call",
        lambda: runner.programs(commands, environment, suites.LONG_TIMEOUT, "--junitxml="),
    )


# Tests of single arithmetics, which use more moduli in a large run.
AT_LIMITS = (
    "Modular.*:*SignedPolicyTest*:SignedFactor.*:*BarrettConstants*:FactorQuotient.*"
    ":ConversionKernels.*:SamplingKernels.*"
)


def property_large(runner):
    if not suites.build_dev(runner):
        return
    suites.for_each_table(
        runner,
        "property, large",
        lambda name: True,
        lambda table: suites.programs_of(table, ("property_",)),
        {"RINGLET_TEST_SCALE": "large"},
        suites.LONG_TIMEOUT,
    )
    limits = suites.label(suites.tests_of("dev", ("unit_arith", "unit_kernels")), "limits")
    runner.suite(
        "arithmetics at their limits, large",
        lambda: runner.programs(
            [(name, [*command, f"--gtest_filter={AT_LIMITS}"]) for name, command in limits],
            {"RINGLET_TEST_SCALE": "large"},
            suites.LONG_TIMEOUT,
        ),
    )


def gcc_long(runner):
    names = ("unit_", "property_")
    suites.other_build(runner, "gcc-avx512", "gcc 12", names, timeout=suites.LONG_TIMEOUT)
    suites.headers(runner, "all headers alone", "--all")


def asan_long(runner):
    suites.asan(runner, left_out={})
    suites.other_build(
        runner,
        "asan-ubsan",
        "ASan and UBSan",
        ("property_",),
        environment=suites.SANITIZER_OPTIONS,
        timeout=suites.LONG_TIMEOUT,
    )
    suites.other_build(
        runner,
        "asan-avx512",
        "ASan and UBSan, kernels with AVX-512",
        ("unit_kernels", "unit_ntt", "unit_ring"),
        environment=suites.SANITIZER_OPTIONS,
        timeout=suites.LONG_TIMEOUT,
    )


def tsan(runner):
    environment = suites.SANITIZER_OPTIONS
    suites.other_build(runner, "tsan", "TSan", environment=environment, timeout=suites.LONG_TIMEOUT)


def valgrind(runner):
    """Runs a small selection of tests under Valgrind, which has the features of a processor without
    AVX-512. It leaves out tests of operator delete, processor features and long doubles: Valgrind
    replaces these.
    """
    if not suites.build_dev(runner):
        return

    def run():
        tool = shutil.which("valgrind")
        if not tool:
            outcome = Outcome()
            outcome.skip("Valgrind is not installed")
            return outcome
        prefix = [tool, "--quiet", "--error-exitcode=9", "--leak-check=full"]
        # FLINT keeps its memory until the end of the program.
        prefix += ["--show-leak-kinds=definite", "--errors-for-leak-kinds=definite"]
        selection = suites.tests_of("dev", ("unit_arith", "unit_kernels", "unit_ntt"))
        commands = [(f"{name}-valgrind", prefix + command) for name, command in selection]
        return runner.programs(commands, timeout=suites.LONG_TIMEOUT)

    runner.suite("Valgrind, unit tests of arith, kernels and ntt", run)


MUTATIONS = 1_000_000


def mutations(runner):
    """Reads a million damaged files of each kind under ASan and UBSan, in one suite for each kind.
    """
    prefixes = ("property_rlwe", "property_seal", "unit_schemes")
    preset = "asan-ubsan"
    if not suites.build_dev(runner):
        return
    if not suites.built(runner, preset, "ASan and UBSan, mutations", suites.unit_targets(prefixes)):
        return
    for name, command in suites.tests_of(preset, prefixes):
        for test in list_tests(command, "*Mutations.*"):

            def run(test=test, name=name, command=command):
                log_name = f"{name}-{test}"
                environment = {**suites.SANITIZER_OPTIONS, "RINGLET_TEST_MUTATIONS": str(MUTATIONS)}
                one = [*command, f"--gtest_filter={test}"]
                outcome = runner.program(one, log_name, environment, suites.LONG_TIMEOUT)
                for line in (runner.logs / f"{log_name}.log").read_text().splitlines():
                    if " mutations, " in line:
                        print(f"   {line}")
                return outcome

            runner.suite(f"mutations: {name} {test}", run)


def list_tests(command, pattern):
    """Returns the full names of a program's tests."""
    listing = subprocess.run(
        [*command, "--gtest_list_tests", f"--gtest_filter={pattern}"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    suite, names = "", []
    for line in listing.splitlines():
        word = line.split("#")[0].strip()
        if word.endswith(".") and not line.startswith(" "):
            suite = word
        elif line.startswith("  ") and suite:
            names.append(suite + word)
    return names
