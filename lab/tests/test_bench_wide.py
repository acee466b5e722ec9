# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench wide`: structure, marks and formulas; no test depends on a time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import ringlet
from bench_command import check_layout, check_png, peers_library, run

from ringlet_lab import _lab
from ringlet_lab.bench import wide as bench_wide
from ringlet_lab.bench.wide import goals, picture, quoted, speed_of_light
from ringlet_lab.bench.wide import peers as bench_wide_peers
from ringlet_lab.bench.output import number

TINY = ["bench", "wide", "--degrees", "256,1024", "--rounds", "2", "--length", "64"]


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    folder = tmp_path_factory.mktemp("bench")
    with pytest.MonkeyPatch.context() as patch:
        # Measures everything, even if the environment names a table.
        patch.setattr(bench_wide, "selected_kernels", lambda: "")
        return run(*TINY, "--output", str(folder)), folder


@pytest.fixture(scope="module")
def report(output: tuple[str, Path]) -> dict[str, Any]:
    return json.loads((output[1] / "ringlet-bench-wide.json").read_text())


def times(*values: float, kind: str = "measured", **more: Any) -> bench_wide.Row:
    row = bench_wide.Row(kind, **more)
    row.times_us = list(values)
    return row


def results_of(rows: list[bench_wide.Row], clock_hz: float = 2.5e9) -> bench_wide.Results:
    moduli = bench_wide.Moduli(5, 7)
    return bench_wide.Results(moduli, 124, 1024, rows, {}, clock_hz=[clock_hz], rounds=2)


def test_every_kernel_is_measured(report: dict[str, Any]) -> None:
    names = {entry["name"] for entry in report["benchmarks"]}
    moduli = report["context"]["general_modulus"], report["context"]["special_modulus"]
    for modulus, is_special in zip(moduli, (False, True), strict=True):
        kernels = [
            kernel
            for kernel in _lab.double_word_kernels(modulus)
            if kernel.special_modulus == is_special and not kernel.named_only
        ]
        assert is_special or any(k.name.startswith("scalar64/") for k in kernels)
        for kernel in kernels:
            for operation in bench_wide.OPERATIONS:
                assert f"wide_{operation}/{kernel.name}/n=64/q=124" in names
            for direction in bench_wide.DIRECTIONS:
                for degree in (256, 1024):
                    assert f"wide_ntt_{direction}/{kernel.name}/n={degree}/q=124" in names


def test_kernels_of_special_moduli_get_one(report: dict[str, Any]) -> None:
    general, special = (int(report["context"][f"{k}_modulus"]) for k in ("general", "special"))
    assert general.bit_length() == special.bit_length() == 124
    assert general % (2 * 1024) == 1 and pow(3, general - 1, general) == 1
    assert special % 2**104 == 1 and pow(3, special - 1, special) == 1
    taking = {k.name for k in _lab.double_word_kernels(str(special)) if k.special_modulus}
    for entry in report["benchmarks"]:
        if "modulus" in entry:
            expected = special if entry["kernel"] in taking else general
            assert int(entry["modulus"]) == expected


def test_entries_say_what_they_are(report: dict[str, Any]) -> None:
    check_layout(report)
    for entry in report["benchmarks"]:
        assert entry["min"] <= entry["late_mean"]
        assert entry["kind"] in ("measured", "emulated", "rns", "reference", "projected", "limit")


def test_units_are_elements_and_butterflies(report: dict[str, Any]) -> None:
    for entry in report["benchmarks"]:
        if entry["name"].startswith("wide_ntt_forward/scalar64/"):
            n = int(entry["name"].split("/n=")[1].split("/")[0])
            count = {256: 1024, 1024: 5120}[n]
            assert entry["ns_per_butterfly"] == pytest.approx(1e3 * entry["min"] / count)
        if entry["name"].startswith("wide_axpy/scalar64/"):
            assert entry["ns_per_element"] == pytest.approx(1e3 * entry["min"] / 64)
    row = times(4, 2, 9, 8, 6, 5, operation="ntt_forward", name="a/b", size=1 << 20)
    assert row.units == 10 * 2**20
    assert (row.best, row.median) == (2, 5.5)
    # The paper's mean: the later half of the rounds.
    assert row.late_mean == pytest.approx((8 + 6 + 5) / 3)


