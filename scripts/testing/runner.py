# SPDX-License-Identifier: Apache-2.0
"""Runs suites one after another, keeps the times, prints the table."""

import concurrent.futures
import json
import os
import subprocess
import time
from pathlib import Path

from outcome import Outcome, read_xml

ROOT = Path(__file__).resolve().parents[2]
LOG_LINES_SHOWN = 60
PROBLEMS_SHOWN = 20


def default_jobs():
    return int(os.environ.get("RINGLET_JOBS") or len(os.sched_getaffinity(0)))


def size_of(path):
    return Path(path).stat().st_size if Path(path).is_file() else 0


def tail(path):
    lines = path.read_text(errors="replace").splitlines() if path.is_file() else []
    return "\n".join("    " + line for line in lines[-LOG_LINES_SHOWN:])


class Finished:
    """Remembers the suites that passed, so that a long run can go on where it stopped."""

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


class Runner:
    def __init__(self, logs, environment, finished=None):
        self.logs = logs
        self.environment = environment
        self.finished = finished
        self.jobs = default_jobs()
        self.rows = []
        logs.mkdir(parents=True, exist_ok=True)

    def suite(self, name, function, counts_tests=True):
        """Runs function() -> Outcome as one row of the table; returns whether nothing failed."""
        done = self.finished.suites.get(name) if self.finished and counts_tests else None
        if done:
            outcome, seconds = Outcome(**done["outcome"]), done["seconds"]
            print(f"== {name}: finished before", flush=True)
        else:
            print(f"== {name}", flush=True)
            started = time.monotonic()
            try:
                outcome = function()
            except Exception as error:  # noqa: BLE001 - a broken suite is a failed suite
                outcome = Outcome()
                outcome.fail(f"{type(error).__name__}: {error}")
            seconds = time.monotonic() - started
            if counts_tests and outcome.passed + outcome.failed + outcome.skipped == 0:
                outcome.fail("no test ran")
            if self.finished and counts_tests and outcome.failed == 0:
                self.finished.remember(name, seconds, outcome)
        self.rows.append((name, seconds, outcome))
        for problem in outcome.problems[:PROBLEMS_SHOWN]:
            print(f"   FAILED {problem}")
        if len(outcome.problems) > PROBLEMS_SHOWN:
            print(f"   and {len(outcome.problems) - PROBLEMS_SHOWN} more failures")
        for reason in dict.fromkeys(outcome.skips):
            print(f"   skipped {outcome.skips.count(reason)}: {reason}")
        what = outcome.counts() if counts_tests else "done" if not outcome.failed else "FAILED"
        print(f"   {seconds:.1f} s: {what}", flush=True)
        return outcome.failed == 0

    def command(self, command, log_name, environment=None, timeout=None):
        """Runs a command with its output in a log file; returns (exit status, log file)."""
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
        """Configures (again when the presets have changed) and builds a preset; an Outcome that
        counts no test.
        """
        outcome = Outcome()
        directory = ROOT / "build" / preset
        steps = []
        presets = (ROOT / "CMakePresets.json").read_bytes()
        used = directory / "presets-used.json"
        configured = (directory / "build.ninja").is_file() and used.is_file()
        if not configured or used.read_bytes() != presets:
            steps.append(("configure", ["cmake", "--preset", preset]))
        build = ["cmake", "--build", directory, "--parallel", self.jobs]
        steps.append(("build", build + (["--target", *targets] if targets else [])))
        for step, command in steps:
            status, log = self.command(command, f"{step}-{preset}")
            if status:
                print(tail(log))
                outcome.fail(f"{step} of preset {preset} ended with status {status}; log: {log}")
                break
            if step == "configure":
                used.write_bytes(presets)
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

    def programs(
        self, named_commands, environment=None, timeout=900, xml_option="--gtest_output=xml:"
    ):
        """Several test programs, as many at a time as there are processors. The largest begin: they
        run longest, and none of them alone at the end."""
        outcome = Outcome()
        named_commands = sorted(named_commands, key=lambda item: -size_of(item[1][0]))
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for part in pool.map(
                lambda item: self.program(item[1], item[0], environment, timeout, xml_option),
                named_commands,
            ):
                outcome.add(part)
        return outcome

    def print_table(self):
        """The table, and last the totals; returns the exit status."""
        total = Outcome()
        width = max((len(name) for name, _, _ in self.rows), default=5)
        print(f"\n{'suite':{width}}  seconds  passed  failed  skipped")
        for name, seconds, outcome in self.rows:
            total.add(outcome)
            print(
                f"{name:{width}}  {seconds:7.1f}  {outcome.passed:6}  {outcome.failed:6}  "
                f"{outcome.skipped:7}"
            )
        print(f"{'total':{width}}  {sum(seconds for _, seconds, _ in self.rows):7.1f}")
        print(total.counts(), flush=True)
        return 1 if total.failed or total.passed == 0 else 0
