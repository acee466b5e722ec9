# SPDX-License-Identifier: Apache-2.0
"""`ringlet params`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ..console import make_console
from ..errors import InvalidArgument
from .options import JsonFile, option


def refuse_options(values: dict[str, Any], limit: str, remedy: str) -> None:
    """Raises InvalidArgument for an option that was given though it has no effect."""
    for name, value in values.items():
        if value is not None:
            raise InvalidArgument("ringlet params", f"--{name} {value}", limit, remedy)


def params(
    scheme: Annotated[str, typer.Argument(metavar="[SCHEME]", help="ckks, bfv or bgv.")] = "ckks",
    *,
    depth: Annotated[int, option(metavar="N", help="Multiplications in a row (3).")] = 3,
    precision: Annotated[
        float | None, option(metavar="BITS", help="CKKS: error at most 2^-BITS (20).")
    ] = None,
    plain_bits: Annotated[
        int | None, option(metavar="N", help="BFV, BGV: bits of T (20).")
    ] = None,
    plain_modulus: Annotated[
        int | None, option(metavar="T", help="BFV, BGV: the plain modulus T.")
    ] = None,
    slots: Annotated[int, option(metavar="N", help="Least number of slots (1).")] = 1,
    security: Annotated[str, option(metavar="LEVEL", help="128, 192 or 256 bits (128).")] = "128",
    table: Annotated[
        str, option(metavar="NAME", help="Security table (classical_2024).")
    ] = "classical_2024",
    degree: Annotated[
        int | None, option(metavar="N", help="Try this degree only.")
    ] = None,
    share: Annotated[int | None, option(metavar="N", help="CKKS: N results are shared.")] = None,
    times: Annotated[bool, option(help="Predict times here (yes).")] = True,
    json: JsonFile = None,
) -> None:
    """Suggest the smallest parameters for a depth and a precision."""
    from .._core import SharingPolicy, suggest_parameters
    from ..files import prepare_folders
    from ..params import show_suggestion

    scheme = scheme.lower()
    exact = {"plain-bits": plain_bits, "plain-modulus": plain_modulus}
    if scheme == "ckks":
        remedy = "leave the option out, or ask for bfv or bgv"
        refuse_options(exact, "an option for BFV and BGV only", remedy)
    else:
        approximate = {"precision": precision, "share": share}
        remedy = "leave the option out, or ask for ckks"
        refuse_options(approximate, "an option for CKKS only", remedy)
    if plain_modulus is not None:
        refuse_options({"plain-bits": plain_bits}, "--plain-modulus alone", "leave one of them out")
    prepare_folders([json])
    found = suggest_parameters(
        scheme,
        depth=depth,
        precision=20.0 if precision is None else precision,
        plain_bits=20 if plain_bits is None else plain_bits,
        plain_modulus=plain_modulus,
        slots=slots,
        security=f"tc{security}" if security.isdecimal() else security.lower(),
        table=table.lower(),
        degree=degree,
        sharing=None if share is None else SharingPolicy(share),
    )
    show_suggestion(make_console(json), found, found.predict_times() if times else None, json)
