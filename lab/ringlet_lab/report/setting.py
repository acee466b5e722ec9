# SPDX-License-Identifier: Apache-2.0
"""The settings that a section of a report receives, and how it reports its progress."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import Protocol

from rich.console import Console

OPERATION = "ringlet report"


class Steps(Protocol):
    """Receives the progress of a section, for a bar on the terminal or for nothing."""

    def begin(self, text: str, total: int | None = None) -> None:
        """Begins a part of `total` steps, or of an unknown number if `total` is None."""

    def advance(self) -> None:
        """Counts one step as done."""


class NoSteps:
    """Ignores the progress."""

    def begin(self, text: str, total: int | None = None) -> None:
        """Does nothing."""

    def advance(self) -> None:
        """Does nothing."""


@dataclass(frozen=True)
class Setting:
    """Settings of one run. `quick`: small sizes and few rounds. `device`: name of a device of
    OpenCL or CUDA, or None for the first device."""

    quick: bool = False
    device: str | None = None
    steps: Steps = field(default_factory=NoSteps)


def silent_console() -> Console:
    """Returns a console without output, for measurements that would draw a bar of their own."""
    return Console(file=io.StringIO(), quiet=True)
