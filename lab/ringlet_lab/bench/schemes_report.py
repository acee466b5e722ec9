# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench schemes` on the terminal, as JSON, as Markdown and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from ringlet.errors import InvalidArgument
from ringlet.files import note_written, prepare_folders, read_json, write_atomically, write_json

from .._lab import selected_kernels
from . import timing
from .checks import check_rounds
from .output import compact_table
from .schemes import (
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
from .schemes_goals import (
    PAPER,
    SOURCE,
    find_peer,
    hexl_lines,
    judge_relations,
    judge_times,
    ratio,
)
from .schemes_peer import find_peer as open_peer
from .schemes_picture import draw
from .schemes_tables import View, notes, parts, to_markdown, update_page

_MOST_THREADS = 256
_QUICK_DEGREES = (4096,)
_QUICK_ROUNDS = 2
_QUICK_SECONDS = 1.0


@dataclass(frozen=True)
class Options:
    """What the command line asks for; None leaves the choice to --quick."""

    schemes: Sequence[str] | None = None
    degrees: Sequence[int] | None = None
    threads: Sequence[int] | None = None
    rounds: int | None = None
    seconds: float | None = None
    is_quick: bool = False
    shown: Path | None = None
    json: Path | None = None
    markdown: Path | None = None
    page: Path | None = None
    pictures: Sequence[Path] = ()

    def plan(self) -> Plan:
        quick = self.is_quick
        return Plan(
            schemes=self.schemes or SCHEMES,
            degrees=self.degrees or (_QUICK_DEGREES if quick else DEGREES),
            threads=self.threads or THREADS,
            rounds=(_QUICK_ROUNDS if quick else ROUNDS) if self.rounds is None else self.rounds,
            seconds=(_QUICK_SECONDS if quick else SECONDS)
            if self.seconds is None
            else self.seconds,
            is_quick=quick,
        )


def _check(plan: Plan) -> None:
    def refuse(offending: str, limit: str, remedy: str) -> None:
        raise InvalidArgument(OPERATION, offending, limit, remedy)

    for scheme in plan.schemes:
        if scheme not in SCHEMES:
            refuse(f"--schemes {scheme}", f"one of: {', '.join(SCHEMES)}", "choose among these")
    for degree in plan.degrees:
        if degree not in DEGREES:
            known = ", ".join(map(str, DEGREES))
            refuse(f"--degrees {degree}", f"one of: {known}", "choose among these")
    for threads in plan.threads:
        if not 1 <= threads <= _MOST_THREADS:
            refuse(f"--threads {threads}", f"1 to {_MOST_THREADS}", "ask for example for 1,2")
    check_rounds(OPERATION, plan.rounds)
    if not plan.seconds >= 0:
        refuse(f"--seconds {plan.seconds}", "0 or more", "ask for example for 20")


def _entry(row: Row, clock_hz: float) -> dict[str, Any]:
    fields = {
        key: getattr(row, key)
        for key in ("scheme", "operation", "chain", "degree", "threads", "library", "kernels")
    }
    more = {**row.about, **fields, "cycles": row.best * clock_hz * 1e-6}
    return timing.entry_of(row.name, row, **more)


def to_json(results: Results) -> dict[str, Any]:
    """Times in Google Benchmark's layout; goals, relations and profiles apart."""
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
        "profiles": [
            {
                "scheme": p.scheme,
                "operation": p.operation,
                "degree": p.degree,
                "time": p.total_us,
                "time_unit": "us",
                "primitives": p.primitives_us,
                "forward_transforms": p.forward_transforms,
                "inverse_transforms": p.inverse_transforms,
            }
            for p in results.profiles
        ],
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
    """The JSON of an earlier run. Raises InvalidArgument if it is none."""
    named = f"--show {path}"
    wanted, remedy = "the JSON of this command", "pass what an earlier run wrote"
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
            OPERATION, f"--page {page}: {error}", "Markdown in UTF-8", "name docs/performance.md"
        ) from None


def _updated(page: Path, report: dict[str, Any]) -> str:
    """The page with this report's tables. Raises InvalidArgument where a part has no such name."""
    try:
        return update_page(_text_of(page), report)
    except KeyError as error:
        raise InvalidArgument(
            OPERATION,
            f"--page {page}: part {error}",
            f"one of: machine, {', '.join(parts(report))}",
            "name one of these in the comment",
        ) from None


def _print_view(console: Console, view: View) -> None:
    table = compact_table(view.title)
    for i, head in enumerate(view.heads):
        is_text = i < view.text_columns
        table.add_column(head, justify="left" if is_text else "right", no_wrap=not is_text)
    for row in view.rows:
        table.add_row(*row)
    console.print(table)


def run_schemes(console: Console, options: Options) -> None:
    """Measures, or reads an earlier run; prints the tables, writes the files asked for."""
    plan = options.plan()
    _check(plan)
    # Folders that cannot be made are found before anything is measured.
    prepare_folders([options.json, options.markdown, options.page, *options.pictures])
    if options.page is not None:
        _text_of(options.page)
    if options.shown is not None:
        report = read_report(options.shown)
    else:
        report = to_json(Measurements(plan, *open_peer()).run(console))
    for views in parts(report).values():
        for view in views:
            _print_view(console, view)
    for line in notes(report):
        console.print(line, markup=False)
    if options.json is not None and options.shown is None:
        write_json(options.json, report)
        note_written(console, options.json)
    if options.markdown is not None:
        write_atomically(options.markdown, to_markdown(report))
        note_written(console, options.markdown)
    if options.page is not None:
        write_atomically(options.page, _updated(options.page, report))
        note_written(console, options.page)
    if options.pictures:
        draw(report, options.pictures)
    note_written(console, *options.pictures)
