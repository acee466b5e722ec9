# SPDX-License-Identifier: Apache-2.0
"""Options that several subcommands share, and the functions that read their values."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import InvalidArgument


def option(*names: str, help: str, metavar: str | None = None, panel: str | None = None) -> Any:
    """Makes an option that takes one line of the help. The text of the option contains its default
    value in parentheses."""
    return typer.Option(
        *names, help=help, metavar=metavar, rich_help_panel=panel, show_default=False
    )


Output = Annotated[
    Path, option("--output", "-o", metavar="DIR", help="Folder for the files (current).")
]
JsonFile = Annotated[
    Path | None,
    option("--json", metavar="FILE", help="Write JSON to FILE; - is stdout."),
]


def integers(text: str, option: str, command: str) -> list[int]:
    """Returns the different integers of a list such as "1024,4096", in their order. Raises
    InvalidArgument for other texts."""
    try:
        values = [int(part) for part in text.split(",")]
    except ValueError:
        raise InvalidArgument(
            command,
            f"{option} {text!r}",
            "integers, separated by commas",
            f"write for example {option} 1024,4096",
        ) from None
    return list(dict.fromkeys(values))


def some_integers(text: str | None, option: str, command: str) -> list[int] | None:
    """Returns the integers of a list, or None if the option was not given."""
    return None if text is None else integers(text, option, command)


@dataclass(frozen=True)
class Files:
    """The folder and the kinds of pictures that a command writes."""

    folder: Path
    png: bool = False
    svg: bool = False

    @property
    def suffixes(self) -> list[str]:
        """Suffixes of the wanted kinds of pictures."""
        return [suffix for suffix, wanted in ((".png", self.png), (".svg", self.svg)) if wanted]

    def pictures(self, name: str) -> list[Path]:
        """Returns the paths of the pictures of this name, in the wanted kinds."""
        return [self.folder / f"{name}{suffix}" for suffix in self.suffixes]
