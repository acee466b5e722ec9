# SPDX-License-Identifier: Apache-2.0
"""Encrypted arrays: NumPy's shapes and operations on encrypted numbers.

`ckks.Client`, `bfv.Client` and `bgv.Client` encrypt arrays; operators and functions of NumPy
compute on them. `ringlet.compile` traces a function once and finds parameters and keys for it.
"""

from .argmax import one_hot_argmax
from .array import EncryptedArray as EncryptedArray
from .client import BfvClient, BgvClient, CkksClient, Client
from .client import Server as Server
from .compiler import CompiledProgram
from .compiler import Spec as Spec
from .compiler import compile as compile
from .images import average_pool2d, conv2d, sum_pool2d
from .layout import Layout
from .program import Program as Program

# The names that ringlet itself exports are documented there.
__all__ = [
    "BfvClient",
    "BgvClient",
    "CkksClient",
    "Client",
    "CompiledProgram",
    "Layout",
    "average_pool2d",
    "conv2d",
    "one_hot_argmax",
    "sum_pool2d",
]
