# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench widths`: what is measured, judged and missing; no test depends on a time."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import ringlet
from bench_command import check_layout, check_png, run, run_once
from installed_command import run as run_command

from ringlet_lab import _lab
from ringlet_lab.bench import widths as bench_widths
from ringlet_lab.bench.widths import goals, picture
from ringlet_lab.bench.widths import report as bench_widths_report
from ringlet_lab.bench.widths import HALF_WORD_ONE, ORDINARY, Results, Row

HALF = 1 << 32
DEGREES = (64, 256)
# A prime that is 1 mod 2^32 has at least 37 bits.
WIDTHS = (20, 36, 37, 50, 51, 62)
TINY = ["bench", "widths", "--degrees", "64,256", "--bits", "20,36,37,50,51,62", "--rounds", "2"]
REFERENCES = ("scalar64/radix2", "avx512dq/radix2")


def available(table: str) -> bool:
    return any(
        k.available for k in _lab.kernel_catalog() if (k.table, k.operation) == (table, "ntt")
    )


TABLES = [table for table in ("scalar64", "avx2", "avx512dq", "ifma52") if available(table)]

if ringlet.selected_kernels():
    pytest.skip("RINGLET_FORCE_KERNELS changes what is measured", allow_module_level=True)
output, report = run_once("ringlet-bench-widths", *TINY, "--svg")


def row(curve: str, bits: int, *times_us: float, kernel: str = "", **more: Any) -> Row:
    values = {"form": ORDINARY, "direction": "forward", "degree": 4096, "modulus": 97, **more}
    return Row(curve, kernel or f"{curve}/radix2", bits, times_us=list(times_us), **values)


def results_of(rows: list[Row], references: list[Row] | None = None) -> Results:
    return Results(rows, references or [], clock_hz=[2e9], rounds=2)


def test_every_table_and_width_is_measured(report: dict[str, Any]) -> None:
    names = [e["name"] for e in report["benchmarks"] if not e["is_reference"]]
    expected = {
        f"ntt_{direction}/{table}/n={degree}/q={bits}{form}"
        for table in TABLES
        for degree in DEGREES
        for bits in WIDTHS
        for direction in ("forward", "inverse")
        for form in ("", "/half_word_one")
        if not form or bits >= 37
    }
    assert len(names) == len(set(names)) and set(names) == expected


def test_primes_and_kernels_are_what_they_are_called(report: dict[str, Any]) -> None:
    for entry in report["benchmarks"]:
        _, curve, *_, degree, bits = entry["name"].removesuffix("/half_word_one").split("/")
        q, n = entry["modulus"], int(degree[2:])
        assert ringlet.is_prime(q) and q.bit_length() == int(bits[2:]) and q % (2 * n) == 1
        assert (q % HALF == 1) == (entry["form"] == "half_word_one")
        if not entry["is_reference"]:
            assert entry["kernel"] == ringlet.Ntt(n, q, kernels=curve).kernel_name


def test_times_ratios_and_butterflies(report: dict[str, Any]) -> None:
    check_layout(report)
    least = {e["name"]: e["min"] for e in report["benchmarks"] if e["is_reference"]}
    count = len([name for name in REFERENCES if available(name.split("/")[0])])
    assert len(least) == count * 2 * len(DEGREES) * len(WIDTHS)
    for entry in report["benchmarks"]:
        direction, *_, degree, bits = entry["name"].removesuffix("/half_word_one").split("/")
        butterflies = {"n=64": 32 * 6, "n=256": 128 * 8}[degree]
        assert entry["ns_per_butterfly"] == pytest.approx(1e3 * entry["min"] / butterflies)
        assert entry["median_ns_per_butterfly"] >= entry["ns_per_butterfly"]
        assert len(entry["times_as_fast_as"]) == count
        for reference, ratio in entry["times_as_fast_as"].items():
            name = f"{direction}/{reference}/{degree}/{bits}"
            assert ratio == pytest.approx(least[name] / entry["min"])


def test_both_directions_are_timed(report: dict[str, Any]) -> None:
    times = {e["name"]: (e["min"], e["median"]) for e in report["benchmarks"]}
    forward = [name for name in times if name.startswith("ntt_forward/")]
    assert len(forward) * 2 == len(times)
    for name in forward:
        assert times[name] != times[name.replace("ntt_forward/", "ntt_inverse/")]


def test_a_kernel_that_two_tables_choose_is_timed_once(report: dict[str, Any]) -> None:
    if "ifma52" not in TABLES:
        pytest.skip("this processor does not run table ifma52")
    times = {e["name"]: (e["kernel"], e["min"]) for e in report["benchmarks"]}
    mine, below = (times[f"ntt_forward/{t}/n=256/q=62"] for t in ("ifma52", "avx512dq"))
    assert mine == below and mine[0].startswith("avx512dq/")


