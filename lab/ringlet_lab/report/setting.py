# SPDX-License-Identifier: Apache-2.0
"""What the sections of a report are told, and how they tell how far they are."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import Protocol

from rich.console import Console

OPERATION = "ringlet report"


class Steps(Protocol):
    """Where a section says what it does: a bar of the terminal, or nothing."""

    def begin(self, text: str, total: int | None = None) -> None:
        """A new part of `total` steps; None where they are not counted."""

    def advance(self) -> None:
        """One step is done."""


class NoSteps:
    """Steps that nobody sees."""

    def begin(self, text: str, total: int | None = None) -> None:
        """Says nothing."""

    def advance(self) -> None:
        """Says nothing."""


@dataclass(frozen=True)
class Setting:
    """Of one run. `quick`: small sizes and few rounds. `device`: a device of OpenCL or CUDA by its
    name, or None for the first one that there is."""

    quick: bool = False
    device: str | None = None
    steps: Steps = field(default_factory=NoSteps)


def silent_console() -> Console:
    """For measuring code that would draw a bar of its own."""
    return Console(file=io.StringIO(), quiet=True)
