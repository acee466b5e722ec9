# SPDX-License-Identifier: Apache-2.0
"""The picture of how host and card share one component of n encryptions: the host's part measured,
the card's modelled from simulated cycles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from ringlet.plots import COLORS, make_figure, tidy

from ..drawing import bar_style, hatched, label_bar, legend_below, name_bars
from ..output import number
from .quoted import PAPER_MACHINE, PAPER_TIMES

_BEFORE, _CARD, _AFTER, _PAPER = COLORS[0], COLORS[1], COLORS[2], "#7f7f7f"
_MODELLED = "...."
# The paper's split: recursions of the card before and after its products; its largest degree.
_PAPER_SPLIT = (3, 5)
_PAPER_DEGREE = 2560

# The name of a bar; microseconds of the host before the card, of card and link, of the host after.
Bar = tuple[str, float, float, float]


def encryption_bars(hardware: dict[str, Any]) -> list[Bar]:
    """Returns a bar for each number of encryptions of the paper's accelerator."""
    bars = []
    for run in (r for top in hardware["tops"] if top["name"] == "faithful" for r in top["runs"]):
        host = run["software_us"]
        card = run["modelled_us"]["total_ideal"] - sum(host.values())
        after = host["post"] + host["reduce"]
        bars.append((f"n = {run['encryptions']}", host["pre"], card, after))
    return bars


def _study_bar(name: str, row: dict[str, Any]) -> Bar:
    return name, row["software_pre_us"], row["ideal_us"], row["software_post_us"]


def _measured(study: dict[str, Any]) -> list[dict[str, Any]]:
    sides = ("software_pre_us", "software_post_us")
    return [row for row in study["rows"] if all(row.get(side) is not None for side in sides)]


def recursion_bars(study: dict[str, Any]) -> list[Bar]:
    """Returns the measured splits of the study that change one number of the paper's split."""
    return [
        _study_bar(f"{row['pre']} before, {row['post']} after", row)
        for row in _measured(study)
        if (row["pre"] == _PAPER_SPLIT[0] or row["post"] == _PAPER_SPLIT[1])
        and row["degree"] == _PAPER_DEGREE
    ]


def degree_bars(study: dict[str, Any]) -> list[Bar]:
    """Returns the paper's split for each measured degree of the ring; none if there is only one."""
    rows = [row for row in _measured(study) if (row["pre"], row["post"]) == _PAPER_SPLIT]
    rows.sort(key=lambda row: row["degree"])
    return [_study_bar(f"{row['degree']:,}", row) for row in rows] if len(rows) > 1 else []


def _draw_bars(axes: Axes, title: str, bars: Sequence[Bar], quoted: Sequence[float] = ()) -> None:
    for y, (_, *parts) in enumerate(bars):
        before, card, after = parts
        axes.barh(y, before, 0.7, **bar_style(_BEFORE, None))
        axes.barh(y, card, 0.7, left=before, **bar_style(_CARD, _MODELLED))
        axes.barh(y, after, 0.7, left=before + card, **bar_style(_AFTER, None))
        end = sum(parts)
        if y < len(quoted):
            axes.plot([quoted[y]] * 2, [y - 0.42, y + 0.42], color=_PAPER, linewidth=2)
            end = max(end, quoted[y])
        text = f"{' + '.join(map(number, parts))} = {number(sum(parts))}"
        label_bar(axes, text, (end, y))
    tidy(axes, title, "microseconds", "")
    axes.set_xlim(0, 1.6 * max(sum(bar[1:]) for bar in bars))
    name_bars(axes, [bar[0] for bar in bars])


def draw_split(hardware: dict[str, Any], study: dict[str, Any] | None, core: str) -> Figure:
    """Draws the parts of host and card for 1 to 4 encryptions. A study with measured times adds
    other numbers of recursions on the card and other degrees, for four encryptions."""
    panels = [("One component of n encryptions", encryption_bars(hardware))]
    for title, bars_of in (
        ("Recursions on the card, four encryptions; the host's recursions alone", recursion_bars),
        ("Degree of the ring, four encryptions; the host's recursions alone", degree_bars),
    ):
        if study is not None and (bars := bars_of(study)):
            panels.append((title, bars))
    figure = make_figure(9.0, 1.4 + 0.36 * sum(len(bars) + 2 for _, bars in panels))
    heights = [len(bars) for _, bars in panels]
    axes = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights).flat
    for i, (place, (title, bars)) in enumerate(zip(axes, panels, strict=True)):
        quoted = PAPER_TIMES["the paper's co-design"] if i == 0 else ()
        _draw_bars(place, title, bars, quoted)
    handles = [
        Patch(facecolor=_BEFORE, label="host before"),
        hatched("card and link at 3,000 MiB/s, modelled", _CARD, _MODELLED),
        Patch(facecolor=_AFTER, label="host after"),
        Patch(facecolor=_PAPER, label=f"line: the whole, quoted ({PAPER_MACHINE})"),
    ]
    legend_below(figure, handles, 7.5, 2)
    figure.suptitle(f"Host and card, {core}", fontsize=11.5)
    return figure
