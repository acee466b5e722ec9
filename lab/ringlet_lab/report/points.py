# SPDX-License-Identifier: Apache-2.0
"""Makes points of charts from the times of interleaved rounds, and charts of their ratios."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from .model import Axis, Chart, Point, Series


def spread_of(times: Sequence[float]) -> float:
    """Returns (median - minimum) / minimum of at least one positive time."""
    return statistics.median(times) / min(times) - 1


def is_finite(point: Point) -> bool:
    """Returns True if all numbers of the point are finite."""
    numbers = (point.x, point.y, point.median, point.spread)
    return all(math.isfinite(n) for n in numbers if n is not None and not isinstance(n, str))


def time_point(x: float | str, times: Sequence[float], scale: float = 1.0) -> Point:
    """Returns the minimum and the median of times as a point. Each is multiplied by `scale`, for
    example to change the unit."""
    median = statistics.median(times) * scale
    return Point(x, min(times) * scale, median, spread_of(times))


def rate_point(x: float | str, times: Sequence[float], amount: float) -> Point:
    """Returns a rate as a point: `amount` per time, for the shortest and for the median time."""
    median = amount / statistics.median(times)
    return Point(x, amount / min(times), median, spread_of(times))


def ratio_point(x: float | str, baseline: Sequence[float], times: Sequence[float]) -> Point:
    """Returns how many times as fast as the baseline the times are, as a point: by minima and by
    medians."""
    median = statistics.median(baseline) / statistics.median(times)
    spread = max(spread_of(baseline), spread_of(times))
    return Point(x, min(baseline) / min(times), median, spread)


def speed_up_bars(
    name: str, title: str, caption: str, label: str, series: Sequence[Series]
) -> Chart:
    """Returns a chart with bars of ratios, with `label` below their names. `name` is the chart's
    id."""
    axes = Axis(label), Axis("speed-up", "×")
    return Chart(name, title, caption, "bars", *axes, tuple(series), is_lower_better=False)


def x_name(x: float | str) -> str:
    """Returns the x of a point as a part of a name: "add", "4096", "0.0208333"."""
    return x if isinstance(x, str) else str(int(x)) if x == int(x) else f"{x:g}"
