# SPDX-License-Identifier: Apache-2.0
"""The picture of `ringlet bench schemes`: for every scheme and degree a bar for each operation, on
one thread and on two, beside SEAL. A mark shows the goal's cycles as time on this machine."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from ringlet.plots import COLORS, make_figure, tidy

from ..drawing import QUOTED, bar_style, hatched, heading, label_bar, legend_below, name_bars
from ..output import number
from .goals import find, find_peer
from .tables import groups, operations_of

_ONE, _TWO, _SEAL, _GOAL = COLORS[0], COLORS[5], "#b0b0b0", COLORS[1]
_LEFT = 0.5


def _goal_us(report: dict[str, Any], scheme: str, operation: str, degree: int) -> float | None:
    for judged in report["goals"]:
        key = (judged["scheme"], judged["operation"], judged["degree"], judged["chain"])
        if key == (scheme, operation, degree, "own"):
            return float(judged["goal_cycles"] / report["context"]["clock_hz"]["median"] * 1e6)
    return None


def _draw_panel(axes: Axes, report: dict[str, Any], scheme: str, degree: int) -> None:
    names = operations_of(report, scheme, degree, "own")
    for y, operation in enumerate(names):
        what = {"scheme": scheme, "operation": operation, "degree": degree, "chain": "own"}
        bars = (
            (find(report, **what), _ONE),
            (find(report, threads=2, **what), _TWO),
            (find_peer(report, scheme, operation, degree), _SEAL),
        )
        shown = [(entry, color) for entry, color in bars if entry is not None]
        height = 0.84 / max(1, len(shown))
        for i, (entry, color) in enumerate(shown):
            place = y - 0.42 + (i + 0.5) * height
            # A bar that holds other work too is hatched.
            hatch = QUOTED if entry.get("in_python", False) else None
            axes.barh(place, entry["min"], height, **bar_style(color, hatch))
            label_bar(axes, number(entry["min"]), (entry["min"], place), fontsize=5.5)
        goal = _goal_us(report, scheme, operation, degree)
        if goal is not None:
            axes.plot([goal, goal], [y - 0.45, y + 0.45], color=_GOAL, linewidth=1.6)
    tidy(axes, f"{scheme.upper()}, N = {degree}", "microseconds, minimum", "")
    axes.set_xscale("log")
    name_bars(axes, names, 7.5)
    left, right = axes.get_xlim()
    axes.set_xlim(max(left, _LEFT), right * 2)


def draw(report: dict[str, Any]) -> Figure:
    """Draws a row of panels for each degree, with a column for each scheme."""
    panels = groups(report, "own")
    degrees = sorted({degree for degree, _ in panels})
    schemes = list(dict.fromkeys(scheme for _, scheme in panels))
    figure = make_figure(5.6 * len(schemes), 0.8 + 4.6 * len(degrees))
    grid = figure.subplots(len(degrees), len(schemes), squeeze=False)
    for line, degree in enumerate(degrees):
        for column, scheme in enumerate(schemes):
            if (degree, scheme) in panels:
                _draw_panel(grid[line][column], report, scheme, degree)
            else:
                grid[line][column].set_visible(False)
    context = report["context"]
    peer = "SEAL on its primes" if context["has_tenseal"] else "SEAL: not installed"
    handles = [
        Patch(facecolor=_ONE, label="Ringlet, one thread"),
        Patch(facecolor=_TWO, label="Ringlet, two threads"),
        Patch(facecolor=_SEAL, label=peer),
        hatched("with Python's lists", _SEAL),
        Line2D([], [], color=_GOAL, linewidth=1.6, label="goal's cycles at this clock"),
    ]
    legend_below(figure, handles)
    clock = f"{context['clock_hz']['median'] * 1e-9:.2f} GHz"
    machine = f"{context['cpu_model']} at {clock}, {context['date'][:10]}"
    heading(figure, f"Operations of the schemes, {machine}")
    return figure
