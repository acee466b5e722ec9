# SPDX-License-Identifier: Apache-2.0
"""What all applications need besides Ringlet: their options, their data, and their report."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ringlet.errors import InvalidArgument, RingletError

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
    """Runs an application; an error is printed as one sentence, and the status is 2."""
    try:
        return main()
    except (RingletError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


@dataclass(frozen=True)
class Table:
    """A CSV file of numbers."""

    path: Path
    names: list[str]
    rows: NDArray[np.float64]

    def columns(self, names: Iterable[str]) -> NDArray[np.float64]:
        """The columns of these names, side by side."""
        wanted = list(names)
        missing = [name for name in wanted if name not in self.names]
        if missing:
            raise _unreadable(self.path, "no column " + ", ".join(missing), ", ".join(wanted))
        return self.rows[:, [self.names.index(name) for name in wanted]]


def read_csv(
    path: Path, least_rows: int = 1, most_rows: int | None = None, columns: int | None = None
) -> Table:
    """The names of the columns in the first line, then one line a row.

    Raises InvalidArgument for lines that do not hold a finite number for every name, and for other
    counts of rows and columns than these; None is any.
    """
    try:
        first, *lines = path.read_text(encoding="utf-8").splitlines() or [""]
    except UnicodeDecodeError as error:
        raise _unreadable(path, str(error), "text in UTF-8") from error
    names = first.split(",")
    if columns is not None and len(names) != columns:
        raise _unreadable(path, f"{len(names)} columns", f"{columns} columns")
    if len(lines) < least_rows or (most_rows is not None and len(lines) > most_rows):
        most = "" if most_rows is None else f", at most {most_rows}"
        raise _unreadable(path, f"{len(lines)} rows", f"at least {least_rows}{most}")
    return Table(path, names, np.array([_numbers(path, line, len(names)) for line in lines]))


def _numbers(path: Path, line: str, count: int) -> list[float]:
    try:
        numbers = [float(part) for part in line.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != count or not all(map(math.isfinite, numbers)):
        raise _unreadable(path, f"the line '{line[:60]}'", f"{count} finite numbers in every line")
    return numbers


def _unreadable(path: Path, what: str, limit: str) -> InvalidArgument:
    remedy = "name a folder with these files by --data, or leave the option out"
    return InvalidArgument("read_csv", f"{path}: {what}", limit, remedy)


def checked(values: NDArray[np.float64], largest: float) -> NDArray[np.float64]:
    """What a party does before it encrypts: the parameters are for values up to a bound that all
    sides know, and results of larger ones would be wrong without a sign."""
    if np.abs(values).max() > largest:
        raise InvalidArgument(
            "encrypt",
            f"the value {np.abs(values).max():g}",
            f"at most {largest:g}, the bound that all sides know",
            "use parameters with a larger bound, on which all sides agree",
        )
    return values


class Report:
    """What an application prints as it goes: results, bytes, times and verdicts."""

    def __init__(self, name: str, chosen: argparse.Namespace) -> None:
        self._json: Path | None = chosen.json
        # Checks this before any computation.
        if self._json is not None and not self._json.parent.is_dir():
            raise InvalidArgument(
                "--json", str(self._json), "a file in a folder that exists", "make the folder first"
            )
        self._head = {"application": name, "device": chosen.device}
        self._results: dict[str, float | str] = {}
        self._bytes: dict[str, int] = {}
        self._checks: dict[str, bool] = {}
        self._seconds: dict[str, float] = {}
        print(f"{name}: the server computes on {chosen.device}")

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Takes the time of a block: wall clock, in seconds."""
        start = time.perf_counter()
        yield
        self._seconds[name] = time.perf_counter() - start

    def show(self, what: str, value: float | str) -> None:
        """A result, or a property such as a noise budget."""
        shown = value if isinstance(value, str) else f"{value:.6g}"
        print(f"  {what}: {shown}")
        # JSON has neither infinity nor NaN.
        self._results[what] = value if isinstance(value, str) or math.isfinite(value) else shown

    def sent(self, what: str, *messages: bytes) -> None:
        """Messages of one kind that went from one side to another."""
        self._bytes[what] = sum(len(message) for message in messages)
        print(f"  {what}: {self._bytes[what] / 1e6:.3f} MB")

    def check(self, what: str, holds: bool) -> None:
        """A promise of the application: one that does not hold makes its exit status 1."""
        self._checks[what] = bool(holds)
        print(f"  {what}: {'right' if holds else 'WRONG'}")

    def finish(self) -> int:
        """Prints the times and writes the JSON file; the exit status."""
        for name, seconds in self._seconds.items():
            print(f"  {name}: {seconds:.3f} s")
        if self._json is not None:
            content = {
                **self._head,
                "results": self._results,
                "bytes": self._bytes,
                "checks": self._checks,
                "seconds": self._seconds,
            }
            self._json.write_text(json.dumps(content, indent=2) + "\n")
        return 0 if all(self._checks.values()) else 1


def bits(error: float) -> float:
    """A largest error as bits of precision: -log2 of it; of none at all what a double holds."""
    return float(-np.log2(max(error, 2.0**-53)))
