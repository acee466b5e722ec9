# SPDX-License-Identifier: Apache-2.0
"""Figures that `ringlet bench wide` shows beside its own and that this run does not measure: what
the paper claims, what its code took on another machine, and the goals of this library."""

from __future__ import annotations

from dataclasses import dataclass

PAPER = (
    "Zhang, Fu, Franchetti, Towards Closing the Performance Gap for Cryptographic Kernels Between "
    "CPUs and Specialized Hardware (MICRO 2025), slides"
)
# Each with what it says; ratios, because the slides give no times.
CLAIMS = (
    ("NTT, software alone, over GMP and OpenFHE's multi-precision backend", 38.0),
    ("BLAS, software alone, over GMP and OpenFHE's multi-precision backend", 62.0),
    ("NTT, MQX on one core: times slower than the ASIC (RPU)", 35.0),
    ("NTT, prior CPU libraries: times slower than the ASIC (RPU)", 1157.0),
)
OPENFHE = (
    "OpenFHE's multi-precision backend is not measured here; of it there is only the paper's "
    "ratio, quoted above"
)

RECORDED_MACHINE = (
    "the paper's published code on one Sapphire-Rapids-class core at about 2.6 GHz, clang 19; "
    "measured before, not in this run"
)
# Nanoseconds per butterfly by N.
RECORDED_NTT = {
    "paper: AVX-512, 2 x 64": {1024: 5.09, 4096: 4.99, 16384: 5.64, 65536: 5.75},
    "paper: AVX2": {1024: 13.1, 4096: 13.2, 16384: 13.4, 65536: 13.3},
    "paper: scalar": {1024: 16.9, 4096: 18.1, 16384: 21.0, 65536: 14.5},
    "paper: MQX, projected": {1024: 1.86, 4096: 1.86, 16384: 1.87, 65536: 1.89},
}
# Nanoseconds per element at length 1024.
RECORDED_BLAS = {
    "paper: AVX-512, 2 x 64": {"add": 0.60, "subtract": 0.47, "multiply": 4.31, "axpy": 5.01},
}


@dataclass(frozen=True)
class Goal:
    """At most so many nanoseconds, per element or per butterfly, at GOAL_GHZ."""

    kind: str  # "special", "general", or the name of a table
    operation: str  # "ntt" or an element-wise one
    most_ns: float
    sizes: tuple[int, int]  # smallest and largest N or length


GOAL_GHZ = 2.5
_MIDDLE = (1 << 10, 1 << 16)
_LONG = (1 << 20, 1 << 20)
_BLAS = (1024, 1024)
GOALS = (
    Goal("special", "ntt", 1.5, _MIDDLE),
    Goal("general", "ntt", 1.75, _MIDDLE),
    Goal("special", "ntt", 2.2, _LONG),
    Goal("general", "ntt", 2.2, _LONG),
    Goal("special", "multiply", 1.1, _BLAS),
    Goal("general", "multiply", 1.4, _BLAS),
    Goal("special", "axpy", 1.3, _BLAS),
    Goal("general", "axpy", 1.6, _BLAS),
    Goal("general", "add", 0.45, _BLAS),
    Goal("general", "subtract", 0.45, _BLAS),
    Goal("avx512dq", "ntt", 4.99, _MIDDLE),
    Goal("avx2", "ntt", 9.0, _MIDDLE),
    Goal("scalar64", "ntt", 9.0, _MIDDLE),
)
