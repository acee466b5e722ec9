# SPDX-License-Identifier: Apache-2.0
"""The page of `ringlet report`: its structure, its texts and its numbers, without a browser."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import math
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from report_samples import HOSTILE, ntt_chart, sample_comparison, sample_report

from ringlet_lab.report import charts_style, charts_text
from ringlet_lab.report.model import Chart, Report, Section, to_json
from ringlet_lab.report.page import date_text, render_page
from ringlet_lab.report.page_parts import duration
from ringlet_lab.report.sections import SECTIONS

VOID = {"meta", "link", "br", "img", "hr", "input"}


class Page(HTMLParser):
    """What a page is made of: elements in their order, and whether all of them are closed."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[tuple[str, ...], str]] = []
        self.paths: list[tuple[str, ...]] = []
        self._open: list[str] = []
        self.feed(source)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"<{tag}> has an attribute twice"
        self.elements.append((tag, dict(attrs)))
        self.paths.append((*self._open, tag))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.paths.append((*self._open, tag))

    def handle_endtag(self, tag: str) -> None:
        assert self._open and self._open[-1] == tag, f"</{tag}> closes {self._open[-3:]}"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        self.texts.append((tuple(self._open) or ("",), data))

    def all(self, tag: str, css: str = "") -> list[dict[str, str | None]]:
        """Attributes of the elements of a name, and of a class where one is given."""
        return [
            attributes
            for name, attributes in self.elements
            if name == tag and (not css or css in (attributes.get("class") or "").split())
        ]

    def ids(self) -> list[str]:
        return [str(attributes["id"]) for _, attributes in self.elements if "id" in attributes]


@pytest.fixture(scope="module")
def source() -> str:
    return render_page(sample_report(is_nasty=True), sample_comparison(is_nasty=True))


@pytest.fixture(scope="module")
def page(source: str) -> Page:
    return Page(source)


def charts(report: Report) -> list[Chart]:
    return [chart for section in report.sections for chart in section.charts]


def data_of(source: str, name: str) -> Any:
    found = re.search(rf'<script type="application/json" id="{name}">(.*?)</script>', source)
    assert found is not None, name
    return json.loads(found[1])


def test_every_id_is_unique_and_every_reference_has_its_element(page: Page, source: str) -> None:
    ids = page.ids()
    assert len(ids) == len(set(ids)) > 100
    referred = set(re.findall(r"url\(#([^)]+)\)", source))
    for _, attributes in page.elements:
        target = attributes.get("href") or ""
        if target.startswith("#"):
            referred.add(target[1:])
        referred |= set((attributes.get("aria-labelledby") or "").split())
    assert referred and referred <= set(ids)


def test_every_chart_has_pictures_a_table_and_a_download(page: Page, source: str) -> None:
    report = sample_report(is_nasty=True)
    figures = source.split("<figure ")[1:]
    assert len(figures) == len(charts(report))
    for chart, text in zip(charts(report), figures, strict=True):
        text = text.split("</figure>")[0]
        has_values = any(series.points for series in chart.series)
        assert text.count('class="picture desktop"') == has_values
        assert text.count('class="picture phone"') == has_values
        assert text.count("<table>") == has_values
        count = sum(len(series.points) for series in chart.series)
        # Phones and wide pages have the same marks.
        assert text.count('class="mark"') == 2 * count
        source_name = re.search(r'data-source="([^"]+)"', text)
        assert source_name is not None
        given = data_of(text, source_name[1])
        values = [point.y for series in chart.series for point in series.points]
        if "benchmarks" in given:
            assert [entry["min"] for entry in given["benchmarks"]] == values
        else:
            assert [p["y"] for series in given["series"] for p in series["points"]] == values
    pictures = [a for a in page.all("svg") if "picture" in str(a.get("class"))]
    assert all(a["role"] == "img" and a["aria-labelledby"] for a in pictures)


def test_the_page_holds_the_report(source: str) -> None:
    report = sample_report(is_nasty=True)
    assert data_of(source, "report-data") == json.loads(json.dumps(to_json(report)))


