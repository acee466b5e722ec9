# SPDX-License-Identifier: Apache-2.0
"""Runs the sections of a report one after the other. The report contains the error of a section
that fails, and the other sections are still measured."""

from __future__ import annotations

import datetime
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from ..threads import set_thread_count, thread_count
from .machine import build_facts, load_text, load_warning, machine_facts
from .model import Report, Section
from .points import is_finite
from .sections import SECTIONS, TITLES, Measure
from .setting import Setting


class BarSteps:
    """Shows steps as a second line below the bar of the sections."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: TaskID | None = None

    def begin(self, text: str, total: int | None = None) -> None:
        """Adds a line for a part of `total` steps."""
        self.end()
        self._task = self._progress.add_task(f"  {text}", total=total)

    def advance(self) -> None:
        """Advances the line by one step."""
        if self._task is not None:
            self._progress.advance(self._task)

    def end(self) -> None:
        """Removes the line."""
        if self._task is not None:
            self._progress.remove_task(self._task)
        self._task = None


@dataclass
class Outcome:
    """The outcome of a run. `failed` has the error of every section that failed."""

    report: Report
    seconds: dict[str, float] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


def without_infinities(section: Section) -> Section:
    """Returns the section without points that are not finite, which can be neither drawn nor
    written as JSON. `missing` then names each series that has lost points."""
    missing = list(section.missing)
    charts = []
    for chart in section.charts:
        kept = []
        for series in chart.series:
            points = tuple(point for point in series.points if is_finite(point))
            if len(points) != len(series.points):
                count = f"{len(series.points) - len(points)} of {len(series.points)}"
                missing.append(f"{chart.title}, {series.name}: {count} values are not finite.")
            kept.append(replace(series, points=points))
        charts.append(replace(chart, series=tuple(series for series in kept if series.points)))
    drawn = tuple(chart for chart in charts if chart.series)
    return replace(section, charts=drawn, missing=tuple(missing))


def _measured(name: str, measure: Measure, setting: Setting) -> tuple[Section, str]:
    """Measures a section. Returns it with the error if it failed, else with "". Ctrl-C ends the
    run."""
    threads = thread_count()
    try:
        return without_infinities(measure(setting)), ""
    except Exception as error:
        text = " ".join(f"{type(error).__name__}: {error}".split())
        missing = f"Not measured, because this section failed: {text}"
        return Section(name, TITLES.get(name, name), "", (), (missing,)), text
    finally:
        set_thread_count(threads)


def _now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")


def measure_report(
    console: Console,
    names: Sequence[str],
    setting: Setting,
    sections: Mapping[str, Measure] = SECTIONS,
) -> Outcome:
    """Measures the named sections in the order of `sections`. On a terminal, shows a bar."""
    start = time.monotonic()
    before = load_text()
    outcome = Outcome(Report(_now(), {}, {}, {}, 0.0))
    found = []
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        steps = BarSteps(progress)
        chosen = [name for name in sections if name in names]
        task = progress.add_task("this machine", total=len(chosen))
        machine = machine_facts()
        for name in chosen:
            progress.update(task, description=TITLES.get(name, name))
            began = time.monotonic()
            section, error = _measured(name, sections[name], replace(setting, steps=steps))
            steps.end()
            found.append(section)
            outcome.seconds[name] = time.monotonic() - began
            if error:
                outcome.failed[name] = error
            progress.advance(task)
    machine["load"] = f"{before} before, {load_text()} after (the last minute, this run included)"
    if warning := load_warning(before):
        machine["warning"] = warning
    settings: dict[str, Any] = {"quick": setting.quick, "sections": chosen}
    if setting.device is not None:
        settings["device"] = setting.device
    seconds = round(time.monotonic() - start, 1)
    created = outcome.report.created
    outcome.report = Report(created, machine, build_facts(), settings, seconds, tuple(found))
    return outcome
