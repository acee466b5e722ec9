# SPDX-License-Identifier: Apache-2.0
"""The classes of vectors and tensors."""

from .abstract import AbstractTensor
from .plain import PlainTensor
from .tensor import BFVTensor, CKKSTensor
from .vectors import BFVVector, CKKSVector

__all__ = [
    "AbstractTensor",
    "BFVTensor",
    "BFVVector",
    "CKKSTensor",
    "CKKSVector",
    "PlainTensor",
]
