# SPDX-License-Identifier: Apache-2.0
"""Linear maps with known coefficients, as rotations and products of slots.

Selections, transpositions, sums, products by known matrices and convolutions are all linear maps.
A map is a list of terms, result[target] += weight * array[source]. Between two layouts it becomes
diagonals: for each pair of ciphertexts, vectors v_d with result = sum of v_d * rotate(source, d).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .layout import FIRST, Dimension, Layout, Shape, power_of_two

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: By ciphertext of the source, then by steps of the rotation: a number, or numbers for the slots.
Diagonals = dict[int, dict[int, Any]]

_MAX_INTEGER = 1024  # Products by integers up to this take no level.
_PRODUCT_COST = 0.05  # Times of a product by a known vector and of a level, in key switches.
_LEVEL_COST = 1.0


@dataclass(frozen=True)
class LinearMap:
    """result[targets[i]] += weights[i] * array[sources[i]], with flat indices.

    - shape: of the result.
    - axes: for axes of the result that run along an axis of the array, that axis; layouts of the
      result follow from it.
    """

    shape: Shape
    targets: NDArray[np.int64]
    sources: NDArray[np.int64]
    weights: NDArray[Any]
    axes: dict[int, int]

    @staticmethod
    def selection(chosen: NDArray[np.int64], axes: dict[int, int] | None = None) -> LinearMap:
        """Returns the map that takes element chosen[i] - 1 of the array for each i, and 0 where
        chosen[i] is 0."""
        flat = np.ascontiguousarray(chosen).reshape(-1)
        targets = np.flatnonzero(flat)
        ones = np.ones(len(targets), np.int64)
        return LinearMap(chosen.shape, targets, flat[targets] - 1, ones, axes or {})

    def layouts(self, source: Layout, slots: int) -> list[Layout]:
        """Returns layouts for the result: row-major, and those that keep the places of axes."""
        candidates = [Layout.rows(self.shape, slots)]
        for spaced in (False, True):
            kept: list[Dimension] = []
            for dimension in source.dimensions:
                axis = next((r for r, a in self.axes.items() if a == dimension.axis), FIRST)
                if dimension.axis < 0 or axis == FIRST:
                    kept.append(Dimension(dimension.extent, FIRST))
                    continue
                needed = min(power_of_two(self.shape[axis]), slots)
                room = dimension.extent // needed if spaced else 1
                kept += [Dimension(needed, axis), Dimension(max(1, room), FIRST)]
            layout = Layout.of(self.shape, kept)
            while layout.dimensions and layout.dimensions[0].axis == FIRST:
                layout = Layout(layout.shape, layout.dimensions[1:])
            if layout.period <= slots and layout not in candidates:
                candidates.append(layout)
        return candidates


@dataclass(frozen=True)
class Plan:
    """A linear map between two layouts.

    - diagonals: for each ciphertext of the result.
    - folds: distances; the result of the diagonals is rotated by each of them and added to itself.
    """

    layout: Layout
    diagonals: list[Diagonals]
    folds: list[int]

    @property
    def cost(self) -> float:
        """About the time, in key switches."""
        cost = float(len(self.folds) * len(self.diagonals))
        takes_level = False
        for of_sources in self.diagonals:
            for vectors in of_sources.values():
                cost += _rotations(np.fromiter(vectors, np.int64))
                cost += _PRODUCT_COST * len(vectors)
                takes_level |= not all(map(takes_no_level, vectors.values()))
        return cost + _LEVEL_COST * takes_level


def takes_no_level(factor: Any) -> bool:
    """Tells whether a product by this number or vector needs no level."""
    number = np.asarray(factor)
    is_integer = number.ndim == 0 and number.dtype.kind in "iub"
    return bool(is_integer and abs(int(number)) <= _MAX_INTEGER)


def _rotations(steps: NDArray[np.int64]) -> int:
    """Returns about how many rotations these diagonals take, with baby and giant steps."""
    babies = [1 << k for k in range(int(steps.max()).bit_length() + 1)]
    return min(
        len(np.unique(steps % n)) + len(np.unique(steps // n)) - 1 - int((steps % n == 0).any())
        for n in babies
    )


def plan(linear: LinearMap, source: Layout, slots: int, is_clean: bool) -> Plan:
    """Returns the cheapest way to compute the map of an array with the layout `source`.

    - is_clean: slots without an element hold 0.
    """
    targets = linear.layouts(source, slots)
    return min((plan_into(linear, source, t, is_clean) for t in targets), key=lambda p: p.cost)


def plan_into(linear: LinearMap, source: Layout, target: Layout, is_clean: bool) -> Plan:
    """Returns the cheapest way to compute the map into the layout `target`."""
    plans = [_planned(linear, source, target, is_clean, is_folded=False)]
    if target.period < source.period:
        plans.append(_planned(linear, source, target, is_clean, is_folded=True))
    return min(plans, key=lambda p: p.cost)


def _planned(
    linear: LinearMap, source: Layout, target: Layout, is_clean: bool, is_folded: bool
) -> Plan:
    """Makes the diagonals. A folded plan computes a part of each element in each period of the
    target and then sums the periods: fewer diagonals, where many slots of the source go to one
    (GAZELLE, see docs/circuits.md)."""
    period = max(source.period, target.period)
    source_blocks, source_places = source.places()
    target_blocks, target_places = target.places()
    from_slot = source_places[linear.sources, :1]
    to_slot = target_places[linear.targets]
    if is_folded:
        steps = (from_slot - to_slot) % target.period
        slot = (from_slot - steps) % period
    else:
        times = np.arange(0, period, target.period)
        slot = (to_slot[:, :, None] + times).reshape(len(to_slot), -1)
        steps = (from_slot - slot) % source.period
    blocks = np.stack([target_blocks[linear.targets], source_blocks[linear.sources]])
    is_filled = (source.index_map() >= 0) | (not is_clean)
    diagonals: list[Diagonals] = [{} for _ in range(target.block_count)]
    for pair, entries in _groups(blocks[0] * source.block_count + blocks[1]):
        target_block, source_block = divmod(int(pair), source.block_count)
        diagonals[target_block][source_block] = _vectors(
            steps[entries], slot[entries], linear.weights[entries], period, is_filled[source_block]
        )
    folds = []
    distance = target.period
    while is_folded and distance < period:
        folds.append(distance)
        distance *= 2
    return Plan(target, [_without_levels(d) for d in diagonals], folds)


def _groups(keys: NDArray[np.int64]) -> list[tuple[int, NDArray[np.int64]]]:
    """Returns the places of each key."""
    order = np.argsort(keys, kind="stable")
    firsts = np.flatnonzero(np.diff(keys[order], prepend=-1))
    return [(int(keys[part[0]]), part) for part in np.split(order, firsts[1:]) if len(part)]


def _vectors(
    steps: NDArray[np.int64],
    slots: NDArray[np.int64],
    weights: NDArray[Any],
    period: int,
    is_filled: NDArray[np.bool_],
) -> dict[int, Any]:
    """Returns the vector of each number of steps, and in its place a number where all slots may
    have the same: those that read a 0 of the source may have any."""
    flat_weights = np.broadcast_to(weights[:, None], slots.shape).reshape(-1)
    flat_slots = slots.reshape(-1)
    vectors: dict[int, Any] = {}
    for step, entries in _groups(steps.reshape(-1)):
        vector = np.zeros(period, weights.dtype)
        np.add.at(vector, flat_slots[entries], flat_weights[entries])
        if not vector.any():
            continue
        read = is_filled[(np.arange(period) + step) % len(is_filled)]
        used = vector[read]
        vectors[step] = vector[read][0] if (used == used[0]).all() else vector
    return vectors


def _without_levels(diagonals: Diagonals) -> Diagonals:
    """Returns whole numbers as integers, so that a map of small integers alone takes no level."""
    factors = [v for vectors in diagonals.values() for v in vectors.values()]
    are_integers = all(np.ndim(v) == 0 and v == np.round(v.real) for v in factors)
    if not are_integers or not all(abs(v) <= _MAX_INTEGER for v in factors):
        return diagonals
    return {
        source: {step: int(v.real) for step, v in vectors.items()}
        for source, vectors in diagonals.items()
    }
