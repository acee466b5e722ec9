# SPDX-License-Identifier: Apache-2.0
"""Runs the program that times SEAL's interface beside Ringlet's own, and beside SEAL itself."""

from __future__ import annotations

import json
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from ringlet.errors import InvalidArgument, RuntimeFailure
from ringlet.progress import counted_steps

from ..._lab import Stopwatch
from ..timing import Clock, load

OPERATION = "ringlet bench seal"
PROGRAM, MODULE = "ringlet_bench_seal", "libringlet_bench_seal_module.so"
SCHEMES = ("bfv", "bgv", "ckks")
DEGREES = (1024, 2048, 4096, 8192, 16384, 32768)
_BUILD = "run `make bench ARGS=seal` in a clone of Ringlet, which builds the program and passes it"
_TIMEOUT_S = 3600


@dataclass(kw_only=True)
class Row:
    """The times of one operation in microseconds: (minimum, median) of each interface, which is
    "own", "interface" (SEAL's interface of Ringlet) or "seal" (SEAL itself)."""

    scheme: str
    degree: int
    operation: str
    times: dict[str, tuple[float, float]] = field(default_factory=dict)

    def ratio(self, interface: str, base: str, which: int = 0) -> float | None:
        """Returns the ratio of two interfaces' minima, or of their medians for `which` = 1."""
        if interface not in self.times:
            return None
        return self.times[interface][which] / self.times[base][which]


@dataclass(kw_only=True)
class Results(Clock):
    """All rows, the entries from which they were read, and the version of SEAL, if it was timed."""

    rows: list[Row] = field(default_factory=list)
    entries: list[dict[str, Any]] = field(default_factory=list)
    seal_version: str = ""


def find_program(program: Path | None) -> Path:
    """Returns the program. Raises InvalidArgument if it is not built."""
    if program is not None and program.is_file():
        return program
    given = "no --program" if program is None else f"--program {program}: no such file"
    raise InvalidArgument(OPERATION, given, f"the program {PROGRAM} of a build", _BUILD)


def _run(program: Path, scheme: str, degree: int, rounds: int, file: Path) -> dict[str, Any]:
    module = program.with_name(MODULE)
    options = ["--scheme", scheme, "--degree", str(degree), "--rounds", str(rounds)]
    beside = ["--seal", str(module)] if module.is_file() else []
    command = [str(program), *options, "--json", str(file), *beside]
    try:
        result = subprocess.run(
            command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
        )
        problem = f"status {result.returncode}: {result.stderr.strip()}"
        if result.returncode == 0:
            found: dict[str, Any] = json.loads(file.read_text())
            return found
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        problem = str(error)
    what = f"{program.name} for {scheme} and N = {degree}: {problem}"
    raise RuntimeFailure(OPERATION, what, "a program that measures", _BUILD)


def rows_of(entries: list[dict[str, Any]]) -> list[Row]:
    """Returns the rows of the program's entries, in their order."""
    rows: dict[str, Row] = {}
    for entry in entries:
        where, interface = entry["name"].rsplit("/", 1)
        scheme, degree, operation = where.split("/")
        row = Row(scheme=scheme, degree=int(degree.removeprefix("n=")), operation=operation)
        rows.setdefault(where, row).times[interface] = (entry["min"], entry["median"])
    return list(rows.values())


def measure(
    console: Console, program: Path, schemes: list[str], degrees: list[int], rounds: int
) -> Results:
    """Runs the program for every scheme and degree."""
    stopwatch = Stopwatch()
    results = Results(clock_hz=[], rounds=rounds)
    before = load()
    cases = [(scheme, degree) for scheme in schemes for degree in degrees]
    with tempfile.TemporaryDirectory() as folder, counted_steps(console) as progress:
        task = progress.add_task("measuring", total=len(cases))
        for scheme, degree in cases:
            stopwatch.run(1, 300.0)
            found = _run(program, scheme, degree, rounds, Path(folder, "found.json"))
            results.seal_version = found["context"]["seal_version"]
            results.entries += found["benchmarks"]
            progress.advance(task)
    results.clock_hz, results.load = list(stopwatch.clock_hz), (before, load())
    results.rows = rows_of(results.entries)
    return results
