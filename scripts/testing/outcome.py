# SPDX-License-Identifier: Apache-2.0
"""The outcome of a suite: counts that are read from the XML of the test programs, never assumed."""

import dataclasses
import xml.etree.ElementTree as ElementTree


@dataclasses.dataclass
class Outcome:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    problems: list = dataclasses.field(default_factory=list)
    skips: list = dataclasses.field(default_factory=list)

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.problems += other.problems
        self.skips += other.skips

    def fail(self, problem):
        self.failed += 1
        self.problems.append(problem)

    def check(self, holds, problem):
        if holds:
            self.passed += 1
        else:
            self.fail(problem)

    def skip(self, reason):
        self.skipped += 1
        self.skips.append(reason)

    def counts(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def _first_line(text):
    lines = [line.strip() for line in (text or "").splitlines() if line.strip()]
    # GoogleTest starts a message with its file and line, on a line of its own.
    if len(lines) > 1 and lines[0].rsplit(":", 1)[-1].isdigit():
        lines = lines[1:]
    if len(lines) > 1 and lines[0] in {"Skipped", "Failed"}:
        lines = lines[1:]
    return lines[0] if lines else "no reason given"


def seconds_in(path):
    """Returns the seconds that the tests in an XML file took, or 0 for an incomplete file."""
    try:
        cases = ElementTree.parse(path).getroot().iter("testcase")
        return sum(float(case.get("time") or 0) for case in cases)
    except ElementTree.ParseError:
        return 0.0


def read_xml(path):
    """Returns the counts of one JUnit-like file, as GoogleTest, pytest and the structure checks
    write it."""
    outcome = Outcome()
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        name = f"{case.get('classname', '')}.{case.get('name', '')}".strip(".") or "whole program"
        bad = [element for element in case if element.tag in {"failure", "error"}]
        skipped = case.find("skipped")
        if bad:
            outcome.fail(f"{name}: {_first_line(bad[0].get('message') or bad[0].text)}")
        elif skipped is not None:
            outcome.skip(_first_line(skipped.get("message") or skipped.text))
        elif case.get("status") == "notrun":
            outcome.skip(f"{case.get('classname')} is disabled: run by another test, or by hand")
        else:
            outcome.passed += 1
    return outcome
