# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench ntt`: every available kernel against the others, interleaved in one process."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from matplotlib.lines import Line2D
from rich.console import Console
from rich.table import Table
from ringlet import cpu_info, generate_ntt_primes
from ringlet.errors import InvalidArgument
from ringlet.files import prepare_folders
from ringlet.plots import COLORS, FAINT, INK, degree_axis, make_figure, save, tidy
from ringlet.progress import counted_steps

from .._lab import Stopwatch, selected_kernels
from . import timing
from .checks import check_rounds
from .kernels import measured_kernels
from .output import write_files

DEFAULT_DEGREES = "1024,2048,4096,8192,16384,32768,65536"
DEFAULT_BITS = "30,49,60"
_OPERATION = "ringlet bench ntt"
_BLOCK_US = 300.0


@dataclass(frozen=True)
class NttResult:
    """Times of one kernel, degree and width of the prime, in nanoseconds per transform."""

    kernel: str
    degree: int
    bits: int
    modulus: int
    forward_ns: list[float]
    inverse_ns: list[float]
    clock_hz: float

    def times(self, direction: str) -> list[float]:
        return self.forward_ns if direction == "forward" else self.inverse_ns

    @property
    def butterflies(self) -> int:
        return self.degree // 2 * int(math.log2(self.degree))

    def cycles_per_butterfly(self, direction: str) -> float:
        seconds = min(self.times(direction)) * 1e-9
        return seconds * self.clock_hz / self.butterflies


def _measure_size(
    degree: int, bits: int, prime: int, kernels: Sequence[str], rounds: int
) -> list[NttResult]:
    """Each round runs one block of every kernel in both directions."""
    stopwatch = Stopwatch()
    for kernel in kernels:
        for is_forward in (True, False):
            stopwatch.add_ntt(degree, prime, kernel, is_forward)
    stopwatch.run(rounds, _BLOCK_US)
    clock = statistics.median(stopwatch.clock_hz)
    return [
        NttResult(
            kernel,
            degree,
            bits,
            prime,
            forward_ns=stopwatch.times_ns(2 * i),
            inverse_ns=stopwatch.times_ns(2 * i + 1),
            clock_hz=clock,
        )
        for i, kernel in enumerate(kernels)
    ]


def measure(
    console: Console, degrees: Sequence[int], bits: Sequence[int], rounds: int
) -> list[NttResult]:
    """Measures all combinations; shows a progress bar on a terminal."""
    # All sizes are checked before the first is measured.
    jobs = [(n, width, generate_ntt_primes(width, n, 1)[0]) for width in bits for n in degrees]
    results: list[NttResult] = []
    with counted_steps(console) as progress:
        task = progress.add_task("measuring", total=len(jobs))
        for degree, width, prime in jobs:
            progress.update(task, description=f"N = {degree}, {width}-bit prime")
            kernels = measured_kernels("ntt", degree, prime)
            if kernels:
                results += _measure_size(degree, width, prime, kernels, rounds)
            progress.advance(task)
    if not results:
        raise InvalidArgument(
            _OPERATION,
            f"RINGLET_FORCE_KERNELS={selected_kernels()}",
            "kernels that take at least one of the degrees and primes",
            "unset the variable, or ask for other sizes",
        )
    return results


def to_json(results: Sequence[NttResult], rounds: int) -> dict[str, Any]:
    """The results in Google Benchmark's layout; times in microseconds."""
    benchmarks = []
    for result in results:
        for direction in ("forward", "inverse"):
            times = [value * 1e-3 for value in result.times(direction)]
            name = f"ntt_{direction}/{result.kernel}/n={result.degree}/q={result.bits}"
            benchmarks.append(
                timing.entry_of(
                    name,
                    timing.Times(times_us=times),
                    modulus=result.modulus,
                    clock_hz=result.clock_hz,
                    cycles_per_butterfly=result.cycles_per_butterfly(direction),
                )
            )
    run = timing.Clock(clock_hz=[result.clock_hz for result in results], rounds=rounds)
    return {
        "context": timing.context(_OPERATION, run),
        "benchmarks": benchmarks,
    }


