# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench schemes`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ringlet.commands.options import option, some_integers
from ringlet.console import make_console

from .options import ResultFiles, with_files


@with_files
def bench_schemes(
    files: ResultFiles,
    schemes: Annotated[str | None, option(metavar="LIST", help="Of ckks, bfv, bgv (all).")] = None,
    degrees: Annotated[str | None, option(metavar="LIST", help="Of 4096 to 32768 (all).")] = None,
    threads: Annotated[str | None, option(metavar="LIST", help="Numbers of threads (1,2).")] = None,
    rounds: Annotated[int | None, option(metavar="N", help="Most rounds of a case.")] = None,
    seconds: Annotated[float | None, option(metavar="S", help="About, after five rounds.")] = None,
    quick: Annotated[bool, option("--quick", help="N = 4096 and two rounds.")] = False,
    show: Annotated[Path | None, option(metavar="FILE", help="Show an earlier run's JSON.")] = None,
    page: Annotated[Path | None, option(metavar="FILE", help="Renew this page's tables.")] = None,
    markdown: Annotated[bool, option(help="Write Markdown tables (yes).")] = True,
) -> None:
    """Time CKKS, BFV and BGV, beside SEAL, the goals and the HEXL paper."""
    from ..bench.schemes import OPERATION
    from ..bench.schemes_report import Options, run_schemes

    json = files.json("ringlet-bench-schemes")
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
            json=json,
            markdown=files.folder / "ringlet-bench-schemes.md" if markdown else None,
            page=page,
            pictures=files.pictures("ringlet-bench-schemes"),
        ),
    )
