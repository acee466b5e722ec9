# SPDX-License-Identifier: Apache-2.0
"""`ringlet report`: what its sections measure, against the same computed in another way, and what
the command does where something goes wrong. No test depends on a time."""

from __future__ import annotations

import io
import json
import math
import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import ringlet
from bench_command import refused, run
from report_samples import series_of
from rich.console import Console
from ringlet import bfv, ckks, cli
from typer.testing import CliRunner

from ringlet_lab.report.machine import available_threads, build_facts, load_warning, machine_facts
from ringlet_lab.report.measure import BarSteps, measure_report
from ringlet_lab.report.model import Axis, Chart, Point, Report, Section, Series
from ringlet_lab.report.reading import read_report
from ringlet_lab.report.run import Options, run_report
from ringlet_lab.report.sections import SECTIONS, TITLES, noise, sizes
from ringlet_lab.report.setting import NoSteps, Setting


def quiet() -> Console:
    return Console(file=io.StringIO(), width=120)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run of the command with the two smallest sections, into a folder that is not there."""
    path = tmp_path_factory.mktemp("report") / "not" / "there yet"
    arguments = ["report", "--quick", "--sections", "sizes,noise", "--output", str(path)]
    text = run(*arguments)
    assert "Sizes: 3 charts in" in text and "wrote" in text
    return path


@pytest.fixture(scope="module")
def report(folder: Path) -> Report:
    return read_report(folder / "ringlet-report.json")


def charts_of(report: Report) -> dict[str, Chart]:
    return {chart.id: chart for section in report.sections for chart in section.charts}


def test_the_command_writes_a_page_and_its_data(folder: Path, report: Report) -> None:
    assert sorted(os.listdir(folder)) == ["ringlet-report.html", "ringlet-report.json"]
    # Sections have the order of the report, whatever the order of the option is.
    assert [section.id for section in report.sections] == ["noise", "sizes"]
    assert report.settings["quick"] is True and report.seconds > 0
    assert report.machine["processor"] == ringlet.cpu_info().model
    assert report.machine["threads"] == str(available_threads())
    assert report.build["version"] == ringlet.__version__
    text = (folder / "ringlet-report.html").read_text()
    assert all(chart in text for chart in charts_of(report))


def test_sizes_are_those_of_files(report: Report) -> None:
    found = series_of(charts_of(report)["sizes-ciphertext"])
    keys = series_of(charts_of(report)["sizes-keys"])
    for degree in sizes.QUICK_DEGREES:
        secret = ckks.SecretContext(ckks.Parameters(degree))
        public = secret.public(rotations=[5])
        fresh = secret.encrypt(0.25)
        assert fresh.is_seeded and found["seeded"][degree] * 1024 == len(fresh.to_bytes())
        # A ciphertext of a public key has no seed.
        assert found["raw"][degree] * 1024 == len(public.encrypt(0.25).to_bytes())
        assert keys["seeded"][degree] * 1024 == len(public.to_bytes())
        compressed = len(fresh.to_bytes(compression="zstd"))
        assert found["seeded, compressed"][degree] * 1024 == pytest.approx(compressed, rel=0.01)
        words = 8 * degree * len(secret.parameters.coeff_modulus)
        digits = math.ceil(len(secret.parameters.data_primes) / secret.parameters.digit_size)
        assert keys["in memory"][degree] * 1024 == words * 2 * (1 + 2 * digits)


def test_noise_budgets_are_those_of_a_run_by_hand(report: Report) -> None:
    found = series_of(charts_of(report)["noise-budget"])
    assert list(found["BFV, measured"]) == list(range(noise.QUICK_DEPTH + 1))
    suggested = ringlet.suggest_parameters(
        "bfv", depth=noise.QUICK_DEPTH, plain_bits=noise.PLAIN_BITS, slots=2
    )
    assert isinstance(suggested.parameters, bfv.Parameters)
    secret = bfv.SecretContext(suggested.parameters)
    public = secret.public(rotations=[])
    value = public.bind(secret.encrypt(np.arange(secret.slot_count) - 17))
    for depth in range(noise.QUICK_DEPTH + 1):
        assert found["BFV, measured"][depth] == pytest.approx(secret.noise_budget(value), abs=2)
        value = value * value
    for scheme in ("BFV", "BGV"):
        for depth, measured in found[f"{scheme}, measured"].items():
            # A budget is a whole number of bits, rounded down.
            assert measured >= math.floor(found[f"{scheme}, estimate"][depth])


def test_precision_is_what_a_run_by_hand_has(report: Report) -> None:
    found = series_of(charts_of(report)["noise-precision"])
    suggested = ringlet.suggest_parameters(
        "ckks", depth=noise.QUICK_DEPTH, precision=noise.PRECISION, slots=2
    )
    assert isinstance(suggested.parameters, ckks.Parameters)
    secret = ckks.SecretContext(suggested.parameters)
    public = secret.public(rotations=[])
    clear = np.random.default_rng(3).uniform(-1, 1, secret.slot_count)
    value = public.bind(secret.encrypt(clear))
    for depth in range(noise.QUICK_DEPTH + 1):
        error = np.max(np.abs(secret.decrypt(value) - clear))
        assert found["CKKS, measured"][depth] == pytest.approx(-math.log2(error), abs=2)
        assert found["CKKS, measured"][depth] >= found["CKKS, estimate"][depth]
        if depth < noise.QUICK_DEPTH:
            value, clear = value * value, clear * clear


def test_sections_say_what_they_measured(report: Report) -> None:
    settings = {section.id: section.settings for section in report.sections}
    assert settings["noise"]["seed"] == noise.SEED and settings["noise"]["depth"] == 4
    assert settings["sizes"]["degrees"] == [4096, 8192, 16384]
    assert [section.title for section in report.sections] == [TITLES["noise"], TITLES["sizes"]]


def test_facts_of_the_machine() -> None:
    facts = machine_facts()
    assert list(facts) == ["processor", "instruction sets", "clock", "threads", "memory", "system",
                           "devices"]  # fmt: skip
    assert facts["clock"].endswith("GHz, measured") and all(facts.values())
    assert load_warning("unknown") == load_warning("0.20") == ""
    assert "load 1.70" in load_warning("1.70") and "quiet machine" in load_warning("1.70")
    built = build_facts()
    assert {"version", "compiler", "commit"} <= set(built) and all(built.values())


class Broken(Exception):
    pass


def broken(setting: Setting) -> Section:
    setting.steps.begin("something", 3)
    ringlet.set_thread_count(2)
    raise Broken("it\nbroke")


def whole(setting: Setting) -> Section:
    setting.steps.begin("something", 1)
    setting.steps.advance()
    return Section("whole", "Whole", "all is well")


def test_a_section_that_fails_loses_no_other() -> None:
    before = ringlet.thread_count()
    names = ["after", "broken", "whole", "unknown"]
    sections = {"whole": whole, "broken": broken, "after": whole}
    outcome = measure_report(quiet(), names, Setting(), sections)
    assert [section.title for section in outcome.report.sections] == ["Whole", "broken", "Whole"]
    (missing,) = outcome.report.sections[1].missing
    assert "Broken: it broke" in missing
    assert outcome.failed == {"broken": "Broken: it broke"}
    assert ringlet.thread_count() == before


def test_values_that_are_not_finite_are_missing_and_lose_no_others() -> None:
    def infinite(setting: Setting) -> Section:
        axes = Axis("x"), Axis("y")
        lines = Series("half", (Point(1, 2.0), Point(2, math.inf), Point(3, 1.0, math.nan)))
        gone = Series("gone", (Point(1, -math.inf),))
        charts = (
            Chart("one", "One", "", "lines", *axes, (lines, gone)),
            Chart("two", "Two", "", "lines", *axes, (gone,)),
        )
        return Section("s", "S", "", charts)

    (section,) = measure_report(quiet(), ["s"], Setting(), {"s": infinite}).report.sections
    assert [(s.name, s.points) for s in section.charts[0].series] == [("half", (Point(1, 2.0),))]
    assert len(section.charts) == 1
    assert section.missing == (
        "One, half: 2 of 3 values are not finite.",
        "One, gone: 1 of 1 values are not finite.",
        "Two, gone: 1 of 1 values are not finite.",
    )


@pytest.mark.parametrize("is_imported", [True, False])
def test_what_was_measured_outlives_a_page_that_fails(
    is_imported: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> str:
        raise Broken("no page")

    if is_imported:
        monkeypatch.setattr("ringlet_lab.report.page.render_page", fail)
    else:
        monkeypatch.setitem(sys.modules, "ringlet_lab.report.page", None)
    monkeypatch.setitem(SECTIONS, "sizes", lambda setting: replace(whole(setting), id="sizes"))
    with pytest.raises(Broken if is_imported else ImportError):
        run_report(quiet(), Options(sections=["sizes"], output=tmp_path))
    assert os.listdir(tmp_path) == ["ringlet-report.json"]
    assert read_report(tmp_path / "ringlet-report.json").sections[0].title == "Whole"


def test_the_command_ends_with_1_where_a_section_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SECTIONS, "noise", broken)
    page = tmp_path / "page.html"
    arguments = ["report", "--quick", "--sections", "noise,sizes", "-o", str(page)]
    result = CliRunner().invoke(cli.app, arguments)
    assert result.exit_code == 1, result.output
    written = read_report(tmp_path / "page.json")
    assert "Broken" in written.sections[0].missing[0] and written.sections[1].charts
    assert "Broken: it broke" in page.read_text()


def test_an_interrupted_run_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(setting: Setting) -> Section:
        raise KeyboardInterrupt

    monkeypatch.setitem(SECTIONS, "sizes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_report(quiet(), Options(sections=["sizes"], output=tmp_path))
    assert os.listdir(tmp_path) == []


def test_what_is_refused_is_refused_before_anything_is_measured(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in SECTIONS:
        monkeypatch.setitem(SECTIONS, name, broken)
    hostile = tmp_path / "old.json"
    hostile.write_text("{}")
    out = ["--output", str(tmp_path / "out")]
    assert "'speed'" in refused(capfd, "report", "--sections", "ntt,speed", *out)
    assert "old.json" in refused(capfd, "report", "--against", str(hostile), *out)
    assert "none.json" in refused(capfd, "report", "--show", str(tmp_path / "none.json"), *out)
    same = str(tmp_path / "one.html")
    assert "--json" in refused(capfd, "report", "--json", same, "--output", same)
    assert "--quick" in refused(capfd, "report", "--quick", "--show", str(hostile), *out)
    assert "--device" in refused(capfd, "report", "--device", "gpu:0", "--show", str(hostile), *out)
    for device, section, said in (
        ("gpu:77", "gpu", "gpu:77"),
        ("toaster", "gpu", "toaster"),
        ("cpu", "gpu", "OpenCL or CUDA"),
        ("gpu:0", "sizes", "add gpu"),
    ):
        arguments = ["report", "--device", device, "--sections", section, *out]
        assert said in refused(capfd, *arguments)
    assert os.listdir(tmp_path) == ["old.json"]


def test_an_earlier_report_is_shown_and_compared(folder: Path, tmp_path: Path) -> None:
    earlier = folder / "ringlet-report.json"
    content = json.loads(earlier.read_text())
    chart = next(c for s in content["sections"] for c in s["charts"] if c["id"] == "sizes-keys")
    for point in chart["series"][0]["points"]:
        point["y"] *= 2
    old = tmp_path / "old.json"
    old.write_text(json.dumps(content))
    page = tmp_path / "shown" / "page.html"
    text = run("report", "--show", str(earlier), "--against", str(old), "-o", str(page))
    assert os.listdir(page.parent) == ["page.html"]
    assert f"{len(sizes.QUICK_DEGREES)} better" in text and "0.50" in text


def test_json_goes_to_standard_output(folder: Path, tmp_path: Path) -> None:
    shown = ["report", "--show", str(folder / "ringlet-report.json"), "--sections", "sizes"]
    result = CliRunner().invoke(cli.app, [*shown, "--json", "-", "-o", str(tmp_path)])
    assert result.exit_code == 0, result.output
    start = result.stdout.index("{")
    content, _ = json.JSONDecoder().raw_decode(result.stdout[start:])
    assert [section["id"] for section in content["sections"]] == ["sizes"]
    assert content["settings"]["sections"] == ["sizes"]


def test_a_section_that_an_earlier_report_lacks_is_refused(
    folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    shown = ["report", "--show", str(folder / "ringlet-report.json"), "-o", str(tmp_path / "page")]
    said = refused(capfd, *shown, "--sections", "gpu,sizes")
    assert "section 'gpu'" in said and "limit: noise, sizes" in said
    assert os.listdir(tmp_path) == []


def test_steps_end_with_their_section() -> None:
    from rich.progress import Progress

    with Progress(console=quiet()) as progress:
        steps = BarSteps(progress)
        steps.advance()
        steps.begin("one", 2)
        steps.begin("two")
        assert [task.description for task in progress.tasks] == ["  two"]
        steps.end()
        assert progress.tasks == []
    NoSteps().begin("nothing")
