# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench widths`: the kernels that every instruction set chooses for every width of the
modulus, on the terminal, as JSON, as Markdown and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from ringlet import cpu_info
from ringlet.files import beside, note_written, prepare_folders, write_atomically, write_json

from .._lab import selected_kernels
from . import timing
from .checks import check_degrees, check_range, check_rounds
from .output import compact_table, markdown_table, number
from .widths import (
    DEGREES,
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
from .widths_goals import GOALS, NOT_MEASURED, SOURCE, Goal, judge
from .widths_picture import draw_widths, segments

_LEAST_DEGREE, _MOST_DEGREE = 1 << 6, 1 << 17
_LEAST_BITS, _MOST_BITS = 14, 62
# Both sides of every limit that the goals have.
_QUICK_WIDTHS = (20, 30, 31, 48, 49, 50, 51, 52, 54, 55, 60, 61, 62)
_QUICK_ROUNDS = 20

_RANGE_HEADS = (
    "table",
    "bits",
    "primes",
    "kernel",
    "ns",
    "us",
    *(f"x {reference.split('/')[0]}" for reference in REFERENCES),
)
_RANGE_TITLE = (
    "N = {degree}: widths and the kernel that serves them; at the widest, forward / inverse: "
    "nanoseconds per butterfly, microseconds per transform, times as fast as radix2 of {tables}"
)
_GOAL_HEADS = (
    "table",
    "bits",
    "primes",
    "direction",
    "N",
    "goal",
    "of",
    "here",
    "at",
    "kernel",
    "",
    "from",
)
_GOAL_TITLE = "Goals: times as fast as a kernel of the same run, each at the worst of its widths"


@dataclass(frozen=True)
class Options:
    """What the command line asks for; None leaves the choice to --quick."""

    degrees: Sequence[int] = DEGREES
    widths: Sequence[int] | None = None
    rounds: int | None = None
    is_quick: bool = False
    json: Path | None = None
    picture_stem: Path | None = None
    suffixes: Sequence[str] = ()

    @property
    def chosen_widths(self) -> list[int]:
        default = _QUICK_WIDTHS if self.is_quick else WIDTHS
        return sorted(set(default if self.widths is None else self.widths))

    @property
    def chosen_rounds(self) -> int:
        if self.rounds is not None:
            return self.rounds
        return _QUICK_ROUNDS if self.is_quick else ROUNDS


def _check(options: Options) -> None:
    check_degrees(OPERATION, options.degrees, _LEAST_DEGREE, _MOST_DEGREE)
    for bits in options.chosen_widths:
        check_range(OPERATION, "--bits", bits, _LEAST_BITS, _MOST_BITS)
    check_rounds(OPERATION, options.chosen_rounds)


def _title(degree: int) -> str:
    tables = " and ".join(reference.split("/")[0] for reference in REFERENCES)
    return _RANGE_TITLE.format(degree=degree, tables=tables)


def _primes(form: str) -> str:
    return "any" if form == ORDINARY else "1 mod 2^32"


def _range_cells(results: Results, part: Sequence[Row]) -> list[str]:
    """One run of widths that a kernel serves, in the order of _RANGE_HEADS."""
    first, last = part[0], part[-1]
    widest = [
        next(row for row in results.line(*where) if row.bits == last.bits)
        for where in ((last.curve, last.form, d, last.degree) for d in DIRECTIONS)
    ]
    cells = [
        last.curve,
        str(first.bits) if first is last else f"{first.bits} to {last.bits}",
        _primes(last.form),
        last.algorithm,
        " / ".join(f"{row.ns_per_butterfly:.3f}" for row in widest),
        " / ".join(number(row.best) for row in widest),
    ]
    for reference in REFERENCES:
        ratios = [results.ratio(row, reference) for row in widest]
        cells.append(" / ".join("-" if ratio is None else f"{ratio:.2f}" for ratio in ratios))
    return cells


def range_rows(results: Results, degree: int) -> list[list[str]]:
    """Every run of widths, in the order of _RANGE_HEADS."""
    return [
        _range_cells(results, part)
        for curve in results.curves
        for form in FORMS
        for part in segments(results.line(curve, form, DIRECTIONS[0], degree))
    ]


def goal_rows(results: Results) -> list[list[str]]:
    """Every goal, in the order of _GOAL_HEADS."""
    rows = []
    for goal in GOALS:
        found = judge(goal, results)
        measured = ["-", "-", "-", "not measured"]
        if found is not None:
            verdict = "met" if found.met else "missed"
            measured = [f"{found.value:.2f}", str(found.bits), found.kernel, verdict]
        what = [goal.curve, goal.widths, _primes(goal.form), goal.direction, str(goal.degree)]
        rows.append([*what, f">= {goal.ratio:.2f}", goal.reference, *measured, goal.text])
    return rows


def _gaps(results: Results) -> list[Gap]:
    return [*results.gaps, *NOT_MEASURED]


def _context_lines(results: Results) -> list[str]:
    machine = (
        f"one core of {cpu_info().model}; clock in the same run: {results.clock * 1e-9:.2f} GHz "
        f"(median); {results.rounds} rounds; load of the machine before and after: "
        f"{results.load[0]:.1f}, {results.load[1]:.1f}"
    )
    return [machine, METHOD, f"goals in microseconds are quoted times over goals: {SOURCE}"]


def _print_table(
    console: Console, title: str, heads: Sequence[str], rows: Sequence[list[str]]
) -> None:
    """A line between one instruction set and the next."""
    table = compact_table(title, heads, len(heads))
    for row, following in zip(rows, [*rows[1:], None], strict=True):
        table.add_row(*row, end_section=following is not None and following[0] != row[0])
    console.print(table)


def print_results(console: Console, results: Results) -> None:
    """The ranges of every length, the goals, and what is missing."""
    for degree in results.degrees:
        _print_table(console, _title(degree), _RANGE_HEADS, range_rows(results, degree))
    _print_table(console, _GOAL_TITLE, _GOAL_HEADS[:-1], [r[:-1] for r in goal_rows(results)])
    for line in _context_lines(results):
        console.print(line, markup=False)
    for gap in _gaps(results):
        console.print(f"missing: {gap}", markup=False)


def _titled_table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"{title}:", "", *markdown_table(heads, rows)]


