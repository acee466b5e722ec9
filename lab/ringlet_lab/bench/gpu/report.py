# SPDX-License-Identifier: Apache-2.0
"""The tables, the page and the JSON of `ringlet bench gpu`."""

from __future__ import annotations

import math
from typing import Any

from rich.console import Console

from .results import DIRECTIONS, NttCell, Results, RoutineCell, rate_of, times_of
from .roofline import Point, make_point, points_at_reference, reference_cells
from . import rows
from ..output import Cell, Sheet, number, print_lines, quote, ratio
from ..timing import Times

_MOST_REMARK = 600
_ROOF_NAMES = {
    "gpu_roof/multiply_add": "32-bit multiply-adds",
    "gpu_roof/multiply_add_wide": "32x32 to 64-bit multiply-adds",
    "gpu_roof/multiply_high": "64-bit high products",
}


def _pair(times: Times, factor: float = 1.0) -> list[str]:
    """Returns minimum and median of the times."""
    return [number(times.best * factor), number(times.median * factor)]


def _quoted(quotes: dict[str, str], key: str) -> Cell:
    return quote(quotes[key]) if key in quotes else ""


def _title(results: Results, text: str) -> str:
    return text if results.is_performance_result else f"{text} ({results.marking})"


def _size(cells: list[NttCell]) -> str:
    return f"N = {cells[0].degree}, {cells[0].size}"


def roof_sheet(results: Results) -> Sheet:
    title = _title(results, "Roofs, measured")
    sheet = Sheet(title, ("roof", "minimum us", "median us", "rate"))
    roofs = results.roofs
    for entry in roofs.entries:
        rate = rate_of(entry)
        if "bytes" in entry:
            best = " *" if rate == roofs.bandwidth else ""
            name = f"copy of {entry['bytes'] / (2 << 20):g} MiB, read and written{best}"
            unit = "GB/s"
        else:
            name, unit = _ROOF_NAMES.get(entry["name"], entry["name"]), "G/s"
        sheet.add(name, *_pair(times_of(entry)), f"{rate * 1e-9:.1f} {unit}")
    return sheet


def ladder_sheet(results: Results) -> Sheet:
    """Returns a table of every row at the size of the summary, in the paper's order."""
    cells = reference_cells(results)
    title = _title(results, f"NTT ladder, {_size(cells)} limbs: microseconds per transform")
    heads = ("row", "forward min", "median", "inverse min", "median", "over naive", "paper")
    sheet = Sheet(title, heads)
    for cell in cells:
        times = [text for d in DIRECTIONS for text in _pair(cell.times[d])]
        ratios = " / ".join(ratio(results.speed_up(cell, d)) for d in DIRECTIONS)
        sheet.add(cell.row.title, *times, ratios, _quoted(rows.NTT_QUOTES, cell.row.key))
    for refusal in results.refused:
        if refusal["part"] == "transforms":
            sheet.add(refusal["row"], "refused", *[""] * 5)
    return sheet


def size_sheet(results: Results, direction: str) -> Sheet:
    """Returns a table of the times of all rows at all sizes."""
    degrees = sorted({cell.degree for cell in results.ntt})
    title = _title(results, f"{direction} NTT, microseconds per transform (minimum)")
    sheet = Sheet(title, ("row", "primes x batch", *(f"N = {n}" for n in degrees)), 2)
    for key, name in dict.fromkeys((cell.row.key, cell.row.title) for cell in results.ntt):
        for limbs, size in sorted({(c.limbs, c.size) for c in results.ntt if c.row.key == key}):
            cells = [results.cell(key, degree, limbs) for degree in degrees]
            sheet.add(name, size, *(number(c and c.times[direction].best) for c in cells))
    return sheet


def roofline_sheet(results: Results) -> Sheet:
    title = _title(results, f"Roofline, forward, {_size(reference_cells(results))} limbs")
    heads = ("row", "passes", "GB/s", "products/byte", "G products/s", "roof", "% of it",
             "Table I ops/byte", "paper")  # fmt: skip
    sheet = Sheet(title, heads)
    for point in points_at_reference(results, "forward"):
        row = point.cell.row
        sheet.add(
            row.title,
            str(point.cell.passes["forward"]),
            f"{point.bytes_moved / point.seconds * 1e-9:.1f}",
            f"{point.density:.2f}",
            f"{point.rate * 1e-9:.2f}",
            f"{point.roof_rate * 1e-9:.2f} {point.binding}",
            f"{point.percent:.1f}",
            f"{point.table_density:.2f}",
            _quoted(rows.DENSITY_QUOTES, row.key),
        )
    return sheet


