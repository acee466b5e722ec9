// SPDX-License-Identifier: Apache-2.0
#include "kernels/wisdom_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/cpu_features.hpp"
#include "base/text.hpp"
#include "kernels/select.hpp"
#include "ringlet/base/version.hpp"

namespace ringlet::kernels {
namespace {

constexpr std::string_view kMagic = "ringlet-wisdom ";
constexpr std::string_view kFormat = "1";
constexpr std::string_view kChecksum = "checksum ";

/// FNV-1a, which any change of a single byte changes. It finds accidents, not forgery.
std::uint64_t fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char character : text) {
    hash ^= static_cast<unsigned char>(character);
    hash *= 0x100000001b3U;
  }
  return hash;
}

/// `value` in sixteen digits.
std::string hexadecimal(std::uint64_t value) {
  const std::string digits = hex(value).substr(2);
  return std::string(16 - digits.size(), '0') + digits;
}

/// The first 100 characters of `text`, with '?' for those that are not printable ASCII.
std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 100;
  std::string shown(text.substr(0, kLongest));
  std::ranges::replace_if(shown, [](char c) { return c < ' ' || c > '~'; }, '?');
  return shown;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text.empty() ? "none" : text;
}

/// A fingerprint of all kernels that wisdom may name: with others, the best choice may differ.
std::uint64_t catalogue_fingerprint() {
  std::string names;
  const auto add = [&names](const auto& kernel, unsigned operation, std::uint64_t minimum) {
    names += concat(kernel.table, "/", kernel.algorithm, " ", operation, " ", minimum, " ",
                    kernel.modulus_limit, " ", kernel.needs, "\n");
  };
  for (const KernelTable* table : kernel_table_list()) {
    for (const auto& kernel : table->ntt) {
      add(kernel, kEltwiseOperationCount, kernel.min_log_degree);
    }
    for (const auto& kernel : table->eltwise) {
      add(kernel, static_cast<unsigned>(kernel.operation), kernel.modulus_minimum);
    }
  }
  return fingerprint(names);
}

/// A line that a text for this library and this processor has after its first line, and the meaning
/// of another line in its place.
struct Binding {
  std::string line;
  const char* meaning;
};

std::vector<Binding> bindings() {
  std::string model = cpu_model_name();
  if (model.empty()) model = "unknown";
  return {
      {concat("library ", kVersion), "another version of the library"},
      {concat("catalogue ", hexadecimal(catalogue_fingerprint())), "a library with other kernels"},
      {concat("processor ", printable(cpu_signature() + ", " + model)), "another processor"},
      {concat("features ", joined(cpu_feature_names(detected_cpu_features()))),
       "a processor with other instruction sets"},
      {concat("traits ", joined(cpu_trait_names(detected_cpu_traits()))),
       "a processor with other traits"}};
}

constexpr std::string_view kTransform = "ntt";

std::string line_of(const WisdomEntry& entry) {
  const std::string degree =
      entry.operation == kTransform ? concat(entry.log_degree, " ") : std::string();
  return concat(entry.operation, " ", degree, entry.modulus_bits, " ", entry.kernel);
}

std::string body_of(const std::vector<WisdomEntry>& entries) {
  std::string text = concat(kMagic, kFormat, "\n");
  for (const Binding& binding : bindings()) text += binding.line + "\n";
  for (const WisdomEntry& entry : entries) text += line_of(entry) + "\n";
  return text;
}

/// True if a kernel for moduli from `minimum` to `limit` - 1 takes any of `bits` bits.
bool takes_width(std::uint64_t minimum, std::uint64_t limit, int bits) {
  return (minimum >> bits) == 0 && limit > std::uint64_t{1} << (bits - 1);
}

/// Do the operation and the kernel of an entry exist, and does one such kernel take the rest?
struct Match {
  bool is_operation = false;
  bool is_kernel = false;
  bool fits = false;
};

Match match(const WisdomEntry& entry) {
  Match found;
  const auto record = [&](const auto& kernel, bool fits) {
    found.is_operation = true;
    if (!Chosen<std::remove_cvref_t<decltype(kernel)>>{&kernel, {}}.is_named(entry.kernel)) return;
    found.is_kernel = true;
    found.fits = found.fits || fits;
  };
  for (const KernelTable* table : kernel_table_list()) {
    for (const auto& kernel : table->ntt) {
      if (entry.operation != kTransform) continue;
      record(kernel, takes_width(2, kernel.modulus_limit, entry.modulus_bits) &&
                         entry.log_degree >= kernel.min_log_degree &&
                         entry.log_degree <= kernel.max_log_degree);
    }
    for (const auto& kernel : table->eltwise) {
      if (entry.operation != kEltwiseOperationNames[static_cast<unsigned>(kernel.operation)]) {
        continue;
      }
      record(kernel,
             entry.log_degree == 0 &&
                 takes_width(kernel.modulus_minimum, kernel.modulus_limit, entry.modulus_bits));
    }
  }
  return found;
}

