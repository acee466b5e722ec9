# SPDX-License-Identifier: Apache-2.0
"""Plain tensors, and functions of the module."""

import numpy as np
from cases import changed, correlated, encoded_matrix, windows
from world import B, IA, IP, KERNEL, A, P


def plain(w, values=P, **options):
    return w.ts.plain_tensor(values.tolist(), **options)


def lazy(w, name, value):
    result = getattr(w.ts, f"lazy_{name}_from")(value.serialize())
    result.link_context(value.context())
    return result


def read(w, name, value):
    return getattr(w.ts, f"{name}_from")(value.context(), value.serialize())


def conv(w):
    encoded, count = windows(w)
    return encoded.conv2d_im2col(w.ts.plain_tensor(KERNEL.tolist()), count)


PLAIN_CASES = {
    "PlainTensor.__len__": lambda w: (len(plain(w)), 2),
    "PlainTensor.at": lambda w: (plain(w).at([1, 2]), 5.0),
    "PlainTensor.batch": lambda w: (plain(w).batch(0), P.T),
    "PlainTensor.broadcast": lambda w: (plain(w).broadcast([2, 2, 3]), np.stack([P, P])),
    "PlainTensor.broadcast_": lambda w: (
        changed(plain(w), "broadcast_", [2, 2, 3]), np.stack([P, P])),
    "PlainTensor.data": lambda w: (plain(w).data is not None, True),
    "PlainTensor.dtype": lambda w: (
        [plain(w).dtype == "float", plain(w, IP, dtype="int").dtype == "int"], [True, True]),
    "PlainTensor.empty": lambda w: (plain(w).empty(), False),
    "PlainTensor.load": lambda w: (w.ts.PlainTensor.load(plain(w).serialize()), P),
    "PlainTensor.raw": lambda w: (plain(w).raw, P.reshape(-1)),
    "PlainTensor.reshape": lambda w: (plain(w).reshape([3, 2]), P.reshape(3, 2)),
    "PlainTensor.reshape_": lambda w: (changed(plain(w), "reshape_", [3, 2]), P.reshape(3, 2)),
    "PlainTensor.serialize": lambda w: (type(plain(w).serialize()) is bytes, True),
    "PlainTensor.shape": lambda w: (plain(w).shape, [2, 3]),
    "PlainTensor.size": lambda w: (plain(w).size(), 2),
    "PlainTensor.strides": lambda w: (plain(w).strides(), [3, 1]),
    "PlainTensor.tolist": lambda w: (plain(w).tolist(), P),
    "PlainTensor.transpose": lambda w: (plain(w).transpose(), P.T),
    "PlainTensor.transpose_": lambda w: (changed(plain(w), "transpose_"), P.T),
    "PlainTensor": lambda w: (w.ts.PlainTensor([1, 2, 3, 4], shape=[2, 2]), [[1, 2], [3, 4]]),
    "CKKSVector": lambda w: (w.ts.CKKSVector(w.c, A.tolist(), 2**40), A),
    "CKKSTensor": lambda w: (w.ts.CKKSTensor(w.c, P.tolist(), batch=True), P),
    "BFVVector": lambda w: (w.ts.BFVVector(w.b, IA.tolist()), IA),
    "BFVTensor": lambda w: (w.ts.BFVTensor(w.b, IP.tolist(), batch=True), IP),
    "plain_tensor": lambda w: (w.ts.plain_tensor(P), P),
    "plain_tensor_from": lambda w: (w.ts.plain_tensor_from(plain(w).serialize()), P),
    "ckks_vector": lambda w: (w.ts.ckks_vector(w.c, w.ts.plain_tensor(A)) + B, A + B),
    "ckks_tensor": lambda w: (w.ts.ckks_tensor(w.c, w.ts.plain_tensor(P)) + P, P + P),
    "bfv_vector": lambda w: (w.ts.bfv_vector(w.b, IA), IA),
    "bfv_tensor": lambda w: (w.ts.bfv_tensor(w.b, IP), IP),
    "ckks_vector_from": lambda w: (read(w, "ckks_vector", w.v()), A),
    "ckks_tensor_from": lambda w: (read(w, "ckks_tensor", w.t(batch=True)), P),
    "bfv_vector_from": lambda w: (read(w, "bfv_vector", w.bv()), IA),
    "bfv_tensor_from": lambda w: (read(w, "bfv_tensor", w.bt(batch=True)), IP),
    "lazy_ckks_vector_from": lambda w: (lazy(w, "ckks_vector", w.v()), A),
    "lazy_ckks_tensor_from": lambda w: (lazy(w, "ckks_tensor", w.t()), P),
    "lazy_bfv_vector_from": lambda w: (lazy(w, "bfv_vector", w.bv()), IA),
    "lazy_bfv_tensor_from": lambda w: (lazy(w, "bfv_tensor", w.bt()), IP),
    "im2col_encoding": lambda w: (conv(w), correlated()),
    "enc_matmul_encoding": lambda w: (encoded_matrix(w), [0, 3, 1, 4, 2, 5, 0, 0]),
    "tensors": lambda w: (w.ts.tensors.CKKSVector is w.ts.CKKSVector, True),
    "version": lambda w: (w.ts.version.__version__ == w.ts.__version__, True),
}  # fmt: skip
