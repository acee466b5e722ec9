# SPDX-License-Identifier: Apache-2.0
"""How `ringlet bench fv` shows what it measured: on the terminal and as JSON.

Figures of the paper are quoted and marked so; figures of the hardware are cycles of a simulation
and times of a model of the link, and marked so.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text
from ringlet import cpu_info
from ringlet.errors import InvalidArgument
from ringlet.files import prepare_folders

from .._lab import selected_kernels, wide_prime
from . import timing
from .checks import check_range, check_rounds
from .fv import COUNTS, OPERATION, RINGS, Cell, Measurements, Results, Row, read_report
from .fv_picture import draw
from .fv_quoted import (
    PAPER,
    PAPER_BYTES,
    PAPER_MACHINE,
    PAPER_RESOURCES,
    PAPER_TIMES,
)
from .output import compact_table, quote, write_files

_RESOURCES = ("logic", "memory", "registers", "memory_bits", "dsp")
# Columns of the study, and what they are called in the report.
_STUDY = {
    "pre": "pre",
    "post": "post",
    "bytes\nin": "input_bytes",
    "bytes\nout": "output_bytes",
    "cycles": "cycles",
    "multipliers\nbusy": "multiplier_use",
    "DSP": "dsp",
    "FIFO\nbursts": "fifo_bursts",
    "us, ideal\nlink": "ideal_us",
    "us, shared\nlink": "shared_us",
    "software\npre, us": "software_pre_us",
    "software\npost, us": "software_post_us",
}
_LEAST_BITS = 20
_MOST_BITS = 135


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 100 or value == 0 else f"{value:.1f}"


def _kilobytes(value: float) -> str:
    return f"{value / 1000:.0f}"


def _counts(results: Results) -> list[int]:
    return sorted({count for row in results.rows for count in row.cells})


def product_table(results: Results, group: str, title: str) -> Table:
    """Rows of one group: minimum and median for each number of encryptions, bytes of P, U and E,
    and bytes that are kept or taken beside them: tables, what is made of P, memory of a call."""
    counts = _counts(results)
    heads = [head for count in counts for head in (f"{count}: min", "med")]
    table = compact_table(title, ["", *heads, "operands\nkB", "kept\nkB"])
    for row in (row for row in results.rows if row.group == group):
        cells: list[str | Text] = []
        for count in counts:
            cell = row.cells[count]
            cells += [_number(cell.best), Text(_number(cell.median), "dim")]
        last = row.cells[counts[-1]].job
        kept = last.prepared_bytes + last.table_bytes + last.scratch_bytes
        table.add_row(row.kernel, *cells, _kilobytes(last.operand_bytes), _kilobytes(kept))
    if group == "product":
        for name, times in PAPER_TIMES.items():
            quoted: list[str | Text] = []
            for count in counts:
                quoted += [quote(_number(times[count - 1])), ""]
            memory = [quote(_number(value / 1000)) for value in PAPER_BYTES[name]]
            table.add_row(name, *quoted, *memory, style="cyan")
    return table


def hardware_table(report: dict[str, Any]) -> Table:
    """Cycles of the co-simulation and times of the link model, per number of encryptions."""
    columns = (
        "top level", "encryptions", "components", "input\ncycles", "output\ncycles",
        "total\ncycles", "products", "multipliers\nbusy", "modelled us\nideal link",
        "modelled us\nshared link",
    )  # fmt: skip
    title = "Hardware: simulated cycles; modelled microseconds, software half included"
    table = compact_table(title, columns)
    for top in report["tops"]:
        for run in top["runs"]:
            cycles, modelled = run["cycles"], run["modelled_us"]
            table.add_row(
                top["name"],
                str(run["encryptions"]),
                str(run["components"]),
                f"{cycles['input']:,}",
                f"{cycles['output']:,}",
                f"{cycles['total']:,}",
                f"{run['products']:,}",
                f"{100 * run['multiplier_use']:.0f} %",
                _number(modelled["total_ideal"]),
                _number(modelled["total_shared"]),
            )
    return table


def _cell(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}"


def synthesis_table(report: dict[str, Any]) -> Table:
    """The paper's Table 1 for the blocks of the design, beside the paper's figures."""
    title = f"Table 1: cells by {report['tool']} for {report['target']}; the paper's for Stratix V"
    table = compact_table(title, ["block", *(name.replace("_", " ") for name in _RESOURCES)])
    for block in report["blocks"]:
        label = f"{block['design']}: {block['name']}" if "design" in block else block["name"]
        if block.get("instances", 1) > 1:
            label += f" x {block['instances']}"
        # What was counted before mapping has no logic and no registers yet.
        table.add_row(label, *(_cell(block.get(name)) for name in _RESOURCES))
    for name, figures in PAPER_RESOURCES.items():
        table.add_row(f"paper: {name}", *(quote(f"{f:,}") for f in figures))
    return table


def study_table(report: dict[str, Any]) -> Table:
    """Where the recursions are: a row for each split between software and hardware."""
    title = "Recursions in hardware, one component of four encryptions; modelled times of card and"
    title += " link,\nmeasured times of the software's recursions before (pre) and after (post)"
    table = compact_table(title, list(_STUDY))
    for row in report["rows"]:
        table.add_row(*(_cell(row.get(name)) for name in _STUDY.values()))
    return table


def best(results: Results, count: int) -> tuple[Row, Cell] | None:
    """The fastest prepared row for so many encryptions."""
    rows = [row for row in results.rows if row.group == "product" and count in row.cells]
    if not rows:
        return None
    row = min(rows, key=lambda r: r.cells[count].best)
    return row, row.cells[count]


def _speed_lines(results: Results) -> list[str]:
    lines = []
    for count in _counts(results):
        found = best(results, count)
        if found is None:
            continue
        row, cell = found
        quoted = PAPER_TIMES["the paper's co-design"]
        ratio = f", {quoted[count - 1] / cell.best:.1f} times as fast as the quoted co-design"
        lines.append(
            f"{count} encryption{'s' if count > 1 else ''}, one component: {_number(cell.best)} us "
            f"({row.kernel}){ratio}; a ciphertext takes two"
        )
    return lines


def _entry(results: Results, row: Row, count: int, cell: Cell) -> dict[str, Any]:
    name = f"fv/{row.group}/{row.kernel}/n={results.ring.degree}/count={count}"
    return timing.entry_of(
        name,
        cell,
        group=row.group,
        kernel=row.kernel,
        text=row.text,
        encryptions=count,
        components=1,
        operand_bytes=cell.job.operand_bytes,
        prepared_bytes=cell.job.prepared_bytes,
        table_bytes=cell.job.table_bytes,
        scratch_bytes=cell.job.scratch_bytes,
    )


def to_json(results: Results) -> dict[str, Any]:
    """Google Benchmark's layout for what was measured; quoted figures and reports apart."""
    return {
        "context": timing.context(
            OPERATION,
            results,
            kernels=selected_kernels(),
            cyclotomic_index=results.ring.index,
            degree=results.ring.degree,
            modulus=str(results.modulus),
        ),
        "benchmarks": [
            _entry(results, row, count, cell)
            for row in results.rows
            for count, cell in row.cells.items()
        ],
        "quoted": [
            {"implementation": name, "encryptions": i + 1, "components": 1, "time": time,
             "time_unit": "us", "source": PAPER, "machine": PAPER_MACHINE}
            for name, times in PAPER_TIMES.items()
            for i, time in enumerate(times)
        ],
        "hardware": results.hardware,
        "study": results.study,
        "synthesis": results.synthesis,
    }  # fmt: skip


