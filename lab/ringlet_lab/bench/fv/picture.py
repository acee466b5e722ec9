# SPDX-License-Identifier: Apache-2.0
"""The picture of `ringlet bench fv`. Measured bars are filled, quoted bars hatched, modelled bars
dotted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from ringlet.plots import COLORS, INK, make_figure, tidy

from ..drawing import QUOTED, bar_style, hatched, heading, label_bar, legend_below, name_bars
from . import Results, Row
from .quoted import PAPER_MACHINE, PAPER_TIMES
from ..output import number

_WAYS = {"ntt": COLORS[0], "karatsuba": COLORS[2], "additions": COLORS[4], "rns": COLORS[3]}
_QUOTED_COLOR, _MODELLED_COLOR = "#7f7f7f", COLORS[1]
_MODELLED = "...."
_LEFT_US = 10.0


def _color(name: str) -> str:
    return _WAYS.get(name.split("/")[0], INK)


def _modelled(report: dict[str, Any] | None, count: int) -> list[tuple[str, float]]:
    """Returns the name and the modelled microseconds of each top level, for `count` encryptions."""
    return [
        (f"hardware: {top['name']}", run["modelled_us"]["total_ideal"])
        for top in ([] if report is None else report["tops"])
        for run in top["runs"]
        if run["encryptions"] == count
    ]


def _draw_count(axes: Axes, results: Results, rows: Sequence[Row], count: int) -> None:
    bars: list[tuple[str, float, str, str | None]] = [
        (row.kernel, row.cells[count].best, _color(row.kernel), None) for row in rows
    ]
    bars += [(*bar, _MODELLED_COLOR, _MODELLED) for bar in _modelled(results.hardware, count)]
    bars += [(name, us[count - 1], _QUOTED_COLOR, QUOTED) for name, us in PAPER_TIMES.items()]
    for y, (_, time, color, hatch) in enumerate(bars):
        axes.barh(y, time, 0.8, **bar_style(color, hatch))
        style = "normal" if hatch is None else "italic"
        label_bar(axes, number(time), (time, y), style=style)
    tidy(axes, f"{count} encryption{'s' if count > 1 else ''}, one component", "microseconds", "")
    axes.set_xscale("log")
    # All panels have the same time axis, so that bars compare.
    axes.set_xlim(_LEFT_US, 1.8 * max(time for _, time, *_ in bars))
    name_bars(axes, [name for name, *_ in bars])


def draw(results: Results) -> Figure:
    """Draws the microseconds of every method for each number of encryptions, on logarithmic axes.
    """
    rows = results.of("product", "algorithm1")
    counts = sorted({count for row in rows for count in row.cells})
    columns = min(2, len(counts))
    lines = (len(counts) + columns - 1) // columns
    figure = make_figure(7.5 * columns, 1.0 + 0.26 * (len(rows) + 5) * lines)
    panels = list(figure.subplots(lines, columns, squeeze=False).flat)
    for axes, count in zip(panels, counts, strict=False):
        _draw_count(axes, results, rows, count)
    for axes in panels[len(counts) :]:
        axes.set_visible(False)
    names = list(dict.fromkeys(row.kernel.split("/")[0] for row in rows))
    handles = [Patch(facecolor=_color(name), label=name) for name in names]
    if results.hardware is not None:
        handles.append(hatched("modelled from simulated cycles", _MODELLED_COLOR, _MODELLED))
    handles.append(hatched(f"quoted, not measured ({PAPER_MACHINE})", _QUOTED_COLOR))
    legend_below(figure, handles, 8.5)
    heading(
        figure,
        f"P * U + E modulo (Phi_{results.ring.index}, q), n = {results.ring.degree}, q of "
        f"{results.modulus.bit_length()} bits, {results.core}",
        11.5,
    )
    return figure
