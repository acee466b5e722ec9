# SPDX-License-Identifier: Apache-2.0
"""How `ringlet bench wide` shows what it measured: on the terminal and as JSON.

What was not measured in the run is marked: projected, recorded on another machine, a bound (speed
of light), derived, or quoted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from ringlet import cpu_info
from ringlet.errors import InvalidArgument
from ringlet.files import prepare_folders

from .._lab import selected_kernels
from . import timing, wide_projection
from .checks import check_degrees, check_range, check_rounds
from .output import compact_table, number, write_files
from .wide import (
    BITS,
    DEGREES,
    DIRECTIONS,
    LENGTH,
    OPERATION,
    OPERATIONS,
    Measurements,
    Results,
    Row,
    open_peers,
)
from .wide_goals import goal_table, judgements
from .wide_picture import draw
from .wide_quoted import (
    CLAIMS,
    OPENFHE,
    PAPER,
    RECORDED_BLAS,
    RECORDED_MACHINE,
    RECORDED_NTT,
)
from .wide_speed_of_light import data, estimates

_KINDS = ("measured", "projected", "rns", "reference", "emulated")
_MARKS = {
    "projected": " (projected)",
    "emulated": " (emulated)",
}
_STATISTICS: dict[str, Callable[[Row], float]] = {
    "min": lambda row: row.best,
    "med": lambda row: row.median,
    "mean": lambda row: row.late_mean,
}
_LEAST_BITS, _MOST_BITS = 106, 124


def label(row: Row) -> str:
    return row.name + _MARKS.get(row.kind, "")


def _ordered(rows: Sequence[Row]) -> list[str]:
    """Names of rows, kernels first and other libraries last."""
    return list(dict.fromkeys(r.name for kind in _KINDS for r in rows if r.kind == kind))


def _statistics_table(
    title: str, heads: dict[int, str] | dict[str, str], rows: dict[str, dict[Any, Row]]
) -> Table:
    """Three lines for each name: minimum, median and mean of the later half of the rounds."""
    table = compact_table(title, ["", "", *heads.values()], 2)
    for found in rows.values():
        name = label(next(iter(found.values())))
        for text, take in _STATISTICS.items():
            cells = [number(found[k].ns(take(found[k]))) if k in found else "-" for k in heads]
            is_first = text == "min"
            table.add_row(name if is_first else "", text, *cells, style=None if is_first else "dim")
    return table


def _add_recorded(
    table: Table, heads: Sequence[Any], recorded: dict[str, dict[Any, float]]
) -> None:
    for name, times in recorded.items():
        cells = [number(times[k]) if k in times else "" for k in heads]
        if any(cells):
            table.add_row(name, "rec.", *cells, style="cyan italic")


def blas_table(results: Results) -> Table:
    """Per element, a column for each operation."""
    rows = [row for operation in OPERATIONS for row in results.select(operation, None, *_KINDS)]
    by_name = {
        name: {row.operation: row for row in rows if row.name == name} for name in _ordered(rows)
    }
    title = (
        f"Element-wise at length {results.length}: ns per element; minimum, median, mean of the "
        "later half of the rounds"
    )
    table = _statistics_table(title, {o: o for o in OPERATIONS}, by_name)
    _add_recorded(table, OPERATIONS, RECORDED_BLAS)
    return table


def transform_table(results: Results, direction: str) -> Table:
    """Per butterfly, a column for each length."""
    heads = {n: f"2^{n.bit_length() - 1}" for n in results.degrees}
    rows = results.select(f"ntt_{direction}", None, *_KINDS)
    by_name = {name: {row.size: row for row in rows if row.name == name} for name in _ordered(rows)}
    table = _statistics_table(f"NTT, {direction}: ns per butterfly", heads, by_name)
    if direction == DIRECTIONS[0]:
        _add_recorded(table, list(heads), RECORDED_NTT)
    return table


def product_table(results: Results) -> Table | None:
    """Products of polynomials beside FLINT's; none without that library."""
    rows = results.select("product")
    degrees = sorted({row.size for row in rows})
    if not rows:
        return None
    heads = [f"2^{n.bit_length() - 1}" for n in degrees]
    table = compact_table("Products modulo X^N + 1: microseconds, minimum", ["", *heads])
    for name in _ordered(rows):
        found = {row.size: row for row in rows if row.name == name}
        table.add_row(name, *(number(found[n].best) if n in found else "-" for n in degrees))
    return table


