# SPDX-License-Identifier: Apache-2.0
"""Writes the points of a chart for other programs: times in Google Benchmark's layout, which its
tools compare, and all other values as series."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..bench.timing import layout
from .model import TIME_UNITS, Chart, Report
from .points import x_name


def _context(report: Report) -> dict[str, Any]:
    return {
        "date": report.created,
        "executable": "ringlet report",
        **report.machine,
        "library_version": report.build.get("version", "unknown"),
        **{name: fact for name, fact in report.build.items() if name != "version"},
    }


def _entries(chart: Chart, unit: str) -> list[dict[str, Any]]:
    return [
        layout(
            f"{chart.id}/{series.name}/{x_name(point.x)}",
            (point.y, point.y if point.median is None else point.median),
            iterations=1,
            time_unit=unit,
            origin=series.origin,
        )
        for series in chart.series
        for point in series.points
    ]


def chart_json(report: Report, chart: Chart) -> dict[str, Any]:
    """Returns the JSON of one chart for download: "context", and "benchmarks" if the values are
    times, else "chart" and "series"."""
    unit = TIME_UNITS.get(chart.y.unit)
    if unit is not None:
        return {"context": _context(report), "benchmarks": _entries(chart, unit)}
    about = {
        "id": chart.id,
        "title": chart.title,
        "x": dataclasses.asdict(chart.x),
        "y": dataclasses.asdict(chart.y),
    }
    series = [dataclasses.asdict(one) for one in chart.series]
    return {"context": _context(report), "chart": about, "series": series}
