# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench ntt`: times every available kernel, interleaved in one process, and with --peers
the transforms of other libraries."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from rich.console import Console
from ringlet import Ntt, generate_ntt_primes
from ringlet.plots import COLORS, FAINT, degree_axis, make_figure, tidy
from ringlet.progress import counted_steps

from ..._lab import Stopwatch
from .. import timing
from ..checks import check_rounds
from ..drawing import heading, legend_below, value_axis
from ..kernels import measured_kernels, none_taken
from ..output import Destination, Sheet, number, ratio
from ..peers import PeerJob, Peers, checked_job

DEFAULT_DEGREES = tuple(1 << k for k in range(10, 17))
DEFAULT_BITS = (30, 49, 60)
DIRECTIONS = ("forward", "inverse")
_OPERATION = "ringlet bench ntt"
_BLOCK_US = 300.0


@dataclass(frozen=True)
class NttResult:
    """Times of one kernel or other library, degree and width of the prime, in nanoseconds per
    transform."""

    kernel: str
    degree: int
    bits: int
    modulus: int
    forward_ns: list[float]
    inverse_ns: list[float]
    clock_hz: float
    word_bits: int = 64
    is_peer: bool = False
    is_chosen: bool = False  # the kernel that a plan takes

    def times(self, direction: str) -> list[float]:
        return self.forward_ns if direction == "forward" else self.inverse_ns

    def microseconds(self, direction: str) -> timing.Times:
        return timing.Times(times_us=[ns * 1e-3 for ns in self.times(direction)])

    @property
    def butterflies(self) -> int:
        return timing.butterflies(self.degree)

    def cycles_per_butterfly(self, direction: str) -> float:
        seconds = min(self.times(direction)) * 1e-9
        return seconds * self.clock_hz / self.butterflies


def _peer_jobs(
    peers: Peers | None, degree: int, prime: int
) -> dict[tuple[str, int], list[PeerJob]]:
    """Returns both transforms of each other library that takes the size, by its name and the bits
    of its words. Where a library has products, they are compared with Ringlet's first."""
    jobs: dict[tuple[str, int], list[PeerJob]] = {}
    for name in peers.descriptions if peers else ():
        library, operation = name.split("/")
        if operation == "product":
            checked_job(peers, name, degree, prime, _OPERATION)
        word_bits = 32 if operation.endswith("32") else 64
        if operation.removesuffix("32") in {f"ntt_{direction}" for direction in DIRECTIONS}:
            job = checked_job(peers, name, degree, prime, _OPERATION)
            if job is not None:
                jobs.setdefault((library, word_bits), []).append(job)
    return {key: pair for key, pair in jobs.items() if len(pair) == len(DIRECTIONS)}


def _measure_size(
    degree: int, bits: int, prime: int, kernels: Sequence[str], rounds: int, peers: Peers | None
) -> list[NttResult]:
    """Measures one size. Each round runs one block of every kernel in both directions. Kernels also
    transform 32-bit words if another library does."""
    stopwatch = Stopwatch()
    others = _peer_jobs(peers, degree, prime)
    rows = []
    for word_bits in sorted({64, *(word_bits for _, word_bits in others)}, reverse=True):
        for kernel in kernels:
            for is_forward in (True, False):
                stopwatch.add_ntt(degree, prime, kernel, is_forward, word_bits == 32)
            rows.append((kernel, word_bits, False))
    for (library, word_bits), jobs in others.items():
        for job in jobs:
            job.add_to(stopwatch)
        rows.append((library, word_bits, True))
    stopwatch.run(rounds, _BLOCK_US)
    clock = statistics.median(stopwatch.clock_hz)
    chosen = Ntt(degree, prime).kernel_name
    return [
        NttResult(
            name, degree, bits, prime, *(stopwatch.times_ns(2 * i + j) for j in (0, 1)), clock,
            word_bits, is_peer, name == chosen,
        )
        for i, (name, word_bits, is_peer) in enumerate(rows)
    ]  # fmt: skip


def measure(
    console: Console,
    degrees: Sequence[int],
    bits: Sequence[int],
    rounds: int,
    peers: Peers | None = None,
) -> list[NttResult]:
    """Measures all combinations. On a terminal, shows a progress bar."""
    # Checks all sizes before it measures the first.
    jobs = [(n, width, generate_ntt_primes(width, n, 1)[0]) for width in bits for n in degrees]
    results: list[NttResult] = []
    with counted_steps(console) as progress:
        task = progress.add_task("measuring", total=len(jobs))
        for degree, width, prime in jobs:
            progress.update(task, description=f"N = {degree}, {width}-bit prime")
            kernels = measured_kernels("ntt", degree, prime)
            if kernels:
                results += _measure_size(degree, width, prime, kernels, rounds, peers)
            progress.advance(task)
    if not results:
        raise none_taken(_OPERATION, "kernels that take at least one of the degrees and primes")
    return results


def _run(results: Sequence[NttResult], rounds: int) -> timing.Clock:
    return timing.Clock(clock_hz=[result.clock_hz for result in results], rounds=rounds)


def to_json(results: Sequence[NttResult], rounds: int) -> dict[str, Any]:
    """Returns the results in Google Benchmark's layout. Times are in microseconds."""
    benchmarks = [
        timing.entry_of(
            f"ntt_{direction}{'32' if result.word_bits == 32 else ''}/{result.kernel}"
            f"/n={result.degree}/q={result.bits}",
            result.microseconds(direction),
            modulus=result.modulus,
            clock_hz=result.clock_hz,
            cycles_per_butterfly=result.cycles_per_butterfly(direction),
        )
        for result in results
        for direction in DIRECTIONS
    ]
    context = timing.context(_OPERATION, _run(results, rounds))
    return {"context": context, "benchmarks": benchmarks}


