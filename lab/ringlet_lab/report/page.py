# SPDX-License-Identifier: Apache-2.0
"""Makes the page of a report: one HTML file that needs no network and no other file."""

from __future__ import annotations

import base64
import datetime
import functools
import hashlib
import re
from importlib import resources

from .charts import draw_chart
from .charts_style import THEMES, Palette
from .charts_text import axis_text, clean
from .compare import Comparison
from .export import chart_json
from .model import Chart, Report, Section, to_json
from .page_comparison import comparison_html
from .page_parts import Names, data_table, duration, json_element, legend, text
from .sections import SECTIONS

# A fact with more characters takes the whole width of the page's head.
_LONG_FACT = 28
_MONTHS = (
    "January February March April May June July August September October November December"
).split()


@functools.cache
def _asset(name: str) -> str:
    """Returns a file of the package without its licence line and comments."""
    content = resources.files(__package__).joinpath("assets", name).read_text(encoding="utf-8")
    if name.endswith(".css"):
        return re.sub(r"/\*.*?\*/\n?", "", content, flags=re.DOTALL).strip()
    return "\n".join(line for line in content.splitlines() if not line.lstrip().startswith("//"))


def _variables(theme: str) -> str:
    return "".join(f"--{name}:{value};" for name, value in THEMES[theme].items())


def style_sheet() -> str:
    """Returns all style rules, with both themes. The system chooses the theme, unless the root
    element has the reader's choice as data-theme. Print is light."""
    light, dark = _variables("light"), _variables("dark")
    return (
        f":root{{{light}}}\n"
        f'@media (prefers-color-scheme:dark){{:root:not([data-theme="light"]){{{dark}}}}}\n'
        f':root[data-theme="dark"]{{{dark}}}\n'
        f"{_asset('page.css')}\n@media print{{:root:root[data-theme],:root:root{{{light}}}}}"
    )


