# SPDX-License-Identifier: Apache-2.0
"""Projections (PISA): times of kernels in which existing instructions stand in for instructions
that do not exist. Their results are wrong; only their times have a meaning."""

from __future__ import annotations

from dataclasses import dataclass

from ..._lab import Stopwatch, add_stand_in, projected_products, stand_ins
from ..output import Sheet
from ..timing import butterflies

# The error that the paper states for its projections.
PAPER_ERROR_PERCENT = 8.0
TEXT = "MQX with instructions that stand in (PISA): the result is wrong, only the time counts"


def missing() -> str:
    """Returns why there are no projected rows, or "" if there are."""
    if projected_products():
        return ""
    return "MQX projected by PISA: this processor lacks the instructions that stand in (AVX-512 DQ)"


@dataclass(frozen=True)
class ProjectionCheck:
    """The error of a stand-in for an instruction that exists: real and projected times in
    nanoseconds per butterfly, minima."""

    instruction: str
    stand_in: str
    real_ns: float
    projected_ns: float

    @property
    def error_percent(self) -> float:
        return 100 * (self.projected_ns - self.real_ns) / self.real_ns


def measured_checks(degree: int, modulus: str, rounds: int) -> list[ProjectionCheck]:
    """Measures projections of instructions that exist. Their error shows how accurate projections
    are."""
    stopwatch = Stopwatch()
    names = stand_ins()
    jobs = [add_stand_in(stopwatch, i, degree, modulus) for i in range(len(names))]
    stopwatch.run(rounds)
    count = butterflies(degree)
    return [
        ProjectionCheck(*pair, *(min(stopwatch.times_ns(job)) / count for job in pair_jobs))
        for pair, pair_jobs in zip(names, jobs, strict=True)
    ]


def check_sheet(checks: list[ProjectionCheck], degree: int) -> Sheet:
    """Returns a table of real and projected times and the error, beside the error that the paper
    states."""
    title = (
        f"PISA itself, N = {degree}: instructions of the AVX-512 transform that exist, and others "
        f"in their place;\nthe paper states an error below “{PAPER_ERROR_PERCENT:g} %”"
    )
    sheet = Sheet(title, ("instruction", "stand-in", "real, ns", "projected, ns", "error"), 2)
    for check in checks:
        times = (f"{check.real_ns:.2f}", f"{check.projected_ns:.2f}")
        sheet.add(check.instruction, check.stand_in, *times, f"{check.error_percent:+.1f} %")
    return sheet
