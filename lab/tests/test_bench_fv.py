# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench fv`: what is measured, what is quoted, and what comes from reports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from bench_command import check_layout, check_png, refused, run

from ringlet_lab import _lab
from ringlet_lab.bench import fv as bench_fv
from ringlet_lab.bench.fv import picture as fv_picture, quoted as fv_quoted
from ringlet_lab.bench.fv import report as fv_report, split_picture
from ringlet_lab.bench import kernels

TINY = ["bench", "fv", "--ring", "2420", "--rounds", "1", "--counts", "1,4"]


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Reports as the hardware build writes them, with figures that stand out."""
    folder = tmp_path_factory.mktemp("reports")
    run_of_hardware = {
        "encryptions": 4,
        "components": 1,
        "cycles": {"input": 145_801, "output": 129_196, "total": 165_432},
        "bytes": {"input": 2_332_800, "output": 2_067_120},
        "products": 19_683,
        "multiplier_use": 0.84,
        "modelled_us": {
            "total_ideal": 1234.0,
            "total_shared": 2345.0,
            "link_ideal": 741.0,
            "link_shared": 3000.0,
        },
        "software_us": {"pre": 100.0, "post": 20.0, "reduce": 3.0},
    }
    files = {
        "hardware": {"tops": [{"name": "faithful", "runs": [run_of_hardware]}]},
        "study": {
            "rows": [
                {"degree": 2560, "pre": 3, "post": 5, "cycles": 145_800, "software_pre_us": None},
                {"degree": 2560, "pre": 3, "post": 6, "ideal_us": 741.0, "software_pre_us": 88.0,
                 "software_post_us": 156.0},
                {"degree": 2560, "pre": 4, "post": 6, "ideal_us": 494.0, "software_pre_us": 54.0,
                 "software_post_us": 156.0},
                {"degree": 640, "pre": 3, "post": 5, "ideal_us": 82.0, "software_pre_us": 7.0,
                 "software_post_us": 19.0},
            ]
        },
        "synth": {
            "tool": "Yosys",
            "target": "a device",
            "blocks": [
                {"design": "faithful", "name": "poly_mul", "instances": 4, "memory_bits": 4,
                 "dsp": 77}
            ],
        },
        "place": {
            "tool": "nextpnr",
            "target": "a device",
            "seed": 1,
            "placed": [
                {"design": "faithful", "name": "poly_mul", "instances": 4, "luts": 7531,
                 "fmax_mhz": 62.5, "state": "routed"},
                {"design": "faithful", "name": "pre_path", "instances": 1, "fmax_mhz": 99.0,
                 "state": "routed"},
                {"design": "faithful", "name": "buffer", "instances": 1, "ram": 480,
                 "state": "does not fit: DP16KD 480 of 208"},
            ],
        },
    }  # fmt: skip
    paths = {}
    for name, content in files.items():
        paths[name] = folder / f"{name}.json"
        paths[name].write_text(json.dumps(content))
    return paths


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory, reports: dict[str, Path]) -> tuple[str, Path]:
    folder = tmp_path_factory.mktemp("bench")
    options = [text for name, path in reports.items() for text in (f"--{name}", str(path))]
    return run(*TINY, "--output", str(folder), *options), folder


@pytest.fixture(scope="module")
def report(output: tuple[str, Path]) -> dict[str, Any]:
    return json.loads((output[1] / "ringlet-bench-fv.json").read_text())


def test_every_way_is_measured_on_every_table(report: dict[str, Any]) -> None:
    measured = {entry["kernel"] for entry in report["benchmarks"] if entry["group"] == "product"}
    modulus = report["context"]["modulus"]
    for way in bench_fv.WAYS:
        for table in kernels.available_tables():
            assert _lab.wide_product_kernel(2783, modulus, way, table) in measured
    for group in ("product", "unprepared"):
        entries = [e for e in report["benchmarks"] if e["group"] == group]
        assert len(entries) == 2 * len(measured)


def test_entries_say_what_they_are(report: dict[str, Any]) -> None:
    check_layout(report)
    for entry in report["benchmarks"]:
        assert entry["components"] == 1 and entry["operand_bytes"] > 0
    by_count = {
        e["encryptions"]: e["operand_bytes"]
        for e in report["benchmarks"]
        if e["group"] == "algorithm1"
    }
    degree, words = 2420, 2
    for count, size in by_count.items():
        assert size == degree * (8 * words + count * (1 + 4))


def test_modulus_is_the_largest_prime_of_its_width(report: dict[str, Any]) -> None:
    modulus = int(report["context"]["modulus"])
    assert modulus.bit_length() == 125
    assert pow(2, modulus - 1, modulus) == 1
    assert all(pow(2, n - 1, n) != 1 for n in range(modulus + 2, 2**125, 2))


def test_quoted_figures_are_the_papers(output: tuple[str, Path], report: dict[str, Any]) -> None:
    times = {(q["implementation"], q["encryptions"]): q["time"] for q in report["quoted"]}
    assert times["the paper's co-design", 1] == 1935.0
    assert times["the paper's co-design", 4] == 2525.0
    assert times["the paper's software (NFLlib)", 4] == 10814.0
    text = output[0]
    assert "“1,935”" in text and "“2,525”" in text and "“10,814”" in text
    assert "ONE component" in text
    assert fv_quoted.PAPER.split(",")[0] in text


def test_reports_of_hardware_are_shown(output: tuple[str, Path], report: dict[str, Any]) -> None:
    text = output[0]
    assert "faithful: poly_mul x 4" in text
    for figure in ("145,801", "165,432", "1,234", "2,345", "84 %", "“80”", "77", "145,800"):
        assert figure in text, figure
    assert report["hardware"]["tops"][0]["runs"][0]["products"] == 19_683
    assert report["study"]["rows"][0]["pre"] == 3
    assert report["synthesis"]["blocks"][0]["dsp"] == 77
    assert "7,531" in text and "does not fit: DP16KD 480 of 208" in text


def test_the_slowest_block_sets_a_second_clock(reports: dict[str, Path]) -> None:
    hardware, place = (json.loads(reports[name].read_text()) for name in ("hardware", "place"))
    rows = [list(cells) for cells, _ in fv_report.clock_sheet(hardware, place).rows]
    # 165,432 cycles and 123 us of software; the ideal link takes 741 us, the shared one 3,000 us.
    assert rows == [
        ["the paper's", "250.0", "4", "662", "864", "3,123"],
        ["at most, by faithful: poly_mul x 4", "62.5", "4", "2,647", "2,770", "3,123"],
    ]
    unplaced = {"placed": place["placed"][2:]}
    assert len(fv_report.clock_sheet(hardware, unplaced).rows) == 1


def test_what_is_missing_is_said() -> None:
    folderless = run(*TINY, "--no-json", "--no-png")
    for option in ("--hardware", "--synth", "--study", "--place"):
        assert f"no report was given ({option})" in folderless


@pytest.mark.parametrize("picture", ["", "-split"])
def test_picture_is_written(output: tuple[str, Path], picture: str) -> None:
    check_png(output[1] / f"ringlet-bench-fv{picture}.png")


def test_host_and_card_share_the_time(reports: dict[str, Path]) -> None:
    hardware, study = (json.loads(reports[name].read_text()) for name in ("hardware", "study"))
    assert split_picture.encryption_bars(hardware) == [("n = 4", 100.0, 1234.0 - 123.0, 23.0)]
    # Splits without measured times, and those that change both numbers, are left out.
    assert split_picture.recursion_bars(study) == [("3 before, 6 after", 88.0, 741.0, 156.0)]
    # One degree is nothing to compare.
    assert split_picture.degree_bars(study) == []
    assert len(split_picture.draw_split(hardware, study, "").axes) == 2
    study["rows"][0] |= {"ideal_us": 742.0, "software_pre_us": 90.0, "software_post_us": 230.0}
    bars = [("640", 7.0, 82.0, 19.0), ("2,560", 90.0, 742.0, 230.0)]
    assert split_picture.degree_bars(study) == bars
    assert len(split_picture.draw_split(hardware, study, "").axes) == 3
    assert len(split_picture.draw_split(hardware, None, "").axes) == 1


@pytest.mark.parametrize("counts", [(4,), (1, 4), (1, 2, 3), (1, 2, 3, 4)])
def test_every_panel_of_the_picture_shows_a_count(counts: tuple[int, ...]) -> None:
    cells = {n: bench_fv.Cell(job=None, count=n, times_us=[10.0 * n]) for n in counts}
    row = bench_fv.Row("product", "ntt/scalar64", "", cells)
    results = bench_fv.Results(bench_fv.RINGS["2420"], 97, [row], clock_hz=[3e9], rounds=1)
    panels = fv_picture.draw(results).axes
    titles = [axes.get_title("left") for axes in panels if axes.get_visible()]
    assert [int(title.split()[0]) for title in titles] == list(counts)


def test_a_selection_is_a_ceiling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "selected_kernels", lambda: "scalar64")
    assert kernels.available_tables() == ["scalar64"]
    monkeypatch.setattr(kernels, "selected_kernels", lambda: "")
    available = {kernel.table for kernel in _lab.kernel_catalog() if kernel.available}
    assert set(kernels.available_tables()) == available


@pytest.mark.parametrize("content", ["no json", "[]", '{"rows": []}', '{"tops": 3}', "\xff"])
def test_reports_that_are_none_are_refused(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, content: str
) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(content.encode("latin-1"))
    assert str(path) in refused(capfd, "bench", "fv", "--hardware", str(path))
