// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/test.hpp"

namespace ringlet::test {

/// Names the type that a call throws if SEAL throws it too, exact where programs can tell types
/// apart, or "nothing". Other types pass through.
template <typename Call>
std::string thrown_by(const Call& call) {
  try {
    call();
  } catch (const std::invalid_argument&) {
    return "invalid_argument";
  } catch (const std::out_of_range&) {
    return "out_of_range";
  } catch (const std::logic_error&) {
    return "logic_error";
  } catch (const std::runtime_error&) {
    return "runtime_error";
  }
  return "nothing";
}

#define EXPECT_THROWN(type, ...) \
  EXPECT_EQ(ringlet::test::thrown_by([&] { static_cast<void>(__VA_ARGS__); }), type)
#define EXPECT_INVALID_ARGUMENT(...) EXPECT_THROWN("invalid_argument", __VA_ARGS__)
#define EXPECT_OUT_OF_RANGE(...) EXPECT_THROWN("out_of_range", __VA_ARGS__)
#define EXPECT_LOGIC_ERROR(...) EXPECT_THROWN("logic_error", __VA_ARGS__)
#define EXPECT_RUNTIME_ERROR(...) EXPECT_THROWN("runtime_error", __VA_ARGS__)

}  // namespace ringlet::test
