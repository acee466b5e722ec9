# SPDX-License-Identifier: Apache-2.0
"""The picture of `ringlet bench tables`: bars measured here, and hatched bars that are quoted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.patches import Patch
from ringlet import cpu_info
from ringlet.plots import INK, make_figure, save, tidy

from .output import number
from .tables import SUBJECTS, GoalCell, Results, Row, Subject
from .tables_quoted import DEGREES, GOAL_DEGREES, HEXL_MACHINE, PAPER_MACHINE

# A colour per instruction set; the lighter one is for its second and third kernel.
_COLORS = {
    "scalar64": ("#7f7f7f", "#a9a9a9"),
    "avx2": ("#009E73", "#6cc9ae"),
    "avx512dq": ("#0072B2", "#62aedb"),
    "ifma52": ("#D55E00", "#f0a26b"),
    "NTL": ("#CC79A7", "#CC79A7"),
    "FLINT": ("#E69F00", "#E69F00"),
    "NFLlib": ("#8c6bb1", "#8c6bb1"),
}
_OTHER = ("#444444", "#777777")
_HATCH = "/////"
_BAR = 0.82
_NO_ROWS = "not measured: the selection in force has no such kernel"
# A bar so many times as tall as the median one is cut: it would leave little to see of the others.
_TALLEST = 8.0


def _short(name: str) -> str:
    """The first part of an implementation's name, by which it has its colour."""
    return name.split("/")[0].split(",")[0].split(" ")[0]


def _colors(rows: Sequence[Row]) -> list[str]:
    seen: dict[str, int] = {}
    colors = []
    for row in rows:
        family = _short(row.name)
        pair = _COLORS.get(family, _OTHER)
        colors.append(pair[min(seen.get(family, 0), 1)])
        seen[family] = seen.get(family, 0) + 1
    return colors


class _Bars:
    """Bars of one panel from left to right, cut at a height that keeps the low ones visible."""

    def __init__(self, axes: Axes, limit: float) -> None:
        self.axes = axes
        self.limit = limit

    def draw(self, x: float, height: float, color: str, text: str, is_quoted: bool) -> None:
        shown = min(height, self.limit)
        self.axes.bar(
            x,
            shown,
            width=_BAR,
            color="white" if is_quoted else color,
            edgecolor=color,
            hatch=_HATCH if is_quoted else None,
            linewidth=0.9,
        )
        is_cut = height > self.limit
        self.axes.annotate(
            f"{text} ↑" if is_cut else text,
            (x, shown),
            xytext=(0, 2.5),
            textcoords="offset points",
            ha="center",
            va="bottom",
            rotation=90,
            fontsize=6.8,
            color=INK,
            style="italic" if is_quoted else "normal",
        )


def _heights(rows: Sequence[Row], subject: Subject) -> list[float]:
    times = [(cell.best, degree) for row in rows for degree, cell in row.cells.items()]
    times += [(time, degree) for row in rows for degree, time in row.quoted.items()]
    return [time * 1e3 / subject.units(degree) for time, degree in times]


