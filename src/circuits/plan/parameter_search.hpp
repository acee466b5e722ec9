// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// Sizes of primes and what is made of them.
struct Candidate {
  EncryptionParameters parms;
  double scale = 1;
};

/// Looks for parameters at one degree.
class ParameterSearch {
 public:
  ParameterSearch(const Circuit& circuit, const ParameterRequest& request, std::size_t degree);

  /// None if no primes within the security limit do.
  std::optional<ParameterSuggestion> run() const;

  /// CKKS: the best precision within the security limit; negative infinity if there is none.
  double best_precision() const;

 private:
  struct Bits {
    int first = 0;    // of the data primes of the last level
    int others = 0;   // of the other data primes, or of a scale
    int special = 0;  // of one special prime, or 0
    std::size_t others_count = 0;
    int total() const noexcept { return first + others * static_cast<int>(others_count) + special; }
  };

  std::optional<Candidate> make(const Bits& bits) const;
  std::optional<Candidate> make_ckks(const Bits& bits) const;
  std::optional<Candidate> make_exact(const Bits& bits) const;
  /// Least bits of the first prime with these others, or none.
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
  /// The suggestion for a candidate if it keeps all promises.
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

/// Primes of the sizes that `bits` takes, none above 60 bits: as few as possible.
std::size_t primes_for(int bits);

/// Data primes for CKKS: the first ones of `first_bits` together, then those of `count` levels such
/// that the scale of every level, 2^scale_bits at the first one, stays as near to that as unused
/// primes = 1 modulo 2 * degree allow; each level has primes_for(scale_bits) of them. Empty if
/// there are no such primes or a scale leaves [2/3, 3/2] of it.
std::vector<Modulus> scale_primes(std::size_t degree, int first_bits, int scale_bits,
                                  std::size_t count);

}  // namespace ringlet::circuits
