# SPDX-License-Identifier: Apache-2.0
"""Counts the kinds of instructions that a transform executes, by their names in the disassembly of
x86-64 (operands in the order of AT&T). An instruction belongs to one group. If it computes and
reads memory, it belongs to the group of its computation and counts as a load too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

GROUPS = (
    "multiply low",
    "multiply high",
    "add, subtract",
    "min",
    "logic",
    "permute",
    "memory",
    "branch",
    "other",
)
# The first match counts. "mul" and "mulx" yield both halves, of which the high one is used; scalar
# code takes a minimum by "cmov" after a comparison.
_NAMES = (
    ("multiply low", r"vpmadd52luq|vpmullq|imul"),
    ("multiply high", r"vpmadd52huq|vpmuludq|mulx?q?$"),
    (
        "add, subtract",
        r"vp(add|sub)q|vpsub|vpadd|(add|sub|adc|sbb|lea|inc|dec|neg|adcx|adox)[lq]?$",
    ),
    ("min", r"vp(min|max)u?q|cmov"),
    ("permute", r"vperm|vpunpck|vunpck|vshuf|vpshuf|v(insert|extract)|valign|vp?blend"),
    ("logic", r"vp(and|or|xor|ternlog|s[lr]l|cmp|test)|k[a-z]+[bwdq]$"),
    ("logic", r"(andn?|or|xor|not|s[ha][lr]x?|ro[lr]x?|cmp|test|set[a-z]+|bt|sh[lr]d)[blqw]?$"),
    ("branch", r"j[a-z]+$|call|ret|jmp"),
)
_MOVES = r"vp?mov|mov|vp?broadcast|v?pgather|v?pscatter|push|pop"


@dataclass
class Mix:
    """The number of instructions of one transform, by group, and of loads and stores."""

    groups: dict[str, float] = field(default_factory=lambda: dict.fromkeys(GROUPS, 0.0))
    loads: float = 0.0
    stores: float = 0.0

    @property
    def instructions(self) -> float:
        return sum(self.groups.values())

    def to_json(self) -> dict[str, Any]:
        return {
            "groups": self.groups,
            "instructions": self.instructions,
            "loads": self.loads,
            "stores": self.stores,
            "branches": self.groups["branch"],
        }


def group_of(operation: str, operands: str) -> str:
    """Returns the group of one instruction."""
    for group, pattern in _NAMES:
        if re.match(pattern, operation):
            return group
    if re.match(_MOVES, operation):
        uses_memory = "(" in operands or operation.startswith(("push", "pop"))
        if uses_memory:
            return "memory"
        # A masked move selects between lanes.
        return "permute" if "{%k" in operands else "other"
    return "other"


def _memory(operation: str, operands: str) -> tuple[bool, bool]:
    """Returns whether the instruction loads, and whether it stores."""
    if operation.startswith(("push", "call")):
        return False, True
    if operation.startswith(("pop", "ret")):
        return True, False
    if "(" not in operands or operation.startswith(("lea", "nop", "prefetch", "data16", "cs")):
        return False, False
    into_memory = re.search(r"\)(\{%k\d\})?$", operands) is not None
    if not into_memory:
        return True, False
    only_reads = operation.startswith(("cmp", "test", "mul", "imul", "div", "j", "call"))
    only_writes = re.match(r"v?mov|vpscatter|set|v(extract)", operation) is not None
    return not only_writes, not only_reads


def mix_of(instructions: Iterable[Sequence[Any]], polynomials: int = 1) -> Mix:
    """Returns the mix of instructions [count, operation, operands, ...], divided by the number of
    polynomials of a call."""
    mix = Mix()
    for count, operation, operands, *_ in instructions:
        share = count / polynomials
        mix.groups[group_of(operation, operands)] += share
        loads, stores = _memory(operation, operands)
        mix.loads += share * loads
        mix.stores += share * stores
    return mix
