# SPDX-License-Identifier: Apache-2.0
"""Range and ticks of the axes in a report's pictures."""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from matplotlib.ticker import MaxNLocator

from .charts_text import TEXT_SIZE, power_text, short_number, text_width
from .model import Scale

# Free space beyond the outermost values, as a share of the axis.
_MARGIN = 0.04
_LARGEST_PLAIN_POWER = 2**17
_SMALLEST, _LARGEST = sys.float_info.min, sys.float_info.max
# A linear axis that is shorter cannot be divided into steps.
_SHORTEST = 1e-290


@dataclass(frozen=True)
class Span:
    """An axis from `low` to `high` with labelled ticks in ascending order. `scale` is the drawn
    scale, which is linear if a value is not positive."""

    scale: Scale
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]

    def position(self, value: float) -> float:
        """Returns the position of a value on the axis, from 0 to 1."""
        if self.scale == "linear":
            return (value - self.low) / (self.high - self.low)
        return (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))


def _base(scale: Scale) -> int:
    return 2 if scale == "log2" else 10


def drawn_scale(scale: Scale, values: Sequence[float]) -> Scale:
    """Returns the axis' scale, or "linear" if a value has no logarithm or is too small for full
    precision."""
    return scale if scale == "linear" or min(values) >= _SMALLEST else "linear"


def _thin(items: Sequence[int], most: int) -> list[int]:
    """Keeps every n-th of consecutive whole numbers, with the smallest n that leaves at most
    `most`. All kept numbers are multiples of n, so that the steps look regular."""
    if len(items) < 2:
        return list(items)
    for step in (1, 2, 3, 4, 5, 10, 20, 50, 100, 200, 500):
        kept = [item for item in items if item % step == 0]
        if 2 <= len(kept) <= most:
            return kept
    return [items[0], items[-1]]


def _written(values: Sequence[float]) -> list[str]:
    """Returns the values as texts with the fewest digits that change no value by more than a
    hundredth of a step."""
    steps = [b - a for a, b in itertools.pairwise(values)]
    slack = min(steps, default=max(map(abs, values), default=0.0)) / 100
    for digits in range(3, 18):
        if all(abs(float(f"{value:.{digits - 1}e}") - value) <= slack for value in values):
            break
    return [short_number(value, digits) for value in values]


def _linear_ticks(low: float, high: float, most: int) -> list[tuple[float, str]]:
    locator = MaxNLocator(nbins=max(1, most - 1), steps=[1, 2, 2.5, 5, 10])
    reach = (high - low) * 1e-9
    found = [float(t) for t in locator.tick_values(low, high) if low - reach <= t <= high + reach]
    # A computed zero may be a tiny number.
    values = [0.0 if abs(value) < (high - low) * 1e-9 else value for value in found]
    return list(zip(values, _aligned(_written(values)), strict=True))


def _aligned(texts: list[str]) -> list[str]:
    """Gives all decimals the same number of decimal places. Zero is unchanged, and so are all texts
    if one is not a plain decimal."""
    if not all(re.fullmatch(r"−?\d+(\.\d+)?", text) for text in texts):
        return texts
    places = max((len(text.partition(".")[2]) for text in texts), default=0)
    if places == 0:
        return texts
    return [
        text if text == "0" else f"{text}{'' if '.' in text else '.'}".ljust(
            len(text.partition(".")[0]) + 1 + places, "0"
        )
        for text in texts
    ]  # fmt: skip


def _power_ticks(base: int, low: float, high: float, most: int) -> list[tuple[float, str]]:
    first = math.ceil(math.log(low, base) - 1e-9)
    last = math.floor(min(math.log(high, base) + 1e-9, math.log(_LARGEST, base) - 1e-9))
    exponents = _thin(range(first, last + 1), most) if first <= last else []
    values = [float(base) ** exponent for exponent in exponents]
    if base == 2:
        plain = all(1 <= value <= _LARGEST_PLAIN_POWER for value in values)
    else:
        plain = all(1e-3 <= value < 1e7 for value in values)
    if not plain:
        texts = [power_text(base, exponent) for exponent in exponents]
    elif base == 2:
        texts = [str(round(value)) for value in values]
    else:
        texts = [short_number(value) for value in values]
    return list(zip(values, texts, strict=True))