def light_rows(results: Results) -> list[Row]:
    """What the speed of light is computed from: the fastest measured and the fastest projected
    transform of one length."""
    degree = results.shown_degree
    rows = [results.fastest_transform(degree, kind) for kind in ("measured", "projected")]
    return [row for row in rows if row is not None]


def light_table(results: Results) -> Table:
    """Bounds on whole processors. None of its figures is a measurement."""
    degree, asic = results.shown_degree, data().asic
    title = (
        f"Speed of light (bounds, not measured), N = {degree}: {data().formula}\n"
        f"ASIC ({asic.name}): {1e3 * asic.ns_per_butterfly(degree):.1f} ps per butterfly, derived: "
        f"the paper's MQX / {asic.slowdown:g}"
    )
    columns = ("t_m from", "CPU", "cores", "f_max", "assumption", "ps per\nbutterfly", "x ASIC")
    table = compact_table(title, columns, 5)
    for row in light_rows(results):
        name = label(row)
        for e in estimates(row.ns(), results.clock * 1e-9, degree):
            table.add_row(
                name, e.target, str(e.cores), e.clock, e.assumption, number(1e3 * e.ns),
                number(e.asic_ratio),
            )  # fmt: skip
            name = ""
    return table


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


def to_json(results: Results) -> dict[str, Any]:
    """Google Benchmark's layout for what ran; what did not is apart."""
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
            {"implementation": name, "operation": "ntt_forward", "n": n, "ns": ns,
             "source": RECORDED_MACHINE}
            for name, times in RECORDED_NTT.items()
            for n, ns in times.items()
        ] + [
            {"implementation": name, "operation": operation, "n": LENGTH, "ns": ns,
             "source": RECORDED_MACHINE}
            for name, times in RECORDED_BLAS.items()
            for operation, ns in times.items()
        ],
        "projection_checks": [
            {"instruction": check.instruction, "stand_in": check.stand_in,
             "real_ns": check.real_ns, "projected_ns": check.projected_ns,
             "error_percent": check.error_percent, "degree": degree}
            for check in results.checks
        ],
        "quoted": [{"claim": text, "ratio": ratio, "source": PAPER} for text, ratio in CLAIMS],
    }  # fmt: skip


def print_results(console: Console, results: Results) -> None:
    """All tables, each with what its rows stand for."""
    console.print(
        f"Double words modulo q of {results.bits} bits; one core of {cpu_info().model}",
        style="bold",
    )
    console.print(blas_table(results))
    for direction in DIRECTIONS:
        console.print(transform_table(results, direction))
    products = product_table(results)
    if products is not None:
        console.print(products)
    if results.checks:
        console.print(wide_projection.check_table(results.checks, results.shown_degree))
    console.print(goal_table(results))
    console.print(light_table(results))
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
        f"clock in the same run: {results.clock * 1e-9:.2f} GHz (median)",
        f"up to {results.rounds} interleaved rounds of each size",
    ]
    for line in lines:
        console.print(line, markup=False)


@dataclass(frozen=True)
class Options:
    """What is measured, and which files are read and written."""

    degrees: tuple[int, ...] = DEGREES
    bits: int = BITS
    length: int = LENGTH
    rounds: int = 100
    seconds: float = 5.0
    peers: Path | None = None
    json: Path | None = None
    pictures: tuple[Path, ...] = ()


def _check(options: Options) -> None:
    check_degrees(OPERATION, options.degrees, 16, 1 << 20)
    check_range(OPERATION, "--bits", options.bits, _LEAST_BITS, _MOST_BITS)
    check_range(OPERATION, "--length", options.length, 16, 1 << 20)
    check_rounds(OPERATION, options.rounds)
    if not options.seconds > 0:
        offending = f"--seconds {options.seconds}"
        raise InvalidArgument(OPERATION, offending, "more than 0", "allow some time")


def run_wide_benchmark(console: Console, options: Options) -> None:
    """Measures, prints the tables, and writes the files that were asked for."""
    _check(options)
    # Folders and libraries that cannot be had are found before anything is measured.
    prepare_folders([*options.pictures, options.json])
    peers = open_peers(options.peers)
    measurements = Measurements(options.degrees, options.bits, options.length, peers)
    results = measurements.run(console, options.rounds, options.seconds)
    print_results(console, results)
    write_files(console, options.json, to_json(results), options.pictures, partial(draw, results))
