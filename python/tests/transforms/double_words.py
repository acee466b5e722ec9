# SPDX-License-Identifier: Apache-2.0
"""What the tests of double words share: moduli, elements, definitions by Python's integers."""

import random

import ringlet
from ringlet import wide

SPECIAL = wide.special_primes(124, 1)[0]
GENERAL = wide.ntt_primes(124, 1 << 20, 1)[0]
NARROW = wide.ntt_primes(100, 1 << 20, 1)[0]
LIMIT = 1 << 124
# Prime and composite moduli, of one word and of two, up to the limit.
ODD_MODULI = [3, 97, (1 << 64) - 1, (1 << 64) + 1, NARROW, SPECIAL, GENERAL, LIMIT - 59, LIMIT - 1]
WIDE_KERNELS = [
    f"{k.table}/{k.algorithm}"
    for k in ringlet.kernel_catalog()
    if k.operation == "wide" and k.available
]


def sample(q, count, seed):
    """Elements of [0, q), the edges first."""
    source = random.Random(seed)
    edges = [q - 1, 0, 1, q - 2, q // 2, min(q - 1, (1 << 64) - 1), min(q - 1, 1 << 64)]
    return (edges + [source.randrange(q) for _ in range(count)])[:count]


def defined_transform(a, q, root, ring):
    """The definition: values at powers of the root, in bit-reversed order."""
    n = len(a)
    bits = n.bit_length() - 1
    reversed_places = [int(f"{i:0{bits}b}"[::-1], 2) for i in range(n)]
    exponents = [2 * i + 1 if ring == "negacyclic" else i for i in reversed_places]
    points = [pow(root, e, q) for e in exponents]
    return [sum(c * pow(x, j, q) for j, c in enumerate(a)) % q for x in points]


def product(a, b, q, ring):
    """The product of polynomials modulo X^N + 1 or X^N - 1, term by term."""
    n = len(a)
    sign = -1 if ring == "negacyclic" else 1
    result = [0] * n
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            if i + j < n:
                result[i + j] += x * y
            else:
                result[i + j - n] += sign * x * y
    return [value % q for value in result]


def kernels_of(q):
    """The names of the kernels of this processor that take q."""
    names = []
    for name in WIDE_KERNELS:
        try:
            wide.Eltwise(q, kernels=name)
        except ringlet.InvalidArgument:
            continue
        names.append(name)
    return names


def is_probable_prime(n):
    """Miller and Rabin, to the first twelve prime bases."""
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37):
        power = pow(base, odd, n)
        if power not in (1, n - 1) and all(
            (power := power * power % n) != n - 1 for _ in range(twos - 1)
        ):
            return False
    return True
