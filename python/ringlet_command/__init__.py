# SPDX-License-Identifier: Apache-2.0
"""The start of the command `ringlet`: Ctrl-C ends it in one line before the package is there, too.

It stands beside the package because importing a module of `ringlet` first imports all that
`import ringlet` does, NumPy among it.
"""

from __future__ import annotations

import os
import signal


def _end(*_: object) -> None:
    # Nothing has to be cleaned up yet, and an exception would be lost in some of the imports.
    os.write(2, b"ringlet: interrupted\n")
    os._exit(130)


def main() -> None:
    """Entry point of the console script."""
    # Who starts a command in the background may have its interrupts ignored.
    is_heeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_heeded:
        signal.signal(signal.SIGINT, _end)
    from ringlet.cli import make_command

    command = make_command()
    if is_heeded:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    command()
