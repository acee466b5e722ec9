# SPDX-License-Identifier: Apache-2.0
"""What a report holds: sections of charts, of series, of points. Measuring makes it, the page and
the comparison with an earlier report read it, and its JSON is what a reader downloads."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, Literal

FORMAT = "ringlet-report/1"

# The drawing of a chart: lines over a numeric axis, or bars over names.
ChartKind = Literal["lines", "bars"]
Scale = Literal["linear", "log2", "log10"]
# The origin of a series. "bound" is a limit of the machine, "projected" the prediction for a
# machine that does not exist, "estimate" the library's own prediction, "quoted" a paper's figure.
Origin = Literal["measured", "estimate", "bound", "projected", "quoted"]

# Units of time, and how Google Benchmark's layout names them.
TIME_UNITS = {"ns": "ns", "us": "us", "µs": "us", "ms": "ms", "s": "s"}


@dataclass(frozen=True)
class Axis:
    """An axis: its label without unit, the unit as text ("" if none), and its scale."""

    label: str
    unit: str = ""
    scale: Scale = "linear"


@dataclass(frozen=True)
class Point:
    """One value. `x` is a number on charts of lines and a name on charts of bars. `y` is what is
    drawn, in the unit of the chart's y axis: of times the minimum. `median` is the median in the
    same unit where there were several rounds; `spread` is (median - minimum) / minimum of the
    rounds, or of the two times of a ratio the larger one: what the comparison takes for noise."""

    x: float | str
    y: float
    median: float | None = None
    spread: float | None = None


@dataclass(frozen=True)
class Series:
    """Points of one name, in ascending order of numeric x."""

    name: str
    points: tuple[Point, ...]
    origin: Origin = "measured"


@dataclass(frozen=True)
class Chart:
    """A picture with its data. `id` is unique in a report and stays the same between versions, so
    that two reports can be compared; `title` says what is drawn, `caption` what to see in it and
    how it was measured. `is_lower_better` is None where a value is neither good nor bad."""

    id: str
    title: str
    caption: str
    kind: ChartKind
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    is_lower_better: bool | None = True


@dataclass(frozen=True)
class Section:
    """Charts on one subject. `missing` says in one sentence each what could not be measured here
    and why (no GPU, no AVX-512): it is shown, never left out in silence. `settings` is what was
    measured (degrees, rounds, seed): numbers, texts or lists of them, by their names."""

    id: str
    title: str
    summary: str
    charts: tuple[Chart, ...] = ()
    missing: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Report:
    """A whole report. `created` is UTC in ISO 8601; `machine` has facts in the order in which they
    are shown (processor, instruction sets, clock, threads, memory, system, devices); `build` has
    version, compiler and commit (with "unknown" where it is not known); `seconds` is how long
    measuring took; `settings` what was chosen (quick or full, sections, device)."""

    created: str
    machine: dict[str, str]
    build: dict[str, str]
    settings: dict[str, Any]
    seconds: float
    sections: tuple[Section, ...] = field(default_factory=tuple)


def to_json(report: Report) -> dict[str, Any]:
    """The report as what `json.dumps` takes, with the name of the format first."""
    return {"format": FORMAT, **dataclasses.asdict(report)}
