# SPDX-License-Identifier: Apache-2.0
"""Checks of options that several benchmarks have. InvalidArgument says what is wrong."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from ringlet.errors import InvalidArgument

_Value = TypeVar("_Value")


def chosen(asked: _Value | None, is_quick: bool, quick: _Value, usual: _Value) -> _Value:
    """What the command line asks for, else what --quick does."""
    return (quick if is_quick else usual) if asked is None else asked


def check_degrees(operation: str, degrees: Iterable[int], least: int, most: int) -> None:
    """Every one is a power of two from `least` to `most`."""
    for degree in degrees:
        is_power = degree > 0 and degree & (degree - 1) == 0
        if not is_power or not least <= degree <= most:
            limit = f"powers of two from {least} to {most}"
            raise InvalidArgument(operation, f"--degrees {degree}", limit, "choose such a degree")


def check_range(operation: str, option: str, value: int, least: int, most: int) -> None:
    """From `least` to `most`."""
    if not least <= value <= most:
        limit = f"{least} to {most}"
        raise InvalidArgument(operation, f"{option} {value}", limit, "choose one in this range")


def check_among(operation: str, option: str, values: Iterable[Any], known: Iterable[Any]) -> None:
    """All of them are known."""
    names = list(map(str, known))
    for value in values:
        if str(value) not in names:
            limit = f"one of: {', '.join(names)}"
            raise InvalidArgument(operation, f"{option} {value}", limit, "use one of these values")


def check_rounds(operation: str, rounds: int) -> None:
    """There is at least one."""
    if rounds < 1:
        raise InvalidArgument(operation, f"--rounds {rounds}", "1 or more", "write --rounds 1")
