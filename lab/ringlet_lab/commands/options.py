# SPDX-License-Identifier: Apache-2.0
"""Options that all benchmarks have."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from ringlet.commands.options import Files, Output, option
from ringlet.errors import InvalidArgument

from ..bench.output import Destination

BenchJson = Annotated[
    Path | None,
    option("--json", metavar="FILE", help="Write JSON to FILE; - is stdout."),
]
NoJson = Annotated[bool, option("--no-json", help="Write no JSON.")]


@dataclass(frozen=True)
class ResultFiles(Files):
    """The JSON and the pictures that a benchmark writes."""

    named_json: Path | None = None
    no_json: bool = False

    def json(self, name: str) -> Path | None:
        """Returns the path of the JSON: the given path, else a file with this name, or None for
        --no-json."""
        if not self.no_json:
            return self.named_json or self.folder / f"{name}.json"
        if self.named_json is not None:
            given = f"--json {self.named_json} --no-json"
            remedy = "remove one of the two"
            raise InvalidArgument("ringlet bench", given, "only one of the two", remedy)
        return None

    def of(self, name: str, pictures: str | None = None) -> Destination:
        """Returns the Destination of results with this file name. `pictures` gives pictures another
        name."""
        return Destination(self.json(name), self.folder / (pictures or name), self.suffixes)


def with_files(command: Callable[..., None]) -> Callable[..., None]:
    """Returns a benchmark's command with the options of all benchmarks that write JSON and
    pictures. The command receives their values as one argument `files`."""

    def take(
        *,
        json: BenchJson = None,
        no_json: NoJson = False,
        png: Annotated[bool, option("--png/--no-png", help="Write PNG pictures (yes).")] = True,
        svg: Annotated[bool, option("--svg/--no-svg", help="Write SVG pictures (no).")] = False,
        output: Output = Path("."),
        **others: Any,
    ) -> None:
        command(files=ResultFiles(output, png, svg, json, no_json), **others)

    # Typer reads the options of a command from its signature.
    own = inspect.signature(command, eval_str=True).parameters
    shared = inspect.signature(take, eval_str=True).parameters
    parameters = [own[name] for name in own if name != "files"]
    parameters += [shared[name] for name in shared if name != "others"]
    functools.update_wrapper(take, command)
    take.__signature__ = inspect.Signature(parameters)
    return take
