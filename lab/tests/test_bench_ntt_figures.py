# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench ntt --figures`: structure, gaps and formulas; no test depends on a time."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import ringlet
from bench_command import check_layout, check_png, newest_build, run, run_once
from matplotlib.figure import Figure
from rich.console import Console

from ringlet_lab import _lab
from ringlet_lab.bench.ntt import goals, pictures, tables, variants
from ringlet_lab.bench.ntt import mix as bench_ntt_mix
from ringlet_lab.bench.ntt import programs as bench_ntt_programs
from ringlet_lab.bench.ntt import report as bench_ntt_report
from ringlet_lab.bench.ntt import study as bench_ntt_study
from ringlet_lab.bench.ntt.programs import Build, Counts, ProgramRow
from ringlet_lab.bench.ntt.study import Plan, Prediction, Study
from ringlet_lab.bench.ntt.variants import Gap, Panel, Results, Row, Variant
from ringlet_lab.bench.output import Sheet, markdown_page, number

DEGREES = (256, 512)
TINY = ["bench", "ntt", "--figures", "--degrees", "256,512", "--rounds", "2"]
SCALAR = variants.PANELS[0]
RADIX2, RADIX4 = Variant("scalar64/radix2"), Variant("scalar64/radix4")


@pytest.fixture(scope="module")
def programs() -> Build:
    names = (bench_ntt_programs.TIMING, bench_ntt_programs.COUNTING)
    folder = newest_build("RINGLET_BENCH", *names)
    if folder is None:
        pytest.skip("no build with RINGLET_BUILD_BENCH=ON has made the programs")
    return Build("clang", folder)


output, report = run_once("ringlet-bench-ntt-figures", *TINY)


def row(variant: Variant, degree: int, *times_us: float, direction: str = "forward") -> Row:
    return Row(variant, direction, degree, times_us=list(times_us))


def results_of(*rows: Row, clock_hz: float = 2e9) -> Results:
    return Results(list(rows), 48, "made up", clock_hz=[clock_hz], rounds=2)


def study_of(*rows: Row) -> Study:
    return Study(results_of(*rows), 256)


def text_of(figure: Figure) -> str:
    return "\n".join(text.get_text() for axes in figure.axes for text in axes.texts)


def table_text(*sheets: Sheet) -> str:
    console = Console(width=200, highlight=False)
    with console.capture() as capture:
        for sheet in sheets:
            sheet.show(console)
    return capture.get()


def test_every_variant_is_measured(report: dict[str, Any]) -> None:
    names = {entry["name"] for entry in report["benchmarks"]}
    expected = set()
    for degree in DEGREES:
        modulus = variants.prime(48, degree)
        for kernel, form in _lab.ntt_variants(degree, modulus):
            if kernel.split("/")[0] in ("scalar64", "ifma52"):
                for direction in ("forward", "inverse"):
                    expected.add(f"ntt_{direction}/{kernel}/{form}/n={degree}/q=48")
    assert names == expected
    for algorithm in ("radix2", "radix4", "radix4x4", "radix4-reverse"):
        assert f"ntt_inverse/scalar64/{algorithm}/ordered/n=256/q=48" in names
    if any(k.table == "ifma52" and k.available for k in _lab.kernel_catalog()):
        for path in ("radix2/ordered", "radix4/ordered", "r4r2/ordered", "r4r2/unordered",
                     "radix16/ordered", "lazy/ordered"):  # fmt: skip
            assert f"ntt_forward/ifma52/{path}/n=512/q=48" in names


def test_entries_have_the_layout_of_google_benchmark(report: dict[str, Any]) -> None:
    check_layout(report)
    speedups = {}
    for entry in report["benchmarks"]:
        assert entry["figure"] == 8 and entry["table_bytes"] > 0 and entry["iterations"] == 2
        speedups[entry["name"]] = (entry["speedup"], entry["min"])
    base = speedups["ntt_forward/scalar64/radix2/ordered/n=256/q=48"]
    mine = speedups["ntt_forward/scalar64/radix4/ordered/n=256/q=48"]
    assert base[0] == 1 and mine[0] == pytest.approx(base[1] / mine[1])


def test_the_run_says_where_and_how(report: dict[str, Any]) -> None:
    context = report["context"]
    assert "interleaved" in context["method"]
    assert {"load_before", "load_after", "compilers", "counted"} <= context.keys()
    assert "extended Harvey butterfly" in context["paper"]


