// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/test.hpp"

namespace ringlet::test {

/// The seed of this run: RINGLET_TEST_SEED (decimal or 0x...) where set, else drawn once at random.
/// The test program prints it, so that a failure can be repeated.
std::uint64_t test_seed();

/// Factor by which property tests multiply their iteration counts. RINGLET_TEST_SCALE is unset or
/// empty (1), "large" (200) or a positive number.
std::size_t test_scale();

/// `normal` iterations times test_scale().
inline std::size_t scaled(std::size_t normal) { return normal * test_scale(); }

}  // namespace ringlet::test
