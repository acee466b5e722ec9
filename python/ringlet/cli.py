# SPDX-License-Identifier: Apache-2.0
"""The command `ringlet`, put together of the subcommands in `ringlet.commands`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from . import __version__
from .commands.bench_distributed import bench_distributed
from .commands.bench_fv import bench_fv
from .commands.bench_gpu import bench_gpu
from .commands.bench_ntt import bench_ntt
from .commands.bench_schemes import bench_schemes
from .commands.bench_tables import bench_tables
from .commands.bench_wide import bench_wide
from .commands.bench_widths import bench_widths
from .commands.completion import completion
from .commands.demo import demo
from .commands.info import info
from .commands.params import params
from .commands.report import report
from .commands.rings import rings
from .commands.tune import tune
from .console import Commands

# The first character keeps the line break.
_HELP = """\bLattice cryptography on every instruction set of this machine.
Exit codes: 0 done, 1 a check failed, 2 refused, 130 interrupted."""

# The panels of `ringlet --help`, and in them the subcommands in their order.
_PANELS: dict[str, tuple[Callable[..., Any], ...]] = {
    "Encryption": (demo, params, rings),
    "This machine": (info, report, tune, completion),
}

_BENCHMARKS: dict[str, Callable[..., Any]] = {
    "ntt": bench_ntt,
    "widths": bench_widths,
    "tables": bench_tables,
    "gpu": bench_gpu,
    "schemes": bench_schemes,
    "fv": bench_fv,
    "wide": bench_wide,
    "distributed": bench_distributed,
}

app = typer.Typer(
    name="ringlet",
    cls=Commands,
    help=_HELP,
    no_args_is_help=True,
    # `ringlet completion` prints the script instead: two options less on the first screen.
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
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show and exit."),
    ] = False,
) -> None:
    pass


for _panel, _commands in _PANELS.items():
    for _command in _commands:
        app.command(rich_help_panel=_panel)(_command)

_bench = typer.Typer(help="Time kernels, transforms and schemes.", no_args_is_help=True)
for _name, _command in _BENCHMARKS.items():
    _bench.command(_name)(_command)
app.add_typer(_bench, name="bench", rich_help_panel="This machine")


def make_command() -> Callable[[], Any]:
    """The command with all subcommands. Calling it runs the command line and ends the process."""
    return typer.main.get_command(app)


def main() -> None:
    """Entry point of `python -m ringlet`."""
    make_command()()


if __name__ == "__main__":
    main()