def test_what_is_missing_is_named(output: tuple[str, Path], report: dict[str, Any]) -> None:
    figures = {gap["figure"] for gap in report["gaps"]}
    assert {7, 9, 10, 11} <= figures
    lines = " ".join(output[0].split())
    for figure in sorted(figures):
        assert f"missing: Figure {figure}, " in lines
    for gap in report["gaps"]:
        assert gap["reason"] and gap["remedy"]
    assert "predict_cycles.py" in lines and "HEXL" in lines


def test_tables_for_the_documentation(output: tuple[str, Path], report: dict[str, Any]) -> None:
    text = (output[1] / "ringlet-bench-ntt-figures.md").read_text()
    assert report["context"]["date"][:10] in text and report["context"]["cpu_model"] in text
    name = "ntt_inverse/scalar64/radix4/ordered/n=512/q=48"
    entry = next(e for e in report["benchmarks"] if e["name"] == name)
    lines = text[text.index("Figure 8, scalar, inverse") :].splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("| scalar64/radix4 |"))
    shown = [line.split("|")[-2].strip() for line in lines[first : first + 3]]
    times = [number(entry[key]) for key in ("min", "median")]
    assert shown == [f"{entry['speedup']:.2f}", *times]
    assert "missing: Figure 10" in text


def test_a_picture_for_each_figure(output: tuple[str, Path]) -> None:
    for figure in range(7, 12):
        check_png(output[1] / f"ringlet-bench-ntt-figure{figure}.png")


def test_missing_panels_say_so() -> None:
    study = study_of(row(RADIX2, 256, 2.0), row(RADIX4, 256, 1.0))
    study.figure8.gaps.append(Gap(8, "the vector panel", "no IFMA here", "take another"))
    study.gaps += bench_ntt_study._missing_builds([]) + bench_ntt_study._missing_predictions([])
    assert "no IFMA here" in text_of(pictures.draw_figure8(study))
    assert "predictions" in text_of(pictures.draw_figure7(study))
    assert "no programs of clang and gcc" in text_of(pictures.draw_figure9(study))
    assert "llvm-mca" not in text_of(pictures.draw_figure10(study))
    assert text_of(pictures.draw_figure10(study)).count("no programs of clang") == 4
    assert "no programs of clang" in text_of(pictures.draw_figure11(study))


def test_a_machine_without_the_instructions(monkeypatch: pytest.MonkeyPatch) -> None:
    gaps = variants.missing_panels([Panel("future", "no_such_table")])
    assert [gap.figure for gap in gaps] == [8, 8]
    assert "no_such_table" in gaps[0].reason
    monkeypatch.setattr(bench_ntt_programs.shutil, "which", lambda name: None)
    assert "objdump" in bench_ntt_programs.step_problem()
    assert "Valgrind" in bench_ntt_programs.cachegrind_problem()
    study = study_of(row(RADIX2, 256, 2.0))
    steps = bench_ntt_study._Steps(study)
    builds = [Build("gcc", Path("nowhere"))]
    bench_ntt_study._add_mixes(steps, builds, ["forward"])
    bench_ntt_study._add_cachegrind(steps, builds, ["forward"], Path("."))
    assert not steps.pieces
    assert {gap.figure for gap in study.gaps} == {9, 11}
    assert {gap.remedy for gap in study.gaps} == {
        "install the package binutils", "install the package valgrind",
    }  # fmt: skip


def test_a_program_that_fails_is_a_gap(tmp_path: Path) -> None:
    for name in (bench_ntt_programs.TIMING, bench_ntt_programs.COUNTING):
        program = tmp_path / name
        program.write_text("#!/bin/sh\necho broken >&2\nexit 3\n")
        program.chmod(0o755)
    study = study_of(row(RADIX2, 256, 2.0))
    steps = bench_ntt_study._Steps(study)
    builds = [Build("clang", tmp_path), Build("gcc", tmp_path)]
    bench_ntt_study._add_times(steps, builds, [256], 1, 0.001)
    steps.run(Console(quiet=True))
    assert [gap.figure for gap in study.gaps] == [10]
    assert "status 3: broken" in study.gaps[0].reason


def test_speedups_are_of_least_times() -> None:
    results = results_of(row(RADIX2, 256, 6.0, 4.0), row(RADIX4, 256, 2.0, 9.0))
    assert results.speedup(SCALAR, RADIX4, "forward", 256) == 2
    assert results.speedup(SCALAR, RADIX4, "inverse", 256) is None
    assert results.variants(SCALAR)[0] == RADIX2
    text = table_text(tables.speedup_sheet(results, SCALAR, "forward"))
    assert [line.split() for line in text.splitlines() if "radix4" in line] == [
        ["scalar64/radix4", "x", "2.00"]
    ]


