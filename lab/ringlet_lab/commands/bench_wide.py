# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench wide`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ringlet.commands.options import integers, option
from ringlet.console import make_console

from .options import ResultFiles, with_files

_COMMAND = "ringlet bench wide"


@with_files
def bench_wide(
    files: ResultFiles,
    degrees: Annotated[
        str | None, option(metavar="LIST", help="Transform lengths (2^8 to 2^20).")
    ] = None,
    bits: Annotated[int, option(metavar="N", help="Bits of the moduli, 106 to 124 (124).")] = 124,
    length: Annotated[int, option(metavar="N", help="Elements of vectors (1024).")] = 1024,
    rounds: Annotated[int, option(metavar="N", help="Most rounds of a size (100).")] = 100,
    seconds: Annotated[
        float, option(metavar="S", help="About, after five rounds of a size (5).")
    ] = 5.0,
    peers: Annotated[
        Path | None, option(metavar="FILE", help="ringlet_peers of a build: GMP, FLINT.")
    ] = None,
) -> None:
    """Time arithmetic modulo 124 bits, beside GMP, FLINT and projections."""
    from ..bench.wide_report import DEGREES, Options, run_wide_benchmark

    json = files.json("ringlet-bench-wide")
    chosen = DEGREES if degrees is None else integers(degrees, "--degrees", _COMMAND)
    run_wide_benchmark(
        make_console(json),
        Options(
            degrees=tuple(chosen),
            bits=bits,
            length=length,
            rounds=rounds,
            seconds=seconds,
            peers=peers,
            json=json,
            pictures=tuple(files.pictures("ringlet-bench-wide")),
        ),
    )
