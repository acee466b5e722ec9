# SPDX-License-Identifier: Apache-2.0
"""The pictures of `ringlet bench ntt --figures`, one file for each figure. Measured and counted
values are filled, predicted values are hatched. A panel without values says why."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from ringlet.plots import COLORS, FAINT, degree_axis, make_figure, tidy

from ..drawing import QUOTED, bar_style, hatched, heading, legend_below, legend_beside, name_bars
from .mix import GROUPS
from .programs import EVENTS
from .study import CACHEGRIND_VARIANTS, COMPILERS, Study
from .variants import DIRECTIONS, PANELS, Gap, Panel, Variant

_MARKERS = {"ordered": "o", "unordered": "^", "two": "s"}
_STYLES = {"ordered": "-", "unordered": "--", "two": ":"}
_GROUP_COLORS = (*COLORS[:6], "#8c6d46", "#7f7f7f", "#cccccc")


def missing(axes: Axes, title: str, gaps: Sequence[Gap]) -> None:
    """Draws an empty panel that states why there is nothing to show."""
    tidy(axes, title, "", "")
    axes.grid(False)
    axes.set_xticks([])
    axes.set_yticks([])
    text = "\n\n".join(f"missing: {gap.reason}\n{gap.remedy}" for gap in gaps) or "missing"
    style = {"ha": "center", "va": "center", "color": "#b00020", "fontsize": 8.5}
    axes.text(0.5, 0.5, text, wrap=True, transform=axes.transAxes, **style)


def _title(figure: Figure, study: Study, text: str) -> None:
    run = study.figure8
    heading(figure, f"{text}\n{run.core}, moduli of {run.bits} bits", 11.5)


def _color(variants: Sequence[Variant], variant: Variant) -> str:
    """Returns the colour of a variant: one colour for each kernel of a panel, black for the
    baseline's kernel."""
    kernels = list(dict.fromkeys(v.kernel for v in variants))
    place = kernels.index(variant.kernel)
    return COLORS[6] if place == 0 else COLORS[(place - 1) % 6]


def _lines(
    axes: Axes,
    variants: Sequence[Variant],
    degrees: Sequence[int],
    value: Callable[[Variant, int], float | None],
) -> None:
    for variant in variants:
        points = [(n, y) for n in degrees if (y := value(variant, n)) is not None]
        if points:
            axes.plot(
                *zip(*points, strict=True),
                color=_color(variants, variant),
                linestyle=_STYLES[variant.form],
                marker=_MARKERS[variant.form],
                markerfacecolor="none" if variant.form != "ordered" else None,
                markersize=5,
                linewidth=1.5,
                label=variant.label,
            )
    degree_axis(axes, degrees)
    axes.set_xticks(list(degrees), [_power(n) for n in degrees])


def _power(degree: int) -> str:
    return f"$2^{{{degree.bit_length() - 1}}}$"


def _draw_lines(
    study: Study,
    variants_of: Callable[[Panel], Sequence[Variant]],
    gaps_of: Callable[[Panel], Sequence[Gap]],
    value: Callable[[Panel, Variant, str, int], float | None],
    label_of: Callable[[Panel], str],
    *,
    share_x: bool = True,
) -> Figure:
    """Draws a value against the length, with a row for each panel and a column for each direction.
    """
    figure = make_figure(11.5, 7.6)
    grid = figure.subplots(2, 2, sharex=share_x)
    for row, panel in zip(grid, PANELS, strict=True):
        variants = variants_of(panel)
        for axes, direction in zip(row, DIRECTIONS, strict=True):
            title = f"{panel.name}, {direction}"
            if not variants:
                missing(axes, title, gaps_of(panel))
                continue
            degrees = study.figure8.degrees
            _lines(axes, variants, degrees, lambda v, n, p=panel, d=direction: value(p, v, d, n))
            tidy(axes, title, "degree N", label_of(panel) if direction == "forward" else "")
        # Every variant, including those that only one direction has.
        lines = {line.get_label(): line for axes in row for line in axes.get_lines()}
        shown = [lines[variant.label] for variant in variants if variant.label in lines]
        if shown:
            legend_beside(row[-1], shown)
    return figure


def draw_figure8(study: Study) -> Figure:
    """Draws the speed-up over the baseline against the length."""
    results = study.figure8
    figure = _draw_lines(
        study,
        results.variants,
        lambda panel: [gap for gap in study.gaps_of(8) if panel.name in gap.what],
        results.speedup,
        lambda panel: f"times as fast as {panel.baseline.label}",
    )
    _title(figure, study, "Figure 8: variants against radix 2, higher is better")
    return figure


def _draw_mix(axes: Axes, study: Study, panel: Panel, compiler: str) -> bool:
    found = study.mixes(panel, "forward", compiler)
    for y, (_, mix) in enumerate(found):
        left = 0.0
        for group, color in zip(GROUPS, _GROUP_COLORS, strict=True):
            axes.barh(y, mix.groups[group], 0.75, left=left, color=color)
            left += mix.groups[group]
    name_bars(axes, [variant.label for variant, _ in found])
    return bool(found)


