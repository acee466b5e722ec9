# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench tables`: Tables 1 to 4 of the HEXL paper on this machine, beside its figures.

All measurements of a run are interleaved in one process: each round runs one block of every kernel,
size and other library. Quoted figures are marked as quoted everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.console import Console
from ringlet import generate_ntt_primes
from ringlet.errors import InvalidArgument

from ..._lab import Stopwatch, eltwise_kernel, ntt_kernel, selected_kernels
from ..kernels import measured_kernels
from ..peers import PeerJob, Peers, checked_job
from .quoted import DEGREES, GOAL_DEGREES, GOALS, PAPER_TABLES, Goal
from ..timing import Clock, Times, butterflies, fill, run_rounds

BITS = 50
_BLOCK_US = 500.0
_NO_PEERS = "not measured: no library of peers was given (--peers)"


@dataclass(frozen=True)
class Subject:
    """One table: the measured operation, and the operations of other libraries that do the same
    work."""

    number: int
    title: str
    operation: str
    peers: tuple[str, ...]
    unit: str

    def units(self, degree: int) -> float:
        """Returns the number of butterflies or elements on which one call works."""
        if self.unit == "element":
            return degree
        transforms = 3 if self.operation == "product" else 1
        return transforms * butterflies(degree)


SUBJECTS = (
    Subject(1, "forward NTT", "ntt_forward", ("ntl/ntt_forward",), "butterfly"),
    Subject(2, "inverse NTT", "ntt_inverse", ("ntl/ntt_inverse",), "butterfly"),
    Subject(
        3, "element-wise vector-vector product", "multiply",
        ("ntl/multiply", "flint/multiply"), "element",
    ),
    Subject(
        4, "element-wise vector-scalar product, plus vector", "multiply_scalar_add",
        ("ntl/multiply_scalar_add", "flint/multiply_scalar_add"), "element",
    ),
    Subject(5, "product modulo X^N + 1", "product", ("ntl/product", "flint/product"), "butterfly"),
)  # fmt: skip


@dataclass
class Cell(Times):
    """One measured time. Its job of the stopwatch fills it in after the run."""

    job: int
    degree: int
    modulus: int


@dataclass
class Row:
    """One implementation in one table. Cells and quoted figures are by N."""

    subject: Subject
    name: str
    cells: dict[int, Cell] = field(default_factory=dict)
    quoted_name: str = ""
    quoted: dict[int, float] = field(default_factory=dict)
    missing: str = ""
    description: str = ""
    is_choice: bool = False


@dataclass
class GoalCell:
    """One goal at one N, measured with the kernel that the library chooses."""

    goal: Goal
    kernel: str
    cell: Cell


@dataclass
class Results(Clock):
    """All that one run measured."""

    rows: list[Row]
    goals: list[GoalCell]

    def of(self, subject: Subject) -> list[Row]:
        return [row for row in self.rows if row.subject is subject]


def paper_name(kernel: str) -> str:
    """Returns the paper's name for the implementation to which a kernel corresponds, or ""."""
    table, algorithm = kernel.split("/")[:2]
    if table == "avx512dq":
        return "AVX512-DQ float" if "float" in algorithm else "AVX512-DQ"
    return {"scalar64": "Native C++", "ifma52": "AVX512-IFMA52"}.get(table, "")


def _choice(subject: Subject, degree: int, modulus: int) -> str:
    """Returns the kernel that the library chooses, or "" if the kernel selection does not support
    the degree or modulus."""
    try:
        if subject.unit == "element":
            return eltwise_kernel(subject.operation, modulus)
        return ntt_kernel(degree, modulus)
    except InvalidArgument:
        return ""


def _add_job(
    stopwatch: Stopwatch, subject: Subject, kernel: str, degree: int, modulus: int
) -> None:
    if subject.operation == "product":
        stopwatch.add_product(degree, modulus, kernel, True)
    elif subject.unit == "butterfly":
        forward = subject.operation == "ntt_forward"
        stopwatch.add_ntt(degree, modulus, kernel, forward)
    else:
        stopwatch.add_eltwise(subject.operation, degree, modulus, kernel)


