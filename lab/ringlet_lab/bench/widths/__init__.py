# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench widths`: for each instruction set and each width of the modulus, times the
transform kernel that its table chooses.

All kernels of one width are interleaved in one process: each round runs one block of every kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rich.console import Console
from ringlet import generate_ntt_primes
from ringlet.errors import InvalidArgument
from ringlet.progress import counted_steps

from ..._lab import Stopwatch, kernel_catalog, kernel_tables, ntt_kernel, selected_kernels
from ..kernels import none_taken
from ..timing import Clock, Times, butterflies, fill, load

OPERATION = "ringlet bench widths"
DIRECTIONS = ("forward", "inverse")
# Forms of a prime: any, and 1 mod 2^32, for which Montgomery reduction multiplies less.
ORDINARY, HALF_WORD_ONE = "ordinary", "half_word_one"
FORMS = (ORDINARY, HALF_WORD_ONE)
HALF_WORD = 1 << 32
DEGREES = (4096,)
WIDTHS = tuple(range(20, 63))
ROUNDS = 200
# The kernels to which ratios refer.
REFERENCES = ("scalar64/radix2", "avx512dq/radix2")
METHOD = (
    "transforms in place, outputs in [0, q), interleaved rounds, one block of every kernel of a "
    "width in each; least and median block"
)
_BLOCK_US = 200.0


@dataclass(frozen=True)
class Gap:
    """Something that this machine, this run or this width lacks: the reason, and a remedy."""

    what: str
    reason: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.what}: {self.reason}; {self.remedy}"


@dataclass
class Row(Times):
    """Times of one kernel at one modulus, in microseconds per transform. `curve` is the kernel
    selection that chose the kernel: the name of a table, or for a reference the name of the kernel.
    """

    curve: str
    kernel: str
    bits: int
    form: str
    modulus: int
    direction: str
    degree: int

    @property
    def ns_per_butterfly(self) -> float:
        return 1e3 * self.best / butterflies(self.degree)

    @property
    def algorithm(self) -> str:
        """The kernel's name, without the table if this is the curve's table."""
        return self.kernel.removeprefix(f"{self.curve}/")


@dataclass
class Results(Clock):
    """The measurements of one run. References are measured with ordinary primes, at every width."""

    rows: list[Row]
    references: list[Row]
    gaps: list[Gap] = field(default_factory=list)

    @property
    def degrees(self) -> list[int]:
        return sorted({row.degree for row in self.rows})

    @property
    def curves(self) -> list[str]:
        return list(dict.fromkeys(row.curve for row in self.rows))

    def line(self, curve: str, form: str, direction: str, degree: int) -> list[Row]:
        """Returns the rows of one curve, by their width."""
        wanted = (curve, form, direction, degree)
        found = [r for r in self.rows if (r.curve, r.form, r.direction, r.degree) == wanted]
        return sorted(found, key=lambda row: row.bits)

    def ratio(self, row: Row, reference: str) -> float | None:
        """Returns how many times as fast as the reference the row is at its width, by least times.
        """
        wanted = (reference, row.bits, row.direction, row.degree)
        found = (r for r in self.references if (r.kernel, r.bits, r.direction, r.degree) == wanted)
        return next((other.best / row.best for other in found), None)


def choose_curves() -> tuple[list[str], list[Gap]]:
    """Returns the tables that RINGLET_FORCE_KERNELS and this processor allow, and gaps for the
    others. If the variable names one kernel exactly, this kernel is the only curve."""
    forced = selected_kernels()
    if "/" in forced:
        return [forced], []
    order = kernel_tables()
    transforms = [k for k in kernel_catalog() if k.operation == "ntt"]
    curves, gaps = [], []
    for table in order:
        usual = [k for k in transforms if k.table == table and not k.named_only]
        if not usual:
            continue
        if not any(kernel.available for kernel in usual):
            features = dict.fromkeys(f for k in usual for f in k.features)
            reason = f"this processor does not run table {table}"
            gaps.append(Gap(table, reason, f"run on one with {', '.join(features)}"))
        elif forced and order.index(table) > order.index(forced):
            reason = f"RINGLET_FORCE_KERNELS={forced} is a ceiling"
            gaps.append(Gap(table, reason, "unset the variable"))
        else:
            curves.append(table)
    return curves, gaps


