# SPDX-License-Identifier: Apache-2.0
"""Programs that several compilers built for `ringlet bench ntt --figures`: their times, the
instructions that they execute, and the counts of Valgrind's cachegrind."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ringlet.errors import InvalidArgument, RuntimeFailure

from .. import executed
from .mix import Mix, mix_of
from .variants import OPERATION, Variant
from ..timing import Times

TIMING, COUNTING = "ringlet_bench_ntt_variants", "ringlet_variant_once"
COUNTED = "every instruction that the processor executes in one transform, by stepping through it"
CACHEGRIND = (
    "Valgrind's cachegrind: a run with three calls minus one with one call, halved; mispredictions "
    "are those of its model of a processor"
)
_TIMEOUT_S = 900
# Our names of cachegrind's events.
EVENTS = {
    "instructions": ("Ir",),
    "branches": ("Bc", "Bi"),
    "mispredictions": ("Bcm", "Bim"),
    "loads": ("Dr",),
    "stores": ("Dw",),
}


@dataclass(frozen=True)
class Build:
    """The programs of one compiler: the folder "bench" of a build with RINGLET_BUILD_BENCH=ON."""

    name: str  # "clang" or "gcc"
    folder: Path

    def check(self) -> None:
        for name in (TIMING, COUNTING):
            if not (self.folder / name).is_file():
                raise InvalidArgument(
                    OPERATION,
                    f"--{self.name} {self.folder}: no {name}",
                    "the folder bench of a build with RINGLET_BUILD_BENCH=ON",
                    "build the missing part with scripts/bench.sh, or leave the option out",
                )

    def variants(self, table: str, degree: int, bits: int) -> list[Variant]:
        """Returns the variants of a table that the program has and this processor runs."""
        text = _run([str(self.folder / COUNTING), "list", str(degree), str(bits)])
        found = [Variant(*line.split()) for line in text.splitlines()]
        return [variant for variant in dict.fromkeys(found) if variant.table == table]

    def describe(self, variant: Variant, degree: int, bits: int) -> str:
        """Returns the compiler and its options, as the program reports them."""
        text = _run([str(self.folder / COUNTING), *_call(variant, "forward", degree, bits), "0"])
        return text.split("\n")[0].split(" ", 1)[1]


@dataclass
class ProgramRow(Times):
    """Microseconds per transform of one variant in the program of one compiler, with the fastest
    block of each turn."""

    compiler: str
    variant: Variant
    direction: str
    degree: int


@dataclass
class Counts:
    """Counts of one transform in a compiler's program."""

    compiler: str
    variant: Variant
    direction: str
    degree: int
    source: str  # "stepped" or "cachegrind"
    mix: Mix | None = None
    events: dict[str, float] = field(default_factory=dict)

    def value(self, what: str) -> float:
        """Returns a count by a name in EVENTS. The source must have this count."""
        if self.mix is not None:
            return float(self.mix.to_json()[what])
        return self.events[what]


