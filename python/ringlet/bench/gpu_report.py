# SPDX-License-Identifier: Apache-2.0
"""The tables and the JSON of `ringlet bench gpu`."""

from __future__ import annotations

import datetime
import platform
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from .. import cpu_info
from . import timing
from .gpu_measure import PRODUCTS, NttCell, Results, Times
from .gpu_roofline import Point, make_point, points_at_reference, reference_size
from .gpu_rows import (
    BASELINE,
    MARK,
    NTT_ROWS,
    OPERATION,
    PAPER,
    PRIME_COUNT,
    PRODUCT_BARS,
    PRODUCT_QUOTES,
    ROUTINE_BARS,
    ROUTINE_QUOTES,
    ROUTINES,
    SHARE_QUOTES,
    Bar,
)
from .output import quote

_DIRECTIONS = ("forward", "inverse")


def speed_up(results: Results, cell: NttCell, direction: str) -> float | None:
    """Of a row over the naive one of the same size, by minima."""
    baseline = results.cell(BASELINE, cell.degree, cell.batch)
    return None if baseline is None else baseline.seconds(direction) / cell.seconds(direction)


def _us(seconds: float) -> str:
    value = seconds * 1e6
    return f"{value:.0f}" if value >= 1000 else f"{value:.3g}"


def _ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _quote(text: str) -> Text:
    return quote(text) if text else Text()


def _title(results: Results, text: str) -> str:
    return text if results.is_performance_result else f"{text} ({MARK})"


def _table(results: Results, title: str, left: tuple[str, ...], right: tuple[str, ...]) -> Table:
    table = Table(title=_title(results, title), title_justify="left")
    for column in left:
        table.add_column(column, no_wrap=True)
    for column in right:
        table.add_column(column, justify="right")
    return table


def roof_table(results: Results) -> Table:
    roofs = results.roofs
    table = _table(results, "Roofs, measured", ("roof",), ("minimum", "median", "rate"))
    for size, times in roofs.copies.items():
        rate = 2 * size / times.best
        best = " *" if rate == roofs.bandwidth else ""
        table.add_row(
            f"copy of {size / (1 << 20):g} MiB, read and written{best}",
            f"{_us(times.best)} us",
            f"{_us(times.median)} us",
            f"{rate * 1e-9:.1f} GB/s",
        )
    names = {
        "multiply_add": "32-bit multiply-adds",
        "multiply_add_wide": "32x32 to 64-bit multiply-adds",
        "multiply_high": "64-bit high products",
    }
    for product in PRODUCTS:
        times = roofs.products[product]
        table.add_row(
            names[product],
            f"{_us(times.best)} us",
            f"{_us(times.median)} us",
            f"{roofs.rate(product) * 1e-9:.1f} G/s",
        )
    return table


def ladder_table(results: Results) -> Table:
    """Every row at the size of the summary, in the paper's order."""
    size = reference_size(results)
    degree, batch = size if size else (0, 0)
    table = _table(
        results,
        f"NTT ladder, N = {degree}, {PRIME_COUNT} primes x {batch}: microseconds per transform",
        ("row",),
        ("forward min", "median", "inverse min", "median", "over naive", "paper"),
    )
    refused = {r.row for r in results.refused if r.part == "transforms"}
    for row in NTT_ROWS:
        cell = results.cell(row.key, degree, batch)
        if cell is None:
            state = "refused" if row.title in refused else "left out"
            table.add_row(row.title, Text(state, "red"), "", "", "", "", _quote(row.quoted))
            continue
        cells = []
        for direction in _DIRECTIONS:
            times = cell.times[direction]
            cells += [_us(times.best / cell.transforms), _us(times.median / cell.transforms)]
        ratios = " / ".join(_ratio(speed_up(results, cell, d)) for d in _DIRECTIONS)
        table.add_row(row.title, *cells, ratios, _quote(row.quoted))
    return table


