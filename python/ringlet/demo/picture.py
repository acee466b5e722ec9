# SPDX-License-Identifier: Apache-2.0
"""Picture of the demo."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from ..plots import COLORS, FAINT, INK, make_figure, save, tidy
from .data import sigmoid
from .outcome import Outcome
from .report import ERROR_BOUND, is_performance

_BENIGN, _MALIGNANT, _LINE = COLORS[0], COLORS[1], COLORS[2]


def draw(outcome: Outcome, paths: Sequence[Path]) -> None:
    """Draws the scores with their errors, the sigmoid, and the time of each phase."""
    figure = make_figure(12, 7)
    grid = figure.add_gridspec(2, 2, height_ratios=[3, 2])
    _draw_scores(figure.add_subplot(grid[0, 0]), outcome)
    _draw_sigmoid(figure.add_subplot(grid[0, 1]), outcome)
    _draw_errors(figure.add_subplot(grid[1, 0]), outcome)
    _draw_times(figure.add_subplot(grid[1, 1]), outcome)
    figure.suptitle(
        f"{len(outcome.task.rows)} tumours classified under encryption: accuracy "
        f"{outcome.encrypted_accuracy:.1%}, in the clear {outcome.plain_accuracy:.1%}",
        fontsize=14,
        color=INK,
    )
    save(figure, paths)


def _draw_scores(axes: Axes, outcome: Outcome) -> None:
    reach = 1.08 * np.abs(outcome.plain_scores).max()
    axes.plot([-reach, reach], [-reach, reach], color=FAINT, linewidth=1, zorder=1)
    for name, members, color in _classes(outcome):
        axes.scatter(
            outcome.plain_scores[members],
            outcome.scores[members],
            s=18,
            color=color,
            alpha=0.7,
            linewidths=0,
            label=name,
            zorder=2,
        )
    axes.axhline(0, color=FAINT, linewidth=0.8, linestyle=":")
    axes.axvline(0, color=FAINT, linewidth=0.8, linestyle=":")
    tidy(axes, "Scores", "computed in float64", "computed under encryption")
    axes.legend(fontsize=9, frameon=False, loc="upper left", title="truth", title_fontsize=9)


def _draw_errors(axes: Axes, outcome: Outcome) -> None:
    smallest = 1e-12
    axes.scatter(
        outcome.plain_scores,
        np.maximum(outcome.score_errors, smallest),
        s=12,
        color=_LINE,
        alpha=0.7,
        linewidths=0,
    )
    axes.set_yscale("log")
    axes.set_ylim(max(outcome.score_errors.min(), smallest) / 3, ERROR_BOUND * 3)
    axes.axhline(ERROR_BOUND, color=_MALIGNANT, linewidth=1.2)
    axes.text(
        outcome.plain_scores.min(),
        ERROR_BOUND * 0.8,
        "stated bound",
        color=_MALIGNANT,
        fontsize=8.5,
        va="top",
    )
    tidy(axes, "Error of each score", "score in float64", "absolute error")


def _draw_sigmoid(axes: Axes, outcome: Outcome) -> None:
    model = outcome.task.model
    x = np.linspace(-model.score_range, model.score_range, 600)
    axes.plot(x, sigmoid(x), color=INK, linewidth=1.4, label="sigmoid", zorder=1)
    axes.plot(
        x,
        model.polynomial(x),
        color=FAINT,
        linewidth=1.4,
        linestyle="--",
        zorder=1,
        label=f"polynomial of degree {len(model.coefficients) - 1}",
    )
    for name, members, color in _classes(outcome):
        axes.scatter(
            outcome.scores[members],
            outcome.probabilities[members],
            s=16,
            color=color,
            alpha=0.7,
            linewidths=0,
            zorder=2,
            label=f"decrypted, {name}",
        )
    axes.axhline(0.5, color=FAINT, linewidth=0.8, linestyle=":")
    tidy(axes, "Probability", "decrypted score", "decrypted probability (benign)")
    axes.legend(fontsize=8.5, frameon=False, loc="upper left")


def _classes(outcome: Outcome) -> list[tuple[str, np.ndarray, str]]:
    labels = outcome.task.labels
    return [("benign", labels, _BENIGN), ("malignant", ~labels, _MALIGNANT)]


def _draw_times(axes: Axes, outcome: Outcome) -> None:
    comparison = outcome.comparison
    kernels = " + ".join(dict.fromkeys(name.split("/")[0] for name in outcome.kernel_names))
    phases = outcome.phases_ms
    bars = [
        ("client: make keys", phases["make keys"], FAINT),
        ("client: encrypt", phases["encrypt"], FAINT),
        (f"server on {kernels}", min(comparison.kernels_ms), _LINE),
        (f"server on {comparison.baseline}", min(comparison.baseline_ms), COLORS[4]),
        ("client: decrypt", phases["decrypt"], FAINT),
    ]
    positions = np.arange(len(bars))[::-1]
    widths = [width for _, width, _ in bars]
    axes.barh(positions, widths, color=[color for _, _, color in bars], height=0.65)
    for position, width in zip(positions, widths, strict=True):
        axes.text(width, position, f" {width:.1f} ms", va="center", fontsize=9, color=INK)
    axes.set_yticks(positions, [name for name, _, _ in bars])
    axes.set_xlim(0, 1.2 * max(widths))
    title = "Time" if is_performance(outcome) else "Time (not a performance result)"
    tidy(axes, title, "milliseconds" + (", one core" if outcome.device_use is None else ""), "")
    axes.grid(False, axis="y")
