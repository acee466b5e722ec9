# SPDX-License-Identifier: Apache-2.0
"""Figures 7 and 9 to 11 of `ringlet bench ntt --figures`: the times of the variants by compiler,
the instructions that they execute, and cycles that llvm-mca predicted. Values that a machine or a
run lacks become gaps."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from rich.console import Console
from ringlet.errors import InvalidArgument, RuntimeFailure
from ringlet.files import read_json
from ringlet.progress import counted_steps

from . import programs
from .mix import Mix
from .programs import Build, Counts, ProgramRow
from .variants import DIRECTIONS, OPERATION, PANELS, Gap, Panel, Results, Variant

COMPILERS = ("clang", "gcc")
# Figure 11's rad2-seal is a radix-2 kernel that this library has once, as scalar64/radix2.
CACHEGRIND_VARIANTS = tuple(
    Variant(f"scalar64/{algorithm}") for algorithm in ("radix2", "radix4", "radix4x4")
)
BUILD_REMEDY = "`make bench ARGS='ntt --figures'` builds and passes them"


@dataclass(frozen=True)
class Prediction:
    """Cycles of one transform that llvm-mca predicts for a processor."""

    processor: str
    variant: Variant
    direction: str
    degree: int
    cycles: float
    compiler: str = "clang"
    target: str = ""  # such as "x86_64"
    method: str = ""

    @property
    def label(self) -> str:
        """The label of the variant, with the compiler unless this is clang."""
        return self.variant.label + ("" if self.compiler == "clang" else f", {self.compiler}")


@dataclass
class Study:
    """All figures of one run."""

    figure8: Results
    mix_degree: int
    compilers: dict[str, str] = field(default_factory=dict)  # Name, and version with options.
    times: list[ProgramRow] = field(default_factory=list)
    counts: list[Counts] = field(default_factory=list)
    predictions: list[Prediction] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)

    def gaps_of(self, figure: int) -> list[Gap]:
        return [gap for gap in (*self.figure8.gaps, *self.gaps) if gap.figure == figure]

    def time(self, compiler: str, variant: Variant, direction: str, degree: int) -> float | None:
        """Returns the least microseconds of a compiler's program, or None if it was not timed."""
        wanted = (compiler, variant, direction, degree)
        rows = (r for r in self.times if (r.compiler, r.variant, r.direction, r.degree) == wanted)
        return next((row.best for row in rows), None)

    def slowdown(self, variant: Variant, direction: str, degree: int) -> float | None:
        """Returns the time with gcc, divided by the time with clang."""
        gcc, clang = (self.time(c, variant, direction, degree) for c in ("gcc", "clang"))
        return None if gcc is None or clang is None else gcc / clang

    def count(self, compiler: str, variant: Variant, direction: str, source: str) -> Counts | None:
        """Returns the counts of a variant. `source` is "stepped" or "cachegrind"."""
        wanted = (compiler, variant, direction, source)
        found = (c for c in self.counts if (c.compiler, c.variant, c.direction, c.source) == wanted)
        return next(found, None)

    def mixes(self, panel: Panel, direction: str, compiler: str) -> list[tuple[Variant, Mix]]:
        """Returns the instruction mixes of a panel's variants, as far as they were stepped through.
        """
        variants = self.figure8.variants(panel)
        found = [(v, self.count(compiler, v, direction, "stepped")) for v in variants]
        return [(variant, counts.mix) for variant, counts in found if counts and counts.mix]

    def predicted(self, processor: str, variant: Variant, direction: str) -> Prediction | None:
        """Returns the prediction for the length whose instructions are counted, preferably for
        clang's code."""
        wanted = (processor, variant, direction, self.mix_degree)
        found = [
            p for p in self.predictions if (p.processor, p.variant, p.direction, p.degree) == wanted
        ]
        return min(found, key=lambda p: p.compiler, default=None)

    def processors(self, target: str) -> list[str]:
        """Returns the processors that have predictions for this instruction set."""
        return list(dict.fromkeys(p.processor for p in self.predictions if p.target == target))