def size_table(results: Results, direction: str) -> Table:
    """Times of all rows at all sizes."""
    degrees = sorted({cell.degree for cell in results.ntt})
    table = _table(
        results,
        f"{direction} NTT, microseconds per transform (minimum)",
        ("row", "batch"),
        tuple(f"N = {degree}" for degree in degrees),
    )
    for row in NTT_ROWS:
        batches = sorted({cell.batch for cell in results.ntt if cell.row is row})
        for batch in batches:
            cells = [results.cell(row.key, degree, batch) for degree in degrees]
            table.add_row(
                row.title,
                f"{PRIME_COUNT} x {batch}",
                *("-" if cell is None else _us(cell.seconds(direction)) for cell in cells),
            )
        if batches:
            table.add_section()
    return table


def roofline_table(results: Results) -> Table:
    size = reference_size(results)
    degree, batch = size if size else (0, 0)
    table = _table(
        results,
        f"Roofline, forward, N = {degree}, {PRIME_COUNT} x {batch}",
        ("row",),
        ("passes", "Table I ops/byte", "paper", "products/byte", "G products/s", "roof", "% of it"),
    )
    for point in points_at_reference(results, "forward"):
        row = point.cell.row
        table.add_row(
            row.title,
            str(point.cell.passes["forward"]),
            f"{point.table_density:.2f}",
            _quote(row.quoted_density),
            f"{point.density:.2f}",
            f"{point.rate * 1e-9:.2f}",
            f"{point.roof_rate * 1e-9:.2f} {point.binding}",
            f"{point.percent:.1f}",
        )
    return table


def routine_table(results: Results) -> Table:
    size = results.routine_size
    table = _table(
        results,
        f"Routines, N = {size.degree}, {size.data_primes} primes: microseconds per routine",
        ("routine", "options"),
        ("alone min", "median", f"{size.count} in a call", "median", "NTT share", "speed-up"),
    )
    for routine in ROUTINES:
        cells = [cell for cell in results.routines if cell.routine == routine]
        for cell in cells:
            table.add_row(
                routine if cell is cells[0] else "",
                cell.bar.title,
                _us(cell.single.best),
                _us(cell.single.median),
                _us(cell.batched.best),
                _us(cell.batched.median),
                f"{100 * cell.share:.1f} %",
                _ratio(cells[0].single.best / cell.single.best),
            )
        table.add_section()
    return table


def product_table(results: Results) -> Table:
    table = _table(
        results,
        "C += A * B of ciphertexts: milliseconds",
        ("product", "options"),
        ("product min", "median", "speed-up", "process min", "median", "speed-up", "paper"),
    )
    for size in dict.fromkeys(cell.size for cell in results.products):
        cells = [cell for cell in results.products if cell.size == size]
        for cell in cells:
            table.add_row(
                f"{size.name}, N = {size.degree}, {size.data_primes} primes"
                if cell is cells[0]
                else "",
                cell.bar.title,
                f"{cell.product.best * 1e3:.3g}",
                f"{cell.product.median * 1e3:.3g}",
                _ratio(cells[0].product.best / cell.product.best),
                f"{cell.process.best * 1e3:.4g}",
                f"{cell.process.median * 1e3:.4g}",
                _ratio(cells[0].process.best / cell.process.best),
                _quote(PRODUCT_QUOTES.get(cell.bar.key, "")),
            )
        table.add_section()
    return table


def _quoted_steps() -> list[tuple[Bar, str]]:
    return [(bar, ROUTINE_QUOTES[bar.key]) for bar in ROUTINE_BARS if bar.key in ROUTINE_QUOTES]


def _remarks(results: Results) -> list[str]:
    steps = [f"{bar.title} “{text}”" for bar, text in _quoted_steps()]
    remarks = [
        f"* the bandwidth of the roofline. What is in “quotes” was not measured: {PAPER}.",
        (
            f"Times are the device's own, minimum and median of {results.plan.rounds} rounds in "
            "which rows take turns; whole processes are on the host's clock, "
            f"{results.plan.process_rounds} of each. Every row was first compared with the "
            "processor, word by word."
        ),
        (
            "NTT share: the transforms of a routine timed alone, in as many launches of the same "
            "shapes, over the routine; medians. Paper, naive: "
            f"“{SHARE_QUOTES['naive']}” on its two devices."
        ),
        f"Routines in the paper: {'; '.join(steps)}.",
    ]
    divided = {cell.device for cell in results.ntt if cell.row.key == "two_queues"}
    remarks += [f"two queues: {text}" for text in sorted(divided)]
    remarks += results.notes
    for refusal in results.refused:
        remarks.append(f"refused: {refusal.part}, {refusal.row}: {refusal.reason}")
    return remarks


