# SPDX-License-Identifier: Apache-2.0
"""Draws a chart of a report as pictures: one for wide pages and one for phones, with their legend.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ringlet.errors import InvalidArgument

from .charts_bars import draw_bars
from .charts_lines import draw_lines
from .charts_style import Look, Palette, looks
from .charts_svg import Description, to_inline_svg
from .charts_text import axis_text, clean, number_text, shorten, x_text
from .charts_ticks import drawn_scale
from .model import Chart, Series
from .points import is_finite
from .setting import OPERATION

# Widths in pixels of the drawn pictures; the page shows them at this size or larger.
DESKTOP_WIDTH, PHONE_WIDTH = 760, 350


@dataclass(frozen=True)
class Picture:
    """A drawn chart: two <svg> elements, and the look of each series that has points. `notes` are
    sentences on how the picture differs from what the chart asks for."""

    desktop: str
    phone: str
    looks: tuple[Look, ...]
    notes: tuple[str, ...] = ()


def _check(chart: Chart) -> None:
    for series in chart.series:
        for point in series.points:
            if not is_finite(point):
                raise InvalidArgument(
                    OPERATION,
                    f"a value of {series.name!r} at {point.x} in chart {chart.id!r} is not finite",
                    "numbers of a report are finite",
                    "leave the point out, and name it in `missing`",
                )
            if isinstance(point.x, str) != (chart.kind == "bars"):
                raise InvalidArgument(
                    OPERATION,
                    f"x = {point.x!r} of {series.name!r} in chart {chart.id!r} of {chart.kind}",
                    "lines have numbers and bars have names on their x axis",
                    "use numbers as x on charts of lines, and names on charts of bars",
                )


def _describe(chart: Chart) -> Description:
    """Returns the texts for a reader who cannot see the chart: title, a sentence on the axes and
    the range of each series, and a text for each point."""
    kind = "Lines" if chart.kind == "lines" else "Bars"
    parts = [f"{kind}: {axis_text(chart.y)} against {axis_text(chart.x)}."]
    unit = f" {clean(chart.y.unit)}" if chart.y.unit else ""
    tooltips = []
    for series in chart.series:
        values = [point.y for point in series.points]
        low, high = number_text(min(values)), number_text(max(values))
        span = low if low == high else f"{low} to {high}"
        kind = "" if series.origin == "measured" else f" ({series.origin})"
        parts.append(f"{clean(series.name)}{kind}: {span}{unit}.")
        name = f"{shorten(series.name)}{kind}"
        tooltips.append(
            tuple(
                f"{name}, {shorten(x_text(point.x))}: {number_text(point.y)}{shorten(unit)}"
                for point in series.points
            )
        )
    return Description(clean(chart.title), " ".join(parts), tuple(tooltips))


def _notes(chart: Chart, series: Sequence[Series]) -> tuple[str, ...]:
    """Returns a sentence for each axis that cannot be logarithmic."""
    points = [point for one in series for point in one.points]
    axes = [("vertical", chart.y, [point.y for point in points])]
    if chart.kind == "lines":
        axes.insert(0, ("horizontal", chart.x, [float(point.x) for point in points]))
    found = []
    for name, axis, values in axes:
        if drawn_scale(axis.scale, values) != axis.scale:
            found.append(
                f"The axis of {clean(axis.label) or name} is linear, because some of its values "
                "have no logarithm."
            )
    return tuple(found)


def draw_chart(chart: Chart, palette: Palette, prefix: str) -> Picture | None:
    """Draws both pictures of a chart, or returns None if no series has a point. All names (ids) in
    them start with `prefix`. Raises InvalidArgument for values that are not finite and for x of the
    wrong kind."""
    _check(chart)
    colors = palette.colors(chart)
    shown = [(s, color) for s, color in zip(chart.series, colors, strict=True) if s.points]
    if not shown:
        return None
    series = tuple(one for one, _ in shown)
    chart = replace(chart, series=series)
    looked = looks(series, [color for _, color in shown])
    draw = draw_lines if chart.kind == "lines" else draw_bars
    description = _describe(chart)
    without_tooltips = Description(description.title, description.text)
    pictures = {}
    for variant, width in (("desktop", DESKTOP_WIDTH), ("phone", PHONE_WIDTH)):
        figure = draw(chart, looked, width)
        # Phones show no tooltips.
        text = description if variant == "desktop" else without_tooltips
        pictures[variant] = to_inline_svg(figure, f"{prefix}-{variant}", text, variant)
    return Picture(pictures["desktop"], pictures["phone"], tuple(looked), _notes(chart, series))
