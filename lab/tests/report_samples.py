# SPDX-License-Identifier: Apache-2.0
"""Made-up reports for tests of the page: every kind of chart and origin, and cases that are hard to
draw. No figure in them was measured."""

from __future__ import annotations

import math
from typing import Any

from ringlet_lab.report.compare import Comparison, compare
from ringlet_lab.report.model import Axis, Chart, Point, Report, Section, Series

HOSTILE = "<script>alert('x')</script> & \"q\" $x_2$ {a} </svg>"


def _points(xs: list[float], values: list[float]) -> tuple[Point, ...]:
    rounds = [(y * 1.03, 0.03) for y in values]
    return tuple(
        Point(x, y, median, spread)
        for x, y, (median, spread) in zip(xs, values, rounds, strict=True)
    )


def ntt_chart(bits: int) -> Chart:
    """Times against the degree: four kernels and a bound."""
    degrees = [float(2**k) for k in range(10, 17)]
    speeds = {"scalar64/harvey": 1.1, "avx2/harvey": 0.72, "avx2/mont32": 0.35, "avx2/fp": 0.41}
    series = [
        Series(name, _points(degrees, [s * (1 + 0.03 * k * k / 9) for k in range(7)]))
        for name, s in speeds.items()
    ]
    bound = Series("bound of the ports, avx2", tuple(Point(x, 0.28) for x in degrees), "bound")
    return Chart(
        f"ntt-{bits}",
        f"Forward transform, {bits}-bit primes",
        "Minimum of 40 interleaved rounds on one core. The dashed line is what the multiplier's "
        "ports allow.",
        "lines",
        Axis("degree N", "", "log2"),
        Axis("time per butterfly", "ns"),
        (*series, bound),
    )


def _times_chart() -> Chart:
    degrees = [float(2**k) for k in range(10, 17)]
    names = {"scalar64/harvey": 5.1e-6, "avx2/harvey": 3.4e-6}
    series = [
        Series(name, _points(degrees, [s * n * math.log2(n) / 10 for n in degrees]))
        for name, s in names.items()
    ]
    return Chart(
        "ntt-times", "Time of a transform", "Both axes are logarithmic.", "lines",
        Axis("degree N", "", "log2"), Axis("time", "ms", "log10"), tuple(series),
    )  # fmt: skip


def _bars_chart() -> Chart:
    operations = ["add", "multiply", "multiply, add", "reduce any word", "compare, subtract"]
    series = [
        Series(name, tuple(Point(o, s * (1 + i / 7)) for i, o in enumerate(operations)))
        for name, s in {"avx2": 2.1, "avx512dq": 3.9, "ifma52": 6.3}.items()
    ]
    quoted = Series("HEXL, quoted", (Point("multiply", 4.2), Point("add", 3.1)), "quoted")
    projected = Series("MQX, projected", (Point("multiply", 8.4),), "projected")
    return Chart(
        "operations", "Speed-up over portable kernels", "N = 4096, 50-bit prime.",
        "bars", Axis("operation"), Axis("speed-up", "×"), (*series, projected, quoted), False,
    )  # fmt: skip


def _precision_chart() -> Chart:
    depth = [float(d) for d in range(9)]
    pairs = [("CKKS, scale 2^40", 27.0, 1.4), ("CKKS, scale 2^50", 36.5, 1.2)]
    series = []
    for name, top, step in pairs:
        bits = [top - step * d for d in depth]
        series.append(Series(name, _points(depth, bits)))
        estimate = tuple(Point(d, b - 2.5) for d, b in zip(depth, bits, strict=True))
        series.append(Series(f"{name}, estimate", estimate, "estimate"))
    return Chart(
        "precision", "Precision against depth", "Hollow marks are what the library predicts.",
        "lines", Axis("multiplicative depth"), Axis("precision", "bits"), tuple(series), False,
    )  # fmt: skip


def _roofline_chart() -> Chart:
    intensity = [2.0**k for k in range(-4, 6)]
    roof = [min(11.0, 18.0 * x) for x in intensity]
    cache = [min(11.0, 90.0 * x) for x in intensity]
    bounds = (
        Series("memory, bound", tuple(map(Point, intensity, roof)), "bound"),
        Series("L2 cache, bound", tuple(map(Point, intensity, cache)), "bound"),
    )
    kernels = tuple(
        Series(name, (Point(x, y),))
        for name, x, y in [("add", 0.08, 1.3), ("multiply", 0.42, 4.8), ("NTT, N = 4096", 1.5, 8.1)]
    )
    return Chart(
        "roofline", "Roofline", "Work against operations per byte.", "lines",
        Axis("products per byte", "", "log2"), Axis("products", "10⁹/s", "log10"),
        (*bounds, *kernels), False,
    )  # fmt: skip


def _sizes_chart() -> Chart:
    names = ["ciphertext, N = 8192", "relinearization key, N = 8192", "Galois keys, N = 8192"]
    raw = [393_216, 1_966_080, 23_592_960]
    forms = {"raw": 1.0, "seeded": 0.5, "seeded and compressed": 0.43}
    return Chart(
        "sizes", "Bytes of ciphertexts and keys", "A whole file, with its header.", "bars",
        Axis("object"), Axis("size", "bytes", "log10"),
        tuple(
            Series(form, tuple(Point(n, round(b * f)) for n, b in zip(names, raw, strict=True)))
            for form, f in forms.items()
        ),
    )  # fmt: skip