std::string entry_problem(const WisdomEntry& entry) {
  if (entry.modulus_bits < 2 || entry.modulus_bits > 63) {
    return concat("modulus of ", entry.modulus_bits, " bits");
  }
  if (entry.log_degree < 0 || entry.log_degree > 20) {
    return concat("degree 2^", entry.log_degree);
  }
  const Match found = match(entry);
  if (!found.is_operation) return concat("no operation '", printable(entry.operation), "'");
  if (!found.is_kernel) {
    return concat("no kernel '", printable(entry.kernel), "' for ", entry.operation);
  }
  if (!found.fits) return concat("'", line_of(entry), "': the kernel does not take these values");
  return {};
}

auto place(const WisdomEntry& entry) {
  return std::tie(entry.operation, entry.log_degree, entry.modulus_bits);
}

/// Removes the next line from `text` and returns it; none if there is no line break.
std::optional<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

/// Removes the next word, up to a space, from `line` and returns it.
std::string_view take_word(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

/// A number of at most two digits; -1 for anything else.
int small_number(std::string_view word) {
  int value = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool is_number = error == std::errc{} && end == word.data() + word.size();
  return is_number && word.size() <= 2 ? value : -1;
}

WisdomEntry entry_of(std::string_view line) {
  WisdomEntry entry;
  entry.operation = take_word(line);
  if (entry.operation == kTransform) entry.log_degree = small_number(take_word(line));
  entry.modulus_bits = small_number(take_word(line));
  entry.kernel = line;
  return entry;
}

ParsedWisdom refusal(WisdomState state, std::string reason) {
  return {.entries = {}, .state = state, .reason = std::move(reason)};
}

}  // namespace

std::string wisdom_problem(const std::vector<WisdomEntry>& entries) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (std::string problem = entry_problem(entries[i]); !problem.empty()) return problem;
    if (i > 0 && !(place(entries[i - 1]) < place(entries[i]))) {
      return concat("'", line_of(entries[i]), "' is out of order or occurs twice");
    }
  }
  return {};
}

std::string wisdom_text(const std::vector<WisdomEntry>& entries) {
  const std::string body = body_of(entries);
  return concat(body, kChecksum, hexadecimal(fingerprint(body)), "\n");
}

ParsedWisdom parse_wisdom(std::string_view text) {
  using enum WisdomState;
  if (!text.starts_with(kMagic)) return refusal(damaged, "not a wisdom file");
  if (text.size() > kMaxWisdomBytes) {
    return refusal(damaged, concat("larger than ", kMaxWisdomBytes, " bytes"));
  }
  const std::size_t last = text.rfind('\n', text.size() - 2);
  if (text.back() != '\n' || last == std::string_view::npos ||
      !text.substr(last + 1).starts_with(kChecksum)) {
    return refusal(damaged, "cut: the last line is no checksum");
  }
  std::string_view rest = text.substr(0, last + 1);
  if (text.substr(last + 1) != concat(kChecksum, hexadecimal(fingerprint(rest)), "\n")) {
    return refusal(damaged, "the checksum does not fit");
  }
  if (take_line(rest) != concat(kMagic, kFormat)) {
    return refusal(stale, "written in another version of the format");
  }
  for (const Binding& binding : bindings()) {
    const auto line = take_line(rest);
    const std::string_view key = std::string_view(binding.line).substr(0, binding.line.find(' '));
    if (!line || !line->starts_with(key)) {
      return refusal(damaged, concat("the line '", key, "' is missing"));
    }
    if (*line != binding.line) return refusal(stale, concat("written for ", binding.meaning));
  }
  ParsedWisdom parsed{.entries = {}, .state = used, .reason = {}};
  while (const auto line = take_line(rest)) {
    parsed.entries.push_back(entry_of(*line));
    if (line_of(parsed.entries.back()) != *line) {
      return refusal(damaged, concat("malformed line '", printable(*line), "'"));
    }
  }
  std::string problem = wisdom_problem(parsed.entries);
  if (!problem.empty()) return refusal(damaged, std::move(problem));
  return parsed;
}

}  // namespace ringlet::kernels