def read_predictions(path: Path) -> list[Prediction]:
    """Reads the JSON that predict_cycles.py writes. "predictions" is a list of objects with
    processor, compiler, kernel, direction, degree and cycles. "loops" give the instruction set of
    each processor. "method" describes the prediction."""
    named = f"--predictions {path}"
    wanted = "the JSON of lab/scripts/predict_cycles.py"
    remedy = "write the file again with that script"
    content = read_json(path, OPERATION, named, wanted, remedy)
    try:
        targets = {loop["processor"]: loop["target"] for loop in content["loops"]}
        return [
            Prediction(
                str(entry["processor"]),
                Variant(entry["kernel"], entry.get("form", "ordered")),
                str(entry["direction"]),
                int(entry["degree"]),
                float(entry["cycles"]),
                str(entry["compiler"]),
                targets[entry["processor"]],
                str(content["method"]),
            )
            for entry in content["predictions"]
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        found = f"{named}: {type(error).__name__} {error}"
        raise InvalidArgument(OPERATION, found, wanted, remedy) from None


def _missing_builds(builds: Sequence[Build]) -> list[Gap]:
    missing = [name for name in COMPILERS if name not in {build.name for build in builds}]
    if not missing:
        return []
    options = " and ".join(f"--{name}" for name in missing)
    reason = f"no programs of {' and '.join(missing)} were given ({options})"
    gaps = [
        Gap(10, "clang against gcc", reason, BUILD_REMEDY),
        Gap(11, f"counts with {' and '.join(missing)}", reason, BUILD_REMEDY),
    ]
    if not builds:
        gaps.append(Gap(9, "the instruction mix", reason, BUILD_REMEDY))
    return gaps


def _missing_predictions(predictions: Sequence[Prediction]) -> list[Gap]:
    remedy = "write them with lab/scripts/predict_cycles.py and pass --predictions FILE"
    gaps = []
    if not any(p.processor == "z14" for p in predictions):
        reason = "no predictions for z14 were given" if not predictions else "none are for z14"
        gaps.append(Gap(7, "llvm-mca's cycles on z14", reason, remedy))
    if not any(p.target == "x86_64" for p in predictions):
        gaps.append(Gap(9, "llvm-mca's cycles", "no predictions for x86-64 were given", remedy))
    return gaps


def _unpredicted(study: Study) -> list[Gap]:
    """Returns gaps for measured variants without a prediction for x86-64."""
    if not study.processors("x86_64"):
        return []
    have = {p.variant for p in study.predictions if p.target == "x86_64"}
    gaps = []
    for panel in PANELS:
        lacking = [v.label for v in study.figure8.variants(panel) if v not in have]
        if lacking:
            what = f"llvm-mca's cycles of {panel.name} variants"
            remedy = "lab/scripts/predict_cycles.py names what it predicts"
            gaps.append(Gap(9, what, f"not predicted: {'; '.join(lacking)}", remedy))
    return gaps


class _Steps:
    """Runs pieces of work under a progress bar and appends the results of each to its list. A piece
    that fails becomes a gap."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.pieces: list[tuple[str, int, list[Any], Callable[[], Sequence[Any]]]] = []

    def add(self, text: str, figure: int, found: list[Any], piece: Callable[..., Any]) -> None:
        self.pieces.append((text, figure, found, piece))

    def run(self, console: Console) -> None:
        with counted_steps(console) as progress:
            task = progress.add_task("measuring", total=len(self.pieces))
            for text, figure, found, piece in self.pieces:
                progress.update(task, description=text)
                try:
                    found += piece()
                except RuntimeFailure as error:
                    gap = Gap(figure, text, error.offending, error.remedy)
                    self.study.gaps.append(gap)
                progress.advance(task)


def _add_times(
    steps: _Steps, builds: Sequence[Build], degrees: Sequence[int], turns: int, seconds: float
) -> None:
    tables = [panel.table for panel in PANELS]
    for degree in degrees:
        piece = partial(programs.time_in_turn, builds, tables, degree, turns, seconds)
        steps.add(f"clang against gcc, N = {degree}", 10, steps.study.times, piece)


def _add_mixes(steps: _Steps, builds: Sequence[Build], directions: Sequence[str]) -> None:
    study = steps.study
    problem = programs.step_problem()
    if problem:
        study.gaps.append(Gap(9, "the instruction mix", problem, "install the package binutils"))
        return

    def step(build: Build, table: str) -> list[Counts]:
        degree, bits = study.mix_degree, study.figure8.bits
        calls = list(product(build.variants(table, degree, bits), directions))
        return programs.count_by_stepping(build, calls, degree, bits) if calls else []

    for build, panel in product(builds, PANELS):
        text = f"{panel.name} instructions, {build.name}"
        steps.add(text, 9, study.counts, partial(step, build, panel.table))


def _add_cachegrind(
    steps: _Steps, builds: Sequence[Build], directions: Sequence[str], folder: Path
) -> None:
    study = steps.study
    problem = programs.cachegrind_problem()
    if problem:
        study.gaps.append(Gap(11, "cachegrind's counts", problem, "install the package valgrind"))
        return

    def simulate(*what: Any) -> list[Counts]:
        return [programs.count_by_cachegrind(*what, study.mix_degree, study.figure8.bits, folder)]

    for build, variant, direction in product(builds, CACHEGRIND_VARIANTS, directions):
        text = f"cachegrind: {variant.label}, {build.name}"
        steps.add(text, 11, study.counts, partial(simulate, build, variant, direction))


@dataclass(frozen=True)
class Plan:
    """The requested parts of a study."""

    builds: Sequence[Build] = ()
    predictions: Path | None = None
    turns: int = 3
    seconds: float = 0.01
    directions: Sequence[str] = DIRECTIONS
    mix_degree: int = 1024


def run_study(console: Console, figure8: Results, plan: Plan) -> Study:
    """Measures everything except for Figure 8, which must be measured before and alone."""
    study = Study(figure8, plan.mix_degree)
    if plan.predictions is not None:
        study.predictions = read_predictions(plan.predictions)
    study.gaps += _missing_builds(plan.builds) + _missing_predictions(study.predictions)
    study.gaps += _unpredicted(study)
    with tempfile.TemporaryDirectory() as folder:
        steps = _Steps(study)
        for build in plan.builds:
            study.compilers[build.name] = build.describe(
                CACHEGRIND_VARIANTS[0], plan.mix_degree, figure8.bits
            )
        if len(plan.builds) == len(COMPILERS):
            _add_times(steps, plan.builds, figure8.degrees, plan.turns, plan.seconds)
        if plan.builds:
            _add_mixes(steps, plan.builds, plan.directions)
            _add_cachegrind(steps, plan.builds, plan.directions, Path(folder))
        steps.run(console)
    return study