def _draw_subject(axes: Axes, results: Results, subject: Subject) -> None:
    title = (f"Table {subject.number}: " if subject.number < 5 else "") + subject.title
    rows = [r for r in results.rows if r.subject is subject and (r.cells or r.quoted)]
    if not rows:
        tidy(axes, title, "", "")
        axes.set_axis_off()
        axes.text(0, 0.5, _NO_ROWS, color=INK, transform=axes.transAxes)
        return
    colors = _colors(rows)
    heights = sorted(_heights(rows, subject))
    limit = min(heights[-1], _TALLEST * heights[len(heights) // 2])
    bars = _Bars(axes, limit)
    x, centres = 0.0, []
    for degree in DEGREES:
        start = x
        for row, color in zip(rows, colors, strict=True):
            cell = row.cells.get(degree)
            if cell is not None:
                height = cell.best * 1e3 / subject.units(degree)
                bars.draw(x, height, color, number(cell.best), is_quoted=False)
                x += 1
            if degree in row.quoted:
                height = row.quoted[degree] * 1e3 / subject.units(degree)
                bars.draw(x, height, color, number(row.quoted[degree]), is_quoted=True)
                x += 1
        centres.append((start + x - 1) / 2)
        x += 1.4
    unit = f"ns per {subject.unit}"
    if subject.operation == "product":
        unit += " of three transforms"
    tidy(axes, title, "", unit)
    axes.grid(False, axis="x")
    axes.set_xticks(centres, [f"N = {degree}" for degree in DEGREES])
    axes.tick_params(axis="x", length=0, labelsize=9.5)
    axes.set_ylim(0, limit * 1.28)
    axes.set_xlim(-1, x - 1.4)


def _goal_name(entry: GoalCell) -> str:
    return f"{entry.goal.name}, {entry.goal.bits} bits"


def _draw_goals(axes: Axes, results: Results) -> None:
    """Time against HEXL's quoted one for each operation, with the goal as a mark."""
    entries = [e for e in results.goals if e.cell.degree == GOAL_DEGREES[0]]
    for y, entry in enumerate(entries):
        hexl, goal = entry.goal.hexl_4096[0], entry.goal.target
        color = _COLORS.get(_short(entry.kernel), _OTHER)[0]
        axes.barh(y + 0.2, hexl, 0.36, color="white", edgecolor="#9a9a9a", hatch=_HATCH, lw=0.9)
        axes.barh(y - 0.2, entry.cell.best, 0.36, color=color)
        axes.plot([goal, goal], [y - 0.42, y + 0.42], color="black", linewidth=2)
        axes.annotate(
            number(entry.cell.best),
            (entry.cell.best, y - 0.2),
            xytext=(-4, 0),
            textcoords="offset points",
            ha="right",
            va="center_baseline",
            fontsize=7.5,
            color="white",
            fontweight="bold",
        )
        axes.annotate(
            number(hexl),
            (hexl, y + 0.2),
            xytext=(3, 0),
            textcoords="offset points",
            va="center_baseline",
            fontsize=7.5,
            color=INK,
            style="italic",
        )
    title = f"Goals, N = {GOAL_DEGREES[0]}: here, goal (black mark), HEXL (quoted)"
    tidy(axes, title, f"microseconds; HEXL on {HEXL_MACHINE}", "")
    axes.grid(False, axis="y")
    axes.set_yticks(range(len(entries)), [_goal_name(entry) for entry in entries])
    axes.tick_params(axis="y", length=0, labelsize=8.5)
    axes.invert_yaxis()


def _legend(results: Results) -> list[Patch]:
    families = list(dict.fromkeys(_short(r.name) for r in results.rows if r.cells or r.quoted))
    patches = []
    # Quoted families without a kernel here, such as AVX512-DQ on an older processor, come last.
    order = [*_COLORS, *(family for family in families if family not in _COLORS)]
    for family in sorted(families, key=order.index):
        rows = [row for row in results.rows if _short(row.name) == family]
        label = family
        if family == "NTL" and any(row.cells for row in rows):
            label = "NTL (Debian's portable build)"
        patches.append(Patch(facecolor=_COLORS.get(family, _OTHER)[0], label=label))
    patches.append(
        Patch(facecolor="white", edgecolor="#555555", hatch=_HATCH, label="quoted, not measured")
    )
    return patches


def draw_tables(results: Results, paths: Sequence[Path]) -> None:
    """Time per butterfly or element: solid bars are measured, hatched ones quoted."""
    figure = make_figure(15, 14)
    parts = figure.subfigures(2, 1, squeeze=False, height_ratios=(2, 1.1))
    tables, last = parts[0, 0], parts[1, 0]
    panels = [*tables.subplots(2, 2).flat, *last.subplots(1, 2)]
    for axes, subject in zip(panels, SUBJECTS, strict=False):
        _draw_subject(axes, results, subject)
    _draw_goals(panels[-1], results)
    handles = _legend(results)
    last.legend(
        handles=handles, loc="outside lower center", ncols=len(handles), fontsize=9.5, frameon=False
    )
    figure.suptitle(
        f"Tables 1 to 4 of the HEXL paper on one core of {cpu_info().model} at "
        f"{results.clock * 1e-9:.2f} GHz, 50-bit primes",
        fontsize=14,
        color=INK,
        fontweight="bold",
    )
    tables.suptitle(
        "Bars are time per butterfly or element, so that the three lengths compare; the number on "
        "a bar is microseconds per call, minimum of "
        f"{results.rounds} interleaved rounds.\nLighter: other kernels of the same table. "
        f"Hatched bars with slanted numbers are quoted from the paper ({PAPER_MACHINE}).",
        fontsize=9.5,
        color="#555555",
    )
    save(figure, paths)
