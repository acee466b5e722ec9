# SPDX-License-Identifier: Apache-2.0
"""Shows the measurements of `ringlet bench distributed`, and predicts the use of many machines from
the measured bytes and times (docs/scaling.md)."""

from __future__ import annotations

import statistics
from dataclasses import asdict, dataclass
from typing import Any

from ringlet.errors import InvalidArgument

from .. import timing
from . import OPERATION, Plan, Results, measure
from ..output import Destination, Sheet
from ..timing import Times

# The most seconds of a task, which holds its operands in memory.
_MOST_SECONDS = 60
GOAL_SPEEDUP = 1.7
GOAL_OVERHEAD = 0.10

MACHINES = (2, 10, 30, 100, 300, 1000)
# The speed of the link between client and scheduler in bytes per second: 10 Gbit/s.
NETWORK = 1.25e9

_MOST_TERMS = 64


@dataclass(frozen=True)
class Constants:
    """The measured constants of the prediction. product_seconds: one product of blocks on a worker.
    task_seconds: cost of a task on client and scheduler. install_seconds: loading a context that
    the worker has. Bytes: of the context, of the inputs of one product, of a result."""

    product_seconds: float
    task_seconds: float
    install_seconds: float
    context_bytes: int
    product_bytes: int
    result_bytes: int


@dataclass(frozen=True)
class Expected:
    """The prediction for `machines` machines that each compute one task at a time. share: part of
    the time in which they compute; limit: what bounds the share; start_seconds: time until all have
    the context."""

    machines: int
    terms: int
    share: float
    limit: str
    start_seconds: float


def expect(constants: Constants, machines: int, tile: int = 1) -> Expected:
    """Predicts for a number of machines, with the fewest terms for which the scheduler is fast
    enough. tile: the tile of matrix_product; a task computes tile x tile blocks."""
    one = tile**2 * constants.product_seconds
    terms, busy = 1, machines * constants.task_seconds
    while terms < _MOST_TERMS and busy > terms * one:
        terms *= 2
    wanted = machines / (terms * one)
    sent = terms * tile * constants.product_bytes + tile**2 * constants.result_bytes
    rates = {"none": wanted, "scheduler": 1 / constants.task_seconds, "network": NETWORK / sent}
    limit = min(rates, key=lambda name: rates[name])
    start = machines * constants.context_bytes / NETWORK + constants.install_seconds
    return Expected(machines, terms, rates[limit] / wanted, limit, start)


def plan(constants: Constants, tile: int = 1) -> list[Expected]:
    """Returns the predictions for two machines up to a thousand."""
    return [expect(constants, machines, tile) for machines in MACHINES]


def entries(results: Results) -> list[dict[str, Any]]:
    """Returns the measurements in Google Benchmark's layout, in microseconds."""
    ring = f"n={results.parameters.degree}"
    found = [
        timing.entry_of(
            f"distributed/matrix_product/{ring}/workers={product.workers}",
            product,
            tasks=results.plan.tasks,
            workers=product.workers,
            evaluation_us=statistics.median(product.evaluation_us),
            overhead_min=min(product.overheads),
            overhead_median=statistics.median(product.overheads),
        )
        for product in results.products
    ]
    others: dict[str, Times] = {
        f"evaluation/{ring}": results.alone,
        f"context_to_scheduler/{ring}": results.put,
        f"context_on_worker/{ring}": results.install,
        "verified_task": results.tiny,
        "dask_task": results.trivial,
    }
    return found + [timing.entry_of(f"distributed/{name}", times) for name, times in others.items()]


def to_json(results: Results) -> dict[str, Any]:
    """Returns the content of the JSON file."""
    speedups = results.speedups
    return {
        "context": timing.context(
            OPERATION,
            results,
            parameters=repr(results.parameters),
            shape=list(results.layout.shape),
            dimension=results.layout.dimension,
            interleave=results.layout.interleave,
            terms=results.terms,
            bytes=results.bytes,
            speedup={"max": max(speedups), "median": statistics.median(speedups)},
            goals={"speedup": GOAL_SPEEDUP, "overhead": GOAL_OVERHEAD},
            largest_error=results.largest_error,
            plan=[asdict(row) for row in plan(constants(results))],
            plan_tile_4=[asdict(row) for row in plan(constants(results), 4)],
        ),
        "benchmarks": entries(results),
    }


