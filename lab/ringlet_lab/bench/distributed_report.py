# SPDX-License-Identifier: Apache-2.0
"""How `ringlet bench distributed` shows what it measured: on the terminal and as JSON."""

from __future__ import annotations

import statistics
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from ringlet.errors import InvalidArgument
from ringlet.files import note_written, prepare_folders, write_json

from . import timing
from .distributed import OPERATION, Plan, Results, measure
from .distributed_plan import Constants, Expected, plan
from .timing import Times

# Of a task, whose operands are in memory.
_MOST_SECONDS = 60
GOAL_SPEEDUP = 1.7
GOAL_OVERHEAD = 0.10


@dataclass(frozen=True)
class Options:
    """What the command was asked for."""

    plan: Plan = field(default_factory=Plan)
    json: Path | None = None


def entries(results: Results) -> list[dict[str, Any]]:
    """In Google Benchmark's layout, in microseconds."""
    ring = f"n={results.parameters.degree}"
    found = []
    for product in results.products:
        found.append(
            timing.entry_of(
                f"distributed/matrix_product/{ring}/workers={product.workers}",
                product,
                tasks=results.plan.tasks,
                workers=product.workers,
                evaluation_us=statistics.median(product.evaluation_us),
                overhead_min=min(product.overheads),
                overhead_median=statistics.median(product.overheads),
            )
        )
    others: dict[str, Times] = {
        f"evaluation/{ring}": results.alone,
        f"context_to_scheduler/{ring}": results.put,
        f"context_on_worker/{ring}": results.install,
        "verified_task": results.tiny,
        "dask_task": results.trivial,
    }
    return found + [timing.entry_of(f"distributed/{name}", times) for name, times in others.items()]


def to_json(results: Results) -> dict[str, Any]:
    """The whole file."""
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


def product_table(results: Results) -> Table:
    """Seconds of the jobs, and what distributing them cost."""
    table = Table(title=f"{results.layout.shape} product, {results.plan.tasks} tasks")
    for column in ("workers", "s, min", "s, median", "s a task", "overhead, min", "median"):
        table.add_column(column, justify="right")
    for product in results.products:
        table.add_row(
            str(product.workers),
            f"{product.best * 1e-6:.2f}",
            f"{product.median * 1e-6:.2f}",
            f"{statistics.median(product.evaluation_us) * 1e-6:.2f}",
            f"{min(product.overheads):.1%}",
            f"{statistics.median(product.overheads):.1%}",
        )
    return table


def constants_table(results: Results) -> Table:
    """What docs/scaling.md reckons with."""
    table = Table(title="constants")
    for column in ("what", "min", "median"):
        table.add_column(column, justify="left" if column == "what" else "right")
    rows = {
        "one product of blocks, this process, ms": (results.alone, 1e-3),
        "context to the scheduler, ms": (results.put, 1e-3),
        "context on a worker, fetched and loaded, ms": (results.install, 1e-3),
        "a task that computes next to nothing, verified, ms": (results.tiny, 1e-3),
        "a task of Dask alone, ms": (results.trivial, 1e-3),
    }
    for what, (times, factor) in rows.items():
        table.add_row(what, f"{times.best * factor:.2f}", f"{times.median * factor:.2f}")
    for what, count in results.bytes.items():
        table.add_row(f"bytes: {what.replace('_', ' ')}", str(count), "")
    return table


def constants(results: Results) -> Constants:
    """Minima, which other programs on the machine disturb least."""
    return Constants(
        product_seconds=results.alone.best * 1e-6,
        task_seconds=results.tiny.best * 1e-6,
        install_seconds=results.install.best * 1e-6,
        context_bytes=results.bytes["context"],
        product_bytes=2 * results.bytes["input"],
        result_bytes=results.bytes["result"],
    )


def plan_table(results: Results) -> Table:
    """The plan on paper."""
    table = Table(title="on paper: machines with one task each, link of 10 Gbit/s")
    heads = ("machines", "terms", "busy", "limit", "start, s", "tile=4: terms", "busy", "limit")
    for head in heads:
        table.add_column(head, justify="right")
    for row, tiled in zip(plan(constants(results)), plan(constants(results), 4), strict=True):
        first = [str(row.machines), *_cells(row), f"{row.start_seconds:.1f}"]
        table.add_row(*first, *_cells(tiled))
    return table


def _cells(row: Expected) -> list[str]:
    return [str(row.terms), f"{row.share:.0%}", row.limit]


def verdict(results: Results) -> str:
    """The goals beside what was measured."""
    speedup = statistics.median(results.speedups)
    overhead = statistics.median(results.products[-1].overheads)
    return (
        f"{speedup:.2f}x by two workers (goal {GOAL_SPEEDUP}x), overhead {overhead:.1%} at tasks "
        f"of {statistics.median(results.products[-1].evaluation_us) * 1e-6:.2f} s "
        f"(goal {GOAL_OVERHEAD:.0%}); medians of {results.rounds} rounds; largest error "
        f"{results.largest_error:.1e}"
    )


def run_distributed(console: Console, options: Options) -> Results:
    """Measures, shows, and writes what was asked for."""
    plan = options.plan
    if plan.rounds < 1 or not 0 < plan.seconds <= _MOST_SECONDS or plan.tasks < 4 or plan.tasks % 4:
        raise InvalidArgument(
            OPERATION,
            f"{plan.rounds} rounds of {plan.tasks} tasks of {plan.seconds} s",
            f"at least one round, a multiple of 4 tasks, tasks of at most {_MOST_SECONDS} s",
            "change --rounds, --tasks or --seconds",
        )
    files = [] if options.json is None else [options.json]
    prepare_folders(files)
    results = measure(console, plan)
    console.print(product_table(results))
    console.print(constants_table(results))
    console.print(plan_table(results))
    console.print(verdict(results))
    if options.json is not None:
        write_json(options.json, to_json(results))
        note_written(console, *files)
    return results
