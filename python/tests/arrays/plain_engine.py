# SPDX-License-Identifier: Apache-2.0
"""An engine of encrypted arrays that does not encrypt: a block is the numbers in its slots.

Every array that is made on it is checked: slots hold what the layout says they hold.
"""

import numpy as np

from ringlet.arrays import EncryptedArray, Layout
from ringlet.arrays.maps import takes_no_level

PLANS = {}  # By slots and name: plans of one name must be equal.


class PlainBlock:
    """The numbers in the slots of a row, and how many levels they took."""

    def __init__(self, slots, depth=0):
        self.slots = slots
        self.depth = depth

    def __add__(self, other):
        return PlainBlock(self.slots + other.slots, max(self.depth, other.depth))

    def __sub__(self, other):
        return self + -other

    def __neg__(self):
        return PlainBlock(-self.slots, self.depth)

    def __mul__(self, other):
        return PlainBlock(self.slots * other.slots, max(self.depth, other.depth) + 1)

    def conjugate(self):
        return PlainBlock(self.slots.conj(), self.depth)

    def polynomial(self, p):
        powers = [c * self.slots**k for k, c in enumerate(p.coefficients)]
        depth = (len(powers) - 1).bit_length()
        return PlainBlock(sum(powers[1:], powers[0]), self.depth + depth)

    def matrix_product(self, other, d):
        a, b = (x.slots.reshape(d, d, -1) for x in (self, other))
        product = np.einsum("ijh,jkh->ikh", a, b).reshape(-1)
        return PlainBlock(product, max(self.depth, other.depth) + 3)


class PlainEngine:
    """Computes on PlainBlocks, as CiphertextEngine does on ciphertexts."""

    def __init__(self, scheme, slots):
        self.scheme = scheme
        self.slots = slots

    def _row(self, known):
        assert self.scheme == "ckks" or np.asarray(known).dtype.kind in "iu", known
        return known if np.ndim(known) == 0 else np.resize(known, self.slots)

    def add_known(self, value, known):
        return PlainBlock(value.slots + self._row(known), value.depth)

    def multiply_known(self, value, known):
        row = self._row(known)
        return PlainBlock(value.slots * row, value.depth + (not takes_no_level(row)))

    def multiply(self, a, b):
        return a * b

    def rotate(self, value, steps):
        steps %= self.slots
        turned = np.concatenate([value.slots[steps:], value.slots[:steps]])
        return PlainBlock(turned, value.depth)

    def fold(self, value, steps):
        return value + self.rotate(value, steps)

    def apply(self, key, function, *values):
        hash(key)
        return function(*values)

    def transform(self, key, make, blocks):
        plan = make()
        content = hash(repr(plan))
        assert PLANS.setdefault((self.slots, key), content) == content, ("two plans", key, plan)
        results = [self._linear(blocks, d, plan.folds) for d in plan.diagonals]
        return plan.layout, plan.dtype, results

    def _linear(self, blocks, diagonals, folds):
        total = None
        for source, vectors in diagonals.items():
            for steps, factor in vectors.items() if blocks[source] is not None else ():
                part = self.multiply_known(self.rotate(blocks[source], steps), factor)
                total = part if total is None else total + part
        for distance in folds if total is not None else ():
            total = self.fold(total, distance)
        return total

    def encrypt(self, numbers, layout, padding=0):
        """Returns an array with these numbers and this padding. It and all that are made of it are
        checked. A block of zeros is None."""
        slots = layout.spread(numbers)
        slots[layout.index_map() < 0] = padding
        rows = np.tile(slots, self.slots // layout.period)
        blocks = [PlainBlock(row) if row.any() else None for row in rows]
        return CheckedArray(self, layout, blocks, numbers.dtype, is_clean=not padding)

    def decrypt(self, array):
        """Returns the numbers of an array."""
        return array.layout.gathered(array.slots())


class CheckedArray(EncryptedArray):
    """An array whose slots are checked when it is made: equal where they hold one element, repeated
    after each period, and 0 in the padding of a clean array."""

    def __init__(self, engine, layout, blocks, dtype, is_clean=True):
        super().__init__(engine, layout, blocks, dtype, is_clean)
        assert isinstance(layout, Layout) and len(self.blocks) == layout.block_count
        assert layout.period <= engine.slots and all(type(n) is int for n in layout.shape)
        slots, indices = self.slots(), layout.index_map()
        expected = np.where(indices >= 0, layout.gathered(slots).reshape(-1)[indices], 0)[:, None]
        wrong = abs(slots.reshape(len(blocks), -1, layout.period) - expected)
        is_known = (indices >= 0)[:, None] | is_clean
        assert (wrong * is_known < 1e-9 * (1 + abs(expected))).all(), (self, slots)

    def slots(self):
        zeros = np.zeros(self.engine.slots, self.dtype)
        return np.stack([zeros if b is None else b.slots for b in self.blocks])

    @property
    def depth(self):
        """How many levels the array took."""
        return max((b.depth for b in self.blocks if b is not None), default=0)
