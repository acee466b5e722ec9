# SPDX-License-Identifier: Apache-2.0
"""Linear maps with known coefficients, as rotations and products of slots.

Selections, transpositions, sums, products by known matrices and convolutions are all linear maps.
A map is a list of terms, result[target] += weight * array[source]. Between two layouts it becomes
diagonals: for each pair of ciphertexts, vectors v_d with result = sum of v_d * rotate(source, d).
"""

from __future__ import annotations

import hashlib
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .layout import FIRST, Dimension, Layout, Shape, power_of_two
from .refusals import MAX_TERMS, check_terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: By ciphertext of the source, then by steps of the rotation: a number, or numbers for the slots.
Diagonals = dict[int, dict[int, Any]]

_MAX_INTEGER = 1024  # Products by integers up to this take no level.
PRODUCT_COST = 0.1  # Time of a product by a known vector, in key switches.


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
        """Returns layouts for the result: row-major, and those that keep the places of axes. An
        axis that gets shorter may leave its dimension spaced, on the inner or the outer side; one
        that gets longer may go on in further ciphertexts."""
        candidates = [Layout.rows(self.shape, slots)]
        for grows, spacing in itertools.product((False, True), ("none", "inner", "outer")):
            kept: list[Dimension] = []
            for dimension in source.dimensions:
                axis = next((r for r, a in self.axes.items() if a == dimension.axis), FIRST)
                if dimension.axis < 0 or axis == FIRST:
                    kept.append(Dimension(dimension.extent, FIRST))
                    continue
                needed = min(power_of_two(self.shape[axis]), slots)
                if not grows or source.grid[dimension.axis] > 1:
                    needed = min(needed, dimension.extent)
                room = 1 if spacing == "none" else max(1, dimension.extent // needed)
                parts = [Dimension(needed, axis), Dimension(room, FIRST)]
                kept += parts if spacing == "inner" else parts[::-1]
            layout = Layout.of(self.shape, kept)
            while layout.dimensions and layout.dimensions[0].axis == FIRST:
                layout = Layout(layout.shape, layout.dimensions[1:])
            if layout.period <= slots and layout not in candidates:
                candidates.append(layout)
        return candidates


@dataclass(frozen=True)
class Plan:
    """A linear map between two layouts.

    - dtype: of the weights.
    - diagonals: for each ciphertext of the result.
    - folds: distances; the result of the diagonals is rotated by each of them and added to itself.
    """

    layout: Layout
    dtype: np.dtype[Any]
    diagonals: list[Diagonals]
    folds: list[int]


def digest(array: NDArray[Any]) -> tuple[Any, ...]:
    """Returns what names these numbers: dtype, shape and a hash."""
    return (str(array.dtype), array.shape, hashlib.sha256(array.tobytes()).digest())


def takes_no_level(factor: Any) -> bool:
    """Tells whether a product by this number or vector needs no level."""
    number = np.asarray(factor)
    is_integer = number.ndim == 0 and number.dtype.kind in "iub"
    return bool(is_integer and abs(int(number)) <= _MAX_INTEGER)


@dataclass(frozen=True)
class _Way:
    """A way to compute a map. A folded way computes a part of each element in each period of the
    target and then sums the periods: fewer diagonals, where many slots of the source go to one
    (GAZELLE, see docs/circuits.md)."""

    linear: LinearMap
    source: Layout
    target: Layout
    is_folded: bool

    @property
    def period(self) -> int:
        """Number of slots of a diagonal."""
        return max(self.source.period, self.target.period)

    @property
    def folds(self) -> list[int]:
        """Distances of the rotations that sum the periods."""
        count = (self.period // self.target.period).bit_length() - 1 if self.is_folded else 0
        return [self.target.period << k for k in range(count)]

    @property
    def entry_count(self) -> int:
        """Number of factors in all diagonals."""
        copies: int = self.target.places()[1].shape[1]
        times = 1 if self.is_folded else self.period // self.target.period
        return len(self.linear.targets) * copies * times

    def entries(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Returns, for each term, the pair of ciphertexts, and the steps and the slots of its
        copies: shapes (terms,), (terms, copies) and (terms, copies)."""
        linear = self.linear
        source_blocks, source_places = self.source.places()
        target_blocks, target_places = self.target.places()
        from_slot = source_places[linear.sources, :1]
        to_slot = target_places[linear.targets]
        if self.is_folded:
            steps = (from_slot - to_slot) % self.target.period
            slots = (from_slot - steps) % self.period
        else:
            times = np.arange(0, self.period, self.target.period)
            slots = to_slot[:, :, None] + times
            slots = slots.reshape(len(to_slot), slots.shape[1] * slots.shape[2])
            steps = (from_slot - slots) % self.source.period
        pairs = target_blocks[linear.targets] * self.source.block_count
        return pairs + source_blocks[linear.sources], steps, slots

    def cost(self) -> float:
        """Returns about the time, in key switches."""
        if self.entry_count > MAX_TERMS:
            return float("inf")
        if not len(self.linear.targets):
            return 0.0
        pairs, steps, _ = self.entries()
        # numpy.unique makes a hash table, which takes ten times as long.
        keys = np.sort((pairs[:, None] * self.period + steps).reshape(-1))
        keys = keys[np.diff(keys, prepend=-1) > 0]
        cost = PRODUCT_COST * len(keys) + len(self.folds) * self.target.block_count
        for part in np.split(keys, np.flatnonzero(np.diff(keys // self.period)) + 1):
            cost += rotation_count(part % self.period)
        return float(cost)

    def plan(self, is_clean: bool) -> Plan:
        """Makes the diagonals."""
        check_terms("a linear map", self.entry_count)
        pairs, steps, slots = self.entries()
        is_filled = (self.source.index_map() >= 0) | (not is_clean)
        weights = self.linear.weights
        diagonals: list[Diagonals] = [{} for _ in range(self.target.block_count)]
        for pair, at in _groups(pairs):
            target, source = divmod(pair, self.source.block_count)
            vectors = _vectors(steps[at], slots[at], weights[at], self.period, is_filled[source])
            diagonals[target][source] = vectors
        without_levels = [_without_levels(d) for d in diagonals]
        return Plan(self.target, weights.dtype, without_levels, self.folds)


def rotation_count(steps: NDArray[np.int64]) -> int:
    """Returns about how many rotations these diagonals take, with baby and giant steps."""
    fewest = int(np.count_nonzero(steps))
    if fewest < 3:
        return fewest
    is_used = np.zeros(power_of_two(int(steps.max()) + 1), bool)
    is_used[steps] = True
    grids = [is_used.reshape(-1, 1 << k) for k in range(len(is_used).bit_length())]
    used = [np.logical_or.reduce(grid, side)[1:] for grid in grids for side in (0, 1)]
    counts = [int(np.count_nonzero(u)) for u in used]
    return min(a + b for a, b in zip(counts[::2], counts[1::2], strict=True))


def cheapest(linear: LinearMap, source: Layout, targets: list[Layout]) -> tuple[float, _Way]:
    """Returns the cost, in key switches, of the cheapest way into one of the layouts, and the way.
    """
    ways = [_Way(linear, source, target, False) for target in targets]
    ways += [_Way(linear, source, t, True) for t in targets if t.period < source.period]
    costs = [way.cost() for way in ways]
    best = int(np.argmin(costs))
    return costs[best], ways[best]


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
