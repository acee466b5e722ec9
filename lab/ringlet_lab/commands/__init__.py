# SPDX-License-Identifier: Apache-2.0
"""The subcommands that this package adds to `ringlet` by its entry points. These modules hold the
options only; each imports its implementation when the command is called."""

from __future__ import annotations

import typer

from .bench import app as bench
from .report import report as make_report

__all__ = ["bench", "report"]

report = typer.Typer(add_completion=False)
report.command()(make_report)
