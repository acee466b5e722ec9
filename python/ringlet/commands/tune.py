# SPDX-License-Identifier: Apache-2.0
"""`ringlet tune`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ..console import make_console
from .options import JsonFile, option, some_integers


def tune(
    output: Annotated[
        Path | None,
        option(
            "--output", "-o", metavar="FILE", help="Output file (~/.config/ringlet/wisdom)."
        ),
    ] = None,
    degrees: Annotated[
        str | None, option(metavar="LIST", help="Transform lengths, comma-separated.")
    ] = None,
    bits: Annotated[
        str | None, option(metavar="LIST", help="Bits of the moduli, comma-separated.")
    ] = None,
    quick: Annotated[bool, option("--quick", help="Measure few lengths and widths.")] = False,
    json: JsonFile = None,
) -> None:
    """Time every kernel on this machine and save the fastest ones."""
    from ..tune import COMMAND, Choice, run_tune

    choice = Choice(
        degrees=some_integers(degrees, "--degrees", COMMAND),
        bits=some_integers(bits, "--bits", COMMAND),
        is_quick=quick,
    )
    run_tune(make_console(json), output, choice, json)
