# SPDX-License-Identifier: Apache-2.0
"""Progress bars of long calls and long commands."""

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
    """Returns a bar that shows the current step, the number of finished steps and the elapsed time.
    It disappears at the end."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    return Progress(*columns, console=console, transient=True)


class Bar:
    """A progress bar on standard error. It disappears when the call is over.

    - what: name of the things that are counted. A total of 0 means that the total is unknown.
    """

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
