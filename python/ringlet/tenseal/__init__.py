# SPDX-License-Identifier: Apache-2.0
"""TenSEAL's interface on Ringlet: `import ringlet.tenseal as ts` runs programs for TenSEAL 0.3.

    context = ts.context(ts.SCHEME_TYPE.CKKS, 8192, coeff_mod_bit_sizes=[60, 40, 40, 60])
    context.global_scale = 2**40
    context.generate_galois_keys()
    v = ts.ckks_vector(context, [1.0, 2.0, 3.0])
    v.dot([0.5, 1.0, 2.0]).decrypt()                # about [8.5]

Ringlet's CKKS and BFV compute; TenSEAL is not used. Parameters below 128 bits of security by the
guidelines of 2024 raise ValueError. Loaders read TenSEAL's files too, and
serialize(format="tenseal") writes them. See docs/howto/coming_from_tenseal.md for what differs.
"""

from __future__ import annotations

from typing import Any

from . import enc_context, tensors, version
from .enc_context import ENCRYPTION_TYPE, SCHEME_TYPE, Context
from .tensors import BFVTensor, BFVVector, CKKSTensor, CKKSVector, PlainTensor
from .vectors import enc_matmul_encoding, im2col_encoding
from .version import __version__

__all__ = [
    "ENCRYPTION_TYPE",
    "SCHEME_TYPE",
    "BFVTensor",
    "BFVVector",
    "CKKSTensor",
    "CKKSVector",
    "Context",
    "PlainTensor",
    "__version__",
    "bfv_tensor",
    "bfv_tensor_from",
    "bfv_vector",
    "bfv_vector_from",
    "ckks_tensor",
    "ckks_tensor_from",
    "ckks_vector",
    "ckks_vector_from",
    "context",
    "context_from",
    "enc_context",
    "enc_matmul_encoding",
    "im2col_encoding",
    "lazy_bfv_tensor_from",
    "lazy_bfv_vector_from",
    "lazy_ckks_tensor_from",
    "lazy_ckks_vector_from",
    "plain_tensor",
    "plain_tensor_from",
    "tensors",
    "version",
]


def context(*args: Any, **kwargs: Any) -> Context:
    """Makes a Context."""
    return Context(*args, **kwargs)


def context_from(data: bytes, n_threads: int | None = None) -> Context:
    """Returns the context in the bytes of Context.serialize, or in TenSEAL's."""
    return Context.load(data, n_threads)


def plain_tensor(*args: Any, **kwargs: Any) -> PlainTensor:
    """Makes a PlainTensor."""
    return PlainTensor(*args, **kwargs)


def plain_tensor_from(data: bytes, dtype: str = "float") -> PlainTensor:
    """Returns the tensor in the bytes of PlainTensor.serialize."""
    return PlainTensor.load(data, dtype)


def ckks_vector(*args: Any, **kwargs: Any) -> CKKSVector:
    """Encrypts a vector of real numbers."""
    return CKKSVector(*args, **kwargs)


def ckks_tensor(*args: Any, **kwargs: Any) -> CKKSTensor:
    """Encrypts a tensor of real numbers."""
    return CKKSTensor(*args, **kwargs)


def bfv_vector(*args: Any, **kwargs: Any) -> BFVVector:
    """Encrypts a vector of integers."""
    return BFVVector(*args, **kwargs)


def bfv_tensor(*args: Any, **kwargs: Any) -> BFVTensor:
    """Encrypts a tensor of integers."""
    return BFVTensor(*args, **kwargs)


ckks_vector_from, lazy_ckks_vector_from = CKKSVector.load, CKKSVector.lazy_load
ckks_tensor_from, lazy_ckks_tensor_from = CKKSTensor.load, CKKSTensor.lazy_load
bfv_vector_from, lazy_bfv_vector_from = BFVVector.load, BFVVector.lazy_load
bfv_tensor_from, lazy_bfv_tensor_from = BFVTensor.load, BFVTensor.lazy_load
