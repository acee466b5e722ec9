# SPDX-License-Identifier: Apache-2.0
"""The part of a report's page that compares it with an earlier report."""

from __future__ import annotations

import collections
from collections.abc import Mapping, Sequence
from typing import get_args

from .charts_text import number_text, x_text
from .compare import LEAST_DIFFERENCE, LEAST_DIFFERENCE_OF_SIZES, Comparison, Entry, Verdict
from .page_parts import text, value_element

_CLASSES = {True: "good", False: "bad", None: ""}


def _heading(entry: Entry, links: Mapping[str, str]) -> str:
    """Returns the name of the series, with its chart below."""
    title = text(entry.title)
    if entry.chart in links:
        title = f'<a href="#{links[entry.chart]}">{title}</a>'
    return f'<th scope="row">{text(entry.series)}<br>{title}</th>'


def _row(entry: Entry, links: Mapping[str, str]) -> str:
    is_same = entry.verdict == "within the noise"
    css = "same" if is_same else _CLASSES[entry.is_better]
    row_class = ' class="same"' if is_same else ""
    ratio = "" if entry.ratio is None else value_element(entry.ratio, 3)
    unit = f" {text(entry.unit)}" if entry.unit else ""
    return (
        f"<tr{row_class}>{_heading(entry, links)}"
        f'<td class="at">{text(x_text(entry.x))}</td>'
        f"<td>{value_element(entry.old)}{unit}</td><td>{value_element(entry.new)}{unit}</td>"
        f'<td>{ratio}</td><td>{100 * entry.noise:.0f} %</td><td class="{css}">{entry.verdict}</td>'
        "</tr>"
    )


def _table(columns: Sequence[str], rows: str, label: str) -> str:
    head = "".join(f'<th scope="col">{column}</th>' for column in columns)
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{label}">'
        f'<table class="changes"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _spread(entries: Sequence[Entry]) -> str:
    """Returns the smallest and the largest ratio of several entries, as text."""
    ratios = sorted(entry.ratio for entry in entries if entry.ratio is not None)
    if not ratios:
        return ""
    ends = [ratios[0], ratios[-1]]
    texts = [number_text(ratio, 3) for ratio in ends]
    return " to ".join(value_element(r, 3) for r in ends[: 1 + (texts[0] != texts[1])])


def _summary(comparison: Comparison, links: Mapping[str, str]) -> str:
    """Returns a table with a row for each series that changed: how many of its values changed, and
    by how much."""
    totals = collections.Counter((entry.chart, entry.series) for entry in comparison.entries)
    groups: dict[tuple[str, str, str], list[Entry]] = {}
    for entry in comparison.outside_noise:
        groups.setdefault((entry.chart, entry.series, entry.verdict), []).append(entry)
    if not groups:
        return ""
    rows = ""
    for (chart, series, verdict), entries in groups.items():
        rows += (
            f"<tr>{_heading(entries[0], links)}"
            f"<td>{len(entries)} of {totals[chart, series]}</td><td>{_spread(entries)}</td>"
            f'<td class="{_CLASSES[entries[0].is_better]}">{verdict}</td></tr>'
        )
    return _table(("series and chart", "values", "new / old", "verdict"), rows, "changed series")


def _folded(entries: Sequence[Entry], links: Mapping[str, str], label: str) -> str:
    """Returns a table of all entries that is folded: it shows only their number until the reader
    opens it."""
    if not entries:
        return ""
    columns = ("series and chart", "at", "old", "new", "new / old", "noise", "verdict")
    table = _table(columns, "".join(_row(entry, links) for entry in entries), label)
    return f"<details><summary>{len(entries)} {label}</summary>{table}</details>"


def _counts(comparison: Comparison) -> str:
    items = ""
    better = {entry.verdict: entry.is_better for entry in comparison.entries}
    for verdict in get_args(Verdict):
        if count := comparison.counts.get(verdict):
            css = "same" if verdict == "within the noise" else _CLASSES[better[verdict]]
            items += f'<li><b class="{css}">{count}</b><span>{verdict}</span></li>'
    return f'<ul class="counts">{items}</ul>' if items else ""


def _plural(where: str, entries: Sequence[Entry]) -> str:
    return f"difference{'s' if len(entries) > 1 else ''} {where} the noise, one by one"


def _alone(comparison: Comparison) -> list[str]:
    """Returns sentences on the differences other than values."""
    found = list(comparison.differences)
    for count, which in ((comparison.only_old, "old"), (comparison.only_new, "new")):
        if count:
            values = "value is" if count == 1 else "values are"
            found.append(f"{count} {values} in the {which} report only.")
    if not comparison.entries:
        found.append("The two reports have no value in common.")
    return found


def comparison_html(
    comparison: Comparison, old_date: str, name: str, links: Mapping[str, str]
) -> str:
    """Returns the section as HTML, with `name` as its id. `old_date` is the date of the old report,
    as text. `links` gives the id of each chart of the page."""
    notes = "".join(f"<li>{text(sentence)}</li>" for sentence in _alone(comparison))
    changed = comparison.outside_noise
    same = [entry for entry in comparison.entries if entry.verdict == "within the noise"]
    parts = [
        f'<section id="{name}"><h2>Compared with an earlier report</h2>'
        f'<p class="summary">The earlier one is of {text(old_date)}. A difference that the rounds '
        f"of a measurement show among themselves, or of at most {100 * LEAST_DIFFERENCE:.0f} % "
        f"({100 * LEAST_DIFFERENCE_OF_SIZES:.0f} % of sizes), is within the noise.</p>"
        f"{_counts(comparison)}",
        f'<ul class="missing">{notes}</ul>' if notes else "",
        _summary(comparison, links),
        f'<div class="under">{_folded(changed, links, _plural("beyond", changed))}',
        f"{_folded(same, links, _plural('within', same))}</div>",
        "</section>",
    ]
    return "".join(parts)