def to_markdown(results: Results) -> str:
    """The tables of the terminal, for docs/word_sizes.md."""
    lines = []
    for degree in results.degrees:
        lines += _titled_table(_title(degree), _RANGE_HEADS, range_rows(results, degree))
    lines += _titled_table(_GOAL_TITLE, _GOAL_HEADS, goal_rows(results))
    lines += [f"- {line}" for line in _context_lines(results)]
    lines += [f"- missing: {gap}" for gap in _gaps(results)]
    return "\n".join([*lines, ""])


def _entry(results: Results, row: Row, **more: Any) -> dict[str, Any]:
    name = f"ntt_{row.direction}/{row.curve}/n={row.degree}/q={row.bits}"
    return timing.entry_of(
        name if row.form == ORDINARY else f"{name}/{row.form}",
        row,
        kernel=row.kernel,
        modulus=row.modulus,
        form=row.form,
        ns_per_butterfly=row.ns_per_butterfly,
        median_ns_per_butterfly=1e3 * row.median / row.butterflies,
        times_as_fast_as={
            reference: ratio
            for reference in REFERENCES
            if (ratio := results.ratio(row, reference)) is not None
        },
        **more,
    )


def _goal_entry(goal: Goal, results: Results) -> dict[str, Any]:
    found = judge(goal, results)
    measured = {
        "bits": None if found is None else found.bits,
        "kernel": None if found is None else found.kernel,
        "value": None if found is None else found.value,
        "met": None if found is None else found.met,
    }
    return {**asdict(goal), **measured}


def to_json(results: Results) -> dict[str, Any]:
    """Times in Google Benchmark's layout, in microseconds per transform; goals and gaps."""
    return {
        "context": timing.context(
            OPERATION,
            results,
            method=METHOD,
            load_before=results.load[0],
            load_after=results.load[1],
            kernels=selected_kernels(),
            goals=SOURCE,
        ),
        "benchmarks": [
            *(_entry(results, row, is_reference=False) for row in results.rows),
            *(_entry(results, row, is_reference=True) for row in results.references),
        ],
        "goals": [_goal_entry(goal, results) for goal in GOALS],
        "gaps": [asdict(gap) for gap in _gaps(results)],
    }


def run_widths(console: Console, options: Options) -> None:
    """Measures, prints the tables, and writes the files that were asked for."""
    _check(options)
    # A folder that cannot be made is found before anything is measured.
    prepare_folders([options.json, options.picture_stem])
    results = measure(console, options.degrees, options.chosen_widths, options.chosen_rounds)
    print_results(console, results)
    if options.json is not None:
        tables = beside(options.json, ".md")
        write_json(options.json, to_json(results))
        if tables is not None:
            write_atomically(tables, to_markdown(results))
        note_written(console, options.json, tables)
    if options.picture_stem is not None:
        written = draw_widths(results, options.picture_stem, options.suffixes)
        note_written(console, *written)
