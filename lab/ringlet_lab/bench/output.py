# SPDX-License-Identifier: Apache-2.0
"""What the benchmarks share of what they show and write: numbers, tables and files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text
from ringlet.files import note_written, write_json


def number(value: float) -> str:
    """Three digits, or all before the point."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def quote(text: str) -> Text:
    """A figure of others, which is not measured."""
    return Text(f"“{text}”", "cyan italic")


def compact_table(title: str, columns: Sequence[str] = (), texts: int = 1) -> Table:
    """A table that one can add columns to. The first `texts` of `columns` hold text, the others
    numbers."""
    table = Table(
        title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False
    )
    for i, column in enumerate(columns):
        table.add_column(column, justify="left" if i < texts else "right", no_wrap=True)
    return table


def markdown_table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], texts: int | None = None
) -> list[str]:
    """Lines of Markdown. The columns from the `texts`-th on hold numbers; none do without it."""
    align = ["---" if texts is None or i < texts else "---:" for i in range(len(heads))]
    lines = [f"| {' | '.join(heads)} |", f"|{'|'.join(align)}|"]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows), ""]


def write_files(
    console: Console,
    json: Path | None,
    content: dict[str, Any],
    pictures: Sequence[Path],
    draw: Callable[[Sequence[Path]], None],
) -> None:
    """Writes JSON and pictures where they were asked for, and says so."""
    if json is not None:
        write_json(json, content)
        note_written(console, json)
    if pictures:
        draw(pictures)
    note_written(console, *pictures)