def print_results(console: Console, results: Results) -> None:
    """All tables, each marked where the device is the host's processor."""
    info = results.device
    console.print(
        f"{info.name}: {info.description}, {info.api}, driver {info.driver_version}, "
        f"{info.memory_bytes / (1 << 30):.1f} GiB, {info.compute_units} compute units",
        markup=False,
    )
    tables = [roof_table(results)]
    if results.ntt:
        tables += [
            ladder_table(results),
            *(size_table(results, d) for d in _DIRECTIONS),
            roofline_table(results),
        ]
    if results.routines:
        tables.append(routine_table(results))
    if results.products:
        tables.append(product_table(results))
    for table in tables:
        # In a line of its own: a narrow table would wrap it.
        console.print(str(table.title), style="italic", markup=False)
        table.title = None
        console.print(table)
    for remark in _remarks(results):
        console.print(f"  {remark}", style="dim", markup=False)


# JSON


def _entry(name: str, times: Times, divisor: float, **more: Any) -> dict[str, Any]:
    """One entry in Google Benchmark's layout: microseconds of one of `divisor` equal parts."""
    best, median = times.best / divisor * 1e6, times.median / divisor * 1e6
    return timing.entry(name, best, median, len(times.seconds), **more)


def _roof_entries(results: Results) -> list[dict[str, Any]]:
    roofs = results.roofs
    entries = [
        _entry(f"gpu_roof/copy/bytes={size}", times, 1, kind="roof", bytes=2 * size,
               rate=2 * size / times.best, rate_unit="bytes/s")
        for size, times in roofs.copies.items()
    ]  # fmt: skip
    entries += [
        _entry(f"gpu_roof/{product}", roofs.products[product], 1, kind="roof",
               products=roofs.product_counts[product], rate=roofs.rate(product),
               rate_unit="products/s")
        for product in PRODUCTS
    ]  # fmt: skip
    return entries


def _roofline(point: Point) -> dict[str, Any]:
    return {
        "bytes_moved": point.bytes_moved,
        "products": point.products,
        "products_per_byte": point.density,
        "table_i_operations_per_byte": point.table_density,
        "products_per_second": point.rate,
        "roof_products_per_second": point.roof_rate,
        "binding_roof": point.binding,
        "percent_of_roof": point.percent,
    }


def _ntt_entries(results: Results) -> list[dict[str, Any]]:
    entries = []
    for cell in results.ntt:
        row = cell.row
        for direction in _DIRECTIONS:
            entries.append(
                _entry(
                    f"gpu_ntt_{direction}/{row.key}/n={cell.degree}/q={row.bits}"
                    f"/batch={cell.batch}",
                    cell.times[direction],
                    cell.transforms,
                    kind="ntt",
                    row=row.key,
                    title=row.title,
                    direction=direction,
                    degree=cell.degree,
                    bits=row.bits,
                    primes=PRIME_COUNT,
                    batch=cell.batch,
                    kernel=cell.kernel,
                    device=cell.device,
                    options=row.device_options(cell.degree),
                    passes=cell.passes[direction],
                    speed_up=speed_up(results, cell, direction),
                    quoted_speed_up=row.quoted,
                    **_roofline(make_point(results, cell, direction)),
                )
            )
    return entries


