# SPDX-License-Identifier: Apache-2.0
"""Section on transforms: time and time per butterfly against N, by kernel and width of the prime.
Beside them it shows a lower bound: the time of the fastest kernel's multiplications on this
machine."""

from __future__ import annotations

from collections.abc import Sequence

from ringlet.errors import InvalidArgument

from ...bench.ntt import NttResult
from ...bench.ntt import measure as measure_transforms
from ..limits import Rates, measure_rates
from ..model import Axis, Chart, Point, Section, Series
from ..points import time_point
from ..setting import Setting, silent_console
from . import TITLES

BITS = (30, 50, 60)
QUICK_DEGREES = tuple(1 << k for k in range(10, 17))
DEGREES = tuple(1 << k for k in range(10, 18))
QUICK_ROUNDS, ROUNDS = 75, 200
PASSES = 5
# Kernels of this algorithm are shown beside the fastest of their table: they take every modulus.
_PLAIN = "radix2"
_X = Axis("degree N", scale="log2")


def measure_width(
    bits: int, degrees: Sequence[int], rounds: int, setting: Setting
) -> list[NttResult]:
    """Measures all kernels at every degree for which a prime of this width exists and the selection
    permits a kernel.

    The degrees take turns several times, so that a slow period of the machine does not affect all
    rounds of one degree.
    """
    merged: dict[tuple[str, int], NttResult] = {}
    for _ in range(PASSES):
        for degree in degrees:
            for result in _measure_degree(bits, degree, max(1, rounds // PASSES)):
                known = merged.setdefault((result.kernel, degree), result)
                if known is not result:
                    known.forward_ns.extend(result.forward_ns)
                    known.inverse_ns.extend(result.inverse_ns)
            setting.steps.advance()
    return list(merged.values())


def _measure_degree(bits: int, degree: int, rounds: int) -> list[NttResult]:
    try:
        return measure_transforms(silent_console(), [degree], [bits], rounds)
    except InvalidArgument:
        # No prime has this width, or the selection is exact: `measure` reports missing points.
        return []


def shown_kernels(results: Sequence[NttResult]) -> list[str]:
    """Returns two kernels of every table: the one that is fastest on average, and the plain one."""
    tables: dict[str, list[str]] = {}
    for result in results:
        kernels = tables.setdefault(result.kernel.split("/")[0], [])
        if result.kernel not in kernels:
            kernels.append(result.kernel)
    shown = []
    for kernels in tables.values():
        fastest = min(kernels, key=lambda name: _score(results, name))
        shown += [k for k in kernels if k == fastest or k.split("/")[1] == _PLAIN]
    return shown


def _score(results: Sequence[NttResult], kernel: str) -> float:
    """Returns the nanoseconds per butterfly of a kernel, on average over its degrees."""
    own = [min(r.forward_ns) / r.butterflies for r in results if r.kernel == kernel]
    return sum(own) / len(own)


def _series(results: Sequence[NttResult], direction: str, per_butterfly: bool) -> list[Series]:
    found = []
    for kernel in shown_kernels(results):
        own = sorted((r for r in results if r.kernel == kernel), key=lambda r: r.degree)
        points = tuple(
            time_point(r.degree, r.times(direction), 1 / r.butterflies if per_butterfly else 1e-3)
            for r in own
        )
        found.append(Series(kernel, points))
    return found


def bound_series(results: Sequence[NttResult], rates: Rates, per_butterfly: bool) -> list[Series]:
    """Returns the time of the fastest kernel's multiplications, or nothing if these are unknown."""
    fastest = min((r.kernel for r in results), key=lambda name: _score(results, name))
    own = sorted((r for r in results if r.kernel == fastest), key=lambda r: r.degree)
    points = []
    for result in own:
        least = rates.ns_per_product(fastest, result.modulus)
        if least is not None:
            scale = 1.0 if per_butterfly else 1e-3 * result.butterflies
            points.append(Point(result.degree, least * scale))
    return [Series(f"bound of {fastest}", tuple(points), "bound")] if points else []


def _charts(bits: int, results: Sequence[NttResult], rates: Rates) -> list[Chart]:
    caption = (
        f"One polynomial in place, reduced results, a {bits}-bit prime, one core; of each table of "
        "kernels the fastest, and the one with Harvey's butterfly in radix 2. Minimum of "
        "interleaved rounds. "
    )
    bound = (
        "The bound is what the fastest kernel's multiplications alone take when none waits for "
        "another, measured here; additions, loads and stores come on top."
    )
    charts = []
    for name, title, direction, per_butterfly in (
        ("butterfly", "Forward transform per butterfly", "forward", True),
        ("inverse", "Inverse transform per butterfly", "inverse", True),
        ("time", "Forward transform", "forward", False),
    ):
        what = ("time per butterfly", "ns") if per_butterfly else ("time", "µs")
        series = (
            *_series(results, direction, per_butterfly),
            *bound_series(results, rates, per_butterfly),
        )
        head = (f"ntt-{bits}-{name}", f"{title}, {bits}-bit prime", caption + bound, "lines")
        charts.append(Chart(*head, _X, Axis(*what, "log10"), series))
    return charts


def measure(setting: Setting) -> Section:
    """Measures every kernel of this machine, one degree after the other."""
    degrees = QUICK_DEGREES if setting.quick else DEGREES
    rounds = QUICK_ROUNDS if setting.quick else ROUNDS
    setting.steps.begin("transforms", len(BITS) * len(degrees) * PASSES)
    rates = measure_rates()
    charts: list[Chart] = []
    missing = []
    for bits in BITS:
        results = measure_width(bits, degrees, rounds, setting)
        if results:
            charts += _charts(bits, results, rates)
        lost = [n for n in degrees if n not in {result.degree for result in results}]
        if lost:
            sizes = ", ".join(map(str, lost))
            missing.append(
                f"No kernel of the selection in force takes {bits}-bit primes at N = {sizes}."
            )
    summary = (
        "The number-theoretic transform modulo X^N + 1, which most of the time of lattice "
        "cryptography goes to."
    )
    settings = {"degrees": list(degrees), "bits": list(BITS), "rounds": rounds}
    return Section("ntt", TITLES["ntt"], summary, tuple(charts), tuple(missing), settings)
