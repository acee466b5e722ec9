# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench fv`: Table 2 of the paper on FV encryption with Karatsuba's algorithm, on this
machine. It times products P * U + E modulo (Phi_m, q) for 1 to 4 encryptions, by every method and
instruction set. Beside them it shows the paper's quoted figures and the times of the co-simulated
hardware.

All software is measured interleaved in one process: each round runs one block of every row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from ringlet.errors import InvalidArgument
from ringlet.files import read_json

from ... import _lab
from ..._lab import Job, Stopwatch, selected_kernels
from ..kernels import available_tables
from ..timing import Clock, Times, fill, run_rounds

OPERATION = "ringlet bench fv"
WAYS = ("karatsuba", "ntt", "additions")
COUNTS = (1, 2, 3, 4)
REDUCTIONS = ("sparse_divisors", "block_system")
# The residue planes of one reduction: three primes, or three limbs.
PLANES = 3
_BLOCK_US = 2000.0


@dataclass(frozen=True)
class Ring:
    """A ring of the benchmark: m, its degree, and a description."""

    index: int
    degree: int
    text: str


# Rings by their names for --ring.
RINGS = {
    "2560": Ring(3205, 2560, "n = 2560, 40 slots: the paper's size; about 64 bits of security"),
    "2420": Ring(2783, 2420, "n = 2420, 22 slots: the paper's slots; about 64 bits of security"),
    "5832": Ring(10773, 5832, "n = 5832, 108 slots: 128 bits of security"),
    "8190": Ring(8191, 8190, "n = 8190, 630 slots: 128 bits of security"),
}


@dataclass
class Cell(Times):
    """One measured time. Its job of the stopwatch fills it in after the run."""

    job: Job
    count: int


@dataclass
class Row:
    """One method of computing products on one kernel table. Cells are by the number of encryptions.
    """

    group: str  # "product", "unprepared", "algorithm1" or "reduction"
    kernel: str
    text: str
    cells: dict[int, Cell] = field(default_factory=dict)


@dataclass
class Results(Clock):
    """The measurements of one run, and the reports that were read from files."""

    ring: Ring
    modulus: int
    rows: list[Row]
    hardware: dict[str, Any] | None = None
    study: dict[str, Any] | None = None
    synthesis: dict[str, Any] | None = None
    placement: dict[str, Any] | None = None

    @property
    def counts(self) -> list[int]:
        return sorted({count for row in self.rows for count in row.cells})

    def of(self, *groups: str) -> list[Row]:
        return [row for row in self.rows if row.group in groups]


class Measurements:
    """The jobs of one run."""

    def __init__(self, ring: Ring, modulus: int, counts: Sequence[int]) -> None:
        self.stopwatch = Stopwatch()
        self.ring = ring
        self.modulus = modulus
        self.counts = counts
        self.rows: list[Row] = []
        for way in WAYS:
            for table in available_tables():
                self._add_products(way, table)
        self._add_algorithm_1()
        for method in REDUCTIONS:
            self._add_reduction(method)

    def _add_products(self, way: str, table: str) -> None:
        """Adds the rows of one method on one kernel table. Adds none if a lower table has the same
        kernels."""
        ring, modulus = self.ring, str(self.modulus)
        kernel = _lab.wide_product_kernel(ring.index, modulus, way, table)
        if any(row.kernel == kernel for row in self.rows):
            return
        for group, text in (("product", "P prepared once"), ("unprepared", "P prepared each time")):
            row = Row(group, kernel, text)
            for count in self.counts:
                of = (self.stopwatch, ring.index, modulus, way, table, count)
                job = _lab.add_wide_product(*of, prepared=group == "product")
                row.cells[count] = Cell(job, count)
            self.rows.append(row)

    def _add_algorithm_1(self) -> None:
        text = "the paper's Algorithm 1 on these kernels; not reduced modulo Phi_m"
        row = Row("algorithm1", "", text)
        for count in self.counts:
            job = _lab.add_rns_product(
                self.stopwatch, self.ring.degree, str(self.modulus), selected_kernels(), count
            )
            row.kernel = f"rns/{job.kernel}"
            row.cells[count] = Cell(job, count)
        self.rows.append(row)

    def _add_reduction(self, method: str) -> None:
        try:
            job = _lab.add_reduction(self.stopwatch, self.ring.index, method, PLANES)
        except InvalidArgument:
            return  # the block system takes only sparse polynomials
        row = Row("reduction", f"reduction/{method}", f"modulo Phi_m, {PLANES} planes of 2n - 1")
        row.cells[1] = Cell(job, 1)
        self.rows.append(row)

    def run(self, console: Console, rounds: int) -> Results:
        """Measures everything; shows a progress bar on a terminal."""
        run_rounds(console, self.stopwatch, rounds, _BLOCK_US)
        cells = [cell for row in self.rows for cell in row.cells.values()]
        fill(self.stopwatch, [(cell, cell.job.index) for cell in cells])
        clock_hz = list(self.stopwatch.clock_hz)
        return Results(self.ring, self.modulus, self.rows, clock_hz=clock_hz, rounds=rounds)


def read_report(path: Path | None, key: str) -> dict[str, Any] | None:
    """Reads a report of the hardware build. Raises InvalidArgument if the file is no such report.
    """
    if path is None:
        return None
    remedy = "pass the report that the hardware build wrote"
    report = read_json(path, OPERATION, str(path), "a JSON report", remedy)
    if isinstance(report, dict) and isinstance(report.get(key), list):
        return report
    wanted = f"a report with '{key}'"
    raise InvalidArgument(OPERATION, f"{path} has no list '{key}'", wanted, remedy)