def _routine_entries(results: Results) -> list[dict[str, Any]]:
    size = results.routine_size
    entries = []
    for cell in results.routines:
        baseline = next(c for c in results.routines if c.routine == cell.routine)
        suffix = f"{cell.routine}/{cell.bar.key}/n={size.degree}/l={size.data_primes}"
        more: dict[str, Any] = {
            "routine": cell.routine,
            "row": cell.bar.key,
            "degree": size.degree,
            "data_primes": size.data_primes,
            "options": cell.bar.options,
            "divisions": "one" if cell.bar.has_one_division else "in turn",
        }
        entries.append(
            _entry(f"gpu_routine/{suffix}", cell.single, 1, kind="routine", batch=1,
                   speed_up=baseline.single.best / cell.single.best, ntt_share=cell.share, **more)
        )  # fmt: skip
        entries.append(
            _entry(f"gpu_routine/{suffix}/count={size.count}", cell.batched, 1, kind="routine",
                   batch=size.count, speed_up=baseline.batched.best / cell.batched.best, **more)
        )  # fmt: skip
        forward, inverse = cell.transform_counts
        entries.append(
            _entry(f"gpu_routine_transforms/{suffix}", cell.transforms, 1,
                   kind="routine_transforms", forward_limbs=forward, inverse_limbs=inverse, **more)
        )  # fmt: skip
    return entries


def _product_entries(results: Results) -> list[dict[str, Any]]:
    entries = []
    for cell in results.products:
        size = cell.size
        baseline = next(c for c in results.products if c.size == size)
        suffix = f"{size.name}/{cell.bar.key}/n={size.degree}/l={size.data_primes}"
        more: dict[str, Any] = {
            "row": cell.bar.key,
            "shape": size.name,
            "degree": size.degree,
            "data_primes": size.data_primes,
            "options": cell.bar.options,
            "form": "fused" if cell.bar.is_fused else "separate",
        }
        entries.append(
            _entry(f"gpu_matrix_product/{suffix}", cell.product, 1, kind="product",
                   speed_up=baseline.product.best / cell.product.best, **more)
        )  # fmt: skip
        entries.append(
            _entry(f"gpu_matrix_process/{suffix}", cell.process, 1, kind="process", clock="host",
                   speed_up=baseline.process.best / cell.process.best, **more)
        )  # fmt: skip
    return entries


def to_json(results: Results) -> dict[str, Any]:
    """The results in Google Benchmark's layout; what is quoted and what was refused apart."""
    info = results.device
    benchmarks = [
        *_roof_entries(results),
        *_ntt_entries(results),
        *_routine_entries(results),
        *_product_entries(results),
    ]
    if not results.is_performance_result:
        for entry in benchmarks:
            entry["label"] = MARK
    return {
        "context": {
            "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
            "executable": OPERATION,
            "cpu_model": cpu_info().model,
            "system": f"{platform.system()} {platform.release()}",
            "python_version": platform.python_version(),
            **timing.library(),
            "device": info.name,
            "device_description": info.description,
            "device_api": info.api,
            "driver_version": info.driver_version,
            "device_memory_bytes": info.memory_bytes,
            "device_compute_units": info.compute_units,
            "is_host_processor": info.is_host_processor,
            "performance_result": results.is_performance_result,
            "marking": "" if results.is_performance_result else MARK,
            "rounds": results.plan.rounds,
            "process_rounds": results.plan.process_rounds,
            "degrees": list(results.plan.degrees),
            "batches": list(results.plan.batches),
            "parts": list(results.plan.parts),
            "bandwidth_bytes_per_second": results.roofs.bandwidth,
            "ntt_share_method": "transforms of a routine timed alone, in launches of the same "
            "shapes, over the routine; medians",
            "notes": results.notes,
        },
        "benchmarks": benchmarks,
        "quoted": _quoted(),
        "refused": [
            {"part": refusal.part, "row": refusal.row, "reason": refusal.reason}
            for refusal in results.refused
        ],
    }


def _quoted() -> list[dict[str, str]]:
    rows = [("ntt", row.key, row.quoted) for row in NTT_ROWS if row.quoted]
    rows += [("ntt density", r.key, r.quoted_density) for r in NTT_ROWS if r.quoted_density]
    rows += [("routine", key, text) for key, text in ROUTINE_QUOTES.items()]
    rows += [("ntt share", key, text) for key, text in SHARE_QUOTES.items()]
    rows += [
        ("product", bar.key, PRODUCT_QUOTES[bar.key])
        for bar in PRODUCT_BARS
        if bar.key in PRODUCT_QUOTES
    ]
    return [{"kind": kind, "row": key, "text": text, "source": PAPER} for kind, key, text in rows]
