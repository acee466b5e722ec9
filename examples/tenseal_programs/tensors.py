# SPDX-License-Identifier: Apache-2.0
"""Encrypted tensors: arithmetic, broadcasting, shapes, products of matrices, and batches.

    python examples/tenseal_programs/tensors.py
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

import ringlet.tenseal as ts

Array = NDArray[np.float64] | NDArray[np.int64]
rng = np.random.default_rng(3)


def error(tensor: Any, wanted: Array) -> float:
    """Returns the largest error of an encrypted tensor."""
    values = np.array(tensor.decrypt().tolist())
    assert values.shape == wanted.shape, (values.shape, wanted.shape)
    return float(np.abs(values - wanted).max())


def real_numbers() -> float:
    """Prints and returns the largest error of operations of CKKS."""
    context = ts.context(ts.SCHEME_TYPE.CKKS, 8192, coeff_mod_bit_sizes=[60, 40, 40, 60])
    context.global_scale = 2**40
    context.generate_galois_keys()
    a, b, m = rng.uniform(-1, 1, (3, 4)), rng.uniform(-1, 1, (3, 4)), rng.uniform(-1, 1, (4, 2))
    batch, row = rng.uniform(-1, 1, (50, 4)), rng.uniform(-1, 1, 4)

    def tensor(values: Array, **options: bool) -> Any:
        return ts.ckks_tensor(context, ts.plain_tensor(values), **options)

    operations = {
        "a + b": (tensor(a) + tensor(b), a + b),
        "a * b - a": (tensor(a) * tensor(b) - a, a * b - a),
        "a * row": (tensor(a) * tensor(row), a * row),
        "polynomial": (tensor(a).polyval([1, -0.5, 2]), 1 - 0.5 * a + 2 * a * a),
        "a @ m, both encrypted": (tensor(a) @ tensor(m), a @ m),
        "a @ m @ m.T": (tensor(a).mm(m).mm(m.T), a @ m @ m.T),
        "transpose": (tensor(a).transpose(), a.T),
        "reshape": (tensor(a).reshape([2, 6]), a.reshape(2, 6)),
        "broadcast": (tensor(row).broadcast([3, 4]), np.broadcast_to(row, (3, 4))),
        "sum of rows": (tensor(a).sum(axis=1), a.sum(1)),
        "columns": (tensor(a)[:, 1:3], a[:, 1:3]),
        "sum of a batch": ((tensor(batch, batch=True) * row).sum_batch(), (batch * row).sum(0)),
    }
    errors = {name: error(*pair) for name, pair in operations.items()}
    for name, value in errors.items():
        print(f"{name:24s} error {value:.1e}")
    return max(errors.values())


def integers() -> float:
    """Returns the largest error of operations of BFV, which are exact."""
    context = ts.context(ts.SCHEME_TYPE.BFV, 8192, plain_modulus=1032193)
    context.generate_galois_keys()
    a, b = rng.integers(-50, 50, (2, 3)), rng.integers(-50, 50, (2, 3))
    x, y = ts.bfv_tensor(context, a.tolist()), ts.bfv_tensor(context, b.tolist())
    return max(error(x * y + 7, a * b + 7), error(x.mm(b.T.tolist()), a @ b.T))


def main() -> None:
    assert real_numbers() < 1e-4
    assert integers() == 0
    print("integers: exact")


if __name__ == "__main__":
    main()
