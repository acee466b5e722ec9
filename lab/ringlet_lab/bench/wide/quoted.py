# SPDX-License-Identifier: Apache-2.0
"""Figures that `ringlet bench wide` shows beside its own and does not measure: the paper's claims,
and the times of the paper's code on another machine."""

from __future__ import annotations

PAPER = (
    "Zhang, Fu, Franchetti, Towards Closing the Performance Gap for Cryptographic Kernels Between "
    "CPUs and Specialized Hardware (MICRO 2025), slides"
)
# Claims, each with its text; they are ratios because the slides give no times.
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
