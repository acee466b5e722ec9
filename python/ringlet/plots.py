# SPDX-License-Identifier: Apache-2.0
"""What all pictures share: colours, fonts, grid, and drawing without a display."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from .files import write_atomically

# Colours that stay apart for colour-blind readers (Okabe and Ito).
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
INK = "#222222"
FAINT = "#8a8a8a"


def make_figure(width: float, height: float) -> Figure:
    """An empty figure on the Agg canvas; sizes in inches."""
    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def tidy(axes: Axes, title: str, x_label: str, y_label: str) -> None:
    """The common look of one panel."""
    axes.set_title(title, loc="left", fontsize=11, color=INK, fontweight="bold")
    axes.set_xlabel(x_label, fontsize=9.5, color=INK)
    axes.set_ylabel(y_label, fontsize=9.5, color=INK)
    axes.tick_params(labelsize=8.5, colors=INK)
    axes.grid(True, which="major", color="#dddddd", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def degree_axis(axes: Axes, degrees: Sequence[int]) -> None:
    """A logarithmic axis that shows each degree by its value."""
    axes.set_xscale("log", base=2)
    axes.set_xticks(list(degrees), [str(degree) for degree in degrees])
    axes.minorticks_off()


def save(figure: Figure, paths: Sequence[Path]) -> None:
    """Writes the picture in the format of each path's suffix; makes folders if need be."""
    for path in paths:
        content = io.BytesIO()
        # Without a date and with fixed names, the same picture is the same file.
        metadata = {"Date": None} if path.suffix == ".svg" else None
        with matplotlib.rc_context({"svg.hashsalt": "ringlet"}):
            figure.savefig(content, format=path.suffix[1:], dpi=150, metadata=metadata)
        write_atomically(path, content.getvalue())
