# SPDX-License-Identifier: Apache-2.0
"""How rows lie in the slots; both sides know it.

A ciphertext holds BLOCKS blocks of rows_per_ciphertext slots: block f is feature f of all its rows.
The scores of all rows of a ciphertext then take log2(BLOCKS) rotations.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# The smallest power of two that is not below the 30 features.
BLOCKS = 32


def rows_per_ciphertext(slot_count: int) -> int:
    return slot_count // BLOCKS


def summing_rotations(slot_count: int) -> list[int]:
    """Steps whose rotate-and-add brings the sum over all blocks into every block."""
    step = slot_count // 2
    steps = []
    while step >= rows_per_ciphertext(slot_count):
        steps.append(step)
        step //= 2
    return steps


def pack(rows: NDArray[np.float64], slot_count: int) -> list[NDArray[np.float64]]:
    """Slots of each ciphertext; missing features and rows are 0."""
    per_ciphertext = rows_per_ciphertext(slot_count)
    packed = []
    for start in range(0, len(rows), per_ciphertext):
        part = rows[start : start + per_ciphertext]
        slots = np.zeros((BLOCKS, per_ciphertext))
        slots[: part.shape[1], : len(part)] = part.T
        packed.append(slots.ravel())
    return packed


def spread(weights: NDArray[np.float64], slot_count: int) -> NDArray[np.float64]:
    """Weight f in every slot of block f."""
    padded = np.zeros(BLOCKS)
    padded[: len(weights)] = weights
    return np.repeat(padded, rows_per_ciphertext(slot_count))


def unpack(slots: list[NDArray[np.float64]], row_count: int) -> NDArray[np.float64]:
    """One number per row, from the first block of each ciphertext."""
    per_ciphertext = rows_per_ciphertext(len(slots[0]))
    return np.concatenate([part[:per_ciphertext] for part in slots])[:row_count]
