# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench gpu`: the steps, routines and products of the paper on a device, with its
roofline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from ringlet import device as open_device
from ringlet.errors import InvalidArgument
from ringlet.files import note_written, write_atomically
from ringlet.progress import counted_steps

from .document import read_document
from .pictures import pictures_of
from .report import page_of, print_results, to_json
from .results import measure_document, results_of
from .rows import OPERATION, make_plan
from ..output import Destination


def open_measured_device(name: str) -> Any:
    """Opens the device of this name. Raises InvalidArgument if it is the processor."""
    opened = open_device(name)
    if opened.is_cpu:
        raise InvalidArgument(
            OPERATION,
            f"--device {name}",
            "devices of OpenCL or CUDA",
            "name a device that `ringlet info` shows, such as gpu:0; `ringlet bench ntt` measures "
            "the processor",
        )
    return opened


def run_gpu_benchmark(
    files: Destination,
    *,
    device: str,
    is_quick: bool,
    rounds: int | None,
    degrees: Sequence[int] | None,
    batches: Sequence[int] | None,
    parts: Sequence[str] | None,
) -> None:
    """Measures, prints the tables, and writes the requested files."""
    opened = open_measured_device(device)
    plan = make_plan(
        is_quick=is_quick,
        is_host_processor=opened.info.is_host_processor,
        rounds=rounds,
        degrees=degrees,
        batches=batches,
        parts=parts,
    )
    console = files.start()
    with counted_steps(console) as progress:
        document = measure_document(opened.name, opened.info, plan, progress)
    show(console, files, document)


def show(
    console: Console, files: Destination, document: dict[str, Any], is_page_wanted: bool = False
) -> None:
    """Prints and writes the content of a checked document. The second device and later devices have
    file names of their own."""
    all_results = results_of(document)
    for i, results in enumerate(all_results):
        print_results(console, results)
        own = files.stem if i == 0 else files.stem.with_name(f"{files.stem.name}-{i + 1}")
        pictures = replace(files, stem=own).draw(console, pictures_of(results))
        if is_page_wanted:
            shown = [path.name for path in pictures if path.suffix == files.suffixes[0]]
            page = own.with_suffix(".md")
            write_atomically(page, page_of(results, shown))
            note_written(console, page)
    files.write(console, to_json(document, all_results), {})


def show_file(files: Destination, path: Path) -> None:
    """Shows an earlier run, of this machine or another: tables, pictures and a page of Markdown."""
    document = read_document(path)
    show(files.start(files.stem.with_suffix(".md")), files, document, is_page_wanted=True)
