# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench ntt`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ringlet.commands.options import integers, option, some_integers
from ringlet.console import make_console
from ringlet.errors import InvalidArgument

from .options import ResultFiles, Rounds, with_files

_COMMAND = "ringlet bench ntt"
_PANEL = "With --figures"


@with_files
def bench_ntt(
    files: ResultFiles,
    degrees: Annotated[
        str | None, option(metavar="LIST", help="Transform lengths (2^10 to 2^16).")
    ] = None,
    bits: Annotated[
        str | None, option(metavar="LIST", help="Bits of primes (30,49,60; figures 48).")
    ] = None,
    rounds: Rounds = None,
    figures: Annotated[
        bool, option("--figures", help="Figures 7 to 11 on extended butterflies.")
    ] = False,
    quick: Annotated[
        bool, option("--quick", help="Two lengths, few rounds.", panel=_PANEL)
    ] = False,
    paper_method: Annotated[
        bool, option("--paper-method", help="Time as section 7.2 of the paper.", panel=_PANEL)
    ] = False,
    paper_degrees: Annotated[
        bool, option("--paper-degrees", help="2^9 to 2^14, as there.", panel=_PANEL)
    ] = False,
    clang: Annotated[
        Path | None, option(metavar="DIR", help="bench of a build by clang.", panel=_PANEL)
    ] = None,
    gcc: Annotated[
        Path | None, option(metavar="DIR", help="bench of a build by gcc.", panel=_PANEL)
    ] = None,
    predictions: Annotated[
        Path | None, option(metavar="FILE", help="JSON of predict_cycles.py.", panel=_PANEL)
    ] = None,
) -> None:
    """Time every NTT kernel, interleaved, with the clock of the same run."""
    if figures:
        from ..bench.ntt_programs import Build
        from ..bench.ntt_report import Options, run_figures
        from ..bench.ntt_variants import BITS, OPERATION, PAPER_DEGREES

        widths = [BITS] if bits is None else integers(bits, "--bits", OPERATION)
        if len(widths) != 1:
            raise InvalidArgument(OPERATION, f"--bits {bits}", "one width", "give one number")
        chosen = some_integers(degrees, "--degrees", OPERATION)
        folders = (("clang", clang), ("gcc", gcc))
        json = files.json("ringlet-bench-ntt-figures")
        run_figures(
            make_console(json),
            Options(
                degrees=PAPER_DEGREES if paper_degrees and chosen is None else chosen,
                bits=widths[0],
                rounds=rounds,
                is_quick=quick,
                paper_method=paper_method,
                builds=[Build(name, path) for name, path in folders if path is not None],
                predictions=predictions,
                json=json,
                picture_stem=files.folder / "ringlet-bench-ntt",
                suffixes=files.suffixes,
            ),
        )
        return
    from ..bench.ntt import DEFAULT_BITS, DEFAULT_DEGREES, run_ntt_benchmark

    alone = {"quick": quick, "paper-method": paper_method, "paper-degrees": paper_degrees,
             "clang": clang, "gcc": gcc, "predictions": predictions}  # fmt: skip
    for name, value in alone.items():
        if value:
            raise InvalidArgument(_COMMAND, f"--{name}", "an option of --figures", "add --figures")
    json = files.json("ringlet-bench-ntt")
    run_ntt_benchmark(
        make_console(json),
        degrees=integers(DEFAULT_DEGREES if degrees is None else degrees, "--degrees", _COMMAND),
        bits=integers(DEFAULT_BITS if bits is None else bits, "--bits", _COMMAND),
        rounds=100 if rounds is None else rounds,
        json_path=json,
        pictures=files.pictures("ringlet-bench-ntt"),
    )
