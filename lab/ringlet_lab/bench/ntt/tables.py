# SPDX-License-Identifier: Apache-2.0
"""The tables of `ringlet bench ntt --figures`, on the terminal and as Markdown.
docs/measured/ntt_variants.md can be updated from them without typing figures."""

from __future__ import annotations

from collections.abc import Iterator

from .goals import goal_sheet
from .mix import GROUPS
from .programs import CACHEGRIND, COUNTED, EVENTS, Counts
from .study import CACHEGRIND_VARIANTS, COMPILERS, Study
from .variants import DIRECTIONS, PANELS, Panel, Results
from ..output import Sheet, degree_head, number, ratio

# Shorter names of the groups, so that a line holds them all.
_HEADS = ("low", "high", "add", "min", "logic", "permute", "memory", "branch", "other")
# The figure to which the predictions for an instruction set belong.
_FIGURE_OF_TARGET = {"s390x": "Figure 7, ", "x86_64": "Figure 9, "}


def speedup_sheet(results: Results, panel: Panel, direction: str) -> Sheet:
    """Returns Figure 8 as a table: the speed-up over the baseline by least times, with least and
    median time."""
    title = (
        f"Figure 8, {panel.name}, {direction}: times as fast as {panel.baseline.label}; "
        "microseconds per transform, least and median"
    )
    sheet = Sheet(title, ["", "", *map(degree_head, results.degrees)], 2)
    for variant in results.variants(panel):
        rows = [results.row(variant, direction, degree) for degree in results.degrees]
        ratios = [results.speedup(panel, variant, direction, n) for n in results.degrees]
        sheet.add(variant.label, "x", *map(ratio, ratios))
        for name, text in (("best", "min"), ("median", "med")):
            sheet.add("", text, *(number(getattr(row, name, None)) for row in rows), style="dim")
    return sheet


def mix_sheet(study: Study, panel: Panel, direction: str, compiler: str) -> Sheet:
    """Returns Figure 9 as a table: the instructions of one transform by group."""
    title = (
        f"Figure 9, {panel.name}, {direction}, N = {study.mix_degree}, {compiler}: "
        "executed instructions of one transform"
    )
    sheet = Sheet(title, ["", *_HEADS, "all", "loads", "stores"])
    for variant, mix in study.mixes(panel, direction, compiler):
        values = [*(mix.groups[group] for group in GROUPS), mix.instructions, mix.loads, mix.stores]
        sheet.add(variant.label, *(f"{value:.0f}" for value in values))
    return sheet


def compiler_sheet(study: Study, direction: str) -> Sheet:
    """Returns Figure 10 as a table: the time with gcc, divided by the time with clang, for each
    length."""
    degrees = study.figure8.degrees
    title = f"Figure 10, {direction}: time with gcc over time with clang"
    sheet = Sheet(title, ["", *map(degree_head, degrees)])
    for variant in dict.fromkeys(row.variant for row in study.times):
        ratios = [study.slowdown(variant, direction, degree) for degree in degrees]
        sheet.add(variant.label, *map(ratio, ratios))
    return sheet


def _compared(gcc: Counts, clang: Counts, what: str) -> str:
    above, below = gcc.value(what), clang.value(what)
    return f"{number(above)} / {number(below)} = {ratio(above / below if below else None)}"


def explanation_sheet(study: Study, direction: str) -> Sheet:
    """Returns a table that explains Figure 10: instructions executed with gcc and with clang, and
    their ratio."""
    whats = ("instructions", "branches", "loads", "stores")
    title = (
        f"Figure 10, {direction}, N = {study.mix_degree}: executed with gcc / with clang = ratio"
    )
    sheet = Sheet(title, ["", *whats])
    for variant in dict.fromkeys(c.variant for c in study.counts if c.source == "stepped"):
        gcc, clang = (study.count(c, variant, direction, "stepped") for c in ("gcc", "clang"))
        if gcc is not None and clang is not None:
            sheet.add(variant.label, *(_compared(gcc, clang, what) for what in whats))
    return sheet


def cachegrind_sheet(study: Study, direction: str) -> Sheet:
    """Returns Figure 11 as a table: cachegrind's counts of the scalar variants."""
    title = f"Figure 11, {direction}, N = {study.mix_degree}: cachegrind's counts of one transform"
    sheet = Sheet(title, ["", "", *EVENTS], 2)
    for variant in CACHEGRIND_VARIANTS:
        for compiler in COMPILERS:
            counts = study.count(compiler, variant, direction, "cachegrind")
            if counts is not None:
                values = [number(counts.events[name]) for name in EVENTS]
                sheet.add(variant.label, compiler, *values)
    return sheet


def prediction_sheet(study: Study, target: str) -> Sheet:
    """Returns a table of cycles that llvm-mca predicts. Those of z14 are Figure 7."""
    found = [p for p in study.predictions if p.target == target]
    degrees = sorted({p.degree for p in found})
    figure = _FIGURE_OF_TARGET.get(target, "")
    title = f"{figure}{target}: cycles of one transform, predicted by llvm-mca, not measured"
    sheet = Sheet(title, ["processor", "", "direction", *map(degree_head, degrees)], 3)
    cycles = {(p.processor, p.label, p.direction, p.degree): p.cycles for p in found}
    for key in dict.fromkeys((p.processor, p.label, p.direction) for p in found):
        cells = [number(cycles.get((*key, n))) for n in degrees]
        sheet.add(*key, *cells, style="italic")
    return sheet


def _all_sheets(study: Study) -> Iterator[Sheet]:
    for target in sorted({p.target for p in study.predictions}, reverse=True):
        yield prediction_sheet(study, target)
    for panel in PANELS:
        for direction in DIRECTIONS:
            yield speedup_sheet(study.figure8, panel, direction)
    for panel in PANELS:
        # The other compiler's mix is in the JSON, and in the explanation of Figure 10.
        for compiler in list(study.compilers)[:1]:
            yield from (mix_sheet(study, panel, d, compiler) for d in DIRECTIONS)
    for make in (compiler_sheet, explanation_sheet, cachegrind_sheet):
        yield from (make(study, direction) for direction in DIRECTIONS)
    yield goal_sheet(study.figure8)


def sheets_of(study: Study) -> list[Sheet]:
    return [sheet for sheet in _all_sheets(study) if sheet.rows]


def lines_of(study: Study) -> list[str]:
    """Returns lines on what was counted, with which programs, how the run went, and what is
    missing."""
    results = study.figure8
    sources = {counts.source for counts in study.counts}
    lines = [f"Figures 9 and 10 count {COUNTED}"] if "stepped" in sources else []
    lines += [f"Figure 11: {CACHEGRIND}"] if "cachegrind" in sources else []
    lines += [f"{name}: {text}" for name, text in study.compilers.items()]
    lines += [f"moduli of {results.bits} bits; {results.method}", results.text]
    return [*lines, *(f"missing: {gap}" for gap in (*results.gaps, *study.gaps))]
