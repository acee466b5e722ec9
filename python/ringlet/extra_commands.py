# SPDX-License-Identifier: Apache-2.0
"""Subcommands of other packages: entry points of the group `ringlet.commands`, each a Typer app.

They are loaded when the help or one of them is needed, so other commands start without them. If
`ringlet-lab` is not installed, its subcommands are replaced by a message that says how to install
it.
"""

from __future__ import annotations

import functools
from importlib.metadata import entry_points
from typing import Any

import typer

from .console import Commands
from .errors import MissingPackage

GROUP = "ringlet.commands"
_PANEL = "This machine"
# The commands of the package ringlet-lab, in their order.
_LAB = ("bench", "report")


def _say_how_to_install(name: str) -> None:
    raise MissingPackage(
        f"ringlet {name}",
        "ringlet-lab is not installed",
        "a command of the package ringlet-lab",
        "run `pip install ringlet-lab`, or `make bench` in a clone of Ringlet",
    )


def _missing(name: str) -> Any:
    """Returns a command that takes any arguments and says how to install the missing command
    `name`."""
    app = typer.Typer(add_completion=False)
    settings = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}
    app.command(context_settings=settings)(lambda: _say_how_to_install(name))
    return typer.main.get_command(app)


class CommandsWithExtras(Commands):
    """The group of all commands, including those of other packages."""

    @functools.cached_property
    def _extras(self) -> dict[str, Any]:
        found = {entry.name: entry for entry in entry_points(group=GROUP)}
        names = sorted(found, key=lambda name: (name not in _LAB, name))
        extras = {}
        for name in names:
            command = typer.main.get_command(found[name].load())
            command.name = name
            command.rich_help_panel = _PANEL
            extras[name] = command
        return extras

    def list_commands(self, ctx: typer.Context) -> list[str]:
        """Returns the names of the installed commands."""
        own = super().list_commands(ctx)
        return [*own, *(name for name in self._extras if name not in own)]

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:
        """Returns the command of this name. For a missing command of the laboratory, returns one
        that says how to install it."""
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        extra = self._extras.get(cmd_name)
        return _missing(cmd_name) if extra is None and cmd_name in _LAB else extra
