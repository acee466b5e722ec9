# SPDX-License-Identifier: Apache-2.0
"""The command `ringlet`: the subcommands of `ringlet.commands`, and those of other packages
(`ringlet.extra_commands`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from . import __version__
from .commands.completion import completion
from .commands.demo import demo
from .commands.info import info
from .commands.params import params
from .commands.rings import rings
from .commands.tune import tune
from .extra_commands import CommandsWithExtras

# The first character keeps the line break.
_HELP = """\bLattice cryptography with kernels for AVX2, AVX-512, IFMA and portable C++.
Exit codes: 0 done, 1 a check failed, 2 refused, 130 interrupted."""

# The panels of `ringlet --help`, and in them the subcommands in their order.
_PANELS: dict[str, tuple[Callable[..., Any], ...]] = {
    "Encryption": (demo, params, rings),
    "This machine": (info, tune, completion),
}

app = typer.Typer(
    name="ringlet",
    cls=CommandsWithExtras,
    help=_HELP,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "token_normalize_func": str.lower},
    # `ringlet completion` prints the script instead, which saves two options on the first screen.
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ringlet {__version__}")
        raise typer.Exit()


@app.callback()
def _common(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    pass


for _panel, _commands in _PANELS.items():
    for _command in _commands:
        app.command(rich_help_panel=_panel)(_command)


def make_command() -> Callable[[], Any]:
    """Returns the command with all subcommands. Calling it runs the command line and ends the
    process."""
    return typer.main.get_command(app)


def main() -> None:
    """Runs the command: entry point of `python -m ringlet`."""
    make_command()()


if __name__ == "__main__":
    main()
