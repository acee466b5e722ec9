# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench widths`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ..console import make_console
from .options import (
    BenchJson,
    NoJson,
    Output,
    Png,
    Rounds,
    Svg,
    integers,
    json_file,
    option,
    some_integers,
    suffixes,
)


def bench_widths(
    degrees: Annotated[
        str, option(metavar="LIST", help="Transform lengths (4096).")
    ] = "4096",
    bits: Annotated[
        str | None, option(metavar="LIST", help="Widths of the moduli (20 to 62).")
    ] = None,
    rounds: Rounds = None,
    quick: Annotated[bool, option("--quick", help="A few widths and rounds.")] = False,
    json: BenchJson = None,
    no_json: NoJson = False,
    png: Png = True,
    svg: Svg = False,
    output: Output = Path("."),
) -> None:
    """Time per butterfly for every width of the modulus."""
    from ..bench.widths import OPERATION
    from ..bench.widths_report import Options, run_widths

    run_widths(
        make_console(json),
        Options(
            degrees=integers(degrees, "--degrees", OPERATION),
            widths=some_integers(bits, "--bits", OPERATION),
            rounds=rounds,
            is_quick=quick,
            json=json_file(json, no_json, output / "ringlet-bench-widths.json", OPERATION),
            picture_stem=output / "ringlet-bench-widths",
            suffixes=suffixes(png, svg),
        ),
    )
