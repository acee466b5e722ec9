# SPDX-License-Identifier: Apache-2.0
"""The command `ringlet report`: measures, compares, and writes the page and its JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from ringlet import device as open_device
from ringlet.errors import InvalidArgument
from ringlet.files import note_written, prepare_folders, write_atomically, write_json

from .compare import Comparison, compare, print_comparison
from .measure import Outcome, measure_report
from .model import Report, to_json
from .reading import read_report
from .sections import SECTIONS
from .setting import OPERATION, Setting

NAME = "ringlet-report"
_PAGES = (".html", ".htm")


@dataclass(frozen=True)
class Options:
    """The options of the command.

    `output` is a folder, or the page itself if it ends in .html. `json` is the path of the data;
    None means beside the page. `sections` are names of SECTIONS; None means all. `against` is the
    JSON of an earlier report. `shown` is the JSON of a report to show without measuring.
    """

    quick: bool = False
    sections: Sequence[str] | None = None
    device: str | None = None
    output: Path = Path(".")
    json: Path | None = None
    against: Path | None = None
    shown: Path | None = None

    @property
    def page(self) -> Path:
        """The path of the page."""
        is_page = self.output.suffix.lower() in _PAGES
        return self.output if is_page else self.output / f"{NAME}.html"

    @property
    def data(self) -> Path | None:
        """The path of the JSON, or None for the page of an earlier report."""
        if self.json is not None or self.shown is not None:
            return self.json
        return self.page.with_suffix(".json")


def checked_sections(names: Sequence[str] | None) -> list[str]:
    """Returns the names in the order of the report. Raises InvalidArgument for an unknown name."""
    if names is None:
        return list(SECTIONS)
    for name in names:
        if name not in SECTIONS:
            remedy = "name sections, separated by commas"
            raise InvalidArgument(OPERATION, f"section {name!r}", ", ".join(SECTIONS), remedy)
    return [name for name in SECTIONS if name in names]


def check_device(name: str | None, sections: Sequence[str]) -> None:
    """Checks a device by opening it. Raises InvalidArgument if it is not a device of OpenCL or
    CUDA, or if no section measures one. Raises RuntimeFailure if it is missing."""
    if name is None:
        return
    if "gpu" not in sections:
        asked = f"--device {name} with sections {', '.join(sections)}"
        remedy = "add gpu to --sections, or leave out --device"
        raise InvalidArgument(OPERATION, asked, "only section gpu measures a device", remedy)
    if open_device(name).is_cpu:
        remedy = "name a device that `ringlet info` shows, such as gpu:0"
        raise InvalidArgument(OPERATION, f"--device {name}", "devices of OpenCL or CUDA", remedy)


def check_options(options: Options) -> None:
    """Raises InvalidArgument if options for measuring are given with --show, or if page and JSON
    have the same path."""
    alone = {"--quick": options.quick, "--device": options.device is not None}
    for name, is_given in alone.items():
        if is_given and options.shown is not None:
            remedy = "leave one of the two options out; --show measures nothing"
            raise InvalidArgument(OPERATION, f"{name} with --show", "only one of the two", remedy)
    if options.data == options.page:
        asked = f"{options.page} for the page and the JSON"
        raise InvalidArgument(OPERATION, asked, "a file for each", "give --json another name")


def _earlier(path: Path, names: list[str] | None) -> Report:
    """Returns the report in a file, with only the named sections if there are names. Raises
    InvalidArgument for a section that the file lacks."""
    report = read_report(path)
    if names is None:
        return report
    sections = {section.id: section for section in report.sections}
    for name in names:
        if name not in sections:
            found = ", ".join(sections) or "no section"
            remedy = "name sections that the file has"
            raise InvalidArgument(OPERATION, f"section {name!r} of {path}", found, remedy)
    kept = tuple(sections[name] for name in names)
    return replace(report, sections=kept, settings={**report.settings, "sections": names})


def _print_sections(console: Console, outcome: Outcome) -> None:
    """Prints one line for each section, and below it what is missing."""
    for section in outcome.report.sections:
        charts = len(section.charts)
        count = "no chart" if not charts else "1 chart" if charts == 1 else f"{charts} charts"
        line = f"{section.title}: {count} in {outcome.seconds[section.id]:.1f} s"
        console.print(line, markup=False, soft_wrap=True)
        for text in section.missing:
            console.print(f"  {text}", markup=False, soft_wrap=True)
    if warning := outcome.report.machine.get("warning"):
        console.print(f"[bold red]{warning}[/bold red]", soft_wrap=True)


def _write(options: Options, report: Report, comparison: Comparison | None) -> None:
    try:
        from .page import render_page

        text = render_page(report, comparison)
    except Exception:
        # Writes the data even if the page fails.
        _write_data(options, report)
        raise
    _write_data(options, report)
    write_atomically(options.page, text)


def _write_data(options: Options, report: Report) -> None:
    if options.data is not None:
        write_json(options.data, to_json(report))


def run_report(console: Console, options: Options) -> bool:
    """Measures or reads a report, and writes it. Returns False if a section failed: the files then
    exist and name the section. If the run ends early, it leaves no file."""
    check_options(options)
    names = checked_sections(options.sections)
    # Finds all that can be refused before it measures.
    old = None if options.against is None else read_report(options.against)
    failed: dict[str, str] = {}
    if options.shown is not None:
        report = _earlier(options.shown, None if options.sections is None else names)
        prepare_folders([options.page, options.data])
    else:
        check_device(options.device, names)
        prepare_folders([options.page, options.data])
        outcome = measure_report(console, names, Setting(options.quick, options.device))
        _print_sections(console, outcome)
        report, failed = outcome.report, outcome.failed
    comparison = None if old is None else compare(old, report)
    if comparison is not None:
        print_comparison(console, comparison)
    _write(options, report, comparison)
    note_written(console, options.data, options.page)
    return not failed
