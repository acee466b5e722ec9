# SPDX-License-Identifier: Apache-2.0
"""Double words in three doubles: limbs of d bits in place of 46, doubles of d + 7 in place of 53, q
of d bits above two limbs. Operands are those whose products are 0, 1, q - 1 or next to q/2 modulo
q, the ends, and others.
"""

import numpy as np

from cases import pairs_with_products


def rounded_double(x, p):
    """x to p bits."""
    mantissa, exponent = np.frexp(x)
    return np.ldexp(np.rint(np.ldexp(mantissa, p)), exponent - p)


class Float46:
    """The arithmetic modulo one q. `keeps_second` says whether 1/q has what its nearest multiple of
    2^(-2d) is worth, which is 0 but next to 2^(2d + 1)."""

    def __init__(self, d, keeps_second):
        self.d, self.p, self.keeps_second = d, d + 7, keeps_second
        self.fits = True

    def split(self, x, y, exponent):
        high, low = self.split_rounded(x, y, exponent)
        return high, self.exact(low)

    def split_rounded(self, x, y, exponent):
        high = np.ldexp(np.rint(np.ldexp(x * y, -exponent * self.d)), exponent * self.d)
        return high, x * y - high

    def exact(self, x):
        """A sum or product that the derivation says is exact."""
        self.fits = self.fits & (rounded_double(x, self.p) == x)
        return x

    def limbs(self, x, count):
        """Least in absolute value, but for the last one."""
        found = []
        for i in range(count):
            digit = x if i == count - 1 else signed_digit(x, self.d)
            found.append(np.ldexp(np.float64(digit), self.d * i))
            x = (x - digit) >> self.d
        return found

    def constants(self, q):
        d = self.d
        self.q = self.limbs(q, 3)
        self.rounded_q = rounded_double(float(q), self.p)
        w = fraction_digits(1, q, d)
        third = w[3] + (w[2] << d if self.keeps_second else 0)
        v = [np.ldexp(float(third), -3 * d), np.ldexp(float(w[4]), -4 * d)]
        v.append(np.ldexp(float(w[5]), -5 * d))
        left = (1 << (5 * d)) - q * ((third << (2 * d)) + (w[4] << d) + w[5])
        rest = rounded_double(float(left), self.p) * 2.0 ** (-5 * d)
        self.v = [*v, rounded_double(rest / q, self.p)]
        self.has_no_first = w[1] == 0

    def product(self, x, y):
        """Six limbs."""
        part = {}
        for i in range(3):
            for j in range(3):
                part[i, j] = self.split(x[i], y[j], i + j + 1)
        z = [0] * 6
        for (i, j), (high, low) in part.items():
            z[i + j] = z[i + j] + low
            z[i + j + 1] = z[i + j + 1] + high
        return [self.exact(limb) for limb in z]

    def reduced(self, z):
        d, v, split, p = self.d, self.v, self.split, self.p
        a = [split(z[3 + i], v[i], 1) for i in range(3)]
        quotient1 = split(z[4], v[0], 2)[1] + split(z[5], v[1], 2)[1] + sum(x[0] for x in a)
        b = [split(z[2 + i], v[i], 0) for i in range(3)]
        # The last digit of 1/q has all the bits of a double.
        last, low = self.split_rounded(z[5], v[3], 0)
        b.append((last, rounded_double(low, p)))
        fraction = rounded_double(z[1] * v[0], p)
        for i in range(1, 4):
            fraction = rounded_double(z[1 + i] * v[i] + fraction, p)
        lows = rounded_double(
            rounded_double(b[0][1] + b[1][1], p) + rounded_double(b[2][1] + b[3][1], p), p
        )
        fraction = rounded_double(fraction + lows, p)
        quotient0 = self.exact(sum(x[1] for x in a) + sum(x[0] for x in b))
        self.exact(quotient1)
        whole = np.rint(fraction)
        fraction = self.exact(fraction - whole)
        c00 = split(quotient0, self.q[0], 1)
        c01, c10 = split(quotient0, self.q[1], 2)[1], split(quotient1, self.q[0], 2)[1]
        x0 = self.exact(z[0] - c00[1] - whole * self.q[0])
        x1 = self.exact(z[1] - c10 - c00[0] - c01 - whole * self.q[1])
        x1 = x1 - np.ldexp(np.rint(np.ldexp(x1, -2 * d)), 2 * d)
        rest = rounded_double(fraction * self.rounded_q - x1, p)
        x2 = np.ldexp(np.rint(np.ldexp(rest, -2 * d)), 2 * d)
        return self.positive(x0, x1, x2)

    def positive(self, x0, x1, x2):
        sign = rounded_double(rounded_double(x2 + x1, self.p) + x0, self.p)
        return x0 + x1 + x2 + np.where(sign < 0, sum(self.q), 0)

    def scaled(self, x, w, is_reduced):
        """The limbs of x times w less a multiple of q, for factors w with their fractions."""
        d, p, split = self.d, self.p, self.split
        digits = fraction_digits(w, sum(map(int, self.q)), d)
        v = {k: np.ldexp(digits[k].astype(float), -d * k) for k in range(1, 6)}
        operand = w - np.where(digits["carry"], sum(map(int, self.q)), 0)
        w0 = signed_digit(operand, d).astype(float)
        a = [split(x[i], v[1 + i], 0) for i in range(3)]
        b = [split(x[i], v[2 + i], -1) for i in range(3)]
        quotient = split(x[1], v[1], 1)[1] + split(x[2], v[2], 1)[1] + sum(y[0] for y in a)
        first = self.exact(sum(y[1] for y in a) + sum(y[0] for y in b))
        second = rounded_double(x[0] * v[3] + b[0][1], p)
        second = rounded_double(x[1] * v[4] + second, p)
        second = rounded_double(x[2] * v[5] + second, p)
        second = rounded_double(second + rounded_double(b[1][1] + b[2][1], p), p)
        low = split(x[0], w0, 1)[1] - split(self.exact(quotient), self.q[0], 1)[1]
        if is_reduced:
            whole = np.rint(first)
            low, first = self.exact(low - whole * self.q[0]), first - whole
        top = np.ldexp(np.rint(np.ldexp(first * self.rounded_q, -2 * d)), 2 * d)
        rest = self.exact(first * self.q[2] - top)
        rest = rounded_double(first * self.exact(self.q[0] + self.q[1]) + rest, p)
        rest = rounded_double(rest + rounded_double(second * self.rounded_q - low, p), p)
        return self.exact(low), np.ldexp(np.rint(np.ldexp(rest, -d)), d), top


