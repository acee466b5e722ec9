# SPDX-License-Identifier: Apache-2.0
"""`ringlet demo`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..console import EXIT_FAILED, make_console
from .options import Files, JsonFile, Output, option


def demo(
    output: Output = Path("."),
    png: Annotated[bool, option(help="Write ringlet-demo.png (yes).")] = True,
    svg: Annotated[bool, option(help="Write ringlet-demo.svg (no).")] = False,
    device: Annotated[
        str | None, option(metavar="NAME", help="Device that computes (RINGLET_DEVICE).")
    ] = None,
    json: JsonFile = None,
) -> None:
    """Classify real medical data under encryption; check the result."""
    from ..demo import run_demo

    files = Files(output, png=png, svg=svg).pictures("ringlet-demo")
    if not run_demo(make_console(json), files, device and device.lower(), json):
        raise typer.Exit(EXIT_FAILED)
