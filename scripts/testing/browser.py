# SPDX-License-Identifier: Apache-2.0
"""Suites that open the page of `ringlet report` and the site in a browser, part of `make
test-long`."""

import sys

from outcome import Outcome
from runner import ROOT, tail
from suites import build_python

CHECK = ROOT / "tests" / "browser" / "check_report.py"
SITE_CHECK = ROOT / "tests" / "browser" / "check_site.py"
# Of this the report itself takes up to three minutes on a quiet machine with two cores.
TIMEOUT = 1800


def long(runner):
    """Installs the browser if it is missing, and runs the suites. A failed installation is a
    failure, because no other suite checks the rendered pages."""

    def prepare():
        outcome = Outcome()
        status, log = runner.command([ROOT / "scripts" / "setup.sh", "browser"], "setup-browser")
        if status:
            print(tail(log))
            outcome.fail(f"the browser could not be installed; log: {log}")
        return outcome

    if not runner.suite("build: browser", prepare, counts_tests=False):
        return
    if not build_python(runner, with_lab=True):
        return
    command = [sys.executable, CHECK, "--screenshots", runner.logs / "screenshots"]
    runner.suite(
        "the report in a browser",
        lambda: runner.program(command, "check_report", timeout=TIMEOUT, xml_option="--xml="),
    )

    def check_site():
        status, log = runner.command([ROOT / "scripts" / "docs.sh"], "docs")
        if not status:
            status, log = runner.command([sys.executable, SITE_CHECK], "check_site")
        outcome = Outcome()
        outcome.passed = int(not status)
        if status:
            print(tail(log))
            outcome.fail(f"the site in a browser; log: {log}")
        return outcome

    runner.suite("the site in a browser", check_site)
