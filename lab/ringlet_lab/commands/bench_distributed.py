# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench distributed`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ringlet.commands.options import Output, option
from ringlet.console import make_console

from .options import BenchJson, NoJson, ResultFiles


def bench_distributed(
    rounds: Annotated[int, option(metavar="N", help="Rounds of 1 and 2 workers (5).")] = 5,
    seconds: Annotated[float, option(metavar="S", help="Length of a task (1.0).")] = 1.0,
    tasks: Annotated[int, option(metavar="N", help="Tasks of a product (16).")] = 16,
    quick: Annotated[
        bool, option("--quick", help="One round, in a small ring of no security.")
    ] = False,
    json: BenchJson = None,
    no_json: NoJson = False,
    output: Output = Path("."),
) -> None:
    """Time encrypted products on one and two local workers (Dask)."""
    from ..bench.distributed import Plan
    from ..bench.distributed_report import Options, run_distributed

    plan = Plan(rounds, seconds, tasks)
    if quick:
        plan = Plan(1, 0.02, 4, 4, is_quick=True)
    file = ResultFiles(output, named_json=json, no_json=no_json).json("ringlet-bench-distributed")
    run_distributed(make_console(file), Options(plan, file))
