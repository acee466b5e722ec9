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
# The paper's split: recursions of the card before and after its products.
_PAPER_SPLIT = (3, 5)

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


def recursion_bars(study: dict[str, Any]) -> list[Bar]:
    """Returns the measured splits of the study that change one number of the paper's split."""
    return [
        (f"{row['pre']} before, {row['post']} after",
         row["software_pre_us"], row["ideal_us"], row["software_post_us"])
        for row in study["rows"]
        if (row["pre"] == _PAPER_SPLIT[0] or row["post"] == _PAPER_SPLIT[1])
        and row.get("software_pre_us") is not None and row.get("software_post_us") is not None
    ]  # fmt: skip


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
    other numbers of recursions on the card, for four encryptions."""
    panels = [("One component of n encryptions", encryption_bars(hardware))]
    recursions = recursion_bars(study) if study is not None else []
    if recursions:
        title = "Recursions on the card, four encryptions; the host's recursions alone"
        panels.append((title, recursions))
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
