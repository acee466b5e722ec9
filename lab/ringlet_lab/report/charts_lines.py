# SPDX-License-Identifier: Apache-2.0
"""Draws charts of lines with matplotlib, in a layout of pixels."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .charts_style import INK, LINE, MUTED, SURFACE, Look
from .charts_svg import PLOT, make_figure, marks_name
from .charts_text import LINE_HEIGHT, TEXT_SIZE, axis_text, text_width, wrap
from .charts_ticks import Span, fitting_span, place_span, value_span
from .model import Axis, Chart, Series

_PLOT_HEIGHTS = {True: 300, False: 230}


def axis_lines(axis: Axis, width: float) -> list[str]:
    """Returns label and unit of an axis, in at most two lines of `width` pixels."""
    return wrap(axis_text(axis), width, TEXT_SIZE, 2)


def write(
    axes: Axes, place: tuple[float, float], text: str, align: str, color: str = MUTED
) -> None:
    """Writes a text on its baseline. `place` is in pixels from the lower left corner of the figure.
    """
    axes.text(
        *place, text, transform=None, ha=align, va="baseline", fontsize=TEXT_SIZE, color=color,
        parse_math=False, clip_on=False,
    )  # fmt: skip


def bare_axes(figure: Figure, box: tuple[float, float, float, float]) -> Axes:
    """Returns axes in a box of pixels (left, bottom, width, height), without frame, ticks and
    texts."""
    width, height = (size * figure.dpi for size in figure.get_size_inches())
    left, bottom, across, up = box
    axes = figure.add_axes((left / width, bottom / height, across / width, up / height))
    axes.patch.set_facecolor("none")
    axes.patch.set_gid(PLOT)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_axisbelow(True)
    axes.tick_params(length=0, labelbottom=False, labelleft=False)
    axes.minorticks_off()
    return axes


def set_scale(axes: Axes, which: str, span: Span) -> None:
    """Sets the limits and the unlabelled ticks of the x or the y axis."""
    base = {"log2": 2, "log10": 10}.get(span.scale)
    if base is not None:
        getattr(axes, f"set_{which}scale")("log", base=base)
    getattr(axes, f"set_{which}lim")(span.low, span.high)
    getattr(axes, f"set_{which}ticks")([tick for tick, _ in span.ticks])
    getattr(axes, f"set_{which}ticks")([], minor=True)
    axes.tick_params(length=0, labelbottom=False, labelleft=False)


def _x_span(chart: Chart, width: float) -> Span:
    places = [float(point.x) for series in chart.series for point in series.points]
    return fitting_span(lambda most: place_span(chart.x.scale, places, most), width, 14)


def _plot(axes: Axes, place: int, series: Series, look: Look) -> None:
    (line,) = axes.plot(
        [point.x for point in series.points],
        [point.y for point in series.points],
        color=look.stand_in,
        linestyle=(0, look.dashes) if look.dashes else "-",
        linewidth=look.line_width if look.has_line and len(series.points) > 1 else 0,
        marker=look.marker,
        markersize=look.marker_size,
        markerfacecolor=SURFACE if look.is_hollow else look.stand_in,
        markeredgecolor=look.stand_in if look.is_hollow else SURFACE,
        markeredgewidth=1.5 if look.is_hollow else 0.8,
        solid_capstyle="round",
        solid_joinstyle="round",
        dash_capstyle="butt",
        clip_on=False,
        # Measured lines cover computed ones.
        zorder=3 if series.origin == "measured" else 2.5,
    )
    line.set_gid(marks_name(place))


def draw_lines(chart: Chart, looks: Sequence[Look], width: int) -> Figure:
    """Draws the chart as a figure of `width` pixels. Every series must have points."""
    is_wide = width > 500
    values = [point.y for series in chart.series for point in series.points]
    y_span = value_span(chart.y.scale, values, 8 if is_wide else 6)
    y_labels = [text for _, text in y_span.ticks]
    left = max((text_width(text, TEXT_SIZE) for text in y_labels), default=0) + 12
    x_span = _x_span(chart, width - left - 8)
    x_widths = [text_width(text, TEXT_SIZE) for _, text in x_span.ticks]
    right = max([10.0, *(size / 2 for size in x_widths[-1:])])
    y_title, x_title = axis_lines(chart.y, width - 4), axis_lines(chart.x, width - left)

    bottom = 26 + LINE_HEIGHT * len(x_title)
    above = 14 + LINE_HEIGHT * len(y_title)
    plot_height = _PLOT_HEIGHTS[is_wide]
    height = bottom + plot_height + above
    figure = make_figure(width, height)
    axes = bare_axes(figure, (left, bottom, width - left - right, plot_height))
    set_scale(axes, "x", x_span)
    set_scale(axes, "y", y_span)
    axes.grid(True, axis="y", color=LINE, linewidth=1)
    axes.grid(False, axis="x")
    axes.spines["bottom"].set(visible=True, color=MUTED, linewidth=1)
    axes.tick_params(axis="x", length=4, width=1, color=MUTED)
    for place, (series, look) in enumerate(zip(chart.series, looks, strict=True)):
        _plot(axes, place, series, look)

    across = width - left - right
    for tick, text in x_span.ticks:
        write(axes, (left + across * x_span.position(tick), bottom - 19), text, "center")
    for tick, text in y_span.ticks:
        base = bottom + plot_height * y_span.position(tick) - TEXT_SIZE * 0.36
        write(axes, (left - 10, base), text, "right")
    for number, text in enumerate(y_title):
        write(axes, (1, height - 14 - number * LINE_HEIGHT), text, "left", INK)
    for number, text in enumerate(x_title):
        at = (left + across / 2, bottom - 20 - LINE_HEIGHT * (number + 1))
        write(axes, at, text, "center", INK)
    return figure
