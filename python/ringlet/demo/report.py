# SPDX-License-Identifier: Apache-2.0
"""Report of the demo: prints and checks its result."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from .. import cpu_info
from .data import sigmoid
from .outcome import ROUNDS, Outcome
from .server import PRECISION_BITS

ERROR_BOUND = 2.0**-PRECISION_BITS


def find_faults(outcome: Outcome) -> list[str]:
    """Returns the faults that make the demo fail, one sentence each."""
    faults = []
    if outcome.encrypted_accuracy != outcome.plain_accuracy:
        faults.append(
            f"the encrypted accuracy {outcome.encrypted_accuracy:.4f} is not the plaintext's "
            f"{outcome.plain_accuracy:.4f}"
        )
    # Conditions are written so that a NaN fails too.
    for name, errors in (
        ("score", outcome.score_errors),
        ("probability", outcome.probability_errors),
    ):
        if not np.max(errors) <= ERROR_BOUND:
            faults.append(f"a {name} is off by {np.max(errors):.2e}, more than {ERROR_BOUND:.0e}")
    if not np.abs(outcome.probabilities - 0.5).max() <= 0.5 + ERROR_BOUND:
        faults.append("a probability lies outside of [0, 1]")
    ordered = outcome.probabilities[np.argsort(outcome.plain_scores)]
    if not np.max(np.maximum.accumulate(ordered) - ordered) <= 2 * ERROR_BOUND:
        faults.append("the order of the probabilities is not that of the scores")
    if not np.abs(outcome.plain_scores).max() <= outcome.task.model.score_range:
        faults.append("a score lies outside of the range of the sigmoid's polynomial")
    if not outcome.comparison.same_bits:
        faults.append(f"the results of {outcome.comparison.baseline} differ in a bit")
    if outcome.device_use and outcome.device_use.blocks_used <= 0:
        faults.append(f"{outcome.device_use.info.name} took part in nothing")
    return faults


def outcome_json(outcome: Outcome) -> dict[str, Any]:
    """Returns the figures of the report: times in milliseconds, sizes in bytes."""
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
    """Returns False for OpenCL runtimes on the host's processor: they only check results."""
    return outcome.device_use is None or not outcome.device_use.info.is_host_processor


def _size(count: int) -> str:
    return f"{count / 1e6:.2f} MB" if count >= 100_000 else f"{count} bytes"


def _kernels(outcome: Outcome) -> str:
    names = dict.fromkeys(outcome.kernel_names)
    return ", ".join(f"{name} ({outcome.kernel_names.count(name)} primes)" for name in names)


def print_report(console: Console, outcome: Outcome) -> None:
    """Prints all figures."""
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column()
    table.add_column()
    _add_result(table, outcome)
    _add_costs(table, outcome)
    console.print(table)
    if not is_performance(outcome):
        console.print(
            "Not a performance result: this device is OpenCL on the host's processor.",
            soft_wrap=True,
        )
    console.print()


def _add_section(table: Table, title: str) -> None:
    table.add_row()
    table.add_row(f"[bold]{title}[/bold]")


def _add_result(table: Table, outcome: Outcome) -> None:
    task = outcome.task
    _add_section(table, "Task")
    table.add_row("rows", f"{task.train_count} to train in the clear, {len(task.rows)} encrypted")
    chosen = outcome.parameters
    bits = [q.bit_length() for q in chosen.coeff_modulus]
    table.add_row(
        "parameters",
        f"chosen for results of {PRECISION_BITS} bits: CKKS, N = {chosen.degree}, primes of {bits} "
        f"bits, scale 2^{np.log2(chosen.scale):.0f}, {chosen.security} by the table {chosen.table}",
    )
    _add_section(table, "Result")
    table.add_row("accuracy, plaintext", f"{outcome.plain_accuracy:.4f}")
    table.add_row("accuracy, encrypted", f"{outcome.encrypted_accuracy:.4f}")
    table.add_row(
        "largest error of a score",
        f"{outcome.score_errors.max():.2e} (bound {ERROR_BOUND:.0e}; scores reach "
        f"{np.abs(outcome.plain_scores).max():.1f})",
    )
    table.add_row(
        "largest error of a probability",
        f"{outcome.probability_errors.max():.2e} (bound {ERROR_BOUND:.0e}), both against the same "
        "computation in float64",
    )
    distance = np.abs(outcome.plain_probabilities - sigmoid(outcome.plain_scores)).max()
    table.add_row("polynomial to sigmoid", f"{distance:.3f} apart at most on these scores")


def _add_costs(table: Table, outcome: Outcome) -> None:
    comparison = outcome.comparison
    fast, slow = min(comparison.kernels_ms), min(comparison.baseline_ms)
    _add_section(table, "Bytes sent")
    for name, count in outcome.bytes_sent.items():
        table.add_row(name, _size(count))
    _add_section(table, "Milliseconds")
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
    _add_section(table, "Machine")
    table.add_row("processor", cpu_info().model)
    if outcome.device_use:
        info = outcome.device_use.info
        table.add_row("device of the server", f"{info.name}, {info.description}")
        table.add_row("its API and driver", f"{info.api}, {info.driver_version}")
        table.add_row("its peak memory", f"{outcome.device_use.peak_memory / 1e6:.0f} MB")
    table.add_row("kernels of the transforms", _kernels(outcome))
    table.add_row("peak memory", f"{outcome.peak_memory / 1e6:.0f} MB")