class Measurements:
    """The jobs of one run. It keeps the jobs of other libraries alive while they are measured."""

    def __init__(self, peers: Peers | None) -> None:
        self.stopwatch = Stopwatch()
        self.peers = peers
        self._peer_jobs: list[PeerJob] = []
        self.rows: list[Row] = []
        self.goals: list[GoalCell] = []
        for subject in SUBJECTS:
            self._add_own(subject)
            self._add_peers(subject)
            self._add_quoted(subject)
        for degree in GOAL_DEGREES:
            for goal in GOALS:
                self._add_goal(goal, degree)

    def _cell(self, degree: int, modulus: int) -> Cell:
        return Cell(len(self.stopwatch) - 1, degree, modulus)

    def _add_own(self, subject: Subject) -> None:
        operation = subject.operation if subject.unit == "element" else "ntt"
        rows: dict[str, Row] = {}
        for degree in DEGREES:
            modulus = generate_ntt_primes(BITS, degree, 1)[0]
            choice = _choice(subject, degree, modulus)
            for kernel in measured_kernels(operation, degree, modulus):
                _add_job(self.stopwatch, subject, kernel, degree, modulus)
                row = rows.setdefault(kernel, Row(subject, kernel))
                row.cells[degree] = self._cell(degree, modulus)
                row.is_choice |= kernel == choice
                if subject.operation == "product" and kernel == choice:
                    self._add_separate(rows, subject, kernel, degree, modulus)
        self.rows += rows.values()

    def _add_separate(
        self, rows: dict[str, Row], subject: Subject, kernel: str, degree: int, modulus: int
    ) -> None:
        """Adds the same product with a call for each step. The difference shows the gain of one
        call."""
        self.stopwatch.add_product(degree, modulus, kernel, False)
        name = f"{kernel}/separate"
        text = "two forward transforms, a product and an inverse as calls of their own"
        row = rows.setdefault(name, Row(subject, name, description=text))
        row.cells[degree] = self._cell(degree, modulus)

    def _add_peers(self, subject: Subject) -> None:
        for name in subject.peers:
            row = Row(subject, name.split("/")[0].upper())
            if self.peers is None:
                row.missing = _NO_PEERS
            elif name not in self.peers.descriptions:
                row.missing = "not measured: the library of peers was built without it"
            else:
                row.description = self.peers.descriptions[name]
                self._add_peer_cells(self.peers, row, name)
            self.rows.append(row)

    def _add_peer_cells(self, peers: Peers, row: Row, name: str) -> None:
        for degree in DEGREES:
            modulus = generate_ntt_primes(BITS, degree, 1)[0]
            job = checked_job(peers, name, degree, modulus)
            if job is None:
                row.missing = f"not measured: it cannot take the {BITS}-bit primes"
                continue
            job.add_to(self.stopwatch)
            self._peer_jobs.append(job)
            row.cells[degree] = self._cell(degree, modulus)

    def _add_quoted(self, subject: Subject) -> None:
        """Puts the paper's figures beside the first row to which they belong, or adds a row for
        them."""
        for name, times in PAPER_TABLES.get(subject.number, {}).items():
            figures = dict(zip(DEGREES, times, strict=True))
            rows = [row for row in self.rows if row.subject is subject and not row.quoted]
            row = next((r for r in rows if self._corresponds(r, name)), None)
            if row is None:
                reason = "not measured: this machine or selection has no such kernel"
                if name.startswith("NFLlib"):
                    reason = "not measured: no Debian package has it"
                row = Row(subject, name, missing=reason)
                self.rows.append(row)
            row.quoted_name, row.quoted = name, figures

    @staticmethod
    def _corresponds(row: Row, name: str) -> bool:
        if "/" not in row.name:
            return name.startswith(row.name)
        return paper_name(row.name) == name

    def _add_goal(self, goal: Goal, degree: int) -> None:
        modulus = generate_ntt_primes(goal.bits, degree, 1)[0]
        try:
            kernel = self.stopwatch.add_eltwise(
                goal.operation, degree, modulus, selected_kernels(), goal.input_mod_factor
            )
        except InvalidArgument:
            return  # the selection in force is exact and does not support this modulus
        self.goals.append(GoalCell(goal, kernel, self._cell(degree, modulus)))

    def run(self, console: Console, rounds: int) -> Results:
        """Measures everything; shows a progress bar on a terminal."""
        run_rounds(console, self.stopwatch, rounds, _BLOCK_US)
        cells = [cell for row in self.rows for cell in row.cells.values()]
        cells += [goal.cell for goal in self.goals]
        fill(self.stopwatch, [(cell, cell.job) for cell in cells])
        clock_hz = list(self.stopwatch.clock_hz)
        return Results(self.rows, self.goals, clock_hz=clock_hz, rounds=rounds)
