// SPDX-License-Identifier: Apache-2.0
#include "gpu/options.hpp"

#include "base/text.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::bench {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::optional<std::size_t> parse(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::size_t checked(std::string_view name, std::string_view text, std::size_t least,
                    std::size_t most) {
  const std::optional<std::size_t> value = parse(text);
  if (value && *value >= least && *value <= most) return *value;
  throw_invalid_argument({"gpu_bench", concat("--", name, " ", text),
                          concat("integers from ", least, " to ", most),
                          "ask for a number in this range"});
}

}  // namespace

void Options::check_names(std::initializer_list<std::string_view> names) const {
  for (const auto& [name, value] : values_) {
    if (std::ranges::find(names, name) != names.end()) continue;
    std::string known;
    for (const std::string_view each : names)
      known += concat(known.empty() ? "" : ", ", "--", each);
    throw_invalid_argument({"gpu_bench", "--" + name, known, "leave it out, or name another part"});
  }
}

std::string Options::text(std::string_view name, std::string_view otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::string(otherwise) : found->second;
}

std::size_t Options::number(std::string_view name, std::size_t otherwise, std::size_t least,
                            std::size_t most) const {
  return checked(name, text(name, concat(otherwise)), least, most);
}

std::vector<std::size_t> Options::numbers(std::string_view name, std::string_view otherwise,
                                          std::size_t least, std::size_t most) const {
  std::vector<std::size_t> values;
  const std::string all = text(name, otherwise);
  for (const std::string_view part : split(all, ',')) {
    values.push_back(checked(name, part, least, most));
  }
  return values;
}

std::vector<std::vector<std::size_t>> Options::shapes(std::string_view name,
                                                      std::string_view otherwise,
                                                      std::string_view form) const {
  constexpr std::size_t kMost = 1U << 20U;
  std::vector<std::vector<std::size_t>> shapes;
  const std::string all = text(name, otherwise);
  for (std::string_view rest : split(all, ',')) {
    std::vector<std::size_t> shape;
    for (const char separator : form) {
      const std::size_t end = std::min(rest.find(separator), rest.size());
      shape.push_back(checked(name, rest.substr(0, end), 1, kMost));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    shape.push_back(checked(name, rest, 1, kMost));
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

}  // namespace ringlet::bench
