# SPDX-License-Identifier: Apache-2.0
"""`ringlet report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from ringlet.commands.options import option
from ringlet.console import EXIT_FAILED, make_console


def report(
    *,
    quick: Annotated[bool, option("--quick", help="Small sizes, below three minutes.")] = False,
    sections: Annotated[
        str | None, option(metavar="LIST", help="Sections: ntt, operations, ... (all).")
    ] = None,
    output: Annotated[
        Path, option("--output", "-o", metavar="PATH", help="Folder or FILE.html (current folder).")
    ] = Path("."),
    json: Annotated[
        Path | None,
        option("--json", metavar="FILE", help="Write JSON to FILE; - is stdout."),
    ] = None,
    against: Annotated[
        Path | None, option(metavar="FILE", help="Compare with the JSON of another report.")
    ] = None,
    device: Annotated[
        str | None, option(metavar="NAME", help="OpenCL or CUDA device (the first one).")
    ] = None,
    show: Annotated[
        Path | None, option(metavar="FILE", help="Measure nothing; show this JSON.")
    ] = None,
) -> None:
    """Measure this machine and write one page with all charts."""
    from ..report.run import Options, run_report

    options = Options(
        quick=quick,
        sections=None if sections is None else sections.split(","),
        device=device,
        output=output,
        json=json,
        against=against,
        shown=show,
    )
    if not run_report(make_console(json), options):
        raise typer.Exit(EXIT_FAILED)
