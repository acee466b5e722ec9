# SPDX-License-Identifier: Apache-2.0
"""Pages with one defect each, made from a good page. A check of pages that misses one is broken."""

import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Defect:
    """What is wrong, the check that must find it, and how it gets into a good page's text."""

    name: str
    found_by: str
    plant: Callable[[str], str]


def _replace(pattern, replacement):
    """The first match alone is replaced."""

    def plant(page):
        planted, count = re.subn(pattern, replacement, page, count=1, flags=re.DOTALL)
        if count != 1:
            raise AssertionError(f"the page has nothing like {pattern}")
        return planted

    return plant


def _rule(rule):
    """One more rule of the style sheet."""
    return _replace("</style>", f"{rule}</style>")


def _first(element):
    """One more element in front of all sections."""
    return _replace("<main>", f"<main>{element}")


def _allow_script(page):
    """A page whose own policy no longer stops a script."""
    return re.sub(r"script-src '[^']+'", "script-src 'unsafe-inline'", page, count=1)


def _throw(page):
    script = "<script>throw new Error('planted')</script>"
    return _allow_script(page).replace("</body>", f"{script}</body>")


def _in_picture(attributes, text="planted"):
    """A text more in the first picture for wide pages."""
    element = f'<text style="font-size:13px" {attributes}>{text}</text></svg>'
    return _replace(r"(?<=<svg class=\"picture desktop\")(.*?)</svg>", rf"\1{element}")


_FIRST_PICTURE = r'<svg class="picture desktop".*?</svg>'

DEFECTS = (
    Defect("two texts at one place", "texts apart",
           _in_picture('x="300" y="200"', "one</text><text x=\"310\" y=\"203\" "
                       "style=\"font-size:13px\">other")),
    Defect("two rotated texts that cross", "texts apart",
           _in_picture('x="300" y="200" transform="rotate(30 300 200)"',
                       "one and another</text><text x=\"300\" y=\"230\" "
                       "style=\"font-size:13px\" transform=\"rotate(-30 300 230)\">other and one")),
    Defect("a title over the legend", "texts apart", _rule(".legend { margin-top: -24px; }")),
    Defect("a heading over text", "texts apart", _rule("section { margin-top: -30px; }")),
    Defect("facts over each other", "texts apart", _rule(".facts { line-height: .2; }")),
    Defect("a text that leaves its picture", "texts inside", _in_picture('x="740" y="60"')),
    Defect("a text above its picture", "texts inside", _in_picture('x="300" y="-10"')),
    Defect("a box wider than the page", "texts inside", _first('<p style="width:3000px">wide</p>')),
    Defect("a line that does not break", "texts inside",
           _first('<p style="white-space:nowrap">' + "wide " * 400 + "</p>")),
    Defect("a small text", "texts legible",
           _replace(r'(<svg class="picture desktop".*?font-size: ?)13px', r"\g<1>9px")),
    Defect("a script that throws", "console", _throw),
    Defect("a picture from the network", "console",
           _first('<img src="https://example.invalid/a.png" alt="">')),
    Defect("a script that the policy stops", "console",
           _replace(r"</body>", "<script>void 0</script></body>")),
    Defect("a chart without its picture", "charts drawn", _replace(_FIRST_PICTURE, "")),
    Defect("a chart that is not there", "charts drawn", _replace(r"<figure .*?</figure>", "")),
    Defect("an empty picture", "charts drawn",
           _replace(_FIRST_PICTURE, '<svg class="picture desktop" viewBox="0 0 760 300" '
                    'width="760" height="300"><title>t</title></svg>')),
    Defect("a picture without height", "charts drawn",
           _rule(".picture.desktop { height: 0 !important; }")),
    Defect("a hidden picture", "charts drawn",
           _rule(".picture.desktop { visibility: hidden; }")),
    Defect("a mark too few", "charts drawn", _replace(r'<use [^>]*class="mark"[^>]*>', "<use>")),
    Defect("a mark outside of the axes", "charts drawn",
           _replace(r'(<use [^>]*)x="[\d.]+"([^>]*class="mark")', r'\1x="-60"\2')),
    Defect("a legend without a series", "charts drawn",
           _replace(r'(<ul class="legend">)<li>.*?</li>', r"\1")),
    Defect("another number in a table", "tables",
           _replace(r'(<tbody>.*?<data value=")[^"]*', r"\g<1>123.5")),
    Defect("a number that is rounded to another", "tables",
           _replace(r'(<tbody>.*?<data value="[^"]*">)[^<]*', r"\g<1>123.5")),
    Defect("a table with a row less", "tables",
           _replace(r"(<figure .*?<tbody>)<tr>.*?</tr>", r"\1")),
    Defect("another value to download", "data",
           _replace(r'("min":)[\d.]+', r"\g<1>123.5")),
    Defect("another report to download", "data",
           _replace(r'(id="report-data">.*?"seconds":)[\d.]+', r"\g<1>0.5")),
    Defect("a dark page by day", "theme", _rule("body { background: #000 !important; }")),
)  # fmt: skip