def fraction_digits(w, q, d):
    """w/q in digits of least absolute value, W1 to W5 behind the point, and whether W1 carries."""
    scaled = (w << (5 * d)) // q
    digits = {}
    for k in range(5, 0, -1):
        digits[k] = signed_digit(scaled, d)
        scaled = (scaled - digits[k]) >> d
    return {**digits, "carry": scaled != 0}


def signed_digit(x, d):
    half = 1 << (d - 1)
    return ((x + half) & ((1 << d) - 1)) - half


def float46(d, keeps_second=True):
    """Products of two elements in three doubles, modulo all q of 2d + 2 bits."""
    yield from float46_products(d, range((1 << (2 * d + 1)) + 1, 1 << (2 * d + 2), 2), keeps_second)


def float46_long(d):
    """The same with digits that leave something for the highest of six limbs of a product: modulo
    numbers within 64 of powers of two, and some others."""
    random = np.random.default_rng(d)
    for bits in range(2 * d + 2, 3 * d - 5):
        beside = np.arange(1, 65, 2)
        low, high = 1 << (bits - 1), 1 << bits
        others = random.integers(low, high, 40 if d < 16 else 1000) | 1
        moduli = np.concatenate([low + beside, high - beside, others])
        yield from float46_products(d, map(int, moduli))


def float46_products(d, moduli, keeps_second=True):
    random = np.random.default_rng(d)
    for q in moduli:
        model = Float46(d, keeps_second)
        model.constants(q)
        x, y = pairs_with_products(q, 7, random)
        z = model.product(unsigned_limbs(x, d), unsigned_limbs(y, d))
        r = model.reduced(z).astype(np.int64)
        expected = np.array([int(i) * int(j) % q for i, j in zip(x, y)])
        yield f"q={q}", model.has_no_first & model.fits & (r == expected)


def unsigned_limbs(x, d):
    mask = (1 << d) - 1
    limbs = [x & mask, (x >> d) & mask, x >> (2 * d)]
    return [np.ldexp(limb.astype(float), d * i) for i, limb in enumerate(limbs)]


def float46_factor(d):
    """Products by a factor: of residues, reduced, and of what a forward transform multiplies."""
    random = np.random.default_rng(d)
    for q in range((1 << (3 * d - 9)) + 1, 1 << (3 * d - 8), 2):
        model = Float46(d, True)
        model.constants(q)
        w, x = pairs_with_products(q, 7, random)
        r = model.positive(*model.scaled(unsigned_limbs(x, d), w, True)).astype(np.int64)
        yield f"reduced, q={q}", model.fits & (r == w * x % q)
        # Limbs at the ends of the range that the derivation allows, and next to them.
        ends = [20 << d, 16 << d, 196 * q >> (2 * d)]
        limbs = [random.choice([-end, -end + 1, end - 1, end], len(x)) for end in ends]
        lazy = [np.ldexp(limb.astype(float), d * i) for i, limb in enumerate(limbs)]
        model.fits = True
        y = model.scaled(lazy, w, False)
        value = sum(limb << (d * i) for i, limb in enumerate(limbs))
        r = sum(y).astype(np.int64)
        # In digits this short, the middle limb exceeds half a unit by up to a quarter of a unit.
        small = (abs(r) <= 22 * q) & (abs(y[0]) <= 1 << d) & (abs(y[1]) <= 1.5 * 2 ** (2 * d - 1))
        yield f"lazy, q={q}", model.fits & small & ((r - value * w) % q == 0)