def test_the_run_says_where_and_how(report: dict[str, Any]) -> None:
    context = report["context"]
    assert "interleaved" in context["method"] and "quoted" in context["goals"]
    assert {"load_before", "load_after"} <= context.keys() and context["rounds"] == 2


def test_goals_are_listed_and_not_judged_at_other_lengths(report: dict[str, Any]) -> None:
    assert len(report["goals"]) == len(goals.GOALS)
    assert all(goal["met"] is None and goal["value"] is None for goal in report["goals"])
    gaps = {gap["what"]: gap for gap in report["gaps"]}
    assert any("HEXL" in what for what in gaps) and any("32 bits" in what for what in gaps)
    for table in ("scalar64", "avx2", "avx512dq", "ifma52"):
        assert (table in gaps) == (table not in TABLES)
    assert all(gap["reason"] and gap["remedy"] for gap in gaps.values())


def test_files(output: tuple[str, Path]) -> None:
    text, folder = output
    names = {path.name for path in folder.iterdir()}
    pictures = {f"ringlet-bench-widths-n{n}{s}" for n in DEGREES for s in (".png", ".svg")}
    assert names == {"ringlet-bench-widths.json", "ringlet-bench-widths.md", *pictures}
    check_png(folder / "ringlet-bench-widths-n64.png")
    assert "</svg>" in (folder / "ringlet-bench-widths-n256.svg").read_text()
    tables = (folder / "ringlet-bench-widths.md").read_text()
    for name in names - {"ringlet-bench-widths.md"}:
        assert name in "".join(text.split())
    for table in TABLES:
        assert f"| {table} | 20 to " in tables
    lines = [line for line in tables.splitlines() if line.startswith("| ")]
    assert len([line for line in lines if "not measured" in line]) == len(goals.GOALS)


def test_widths_without_a_prime_are_named(tmp_path: Path) -> None:
    # 8193 is the only number of 14 bits that is 1 mod 8192, and 3 divides it.
    run("bench", "widths", "--bits", "14,20", "--rounds", "1", "--no-png", "-o", str(tmp_path))
    written = json.loads((tmp_path / "ringlet-bench-widths.json").read_text())
    assert "14 bits, N = 4096" in [gap["what"] for gap in written["gaps"]]
    assert {e["name"].split("/q=")[1] for e in written["benchmarks"]} == {"20"}


def test_one_prime_of_each_form() -> None:
    for log_degree in range(6, 18):
        for bits in range(14, 63):
            primes = bench_widths.find_primes(bits, 1 << log_degree)
            if ORDINARY in primes:
                assert primes[ORDINARY] == ringlet.generate_ntt_primes(bits, 1 << log_degree)[0]
                assert primes[ORDINARY] % HALF != 1
            assert (HALF_WORD_ONE in primes) == (bits >= 37)
            assert primes.get(HALF_WORD_ONE, 1) % HALF == 1
    assert bench_widths.find_primes(14, 4096) == {}


@pytest.mark.parametrize("forced", ["scalar64", "scalar64/radix4"])
def test_selections_are_honoured(forced: str, tmp_path: Path) -> None:
    options = ["--no-png", "-o", str(tmp_path)]
    result = run_command(*TINY, *options, RINGLET_FORCE_KERNELS=forced)
    assert result.returncode == 0, result.stderr
    written = json.loads((tmp_path / "ringlet-bench-widths.json").read_text())
    mine = [e for e in written["benchmarks"] if not e["is_reference"]]
    exact = "/" in forced
    assert {e["kernel"] for e in mine} == {forced if exact else "scalar64/radix2"}
    widths = {int(e["name"].split("/q=")[1].split("/")[0]) for e in mine}
    assert widths == set(WIDTHS) - ({62} if exact else set()), "radix4 takes 60 bits"
    if not exact:
        reasons = {gap["what"]: gap["reason"] for gap in written["gaps"]}
        for table in TABLES[1:]:
            assert "ceiling" in reasons[table]


def test_tables_that_the_processor_lacks_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_widths, "selected_kernels", lambda: "")
    monkeypatch.setattr(bench_widths, "kernel_tables", lambda: ["low", "odd", "high"])
    kernels = [
        SimpleNamespace(table=table, operation=operation, named_only=study, available=runs,
                        features=[f"{table}-feature"])
        for table, operation, study, runs in (
            ("low", "ntt", False, True), ("low", "ntt", True, False), ("odd", "add", False, True),
            ("high", "ntt", False, False), ("high", "ntt", True, True),
        )
    ]  # fmt: skip
    monkeypatch.setattr(bench_widths, "kernel_catalog", lambda: kernels)
    curves, gaps = bench_widths.choose_curves()
    assert curves == ["low"]
    assert [gap.what for gap in gaps] == ["high"] and "high-feature" in gaps[0].remedy


