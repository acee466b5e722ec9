# SPDX-License-Identifier: Apache-2.0
"""`ringlet params`."""

from __future__ import annotations

from typing import Annotated

import typer

from ..console import make_console
from .options import JsonFile, option


def params(
    scheme: Annotated[str, typer.Argument(metavar="[SCHEME]", help="ckks, bfv or bgv.")] = "ckks",
    *,
    depth: Annotated[int, option(metavar="N", help="Products in a row (3).")] = 3,
    precision: Annotated[
        float, option(metavar="BITS", help="CKKS: error at most 2^-BITS (20).")
    ] = 20.0,
    plain_bits: Annotated[
        int, option(metavar="N", help="BFV, BGV: plain modulus, bits (20).")
    ] = 20,
    plain_modulus: Annotated[
        int | None, option(metavar="T", help="BFV, BGV: the plain modulus itself.")
    ] = None,
    slots: Annotated[int, option(metavar="N", help="Least numbers of a message (1).")] = 1,
    security: Annotated[str, option(metavar="LEVEL", help="128, 192 or 256 bits (128).")] = "128",
    table: Annotated[
        str, option(metavar="NAME", help="Security table (classical_2024).")
    ] = "classical_2024",
    degree: Annotated[
        int | None, option(metavar="N", help="This degree, and try no other.")
    ] = None,
    share: Annotated[int | None, option(metavar="N", help="CKKS: N results go to others.")] = None,
    times: Annotated[bool, option(help="Predict times here (yes).")] = True,
    json: JsonFile = None,
) -> None:
    """Suggest the smallest parameters for a depth and a precision."""
    from .._core import SharingPolicy, suggest_parameters
    from ..files import prepare_folders
    from ..params import show_suggestion

    prepare_folders([json])
    found = suggest_parameters(
        scheme,
        depth=depth,
        precision=precision,
        plain_bits=plain_bits,
        plain_modulus=plain_modulus,
        slots=slots,
        security=f"tc{security}" if security.isdecimal() else security,
        table=table,
        degree=degree,
        sharing=None if share is None else SharingPolicy(share),
    )
    show_suggestion(make_console(json), found, found.predict_times() if times else None, json)
