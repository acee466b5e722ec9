# SPDX-License-Identifier: Apache-2.0
"""Files of pictures: sharp, small, and of the colours that were drawn."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from PIL import Image

from ringlet.plots import COLORS, PIXELS_PER_INCH, PIXELS_WIDE, make_figure, save, tidy


def drawn(width: float) -> Figure:
    """Bars, points that shine through each other, and text, in all colours."""
    figure = make_figure(width, 5)
    axes = figure.subplots()
    tidy(axes, "Title", "x", "y")
    for index, color in enumerate(COLORS):
        axes.bar([index], [1 + index], color=color)
        axes.scatter(np.linspace(0, 7, 50), np.linspace(index, 9, 50), color=color, alpha=0.7)
    return figure


@pytest.mark.parametrize("width", [8, 12])
def test_png_is_sharp_and_small(width: float, tmp_path: Path) -> None:
    figure = drawn(width)
    path = tmp_path / "new" / "picture.png"
    save(figure, [path])
    picture = Image.open(path)
    expected = max(PIXELS_WIDE, width * PIXELS_PER_INCH)
    assert picture.mode == "P" and abs(picture.width - expected) <= 1
    full = io.BytesIO()
    figure.savefig(full, format="png", dpi=picture.width / width)
    assert path.stat().st_size < 0.6 * len(full.getvalue())
    before, after = (
        np.asarray(image.convert("RGB")).astype(int) for image in (Image.open(full), picture)
    )
    difference = np.abs(before - after)
    assert difference.max() <= 24 and difference.mean() < 0.5
    colours = {tuple(colour) for colour in after.reshape(-1, 3)}
    for colour in ("#ffffff", *COLORS):
        wanted = np.round(255 * np.array(to_rgb(colour)))
        assert min(np.abs(np.array(list(colours)) - wanted).max(axis=1)) <= 1, colour


def test_the_same_picture_is_the_same_file(tmp_path: Path) -> None:
    for suffix in ("png", "svg"):
        paths = [tmp_path / f"{name}.{suffix}" for name in ("one", "two")]
        for path in paths:
            save(drawn(8), [path])
        assert paths[0].read_bytes() == paths[1].read_bytes()
