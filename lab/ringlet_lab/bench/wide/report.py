# SPDX-License-Identifier: Apache-2.0
"""Shows the measurements of `ringlet bench wide` on the terminal and as JSON.

Figures that the run did not measure are marked: projected, recorded on another machine, a bound
(speed of light), derived, or quoted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from ringlet.errors import InvalidArgument

from ..._lab import selected_kernels
from .. import timing
from . import projection as wide_projection
from ..checks import check_degrees, check_range, check_rounds
from ..output import Destination, Sheet, degree_head, number, print_lines
from . import DIRECTIONS, LENGTH, OPERATION, OPERATIONS, Measurements, Results, Row
from .goals import goal_sheet, judgements
from .peers import WidePeers
from .picture import draw
from .quoted import CLAIMS, OPENFHE, PAPER, RECORDED_BLAS, RECORDED_MACHINE, RECORDED_NTT
from .speed_of_light import data, estimates

_KINDS = ("measured", "projected", "rns", "reference", "emulated")
_MARKED = ("projected", "emulated")
_STATISTICS: dict[str, Callable[[Row], float]] = {
    "min": lambda row: row.best,
    "med": lambda row: row.median,
    "mean": lambda row: row.late_mean,
}
_LEAST_BITS, _MOST_BITS = 106, 124


def label(row: Row) -> str:
    return f"{row.name} ({row.kind})" if row.kind in _MARKED else row.name


def _ordered(rows: Sequence[Row]) -> list[str]:
    """Returns the names of rows, kernels first and other libraries last."""
    return list(dict.fromkeys(r.name for kind in _KINDS for r in rows if r.kind == kind))


def _statistics_sheet(
    title: str, heads: dict[Any, str], rows: Sequence[Row], key: Callable[[Row], Any]
) -> Sheet:
    """Returns a table with three lines for each name: minimum, median and mean of the later half of
    the rounds."""
    sheet = Sheet(title, ["", "", *heads.values()], 2)
    for name in _ordered(rows):
        found = {key(row): row for row in rows if row.name == name}
        shown = label(next(iter(found.values())))
        for text, take in _STATISTICS.items():
            cells = [number(found[k].ns(take(found[k])) if k in found else None) for k in heads]
            is_first = text == "min"
            sheet.add(shown if is_first else "", text, *cells, style=None if is_first else "dim")
    return sheet


def _add_recorded(
    sheet: Sheet, heads: Sequence[Any], recorded: dict[str, dict[Any, float]]
) -> None:
    for name, times in recorded.items():
        cells = [number(times[k]) if k in times else "" for k in heads]
        if any(cells):
            sheet.add(name, "rec.", *cells, style="cyan italic")


def blas_sheet(results: Results) -> Sheet:
    """Returns a table of times per element, with a column for each operation."""
    rows = [row for operation in OPERATIONS for row in results.select(operation, None, *_KINDS)]
    title = (
        f"Element-wise at length {results.length}: ns per element; minimum, median, mean of the "
        "later half of the rounds"
    )
    sheet = _statistics_sheet(title, {o: o for o in OPERATIONS}, rows, lambda row: row.operation)
    _add_recorded(sheet, OPERATIONS, RECORDED_BLAS)
    return sheet


def transform_sheet(results: Results, direction: str) -> Sheet:
    """Returns a table of times per butterfly, with a column for each length."""
    heads = {n: degree_head(n) for n in results.degrees}
    rows = results.select(f"ntt_{direction}", None, *_KINDS)
    title = f"NTT, {direction}: ns per butterfly"
    sheet = _statistics_sheet(title, heads, rows, lambda row: row.size)
    if direction == DIRECTIONS[0]:
        _add_recorded(sheet, list(heads), RECORDED_NTT)
    return sheet


def product_sheet(results: Results) -> Sheet:
    """Returns a table of polynomial products beside FLINT's. It has no rows without that library.
    """
    rows = results.select("product")
    degrees = sorted({row.size for row in rows})
    title = "Products modulo X^N + 1: microseconds, minimum"
    sheet = Sheet(title, ["", *map(degree_head, degrees)])
    for name in _ordered(rows):
        found = {row.size: row.best for row in rows if row.name == name}
        sheet.add(name, *(number(found.get(n)) for n in degrees))
    return sheet


def light_rows(results: Results) -> list[Row]:
    """Returns the rows from which the speed of light is computed: the fastest measured and the
    fastest projected transform of one length."""
    degree = results.shown_degree
    rows = [results.fastest_transform(degree, kind) for kind in ("measured", "projected")]
    return [row for row in rows if row is not None]


def light_sheet(results: Results) -> Sheet:
    """Returns a table of bounds on whole processors. None of its figures is a measurement."""
    degree, asic = results.shown_degree, data().asic
    title = (
        f"Speed of light (bounds, not measured), N = {degree}: {data().formula}\n"
        f"ASIC ({asic.name}): {1e3 * asic.ns_per_butterfly(degree):.1f} ps per butterfly, derived: "
        f"the paper's MQX / {asic.slowdown:g}"
    )
    heads = ("t_m from", "CPU", "cores", "f_max", "assumption", "ps per\nbutterfly", "x ASIC")
    sheet = Sheet(title, heads, 5)
    for row in light_rows(results):
        for i, e in enumerate(estimates(row.ns(), results.clock * 1e-9, degree)):
            what = ("" if i else label(row), e.target, str(e.cores), e.clock, e.assumption)
            sheet.add(*what, number(1e3 * e.ns), number(e.asic_ratio))
    return sheet


def _entry(results: Results, row: Row) -> dict[str, Any]:
    name = f"wide_{row.operation}/{row.name}/n={row.size}"
    if row.kind != "limit":
        name += f"/q={results.bits}"
    per = "butterfly" if row.operation.startswith("ntt_") else "element"
    clock_ghz = results.clock * 1e-9
    more: dict[str, Any] = {} if row.operation == "product" else {
        f"ns_per_{per}": row.ns(),
        f"median_ns_per_{per}": row.ns(row.median),
        f"late_mean_ns_per_{per}": row.ns(row.late_mean),
        f"cycles_per_{per}": row.ns() * clock_ghz,
    }  # fmt: skip
    if row.operand_bytes:
        more |= {"operand_bytes": row.operand_bytes, "table_bytes": row.table_bytes}
    if row.modulus:
        more["modulus"] = results.moduli.text(row.modulus)
    return timing.entry_of(
        name.replace(" ", ""),
        row,
        kind=row.kind,
        kernel=row.name,
        text=row.text,
        late_mean=row.late_mean,
        **more,
    )


def _recorded() -> Iterator[tuple[str, dict[str, Any], float]]:
    for name, times in RECORDED_NTT.items():
        for n, ns in times.items():
            yield name, {"operation": "ntt_forward", "n": n}, ns
    for name, by_operation in RECORDED_BLAS.items():
        for operation, ns in by_operation.items():
            yield name, {"operation": operation, "n": LENGTH}, ns


def to_json(results: Results) -> dict[str, Any]:
    """Returns the measurements in Google Benchmark's layout. Figures that were not measured are
    apart."""
    degree = results.shown_degree
    asic = data().asic
    return {
        "context": timing.context(
            OPERATION,
            results,
            kernels=selected_kernels(),
            modulus_bits=results.bits,
            general_modulus=str(results.moduli.general),
            special_modulus=str(results.moduli.special),
            peers=results.peers,
            missing=results.missing,
        ),
        "benchmarks": [_entry(results, row) for row in results.rows],
        "goals": [asdict(judgement) for judgement in judgements(results)],
        "speed_of_light": [
            {"from": row.name, "from_kind": row.kind, "degree": degree, **asdict(e)}
            for row in light_rows(results)
            for e in estimates(row.ns(), results.clock * 1e-9, degree)
        ],
        "derived": [
            {"name": asic.name, "degree": n, "ns_per_butterfly": asic.ns_per_butterfly(n),
             "slowdown": asic.slowdown, "source": f"{asic.slowdown_source}; {asic.mqx_source}"}
            for n in results.degrees
        ],
        "recorded": [
            {"implementation": name, **where, "ns": ns, "source": RECORDED_MACHINE}
            for name, where, ns in _recorded()
        ],
        "projection_checks": [
            {**asdict(check), "error_percent": check.error_percent, "degree": degree}
            for check in results.checks
        ],
        "quoted": [{"claim": text, "ratio": ratio, "source": PAPER} for text, ratio in CLAIMS],
    }  # fmt: skip


def print_results(console: Console, results: Results) -> None:
    """Prints all tables, each with an explanation of its rows."""
    console.print(f"Double words modulo q of {results.bits} bits; {results.core}", style="bold")
    sheets = [
        blas_sheet(results),
        *(transform_sheet(results, direction) for direction in DIRECTIONS),
        product_sheet(results),
        wide_projection.check_sheet(results.checks, results.shown_degree),
        goal_sheet(results),
        light_sheet(results),
    ]
    for sheet in sheets:
        if sheet.rows:
            sheet.show(console)
    lines = [
        "general q: " + str(results.moduli.general),
        "special q: " + str(results.moduli.special) + " = k * 2^104 + 1",
        "rns: three primes side by side by Ringlet's kernels of 64-bit words; the modulus is their",
        "     product, not one prime; coming from integers and going to them is not counted",
        *dict.fromkeys(text.split(",")[0] for text in results.peers.values()),
        *(f"missing: {text}" for text in results.missing),
        f"rec.: {RECORDED_MACHINE}",
        *(f"quoted: {text}: “{ratio:g}x”" for text, ratio in CLAIMS),
        f"quoted from {PAPER}",
        OPENFHE,
        *(f"{t.name}: {t.clock_text}; {t.source}" for t in data().targets),
        f"up to {results.rounds} rounds of each size; {results.text}",
    ]
    print_lines(console, lines)


def run_wide_benchmark(
    files: Destination,
    degrees: Sequence[int],
    bits: int,
    length: int,
    rounds: int,
    seconds: float,
    *,
    peers: Path | None = None,
) -> None:
    """Measures, prints the tables, and writes the requested files."""
    check_degrees(OPERATION, degrees, 16, 1 << 20)
    check_range(OPERATION, "--bits", bits, _LEAST_BITS, _MOST_BITS)
    check_range(OPERATION, "--length", length, 16, 1 << 20)
    check_rounds(OPERATION, rounds)
    if not seconds > 0:
        asked = f"--seconds {seconds}"
        raise InvalidArgument(OPERATION, asked, "more than 0", "write for example --seconds 0.1")
    # Finds unusable folders and libraries before it measures.
    console = files.start()
    library = None if peers is None else WidePeers(peers)
    results = Measurements(degrees, bits, length, library).run(console, rounds, seconds)
    print_results(console, results)
    files.write(console, to_json(results), {"": partial(draw, results)})
