# SPDX-License-Identifier: Apache-2.0
"""The picture of `ringlet bench wide`. Measured values are filled. Projected and derived values and
bounds are hatched and labelled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from ringlet.plots import COLORS, FAINT, degree_axis, make_figure, tidy

from ..drawing import QUOTED, bar_style, hatched, heading, label_bar, legend_beside, name_bars
from . import EMULATED_TABLE, OPERATIONS, Results, Row
from .quoted import RECORDED_NTT
from .speed_of_light import data, estimates

# The hatching of each kind of bar.
HATCHES = {
    "measured": None,
    "reference": None,
    "rns": None,
    "projected": QUOTED,
    "recorded": "xxxxx",
    "speed of light": "....",
    "derived": "-----",
}
_TABLE_COLORS = {
    "scalar64": COLORS[6],
    "avx2": COLORS[5],
    "avx512dq": COLORS[0],
    "ifma52": COLORS[2],
    "rns": COLORS[3],
    "gmp": "#8c6d46",
    "flint": "#b8a07a",
}
_PROJECTED, _SPEED_OF_LIGHT, _ASIC = COLORS[1], COLORS[4], "#7f7f7f"
_STYLES = ("-", "--", ":", "-.")
_MARKERS = ("o", "s", "^", "D")
_PLOTTED = ("measured", "reference", "rns", "projected")


@dataclass(frozen=True)
class Bar:
    """One bar of the last panel."""

    name: str
    ns: float
    color: str
    kind: str


def _color(row: Row) -> str:
    if row.kind == "projected":
        return _PROJECTED
    return _TABLE_COLORS.get(row.name.split("/")[0].split(",")[0], FAINT)


def _names(results: Results, operation: str) -> list[str]:
    rows = results.select(operation, None, *_PLOTTED)
    return list(dict.fromkeys(row.name for row in rows))


def _rank(names: Sequence[str], name: str) -> int:
    """Returns the place of a kernel among the kernels of its table."""
    table = name.split("/")[0]
    return [other for other in names if other.split("/")[0] == table].index(name)


def _draw_blas(axes: Axes, results: Results) -> None:
    names = list(dict.fromkeys(n for operation in OPERATIONS for n in _names(results, operation)))
    width = 0.86 / max(1, len(names))
    for i, operation in enumerate(OPERATIONS):
        for row in results.select(operation, None, *_PLOTTED):
            place = names.index(row.name)
            color, hatch = _color(row), HATCHES[row.kind]
            axes.bar(
                i + (place - (len(names) - 1) / 2) * width,
                row.ns(),
                width,
                color=color if hatch is None else "white",
                # The fill of kernels of one table differs in strength.
                alpha=1 - 0.22 * min(3, _rank(names, row.name)) if hatch is None else None,
                edgecolor="white" if hatch is None else color,
                hatch=hatch,
                linewidth=0.4,
            )
    title = f"Element-wise operations at length {results.length}"
    tidy(axes, title, "", "ns per element (minimum)")
    axes.set_yscale("log")
    axes.set_xticks(range(len(OPERATIONS)), list(OPERATIONS))
    axes.grid(False, axis="x")


def _draw_transforms(axes: Axes, results: Results) -> None:
    names = _names(results, "ntt_forward")
    for name in names:
        rows = sorted(
            (r for r in results.select("ntt_forward", None, *_PLOTTED) if r.name == name),
            key=lambda r: r.size,
        )
        rank = min(3, _rank(names, name))
        is_projected = rows[0].kind == "projected"
        axes.plot(
            [row.size for row in rows],
            [row.ns() for row in rows],
            color=_color(rows[0]),
            linestyle="--" if is_projected else _STYLES[rank],
            marker="X" if is_projected else _MARKERS[rank],
            markerfacecolor="white" if is_projected else _color(rows[0]),
            markersize=5,
            linewidth=1.5,
            label=f"{name} (projected by PISA)" if is_projected else name,
        )
    for name, times in RECORDED_NTT.items():
        if "MQX" in name or "AVX-512" in name:
            axes.plot(
                list(times),
                list(times.values()),
                color=_PROJECTED if "MQX" in name else FAINT,
                linestyle="none",
                marker="P" if "MQX" in name else "x",
                markerfacecolor="none",
                label=f"{name} (recorded on another machine)",
            )
    tidy(axes, "Forward transforms, negacyclic", "degree N", "ns per butterfly (minimum)")
    axes.set_yscale("log")
    degree_axis(axes, results.degrees)
    axes.set_xticks(results.degrees, [f"$2^{{{n.bit_length() - 1}}}$" for n in results.degrees])
    legend_beside(axes, size=7.5)


def bars(results: Results, degree: int) -> list[Bar]:
    """Returns the measured times at one length, slowest first, then the values that were not
    measured here."""
    rows = sorted(results.select("ntt_forward", degree, *_PLOTTED), key=lambda r: -r.ns())
    names = [f"{r.name} (projected)" if r.kind == "projected" else r.name for r in rows]
    found = [Bar(n, r.ns(), _color(r), r.kind) for n, r in zip(names, rows, strict=True)]
    for name, times in RECORDED_NTT.items():
        if degree in times and "MQX" in name:
            text = f"{name} (recorded on another machine)"
            found.append(Bar(text, times[degree], _PROJECTED, "recorded"))
    best = results.fastest_transform(degree)
    if best is not None:
        for estimate in estimates(best.ns(), results.clock * 1e-9, degree):
            text = f"{best.name} on {estimate.target}, {estimate.assumption}"
            found.append(Bar(text, estimate.ns, _SPEED_OF_LIGHT, "speed of light"))
    asic = data().asic
    text = f"{asic.name} (derived from {asic.slowdown:g}x)"
    found.append(Bar(text, asic.ns_per_butterfly(degree), _ASIC, "derived"))
    return found


def _draw_bars(axes: Axes, results: Results) -> None:
    degree = results.shown_degree
    found = bars(results, degree)
    for y, bar in enumerate(found):
        hatch = HATCHES[bar.kind]
        axes.barh(y, bar.ns, 0.8, **bar_style(bar.color, hatch))
        style = "normal" if hatch is None else "italic"
        label_bar(axes, f"{bar.ns:.3g}", (bar.ns, y), style=style)
    tidy(axes, f"Forward transform of N = {degree}", "ns per butterfly", "")
    axes.set_xscale("log")
    axes.set_xlim(0.5 * min(bar.ns for bar in found), 2.5 * max(bar.ns for bar in found))
    name_bars(axes, [bar.name for bar in found])


def draw(results: Results) -> Figure:
    """Draws three panels on logarithmic axes: element-wise operations, transforms of all lengths,
    and one length."""
    lines = len(bars(results, results.shown_degree))
    figure = make_figure(11, 9.6 + 0.24 * lines)
    # Each part has its own margins: labels of one part do not narrow another.
    heights = [3.4, 4.4, 0.5 + 0.24 * lines, 0.8]
    parts = list(figure.subfigures(4, 1, squeeze=False, height_ratios=heights).flat)
    for part, draw_part in zip(parts, (_draw_blas, _draw_transforms, _draw_bars), strict=False):
        draw_part(part.subplots(), results)
    names = list(dict.fromkeys(n for operation in OPERATIONS for n in _names(results, operation)))
    handles = [
        Patch(facecolor=_TABLE_COLORS.get(table, FAINT), label=table)
        for table in dict.fromkeys(n.split("/")[0].split(",")[0] for n in names)
        if table != EMULATED_TABLE
    ]
    for label, color, kind in (
        ("projected by PISA (wrong results)", _PROJECTED, "projected"),
        ("projected, recorded on another machine", _PROJECTED, "recorded"),
        ("speed of light: a bound, not measured", _SPEED_OF_LIGHT, "speed of light"),
        ("derived from the paper's ratio", _ASIC, "derived"),
    ):
        handles.append(hatched(label, color, HATCHES[kind] or ""))
    parts[3].legend(handles=handles, loc="center", ncols=4, fontsize=8, frameon=False)
    heading(figure, f"Moduli of {results.bits} bits, {results.core}")
    return figure
