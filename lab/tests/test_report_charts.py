# SPDX-License-Identifier: Apache-2.0
"""Charts of `ringlet report`: marks, bars, colours, ticks and the texts of numbers, without a
browser."""

from __future__ import annotations

import itertools
import math
import re
from typing import Any

import pytest
from report_samples import nasty_charts
from ringlet.errors import InvalidArgument

from ringlet_lab.report import charts_style, charts_text, charts_ticks
from ringlet_lab.report.charts import draw_chart
from ringlet_lab.report.model import Axis, Chart, Point, Series


@pytest.mark.parametrize(
    ("kind", "point", "said"),
    [
        ("lines", Point(1.0, math.nan), "not finite"),
        ("lines", Point(math.inf, 1.0), "not finite"),
        ("lines", Point(1.0, 2.0, math.inf), "not finite"),
        ("lines", Point("name", 1.0), "x = 'name'"),
        ("bars", Point(1.0, 1.0), "x = 1.0"),
    ],
)
def test_values_that_cannot_be_drawn_are_refused(kind: Any, point: Point, said: str) -> None:
    chart = Chart("c", "C", "", kind, Axis("x"), Axis("y"), (Series("s", (point,)),))
    with pytest.raises(InvalidArgument, match=said):
        draw_chart(chart, charts_style.Palette(), "c")


# Drawings.


def drawn(chart: Chart, variant: str = "desktop") -> str:
    picture = draw_chart(chart, charts_style.Palette(), "c")
    assert picture is not None
    return picture.desktop if variant == "desktop" else picture.phone


def marks(picture: str) -> list[tuple[float, float]]:
    return [
        (float(x), float(y))
        for x, y in re.findall(r'<use x="([-\d.]+)" y="([-\d.]+)"[^>]*class="mark"', picture)
    ]


def test_marks_are_where_the_values_are() -> None:
    """On two logarithmic axes a power is a straight line of evenly spaced marks."""
    points = tuple(Point(2.0**k, 3.0 * 4.0**k) for k in range(8))
    axes = Axis("x", "", "log2"), Axis("y", "", "log10")
    found = marks(drawn(Chart("c", "C", "", "lines", *axes, (Series("s", points),))))
    assert len(found) == 8
    steps = {(round(b[0] - a[0], 1), round(b[1] - a[1], 1)) for a, b in itertools.pairwise(found)}
    assert max(x for x, _ in steps) - min(x for x, _ in steps) <= 0.11
    assert max(y for _, y in steps) - min(y for _, y in steps) <= 0.11
    assert all(x > 0 > y for x, y in steps)


def test_bars_are_as_long_as_their_values() -> None:
    values = (1.0, 2.5, 4.0)
    points = tuple(Point(f"n{v}", v) for v in values)
    chart = Chart("c", "C", "", "bars", Axis("x"), Axis("y"), (Series("s", points),))
    for variant in ("desktop", "phone"):
        paths = re.findall(r'<path d="([^"]+)"[^>]*class="mark"', drawn(chart, variant))
        lengths = []
        for path in paths:
            xs = [float(x) for x in re.findall(r"[ML] ([-\d.]+) ", path)]
            lengths.append(max(xs) - min(xs))
        assert len(lengths) == 3
        assert lengths[1] / lengths[0] == pytest.approx(2.5, abs=0.01)
        assert lengths[2] / lengths[0] == pytest.approx(4.0, abs=0.01)


def test_origins_are_told_apart_without_colour() -> None:
    origins: tuple[Any, ...] = ("measured", "estimate", "bound", "projected", "quoted")
    series = [Series(origin, (Point(1.0, 1.0), Point(2.0, 1.0)), origin) for origin in origins]
    found = charts_style.looks(series, [1, 2, 0, 3, 0])
    shown = {(look.dashes, look.is_hollow, look.has_line, look.marker_size < 4) for look in found}
    assert len(shown) == len(origins)
    assert found[0].dashes == () and found[2].color == found[4].color == 0


def test_an_estimate_has_the_colour_of_what_it_estimates() -> None:
    point = (Point(1.0, 1.0),)
    chart = Chart("c", "C", "", "lines", Axis("x"), Axis("y"), (
        Series("BFV", point), Series("BGV", point), Series("BGV, estimate", point, "estimate"),
        Series("estimate of BFV", point, "estimate"), Series("limit", point, "bound"),
    ))  # fmt: skip
    colors = charts_style.Palette().colors(chart)
    assert colors[1] == colors[2] and colors[4] == 0
    assert colors[0] != colors[1]


