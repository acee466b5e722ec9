# SPDX-License-Identifier: Apache-2.0
"""The picture of `ringlet bench tables`. Bars of this run are filled, quoted bars are hatched."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from ringlet.plots import INK, make_figure, tidy

from .. import drawing
from ..output import number
from . import SUBJECTS, Results, Row, Subject
from .quoted import DEGREES, GOAL_DEGREES, HEXL_MACHINE, PAPER_MACHINE

_COLORS = drawing.TABLE_COLORS | {
    "NTL": ("#CC79A7", "#CC79A7"),
    "FLINT": ("#E69F00", "#E69F00"),
    "NFLlib": ("#8c6bb1", "#8c6bb1"),
}
_OTHER = ("#444444", "#777777")
_BAR = 0.82
_NO_ROWS = "not measured: the selection in force has no such kernel"
# Bars more than this many times the median are cut: they would make the others too small to see.
_TALLEST = 8.0


def _short(name: str) -> str:
    """Returns the first part of an implementation's name, which determines its colour."""
    return name.split("/")[0].split(",")[0].split(" ")[0]


def _colors(rows: Sequence[Row]) -> list[str]:
    families = [_short(row.name) for row in rows]
    return [_COLORS.get(f, _OTHER)[min(families[:i].count(f), 1)] for i, f in enumerate(families)]


def _draw_bar(axes: Axes, x: float, bar: tuple[float, float, str, bool], limit: float) -> None:
    """Draws a bar. Cuts it at a height that leaves low bars visible."""
    height, time, color, is_quoted = bar
    shown = min(height, limit)
    hatch = drawing.QUOTED if is_quoted else None
    axes.bar(x, shown, width=_BAR, **drawing.bar_style(color, hatch))
    text = f"{number(time)} ↑" if height > limit else number(time)
    style = "italic" if is_quoted else "normal"
    drawing.label_bar(axes, text, (x, shown), above=True, rotation=90, fontsize=6.8, style=style)


def _draw_subject(axes: Axes, results: Results, subject: Subject) -> None:
    title = (f"Table {subject.number}: " if subject.number < 5 else "") + subject.title
    rows = [row for row in results.of(subject) if row.cells or row.quoted]
    if not rows:
        tidy(axes, title, "", "")
        axes.set_axis_off()
        axes.text(0, 0.5, _NO_ROWS, color=INK, transform=axes.transAxes)
        return
    groups: list[list[tuple[float, float, str, bool]]] = []
    for degree in DEGREES:
        unit = subject.units(degree) * 1e-3
        bars = []
        for row, color in zip(rows, _colors(rows), strict=True):
            if degree in row.cells:
                time = row.cells[degree].best
                bars.append((time / unit, time, color, False))
            if degree in row.quoted:
                bars.append((row.quoted[degree] / unit, row.quoted[degree], color, True))
        groups.append(bars)
    heights = sorted(height for bars in groups for height, *_ in bars)
    limit = min(heights[-1], _TALLEST * heights[len(heights) // 2])
    x, centres = 0.0, []
    for bars in groups:
        for i, bar in enumerate(bars):
            _draw_bar(axes, x + i, bar, limit)
        centres.append(x + (len(bars) - 1) / 2)
        x += len(bars) + 1.4
    unit_text = f"ns per {subject.unit}"
    if subject.operation == "product":
        unit_text += " of three transforms"
    tidy(axes, title, "", unit_text)
    axes.grid(False, axis="x")
    axes.set_xticks(centres, [f"N = {degree}" for degree in DEGREES])
    axes.tick_params(axis="x", length=0, labelsize=9.5)
    axes.set_ylim(0, limit * 1.28)
    axes.set_xlim(-1, x - 1.4)


def _draw_goals(axes: Axes, results: Results) -> None:
    """Draws the time of each operation against HEXL's quoted time, with the goal as a mark."""
    entries = [e for e in results.goals if e.cell.degree == GOAL_DEGREES[0]]
    for y, entry in enumerate(entries):
        hexl, goal, here = entry.goal.hexl_4096[0], entry.goal.target, entry.cell.best
        axes.barh(y + 0.2, hexl, 0.36, **drawing.bar_style("#9a9a9a", drawing.QUOTED))
        axes.barh(y - 0.2, here, 0.36, color=_COLORS.get(_short(entry.kernel), _OTHER)[0])
        axes.plot([goal, goal], [y - 0.42, y + 0.42], color="black", linewidth=2)
        inside = {"xytext": (-4, 0), "ha": "right", "color": "white", "fontweight": "bold"}
        drawing.label_bar(axes, number(here), (here, y - 0.2), **inside)
        drawing.label_bar(axes, number(hexl), (hexl, y + 0.2), style="italic")
    title = f"Goals, N = {GOAL_DEGREES[0]}: here, goal (black mark), HEXL (quoted)"
    tidy(axes, title, f"microseconds; HEXL on {HEXL_MACHINE}", "")
    drawing.name_bars(axes, [f"{e.goal.name}, {e.goal.bits} bits" for e in entries], 8.5)


def _legend(results: Results) -> list[Patch]:
    families = list(dict.fromkeys(_short(r.name) for r in results.rows if r.cells or r.quoted))
    # Quoted families without a kernel here, such as AVX512-DQ on an older processor, come last.
    order = [*_COLORS, *(family for family in families if family not in _COLORS)]
    patches = []
    for family in sorted(families, key=order.index):
        is_measured = any(row.cells for row in results.rows if _short(row.name) == family)
        label = family
        if family == "NTL" and is_measured:
            label = "NTL (Debian's portable build)"
        patches.append(Patch(facecolor=_COLORS.get(family, _OTHER)[0], label=label))
    return [*patches, drawing.hatched("quoted, not measured", "#555555")]


def draw_tables(results: Results) -> Figure:
    """Draws the time per butterfly or element. Filled bars are measured, hatched bars are quoted.
    """
    figure = make_figure(15, 14)
    parts = figure.subfigures(2, 1, squeeze=False, height_ratios=(2, 1.1))
    tables, last = parts[0, 0], parts[1, 0]
    panels = [*tables.subplots(2, 2).flat, *last.subplots(1, 2)]
    for axes, subject in zip(panels, SUBJECTS, strict=False):
        _draw_subject(axes, results, subject)
    _draw_goals(panels[-1], results)
    drawing.legend_below(last, _legend(results), 9.5)
    drawing.heading(figure, f"Tables 1 to 4 of the HEXL paper on {results.core}, 50-bit primes", 14)
    tables.suptitle(
        "Bars are time per butterfly or element, so that the three lengths compare; the number on "
        "a bar is microseconds per call, minimum of "
        f"{results.rounds} interleaved rounds.\nLighter: other kernels of the same table. "
        f"Hatched bars with slanted numbers are quoted from the paper ({PAPER_MACHINE}).",
        fontsize=9.5,
        color="#555555",
    )
    return figure
