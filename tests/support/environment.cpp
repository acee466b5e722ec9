// SPDX-License-Identifier: Apache-2.0
#include "support/environment.hpp"

#include <charconv>

namespace ringlet::test {
namespace {

constexpr std::size_t kLargeScale = 200;

std::optional<std::uint64_t> parse_number(std::string_view text) {
  int base = 10;
  if (text.substr(0, 2) == "0x") {
    text.remove_prefix(2);
    base = 16;
  }
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::string_view variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

[[noreturn]] void refuse(const char* name, std::string_view text, const char* expected) {
  std::fprintf(stderr, "%s='%.*s' is not %s\n", name, static_cast<int>(text.size()), text.data(),
               expected);
  std::exit(2);
}

std::uint64_t read_seed() {
  const std::string_view text = variable("RINGLET_TEST_SEED");
  if (text.empty()) {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
  }
  const auto seed = parse_number(text);
  if (!seed) refuse("RINGLET_TEST_SEED", text, "a 64-bit number");
  return *seed;
}

std::size_t read_scale() {
  const std::string_view text = variable("RINGLET_TEST_SCALE");
  if (text.empty()) return 1;
  if (text == "large") return kLargeScale;
  const auto scale = parse_number(text);
  if (!scale || *scale == 0) refuse("RINGLET_TEST_SCALE", text, "'large' or a positive number");
  return *scale;
}

}  // namespace

std::uint64_t test_seed() {
  static const std::uint64_t seed = read_seed();
  return seed;
}

std::size_t test_scale() {
  static const std::size_t scale = read_scale();
  return scale;
}

}  // namespace ringlet::test
