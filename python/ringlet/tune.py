# SPDX-License-Identifier: Apache-2.0
"""`ringlet tune`: measures which kernel is the fastest on this machine, and saves the result."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from . import TuneProgress, Wisdom, cpu_info
from .errors import InvalidArgument
from .files import note_written, prepare_folders, write_json

COMMAND = "ringlet tune"


def default_path() -> Path:
    """Returns the default path: ringlet/wisdom in $XDG_CONFIG_HOME if that is an absolute folder,
    else in ~/.config."""
    folder = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    if not folder.is_absolute():
        folder = Path.home() / ".config"
    return folder / "ringlet" / "wisdom"


def log_degrees(degrees: list[int]) -> list[int]:
    """Returns the exponents of powers of two. Raises InvalidArgument for other numbers."""
    for degree in degrees:
        if degree < 2 or degree & (degree - 1) or degree > 1 << 20:
            raise InvalidArgument(
                COMMAND,
                f"--degrees {degree}",
                "powers of two from 2 to 1048576",
                "write for example --degrees 4096,8192",
            )
    return [degree.bit_length() - 1 for degree in degrees]


def check_bits(widths: list[int]) -> None:
    """Raises InvalidArgument for a width outside of 2 to 63 bits."""
    for width in widths:
        if not 2 <= width <= 63:
            raise InvalidArgument(
                COMMAND, f"--bits {width}", "2 to 63", "write for example --bits 30,50,60"
            )


def check_replaceable(path: Path) -> None:
    """Raises InvalidArgument if the path exists and is not a regular file. `ringlet tune` replaces
    the file.
    """
    if path.exists() and not path.is_file():
        raise InvalidArgument(
            COMMAND, f"--output {path}", "a file that may be replaced", "name another file"
        )


def widths_text(widths: list[int]) -> str:
    """Returns widths as text: [30, 45, 46, 47] becomes "30, 45-47"."""
    runs: list[list[int]] = []
    for width in sorted(widths):
        if runs and width == runs[-1][1] + 1:
            runs[-1][1] = width
        else:
            runs.append([width, width])
    return ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in runs)


@dataclass
class Difference:
    """A run of modulus widths for which the same kernel is faster than the kernel of the estimate.
    """

    widths: list[int] = field(default_factory=list)
    gains: list[float] = field(default_factory=list)

    def gain_text(self) -> str:
        low, high = min(self.gains), max(self.gains)
        return f"{high:.2f}" if f"{low:.2f}" == f"{high:.2f}" else f"{low:.2f}-{high:.2f}"


class Findings:
    """Collects the measurements that differ from the estimate."""

    def __init__(self) -> None:
        self.differences: dict[tuple[str, int, str, str], Difference] = {}

    def add(self, progress: TuneProgress) -> None:
        entry = progress.entry
        if entry.kernel == progress.estimate:
            return
        key = (entry.operation, entry.log_degree, progress.estimate, entry.kernel)
        difference = self.differences.setdefault(key, Difference())
        difference.widths.append(entry.modulus_bits)
        difference.gains.append(progress.gain)

    def count(self) -> int:
        return sum(len(difference.widths) for difference in self.differences.values())

    def table(self) -> Table:
        table = Table(title="Faster than the estimate", title_justify="left")
        for column in ("operation", "N", "bits of q", "estimate", "fastest", "times as fast"):
            table.add_column(column)
        for (operation, log_degree, estimate, kernel), found in self.differences.items():
            degree = str(1 << log_degree) if operation == "ntt" else ""
            table.add_row(
                operation, degree, widths_text(found.widths), estimate, kernel, found.gain_text()
            )
        return table


@dataclass(frozen=True)
class Choice:
    """What to measure. None means the whole range, or a few values of it if `is_quick`."""

    degrees: list[int] | None = None
    bits: list[int] | None = None
    is_quick: bool = False


def wisdom_json(wisdom: Wisdom, path: Path) -> dict[str, Any]:
    """Returns the fastest kernel of each operation as JSON."""
    return {
        "processor": cpu_info().model,
        "wisdom": str(path),
        "entries": [
            {
                "operation": entry.operation,
                "degree": 1 << entry.log_degree if entry.operation == "ntt" else None,
                "modulus_bits": entry.modulus_bits,
                "kernel": entry.kernel,
            }
            for entry in wisdom.entries
        ],
    }


def run_tune(
    console: Console, output: Path | None, choice: Choice, json_path: Path | None = None
) -> None:
    """Measures the kernels, saves the result, and prints what differs from the estimate."""
    exponents = None if choice.degrees is None else log_degrees(choice.degrees)
    check_bits(choice.bits or [])
    path = default_path() if output is None else output
    check_replaceable(path)
    prepare_folders([path, json_path])
    findings = Findings()
    start = time.perf_counter()
    console.print(f"Timing all kernels of {cpu_info().model}. Leave the machine alone meanwhile.")
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("kernels", total=None)

        def record(progress: TuneProgress) -> None:
            bar.update(task, completed=progress.completed, total=progress.total)
            findings.add(progress)

        wisdom = Wisdom.tune(exponents, choice.bits, None, choice.is_quick, record)
    # A link stays a link: its target is replaced.
    wisdom.save(os.path.realpath(path))
    if findings.differences:
        console.print(findings.table())
    console.print(
        f"{len(wisdom)} measured in {time.perf_counter() - start:.1f} s; "
        f"{findings.count()} of them differ from the estimate."
    )
    console.print(f"Written to {path}. To use it: export RINGLET_WISDOM={path}", soft_wrap=True)
    if json_path is not None:
        write_json(json_path, wisdom_json(wisdom, path))
        note_written(console, json_path)
