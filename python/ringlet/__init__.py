# SPDX-License-Identifier: Apache-2.0
"""Lattice cryptography on every instruction set a machine has.

`Ntt` and `Eltwise` work on NumPy arrays of residues; `ringlet.ckks` computes on encrypted vectors.
Every error is a `RingletError` that names the operation, the value, the limit and the remedy.
"""

from . import errors
from ._core import (
    CpuInfo,
    Eltwise,
    KernelInfo,
    Ntt,
    __version__,
    cpu_info,
    generate_ntt_primes,
    is_prime,
    kernel_catalog,
    kernel_statistics_enabled,
    kernel_tables,
    minimal_primitive_root,
    selected_kernels,
)
from .errors import InvalidArgument, LogicError, OutOfRange, RingletError, RuntimeFailure
from . import ckks  # noqa: E402  (needs the names above)

__all__ = [
    "CpuInfo",
    "Eltwise",
    "InvalidArgument",
    "KernelInfo",
    "LogicError",
    "Ntt",
    "OutOfRange",
    "RingletError",
    "RuntimeFailure",
    "__version__",
    "ckks",
    "cpu_info",
    "errors",
    "generate_ntt_primes",
    "is_prime",
    "kernel_catalog",
    "kernel_statistics_enabled",
    "kernel_tables",
    "minimal_primitive_root",
    "selected_kernels",
]
