# SPDX-License-Identifier: Apache-2.0
"""A call for each public name of TenSEAL, and what NumPy says that it gives.

A case takes the World and returns results and expected numbers.
"""

import copy

import numpy as np
from world import B, IA, IB, IMAGE, IP, IQ, KERNEL, A, M, P, Q


def changed(value, name, *arguments):
    """What a method leaves in its object, which it returns."""
    result = getattr(value, name)(*arguments)
    assert result is value
    return value


def both(prefix, name, make, *arguments, expected):
    """The cases of a method and of its form that changes the object. Arguments are functions of
    the World."""

    def plain(w):
        return getattr(make(w), name)(*(a(w) for a in arguments)), expected

    def in_place(w):
        return changed(make(w), f"{name}_", *(a(w) for a in arguments)), expected

    return {f"{prefix}.{name}": plain, f"{prefix}.{name}_": in_place}


def const(value):
    return lambda w: value


def elementwise(prefix, make, other, x, y):
    """The cases that vectors and tensors of both schemes share."""
    square = x * x
    cases = {
        **both(prefix, "add", make, other, expected=x + y),
        **both(prefix, "sub", make, other, expected=x - y),
        **both(prefix, "mul", make, other, expected=x * y),
        **both(prefix, "neg", make, expected=-x),
        **both(prefix, "square", make, expected=square),
        **both(prefix, "pow", make, const(2), expected=square),
        **both(prefix, "polyval", make, const([1, 2, 3]), expected=1 + 2 * x + 3 * square),
        f"{prefix}.copy": lambda w: (make(w).copy(), x),
        f"{prefix}.data": lambda w: (make(w).data is not None, True),
        f"{prefix}.ciphertext": lambda w: (len(make(w).ciphertext()) > 0, True),
        f"{prefix}.context": lambda w: (make(w).context().is_private(), True),
        f"{prefix}.link_context": lambda w: (linked(w, make(w)), x),
        f"{prefix}.decrypt": lambda w: (
            make(w).decrypt(make(w).context().secret_key()), x),
        f"{prefix}.serialize": lambda w: (type(make(w).serialize()) is bytes, True),
        f"{prefix}.load": lambda w: (loaded(make(w)), x),
        f"{prefix}.lazy_load": lambda w: (lazy(make(w)), x),
    }  # fmt: skip
    operators = {
        "__add__": lambda w: (make(w) + other(w), x + y),
        "__radd__": lambda w: (2 + make(w), 2 + x),
        "__iadd__": lambda w: (augmented("+", make(w), other(w)), x + y),
        "__sub__": lambda w: (make(w) - other(w), x - y),
        "__rsub__": lambda w: (2 - make(w), 2 - x),
        "__isub__": lambda w: (augmented("-", make(w), other(w)), x - y),
        "__mul__": lambda w: (make(w) * other(w), x * y),
        "__rmul__": lambda w: (3 * make(w), 3 * x),
        "__imul__": lambda w: (augmented("*", make(w), other(w)), x * y),
        "__neg__": lambda w: (-make(w), -x),
        "__pow__": lambda w: (make(w) ** 2, square),
        "__ipow__": lambda w: (augmented("**", make(w), 2), square),
        "__copy__": lambda w: (copy.copy(make(w)), x),
    }
    return cases | {f"{prefix}.{name}": case for name, case in operators.items()}


def augmented(operator, value, other):
    if operator == "+":
        value += other
    elif operator == "-":
        value -= other
    elif operator == "*":
        value *= other
    elif operator == "@":
        value @= other
    else:
        value **= other
    return value


def linked(w, value):
    value.link_context(value.context())
    return value


def loaded(value):
    return type(value).load(value.context(), value.serialize())


def lazy(value):
    result = type(value).lazy_load(value.serialize())
    result.link_context(value.context())
    return result


def windows(w):
    return w.ts.im2col_encoding(w.c, IMAGE.tolist(), 2, 2, 1)


def convolved(w, name):
    encoded, count = windows(w)
    return getattr(encoded, name)(KERNEL.tolist(), count)


