# SPDX-License-Identifier: Apache-2.0
"""What all applications need besides Ringlet: their options, their data, and their report."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ringlet.errors import RingletError

DATA = Path(__file__).resolve().parents[1] / "data"


def options(description: str | None) -> argparse.ArgumentParser:
    """The options of every application; --device is RINGLET_DEVICE, or else the processor."""
    parser = argparse.ArgumentParser(description=(description or "").split("\n")[0])
    device = os.environ.get("RINGLET_DEVICE") or "cpu"
    parser.add_argument("--device", default=device, help="where the server computes: cpu, gpu:0")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the CSV files")
    parser.add_argument("--json", type=Path, help="write the report to this file, too")
    return parser


def start(main: Callable[[], int]) -> int:
    """Runs an application; what it is refused is said in a sentence, and the status is 2."""
    try:
        return main()
    except (RingletError, OSError) as error:
        print(error, file=sys.stderr)
        return 2


def read_csv(path: Path) -> tuple[list[str], NDArray[np.float64]]:
    """The names of the columns, and the rows."""
    with path.open() as lines:
        names = lines.readline().strip().split(",")
        return names, np.loadtxt(lines, delimiter=",", ndmin=2)


class Report:
    """What an application prints as it goes: results, bytes, times and verdicts."""

    def __init__(self, name: str, chosen: argparse.Namespace) -> None:
        self._json: Path | None = chosen.json
        self._failed = False
        self._content: dict[str, object] = {"application": name, "device": chosen.device}
        print(f"{name}: the server computes on {chosen.device}")

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Takes the time of a block: wall clock, in seconds."""
        start = time.perf_counter()
        yield
        self._keep("seconds", name, time.perf_counter() - start)

    def show(self, what: str, value: float | str) -> None:
        """A result, or a property such as a noise budget."""
        shown = value if isinstance(value, str) else f"{value:.6g}"
        print(f"  {what}: {shown}")
        self._keep("results", what, value)

    def sent(self, what: str, *messages: bytes) -> None:
        """Messages of one kind that went from one side to another."""
        size = sum(len(message) for message in messages)
        print(f"  {what}: {size / 1e6:.3f} MB")
        self._keep("bytes", what, size)

    def check(self, what: str, holds: bool) -> None:
        """A promise of the application: one that does not hold makes its exit status 1."""
        print(f"  {what}: {'right' if holds else 'WRONG'}")
        self._keep("checks", what, bool(holds))
        self._failed = self._failed or not holds

    def finish(self) -> int:
        """Prints the times and writes the JSON file; the exit status."""
        for name, seconds in self._part("seconds").items():
            print(f"  {name}: {seconds:.3f} s")
        if self._json is not None:
            self._json.write_text(json.dumps(self._content, indent=2) + "\n")
        return 1 if self._failed else 0

    def _part(self, part: str) -> dict[str, object]:
        values = self._content.setdefault(part, {})
        assert isinstance(values, dict)
        return values

    def _keep(self, part: str, name: str, value: object) -> None:
        self._part(part)[name] = value


def bits(error: float) -> float:
    """A largest error as bits of precision: -log2 of it; of none at all what a double holds."""
    return float(-np.log2(max(error, 2.0**-53)))
