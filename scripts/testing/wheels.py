# SPDX-License-Identifier: Apache-2.0
"""Suites of the wheel, the source distribution and the options of the build. The group runs after
`python`, whose build of the extension the wheel contains."""

import re
import sys

from outcome import Outcome
from runner import ROOT

PACKAGE = ROOT / "tests" / "package"


def check(runner, what, script, *options, timeout=900):
    command = [sys.executable, PACKAGE / script, *options]
    name = "-".join([script[:-3], *(option.lstrip("-") for option in options)])
    runner.suite(what, lambda: runner.program(command, name, timeout=timeout, xml_option="--xml="))


def short(runner):
    check(runner, "options of the build", "check_options.py")
    check(runner, "wheel in an empty environment", "check_wheel.py")


def every_python(runner):
    """Returns the outcome of scripts/wheel_all.sh, which prints one line for each check."""
    status, log = runner.command([ROOT / "scripts" / "wheel_all.sh"], "wheel-all", timeout=10800)
    lines = log.read_text()
    outcome = Outcome(passed=len(re.findall("^ok   wheel: ", lines, re.MULTILINE)))
    for missing in re.findall("^-- (no CPython .*)", lines, re.MULTILINE):
        outcome.skip(missing)
    if status:
        outcome.fail(f"scripts/wheel_all.sh ended with status {status}; log: {log}")
    return outcome


def long(runner):
    """Runs all tests in the empty environment, builds a wheel from the source distribution, wheels
    for every installed Python, and the libraries with each option."""
    check(runner, "wheel, all tests", "check_wheel.py", "--all", timeout=7200)
    check(runner, "wheel, its oldest requirements", "check_wheel.py", "--oldest", timeout=1800)
    runner.suite("wheels of every Python", lambda: every_python(runner))
    check(runner, "options of the build, built", "check_options.py", "--build", timeout=7200)
