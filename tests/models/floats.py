# SPDX-License-Identifier: Apache-2.0
"""Quotients in floating point, with doubles of p bits in place of 53.

Numbers are integers, times a power of two that the line says; every operation rounds to nearest,
ties to even, as the processor's does. Operands are all there are unless it says otherwise.
"""

import numpy as np

from cases import pairs_with_products, signed_word

# The bits that a word has more than a double.
MORE = 11


def shift_rounded(x, count):
    """x / 2^count to the nearest integer, for integers x."""
    count = np.asarray(count)
    half = np.where(count > 0, 1 << np.maximum(count - 1, 0), 0)
    odd = (x >> count) & 1
    return (x + np.where(count > 0, half - 1 + odd, 0)) >> count


def rounded(x, p):
    """Integers to p bits."""
    x = np.asarray(x, dtype=np.int64)
    # Exact up to 53 bits; longer integers are measured by their upper half alone.
    upper = np.where(abs(x) >> 50 != 0, x >> 40, x)
    bits = np.frexp(abs(upper).astype(np.float64))[1] + np.where(abs(x) >> 50 != 0, 40, 0)
    drop = np.maximum(bits - p, 0)
    return shift_rounded(x, drop) << drop


def is_double(x, p):
    return rounded(x, p) == x


def inverse_of(q, p):
    """1/q of p bits, as an integer and the exponent that it is divided by."""
    exponent = 2 * p
    return int(rounded_ratio(1, q, p, exponent)), exponent


def rounded_ratio(c, q, p, exponent):
    """c / q of p bits, times 2^exponent, for |c| < q: a last bit says whether anything is left."""
    scaled, rest = np.divmod(np.abs(c) << (exponent + 2), q)
    return np.sign(c) * (rounded(2 * scaled + (rest != 0), p) >> 3)


def remainder(x, y, q, unit, p):
    """x*y - c*q with c = (x*y rounded)/q to a multiple of unit; what is exact is asserted so."""
    inverse, exponent = inverse_of(q, p)
    high = rounded(x * y, p)
    c = shift_rounded(high * inverse, exponent + unit.bit_length() - 1) * unit
    low = x * y - high
    rest = high - c * q
    exact = is_double(low, p) & is_double(rest, p) & is_double(rest + low, p)
    exact &= (c <= unit << (p - 1)) & is_double(c, p)
    return rest + low, exact


def once_more(rest, q, p):
    """A second quotient, rounded to an integer."""
    inverse, exponent = inverse_of(q, p)
    c = shift_rounded(rest * inverse, exponent)
    return rest - c * q, is_double(rest - c * q, p) & (abs(c) <= 1 << (p - 2))


def quotient(p):
    """Products of reduced operands, of operands below 2q and 4q, and by a factor."""
    for q in range(2, 1 << (p - 1)):
        for kx, ky, bits, unit in (
            (1, 1, p - 2, 1), (2, 1, p - 3, 1), (2, 2, p - 4, 1), (4, 4, p - 6, 1),
            (1, 1, p - 1, 1), (2, 2, p - 2, 2), (4, 4, p - 3, 4),
        ):  # fmt: skip
            if q >> bits:
                continue
            x, y = np.arange(kx * q), np.arange(ky * q)[:, None]
            r, exact = remainder(x, y, q, unit, p)
            is_narrow = kx * ky * q < 1 << (p - 2) and unit == 1
            if not is_narrow:
                r, more = once_more(r, q, p)
                exact = exact & more
            yield f"q={q}, {kx} * {ky}, unit {unit}", exact & (abs(r) < q) & ((r - x * y) % q == 0)
            # AVX2 turns the result into a residue by adding `shift`.
            shift = (1 << (p - 1)) + np.where(r < 0, q, 0)
            yield f"residue, q={q}", is_double(shift, p) & is_double(r + shift, p)
        yield from by_factor(q, p)