def test_goals_are_the_quoted_times_over_the_goals() -> None:
    found = {(g.curve, g.low, g.high, g.form, g.direction, g.degree): g.ratio for g in goals.GOALS}
    assert len(found) == len(goals.GOALS)
    expected = {
        ("avx2", 20, 30, ORDINARY, "forward"): 37.7 / 8.2,
        ("avx2", 31, 50, ORDINARY, "inverse"): 4.0,
        ("avx512dq", 20, 50, ORDINARY, "forward"): 16.6 / 7.2,
        ("avx512dq", 20, 50, ORDINARY, "inverse"): 18.2 / 7.7,
        ("avx512dq", 51, 51, ORDINARY, "inverse"): 18.2 / 8.6,
        ("avx512dq", 52, 52, ORDINARY, "forward"): 16.6 / 10.4,
        ("avx512dq", 53, 54, ORDINARY, "forward"): 16.6 / 12.3,
        ("avx512dq", 55, 61, ORDINARY, "forward"): 16.6 / 12.5,
        ("avx512dq", 55, 61, HALF_WORD_ONE, "inverse"): 18.2 / 12.3,
    }
    for key, ratio in expected.items():
        assert found[(*key, 4096)] == pytest.approx(ratio)
    assert found["avx512dq", 55, 56, ORDINARY, "inverse", 32768] == 1.25


def test_the_worst_width_is_judged() -> None:
    goal = goals.Goal("avx2", 31, 50, ORDINARY, "forward", "scalar64/radix2", 4.0, "4 times")
    references = [row("scalar64", bits, 44.0, 40.0) for bits in (30, 31, 49, 50, 51)]
    rows = [row("avx2", 30, 40.0), row("avx2", 31, 9.0, 8.0), row("avx2", 51, 40.0),
            row("avx2", 49, 10.5, 10.0), row("avx2", 50, 5.0, degree=64),
            row("avx2", 50, 40.0, form=HALF_WORD_ONE), row("avx2", 50, 40.0, direction="inverse"),
            row("avx512dq", 50, 40.0)]  # fmt: skip
    judged = goals.judge(goal, results_of(rows, references))
    assert judged is not None and (judged.bits, judged.value) == (49, 4.0) and judged.met
    slower = goals.judge(goal, results_of([*rows, row("avx2", 50, 10.01)], references))
    assert slower is not None and slower.bits == 50 and not slower.met
    assert goals.judge(goal, results_of(rows)) is None, "no reference was measured"
    named = goals.judge(
        goal, results_of([row("avx2/float", 50, 5.0, kernel="avx2/float")], references)
    )
    assert named is not None and (named.kernel, named.value) == ("avx2/float", 8.0)
    shown = ("avx2", "31 to 50", "any", "forward", "4096", ">= 4.00", "scalar64/radix2",
             "4.00", "49", "avx2/radix2", "met", "4 times scalar64/radix2")  # fmt: skip
    sheet = bench_widths_report.goal_sheet(results_of(rows, references))
    assert shown in [cells for cells, _ in sheet.rows]


def test_runs_of_widths_that_a_kernel_serves() -> None:
    kernels = {20: "a", 30: "a", 31: "b", 49: "b", 50: "a", 51: "other"}
    rows = [row("avx2", bits, 1.0, kernel=f"avx2/{name}") for bits, name in kernels.items()]
    rows[-1].kernel = "scalar64/radix2"
    parts = [(part[0].bits, part[-1].bits, part[0].algorithm) for part in picture.segments(rows)]
    assert parts == [(20, 30, "a"), (31, 49, "b"), (50, 50, "a"), (51, 51, "scalar64/radix2")]


def test_the_picture_has_a_curve_for_each_table_and_names_the_kernels() -> None:
    rows = []
    for direction in ("forward", "inverse"):
        for bits in (49, 50, 51):
            name = "avx2/float" if bits < 51 else "avx2/radix2"
            rows.append(row("avx2", bits, 2.0, kernel=name, direction=direction))
            rows.append(row("avx2", bits, 1.0, direction=direction, form=HALF_WORD_ONE))
            rows.append(row("scalar64", bits, 9.0, direction=direction))
    figure = picture.make_picture(results_of(rows), 4096)
    forward, inverse, kernels = figure.axes
    for axes in (forward, inverse):
        lines = [(list(map(float, x)), list(map(float, y)))
                 for x, y in (line.get_data() for line in axes.get_lines()) if len(x)]  # fmt: skip
        per_us = 1e3 / (2048 * 12)
        for time in (2.0, 1.0, 9.0):
            assert ([49, 50, 51], [pytest.approx(time * per_us)] * 3) in lines
    assert [text.get_text() for text in kernels.texts] == ["float", "radix2", "radix2"]
    assert [label.get_text() for label in kernels.get_yticklabels()] == ["avx2", "scalar64"]
