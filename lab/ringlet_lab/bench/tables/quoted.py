# SPDX-License-Identifier: Apache-2.0
"""Figures of other publications that `ringlet bench tables` shows beside its own. All are quoted.
"""

from __future__ import annotations

from dataclasses import dataclass

DEGREES = (1024, 4096, 16384)

PAPER = (
    "Boemer et al., Intel HEXL: Accelerating Homomorphic Encryption with Intel AVX512-IFMA52 "
    "(2021), Tables 1 to 4"
)
PAPER_MACHINE = "Xeon Platinum 8360Y, 2.4 GHz nominal, clang 10, one core"

# Microseconds at N = 1024, 4096, 16384, by the paper's name of the implementation.
PAPER_TABLES: dict[int, dict[str, tuple[float, float, float]]] = {
    1: {
        "Native C++": (9.08, 38.8, 177.0),
        "NFLlib, 32-bit AVX2": (4.82, 21.1, 97.8),
        "AVX512-DQ": (3.26, 13.4, 62.3),
        "NTL 11.4.3, AVX512": (2.44, 8.48, 40.2),
        "AVX512-IFMA52": (1.25, 5.81, 33.1),
    },
    2: {
        "Native C++": (8.25, 37.8, 174.0),
        "NFLlib, 32-bit AVX2": (6.07, 26.7, 124.0),
        "AVX512-DQ": (3.16, 14.6, 68.2),
        "NTL 11.4.3, AVX512": (2.12, 9.05, 42.4),
        "AVX512-IFMA52": (1.23, 5.72, 32.4),
    },
    3: {
        "Native C++": (1.51, 5.71, 23.6),
        "AVX512-DQ": (0.982, 3.43, 12.3),
        "AVX512-DQ float": (0.251, 1.08, 4.58),
    },
    4: {
        "Native C++": (0.53, 2.11, 9.01),
        "AVX512-DQ": (0.53, 2.11, 9.01),
        "AVX512-IFMA52": (0.31, 1.25, 5.08),
    },
}

HEXL = "Intel HEXL, built with clang 19 (where two figures stand: gcc 12, clang 19)"
HEXL_MACHINE = "one core of a Sapphire Rapids Xeon at 2.48 GHz"
HEXL_CLOCK_HZ = 2.48e9


@dataclass(frozen=True)
class Goal:
    """One operation of HEXL: its quoted times, and Ringlet's goal.

    Times are in microseconds. If two compilers differ, `hexl_4096` holds the times of both, fastest
    first, and `hexl_16384` is a time of the second. `target` is for N = 4096, and is scaled for
    16384.
    """

    name: str
    operation: str
    bits: int
    input_mod_factor: int
    hexl_4096: tuple[float, ...]
    target: float
    hexl_16384: float | None

    def hexl(self, degree: int) -> tuple[float, ...] | None:
        if degree == 4096:
            return self.hexl_4096
        return None if self.hexl_16384 is None else (self.hexl_16384,)

    def goal(self, degree: int) -> float | None:
        if degree == 4096:
            return self.target
        if self.hexl_16384 is None:
            return None
        return self.hexl_16384 * self.target / self.hexl_4096[-1]


GOAL_DEGREES = (4096, 16384)
GOALS = (
    Goal("multiply, factor 1", "multiply", 50, 1, (1.48,), 1.2, 6.20),
    Goal("multiply, factor 4", "multiply", 50, 4, (2.45,), 1.3, 9.79),
    Goal("multiply, factor 1", "multiply", 60, 1, (4.19, 5.12), 2.6, 17.8),
    Goal("multiply, factor 4", "multiply", 60, 4, (4.8, 6.2), 3.0, None),
    Goal("scalar product, factor 8", "multiply_scalar", 50, 8, (3.72,), 1.2, 14.8),
    Goal("scalar product, add", "multiply_scalar_add", 60, 1, (2.28, 4.58), 1.9, 16.1),
    Goal("reduce any word", "reduce", 50, 1, (1.14,), 1.0, 4.60),
    Goal("reduce any word", "reduce", 60, 1, (2.01,), 1.5, 7.97),
    Goal("compare, subtract", "compare_subtract", 50, 1, (1.4, 1.63), 1.0, 6.1),
    Goal("compare, subtract", "compare_subtract", 60, 1, (2.7,), 1.5, None),
    Goal("add", "add", 50, 1, (1.00,), 1.0, 3.96),
    Goal("subtract", "subtract", 50, 1, (1.00,), 1.0, None),
    Goal("reduce from [0, 2q)", "reduce_range", 50, 2, (1.00,), 1.0, None),
)
