# SPDX-License-Identifier: Apache-2.0
"""Shows the measurements of `ringlet bench fv` on the terminal and as JSON.

Figures of the paper are marked as quoted. Figures of the hardware are marked too: they are cycles
of a simulation and times of a model of the link.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from ..._lab import selected_kernels, wide_prime
from .. import timing
from ..checks import check_among, check_range, check_rounds
from . import COUNTS, OPERATION, RINGS, Cell, Measurements, Results, Row, read_report
from .picture import draw
from .split_picture import draw_split
from .quoted import PAPER, PAPER_BYTES, PAPER_MACHINE, PAPER_RESOURCES, PAPER_TIMES
from ..output import MISSING, Destination, Sheet, number, print_lines, quote

_RESOURCES = ("logic", "memory", "registers", "memory_bits", "dsp")
# The report's names of the columns, and the study's.
_STUDY = {
    "degree": "degree",
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
_HARDWARE = (
    "top level", "encryptions", "components", "input\ncycles", "output\ncycles", "total\ncycles",
    "products", "multipliers\nbusy", "modelled us\nideal link", "modelled us\nshared link",
)  # fmt: skip
_PLACED = {
    "LUTs": "luts",
    "MULT18X18D": "dsp",
    "DP16KD": "ram",
    "registers": "ffs",
    "MHz": "fmax_mhz",
}
_CLOCKS = (
    "clock", "MHz", "encryptions", "card us", "modelled us\nideal link", "modelled us\nshared link",
)  # fmt: skip
_PAPER_MHZ = 250.0
_LEAST_BITS = 20
_MOST_BITS = 135


def _kilobytes(value: float) -> str:
    return f"{value / 1000:.0f}"


def product_sheet(results: Results, group: str, title: str) -> Sheet:
    """Returns the table of one group of rows: minimum and median for each number of encryptions,
    the bytes of P, U and E, and the bytes of other memory: tables, the prepared P, and the memory
    of a call."""
    counts = results.counts
    heads = [head for count in counts for head in (f"{count}: min", "med")]
    sheet = Sheet(title, ["", *heads, "operands\nkB", "kept\nkB"])
    for row in results.of(group):
        cells: list[str | Text] = []
        for count in counts:
            cell = row.cells[count]
            cells += [number(cell.best), Text(number(cell.median), "dim")]
        last = row.cells[counts[-1]].job
        kept = last.prepared_bytes + last.table_bytes + last.scratch_bytes
        sheet.add(row.kernel, *cells, _kilobytes(last.operand_bytes), _kilobytes(kept))
    if group == "product":
        for name, times in PAPER_TIMES.items():
            quoted = [cell for n in counts for cell in (quote(number(times[n - 1])), "")]
            memory = [quote(_kilobytes(value)) for value in PAPER_BYTES[name]]
            sheet.add(name, *quoted, *memory, style="cyan")
    return sheet


def hardware_sheet(report: dict[str, Any]) -> Sheet:
    """Returns a table of the co-simulation's cycles and the link model's times, by number of
    encryptions."""
    title = "Hardware: simulated cycles; modelled microseconds, software half included"
    sheet = Sheet(title, _HARDWARE)
    for top in report["tops"]:
        for run in top["runs"]:
            modelled = run["modelled_us"]
            sheet.add(
                top["name"],
                str(run["encryptions"]),
                str(run["components"]),
                *(f"{run['cycles'][part]:,}" for part in ("input", "output", "total")),
                f"{run['products']:,}",
                f"{100 * run['multiplier_use']:.0f} %",
                number(modelled["total_ideal"]),
                number(modelled["total_shared"]),
            )
    return sheet


def _cell(value: float | None) -> str:
    if value is None:
        return MISSING
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}"


def synthesis_sheet(report: dict[str, Any]) -> Sheet:
    """Returns the paper's Table 1 for the blocks of the design, beside the paper's figures."""
    title = f"Table 1: cells by {report['tool']} for {report['target']}; the paper's for Stratix V"
    sheet = Sheet(title, ["block", *(name.replace("_", " ") for name in _RESOURCES)])
    for block in report["blocks"]:
        # Blocks that were counted before mapping have no logic and no registers yet.
        sheet.add(_block_label(block), *(_cell(block.get(name)) for name in _RESOURCES))
    for name, figures in PAPER_RESOURCES.items():
        sheet.add(f"paper: {name}", *(quote(f"{f:,}") for f in figures))
    return sheet


def _block_label(block: dict[str, Any]) -> str:
    label = f"{block['design']}: {block['name']}" if "design" in block else block["name"]
    return label + (f" x {block['instances']}" if block.get("instances", 1) > 1 else "")


def placement_sheet(report: dict[str, Any]) -> Sheet:
    """Returns the cells and the clock of one instance of each placed and routed block."""
    title = f"One instance, by {report['tool']} on {report['target']}, seed {report['seed']}"
    sheet = Sheet(title, ["block", *_PLACED, "state"])
    for block in report["placed"]:
        figures = (_cell(block.get(name)) for name in _PLACED.values())
        sheet.add(_block_label(block), *figures, block["state"])
    return sheet


def clock_sheet(hardware: dict[str, Any], placement: dict[str, Any]) -> Sheet:
    """Returns the co-design's modelled times at the paper's clock, and at the clock of the slowest
    routed block. That clock is a bound: a block that is not routed may be slower."""
    title = "The co-design at two clocks: simulated cycles, modelled link, measured software"
    sheet = Sheet(title, _CLOCKS)
    clocks = {"the paper's": _PAPER_MHZ}
    routed = [block for block in placement["placed"] if "fmax_mhz" in block]
    if routed:
        slowest = min(routed, key=lambda block: block["fmax_mhz"])
        clocks[f"at most, by {_block_label(slowest)}"] = slowest["fmax_mhz"]
    runs = [run for top in hardware["tops"] if top["name"] == "faithful" for run in top["runs"]]
    for name, megahertz in clocks.items():
        for run in runs:
            card = run["cycles"]["total"] / megahertz
            software = sum(run["software_us"].values())
            links = (run["modelled_us"][f"link_{link}"] for link in ("ideal", "shared"))
            totals = (number(software + max(card, link)) for link in links)
            count = str(run["encryptions"])
            sheet.add(name, f"{megahertz:.1f}", count, number(card), *totals)
    return sheet


def study_sheet(report: dict[str, Any]) -> Sheet:
    """Returns a table with a row for each way to split the recursions between software and
    hardware."""
    title = "Recursions in hardware, one component of four encryptions; modelled times of card and"
    title += " link,\nmeasured times of the software's recursions before (pre) and after (post)"
    sheet = Sheet(title, list(_STUDY))
    for row in report["rows"]:
        sheet.add(*(_cell(row.get(name)) for name in _STUDY.values()))
    return sheet


def best(results: Results, count: int) -> tuple[Row, Cell] | None:
    """Returns the fastest prepared row for this number of encryptions."""
    found = [(row, row.cells[count]) for row in results.of("product") if count in row.cells]
    return min(found, key=lambda pair: pair[1].best, default=None)


def _speed_lines(results: Results) -> list[str]:
    lines = []
    for count in results.counts:
        found = best(results, count)
        if found is None:
            continue
        row, cell = found
        quoted = PAPER_TIMES["the paper's co-design"]
        lines.append(
            f"{count} encryption{'s' if count > 1 else ''}, one component: {number(cell.best)} us "
            f"({row.kernel}), {quoted[count - 1] / cell.best:.1f} times as fast as the quoted "
            "co-design; a ciphertext takes two"
        )
    return lines


def _entry(results: Results, row: Row, count: int, cell: Cell) -> dict[str, Any]:
    name = f"fv/{row.group}/{row.kernel}/n={results.ring.degree}/count={count}"
    sizes = ("operand_bytes", "prepared_bytes", "table_bytes", "scratch_bytes")
    return timing.entry_of(
        name,
        cell,
        group=row.group,
        kernel=row.kernel,
        text=row.text,
        encryptions=count,
        components=1,
        **{size: getattr(cell.job, size) for size in sizes},
    )


def to_json(results: Results) -> dict[str, Any]:
    """Returns the measurements in Google Benchmark's layout, apart from quoted figures and reports.
    """
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
        "placement": results.placement,
    }  # fmt: skip


def print_results(console: Console, results: Results) -> None:
    """Prints all tables, each with an explanation of its rows."""
    console.print(
        f"P * U + E modulo (Phi_{results.ring.index}, q), ONE component of each ciphertext, q of "
        f"{results.modulus.bit_length()} bits; {results.ring.text}",
        style="bold",
    )
    for group, title in (
        ("product", "Table 2: microseconds for so many encryptions; P prepared once per key"),
        ("unprepared", "The same with what is made of P in each call"),
        (
            "algorithm1",
            "The paper's Algorithm 1 on these kernels; its result is not reduced modulo Phi_m or q",
        ),
    ):
        product_sheet(results, group, title).show(console)
    reductions = [
        f"{row.kernel}: {number(row.cells[1].best)} us ({row.text}); “the paper: 114”"
        for row in results.of("reduction")
    ]
    print_lines(console, [f"  {line}" for line in (*reductions, *_speed_lines(results))])
    console.print()
    reports: tuple[tuple[dict[str, Any] | None, Callable[[dict[str, Any]], Sheet], str], ...] = (
        (results.hardware, hardware_sheet, "--hardware"),
        (results.synthesis, synthesis_sheet, "--synth"),
        (results.study, study_sheet, "--study"),
        (results.placement, placement_sheet, "--place"),
    )
    for report, make, option in reports:
        if report is None:
            console.print(f"  not shown: no report was given ({option})", style="dim")
        else:
            make(report).show(console)
    if results.hardware is not None and results.placement is not None:
        clock_sheet(results.hardware, results.placement).show(console)
    quoted = f"“Quoted” figures were not measured here: {PAPER}; {PAPER_MACHINE}."
    print_lines(console, [quoted, results.text])


def run_fv_benchmark(
    files: Destination,
    ring: str,
    bits: int,
    counts: Sequence[int],
    rounds: int,
    *,
    hardware: Path | None = None,
    study: Path | None = None,
    synth: Path | None = None,
    place: Path | None = None,
) -> None:
    """Measures, prints the tables, and writes the requested files."""
    check_among(OPERATION, "--ring", [ring], RINGS)
    check_rounds(OPERATION, rounds)
    check_range(OPERATION, "--bits", bits, _LEAST_BITS, _MOST_BITS)
    check_among(OPERATION, "--counts", counts, COUNTS)
    # Finds folders that cannot be made and unreadable reports before it measures.
    console = files.start()
    keys = {"tops": hardware, "rows": study, "blocks": synth, "placed": place}
    reports = [read_report(path, key) for key, path in keys.items()]
    results = Measurements(RINGS[ring], int(wide_prime(bits)), counts).run(console, rounds)
    results.hardware, results.study, results.synthesis, results.placement = reports
    print_results(console, results)
    pictures = {"": partial(draw, results)}
    if results.hardware is not None:
        pictures["-split"] = partial(draw_split, results.hardware, results.study, results.core)
    files.write(console, to_json(results), pictures)
