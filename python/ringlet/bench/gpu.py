# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench gpu`: the paper's ladder, routines and products on a device, under its roofs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from .. import device as open_device
from ..errors import InvalidArgument
from ..files import note_written, prepare_folders, write_json
from ..progress import counted_steps
from .gpu_measure import Measurement
from .gpu_pictures import draw_all
from .gpu_report import print_results, to_json
from .gpu_rows import OPERATION, make_plan


def run_gpu_benchmark(
    console: Console,
    *,
    device: str,
    is_quick: bool,
    rounds: int | None,
    degrees: Sequence[int] | None,
    batches: Sequence[int] | None,
    parts: Sequence[str] | None,
    json_path: Path | None,
    picture_stem: Path,
    suffixes: Sequence[str],
) -> None:
    """Measures, prints the tables, and writes the files that were asked for.

    Pictures are `picture_stem` with "-roofline", "-ntt", "-shares", "-routines" and "-products",
    each with every one of `suffixes`.
    """
    opened = open_device(device)
    if opened.is_cpu:
        raise InvalidArgument(
            OPERATION,
            f"--device {device}",
            "devices of OpenCL or CUDA",
            "name one that `ringlet info` shows, such as gpu:0; `ringlet bench ntt` measures the "
            "processor",
        )
    info = opened.info
    plan = make_plan(
        is_quick=is_quick,
        is_host_processor=info.is_host_processor,
        rounds=rounds,
        degrees=degrees,
        batches=batches,
        parts=parts,
    )
    # A folder that cannot be made is found before anything is measured.
    prepare_folders([json_path, picture_stem if suffixes else None])
    with counted_steps(console) as progress:
        results = Measurement(opened.name, info, plan, progress).run()
    print_results(console, results)
    if json_path is not None:
        write_json(json_path, to_json(results))
        note_written(console, json_path)
    note_written(console, *draw_all(results, picture_stem, suffixes))
