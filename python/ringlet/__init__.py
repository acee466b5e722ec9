# SPDX-License-Identifier: Apache-2.0
"""Lattice cryptography on every instruction set a machine has.

`Ntt`, `Eltwise` and `ringlet.vector` work on NumPy arrays of residues. `ringlet.ckks`,
`ringlet.bfv` and `ringlet.bgv` compute on encrypted vectors: of real or complex numbers, or of
integers, exactly.
Every error is a `RingletError` that names the operation, the value, the limit and the remedy.
"""

from . import bfv, bgv, ckks, errors, vector
from ._core import (
    Comparison,
    CpuInfo,
    DeviceInfo,
    Eltwise,
    KernelInfo,
    Ntt,
    RnsNtt,
    TuneProgress,
    Wisdom,
    WisdomEntry,
    WisdomFile,
    cpu_info,
    devices,
    environment_wisdom,
    generate_ntt_primes,
    is_prime,
    kernel_catalog,
    kernel_statistics_enabled,
    kernel_tables,
    minimal_primitive_root,
    plan_effort,
    selected_kernels,
    set_thread_count,
    thread_count,
)
from ._core import version as __version__
from .errors import (
    ContextMismatch,
    InvalidArgument,
    LogicError,
    OutOfRange,
    RingletError,
    RuntimeFailure,
)

__all__ = [
    "Comparison",
    "ContextMismatch",
    "CpuInfo",
    "DeviceInfo",
    "Eltwise",
    "InvalidArgument",
    "KernelInfo",
    "LogicError",
    "Ntt",
    "OutOfRange",
    "RingletError",
    "RnsNtt",
    "RuntimeFailure",
    "TuneProgress",
    "Wisdom",
    "WisdomEntry",
    "WisdomFile",
    "__version__",
    "bfv",
    "bgv",
    "ckks",
    "cpu_info",
    "devices",
    "environment_wisdom",
    "errors",
    "generate_ntt_primes",
    "is_prime",
    "kernel_catalog",
    "kernel_statistics_enabled",
    "kernel_tables",
    "minimal_primitive_root",
    "plan_effort",
    "selected_kernels",
    "set_thread_count",
    "thread_count",
    "vector",
]