def print_results(console: Console, results: Results) -> None:
    """All tables, each with what its rows stand for."""
    bits = results.modulus.bit_length()
    console.print(
        f"P * U + E modulo (Phi_{results.ring.index}, q), ONE component of each ciphertext, q of "
        f"{bits} bits; {results.ring.text}",
        style="bold",
    )
    title = "Table 2: microseconds for so many encryptions; P prepared once per key"
    console.print(product_table(results, "product", title))
    title = "The same with what is made of P in each call"
    console.print(product_table(results, "unprepared", title))
    title = "The paper's Algorithm 1 on these kernels; its result is not reduced modulo Phi_m or q"
    console.print(product_table(results, "algorithm1", title))
    for row in (row for row in results.rows if row.group == "reduction"):
        console.print(
            f"  {row.kernel}: {_number(row.cells[1].best)} us ({row.text}); “the paper: 114”",
            markup=False,
        )
    for line in _speed_lines(results):
        console.print(f"  {line}", markup=False)
    console.print()
    for report, make, option in (
        (results.hardware, hardware_table, "--hardware"),
        (results.synthesis, synthesis_table, "--synth"),
        (results.study, study_table, "--study"),
    ):
        if report is None:
            console.print(f"  not shown: no report was given ({option})", style="dim")
        else:
            console.print(make(report))
    for line in (
        f"“Quoted” figures were not measured here: {PAPER}; {PAPER_MACHINE}.",
        (
            f"clock in the same run: {results.clock * 1e-9:.2f} GHz (median); {results.rounds} "
            f"interleaved rounds, one core of {cpu_info().model}"
        ),
    ):
        console.print(line, markup=False)


@dataclass(frozen=True)
class Options:
    """What is measured, and which files are read and written."""

    ring: str = "2560"
    bits: int = 125
    rounds: int = 100
    counts: tuple[int, ...] = COUNTS
    hardware: Path | None = None
    study: Path | None = None
    synth: Path | None = None
    json: Path | None = None
    pictures: tuple[Path, ...] = ()


def _check(options: Options) -> None:
    def refuse(offending: str, limit: str, remedy: str) -> None:
        raise InvalidArgument(OPERATION, offending, limit, remedy)

    if options.ring not in RINGS:
        refuse(f"--ring {options.ring}", f"one of: {', '.join(RINGS)}", "name one by its degree")
    check_rounds(OPERATION, options.rounds)
    check_range(OPERATION, "--bits", options.bits, _LEAST_BITS, _MOST_BITS)
    for count in options.counts:
        if count not in COUNTS:
            refuse(f"--counts {count}", "1 to 4", "ask for example for 1,4")


def run_fv_benchmark(console: Console, options: Options) -> None:
    """Measures, prints the tables, and writes the files that were asked for."""
    _check(options)
    # Folders that cannot be made and reports that are none are found before anything is measured.
    prepare_folders([*options.pictures, options.json])
    hardware = read_report(options.hardware, "tops")
    study = read_report(options.study, "rows")
    synthesis = read_report(options.synth, "blocks")
    ring, modulus = RINGS[options.ring], int(wide_prime(options.bits))
    results = Measurements(ring, modulus, options.counts).run(console, options.rounds)
    results.hardware, results.study, results.synthesis = hardware, study, synthesis
    print_results(console, results)
    write_files(console, options.json, to_json(results), options.pictures, partial(draw, results))