def test_nothing_is_loaded_and_no_other_script_runs(page: Page, source: str) -> None:
    loads = [
        str(value)
        for _, attributes in page.elements
        for name, value in attributes.items()
        if name in ("src", "href", "srcset", "action", "data", "poster")
    ]
    assert loads and all(value.startswith(("#", "data:image/svg+xml,")) for value in loads)
    assert not re.search(r"@import|url\((?!#)|https?:(?!//www\.w3\.org/2000/svg)", source)
    assert not [name for _, a in page.elements for name in a if name.startswith("on")]
    scripts = [a for a in page.all("script") if a.get("type") != "application/json"]
    assert scripts == [{}]
    script = re.search(r"<script>(.*?)</script>", source, re.DOTALL)
    assert script is not None
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    policies = [a for a in page.all("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    assert len(policies) == 1
    policy = str(policies[0]["content"])
    assert "default-src 'none'" in policy and f"script-src 'sha256-{digest}'" in policy
    assert "unsafe-inline" not in policy.split("script-src")[1].split(";")[0]


def test_hostile_names_are_text(page: Page, source: str) -> None:
    assert not re.search("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]", source)
    assert not [a for a in page.all("script") if a not in ({},) and "type" not in a]
    shown = [text for path, text in page.texts if "script" not in path]
    assert sum(HOSTILE in text for text in shown) >= 6
    headings = [text for path, text in page.texts if path[-1] == "h3"]
    assert HOSTILE in headings
    joined = "".join(shown)
    assert "\u202e" not in joined and "\x00" not in joined
    assert "a\ufffdb\ufffdc d" in joined
    # matplotlib must not take a name for mathematics.
    assert "$x_2$" in joined


def test_what_is_missing_is_said(page: Page) -> None:
    items = [text for path, text in page.texts if path[-1] == "li"]
    for section in sample_report(is_nasty=True).sections:
        for sentence in section.missing:
            assert charts_text.clean(sentence) in items
    assert "This section has no charts." in items
    notes = [text for path, text in page.texts if path[-1] == "p"]
    assert "There are no values to draw." in notes
    assert any("is linear, because some of its values" in text for text in notes)


def test_the_head_says_what_was_measured_where(page: Page) -> None:
    report = sample_report()
    facts = [text for path, text in page.texts if path[-1] == "dd"]
    for name in ("instruction sets", "clock", "threads", "memory", "system"):
        assert report.machine[name] in facts
    for name in ("version", "compiler", "commit"):
        assert report.build[name] in facts
    headings = [text for path, text in page.texts if path[-1] == "h1"]
    assert headings == [report.machine["processor"]]
    lead = "".join(text for path, text in page.texts if path[-1] == "p")
    assert "23 November 2026, 15:04 UTC: a part of the quick set" in lead
    assert "2\u00a0min 11\u00a0s" in lead


def test_the_head_tells_a_part_from_the_whole() -> None:
    every = tuple(Section(name, name, "") for name in SECTIONS)
    whole = dataclasses.replace(sample_report(), sections=every, settings={"quick": False})
    assert "UTC: the full set of benchmarks" in render_page(whole)


def test_contents_lead_to_every_section(page: Page) -> None:
    report = sample_report(is_nasty=True)
    links = [
        attributes["href"]
        for (tag, attributes), path in zip(page.elements, page.paths, strict=True)
        if tag == "a" and "nav" in path
    ]
    sections = [f"#{a['id']}" for a in page.all("section")]
    assert links == sections and len(sections) == len(report.sections) + 1
    assert sections[0] == "#comparison"


def test_the_comparison_counts_and_greys_what_is_noise(page: Page, source: str) -> None:
    comparison = sample_comparison(is_nasty=True)
    counts = dict(zip(*[iter(page_counts(page))] * 2, strict=True))
    assert counts == {str(count): verdict for verdict, count in comparison.counts.items()}
    assert set(comparison.counts) == {"faster", "within the noise"}
    section = source.split('<section id="comparison">')[1].split("</section>")[0]
    assert section.count('<tr class="same">') == comparison.counts["within the noise"]
    # One row for each faster point, and one more for each changed series.
    changed = {(entry.chart, entry.series) for entry in comparison.outside_noise}
    faster = comparison.counts["faster"]
    assert section.count('class="good">faster</td>') == faster + len(changed)
    assert "7 of 7" in section and ">0.769</data>" in section


def page_counts(page: Page) -> list[str]:
    """Numbers and verdicts in front of the comparison, alternating."""
    return [t for path, t in page.texts if path[-2:] in (("li", "b"), ("li", "span"))
            and "figure" not in path]  # fmt: skip


def test_without_a_comparison_there_is_none() -> None:
    assert 'id="comparison"' not in render_page(sample_report())


def test_the_same_report_gives_the_same_page(source: str) -> None:
    again = render_page(sample_report(is_nasty=True), sample_comparison(is_nasty=True))
    assert again == source


def test_equal_ids_of_charts_do_not_collide() -> None:
    twice = Section("a", "A", "", (ntt_chart(30), ntt_chart(30)))
    report = dataclasses.replace(sample_report(), sections=(twice, twice))
    ids = Page(render_page(report)).ids()
    assert len(ids) == len(set(ids))


def test_style_sheet_has_every_colour_that_is_used(source: str) -> None:
    used = set(re.findall(r"var\(--([\w-]+)\)", source))
    assert used and used <= set(charts_style.THEMES["light"])
    assert charts_style.THEMES["light"].keys() == charts_style.THEMES["dark"].keys()
    # No stand-in for a colour remains: it would have the same colour in both themes.
    svgs = "".join(re.findall(r"<svg class=\"picture.*?</svg>", source, re.DOTALL))
    assert svgs and not re.search(r"#[0-9a-f]{6}\b", svgs)


def test_dates_and_durations() -> None:
    assert date_text("2026-01-02T03:04:05Z") == "2 January 2026, 03:04 UTC"
    assert date_text("2026-01-02T03:04:05+02:00") == "2 January 2026, 01:04 UTC"
    for text in ("some day", "0001-01-01T00:00:00+23:59"):
        assert date_text(text) == text
    assert duration(3.14) == "3.1\u00a0s" and duration(61) == "1\u00a0min 1\u00a0s"
    assert duration(59.6) == "1\u00a0min 0\u00a0s" and duration(math.nan) == "an unknown time"
