// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "gpu/device_registry.hpp"

namespace ringlet::gpu {
namespace {

struct NameForm {
  std::string_view word;
  std::string_view example;
  DeviceScope scope;
};

constexpr std::array<NameForm, 4> kForms{{{"cpu", "cpu", DeviceScope::processor},
                                          {"gpu", "gpu:0", DeviceScope::all},
                                          {"cuda", "cuda:0", DeviceScope::cuda},
                                          {"opencl", "opencl:0", DeviceScope::opencl}}};

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

/// Returns how many letters to insert, remove or change between two words.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

/// Returns the forms that are the fewest letters away.
std::string closest_forms(std::string_view name) {
  // The beginning of a long text is enough.
  const std::string word = lower_case(name.substr(0, 64));
  const std::string_view head = std::string_view(word).substr(0, word.find(':'));
  std::array<std::size_t, kForms.size()> distances{};
  for (std::size_t i = 0; i < kForms.size(); ++i) {
    distances[i] = edit_distance(head, kForms[i].word);
  }
  const std::size_t least = *std::min_element(distances.begin(), distances.end());
  std::string text;
  for (std::size_t i = 0; i < kForms.size(); ++i) {
    if (distances[i] != least) continue;
    text += concat(text.empty() ? "" : " or ", "'", kForms[i].example, "'");
  }
  return text;
}

[[noreturn]] void refuse_name(std::string_view name) {
  refuse(concat("'", name.substr(0, 64), name.size() > 64 ? "...'" : "'"),
         "cpu, gpu, gpu:<index>, cuda:<index>, opencl:<index>",
         concat("write ", closest_forms(name), "; `ringlet info` lists the devices"));
}

}  // namespace

DeviceName parse_device_name(std::string_view name) {
  const std::size_t colon = name.find(':');
  const std::string_view word = name.substr(0, colon);
  const auto* const form = std::find_if(
      kForms.begin(), kForms.end(), [word](const NameForm& known) { return known.word == word; });
  if (form == kForms.end()) refuse_name(name);
  if (colon == std::string_view::npos) return {form->scope, 0};
  const std::string_view digits = name.substr(colon + 1);
  std::size_t index = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, index);
  if (form->scope == DeviceScope::processor || error != std::errc() || stop != end) {
    refuse_name(name);
  }
  return {form->scope, index};
}

}  // namespace ringlet::gpu
