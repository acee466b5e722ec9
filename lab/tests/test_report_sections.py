# SPDX-License-Identifier: Apache-2.0
"""Sections of `ringlet report`: bounds, roofs and tables of kernels, threads and devices. No test
depends on how long something takes."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest
import ringlet
from installed_command import surroundings
from report_samples import series_of

from ringlet_lab import _lab
from ringlet_lab.bench.gpu.results import DIRECTIONS, NttCell, NttRow
from ringlet_lab.bench.kernels import available_tables
from ringlet_lab.bench.ntt import NttResult
from ringlet_lab.bench.timing import Times
from ringlet_lab.report import limits
from ringlet_lab.report.sections import gpu, ntt, operations, roofline
from ringlet_lab.report.sections import threads as thread_section
from ringlet_lab.report.setting import Setting

DEGREE = 1024


@pytest.fixture(scope="module")
def rates() -> limits.Rates:
    return limits.measure_rates()


def test_bounds_lie_below_what_is_measured(rates: limits.Rates) -> None:
    assert limits.SCALAR in rates.ns and min(rates.ns.values()) > 0
    judged = set()
    for bits in ntt.BITS:
        for result in ntt.measure_width(bits, [DEGREE], 10, Setting()):
            least = rates.ns_per_product(result.kernel, result.modulus)
            assert least is not None, f"{result.kernel}: its multiplications are not counted"
            for times in (result.forward_ns, result.inverse_ns):
                # The clock may rise between the two measurements.
                assert least < 1.1 * min(times) / result.butterflies
            judged.add(result.kernel)
            assert len(result.forward_ns) == 10
    catalog = [k for k in _lab.kernel_catalog() if k.operation == "ntt" and not k.named_only]
    if not ringlet.selected_kernels():
        assert judged == {f"{k.table}/{k.algorithm}" for k in catalog if k.available}


def test_every_kernel_of_transforms_has_a_bound() -> None:
    rates = limits.Rates(dict.fromkeys(["shoup/scalar64", "integer/avx2", "real/avx2",
        "integer/avx512dq", "real/avx512dq", "integer/ifma52"], [1.0, 2.0]))  # fmt: skip
    for kernel in _lab.kernel_catalog():
        if kernel.operation == "ntt" and not kernel.named_only:
            assert rates.ns_per_product(f"{kernel.table}/{kernel.algorithm}", 97)
    assert rates.ns_per_product("avx2/mont64", (1 << 32) + 1) == 5
    assert rates.ns_per_product("avx2/mont64", (1 << 32) + 3) == 7
    assert rates.ns_per_product("other/kernel", 97) is None


def test_limits_refuse_what_they_do_not_know() -> None:
    stopwatch = _lab.Stopwatch()
    for name, count, said in (("vpmul", 96, "pass, shoup/scalar64"), ("pass", 95, "96")):
        with pytest.raises(ringlet.InvalidArgument, match=said):
            _lab.add_limit(stopwatch, name, count)
    assert len(stopwatch) == 0


def test_shown_kernels_are_the_fastest_of_a_table_and_the_plain_one() -> None:
    def result(kernel: str, ns: float) -> NttResult:
        return NttResult(kernel, DEGREE, 30, 97, [ns, 2 * ns], [ns], 3e9)

    times = {"a/radix2": 9.0, "b/radix2": 5.0, "b/fast": 2.0, "b/slow": 4.0}
    results = [result(kernel, ns * 5120) for kernel, ns in times.items()]
    assert ntt.shown_kernels(results) == ["a/radix2", "b/radix2", "b/fast"]


def test_degrees_that_no_kernel_takes_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def measure_degree(bits: int, degree: int, rounds: int) -> list[NttResult]:
        is_taken = bits == 30 or (bits == 50 and degree == DEGREE)
        return [NttResult("a/radix2", degree, bits, 97, [1.0], [1.0], 3e9)] if is_taken else []

    monkeypatch.setattr(ntt, "_measure_degree", measure_degree)
    monkeypatch.setattr(ntt, "QUICK_DEGREES", (DEGREE, 2 * DEGREE))
    section = ntt.measure(Setting(quick=True))
    assert len(section.charts) == 6
    assert section.missing == (
        "No kernel of the selection in force takes 50-bit primes at N = 2048.",
        "No kernel of the selection in force takes 60-bit primes at N = 1024, 2048.",
    )


def test_roofs_meet_at_the_peak() -> None:
    level = limits.Level("L1", 1024, [8.0, 16.0])  # 2048 bytes in 8 ns: 256 bytes each ns
    roof = roofline.roof(level, peak=32.0, most=1.0)
    assert [(p.x, p.y) for p in roof.points] == [
        (roofline._LEAST_DENSITY, 256 * roofline._LEAST_DENSITY), (0.125, 32.0), (1.0, 32.0)
    ]  # fmt: skip
    assert roofline.transform_density(4096) == 2048 * 12 / (16 * 4096)
    low = roofline.roof(level, peak=1.0, most=1.0)
    assert [p.y for p in low.points] == [1.0, 1.0]


def test_caches_and_working_sets() -> None:
    caches = limits.cache_bytes()
    assert list(caches.values()) == sorted(caches.values()) and "L1" in caches
    sets = limits.working_sets()
    assert all(sets[name] == size // 2 for name, size in caches.items())
    level = limits.measure_level("L1", sets["L1"], 2)
    assert level.size <= sets["L1"] and level.moved == 2 * level.size and len(level.times_ns) == 2


def test_element_wise_operations_of_every_table() -> None:
    timed = operations.measure_eltwise(50, 64, 2)
    names = [name for name in operations.eltwise_operations()]
    assert {"add", "multiply", "reduce_range", "dot"} <= set(names) and len(names) == 15
    assert [(t.operation, t.table) for t in timed] == [
        (name, table) for name in names for table in available_tables("multiply")
    ]
    chart = operations._eltwise_chart(50, timed)
    assert operations.BASELINE not in series_of(chart)
    for series in chart.series:
        assert [p.x for p in series.points] == names


@pytest.mark.parametrize("chosen", ["scalar64", "avx2/float"])
def test_what_a_selection_of_kernels_lacks_is_missing(chosen: str) -> None:
    """In a process of its own, which reads the variable. A selection is no failure."""
    exact = chosen.split("/")[0]
    if not any(k.available for k in _lab.kernel_catalog() if k.table == exact):
        pytest.skip(f"this processor lacks what the kernels of {exact} need")
    code = (
        "from ringlet_lab.report.sections import operations, schemes, wide\n"
        "from ringlet_lab.report.setting import Setting\n"
        "operations.ROUNDS, schemes.DEGREES, schemes.SECONDS = 2, (4096,), 0.0\n"
        "wide.DEGREES, wide.ROUNDS = (256,), 2\n"
        "for section in (operations, schemes, wide):\n"
        "    found = section.measure(Setting())\n"
        "    print(len(found.charts), '|'.join(found.missing))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], text=True, capture_output=True, check=False,
        env={**surroundings(), "RINGLET_FORCE_KERNELS": chosen},
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    element_wise, schemes, double_words = map(str.strip, run.stdout.splitlines())
    if chosen == "scalar64":
        assert element_wise == (
            "0 Speed-ups: this machine, or the selection in force, has no kernels but scalar64."
        )
        assert schemes == "1" and double_words.startswith("3")
    else:
        assert (element_wise, schemes) == ("2", "2")
        assert double_words == "0 The selection of kernels in force has none of double words."


def test_numbers_of_threads() -> None:
    assert thread_section.thread_counts(1) == [1]
    assert thread_section.thread_counts(6) == [1, 2, 3, 4, 5, 6]
    assert thread_section.thread_counts(48) == [*range(1, 9), 16, 32, 48]
    assert thread_section.thread_counts(1000)[-1] == 256


def test_one_thread_is_said_to_have_no_scaling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thread_section, "available_threads", lambda: 1)
    section = thread_section.measure(Setting(quick=True))
    assert section.charts == () and "one thread" in section.missing[0]


def test_no_device_is_said_to_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "devices", lambda: ringlet.devices()[:1])
    assert gpu.device_name(None) is None and gpu.device_name("gpu:7") == "gpu:7"
    section = gpu.measure(Setting(quick=True))
    assert section.charts == () and "No device" in section.missing[0]


def made_up_device() -> Any:
    """Results of a device in which only what charts read is there: 2 degrees, 2 sizes, 3 rows."""
    cells = []
    for key, bits, microseconds in (("naive", 50, 8.0), ("radix8", 50, 2.0), ("narrow", 30, 1.0)):
        row = NttRow(key, key, 2, bits, False, False)
        for degree, limbs in ((1024, 8), (2048, 8), (2048, 32)):
            times = {d: Times(times_us=[microseconds, 2 * microseconds]) for d in DIRECTIONS}
            cells.append(NttCell(row, degree, 8, limbs, "", "", {}, times))
    routines = [
        SimpleNamespace(
            routine=routine, title=title, single=Times(times_us=[us]), degree=1024, data_primes=2
        )
        for routine, title, us in (
            ("MulLin", "naive", 6.0), ("MulLin", "better", 2.0), ("Rotate", "better", 1.0)
        )
    ]  # fmt: skip
    info = {"description": "D", "api": "cuda"}
    return SimpleNamespace(device=info, is_performance_result=True, ntt=cells, routines=routines)


def test_charts_of_a_device() -> None:
    results = made_up_device()
    ablation = series_of(gpu._ablation(results))["forward"]
    assert list(ablation.values()) == [1.0, 4.0, 8.0]
    # The fastest row of 50 bits counts.
    assert series_of(gpu._transforms(results)) == {
        "8 x 1 limbs": {1024: 2.0, 2048: 2.0}, "8 x 4 limbs": {2048: 2.0}
    }  # fmt: skip
    # A routine that the first options do not have has no baseline.
    assert series_of(gpu._routines(results)) == {"better": {"MulLin": 3.0}}
