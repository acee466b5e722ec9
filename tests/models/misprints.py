# SPDX-License-Identifier: Apache-2.0
"""What Bradbury et al. print and what holds instead, on their algorithms in a field or on words.

docs/notes/extended_harvey.md lists the misprints; the numbers of algorithms and lines are theirs.
And where Algorithm 9 of Boemer et al. is wrong: docs/notes/float_quotient.md says why.
"""

import math
from fractions import Fraction
from random import Random

import numpy as np


def is_prime(n):
    return all(n % d for d in range(2, int(n**0.5) + 1))


class Field:
    """The smallest field above 8n with a transform of degree n, and its factors omega: powers of a
    root of order 2n, or of its inverse, in bit-reversed order."""

    def __init__(self, n, is_inverse=False):
        self.n, bits = n, n.bit_length() - 1
        self.q = next(q for q in range(8 * n + 1, 1 << 20, 2 * n) if is_prime(q))
        self.psi = next(x for x in range(2, self.q) if pow(x, n, self.q) == self.q - 1)
        root = pow(self.psi, -1, self.q) if is_inverse else self.psi
        self.order = [int(f"{i:0{bits}b}"[::-1], 2) for i in range(n)]
        self.omega = [pow(root, i, self.q) for i in self.order]

    def random(self, *shape):
        return np.random.default_rng(self.n).integers(self.q, size=(self.n, *shape))

    def transform(self, a):
        points = [pow(self.psi, 2 * i + 1, self.q) for i in self.order]
        powers = [[pow(x, j, self.q) for j in range(self.n)] for x in points]
        return np.array(powers) @ a % self.q

    def factors(self, m1, table=None):
        """The five factors from the three of a table in bit-reversed order."""
        table = table or self.omega
        w1, w2, w3 = table[m1], table[2 * m1], table[2 * m1 + 1]
        return w1, w2, w3, w1 * w2 % self.q, -w1 * w3 % self.q

    def forward(self, v, w):
        """Algorithm 4, first procedure, which is right."""
        (x, y, z, t), q = v, self.q
        a, b = y * w[1] + t * w[3], y * w[2] + t * w[4]
        upper, lower = x + z * w[0], x - z * w[0]
        return [(upper + a) % q, (upper - a) % q, (lower + b) % q, (lower - b) % q]

    def inverse(self, v, w, is_printed=False):
        """Algorithm 4, second procedure: as printed, or as lemma 2 gives it."""
        (x, y, z, t), q = v, self.q
        c, d = x - y, z - t
        second, third = c * w[1] + d * w[2], (x + y - z - t) * w[0]
        if is_printed:
            results = x + y + z + t, third, second, c * w[3] - d * w[4]
        else:
            results = x + y + z + t, second, third, c * w[3] + d * w[4]
        return [result % q for result in results]

    def rounds(self, a, limit, factors_of):
        """The rounds of algorithm 7 for m < limit."""
        values, m = a.copy(), 1
        while m < limit:
            radix4_round(values, m, lambda v, m1: self.forward(v, factors_of(m1)))
            m *= 4
        return values


def radix4_round(a, m, butterfly):
    t = len(a) // (4 * m)
    for i in range(m):
        places = [slice((4 * i + k) * t, (4 * i + k + 1) * t) for k in range(4)]
        results = butterfly([a[place].copy() for place in places], m + i)
        for place, result in zip(places, results, strict=True):
            a[place] = result


def radix2_round(field, a, m, has_factor=True):
    t = field.n // (2 * m)
    for i in range(m):
        u, v = (slice((2 * i + k) * t, (2 * i + k + 1) * t) for k in (0, 1))
        product = a[v] * (field.omega[m + i] if has_factor else 1)
        a[u], a[v] = (a[u] + product) % field.q, (a[u] - product) % field.q


