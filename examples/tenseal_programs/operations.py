# SPDX-License-Identifier: Apache-2.0
"""Time and size of operations on encrypted vectors, for three sets of parameters.

    python examples/tenseal_programs/operations.py [repetitions]
"""

import sys
import timeit
from collections.abc import Callable
from typing import Any

import numpy as np

import ringlet.tenseal as ts

SETS = {
    8192: [[40, 30, 40], [60, 40, 40, 60]],
    16384: [[60, 40, 40, 40, 40, 60]],
}
rng = np.random.default_rng(5)
A, B, M = rng.uniform(-1, 1, 64), rng.uniform(-1, 1, 64), rng.uniform(-1, 1, (64, 8))


def operations(context: ts.Context) -> dict[str, tuple[Callable[[], Any], Any]]:
    """Returns, for each operation, what computes it and the numbers in the clear."""
    x, y = ts.ckks_vector(context, A.tolist()), ts.ckks_vector(context, B.tolist())
    plain = ts.plain_tensor(M)
    return {
        "encrypt": (lambda: ts.ckks_vector(context, A.tolist()), A),
        "x + y": (lambda: x + y, A + B),
        "x * y": (lambda: x * y, A * B),
        "x * numbers": (lambda: x * B.tolist(), A * B),
        "x.square()": (x.square, A * A),
        "x.sum()": (x.sum, [A.sum()]),
        "x.dot(y)": (lambda: x.dot(y), [A @ B]),
        "x.polyval": (lambda: x.polyval([0.5, 0.25]), 0.5 + 0.25 * A),
        "x.mm(matrix)": (lambda: x.mm(plain), A @ M),
    }


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    for degree, lists in SETS.items():
        for sizes in lists:
            context = ts.context(ts.SCHEME_TYPE.CKKS, degree, coeff_mod_bit_sizes=sizes)
            context.global_scale = 2 ** sizes[1]
            context.generate_galois_keys()
            size = len(ts.ckks_vector(context, A.tolist()).serialize())
            print(f"N = {degree}, primes of {sizes} bits; a vector takes {size / 1e3:.0f} kB")
            for name, (compute, wanted) in operations(context).items():
                seconds = min(timeit.repeat(compute, number=1, repeat=repetitions))
                error = np.abs(np.array(compute().decrypt()) - wanted).max()
                print(f"  {name:14s} {1e3 * seconds:8.2f} ms   error {error:.1e}")
                assert error < 1e-2


if __name__ == "__main__":
    main()
