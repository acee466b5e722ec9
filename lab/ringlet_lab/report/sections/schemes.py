# SPDX-License-Identifier: Apache-2.0
"""Section on encryption, products and rotations: the operations of CKKS, BFV and BGV, as times and
as speed-up over the portable code of the same library."""

from __future__ import annotations

from ..._lab import selected_kernels
from ...bench.schemes import OWN_CHAINS, SCHEMES, Case
from ..model import Axis, Chart, Section, Series
from ..points import ratio_point, speed_up_bars, time_point
from ..setting import Setting
from . import TITLES
from .operations import BASELINE

QUICK_DEGREES = (8192,)
DEGREES = (8192, 16384, 32768)
QUICK_SECONDS, SECONDS = 6.0, 15.0


def measure_scheme(scheme: str, degree: int, seconds: float) -> Case:
    """Measures all operations of a scheme, with the kernels of the machine and with portable ones.
    """
    case = Case(f"{scheme}, N = {degree}")
    for kernels in dict.fromkeys((selected_kernels(), BASELINE)):
        case.add(scheme, degree, OWN_CHAINS[degree], None, (1,), kernels)
    case.add_jobs()
    case.run(1000, seconds, quick=False)
    return case


def _scheme_charts(degree: int, cases: dict[str, Case]) -> list[Chart]:
    """Returns charts of times, and of speed-ups if this machine has other kernels than the portable
    ones."""
    ratios, times = [], []
    for scheme, case in cases.items():
        baseline = {r.operation: r.times_us for r in case.rows if r.kernels == BASELINE}
        fast = [row for row in case.rows if row.kernels != BASELINE]
        points = (ratio_point(r.operation, baseline[r.operation], r.times_us) for r in fast)
        ratios.append(Series(scheme.upper(), tuple(points)))
        points = (time_point(r.operation, r.times_us) for r in fast or case.rows)
        times.append(Series(scheme.upper(), tuple(points)))
    about = next(iter(cases.values())).rows[0].about
    chain = (
        f"N = {degree}, {len(about['data_primes'])} data primes of {about['data_bits']} bits in "
        "all, one core; results were decrypted and compared before. "
    )
    speed_ups = speed_up_bars(
        f"operations-schemes-{degree}",
        f"CKKS, BFV and BGV over portable code, N = {degree}",
        chain + f"With the kernels of this machine, against {BASELINE} in the same rounds.",
        "operation",
        ratios,
    )
    taken = Chart(
        f"operations-times-{degree}",
        f"CKKS, BFV and BGV, N = {degree}",
        chain + "Minimum of interleaved rounds.",
        "bars",
        Axis("operation"),
        Axis("time", "µs", "log10"),
        tuple(times),
    )
    return [taken, speed_ups] if all(series.points for series in ratios) else [taken]


def measure(setting: Setting) -> Section:
    """Measures all schemes at each degree."""
    degrees = QUICK_DEGREES if setting.quick else DEGREES
    seconds = QUICK_SECONDS if setting.quick else SECONDS
    setting.steps.begin("schemes", len(SCHEMES) * len(degrees))
    charts = []
    for degree in degrees:
        cases = {}
        for scheme in SCHEMES:
            cases[scheme] = measure_scheme(scheme, degree, seconds)
            setting.steps.advance()
        charts += _scheme_charts(degree, cases)
    summary = "What an application pays for: each operation on ciphertexts, and encryption."
    settings = {"degrees": list(degrees), "seconds for a scheme": seconds}
    return Section("schemes", TITLES["schemes"], summary, tuple(charts), (), settings)
