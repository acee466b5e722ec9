# SPDX-License-Identifier: Apache-2.0
"""The pictures of `ringlet bench gpu`, in the layout of the paper's figures 5 and 12 to 19."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from ringlet.plots import COLORS, INK, degree_axis, make_figure, tidy

from ..drawing import bar_style, hatched, heading, label_bar, legend_below, legend_beside
from .report import first_of
from .results import DIRECTIONS, Results, RoutineCell
from .roofline import points_at_reference, reference_cells
from .rows import MARK

_RED = "#b00020"
_MARKERS = "osD^vP*X"
# The hatching of a bar's part that is not transforms.
_REST = "////"


def _head(figure: Figure, results: Results, title: str) -> None:
    """Writes the title and the device. Marks the picture if the device is the host's processor."""
    info = results.device
    device = f"{info['description']}, {info['api']}, {results.context['date'][:10]}"
    heading(figure, f"{title}\n{device}")
    if not results.is_performance_result:
        figure.text(0.5, 0.5, MARK, fontsize=34, color=_RED, alpha=0.18, rotation=20,
                    ha="center", va="center")  # fmt: skip
        figure.text(0.995, 0.005, MARK, fontsize=9, color=_RED, ha="right", va="bottom")


def _color(index: int) -> str:
    return COLORS[index % len(COLORS)]


