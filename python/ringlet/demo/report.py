# SPDX-License-Identifier: Apache-2.0
"""What the demo prints, checks and draws."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from rich.console import Console
from rich.table import Table

from .. import cpu_info
from ..plots import COLORS, FAINT, INK, make_figure, save, tidy
from .client import PARAMETERS
from .data import sigmoid
from .run import ROUNDS, Outcome

# About ten times what encodings and rescalings at a scale of 2^30 leave behind.
SCORE_ERROR_BOUND = 1e-3
PROBABILITY_ERROR_BOUND = 3e-4

_BENIGN, _MALIGNANT, _LINE = COLORS[0], COLORS[1], COLORS[2]


def find_faults(outcome: Outcome) -> list[str]:
    """What makes the demo fail, one sentence each."""
    faults = []
    if outcome.encrypted_accuracy != outcome.plain_accuracy:
        faults.append(
            f"the encrypted accuracy {outcome.encrypted_accuracy:.4f} is not the plaintext's "
            f"{outcome.plain_accuracy:.4f}"
        )
    for name, errors, bound in (
        ("score", outcome.score_errors, SCORE_ERROR_BOUND),
        ("probability", outcome.probability_errors, PROBABILITY_ERROR_BOUND),
    ):
        # Written so that a NaN fails too.
        if not np.max(errors) <= bound:
            faults.append(f"a {name} is off by {np.max(errors):.2e}, more than {bound:.0e}")
    if not np.abs(outcome.plain_scores).max() <= outcome.task.model.score_range:
        faults.append("a score lies outside of the range of the sigmoid's polynomial")
    if not outcome.comparison.same_bits:
        faults.append(f"the results of {outcome.comparison.baseline} differ in a bit")
    if outcome.device_use and outcome.device_use.blocks_used <= 0:
        faults.append(f"{outcome.device_use.info.name} took part in nothing")
    return faults


def outcome_json(outcome: Outcome) -> dict[str, Any]:
    """The figures of the report: times in milliseconds, sizes in bytes."""
    device = outcome.device_use
    return {
        "passed": not find_faults(outcome),
        "faults": find_faults(outcome),
        "rows": len(outcome.task.rows),
        "accuracy": {"plain": outcome.plain_accuracy, "encrypted": outcome.encrypted_accuracy},
        "largest_error": {
            "score": float(outcome.score_errors.max()),
            "probability": float(outcome.probability_errors.max()),
        },
        "bytes_sent": outcome.bytes_sent,
        "phases_ms": outcome.phases_ms,
        "baseline": {
            "name": outcome.comparison.baseline,
            "ms": min(outcome.comparison.baseline_ms),
            "same_bits": outcome.comparison.same_bits,
        },
        "processor": cpu_info().model,
        "device": None if device is None else device.info.name,
        "kernels": outcome.kernel_names,
        "peak_memory": outcome.peak_memory,
    }


def is_performance(outcome: Outcome) -> bool:
    """False on OpenCL runtimes that use the host's processor: they check results."""
    return outcome.device_use is None or not outcome.device_use.info.is_host_processor


def _size(count: int) -> str:
    return f"{count / 1e6:.2f} MB" if count >= 100_000 else f"{count} bytes"


def _kernels(outcome: Outcome) -> str:
    names = dict.fromkeys(outcome.kernel_names)
    return ", ".join(f"{name} ({outcome.kernel_names.count(name)} primes)" for name in names)


def print_report(console: Console, outcome: Outcome) -> None:
    """Prints all figures."""
    task, comparison = outcome.task, outcome.comparison
    fast, slow = min(comparison.kernels_ms), min(comparison.baseline_ms)
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column()
    table.add_column()

    def section(title: str) -> None:
        table.add_row()
        table.add_row(f"[bold]{title}[/bold]")

    section("Task")
    table.add_row("rows", f"{task.train_count} to train in the clear, {len(task.rows)} encrypted")
    bits = [q.bit_length() for q in PARAMETERS.coeff_modulus]
    table.add_row(
        "parameters",
        f"CKKS, N = {PARAMETERS.degree}, primes of {bits} bits, scale 2^30, "
        f"{PARAMETERS.security} by the table {PARAMETERS.table}",
    )
    section("Result")
    table.add_row("accuracy, plaintext", f"{outcome.plain_accuracy:.4f}")
    table.add_row("accuracy, encrypted", f"{outcome.encrypted_accuracy:.4f}")
    table.add_row(
        "largest error of a score",
        f"{outcome.score_errors.max():.2e} (bound {SCORE_ERROR_BOUND:.0e}; scores reach "
        f"{np.abs(outcome.plain_scores).max():.1f})",
    )
    table.add_row(
        "largest error of the sigmoid",
        f"{outcome.probability_errors.max():.2e} (bound {PROBABILITY_ERROR_BOUND:.0e}), both "
        "against the same computation in float64",
    )
    section("Bytes sent")
    for name, count in outcome.bytes_sent.items():
        table.add_row(name, _size(count))
    section("Milliseconds")
    notes = {
        "server": f" (all rows, until the host has the answers; fastest of {ROUNDS})",
        "warm-up": " (kernels compiled or found on disk, keys moved to the device)",
    }
    for name, elapsed in outcome.phases_ms.items():
        table.add_row(name, f"{elapsed:.1f}{notes.get(name, '')}")
    table.add_row(
        f"the same on {comparison.baseline}",
        f"{slow:.1f} ({slow / fast:.2g} times as long; "
        f"{'the same bits' if comparison.same_bits else 'OTHER BITS'})",
    )
    section("Machine")
    table.add_row("processor", cpu_info().model)
    if outcome.device_use:
        info = outcome.device_use.info
        table.add_row("device of the server", f"{info.name}, {info.description}")
        table.add_row("its API and driver", f"{info.api}, {info.driver_version}")
        table.add_row("its peak memory", f"{outcome.device_use.peak_memory / 1e6:.0f} MB")
    table.add_row("kernels of the transforms", _kernels(outcome))
    table.add_row("peak memory", f"{outcome.peak_memory / 1e6:.0f} MB")
    console.print(table)
    if not is_performance(outcome):
        console.print(
            "Not a performance result: this device is OpenCL on the host's processor.",
            soft_wrap=True,
        )
    console.print()


def draw(outcome: Outcome, paths: Sequence[Path]) -> None:
    """Scores with their errors, the sigmoid, and where the time goes."""
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
    smallest = 1e-9
    axes.scatter(
        outcome.plain_scores,
        np.maximum(outcome.score_errors, smallest),
        s=12,
        color=_LINE,
        alpha=0.7,
        linewidths=0,
    )
    axes.set_yscale("log")
    axes.set_ylim(max(outcome.score_errors.min(), smallest) / 3, SCORE_ERROR_BOUND * 3)
    axes.axhline(SCORE_ERROR_BOUND, color=_MALIGNANT, linewidth=1.2)
    axes.text(
        outcome.plain_scores.min(),
        SCORE_ERROR_BOUND * 0.8,
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
        label=f"polynomial of degree {2 * len(model.odd_coefficients) - 1}",
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
