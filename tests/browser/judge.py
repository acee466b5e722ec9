# SPDX-License-Identifier: Apache-2.0
"""Judges what tests/browser/probe.js saw of a report's page. Every function gives sentences on what
is wrong, none if all is right."""

import itertools
import math
import re
from collections.abc import Sequence
from typing import Any

Corners = Sequence[Sequence[float]]
Chart = dict[str, Any]
Seen = dict[str, Any]

# The overlap of boxes in pixels that is allowed: the browser rounds.
SLACK = 0.75
LEAST_TEXT = 11.0
# A mark on the edge reaches beyond the plot's box by half its size.
MARK_ROOM = 8
_SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
# The rounding of the table, as a share of the value.
ROUNDING = 6e-4


def _charts(report):
    for section in report["sections"]:
        yield from section["charts"]


def _point_count(chart):
    return sum(len(series["points"]) for series in chart["series"])


def _outside(inner, box):
    """By how many pixels the corners leave the box (left, top, right, bottom)."""
    return max(
        max(box[0] - x, x - box[2], box[1] - y, y - box[3]) for x, y in inner
    )  # fmt: skip


def depth(a, b):
    """How far two convex boxes, rotated or not, reach into each other: the pixels by which one of
    them would have to move. Not above 0 if they are apart."""
    least = math.inf
    for box in (a, b):
        for (x1, y1), (x2, y2) in itertools.pairwise([*box, box[0]]):
            length = math.hypot(x2 - x1, y2 - y1)
            if length == 0:
                continue
            normal = ((y1 - y2) / length, (x2 - x1) / length)
            spans = [[x * normal[0] + y * normal[1] for x, y in corners] for corners in (a, b)]
            least = min(
                least,
                max(spans[0]) - min(spans[1]),
                max(spans[1]) - min(spans[0]),
            )
            if least <= 0:
                return least
    return least if least < math.inf else 0.0


def drawn(seen, report):
    """Every chart with values has one visible picture, of some size, with a mark for each value."""
    figures = {figure["chart"]: figure for figure in seen["figures"]}
    problems = []
    for chart in _charts(report):
        name = chart["id"]
        figure = figures.get(name)
        if figure is None:
            problems.append(f"chart {name} is not on the page")
        elif _point_count(chart) == 0:
            problems += [f"{name}: a picture of no value"] * len(figure["pictures"])
        elif len(figure["pictures"]) != 1:
            problems.append(f"{name}: {len(figure['pictures'])} visible pictures instead of 1")
        else:
            problems += _marks(name, figure["pictures"][0], chart)
            problems += _legend(name, figure["legend"], chart)
    return problems


def _legend(name, legend, chart):
    """Every series that is drawn is in the legend."""
    wanted = sum(bool(series["points"]) for series in chart["series"])
    return [] if len(legend) == wanted else [f"{name}: {len(legend)} of {wanted} series in legend"]


def _marks(name, picture, chart):
    left, top, right, bottom = picture["box"]
    if right - left < 200 or bottom - top < 40:
        return [f"{name}: the picture is {right - left:.0f} by {bottom - top:.0f} pixels"]
    if not picture["label"]:
        return [f"{name}: the picture has no title for screen readers"]
    if picture["plot"] is None:
        return [f"{name}: the picture has no axes"]
    counts = {}
    problems = []
    for group in picture["marks"]:
        counts[group["series"]] = counts.get(group["series"], 0) + len(group["boxes"])
        for box in group["boxes"]:
            middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
            away = _outside([middle], picture["plot"])
            if away > MARK_ROOM:
                problems.append(f"{name}: a mark is {away:.0f} pixels outside of the axes")
    shown = [series for series in chart["series"] if series["points"]]
    for number, series in enumerate(shown):
        if counts.get(number, 0) < len(series["points"]):
            problems.append(
                f"{name}: {counts.get(number, 0)} marks for {len(series['points'])} values of "
                f"{series['name'][:40]!r}"
            )
    return problems


def inside(seen):
    """No text leaves its picture, its figure or the page, and nothing is wider than the page."""
    problems = []
    if seen["documentWidth"] > seen["width"]:
        problems.append(f"the page is {seen['documentWidth']} wide on {seen['width']} pixels")
    problems += [f"the content of {name} is wider than it" for name in seen["wide"]]
    page = (0.0, -math.inf, seen["width"], math.inf)
    for text in seen["texts"]:
        if not text["scrolls"] and _outside(text["corners"], page) > SLACK:
            problems.append(f"the text {text['text']!r} leaves the page")
    for figure in seen["figures"]:
        for picture in figure["pictures"]:
            for text in picture["texts"]:
                away = _outside(text["corners"], picture["box"])
                if away > SLACK:
                    problems.append(
                        f"{figure['chart']}: the text {text['text']!r} is {away:.1f} pixels outside"
                    )
    return problems


