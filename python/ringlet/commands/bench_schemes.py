# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench schemes`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ..console import make_console
from .options import BenchJson, NoJson, Output, Png, Svg, json_file, option, pictures, some_integers


def bench_schemes(
    schemes: Annotated[
        str | None, option(metavar="LIST", help="Of ckks, bfv, bgv (all).")
    ] = None,
    degrees: Annotated[
        str | None,
        option(metavar="LIST", help="Of 4096 to 32768 (all)."),
    ] = None,
    threads: Annotated[
        str | None, option(metavar="LIST", help="Numbers of threads (1,2).")
    ] = None,
    rounds: Annotated[
        int | None, option(metavar="N", help="Most rounds of a case.")
    ] = None,
    seconds: Annotated[
        float | None, option(metavar="S", help="About, after five rounds.")
    ] = None,
    quick: Annotated[bool, option("--quick", help="N = 4096 and two rounds.")] = False,
    show: Annotated[
        Path | None, option(metavar="FILE", help="Show an earlier run's JSON.")
    ] = None,
    page: Annotated[
        Path | None, option(metavar="FILE", help="Renew this page's tables.")
    ] = None,
    json: BenchJson = None,
    no_json: NoJson = False,
    markdown: Annotated[bool, option(help="Write Markdown tables (yes).")] = True,
    png: Png = True,
    svg: Svg = False,
    output: Output = Path("."),
) -> None:
    """Time CKKS, BFV and BGV, beside SEAL, the goals and the HEXL paper."""
    from ..bench.schemes import OPERATION
    from ..bench.schemes_report import Options, run_schemes

    stem = output / "ringlet-bench-schemes"
    run_schemes(
        make_console(json),
        Options(
            schemes=None if schemes is None else list(dict.fromkeys(schemes.split(","))),
            degrees=some_integers(degrees, "--degrees", OPERATION),
            threads=some_integers(threads, "--threads", OPERATION),
            rounds=rounds,
            seconds=seconds,
            is_quick=quick,
            shown=show,
            json=json_file(json, no_json, stem.with_suffix(".json"), OPERATION),
            markdown=stem.with_suffix(".md") if markdown else None,
            page=page,
            pictures=pictures(stem, png, svg),
        ),
    )
