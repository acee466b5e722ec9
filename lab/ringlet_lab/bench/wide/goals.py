# SPDX-License-Identifier: Apache-2.0
"""The goals of the kernels for double words, beside the measurements of a run and their bounds on
this processor. The bounds are the kernel's vector instructions, loads and stores, timed in the same
run."""

from __future__ import annotations

from dataclasses import dataclass

from ..output import MISSING, Sheet, ratio
from . import Results, Row

_BEYOND_CACHE = 1 << 20


@dataclass(frozen=True)
class Goal:
    """A goal: the most nanoseconds per element or per butterfly, at a clock of GOAL_GHZ."""

    kind: str  # "special", "general", or the name of a table
    operation: str  # "ntt" or an element-wise one
    most_ns: float
    sizes: tuple[int, int]  # smallest and largest N or length


GOAL_GHZ = 2.5
_MIDDLE = (1 << 10, 1 << 16)
_LONG = (1 << 20, 1 << 20)
_BLAS = (1024, 1024)
GOALS = (
    Goal("special", "ntt", 1.5, _MIDDLE),
    Goal("general", "ntt", 1.75, _MIDDLE),
    Goal("special", "ntt", 2.2, _LONG),
    Goal("general", "ntt", 2.2, _LONG),
    Goal("special", "multiply", 1.1, _BLAS),
    Goal("general", "multiply", 1.4, _BLAS),
    Goal("special", "axpy", 1.3, _BLAS),
    Goal("general", "axpy", 1.6, _BLAS),
    Goal("general", "add", 0.45, _BLAS),
    Goal("general", "subtract", 0.45, _BLAS),
    Goal("avx512dq", "ntt", 4.99, _MIDDLE),
    Goal("avx2", "ntt", 9.0, _MIDDLE),
    Goal("scalar64", "ntt", 9.0, _MIDDLE),
)


@dataclass(frozen=True)
class Judgement:
    """One goal at one size."""

    kind: str
    operation: str
    size: int
    goal_ns: float
    goal_cycles: float
    kernel: str
    ns: float
    cycles: float
    limit_ns: float | None
    limit: str


def _belongs(row: Row, goal: Goal) -> bool:
    if row.kind != "measured":
        return False
    if goal.kind in ("special", "general"):
        return row.modulus == goal.kind
    return row.name.split("/")[0] == goal.kind


def _limit(results: Results, row: Row) -> tuple[float | None, str]:
    """Returns the largest measured bound of a row and its name."""
    bounds: list[tuple[float, str]] = []
    table, algorithm = row.name.split("/")
    operation = "butterfly" if row.operation.startswith("ntt_") else row.operation
    for limit in results.select("arithmetic"):
        if table == "ifma52" and limit.name == f"limit/{operation}/{algorithm}":
            bounds.append((limit.ns(), "arithmetic"))
    streams = results.select("stream")
    if streams and row.operation in ("add", "subtract", "multiply", "axpy"):
        bounds.append((streams[0].ns(), "loads, stores"))
    passes = [p for p in results.select("pass") if p.size == row.size]
    if passes and row.size >= _BEYOND_CACHE and row.operation.startswith("ntt_"):
        # The data is in no cache, so that there are at least two passes over it.
        bounds.append((2 * passes[0].ns() * row.size / row.units, "memory"))
    return max(bounds, default=(None, MISSING))


def judgements(results: Results) -> list[Judgement]:
    """Returns the value of every goal at every measured size, for the fastest kernel of the goal's
    kind."""
    found = []
    clock_ghz = results.clock * 1e-9
    for goal in GOALS:
        operations = (
            ("ntt_forward", "ntt_inverse") if goal.operation == "ntt" else (goal.operation,)
        )
        for operation in operations:
            rows = [
                row
                for row in results.select(operation)
                if _belongs(row, goal) and goal.sizes[0] <= row.size <= goal.sizes[1]
            ]
            for size in sorted({row.size for row in rows}):
                row = min((r for r in rows if r.size == size), key=lambda r: r.ns())
                ns, cycles = row.ns(), row.ns() * clock_ghz
                most_cycles = goal.most_ns * GOAL_GHZ
                found.append(
                    Judgement(
                        goal.kind, operation, size, goal.most_ns, most_cycles, row.name, ns, cycles,
                        *_limit(results, row),
                    )
                )  # fmt: skip
    return found


def goal_sheet(results: Results) -> Sheet:
    """Returns a table with one line for each goal, at its worst size."""
    title = (
        f"Goals for a Sapphire-Rapids-class core of {GOAL_GHZ:g} GHz; the worst size measured "
        "here\nand what it cannot go below"
    )
    heads = ("goal for", "operation", "kernel", "bound by", "size", "goal\nns", "goal\ncycles",
             "worst\nns", "worst\ncycles", "bound\nns")  # fmt: skip
    sheet = Sheet(title, heads, 4)
    everything = judgements(results)
    for key in dict.fromkeys((j.kind, j.operation, j.goal_ns) for j in everything):
        same = [j for j in everything if (j.kind, j.operation, j.goal_ns) == key]
        worst = max(same, key=lambda j: j.ns)
        sheet.add(
            worst.kind,
            worst.operation.removeprefix("ntt_"),
            worst.kernel,
            worst.limit,
            str(worst.size),
            *map(ratio, (worst.goal_ns, worst.goal_cycles, worst.ns, worst.cycles)),
            ratio(worst.limit_ns),
        )
    return sheet
