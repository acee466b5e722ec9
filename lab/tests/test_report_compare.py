# SPDX-License-Identifier: Apache-2.0
"""Reports that are read back, exported and compared: made-up figures, of which the results are
known."""

from __future__ import annotations

import copy
import dataclasses
import functools
import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from ringlet.errors import InvalidArgument

from ringlet_lab.report import reading
from ringlet_lab.report.compare import Comparison, Entry, compare, is_speed, print_comparison
from ringlet_lab.report.export import chart_json
from ringlet_lab.report.model import Axis, Chart, Point, Report, Section, Series, to_json
from ringlet_lab.report.points import rate_point, ratio_point, spread_of, time_point
from ringlet_lab.report.reading import from_json, read_report

MACHINE = {"processor": "P", "clock": "3.00 GHz, measured"}
BUILD = {"version": "0.1.0", "compiler": "c 1", "commit": "abc"}


def chart(
    points: tuple[Point, ...],
    unit: str = "ns",
    lower: bool | None = True,
    name: str = "one",
    origin: Any = "measured",
) -> Chart:
    kind: Any = "bars" if isinstance(points[0].x, str) else "lines"
    axes = Axis("x"), Axis("y", unit)
    series = (Series("kernel", points, origin),)
    return Chart(name, f"title of {name}", "caption", kind, *axes, series, lower)


def report(*charts: Chart, **more: Any) -> Report:
    facts = {"created": "2026-01-02T03:04:05+00:00", "machine": MACHINE, "build": BUILD, **more}
    settings = more.pop("settings", {"quick": True, "sections": ["ntt", "sizes"]})
    facts.pop("settings", None)
    measured = {"degrees": [1024, 2048], "seed": 7}
    sections = (Section("s", "Section", "summary", charts, ("missing thing",), measured),)
    return Report(settings=settings, seconds=1.5, sections=sections, **facts)


def only(old: Point, new: Point, unit: str = "ns", lower: bool | None = True) -> Entry:
    found = compare(report(chart((old,), unit, lower)), report(chart((new,), unit, lower)))
    assert len(found.entries) == 1
    return found.entries[0]


def test_points_are_of_minima_and_medians() -> None:
    assert spread_of([2.0, 3.0, 4.0]) == pytest.approx(0.5)
    assert time_point(8, [4.0, 2.0, 3.0], 10.0) == Point(8, 20.0, 30.0, 0.5)
    assert rate_point("a", [2.0, 4.0, 8.0], 16.0) == Point("a", 8.0, 4.0, 1.0)
    ratio = ratio_point(1, [10.0, 11.0, 12.0], [2.0, 4.0, 5.0])
    assert (ratio.y, ratio.median) == (5.0, 2.75)
    assert ratio.spread == pytest.approx(1.0)  # the larger of 0.1 and 1


@pytest.mark.parametrize(
    ("old", "new", "unit", "lower", "verdict", "is_better"),
    [
        (10.0, 10.7, "ns", True, "within the noise", None),
        (10.0, 9.3, "ns", True, "within the noise", None),
        (10.0, 9.25, "ns", True, "faster", True),
        (10.0, 10.9, "ns", True, "slower", False),
        (10.0, 9.1, "µs", True, "faster", True),
        (10.0, 9.1, "GB/s", False, "slower", False),
        (2.0, 3.0, "×", False, "faster", True),
        (100.0, 50.0, "KiB", True, "better", True),
        (100.0, 102.0, "KiB", True, "worse", False),
        (100.0, 100.5, "KiB", True, "within the noise", None),
        (20.0, 10.0, "bits", False, "worse", False),
        (20.0, 10.0, "bits", None, "different", None),
        (0.0, 0.0, "bits", False, "within the noise", None),
        (0.0, 3.0, "bits", False, "better", True),
        (-1.0, 3.0, "bits", False, "better", True),
    ],
)
def test_verdicts(
    old: float, new: float, unit: str, lower: bool | None, verdict: str, is_better: bool | None
) -> None:
    entry = only(Point(1.0, old), Point(1.0, new), unit, lower)
    assert (entry.verdict, entry.is_better) == (verdict, is_better)
    assert (entry.old, entry.new, entry.unit) == (old, new, unit)
    assert entry.ratio == (pytest.approx(new / old) if old > 0 else None)


