# SPDX-License-Identifier: Apache-2.0
"""Encrypted arrays: NumPy's shapes and operations on encrypted numbers.

`ckks.Client`, `bfv.Client` and `bgv.Client` encrypt arrays; operators and functions of NumPy
compute on them. `ringlet.compile` traces a function once and finds parameters and keys for it.
"""

from .array import EncryptedArray
from .client import BfvClient, BgvClient, CkksClient, Client, Server
from .compiler import CompiledProgram, Spec, compile
from .images import average_pool2d, conv2d, sum_pool2d
from .layout import Layout
from .program import Program

__all__ = [
    "BfvClient",
    "BgvClient",
    "CkksClient",
    "Client",
    "CompiledProgram",
    "EncryptedArray",
    "Layout",
    "Program",
    "Server",
    "Spec",
    "average_pool2d",
    "compile",
    "conv2d",
    "sum_pool2d",
]
