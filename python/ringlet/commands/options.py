# SPDX-License-Identifier: Apache-2.0
"""Options that several subcommands have, and how their texts are read."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Files:
    """What a command writes into a folder, by the options that say so."""

    folder: Path
    named_json: Path | None = None
    no_json: bool = False
    png: bool = False
    svg: bool = False

    @property
    def suffixes(self) -> list[str]:
        """The suffixes of the kinds of pictures that are wanted."""
        return [suffix for suffix, wanted in ((".png", self.png), (".svg", self.svg)) if wanted]

    def pictures(self, name: str) -> list[Path]:
        """The pictures of that name in the kinds that are wanted."""
        return [self.folder / f"{name}{suffix}" for suffix in self.suffixes]

    def json(self, name: str) -> Path | None:
        """Where JSON goes: to the file that was named, else to one of that name, or nowhere."""
        if not self.no_json:
            return self.named_json or self.folder / f"{name}.json"
        if self.named_json is not None:
            given = f"--json {self.named_json} --no-json"
            raise InvalidArgument("ringlet bench", given, "one of them", "leave out one")
        return None


def with_files(command: Callable[..., None]) -> Callable[..., None]:
    """A benchmark's command with the options of all that write JSON and pictures, which it takes
    as one argument `files`."""

    def take(
        json: BenchJson = None,
        no_json: NoJson = False,
        png: Annotated[bool, option("--png/--no-png", help="Write PNG pictures (yes).")] = True,
        svg: Annotated[bool, option("--svg/--no-svg", help="Write SVG pictures (no).")] = False,
        output: Output = Path("."),
        **others: Any,
    ) -> None:
        command(files=Files(output, json, no_json, png, svg), **others)

    # Typer reads the options of a command off its signature.
    own = inspect.signature(command, eval_str=True).parameters
    shared = inspect.signature(take, eval_str=True).parameters
    parameters = [own[name] for name in own if name != "files"]
    parameters += [shared[name] for name in shared if name != "others"]
    functools.update_wrapper(take, command)
    take.__signature__ = inspect.Signature(parameters)
    return take
