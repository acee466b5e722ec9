# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench` in the process of the test."""

from __future__ import annotations

import pytest
from ringlet import cli
from typer.testing import CliRunner


def run(*arguments: str) -> str:
    """What the command prints; it has to succeed."""
    result = CliRunner().invoke(cli.app, list(arguments))
    assert result.exit_code == 0, result.output
    return result.output


def refused(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What it says when it refuses the arguments."""
    result = CliRunner().invoke(cli.app, list(arguments))
    assert result.exit_code == 2
    return result.stderr if result.stderr_bytes else capfd.readouterr().err
