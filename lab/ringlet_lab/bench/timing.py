# SPDX-License-Identifier: Apache-2.0
"""Times of interleaved rounds, and their JSON in the layout of Google Benchmark, for all
benchmarks."""

from __future__ import annotations

import datetime
import os
import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from ringlet import __version__, cpu_info
from ringlet.progress import counted_steps

from .._lab import Stopwatch, build_info


@dataclass(kw_only=True)
class Times:
    """The times of one measured thing in microseconds, one entry per round."""

    times_us: list[float] = field(default_factory=list)

    @property
    def best(self) -> float:
        return min(self.times_us)

    @property
    def median(self) -> float:
        return statistics.median(self.times_us)


@dataclass(kw_only=True)
class Clock:
    """The conditions of a run: number of rounds, the processor's clock in Hz during each, and, if
    they were recorded, the loads of the machine before and after."""

    clock_hz: list[float]
    rounds: int
    load: tuple[float, float] | None = None

    @property
    def clock(self) -> float:
        return statistics.median(self.clock_hz)

    @property
    def core(self) -> str:
        """The processor on which the run was measured, with its clock."""
        return f"one core of {cpu_info().model} at {self.clock * 1e-9:.2f} GHz"

    @property
    def text(self) -> str:
        """The conditions of the run, in one line."""
        load = "" if self.load is None else (
            f"; load of the machine before and after: {self.load[0]:.1f}, {self.load[1]:.1f}"
        )  # fmt: skip
        return (
            f"clock in the same run: {self.clock * 1e-9:.2f} GHz (median of the rounds, highest "
            f"{max(self.clock_hz) * 1e-9:.2f}); {self.rounds} interleaved rounds, one core of "
            f"{cpu_info().model}, {datetime.date.today()}{load}"
        )


def butterflies(degree: int) -> int:
    """Returns the number of radix-2 butterflies, whatever the kernel's radix is."""
    return degree // 2 * (degree.bit_length() - 1)


def load() -> float:
    """Returns the number of processes that ran or waited to run, on average over the last minute.
    """
    return os.getloadavg()[0]


def fill(stopwatch: Stopwatch, rows: Iterable[tuple[Times, int]]) -> None:
    """Fills in the times of jobs after they ran."""
    for times, job in rows:
        times.times_us = [ns * 1e-3 for ns in stopwatch.times_ns(job)]


def run_rounds(console: Console, stopwatch: Stopwatch, rounds: int, block_us: float) -> None:
    """Runs one round after the other. On a terminal, shows a progress bar."""
    with counted_steps(console) as progress:
        task = progress.add_task("measuring", total=rounds)
        for _ in range(rounds):
            stopwatch.run(1, block_us)
            progress.advance(task)


def layout(name: str, times: tuple[float, float], **more: Any) -> dict[str, Any]:
    """Returns one entry of "benchmarks" in Google Benchmark's layout, with a minimum and a median.
    """
    least, median = times
    return {
        "name": name,
        "run_name": name,
        "run_type": "iteration",
        "repetitions": 1,
        "threads": 1,
        "real_time": median,
        "cpu_time": median,
        "min": least,
        "median": median,
        **more,
    }


def entry_of(name: str, times: Times, **more: Any) -> dict[str, Any]:
    """Returns one entry of "benchmarks" from the times of the rounds, in microseconds."""
    own = {"iterations": len(times.times_us), "time_unit": "us"}
    return layout(name, (times.best, times.median), **{**own, **more})


def library() -> dict[str, str]:
    """Returns Ringlet's version, and the compiler and commit of its extension."""
    built = build_info()
    return {
        "library_version": __version__,
        "library_compiler": built["compiler"],
        "library_commit": built["commit"],
    }


def context(operation: str, run: Clock, **more: Any) -> dict[str, Any]:
    """Returns the "context" of the JSON: the machine, its clock, the library and the run."""
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
        **({} if run.load is None else {"load_before": run.load[0], "load_after": run.load[1]}),
        **more,
    }