def test_a_name_keeps_its_colour_on_the_page() -> None:
    palette = charts_style.Palette()

    def colors(*names: str) -> list[int]:
        series = tuple(Series(name, (Point(1.0, 1.0),)) for name in names)
        return palette.colors(Chart("c", "C", "", "lines", Axis("x"), Axis("y"), series))

    assert colors("a", "b", "c") == [1, 2, 3]
    assert colors("c", "b") == [3, 2]
    assert colors("d", "c")[1] == 3 and colors("d")[0] not in (2, 3)
    assert sorted(colors(*"ghijklmn")) == list(range(1, 9))


# Colours.


def channels(color: str) -> list[float]:
    """Linear red, green and blue of #rrggbb."""
    values = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]


def contrast(one: str, other: str) -> float:
    """The ratio of WCAG 2."""
    weights = (0.2126, 0.7152, 0.0722)
    light = [sum(w * c for w, c in zip(weights, channels(x), strict=True)) for x in (one, other)]
    return (max(light) + 0.05) / (min(light) + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_and_marks_have_contrast(theme: str) -> None:
    colors = charts_style.THEMES[theme]
    for name in ("ink", "muted", "accent", "good", "bad"):
        assert contrast(colors[name], colors["surface"]) >= 4.5, name
    for index in range(9):
        assert contrast(colors[f"s{index}"], colors["surface"]) >= 3.0, index


# How people without red cones and without green cones see: matrices over linear channels (Machado,
# Oliveira, Fernandes, 2009, severity 1).
VISIONS = {
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216),
               (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413),
               (-0.011820, 0.042940, 0.968881)),
    "all colours": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
}  # fmt: skip


def lab(linear: list[float]) -> list[float]:
    """CIE L*a*b* of linear red, green and blue."""
    matrix = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    white = (0.9505, 1.0, 1.089)
    xyz = [sum(m * max(0.0, c) for m, c in zip(row, linear, strict=True)) for row in matrix]
    f = [
        (v / w) ** (1 / 3) if v / w > 0.008856 else 7.787 * v / w + 16 / 116
        for v, w in zip(xyz, white, strict=True)
    ]
    return [116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])]


@pytest.mark.parametrize("vision", list(VISIONS))
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_series_stay_apart_for_colour_blind_readers(theme: str, vision: str) -> None:
    """Markers and dashes tell series apart too; most charts stay within the first five colours."""
    seen = []
    for index in range(1, 9):
        linear = channels(charts_style.THEMES[theme][f"s{index}"])
        mixed = [sum(m * c for m, c in zip(row, linear, strict=True)) for row in VISIONS[vision]]
        seen.append(lab(mixed))
    assert min(math.dist(a, b) for a, b in itertools.combinations(seen[:5], 2)) > 15
    assert min(math.dist(a, b) for a, b in itertools.combinations(seen, 2)) > 10


# Numbers and ticks.


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (0.0, "0"), (7.0, "7"), (393216.0, "393\u202f216"), (28.3, "28.30"),
        (9.9996, "10.00"), (0.00123456, "0.001235"), (1.5e-5, "1.5·10⁻⁵"), (-3.25, "−3.250"),
        (1e12, "10¹²"), (123456.7, "123\u202f457"), (1e300, "10³⁰⁰"),
    ],
)  # fmt: skip
def test_numbers_of_tables(value: float, text: str) -> None:
    assert charts_text.number_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (3.0, "3"), (5.014, "5.01"), (0.28, "0.28"), (9996, "10\u202fk"), (1234, "1230"),
        (393216, "393\u202fk"), (23592960, "23.6\u202fM"), (1e-6, "10⁻⁶"), (-40.0, "−40"),
        (0.99996, "1"), (2.5e17, "2.5·10¹⁷"),
    ],
)  # fmt: skip
def test_numbers_of_pictures(value: float, text: str) -> None:
    assert charts_text.short_number(value) == text


PLAIN = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
SPANS = [
    ("log2", [1024.0, 65536.0]), ("log2", [4.0]), ("log2", [2.0**-40, 2.0**30]),
    ("log2", [2.0**-1000, 2.0**1000]), ("log10", [1e-300, 1e300]), ("log10", [0.3, 0.31]),
    ("log10", [3.0]), ("log10", [1.0, 950.0]), ("linear", [0.0]), ("linear", [7.0]),
    ("linear", [1e9, 1e9 + 4]), ("linear", [-40.0, 25.0]), ("linear", [1e300, 2e300]),
    ("linear", [1e-300, 2e-300]), ("log10", [0.0, 5.0]), ("log10", [1.7e308]), ("log2", [5e-324]),
]  # fmt: skip


