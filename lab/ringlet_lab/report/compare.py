# SPDX-License-Identifier: Apache-2.0
"""`ringlet report --against`: compares two reports point by point. A difference counts as noise if
the rounds of one report vary by as much."""

from __future__ import annotations

import collections
import math
import re
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .charts_text import shorten
from .model import TIME_UNITS, Chart, Origin, Point, Report
from .points import x_name

# "faster" and "slower" describe times and rates, "better" and "worse" other values with a good
# direction, "different" values without one.
Verdict = Literal["faster", "slower", "better", "worse", "different", "within the noise"]

# Two runs of one program on one idle machine differ by up to this; smaller differences do not
# count. Sizes differ where random words are compressed, by 0.2 % at N = 4096.
LEAST_DIFFERENCE, LEAST_DIFFERENCE_OF_SIZES = 0.08, 0.01
_MACHINE_FACTS = ("processor", "instruction sets", "threads", "system", "devices")
# Clocks differ by up to this from run to run.
_SAME_CLOCK = 0.03
_BUILD_FACTS = ("version", "compiler", "commit", "kernels")
# The most characters of a text from another's report on the terminal.
_MOST_SHOWN = 300


@dataclass(frozen=True)
class Entry:
    """One point that both reports have.

    `ratio` is new / old, or None if the old value is not above 0. Relative differences up to
    `noise` do not count. `is_better` is None if neither value is better, or if the difference is
    within the noise.
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
    """The comparison of a new report with an old one. `differences` are sentences on other
    differences (machine, compiler, commit). `only_old` and `only_new` count points that only one
    report has.
    """

    old_created: str
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
        return tuple(sorted(found, key=lambda e: _factor(e.ratio), reverse=True))


def _factor(ratio: float | None) -> float:
    """Returns how far a ratio is from 1 in either direction, as a factor of at least 1."""
    return max(ratio, 1 / ratio) if ratio is not None and ratio > 0 else math.inf


def is_speed(unit: str) -> bool:
    """Returns True if a value of the unit is a time, a rate or a speed-up."""
    return unit.split("/")[0].split(" ")[0] in TIME_UNITS or unit.endswith("/s") or unit == "×"


def judge(chart: Chart, old: Point, new: Point) -> tuple[float | None, float, Verdict, bool | None]:
    """Returns the ratio new / old, the noise, the verdict, and whether the new value is better."""
    least = LEAST_DIFFERENCE_OF_SIZES if chart.y.unit == "KiB" else LEAST_DIFFERENCE
    noise = max(least, old.spread or 0.0, new.spread or 0.0)
    ratio = new.y / old.y if old.y > 0 else None
    if old.y == new.y or _factor(ratio) <= 1 + noise:
        return ratio, noise, "within the noise", None
    if chart.is_lower_better is None:
        return ratio, noise, "different", None
    is_better = (new.y < old.y) == chart.is_lower_better
    if is_speed(chart.y.unit):
        return ratio, noise, "faster" if is_better else "slower", is_better
    return ratio, noise, "better" if is_better else "worse", is_better


_Key = tuple[str, str, float | str]


class _Place(NamedTuple):
    """A point with its chart and origin."""

    chart: Chart
    origin: Origin
    point: Point


def _places(report: Report) -> dict[_Key, _Place]:
    """Returns all points, except for a paper's figures, which no run changes."""
    return {
        (chart.id, series.name, point.x): _Place(chart, series.origin, point)
        for section in report.sections
        for chart in section.charts
        for series in chart.series
        if series.origin != "quoted"
        for point in series.points
    }


def _clock_ghz(report: Report) -> float | None:
    """Returns the measured clock in GHz, which is the first number of its text, or None."""
    match = re.match(r"(\d{1,3}(?:\.\d{1,6})?) GHz", report.machine.get("clock", ""))
    return float(match[1]) if match and float(match[1]) > 0 else None


