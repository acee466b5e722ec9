# SPDX-License-Identifier: Apache-2.0
"""Colours, fonts, grid and saving of all pictures; no display is needed."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from .files import write_atomically

# Colours that stay apart for colour-blind readers (Okabe and Ito).
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
INK = "#222222"
FAINT = "#8a8a8a"

# The least pixels an inch and the least width of a PNG, sharp on a screen of high resolution.
PIXELS_PER_INCH = 150
PIXELS_WIDE = 1600


def make_figure(width: float, height: float) -> Figure:
    """Returns an empty figure on the Agg canvas. width and height are in inches."""
    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def tidy(axes: Axes, title: str, x_label: str, y_label: str) -> None:
    """Gives a panel the common look: title, labels, grid."""
    axes.set_title(title, loc="left", fontsize=11, color=INK, fontweight="bold")
    axes.set_xlabel(x_label, fontsize=9.5, color=INK)
    axes.set_ylabel(y_label, fontsize=9.5, color=INK)
    axes.tick_params(labelsize=8.5, colors=INK)
    axes.grid(True, which="major", color="#dddddd", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def degree_axis(axes: Axes, degrees: Sequence[int]) -> None:
    """Makes the x axis logarithmic, with each degree labelled by its value."""
    axes.set_xscale("log", base=2)
    axes.set_xticks(list(degrees), [str(degree) for degree in degrees])
    axes.minorticks_off()


def save(figure: Figure, paths: Sequence[Path]) -> None:
    """Writes the picture to each path, in the format of its suffix. Missing folders are created."""
    for path in paths:
        write_atomically(path, _png(figure) if path.suffix == ".png" else _vectors(figure, path))


def _png(figure: Figure) -> bytes:
    """Returns the picture as PNG with 256 colours. It looks the same and has half the bytes."""
    resolution = max(PIXELS_PER_INCH, PIXELS_WIDE / figure.get_figwidth())
    drawn, content = io.BytesIO(), io.BytesIO()
    figure.savefig(drawn, format="png", dpi=resolution)
    # Only this method of Pillow keeps white and the colours of lines and bars exactly.
    colours = Image.Quantize.MAXCOVERAGE
    picture = Image.open(drawn).convert("RGB").quantize(256, colours, dither=Image.Dither.NONE)
    picture.save(content, format="PNG", optimize=True)
    return content.getvalue()


def _vectors(figure: Figure, path: Path) -> bytes:
    """Returns the picture as SVG or PDF, without a date and with fixed names. Equal pictures give
    equal bytes."""
    content = io.BytesIO()
    metadata = {"Date": None} if path.suffix == ".svg" else None
    with matplotlib.rc_context({"svg.hashsalt": "ringlet"}):
        figure.savefig(content, format=path.suffix[1:], dpi=PIXELS_PER_INCH, metadata=metadata)
    return content.getvalue()
