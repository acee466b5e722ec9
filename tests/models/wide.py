# SPDX-License-Identifier: Apache-2.0
"""Double words, with digits of a few bits in place of 64, 52 or 46: every odd modulus of the range.
Operands are all there are for products by a factor in digits of up to 5 bits; else those whose
products are 0, 1, q - 1 or next to q/2 modulo q, the ends, and others.
"""

import numpy as np

from cases import beside_multiples, pairs_with_products
from words import estimate_high_any


def factors_and_operands(q, end, random):
    """A column of factors and a row of operands below `end`: all of them, or few next to edges."""
    if q * end <= 1 << 16:
        return np.arange(q)[:, None], np.arange(end)
    w, y = pairs_with_products(q, 14, random)
    y = np.concatenate([y, y + (end // q - 1) * q, end - 1 - y])
    return np.unique(w)[:, None], np.unique(y)


def shoup_double(digit):
    """Shoup's quotients and Barrett's of two digits, without the lowest product."""
    beta = 1 << (2 * digit)
    random = np.random.default_rng(digit)
    for q in range(3, beta // 16, 2):
        w, y = factors_and_operands(q, beta, random)
        t = y * w - high_lazy(y, w * beta // q, digit) * q
        yield f"q={q}", (0 <= t) & (t < 3 * q)
        # Barrett reduction on multiples of q by a power of two, as long as the longest modulus.
        shift = 2 * digit - 4 - q.bit_length()
        shifted, mu = q << shift, (1 << (4 * digit - 6)) // (q << shift)
        x, y = pairs_with_products(q, 14, random)
        for t in (x * y << shift, beside_multiples(q, beta) << shift):
            r = t - high_lazy(t >> (2 * digit - 6), np.int64(mu), digit) * shifted
            yield f"Barrett, q={q}", (0 <= r) & (r < 4 * shifted) & (r % shifted == t % shifted)


def high_lazy(x, y, digit):
    """floor(x*y / beta) without what the product of the low digits carries."""
    low = (1 << digit) - 1
    cross = (x & low) * (y >> digit)
    middle = (x >> digit) * (y & low) + (cross & low)
    return (x >> digit) * (y >> digit) + (cross >> digit) + (middle >> digit)


def barrett_double(digit):
    """The same with exact quotients: one subtraction; and with quotients estimated by halves."""
    beta, half = 1 << (2 * digit), digit // 2
    random = np.random.default_rng(digit)
    for q in range(1 + (1 << (digit + 1)), beta // 16, 2):
        shift = 2 * digit - 4 - q.bit_length()
        mu = np.int64((1 << (4 * digit - 6)) // (q << shift))
        x, y = pairs_with_products(q, 14, random)
        for t in (x * y, beside_multiples(q, beta)):
            top = t >> (2 * digit - 6 - shift)
            r = t - (top * mu >> (2 * digit)) * q
            yield f"q={q}", (top < beta) & (0 <= r) & (r < 2 * q)
            r = t - estimated(top, mu, digit, half) * q
            yield f"estimated, q={q}", (0 <= r) & (r < 8 * q)
        w, y = factors_and_operands(q, beta, random)
        r = y * w - estimated(y, w * beta // q, digit, half) * q
        yield f"factor, q={q}", (0 <= r) & (r < 8 * q)


def estimated(x, y, digit, half):
    """floor(x*y / beta) up to 7 less: the high digits, and estimates of both middle products."""
    low = (1 << digit) - 1
    middle = estimate_high_any(x >> digit, y & low, half)
    return (x >> digit) * (y >> digit) + middle + estimate_high_any(x & low, y >> digit, half)


def digits_of(x, digit, count):
    return [(x >> (digit * i)) & ((1 << digit) - 1) for i in range(count)]


def high_limbs(x, y, digit):
    """floor(x*y / B^3) without what digits 0 to 2 carry, of three limbs each."""
    total = 0
    for i, xi in enumerate(digits_of(x, digit, 3)):
        for j, yj in enumerate(digits_of(y, digit, 3)):
            product = xi * yj
            if i + j >= 3:
                total = total + ((product & ((1 << digit) - 1)) << (digit * (i + j - 3)))
            if i + j >= 2:
                total = total + ((product >> digit) << (digit * (i + j - 2)))
    return total


def ifma_factor(digit):
    """Three limbs: products by a factor, by Shoup's quotient and Montgomery's, and the end."""
    cube = 1 << (3 * digit)
    random = np.random.default_rng(digit)
    for q in range(3, cube >> digit, 2):
        w, y = factors_and_operands(q, cube, random)
        r = y * w - high_limbs(y, w * cube // q, digit) * q
        yield f"Shoup, q={q}", (0 <= r) & (r < 7 * q)
        factor = w * cube % q
        m = -y * factor * pow(q, -1, cube) % cube
        r = (y * factor + m * q) >> (3 * digit)
        yield f"Montgomery, q={q}", (r < 2 * q) & ((r - y * w) % q == 0)
        # The last step reduces up to 281 q by a quotient from few bits of q.
        b = q.bit_length()
        if b >= 6:
            x = beside_multiples(q, 281 * q)
            r = x - ((x >> (b - 6)) * ((1 << (12 + b)) // q) >> 18) * q
            yield f"end, q={q}", (0 <= r) & (r < 2 * q)


def ifma_barrett(digit):
    """Three limbs: products of two elements, `guard` digits of the quotient behind the point; all
    moduli shifted to one length, and special ones k B^2 + 1 shifted by the guard."""
    random = np.random.default_rng(digit)
    guard = min(5, digit - 2)
    square, length = 1 << (2 * digit), (5 * digit - guard) // 2 + guard
    for q in range((1 << (length - guard - 4)) + 1, 1 << (length - guard), 2):
        yield from ifma_barrett_of(q, length - q.bit_length(), digit, guard, random)
    for k in range(1, 1 << (digit - guard) // 2):
        yield from ifma_barrett_of(k * square + 1, guard, digit, guard, random)


def ifma_barrett_of(q, shift, digit, guard, random):
    shifted = q << shift
    reciprocal = np.int64((1 << (5 * digit + guard)) // shifted)
    x, y = pairs_with_products(q, 14, random)
    a, b = digits_of(x << shift, digit, 3), digits_of(y, digit, 3)
    t = [0] * 6
    for i in range(3):
        for j in range(3):
            t[i + j] = t[i + j] + (a[i] * b[j] & ((1 << digit) - 1))
            t[i + j + 1] = t[i + j + 1] + (a[i] * b[j] >> digit)
    top = t[2] + (t[3] << digit) + (t[4] << (2 * digit)) + (t[5] << (3 * digit))
    quotient = high_limbs(top, reciprocal, digit) >> guard
    r = (x << shift) * y - quotient * shifted
    fits = (top >> (3 * digit) == 0) & (reciprocal >> (3 * digit) == 0)
    yield f"q={q}", fits & (0 <= r) & (r < 2 * shifted)
