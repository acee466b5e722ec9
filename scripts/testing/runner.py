# SPDX-License-Identifier: Apache-2.0
"""Runs suites one after another, measures their times, and prints the table."""

import concurrent.futures
import dataclasses
import json
import os
import re
import resource
import subprocess
import time
from pathlib import Path

from outcome import Outcome, read_xml, seconds_in

ROOT = Path(__file__).resolve().parents[2]
LOG_LINES_SHOWN = 60
PROBLEMS_SHOWN = 20
# Builds that detect faults while they run, or that use another compiler.
CHECKING_PRESETS = {"asan-avx512", "gcc-avx512", "tsan"}


def default_jobs():
    return int(os.environ.get("RINGLET_JOBS") or len(os.sched_getaffinity(0)))


def has_avx512():
    flags = Path("/proc/cpuinfo").read_text().partition("\nflags")[2].partition("\n")[0].split()
    return "avx512dq" in flags


def size_of(path):
    return Path(path).stat().st_size if Path(path).is_file() else 0


def tail(path):
    lines = path.read_text(errors="replace").splitlines() if path.is_file() else []
    return "\n".join("    " + line for line in lines[-LOG_LINES_SHOWN:])


def processor_seconds():
    """Returns the processor time of all child processes that have ended, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Progress:
    """Prints the progress of a build, at every tenth of it."""

    STEP = re.compile(rb"\[(\d+)/(\d+)\]")

    def __init__(self):
        self.tenths = 0

    def __call__(self, line):
        if found := self.STEP.match(line):
            tenths = 10 * int(found[1]) // int(found[2])
            if tenths > self.tenths:
                self.tenths = tenths
                print(f"   {found[0].decode()}", flush=True)


class Finished:
    """Remembers the suites that passed: a long run continues where it stopped, and a short one does
    not repeat what the same files passed."""

    def __init__(self, path, key):
        self.path = path
        self.key = key
        self.suites = {}
        if path.is_file():
            state = json.loads(path.read_text())
            if state["key"] == key:
                self.suites = state["suites"]

    def remember(self, name, seconds, outcome):
        self.suites[name] = {"seconds": seconds, "outcome": vars(outcome)}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        draft = self.path.with_suffix(".draft")
        draft.write_text(json.dumps({"key": self.key, "suites": self.suites}, indent=1))
        draft.replace(self.path)

    def forget(self):
        self.path.unlink(missing_ok=True)


@dataclasses.dataclass
class Row:
    """A suite or a build that was run. A build counts no tests."""

    name: str
    seconds: float
    used: float  # seconds of processor time
    counts_tests: bool
    outcome: Outcome
    is_old: bool = False  # passed in an earlier run


class Runner:
    def __init__(self, logs, environment, finished=None):
        self.logs = logs
        self.environment = environment
        self.finished = finished
        self.jobs = default_jobs()
        self.rows = []
        logs.mkdir(parents=True, exist_ok=True)

    def suite(self, name, function, counts_tests=True):
        """Runs function() -> Outcome as one row of the table. Returns True if nothing failed."""
        done = self.finished.suites.get(name) if self.finished and counts_tests else None
        if done:
            outcome, seconds, used = Outcome(**done["outcome"]), done["seconds"], 0.0
            print(f"== {name}: finished before", flush=True)
        else:
            print(f"== {name}", flush=True)
            started, used = time.monotonic(), processor_seconds()
            try:
                outcome = function()
            except Exception as error:  # noqa: BLE001 - a broken suite is a failed suite
                outcome = Outcome()
                outcome.fail(f"{type(error).__name__}: {error}")
            seconds, used = time.monotonic() - started, processor_seconds() - used
            if counts_tests and outcome.passed + outcome.failed + outcome.skipped == 0:
                outcome.fail("no test ran")
            if self.finished and counts_tests and outcome.failed == 0:
                self.finished.remember(name, seconds, outcome)
        self.rows.append(Row(name, seconds, used, counts_tests, outcome, bool(done)))
        for problem in outcome.problems[:PROBLEMS_SHOWN]:
            print(f"   FAILED {problem}")
        if len(outcome.problems) > PROBLEMS_SHOWN:
            print(f"   and {len(outcome.problems) - PROBLEMS_SHOWN} more failures")
        for reason in dict.fromkeys(outcome.skips):
            print(f"   skipped {outcome.skips.count(reason)}: {reason}")
        what = outcome.counts() if counts_tests else "done" if not outcome.failed else "FAILED"
        print(f"   {seconds:.1f} s, {used:.1f} CPU-s: {what}", flush=True)
        return outcome.failed == 0

    def watched(self, command, log_name, watch):
        """Runs a command as `command` does. Passes each line of output to `watch` as it arrives."""
        log = self.logs / f"{log_name}.log"
        with log.open("wb") as output, subprocess.Popen(
            [str(part) for part in command],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as process:
            for line in process.stdout:
                output.write(line)
                watch(line)
        return process.returncode, log

    def command(self, command, log_name, environment=None, timeout=None):
        """Runs a command with its output in a log file. Returns (exit status, log file)."""
        log = self.logs / f"{log_name}.log"
        with log.open("wb") as output:
            try:
                status = subprocess.run(
                    [str(part) for part in command],
                    cwd=ROOT,
                    env={**self.environment, **(environment or {})},
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    timeout=timeout,
                ).returncode
            except subprocess.TimeoutExpired:
                output.write(f"\nstopped after {timeout} s\n".encode())
                status = 124
        return status, log

    def build(self, preset, targets=()):
        """Builds a preset, and configures it if the presets have changed. Returns an Outcome that
        counts no test.
        """
        outcome = Outcome()
        directory = ROOT / "build" / preset
        steps = []
        configure = ["cmake", "--preset", preset]
        if preset in CHECKING_PRESETS and not has_avx512():
            configure.append("-DRINGLET_WITH_AVX512=OFF")
            outcome.skip(f"AVX-512 units of preset {preset}: this processor cannot run them")
        presets = " ".join(configure) + (ROOT / "CMakePresets.json").read_text()
        used = directory / "presets-used.json"
        configured = (directory / "build.ninja").is_file() and used.is_file()
        if not configured or used.read_text() != presets:
            steps.append(("configure", configure))
        build = ["cmake", "--build", directory, "--parallel", self.jobs]
        steps.append(("build", build + (["--target", *targets] if targets else [])))
        for step, command in steps:
            status, log = self.watched(command, f"{step}-{preset}", Progress())
            if status:
                print(tail(log))
                outcome.fail(f"{step} of preset {preset} ended with status {status}; log: {log}")
                break
            if step == "configure":
                used.write_text(presets)
        return outcome

    def program(
        self, command, name, environment=None, timeout=900, xml_option="--gtest_output=xml:"
    ):
        """Runs one test program that writes XML and returns its counts."""
        xml = self.logs / f"{name}.xml"
        xml.unlink(missing_ok=True)
        status, log = self.command([*command, f"{xml_option}{xml}"], name, environment, timeout)
        outcome = Outcome()
        if xml.is_file():
            outcome.add(read_xml(xml))
            outcome.problems = [f"{name}: {problem}" for problem in outcome.problems]
            if outcome.passed + outcome.failed + outcome.skipped == 0:
                outcome.fail(f"{name}: no test ran; log: {log}")
        if status and not outcome.failed:
            outcome.fail(f"{name}: ended with status {status}; log: {log}")
        elif not status and not xml.is_file():
            outcome.fail(f"{name}: wrote no {xml.name}; log: {log}")
        if outcome.failed:
            print(tail(log))
        return outcome

    def side_by_side(self, function, items):
        """Runs function(item) for all items, as many at a time as there are processors. Returns one
        Outcome."""
        outcome = Outcome()
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for part in pool.map(function, items):
                outcome.add(part)
        return outcome

    def programs(
        self, named_commands, environment=None, timeout=900, xml_option="--gtest_output=xml:"
    ):
        """Runs several test programs, as many at a time as there are processors. Each is a name, a
        command and, if needed, variables of its own. New programs start first, the largest one
        first. Then the programs that took longest in the last run start, so that no long one runs
        alone at the end.
        """

        def weight(item):
            xml = self.logs / f"{item[0]}.xml"
            largest = max(map(size_of, item[1]))
            return (not xml.is_file(), seconds_in(xml) if xml.is_file() else largest)

        def run(name, command, own=None):
            variables = {**(environment or {}), **(own or {})}
            return self.program(command, name, variables, timeout, xml_option)

        named_commands = sorted(named_commands, key=weight, reverse=True)
        return self.side_by_side(lambda item: run(*item), named_commands)

    def print_table(self, budget=None):
        """Prints the table, the processor time with its budget, and the totals. Returns the exit
        status."""
        total = Outcome()
        width = max((len(row.name) for row in self.rows), default=5)
        print(f"\n{'suite':{width}}  seconds    CPU-s  passed  failed  skipped")
        for row in self.rows:
            total.add(row.outcome)
            print(
                f"{row.name:{width}}  {row.seconds:7.1f}  {row.used:7.1f}  {row.outcome.passed:6}  "
                f"{row.outcome.failed:6}  {row.outcome.skipped:7}"
            )
        used = sum(row.used for row in self.rows)
        built = sum(row.used for row in self.rows if not row.counts_tests)
        seconds = sum(row.seconds for row in self.rows if not row.is_old)
        print(f"{'total':{width}}  {seconds:7.1f}  {used:7.1f}")
        most = f", of {budget} that a first run may take" if budget else ""
        print(f"{built:.0f} CPU-s to build, {used - built:.0f} to run{most}")
        if old := sum(row.outcome.passed for row in self.rows if row.is_old):
            print(f"{old} of these passed before, with the same files; --again runs them again")
        print(total.counts(), flush=True)
        return 1 if total.failed or total.passed == 0 else 0