def routine_sheet(results: Results, title: str, cells: list[RoutineCell]) -> Sheet:
    """Returns a table of routines or key switches: each set of options beside the first set of its
    routine."""
    heads = ("routine", "size", "options", "alone min", "median", "in a call", "min of each",
             "median", "NTT share", "speed-up")  # fmt: skip
    sheet = Sheet(_title(results, f"{title}: microseconds"), heads, 3)
    for cell in cells:
        first = first_of(cells, cell)
        sheet.add(
            cell.routine,
            cell.shape,
            cell.title,
            *_pair(cell.single),
            str(cell.count),
            *_pair(cell.batched),
            f"{100 * cell.share:.1f} %",
            ratio(first.single.best / cell.single.best),
        )
    return sheet


def first_of(cells: list[RoutineCell], cell: RoutineCell) -> RoutineCell:
    """Returns the cell with the first set of options of the same routine and size."""
    return next(c for c in cells if (c.routine, c.shape) == (cell.routine, cell.shape))


def product_sheet(results: Results) -> Sheet:
    heads = ("product", "options", "product min", "median", "speed-up", "process min", "median",
             "speed-up", "paper")  # fmt: skip
    sheet = Sheet(_title(results, "C += A * B of ciphertexts: milliseconds"), heads, 2)
    for cell in results.products:
        first = next(c for c in results.products if c.shape == cell.shape)
        sheet.add(
            f"{cell.shape}, N = {cell.degree}, {cell.data_primes} primes",
            cell.title,
            *_pair(cell.product, 1e-3),
            ratio(first.product.best / cell.product.best),
            *_pair(cell.process, 1e-3),
            ratio(first.process.best / cell.process.best),
            _quoted(rows.PRODUCT_QUOTES, cell.key),
        )
    return sheet


def other_sheet(results: Results) -> Sheet:
    """Returns a table of the server and of compiling."""
    title = "A server of logistic regression, and compiling: milliseconds on the host's clock"
    heads = ("what", "where", "minimum", "median", "in all")
    sheet = Sheet(_title(results, title), heads, 2)
    for entry in results.of("server"):
        what = f"server, {entry['ciphertexts']} ciphertexts, N = {entry['degree']}"
        sheet.add(what, entry["row"], *_pair(times_of(entry), 1e-3), "")
    for entry in results.of("compile"):
        times = times_of(entry)
        what = f"{entry['programs']} programs, {entry['threads']} at a time: each"
        sheet.add(what, entry["row"], *_pair(times, 1e-3), number(sum(times.times_us) * 1e-3))
    return sheet


def code_sheet(results: Results) -> Sheet:
    heads = ("kernel", "primes", "instructions", "a butterfly")
    sheet = Sheet("Machine code of radix 8, N = 32768", heads, 2)
    for code in results.machine_code:
        count, each = str(code["instructions"]), f"{code['per_butterfly']:.1f}"
        sheet.add(code["kernel"], code["path"], count, each)
    return sheet


def step_sheet(results: Results) -> Sheet:
    heads = ("step", "state", "why", "tests passed", "failed", "skipped", "seconds")
    sheet = Sheet("Steps", heads, 3)
    for step in results.steps:
        counts = (str(step[name]) for name in ("passed", "failed", "skipped"))
        sheet.add(step["name"], step["state"], step["detail"], *counts, f"{step['seconds']:.1f}")
    return sheet


def sheets_of(results: Results) -> list[Sheet]:
    """Returns all tables that have rows."""
    sheets = [step_sheet(results), roof_sheet(results)]
    if results.ntt:
        sheets.append(ladder_sheet(results))
        sheets += [size_sheet(results, direction) for direction in DIRECTIONS]
        sheets.append(roofline_sheet(results))
    sheets.append(routine_sheet(results, "Routines of CKKS", results.routines))
    sheets.append(routine_sheet(results, "Key switching", results.key_switches))
    sheets += [product_sheet(results), other_sheet(results), code_sheet(results)]
    return [sheet for sheet in sheets if sheet.rows]


def heading_of(results: Results) -> str:
    """Returns lines on the device, its driver and its memory."""
    info = results.device
    compiler = f", {info['compiler']}" if "compiler" in info else ""
    return (
        f"{info['description']}, {info['api']}, driver {info['driver_version']}{compiler}, "
        f"{info['memory_bytes'] / (1 << 30):.1f} GiB, {info['compute_units']} compute units, "
        f"{results.context['date'][:10]}"
    )


