// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "ringlet/base/export.hpp"
#include "ringlet/circuits/circuit.hpp"
#include "ringlet/circuits/circuit_plan.hpp"
#include "ringlet/estimates/object_sizes.hpp"
#include "ringlet/rlwe/parameters.hpp"
#include "ringlet/rlwe/security.hpp"
#include "ringlet/schemes/sharing_decryptor.hpp"

namespace ringlet {

/// What is wanted of parameters, besides that they carry a circuit.
struct ParameterRequest {
  SchemeType scheme = SchemeType::ckks;
  /// CKKS: every slot of every result is off by at most 2^-precision_bits, but with probability
  /// 2^-kApproximateFailureBits. In [1, 44]: encoders promise no more.
  double precision_bits = 20;
  /// CKKS: results are shared by a SharingDecryptor under this policy. The precision is then that
  /// of what it hands out, flooding included.
  std::optional<SharingPolicy> sharing = {};
  /// BFV and BGV: least bits of a plain modulus for batching, in [2, 60], of which it has more only
  /// where the ring has no such prime; or the plain modulus itself, if it is not 0.
  int plain_bits = 20;
  std::uint64_t plain_modulus = 0;
  /// Slots that a message has at least: N/2 for CKKS, N for BFV and BGV.
  std::size_t slots = 1;
  SecurityLevel level = SecurityLevel::tc128;
  SecurityTable table = SecurityTable::classical_2024;
  /// N, if it is given: then no other is tried.
  std::size_t degree = 0;
};

/// Parameters that carry a circuit, and what they cost: nothing has been generated yet.
struct ParameterSuggestion {
  EncryptionParameters parms;
  /// CKKS: of the inputs; 1 otherwise.
  double scale = 1;
  /// Significant bits of all primes together, and how many the security allows.
  int modulus_bits = 0;
  int modulus_bits_limit = 0;
  /// CKKS: log2 of 1 over the largest expected error of a slot of a result, and the most
  /// NoiseEstimate::hidden_noise_bits() of a result, for SharingDecryptor::decrypt.
  double precision_bits = 0;
  double noise_bits = 0;
  /// BFV and BGV: noise budget that is left in the result that has least.
  double budget_bits = 0;
  /// How often the circuit does what costs time, and the keys that it takes.
  PlanCounts counts;
  std::size_t galois_key_count = 0;
  /// One input, one result, and each set of keys; 0 where there is none.
  ObjectSizes input;
  ObjectSizes result;
  ObjectSizes public_key;
  ObjectSizes relin_keys;
  ObjectSizes galois_keys;
};

/// The smallest N at which the circuit runs with the promised precision (CKKS) or decrypts but with
/// probability 2^-kExactFailureBits (BFV, BGV) within the security table, and there:
///
/// - CKKS: the smallest scale that reaches the precision. Data primes: the first ones have room for
///   the largest slot of a result; the others, one for each level of the circuit or as many as a
///   scale above 2^58 takes, are chosen so that the scale of each level comes as near to that of
///   the inputs as primes allow (see CircuitPlan).
/// - BFV: as few bits as the noise allows, in primes of equal size. BGV: one prime for each level
///   of the circuit, as small as the noise allows, and a first one for the result.
/// - Special primes and digits: of those that the security leaves room for, the number that makes
///   key switching cheapest by its transforms, at most four.
///
/// All primes have at most 60 bits; up to 49 bits kernels are fastest. Public values only; takes
/// milliseconds for small circuits, and time proportional to their steps.
/// @throws InvalidArgument if the request is none (names the field); no N of the table does, with
///         the most that the largest N gives, and whether slots of at most 1 would have done
///         (Circuit::input, Circuit::bound); a slot may be beyond all doubles; or the circuit is
///         none for the scheme (CircuitPlan).
RINGLET_API ParameterSuggestion suggest_parameters(const Circuit& circuit,
                                                   const ParameterRequest& request);

/// The same for the circuit that `depth` stands for where nothing else is known: that many
/// squarings one after the other of slots of at most 1, the result rotated once. Each further sum
/// of two values costs up to one bit of precision or budget; declare the circuit to have it exact.
/// @throws as above; InvalidArgument if depth is above 64.
RINGLET_API ParameterSuggestion suggest_parameters(std::size_t depth,
                                                   const ParameterRequest& request);

/// That circuit. @throws as Circuit; InvalidArgument if depth is above 64.
RINGLET_API Circuit depth_circuit(std::size_t depth, std::size_t row_length = 2);

}  // namespace ringlet