def by_factor(q, p):
    """x below half of what doubles hold, times w or w - q, whose ratio to q comes from a word."""
    word = p + MORE
    w = np.arange(q)[:, None]
    ratio = rounded(signed_word((w << word) // q, word), p)
    operand = w - np.where(ratio < 0, q, 0)
    x = np.arange(1 << (p - 1))
    c = shift_rounded(x * ratio, word)
    high = rounded(x * operand, p)
    low = x * operand - high
    rest = high - c * q
    exact = is_double(low, p) & is_double(rest, p) & (abs(c) <= 1 << (p - 2))
    r = rest + low
    yield f"factor, q={q}", exact & (abs(r) < q) & ((r - x * w) % q == 0)


def long_quotient(p):
    """Products of longer moduli by two quotients; operands whose products are next to multiples."""
    word = p + MORE
    random = np.random.default_rng(p)
    for first in range(3, 1 << (p + 3), 256):
        q = np.arange(first, min(first + 256, 1 << (p + 3)))[:, None]
        pairs = [pairs_with_products(int(modulus), 14, random) for modulus in q[:, 0]]
        x, y = (np.stack(operands) for operands in zip(*pairs))
        inverse, exponent = long_inverse(q, p)
        for k in range(3):
            product = rounded(rounded(x, p) * rounded(y, p), p)
            c = shift_rounded(rounded(product * inverse, p), exponent)
            r = x * y - c * q
            holds = abs(r) < 1 << (word - 1)
            c = shift_rounded(rounded(rounded(r, p) * inverse, p), exponent)
            r = r - c * q
            holds &= (abs(r) < q) & ((r - x * y) % q == 0)
            yield f"q from {first} on, times 2^{k}", holds | (q << k >= 1 << (p + 4))
            x = x + (q << k)


def long_inverse(q, p):
    """1/q, of q of p bits."""
    exponent = 2 * p + 4
    return rounded_ratio(1, rounded(q, p), p, exponent), exponent


def word(p, more=3):
    """Whole words of `more` bits more than doubles, and signed ones of one bit less."""
    bits = p + more
    half = (bits + 1) // 2
    for q in range(1 << (more + 3), 1 << (p - 2)):
        inverse, exponent = inverse_of(q, p)
        x = np.arange(1 << bits)
        c = shift_rounded(rounded(rounded(x, p) * inverse, p), exponent)
        yield f"integers, q={q}", abs(x - c * q) < q
        low = x % (1 << half) + (1 << (p - 1))
        high = x - low
        exact = is_double(low, p) & is_double(high, p)
        c = shift_rounded(rounded(high + low, p) * inverse, exponent)
        rest = high - c * q
        yield f"doubles, q={q}", exact & is_double(rest, p) & (abs(rest + low) < q)
        # Signed words as encoders reduce them, for q of at least 6 bits more.
        if q >> (more + 6):
            x = np.arange(-(1 << (bits - 2)), (1 << (bits - 2)) + 1)
            c = shift_rounded(rounded(rounded(x, p) * inverse, p), exponent)
            yield f"signed, q={q}", abs(x - c * q) < q


def sums(p):
    """Products split in two doubles and added: the same product as often as they take."""
    split = p - 3
    for q in range(2, 1 << split):
        inverse, exponent = inverse_of(q, p)
        terms = min(8, 1 << (2 * p - 3 - 2 * q.bit_length()))
        x, y = np.arange(q), np.arange(q)[:, None]
        high = shift_rounded(x * y, split) << split
        low = x * y - high
        for start in (0, q - 1):
            top, rest = terms * high, terms * low + start
            fits = is_double(low, p) & is_double(top, p) & (abs(rest) < 1 << p)
            first = shift_rounded(top * inverse, exponent + 1) * 2
            fits &= (first < 1 << p) & is_double(top - first * q, p)
            rest = top - first * q + rest
            fits &= is_double(rest, p)
            c = shift_rounded(rest * inverse, exponent)
            r = rest - c * q
            yield f"q={q}", fits & (abs(r) < q) & ((r - terms * x * y - start) % q == 0)
