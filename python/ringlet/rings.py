# SPDX-License-Identifier: Apache-2.0
"""`ringlet rings`: cyclotomic rings by slots, sparsity, degree and security."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from ._core import (
    RingProfile,
    expansion_factor,
    max_modulus_bits,
    profile_ring,
    reduction_growth,
    reduction_operations,
    search_rings,
    slot_dimensions,
)
from .errors import InvalidArgument
from .files import note_written, write_json

COMMAND = "ringlet rings"
SECURITY = "128 bits by the 2024 table"
DEFAULT_MAX_DEGREE = 16384
# The reproduction of the paper: about 64 bits, which no table promises.
REPRODUCTION_DEGREE = 2420


@dataclass(frozen=True)
class Search:
    """Options of the search. The value 0 means no limit."""

    slots: int = 0
    weight: int = 0
    stride: int = 0
    degrees: tuple[int, int] | None = None
    bits: int = 0
    prime: int = 2

    def __post_init__(self) -> None:
        options = (
            ("--slots", self.slots),
            ("--weight", self.weight),
            ("--stride", self.stride),
            ("--bits", self.bits),
        )
        for option, value in options:
            if value < 0:
                raise InvalidArgument(
                    COMMAND, f"{option} {value}", "0 and above", f"leave {option} out for no limit"
                )
        if self.degrees is not None and not 0 <= self.degrees[0] <= self.degrees[1]:
            raise InvalidArgument(
                COMMAND,
                f"--degree {self.degrees[0]} {self.degrees[1]}",
                "the smaller degree first",
                "write for example --degree 4096 8192",
            )

    def run(self) -> list[RingProfile]:
        low, high = self.degrees or (0, DEFAULT_MAX_DEGREE)
        return search_rings(
            prime=self.prime,
            min_degree=low,
            max_degree=high,
            min_slots=self.slots,
            max_weight=self.weight,
            min_stride=self.stride,
            min_modulus_bits=self.bits,
        )


def ring_json(ring: RingProfile) -> dict[str, Any]:
    """Returns a ring of the search as JSON."""
    return {
        "index": ring.index,
        "degree": ring.degree,
        "slots": ring.slot_count,
        "slot_degree": ring.slot_degree,
        "stride": ring.stride,
        "weight": ring.weight,
        "max_coefficient": ring.max_coefficient,
        "modulus_bits_128": max_modulus_bits(ring.degree),
    }


def detail_json(ring: RingProfile, prime: int) -> dict[str, Any]:
    """Returns all facts about one ring as JSON."""
    return {
        **ring_json(ring),
        "prime": prime,
        "slot_dimensions": slot_dimensions(ring.index) if prime == 2 else None,
        "modulus_bits_192": max_modulus_bits(ring.degree, "tc192"),
        "modulus_bits_256": max_modulus_bits(ring.degree, "tc256"),
        "expansion_factor": expansion_factor(ring.index),
        "reduction_growth": reduction_growth(ring.index),
        "reduction_operations": reduction_operations(ring.index),
    }


def bits_text(bits: int) -> str:
    """Returns the largest size of a modulus in bits, as text."""
    return str(bits) if bits else "none"


def rings_table(rings: list[RingProfile], prime: int) -> Table:
    """Returns a table with one row for each ring."""
    what = "bits" if prime == 2 else f"integers modulo {prime}"
    table = Table(
        title=f"Cyclotomic rings Z[X]/Phi_m with slots of {what}",
        caption=f"log q: bits of the modulus for {SECURITY}",
        title_justify="left",
        caption_justify="left",
    )
    columns = ("m", "degree n", "slots", "degree of a slot", "stride", "weight", "max |c|", "log q")
    for column in columns:
        table.add_column(column, justify="right")
    for ring in rings:
        numbers = (
            ring.index,
            ring.degree,
            ring.slot_count,
            ring.slot_degree,
            ring.stride,
            ring.weight,
            ring.max_coefficient,
        )
        table.add_row(*map(str, numbers), bits_text(max_modulus_bits(ring.degree)))
    return table


def _slots_text(detail: dict[str, Any]) -> str:
    text = f"{detail['slots']} of degree {detail['slot_degree']} modulo {detail['prime']}"
    dimensions = detail["slot_dimensions"]
    if not dimensions:
        return text
    return f"{text}; dimensions {' x '.join(map(str, dimensions))}"


def detail_table(detail: dict[str, Any]) -> Table:
    """Returns a table of all facts about one ring."""
    table = Table(title=f"Z[X]/Phi_{detail['index']}", title_justify="left", show_header=False)
    table.add_column()
    table.add_column()
    table.add_row("degree n", str(detail["degree"]))
    table.add_row("slots", _slots_text(detail))
    table.add_row(
        "Phi_m",
        f"{detail['weight']} coefficients that are not 0, up to {detail['max_coefficient']}; "
        f"stride {detail['stride']}",
    )
    for level in (128, 192, 256):
        bits = bits_text(detail[f"modulus_bits_{level}"])
        table.add_row(f"log q, {level} bits of security", bits)
    table.add_row(
        "expansion factor",
        f"{detail['expansion_factor']} ({detail['expansion_factor'] / detail['degree']:.1f} n)",
    )
    table.add_row("growth of a reduction", str(detail["reduction_growth"]))
    for method, count in detail["reduction_operations"].items():
        name = f"operations, {method.replace('_', ' ')}"
        table.add_row(name, "not for this ring" if count is None else str(count))
    return table


def _write(path: Path | None, content: dict[str, Any], console: Console) -> None:
    if path is None:
        return
    write_json(path, content)
    note_written(console, path)


def show_search(console: Console, search: Search, rows: int, json_path: Path | None) -> None:
    """Prints the rings that a search finds."""
    if rows < 0:
        remedy = "write --rows 0 for all rows"
        raise InvalidArgument(COMMAND, f"--rows {rows}", "0 and above", remedy)
    rings = search.run()
    shown = rings if rows == 0 else rings[:rows]
    if shown:
        console.print(rings_table(shown, search.prime))
    if not rings:
        console.print("No ring has all of this. Ask for fewer slots, more weight or more degrees.")
    elif len(shown) < len(rings):
        console.print(f"{len(rings)} rings, {len(shown)} of them shown; --rows 0 shows all.")
    else:
        console.print(f"{len(rings)} {'ring' if len(rings) == 1 else 'rings'}.")
    content = {
        "prime": search.prime,
        "security": SECURITY,
        "rings": [ring_json(ring) for ring in rings],
    }
    _write(json_path, content, console)


def show_ring(console: Console, index: int, prime: int, json_path: Path | None) -> None:
    """Prints all facts about one ring."""
    detail = detail_json(profile_ring(index, prime), prime)
    console.print(detail_table(detail))
    if detail["modulus_bits_128"] < 125 and detail["degree"] >= REPRODUCTION_DEGREE:
        console.print(
            "With 125-bit moduli this degree is a reproduction of the literature, "
            "below 128 bits of security."
        )
    _write(json_path, detail, console)
