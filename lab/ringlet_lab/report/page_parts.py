# SPDX-License-Identifier: Apache-2.0
"""Pieces of HTML that the page of a report is made of: safe texts, legends, tables of data."""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Sequence
from typing import Any

from matplotlib.markers import MarkerStyle

from .charts_style import Look
from .charts_text import axis_text, clean, number_text, x_text
from .model import TIME_UNITS, Chart, Point, Series

_SWATCH = (30, 14)


def text(value: object) -> str:
    """Returns a text as HTML, also safe inside of attributes in double quotes."""
    return html.escape(clean(str(value)))


def json_element(name: str, data: Any) -> str:
    """Returns data as an HTML element from which a script or a reader can take them. The data
    cannot start a tag or change the direction of reading."""
    written = json.dumps(data, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        written = written.replace(sign, f"\\u{ord(sign):04x}")
    return f'<script type="application/json" id="{name}">{written}</script>'


class Names:
    """Gives names (ids) to the page's elements. They are unique and need no escaping."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, prefix: str, wanted: str) -> str:
        """Returns a unique name that starts with the prefix and resembles `wanted`."""
        stem = re.sub(r"[^a-z0-9]+", "-", wanted.lower()).strip("-")[:60]
        name, number = f"{prefix}-{stem}", 2
        while name in self._taken:
            name, number = f"{prefix}-{stem}-{number}", number + 1
        self._taken.add(name)
        return name


def _coordinates(vertices: Any) -> str:
    return " ".join(f"{value:.2f}".rstrip("0").rstrip(".") for value in vertices)


def _marker(look: Look) -> str:
    """Returns the marker in the middle of a swatch, drawn along matplotlib's outline of the marker.
    """
    style = MarkerStyle(look.marker)
    path = style.get_path().transformed(style.get_transform())
    letters = {1: "M", 2: "L", 3: "Q", 4: "C", 79: "Z"}
    parts = []
    for vertices, code in path.iter_segments():
        points = list(vertices * look.marker_size)
        # The y axis of a page points down.
        points = [
            (_SWATCH[1] / 2 - v) if index % 2 else (_SWATCH[0] / 2 + v)
            for index, v in enumerate(points)
        ]
        parts.append(letters[int(code)] + ("" if code == 79 else _coordinates(points)))
    fill = "var(--surface)" if look.is_hollow else f"var(--s{look.color})"
    edge = f' stroke="var(--s{look.color})" stroke-width="1.5"' if look.is_hollow else ""
    return f'<path d="{"".join(parts)}" fill="{fill}"{edge}/>'


def _dashes(look: Look) -> str:
    return f' stroke-dasharray="{_coordinates(look.dashes)}"' if look.dashes else ""


def _line_swatch(look: Look, has_line: bool) -> str:
    line = ""
    if has_line and look.has_line:
        line = (
            f'<path d="M0 7H30" stroke="var(--s{look.color})" stroke-width="{look.line_width}"'
            f"{_dashes(look)}/>"
        )
    return line + _marker(look)


def _bar_swatch(look: Look) -> str:
    color = f"var(--s{look.color})"
    if not look.is_outlined:
        return f'<rect y="2" width="18" height="10" fill="{color}"/>'
    leaning = {"/": 8, "\\": -8}.get(look.hatch[:1])
    lines = ""
    if leaning:
        starts = [x if leaning > 0 else x + 8 for x in (1, 5, 9)]
        lines = "".join(f"M{x} 12l{leaning} -10" for x in starts)
    return (
        f'<path d="{lines}" stroke="{color}" fill="none"/>'
        * bool(lines)
        + f'<rect x=".65" y="2.5" width="17" height="9" fill="none" stroke="{color}" '
        f'stroke-width="1.3"{_dashes(look)}/>'
    )


def legend(chart: Chart, entries: Sequence[tuple[Series, Look]]) -> str:
    """Returns the names of the series beside samples of their look."""
    items = []
    for series, look in entries:
        if chart.kind == "bars":
            drawn = _bar_swatch(look)
        else:
            drawn = _line_swatch(look, len(series.points) > 1)
        is_said = series.origin == "measured" or series.origin in series.name.lower()
        said = "" if is_said else f" <i>{series.origin}</i>"
        width = _SWATCH[0] if chart.kind == "lines" else 18
        items.append(
            f'<li><svg width="{width}" height="{_SWATCH[1]}" aria-hidden="true">{drawn}</svg>'
            f"<span>{text(series.name)}{said}</span></li>"
        )
    return f'<ul class="legend">{"".join(items)}</ul>'


def value_element(value: float, digits: int = 4) -> str:
    """Returns a rounded number as HTML. Copying it gives the exact number."""
    return f'<data value="{html.escape(repr(value))}">{number_text(value, digits)}</data>'


def _rows(chart: Chart) -> list[float | str]:
    """Returns the places of the x axis: names in their order, numbers ascending."""
    places = dict.fromkeys(point.x for series in chart.series for point in series.points)
    return list(places) if chart.kind == "bars" else sorted(places, key=float)


def _cells(points: Sequence[Point], has_median: bool) -> str:
    cells = ", ".join(value_element(point.y) for point in points)
    if not has_median:
        return f"<td>{cells}</td>"
    medians = ", ".join(value_element(p.median) for p in points if p.median is not None)
    return f'<td>{cells}</td><td class="second">{medians}</td>'


def data_table(chart: Chart, caption: str) -> str:
    """Returns a table of all values of a chart, with a row for each x and a column for each series.
    Series with several rounds have a column for their medians too."""
    has_median = [any(p.median is not None for p in series.points) for series in chart.series]
    least = "minimum" if chart.y.unit in TIME_UNITS else "value"
    names, sub = "", ""
    for series, two in zip(chart.series, has_median, strict=True):
        wide = ' colspan="2"' if two else ""
        names += f'<th scope="col"{wide}>{text(series.name)}</th>'
        first = f'<th class="sub" scope="col">{least if two else ""}</th>'
        sub += first + ('<th class="sub" scope="col">median</th>' if two else "")
    head = f'<tr><th scope="col">{text(axis_text(chart.x))}</th>{names}</tr>'
    if any(has_median):
        head += f'<tr><th class="sub"></th>{sub}</tr>'
    body = []
    for x in _rows(chart):
        cells = f'<th scope="row">{html.escape(x_text(x))}</th>'
        for series, two in zip(chart.series, has_median, strict=True):
            cells += _cells([point for point in series.points if point.x == x], two)
        body.append(f"<tr>{cells}</tr>")
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{text(chart.title)}, data">'
        f"<table><caption>{text(caption)}</caption><thead>{head}</thead>"
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def duration(seconds: float) -> str:
    """Returns a time as readable text: 131.4 gives "2 min 11 s"."""
    if not math.isfinite(seconds) or seconds < 0:
        return "an unknown time"
    if seconds < 10:
        return f"{seconds:.1f}\u00a0s"
    minutes, rest = divmod(round(seconds), 60)
    # No-break spaces keep the duration on one line.
    return f"{minutes}\u00a0min {rest}\u00a0s" if minutes else f"{rest}\u00a0s"