def _run(command: Sequence[str]) -> str:
    try:
        result = subprocess.run(
            command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RuntimeFailure(
            OPERATION, f"{command[0]}: {error}", "a program that runs", "run scripts/bench.sh"
        ) from None
    if result.returncode != 0:
        last = (result.stderr.strip() or result.stdout.strip() or "no message").split("\n")[-1]
        raise RuntimeFailure(
            OPERATION,
            f"{' '.join(command[:3])} ...: status {result.returncode}: {last}",
            "status 0",
            "build the programs again with scripts/bench.sh, or leave the option out",
        )
    return result.stdout


def _call(variant: Variant, direction: str, degree: int, bits: int) -> list[str]:
    return [variant.kernel, variant.form, direction, str(degree), str(bits)]


_NAME = re.compile(r"ntt_(forward|inverse)/([^/]+/[^/]+)/([^/]+)/n=(\d+)/q=\d+")


def parse_times(text: str, compiler: str) -> list[ProgramRow]:
    """Reads the rows from the JSON of Google Benchmark that the timing program prints, in
    microseconds."""
    rows = []
    for entry in json.loads(text)["benchmarks"]:
        name = _NAME.fullmatch(entry["name"])
        if name is None or entry["time_unit"] != "us":
            continue
        variant = Variant(name[2], name[3])
        time = entry["min"] / (2 if variant.form == "two" else 1)
        rows.append(ProgramRow(compiler, variant, name[1], int(name[4]), times_us=[time]))
    return rows


def time_in_turn(
    builds: Sequence[Build], tables: Sequence[str], degree: int, turns: int, seconds: float
) -> list[ProgramRow]:
    """Times all variants of some tables at one length. The programs run in turn, and in each turn
    run every variant for `seconds` seconds."""
    found: dict[tuple[str, Variant, str], ProgramRow] = {}
    chosen = "|".join(re.escape(table) for table in tables)
    for _ in range(turns):
        for build in builds:
            options = (
                f"--benchmark_filter=^ntt_[a-z]+/({chosen})/.*/n={degree}/",
                f"--benchmark_min_time={seconds}",
                "--benchmark_format=json",
            )
            text = _run([str(build.folder / TIMING), *options])
            for row in parse_times(text, build.name):
                key = (row.compiler, row.variant, row.direction)
                if key in found:
                    found[key].times_us += row.times_us
                else:
                    found[key] = row
    return list(found.values())


def step_problem() -> str:
    """Returns why stepping is impossible on this machine, or "" if it is possible."""
    lacking = [name for name in ("objdump", "readelf") if shutil.which(name) is None]
    return f"{lacking[0]} is not installed" if lacking else ""


def count_by_stepping(
    build: Build, calls: Sequence[tuple[Variant, str]], degree: int, bits: int
) -> list[Counts]:
    """Counts every executed instruction of variants in directions exactly, for all instruction
    sets."""
    command = [sys.executable, "-I", str(executed.__file__), str(build.folder / COUNTING)]
    for i, (variant, direction) in enumerate(calls):
        separator = ["--"] if i else []
        command += [*separator, *_call(variant, direction, degree, bits), "step"]
    found = []
    for (variant, direction), report in zip(calls, json.loads(_run(command)), strict=True):
        polynomials = int(report["output"].split()[0])
        mix = mix_of(report["instructions"], polynomials)
        found.append(Counts(build.name, variant, direction, degree, "stepped", mix))
    return found


def parse_cachegrind(text: str) -> dict[str, int]:
    """Returns the totals in a file that cachegrind wrote."""
    names: list[str] = []
    for line in text.splitlines():
        if line.startswith("events:"):
            names = line.split()[1:]
        elif line.startswith("summary:"):
            return dict(zip(names, map(int, line.split()[1:]), strict=True))
    raise RuntimeFailure(
        OPERATION, "cachegrind wrote no summary line", "one summary line", "run the command again"
    )


def cachegrind_problem() -> str:
    """Returns why cachegrind cannot count on this machine, or "" if it can."""
    return "" if shutil.which("valgrind") else "Valgrind is not installed"


def count_by_cachegrind(
    build: Build, variant: Variant, direction: str, degree: int, bits: int, folder: Path
) -> Counts:
    """Counts with cachegrind. The variant must be scalar, because Valgrind does not run AVX-512."""
    totals: list[dict[str, int]] = []
    polynomials = 1
    for calls in (1, 3):
        file = folder / f"cachegrind.{calls}"
        tool = ("valgrind", "--tool=cachegrind", "--cache-sim=yes", "--branch-sim=yes")
        program = (str(build.folder / COUNTING), *_call(variant, direction, degree, bits))
        text = _run([*tool, f"--cachegrind-out-file={file}", *program, str(calls)])
        polynomials = int(text.split()[0])
        totals.append(parse_cachegrind(file.read_text()))
    one, three = totals
    events: dict[str, float] = {
        name: sum(three[e] - one[e] for e in parts) / (2 * polynomials)
        for name, parts in EVENTS.items()
    }
    return Counts(build.name, variant, direction, degree, "cachegrind", events=events)


def to_json(counts: Counts) -> dict[str, Any]:
    """Returns the counts as an entry of the report."""
    values = counts.events if counts.mix is None else counts.mix.to_json()
    own = ("direction", "degree", "source")
    where = {"compiler": counts.compiler, **asdict(counts.variant)}
    return {**where, **{name: getattr(counts, name) for name in own}, **values}
