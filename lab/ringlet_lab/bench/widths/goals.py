# SPDX-License-Identifier: Apache-2.0
"""The goals of transforms for every width beside the measurements of a run. They are judged by
ratios within the run: a goal in microseconds becomes the quoted time of its reference, divided by
the goal."""

from __future__ import annotations

from dataclasses import dataclass

from . import DIRECTIONS, HALF_WORD_ONE, ORDINARY, Gap, Results

# Quoted microseconds of Intel HEXL at N = 4096, for our kernels of the same algorithms.
SOURCE = "Intel HEXL at N = 4096, in microseconds: scalar code 37.7, AVX512-DQ 16.6 / 18.2; quoted"
_SCALAR, _DQ = "scalar64/radix2", "avx512dq/radix2"
_QUOTED = {(_SCALAR, "forward"): 37.7, (_DQ, "forward"): 16.6, (_DQ, "inverse"): 18.2}
_DEGREE = 4096


@dataclass(frozen=True)
class Goal:
    """A goal of a table at all widths from `low` to `high`: at least `ratio` times as fast as the
    reference."""

    curve: str
    low: int
    high: int
    form: str
    direction: str
    reference: str
    ratio: float
    text: str
    degree: int = _DEGREE

    @property
    def widths(self) -> str:
        return str(self.low) if self.low == self.high else f"{self.low} to {self.high}"


def _timed(
    curve: str,
    low: int,
    high: int,
    times_us: tuple[float, ...],
    reference: str = _DQ,
    form: str = ORDINARY,
) -> list[Goal]:
    """Returns goals in microseconds: one for forward, and one for inverse if there are two times.
    """
    goals = []
    for direction, time in zip(DIRECTIONS, times_us, strict=False):
        quoted = _QUOTED[reference, direction]
        text = f"{time:g} us where HEXL takes {quoted:g}"
        goals.append(Goal(curve, low, high, form, direction, reference, quoted / time, text))
    return goals


def _times_as_fast(curve: str, low: int, high: int, ratio: float, reference: str) -> list[Goal]:
    return [
        Goal(curve, low, high, ORDINARY, d, reference, ratio, f"{ratio:g} times {reference}")
        for d in DIRECTIONS
    ]


# SEAL's default primes at this degree have these widths.
_SEAL_DEGREE, _SEAL_WIDTHS = 32768, (55, 56)

GOALS = (
    *_timed("avx2", 20, 30, (8.2,), reference=_SCALAR),
    *_times_as_fast("avx2", 31, 50, 4.0, _SCALAR),
    *_timed("avx512dq", 20, 50, (7.2, 7.7)),
    *_timed("avx512dq", 51, 51, (7.7, 8.6)),
    *_timed("avx512dq", 52, 52, (10.4,)),
    *_timed("avx512dq", 53, 54, (12.3,)),
    *_timed("avx512dq", 55, 61, (12.5, 14.0)),
    *_timed("avx512dq", 55, 61, (11.0, 12.3), form=HALF_WORD_ONE),
    *(
        Goal(
            "avx512dq", *_SEAL_WIDTHS, ORDINARY, direction, _DQ, 1.25,
            "1.25 times, widths of SEAL's default primes", _SEAL_DEGREE
        )
        for direction in DIRECTIONS
    ),
)  # fmt: skip

# Parts of the goals that this command does not measure.
NOT_MEASURED = (
    Gap(
        "30-bit primes in words of 32 bits",
        "this command times transforms of words of 64 bits",
        "compare with those, to which the goal for 64-bit words belongs",
    ),
    Gap(
        "Intel HEXL and NFLlib beside the kernels",
        "neither is among the libraries that benchmarks of this project measure",
        "compare with scalar64/radix2 and avx512dq/radix2, HEXL's algorithms",
    ),
)


@dataclass(frozen=True)
class Judgement:
    """The value of a goal at the width where this run is farthest from it."""

    goal: Goal
    bits: int
    kernel: str
    value: float

    @property
    def met(self) -> bool:
        return self.value >= self.goal.ratio


def judge(goal: Goal, results: Results) -> Judgement | None:
    """Returns the worst value of a goal, or None if the run measured nothing of it. If one kernel
    was selected exactly, it is judged in place of its table."""
    found = []
    for curve in results.curves:
        if curve.split("/")[0] != goal.curve:
            continue
        for row in results.line(curve, goal.form, goal.direction, goal.degree):
            ratio = results.ratio(row, goal.reference)
            if ratio is not None and goal.low <= row.bits <= goal.high:
                found.append(Judgement(goal, row.bits, row.kernel, ratio))
    return min(found, key=lambda judgement: judgement.value, default=None)
