# SPDX-License-Identifier: Apache-2.0
"""Shows the measurements of `ringlet bench tables` on the terminal and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text
from ringlet.files import note_written
from ringlet.plots import save

from ..._lab import selected_kernels
from .. import timing
from ..checks import check_rounds
from ..output import MISSING, Cell, Destination, Sheet, number, print_lines, quote
from ..peers import Peers
from . import BITS, SUBJECTS, GoalCell, Measurements, Results, Subject
from .picture import draw_tables
from .quoted import DEGREES, HEXL, HEXL_CLOCK_HZ, HEXL_MACHINE, PAPER, PAPER_MACHINE, PAPER_TABLES

_OPERATION = "ringlet bench tables"
_GOAL_HEADS = (
    "\noperation", "\nkernel", "\nbits", "\nN", "HEXL,\nquoted", "\ngoal", "\nmin", "\nmedian",
    "cycles/word\nHEXL, here",
)  # fmt: skip


def subject_sheet(results: Results, subject: Subject) -> Sheet:
    """Returns one table of the paper: measured minimum and median, and the paper's figures in
    quotes."""
    source = f"Table {subject.number} of the paper" if subject.number < 5 else "Not in the paper"
    title = f"{source}: {subject.title}, {BITS}-bit prime, microseconds"
    is_quoting = subject.number in PAPER_TABLES
    heads = ["\nimplementation"]
    for degree in DEGREES:
        heads += ["N =\nmin", f"{degree}\nmed", "\nspeed", *["\nquoted"] * is_quoting]
    sheet = Sheet(title, heads)
    rows = results.of(subject)
    base = next((row for row in rows if row.name.startswith("scalar64/")), None)
    for row in rows:
        cells: list[Cell] = []
        for degree in DEGREES:
            cell = row.cells.get(degree)
            if cell is None:
                cells += [MISSING] * 3
            else:
                slow = base.cells[degree].best if base else cell.best
                median = Text(number(cell.median), "dim")
                cells += [number(cell.best), median, f"{slow / cell.best:.1f}x"]
            if is_quoting:
                cells.append(quote(number(row.quoted[degree])) if row.quoted else "")
        style = "bold" if row.is_choice else None
        sheet.add(row.name + (" *" if row.is_choice else ""), *cells, style=style)
    return sheet


def _remarks(results: Results, subject: Subject) -> list[str]:
    """Returns lines on how other libraries were measured, and which were not."""
    rows = results.of(subject)
    lines = [f"{row.name}: {row.description}" for row in rows if row.description]
    return lines + [f"{row.name}: {row.missing}" for row in rows if row.missing]


def goal_sheet(results: Results) -> Sheet:
    """Returns a table of HEXL's quoted figures, the goal on HEXL's machine, and the times here,
    without a verdict."""
    sheet = Sheet("Goals: element-wise operations against HEXL, microseconds", _GOAL_HEADS, 2)
    for entry in results.goals:
        goal, cell = entry.goal, entry.cell
        target = goal.goal(cell.degree)
        hexl = goal.hexl(cell.degree)
        if target is None or hexl is None:
            continue
        cycles = (
            hexl[0] * 1e-6 * HEXL_CLOCK_HZ / cell.degree,
            cell.best * 1e-6 * results.clock / cell.degree,
        )
        sheet.add(
            goal.name,
            entry.kernel,
            str(goal.bits),
            str(cell.degree),
            quote("-".join(number(value) for value in hexl)),
            number(target),
            Text(number(cell.best), "bold"),
            Text(number(cell.median), "dim"),
            f"“{cycles[0]:.2f}”, {cycles[1]:.2f}",
        )
    return sheet


def to_json(results: Results) -> dict[str, Any]:
    """Returns the measurements in Google Benchmark's layout, apart from quoted figures."""
    benchmarks: list[dict[str, Any]] = []
    quoted: list[dict[str, Any]] = []
    missing = []
    for row in results.rows:
        where = {"table": row.subject.number, "implementation": row.name}
        label = {"label": row.description} if row.description else {}
        for degree, cell in row.cells.items():
            name = f"{row.subject.operation}/{row.name.lower()}/n={degree}/q={BITS}"
            what = {"degree": degree, "modulus": cell.modulus, **where, "chosen": row.is_choice}
            benchmarks.append(timing.entry_of(name, cell, **what, **label))
        source = {"time_unit": "us", "source": PAPER, "machine": PAPER_MACHINE}
        quoted += [
            {**where, "implementation": row.quoted_name, "degree": degree, "time": time, **source}
            for degree, time in row.quoted.items()
        ]
        if row.missing:
            missing.append({**where, "reason": row.missing})
    for entry in results.goals:
        goal, degree = entry.goal, entry.cell.degree
        benchmarks.append(_goal_entry(entry))
        what = {"table": "goals", "implementation": "HEXL", "operation": goal.name}
        source = {"time_unit": "us", "source": HEXL, "machine": HEXL_MACHINE}
        quoted += [
            {**what, "bits": goal.bits, "degree": degree, "time": time, **source}
            for time in goal.hexl(degree) or ()
        ]
    return {
        "context": timing.context(_OPERATION, results, kernels=selected_kernels()),
        "benchmarks": benchmarks,
        "quoted": quoted,
        "not_measured": missing,
    }


def _goal_entry(entry: GoalCell) -> dict[str, Any]:
    goal, cell = entry.goal, entry.cell
    target = goal.goal(cell.degree)
    name = (
        f"goal/{goal.operation}/{entry.kernel}/n={cell.degree}/q={goal.bits}"
        f"/factor={goal.input_mod_factor}"
    )
    return timing.entry_of(
        name,
        cell,
        degree=cell.degree,
        modulus=cell.modulus,
        table="goals",
        operation=goal.name,
        goal_us=target,
    )


def print_results(console: Console, results: Results) -> None:
    """Prints all tables, each with an explanation of its rows."""
    for subject in SUBJECTS:
        subject_sheet(results, subject).show(console)
        print_lines(console, [f"  {line}" for line in _remarks(results, subject)], "dim")
        console.print()
    goal_sheet(results).show(console)
    hexl = f"  “HEXL”: {HEXL}, {HEXL_MACHINE}"
    unit = "  goals are in microseconds whatever the clock; cycles compare the two processors"
    print_lines(console, [hexl, unit], "dim")
    console.print()
    marked = "* the kernel that the library chooses; “speed” is against scalar64, by minima."
    quoted = f"“Quoted” figures were not measured here: {PAPER}; {PAPER_MACHINE}."
    print_lines(console, [marked, quoted, results.text])


def run_tables_benchmark(
    files: Destination, rounds: int, peers: Path | None, pictures: Sequence[Path]
) -> None:
    """Measures, prints the tables, and writes the requested files."""
    check_rounds(_OPERATION, rounds)
    console = files.start(*pictures)
    results = Measurements(Peers(peers) if peers else None).run(console, rounds)
    print_results(console, results)
    files.write(console, to_json(results), {})
    if pictures:
        save(draw_tables(results), pictures)
    note_written(console, *pictures)