def test_goals_are_judged_by_the_worst_length() -> None:
    base, mine = Variant("ifma52/radix2"), Variant("ifma52/r4r2")
    results = results_of(
        row(base, 1024, 1.2),
        row(mine, 1024, 1.0),
        row(base, 4096, 5.0),
        row(mine, 4096, 4.8),
        row(base, 32768, 9.0),
        row(mine, 32768, 10.0),
        # 79872 cycles of multiplications at 2 GHz take 39.936 us.
        row(RADIX4, 4096, 40.0),
    )
    found = {(j.goal.variant, j.degree): j for j in goals.judgements(results)}
    assert found[mine, 1024].met and found[mine, 1024].value == pytest.approx(1.2)
    assert not found[mine, 4096].met
    assert (mine, 32768) not in found  # the claim ends at 16384
    assert goals.multiplication_cycles(4096) == pytest.approx(79872)
    assert found[RADIX4, 4096].met
    assert found[RADIX4, 4096].value == pytest.approx(40.0 / 39.936)
    lines = table_text(goals.goal_sheet(results)).splitlines()
    forward = next(line for line in lines if "r4r2" in line and "forward" in line)
    assert "4096" in forward and "missed" in forward
    inverse = next(line for line in lines if "r4r2" in line and "inverse" in line)
    assert "not measured" in inverse


@pytest.mark.parametrize(
    ("operation", "operands", "group"),
    [
        ("vpmadd52luq", "%zmm1,%zmm2,%zmm3", "multiply low"),
        ("vpmadd52huq", "(%rax){1to8},%zmm2,%zmm3", "multiply high"),
        ("imul", "%rdx,%rax", "multiply low"),
        ("mulx", "%rcx,%rax,%rdx", "multiply high"),
        ("mul", "%rcx", "multiply high"),
        ("mulq", "(%rcx)", "multiply high"),
        ("vpaddq", "%zmm1,%zmm2,%zmm3", "add, subtract"),
        ("sub", "%rcx,%rax", "add, subtract"),
        ("lea", "(%rax,%rcx,1),%rdx", "add, subtract"),
        ("vpminuq", "%zmm1,%zmm2,%zmm3", "min"),
        ("cmovb", "%rax,%rcx", "min"),
        ("vpandq", "%zmm1,%zmm2,%zmm3", "logic"),
        ("vpxor", "%xmm1,%xmm1,%xmm1", "logic"),
        ("vpsrlq", "$0x34,%zmm1,%zmm2", "logic"),
        ("shl", "$0x3,%rax", "logic"),
        ("cmp", "%rax,%rcx", "logic"),
        ("test", "%rax,%rax", "logic"),
        ("vpermt2q", "%zmm1,%zmm2,%zmm3", "permute"),
        ("vshufi64x2", "$0x88,%zmm1,%zmm2,%zmm3", "permute"),
        ("vpunpcklqdq", "%zmm1,%zmm2,%zmm3", "permute"),
        ("vpblendmq", "%zmm1,%zmm2,%zmm3{%k1}", "permute"),
        ("vmovdqa64", "%zmm1,%zmm2{%k1}", "permute"),
        ("vmovdqu64", "(%rax),%zmm2", "memory"),
        ("vpbroadcastq", "0x8(%rax),%zmm2", "memory"),
        ("vpmovsxbq", "0x10(%rip),%zmm2", "memory"),
        ("mov", "%rax,0x10(%rdi)", "memory"),
        ("push", "%rbx", "memory"),
        ("mov", "%rax,%rdi", "other"),
        ("jne", "1234 <f+0x10>", "branch"),
        ("ret", "", "branch"),
        ("nop", "", "other"),
    ],
)
def test_groups_of_instructions(operation: str, operands: str, group: str) -> None:
    assert bench_ntt_mix.group_of(operation, operands) == group


