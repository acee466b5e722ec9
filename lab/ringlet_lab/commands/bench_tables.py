# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench tables`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ringlet.commands.options import JsonFile, option
from ringlet.console import make_console


def bench_tables(
    rounds: Annotated[int, option(metavar="N", help="Rounds over everything (500).")] = 500,
    peers: Annotated[
        Path | None, option(metavar="FILE", help="ringlet_peers of a build: NTL and FLINT too.")
    ] = None,
    json: JsonFile = None,
    png: Annotated[Path | None, option(metavar="FILE", help="Write this picture.")] = None,
    svg: Annotated[Path | None, option(metavar="FILE", help="Write this picture.")] = None,
) -> None:
    """Tables 1 to 4 of the HEXL paper here, beside the paper's."""
    from ..bench.tables_report import run_tables_benchmark

    run_tables_benchmark(
        make_console(json),
        rounds=rounds,
        peers_path=peers,
        json_path=json,
        pictures=[path for path in (png, svg) if path is not None],
    )
