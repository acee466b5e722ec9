# SPDX-License-Identifier: Apache-2.0
"""Options that several subcommands have, and how their texts are read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import InvalidArgument



def option(*names: str, help: str, metavar: str | None = None, panel: str | None = None) -> Any:
    """An option on one line of the help: its default value is in parentheses in its text."""
    return typer.Option(
        *names, help=help, metavar=metavar, rich_help_panel=panel, show_default=False
    )


Output = Annotated[
    Path, option("--output", "-o", metavar="DIR", help="Folder for the files (this one).")
]
JsonFile = Annotated[
    Path | None,
    option("--json", metavar="FILE", help="The result as JSON; - is stdout."),
]
BenchJson = Annotated[
    Path | None,
    option("--json", metavar="FILE", help="JSON here, not in DIR; - is stdout."),
]
NoJson = Annotated[bool, option("--no-json", help="Write no JSON.")]
Png = Annotated[bool, option("--png/--no-png", help="Write PNG pictures (yes).")]
Svg = Annotated[bool, option("--svg/--no-svg", help="Write SVG pictures (no).")]
Rounds = Annotated[int | None, option(metavar="N", help="Rounds over everything.")]


def integers(text: str, option: str, command: str) -> list[int]:
    """The different integers of a list such as "1024,4096", in their order."""
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
    """The same, or None where the option was not given."""
    return None if text is None else integers(text, option, command)


def suffixes(png: bool, svg: bool) -> list[str]:
    """The suffixes of the kinds of pictures that are wanted."""
    return [suffix for suffix, wanted in ((".png", png), (".svg", svg)) if wanted]


def pictures(stem: Path, png: bool, svg: bool) -> list[Path]:
    """The pictures of that name in the kinds that are wanted."""
    return [stem.with_suffix(suffix) for suffix in suffixes(png, svg)]


def json_file(json: Path | None, no_json: bool, default: Path, command: str) -> Path | None:
    """Where JSON goes: to the file that was named, else to `default`, or nowhere."""
    if not no_json:
        return default if json is None else json
    if json is not None:
        raise InvalidArgument(command, f"--json {json} --no-json", "one of them", "leave out one")
    return None
