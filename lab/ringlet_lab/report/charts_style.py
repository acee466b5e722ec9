# SPDX-License-Identifier: Apache-2.0
"""The look of the series of a report: colour, marker and dashes, by name and origin.

Matplotlib draws with placeholder colours. They become variables of the page's style sheet, so that
one picture serves the light and the dark theme.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .model import Chart, Series

# Stand-in -> variable. The series' variables are --s1 to --s8; --s0 is the grey of limits and of
# quoted figures.
INK, MUTED, LINE, SURFACE = "#010101", "#020202", "#030303", "#040404"
SERIES_COUNT = 8
_SERIES_STAND_INS = tuple(f"#0a00{index:02x}" for index in range(SERIES_COUNT + 1))
STAND_INS = {
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    LINE: "var(--line)",
    SURFACE: "var(--surface)",
    **{color: f"var(--s{index})" for index, color in enumerate(_SERIES_STAND_INS)},
}

# The colours of each theme. Colours of series have a contrast of at least 3 with the surface. For
# colour-blind readers the first five differ by 15 in CIE76, all eight by 10.
THEMES: dict[str, dict[str, str]] = {
    "light": {
        "surface": "#ffffff", "ink": "#1b1f24", "muted": "#59616b",
        "line": "#dfe3e7", "accent": "#0a5fa5", "good": "#0b6e4f", "bad": "#b3400a",
        "s0": "#6f7780", "s1": "#0667ab", "s2": "#d96110", "s3": "#058869", "s4": "#b65691",
        "s5": "#775602", "s6": "#2d95cf", "s7": "#4e3597", "s8": "#22262b",
    },
    "dark": {
        "surface": "#14171a", "ink": "#e8eaed", "muted": "#a5adb6",
        "line": "#30363c", "accent": "#7cb9ee", "good": "#57c79c", "bad": "#f0945c",
        "s0": "#98a1aa", "s1": "#60b0ee", "s2": "#ef803c", "s3": "#1cbc96", "s4": "#e18cc0",
        "s5": "#ecc346", "s6": "#a4d6f3", "s7": "#927ad7", "s8": "#f0f1f3",
    },
}  # fmt: skip

_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
_GREY_MARKERS = ("D", "s", "^", "o", "v", "P", "X")
_DASHES: dict[str, tuple[float, ...]] = {
    "measured": (),
    "bound": (6, 3.5),
    "projected": (1.2, 2.6),
    "estimate": (7, 2.6, 1.2, 2.6),
    "quoted": (),
}
_HATCHES = {"estimate": "////", "projected": r"\\\\"}
_BOUND_DASHES = ((6, 3.5), (11, 4), (3, 2.5), (11, 3, 4, 3), (16, 3))
_ORIGIN_WORDS = re.compile(
    r"\b(?:measured|measurement|estimated?|predicted|projected|projection|bounds?|limit|quoted|"
    r"speed of light|ideal)\b"
)


@dataclass(frozen=True)
class Look:
    """The drawing of one series. `color` is an index of the theme's s0 to s8; `dashes` are lengths
    in pixels, none for a solid line; `marker` is matplotlib's name of the shape."""

    color: int
    marker: str
    dashes: tuple[float, ...]
    is_hollow: bool
    has_line: bool
    marker_size: float
    line_width: float
    hatch: str

    @property
    def is_outlined(self) -> bool:
        """True if a bar has an outline and no filling."""
        return self.is_hollow or bool(self.dashes)

    @property
    def stand_in(self) -> str:
        """The placeholder colour with which matplotlib draws."""
        return _SERIES_STAND_INS[self.color]


def family(name: str) -> str:
    """Returns the name without words on its origin. "BFV, estimate" and "BFV" are one family, which
    has one colour."""
    return " ".join(re.findall(r"[\w./+-]+", _ORIGIN_WORDS.sub(" ", name.lower())))


class Palette:
    """Gives a family the same colour in every chart of a report, unless another family of a chart
    already has this colour."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def colors(self, chart: Chart) -> list[int]:
        """Returns an index of 1 to 8 for each series, 0 for grey ones. Up to eight families of a
        chart have different colours. Further families repeat colours with other markers."""
        families = [family(series.name) for series in chart.series if not _is_grey(series)]
        chosen: dict[str, int] = {}
        for name in dict.fromkeys(families):
            known = self._known.get(name)
            if known is not None and known not in chosen.values():
                chosen[name] = known
        for name in dict.fromkeys(families):
            if name not in chosen:
                chosen[name] = self._free(chosen)
                self._known.setdefault(name, chosen[name])
        bounds = [series for series in chart.series if series.origin == "bound"]
        return [self._color(series, chosen, len(bounds)) for series in chart.series]

    @staticmethod
    def _free(chosen: dict[str, int]) -> int:
        used = list(chosen.values())
        return min(range(1, SERIES_COUNT + 1), key=lambda color: (used.count(color), color))

    @staticmethod
    def _color(series: Series, chosen: dict[str, int], bounds: int) -> int:
        """Returns the colour of a series. Quoted figures are grey, and so is a bound unless the
        chart has several."""
        if series.origin == "quoted" or (series.origin == "bound" and bounds < 2):
            return 0
        return chosen.get(family(series.name), 0)


def _is_grey(series: Series) -> bool:
    return series.origin in ("bound", "quoted")


def looks(series: Sequence[Series], colors: Sequence[int]) -> list[Look]:
    """Returns the look of each series of a chart, from its colour and origin."""
    found: list[Look] = []
    counts: dict[str, int] = {}
    for one, color in zip(series, colors, strict=True):
        number = counts.get(one.origin, 0)
        counts[one.origin] = number + 1
        found.append(_look(one, color, number, len(found)))
    return found


def _look(series: Series, color: int, number: int, place: int) -> Look:
    origin = series.origin
    dashes = _DASHES[origin]
    marker = _MARKERS[(color - 1 if number < SERIES_COUNT else place) % len(_MARKERS)]
    if origin == "bound":
        dashes = _BOUND_DASHES[number % len(_BOUND_DASHES)]
        marker = "."
    if origin == "quoted":
        marker = _GREY_MARKERS[number % len(_GREY_MARKERS)]
    return Look(
        color=color,
        marker=marker,
        dashes=dashes,
        is_hollow=origin in ("estimate", "projected"),
        has_line=origin != "quoted",
        marker_size=3.0 if origin == "bound" else 6.5 if marker != "D" else 5.6,
        line_width=1.3 if origin == "bound" else 1.8,
        hatch=_HATCHES.get(origin, ""),
    )
