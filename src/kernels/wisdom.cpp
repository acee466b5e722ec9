// SPDX-License-Identifier: Apache-2.0
#include "ringlet/kernels/wisdom.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "kernels/wisdom_file.hpp"
#include "kernels/wisdom_text.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet {

const char* wisdom_state_name(WisdomState state) noexcept {
  switch (state) {
    case WisdomState::used:
      return "used";
    case WisdomState::absent:
      return "absent";
    case WisdomState::stale:
      return "stale";
    case WisdomState::damaged:
      return "damaged";
  }
  return "unknown";
}

Wisdom::Wisdom(std::vector<WisdomEntry> entries) {
  std::ranges::sort(entries);
  const std::string problem = kernels::wisdom_problem(entries);
  if (!problem.empty()) {
    throw_invalid_argument({.operation = "Wisdom",
                            .offending = problem,
                            .limit = "one entry per operation, degree and width, with a kernel "
                                     "that takes them",
                            .remedy = "use names and ranges that `ringlet info --kernels` lists"});
  }
  *this = Wisdom(Checked{}, std::move(entries));
}

Wisdom::Wisdom(Checked, std::vector<WisdomEntry> entries)
    : entries_(std::make_shared<const std::vector<WisdomEntry>>(std::move(entries))) {}

const std::vector<WisdomEntry>& Wisdom::entries() const noexcept {
  static const std::vector<WisdomEntry> none;
  return entries_ == nullptr ? none : *entries_;
}

std::string_view Wisdom::kernel(std::string_view operation, int log_degree,
                                int modulus_bits) const noexcept {
  const auto wanted = std::tuple(operation, log_degree, modulus_bits);
  const auto place = [](const WisdomEntry& entry) {
    return std::tuple(std::string_view(entry.operation), entry.log_degree, entry.modulus_bits);
  };
  const auto found = std::ranges::lower_bound(entries(), wanted, {}, place);
  const bool is_there = found != entries().end() && place(*found) == wanted;
  return is_there ? std::string_view(found->kernel) : std::string_view();
}

std::string Wisdom::text() const { return kernels::wisdom_text(entries()); }

void Wisdom::save(const std::string& path) const {
  const std::string problem = kernels::replace_file(path, text());
  if (!problem.empty()) {
    throw_runtime_error({.operation = "Wisdom::save",
                         .offending = concat("'", path, "': ", problem),
                         .limit = "a file in a folder that exists and can be written to",
                         .remedy = "name another file, or create the folder"});
  }
}

WisdomFile Wisdom::parse(std::string_view text) {
  kernels::ParsedWisdom parsed = kernels::parse_wisdom(text);
  WisdomFile file;
  file.state = parsed.state;
  file.reason = std::move(parsed.reason);
  if (file.state == WisdomState::used) file.wisdom = Wisdom(Checked{}, std::move(parsed.entries));
  return file;
}

WisdomFile Wisdom::load(const std::string& path) {
  const kernels::FileText read = kernels::read_small_file(path, kMaxWisdomBytes);
  WisdomFile file;
  if (read.is_absent) {
    file.reason = "there is no such file";
  } else if (!read.problem.empty()) {
    file.state = WisdomState::damaged;
    file.reason = read.problem;
  } else {
    file = parse(read.text);
  }
  file.path = path;
  return file;
}

const WisdomFile& Wisdom::from_environment() {
  static const WisdomFile file = [] {
    const char* const path = std::getenv("RINGLET_WISDOM");
    if (path != nullptr && *path != '\0') return load(path);
    WisdomFile none;
    none.reason = "RINGLET_WISDOM names no file";
    return none;
  }();
  return file;
}

}  // namespace ringlet
