# SPDX-License-Identifier: Apache-2.0
"""The subcommands that `ringlet` has where this package is installed, as its entry points say:
options here, what they do in the modules that they import when they are called."""

from __future__ import annotations

import typer

from .bench import app as bench
from .report import report as make_report

__all__ = ["bench", "report"]

report = typer.Typer(add_completion=False)
report.command()(make_report)