def test_the_spread_of_either_report_is_noise() -> None:
    quiet, loud = Point(1.0, 10.0, 10.1, 0.01), Point(1.0, 13.0, 17.0, 0.31)
    assert only(quiet, loud).verdict == "within the noise"
    assert only(dataclasses.replace(loud, y=10.0), dataclasses.replace(quiet, y=13.0)).noise == 0.31
    assert only(quiet, dataclasses.replace(loud, y=13.2)).verdict == "slower"
    assert only(quiet, dataclasses.replace(quiet, y=10.9)).noise == 0.08
    # However noisy the rounds are, a factor of ten is not noise.
    assert only(Point(1.0, 10.0, 25.0, 1.5), Point(1.0, 1.0)).verdict == "faster"


def test_points_without_partners_are_counted_and_quotes_left_out() -> None:
    old = report(
        chart((Point(1.0, 1.0), Point(2.0, 1.0))),
        chart((Point(1.0, 1.0),), name="gone"),
        chart((Point(1.0, 1.0),), unit="ns", name="unit"),
        chart((Point(1.0, 1.0),), name="paper", origin="quoted"),
    )
    new = report(
        chart((Point(2, 1.0), Point(3, 1.0))),
        chart((Point(1.0, 1.0),), unit="µs", name="unit"),
        chart((Point(1.0, 2.0),), name="paper", origin="quoted"),
    )
    found = compare(old, new)
    assert [(e.chart, e.series, e.x) for e in found.entries] == [("one", "kernel", 2)]
    # Only the old report has x = 1, "gone", and "unit" in its unit.
    assert (found.only_old, found.only_new) == (3, 2)
    one = (Point(1.0, 1.0),)
    turned = compare(report(chart(one)), report(chart(one, lower=False)))
    assert (turned.entries, turned.only_old, turned.only_new) == ((), 1, 1)


def test_the_corner_of_a_roof_is_no_lost_point() -> None:
    old = report(chart((Point(1.0, 1.0), Point(2.5, 2.0)), origin="bound"))
    new = report(chart((Point(1.0, 1.0), Point(2.6, 2.0)), origin="bound"))
    found = compare(old, new)
    assert (len(found.entries), found.only_old, found.only_new) == (1, 0, 0)


def test_what_else_differs_is_said() -> None:
    point = chart((Point(1.0, 1.0),))
    new = report(
        point,
        machine={**MACHINE, "processor": "Q", "clock": "3.50 GHz, measured"},
        build={**BUILD, "commit": "def", "kernels": "RINGLET_FORCE_KERNELS=avx2"},
        settings={"quick": False},
    )
    texts = compare(report(point), new).differences
    assert texts == (
        "Other processor: P in the old report, Q now.",
        "Other commit: abc in the old report, def now.",
        "Other kernels: not stated in the old report, RINGLET_FORCE_KERNELS=avx2 now.",
        "Other clock: 3 GHz in the old report, 3.5 GHz now.",
        "The old report is a quick one, the new one is full.",
    )
    near = report(point, machine={**MACHINE, "clock": "3.05 GHz, measured"})
    assert compare(report(point), near).differences == ()


def test_sections_that_measured_something_else_are_said() -> None:
    def measured(**settings: Any) -> Report:
        whole = report(chart((Point(1.0, 1.0),)))
        section = dataclasses.replace(whole.sections[0], settings=settings)
        return dataclasses.replace(whole, sections=(section,))

    old, new = measured(degrees=[1024, 2048], seed=1, rounds=5), measured(degrees=[1024], seed=2,
                                                                          rounds=5)  # fmt: skip
    assert compare(old, old).differences == ()
    assert compare(old, new).differences == (
        "Section, measured otherwise: degrees 1024, 2048; seed 1 in the old report, degrees 1024; "
        "seed 2 now.",
    )