def result_table(results: Sequence[NttResult]) -> Table:
    """Minimum and median of all combinations."""
    table = Table(title="NTT in place, outputs in [0, q); microseconds", title_justify="left")
    for column in ("prime", "kernel"):
        table.add_column(column)
    for column in ("N", "forward min", "median", "inverse min", "median", "cycles/butterfly"):
        table.add_column(column, justify="right")
    ordered = sorted(results, key=lambda r: r.bits)
    previous = None
    for result in sorted(ordered, key=lambda r: (r.bits, r.degree)):
        group = (result.bits, result.degree)
        if previous is not None and group != previous:
            table.add_section()
        previous = group
        cells = []
        for times in (result.forward_ns, result.inverse_ns):
            cells += [f"{min(times) * 1e-3:.2f}", f"{statistics.median(times) * 1e-3:.2f}"]
        cycles = [f"{result.cycles_per_butterfly(d):.2f}" for d in ("forward", "inverse")]
        table.add_row(
            f"{result.bits} bits", result.kernel, str(result.degree), *cells, " / ".join(cycles)
        )
    return table


def draw(results: Sequence[NttResult], paths: Sequence[Path]) -> None:
    """Nanoseconds per butterfly against N: colour is the kernel, the line's style the width."""
    kernels = list(dict.fromkeys(result.kernel for result in results))
    widths = sorted({result.bits for result in results})
    degrees = sorted({result.degree for result in results})
    # Widths often take the same time: hollow markers of different sizes stay visible in one place.
    styles: list[tuple[str, Any, int]] = [
        ("o", "-", 9),
        ("s", "--", 6),
        ("^", ":", 4),
        ("D", "-.", 11),
    ]
    figure = make_figure(11, 5.2)
    panels = figure.subplots(1, 2, sharey=True)
    for axes, direction in zip(panels, ("forward", "inverse"), strict=True):
        for i, kernel in enumerate(kernels):
            for j, width in enumerate(widths):
                line = [r for r in results if r.kernel == kernel and r.bits == width]
                line.sort(key=lambda r: r.degree)
                if not line:
                    continue
                marker, style, size = styles[j % len(styles)]
                axes.plot(
                    [r.degree for r in line],
                    [min(r.times(direction)) / r.butterflies for r in line],
                    color=COLORS[i % len(COLORS)],
                    marker=marker,
                    linestyle=style,
                    markersize=size,
                    markerfacecolor="none",
                    markeredgewidth=1.2,
                    linewidth=1.4,
                )
        tidy(axes, f"{direction} NTT", "degree N", "ns per butterfly (minimum)")
        degree_axis(axes, degrees)
        axes.set_yscale("log")
        axes.grid(True, which="minor", axis="y", color="#eeeeee", linewidth=0.6)
        ticks = [t for t in (0.1, 0.2, 0.3, 0.5, 1, 2, 3, 5, 10, 20) if _inside(t, axes.get_ylim())]
        axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.yaxis.set_minor_formatter("")
    panels[1].set_ylabel("")
    handles = [
        Line2D([], [], color=COLORS[i % len(COLORS)], linewidth=3, label=kernel)
        for i, kernel in enumerate(kernels)
    ] + [
        Line2D(
            [],
            [],
            color=FAINT,
            marker=styles[j % len(styles)][0],
            linestyle=styles[j % len(styles)][1],
            markersize=styles[j % len(styles)][2],
            markerfacecolor="none",
            label=f"{width}-bit prime",
        )
        for j, width in enumerate(widths)
    ]
    figure.legend(
        handles=handles, loc="outside lower center", ncols=len(handles), fontsize=9, frameon=False
    )
    clock = statistics.median(result.clock_hz for result in results)
    figure.suptitle(
        f"Negacyclic transforms, one core of {cpu_info().model} at {clock * 1e-9:.2f} GHz",
        fontsize=12,
        color=INK,
    )
    save(figure, paths)


def _inside(value: float, limits: tuple[float, float]) -> bool:
    return limits[0] <= value <= limits[1]


def run_ntt_benchmark(
    console: Console,
    degrees: Sequence[int],
    bits: Sequence[int],
    rounds: int,
    json_path: Path | None,
    pictures: Sequence[Path],
) -> None:
    """Measures, prints the table, and writes the files that were asked for."""
    check_rounds(_OPERATION, rounds)
    # A folder that cannot be made is found before anything is measured.
    prepare_folders([*pictures, json_path])
    results = measure(console, degrees, bits, rounds)
    console.print(result_table(results))
    clocks = [result.clock_hz for result in results]
    console.print(
        f"clock in the same run: {min(clocks) * 1e-9:.2f} to {max(clocks) * 1e-9:.2f} GHz; "
        f"{rounds} interleaved rounds; cycles per butterfly of minima, forward / inverse"
    )
    write_files(console, json_path, to_json(results, rounds), pictures, partial(draw, results))
