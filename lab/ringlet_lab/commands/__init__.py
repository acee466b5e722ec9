# SPDX-License-Identifier: Apache-2.0
"""The subcommands that `ringlet` has where this package is installed, as its entry points say:
options here, what they do in the modules that they import when they are called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer

from .bench_distributed import bench_distributed
from .bench_fv import bench_fv
from .bench_gpu import bench_gpu
from .bench_ntt import bench_ntt
from .bench_schemes import bench_schemes
from .bench_tables import bench_tables
from .bench_wide import bench_wide
from .bench_widths import bench_widths
from .report import report as make_report

_BENCHMARKS: dict[str, Callable[..., Any]] = {
    "ntt": bench_ntt,
    "widths": bench_widths,
    "tables": bench_tables,
    "gpu": bench_gpu,
    "schemes": bench_schemes,
    "fv": bench_fv,
    "wide": bench_wide,
    "distributed": bench_distributed,
}

bench = typer.Typer(
    help="Time kernels, transforms and schemes.", no_args_is_help=True, add_completion=False
)
for _name, _command in _BENCHMARKS.items():
    bench.command(_name)(_command)

report = typer.Typer(add_completion=False)
report.command()(make_report)