def test_a_report_from_others_sends_the_terminal_no_commands() -> None:
    escape = "\x1b]0;title\x07" + "long " * 200
    point = chart((Point(1.0, 1.0),))
    named = dataclasses.replace(point, title=escape, series=(Series(escape, (Point(1.0, 9.0),)),))
    faster = dataclasses.replace(named, series=(Series(escape, (Point(1.0, 1.0),)),))
    old = report(named, created=escape, machine={**MACHINE, "processor": escape})
    stream = io.StringIO()
    print_comparison(Console(file=stream, width=120), compare(old, report(faster)))
    text = stream.getvalue()
    assert "0.11" in text and "Other processor" in text
    assert "\x1b" not in text and "\x07" not in text and len(text) < 3000


def test_the_console_shows_the_largest_differences_first() -> None:
    old = report(chart(tuple(Point(float(x), 100.0) for x in range(1, 5))))
    values = (101.0, 130.0, 40.0, 90.0)
    new = report(chart(tuple(Point(float(x), y) for x, y in enumerate(values, 1))))
    found = compare(old, new)
    assert found.counts == {"within the noise": 1, "slower": 1, "faster": 2}
    assert [entry.x for entry in found.outside_noise] == [3, 2, 4]
    stream = io.StringIO()
    print_comparison(Console(file=stream, width=120), found, rows=2)
    text = stream.getvalue()
    assert "4 points in both" in text and "0.40" in text and "and 1 more" in text
    assert text.index("0.40") < text.index("1.30")
    stream = io.StringIO()
    print_comparison(Console(file=stream, width=120), Comparison("a", ()))
    assert "no point in common" in stream.getvalue()


def test_units_of_speed() -> None:
    assert all(map(is_speed, ("ns", "µs", "ms", "s", "ns per element", "GB/s", "G/s", "×")))
    assert not any(map(is_speed, ("KiB", "bits", "", "slots")))


def a_report() -> Report:
    """Every kind of value that a report may hold."""
    lines = chart((Point(1024, 1.5, 1.6, 0.07), Point(2048.0, 3.0)), name="lines")
    bars = chart((Point("add", 2.5), Point("ümlaut <&>", 1e-9)), "KiB", None, "bars.2_x-y")
    settings = {"quick": True, "list": [1, "a", 2.5], "none": None}
    return report(lines, bars, settings=settings)


def test_a_report_is_read_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(to_json(a_report())))
    assert read_report(path) == a_report()
    assert json.dumps(to_json(read_report(path))) == path.read_text()


def changed(path: str, value: Any) -> Any:
    """A report's JSON with one part replaced; a number in the path counts in a list."""
    content = copy.deepcopy(json.loads(json.dumps(to_json(a_report()))))
    *folders, last = [int(part) if part.isdecimal() else part for part in path.split("/")]
    where = content
    for part in folders:
        where = where[part]
    if value is ...:
        del where[last]
    else:
        where[last] = value
    return content


