# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench widths`: shows the kernels that every instruction set chooses for every width of
the modulus, on the terminal, as JSON, as Markdown and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from ..._lab import selected_kernels
from .. import timing
from ..checks import check_degrees, check_range, check_rounds, chosen
from ..output import (
    MISSING, Destination, Sheet, markdown_page, number, print_page, ratio, verdict
)  # fmt: skip
from . import (
    DIRECTIONS,
    FORMS,
    METHOD,
    OPERATION,
    ORDINARY,
    REFERENCES,
    ROUNDS,
    WIDTHS,
    Gap,
    Results,
    Row,
    measure,
)
from .goals import GOALS, NOT_MEASURED, SOURCE, Goal, judge
from .picture import make_picture, segments

_LEAST_DEGREE, _MOST_DEGREE = 1 << 6, 1 << 17
_LEAST_BITS, _MOST_BITS = 14, 62
# Both sides of every limit in the goals.
_QUICK_WIDTHS = (20, 30, 31, 48, 49, 50, 51, 52, 54, 55, 60, 61, 62)
_QUICK_ROUNDS = 20

_REFERENCE_TABLES = [reference.split("/")[0] for reference in REFERENCES]
_RANGE_HEADS = (
    "table", "bits", "primes", "kernel", "ns", "us", *(f"x {table}" for table in _REFERENCE_TABLES)
)  # fmt: skip
_RANGE_TITLE = (
    "N = {degree}: widths and the kernel that serves them; at the widest, forward / inverse: "
    "nanoseconds per butterfly, microseconds per transform, times as fast as radix2 of {tables}"
)
_GOAL_HEADS = (
    "table", "bits", "primes", "direction", "N", "goal", "of", "here", "at", "kernel", "", "from",
)  # fmt: skip
_GOAL_TITLE = "Goals: times as fast as a kernel of the same run, each at the worst of its widths"


def _primes(form: str) -> str:
    return "any" if form == ORDINARY else "1 mod 2^32"


def range_sheet(results: Results, degree: int) -> Sheet:
    """Returns a table of every run of widths with the same kernel."""
    title = _RANGE_TITLE.format(degree=degree, tables=" and ".join(_REFERENCE_TABLES))
    sheet = Sheet(title, _RANGE_HEADS, len(_RANGE_HEADS), is_grouped=True)
    for curve in results.curves:
        for form in FORMS:
            for part in segments(results.line(curve, form, DIRECTIONS[0], degree)):
                first, last = part[0], part[-1]
                lines = [results.line(curve, form, d, degree) for d in DIRECTIONS]
                widest = [next(r for r in line if r.bits == last.bits) for line in lines]
                sheet.add(
                    curve,
                    str(first.bits) if first is last else f"{first.bits} to {last.bits}",
                    _primes(form),
                    last.algorithm,
                    " / ".join(f"{row.ns_per_butterfly:.3f}" for row in widest),
                    " / ".join(number(row.best) for row in widest),
                    *(" / ".join(ratio(results.ratio(r, of)) for r in widest) for of in REFERENCES),
                )
    return sheet


def goal_sheet(results: Results) -> Sheet:
    """Returns a table of every goal beside its measured value."""
    sheet = Sheet(_GOAL_TITLE, _GOAL_HEADS, len(_GOAL_HEADS), is_grouped=True)
    for goal in GOALS:
        found = judge(goal, results)
        measured = [MISSING, MISSING, MISSING, "not measured"]
        if found is not None:
            what = (ratio(found.value), str(found.bits), found.kernel)
            measured = [*what, str(verdict(found.met))]
        where = [goal.curve, goal.widths, _primes(goal.form), goal.direction, str(goal.degree)]
        sheet.add(*where, f">= {goal.ratio:.2f}", goal.reference, *measured, goal.text)
    return sheet


def _gaps(results: Results) -> list[Gap]:
    return [*results.gaps, *NOT_MEASURED]


def _sheets(results: Results) -> list[Sheet]:
    return [*(range_sheet(results, n) for n in results.degrees), goal_sheet(results)]


def _lines(results: Results) -> list[str]:
    quoted = f"goals in microseconds are quoted times over goals: {SOURCE}"
    return [results.text, METHOD, quoted, *(f"missing: {gap}" for gap in _gaps(results))]


def _entry(results: Results, row: Row, **more: Any) -> dict[str, Any]:
    name = f"ntt_{row.direction}/{row.curve}/n={row.degree}/q={row.bits}"
    ratios = {reference: results.ratio(row, reference) for reference in REFERENCES}
    return timing.entry_of(
        name if row.form == ORDINARY else f"{name}/{row.form}",
        row,
        kernel=row.kernel,
        modulus=row.modulus,
        form=row.form,
        ns_per_butterfly=row.ns_per_butterfly,
        median_ns_per_butterfly=1e3 * row.median / timing.butterflies(row.degree),
        times_as_fast_as={of: value for of, value in ratios.items() if value is not None},
        **more,
    )


def _goal_entry(goal: Goal, results: Results) -> dict[str, Any]:
    found = judge(goal, results)
    measured = ("bits", "kernel", "value", "met")
    return {**asdict(goal), **{name: getattr(found, name, None) for name in measured}}


def to_json(results: Results) -> dict[str, Any]:
    """Returns times in Google Benchmark's layout, in microseconds per transform. Goals and gaps are
    apart."""
    return {
        "context": timing.context(
            OPERATION, results, method=METHOD, kernels=selected_kernels(), goals=SOURCE
        ),
        "benchmarks": [
            *(_entry(results, row, is_reference=False) for row in results.rows),
            *(_entry(results, row, is_reference=True) for row in results.references),
        ],
        "goals": [_goal_entry(goal, results) for goal in GOALS],
        "gaps": [asdict(gap) for gap in _gaps(results)],
    }


def run_widths(
    files: Destination,
    degrees: Sequence[int],
    widths: Sequence[int] | None,
    rounds: int | None,
    *,
    is_quick: bool,
) -> None:
    """Measures, prints the tables, and writes the requested files. Each length has a picture; if
    there are several, its name contains the length."""
    widths = sorted(set(chosen(widths, is_quick, _QUICK_WIDTHS, WIDTHS)))
    rounds = chosen(rounds, is_quick, _QUICK_ROUNDS, ROUNDS)
    check_degrees(OPERATION, degrees, _LEAST_DEGREE, _MOST_DEGREE)
    for bits in widths:
        check_range(OPERATION, "--bits", bits, _LEAST_BITS, _MOST_BITS)
    check_rounds(OPERATION, rounds)
    console = files.start()
    results = measure(console, degrees, widths, rounds)
    page = (_sheets(results), _lines(results))
    print_page(console, *page)
    is_one = len(results.degrees) == 1
    pictures = {
        "" if is_one else f"-n{n}": partial(make_picture, results, n) for n in results.degrees
    }
    files.write(console, to_json(results), pictures, markdown_page(*page))
