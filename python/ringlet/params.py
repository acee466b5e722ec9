# SPDX-License-Identifier: Apache-2.0
"""Output of `ringlet params`: parameters for a depth and a precision, and their cost."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from ._core import ParameterSuggestion
from .files import note_written, write_json

_KINDS = {
    "input": "one input",
    "result": "one result",
    "public_key": "public key",
    "relin_keys": "relinearization key",
    "galois_keys": "Galois keys",
}

_PARTS = {
    "keys": "make all keys",
    "encrypt": "encrypt an input",
    "circuit": "run the circuit",
    "decrypt": "decrypt a result",
}


def suggestion_json(found: ParameterSuggestion) -> dict[str, Any]:
    """Returns a suggestion as JSON: primes are decimal numbers, sizes are bytes."""
    parameters = found.parameters
    special: dict[str, Any] = (
        {
            "scale": found.scale,
            "precision_bits": found.precision_bits,
            "noise_bits": found.noise_bits,
        }
        if parameters.scheme == "ckks"
        else {"plain_modulus": parameters.plain_modulus, "budget_bits": found.budget_bits}
    )
    counts = found.counts
    return {
        "scheme": parameters.scheme,
        "degree": parameters.degree,
        "data_primes": parameters.data_primes,
        "special_primes": parameters.special_primes,
        "digit_size": parameters.digit_size,
        "security": parameters.security,
        "table": parameters.table,
        "depth": found.depth,
        "modulus_bits": found.modulus_bits,
        "modulus_bits_limit": found.modulus_bits_limit,
        **special,
        "galois_key_count": found.galois_key_count,
        "counts": {
            "multiplications": counts.multiplications,
            "known_multiplications": counts.known_multiplications,
            "relinearizations": counts.relinearizations,
            "automorphisms": counts.automorphisms,
            "hoisted": counts.hoisted,
            "rescalings": counts.rescalings,
            "key_switches": counts.key_switches,
        },
        "sizes": {
            name: {"memory": size.memory, "saved": size.saved, "saved_seeded": size.saved_seeded}
            for name, size in found.sizes.items()
        },
    }


def bytes_text(count: int) -> str:
    """Returns a number of bytes as text, in the largest unit for which the number is at least 1."""
    for power, unit in ((3, "GiB"), (2, "MiB"), (1, "KiB")):
        if count >= 1024**power:
            return f"{count / 1024**power:.1f} {unit}"
    return f"{count} B"


def _bits(primes: list[int]) -> str:
    return ", ".join(str(prime.bit_length()) for prime in primes) or "none"


def parameters_table(found: ParameterSuggestion) -> Table:
    """Returns a table of the parameters, one fact in each row."""
    parameters = found.parameters
    table = Table(
        title=f"Parameters of {parameters.scheme.upper()} for depth {found.depth}",
        title_justify="left",
        show_header=False,
    )
    table.add_column()
    table.add_column()
    table.add_row("degree N", str(parameters.degree))
    table.add_row("bits of the data primes", _bits(parameters.data_primes))
    table.add_row("bits of the special primes", _bits(parameters.special_primes))
    if parameters.digit_size > 1:
        table.add_row("data primes of a digit", str(parameters.digit_size))
    table.add_row(
        "bits of the modulus",
        f"{found.modulus_bits}, of {found.modulus_bits_limit} that {parameters.security} allows "
        f"({parameters.table})",
    )
    if found.precision_bits is not None:
        table.add_row("scale", f"2^{math.log2(found.scale):g}")
        table.add_row("precision of results", f"{found.precision_bits:.1f} bits")
    else:
        table.add_row("plain modulus", str(parameters.plain_modulus))
        table.add_row("noise budget left", f"{found.budget_bits:.1f} bits")
    counts = found.counts
    table.add_row(
        "key switches",
        f"{counts.key_switches} (relinearizations {counts.relinearizations}, "
        f"rotations and conjugations {counts.automorphisms})",
    )
    return table


def sizes_table(found: ParameterSuggestion) -> Table:
    """Returns a table of the size of each object."""
    table = Table(title="Sizes", title_justify="left")
    table.add_column("object")
    for column in ("in memory", "saved", "saved with seeds"):
        table.add_column(column, justify="right")
    for kind, name in _KINDS.items():
        size = found.sizes[kind]
        if size.memory == 0:
            continue
        if kind == "galois_keys":
            name = f"{found.galois_key_count} {name if found.galois_key_count > 1 else name[:-1]}"
        # Results are computed and have no seed.
        seeded = "" if kind == "result" else bytes_text(size.saved_seeded)
        table.add_row(name, bytes_text(size.memory), bytes_text(size.saved), seeded)
    return table


def times_table(seconds: dict[str, float]) -> Table:
    """Returns a table of the expected time of each part, in milliseconds."""
    table = Table(title="Expected times on this machine", title_justify="left", show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for kind, name in _PARTS.items():
        table.add_row(name, f"{seconds[kind] * 1e3:.3g} ms")
    return table


def show_suggestion(
    console: Console,
    found: ParameterSuggestion,
    seconds: dict[str, float] | None,
    json_path: Path | None,
) -> None:
    """Prints a suggestion as tables, and writes it as JSON if there is a path."""
    console.print(parameters_table(found))
    console.print(sizes_table(found))
    if seconds is not None:
        console.print(times_table(seconds))
    if json_path is not None:
        facts = suggestion_json(found)
        if seconds is not None:
            facts["seconds"] = seconds
        write_json(json_path, facts)
        note_written(console, json_path)
