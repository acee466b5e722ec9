# SPDX-License-Identifier: Apache-2.0
"""A convolutional network on an encrypted digit: convolution, two dense layers, squares between.

A client encrypts the windows of a picture of 8 x 8 pixels; a server that has the network returns
ten encrypted scores. The weights are drawn, not trained: the numbers are compared with NumPy's.

    python examples/tenseal_programs/convolution.py
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import ringlet.tenseal as ts

Array = NDArray[np.float64]
DATA = Path(__file__).resolve().parents[1] / "data" / "digits.csv"
rng = np.random.default_rng(7)
KERNELS = rng.uniform(-0.5, 0.5, (2, 3, 3))
SHIFTS = rng.uniform(-0.5, 0.5, 2)
FIRST = rng.uniform(-0.3, 0.3, (72, 16))
SECOND = rng.uniform(-0.5, 0.5, (16, 10))


def load() -> Array:
    """Returns a picture with values from 0 to 1."""
    table = np.genfromtxt(DATA, delimiter=",", skip_header=1, max_rows=1)
    picture: Array = table[:64].reshape(8, 8) / 16
    return picture


def in_the_clear(image: Array) -> Array:
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3))
    channels = [(windows * k).sum((2, 3)) + s for k, s in zip(KERNELS, SHIFTS, strict=True)]
    x = np.concatenate([c.reshape(-1) for c in channels]) ** 2
    scores: Array = ((x @ FIRST) ** 2) @ SECOND
    return scores


def network(x: ts.CKKSVector, windows: int) -> ts.CKKSVector:
    """Returns encrypted scores of an encrypted picture."""
    channels = []
    for kernel, shift in zip(KERNELS, SHIFTS, strict=True):
        channels.append(x.conv2d_im2col(kernel.tolist(), windows) + shift)
    y = ts.CKKSVector.pack_vectors(channels)
    y.square_()
    y = y.mm(FIRST.tolist())
    y.square_()
    scores: ts.CKKSVector = y.mm(SECOND.tolist())
    return scores


def main() -> None:
    context = ts.context(ts.SCHEME_TYPE.CKKS, 16384,
                         coeff_mod_bit_sizes=[60, 40, 40, 40, 40, 40, 40, 60])  # fmt: skip
    context.global_scale = 2**40
    context.generate_galois_keys()
    image = load()
    encrypted, windows = ts.im2col_encoding(context, image.tolist(), 3, 3, 1)
    data = encrypted.serialize()

    server = context.copy()
    server.make_context_public()
    scores = network(ts.ckks_vector_from(server, data), windows).serialize()

    values = np.array(ts.ckks_vector_from(context, scores).decrypt())
    error = np.abs(values - in_the_clear(image)).max()
    print(f"{windows} windows, largest score {np.argmax(values)}, largest error {error:.1e}")
    assert values.shape == (10,) and error < 1e-3


if __name__ == "__main__":
    main()
