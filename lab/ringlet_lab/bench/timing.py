# SPDX-License-Identifier: Apache-2.0
"""What the benchmarks of `ringlet bench` share: times of interleaved rounds, and their JSON in the
layout of Google Benchmark."""

from __future__ import annotations

import datetime
import os
import statistics
from dataclasses import dataclass, field
from typing import Any

from ringlet import __version__, cpu_info

from .._lab import build_info


@dataclass(kw_only=True)
class Times:
    """Microseconds of one thing, one entry per round."""

    times_us: list[float] = field(default_factory=list)

    @property
    def best(self) -> float:
        return min(self.times_us)

    @property
    def median(self) -> float:
        return statistics.median(self.times_us)


@dataclass(kw_only=True)
class Clock:
    """Of one run: how many rounds, and the processor's clock in Hz during each."""

    clock_hz: list[float]
    rounds: int

    @property
    def clock(self) -> float:
        return statistics.median(self.clock_hz)


def load() -> float:
    """Processes that ran or waited to run, on average over the last minute."""
    return os.getloadavg()[0]


def entry(name: str, best: float, median: float, rounds: int, **more: Any) -> dict[str, Any]:
    """One entry of "benchmarks": the minimum and the median of so many rounds, in microseconds."""
    return {
        "name": name,
        "run_name": name,
        "run_type": "iteration",
        "repetitions": 1,
        "threads": 1,
        "iterations": rounds,
        "real_time": median,
        "cpu_time": median,
        "min": best,
        "median": median,
        "time_unit": "us",
        **more,
    }


def entry_of(name: str, times: Times, **more: Any) -> dict[str, Any]:
    return entry(name, times.best, times.median, len(times.times_us), **more)


def library() -> dict[str, str]:
    """Ringlet's version, and what its extension was built by and from."""
    built = build_info()
    return {
        "library_version": __version__,
        "library_compiler": built["compiler"],
        "library_commit": built["commit"],
    }


def context(operation: str, run: Clock, **more: Any) -> dict[str, Any]:
    """The "context": the machine, its clock, the library and the run."""
    return {
        "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
        "executable": operation,
        "num_cpus": os.cpu_count(),
        "mhz_per_cpu": round(run.clock * 1e-6),
        "cpu_model": cpu_info().model,
        "cpu_features": cpu_info().features,
        **library(),
        "rounds": run.rounds,
        "clock_hz": {"median": run.clock, "max": max(run.clock_hz)},
        **more,
    }
