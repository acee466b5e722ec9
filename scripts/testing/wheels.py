# SPDX-License-Identifier: Apache-2.0
"""The wheel, the source distribution and the options of the build. The group comes after `python`,
whose build of the extension is the wheel's."""

import sys

from runner import ROOT

PACKAGE = ROOT / "tests" / "package"


def check(runner, what, script, *options, timeout=900):
    command = [sys.executable, PACKAGE / script, *options]
    name = "-".join([script[:-3], *(option.lstrip("-") for option in options)])
    runner.suite(what, lambda: runner.program(command, name, timeout=timeout, xml_option="--xml="))


def short(runner):
    check(runner, "options of the build", "check_options.py")
    check(runner, "wheel in an empty environment", "check_wheel.py")


def long(runner):
    """Every test in the empty environment, a wheel from the source distribution, and libraries with
    each option."""
    check(runner, "wheel, all tests", "check_wheel.py", "--all", timeout=7200)
    check(runner, "wheel, its oldest requirements", "check_wheel.py", "--oldest", timeout=1800)
    check(runner, "options of the build, built", "check_options.py", "--build", timeout=7200)
