# SPDX-License-Identifier: Apache-2.0
"""Models of processors: on which ports instructions execute, and the fewest cycles that follow.

A table in data/ports describes a family of processors; docs/notes/ports.md has the sources. Its
fields: "processors", a pattern of "maker family/model"; "width", instructions that start in a
cycle; "classes", of which the first that fits an instruction's name and widest operand counts.
"steps" lists the ports that may execute each step and for how many cycles it occupies one of them.
"samples" are instructions that show a class in a measurement, "beside" those that fill one port.

Uses only the standard library, so scripts that lack the package can use it too.
"""

from __future__ import annotations

import collections
import itertools
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

TABLES = Path(__file__).resolve().parents[1] / "data" / "ports"
MASK = "{%k"

# Moves between registers cost nothing if renaming does them; from memory they only load.
_MOVES = re.compile(r"v(mov(?!s[hl]dup)|p?broadcast)")
_SCALAR_WITHOUT_STEP = re.compile(r"nop|endbr|data16|call|ret|push|pop|prefetch|mov(?![sz])")
_READS_ITS_LAST_OPERAND = re.compile(r"v?p?u?(cmp|test|comis)|prefetch|mul|imul|div|push|j|call")


def width(operands: str) -> int:
    """Returns the bits of the widest operand: 512, 256 (also for 128) or 64."""
    if "%zmm" in operands:
        return 512
    return 256 if re.search("%[xy]mm", operands) else 64


def is_store(operation: str, operands: str) -> bool:
    """Returns whether an instruction, in AT&T's syntax, writes to memory."""
    is_last = operands.split(MASK)[0].endswith(")")
    return is_last and not _READS_ITS_LAST_OPERAND.match(operation)


def accesses_memory(operation: str, operands: str) -> bool:
    return "(" in operands and not re.match("lea|nop|data16|j|call", operation)


def computes(operation: str, operands: str) -> bool:
    """Returns whether an instruction needs an arithmetic port. Loads, stores, broadcasts from
    memory, moves and zeroing do not. Masked moves between registers do: they are blends."""
    if not operation.startswith("v"):
        return not _SCALAR_WITHOUT_STEP.match(operation)
    names = operands.split(",")
    if operation.startswith("vpxor") and len(names) == 3 and names[0] == names[1]:
        return False
    if _MOVES.match(operation):
        return "(" not in operands and (MASK in operands or not operation.startswith("vmov"))
    return operation != "vzeroupper"


class Model:
    """The ports of a family of processors."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self.table = table
        self.name: str = table["name"]
        self._steps: dict[tuple[str, str], list[tuple[str, float]]] = {}

    def describes(self, processor: str) -> bool:
        """Returns whether the table is for `processor`, "maker family/model"."""
        return re.match(self.table["processors"], processor) is not None

    def class_of(self, operation: str, bits: int) -> Mapping[str, Any] | None:
        """Returns the class of an instruction whose widest operand has `bits` bits, or None if the
        table does not know it."""
        for entry in self.table["classes"]:
            if entry["bits"] == bits and re.match(entry["operations"], operation):
                found: Mapping[str, Any] = entry
                return found
        return None

    def steps(self, operation: str, operands: str) -> list[tuple[str, float]]:
        """Returns the steps of an instruction that the table knows: ports and cycles."""
        key = (operation, operands)
        if key not in self._steps:
            bits, found = width(operands), []
            has_memory = accesses_memory(operation, operands)
            if computes(operation, operands):
                found = list((self.class_of(operation, bits) or {"steps": []})["steps"])
            elif has_memory and MASK in operands and not is_store(operation, operands):
                found = list(self.table.get("masked load", []))
            kind = "store" if is_store(operation, operands) else "load"
            if has_memory and kind in self.table:
                found.append((self.table[kind][str(bits)], 1))
            self._steps[key] = found
        return self._steps[key]

    def cycles(self, instructions: Iterable[tuple[int, str, str]]) -> float:
        """Returns the fewest cycles for independent instructions (count, operation, operands)."""
        work: collections.Counter[str] = collections.Counter()
        total = 0
        for count, operation, operands in instructions:
            total += count
            for ports, cycles in self.steps(operation, operands):
                work[ports] += cycles * count
        return max(busiest(work), total / self.table.get("width", float("inf")))


def busiest(work: Mapping[str, float]) -> float:
    """Returns the cycles of the best assignment of work to ports. `work` has the cycles of work by
    the ports that may do it ("05" is port 0 or 5). By Hall's theorem some set of ports bounds all
    assignments, by the work that no port outside can do."""
    names = sorted(set("".join(work)))
    kinds = [(set(ports), cycles) for ports, cycles in work.items()]
    return max(
        (
            sum(cycles for ports, cycles in kinds if ports <= set(chosen)) / size
            for size in range(1, len(names) + 1)
            for chosen in itertools.combinations(names, size)
        ),
        default=0.0,
    )


def models() -> list[Model]:
    """Returns the models of all tables, sorted by the names of their files."""
    return [Model(json.loads(path.read_text())) for path in sorted(TABLES.glob("*.json"))]


def this_processor() -> str:
    """Returns "maker family/model" of this machine, or "unknown" if Linux does not tell."""
    text = Path("/proc/cpuinfo").read_text()
    names = ("vendor_id", "cpu family", "model")
    fields = [re.search(rf"^{name}\s*:\s*(.*)$", text, re.MULTILINE) for name in names]
    maker, family, model = (field[1] if field else "" for field in fields)
    return f"{maker} {family}/{model}" if maker else "unknown"


def model_of(processor: str) -> Model | None:
    """Returns the model for "maker family/model", or None if no table describes it."""
    return next((model for model in models() if model.describes(processor)), None)