def find_primes(bits: int, degree: int) -> dict[str, int]:
    """Returns the largest prime of each form that exists with this width. The largest of all is
    never 1 mod 2^32: a test tries every width and length."""
    try:
        found = {ORDINARY: generate_ntt_primes(bits, degree, 1)[0]}
    except InvalidArgument:
        return {}
    preferred = generate_ntt_primes(bits, degree, 1, HALF_WORD_ONE)[0]
    if preferred % HALF_WORD == 1:
        found[HALF_WORD_ONE] = preferred
    return found


def _chosen(curve: str, degree: int, modulus: int) -> str | None:
    """Returns the kernel that a selection chooses, or None if the selection is exact and does not
    take the modulus."""
    try:
        return ntt_kernel(degree, modulus, curve)
    except InvalidArgument:
        return None


class _Width:
    """The jobs of one width. A kernel that several tables choose is timed once."""

    def __init__(self, bits: int, degree: int) -> None:
        self.bits = bits
        self.degree = degree
        self.stopwatch = Stopwatch()
        self._jobs: dict[tuple[str, int, str], int] = {}
        self._rows: list[tuple[Row, int]] = []

    def add(self, curve: str, kernel: str, form: str, modulus: int) -> Iterator[Row]:
        for direction in DIRECTIONS:
            key = (kernel, modulus, direction)
            if key not in self._jobs:
                self._jobs[key] = len(self.stopwatch)
                is_forward = direction == "forward"
                self.stopwatch.add_ntt(self.degree, modulus, kernel, is_forward)
            row = Row(curve, kernel, self.bits, form, modulus, direction, self.degree)
            self._rows.append((row, self._jobs[key]))
            yield row

    def run(self, rounds: int) -> list[float]:
        """Runs the jobs and fills the rows. Returns the clock during each round in Hz."""
        if len(self.stopwatch) == 0:
            return []
        self.stopwatch.run(rounds, _BLOCK_US)
        fill(self.stopwatch, self._rows)
        return list(self.stopwatch.clock_hz)


def _available_references() -> list[str]:
    names = {f"{k.table}/{k.algorithm}" for k in kernel_catalog() if k.available}
    return [name for name in REFERENCES if name in names]


def _measure_width(
    results: Results, curves: Sequence[str], bits: int, degree: int, rounds: int
) -> None:
    primes = find_primes(bits, degree)
    if ORDINARY not in primes:
        reason = f"no prime of {bits} bits is 1 mod {2 * degree}"
        results.gaps.append(Gap(f"{bits} bits, N = {degree}", reason, "take a smaller degree"))
    width = _Width(bits, degree)
    for curve in curves:
        for form, modulus in primes.items():
            kernel = _chosen(curve, degree, modulus)
            if kernel is not None:
                results.rows += width.add(curve, kernel, form, modulus)
    for reference in _available_references() if ORDINARY in primes else ():
        if _chosen(reference, degree, primes[ORDINARY]) is not None:
            results.references += width.add(reference, reference, ORDINARY, primes[ORDINARY])
    results.clock_hz += width.run(rounds)


def measure(
    console: Console, degrees: Sequence[int], widths: Sequence[int], rounds: int
) -> Results:
    """Measures one width after the other. On a terminal, shows a progress bar."""
    curves, gaps = choose_curves()
    before = load()
    results = Results([], [], gaps=gaps, clock_hz=[], rounds=rounds)
    with counted_steps(console) as progress:
        task = progress.add_task("measuring", total=len(degrees) * len(widths))
        for degree in degrees:
            for bits in widths:
                progress.update(task, description=f"N = {degree}, {bits} bits")
                _measure_width(results, curves, bits, degree, rounds)
                progress.advance(task)
    if not results.rows:
        asked = ", ".join(map(str, widths))
        raise none_taken(OPERATION, f"kernels that take one of the degrees and the widths {asked}")
    results.load = (before, load())
    return results