CHART = "sections/0/charts/0"


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("format", ..., "format None"),
        ("format", "ringlet-report/2", "newer Ringlet"),
        ("format", "ringlet-report/999999999999", "format"),
        ("format", "ringlet-report/0", "measure again"),
        ("format", 1, "format 1"),
        ("created", ..., "missing: created"),
        ("created", 7, "created: 7"),
        ("machine", {"processor": 3}, "machine.processor"),
        ("machine", [], "machine"),
        ("build", {"commit": "x" * 30_000}, "20000 characters"),
        ("settings", {"a": {"deep": 1}}, "settings.a"),
        ("settings", {"a": [float("inf")]}, "inf"),
        ("settings", {"a": functools.reduce(lambda inner, _: [inner], range(700), 1)}, "a number"),
        ("settings", {"\x1b[31m" * 100: {}}, "x1b[31m"),
        ("machine", {"\x1b[31m" * 100: 3}, "x1b[31m"),
        ("machine", {"processor": "half of a sign: \ud800"}, "UTF-8"),
        ("seconds", float("nan"), "nan"),
        ("seconds", True, "a number"),
        ("seconds", 10**400, "1e+100"),
        ("seconds", 1e-300, "1e-100"),
        ("sections", {}, "sections"),
        ("sections", [1] * 6000, "at most 5000"),
        ("sections/0", None, "sections[0]"),
        ("sections/0/id", "a b", "letters"),
        ("sections/0/missing", ["x", 1], "missing[1]"),
        ("sections/0/settings", ..., "missing: settings"),
        ("sections/0/settings", {"degrees": {}}, "settings.degrees"),
        (f"{CHART}/id", "<script>", "letters"),
        (f"{CHART}/id", "bars.2_x-y", "occurs again"),
        (f"{CHART}/kind", "pie", "lines, bars"),
        (f"{CHART}/kind", ["lines"], "lines, bars"),
        (f"{CHART}/kind", "bars", "a name on a chart of bars"),
        (f"{CHART}/is_lower_better", 1, "true, false or null"),
        (f"{CHART}/x", "N", "label, unit, scale"),
        (f"{CHART}/y/scale", "log3", "linear, log2, log10"),
        (f"{CHART}/series/0/origin", "guess", "measured"),
        (f"{CHART}/series/0/points", [{"x": 1}], "missing: y"),
        (f"{CHART}/series/0/points", [{"x": 1, "y": 1}] * 5_001, "at most 5000"),
        (f"{CHART}/series/0/points/0/y", "1", "a number"),
        (f"{CHART}/series/0/points/0/y", float("inf"), "1e+100"),
        (f"{CHART}/series/0/points/0/spread", -1e200, "1e+100"),
        (f"{CHART}/series/0/points/0/median", "x", "a number"),
        (f"{CHART}/series/0/points/0/x", "text", "a number on a chart of lines"),
    ],
)
def test_what_is_no_report_is_refused(path: str, value: Any, said: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        from_json(changed(path, value), "old.json")
    text = str(refused.value)
    assert text.startswith("ringlet report: old.json") and said in text
    assert len(text) < 400 and text.isprintable()


def test_a_report_has_so_many_charts_and_points() -> None:
    """Drawing takes time for each of them."""
    one = to_json(report(chart((Point(1, 1.0),) * 26)))["sections"][0]["charts"][0]
    for count, said in ((201, "201 charts"), (200, "5200 points")):
        charts = [{**one, "id": f"c{number}"} for number in range(count)]
        with pytest.raises(InvalidArgument, match=said):
            from_json(json.loads(json.dumps(changed("sections/0/charts", charts))))


def test_logarithmic_axes_take_no_zero() -> None:
    content = changed(f"{CHART}/y/scale", "log10")
    content["sections"][0]["charts"][0]["series"][0]["points"][0]["y"] = 0
    with pytest.raises(InvalidArgument, match="above 0"):
        from_json(content)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<html></html>",
        b"\xff\xfe",
        b"[]",
        b"null",
        b'{"format": "ringlet-report/1", "seconds": NaN}',
        b'{"format": "ringlet-report/1", "seconds": 1e999}',
        b"[" * 200_000,
        b'{"seconds": ' + b"9" * 5000 + b"}",
    ],
)
def test_hostile_files_are_refused(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "hostile.json"
    path.write_bytes(data)
    with pytest.raises(InvalidArgument, match="hostile.json"):
        read_report(path)


def test_large_files_are_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_BYTES", 1000)
    path = tmp_path / "large.json"
    path.write_bytes(b" " * 1001)
    with pytest.raises(InvalidArgument, match="large.json"):
        read_report(path)
    with pytest.raises(FileNotFoundError):
        read_report(tmp_path / "none.json")


def test_times_are_exported_in_the_layout_of_google_benchmark() -> None:
    made = report(
        chart((Point(1024, 1.5, 1.75, 0.1),), "µs"), chart((Point("add", 3.0),), "KiB", name="size")
    )
    exported = chart_json(made, made.sections[0].charts[0])
    assert exported["context"]["date"] == made.created
    assert exported["context"]["processor"] == "P" and exported["context"]["commit"] == "abc"
    (entry,) = exported["benchmarks"]
    assert entry["name"] == "one/kernel/1024" and entry["time_unit"] == "us"
    assert (entry["min"], entry["median"], entry["real_time"]) == (1.5, 1.75, 1.75)
    sizes = chart_json(made, made.sections[0].charts[1])
    assert "benchmarks" not in sizes and sizes["chart"]["y"]["unit"] == "KiB"
    assert list(sizes["series"][0]["points"]) == [dataclasses.asdict(Point("add", 3.0))]
    json.dumps([exported, sizes], allow_nan=False)