def _said(settings: dict[str, Any], names: list[str]) -> str:
    """Returns the named settings as text: "degrees 1024, 2048; rounds 75"."""
    texts = []
    for name in names:
        value = settings.get(name, "not stated")
        parts = map(str, value) if isinstance(value, list) else [str(value)]
        texts.append(f"{name} {', '.join(parts)}")
    return "; ".join(texts)


def _other_settings(old: Report, new: Report) -> list[str]:
    """Returns a sentence for each section that was measured with different settings in the two
    reports."""
    found = []
    before = {section.id: section.settings for section in old.sections if section.charts}
    for section in new.sections:
        if section.charts and section.id in before:
            was, now = before[section.id], section.settings
            names = [name for name in {**was, **now} if was.get(name) != now.get(name)]
            if names:
                found.append(
                    f"{section.title}, measured otherwise: {_said(was, names)} in the old report, "
                    f"{_said(now, names)} now."
                )
    return found


def _differences(old: Report, new: Report) -> tuple[str, ...]:
    """Returns sentences on machine, build and settings, as far as they differ."""
    found = []
    for facts, names in (("machine", _MACHINE_FACTS), ("build", _BUILD_FACTS)):
        before, after = getattr(old, facts), getattr(new, facts)
        for name in names:
            values = before.get(name, "not stated"), after.get(name, "not stated")
            if values[0] != values[1]:
                found.append(f"Other {name}: {values[0]} in the old report, {values[1]} now.")
    clocks = _clock_ghz(old), _clock_ghz(new)
    if clocks[0] and clocks[1] and abs(clocks[1] / clocks[0] - 1) > _SAME_CLOCK:
        found.append(f"Other clock: {clocks[0]:g} GHz in the old report, {clocks[1]:g} GHz now.")
    modes = ["quick" if r.settings.get("quick") else "full" for r in (old, new)]
    if modes[0] != modes[1]:
        found.append(f"The old report is a {modes[0]} one, the new one is {modes[1]}.")
    return (*found, *_other_settings(old, new))


def _is_same_value(old: _Place | None, new: _Place) -> bool:
    """Returns True if both points have the same unit and the same direction is better."""
    return old is not None and (
        (old.chart.y.unit, old.chart.is_lower_better)
        == (new.chart.y.unit, new.chart.is_lower_better)
    )


def compare(old: Report, new: Report) -> Comparison:
    """Compares every point that both reports have, in the order of the new report. Charts whose
    unit or direction changed have no common points."""
    before, after = _places(old), _places(new)
    common = {}
    for key, place in after.items():
        if _is_same_value(before.get(key), place):
            chart, was, now = place.chart, before[key].point, place.point
            values = was.y, now.y, *judge(chart, was, now)
            common[key] = Entry(chart.id, chart.title, key[1], key[2], chart.y.unit, *values)
    # The corner of a roof has another place in every run: points of bounds are not counted.
    alone = [
        sum(key not in common and place.origin != "bound" for key, place in places.items())
        for places in (before, after)
    ]
    return Comparison(old.created, tuple(common.values()), _differences(old, new), *alone)


def print_comparison(console: Console, comparison: Comparison, rows: int = 15) -> None:
    """Prints the counts of each verdict, other differences, and the `rows` largest differences
    beyond the noise."""
    date = shorten(comparison.old_created)
    console.print(f"Against the report of {date}", markup=False, soft_wrap=True)
    for text in comparison.differences:
        console.print(shorten(text, _MOST_SHOWN), markup=False, soft_wrap=True)
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
        texts = map(shorten, (entry.title, entry.series, x_name(entry.x)))
        numbers = (f"{entry.old:.4g}", f"{entry.new:.4g}", ratio, f"{entry.noise:.0%}")
        table.add_row(*map(escape, texts), *numbers, entry.verdict)
    console.print(table)
    if len(found) > rows:
        console.print(f"and {len(found) - rows} more, in the page")
