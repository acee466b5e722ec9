#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes src/schemes/sharing/flooding_table.hpp: the cumulative table of the discrete Gaussian from
whose samples flooding noise is computed. docs/notes/noise_flooding.md states the requirements on
the table. A test of ringlet computes the table by another method and compares."""
from decimal import Decimal, getcontext
from pathlib import Path

DEVIATION = Decimal("7.25")
LARGEST = 112
WORD_BITS = 63
WORDS = 3

HEAD = """// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

// Written by scripts/flooding_table.py.

namespace ringlet::schemes {

/// Largest absolute value of a sample.
inline constexpr std::size_t kFloodingBound = 112;
/// Words of a threshold, 63 bits each, the least significant first.
inline constexpr std::size_t kThresholdWords = 3;

/// Entry k: 2^189 times the probability that |y| <= k, rounded, for y of the discrete Gaussian over
/// the integers with density proportional to exp(-y^2 / (2 * 7.25^2)).
inline constexpr std::array<std::array<std::uint64_t, kThresholdWords>, kFloodingBound>
    kFloodingTable{{
"""

TAIL = """    }};

}  // namespace ringlet::schemes
"""


def main():
    getcontext().prec = 200
    weights = [(-Decimal(k * k) / (2 * DEVIATION**2)).exp() for k in range(4 * LARGEST)]
    total = weights[0] + 2 * sum(weights[1:])
    cumulative = weights[0]
    lines = []
    for k in range(LARGEST):
        if k > 0:
            cumulative += 2 * weights[k]
        value = round(cumulative / total * 2 ** (WORD_BITS * WORDS))
        assert value < 2 ** (WORD_BITS * WORDS)
        mask = 2**WORD_BITS - 1
        words = [value >> (WORD_BITS * w) & mask for w in range(WORDS)]
        lines.append("        {" + ", ".join(f"0x{word:016x}" for word in words) + "},\n")
    folder = Path(__file__).resolve().parents[1] / "src" / "schemes" / "sharing"
    (folder / "flooding_table.hpp").write_text(HEAD + "".join(lines) + TAIL)


if __name__ == "__main__":
    main()