def _policy(script: str) -> str:
    """Returns the content security policy: the page loads nothing and runs no other script."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def date_text(created: str) -> str:
    """Returns an ISO 8601 time as readable text in UTC. Other texts are returned unchanged."""
    try:
        moment = datetime.datetime.fromisoformat(created.replace("Z", "+00:00"))
        if moment.tzinfo is not None:
            moment = moment.astimezone(datetime.timezone.utc)
    except (ValueError, OverflowError):
        return clean(created)
    month = _MONTHS[moment.month - 1]
    return f"{moment.day} {month} {moment.year}, {moment:%H:%M} UTC"


def _facts(report: Report) -> str:
    """Returns machine, build and settings as an HTML list of terms."""
    facts = {name: value for name, value in report.machine.items() if name != "processor"}
    facts |= {"Ringlet" if name == "version" else name: v for name, v in report.build.items()}
    for name, value in report.settings.items():
        if name not in ("quick", "sections") and value not in (None, "", [], {}):
            shown = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
            facts.setdefault(name, shown)
    items = ""
    for name, value in facts.items():
        whole = ' class="whole"' if len(value) > _LONG_FACT else ""
        label = name[:1].upper() + name[1:]
        items += f"<div{whole}><dt>{text(label)}</dt><dd>{text(value)}</dd></div>"
    return f'<dl class="facts">{items}</dl>'


def _header(report: Report) -> str:
    themes = "".join(
        f'<button type="button" value="{theme}" aria-pressed="{str(theme == "auto").lower()}">'
        f"{theme.capitalize()}</button>"
        for theme in ("auto", "light", "dark")
    )
    which = "the quick set" if report.settings.get("quick") else "the full set"
    if not SECTIONS.keys() <= {section.id for section in report.sections}:
        which = f"a part of {which}"
    return (
        f'<header><div class="theme needs-js" role="group" aria-label="Theme">{themes}</div>'
        '<p class="over">Ringlet report</p>'
        f"<h1>{text(report.machine.get('processor', 'unknown processor'))}</h1>"
        f'<p class="lead">Measured on {text(date_text(report.created))}: {which} of benchmarks, in '
        f"{duration(report.seconds)}.</p>{_facts(report)}</header>"
    )


def _contents(entries: list[tuple[str, str]]) -> str:
    items = "".join(f'<li><a href="#{name}">{text(title)}</a></li>' for name, title in entries)
    return f'<nav class="contents" aria-label="Contents"><h2>Contents</h2><ol>{items}</ol></nav>'


def _download(source: str, file: str, label: str) -> str:
    return (
        f'<button type="button" class="needs-js" data-source="{source}" data-file="{file}">'
        f"{label}</button>"
    )


def _figure(report: Report, chart: Chart, name: str, palette: Palette) -> str:
    """Returns a chart as HTML: title, legend, picture, caption, and its data as a table and for
    download."""
    picture = draw_chart(chart, palette, name)
    parts = [f'<figure id="{name}" data-chart="{text(chart.id)}"><h3>{text(chart.title)}</h3>']
    if picture is None:
        parts.append('<p class="note">There are no values to draw.</p>')
    else:
        shown = [series for series in chart.series if series.points]
        parts.append(legend(chart, list(zip(shown, picture.looks, strict=True))))
        parts += [picture.desktop, picture.phone]
        parts += [f'<p class="note">{text(note)}</p>' for note in picture.notes]
    if chart.caption:
        parts.append(f"<figcaption>{text(chart.caption)}</figcaption>")
    download = _download(f"{name}-data", f"ringlet-{name}.json", "Download JSON")
    table = data_table(chart, axis_text(chart.y)) if picture else ""
    details = f"<details><summary>Data</summary>{table}</details>" if table else ""
    parts.append(f'<div class="under">{download}{details}</div>')
    parts.append(json_element(f"{name}-data", chart_json(report, chart)))
    return "".join(parts) + "</figure>\n"


def _section(
    report: Report, section: Section, names: tuple[str, list[str]], palette: Palette
) -> str:
    own, charts = names
    parts = [f'<section id="{own}"><h2>{text(section.title)}</h2>']
    if section.summary:
        parts.append(f'<p class="summary">{text(section.summary)}</p>')
    missing = list(section.missing)
    if not section.charts and not missing:
        missing = ["This section has no charts."]
    if missing:
        items = "".join(f"<li>{text(sentence)}</li>" for sentence in missing)
        parts.append(f'<ul class="missing">{items}</ul>')
    for chart, name in zip(section.charts, charts, strict=True):
        parts.append(_figure(report, chart, name, palette))
    return "".join(parts) + "</section>\n"


def _body(report: Report, comparison: Comparison | None) -> str:
    names, palette = Names(), Palette()
    places = [
        (names.take("section", s.id), [names.take("chart", chart.id) for chart in s.charts])
        for s in report.sections
    ]
    contents = [(own, s.title) for (own, _), s in zip(places, report.sections, strict=True)]
    first = ""
    if comparison is not None:
        links = {
            chart.id: name
            for section, (_, found) in zip(report.sections, places, strict=True)
            for chart, name in zip(section.charts, found, strict=True)
        }
        contents.insert(0, ("comparison", "Compared with an earlier report"))
        first = comparison_html(comparison, date_text(comparison.old_created), "comparison", links)
    sections = "".join(
        _section(report, section, found, palette)
        for section, found in zip(report.sections, places, strict=True)
    )
    everything = _download("report-data", "ringlet-report.json", "Download all data as JSON")
    return (
        f'<div class="page">\n{_header(report)}\n{_contents(contents)}\n<main>{first}\n{sections}'
        f"</main><footer>{everything}<p>Made by <code>ringlet report</code>. This file holds "
        "everything that it shows.</p></footer></div>\n"
        f"{json_element('report-data', to_json(report))}"
    )


def render_page(report: Report, comparison: Comparison | None = None) -> str:
    """Returns the page of a report as the text of an HTML file. A comparison, if given, comes
    first. The same report gives the same text. Raises InvalidArgument for values that are not
    finite, and for x of another kind than the chart's."""
    script = _asset("page.js")
    title = f"Ringlet report: {report.machine.get('processor', 'unknown processor')}"
    icon = (
        "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E"
        "%3Ccircle cx='8' cy='8' r='5.5' fill='none' stroke='%230a5fa5' stroke-width='3'/%3E"
        "%3C/svg%3E"
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(script)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="light dark">\n<title>{text(title)}</title>\n'
        f'<link rel="icon" href="{icon}">\n<style>\n{style_sheet()}\n</style>\n'
        f"<script>{script}</script>\n</head>\n<body>\n{_body(report, comparison)}\n</body>\n"
        "</html>\n"
    )
