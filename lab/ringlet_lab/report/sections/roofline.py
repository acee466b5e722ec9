# SPDX-License-Identifier: Apache-2.0
"""Section with the roofline of one core: products modulo q per second over products per moved byte.
The roofs are the measured bandwidth of every level of memory, and the measured rate of
multiplications."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ringlet import generate_ntt_primes
from ringlet.params import bytes_text

from ..._lab import Stopwatch, ntt_kernel
from ..limits import SCALAR, Level, Rates, measure_level, measure_rates, working_sets
from ..model import Axis, Chart, Point, Section, Series
from ..points import rate_point, spread_of
from ..setting import Setting
from . import TITLES
from .operations import BASELINE

BITS = 50
DEGREES = (1024, 4096, 16384, 65536)
QUICK_ROUNDS, ROUNDS = 20, 60
_BLOCK_US = 200.0
_WORD = 8
# A product of two vectors reads two words and writes one; a transform reads and writes each word.
_VECTOR_DENSITY = 1 / (3 * _WORD)
_LEAST_DENSITY = _VECTOR_DENSITY / 2


@dataclass(frozen=True)
class Kernel:
    """One kernel at one size: products per byte and per nanosecond."""

    name: str
    density: float
    times_ns: Sequence[float]
    products: float

    @property
    def point(self) -> Point:
        """The rate as a point. Products per nanosecond are 10^9 products per second."""
        return rate_point(self.density, self.times_ns, self.products)


def transform_density(degree: int) -> float:
    """Returns the products per byte of a transform that reads and writes each word once: N/2 log2 N
    over 16 N."""
    return math.log2(degree) / (4 * _WORD)


def measure_transforms(selection: str, rounds: int) -> list[Kernel]:
    """Measures a forward transform of each degree, by the kernel that a selection chooses."""
    stopwatch = Stopwatch()
    names = []
    for degree in DEGREES:
        modulus = generate_ntt_primes(BITS, degree, 1)[0]
        names.append(stopwatch.add_ntt(degree, modulus, selection, True))
    stopwatch.run(rounds, _BLOCK_US)
    return [
        Kernel(names[i], transform_density(n), stopwatch.times_ns(i), n / 2 * math.log2(n))
        for i, n in enumerate(DEGREES)
    ]


def measure_products(level: Level, rounds: int) -> Kernel:
    """Measures products of two vectors into a third. All three together lie in one level of memory.
    """
    modulus = generate_ntt_primes(BITS, DEGREES[-1], 1)[0]
    count = max(64, level.size // (3 * _WORD) // 64 * 64)
    stopwatch = Stopwatch()
    stopwatch.add_eltwise("multiply", count, modulus, "")
    stopwatch.run(rounds, _BLOCK_US)
    return Kernel(f"a × b in {level.name}", _VECTOR_DENSITY, stopwatch.times_ns(0), count)


def roof(level: Level, peak: float, most: float) -> Series:
    """Returns a roof: a level's bandwidth up to the peak, both in products per nanosecond."""
    bandwidth = level.moved / min(level.times_ns)
    corner = peak / bandwidth
    densities = sorted({_LEAST_DENSITY, min(max(corner, _LEAST_DENSITY), most), most})
    spread = spread_of(level.times_ns)
    points = tuple(Point(x, min(x * bandwidth, peak), spread=spread) for x in densities)
    return Series(f"roof of {level.name}", points, "bound")


def _peak(rates: Rates) -> tuple[str, float]:
    """Returns the kernel that the library chooses, and the products per nanosecond that its
    multiplications permit. Returns the portable kernel if these are unknown."""
    modulus = generate_ntt_primes(BITS, DEGREES[1], 1)[0]
    kernel = ntt_kernel(DEGREES[1], modulus)
    least = rates.ns_per_product(kernel, modulus)
    return (kernel, 1 / least) if least else ("scalar64/radix2", 1 / rates.ns[SCALAR])


def _roofline(
    levels: list[Level], rates: Rates, kernels: Sequence[Sequence[Kernel]], products: list[Kernel]
) -> Chart:
    chosen, peak = _peak(rates)
    most = 2 * transform_density(DEGREES[-1])
    series = [Series(row[0].name, tuple(k.point for k in row)) for row in kernels]
    series += [Series(kernel.name, (kernel.point,)) for kernel in products]
    scalar = 1 / rates.ns[SCALAR]
    flat = tuple(Point(x, scalar) for x in (_LEAST_DENSITY, most))
    series.append(Series("portable multiplications", flat, "bound"))
    series += [roof(level, peak, most) for level in levels]
    return Chart(
        "roofline",
        f"Roofline of one core, {BITS}-bit prime",
        "Products modulo q over products per byte that has to be read or written at least once: "
        f"transforms of N = {', '.join(map(str, DEGREES))} from left to right, and products of "
        "vectors a × b. Slopes are the measured rates of reading and writing; the flat roof is "
        f"how many products {chosen} could multiply if nothing else took time.",
        "lines",
        Axis("products per byte", scale="log2"),
        Axis("products", "G/s", "log10"),
        tuple(series),
        is_lower_better=False,
    )


def _bandwidths(levels: list[Level]) -> Chart:
    points = tuple(rate_point(v.name, v.times_ns, v.moved) for v in levels)
    sizes = ", ".join(f"{bytes_text(level.size)} for {level.name}" for level in levels)
    return Chart(
        "roofline-bandwidth",
        "Memory of one core",
        f"Each word read and written once, in place, in vectors: {sizes}.",
        "bars",
        Axis("level"),
        Axis("bandwidth", "GB/s"),
        (Series("read and written", points),),
        is_lower_better=False,
    )


def _multiplications(rates: Rates) -> Chart:
    points = tuple(rate_point(name, times, 1.0) for name, times in rates.times_ns.items())
    return Chart(
        "roofline-multiplications",
        "Multiplications of one core",
        "Independent multiplications in registers, by the tables of kernels that use them: "
        "products of half words (integer; of 52-bit words for ifma52), multiply-adds of doubles "
        "(real), and whole products by a known factor modulo q in portable code (shoup).",
        "bars",
        Axis("multiplication"),
        Axis("rate", "G/s"),
        (Series("one core", points),),
        is_lower_better=False,
    )


def measure(setting: Setting) -> Section:
    """Measures the roofs first, then the kernels below them."""
    rounds = QUICK_ROUNDS if setting.quick else ROUNDS
    sets = working_sets()
    setting.steps.begin("roofs", 2 * len(sets) + 3)
    rates = measure_rates()
    setting.steps.advance()
    levels, products = [], []
    for name, size in sets.items():
        levels.append(measure_level(name, size, rounds))
        setting.steps.advance()
        products.append(measure_products(levels[-1], rounds))
        setting.steps.advance()
    kernels: list[list[Kernel]] = []
    for selection in ("", BASELINE):
        row = measure_transforms(selection, rounds)
        if not kernels or row[0].name != kernels[0][0].name:
            kernels.append(row)
        setting.steps.advance()
    charts = (_roofline(levels, rates, kernels, products), _bandwidths(levels),
              _multiplications(rates))  # fmt: skip
    summary = "What memory and multipliers of this machine allow, and how near kernels come."
    settings = {
        "degrees": list(DEGREES),
        "bits": BITS,
        "rounds": rounds,
        "bytes": [level.size for level in levels],
    }
    return Section("roofline", TITLES["roofline"], summary, charts, (), settings)