def result_sheet(results: Sequence[NttResult]) -> Sheet:
    """Returns a table with minimum and median of all combinations."""
    heads = ("prime", "kernel", "N", "forward min", "median", "inverse min", "median",
             "cycles/butterfly")  # fmt: skip
    title = "NTT in place, outputs in [0, q); microseconds, cycles of minima, forward / inverse"
    sheet = Sheet(title, heads, 2, is_grouped=True)
    for result in sorted(results, key=lambda r: (r.bits, r.degree)):
        cells = []
        for times in map(result.microseconds, DIRECTIONS):
            cells += [number(times.best), number(times.median)]
        cycles = " / ".join(f"{result.cycles_per_butterfly(d):.2f}" for d in DIRECTIONS)
        name = result.kernel + (", 32-bit words" if result.word_bits == 32 else "")
        sheet.add(f"{result.bits} bits", name, str(result.degree), *cells, cycles)
    return sheet


CLOSE = 1.1


def peer_sheet(results: Sequence[NttResult]) -> Sheet:
    """Returns a table of the kernels that plans take beside the fastest other library. It marks the
    rows where that library is ahead, or takes less than CLOSE times as long."""
    heads = ("prime", "words", "N", "direction", "kernel", "us", "library", "us",
             "library : kernel", "")  # fmt: skip
    title = "Kernels that plans take beside other libraries; microseconds, minima"
    sheet = Sheet(title, heads, 2, is_grouped=True)
    for own in (result for result in results if result.is_chosen):
        others = [r for r in results if r.is_peer and r.modulus == own.modulus
                  and (r.degree, r.word_bits) == (own.degree, own.word_bits)]  # fmt: skip
        for direction in DIRECTIONS if others else ():
            best = min(others, key=lambda r: min(r.times(direction)))
            times = [r.microseconds(direction).best for r in (own, best)]
            quotient = times[1] / times[0]
            mark = "behind" if quotient < 1 else "close" if quotient < CLOSE else ""
            sheet.add(
                f"{own.bits} bits", f"{own.word_bits} bits", str(own.degree), direction,
                own.kernel, number(times[0]), best.kernel, number(times[1]), ratio(quotient), mark,
            )  # fmt: skip
    return sheet


# Widths often take the same time: hollow markers of different sizes remain visible.
_STYLES = (("o", "-", 9), ("s", "--", 6), ("^", ":", 4), ("D", "-.", 11))
_TICKS = (0.1, 0.2, 0.3, 0.5, 1, 2, 3, 5, 10, 20)


def _style(place: int) -> dict[str, Any]:
    marker, style, size = _STYLES[place % len(_STYLES)]
    return {"marker": marker, "linestyle": style, "markersize": size, "markerfacecolor": "none"}


def draw(results: Sequence[NttResult]) -> Figure:
    """Draws nanoseconds per butterfly against N, of 64-bit words. Colours are kernels, line styles
    are widths."""
    results = [result for result in results if result.word_bits == 64]
    kernels = list(dict.fromkeys(result.kernel for result in results))
    widths = sorted({result.bits for result in results})
    degrees = sorted({result.degree for result in results})
    figure = make_figure(11, 5.2)
    panels = figure.subplots(1, 2, sharey=True)
    for axes, direction in zip(panels, DIRECTIONS, strict=True):
        for i, kernel in enumerate(kernels):
            for j, width in enumerate(widths):
                line = [r for r in results if r.kernel == kernel and r.bits == width]
                line.sort(key=lambda r: r.degree)
                if line:
                    axes.plot(
                        [r.degree for r in line],
                        [min(r.times(direction)) / r.butterflies for r in line],
                        color=COLORS[i % len(COLORS)],
                        markeredgewidth=1.2,
                        linewidth=1.4,
                        **_style(j),
                    )
        tidy(axes, f"{direction} NTT", "degree N", "ns per butterfly (minimum)")
        degree_axis(axes, degrees)
        value_axis(axes, _TICKS)
        axes.grid(True, which="minor", axis="y", color="#eeeeee", linewidth=0.6)
    panels[1].set_ylabel("")
    handles = [
        Line2D([], [], color=COLORS[i % len(COLORS)], linewidth=3, label=kernel)
        for i, kernel in enumerate(kernels)
    ]
    handles += [
        Line2D([], [], color=FAINT, label=f"{width}-bit prime", **_style(j))
        for j, width in enumerate(widths)
    ]
    legend_below(figure, handles)
    heading(figure, f"Negacyclic transforms, {_run(results, 0).core}")
    return figure


def run_ntt_benchmark(
    files: Destination,
    degrees: Sequence[int],
    bits: Sequence[int],
    rounds: int,
    peers: Path | None = None,
) -> None:
    """Measures, prints the tables, and writes the requested files."""
    check_rounds(_OPERATION, rounds)
    library = None if peers is None else Peers(peers, _OPERATION)
    console = files.start()
    results = measure(console, degrees, bits, rounds, library)
    result_sheet(results).show(console)
    if library is not None:
        peer_sheet(results).show(console)
    console.print(_run(results, rounds).text, markup=False)
    files.write(console, to_json(results, rounds), {"": partial(draw, results)})
