# SPDX-License-Identifier: Apache-2.0
"""Numbers, tables and files that all benchmarks show and write."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text
from ringlet.console import make_console
from ringlet.files import beside, note_written, prepare_folders, write_atomically, write_json

Cell = str | Text
MISSING = "-"
QUOTED = "cyan italic"


def number(value: float | None) -> str:
    """Returns a number as text with three digits, or with all digits before the point."""
    if value is None:
        return MISSING
    if value >= 100 or value == 0:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3f}"


def ratio(value: float | None) -> str:
    return MISSING if value is None else f"{value:.2f}"


def quote(text: str) -> Text:
    """Returns a quoted figure, which was not measured here, in its own style."""
    return Text(f"“{text}”", QUOTED)


def verdict(is_met: bool) -> Text:
    return Text("met", "green") if is_met else Text("missed", "red")


def degree_head(degree: int) -> str:
    return f"2^{degree.bit_length() - 1}"


@dataclass
class Sheet:
    """A table without a format yet: the first `texts` columns hold words, the others numbers.

    If `is_grouped`, a line separates rows whose first cells differ."""

    title: str
    heads: Sequence[str]
    texts: int = 1
    is_grouped: bool = False
    rows: list[tuple[Sequence[Cell], str | None]] = field(default_factory=list)

    def add(self, *cells: Cell, style: str | None = None) -> None:
        self.rows.append((cells, style))

    def table(self) -> Table:
        table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
        for i, head in enumerate(self.heads):
            is_text = i < self.texts
            table.add_column(head, justify="left" if is_text else "right", no_wrap=is_text)
        for i, (cells, style) in enumerate(self.rows):
            below = self.rows[i + 1 : i + 2]
            ends = self.is_grouped and bool(below) and below[0][0][0] != cells[0]
            shown = [cell if isinstance(cell, Text) else Text(cell) for cell in cells]
            table.add_row(*shown, style=style, end_section=ends)
        return table

    def show(self, console: Console) -> None:
        """Prints the table. The title has lines of its own, because a narrow table would wrap it.
        """
        console.print(self.title, style="italic", markup=False)
        console.print(self.table())

    def markdown(self) -> list[str]:
        """Returns the lines of the table as Markdown, without its title."""
        align = ["---" if i < self.texts else "---:" for i in range(len(self.heads))]
        rows = [self.heads, *(cells for cells, _ in self.rows)]
        lines = [
            f"| {' | '.join(' '.join(str(c).split()).replace('|', chr(92) + '|') for c in row)} |"
            for row in rows
        ]
        return [lines[0], f"|{'|'.join(align)}|", *lines[1:], ""]

    def titled_markdown(self) -> list[str]:
        return [f"{' '.join(self.title.split())}:", "", *self.markdown()]


def print_lines(console: Console, lines: Sequence[str], style: str | None = None) -> None:
    for line in lines:
        console.print(line, style=style, markup=False)


def print_page(console: Console, sheets: Sequence[Sheet], lines: Sequence[str]) -> None:
    for sheet in sheets:
        sheet.show(console)
    print_lines(console, lines)


def markdown_page(sheets: Sequence[Sheet], lines: Sequence[str]) -> str:
    """Returns the content of print_page as Markdown, for a page of docs/measured."""
    tables = [line for sheet in sheets for line in sheet.titled_markdown()]
    return "\n".join([*tables, *(f"- {line}" for line in lines), ""])


@dataclass(frozen=True)
class Destination:
    """Where the results of a benchmark are written. `json` is the path of the JSON file, or None. A
    picture has a path for each of `suffixes`: `stem`, the picture's own part, the suffix."""

    json: Path | None
    stem: Path = Path()
    suffixes: Sequence[str] = ()

    def start(self, *others: Path | None) -> Console:
        """Returns the console for the results. Creates missing folders first, also those of
        `others`, so that an unusable folder is an error before the measurements."""
        pictures = (self.stem.with_name(f"{self.stem.name}{s}") for s in self.suffixes)
        prepare_folders([self.json, *pictures, *others])
        return make_console(self.json)

    def draw(self, console: Console, pictures: Mapping[str, Callable[[], Any]]) -> list[Path]:
        """Draws and writes the pictures, given by their parts of the file name. Draws none if there
        are no suffixes. Returns the paths."""
        if not self.suffixes:
            return []
        from ringlet.plots import save

        written = []
        for name, make in pictures.items():
            paths = [self.stem.with_name(f"{self.stem.name}{name}{s}") for s in self.suffixes]
            save(make(), paths)
            written += paths
        note_written(console, *written)
        return written

    def write(
        self,
        console: Console,
        content: dict[str, Any],
        pictures: Mapping[str, Callable[[], Any]],
        markdown: str | None = None,
    ) -> None:
        """Writes JSON, Markdown beside it, and pictures, as far as they were requested. Prints
        their names."""
        if self.json is not None:
            write_json(self.json, content)
            page = None if markdown is None else beside(self.json, ".md")
            if page is not None:
                write_atomically(page, markdown or "")
            note_written(console, self.json, page)
        self.draw(console, pictures)
