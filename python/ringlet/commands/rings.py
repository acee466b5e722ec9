# SPDX-License-Identifier: Apache-2.0
"""`ringlet rings`."""

from __future__ import annotations

from typing import Annotated

from ..console import make_console
from .options import JsonFile, option


def rings(
    *,
    slots: Annotated[int, option(metavar="N", help="At least N slots.")] = 0,
    weight: Annotated[
        int, option(metavar="N", help="At most N coefficients of Phi_m are not 0.")
    ] = 0,
    stride: Annotated[int, option(metavar="N", help="Phi_m is a polynomial in X^s, s >= N.")] = 0,
    degree: Annotated[
        tuple[int, int] | None, option(help="Degree from MIN to MAX (0 16384).", metavar="MIN MAX")
    ] = None,
    bits: Annotated[int, option(metavar="N", help="128-bit security for N bits of modulus.")] = 0,
    prime: Annotated[int, option(metavar="P", help="Slots hold integers modulo P (2).")] = 2,
    index: Annotated[
        int | None, option(metavar="M", help="Show all facts about the ring of this m.")
    ] = None,
    rows: Annotated[int, option(metavar="N", help="Rows of the table; 0 for all (40).")] = 40,
    json: JsonFile = None,
) -> None:
    """Search cyclotomic rings by slots, sparsity and security."""
    from ..files import prepare_folders
    from ..rings import Search, show_ring, show_search

    console = make_console(json)
    prepare_folders([json])
    if index is not None:
        show_ring(console, index, prime, json)
        return
    search = Search(
        slots=slots, weight=weight, stride=stride, degrees=degree, bits=bits, prime=prime
    )
    show_search(console, search, rows, json)
