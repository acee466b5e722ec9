# SPDX-License-Identifier: Apache-2.0
"""`ringlet report --against`: two reports point by point. A difference that the rounds of either
report could have made by themselves is called noise, not a result."""

from __future__ import annotations

import collections
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .model import Chart, Point, Report

# "faster" and "slower" are of times and rates, "better" and "worse" of other values with a good
# direction, "different" of those without one.
Verdict = Literal["faster", "slower", "better", "worse", "different", "within the noise"]

# Two runs of one program on one idle machine differ by so much: the least that counts.
LEAST_DIFFERENCE = 0.08
_TIME_UNITS = ("ns", "us", "µs", "ms", "s")
_MACHINE_FACTS = ("processor", "instruction sets", "threads", "system", "devices")
# Clocks differ by so much from run to run.
_SAME_CLOCK = 0.03
_BUILD_FACTS = ("version", "compiler", "commit")


@dataclass(frozen=True)
class Entry:
    """One point that both reports have.

    `ratio` is new / old, and None where the old value is not above 0. `noise` is the relative
    difference that is not taken for a result. `is_better` is None where neither is better, or the
    difference is within the noise.
    """

    chart: str
    title: str
    series: str
    x: float | str
    unit: str
    old: float
    new: float
    ratio: float | None
    noise: float
    verdict: Verdict
    is_better: bool | None


@dataclass(frozen=True)
class Comparison:
    """A new report against an old one. `differences` are sentences on what else is not the same
    (another machine, compiler, commit); `only_old` and `only_new` count points without a partner.
    """

    old_created: str
    new_created: str
    entries: tuple[Entry, ...]
    differences: tuple[str, ...] = ()
    only_old: int = 0
    only_new: int = 0

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many entries have each verdict that occurs."""
        return dict(collections.Counter(entry.verdict for entry in self.entries))

    @property
    def outside_noise(self) -> tuple[Entry, ...]:
        """Entries that differ, the largest ratio in either direction first."""
        found = [entry for entry in self.entries if entry.verdict != "within the noise"]
        return tuple(sorted(found, key=_size, reverse=True))


def _size(entry: Entry) -> float:
    if entry.ratio is None or entry.ratio <= 0:
        return float("inf")
    return max(entry.ratio, 1 / entry.ratio)


def is_speed(unit: str) -> bool:
    """True if a value of the unit is a time, a rate or a speed-up."""
    return unit.split("/")[0].split(" ")[0] in _TIME_UNITS or unit.endswith("/s") or unit == "×"


def judge(chart: Chart, old: Point, new: Point) -> tuple[float | None, float, Verdict, bool | None]:
    """The ratio new / old, the noise, the verdict, and whether new is better."""
    noise = max(LEAST_DIFFERENCE, old.spread or 0.0, new.spread or 0.0)
    ratio = new.y / old.y if old.y > 0 else None
    is_same = old.y == new.y if ratio is None else abs(ratio - 1) <= noise
    if is_same:
        return ratio, noise, "within the noise", None
    if chart.is_lower_better is None:
        return ratio, noise, "different", None
    is_better = (new.y < old.y) == chart.is_lower_better
    if is_speed(chart.y.unit):
        return ratio, noise, "faster" if is_better else "slower", is_better
    return ratio, noise, "better" if is_better else "worse", is_better


_Key = tuple[str, str, float | str]


def _points(report: Report) -> Iterator[tuple[_Key, Chart, Point]]:
    """All points but a paper's figures, which no run changes."""
    for section in report.sections:
        for chart in section.charts:
            for series in chart.series:
                if series.origin != "quoted":
                    for point in series.points:
                        yield (chart.id, series.name, point.x), chart, point


def _clock_ghz(report: Report) -> float | None:
    """The measured clock, which is the first number of its text."""
    match = re.match(r"(\d{1,3}(?:\.\d{1,6})?) GHz", report.machine.get("clock", ""))
    return float(match[1]) if match and float(match[1]) > 0 else None


def _differences(old: Report, new: Report) -> tuple[str, ...]:
    """Sentences on facts that both reports have and that are not the same."""
    found = []
    for facts, names in (("machine", _MACHINE_FACTS), ("build", _BUILD_FACTS)):
        before, after = getattr(old, facts), getattr(new, facts)
        for name in names:
            values = before.get(name, "unknown"), after.get(name, "unknown")
            if values[0] != values[1]:
                found.append(f"Other {name}: {values[0]} in the old report, {values[1]} now.")
    clocks = _clock_ghz(old), _clock_ghz(new)
    if clocks[0] and clocks[1] and abs(clocks[1] / clocks[0] - 1) > _SAME_CLOCK:
        found.append(f"Other clock: {clocks[0]:g} GHz in the old report, {clocks[1]:g} GHz now.")
    modes = ["quick" if r.settings.get("quick") else "full" for r in (old, new)]
    if modes[0] != modes[1]:
        found.append(f"The old report is a {modes[0]} one, the new one is {modes[1]}.")
    return tuple(found)


def compare(old: Report, new: Report) -> Comparison:
    """Every point of the new report that the old one has too, in the new one's order. Charts whose
    unit or direction changed have no common points."""
    before = {key: (chart, point) for key, chart, point in _points(old)}
    entries = []
    only_new = 0
    for key, chart, point in _points(new):
        partner = before.get(key)
        if partner is None or partner[0].y.unit != chart.y.unit:
            only_new += 1
            continue
        del before[key]
        ratio, noise, verdict, is_better = judge(chart, partner[1], point)
        values = (partner[1].y, point.y, ratio, noise, verdict, is_better)
        entries.append(Entry(chart.id, chart.title, key[1], key[2], chart.y.unit, *values))
    return Comparison(
        old.created,
        new.created,
        tuple(entries),
        _differences(old, new),
        only_old=len(before),
        only_new=only_new,
    )


def _x_text(x: float | str) -> str:
    return x if isinstance(x, str) else f"{x:g}"


def print_comparison(console: Console, comparison: Comparison, rows: int = 15) -> None:
    """Counts, what else differs, and the `rows` largest differences beyond the noise."""
    console.print(f"Against the report of {comparison.old_created}", markup=False)
    for text in comparison.differences:
        console.print(text, markup=False, soft_wrap=True)
    if not comparison.entries:
        console.print("The two reports have no point in common.")
        return
    counts = ", ".join(f"{count} {verdict}" for verdict, count in comparison.counts.items())
    console.print(f"{len(comparison.entries)} points in both: {counts}")
    found = comparison.outside_noise
    if not found:
        return
    table = Table(title="Largest differences beyond the noise", title_justify="left")
    for name in ("chart", "series", "at"):
        table.add_column(name, overflow="fold")
    for name in ("old", "new", "new / old", "noise"):
        table.add_column(name, justify="right")
    table.add_column("")
    for entry in found[:rows]:
        ratio = "" if entry.ratio is None else f"{entry.ratio:.2f}"
        texts = (entry.title, entry.series, _x_text(entry.x))
        numbers = (f"{entry.old:.4g}", f"{entry.new:.4g}", ratio, f"{entry.noise:.0%}")
        table.add_row(*map(escape, texts), *numbers, entry.verdict)
    console.print(table)
    if len(found) > rows:
        console.print(f"and {len(found) - rows} more, in the page")
