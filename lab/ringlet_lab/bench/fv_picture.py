# SPDX-License-Identifier: Apache-2.0
"""The picture of `ringlet bench fv`: measured bars, hatched quoted ones, dotted modelled ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Patch
from ringlet import cpu_info
from ringlet.plots import COLORS, INK, make_figure, save, tidy

from .fv import Results, Row
from .fv_quoted import PAPER_MACHINE, PAPER_TIMES

_WAYS = {"ntt": COLORS[0], "karatsuba": COLORS[2], "additions": COLORS[4], "rns": COLORS[3]}
_QUOTED, _MODELLED = "#7f7f7f", COLORS[1]
_BAR = 0.8
_LEFT_US = 10.0


def _color(name: str) -> str:
    return _WAYS.get(name.split("/")[0], INK)


def _bar(axes: Axes, y: float, time: float, color: str, kind: str) -> None:
    """One bar with its time behind it; `kind` is measured, quoted or modelled."""
    hatch = {"measured": None, "quoted": "/////", "modelled": "...."}[kind]
    axes.barh(
        y,
        time,
        _BAR,
        color=color if hatch is None else "white",
        edgecolor=color,
        hatch=hatch,
        linewidth=0.9,
    )
    axes.annotate(
        f"{time:,.0f}" if time >= 100 else f"{time:.1f}",
        (time, y),
        xytext=(3, 0),
        textcoords="offset points",
        va="center_baseline",
        fontsize=7.5,
        color=INK,
        style="normal" if kind == "measured" else "italic",
    )


def _modelled(report: dict[str, Any] | None, count: int) -> list[tuple[str, float]]:
    """Name and modelled microseconds of each top level for so many encryptions."""
    if report is None:
        return []
    return [
        (f"hardware: {top['name']}", run["modelled_us"]["total_ideal"])
        for top in report["tops"]
        for run in top["runs"]
        if run["encryptions"] == count
    ]


def _draw_count(axes: Axes, results: Results, rows: Sequence[Row], count: int) -> None:
    bars = [(row.kernel, row.cells[count].best, _color(row.kernel), "measured") for row in rows]
    hardware = _modelled(results.hardware, count)
    bars += [(name, time, _MODELLED, "modelled") for name, time in hardware]
    bars += [(name, times[count - 1], _QUOTED, "quoted") for name, times in PAPER_TIMES.items()]
    for y, (_, time, color, kind) in enumerate(bars):
        _bar(axes, y, time, color, kind)
    tidy(axes, f"{count} encryption{'s' if count > 1 else ''}, one component", "microseconds", "")
    axes.grid(False, axis="y")
    axes.set_xscale("log")
    # All panels start at the same time, so that lengths compare.
    axes.set_xlim(_LEFT_US, 1.8 * max(time for _, time, *_ in bars))
    axes.set_yticks(range(len(bars)), [name for name, *_ in bars])
    axes.tick_params(axis="y", length=0, labelsize=8)
    axes.invert_yaxis()


def draw(results: Results, paths: Sequence[Path]) -> None:
    """Microseconds of every way for each number of encryptions, on logarithmic axes."""
    rows = [row for row in results.rows if row.group in ("product", "algorithm1")]
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
        label = "modelled from simulated cycles"
        handles.append(Patch(facecolor="white", edgecolor=_MODELLED, hatch="....", label=label))
    label = f"quoted, not measured ({PAPER_MACHINE})"
    handles.append(Patch(facecolor="white", edgecolor=_QUOTED, hatch="/////", label=label))
    figure.legend(
        handles=handles, loc="outside lower center", ncols=len(handles), fontsize=8.5, frameon=False
    )
    figure.suptitle(
        f"P * U + E modulo (Phi_{results.ring.index}, q), n = {results.ring.degree}, q of "
        f"{results.modulus.bit_length()} bits, one core of {cpu_info().model} at "
        f"{results.clock * 1e-9:.2f} GHz",
        fontsize=11.5,
        color=INK,
    )
    save(figure, paths)
