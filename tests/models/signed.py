# SPDX-License-Identifier: Apache-2.0
"""Products and reductions of signed transforms, with words of a few bits in place of 64 or 32 and
doubles of p bits in place of 53. The modulus is odd, factors are centred. Each product is within
the bound that plans count with (signed_plan.hpp) for every operand up to the limit.
"""

import numpy as np

from cases import signed_word
from floats import MORE, inverse_of, is_double, long_inverse, rounded, rounded_ratio, shift_rounded


def centred(w, q):
    w = w % q
    return w - np.where(w > q // 2, q, 0)


def product_of(y, w, t, q):
    return (t - y * w) % q == 0


def real(p):
    """Doubles: the product and its exactness, and the reduction."""
    for q in range(3, 1 << (p - 2), 2):
        c = np.arange(-(q // 2), q // 2 + 1)[:, None]
        exponent = 2 * p
        v = rounded_ratio(c, q, p, exponent)
        y = np.arange(-(1 << (p - 1)), (1 << (p - 1)) + 1)
        quotient = shift_rounded(y * v, exponent)
        high = rounded(y * c, p)
        low = y * c - high
        rest = high - quotient * q
        t = rest + low
        exact = is_double(low, p) & is_double(rest, p) & (abs(quotient) <= 1 << (p - 2))
        # |T| <= 1/2 + |y| 2^-(p + 2), in units of q.
        bound = ((q << (p + 1)) + abs(y) * q) >> (p + 2)
        yield f"q={q}", exact & product_of(y, c, t, q) & (abs(t) <= bound + 1) & (abs(t) < q)
        inverse, exponent = inverse_of(q, p)
        reduced = y - shift_rounded(y * inverse, exponent) * q
        yield f"reduced, q={q}", 2 * abs(reduced) <= q + (abs(y) >> (p - 1)) + 1


def long_real(p):
    """Words whose quotients are doubles: 64 factors and 1024 operands of each sign, evenly spread,
    and operands next to powers of two, where the error of a double doubles."""
    word = p + MORE
    for q in range(3, 1 << (p + 1), 2):
        c = np.arange(-(q // 2), q // 2 + 1, max(1, q // 64))[:, None]
        fraction = np.sign(c) * (((abs(c) << word) + q // 2) // q)
        v = rounded(fraction, p)
        most = (1 << (word - 1)) - (1 << (p // 2))
        ends = np.concatenate([(1 << np.arange(word - 1)) + d for d in (-1, 0, 1)])
        y = np.concatenate([np.arange(0, most, max(1, most // 1024)), ends[ends <= most], [most]])
        y = np.concatenate([y, -y])
        t = y * c - shift_rounded(rounded(rounded(y, p) * v, p), word) * q
        # |T| <= (1/2 + 2^(e - p) + |y| (2^-(p + 2) + 2^-word)) q, times 2^word.
        power = 1 << np.maximum(np.frexp(abs(y).astype(np.float64))[1] - 1, 0)
        bound = q * (
            (1 << (word - 1)) + (power << (word - p)) + abs(y) * ((1 << (word - p - 2)) + 1)
        )
        fits = (abs(t) << word <= bound) & product_of(y, c, t, q)
        yield f"q={q}", fits
        # The reduction rounds its quotient three times.
        inverse, exponent = long_inverse(q, p)
        r = y - shift_rounded(rounded(rounded(y, p) * inverse, p), exponent) * q
        yield f"reduced, q={q}", 2 * abs(r) << (p - 2) <= (q << (p - 2)) + 2 * abs(y)


def mont64(bits):
    """Montgomery's reduction by half a word twice at once, in the form that q asks for."""
    half = bits // 2
    radix = 1 << half
    for q in range(3, 1 << (bits - 2), 2):
        low_q = int(signed_word(np.int64(q), half))
        high_q, inverse = (q - low_q) >> half, pow(q, -1, radix)
        most = (1 << (bits - 1)) - 2 * radix
        forms = [("apart", most), ("together", ((radix >> 1) - abs(low_q) - 1) * radix)]
        w = np.arange(q)[:, None]
        a, b = centred(w << half, q), centred(w << bits, q)
        al, bl = signed_word(a, half), signed_word(b, half)
        ah, bh = (a - al) >> half, (b - bl) >> half
        for form, limit in forms if low_q != 1 else [("one", most)]:
            limit = min(limit, most)
            if limit < 1:
                continue
            y = np.arange(-limit, limit + 1)
            y1 = (y + radix // 2) >> half
            y0 = signed_word(y, half)
            low, high = y0 * al + y1 * bl, y0 * ah + y1 * bh
            m = signed_word(low * inverse, half)
            if form == "one":
                t, sums = high - signed_word(low, half) * high_q, [low, low + radix // 2]
                t += (low + radix // 2) >> half
            elif form == "together":
                t, sums = high - m * high_q, [low, low - m * low_q]
                t += (low - m * low_q) >> half
            else:
                t, sums = high - m * high_q, [low, m * low_q]
                t += (low >> half) - (m * low_q >> half)
            fits = abs(y1) <= radix // 2 - 1
            for x in sums:
                fits = fits & (signed_word(x, bits) == x)
            # |T| <= (3/4 + 2^-(half + 2)) q + |y| q / 2^(bits + 1), times 2^(bits + 1).
            bound = q * (3 * (radix * radix // 2) + radix // 2 + abs(y))
            fits &= abs(t) << (bits + 1) <= bound
            yield f"{form}, q={q}", fits & product_of(y, w, t, q)
            if q < 1 << (bits - 3):  # Where results are products by 1.
                yield f"{form}, a product by 1, q={q}", abs(t[1:2]) < q


def mont32(bits):
    """Montgomery's reduction by a word."""
    radix = 1 << bits
    for q in range(3, 1 << (bits - 2), 2):
        w = np.arange(q)[:, None]
        a = centred(w << bits, q)
        quotient = a * pow(q, -1, radix) % radix
        y = np.arange(-radix // 2, radix // 2)
        m = signed_word(y * quotient, bits)
        total = y * a - m * q
        t = total >> bits
        fits = (total % radix == 0) & (abs(t) << (bits + 1) <= abs(y) * q + q * radix)
        yield f"q={q}", fits & product_of(y, w, t, q)


def shoup64(bits):
    """Quotients by three products of halves."""
    half = bits // 2
    radix, word = 1 << half, 1 << bits
    for q in range(3, 1 << (bits - 3), 2):
        c = centred(np.arange(q), q)
        v = np.sign(c) * ((abs(c) * word + q // 2) // q)
        # For c near q/2 the upper half does not fit: c - q represents the same factor.
        is_other = v > word // 2 - 1 - radix // 2
        c, v = np.where(is_other, c - q, c)[:, None], np.where(is_other, v - word, v)[:, None]
        v0 = signed_word(v, half)
        v1 = (v - v0) >> half
        most = word // 2 - 2 * radix
        y = np.arange(-most, most + 1)
        y1, y0 = (y + radix // 2) >> half, signed_word(y, half)
        middle = y1 * v0 + y0 * v1
        t = y * c - (y1 * v1 + (middle >> half)) * q
        fits = (signed_word(v1, half) == v1) & (signed_word(middle, bits) == middle)
        # T in (-1/4 - r, 5/4 + r) q with r = |y| / 2^(bits + 1).
        scaled, r = t << (bits + 1), abs(y)
        fits &= (-(word // 2 + r) * q <= scaled) & (scaled <= (5 * word // 2 + r) * q)
        yield f"q={q}", fits & product_of(y, c, t, q)
