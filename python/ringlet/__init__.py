# SPDX-License-Identifier: Apache-2.0
"""Lattice cryptography on every instruction set a machine has.

`Ntt`, `Eltwise` and `ringlet.vector` work on NumPy arrays of residues; `ringlet.ckks` computes on
encrypted vectors.
Every error is a `RingletError` that names the operation, the value, the limit and the remedy.
"""

from . import ckks, errors, vector
from ._core import (
    Comparison,
    CpuInfo,
    Eltwise,
    KernelInfo,
    Ntt,
    RnsNtt,
    TuneProgress,
    Wisdom,
    WisdomEntry,
    WisdomFile,
    cpu_info,
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
from .errors import InvalidArgument, LogicError, OutOfRange, RingletError, RuntimeFailure

__all__ = [
    "Comparison",
    "CpuInfo",
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
    "ckks",
    "cpu_info",
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
