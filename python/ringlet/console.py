# SPDX-License-Identifier: Apache-2.0
"""How the command talks: one console, and errors as one clean line."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import Any

import typer
from rich.console import Console

from .errors import RingletError

EXIT_FAILED = 1
EXIT_REFUSED = 2

# A pipe or a file has no width of its own; tables need about this much.
_PLAIN_WIDTH = 120


def make_console() -> Console:
    """A console on standard output, wide enough for the tables also when it is no terminal."""
    if sys.stdout.isatty():
        return Console(highlight=False)
    return Console(highlight=False, width=_PLAIN_WIDTH)


def complain(message: str) -> None:
    """Writes an error as one line to standard error."""
    line = " ".join(message.split())
    print(f"ringlet: error: {line}", file=sys.stderr)


def reports_errors(command: Callable[..., Any]) -> Callable[..., Any]:
    """Turns the failures that a user can act on into one line and exit code 2."""

    @functools.wraps(command)
    def wrapped(*arguments: Any, **options: Any) -> Any:
        try:
            return command(*arguments, **options)
        except BrokenPipeError:
            # The reader has seen enough. Python would complain once more when it flushes at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(EXIT_FAILED) from None
        except (RingletError, OSError, MemoryError) as error:
            complain(str(error) or type(error).__name__)
            raise typer.Exit(EXIT_REFUSED) from None

    return wrapped
