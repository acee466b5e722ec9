// SPDX-License-Identifier: Apache-2.0
#include "ringlet/circuits/suggest_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "circuits/plan/parameter_search.hpp"
#include "rlwe/scheme_traits.hpp"

namespace ringlet {
namespace {

constexpr const char* kSuggest = "suggest_parameters";
constexpr std::size_t kLeastDegree = 1024;
constexpr std::size_t kLargestDegree = 131072;
constexpr std::size_t kLargestDepth = 64;
constexpr double kMostPrecision = 44;

void check(const Circuit& circuit, const ParameterRequest& request) {
  rlwe::checked_traits(request.scheme);
  if (request.level == SecurityLevel::none || request.level == SecurityLevel::reproduction) {
    refuse(concat("level ", to_string(request.level)), "tc128, tc192 or tc256",
           "choose one of these security levels");
  }
  const bool is_ckks = request.scheme == SchemeType::ckks;
  if (is_ckks && !(request.precision_bits >= 1 && request.precision_bits <= kMostPrecision)) {
    refuse(concat("precision_bits = ", request.precision_bits), concat("1 to ", kMostPrecision),
           "choose a number in this range: slots are doubles");
  }
  if (!is_ckks && request.plain_modulus == 0 &&
      (request.plain_bits < 2 || request.plain_bits > kMaxPlainModulusBits)) {
    refuse(concat("plain_bits = ", request.plain_bits), concat("2 to ", kMaxPlainModulusBits),
           "choose a smaller plain modulus, or several of them and the Chinese remainder theorem");
  }
  if (!is_ckks && request.sharing) {
    refuse(concat("sharing for ", to_string(request.scheme)), "results of ckks",
           "leave sharing out: results of bfv and bgv carry no noise");
  }
  if (request.symmetric_inputs && (!is_ckks || request.sharing)) {
    refuse(request.sharing ? "inputs of the secret key for shared results"
                           : concat("symmetric_inputs for ", to_string(request.scheme)),
           "circuits of ckks whose results one key decrypts", "leave symmetric_inputs out");
  }
  if (circuit.outputs().empty()) {
    refuse("a circuit without a result", "at least one result", "declare a value as output");
  }
  if (request.degree == 0) return;
  if (max_modulus_bits(request.degree, request.level, request.table) > 0) return;
  refuse(concat("degree = ", request.degree),
         concat("a degree of table ", to_string(request.table)),
         "leave the degree out: the smallest one that suffices is chosen");
}

std::size_t least_degree(const Circuit& circuit, const ParameterRequest& request) {
  const std::size_t per_slot = request.scheme == SchemeType::ckks ? 2 : 1;
  if (request.slots > kLargestDegree / per_slot) {
    refuse(concat("slots = ", request.slots), concat("at most ", kLargestDegree / per_slot),
           "divide the message among several ciphertexts");
  }
  std::size_t degree = std::max({kLeastDegree, 2 * circuit.row_length(), request.degree});
  while (degree < per_slot * request.slots) degree *= 2;
  if (request.degree != 0 && degree != request.degree) {
    refuse(concat("degree = ", request.degree),
           concat("at least ", degree, " for this number of slots"),
           "leave the degree out, or ask for fewer slots");
  }
  return degree;
}

// Returns the circuit as if no slot of any value were above 1.
Circuit with_small_slots(const Circuit& circuit) {
  Circuit small = circuit;
  for (std::size_t i = 0; i < circuit.nodes().size(); ++i) {
    const double declared = circuit.nodes()[i].magnitude;
    small.bound({i}, declared > 0 ? std::min(declared, 1.0) : 1.0);
  }
  return small;
}

[[noreturn]] void refuse_all(const Circuit& circuit, const ParameterRequest& request,
                             std::size_t largest) {
  const int limit = max_modulus_bits(largest, request.level, request.table);
  const std::string circuit_text = concat("a circuit of depth ", circuit.depth());
  if (request.scheme != SchemeType::ckks) {
    refuse(concat(circuit_text, " with plain modulus of ",
                  request.plain_modulus != 0 ? std::log2(static_cast<double>(request.plain_modulus))
                                             : static_cast<double>(request.plain_bits),
                  " bits"),
           concat("moduli of at most ", limit, " bits at N = ", largest, ", level ",
                  to_string(request.level)),
           "use a circuit of smaller depth, a smaller plain modulus or a lower security level");
  }
  const double best = circuits::ParameterSearch(circuit, request, largest).best_precision();
  const Circuit small = with_small_slots(circuit);
  const double best_of_small = circuits::ParameterSearch(small, request, largest).best_precision();
  const bool has_large_slots = best_of_small >= request.precision_bits;
  refuse(concat(circuit_text, has_large_slots ? " with slots above 1" : "", " to ",
                request.precision_bits, " bits"),
         std::isfinite(best)
             ? concat("N = ", largest, " gives at most ", std::floor(best * 10) / 10, " bits")
             : concat("N = ", largest, " allows a modulus of ", limit, " bits, which is too small"),
         has_large_slots
             ? "declare tighter bounds of inputs and values, or divide large inputs: "
               "with bounds of 1 there are such parameters"
             : "use a circuit of smaller depth, less precision or a lower security level");
}

}  // namespace

ParameterSuggestion suggest_parameters(const Circuit& circuit, const ParameterRequest& request) {
  return public_entry(kSuggest, [&]() -> ParameterSuggestion {
    check(circuit, request);
    const std::size_t least = least_degree(circuit, request);
    std::size_t largest = least;
    for (std::size_t degree = least; degree <= kLargestDegree; degree *= 2) {
      if (max_modulus_bits(degree, request.level, request.table) == 0) continue;
      largest = degree;
      const auto suggestion = circuits::ParameterSearch(circuit, request, degree).run();
      if (suggestion) return *suggestion;
      if (request.degree != 0) break;
    }
    refuse_all(circuit, request, largest);
  });
}

Circuit depth_circuit(std::size_t depth, std::size_t row_length) {
  public_entry(kSuggest, [&] {
    if (depth <= kLargestDepth) return;
    refuse(concat("depth = ", depth), concat("at most ", kLargestDepth),
           "declare the circuit, or decrypt and encrypt again in between");
  });
  Circuit circuit(row_length);
  CircuitValue value = circuit.input();
  for (std::size_t i = 0; i < depth; ++i) value = circuit.multiply(value, value);
  circuit.output(circuit.rotate(value, 1));
  return circuit;
}

ParameterSuggestion suggest_parameters(std::size_t depth, const ParameterRequest& request) {
  return suggest_parameters(depth_circuit(depth), request);
}

}  // namespace ringlet