def roofline_figure(results: Results) -> Figure:
    """Draws Figure 15: products per second over products per byte, under the measured roofs."""
    figure = make_figure(9.5, 6.2)
    axes = figure.subplots()
    points = points_at_reference(results, "forward")
    roofs = results.roofs
    densities = [point.density for point in points] or [1.0]
    low, high = min(densities) / 4, max(densities) * 8
    top = max(roofs.rate("multiply_add"), roofs.rate("multiply_add_wide"))
    corner = top / roofs.bandwidth
    low, end = min(low, corner / 2), min(corner, high)
    axes.plot([low, end], [low * roofs.bandwidth, end * roofs.bandwidth],
              color=INK, label=f"copy, {roofs.bandwidth * 1e-9:.4g} GB/s")  # fmt: skip
    for product, style, name in (
        ("multiply_add", "-", "32-bit multiply-adds"),
        ("multiply_add_wide", "--", "32x32 to 64-bit multiply-adds"),
    ):
        rate = roofs.rate(product)
        axes.plot([min(rate / roofs.bandwidth, high), high], [rate, rate], color=INK,
                  linestyle=style, label=f"{name}, {rate * 1e-9:.4g} G/s")  # fmt: skip
    for i, point in enumerate(points):
        axes.plot(
            point.density,
            point.rate,
            marker=_MARKERS[i // len(COLORS) % 8],
            color=_color(i),
            linestyle="none",
            markersize=8,
            label=f"{point.cell.row.title}: {point.percent:.0f} % of {point.binding}",
        )
    tidy(axes, "forward NTT", "products of 32-bit words per byte", "products per second")
    axes.set_xscale("log")
    axes.set_yscale("log")
    legend_beside(axes, size=7.5)
    cells = reference_cells(results)
    _head(figure, results, f"Roofline, N = {cells[0].degree}, {cells[0].size} limbs")
    return figure


def ladder_figure(results: Results) -> Figure:
    """Draws Figures 12 to 14 and 17: the speed-up of every row over the row "naive", for each
    length and batch."""
    degrees = sorted({cell.degree for cell in results.ntt})
    largest = max(cell.limbs for cell in results.ntt)
    rows = dict.fromkeys((cell.row.key, cell.row.title) for cell in results.ntt)
    figure = make_figure(13, 8)
    panels = figure.subplots(2, 2)
    for axes, direction in zip(panels[0], DIRECTIONS, strict=True):
        for i, (key, title) in enumerate(rows):
            line = [c for n in degrees if (c := results.cell(key, n, largest)) is not None]
            ratios = [results.speed_up(cell, direction) or 0.0 for cell in line]
            if line:
                axes.plot([c.degree for c in line], ratios, color=_color(i), label=title,
                          marker=_MARKERS[i // len(COLORS) % 8], linewidth=1.3)  # fmt: skip
        tidy(axes, f"{direction}, {largest} limbs", "degree N", "speed-up over naive")
        degree_axis(axes, degrees)
    legend_beside(panels[0][1], size=7.5)
    cells = reference_cells(results)
    for axes, direction in zip(panels[1], DIRECTIONS, strict=True):
        heights = [cell.times[direction].best for cell in cells]
        axes.bar(range(len(cells)), heights, color=[_color(i) for i in range(len(cells))])
        axes.set_xticks(
            range(len(cells)), [c.row.key for c in cells], rotation=40, ha="right", fontsize=8
        )
        for x, (cell, height) in enumerate(zip(cells, heights, strict=True)):
            ratio = results.speed_up(cell, direction)
            label_bar(axes, f"{ratio:.2f}x" if ratio else "", (x, height), above=True)
        text = f"{direction}, N = {cells[0].degree}, {cells[0].size} limbs"
        tidy(axes, text, "", "us per transform (minimum)")
    _head(figure, results, "Transforms: the paper's ladder")
    return figure


def _routines(results: Results) -> list[str]:
    return list(dict.fromkeys(cell.routine for cell in results.routines))


def _places(
    results: Results, keys: Sequence[str]
) -> Iterator[tuple[RoutineCell, RoutineCell, float, float, str]]:
    """Yields the bars of each routine: cell, the routine's first cell, place, width, colour."""
    step = 0.8 / max(1, len(keys))
    for j, key in enumerate(keys):
        for i, routine in enumerate(_routines(results)):
            for cell in results.routines:
                if (cell.routine, cell.key) == (routine, key):
                    x = i + (j - (len(keys) - 1) / 2) * step
                    yield cell, first_of(results.routines, cell), x, step * 0.92, _color(j)
                    break


def _stacked(axes: Axes, results: Results, keys: Sequence[str], is_normalised: bool) -> None:
    """Draws bars with two parts: the transforms, and the rest of the routine."""
    for cell, first, x, width, color in _places(results, keys):
        whole = cell.single.median / (first.single.median if is_normalised else 1)
        share = min(1.0, cell.share)
        axes.bar(x, whole * share, width, color=color)
        axes.bar(x, whole * (1 - share), width, bottom=whole * share, **bar_style(color, _REST))
        text = f"{100 * cell.share:.0f} %" if not is_normalised else f"{whole:.2f}"
        label_bar(axes, text, (x, whole), above=True, fontsize=7)
    _name_routines(axes, results)


def _name_routines(axes: Axes, results: Results) -> None:
    names = _routines(results)
    axes.set_xticks(range(len(names)), names, fontsize=8.5)
    axes.grid(False, axis="x")


def _legend(figure: Figure, results: Results, keys: Sequence[str]) -> None:
    titles = {cell.key: cell.title for cell in results.routines}
    patches = [Patch(facecolor=_color(j), label=titles[key]) for j, key in enumerate(keys)]
    legend_below(figure, [*patches, hatched("not transforms", INK, _REST)], 8.5, 4)


def shares_figure(results: Results) -> Figure:
    """Draws Figure 5: the transforms' share of each routine, for the first and a later set of
    options."""
    there = {cell.key for cell in results.routines}
    keys = [k for k in ("naive", "one_division", "beyond", "assembly") if k in there][:2]
    figure = make_figure(9.5, 4.8)
    axes = figure.subplots()
    _stacked(axes, results, keys, is_normalised=False)
    tidy(axes, "share of transforms, in percent", "", "us per routine (median)")
    _legend(figure, results, keys)
    _head(figure, results, f"Routines before and after, {results.routines[0].shape}")
    return figure


def routines_figure(results: Results) -> Figure:
    """Draws Figures 16 and 18: normalised time of each routine for each step, for one ciphertext
    and for a batch."""
    keys = list(dict.fromkeys(cell.key for cell in results.routines))
    figure = make_figure(12, 8.2)
    upper, lower = figure.subplots(2, 1)
    _stacked(upper, results, keys, is_normalised=True)
    tidy(upper, "one ciphertext a call", "", "time over naive")
    for cell, first, x, width, color in _places(results, keys):
        height = cell.batched.median / first.batched.median
        lower.bar(x, height, width, color=color)
        label_bar(lower, f"{height:.2f}", (x, height), above=True, fontsize=7)
    _name_routines(lower, results)
    tidy(lower, f"{results.routines[0].count} ciphertexts a call", "", "time over naive")
    _legend(figure, results, keys)
    _head(figure, results, f"Routines, {results.routines[0].shape}")
    return figure


def products_figure(results: Results) -> Figure:
    """Draws Figure 19: normalised time of matrix products, for the product alone and for the whole
    process."""
    shapes = list(dict.fromkeys(cell.shape for cell in results.products))
    figure = make_figure(12, 4.8)
    panels = figure.subplots(1, 2)
    for axes, part in zip(panels, ("product", "process"), strict=True):
        for i, shape in enumerate(shapes):
            cells = [c for c in results.products if c.shape == shape]
            width = 0.8 / len(cells)
            baseline = getattr(cells[0], part).median
            for j, cell in enumerate(cells):
                height = getattr(cell, part).median / baseline
                x = i + (j - (len(cells) - 1) / 2) * width
                axes.bar(x, height, width * 0.92, color=_color(j),
                         label=cell.title if i == 0 else None)  # fmt: skip
                label_bar(axes, f"{height:.2f}", (x, height), above=True)
        axes.set_xticks(range(len(shapes)), [f"matMul_{shape}" for shape in shapes])
        axes.grid(False, axis="x")
        tidy(axes, "product alone" if part == "product" else "whole process", "",
             "time over baseline")  # fmt: skip
    if shapes:
        legend_beside(panels[1])
    _head(figure, results, "Products of matrices of ciphertexts, C += A * B")
    return figure


def pictures_of(results: Results) -> dict[str, Callable[[], Figure]]:
    """Returns every picture for which there are results, by its part of the file name."""
    pictures: dict[str, Callable[[Results], Figure]] = {}
    if results.ntt:
        pictures |= {"-roofline": roofline_figure, "-ntt": ladder_figure}
    if results.routines:
        pictures |= {"-shares": shares_figure, "-routines": routines_figure}
    if results.products:
        pictures["-products"] = products_figure
    return {name: partial(draw, results) for name, draw in pictures.items()}
