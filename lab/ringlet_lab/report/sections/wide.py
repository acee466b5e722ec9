# SPDX-License-Identifier: Apache-2.0
"""Section on 128-bit kernels: transforms and element-wise operations modulo 124 bits, projections
of MQX, and bounds for whole processors at the speed of light."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ringlet.errors import InvalidArgument

from ...bench.wide import projection as wide_projection
from ...bench.wide import OPERATIONS, Measurements, Results, Row, nearest
from ...bench.wide.speed_of_light import data, estimates
from ..model import Axis, Chart, Origin, Point, Section, Series
from ..points import time_point
from ..setting import Setting, silent_console
from . import TITLES

QUICK_DEGREES = (1024, 4096, 16384)
DEGREES = (256, 1024, 4096, 16384, 65536)
QUICK_ROUNDS, ROUNDS = 60, 100
QUICK_SECONDS, SECONDS = 2.5, 5.0
_KINDS = ("measured", "rns", "projected")
_ORIGINS: dict[str, Origin] = {"projected": "projected"}


def _point(row: Row, x: float | str) -> Point:
    """Returns nanoseconds per butterfly or element, as a point."""
    return time_point(x, row.times_us, 1e3 / row.units)


def _series(rows: Sequence[Row], x: Callable[[Row], float | str]) -> list[Series]:
    """Returns a series for each name, with the rows in their order."""
    found = []
    for name in dict.fromkeys(row.name for row in rows):
        own = [row for row in rows if row.name == name]
        origin = _ORIGINS.get(own[0].kind, "measured")
        found.append(Series(name, tuple(_point(row, x(row)) for row in own), origin))
    return found


def _bound(results: Results) -> list[Series]:
    """Returns the time of the arithmetic in the fastest kernel, if this is an IFMA kernel."""
    limits = {row.name: row for row in results.rows if row.operation == "arithmetic"}
    rows = [row for row in results.select("ntt_forward", None, "measured")]
    fastest = min(rows, key=lambda row: row.ns())
    limit = limits.get(f"limit/butterfly/{fastest.name.split('/')[1]}")
    if limit is None or not fastest.name.startswith("ifma52/"):
        return []
    points = tuple(Point(degree, limit.ns()) for degree in results.degrees)
    return [Series(f"arithmetic of {fastest.name}", points, "bound")]


def _transforms(results: Results) -> Chart:
    rows = results.select("ntt_forward", None, *_KINDS)
    series = _series(sorted(rows, key=lambda r: r.size), lambda row: row.size)
    return Chart(
        "wide-butterfly",
        f"Forward transform per butterfly, {results.bits}-bit modulus",
        "One negacyclic transform on double words, one core, minimum of interleaved rounds; rns is "
        "the same in a residue number system of three primes. Projected: existing instructions "
        "stand in for ones that do not exist, so that only the time counts.",
        "lines",
        Axis("degree N", scale="log2"),
        Axis("time per butterfly", "ns", "log10"),
        (*series, *_bound(results)),
    )


def _eltwise(results: Results) -> Chart:
    rows = [row for name in OPERATIONS for row in results.select(name, results.length, *_KINDS)]
    series = _series(rows, lambda row: row.operation)
    return Chart(
        "wide-eltwise",
        f"Element-wise operations, {results.bits}-bit modulus",
        f"Vectors of {results.length} double words, one core, minimum of interleaved rounds.",
        "bars",
        Axis("operation"),
        Axis("time per element", "ns", "log10"),
        tuple(series),
    )


def _speed_of_light(results: Results) -> Chart:
    degree = nearest(results.degrees)
    measured = results.select("ntt_forward", degree, "measured")
    projected = results.select("ntt_forward", degree, "projected")
    best = min(measured, key=lambda row: row.ns())
    series = [Series("measured", (_point(best, best.name),))]
    if projected:
        row = min(projected, key=lambda row: row.ns())
        series.append(Series("projected", (_point(row, row.name),), "projected"))
    light = estimates(best.ns(), results.clock * 1e-9, degree)
    points = tuple(Point(f"{e.target}, {e.assumption}", e.ns) for e in light)
    series.append(Series("speed of light", points, "bound"))
    asic = data().asic
    derived = Point(f"{asic.name}, an ASIC", asic.ns_per_butterfly(degree))
    series.append(Series("derived", (derived,), "quoted"))
    return Chart(
        "wide-light",
        f"One core, whole processors and an ASIC, N = {degree}",
        f"The best kernel here on one core at {results.clock * 1e-9:.2f} GHz; what it would take "
        "on all cores of a processor if nothing but their number and clock counted (a bound, not "
        "a measurement); and the ASIC's time as it follows from a ratio that its paper states.",
        "bars",
        Axis("machine"),
        Axis("time per butterfly", "ns", "log10"),
        tuple(series),
    )


def measure(setting: Setting) -> Section:
    """Measures one size after the other, with all kernels of a size in turn."""
    degrees = QUICK_DEGREES if setting.quick else DEGREES
    rounds, seconds = (QUICK_ROUNDS, QUICK_SECONDS) if setting.quick else (ROUNDS, SECONDS)
    setting.steps.begin("128-bit kernels")
    summary = "Arithmetic modulo one prime of two words, in place of a residue number system."
    try:
        measurements = Measurements(degrees)
    except InvalidArgument:
        missing = "The selection of kernels in force has none of double words."
        return Section("wide", TITLES["wide"], summary, (), (missing,))
    results = measurements.run(silent_console(), rounds, seconds)
    reasons = tuple(text for text in (wide_projection.missing(),) if text)
    charts = (_transforms(results), _eltwise(results), _speed_of_light(results))
    settings = {
        "degrees": list(degrees),
        "bits": results.bits,
        "rounds": rounds,
        "seconds for a size": seconds,
    }
    return Section("wide", TITLES["wide"], summary, charts, reasons, settings)
