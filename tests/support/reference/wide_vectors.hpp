// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>

#include "ringlet/ntt/wide.hpp"

namespace ringlet::test {

/// One case of tests/vectors/wide; the README there describes its fields.
struct WideCase {
  std::string operation;
  std::map<std::string, std::vector<DoubleWord>> fields;

  /// Throws std::out_of_range for a field that it does not have.
  const std::vector<DoubleWord>& field(const std::string& name) const { return fields.at(name); }
  bool is_transform() const { return operation.starts_with("forward_"); }
  WideRing ring() const {
    return operation == "forward_cyclic" ? WideRing::cyclic : WideRing::negacyclic;
  }
  WideModulus modulus() const {
    const DoubleWord& q = field("modulus").front();
    return WideModulus({q[0], q[1], 0});
  }
};

/// Reads the cases of a file. Throws std::runtime_error if the file has another format.
inline std::vector<WideCase> read_wide_cases(const std::string& path) {
  std::ifstream file(path);
  std::vector<WideCase> cases;
  const auto read_number = [&] {
    std::string digits;
    if (!(file >> digits) || digits.size() != 32) throw std::runtime_error("bad number in " + path);
    return DoubleWord{std::stoull(digits.substr(16), nullptr, 16),
                      std::stoull(digits.substr(0, 16), nullptr, 16)};
  };
  for (std::string word; file >> word;) {
    if (word[0] == '#') {
      std::getline(file, word);
    } else if (word == "case") {
      file >> cases.emplace_back().operation;
    } else if (!cases.empty()) {
      std::size_t count = 1;
      if (word == "a" || word == "b" || word == "result") file >> count;
      std::vector<DoubleWord>& values = cases.back().fields[word];
      for (std::size_t i = 0; i < count; ++i) values.push_back(read_number());
    }
  }
  if (cases.empty()) throw std::runtime_error("no cases in " + path);
  return cases;
}

/// The result of the library for a case with these kernels, in pairs or planes. Returns nothing if
/// a transform has another root, or if its inverse does not give the operand back.
inline std::optional<std::vector<DoubleWord>> run_wide_case(const WideCase& x, bool pairs,
                                                            const KernelSelection& selection) {
  const std::size_t count = x.field("a").size();
  const auto words_of = [&](const std::vector<DoubleWord>& values) {
    std::vector<std::uint64_t> words(2 * count);
    for (std::size_t i = 0; i < count; ++i) {
      words[pairs ? 2 * i : i] = values[i][0];
      words[pairs ? 2 * i + 1 : count + i] = values[i][1];
    }
    return words;
  };
  const auto view = [&](std::vector<std::uint64_t>& words) {
    const std::span<std::uint64_t> all(words);
    return pairs ? WideResult(all) : WideResult(all.first(count), all.last(count));
  };
  const auto values_of = [&](const std::vector<std::uint64_t>& words) {
    std::vector<DoubleWord> values(count);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = {words[pairs ? 2 * i : i], words[pairs ? 2 * i + 1 : count + i]};
    }
    return values;
  };

  std::vector<std::uint64_t> a = words_of(x.field("a"));
  std::vector<std::uint64_t> result(2 * count);
  if (x.is_transform()) {
    const WideNtt ntt(count, x.modulus(), x.ring(), selection);
    if (ntt.root_of_unity() != x.field("root").front()) return std::nullopt;
    ntt.forward(view(result), view(a));
    std::vector<std::uint64_t> back(2 * count);
    ntt.inverse(view(back), view(result));
    if (back != a) return std::nullopt;
    return values_of(result);
  }
  const WideEltwise eltwise(x.modulus(), selection);
  if (x.operation == "reduce") {
    eltwise.reduce(view(result), view(a));
    return values_of(result);
  }
  std::vector<std::uint64_t> b = words_of(x.field("b"));
  if (x.operation == "dot") return std::vector<DoubleWord>{eltwise.dot(view(a), view(b))};
  if (x.operation == "add") eltwise.add(view(result), view(a), view(b));
  if (x.operation == "subtract") eltwise.subtract(view(result), view(a), view(b));
  if (x.operation == "multiply") eltwise.multiply(view(result), view(a), view(b));
  if (x.operation == "multiply_scalar_add") {
    eltwise.multiply_scalar_add(view(result), x.field("scalar").front(), view(a), view(b));
  }
  return values_of(result);
}

}  // namespace ringlet::test
