// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "ringlet/arith/modulus.hpp"
#include "ringlet/circuits/circuit.hpp"
#include "ringlet/circuits/circuit_noise.hpp"
#include "ringlet/circuits/circuit_plan.hpp"
#include "ringlet/circuits/suggest_parameters.hpp"
#include "ringlet/estimates/noise_estimator.hpp"
#include "ringlet/rlwe/parameters.hpp"

namespace ringlet::circuits {

/// Parameters that the search judges, with the scale of their inputs.
struct Candidate {
  EncryptionParameters parms;
  double scale = 1;
};

/// Looks for parameters at one degree.
class ParameterSearch {
 public:
  ParameterSearch(const Circuit& circuit, const ParameterRequest& request, std::size_t degree);

  /// Returns none if no primes within the security limit suffice.
  std::optional<ParameterSuggestion> run() const;

  /// CKKS: returns the best precision within the security limit, or negative infinity.
  double best_precision() const;

 private:
  struct Bits {
    double first = 0;  // of the last level: of all its data primes together
    int others = 0;    // of each other data prime, or of a scale
    int special = 0;   // of one special prime, or 0
    std::size_t others_count = 0;
    int first_bits() const noexcept { return static_cast<int>(std::ceil(first)); }
    int total() const noexcept {
      return first_bits() + others * static_cast<int>(others_count) + special;
    }
  };

  std::optional<Candidate> make(const Bits& bits) const;
  std::optional<Candidate> make_ckks(const Bits& bits) const;
  std::optional<Candidate> make_exact(const Bits& bits) const;
  /// Returns the least bits of the last level for levels of that scale, or none.
  std::optional<Bits> ckks_bits(int scale_bits) const;
  std::optional<int> largest_scale_bits() const;
  std::optional<Bits> smallest_ckks() const;
  std::optional<Bits> smallest_bfv() const;
  std::optional<Bits> smallest_bgv() const;
  std::optional<Bits> smallest_first(Bits bits, const std::optional<Bits>& best) const;
  bool is_enough(const Bits& bits) const;
  std::vector<NoiseEstimate> estimated(const CircuitPlan& plan, const EncryptionParameters& parms,
                                       CircuitInputs inputs) const;
  double result_noise_bits(const NoiseEstimate& result) const;
  double result_precision(const EncryptionParameters& parms, const NoiseEstimate& result) const;
  /// Returns the suggestion for a candidate if it meets the request.
  std::optional<ParameterSuggestion> judge(const Candidate& candidate) const;
  ParameterSuggestion with_best_digits(const ParameterSuggestion& single) const;

  const Circuit& circuit_;
  const ParameterRequest& request_;
  CircuitInputs inputs_;
  std::size_t degree_;
  std::size_t depth_;
  int limit_;
  bool switches_keys_;
};

/// Returns the least number of primes of at most 60 bits that have `bits` bits together.
std::size_t primes_for(int bits);

/// Returns data primes for CKKS: first the least that have `first_bits` together, then
/// primes_for(scale_bits) for each of `count` levels. The scale is 2^scale_bits at the first level;
/// at all levels it stays as near to that as unused primes = 1 modulo 2 * degree allow. Returns no
/// primes if there are too few, or if a scale leaves [2/3, 3/2] of 2^scale_bits.
std::vector<Modulus> scale_primes(std::size_t degree, double first_bits, int scale_bits,
                                  std::size_t count);

}  // namespace ringlet::circuits
