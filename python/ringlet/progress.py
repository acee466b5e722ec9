# SPDX-License-Identifier: Apache-2.0
"""The bars of long calls, where they are asked for progress, and of long commands."""

from __future__ import annotations

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


def counted_steps(console: Console) -> Progress:
    """What is under way, how many steps are done and since when; gone when the command is over."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    return Progress(*columns, console=console, transient=True)


class Bar:
    """Steps of a circuit, or whatever `what` says, on standard error; gone when the call is over.

    A total of 0 is one that nobody knows."""

    def __init__(self, what: str = "steps") -> None:
        self._progress = Progress(
            what,
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task(what, total=None)
        self._progress.start()

    def __call__(self, done: int, total: int) -> None:
        self._progress.update(self._task, completed=done, total=total or None)

    def close(self) -> None:
        """Removes the bar."""
        self._progress.stop()
