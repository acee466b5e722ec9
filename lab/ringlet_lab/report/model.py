# SPDX-License-Identifier: Apache-2.0
"""The content of a report: sections of charts, charts of series, series of points. Measurements
make it. The page and the comparison with an earlier report read it. Its JSON can be downloaded."""

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
    """One value. `x` is a number on charts of lines and a name on charts of bars. `y` is the drawn
    value, in the unit of the chart's y axis; for times it is the minimum. `median` is the median in
    the same unit, if there were several rounds. `spread` is (median - minimum) / minimum of the
    rounds; for a ratio, the larger spread of its two times. The comparison takes it for noise."""

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
    that two reports can be compared. `title` names what is drawn, `caption` explains it and the
    measurement. `is_lower_better` is None if a value is neither good nor bad."""

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
    """Charts on one subject. `missing` has a sentence for each thing that could not be measured,
    with the reason (no GPU, no AVX-512); the page always shows them. `settings` are the settings of
    the measurement by name (degrees, rounds, seed): numbers, texts or lists of these."""

    id: str
    title: str
    summary: str
    charts: tuple[Chart, ...] = ()
    missing: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Report:
    """A whole report. `created` is UTC in ISO 8601. `machine` has facts in the order in which the
    page shows them (processor, instruction sets, clock, threads, memory, system, devices). `build`
    has version, compiler and commit, "unknown" if one is not known. `seconds` is the duration of
    the measurements. `settings` are the chosen options (quick or full, sections, device)."""

    created: str
    machine: dict[str, str]
    build: dict[str, str]
    settings: dict[str, Any]
    seconds: float
    sections: tuple[Section, ...] = field(default_factory=tuple)


def to_json(report: Report) -> dict[str, Any]:
    """Returns the report as an object for `json.dumps`, with the name of the format first."""
    return {"format": FORMAT, **dataclasses.asdict(report)}
