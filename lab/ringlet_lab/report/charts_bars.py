# SPDX-License-Identifier: Apache-2.0
"""Draws charts of horizontal bars, with the value at the end of each bar. The names are left of the
bars on wide pages, above them on phones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .charts_lines import axis_lines, bare_axes, set_scale, write
from .charts_style import INK, LINE, MUTED, Look
from .charts_svg import make_figure, marks_name
from .charts_text import LINE_HEIGHT, TEXT_SIZE, short_number, text_width, wrap
from .charts_ticks import Span, bar_span, fitting_span
from .model import Chart, Point

_PITCH = 18
_BAR = 11
_GAP = 14
_NAMES_WIDTH = 220
_RATIO_UNITS = ("×", "x", "times")


@dataclass(frozen=True)
class _Group:
    """The bars of one name, each as (number of the series, point), and the lines of the name."""

    lines: list[str]
    bars: list[tuple[int, Point]]

    def height(self, names_above: bool) -> float:
        """Returns the pixels of bars and name, without the gap."""
        bars, name = _PITCH * len(self.bars), LINE_HEIGHT * len(self.lines)
        return bars + name if names_above else max(bars, name)


def _groups(chart: Chart, names_width: float, most_lines: int) -> list[_Group]:
    """Returns a group for each name, in the order in which the names occur."""
    found: dict[str, list[tuple[int, Point]]] = {}
    for number, series in enumerate(chart.series):
        for point in series.points:
            found.setdefault(str(point.x), []).append((number, point))
    return [
        _Group(wrap(name, names_width, TEXT_SIZE, most_lines), bars) for name, bars in found.items()
    ]


def _span(chart: Chart, width: float) -> tuple[Span, float]:
    """Returns the axis of values, and its length in pixels. The rest of `width` is room for the
    value behind the longest bar."""
    values = [point.y for series in chart.series for point in series.points]
    label = max(text_width(short_number(value), TEXT_SIZE) for value in values) + 8
    across = max(60.0, width - label)
    span = fitting_span(lambda most: bar_span(chart.y.scale, values, min(most, 9)), across, 12)
    return span, across


def _bar(axes: Axes, middle: float, bar: tuple[int, Point], look: Look, start: float) -> None:
    """Draws one bar, from `start` on the axis of values."""
    number, point = bar
    (patch,) = axes.barh(
        [middle], [point.y - start], height=_BAR, left=start, color="none", linewidth=0,
        clip_on=False, zorder=2,
    )  # fmt: skip
    if not look.is_outlined:
        patch.set_facecolor(look.stand_in)
    else:
        patch.set_edgecolor(look.stand_in)
        patch.set_linewidth(1.3)
        patch.set_linestyle((0, look.dashes) if look.dashes else "-")
        patch.set_hatch(look.hatch or None)
    patch.set_gid(marks_name(number))


def draw_bars(chart: Chart, looks: Sequence[Look], width: int) -> Figure:
    """Draws the chart as a figure of `width` pixels. Every series must have points."""
    names_above = width < 500
    groups = _groups(chart, width if names_above else _NAMES_WIDTH, 2)
    widest = max((text_width(line, TEXT_SIZE) for g in groups for line in g.lines), default=0)
    left = 1.0 if names_above else widest + 14
    span, across = _span(chart, width - left - 4)
    title = axis_lines(chart.y, width - 4 if names_above else across)
    tall = sum(group.height(names_above) + _GAP for group in groups)
    bottom = 26 + LINE_HEIGHT * len(title)
    height = math.ceil(bottom + tall + 4)
    figure = make_figure(width, height)
    axes = bare_axes(figure, (left, bottom, across, tall))
    set_scale(axes, "x", span)
    # A unit of the y axis is one pixel.
    axes.set_ylim(0, tall)
    axes.set_yticks([])
    axes.grid(True, axis="x", color=LINE, linewidth=1)
    start = span.low if span.scale != "linear" else 0.0
    _guides(axes, chart, span, start)

    top = tall - _GAP / 2
    for group in groups:
        _draw_group(axes, group, (looks, start), top, names_above)
        _texts(axes, group, (left, bottom, across), (span, top), names_above)
        top -= group.height(names_above) + _GAP
    for tick, text in span.ticks:
        middle = left + across * span.position(tick)
        if middle - text_width(text, TEXT_SIZE) / 2 < 0:
            write(axes, (1, bottom - 19), text, "left")
        else:
            write(axes, (middle, bottom - 19), text, "center")
    for number, text in enumerate(title):
        base = bottom - 20 - LINE_HEIGHT * (number + 1)
        if names_above:
            write(axes, (1, base), text, "left", INK)
        else:
            write(axes, (left + across / 2, base), text, "center", INK)
    return figure


def _guides(axes: Axes, chart: Chart, span: Span, start: float) -> None:
    """Draws the line where bars start, and for ratios the line at 1."""
    axes.axvline(start, color=MUTED, linewidth=1, zorder=3, clip_on=False)
    if chart.y.unit in _RATIO_UNITS and span.low < 1 < span.high:
        axes.axvline(1, color=MUTED, linewidth=1, linestyle=(0, (2, 3)), zorder=3)


def _bars_top(group: _Group, top: float, names_above: bool) -> float:
    """Returns the top of the first bar. Bars beside a name of several lines are centred."""
    if names_above:
        return top - LINE_HEIGHT * len(group.lines)
    return top - (group.height(False) - _PITCH * len(group.bars)) / 2


def _draw_group(
    axes: Axes, group: _Group, style: tuple[Sequence[Look], float], top: float, names_above: bool
) -> None:
    looks, start = style
    first = _bars_top(group, top, names_above)
    for place, bar in enumerate(group.bars):
        _bar(axes, first - _PITCH * (place + 0.5), bar, looks[bar[0]], start)


def _texts(
    axes: Axes,
    group: _Group,
    box: tuple[float, float, float],
    scale: tuple[Span, float],
    names_above: bool,
) -> None:
    """Writes the name of the group, and the value at the end of each bar."""
    (left, bottom, across), (span, top) = box, scale
    drop = TEXT_SIZE * 0.36
    name_top = bottom + top
    if not names_above:
        name_top -= (group.height(False) - LINE_HEIGHT * len(group.lines)) / 2
    for number, line in enumerate(group.lines):
        base = name_top - LINE_HEIGHT * (number + 0.5) - drop
        if names_above:
            write(axes, (1, base), line, "left", INK)
        else:
            write(axes, (left - 12, base), line, "right", INK)
    first = bottom + _bars_top(group, top, names_above)
    for place, (_, point) in enumerate(group.bars):
        # The value of a negative bar is right of the line where bars start.
        start = 0.0 if span.scale == "linear" else span.low
        end = max(span.position(point.y), span.position(start))
        base = first - _PITCH * (place + 0.5) - drop
        write(axes, (left + across * end + 6, base), short_number(point.y), "left")
