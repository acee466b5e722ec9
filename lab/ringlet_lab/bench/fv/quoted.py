# SPDX-License-Identifier: Apache-2.0
"""Figures of the paper that `ringlet bench fv` shows beside its own measurements. All are quoted.
"""

from __future__ import annotations

PAPER = (
    "Migliore et al., A High-Speed Accelerator for Homomorphic Encryption using the Karatsuba "
    "Algorithm (2017), Tables 1 and 2"
)
PAPER_MACHINE = "Core i7-4790, n = 2560, 135 bits; accelerator on a Stratix V at 250 MHz"
# Microseconds for 1 to 4 encryptions, for one component of each.
PAPER_TIMES = {
    "the paper's co-design": (1935.0, 2191.0, 2410.0, 2525.0),
    "the paper's software (NFLlib)": (3078.0, 5646.0, 8218.0, 10814.0),
}
# Bytes of P, U and E, and pre-allocated bytes.
PAPER_BYTES = {
    "the paper's co-design": (150_000, 570_000),
    "the paper's software (NFLlib)": (480_000, 0),
}
# Adaptive logic modules for logic and for memory, registers, memory bits, DSP blocks.
PAPER_RESOURCES = {
    "RIFFA": (8_207, 110, 11_334, 697_720, 0),
    "RIFFA/Karatsuba interface": (286, 0, 203, 8_464_384, 0),
    "Karatsuba": (30_566, 30_030, 79_440, 25_164, 80),
}
