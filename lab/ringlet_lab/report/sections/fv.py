# SPDX-License-Identifier: Apache-2.0
"""Section on encryption over cyclotomic rings with one wide modulus: the products of Table 2 of the
paper on FV encryption by Karatsuba's algorithm, beside its quoted figures."""

from __future__ import annotations

from ..._lab import wide_prime
from ...bench.fv import COUNTS, RINGS, WAYS, Measurements, Results, Row
from ...bench.fv.quoted import PAPER, PAPER_MACHINE, PAPER_TIMES
from ..model import Axis, Chart, Point, Section, Series
from ..points import time_point
from ..setting import Setting, silent_console
from . import TITLES

RING = "2560"
FULL_RINGS = ("2560", "5832")
BITS = 125
QUICK_ROUNDS, ROUNDS = 10, 30


def fastest_rows(results: Results) -> list[Row]:
    """Returns the fastest row of each method with P prepared, and Algorithm 1."""
    count = max(COUNTS)
    found = []
    for way in WAYS:
        rows = [r for r in results.rows if r.group == "product" and way in r.kernel]
        if rows:
            found.append(min(rows, key=lambda row: row.cells[count].best))
    return found + [row for row in results.rows if row.group == "algorithm1"]


def _chart(results: Results) -> Chart:
    series = [
        Series(row.kernel, tuple(time_point(n, c.times_us) for n, c in sorted(row.cells.items())))
        for row in fastest_rows(results)
    ]
    quoted = ""
    if results.ring.degree == RINGS[RING].degree:
        quoted = f" Quoted: {PAPER}, on {PAPER_MACHINE}."
        series += [
            Series(name, tuple(Point(n, us) for n, us in zip(COUNTS, times, strict=True)), "quoted")
            for name, times in PAPER_TIMES.items()
        ]
    return Chart(
        f"fv-products-{results.ring.degree}",
        f"Products of FV encryption, n = {results.ring.degree}",
        f"P·U + E modulo Phi_m and a prime of {BITS} bits for one public polynomial P, one core, "
        f"of each way the fastest kernel, P prepared once; {results.ring.text}." + quoted,
        "lines",
        Axis("encryptions at once"),
        Axis("time", "µs", "log10"),
        tuple(series),
    )


def measure(setting: Setting) -> Section:
    """Measures all methods and kernel tables in turn, one ring after the other."""
    rings = (RING,) if setting.quick else FULL_RINGS
    rounds = QUICK_ROUNDS if setting.quick else ROUNDS
    setting.steps.begin("products", len(rings))
    charts = []
    for name in rings:
        measurements = Measurements(RINGS[name], int(wide_prime(BITS)), COUNTS)
        charts.append(_chart(measurements.run(silent_console(), rounds)))
        setting.steps.advance()
    summary = "What FV encryption multiplies, where slots ask for rings other than X^N + 1."
    degrees = [RINGS[name].degree for name in rings]
    settings = {"degrees": degrees, "bits": BITS, "rounds": rounds}
    return Section("fv", TITLES["fv"], summary, tuple(charts), (), settings)
