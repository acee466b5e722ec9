# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench ntt --figures`: Figures 7 to 11 of the paper on the extended Harvey butterfly,
with the kernels of this library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from ringlet.errors import InvalidArgument

from .. import timing
from ..checks import check_degrees, check_rounds, chosen
from .goals import judgements
from .pictures import FIGURES
from .programs import CACHEGRIND, COUNTED, Build
from .programs import to_json as counts_to_json
from .study import Plan, Study, run_study
from .tables import lines_of, sheets_of
from .variants import BITS, DEGREES, DIRECTIONS, OPERATION, PANELS, PAPER, ROUNDS, measure
from ..output import Destination, markdown_page, print_page

_LEAST_DEGREE, _MOST_DEGREE = 1 << 6, 1 << 16
_LEAST_BITS, _MOST_BITS = 30, 48
# Stepping through longer transforms takes minutes.
_MIX_DEGREE = 1024
_QUICK_DEGREES = (1024, 4096)
_QUICK_ROUNDS = 20
_QUICK_MIX_DEGREE = 256


def _entries(study: Study) -> list[dict[str, Any]]:
    """Returns the times in Google Benchmark's layout, in microseconds per transform."""
    results = study.figure8
    panels = {panel.table: panel for panel in PANELS}
    entries = []
    for row in results.rows:
        panel = panels[row.variant.table]
        entries.append(
            timing.entry_of(
                f"ntt_{row.direction}/{row.variant.path}/n={row.degree}/q={results.bits}",
                row,
                figure=8,
                panel=panel.name,
                speedup=results.speedup(panel, row.variant, row.direction, row.degree),
                ns_per_butterfly=1e3 * row.best / timing.butterflies(row.degree),
                table_bytes=row.table_bytes,
            )
        )
    for timed in study.times:
        name = f"{timed.compiler}/ntt_{timed.direction}/{timed.variant.path}"
        entries.append(
            timing.entry_of(
                f"{name}/n={timed.degree}/q={results.bits}",
                timed,
                figure=10,
                compiler=timed.compiler,
                slowdown=study.slowdown(timed.variant, timed.direction, timed.degree),
            )
        )
    return entries


def to_json(study: Study) -> dict[str, Any]:
    """Returns all figures, and the parts of them that are missing."""
    results = study.figure8
    own = ("processor", "target", "compiler", "direction", "degree", "cycles", "method")
    return {
        "context": timing.context(
            OPERATION,
            results,
            paper=PAPER,
            method=results.method,
            compilers=study.compilers,
            counted={"stepped": COUNTED, "cachegrind": CACHEGRIND},
        ),
        "benchmarks": _entries(study),
        "counts": [counts_to_json(counts) for counts in study.counts],
        "predictions": [
            {**asdict(p.variant), **{name: getattr(p, name) for name in own}, "kind": "predicted"}
            for p in study.predictions
        ],
        "goals": [
            {
                "variant": j.goal.variant.label,
                "kind": j.goal.kind,
                "goal": j.goal.value,
                "direction": j.direction,
                "degree": j.degree,
                "value": j.value,
                "met": j.met,
            }
            for j in judgements(results)
        ],
        "gaps": [asdict(gap) for gap in (*results.gaps, *study.gaps)],
    }


def run_figures(
    files: Destination,
    degrees: Sequence[int] | None = None,
    bits: int = BITS,
    rounds: int | None = None,
    *,
    is_quick: bool = False,
    paper_method: bool = False,
    builds: Sequence[Build] = (),
    predictions: Path | None = None,
) -> None:
    """Measures, prints the tables, and writes the requested files."""
    degrees = chosen(degrees, is_quick, _QUICK_DEGREES, DEGREES)
    rounds = chosen(rounds, is_quick, _QUICK_ROUNDS, ROUNDS)
    check_degrees(OPERATION, degrees, _LEAST_DEGREE, _MOST_DEGREE)
    if not _LEAST_BITS <= bits <= _MOST_BITS:
        limit = f"{_LEAST_BITS} to {_MOST_BITS}, which every variant supports"
        raise InvalidArgument(OPERATION, f"--bits {bits}", limit, "choose a width in this range")
    check_rounds(OPERATION, rounds)
    for build in builds:
        build.check()
    console = files.start()
    results = measure(console, degrees, bits, rounds, paper_method)
    plan = Plan(
        builds=builds,
        predictions=predictions,
        turns=1 if is_quick else 3,
        directions=DIRECTIONS[:1] if is_quick else DIRECTIONS,
        mix_degree=min(_QUICK_MIX_DEGREE if is_quick else _MIX_DEGREE, max(degrees)),
    )
    study = run_study(console, results, plan)
    page = (sheets_of(study), lines_of(study))
    print_page(console, *page)
    pictures = {f"-figure{number}": partial(draw, study) for number, draw in FIGURES.items()}
    files.write(console, to_json(study), pictures, markdown_page(*page))