def _decimal_steps(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """Returns ticks at 1, 2 and 5 times powers of ten, or with more or fewer steps. It takes the
    fewest steps that give four ticks, or as many as fit. If there are more decades than `most`, it
    returns no ticks."""
    if math.log10(high) - math.log10(low) > most:
        return []
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    found: list[float] = []
    for steps in ((1,), (1, 3), (1, 2, 5), (1, 2, 3, 5), (1, 1.5, 2, 3, 4, 5, 7)):
        values = [float(f"{step}e{decade}") for decade in decades for step in steps]
        values = [value for value in values if low <= value <= high]
        if len(found) < 4 and len(values) <= most:
            found = values
    return list(zip(found, _written(found), strict=True))


def _logarithmic_ticks(scale: Scale, low: float, high: float, most: int) -> list[tuple[float, str]]:
    base = _base(scale)
    ticks = _power_ticks(base, low, high, most)
    if base == 10 and len(ticks) < 4:
        ticks = max(ticks, _decimal_steps(low, high, most), key=len)
    if len(ticks) < 2 and low * base**2 > high:
        ticks = max(ticks, _linear_ticks(low, high, most), key=len)
    return ticks


def _widened(scale: Scale, low: float, high: float) -> tuple[float, float]:
    """Returns a range wide enough for values that are nearly equal. A logarithmic range spans at
    least a factor of four. Without a zero for comparison, small differences would look large."""
    if scale != "linear":
        if low < high / 2:
            return low, high
        middle = math.exp((math.log(low) + math.log(high)) / 2)
        least, most = max(middle, _SMALLEST * 2) / 2, min(middle, _LARGEST / 2) * 2
        return min(least, low), max(most, high)
    if high - low >= _SHORTEST:
        return low, high
    reach = abs(low) / 2 if abs(low) >= _SHORTEST else 1.0
    return low - reach, high + reach


def value_span(scale: Scale, values: Sequence[float], most: int, from_zero: bool = True) -> Span:
    """Returns the span of values. A linear span starts at 0 if no value is negative and `from_zero`
    is True. `most` is the number of ticks that fit."""
    scale = drawn_scale(scale, values)
    low, high = min(values), max(values)
    if scale != "linear":
        low, high = _widened(scale, low, high)
        margin = math.exp(_MARGIN * (math.log(high) - math.log(low)))
        low, high = max(low / margin, _SMALLEST), min(high, _LARGEST / margin) * margin
        return Span(scale, low, high, tuple(_logarithmic_ticks(scale, low, high, most)))
    if from_zero:
        low, high = min(low, 0.0), max(high, 0.0)
        high = 1.0 if low == high else high
    low, high = _widened(scale, low, high)
    margin = (high - low) * _MARGIN
    low = low - margin if low < 0 or not from_zero else low
    high = high + margin if high > 0 or not from_zero else high
    return Span(scale, low, high, tuple(_linear_ticks(low, high, most)))


def bar_span(scale: Scale, values: Sequence[float], most: int) -> Span:
    """Returns the span of bars. A logarithmic span starts at a power of ten or two well below the
    smallest value. Otherwise the smallest bar would have no length."""
    scale = drawn_scale(scale, values)
    if scale == "linear":
        return value_span(scale, values, most)
    base, least = _base(scale), min(values)
    start = max(float(base) ** math.floor(math.log(least, base) - 0.2), _SMALLEST)
    return dataclasses.replace(value_span(scale, [start, *values], most), low=start)


def place_span(scale: Scale, places: Sequence[float], most: int) -> Span:
    """Returns the span of an x axis. If the places are few and small whole numbers, or powers of
    two, they are its ticks."""
    span = value_span(scale, places, most, from_zero=False)
    distinct = sorted(set(places))
    is_whole = all(place == int(place) and abs(place) < 1e4 for place in distinct)
    if span.scale == "linear" and is_whole and len(distinct) <= most:
        ticks = tuple((place, short_number(place, 4)) for place in distinct)
        return Span(span.scale, span.low, span.high, ticks)
    return span


def fitting_span(make: Callable[[int], Span], length: float, gap: float) -> Span:
    """Returns the span that `make` gives for the largest number of ticks whose texts fit on an axis
    of `length` pixels, at least `gap` pixels apart."""
    for most in range(16, 1, -1):
        span = make(most)
        if _has_room(span, length, gap):
            return span
    return make(2)


def _has_room(span: Span, length: float, gap: float) -> bool:
    ends = -math.inf
    for tick, text in span.ticks:
        middle, half = span.position(tick) * length, text_width(text, TEXT_SIZE) / 2
        if middle - half < ends + gap:
            return False
        ends = middle + half
    return True