def test_residue_number_system_is_beside(report: dict[str, Any]) -> None:
    entries = [e for e in report["benchmarks"] if e["kind"] == "rns"]
    assert len(entries) == len(bench_wide.OPERATIONS) + 2 * 2
    for entry in entries:
        assert entry["name"].split("/")[1] == "rns,3x42bits"
        assert "/" in entry["text"]  # the kernel of 64-bit words that ran


def test_what_is_missing_is_said(output: tuple[str, Path], report: dict[str, Any]) -> None:
    assert "missing: GMP and FLINT are not measured" in output[0]
    assert any("GMP and FLINT" in text for text in report["context"]["missing"])
    if not _lab.projected_products():
        assert "MQX projected by PISA: this processor lacks" in output[0]


def test_projections_are_marked(output: tuple[str, Path], report: dict[str, Any]) -> None:
    products = _lab.projected_products()
    projected = {e["name"] for e in report["benchmarks"] if e["kind"] == "projected"}
    expected = {f"wide_{o}/mqx/{p}/n=64/q=124" for o in bench_wide.OPERATIONS for p in products}
    expected |= {
        f"wide_ntt_{direction}/mqx/{product}/n={degree}/q=124"
        for direction in bench_wide.DIRECTIONS
        for product in products
        for degree in (256, 1024)
    }
    assert projected == expected
    for product in products:
        assert f"mqx/{product} (projected)" in output[0]
    # No kernel of this run emulates those instructions.
    assert not any(e["kind"] == "emulated" for e in report["benchmarks"])


def test_projection_itself_is_checked(output: tuple[str, Path], report: dict[str, Any]) -> None:
    checks = report["projection_checks"]
    assert bool(checks) == bool(_lab.projected_products())
    for check in checks:
        expected = 100 * (check["projected_ns"] - check["real_ns"]) / check["real_ns"]
        assert check["error_percent"] == pytest.approx(expected)
        assert check["degree"] == 1024
    if checks:
        assert "“8 %”" in output[0]
        # The comparison of an instruction with itself comes first.
        assert checks[0]["instruction"] == checks[0]["stand_in"] and len(checks) >= 3
        assert all(check["instruction"] != check["stand_in"] for check in checks[1:])


def test_projections_are_no_kernels_that_can_be_chosen() -> None:
    assert not any("projected" in kernel.table for kernel in _lab.kernel_catalog())
    with pytest.raises(ringlet.InvalidArgument, match="mqx-projected"):
        _lab.Stopwatch().add_ntt(64, 7681, "mqx-projected", True)
    with pytest.raises(ringlet.OutOfRange, match="index"):
        stopwatch, prime = _lab.Stopwatch(), _lab.double_word_prime(124, 1024, False)
        _lab.add_stand_in(stopwatch, len(_lab.stand_ins()), 64, prime)


def test_quoted_and_recorded_figures_are_marked(
    output: tuple[str, Path], report: dict[str, Any]
) -> None:
    text = output[0]
    assert {q["ratio"] for q in report["quoted"]} == {38, 62, 35, 1157}
    for figure in ("“38x”", "“62x”", "“35x”", "“1157x”"):
        assert figure in text, figure
    assert "rec." in text and quoted.RECORDED_MACHINE[:40] in text
    lines = [line.split() for line in text.splitlines()]
    for name, times_of in quoted.RECORDED_NTT.items():
        assert [*name.split(), "rec.", number(times_of[1024])] in lines
    recorded = {(r["implementation"], r["operation"], r["n"]): r["ns"] for r in report["recorded"]}
    assert recorded["paper: AVX-512, 2 x 64", "ntt_forward", 65536] == 5.75
    assert recorded["paper: AVX-512, 2 x 64", "multiply", 1024] == 4.31
    assert all("not in this run" in r["source"] for r in report["recorded"])
    assert "OpenFHE" in text and "not measured here" in text
    assert not any("openfhe" in e["name"].lower() for e in report["benchmarks"])


