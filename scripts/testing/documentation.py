# SPDX-License-Identifier: Apache-2.0
"""Suites of the documentation. The site builds without warning, its code blocks run, its references
contain all public names, its figures state machine and date, and the list of papers is complete.
"""

import sys

from outcome import Outcome
from runner import ROOT
from suites import LONG_TIMEOUT, build_dev, build_python

CHECKS = ROOT / "tests" / "docs"


def site(runner):
    """Builds the site. Its warnings are failures."""
    outcome = Outcome()
    program = ROOT / "scripts" / "documentation" / "main.py"
    status, log = runner.command([sys.executable, program], "documentation", timeout=LONG_TIMEOUT)
    if status:
        print(log.read_text(errors="replace"))
    outcome.check(not status, f"the site was not built without warnings; log: {log}")
    outcome.add(run_check(runner, "check_reference.py"))
    outcome.add(run_check(runner, "check_figures.py"))
    outcome.add(run_check(runner, "check_papers.py"))
    return outcome


def run_check(runner, script, *options):
    """Runs one of the checks in tests/docs."""
    command = [sys.executable, CHECKS / script, *options]
    name = "-".join([script[:-3], *(option.strip("-") for option in options)])
    return runner.program(command, name, timeout=LONG_TIMEOUT, xml_option="--xml=")


def short(runner):
    if build_dev(runner) and build_python(runner, with_lab=True):
        parts = (site, lambda runner: run_check(runner, "check_code_blocks.py"))
        runner.suite(
            "documentation: site, code blocks",
            lambda: runner.side_by_side(lambda part: part(runner), parts),
        )


def long(runner):
    if build_dev(runner) and build_python(runner, with_lab=True):
        runner.suite(
            "documentation: long code blocks",
            lambda: run_check(runner, "check_code_blocks.py", "--long"),
        )