def encoded_matrix(w):
    return w.ts.enc_matmul_encoding(w.c, P.tolist())


def correlated():
    views = np.lib.stride_tricks.sliding_window_view(IMAGE, (2, 2))
    return (views * KERNEL).sum((2, 3)).reshape(-1)


def vectors(prefix, make, other, x, y):
    total, scalar = [x.sum()], [x @ y]
    return {
        **elementwise(prefix, make, other, x, y),
        **both(prefix, "sum", make, expected=total),
        **both(prefix, "dot", make, other, expected=scalar),
        f"{prefix}.size": lambda w: (make(w).size(), 4),
        f"{prefix}.shape": lambda w: (make(w).shape, [4]),
        f"{prefix}.pack_vectors": lambda w: (
            type(make(w)).pack_vectors([make(w), other(w)]), np.concatenate([x, y])),
    }  # fmt: skip


def tensors(prefix, make, other, x, y):
    batched = lambda w: make(w, batch=True)  # noqa: E731
    right = lambda w: y.T.tolist()  # noqa: E731
    return {
        **elementwise(prefix, make, other, x, y),
        **both(prefix, "sum", make, const(1), expected=x.sum(1)),
        **both(prefix, "sum_batch", batched, expected=x.sum(0)),
        **both(prefix, "dot", make, right, expected=x @ y.T),
        **both(prefix, "mm", make, right, expected=x @ y.T),
        **both(prefix, "reshape", make, const([3, 2]), expected=x.reshape(3, 2)),
        **both(prefix, "broadcast", make, const([2, 2, 3]), expected=np.stack([x, x])),
        **both(prefix, "transpose", make, expected=x.T),
        f"{prefix}.shape": lambda w: (make(w).shape, [2, 3]),
        f"{prefix}.__matmul__": lambda w: (make(w) @ right(w), x @ y.T),
        f"{prefix}.__imatmul__": lambda w: (augmented("@", make(w), right(w)), x @ y.T),
    }


CASES = {
    **vectors("CKKSVector", lambda w: w.v(), lambda w: w.v(B), A, B),
    **vectors("BFVVector", lambda w: w.bv(), lambda w: w.bv(IB), IA, IB),
    **tensors("CKKSTensor", lambda w, **o: w.t(**o), lambda w: w.t(Q), P, Q),
    **tensors("BFVTensor", lambda w, **o: w.bt(**o), lambda w: w.bt(IQ), IP, IQ),
    **both("CKKSVector", "mm", lambda w: w.v(), const(M.tolist()), expected=A @ M),
    **both("CKKSVector", "matmul", lambda w: w.v(), const(M.tolist()), expected=A @ M),
    **both("CKKSVector", "enc_matmul_plain", encoded_matrix, const([1.0, 2.0, -1.0]), const(2),
           expected=P @ [1.0, 2.0, -1.0]),
    "CKKSVector.conv2d_im2col": lambda w: (convolved(w, "conv2d_im2col"), correlated()),
    "CKKSVector.conv2d_im2col_": lambda w: (convolved(w, "conv2d_im2col_"), correlated()),
    "CKKSVector.__matmul__": lambda w: (w.v() @ M.tolist(), A @ M),
    "CKKSVector.__imatmul__": lambda w: (augmented("@", w.v(), M.tolist()), A @ M),
    "CKKSVector.scale": lambda w: (w.v().scale(), 2.0**40),
    "CKKSTensor.scale": lambda w: (w.t().scale(), 2.0**40),
    "CKKSTensor.__getitem__": lambda w: (w.t()[:, 1:], P[:, 1:]),
}  # fmt: skip

# TenSEAL 0.3.18 has these names, but calls something that is not there.
BROKEN = {
    *(f"BFVVector.{name}{form}" for name in ("neg", "square", "pow") for form in ("", "_")),
    *(f"BFVVector.__{name}__" for name in ("neg", "pow", "ipow", "rsub")),
    "BFVVector.shape", "CKKSVector.scale",
}  # fmt: skip
