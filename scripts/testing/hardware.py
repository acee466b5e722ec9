# SPDX-License-Identifier: Apache-2.0
"""Suites of the accelerator's hardware: lint, synthesis counts, place and route, and simulation by
Verilator.
"""

import concurrent.futures
import json
import re
import shutil
import sys
from dataclasses import dataclass

from cross import emulator
from outcome import Outcome
from runner import ROOT, tail
from suites import LONG_TIMEOUT, build_dev, built, not_there

HARDWARE = ROOT / "hw" / "karatsuba"
# RINGLET_TEST_SCALE of long simulations: it turns their 10 encryptions into 1000.
LONG_SCALE = "100"


def designs():
    """Returns every top level and set of parameters to lint, from hw/karatsuba/designs.json."""
    return json.loads((HARDWARE / "designs.json").read_text())["designs"]


def lint_command(design, parameters):
    command = ["verilator", "--lint-only", "-Wall", "--top-module", design["top"]]
    # Verilator cuts paths at spaces: these are relative to the working folder of commands.
    hardware = HARDWARE.relative_to(ROOT)
    for folder in design["folders"]:
        command += ["-y", hardware / folder, f"-I{hardware / folder}"]
    command += [f"-G{name}={value}" for name, value in parameters.items()]
    return [*command, design["top"]]


def lint(runner):
    """Lints every design with each of its parameter sets. Any warning is a failure."""
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
            found = f"{top} with {parameters} is not free of warnings; log: {log}"
            outcome.check(not bad, found)
    outcome.add(unlinted_modules())
    return outcome


def unlinted_modules():
    """Checks that every folder with Verilog belongs to a design. Other folders would not be linted.
    """
    outcome = Outcome()
    named = {folder for design in designs() for folder in design["folders"]}
    verilog = [*HARDWARE.rglob("*.sv"), *HARDWARE.rglob("*.v")]
    for folder in sorted({path.parent for path in verilog}):
        is_named = str(folder.relative_to(HARDWARE)) in named
        outcome.check(is_named, f"{folder} is in no design of designs.json")
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
    """Counts the cells of each block with yosys, and checks the multipliers of the paper's design.
    """
    script = HARDWARE / "synth" / "synthesize.py"
    if not shutil.which("yosys"):
        return not_there(["yosys"])
    command = [sys.executable, script, "--jobs", runner.jobs, *options]
    return runner.program(command, "hardware-synthesis", timeout=LONG_TIMEOUT, xml_option="--xml=")


def placement(runner):
    """Installs the tools, and places and routes two small modules."""
    folder = HARDWARE / "synth"
    runner.command([sys.executable, folder / "place.py", "--install"], "hardware-place-install")
    command = [sys.executable, folder / "place_test.py"]
    return runner.program(command, "hardware-placement", xml_option="--xml=")


@dataclass
class Chip:
    """A simulated card: the index of its ring, and the words of memory that it shares with the
    processor. `cycles` is the limit of a run. `promised` holds the cycles of one encryption and of
    four at once if memory never waits."""

    index: int
    words: int
    cycles: int
    promised: dict


SMALL_CHIP = Chip(45, 1024, 20_000, {"1": "486", "4": "963"})
PAPERS_CHIP = Chip(2783, 32_768, 1_000_000, {"1": "34324", "4": "46009"})
# In 256ths, how often memory is ready: always, and with many waits.
BUS_RATES = (256, 80)
BUS_ENCRYPTIONS = 5
BUS_CHECK = re.compile(r": (\d+) of (\d+) \w+$", re.MULTILINE)
BUS_CHECKS = 4
BUS_CYCLES = re.compile(r"^(\d+) at once: (\d+) cycles from start to idle$", re.MULTILINE)


def bus(runner, chip, name, prefix, host):
    """Runs FV encryptions on the card, in a memory that it shares with a program of the processor.
    The program runs natively, or under the emulator in `prefix`. Counts the checks that the program
    reports."""
    if not shutil.which("verilator"):
        return not_there(["verilator"])
    outcome = Outcome()
    programs = ROOT / "build" / "dev" / "hw" / "karatsuba"
    seed = runner.environment["RINGLET_TEST_SEED"]
    job, shared = runner.logs / f"{name}.job", runner.logs / f"{name}.memory"
    make_job = [programs / "hw_bus_job", job, chip.index, BUS_ENCRYPTIONS, seed]
    status, log = runner.command(make_job, f"{name}-job")
    if status:
        outcome.fail(f"no encryptions for the card; log: {log}")
        return outcome

    def run(rate, log_name):
        machine = [programs / f"hw_bus_machine_{chip.index}", shared, chip.words, chip.cycles]
        command = [*machine, rate, seed, "--", *prefix, host, shared, job]
        return runner.command(command, log_name, timeout=LONG_TIMEOUT)

    for rate in BUS_RATES:
        status, log = run(rate, f"{name}-{rate}")
        text = log.read_text()
        good = sum(right == all_of for right, all_of in BUS_CHECK.findall(text))
        outcome.passed += good
        if status or good != BUS_CHECKS:
            print(tail(log))
            outcome.fail(f"{good} of {BUS_CHECKS} checks, status {status}; log: {log}")
        if rate == max(BUS_RATES):
            outcome.add(promised_cycles(chip, dict(BUS_CYCLES.findall(text))))
    # A ciphertext that differs from the card's in one bit must be noticed.
    data = bytearray(job.read_bytes())
    data[-16] ^= 1
    job.write_bytes(data)
    status, log = run(max(BUS_RATES), f"{name}-other")
    outcome.check(status == 1, f"another ciphertext: status {status} instead of 1; log: {log}")
    return outcome


def promised_cycles(chip, measured):
    outcome = Outcome()
    for count, cycles in measured.items():
        print(f"   {count} at once: {cycles} cycles from start to idle")
    found = f"m = {chip.index}: {measured} cycles, promised are {chip.promised}"
    outcome.check(measured == chip.promised, found)
    return outcome


def bus_suites(runner, chip):
    """Runs the software half of the card on the bus, natively and on aarch64."""
    native = ROOT / "build" / "dev" / "hw" / "karatsuba" / "hw_bus_host"
    title = f"bus: software half, m = {chip.index}"
    runner.suite(title, lambda: bus(runner, chip, f"bus-{chip.index}", [], native))
    tools = ("aarch64-linux-gnu-g++", "qemu-aarch64")
    missing = [tool for tool in tools if not shutil.which(tool)]
    if missing:
        runner.suite(f"{title}, aarch64", lambda: not_there(missing))
    elif built(runner, "aarch64", tools[0]):
        host = ROOT / "build" / "aarch64" / "hw" / "karatsuba" / "bus" / "hw_bus_host"
        runner.suite(
            f"{title}, aarch64",
            lambda: bus(runner, chip, f"bus-{chip.index}-aarch64", emulator("aarch64"), host),
        )


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
        bus_suites(runner, SMALL_CHIP)


def long(runner):
    table = ["--json", runner.logs / "hardware-synthesis.json"]
    runner.suite("hardware: synthesis of all blocks", lambda: synthesis(runner, *table))
    runner.suite("hardware: place and route", lambda: placement(runner))
    if prepared(runner):
        environment = {"RINGLET_TEST_SCALE": LONG_SCALE}
        runner.suite(
            "hardware: simulation, long", lambda: simulations(runner, environment, LONG_TIMEOUT)
        )
    if built(runner, "dev", "the card on the bus, m = 2783", ["ringlet_hardware_long"]):
        bus_suites(runner, PAPERS_CHIP)
