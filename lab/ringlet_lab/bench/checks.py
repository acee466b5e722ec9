# SPDX-License-Identifier: Apache-2.0
"""Checks of options that several benchmarks have. Each check raises InvalidArgument for a wrong
value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from ringlet.errors import InvalidArgument

_Value = TypeVar("_Value")


def chosen(asked: _Value | None, is_quick: bool, quick: _Value, usual: _Value) -> _Value:
    """Returns the value of the command line if there is one, else the value for --quick or the
    usual one."""
    return (quick if is_quick else usual) if asked is None else asked


def check_degrees(operation: str, degrees: Iterable[int], least: int, most: int) -> None:
    """Raises InvalidArgument unless every degree is a power of two from `least` to `most`."""
    for degree in degrees:
        is_power = degree > 0 and degree & (degree - 1) == 0
        if not is_power or not least <= degree <= most:
            limit = f"powers of two from {least} to {most}"
            remedy = "choose a power of two in this range"
            raise InvalidArgument(operation, f"--degrees {degree}", limit, remedy)


def check_range(operation: str, option: str, value: int, least: int, most: int) -> None:
    """Raises InvalidArgument unless the value is in the range from `least` to `most`."""
    if not least <= value <= most:
        limit = f"{least} to {most}"
        remedy = "choose a number in this range"
        raise InvalidArgument(operation, f"{option} {value}", limit, remedy)


def check_among(operation: str, option: str, values: Iterable[Any], known: Iterable[Any]) -> None:
    """Raises InvalidArgument unless every value is one of `known`."""
    names = list(map(str, known))
    for value in values:
        if str(value) not in names:
            limit = f"one of: {', '.join(names)}"
            raise InvalidArgument(operation, f"{option} {value}", limit, "use one of these values")


def check_rounds(operation: str, rounds: int) -> None:
    """Raises InvalidArgument unless there is at least one round."""
    if rounds < 1:
        raise InvalidArgument(operation, f"--rounds {rounds}", "1 or more", "write --rounds 1")
