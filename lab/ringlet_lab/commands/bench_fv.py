# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench fv`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ringlet.commands.options import integers, option
from ringlet.console import make_console

from .options import ResultFiles, with_files

_COMMAND = "ringlet bench fv"


@with_files
def bench_fv(
    files: ResultFiles,
    ring: Annotated[
        str, option(metavar="N", help="Degree: 2420, 2560, 5832, 8190 (2560).")
    ] = "2560",
    bits: Annotated[int, option(metavar="N", help="Bits of the modulus, a prime (125).")] = 125,
    counts: Annotated[
        str, option(metavar="LIST", help="Encryptions, of 1 to 4 (1,2,3,4).")
    ] = "1,2,3,4",
    rounds: Annotated[int, option(metavar="N", help="Rounds over every row (100).")] = 100,
    hardware: Annotated[
        Path | None, option(metavar="FILE", help="The co-simulation's report: cycles.")
    ] = None,
    study: Annotated[
        Path | None, option(metavar="FILE", help="Report on splits with hardware.")
    ] = None,
    synth: Annotated[
        Path | None, option(metavar="FILE", help="Logic synthesis's report: Table 1.")
    ] = None,
) -> None:
    """Time FV's products over cyclotomic rings, beside the paper's."""
    from ..bench.fv_report import Options, run_fv_benchmark

    json = files.json("ringlet-bench-fv")
    run_fv_benchmark(
        make_console(json),
        Options(
            ring=ring,
            bits=bits,
            rounds=rounds,
            counts=tuple(integers(counts, "--counts", _COMMAND)),
            hardware=hardware,
            study=study,
            synth=synth,
            json=json,
            pictures=tuple(files.pictures("ringlet-bench-fv")),
        ),
    )
