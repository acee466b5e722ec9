# SPDX-License-Identifier: Apache-2.0
"""The picture of `ringlet bench widths`: time per butterfly against the width of the modulus, with
a colour for each instruction set. A panel below shows the kernel of each width."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from ringlet.plots import COLORS, FAINT, INK, make_figure, tidy

from ..drawing import TABLE_COLORS, heading, legend_below, name_bars, value_axis
from . import DIRECTIONS, FORMS, HALF_WORD_ONE, ORDINARY, Results, Row

_STYLES: dict[str, tuple[Any, str]] = {ORDINARY: ("-", "o"), HALF_WORD_ONE: ("--", "x")}
_LABELS = {ORDINARY: "ordinary prime", HALF_WORD_ONE: "prime that is 1 mod $2^{32}$"}
_TICKS = (0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1, 1.5, 2, 3, 4, 5, 7, 10)


def _color(curves: Sequence[str], curve: str) -> str:
    return TABLE_COLORS.get(curve, (COLORS[curves.index(curve) % len(COLORS)],))[0]


def segments(line: Sequence[Row]) -> Iterator[list[Row]]:
    """Yields runs of widths that have the same kernel, without a gap between them."""
    places = {bits: place for place, bits in enumerate(sorted({row.bits for row in line}))}
    for _, run in groupby(line, key=lambda row: row.kernel):
        rows = list(run)
        for _, part in groupby(enumerate(rows), key=lambda item: places[item[1].bits] - item[0]):
            yield [row for _, row in part]


def _draw_times(axes: Axes, results: Results, direction: str, degree: int) -> None:
    for place, curve in enumerate(results.curves):
        for form in FORMS:
            line = results.line(curve, form, direction, degree)
            style, marker = _STYLES[form]
            axes.plot(
                [row.bits for row in line],
                [row.ns_per_butterfly for row in line],
                color=_color(results.curves, curve),
                linestyle=style,
                marker=marker,
                markersize=3.5 if form == ORDINARY else 4.5,
                # Both lines remain visible if two tables choose the same kernel.
                linewidth=1.4 + 0.7 * (len(results.curves) - 1 - place),
            )
    tidy(axes, direction, "", "ns per butterfly (minimum)")
    value_axis(axes, _TICKS)
    axes.minorticks_off()


def _draw_kernels(axes: Axes, results: Results, degree: int) -> None:
    """Draws a bar for each run of widths, with the name of its kernel."""
    for y, curve in enumerate(results.curves):
        color = _color(results.curves, curve)
        for part in segments(results.line(curve, ORDINARY, DIRECTIONS[0], degree)):
            start, end = part[0].bits - 0.5, part[-1].bits + 0.5
            name = part[0].algorithm if end - start > 2 else part[0].kernel.split("/")[-1]
            axes.barh(
                y, end - start, 0.82, left=start, color=color, alpha=0.22, edgecolor=color, lw=0.9
            )
            axes.text(
                (start + end) / 2,
                y,
                name,
                ha="center",
                va="center",
                fontsize=7.5 if end - start > 2 else 5.5,
                rotation=0 if end - start > 1 else 90,
                color=INK,
            )
    tidy(axes, "kernel", "bits of the modulus", "")
    name_bars(axes, results.curves, 8.5)


def make_picture(results: Results, degree: int) -> Figure:
    """Draws one length: forward, inverse, and the kernels."""
    widths = sorted({row.bits for row in results.rows if row.degree == degree})
    figure = make_figure(12, 10)
    panels = figure.subplots(3, 1, sharex=True, height_ratios=(3, 3, 0.35 * len(results.curves)))
    for axes, direction in zip(panels, DIRECTIONS, strict=False):
        _draw_times(axes, results, direction, degree)
    _draw_kernels(panels[-1], results, degree)
    panels[-1].set_xlim(widths[0] - 0.8, widths[-1] + 0.8)
    ticks = [bits for bits in widths if bits % 2 == 0] or widths
    panels[-1].set_xticks(ticks, [str(bits) for bits in ticks])
    handles = [
        Line2D([], [], color=_color(results.curves, curve), linewidth=3, label=curve)
        for curve in results.curves
    ]
    shown = [form for form in FORMS if any(row.form == form for row in results.rows)]
    handles += [
        Line2D(
            [], [], color=FAINT, linestyle=_STYLES[form][0], marker=_STYLES[form][1],
            markersize=4.5, label=_LABELS[form],
        )
        for form in shown
    ]  # fmt: skip
    legend_below(figure, handles, 9.5)
    title = f"Negacyclic transforms, N = {degree}, by the width of the modulus"
    heading(figure, f"{title}\n{results.core}, lower is better")
    return figure