def test_speed_of_light_is_the_formula() -> None:
    target = speed_of_light.Target("a CPU", 96, 3.5, "all_core", "made up")
    # 1.4 ns on one core at 2.5 GHz: 1.4 / 96 * 2.5 / 3.5 = 1/96 ns.
    assert speed_of_light.speed_of_light(1.4, 2.5, target) == pytest.approx(1 / 96)
    assert speed_of_light.speed_of_light(1.4, 2.5, target, cores=48) == pytest.approx(0.5)


def test_asic_is_derived_from_the_papers_ratio() -> None:
    asic = speed_of_light.data().asic
    assert asic.slowdown == 35
    # 1.86 / 35, 1.87 / 35 and 1.89 / 35 by hand.
    assert asic.ns_per_butterfly(1024) == pytest.approx(0.0531429, rel=1e-5)
    assert asic.ns_per_butterfly(256) == asic.ns_per_butterfly(1024)
    assert asic.ns_per_butterfly(1 << 14) == pytest.approx(0.0534286, rel=1e-5)
    assert asic.ns_per_butterfly(1 << 20) == pytest.approx(0.054, rel=1e-5)


def test_estimates_name_their_assumptions() -> None:
    known = speed_of_light.data()
    found = speed_of_light.estimates(1.86, 2.6, 4096)
    assert [e.target for e in found[:-1]] == [t.name for t in known.targets]
    assert all(e.assumption == "linear, ideal" for e in found[:-1])
    by_name = {e.target: e for e in found}
    # 1.86 / 192 * 2.6 / 3.35 ns; the derived ASIC takes 1.86 / 35.
    linear = by_name["AMD EPYC 9965"]
    assert linear.ns == pytest.approx(0.00751866, rel=1e-5)
    assert linear.asic_ratio == pytest.approx(0.141480, rel=1e-5)
    last = found[-1]
    assert last.cores == 192 and "77" in last.assumption
    assert last.ns == pytest.approx(0.0241558, rel=1e-5)
    assert last.asic_ratio == pytest.approx(35 / 77)


def test_targets_state_their_sources() -> None:
    known = speed_of_light.data()
    assert len(known.targets) >= 4
    for target in known.targets:
        assert target.cores > 0 and 1 < target.clock_ghz < 6
        assert "product page" in target.source
        assert target.clock_kind in ("all_core", "maximum")
    assert "t_m * (c1 / c2) * (f_m / f_max)" in known.formula


def test_speed_of_light_is_no_measurement(output: tuple[str, Path], report: dict[str, Any]) -> None:
    assert "Speed of light (bounds, not measured)" in output[0]
    assert "derived" in output[0]
    rows = report["speed_of_light"]
    assert {row["assumption"] for row in rows} == {"linear, ideal", "assumed 77x"}
    fastest = min(
        e["ns_per_butterfly"]
        for e in report["benchmarks"]
        if e["kind"] == "measured" and e["name"].startswith("wide_ntt_forward/")
        and "/n=1024/" in e["name"]
    )  # fmt: skip
    linear = next(r for r in rows if r["target"] == "AMD EPYC 9654")
    clock = report["context"]["clock_hz"]["median"] * 1e-9
    assert linear["ns"] == pytest.approx(fastest / 96 * clock / 3.55)
    assert {d["degree"] for d in report["derived"]} == {256, 1024}


def test_goals_are_judged_by_the_worst_size() -> None:
    rows = [
        times(5.12, operation="ntt_forward", name="ifma52/special", size=1024, modulus="special"),
        times(40.0, operation="ntt_forward", name="ifma52/special", size=4096, modulus="special"),
        times(0.5, operation="add", name="ifma52/shoup", size=1024, modulus="general"),
        times(
            2.048, operation="arithmetic", name="limit/butterfly/special", size=4096, kind="limit"
        ),
        times(9.0, operation="add", name="gmp", size=1024, kind="reference"),
    ]
    found = {
        (j.kind, j.operation, j.size): j
        for j in goals.judgements(results_of(rows, clock_hz=2e9))
    }
    first = found["special", "ntt_forward", 1024]
    # 5120 butterflies in 5.12 us; the instructions of 4096 in 2.048 us.
    assert first.ns == pytest.approx(1.0) and first.cycles == pytest.approx(2.0)
    assert first.goal_ns == 1.5 and first.goal_cycles == pytest.approx(3.75)
    assert first.limit_ns == pytest.approx(0.5)
    # 24576 butterflies in 40 us.
    second = found["special", "ntt_forward", 4096]
    assert second.ns == pytest.approx(1.6276, rel=1e-4)
    assert found["general", "add", 1024].limit_ns is None


