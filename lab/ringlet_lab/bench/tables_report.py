# SPDX-License-Identifier: Apache-2.0
"""How `ringlet bench tables` shows what it measured: on the terminal and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text
from ringlet import cpu_info
from ringlet.files import prepare_folders

from .._lab import selected_kernels
from . import timing
from .checks import check_rounds
from .output import compact_table, quote, write_files
from .peers import Peers
from .tables import BITS, SUBJECTS, Cell, GoalCell, Measurements, Results, Subject
from .tables_picture import draw_tables
from .tables_quoted import (
    DEGREES,
    GOAL_DEGREES,
    GOALS,
    HEXL,
    HEXL_CLOCK_HZ,
    HEXL_MACHINE,
    PAPER,
    PAPER_MACHINE,
    PAPER_TABLES,
)

_OPERATION = "ringlet bench tables"


def _number(value: float) -> str:
    """Three significant digits, as the paper prints them."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.{2 if value < 10 else 1}f}" if value >= 1 else f"{value:.3f}"


def subject_table(results: Results, subject: Subject) -> Table:
    """One table of the paper: measured minimum and median, and its own figures in quotes."""
    source = f"Table {subject.number} of the paper" if subject.number < 5 else "Not in the paper"
    title = f"{source}: {subject.title}, {BITS}-bit prime, microseconds"
    table = compact_table(title)
    table.add_column("\nimplementation", no_wrap=True)
    for degree in DEGREES:
        table.add_column("N =\nmin", justify="right", no_wrap=True)
        table.add_column(f"{degree}\nmed", justify="right", style="dim", no_wrap=True)
        table.add_column("\nspeed", justify="right", no_wrap=True)
        if subject.number in PAPER_TABLES:
            table.add_column("\nquoted", justify="right", no_wrap=True)
    rows = [row for row in results.rows if row.subject is subject]
    base = next((row for row in rows if row.name.startswith("scalar64/")), None)
    for row in rows:
        cells: list[str | Text] = []
        for degree in DEGREES:
            cell = row.cells.get(degree)
            if cell is None:
                cells += ["-", "-", "-"]
            else:
                slow = base.cells[degree].best if base else cell.best
                cells += [_number(cell.best), _number(cell.median), f"{slow / cell.best:.1f}x"]
            if subject.number in PAPER_TABLES:
                cells.append(quote(_number(row.quoted[degree])) if row.quoted else "")
        style = "bold" if row.is_choice else None
        table.add_row(row.name + (" *" if row.is_choice else ""), *cells, style=style)
    return table


def _remarks(results: Results, subject: Subject) -> list[str]:
    """What was measured of other libraries exactly, and what was not."""
    rows = [row for row in results.rows if row.subject is subject]
    lines = [f"{row.name}: {row.description}" for row in rows if row.description]
    lines += [f"{row.name}: {row.missing}" for row in rows if row.missing]
    return lines


def goal_table(results: Results) -> Table:
    """HEXL's quoted figures, the goal, and what was measured here."""
    table = compact_table("Goals: element-wise operations against HEXL, microseconds")
    for column in ("operation", "kernel"):
        table.add_column(f"\n{column}", no_wrap=True)
    for column in (
        "\nbits", "\nN", "HEXL,\nquoted", "\ngoal", "\nmin", "\nmedian", "cycles/word\nHEXL, here",
    ):  # fmt: skip
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("\nresult", no_wrap=True)
    for entry in results.goals:
        goal, cell = entry.goal, entry.cell
        target = goal.goal(cell.degree)
        hexl = goal.hexl(cell.degree)
        if target is None or hexl is None:
            continue
        if cell.degree != GOAL_DEGREES[0] and goal is GOALS[0]:
            table.add_section()
        cycles = (
            hexl[0] * 1e-6 * HEXL_CLOCK_HZ / cell.degree,
            cell.best * 1e-6 * results.clock / cell.degree,
        )
        table.add_row(
            goal.name,
            entry.kernel,
            str(goal.bits),
            str(cell.degree),
            quote("-".join(_number(value) for value in hexl)),
            _number(target),
            Text(_number(cell.best), "bold"),
            Text(_number(cell.median), "dim"),
            f"“{cycles[0]:.2f}”, {cycles[1]:.2f}",
            Text("met", "green") if cell.best <= target else Text("missed", "red"),
        )
    return table