def test_loads_and_stores_are_counted() -> None:
    mix = bench_ntt_mix.mix_of(
        [
            [4, "vmovdqu64", "(%rax),%zmm2", "f"],
            [2, "vmovdqu64", "%zmm2,0x40(%rax)", "f"],
            [6, "vpaddq", "(%rax),%zmm1,%zmm2", "f"],
            [8, "lea", "(%rax,%rcx,1),%rdx", "f"],
            [10, "add", "%rax,(%rcx)", "f"],
            [2, "cmp", "%rax,(%rcx)", "f"],
        ],
        polynomials=2,
    )
    assert mix.loads == (4 + 6 + 10 + 2) / 2 and mix.stores == (2 + 10) / 2
    assert mix.groups["memory"] == 3 and mix.groups["add, subtract"] == 12
    assert mix.instructions == 16


def test_times_of_programs_are_per_polynomial() -> None:
    entries = [
        {"name": "ntt_forward/ifma52/r4r2/ordered/n=1024/q=48", "min": 1.5, "time_unit": "us"},
        {"name": "ntt_inverse/scalar64/radix4/two/n=1024/q=48", "min": 8.0, "time_unit": "us"},
        {"name": "ntt_forward/ifma52/r4r2/ordered/n=1024/q=48_mean", "time_unit": "us"},
    ]
    rows = bench_ntt_programs.parse_times(json.dumps({"benchmarks": entries}), "gcc")
    assert [(r.variant.path, r.direction, r.degree, r.best) for r in rows] == [
        ("ifma52/r4r2/ordered", "forward", 1024, 1.5),
        ("scalar64/radix4/two", "inverse", 1024, 4.0),
    ]


def test_cachegrind_totals() -> None:
    text = "desc: x\nevents: Ir Dr Dw\nfn=f\n1 2 3 4\nsummary: 20 30 40\n"
    assert bench_ntt_programs.parse_cachegrind(text) == {"Ir": 20, "Dr": 30, "Dw": 40}
    with pytest.raises(ringlet.errors.RuntimeFailure, match="no summary"):
        bench_ntt_programs.parse_cachegrind("events: Ir\n")


def test_compilers_are_compared() -> None:
    study = study_of(row(RADIX2, 256, 2.0), row(RADIX4, 256, 1.0))
    study.times = [
        ProgramRow(compiler, RADIX4, "forward", 256, times_us=times)
        for compiler, times in (("clang", [4.0, 2.0]), ("gcc", [3.0, 5.0]))
    ]
    assert study.slowdown(RADIX4, "forward", 256) == 1.5
    assert study.slowdown(RADIX2, "forward", 256) is None
    for compiler, count in (("clang", 100), ("gcc", 150)):
        mix = bench_ntt_mix.mix_of([[count, "imul", "%rax,%rcx", "f"], [10, "ret", "", "f"]])
        study.counts.append(Counts(compiler, RADIX4, "forward", 256, "stepped", mix))
        events = {name: float(count) for name in bench_ntt_programs.EVENTS}
        study.counts.append(Counts(compiler, RADIX4, "forward", 256, "cachegrind", events=events))
    text = table_text(
        tables.compiler_sheet(study, "forward"),
        tables.explanation_sheet(study, "forward"),
        tables.cachegrind_sheet(study, "forward"),
    )
    assert "1.50" in text and "160 / 110 = 1.45" in text
    assert tables.explanation_sheet(study, "inverse").rows == []
    bars = pictures.draw_figure11(study).axes[0].patches
    assert [bar.get_height() for bar in bars] == [100, 150]
    written = markdown_page(tables.sheets_of(study), tables.lines_of(study))
    assert "| scalar64/radix4 | 1.50 |" in written and "160 / 110 = 1.45 |" in written
    assert "| scalar64/radix4 | gcc | 150 |" in written
    slowdowns = [e["slowdown"] for e in bench_ntt_report.to_json(study)["benchmarks"][-2:]]
    assert slowdowns == [1.5, 1.5]