def apart(seen):
    """No two texts of the page overlap, but for the lines of one text, whose distance its font may
    exceed, and for tables that scroll."""
    texts = [text for text in seen["texts"] if not text["scrolls"]]
    texts += [t for figure in seen["figures"] for p in figure["pictures"] for t in p["texts"]]
    heights = [[y for _, y in text["corners"]] for text in texts]
    order = sorted(range(len(texts)), key=lambda index: min(heights[index]))
    problems = []
    for place, first in enumerate(order):
        for second in itertools.islice(order, place + 1, None):
            if min(heights[second]) > max(heights[first]):
                break
            one, other = texts[first], texts[second]
            if "node" in one and one["node"] == other.get("node"):
                continue
            by = depth(one["corners"], other["corners"])
            if by > SLACK:
                problems.append(
                    f"{one['text']!r} and {other['text']!r} overlap by {by:.1f} pixels"
                )
    return problems


def legible(seen, least=LEAST_TEXT):
    """No text is smaller than `least` pixels."""
    texts = [("page", text) for text in seen["texts"]]
    for figure in seen["figures"]:
        texts += [(figure["chart"], t) for p in figure["pictures"] for t in p["texts"]]
    return [
        f"{where}: {text['text']!r} is {text['size']:.1f} pixels high"
        for where, text in texts
        if text["size"] < least - 0.01
    ]


def parse_number(text):
    """The value of a number as the page writes it."""
    plain = text.replace("\u202f", "").replace("−", "-")
    match = re.fullmatch(r"(-?)(?:([\d.]+)·)?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", plain)
    if match:
        power = f"{match[2] or '1'}e{match[3].translate(_SUPERSCRIPTS)}"
        return float(match[1] + power)
    return float(plain)


def _is_number(shown, wanted):
    exact, read = float(shown[0]), parse_number(shown[1])
    return exact == wanted and math.isclose(read, wanted, rel_tol=ROUNDING, abs_tol=0.0)


def tables(seen, report):
    """The table of every chart holds the chart's values, each in its row and column."""
    figures = {figure["chart"]: figure for figure in seen["figures"]}
    problems = []
    for chart in _charts(report):
        table = figures.get(chart["id"], {}).get("table")
        if _point_count(chart) == 0:
            continue
        if table is None:
            problems.append(f"{chart['id']}: no table")
            continue
        problems += _table(chart, table)
    return problems


def _expected_rows(chart):
    places = dict.fromkeys(p["x"] for series in chart["series"] for p in series["points"])
    rows = []
    for x in places if chart["kind"] == "bars" else sorted(places):
        cells = []
        for series in chart["series"]:
            points = [point for point in series["points"] if point["x"] == x]
            cells.append([point["y"] for point in points])
            if any(point["median"] is not None for point in series["points"]):
                cells.append([p["median"] for p in points if p["median"] is not None])
        rows.append(cells)
    return rows


def _table(chart, table):
    name = chart["id"]
    wanted = _expected_rows(chart)
    if len(table["names"]) != len(chart["series"]):
        return [f"{name}: a table of {len(table['names'])} series"]
    if len(table["rows"]) != len(wanted):
        return [f"{name}: a table of {len(table['rows'])} rows instead of {len(wanted)}"]
    problems = []
    for row, cells in zip(table["rows"], wanted, strict=True):
        if [len(cell) for cell in row["cells"]] != [len(cell) for cell in cells]:
            problems.append(f"{name}: the row {row['x']!r} has other cells than the chart values")
            continue
        for shown, value in zip(sum(row["cells"], []), sum(cells, []), strict=True):
            if not _is_number(shown, value):
                problems.append(f"{name}: {shown} instead of {value} in the row {row['x']!r}")
    return problems


def data(seen, report):
    """What the page gives to download is the report: as a whole, and of each chart."""
    problems = [] if seen["report"] == report else ["the page holds another report than its JSON"]
    figures = {figure["chart"]: figure for figure in seen["figures"]}
    for chart in _charts(report):
        given = figures.get(chart["id"], {}).get("data")
        if given is None:
            problems.append(f"{chart['id']}: nothing to download")
        else:
            problems += chart_data(chart, given)
    return problems


def chart_data(chart, given):
    """A chart's file holds its values, in Google Benchmark's layout or as series."""
    wanted = [point["y"] for series in chart["series"] for point in series["points"]]
    if "benchmarks" in given:
        found = [entry.get("min") for entry in given["benchmarks"]]
    else:
        found = [p["y"] for series in given.get("series", []) for p in series["points"]]
    if found != wanted or "context" not in given:
        return [f"{chart['id']}: the file to download has other values than the chart"]
    return []
