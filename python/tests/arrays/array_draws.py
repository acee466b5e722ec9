# SPDX-License-Identifier: Apache-2.0
"""Random shapes, numbers and options for calls on arrays."""

import numpy as np


class Draw:
    """Random shapes, numbers and options."""

    def __init__(self, seed, scheme, largest=20):
        self.seed = seed
        self.rng = np.random.default_rng(seed)
        self.scheme = scheme
        self.largest = largest

    def again(self):
        """The draws from the start."""
        return Draw([*self.seed, 1], self.scheme, self.largest)

    def integer(self, low, high):
        """From low to high, both included."""
        return int(self.rng.integers(low, high + 1))

    def flag(self):
        return bool(self.rng.integers(2))

    def of(self, *choices):
        return choices[self.integer(0, len(choices) - 1)]

    def shape(self, low=0, high=4, longest=7):
        """A shape of `low` to `high` axes, seldom of more than `largest` elements."""
        shape = [self.of(1, self.integer(1, longest)) if self.integer(0, 3) == 0
                 else self.integer(1, longest) for _ in range(self.integer(low, high))]  # fmt: skip
        if len(shape) == 1 and self.flag():
            shape = [self.integer(1, self.largest)]
        while np.prod(shape, dtype=int) > self.largest:
            place = int(np.argmax(shape))
            shape[place] = (shape[place] + 1) // 2
        return tuple(shape)

    def numbers(self, shape=()):
        """Small numbers: integers for BFV and BGV, else real, and complex at times."""
        if self.scheme != "ckks":
            return np.asarray(self.rng.integers(-3, 4, shape))
        real = np.asarray(self.rng.uniform(-1, 1, shape))
        is_complex = self.integer(0, 4) == 0
        return np.asarray(real + 1j * self.rng.uniform(-1, 1, shape)) if is_complex else real

    def array(self, low=0, high=4, longest=7):
        return self.numbers(self.shape(low, high, longest))

    def partner(self, x, is_smaller=False):
        """Numbers that broadcast with x; to the shape of x, if it is_smaller."""
        shape = [n if self.integer(0, 2) else 1 for n in x.shape]
        shape = shape[self.integer(0, len(shape)) if self.flag() else 0 :]
        if not is_smaller:
            shape = [self.integer(1, 3) if n == m == 1 else m
                     for n, m in zip(x.shape[len(x.shape) - len(shape) :], shape)]  # fmt: skip
        return self.numbers(tuple(shape))

    def axis(self, x, extra=0):
        return self.integer(-x.ndim - extra, x.ndim - 1 + extra)

    def axes(self, x):
        """An axis, several, or None."""
        order = self.rng.permutation(x.ndim)[: self.integer(0, x.ndim)].tolist()
        return self.of(None, tuple(a - x.ndim * self.flag() for a in order), *order[:1])

    def split(self, number):
        """A shape of as many elements."""
        shape = []
        for prime in (2, 2, 2, 2, 2, 3, 3, 5, 5, 7, 7, 11, 13, 17, 19, 23, 29, 31, 37):
            if number % prime == 0:
                number //= prime
                shape.insert(self.integer(0, len(shape)), prime)
        while len(shape) > 1 and self.integer(0, 2):
            shape[:2] = [shape[0] * shape[1]]
        return (*shape, number) if number > 1 or not shape or self.flag() else tuple(shape)

    def part(self, n):
        """A slice of an axis that takes at least one place."""
        start, stop = sorted((self.integer(0, n - 1), self.integer(0, n - 1)))
        step = self.integer(1, 3)
        forward = slice(start if self.flag() else start - n, stop + 1, step)
        backward = slice(stop, start - 1 if start else None, -step)
        return self.of(forward, backward, slice(None), slice(start, None), slice(stop + 1))

    def key(self, x):
        """Integers, slices, None and Ellipsis."""
        keys = [self.of(self.part(n), self.integer(-n, n - 1)) for n in x.shape]
        at = self.integer(0, len(keys))
        keys[at:at] = self.of([], [None], [])
        if self.flag():
            at, count = self.integer(0, len(keys)), self.integer(0, 1)
            if None not in keys[at : at + count]:
                keys[at : at + count] = [Ellipsis]
        return tuple(keys)


def one(low=0, high=4, longest=7):
    return lambda d: [d.array(low, high, longest)]


def pair(d):
    x = d.array()
    return [x, d.partner(x)]


def alike(low=1, high=3, count=2, longest=7):
    """Arrays of one shape."""

    def draw(d):
        shape = d.shape(low, high, longest)
        return [d.numbers(shape) for _ in range(d.integer(1, count) if count > 2 else count)]
    return draw


def known(d, x):
    """Numbers in the clear that broadcast with x."""
    return d.partner(x)


def split_options(d, x):
    """Options of split and array_split: number of parts or places, and axis."""
    axis = d.axis(x)
    n = x.shape[axis]
    parts = d.of(*(k for k in range(1, n + 1) if n % k == 0))
    places = sorted({d.integer(1, n - 1) for _ in range(2)}) if n > 1 else 1
    return d.of(parts, places), axis


def product_shapes(d, with_batch):
    """Shapes that `@` takes."""
    m, k, n = (d.integer(1, 4) for _ in range(3))
    left, right = d.of(((m, k), (k, n)), ((k,), (k, n)), ((m, k), (k,)), ((k,), (k,)))
    if with_batch and d.flag():
        batch = (d.integer(1, 2), d.integer(1, 3))
        mixed = tuple(d.of(1, b) for b in batch)[d.integer(0, 2) :]
        first, second = d.of((batch, mixed), (mixed, batch), (batch, ()), ((), batch[1:]))
        left = (*first, *left) if len(left) > 1 else left
        right = (*second, *right) if len(right) > 1 else right
    return left, right


def factors(with_batch=True, is_left=True):
    """One encrypted operand of `@`; `call` draws the other."""
    return lambda d: [d.numbers(product_shapes(d, with_batch)[0 if is_left else 1])]


def other_factor(d, x, is_left=True):
    """Numbers for x @ numbers, or for numbers @ x."""
    n = d.integer(1, 5)
    if is_left:
        inner = x.shape[-1]
        shape = d.of((inner,), (inner, n), (d.integer(1, 2), inner, n), (*x.shape[:-2], inner, n))
    else:
        inner = x.shape[-2 if x.ndim > 1 else 0]
        shape = d.of((inner,), (n, inner), (d.integer(1, 2), n, inner), (*x.shape[:-2], n, inner))
    if len(shape) > 2 and x.ndim > 2 and shape[0] != x.shape[-3]:
        shape = (1, *shape[-2:])
    return d.numbers(shape)


def encrypted_factors(d):
    """Both operands of `@`."""
    return [d.numbers(shape) for shape in product_shapes(d, True)]