def test_predictions_are_marked(tmp_path: Path) -> None:
    path = tmp_path / "predictions.json"
    entry = {"kernel": "scalar64/radix2", "direction": "forward", "degree": 256, "cycles": 7000,
             "compiler": "clang"}  # fmt: skip
    targets = {"z14": "s390x", "znver4": "x86_64"}
    entries = [{**entry, "processor": name} for name in targets]
    loops = [{"processor": name, "target": target} for name, target in targets.items()]
    path.write_text(json.dumps({"method": "llvm-mca", "loops": loops, "predictions": entries}))
    study = study_of(row(RADIX2, 256, 2.0))
    study.predictions = bench_ntt_study.read_predictions(path)
    assert study.predictions[0] == Prediction(
        "z14", RADIX2, "forward", 256, 7000, "clang", "s390x", "llvm-mca"
    )
    assert bench_ntt_study._missing_predictions(study.predictions) == []
    assert study.processors("x86_64") == ["znver4"]
    found = study.predicted("znver4", RADIX2, "forward")
    assert found is not None and found.cycles == 7000
    assert study.predicted("znver4", RADIX4, "forward") is None
    assert bench_ntt_study._unpredicted(study) == []
    study.figure8.rows.append(row(RADIX4, 256, 1.0))
    study.gaps = bench_ntt_study._unpredicted(study)
    assert [gap.reason for gap in study.gaps] == ["not predicted: scalar64/radix4"]
    figure = pictures.draw_figure7(study)
    bars = figure.axes[0].patches
    assert [bar.get_hatch() for bar in bars] == ["/////"] and bars[0].get_height() == 7000
    for target in targets.values():
        sheet = tables.prediction_sheet(study, target)
        assert "predicted" in sheet.title and len(sheet.rows) == 1
    beside = pictures.draw_figure9(study).axes[1]
    assert [bar.get_hatch() for bar in beside.patches] == ["/////"]
    assert "not predicted: scalar64/radix4" in beside.get_xlabel()
    path.write_text('{"predictions": [{"kernel": 3}]}')
    with pytest.raises(ringlet.errors.InvalidArgument, match=r"predict_cycles\.py"):
        bench_ntt_study.read_predictions(path)


def test_the_papers_method(tmp_path: Path) -> None:
    run("bench", "ntt", "--figures", "--paper-method", "--degrees", "64", "--no-png",
        "--output", str(tmp_path))  # fmt: skip
    content = json.loads((tmp_path / "ringlet-bench-ntt-figures.json").read_text())
    assert "section 7.2" in content["context"]["method"]
    assert {entry["iterations"] for entry in content["benchmarks"]} == {10}


@pytest.fixture(scope="module")
def stepped(programs: Build) -> Counts:
    if bench_ntt_programs.step_problem():
        pytest.skip(bench_ntt_programs.step_problem())
    return bench_ntt_programs.count_by_stepping(programs, [(RADIX2, "forward")], 64, 48)[0]


def test_programs_are_timed(programs: Build) -> None:
    rows = bench_ntt_programs.time_in_turn([programs], ["scalar64"], 512, 2, 0.001)
    assert {r.variant.kernel for r in rows} >= {"scalar64/radix2", "scalar64/radix4"}
    assert all(len(r.times_us) == 2 and r.best > 0 for r in rows)
    assert "lang" in programs.describe(RADIX2, 64, 48)


def test_instructions_are_counted(stepped: Counts) -> None:
    assert stepped.mix is not None
    # 192 butterflies with one high half and two low ones; the last stage may do its own apart.
    assert 192 <= stepped.mix.groups["multiply high"] <= 1.4 * 192
    assert 2 * 192 <= stepped.mix.groups["multiply low"] <= 1.4 * 2 * 192
    assert stepped.value("stores") >= 64


def test_cachegrind_counts_the_same(programs: Build, stepped: Counts, tmp_path: Path) -> None:
    if shutil.which("valgrind") is None:
        pytest.skip("Valgrind is not installed")
    counted = bench_ntt_programs.count_by_cachegrind(programs, RADIX2, "forward", 64, 48, tmp_path)
    # Stepping counts one call; cachegrind also counts the loop around it.
    assert counted.value("instructions") == pytest.approx(stepped.value("instructions"), rel=0.05)
    assert counted.value("stores") == pytest.approx(stepped.value("stores"), rel=0.1)


def test_a_small_study(programs: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_ntt_programs, "cachegrind_problem", lambda: "not in this test")
    monkeypatch.setattr(bench_ntt_study, "PANELS", [SCALAR])
    figure8 = results_of(row(RADIX2, 64, 2.0))
    plan = Plan([programs], turns=1, seconds=0.001, directions=["forward"], mix_degree=64)
    study = bench_ntt_study.run_study(Console(quiet=True), figure8, plan)
    assert "clang" in study.compilers and not study.times
    assert [gap.figure for gap in study.gaps if "gcc" in gap.reason] == [10, 11]
    assert [gap.figure for gap in study.gaps if "this test" in gap.reason] == [11]
    if not bench_ntt_programs.step_problem():
        mixes = [c.variant.kernel for c in study.counts if c.mix is not None]
        assert {"scalar64/radix2", "scalar64/radix4"} <= set(mixes)
