# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench ntt --figures`: Figures 7 to 11 of the paper on the extended Harvey butterfly,
with the kernels of this library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from ringlet.errors import InvalidArgument
from ringlet.files import beside, note_written, prepare_folders, write_atomically, write_json

from . import timing
from .checks import check_degrees, check_rounds
from .ntt_goals import judgements
from .ntt_markdown import to_markdown
from .ntt_pictures import draw_all
from .ntt_programs import CACHEGRIND, COUNTED, Build
from .ntt_programs import to_json as counts_to_json
from .ntt_study import Plan, Study, run_study
from .ntt_tables import print_tables
from .ntt_variants import (
    BITS,
    DEGREES,
    DIRECTIONS,
    OPERATION,
    PANELS,
    PAPER,
    ROUNDS,
    measure,
)

_LEAST_DEGREE, _MOST_DEGREE = 1 << 6, 1 << 16
_LEAST_BITS, _MOST_BITS = 30, 48
# Longer ones take minutes to step through.
_MIX_DEGREE = 1024
_QUICK_DEGREES = (1024, 4096)
_QUICK_ROUNDS = 20
_QUICK_MIX_DEGREE = 256


@dataclass(frozen=True)
class Options:
    """What the command line asks for; None leaves the choice to --quick and the paper's method."""

    degrees: Sequence[int] | None = None
    bits: int = BITS
    rounds: int | None = None
    is_quick: bool = False
    paper_method: bool = False
    builds: Sequence[Build] = ()
    predictions: Path | None = None
    json: Path | None = None
    picture_stem: Path | None = None
    suffixes: Sequence[str] = ()

    @property
    def chosen_degrees(self) -> tuple[int, ...]:
        if self.degrees is not None:
            return tuple(self.degrees)
        return _QUICK_DEGREES if self.is_quick else DEGREES

    @property
    def chosen_rounds(self) -> int:
        if self.rounds is not None:
            return self.rounds
        return _QUICK_ROUNDS if self.is_quick else ROUNDS


def _check(options: Options) -> None:
    check_degrees(OPERATION, options.chosen_degrees, _LEAST_DEGREE, _MOST_DEGREE)
    if not _LEAST_BITS <= options.bits <= _MOST_BITS:
        limit = f"{_LEAST_BITS} to {_MOST_BITS}, which every variant takes"
        raise InvalidArgument(OPERATION, f"--bits {options.bits}", limit, "choose one of these")
    check_rounds(OPERATION, options.chosen_rounds)
    for build in options.builds:
        build.check()


def to_json(study: Study) -> dict[str, Any]:
    """Times in Google Benchmark's layout, in microseconds per transform, and what else there is."""
    results = study.figure8
    entries = []
    panels = {panel.table: panel for panel in PANELS}
    for row in results.rows:
        panel = panels[row.variant.table]
        entries.append(
            timing.entry_of(
                f"ntt_{row.direction}/{row.variant.path}/n={row.degree}/q={results.bits}",
                row,
                figure=8,
                panel=panel.name,
                speedup=results.speedup(panel, row.variant, row.direction, row.degree),
                ns_per_butterfly=1e3 * row.best / row.butterflies,
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
    return {
        "context": timing.context(
            OPERATION,
            results,
            paper=PAPER,
            method=results.method,
            load_before=results.load[0],
            load_after=results.load[1],
            compilers=study.compilers,
            counted={"stepped": COUNTED, "cachegrind": CACHEGRIND},
        ),
        "benchmarks": entries,
        "counts": [counts_to_json(counts) for counts in study.counts],
        "predictions": [
            {
                "processor": p.processor,
                "target": p.target,
                "compiler": p.compiler,
                "kernel": p.variant.kernel,
                "form": p.variant.form,
                "direction": p.direction,
                "degree": p.degree,
                "cycles": p.cycles,
                "method": p.method,
                "kind": "predicted",
            }
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


def run_figures(console: Console, options: Options) -> None:
    """Measures, prints the tables, and writes the files that were asked for."""
    _check(options)
    # A folder that cannot be made is found before anything is measured.
    prepare_folders([options.json, options.picture_stem])
    results = measure(
        console,
        options.chosen_degrees,
        options.bits,
        options.chosen_rounds,
        options.paper_method,
    )
    quick = options.is_quick
    plan = Plan(
        builds=options.builds,
        predictions=options.predictions,
        turns=1 if quick else 3,
        directions=DIRECTIONS[:1] if quick else DIRECTIONS,
        mix_degree=min(_QUICK_MIX_DEGREE if quick else _MIX_DEGREE, max(options.chosen_degrees)),
    )
    study = run_study(console, results, plan)
    print_tables(console, study)
    console.print(
        f"moduli of {results.bits} bits; {results.method}\n"
        f"clock in the same run: {results.clock * 1e-9:.2f} GHz (median); load of the machine "
        f"before and after Figure 8: {results.load[0]:.1f}, {results.load[1]:.1f}"
    )
    if options.json is not None:
        content = to_json(study)
        tables = beside(options.json, ".md")
        write_json(options.json, content)
        if tables is not None:
            write_atomically(tables, to_markdown(content))
        note_written(console, options.json, tables)
    if options.picture_stem is not None:
        note_written(console, *draw_all(study, options.picture_stem, options.suffixes))
