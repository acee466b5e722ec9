# SPDX-License-Identifier: Apache-2.0
"""Output of the command: one console, one line for each error, and exit codes."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

import typer
from rich.console import Console
from typer.core import TyperGroup

from .errors import RingletError
from .files import STANDARD_OUTPUT

EXIT_FAILED = 1
EXIT_REFUSED = 2
EXIT_INTERRUPTED = 130

# The width for a pipe or a file, which has no width of its own; tables need about this much.
_PLAIN_WIDTH = 120

COMPLETION_VARIABLE = "_RINGLET_COMPLETE"


def make_console(json: Path | None = None) -> Console:
    """Returns a console on standard output; without a terminal it is wide enough for the tables.

    If JSON goes to standard output, the console writes to standard error.
    """
    is_aside = json == STANDARD_OUTPUT
    stream = sys.stderr if is_aside else sys.stdout
    width = None if stream.isatty() else _PLAIN_WIDTH
    return Console(highlight=False, stderr=is_aside, width=width)


def complain(message: str) -> None:
    """Writes an error as one line to standard error."""
    line = " ".join(message.split())
    # A reader that closed standard error does not want the message.
    with contextlib.suppress(OSError):
        print(f"ringlet: error: {line}", file=sys.stderr)


def _discard(stream: TextIO) -> None:
    """Sends the unwritten rest of a stream that failed to the null device. Otherwise Python would
    report the failure again when it flushes at exit."""
    with contextlib.suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


def _file_message(error: OSError) -> str:
    where = error.filename if error.filename is not None else "standard output"
    reason = error.strerror or str(error) or type(error).__name__
    return f"{where}: {reason}; check the path, its permissions and the space left"


def _failure_code(error: BaseException) -> int:
    """Reports an error to the user and returns its exit code. Raises the error again if a user
    cannot act on it."""
    if isinstance(error, (KeyboardInterrupt, typer.Abort)):
        return EXIT_INTERRUPTED
    if isinstance(error, BrokenPipeError):
        # The reader has seen enough.
        _discard(sys.stdout)
        return EXIT_FAILED
    if isinstance(error, OSError) and not isinstance(error, RingletError):
        complain(_file_message(error))
        # Reports a full disk once: the rest of standard output would fail again.
        try:
            sys.stdout.flush()
        except OSError:
            _discard(sys.stdout)
        return EXIT_REFUSED
    if isinstance(error, (RingletError, MemoryError)):
        complain(str(error) or type(error).__name__)
        return EXIT_REFUSED
    if hasattr(error, "format_message"):
        # Typer found a misuse: an unknown option, a value of the wrong type.
        said = error.format_message().rstrip(".")
        context = getattr(error, "ctx", None)
        name = context.command_path if context else "ringlet"
        if said:
            complain(f"{said}. Try '{name} --help'.")
        return EXIT_REFUSED
    raise error


def _flush() -> int:
    """Writes the buffered output and returns an exit code: a full disk or a closed pipe shows only
    here."""
    try:
        sys.stdout.flush()
    except OSError as error:
        return _failure_code(error)
    return 0


class Commands(TyperGroup):
    """The group of all commands. It turns every failure that a user can act on into one line and an
    exit code: 1 for a failed check, 2 for a refusal, 130 for Ctrl-C."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Runs the command line `args`, and ends the process unless `standalone_mode` is off."""
        for stream in (sys.stdout, sys.stderr):
            # A terminal without UTF-8 shows a question mark for each character that it lacks.
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")
        if COMPLETION_VARIABLE in os.environ:
            from typer.completion import completion_init

            completion_init()
        try:
            code = super().main(
                args=args,
                prog_name=prog_name or "ringlet",
                complete_var=complete_var or COMPLETION_VARIABLE,
                standalone_mode=False,
                windows_expand_args=windows_expand_args,
                **extra,
            )
        except (Exception, KeyboardInterrupt) as error:
            code = _failure_code(error)
        # If interrupted while it reads the arguments, Typer returns this code without a message.
        if code == EXIT_INTERRUPTED:
            with contextlib.suppress(OSError):
                print("ringlet: interrupted", file=sys.stderr)
        code = _flush() or (code if isinstance(code, int) else 0)
        if standalone_mode:
            sys.exit(code)
        return code

    def invoke(self, ctx: typer.Context) -> Any:
        """Runs the chosen command."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, BrokenPipeError) as error:
            raise typer.Exit(_failure_code(error)) from None
