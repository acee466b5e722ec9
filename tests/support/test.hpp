// SPDX-License-Identifier: Apache-2.0
#pragma once

// The headers that a test may use unnamed: GoogleTest and the standard library. Precompiled.

// IWYU pragma: begin_exports
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numbers>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
// IWYU pragma: end_exports

/// A suite of tests for each of these kernels; there may be none.
#define RINGLET_TEST_KERNELS(Test, kernels, name)                              \
  INSTANTIATE_TEST_SUITE_P(Kernels, Test, ::testing::ValuesIn(kernels), name); \
  GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Test)
