# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench schemes` on the terminal, as JSON, as Markdown and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ringlet.errors import InvalidArgument
from ringlet.files import note_written, read_json, write_atomically

from ..._lab import selected_kernels
from .. import timing
from ..checks import check_among, check_range, check_rounds, chosen
from ..output import Destination, print_lines
from . import (
    BASELINE,
    DEGREES,
    METHOD,
    OPERATION,
    ROUNDS,
    SCHEMES,
    SECONDS,
    THREADS,
    Measurements,
    Plan,
    Results,
    Row,
)
from .goals import PAPER, SOURCE, find_peer, hexl_lines, judge_relations, judge_times, ratio
from .peer import find_peer as open_peer
from .picture import draw
from .tables import notes, parts, to_markdown, update_page

_MOST_THREADS = 256
_QUICK_DEGREES = (4096,)
_QUICK_ROUNDS = 2
_QUICK_SECONDS = 1.0


def _check(plan: Plan) -> None:
    check_among(OPERATION, "--schemes", plan.schemes, SCHEMES)
    check_among(OPERATION, "--degrees", plan.degrees, DEGREES)
    for threads in plan.threads:
        check_range(OPERATION, "--threads", threads, 1, _MOST_THREADS)
    check_rounds(OPERATION, plan.rounds)
    if not plan.seconds >= 0:
        asked = f"--seconds {plan.seconds}"
        raise InvalidArgument(OPERATION, asked, "0 or more", "write for example --seconds 20")


def _entry(row: Row, clock_hz: float) -> dict[str, Any]:
    fields = {
        key: getattr(row, key)
        for key in ("scheme", "operation", "chain", "degree", "threads", "library", "kernels")
    }
    more = {**row.about, **fields, "cycles": row.best * clock_hz * 1e-6}
    return timing.entry_of(row.name, row, **more)


def to_json(results: Results) -> dict[str, Any]:
    """Returns times in Google Benchmark's layout. Goals, relations and profiles are in parts of
    their own."""
    report: dict[str, Any] = {
        "context": timing.context(
            OPERATION,
            results,
            method=METHOD,
            kernels=selected_kernels(),
            tenseal=results.peer,
            has_tenseal=results.has_peer,
            goals=SOURCE,
            paper=PAPER,
        ),
        "benchmarks": [_entry(row, results.clock) for row in results.rows],
        "profiles": results.profiles,
        "gaps": results.gaps,
    }
    for entry in report["benchmarks"]:
        if entry["library"] == "ringlet" and entry["scheme"] != "ntt":
            peer = find_peer(report, entry["scheme"], entry["operation"], entry["degree"])
            is_same_work = entry["chain"] in ("own", "seal") and peer and not peer["in_python"]
            entry["times_as_fast_as_tenseal"] = ratio(peer, entry) if is_same_work else None
    report["goals"] = judge_times(report)
    report["relations"] = judge_relations(report)
    report["hexl"] = hexl_lines(report, BASELINE)
    return report


def read_report(path: Path) -> dict[str, Any]:
    """Reads the JSON of an earlier run. Raises InvalidArgument if the file is no such JSON."""
    named = f"--show {path}"
    wanted, remedy = "the JSON of this command", "pass a file that --json of an earlier run wrote"
    report = read_json(path, OPERATION, named, wanted, remedy)
    keys = {"context", "benchmarks", "profiles", "goals", "relations", "hexl", "gaps"}
    if isinstance(report, dict) and keys <= report.keys():
        return report
    raise InvalidArgument(OPERATION, named, wanted, remedy)


def _text_of(page: Path) -> str:
    try:
        return page.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InvalidArgument(
            OPERATION,
            f"--page {page}: {error}",
            "Markdown in UTF-8",
            "name docs/measured/performance.md",
        ) from None


def _updated(page: Path, report: dict[str, Any]) -> str:
    """Returns the page with this report's tables. Raises InvalidArgument if the page names an
    unknown part."""
    try:
        return update_page(_text_of(page), report)
    except KeyError as error:
        raise InvalidArgument(
            OPERATION,
            f"--page {page}: part {error}",
            f"one of: machine, {', '.join(parts(report))}",
            "name one of these in the comment",
        ) from None


def run_schemes(
    files: Destination,
    *,
    schemes: Sequence[str] | None = None,
    degrees: Sequence[int] | None = None,
    threads: Sequence[int] | None = None,
    rounds: int | None = None,
    seconds: float | None = None,
    is_quick: bool = False,
    shown: Path | None = None,
    markdown: Path | None = None,
    page: Path | None = None,
) -> None:
    """Measures, or reads an earlier run. Prints the tables and writes the requested files."""
    plan = Plan(
        schemes or SCHEMES,
        degrees or chosen(None, is_quick, _QUICK_DEGREES, DEGREES),
        threads or THREADS,
        chosen(rounds, is_quick, _QUICK_ROUNDS, ROUNDS),
        chosen(seconds, is_quick, _QUICK_SECONDS, SECONDS),
        is_quick,
    )
    _check(plan)
    console = files.start(markdown, page)
    if page is not None:
        _text_of(page)
    if shown is not None:
        report = read_report(shown)
    else:
        report = to_json(Measurements(plan, *open_peer()).run(console))
    for sheets in parts(report).values():
        for sheet in sheets:
            sheet.show(console)
    print_lines(console, notes(report))
    for path, text in ((markdown, to_markdown), (page, partial(_updated, page))):
        if path is not None:
            write_atomically(path, text(report))
            note_written(console, path)
    wanted = files if shown is None else replace(files, json=None)
    wanted.write(console, report, {"": partial(draw, report)})
