// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/test.hpp"

#ifdef __has_feature
#define RINGLET_TEST_HAS_FEATURE(name) __has_feature(name)
#else
#define RINGLET_TEST_HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_THREAD__) || RINGLET_TEST_HAS_FEATURE(thread_sanitizer)
#define RINGLET_TEST_THREAD_SANITIZED 1
#else
#define RINGLET_TEST_THREAD_SANITIZED 0
#endif
// Set in builds with sanitizers, where a test takes several times as long.
#if defined(__SANITIZE_ADDRESS__) || RINGLET_TEST_HAS_FEATURE(address_sanitizer) || \
    RINGLET_TEST_HAS_FEATURE(memory_sanitizer) || RINGLET_TEST_THREAD_SANITIZED
#define RINGLET_TEST_SANITIZED 1
#else
#define RINGLET_TEST_SANITIZED 0
#endif

namespace ringlet::test {

/// The seed of this run: RINGLET_TEST_SEED (decimal or 0x...) if set, else drawn at random once.
/// The test program prints it, so that a failure can be repeated.
std::uint64_t test_seed();

/// The factor by which property tests multiply their iteration counts: RINGLET_TEST_SCALE, a
/// positive number, or "large" (200). It is 1 if the variable is unset or empty.
std::size_t test_scale();

/// `normal` iterations times test_scale().
inline std::size_t scaled(std::size_t normal) { return normal * test_scale(); }

}  // namespace ringlet::test
