# SPDX-License-Identifier: Apache-2.0
"""Lattice cryptography: homomorphic encryption, and the arithmetic below it, on NumPy arrays.

`ringlet.ckks`, `ringlet.bfv` and `ringlet.bgv` compute on encrypted vectors: CKKS on real or
complex numbers, approximately; BFV and BGV on integers, exactly. They compute on the processor, or
on the device that `ringlet.device` opens. `ringlet.fv` encrypts bits and adds them.
`Ntt`, `Eltwise` and `ringlet.vector` compute on arrays of residues, `ringlet.wide` on residues of
up to 124 bits. The kernels are for AVX2, AVX-512, IFMA and portable C++.
Every error is a `RingletError` that names the operation, the value, the limit and the remedy.
"""

import importlib
from typing import TYPE_CHECKING, Any

from . import bfv, bgv, ckks, errors, fv, vector, wide
from ._core import (
    Approximation,
    Circuit,
    CircuitRunner,
    CircuitValue,
    Comparison,
    CpuInfo,
    Device,
    DeviceInfo,
    Eltwise,
    FloodingNoiseSize,
    InverseApproximation,
    KernelInfo,
    MemoryStatistics,
    Ntt,
    NttOrder,
    ObjectSizes,
    ParameterSuggestion,
    PlanCounts,
    Polynomial,
    PolynomialCost,
    ResultEstimate,
    RingProfile,
    RnsNtt,
    SharedResult,
    SharingDecryptor,
    SharingPolicy,
    SignApproximation,
    Trace,
    TraceStep,
    TuneProgress,
    UnorderedValues,
    Wisdom,
    WisdomEntry,
    WisdomFile,
    chebyshev_approximation,
    cpu_info,
    device,
    devices,
    environment_wisdom,
    expansion_factor,
    generate_fast_ntt_primes,
    generate_ntt_primes,
    interpolate,
    inverse_approximation,
    is_prime,
    kernel_catalog,
    kernel_statistics_enabled,
    kernel_tables,
    minimal_primitive_root,
    plan_effort,
    profile_ring,
    search_rings,
    selected_kernels,
    set_thread_count,
    sign_approximation,
    suggest_parameters,
    thread_count,
)
from ._core import version as __version__
from .errors import (
    ContextMismatch,
    InvalidArgument,
    LogicError,
    OutOfDeviceMemory,
    OutOfRange,
    RingletError,
    RuntimeFailure,
)

if TYPE_CHECKING:
    from . import arrays, learn
    from .arrays import EncryptedArray, Program, Server, Spec, compile

__all__ = [
    "Approximation",
    "Circuit",
    "CircuitRunner",
    "CircuitValue",
    "Comparison",
    "ContextMismatch",
    "CpuInfo",
    "Device",
    "DeviceInfo",
    "Eltwise",
    "EncryptedArray",
    "FloodingNoiseSize",
    "InvalidArgument",
    "InverseApproximation",
    "KernelInfo",
    "LogicError",
    "MemoryStatistics",
    "Ntt",
    "NttOrder",
    "ObjectSizes",
    "OutOfDeviceMemory",
    "OutOfRange",
    "ParameterSuggestion",
    "PlanCounts",
    "Polynomial",
    "PolynomialCost",
    "Program",
    "ResultEstimate",
    "RingProfile",
    "RingletError",
    "RnsNtt",
    "RuntimeFailure",
    "Server",
    "SharedResult",
    "SharingDecryptor",
    "SharingPolicy",
    "SignApproximation",
    "Spec",
    "Trace",
    "TraceStep",
    "TuneProgress",
    "UnorderedValues",
    "Wisdom",
    "WisdomEntry",
    "WisdomFile",
    "__version__",
    "arrays",
    "bfv",
    "bgv",
    "chebyshev_approximation",
    "ckks",
    "compile",
    "cpu_info",
    "device",
    "devices",
    "environment_wisdom",
    "errors",
    "expansion_factor",
    "fv",
    "generate_fast_ntt_primes",
    "generate_ntt_primes",
    "interpolate",
    "inverse_approximation",
    "is_prime",
    "kernel_catalog",
    "kernel_statistics_enabled",
    "kernel_tables",
    "learn",
    "minimal_primitive_root",
    "plan_effort",
    "profile_ring",
    "search_rings",
    "selected_kernels",
    "set_thread_count",
    "sign_approximation",
    "suggest_parameters",
    "thread_count",
    "vector",
    "wide",
]


def __getattr__(name: str) -> Any:
    """Loads encrypted arrays when they are first used: import takes half of the modules so."""
    if name in ("arrays", "learn"):
        return importlib.import_module(f".{name}", __name__)
    if name in ("EncryptedArray", "Program", "Server", "Spec", "compile"):
        return getattr(importlib.import_module(".arrays", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
