# SPDX-License-Identifier: Apache-2.0
"""Contexts and numbers that the tests of TenSEAL's interface share."""

import functools
import os

import numpy as np

A = np.array([1.0, 2.0, 3.0, 4.0])
B = np.array([0.5, -1.0, 2.0, 0.25])
M = np.arange(8.0).reshape(4, 2) / 4
P = np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
Q = np.array([[1.0, 0.5, -1.0], [0.5, 2.0, 1.0]])
IA, IB = np.array([1, 2, 3, -4]), np.array([5, 6, 7, 8])
IP, IQ = np.arange(6).reshape(2, 3), np.array([[1, 0, -1], [5, 2, 1]])
IMAGE = np.arange(16.0).reshape(4, 4) / 8
KERNEL = np.array([[1.0, 2.0], [3.0, -1.0]])
PLAIN_MODULUS = 1032193
IS_WITH_TENSEAL = bool(os.environ.get("RINGLET_TEST_TENSEAL"))


class World:
    """A module, its contexts, and fresh vectors and tensors: TenSEAL changes operands."""

    def __init__(self, ts):
        self.ts = ts

    @property
    def is_tenseal(self):
        return self.ts.__name__ == "tenseal"

    def ckks_context(self, **options):
        ts = self.ts
        context = ts.context(
            ts.SCHEME_TYPE.CKKS, 8192, coeff_mod_bit_sizes=[60, 40, 40, 60], **options
        )
        context.global_scale = 2**40
        return context

    @functools.cached_property
    def c(self):
        context = self.ckks_context()
        context.generate_galois_keys()
        return context

    @functools.cached_property
    def b(self):
        context = self.ts.context(self.ts.SCHEME_TYPE.BFV, 8192, plain_modulus=PLAIN_MODULUS)
        context.generate_galois_keys()
        return context

    def v(self, values=A):
        return self.ts.ckks_vector(self.c, values.tolist())

    def t(self, values=P, **options):
        return self.ts.ckks_tensor(self.c, values.tolist(), **options)

    def bv(self, values=IA):
        return self.ts.bfv_vector(self.b, values.tolist())

    def bt(self, values=IP, **options):
        return self.ts.bfv_tensor(self.b, values.tolist(), **options)


def numbers(value):
    """The numbers of a vector or tensor, of a plain tensor, or of nested lists."""
    if hasattr(value, "decrypt"):
        value = value.decrypt()
    return np.array(value.tolist() if hasattr(value, "tolist") else value)


def error_of(call):
    """The type of the exception that a call raises, or None."""
    try:
        call()
    except Exception as error:
        return type(error)
    return None
