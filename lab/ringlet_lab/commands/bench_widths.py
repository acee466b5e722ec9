# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench widths`."""

from __future__ import annotations

from typing import Annotated

from ringlet.commands.options import integers, option, some_integers
from ringlet.console import make_console

from .options import ResultFiles, Rounds, with_files


@with_files
def bench_widths(
    files: ResultFiles,
    degrees: Annotated[str, option(metavar="LIST", help="Transform lengths (4096).")] = "4096",
    bits: Annotated[
        str | None, option(metavar="LIST", help="Widths of the moduli (20 to 62).")
    ] = None,
    rounds: Rounds = None,
    quick: Annotated[bool, option("--quick", help="A few widths and rounds.")] = False,
) -> None:
    """Time per butterfly for every width of the modulus."""
    from ..bench.widths import OPERATION
    from ..bench.widths_report import Options, run_widths

    json = files.json("ringlet-bench-widths")
    run_widths(
        make_console(json),
        Options(
            degrees=integers(degrees, "--degrees", OPERATION),
            widths=some_integers(bits, "--bits", OPERATION),
            rounds=rounds,
            is_quick=quick,
            json=json,
            picture_stem=files.folder / "ringlet-bench-widths",
            suffixes=files.suffixes,
        ),
    )
