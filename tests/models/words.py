# SPDX-License-Identifier: Apache-2.0
"""Arithmetics on integer words, with words of a few bits in place of 52 or 64.

Each model yields (where, array of what holds) over every modulus that its range allows; operands
are all there are unless it says otherwise. Names are those of the notes that derive the ranges.
"""

import numpy as np

from cases import beside_multiples, signed_word


def reduce_once(bits):
    """x - c for x in [c, 2c): the three ways to tell, for any c up to half of the word."""
    word = 1 << bits
    for c in range(1, word // 2 + 1):
        x = np.arange(2 * c)
        difference = (x - c) % word
        by_sign = np.where(signed_word(difference, bits) < 0, x, difference)
        by_minimum = np.minimum(x, difference) if 2 * c <= word else x
        yield f"c={c}", (by_sign == x % c) & (by_minimum == x % c)


def harvey(bits):
    """Products by a known factor of any word: Harvey's, q below a quarter of the word."""
    word = 1 << bits
    y = np.arange(word)
    for q in range(2, word // 4):
        w = np.arange(q)[:, None]
        t = (y * w - (y * (w * word // q) >> bits) * q) % word
        yield f"q={q}", (t < 2 * q) & (t % q == y * w % q)


def extended(bits, floors=1, forward=None, inverse=None):
    """Sums of two products with one rounding or two, operands in [0, R q); any word modulo q."""
    word = 1 << bits
    sums, spread = (2, 8) if floors == 1 else (4, 12)
    forward, inverse = forward or sums, inverse or floors + 1
    end = word // 16 if floors == 1 else word // 12 + 1
    for q in range(2, end):
        factor = np.arange(q)
        for operands, bound in ((spread * q, forward), (2 * inverse * q, inverse)):
            y = np.arange(operands)
            # The contributions of every factor and operand to the sum and to its quotient.
            product = (y * factor[:, None]).ravel()
            estimate = (y * (factor[:, None] * word // q)).ravel()
            for i in range(len(product)):
                if floors == 1:
                    quotient = (estimate[i] + estimate) >> bits
                else:
                    quotient = (estimate[i] >> bits) + (estimate >> bits)
                rest = product[i] + product - quotient * q
                yield f"q={q}, floors={floors}", (0 <= rest) & (rest < bound * q)
        yield f"operands, q={q}", np.array([spread * q <= word])
        x = np.arange(word)
        yield f"any word, q={q}", x - (word // q * x >> bits) * q < 2 * q


def extended_two(bits):
    """The same with a rounding for each product."""
    yield from extended(bits, 2)


def fractions(bits, limit):
    """Every odd q below the limit, with all factors w and the two words of their fractions."""
    word = 1 << bits
    for q in range(3, limit, 2):
        w = np.arange(q)[:, None]
        yield q, w, *np.divmod(w * word * word // q, word)


def lazy(bits):
    """Products by fractions: residues, centred residues, and sums of fractions; q odd."""
    word = 1 << bits
    y = np.arange(word)
    for q, w, high, low in fractions(bits, word // 4):
        exact = y * w % q * word
        for rounding in (1, 2, 3, 5):
            f = rounding + (y * low >> bits) + y * high
            error = (f * q - exact) % (word * q)
            error = np.where(error > word * q // 2, error - word * q, error)
            yield f"fraction, q={q}, c={rounding}", (
                ((rounding - 2) * q < error) & (error <= rounding * q)
            )
        f = (2 + (y * low >> bits) + y * high) % word
        yield f"residue, q={q}", f * q >> bits == y * w % q
        f = (2 + word // 2 + (y * low >> bits) + y * high) % word
        centred = (f * q >> bits) - q // 2
        yield f"centred, q={q}", (centred - y * w) % q == 0
        yield f"centred, q={q}", 2 * abs(centred) < q
        count = y * (word // q) >> bits
        yield f"one word, q={q}", y - count * q < 2 * q
        # Four or two fractions sum to any fraction that exceeds the exact one by up to 2 for each.
        terms = 4 if q < word // 8 else 2
        r = np.arange(q)[:, None]
        sums = (r * word + np.arange(1, 2 * terms * q + 1)) // q
        is_sum = (sums * q > r * word) & (sums * q - r * word <= 2 * terms * q)
        yield f"sum of fractions, q={q}", ~is_sum | ((sums < word) & (sums * q >> bits == r))


def exact(bits):
    """Residues by fractions, without a factor 4 between q and the word; q odd."""
    word = 1 << bits
    y = np.arange(word)
    for q, w, high, low in fractions(bits, word // 2):
        f = (2 + (y * low >> bits) + y * high) % word
        yield f"residue, q={q}", f * q >> bits == y * w % q


def barrett_shift(q, bits):
    return q.bit_length() - 2 + (q >= 13 << (bits - 6))


def printed_shift(q, _bits):
    """Of Algorithm 8 of Boemer et al."""
    return q.bit_length() - 1


def barrett(bits, shift_of=barrett_shift):
    """Products of x below kX q and y below kY q, in words and in half words (bits is even)."""
    word, half = 1 << bits, bits // 2
    for q in range(2, word // 4):
        n, s = q.bit_length(), shift_of(q, bits)
        quotient = (word << s) // q
        excess = word - 1 if q & (q - 1) == 0 else (word << n) // q - word
        yield f"constants, q={q}", np.array([quotient < word, 0 <= excess < word, s >= 0])
        long_high, long_low = divmod(word * word // q, word)
        for kx, ky in ((1, 1), (2, 1), (2, 2), (4, 2), (4, 4)):
            doublings = (kx * ky).bit_length() - 1
            x, y = np.arange(kx * q), np.arange(ky * q)[:, None]
            d = x * y
            where = f"q={q}, {kx} * {ky}"
            if kx * q <= word:
                h, low = d >> bits, d % word
                estimate = (low * long_high >> bits) + h * long_high + (h * long_low >> bits)
                rest = (low - estimate * q) % word
                yield f"both words, {where}", (rest < 4 * q) & (rest % q == d % q)
            if n + doublings <= bits - 3 or kx * ky == 1:
                top = d >> s
                yield f"sum, {where}", top + quotient < word
                yield f"plain, {where}", d // q - (top * quotient >> bits) <= 1
                rest = d - estimate_high(top, quotient, half) * q
                yield f"half words, {where}", (0 <= rest) & (rest < 3 * q)
            if n + doublings <= bits:
                top = d >> n
                yield f"wide top, {where}", top < word
                rest = d - (top + (top * excess >> bits)) * q
                yield f"wide, {where}", (0 <= rest) & (rest < 4 * q)
                rest = d - (top + estimate_high_any(top, excess, half)) * q
                yield f"wide, half words, {where}", (0 <= rest) & (rest < 6 * q)
        yield from by_factor(q, bits)


def estimate_high(x, y, half):
    """The high word of x*y without the product of the low halves; -1 where a sum does not fit."""
    low = (1 << half) - 1
    middle = (x & low) * (y >> half) + (x >> half) * (y & low)
    return np.where(middle >> (2 * half) == 0, (x >> half) * (y >> half) + (middle >> half), -1)


def estimate_high_any(x, y, half):
    """The same with the middle products shifted before they are added."""
    low = (1 << half) - 1
    middle = ((x & low) * (y >> half) >> half) + ((x >> half) * (y & low) >> half)
    return (x >> half) * (y >> half) + middle


def by_factor(q, bits):
    """Products by a factor in half words, its quotient without a division, and reduced words."""
    word, half = 1 << bits, bits // 2
    x, w = np.arange(word), np.arange(q)[:, None]
    exact = w * word // q
    high, low = divmod(word * word // q, word)
    estimate = w * high + (w * low >> bits)
    yield f"quotient, q={q}", estimate + ((-estimate * q) % word >= q) == exact
    small = np.arange(word // 4)
    rest = small * w - estimate_high(2 * small, exact >> 1, half) * q
    yield f"factor, q={q}", (0 <= rest) & (rest < 3 * q)
    rest = x * w - estimate_high_any(x, exact, half) * q
    yield f"factor of any word, q={q}", (0 <= rest) & (rest < 4 * q)
    rest = x - estimate_high_any(x, np.int64(word // q), half) * q
    yield f"word, q={q}", (0 <= rest) & (rest < 4 * q)
    if q.bit_length() >= half + 3:
        s = barrett_shift(q, bits)
        top, short = x >> s, (1 << half + s) // q
        rest = x - (top * short >> half) * q
        fits = (top < 1 << half) & (short < 1 << half)
        yield f"short word, q={q}", fits & (0 <= rest) & (rest < 2 * q)


def scalar(bits):
    """Words and sums of products by the two words of Barrett's ratio, q below half of the word; and
    the sums of products with keys of devices."""
    word, half = 1 << bits, bits // 2
    for q in range(2, word // 2):
        ratio = word * word // q
        for x, constant, shift in (
            (np.arange(word), ratio >> bits, bits),
            (np.arange(q * word), ratio, 2 * bits),
        ):
            rest = x - (x * constant >> shift) * q
            yield f"q={q}, {shift} bits", (0 <= rest) & (rest < 2 * q)
        if q < word // 8:
            t, s = np.arange(q * q + 5 * q), q.bit_length() - 1
            top, constant = t >> s, np.int64((word << s) // q)
            rest = t - estimate_high_any(top, constant, half) * q
            fits = (top < word) & (constant < word + (q == 1 << s))
            yield f"keys, q={q}", fits & (0 <= rest) & (rest < 5 * q)


def barrett_word(bits, more=3):
    """Words of `more` bits more than those of the products, from more + 3 bits of q on."""
    x = np.arange(1 << (bits + more))
    for q in range(1 << (more + 2), 1 << (bits - 2)):
        s = barrett_shift(q, bits)
        top = x >> s
        rest = x - (top * ((1 << bits + s) // q) >> bits) * q
        yield f"q={q}", (top < 1 << bits) & (0 <= rest) & (rest < 2 * q)


def accumulators(bits):
    """Sums of products in two words: every value that they can have."""
    word = 1 << bits
    total = np.arange(word * word)
    h, low = total >> bits, total % word
    for q in range(2, word // 4):
        u, v = divmod(word * word // q, word)
        estimate = h * u + (h * v >> bits) + (low * u >> bits)
        rest = total - estimate * q
        yield f"q={q}", (0 <= rest) & (rest < 4 * q)


def half_word_sums(bits):
    """Sums in half words: as many times each product as they take; every value they can have."""
    word, half = 1 << bits, bits // 2
    for q in range(2, word // 4):
        b = q.bit_length()
        terms = 1 << min(bits - 1 - b, half - 2)
        x, y = np.arange(q), np.arange(q)[:, None]
        x1, x0, y1, y0 = x >> half, x % (1 << half), y >> half, y % (1 << half)
        start = q - 1
        p00 = start + terms * x0 * y0
        low_upper, cross, high = terms * (x0 * y0 >> half), terms * (x0 * y1 + x1 * y0), x1 * y1
        low_lower = (p00 - (low_upper << half)) % word
        middle = cross + low_upper + (low_lower >> half)
        yield f"sums fit, q={q}", (cross < word) & (middle < word) & (low_upper < word)
        total = ((terms * high + (middle >> half)) << bits) + (p00 + (cross << half)) % word
        yield f"joined, q={q}", total == start + terms * x * y
        # The quotient, for all sums.
        total = np.arange(terms * q * q)
        top, quotient = total >> (b - 1), (word * word // q - 1) >> (bits - b + 1)
        yield f"words, q={q}", (top < word) & (quotient < word)
        t1, t0 = top >> half, top % (1 << half)
        q1, q0 = quotient >> half, quotient % (1 << half)
        carry = t0 * q1 + (t1 * q0) % (1 << half)
        estimate = t1 * q1 + (t1 * q0 >> half) + (carry >> half)
        rest = total - estimate * q
        yield f"q={q}", (carry < word) & (0 <= rest) & (rest < 4 * q)


def long_half_word_sums(bits):
    """`dot` in half words: upper halves move on after `terms` products, and every fourth time."""
    word, half = 1 << bits, bits // 2
    for q in range(2, word // 4):
        terms = 1 << min(bits - 1 - q.bit_length(), half - 2)
        x = np.arange(q)
        x1, x0 = x >> half, x % (1 << half)
        y1, y0 = (q - 1) >> half, (q - 1) % (1 << half)
        cross = high = top = np.zeros_like(x)
        for step in range(1, 4 * (1 << half)):
            cross, high = cross + terms * (x0 * y1 + x1 * y0), high + terms * x1 * y1
            fits = (cross < word) & (high < word)
            high, cross = high + (cross >> half), cross % (1 << half)
            fits &= high < word
            if step % 4 == 0:
                top, high = top + (high >> half), high % (1 << half)
            yield f"q={q}, step {step}", fits & (top < word)


def montgomery(bits):
    """Sums below q times the word, over the word, and the same for two words and a longer q: less
    the multiples with the same lower word."""
    word = 1 << bits
    for q in range(3, word // 8, 2):
        total = np.arange(q * word)
        rest = without_lower_word(total, q, bits)
        yield f"q={q}", (abs(rest) < q) & ((rest * word - total) % q == 0)
    for q in range(3, 4 * word, 2):
        total = beside_multiples(q, q * word * word // 4)
        rest = without_lower_word(without_lower_word(total, q, bits), q, bits)
        yield f"two words, q={q}", (abs(rest) < q) & ((rest * word * word - total) % q == 0)


def without_lower_word(total, q, bits):
    multiple = total * pow(q, -1, 1 << bits) % (1 << bits)
    return (total - multiple * q) >> bits


def long_quotients(bits):
    """The quotient of an integer below 2^(shift + bits) by one word; q of up to 2 bits more."""
    word = 1 << bits
    for q in range(2, 4 * word):
        shift = q.bit_length() - 1
        a, constant = beside_multiples(q, word << shift), ((word << shift) - 1) // q
        missing = a // q - ((a >> shift) * constant >> bits)
        yield f"q={q}", (constant < word) & (0 <= missing) & (missing <= 2)


def conversion(bits):
    """The quotient in fixed point of a basis conversion, for bases of one prime and of two."""
    limit = 1 << (bits - 2)
    odd = range(3, limit, 2)
    for q0 in odd:
        yield from conversion_of([q0], bits)
        for q1 in odd:
            if q1 < q0 and np.gcd(q0, q1) == 1 and q0 * q1 < 4 * limit:
                yield from conversion_of([q0, q1], bits)


def conversion_of(primes, bits):
    k = len(primes)
    product = int(np.prod(primes))
    s = min(min(primes).bit_length() - 1, bits + 12 - k.bit_length())
    a = np.arange(product)
    total, fixed = np.zeros_like(a), np.full_like(a, 1 << (s - 1))
    for q in primes:
        y = a * pow(product // q, -1, q) % q
        total += y * (product // q)
        fixed += y * ((1 << bits + s) // q) >> bits
    r = total - (fixed >> s) * product
    where = f"primes {primes}"
    yield where, (r - a) % product == 0
    # -Q/2 <= r < Q/2 + Q d with d = 5k/2^(s + 2).
    yield where, (-product <= 2 * r) & ((2 * r - product) << (s + 1) < 5 * k * product)
    if k == 1:
        yield where, 2 * abs(r) < product