def remarks_of(results: Results) -> list[str]:
    bars = dict.fromkeys((cell.key, cell.title) for cell in results.routines)
    steps = [f"{t} “{rows.ROUTINE_QUOTES[key]}”" for key, t in bars if key in rows.ROUTINE_QUOTES]
    remarks = [
        f"* the bandwidth of the roofline. What is in “quotes” was not measured: {rows.PAPER}.",
        "Times are the device's own, minimum and median of rounds in which rows take turns; whole "
        "processes and the server are on the host's clock. Every row was first compared with the "
        "processor, word by word.",
        "NTT share: the transforms of a routine timed alone, in as many launches of the same "
        f"shapes, over the routine; medians. Paper, naive: “{rows.SHARE_QUOTES['naive']}” on its "
        "two devices.",
    ]
    if steps:
        remarks.append(f"Routines in the paper: {'; '.join(steps)}.")
    divided = {cell.queues for cell in results.ntt if cell.row.key == "two_queues"}
    remarks += [f"two queues: {text}" for text in sorted(divided)]
    remarks += results.notes
    for refusal in results.refused:
        remarks.append(f"refused: {refusal['part']}, {refusal['row']}: {refusal['reason']}")
    # Each remark takes one line; the file has the whole log of a compiler.
    return [" ".join(remark.split())[:_MOST_REMARK] for remark in remarks]


def print_results(console: Console, results: Results) -> None:
    """Prints all tables. Marks each if the device is the host's processor."""
    console.print(f"{results.device['name']}: {heading_of(results)}", markup=False)
    for sheet in sheets_of(results):
        sheet.show(console)
    print_lines(console, [f"  {remark}" for remark in remarks_of(results)], "dim")


def page_of(results: Results, pictures: list[str]) -> str:
    """Returns the tables as a page of Markdown, under the device's name and the date, with the
    pictures."""
    lines = [f"# Measured on {results.device['description']}", "", heading_of(results) + ".", ""]
    if not results.is_performance_result:
        lines += [f"**{results.marking}**: the device is the host's processor.", ""]
    for picture in pictures:
        lines += [f"![{picture.rsplit('-', 1)[-1].split('.')[0]}]({picture})", ""]
    for sheet in sheets_of(results):
        lines += [f"## {sheet.title}", "", *sheet.markdown()]
    lines += [f"- {remark}" for remark in remarks_of(results)]
    return "\n".join(lines) + "\n"


# JSON


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _roofline(point: Point) -> dict[str, Any]:
    return {
        "bytes_moved": point.bytes_moved,
        "products": point.products,
        "products_per_byte": point.density,
        "table_i_operations_per_byte": point.table_density,
        "products_per_second": point.rate,
        "roof_products_per_second": _finite(point.roof_rate),
        "binding_roof": point.binding,
        "percent_of_roof": _finite(point.percent),
    }


# The entries with equal values of these are compared with the first of them.
_SAME = ("kind", "routine", "degree", "data_primes", "special_primes", "batch", "shape")


def _enrich(results: Results, document: dict[str, Any]) -> None:
    """Adds values to the entries that are computed from several entries."""
    firsts: dict[tuple[Any, ...], float] = {}
    shares = {
        (kind, c.routine, c.key, c.degree, c.data_primes, c.special_primes): c.share
        for kind, cells in (("routine", results.routines), ("keyswitch", results.key_switches))
        for c in cells
    }
    for entry in document["benchmarks"]:
        if entry["device"] != results.device["name"]:
            continue
        if not results.is_performance_result:
            entry["label"] = results.marking
        kind = entry["kind"]
        if kind == "roof":
            entry["rate"] = rate_of(entry)
            entry["rate_unit"] = "bytes/s" if "bytes" in entry else "products/s"
        elif kind == "ntt":
            cell = results.cell(entry["row"], entry["degree"], entry["limbs"])
            if cell is not None:
                direction = entry["direction"]
                entry["speed_up"] = results.speed_up(cell, direction)
                entry["quoted_speed_up"] = rows.NTT_QUOTES.get(entry["row"], "")
                entry |= _roofline(make_point(results, cell, direction))
        elif kind in ("routine", "keyswitch", "product", "process"):
            best = times_of(entry).best
            entry["speed_up"] = firsts.setdefault(tuple(map(entry.get, _SAME)), best) / best
        if kind in ("routine", "keyswitch") and entry["batch"] == 1:
            names = ("kind", "routine", "row", "degree", "data_primes", "special_primes")
            entry["ntt_share"] = shares.get(tuple(entry[name] for name in names))


def to_json(document: dict[str, Any], all_results: list[Results]) -> dict[str, Any]:
    """Returns the document with speed-ups, shares and rooflines. Quoted figures are in a part of
    their own."""
    written = {
        **document,
        "context": dict(document["context"]),
        "benchmarks": [dict(entry) for entry in document["benchmarks"]],
    }
    for results in all_results:
        _enrich(results, written)
    if all_results:
        main = all_results[0]
        written["context"] |= {
            "performance_result": main.is_performance_result,
            "marking": main.marking,
            "bandwidth_bytes_per_second": _finite(main.roofs.bandwidth),
        }
    written["quoted"] = [
        {"kind": kind, "row": key, "text": text, "source": rows.PAPER}
        for kind, quotes in rows.QUOTES.items()
        for key, text in quotes.items()
    ]
    return written