class Words:
    """Words of so many bits, with sums and products rounded as theorems 1 and 2 have them."""

    def __init__(self, bits, q):
        self.bits, self.q = bits, q

    def extended(self, s, t, v, w):
        quotients = [(factor << self.bits) // self.q for factor in (v, w)]
        return v * s + w * t - self.q * ((quotients[0] * s + quotients[1] * t) >> self.bits)

    def shoup(self, t, w):
        return self.extended(0, t, 0, w)

    def reduce(self, x, bound, is_printed):
        """Conditional subtraction: "if x > bound" as printed, or from the bound on."""
        return np.where(x > bound if is_printed else x >= bound, x - bound, x)

    def forward(self, v, w, is_printed=False):
        """Algorithm 5."""
        q = self.q
        x, z = self.reduce(v[0], 4 * q, is_printed), self.shoup(v[2], w[0])
        a, b = self.extended(v[1], v[3], w[1], w[3]), self.extended(v[1], v[3], w[2], w[4])
        return [x + z + a, 2 * q + x + z - a, 2 * q + x - z + b, 4 * q + x - z - b]

    def inverse(self, v, w, is_printed=False):
        """Algorithm 6."""
        (x, y, z, t), q = v, self.q
        c, d = 2 * q + x - y, 2 * q + z - t
        total = self.reduce(self.reduce(x + y + z + t, 4 * q, is_printed), 2 * q, is_printed)
        product = self.shoup(4 * q + x + y - z - t, w[0])
        return [total, self.extended(c, d, w[1], w[2]), product, self.extended(c, d, w[3], w[4])]


def butterflies():
    f, v = Field(16), (3, 58, 17, 101)
    values, backward = f.forward(v, f.factors(2)), Field(16, True).factors(2)
    wanted = [4 * x % f.q for x in v]
    yield "algorithm 4, inverse, corrected", f.inverse(values, backward) == wanted
    printed = f.inverse(values, backward, is_printed=True)
    exchanged = printed[:3] == [wanted[0], wanted[2], wanted[1]] and wanted[1] != wanted[2]
    yield "algorithm 4 exchanges two results and has a wrong sign", (
        exchanged and printed[3] != wanted[3]
    )
    # Line 2 of algorithm 5 and lines 10 and 11 of algorithm 6 keep a value equal to the bound.
    q, w = 193, (5, 7, 11, 35, 193 - 55)
    for is_printed in (True, False):
        forward = Words(12, q).forward((4 * q, 0, 0, 0), w, is_printed)
        yield "algorithm 5 subtracts from 4q on", max(forward) == (8 if is_printed else 4) * q
        inverse = Words(12, q).inverse((q, q, q, q), w, is_printed)
        yield "algorithm 6 subtracts from 4q and 2q on", inverse[0] == (2 * q if is_printed else 0)
    # The head of algorithm 6 allows [0, 8q); operands up to 8q make its differences negative.
    q = 13
    i = np.arange((2 * q) ** 4)
    w1, w2, w3 = 1 + i % 12, 1 + i % 11, 1 + i % 7
    v = [i // (2 * q) ** k % (2 * q) for k in range(4)]
    for result in Words(8, q).inverse(v, (w1, w2, w3, w1 * w2 % q, q - w1 * w3 % q)):
        yield "algorithm 6 leaves [0, 2q)", (result >= 0) & (result < 2 * q)
    zero, most = np.zeros(1, np.uint64), np.full(1, 8 * q - 1, np.uint64)
    far = Words(8, q).inverse((zero, most, zero, most), (1, 1, 1, 1, q - 1))
    yield "algorithm 6 takes no operands up to 8q", np.max(far) >= 8 * q


def transforms():
    for n in (16, 32, 64, 128):
        # Line 4 of algorithm 7 has m <= bound. This loses the parity that line 11 tests: the
        # radix-2 round would never run.
        f = Field(n)
        is_odd = n.bit_length() % 2 == 0
        bound, a = n // 2 if is_odd else n, f.random()
        values = f.rounds(a, bound, f.factors)
        is_whole = np.array_equal(values, f.transform(a))
        yield f"algorithm 7 needs the radix-2 round, N = {n}", is_whole != is_odd
        if is_odd:
            radix2_round(f, values, n // 2)
        yield f"algorithm 7, N = {n}", values == f.transform(a)
        yield "one round more has no distance and no factors", n < 4 * bound and n <= 2 * bound
    f, words = Field(64), Words(20, Field(64).q)
    a = f.random(200)
    values, m = a.copy(), 1
    while m < f.n:
        radix4_round(values, m, lambda v, m1: words.forward(v, f.factors(m1)))
        m *= 4
    yield "algorithm 7 on words", values % f.q == f.transform(a)
    yield "algorithm 7 leaves up to 8q", 7 * f.q <= np.max(values) < 8 * f.q
    # Rounds of algorithm 8 with the corrected butterfly: natural order, without a division by N.
    f = Field(64, True)
    a, m = f.random(), f.n // 4
    values = f.transform(a)
    while m > 0:
        radix4_round(values, m, lambda v, m1: f.inverse(v, f.factors(m1)))
        m //= 4
    yield "algorithm 8 leaves N times the polynomial", values == a * f.n % f.q
    for has_factor in (True, False):
        f = Field(32)
        a, m = f.random(), 1  # "for (m = 0; m < N; m = 2m)" never ends
        values = a.copy()
        while m < f.n:
            radix2_round(f, values, m, has_factor)
            m *= 2
        yield "algorithm 9 needs a factor", np.array_equal(values, f.transform(a)) == has_factor


def extended_reverse(f, is_printed):
    """The table of extended-reverse order, for odd i with the bar on the other factor."""
    bar = [0] * (2 * f.n)
    bar[0], bar[2] = f.omega[:2]
    for i in range(2, f.n):
        bar[2 * i] = f.omega[i]
        product = f.omega[i - 1] * bar[i] if is_printed else f.omega[i] * bar[i - 1]
        bar[2 * i + 1] = (-product if i % 2 else f.omega[i] * bar[i]) % f.q
    return bar


def tables():
    def factors_in(bar, m1):
        return tuple(bar[i] for i in (2 * m1, 4 * m1, 4 * m1 + 2, 4 * m1 + 1, 4 * m1 + 3))

    f = Field(64)
    printed, ours = extended_reverse(f, True), extended_reverse(f, False)
    inner = range(1, f.n // 2)
    yield "extended-reverse order", [factors_in(ours, m1) == f.factors(m1) for m1 in inner]
    even = [factors_in(printed, m1)[3] == f.factors(m1)[3] for m1 in inner]
    yield "extended-reverse order as printed, even i", even
    wrong = sum(factors_in(printed, m1)[4] != f.factors(m1)[4] for m1 in inner)
    yield "extended-reverse order as printed, odd i", wrong > f.n // 4
    # Line 8 of algorithm 7 and line 15 of algorithm 8 index the table as if it were bit-reversed.
    a = f.random()
    by_bits = f.rounds(a, f.n, lambda m1: f.factors(m1, ours))
    yield "algorithm 7 by the printed indices", not np.array_equal(by_bits, f.transform(a))
    by_table = f.rounds(a, f.n, lambda m1: factors_in(ours, m1))
    yield "algorithm 7 by the indices of the table", by_table == f.transform(a)


def quotients():
    """The quotient rounded down and one correction upward, which is stated for factors up to 4."""
    random, count = Random(9), 20000
    for bits, below, factor, least in (
        (50, 27, 4, count // 4), (49, 81, 4, count // 20), (48, 59, 4, 1), (50, 27, 2, 1),
        (46, 21, 4, 0),
    ):  # fmt: skip
        q, failures = (1 << bits) - below, 0
        inverse = 1 / q
        if Fraction(inverse) * q < 1:
            inverse = math.nextafter(inverse, 2)
        for _ in range(count):
            product = random.randrange(factor * q) * random.randrange(factor * q)
            remainder = product - int(float(product) * inverse) * q
            failures += (remainder if remainder >= 0 else remainder + q) != product % q
        holds = failures >= least if least else failures == 0
        yield f"algorithm 9 of Boemer et al., {bits} bits, factor {factor}", holds


def cases():
    for part in (butterflies, transforms, tables, quotients):
        yield from part()
