# SPDX-License-Identifier: Apache-2.0
"""Counts the lines that a program moves between caches, from the addresses that it uses.

Uses only the standard library, so scripts that lack the package can use it too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

LINE = 64
_OPERAND = re.compile(r"(-?0x[0-9a-f]+)?\((%\w+)?(?:,(%\w+)(?:,(\d))?)?\)")


class Cache:
    """One level, which replaces the least recently used line of a set. `below` is the next level;
    none stands for a level that holds all lines. `read` counts the lines that came from below,
    `written` the changed lines that went back."""

    def __init__(self, size: int, ways: int, below: Cache | None = None) -> None:
        self._ways = ways
        self._sets: list[dict[int, bool]] = [{} for _ in range(size // LINE // ways)]
        self._below = below
        self.read = 0
        self.written = 0

    def touch(self, line: int, changes: bool) -> None:
        """Reads the line with this number, or reads and changes it."""
        lines = self._sets[line % len(self._sets)]
        was_changed = lines.pop(line, None)
        if was_changed is None:
            self.read += 1
            if self._below:
                self._below.touch(line, False)
            if len(lines) == self._ways:
                self._evict(lines)
        lines[line] = bool(was_changed) or changes

    def _evict(self, lines: dict[int, bool]) -> None:
        oldest = next(iter(lines))
        if lines.pop(oldest):
            self.written += 1
            if self._below:
                self._below.touch(oldest, True)


def hierarchy(levels: Sequence[Mapping[str, Any]]) -> list[Cache]:
    """Returns the caches of a table in data/ports, nearest first, without the last level."""
    found: list[Cache] = []
    for level in reversed(levels[:-1]):
        found.insert(0, Cache(level["bytes"], level["ways"], found[0] if found else None))
    return found


def address_of(operands: str) -> Callable[[Any], int] | None:
    """Returns a function from registers to the address of an operand in memory, in AT&T's syntax.
    None if there is no such operand, or if it is a constant of the program."""
    match = _OPERAND.search(operands)
    if not match or match[2] == "%rip" or not (match[2] or match[3]):
        return None
    base, index = ((match[place] or "").lstrip("%") for place in (2, 3))
    offset, scale = int(match[1] or "0", 16), int(match[4] or "1")

    def address(registers: Any) -> int:
        first = getattr(registers, base) if base else 0
        second = getattr(registers, index) * scale if index else 0
        return int(first + second + offset) & (1 << 64) - 1

    return address
