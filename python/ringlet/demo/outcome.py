# SPDX-License-Identifier: Apache-2.0
"""Measurements of the demo, for its report and its picture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import DeviceInfo
from ..ckks import Parameters
from .data import Task

# Rounds of the comparison; each runs both, and the fastest of each counts.
ROUNDS = 5
# The server is compared with these kernels or, if it computes on a device, with the processor.
BASELINE = "scalar64"


@dataclass(frozen=True)
class Comparison:
    """Times of the server's work, in milliseconds for each round: on the chosen device or kernels,
    and on the baseline."""

    kernels_ms: list[float]
    baseline_ms: list[float]
    same_bits: bool
    baseline: str = BASELINE


@dataclass(frozen=True)
class DeviceUse:
    """Use of the device that computed for the server."""

    info: DeviceInfo
    warm_up_ms: float
    blocks_used: int
    peak_memory: int


@dataclass(frozen=True)
class Outcome:
    """Everything that the report needs."""

    task: Task
    parameters: Parameters
    plain_scores: NDArray[np.float64]
    plain_probabilities: NDArray[np.float64]
    scores: NDArray[np.float64]
    probabilities: NDArray[np.float64]
    phases_ms: dict[str, float]
    comparison: Comparison
    bytes_sent: dict[str, int]
    kernel_names: list[str]
    peak_memory: int
    device_use: DeviceUse | None = None

    @property
    def score_errors(self) -> NDArray[np.float64]:
        return np.abs(self.scores - self.plain_scores)

    @property
    def probability_errors(self) -> NDArray[np.float64]:
        return np.abs(self.probabilities - self.plain_probabilities)

    @property
    def plain_accuracy(self) -> float:
        return float(np.mean((self.plain_scores > 0) == self.task.labels))

    @property
    def encrypted_accuracy(self) -> float:
        return float(np.mean((self.probabilities > 0.5) == self.task.labels))