def test_bars_say_what_they_are() -> None:
    rows = [
        times(20.0, operation="ntt_forward", name="ifma52/shoup", size=4096, modulus="general"),
        times(50.0, operation="ntt_forward", name="mqx/schoolbook", size=4096, kind="projected"),
        times(900.0, operation="ntt_forward", name="gmp", size=4096, kind="reference"),
        times(90.0, operation="ntt_forward", name="mqx/emulation", size=4096, kind="emulated"),
    ]
    bars = picture.bars(results_of(rows), 4096)
    kinds = {bar.name: bar.kind for bar in bars}
    assert kinds["mqx/schoolbook (projected)"] == "projected"
    assert kinds["ifma52/shoup"] == "measured"
    assert "mqx/emulation" not in kinds
    hatched = [bar for bar in bars if picture.HATCHES[bar.kind] is not None]
    assert {bar.kind for bar in hatched} == {
        "projected", "recorded", "speed of light", "derived",
    }  # fmt: skip
    for bar in hatched:
        words = ("projected", "recorded", "linear", "assumed", "derived")
        assert any(word in bar.name for word in words), bar.name


def test_picture_is_written(output: tuple[str, Path]) -> None:
    check_png(output[1] / "ringlet-bench-wide.png")


def test_a_selection_restricts_the_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    prime = int(_lab.double_word_prime(124, 1024, False))
    special = int(_lab.double_word_prime(124, 1024, True))
    moduli = bench_wide.Moduli(prime, special)
    monkeypatch.setattr(bench_wide, "selected_kernels", lambda: "scalar64")
    assert {name.split("/")[0] for name, *_ in bench_wide.kernel_names(moduli)} == {"scalar64"}
    monkeypatch.setattr(bench_wide, "selected_kernels", lambda: "")
    everything = bench_wide.kernel_names(moduli)
    assert len(everything) == len(set(everything))
    assert all(kind == "measured" for _, kind, _ in everything)
    named = {k.name for k in _lab.double_word_kernels(str(prime)) if k.named_only}
    assert named.isdisjoint(name for name, *_ in everything)
    # Study kernels are measured if they are named, and marked.
    monkeypatch.setattr(bench_wide, "selected_kernels", lambda: bench_wide.EMULATED_TABLE)
    emulated = bench_wide.kernel_names(moduli)
    assert {name for name, *_ in emulated} == named
    assert all(kind == "emulated" for _, kind, _ in emulated)


def test_peers_agree_with_ringlet_and_are_measured(tmp_path: Path) -> None:
    library = peers_library()
    try:
        peers = bench_wide_peers.WidePeers(library)
    except ringlet.errors.InvalidArgument:
        pytest.skip("the library ringlet_peers is of a build without double words")
    prime = int(_lab.double_word_prime(124, 1024, False))
    for name in peers.descriptions:
        for size in (16, 64):
            assert bench_wide_peers.checked_job(peers, name, size, prime) is not None
    text = run(*TINY, "--no-png", "--output", str(tmp_path), "--peers", str(library))
    assert "GMP and FLINT are not measured" not in text
    content = json.loads((tmp_path / "ringlet-bench-wide.json").read_text())
    names = {e["name"] for e in content["benchmarks"] if e["kind"] == "reference"}
    for name in peers.descriptions:
        library_name, operation = name.split("/")
        size = 64 if operation in bench_wide.OPERATIONS else 1024
        assert f"wide_{operation}/{library_name}/n={size}/q=124" in names


def test_wrong_results_of_peers_are_found() -> None:
    class Job:
        def compute(self, a: Any, b: Any) -> Any:
            return a  # a wrong sum

    class Peers:
        def create(self, name: str, size: int, modulus: int) -> Job:
            return Job()

    prime = int(_lab.double_word_prime(124, 1024, False))
    for name in ("some/add", "some/dot", "some/ntt_forward", "some/ntt_inverse", "some/product"):
        with pytest.raises(ringlet.errors.RuntimeFailure, match="another result"):
            bench_wide_peers.checked_job(Peers(), name, 16, prime)  # type: ignore[arg-type]
