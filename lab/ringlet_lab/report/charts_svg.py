# SPDX-License-Identifier: Apache-2.0
"""Turns matplotlib's drawing into a part of a page: text stays text, colours follow the theme, and
no name (id) occurs in another picture of the page."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass

import matplotlib
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from .charts_style import STAND_INS
from .charts_text import missing_glyphs_allowed

_SVG = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_STAND_IN = re.compile("|".join(STAND_INS))
# A picture's unit is matplotlib's point, drawn as one pixel of the page.
_POINTS_PER_INCH = 72
# Names of the drawing's groups: marks, with the number of their series, and all else.
MARKS, PLOT = "marks", "plot"


@dataclass(frozen=True)
class Description:
    """The texts that a screen reader reads instead of the picture, and the tooltips of its marks:
    for each series one text per point, or none."""

    title: str
    text: str
    tooltips: tuple[tuple[str, ...], ...] = ()


def make_figure(width: float, height: float) -> Figure:
    """Returns an empty figure without background. Sizes are in pixels."""
    figure = Figure(figsize=(width / _POINTS_PER_INCH, height / _POINTS_PER_INCH))
    figure.set_dpi(_POINTS_PER_INCH)
    figure.patch.set_visible(False)
    FigureCanvasSVG(figure)
    return figure


def marks_name(series: int) -> str:
    """Returns the name (gid) of the element that draws a series' marks."""
    return f"{MARKS}-{series}"


def _draw(figure: Figure, salt: str) -> ElementTree.Element:
    buffer = io.StringIO()
    nothing = {key: None for key in ("Date", "Creator", "Format", "Type")}
    settings = {"svg.fonttype": "none", "svg.hashsalt": salt}
    with matplotlib.rc_context(settings), missing_glyphs_allowed():
        figure.savefig(buffer, format="svg", metadata=nothing)
    return ElementTree.fromstring(buffer.getvalue())


def _style(text: str) -> str:
    """Returns the style declarations that the page's style sheet does not already make."""
    kept = [part.strip() for part in text.split(";") if part.strip()]
    kept = [part for part in kept if not part.startswith("font-family")]
    return ";".join(part.replace(": ", ":") for part in kept)


def _rounded(text: str) -> str:
    return _NUMBER.sub(lambda match: f"{float(match[0]):.2f}".rstrip("0").rstrip("."), text)


def _clean(element: ElementTree.Element) -> None:
    """Simplifies an element: plain names, short numbers, colours of the theme."""
    if element.tag == f"{_SVG}text" and element.get("transform", "").startswith("rotate(-0 "):
        del element.attrib["transform"]
    element.tag = element.tag.removeprefix(_SVG)
    if _HREF in element.attrib:
        element.set("href", element.attrib.pop(_HREF))
    for name in ("d", "x", "y", "transform"):
        if name in element.attrib:
            element.set(name, _rounded(" ".join(element.attrib[name].split())))
    for name in ("style", "fill", "stroke"):
        if name in element.attrib:
            value = _style(element.attrib[name])
            element.set(name, _STAND_IN.sub(lambda match: STAND_INS[match[0]], value))
    element.tail = None
    if element.tag != "text":
        element.text = None


def _without_styles(root: ElementTree.Element) -> None:
    """Removes matplotlib's style sheet, which would apply to the whole page."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in ("style", "metadata") or (child.tag == "defs" and len(child) == 0):
                parent.remove(child)


def _classes(root: ElementTree.Element, tooltips: tuple[tuple[str, ...], ...]) -> None:
    """Turns the names of groups into classes, and gives the marks their tooltips."""
    for group in root.iter("g"):
        name = group.get("id", "")
        if name == PLOT:
            group.set("class", PLOT)
        if name.startswith(f"{MARKS}-"):
            series = int(name.removeprefix(f"{MARKS}-"))
            group.set("class", MARKS)
            group.set("data-series", str(series))
            found = list(group.iter("use")) or [path for path in group if path.tag == "path"]
            texts = tooltips[series] if tooltips else ()
            for place, mark in enumerate(found):
                mark.set("class", "mark")
                if place < len(texts):
                    ElementTree.SubElement(mark, "title").text = texts[place]


def _rename(root: ElementTree.Element, prefix: str) -> None:
    """Keeps the names that something refers to, as the prefix and a number."""
    used: dict[str, str] = {}
    for element in root.iter():
        texts = [element.get("href", "").removeprefix("#")]
        texts += [name for value in element.attrib.values() for name in _REFERENCE.findall(value)]
        for text in filter(None, texts):
            used.setdefault(text, f"{prefix}-{len(used)}")
    for element in root.iter():
        name = element.attrib.pop("id", None)
        if name in used:
            element.set("id", used[name])
        if element.get("href"):
            element.set("href", "#" + used[element.get("href", "").removeprefix("#")])
        for key, value in element.attrib.items():
            if "url(#" in value:
                element.set(key, _REFERENCE.sub(lambda match: f"url(#{used[match[1]]})", value))


def _flatten(element: ElementTree.Element) -> None:
    """Replaces groups that have neither attributes nor more than one child by their content."""
    for index, child in enumerate(list(element)):
        _flatten(child)
        while child.tag == "g" and not child.attrib and len(child) == 1:
            inner = child[0]
            element[index] = inner
            child = inner


def to_inline_svg(figure: Figure, prefix: str, description: Description, variant: str) -> str:
    """Returns the figure as an <svg> element of an HTML page. `prefix` is unique on the page.
    `variant` becomes the class of the element."""
    root = _draw(figure, prefix)
    for element in root.iter():
        _clean(element)
    _without_styles(root)
    _classes(root, description.tooltips)
    _rename(root, prefix)
    _flatten(root)
    width, height = (round(size * _POINTS_PER_INCH) for size in figure.get_size_inches())
    root.attrib.clear()
    root.attrib.update(
        {
            "class": f"picture {variant}",
            "viewBox": f"0 0 {width} {height}",
            "width": str(width),
            "height": str(height),
            "role": "img",
            "aria-labelledby": f"{prefix}-title {prefix}-text",
        }
    )
    for place, (tag, text) in enumerate((("title", description.title), ("desc", description.text))):
        element = ElementTree.Element(tag, {"id": f"{prefix}-{'text' if place else 'title'}"})
        element.text = text
        root.insert(place, element)
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=True)