def series_of(chart: Chart) -> dict[str, dict[Any, float]]:
    return {s.name: {p.x: p.y for p in s.points} for s in chart.series}


def nasty_charts() -> tuple[Chart, ...]:
    """What is hard to draw or to quote."""
    many = [f"operation number {i} of a scheme" for i in range(40)]
    long = "a name that goes on and on, " * 9
    axis = Axis("x", "", "linear")
    line = tuple(Point(float(i), 1e9 + i) for i in range(5))
    extremes = tuple(Point(10.0**k, 10.0 ** (-k)) for k in range(-300, 301, 60))
    crowd = tuple(
        Series(f"{i}: {long[:60]}", tuple(Point(float(x), 1 + i * x) for x in range(30)))
        for i in range(12)
    )
    wide = "ÄÖÜ 楕円曲線暗号 " * 6
    return (
        Chart("one-point", "One point", "", "lines", axis, Axis("y"),
              (Series("alone", (Point(3.0, 7.0),)),)),
        Chart("one-bar", "One bar", "Of nothing.", "bars", Axis("what"), Axis("y"),
              (Series("alone", (Point("zero", 0.0),)),)),
        Chart("forty", "Forty names", "", "bars", Axis("operation"), Axis("time", "µs"),
              (Series("avx2", tuple(Point(n, 3.0**(i / 4)) for i, n in enumerate(many))),)),
        Chart("long-names", long, long, "bars", Axis(long), Axis(long, long),
              (Series(long, (Point(long, 12.0), Point("W" * 300, 3.0), Point(wide, 1.5))),)),
        Chart("long-lines", "Long axes " + "W" * 200, long, "lines", Axis(long),
              Axis("W" * 99, long), crowd),
        Chart("offset", "Large numbers that hardly differ", "", "lines", axis, Axis("y", "Hz"),
              (Series("a", line),)),
        Chart("extremes", "Six hundred decades", "", "lines", Axis("x", "", "log10"),
              Axis("y", "", "log10"), (Series("a", extremes),)),
        Chart("no-logarithm", "Zero on a logarithmic axis", "", "lines", Axis("x", "", "log2"),
              Axis("y", "", "log10"), (Series("a", tuple(map(Point, (0.0, 1.0), (0.0, 5.0)))),)),
        Chart("negative", "Below zero", "", "bars", Axis("what"), Axis("change", "%"),
              (Series("a", (Point("loss", -40.0), Point("gain", 25.0))),), None),
        Chart("nothing", "No values", "Nothing was there to be measured.", "lines", axis,
              Axis("y"), (Series("empty", ()),)),
        Chart("hostile", HOSTILE, HOSTILE, "bars", Axis(HOSTILE), Axis("y", HOSTILE),
              (Series(HOSTILE, (Point(HOSTILE, 1.0), Point("a\x00b\u202ec\nd", 2.0))),)),
    )  # fmt: skip


def sample_report(factor: float = 1.0, is_nasty: bool = False) -> Report:
    """A report of made-up figures; `factor` scales one chart, for comparisons."""
    wide = ntt_chart(60)
    scaled = tuple(
        Series(s.name, tuple(Point(p.x, p.y * factor, None, p.spread) for p in s.points), s.origin)
        for s in wide.series
    )
    sections = [
        Section("ntt", "Number-theoretic transforms", "Negacyclic transforms of one polynomial, "
                "against its degree.", (ntt_chart(30), ntt_chart(50),
                Chart(**{**vars(wide), "series": scaled}), _times_chart()),
                ("avx512dq and ifma52 are missing: this processor has no AVX-512.",)),
        Section("operations", "Operations", "Element by element.", (_bars_chart(),)),
        Section("roofline", "Roofline", "What bandwidth and multipliers allow.",
                (_roofline_chart(),)),
        Section("gpu", "GPU", "Ablation of the transforms on a device.", (),
                ("There is no GPU on this machine, and no OpenCL runtime.",)),
        Section("noise", "Noise and precision", "", (_precision_chart(),)),
        Section("sizes", "Sizes", "", (_sizes_chart(),)),
    ]  # fmt: skip
    if is_nasty:
        sections.append(Section("nasty", HOSTILE, HOSTILE, nasty_charts(), (HOSTILE,)))
        sections.append(Section("empty", "An empty section", ""))
    return Report(
        created="2026-11-23T15:04:05+00:00",
        machine={
            "processor": "Made-up Processor 9000",
            "instruction sets": "AVX2, BMI2, ADX",
            "clock": "3.40 GHz, measured",
            "threads": "2",
            "memory": "23 GB",
            "system": "Linux 6.1",
            "devices": HOSTILE if is_nasty else "none",
        },
        build={"version": "0.0.0", "compiler": "clang 19.1.7", "commit": "0123456789ab"},
        settings={"quick": True, "sections": [section.id for section in sections]},
        seconds=131.4,
        sections=tuple(sections),
    )


def sample_comparison(is_nasty: bool = False) -> Comparison:
    """One chart is faster than in the earlier report, the rest is the same."""
    return compare(sample_report(1.3, is_nasty), sample_report(1.0, is_nasty))
