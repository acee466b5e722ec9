# SPDX-License-Identifier: Apache-2.0
"""The roofline of `ringlet bench gpu`: the bounds of a transform, and how near to them it is.

A transform of N words in P passes moves 16 * P * N bytes through global memory: every pass reads
and writes all words. Words of 32 bits between passes move 8 * (P + 1) * N. Roots are left out, as
in the paper. Its N/2 * log2(N) butterflies need at least the products of 32-bit words that
NttRow.products counts. Bytes and products, divided by their measured rates, give two lower bounds
of the time. The larger bound is the roof that binds.
"""

from __future__ import annotations

from dataclasses import dataclass

from .results import NttCell, Results


@dataclass(frozen=True)
class Point:
    """One row, size and direction under the roofs. All values are those of one transform."""

    cell: NttCell
    direction: str
    bytes_moved: int
    products: int  # of 32-bit words
    table_density: float  # operations per byte, as Table I counts operations
    memory_seconds: float
    multiply_seconds: float

    @property
    def density(self) -> float:
        """Products per byte."""
        return self.products / self.bytes_moved

    @property
    def seconds(self) -> float:
        return self.cell.seconds(self.direction)

    @property
    def rate(self) -> float:
        """Products per second."""
        return self.products / self.seconds

    @property
    def binding(self) -> str:
        return "memory" if self.memory_seconds >= self.multiply_seconds else "multiplier"

    @property
    def roof_rate(self) -> float:
        """Products per second under the roof that binds."""
        return self.products / max(self.memory_seconds, self.multiply_seconds)

    @property
    def percent(self) -> float:
        """The measured speed in percent of the roof that binds. It is above 100 if words stay in a
        cache."""
        return 100 * max(self.memory_seconds, self.multiply_seconds) / self.seconds


def make_point(results: Results, cell: NttCell, direction: str) -> Point:
    wide, narrow = cell.row.products
    roofs = results.roofs
    moved = cell.bytes_moved(direction)
    return Point(
        cell=cell,
        direction=direction,
        bytes_moved=moved,
        products=cell.butterflies * (wide + narrow),
        table_density=cell.row.table_operations(cell.degree) / moved,
        memory_seconds=moved / roofs.bandwidth,
        multiply_seconds=cell.butterflies
        * (wide / roofs.rate("multiply_add_wide") + narrow / roofs.rate("multiply_add")),
    )


def reference_cells(results: Results) -> list[NttCell]:
    """Returns all rows at the size of the summary: the paper's size if it was measured, else the
    largest."""
    sizes = {(cell.degree, cell.limbs) for cell in results.ntt}
    size = (32768, 8192) if (32768, 8192) in sizes else max(sizes, default=None)
    return [cell for cell in results.ntt if (cell.degree, cell.limbs) == size]


def points_at_reference(results: Results, direction: str) -> list[Point]:
    return [make_point(results, cell, direction) for cell in reference_cells(results)]