def product_sheet(results: Results) -> Sheet:
    """Returns a table of the jobs: their seconds, and the overhead of distributing them."""
    title = f"{results.layout.shape} product, {results.plan.tasks} tasks"
    heads = ("workers", "s, min", "s, median", "s a task", "overhead, min", "median")
    sheet = Sheet(title, heads, 0)
    for product in results.products:
        times = (product.best, product.median, statistics.median(product.evaluation_us))
        overheads = (min(product.overheads), statistics.median(product.overheads))
        sheet.add(
            str(product.workers),
            *(f"{time * 1e-6:.2f}" for time in times),
            *(f"{overhead:.1%}" for overhead in overheads),
        )
    return sheet


def constants_sheet(results: Results) -> Sheet:
    """Returns a table of the constants from which docs/scaling.md computes."""
    sheet = Sheet("constants", ("what", "min", "median"))
    rows = {
        "one product of blocks, this process, ms": results.alone,
        "context to the scheduler, ms": results.put,
        "context on a worker, fetched and loaded, ms": results.install,
        "a task that computes next to nothing, verified, ms": results.tiny,
        "a task of Dask alone, ms": results.trivial,
    }
    for what, times in rows.items():
        sheet.add(what, f"{times.best * 1e-3:.2f}", f"{times.median * 1e-3:.2f}")
    for what, count in results.bytes.items():
        sheet.add(f"bytes: {what.replace('_', ' ')}", str(count), "")
    return sheet


def constants(results: Results) -> Constants:
    """Returns the constants as minima, which other programs on the machine disturb least."""
    return Constants(
        product_seconds=results.alone.best * 1e-6,
        task_seconds=results.tiny.best * 1e-6,
        install_seconds=results.install.best * 1e-6,
        context_bytes=results.bytes["context"],
        product_bytes=2 * results.bytes["input"],
        result_bytes=results.bytes["result"],
    )


def plan_sheet(results: Results) -> Sheet:
    """Returns a table of the predictions."""
    title = "on paper: machines with one task each, link of 10 Gbit/s"
    heads = ("machines", "terms", "busy", "limit", "start, s", "tile=4: terms", "busy", "limit")
    sheet = Sheet(title, heads, 0)
    for row, tiled in zip(plan(constants(results)), plan(constants(results), 4), strict=True):
        first, second = ([str(one.terms), f"{one.share:.0%}", one.limit] for one in (row, tiled))
        sheet.add(str(row.machines), *first, f"{row.start_seconds:.1f}", *second)
    return sheet


def verdict(results: Results) -> str:
    """Returns a line with the goals and the measured values."""
    speedup = statistics.median(results.speedups)
    overhead = statistics.median(results.products[-1].overheads)
    return (
        f"{speedup:.2f}x by two workers (goal {GOAL_SPEEDUP}x), overhead {overhead:.1%} at tasks "
        f"of {statistics.median(results.products[-1].evaluation_us) * 1e-6:.2f} s "
        f"(goal {GOAL_OVERHEAD:.0%}); medians of {results.rounds} rounds; largest error "
        f"{results.largest_error:.1e}"
    )


def run_distributed(files: Destination, asked: Plan) -> None:
    """Measures, prints the tables, and writes the requested files."""
    is_long = not 0 < asked.seconds <= _MOST_SECONDS
    if asked.rounds < 1 or is_long or asked.tasks < 4 or asked.tasks % 4:
        raise InvalidArgument(
            OPERATION,
            f"{asked.rounds} rounds of {asked.tasks} tasks of {asked.seconds} s",
            f"at least one round, a multiple of 4 tasks, tasks of at most {_MOST_SECONDS} s",
            "change --rounds, --tasks or --seconds",
        )
    console = files.start()
    results = measure(console, asked)
    for sheet in (product_sheet(results), constants_sheet(results), plan_sheet(results)):
        sheet.show(console)
    console.print(verdict(results))
    files.write(console, to_json(results), {})
