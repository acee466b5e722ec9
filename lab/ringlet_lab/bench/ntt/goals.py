# SPDX-License-Identifier: Apache-2.0
"""The goals of the studied transforms beside the measurements of a run. They are judged by ratios
within the run, and by cycles of the clock that the run measured."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .variants import DIRECTIONS, PANELS, Results, Variant
from ..output import MISSING, Sheet, verdict

# Multiplications of a radix-4 butterfly: eight low halves and five high ones. A processor starts
# one of them per cycle.
_MULTIPLICATIONS = 13
# Times count as equal up to this ratio, by which machines scatter.
_LEVEL = 1.1


@dataclass(frozen=True)
class Goal:
    """A goal of a variant. A "speedup" is a least ratio to the speed of the baseline. A "bound" is
    a largest ratio to the cycles that the variant's multiplications need."""

    variant: Variant
    kind: str  # "speedup" or "bound"
    value: float
    least_degree: int
    most_degree: int
    text: str


GOALS = (
    Goal(
        Variant("ifma52/r4r2"), "speedup", 1.1, 1 << 10, 1 << 14,
        "times radix-2 of IFMA, the paper's claim",
    ),
    Goal(
        Variant("scalar64/radix4"), "bound", _LEVEL, 1 << 12, 1 << 12,
        f"times {_MULTIPLICATIONS} multiplications a butterfly, one in a cycle",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Judgement:
    """The value of one goal for one direction and length."""

    goal: Goal
    direction: str
    degree: int
    value: float
    met: bool


def multiplication_cycles(degree: int) -> float:
    """Returns the fewest cycles in which the multiplications of a radix-4 transform can run."""
    return _MULTIPLICATIONS * degree / 4 * math.log(degree, 4)


def judgements(results: Results) -> list[Judgement]:
    """Returns the value of every goal at every measured length and direction."""
    found = []
    panels = {panel.table: panel for panel in PANELS}
    for goal in GOALS:
        for direction in DIRECTIONS:
            for degree in results.degrees:
                row = results.row(goal.variant, direction, degree)
                if row is None or not goal.least_degree <= degree <= goal.most_degree:
                    continue
                if goal.kind == "speedup":
                    panel = panels[goal.variant.table]
                    value = results.speedup(panel, goal.variant, direction, degree)
                    if value is None:
                        continue
                    met = value >= goal.value
                else:
                    cycles = row.best * 1e-6 * results.clock
                    value = cycles / multiplication_cycles(degree)
                    met = value <= goal.value
                found.append(Judgement(goal, direction, degree, value, met))
    return found


def goal_sheet(results: Results) -> Sheet:
    """Returns a table with a line for each goal and direction, at the length where it is worst."""
    heads = ("variant", "direction", "N", "goal", "here", "", "of what")
    sheet = Sheet("Goals, at the worst of their lengths measured here", heads, 2)
    everything = judgements(results)
    for goal in GOALS:
        is_speedup = goal.kind == "speedup"
        asked = f"{'>=' if is_speedup else '<='} {goal.value:g}"
        for direction in DIRECTIONS:
            mine = [j for j in everything if (j.goal, j.direction) == (goal, direction)]
            what = (goal.variant.label, direction)
            if not mine:
                sheet.add(*what, MISSING, asked, MISSING, "not measured", goal.text)
                continue
            worst = (min if is_speedup else max)(mine, key=lambda j: j.value)
            here = (f"{worst.value:.2f}", verdict(worst.met))
            sheet.add(*what, str(worst.degree), asked, *here, goal.text)
    return sheet