@pytest.mark.parametrize("from_zero", [True, False])
@pytest.mark.parametrize("most", [2, 5, 12])
@pytest.mark.parametrize(("scale", "values"), SPANS)
def test_ticks_are_few_distinct_and_on_the_axis(
    scale: Any, values: list[float], most: int, from_zero: bool
) -> None:
    span = charts_ticks.value_span(scale, values, most, from_zero)
    assert span.low < span.high and math.isfinite(span.low) and math.isfinite(span.high)
    assert all(0 <= span.position(value) <= 1 for value in values)
    ticks = [tick for tick, _ in span.ticks]
    texts = [text for _, text in span.ticks]
    assert 1 <= len(ticks) <= max(most, 2) + 1
    assert ticks == sorted(set(ticks)) and len(set(texts)) == len(texts)
    assert all(-1e-6 <= span.position(tick) <= 1 + 1e-6 for tick in ticks)


@pytest.mark.parametrize(("scale", "values"), SPANS + [("linear", [50.4, 51.9])])
def test_ticks_say_where_they_are(scale: Any, values: list[float]) -> None:
    """A label is the tick's value, not one that is rounded to another place."""
    span = charts_ticks.value_span(scale, values, 8, from_zero=False)
    positions = [span.position(tick) for tick, _ in span.ticks]
    step = min((b - a for a, b in itertools.pairwise(positions)), default=1.0)
    for tick, text in span.ticks:
        number = re.sub("[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda m: "^" + m[0].translate(PLAIN), text)
        number = number.replace("\u202f", "").replace("−", "-")
        if match := re.fullmatch(r"(-?)(?:([\d.]+)·)?(2|10)\^(-?\d+)", number):
            value = float(match[1] + (match[2] or "1")) * float(match[3]) ** int(match[4])
        else:
            factor = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}.get(number[-1], 1.0)
            value = float(number.rstrip("kMGT")) * factor
        assert value == pytest.approx(tick, rel=1e-6) or (
            abs(span.position(value) - span.position(tick)) <= 0.02 * step
        )


def test_small_differences_look_small_on_logarithmic_axes() -> None:
    span = charts_ticks.value_span("log10", [50.4, 51.9], 8)
    assert span.high / span.low >= 3.9
    assert span.position(51.9) - span.position(50.4) < 0.05


def test_degrees_are_written_one_way() -> None:
    degrees = [2.0**k for k in range(10, 17)]
    span = charts_ticks.place_span("log2", degrees, 12)
    assert [text for _, text in span.ticks] == [str(2**k) for k in range(10, 17)]
    far = charts_ticks.place_span("log2", [2.0**-20, 2.0**20], 12)
    assert all(re.fullmatch(r"1|2|2[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+", text) for _, text in far.ticks)


def test_wrapped_lines_fit_and_lose_nothing_but_the_end() -> None:
    for chart in nasty_charts():
        for text in (chart.title, chart.x.label, "W" * 300, "a b " * 80):
            whole = charts_text.wrap(text, 200, 13, 1000)
            assert "".join(whole).replace(" ", "") == charts_text.clean(text).replace(" ", "")
            assert all(charts_text.text_width(line, 13) <= 200 for line in whole)
            short = charts_text.wrap(text, 200, 13, 2)
            assert len(short) <= 2 and all(charts_text.text_width(t, 13) <= 200 for t in short)
            assert len(whole) <= 2 or short[-1].endswith("…")


def test_signs_without_a_glyph_give_no_warning(recwarn: pytest.WarningsRecorder) -> None:
    name = "\U0001d4b3 of a name"
    chart = Chart("c", "C", "", "bars", Axis(name), Axis("y"), (Series("s", (Point(name, 1.0),)),))
    assert name in drawn(chart) and not recwarn.list


def test_places_of_tables() -> None:
    values: list[float | str] = [0.3125, 1 / 48, 4096.0, -0.5, 1e-9, "a\nb"]
    texts = [charts_text.x_text(value) for value in values]
    assert texts == ["0.3125", "0.0208333", "4\u202f096", "−0.5", "10⁻⁹", "a b"]
