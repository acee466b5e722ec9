# SPDX-License-Identifier: Apache-2.0
"""Labels of bars, legends and titles that the pictures of the benchmarks share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Patch
from ringlet.plots import INK

# The hatching of quoted figures, which this run did not measure.
QUOTED = "/////"
# A colour for each instruction set or library; its lighter one is for further kernels.
TABLE_COLORS = {
    "scalar64": ("#7f7f7f", "#a9a9a9"),
    "avx2": ("#009E73", "#6cc9ae"),
    "avx512dq": ("#0072B2", "#62aedb"),
    "ifma52": ("#D55E00", "#f0a26b"),
}


def bar_style(color: str, hatch: str | None) -> dict[str, Any]:
    """Returns the style of a bar: filled for a measured value, white with a hatch for any other."""
    return {
        "color": color if hatch is None else "white",
        "edgecolor": color,
        "hatch": hatch,
        "linewidth": 0.9,
    }


def label_bar(
    axes: Axes, text: str, at: tuple[float, float], *, above: bool = False, **style: Any
) -> None:
    """Writes a number at the end of a horizontal bar, or above a vertical bar."""
    place: dict[str, Any] = {"xytext": (3, 0), "va": "center_baseline"}
    if above:
        place = {"xytext": (0, 2.5), "ha": "center", "va": "bottom"}
    options = {"textcoords": "offset points", "fontsize": 7.5, "color": INK, **place, **style}
    axes.annotate(text, at, **options)


def name_bars(axes: Axes, names: Sequence[str], size: float = 8) -> None:
    """Writes the names of horizontal bars, with the first bar on top."""
    axes.grid(False, axis="y")
    axes.set_yticks(range(len(names)), list(names))
    axes.tick_params(axis="y", length=0, labelsize=size)
    axes.invert_yaxis()


def value_axis(axes: Axes, ticks: Sequence[float]) -> None:
    """Makes the y axis logarithmic and labels it with plain numbers."""
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    shown = [tick for tick in ticks if low <= tick <= high]
    axes.set_yticks(shown, [f"{tick:g}" for tick in shown])
    axes.yaxis.set_minor_formatter("")


def hatched(label: str, color: str, hatch: str = QUOTED) -> Patch:
    return Patch(facecolor="white", edgecolor=color, hatch=hatch, label=label)


def legend_below(figure: Any, handles: Sequence[Any], size: float = 9, columns: int = 0) -> None:
    figure.legend(
        handles=handles, loc="outside lower center", ncols=columns or len(handles), fontsize=size,
        frameon=False,
    )  # fmt: skip


def legend_beside(axes: Axes, lines: Sequence[Any] | None = None, size: float = 8) -> None:
    handles = {} if lines is None else {"handles": lines}
    axes.legend(
        **handles, fontsize=size, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5)
    )


def heading(figure: Any, text: str, size: float = 12) -> None:
    figure.suptitle(text, fontsize=size, color=INK)
