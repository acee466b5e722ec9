# SPDX-License-Identifier: Apache-2.0
"""The report of `ringlet bench ntt --figures` as tables in Markdown, made from its JSON, so that
docs/ntt_variants.md can be brought up to date without typing figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .ntt_mix import GROUPS
from .ntt_programs import EVENTS
from .ntt_variants import DIRECTIONS, PANELS, Variant
from .output import markdown_table

_EXPLAINING = ("instructions", "branches", "loads", "stores")


def _name(entry: dict[str, Any]) -> tuple[str, Variant, int]:
    """Direction, variant and length, of a name such as ntt_forward/ifma52/r4r2/two/n=64/q=48."""
    parts = entry["name"].split("/")[-6:]
    direction, table, algorithm, form, degree, _ = parts
    return direction.removeprefix("ntt_"), Variant(f"{table}/{algorithm}", form), int(degree[2:])


def _per_length(
    entries: list[dict[str, Any]], direction: str, text: Callable[[dict[str, Any]], str]
) -> list[str]:
    """A line for each variant and a column for each length."""
    cells = {}
    for entry in entries:
        where, variant, degree = _name(entry)
        if where == direction:
            cells[variant, degree] = text(entry)
    variants = list(dict.fromkeys(variant for variant, _ in cells))
    variants.sort(key=lambda v: (v.table, v.kernel != f"{v.table}/radix2", v.form != "ordered"))
    degrees = sorted({degree for _, degree in cells})
    heads = ["", *(f"2^{degree.bit_length() - 1}" for degree in degrees)]
    return markdown_table(
        heads, [[v.label, *(cells.get((v, n), "-") for n in degrees)] for v in variants]
    )


def _speedups(content: dict[str, Any]) -> list[str]:
    lines = []
    for panel in PANELS:
        entries = [
            e for e in content["benchmarks"] if e["figure"] == 8 and e["panel"] == panel.name
        ]
        for direction in DIRECTIONS if entries else ():
            title = f"Figure 8, {panel.name}, {direction}: times as fast as "
            lines += [f"{title}`{panel.baseline.kernel}` (microseconds):", ""]
            lines += _per_length(
                entries, direction, lambda e: f"{e['speedup']:.2f} ({e['min']:.3g})"
            )
    return lines


def _counts(content: dict[str, Any], **wanted: str) -> list[dict[str, Any]]:
    """The entries with these members."""
    return [c for c in content["counts"] if all(c[key] == wanted[key] for key in wanted)]


def _mixes(content: dict[str, Any]) -> list[str]:
    lines = []
    for direction in DIRECTIONS:
        counts = _counts(content, source="stepped", compiler="clang", direction=direction)
        if not counts:
            continue
        title = f"Figure 9, {direction}, N = {counts[0]['degree']}: instructions executed, clang:"
        rows = [
            [
                Variant(c["kernel"], c["form"]).label,
                *(f"{c['groups'][group]:.0f}" for group in GROUPS),
                *(f"{c[what]:.0f}" for what in ("instructions", "loads", "stores")),
            ]
            for c in counts
        ]
        lines += [title, "", *markdown_table(["", *GROUPS, "all", "loads", "stores"], rows)]
    return lines


def _compilers(content: dict[str, Any]) -> list[str]:
    lines = []
    entries = [e for e in content["benchmarks"] if e["figure"] == 10 and e["slowdown"] is not None]
    stepped = {
        (c["compiler"], Variant(c["kernel"], c["form"]), c["direction"]): c
        for c in _counts(content, source="stepped")
    }
    for direction in DIRECTIONS:
        if entries:
            lines += [f"Figure 10, {direction}: time with gcc over time with clang:", ""]
            lines += _per_length(entries, direction, lambda e: f"{e['slowdown']:.2f}")
        rows = []
        for (compiler, variant, where), clang in stepped.items():
            gcc = stepped.get(("gcc", variant, where))
            if (compiler, where) == ("clang", direction) and gcc is not None:
                cells = [f"{gcc[w] / clang[w]:.2f}" if clang[w] else "-" for w in _EXPLAINING]
                rows.append([variant.label, *cells])
        if rows:
            title = f"Figure 10, {direction}: executed with gcc over executed with clang:"
            lines += [title, "", *markdown_table(["", *_EXPLAINING], rows)]
    return lines


def _cachegrind(content: dict[str, Any]) -> list[str]:
    lines = []
    for direction in DIRECTIONS:
        counts = _counts(content, source="cachegrind", direction=direction)
        rows = [
            [f"{c['kernel']}, {c['compiler']}", *(f"{c[event]:.0f}" for event in EVENTS)]
            for c in sorted(counts, key=lambda c: (c["kernel"], c["compiler"]))
        ]
        if rows:
            title = f"Figure 11, {direction}, N = {counts[0]['degree']}: counted by cachegrind:"
            lines += [title, "", *markdown_table(["", *EVENTS], rows)]
    return lines


def _predicted(
    predictions: Sequence[dict[str, Any]], key: str, columns: dict[Any, str]
) -> list[str]:
    """Cycles of clang's code: a line for each kernel and direction, and a column for each value of
    the member `key`."""
    cells = {(p["kernel"], p["direction"], p[key]): f"*{p['cycles']:.0f}*" for p in predictions}
    lines = dict.fromkeys((kernel, direction) for kernel, direction, _ in cells)
    rows = [
        [f"{kernel}, {direction}", *(cells.get((kernel, direction, c), "-") for c in columns)]
        for kernel, direction in lines
    ]
    return markdown_table(["", *columns.values()], rows)


def _predictions(content: dict[str, Any]) -> list[str]:
    """Only of z14 all lengths; of the others one."""
    lines = []
    found = [p for p in content["predictions"] if p["compiler"] == "clang"]
    z14 = [p for p in found if p["processor"] == "z14"]
    if z14:
        degrees = sorted({p["degree"] for p in content["predictions"]})
        lines += ["Figure 7, cycles on z14, **predicted by llvm-mca, not measured**:", ""]
        lines += _predicted(z14, "degree", {n: f"2^{n.bit_length() - 1}" for n in degrees})
    others = [p for p in found if p["processor"] != "z14" and p["degree"] == 4096]
    if others:
        lines += ["Figure 9, cycles of N = 4096, **predicted by llvm-mca, not measured**:", ""]
        lines += _predicted(others, "processor", {p["processor"]: p["processor"] for p in others})
    return lines


def to_markdown(content: dict[str, Any]) -> str:
    """What the JSON holds, for docs/ntt_variants.md."""
    context = content["context"]
    compilers = "; ".join(f"{name}: {text}" for name, text in context["compilers"].items())
    clock = f"{context['clock_hz']['median'] * 1e-9:.2f} GHz"
    load = f"{context['load_before']:.1f} and {context['load_after']:.1f}"
    lines = [
        f"One core of {context['cpu_model']} at {clock}, {context['date'][:10]}.",
        f"{context['method'].capitalize()}.",
        f"Load of the machine before and after Figure 8: {load}.",
        f"Programs: {compilers or 'none'}.",
        "",
        *_speedups(content),
        *_compilers(content),
        *_cachegrind(content),
        *_mixes(content),
        *_predictions(content),
    ]
    goals = [
        f"{g['variant']}, {g['direction']}, N = {g['degree']}: {g['value']:.2f}, goal "
        f"{'at least' if g['kind'] == 'speedup' else 'at most'} {g['goal']:g}, "
        f"{'met' if g['met'] else 'missed'}"
        for g in content["goals"]
    ]
    lines += ["Goals:", "", *(f"- {goal}" for goal in goals), ""] if goals else []
    gaps = [
        f"Figure {g['figure']}, {g['what']}: {g['reason']}; {g['remedy']}" for g in content["gaps"]
    ]
    lines += ["Missing:", "", *(f"- {gap}" for gap in gaps), ""] if gaps else []
    return "\n".join(lines)
