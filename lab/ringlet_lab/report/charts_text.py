# SPDX-License-Identifier: Apache-2.0
"""Names and numbers as the page shows them: cleaned, measured, wrapped and rounded."""

from __future__ import annotations

import contextlib
import functools
import math
import re
import unicodedata
import warnings
from collections.abc import Iterator

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from .model import Axis

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_MEASURED_SIZE = 100
NARROW_SPACE = "\u202f"
# Pixels of all text in pictures, and of a line: some fonts' boxes are 1.4 times as high.
TEXT_SIZE = 13
LINE_HEIGHT = 20


def clean(text: str) -> str:
    """Returns the text on one line. Characters that cannot be printed, or would change the
    direction of reading, become the replacement character."""
    spaced = " ".join(str(text).split())
    return "".join(c if c == " " or c.isprintable() else "\ufffd" for c in spaced)


def shorten(text: str, most: int = 60) -> str:
    """Returns the cleaned text. A text of more than `most` characters is cut and ends in an
    ellipsis."""
    whole = clean(text)
    return whole if len(whole) <= most else whole[: most - 1].rstrip() + "…"


def axis_text(axis: Axis) -> str:
    """Returns label and unit in one line."""
    label, unit = clean(axis.label), clean(axis.unit)
    return f"{label} ({unit})" if label and unit else label or unit


@contextlib.contextmanager
def missing_glyphs_allowed() -> Iterator[None]:
    """Suppresses matplotlib's warnings of missing glyphs: the reader's browser has fonts with them.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


@functools.lru_cache(maxsize=4096)
def _measured_width(text: str) -> float:
    font = FontProperties(family="DejaVu Sans", size=_MEASURED_SIZE)
    with missing_glyphs_allowed():
        return float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0])


def text_width(text: str, size: float) -> float:
    """Returns the width in pixels of a cleaned text in DejaVu Sans of `size` pixels. Except for
    some letters, this font is wider than the usual fonts of a page. It lacks East Asian characters,
    which count as full squares."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    narrow = "".join(c for c in text if unicodedata.east_asian_width(c) not in "WF")
    measured = _measured_width(narrow) * size / _MEASURED_SIZE
    return measured + size * (1.05 * wide + 0.12 * sum(c in "W%@" for c in text))


def _cut(text: str, width: float, size: float) -> str:
    """Returns the longest start of the text that fits, at least one character."""
    end = 1
    while end < len(text) and text_width(text[: end + 1], size) <= width:
        end += 1
    return text[:end]


def wrap(text: str, width: float, size: float, most_lines: int) -> list[str]:
    """Returns lines of at most `width` pixels. Words too long for a line are cut. A text that needs
    more than `most_lines` lines ends in an ellipsis."""
    lines: list[str] = []
    rest = clean(text)
    while rest:
        line = _cut(rest, width, size)
        if len(line) < len(rest):
            space = (line + rest[len(line)]).rfind(" ")
            line = line[:space] if space > 0 else line
        rest = rest[len(line) :].lstrip()
        lines.append(line.rstrip())
        if rest and len(lines) == most_lines:
            kept = lines[-1]
            while len(kept) > 1 and text_width(kept + "…", size) > width:
                kept = kept[:-1]
            lines[-1] = kept.rstrip() + "…"
            break
    return lines


def power_text(base: int, exponent: int) -> str:
    """Returns a power in one line, such as 2¹⁰. Powers with exponent 0 or 1 are plain numbers."""
    if exponent in (0, 1):
        return str(base**exponent)
    return f"{base}{str(exponent).translate(_SUPERSCRIPTS)}"


def _scientific(value: float, digits: int) -> str:
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    power = power_text(10, int(exponent))
    return power if mantissa == "1" else f"{mantissa}·{power}"


def number_text(value: float, digits: int = 4) -> str:
    """Returns a number for a table: whole numbers up to a billion in full, others with `digits`
    significant digits. Very large and very small numbers have a power of ten."""
    if value == 0:
        return "0"
    sign = "−" if value < 0 else ""
    size = abs(value)
    if size < 1e9 and size == int(size):
        return sign + f"{int(size):,}".replace(",", NARROW_SPACE)
    # The exponent of the rounded number: 9.9996 becomes 10.00, with one digit more.
    exponent = int(f"{size:.{digits - 1}e}".split("e")[1])
    if exponent < -4 or exponent >= 6:
        return sign + _scientific(size, digits)
    return sign + f"{size:,.{max(0, digits - 1 - exponent)}f}".replace(",", NARROW_SPACE)


def short_number(value: float, digits: int = 3) -> str:
    """Returns a number for a picture, with k, M, G or T for thousands, millions and so on."""
    if value == 0:
        return "0"
    sign = "−" if value < 0 else ""
    rounded = float(f"{abs(value):.{digits - 1}e}")
    if rounded < 1e-3 or rounded >= 1e15:
        return sign + _scientific(rounded, digits)
    if rounded < 1e4:
        return sign + _decimal(rounded, digits)
    for factor, prefix in _PREFIXES:
        if rounded >= factor:
            return f"{sign}{_decimal(rounded / factor, digits)}{NARROW_SPACE}{prefix}"
    raise AssertionError("a number from 10000 has a prefix")


def _decimal(value: float, digits: int) -> str:
    """Returns a number without an exponent and without zeros at the end."""
    places = max(0, digits - 1 - math.floor(math.log10(value)))
    text = f"{value:.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def x_text(x: float | str) -> str:
    """Returns a place on the x axis as text for a table."""
    if isinstance(x, str):
        return clean(x)
    text = number_text(x, 6)
    return text.rstrip("0").rstrip(".") if re.fullmatch(r"−?\d+\.\d+", text) else text