def to_json(results: Results) -> dict[str, Any]:
    """Google Benchmark's layout for what was measured; quoted figures apart from it."""
    benchmarks, quoted, missing = [], [], []
    for row in results.rows:
        table = row.subject.number
        for degree, cell in row.cells.items():
            name = f"{row.subject.operation}/{row.name.lower()}/n={degree}/q={BITS}"
            entry = _entry(name, cell)
            entry |= {"table": table, "implementation": row.name, "chosen": row.is_choice}
            benchmarks.append(entry | ({"label": row.description} if row.description else {}))
        for degree, time in row.quoted.items():
            quoted.append(
                {
                    "table": table,
                    "implementation": row.quoted_name,
                    "degree": degree,
                    "time": time,
                    "time_unit": "us",
                    "source": PAPER,
                    "machine": PAPER_MACHINE,
                }
            )
        if row.missing:
            missing.append({"table": table, "implementation": row.name, "reason": row.missing})
    for goal in results.goals:
        benchmarks.append(_goal_entry(goal))
        for time in goal.goal.hexl(goal.cell.degree) or ():
            quoted.append(
                {
                    "table": "goals",
                    "implementation": "HEXL",
                    "operation": goal.goal.name,
                    "bits": goal.goal.bits,
                    "degree": goal.cell.degree,
                    "time": time,
                    "time_unit": "us",
                    "source": HEXL,
                    "machine": HEXL_MACHINE,
                }
            )
    return {
        "context": _context(results),
        "benchmarks": benchmarks,
        "quoted": quoted,
        "not_measured": missing,
    }


def _context(results: Results) -> dict[str, Any]:
    return timing.context(_OPERATION, results, kernels=selected_kernels())


def _entry(name: str, cell: Cell) -> dict[str, Any]:
    return timing.entry_of(name, cell, degree=cell.degree, modulus=cell.modulus)


def _goal_entry(entry: GoalCell) -> dict[str, Any]:
    goal, cell = entry.goal, entry.cell
    target = goal.goal(cell.degree)
    name = (
        f"goal/{goal.operation}/{entry.kernel}/n={cell.degree}/q={goal.bits}"
        f"/factor={goal.input_mod_factor}"
    )
    return _entry(name, cell) | {
        "table": "goals",
        "operation": goal.name,
        "goal_us": target,
        "met": None if target is None else cell.best <= target,
    }


def clock_text(results: Results) -> str:
    """How the run went, in one line."""
    return (
        f"clock in the same run: {results.clock * 1e-9:.2f} GHz (median of the rounds, highest "
        f"{max(results.clock_hz) * 1e-9:.2f}); {results.rounds} interleaved rounds, one core of "
        f"{cpu_info().model}"
    )


def print_results(console: Console, results: Results) -> None:
    """All tables, each with what its rows stand for."""
    for subject in SUBJECTS:
        console.print(subject_table(results, subject))
        for line in _remarks(results, subject):
            console.print(f"  {line}", style="dim", markup=False)
        console.print()
    console.print(goal_table(results))
    for line in (
        f"“HEXL”: {HEXL}, {HEXL_MACHINE}",
        "goals are in microseconds whatever the clock; cycles compare the two processors",
    ):
        console.print(f"  {line}", style="dim", markup=False)
    console.print()
    for line in (
        "* the kernel that the library chooses; “speed” is against scalar64, by minima.",
        f"“Quoted” figures were not measured here: {PAPER}; {PAPER_MACHINE}.",
        clock_text(results),
    ):
        console.print(line, markup=False)


def run_tables_benchmark(
    console: Console,
    rounds: int,
    peers_path: Path | None,
    json_path: Path | None,
    pictures: Sequence[Path],
) -> None:
    """Measures, prints the tables, and writes the files that were asked for."""
    check_rounds(_OPERATION, rounds)
    # A folder that cannot be made is found before anything is measured.
    prepare_folders([*pictures, json_path])
    measurements = Measurements(Peers(peers_path) if peers_path else None)
    results = measurements.run(console, rounds)
    print_results(console, results)
    write_files(console, json_path, to_json(results), pictures, partial(draw_tables, results))
