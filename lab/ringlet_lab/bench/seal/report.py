# SPDX-License-Identifier: Apache-2.0
"""Shows the measurements of `ringlet bench seal`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from .. import timing
from ..checks import check_among, check_rounds, chosen
from ..output import MISSING, Destination, Sheet, markdown_page, number, print_page
from . import DEGREES, OPERATION, SCHEMES, Results, Row, find_program, measure

# The goal is for degrees from this one on.
GOAL, GOAL_DEGREE = 1.03, 4096
_ROUNDS, _QUICK_ROUNDS = 50, 2
_QUICK_DEGREES = (1024, 4096)


def _ratio(value: float | None) -> str:
    return MISSING if value is None else f"{value:.3f}"


def sheets_of(results: Results) -> list[Sheet]:
    """Returns a table of each scheme and degree."""
    heads = ["operation", "own, min", "median", "SEAL's, min", "median", "ratio", "of medians"]
    if results.seal_version:
        heads += ["SEAL, min", "median", "SEAL / SEAL's"]
    sheets = []
    for (scheme, degree), rows in groupby(results.rows, lambda row: (row.scheme, row.degree)):
        title = f"{scheme.upper()}, N = {degree}, microseconds: Ringlet's own and SEAL's interface"
        sheets.append(Sheet(title, heads))
        for row in rows:
            times = (number(time) for pair in list(row.times.values())[:2] for time in pair)
            ratios = (_ratio(row.ratio("interface", "own", which)) for which in (0, 1))
            peer = [*map(number, row.times.get("seal", ())), _ratio(row.ratio("seal", "interface"))]
            shown = peer if results.seal_version else []
            sheets[-1].add(row.operation, *times, *ratios, *shown)
    return sheets


def missed(rows: Sequence[Row]) -> list[Row]:
    """Returns the rows whose minima and medians both exceed the goal."""
    return [
        row
        for row in rows
        if row.degree >= GOAL_DEGREE
        and min(row.ratio("interface", "own", which) or 0 for which in (0, 1)) > GOAL
    ]


def lines_of(results: Results) -> list[str]:
    """Returns the verdict, the rows that miss the goal, and the conditions of the run."""
    judged = [row for row in results.rows if row.degree >= GOAL_DEGREE]
    slow = missed(results.rows)
    lines = [
        f"SEAL's interface costs at most {GOAL - 1:.0%} over Ringlet's own, by minimum or median: "
        f"{len(judged) - len(slow)} of {len(judged)} rows with N >= {GOAL_DEGREE}"
    ]
    lines += [
        f"more: {row.scheme} {row.degree} {row.operation}: {_ratio(row.ratio('interface', 'own'))}"
        for row in slow
    ]
    if results.seal_version:
        lines.append(f"SEAL itself: version {results.seal_version}")
    return [*lines, results.text]


def to_json(results: Results) -> dict[str, Any]:
    """Returns the content of the JSON file."""
    entries = [
        timing.layout(
            entry["name"], (entry["min"], entry["median"]),
            iterations=entry["iterations"], calls=entry["calls"], time_unit="us",
        )
        for entry in results.entries
    ]  # fmt: skip
    more = {"seal_version": results.seal_version, "goal": GOAL}
    return {"context": timing.context(OPERATION, results, **more), "benchmarks": entries}


def run_seal(
    files: Destination,
    program: Path | None,
    schemes: Sequence[str] | None,
    degrees: Sequence[int] | None,
    rounds: int | None,
    *,
    is_quick: bool,
) -> None:
    """Measures, prints the tables, and writes the requested files."""
    schemes = SCHEMES if schemes is None else schemes
    degrees = chosen(degrees, is_quick, _QUICK_DEGREES, DEGREES)
    rounds = chosen(rounds, is_quick, _QUICK_ROUNDS, _ROUNDS)
    check_among(OPERATION, "--schemes", schemes, SCHEMES)
    check_among(OPERATION, "--degrees", degrees, DEGREES)
    check_rounds(OPERATION, rounds)
    found = find_program(program)
    console = files.start()
    results = measure(console, found, list(schemes), list(degrees), rounds)
    page = (sheets_of(results), lines_of(results))
    print_page(console, *page)
    files.write(console, to_json(results), {}, markdown_page(*page))
