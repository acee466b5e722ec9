# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench gpu`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ringlet.commands.options import option, some_integers
from ringlet.console import make_console
from ringlet.errors import InvalidArgument

from .options import ResultFiles, Rounds, with_files

_COMMAND = "ringlet bench gpu"


@with_files
def bench_gpu(
    files: ResultFiles,
    device: Annotated[
        str, option(metavar="NAME", help="As `ringlet info` names it (gpu:0).")
    ] = "gpu:0",
    quick: Annotated[bool, option("--quick", help="Small sizes and few rounds.")] = False,
    rounds: Rounds = None,
    degrees: Annotated[
        str | None, option(metavar="LIST", help="Transform lengths, with commas.")
    ] = None,
    batches: Annotated[
        str | None, option(metavar="LIST", help="Polynomials of 8 primes a launch.")
    ] = None,
    parts: Annotated[
        str | None,
        option(metavar="LIST", help="Of ntt, routines, keyswitch, products, server (all)."),
    ] = None,
    source: Annotated[
        Path | None, option("--from", metavar="FILE", help="Show a JSON of this command or of run.")
    ] = None,
) -> None:
    """Time a device's transforms, routines and products."""
    from ..bench.gpu import run_gpu_benchmark, show_file

    json = files.json("ringlet-bench-gpu")
    if source is not None:
        if quick or not (rounds is degrees is batches is parts is None):
            raise InvalidArgument(
                _COMMAND,
                f"--from {source} with options of a measurement",
                "--from alone, or with options for files",
                "leave out --quick, --rounds, --degrees, --batches and --parts",
            )
        stem = files.folder / "ringlet-bench-gpu"
        show_file(make_console(json), source, json, stem, files.suffixes)
        return
    run_gpu_benchmark(
        make_console(json),
        device=device,
        is_quick=quick,
        rounds=rounds,
        degrees=some_integers(degrees, "--degrees", _COMMAND),
        batches=some_integers(batches, "--batches", _COMMAND),
        parts=None if parts is None else parts.split(","),
        json_path=json,
        picture_stem=files.folder / "ringlet-bench-gpu",
        suffixes=files.suffixes,
    )
