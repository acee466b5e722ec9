# SPDX-License-Identifier: Apache-2.0
"""The variants of `ringlet bench ntt --figures` and their times (Figure 8 of Bradbury, Drucker and
Hillenbrand). Each kernel of transforms, in each of its forms, is compared with the radix-2 kernel
of its table.

All variants of one length are interleaved in one process: each round runs one block of every
variant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rich.console import Console
from ringlet import generate_ntt_primes
from ringlet.progress import counted_steps

from ..._lab import Stopwatch, add_ntt_variant, kernel_catalog, ntt_variants
from ..timing import Clock, Times, fill, load

OPERATION = "ringlet bench ntt --figures"
PAPER = (
    "Bradbury, Drucker, Hillenbrand, NTT software optimization using an extended Harvey butterfly"
)
DIRECTIONS = ("forward", "inverse")
DEGREES = tuple(1 << k for k in range(10, 17))
PAPER_DEGREES = tuple(1 << k for k in range(9, 15))
# The widest primes that every studied kernel takes: q < 2^52 / 16.
BITS = 48
ROUNDS = 100
_BLOCK_US = 200.0
# Section 7.2 of the paper: calls before the clock runs, calls in a timed block, and the number of
# blocks. The least average of a block counts.
WARM_UP, CALLS, TIMES = 10, 200, 10
INTERLEAVED = "interleaved rounds, one block of every variant in each; least and median block"
AS_IN_PAPER = (
    f"section 7.2 of the paper: each variant alone, {WARM_UP} calls to warm up, {CALLS} calls "
    f"averaged, {TIMES} times over; the least average, and the median beside it"
)


@dataclass(frozen=True)
class Variant:
    """A form of a kernel: ordered, unordered (Remark 2 of the paper), or two at once."""

    kernel: str
    form: str = "ordered"

    @property
    def table(self) -> str:
        return self.kernel.split("/")[0]

    @property
    def label(self) -> str:
        return self.kernel + {"ordered": "", "unordered": ", unordered", "two": ", two"}[self.form]

    @property
    def path(self) -> str:
        return f"{self.kernel}/{self.form}"


@dataclass(frozen=True)
class Panel:
    """A set of variants, and the baseline with which they are compared."""

    name: str
    table: str

    @property
    def baseline(self) -> Variant:
        return Variant(f"{self.table}/radix2")


PANELS = (Panel("scalar", "scalar64"), Panel("vector", "ifma52"))


@dataclass(frozen=True)
class Gap:
    """A part of a figure that this machine or run lacks: the reason, and a remedy."""

    figure: int
    what: str
    reason: str
    remedy: str

    def __str__(self) -> str:
        return f"Figure {self.figure}, {self.what}: {self.reason}; {self.remedy}"


@dataclass
class Row(Times):
    """Times of one variant at one length, in microseconds per transform."""

    variant: Variant
    direction: str
    degree: int
    table_bytes: int = 0
    polynomials: int = 1


@dataclass
class Results(Clock):
    """The measurements of Figure 8 in one run."""

    rows: list[Row]
    bits: int
    method: str
    gaps: list[Gap] = field(default_factory=list)

    @property
    def degrees(self) -> list[int]:
        return sorted({row.degree for row in self.rows})

    def row(self, variant: Variant, direction: str, degree: int) -> Row | None:
        wanted = (variant, direction, degree)
        return next((r for r in self.rows if (r.variant, r.direction, r.degree) == wanted), None)

    def variants(self, panel: Panel) -> list[Variant]:
        """Returns the measured variants of a panel, its baseline first."""
        found = dict.fromkeys(r.variant for r in self.rows if r.variant.table == panel.table)
        return sorted(found, key=lambda variant: variant != panel.baseline)

    def speedup(self, panel: Panel, variant: Variant, direction: str, degree: int) -> float | None:
        """Returns how many times as fast as the baseline a variant is, by least times."""
        row = self.row(variant, direction, degree)
        baseline = self.row(panel.baseline, direction, degree)
        return None if row is None or baseline is None else baseline.best / row.best


def prime(bits: int, degree: int) -> int:
    return int(generate_ntt_primes(bits, degree, 1)[0])


def panel_variants(panel: Panel, degree: int, modulus: int) -> list[Variant]:
    """Returns the variants of a panel that this processor can run, its baseline first."""
    found = [Variant(*names) for names in ntt_variants(degree, modulus)]
    mine = [variant for variant in dict.fromkeys(found) if variant.table == panel.table]
    return sorted(mine, key=lambda variant: variant != panel.baseline)


def missing_panels(panels: Iterable[Panel] = PANELS) -> list[Gap]:
    """Returns gaps for the panels that this processor cannot run, and for HEXL and SEAL, which are
    not measured."""
    gaps = []
    for panel in panels:
        kernels = [k for k in kernel_catalog() if k.table == panel.table and k.operation == "ntt"]
        if not any(kernel.available for kernel in kernels):
            needs = ", ".join(dict.fromkeys(f for k in kernels for f in k.features))
            reason = f"this processor does not run table {panel.table}"
            remedy = f"run on one with {needs or 'an instruction set that this build has'}"
            gaps.append(Gap(8, f"the {panel.name} panel", reason, remedy))
    peers = "Intel HEXL and Microsoft SEAL beside the variants"
    reason = "neither is among the libraries that benchmarks of this project measure"
    remedy = "compare with ifma52/radix2 and scalar64/radix2, the same algorithms"
    return [*gaps, Gap(8, peers, reason, remedy)]


def missing_forms(results: Results) -> list[Gap]:
    """Returns a gap if no measured kernel has the form "two", which computes two transforms at
    once."""
    if any(row.variant.form == "two" for row in results.rows):
        return []
    reason, remedy = "no measured kernel has that form", "name one in src/kernels with forward_two"
    return [Gap(8, "two transforms at once", reason, remedy)]


class _Length:
    """The jobs of one length."""

    def __init__(self, degree: int, modulus: int) -> None:
        self.stopwatch = Stopwatch()
        self.rows: list[tuple[Row, int]] = []
        for panel in PANELS:
            for variant in panel_variants(panel, degree, modulus):
                for direction in DIRECTIONS:
                    job = add_ntt_variant(
                        self.stopwatch, degree, modulus, variant.kernel, variant.form,
                        direction == "forward",
                    )  # fmt: skip
                    row = Row(variant, direction, degree, job.table_bytes, job.polynomials)
                    self.rows.append((row, job.index))

    def run(self, rounds: int, paper_method: bool) -> list[float]:
        """Runs the jobs and fills the rows. Returns the clock during each round in Hz."""
        if paper_method:
            self.stopwatch.run_alone(TIMES, WARM_UP, CALLS)
        else:
            self.stopwatch.run(rounds, _BLOCK_US)
        fill(self.stopwatch, self.rows)
        for row, _ in self.rows:
            row.times_us = [time / row.polynomials for time in row.times_us]
        return list(self.stopwatch.clock_hz)


def measure(
    console: Console,
    degrees: Sequence[int],
    bits: int = BITS,
    rounds: int = ROUNDS,
    paper_method: bool = False,
) -> Results:
    """Measures one length after the other. On a terminal, shows a progress bar."""
    rows: list[Row] = []
    clock_hz: list[float] = []
    before = load()
    # Checks all sizes before it measures the first.
    moduli = {degree: prime(bits, degree) for degree in degrees}
    with counted_steps(console) as progress:
        task = progress.add_task("measuring", total=len(degrees))
        for degree, modulus in moduli.items():
            progress.update(task, description=f"N = {degree}")
            length = _Length(degree, modulus)
            clock_hz += length.run(rounds, paper_method)
            rows += [row for row, _ in length.rows]
            progress.advance(task)
    results = Results(
        rows,
        bits,
        AS_IN_PAPER if paper_method else INTERLEAVED,
        missing_panels(),
        clock_hz=clock_hz,
        rounds=TIMES if paper_method else rounds,
        load=(before, load()),
    )
    results.gaps += missing_forms(results)
    return results