def _draw_predicted(axes: Axes, study: Study, panel: Panel) -> bool:
    variants = study.figure8.variants(panel)
    processors = study.processors("x86_64")
    bars = [
        (variant, processor, p.cycles)
        for variant in variants
        for processor in processors
        if (p := study.predicted(processor, variant, "forward")) is not None
    ]
    for y, (_, processor, cycles) in enumerate(bars):
        color = COLORS[processors.index(processor) % 6]
        axes.barh(y, cycles, 0.75, **bar_style(color, QUOTED))
    name_bars(axes, [f"{variant.label}, {processor}" for variant, processor, _ in bars])
    return bool(bars)


def draw_figure9(study: Study) -> Figure:
    """Draws the instruction mix, and llvm-mca's cycles beside it."""
    figure = make_figure(13.5, 7.2)
    grid = figure.subplots(2, 2, width_ratios=[1.5, 1])
    gaps = study.gaps_of(9)
    compiler = next(iter(study.compilers), COMPILERS[0])
    for row, panel in zip(grid, PANELS, strict=True):
        title = f"{panel.name}, forward, {compiler}"
        if _draw_mix(row[0], study, panel, compiler):
            tidy(row[0], title, "executed instructions of one transform", "")
        else:
            absent = [gap for gap in gaps if "mix" in gap.what or "instructions" in gap.what]
            without = [gap for gap in study.gaps_of(8) if panel.name in gap.what]
            missing(row[0], title, without or absent)
        title = f"{panel.name}, forward, llvm-mca"
        if _draw_predicted(row[1], study, panel):
            reasons = [gap.reason for gap in gaps if f"{panel.name} variants" in gap.what]
            lines = [line for reason in reasons for line in textwrap.wrap(reason, 60)]
            tidy(row[1], title, "\n".join(["cycles of one transform (predicted)", *lines]), "")
        else:
            missing(row[1], title, [gap for gap in gaps if "llvm-mca" in gap.what])
    handles = [
        Patch(facecolor=color, label=group)
        for group, color in zip(GROUPS, _GROUP_COLORS, strict=True)
    ]
    legend_below(figure, [*handles, hatched("predicted", FAINT)], 8.5, 5)
    _title(figure, study, f"Figure 9: what a transform of N = {study.mix_degree} executes")
    return figure


def draw_figure10(study: Study) -> Figure:
    """Draws the time with gcc, divided by the time with clang, against the length."""
    timed = {row.variant for row in study.times}
    figure = _draw_lines(
        study,
        lambda panel: [v for v in study.figure8.variants(panel) if v in timed],
        lambda panel: study.gaps_of(10),
        lambda panel, *where: study.slowdown(*where),
        lambda panel: "gcc / clang",
        share_x=bool(study.times),
    )
    for axes in figure.axes:
        if axes.get_lines():
            axes.axhline(1, color=FAINT, linewidth=0.9)
    _title(figure, study, "Figure 10: time with gcc over time with clang")
    return figure


def draw_figure11(study: Study) -> Figure:
    """Draws cachegrind's counts of scalar variants, by compiler."""
    figure = make_figure(12.5, 4.6)
    panels = figure.subplots(1, len(EVENTS))
    gaps = study.gaps_of(11)
    for axes, what in zip(panels, EVENTS, strict=True):
        bars = [
            (f"{variant.kernel.split('/')[1]}, {compiler}", compiler, counts.events[what])
            for variant in CACHEGRIND_VARIANTS
            for compiler in COMPILERS
            if (counts := study.count(compiler, variant, "forward", "cachegrind")) is not None
        ]
        if not bars:
            missing(axes, what, gaps if what == next(iter(EVENTS)) else [])
            continue
        for x, (_, compiler, value) in enumerate(bars):
            axes.bar(x, value, 0.75, color=COLORS[COMPILERS.index(compiler)])
        tidy(axes, what, "", "")
        axes.set_xticks(range(len(bars)), [name for name, *_ in bars], rotation=90)
        axes.grid(False, axis="x")
    text = f"Figure 11: scalar forward transforms of N = {study.mix_degree}, counted by cachegrind"
    _title(figure, study, text)
    return figure


def draw_figure7(study: Study) -> Figure:
    """Draws predicted cycles on z14. No value of this figure is measured."""
    figure = make_figure(9.5, 4.6)
    panels = figure.subplots(1, 2)
    for axes, direction in zip(panels, DIRECTIONS, strict=True):
        found = [p for p in study.predictions if (p.processor, p.direction) == ("z14", direction)]
        if not found:
            missing(axes, direction, study.gaps_of(7))
            continue
        degrees = sorted({p.degree for p in found})
        labels = list(dict.fromkeys(p.label for p in found))
        width = 0.8 / len(labels)
        for p in found:
            place = labels.index(p.label)
            x = degrees.index(p.degree) + (place - (len(labels) - 1) / 2) * width
            axes.bar(x, p.cycles, width, **bar_style(COLORS[place % 6], QUOTED))
        tidy(axes, direction, "degree N", "cycles (predicted by llvm-mca)")
        axes.set_yscale("log")
        axes.set_xticks(range(len(degrees)), [_power(degree) for degree in degrees])
        axes.grid(False, axis="x")
        handles = [hatched(f"{label} (predicted)", COLORS[i % 6]) for i, label in enumerate(labels)]
        axes.legend(handles=handles, fontsize=8, frameon=False)
    heading(figure, "Figure 7: cycles on z14, predicted by llvm-mca, not measured", 11.5)
    return figure


FIGURES: dict[int, Callable[[Study], Figure]] = {
    7: draw_figure7,
    8: draw_figure8,
    9: draw_figure9,
    10: draw_figure10,
    11: draw_figure11,
}
