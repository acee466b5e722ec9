# SPDX-License-Identifier: Apache-2.0
"""The tables of `ringlet bench ntt --figures`."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from .ntt_goals import goal_table
from .ntt_mix import GROUPS
from .ntt_programs import CACHEGRIND, COUNTED, EVENTS, Counts
from .ntt_study import CACHEGRIND_VARIANTS, COMPILERS, Study
from .ntt_variants import DIRECTIONS, PANELS, Panel, Results
from .output import compact_table, number

# The groups under shorter names, so that a line holds them all.
_HEADS = dict(
    zip(
        GROUPS,
        ("low", "high", "add", "min", "logic", "permute", "memory", "branch", "other"),
        strict=True,
    )
)
# What the predictions for an instruction set belong to.
_FIGURE_OF_TARGET = {"s390x": "Figure 7, ", "x86_64": "Figure 9, "}


def speedup_table(results: Results, panel: Panel, direction: str) -> Table:
    """Figure 8: times as fast as the baseline, of least times; least and median time."""
    title = (
        f"Figure 8, {panel.name}, {direction}: times as fast as {panel.baseline.label}; "
        "microseconds per transform, least and median"
    )
    table = compact_table(title, ["", "", *map(str, results.degrees)], 2)
    for variant in results.variants(panel):
        rows = [results.row(variant, direction, degree) for degree in results.degrees]
        ratios = [results.speedup(panel, variant, direction, n) for n in results.degrees]
        table.add_row(variant.label, "x", *["-" if r is None else f"{r:.2f}" for r in ratios])
        for text in ("best", "median"):
            cells = ["-" if row is None else number(getattr(row, text)) for row in rows]
            table.add_row("", {"best": "min", "median": "med"}[text], *cells, style="dim")
    return table


def mix_table(study: Study, panel: Panel, direction: str, compiler: str) -> Table | None:
    """Figure 9: instructions of one transform by group."""
    variants = study.figure8.variants(panel)
    counted = [
        (variant, counts.mix)
        for variant in variants
        if (counts := study.count(compiler, variant, direction, "stepped")) and counts.mix
    ]
    if not counted:
        return None
    title = (
        f"Figure 9, {panel.name}, {direction}, N = {study.mix_degree}, {compiler}: "
        "executed instructions of one transform"
    )
    table = compact_table(title, ["", *_HEADS.values(), "all", "loads", "stores"], 1)
    for variant, mix in counted:
        cells = [f"{mix.groups[group]:.0f}" for group in _HEADS]
        cells += [f"{value:.0f}" for value in (mix.instructions, mix.loads, mix.stores)]
        table.add_row(variant.label, *cells)
    return table


def compiler_table(study: Study, direction: str) -> Table | None:
    """Figure 10: time with gcc over time with clang, per length."""
    degrees = study.figure8.degrees
    variants = list(dict.fromkeys(row.variant for row in study.times))
    if not variants:
        return None
    title = f"Figure 10, {direction}: time with gcc over time with clang"
    table = compact_table(title, ["", *map(str, degrees)], 1)
    for variant in variants:
        ratios = [study.slowdown(variant, direction, degree) for degree in degrees]
        table.add_row(variant.label, *["-" if r is None else f"{r:.2f}" for r in ratios])
    return table


def _ratio(gcc: Counts, clang: Counts, what: str) -> str:
    below = clang.value(what)
    text = "-" if below == 0 else f"{gcc.value(what) / below:.2f}"
    return f"{number(gcc.value(what))} / {number(below)} = {text}"


def explanation_table(study: Study, direction: str) -> Table | None:
    """What explains Figure 10: executed with gcc, with clang, and their ratio."""
    whats = ("instructions", "branches", "loads", "stores")
    variants = list(dict.fromkeys(c.variant for c in study.counts if c.source == "stepped"))
    title = (
        f"Figure 10, {direction}, N = {study.mix_degree}: executed with gcc / with clang = ratio"
    )
    table = compact_table(title, ["", *whats], 1)
    for variant in variants:
        gcc, clang = (study.count(c, variant, direction, "stepped") for c in ("gcc", "clang"))
        if gcc is not None and clang is not None:
            table.add_row(variant.label, *[_ratio(gcc, clang, what) for what in whats])
    return table if table.row_count else None


def cachegrind_table(study: Study, direction: str) -> Table | None:
    """Figure 11: what cachegrind counts of the scalar variants."""
    title = f"Figure 11, {direction}, N = {study.mix_degree}: cachegrind's counts of one transform"
    table = compact_table(title, ["", "", *EVENTS], 2)
    for variant in CACHEGRIND_VARIANTS:
        for compiler in COMPILERS:
            counts = study.count(compiler, variant, direction, "cachegrind")
            if counts is not None:
                values = [number(counts.events[name]) for name in EVENTS]
                table.add_row(variant.label, compiler, *values)
    return table if table.row_count else None


def prediction_table(study: Study, target: str) -> Table | None:
    """Cycles that llvm-mca predicts; those of z14 are Figure 7."""
    found = [p for p in study.predictions if p.target == target]
    if not found:
        return None
    degrees = sorted({p.degree for p in found})
    figure = _FIGURE_OF_TARGET.get(target, "")
    table = compact_table(
        f"{figure}{target}: cycles of one transform, predicted by llvm-mca, not measured",
        ["processor", "", "direction", *map(str, degrees)],
        3,
    )
    cycles = {(p.processor, p.label, p.direction, p.degree): p.cycles for p in found}
    for key in dict.fromkeys((p.processor, p.label, p.direction) for p in found):
        cells = [number(cycles[(*key, n)]) if (*key, n) in cycles else "-" for n in degrees]
        table.add_row(*key, *cells, style="italic")
    return table


def print_tables(console: Console, study: Study) -> None:
    """All of them, and what is missing of each figure."""
    results = study.figure8
    targets = dict.fromkeys(p.target for p in study.predictions)
    tables = [prediction_table(study, target) for target in sorted(targets, reverse=True)]
    for panel in PANELS:
        if results.variants(panel):
            tables += [speedup_table(results, panel, direction) for direction in DIRECTIONS]
    compilers = list(study.compilers)
    for panel in PANELS:
        # The mix of the other compiler is in the JSON and in what explains Figure 10.
        tables += [mix_table(study, panel, d, c) for d in DIRECTIONS for c in compilers[:1]]
    tables += [compiler_table(study, direction) for direction in DIRECTIONS]
    tables += [explanation_table(study, direction) for direction in DIRECTIONS]
    tables += [cachegrind_table(study, direction) for direction in DIRECTIONS]
    tables.append(goal_table(results))
    for table in tables:
        if table is not None:
            console.print(table)
    if any(c.source == "stepped" for c in study.counts):
        console.print(f"Figures 9 and 10 count {COUNTED}")
    if any(c.source == "cachegrind" for c in study.counts):
        console.print(f"Figure 11: {CACHEGRIND}")
    for name, text in study.compilers.items():
        console.print(f"{name}: {text}")
    for gap in (*results.gaps, *study.gaps):
        console.print(f"[yellow]missing:[/yellow] {gap}")
