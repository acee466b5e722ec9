# SPDX-License-Identifier: Apache-2.0
"""Starts the command `ringlet`. Ctrl-C ends it with one line even before the package is loaded.

This module is outside of the package because importing a module of `ringlet` first runs all imports
of `ringlet` itself, for example NumPy.
"""

from __future__ import annotations

import os
import signal


def _end(*_: object) -> None:
    # Nothing needs cleaning up yet, and some of the imports would swallow an exception.
    os.write(2, b"ringlet: interrupted\n")
    os._exit(130)


def main() -> None:
    """Runs the command: entry point of the console script."""
    # A shell that starts a command in the background may make it ignore interrupts.
    is_heeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_heeded:
        signal.signal(signal.SIGINT, _end)
    from ringlet.cli import make_command

    command = make_command()
    if is_heeded:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    command()
