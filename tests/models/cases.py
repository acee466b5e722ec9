# SPDX-License-Identifier: Apache-2.0
"""Operands of the models: where a quotient that is one off shows first."""

import numpy as np


def signed_word(x, bits):
    """x modulo 2^bits in [-2^(bits - 1), 2^(bits - 1))."""
    half = 1 << (bits - 1)
    return (x + half) % (2 * half) - half


def beside_multiples(q, end):
    """Integers in [0, end) next to multiples of q and of half of q, evenly spread to both ends."""
    last = end // q
    count = min(last, 400)
    multiple = np.unique(np.linspace(0, last, count + 1).astype(np.int64))
    near = multiple[:, None] * q + np.array([-2, -1, 0, 1, 2, q // 2, q // 2 + 1])
    near = np.append(near.ravel(), [end - 1, end - 2])
    return np.unique(near[(near >= 0) & (near < end)])


def pairs_with_products(q, count, random):
    """x and y in [0, q), of which most products are 0, 1, q - 1 or next to q/2 modulo q."""
    targets = np.array([0, 1, q - 1, q // 2, q // 2 + 1, 2 % q, q - 2])
    x = random.integers(1, q, count)
    y = random.integers(0, q, count)
    for i in range(count):
        try:
            y[i] = pow(int(x[i]), -1, q) * int(targets[i % len(targets)]) % q
        except ValueError:  # no inverse
            continue
    edges = np.array([0, 1, q // 2, q // 2 + 1, q - 2, q - 1])
    x = np.concatenate([x, np.repeat(edges, len(edges))])
    y = np.concatenate([y, np.tile(edges, len(edges))])
    return x, y
