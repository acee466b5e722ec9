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

/// The requirements on parameters, besides enough levels for the circuit.
struct ParameterRequest {
  SchemeType scheme = SchemeType::ckks;
  /// CKKS: every slot of every result is off by at most 2^-precision_bits, except with probability
  /// 2^-kApproximateFailureBits. In [1, 44]: encoders guarantee no more bits.
  double precision_bits = 20;
  /// CKKS: the policy of the SharingDecryptor that shares the results, if there is one.
  /// precision_bits is then the precision of the shared results, flooding included.
  std::optional<SharingPolicy> sharing = {};
  /// CKKS: the inputs are encrypted with the secret key, as Encryptor::encrypt_symmetric() does it:
  /// the precision is that of such inputs. With the public key results fit too, but are less exact.
  bool symmetric_inputs = false;
  /// BFV and BGV: the least bits of a plain modulus for batching, in [2, 60]. The modulus has more
  /// bits only if the ring has no such prime of plain_bits bits. If plain_modulus is not 0, it is
  /// the plain modulus, and plain_bits has no effect.
  int plain_bits = 20;
  std::uint64_t plain_modulus = 0;
  /// The least number of slots of a message. A message has N/2 slots for CKKS, N for BFV and BGV.
  std::size_t slots = 1;
  SecurityLevel level = SecurityLevel::tc128;
  SecurityTable table = SecurityTable::classical_2024;
  /// N; 0 lets suggest_parameters() choose it.
  std::size_t degree = 0;
};

/// Parameters for a circuit, and their cost. No keys have been generated yet.
struct ParameterSuggestion {
  EncryptionParameters parms;
  /// CKKS: the scale of the inputs; 1 otherwise.
  double scale = 1;
  /// Significant bits of all primes together, and how many the security level allows.
  int modulus_bits = 0;
  int modulus_bits_limit = 0;
  /// CKKS: -log2 of the largest expected error of a slot of a result, and the largest
  /// NoiseEstimate::hidden_noise_bits() of a result, for SharingDecryptor::decrypt.
  double precision_bits = 0;
  double noise_bits = 0;
  /// BFV and BGV: the smallest noise budget of a result.
  double budget_bits = 0;
  /// How many expensive operations the plan with any_galois_key() has, and how many Galois keys.
  PlanCounts counts;
  std::size_t galois_key_count = 0;
  /// Sizes of one input, one result and each set of keys; 0 where there is no such set.
  ObjectSizes input;
  ObjectSizes result;
  ObjectSizes public_key;
  ObjectSizes relin_keys;
  ObjectSizes galois_keys;
};

/// Finds the smallest N of the security table at which the circuit has the requested precision
/// (CKKS) or decrypts except with probability 2^-kExactFailureBits (BFV, BGV). For that N it
/// chooses:
///
/// - CKKS: the smallest scale that reaches the precision. The first data primes have room for the
///   largest slot of a result. The others are one for each level of the circuit, or several if the
///   scale is above 2^58, so that the scale of each level is as near to that of the inputs as
///   primes allow (see CircuitPlan).
/// - BFV: as few bits as the noise allows, in primes of equal size. BGV: one prime for each level
///   of the circuit, as small as the noise allows, and a first prime for the result.
/// - Special primes and digits: the number of special primes, at most four and within the security
///   level, for which a key switch has the fewest transforms.
///
/// All primes have at most 60 bits; kernels are fastest up to 49 bits. Uses public values only.
/// Takes milliseconds for small circuits; the time is proportional to the number of steps.
/// @throws InvalidArgument if a field of the request is invalid (the message names it); no N of the
///         table suffices (the message says what the largest N gives, and whether slots of at most
///         1 would have sufficed: Circuit::input, Circuit::bound); a slot may exceed the range of
///         doubles; or the circuit does not suit the scheme (CircuitPlan).
RINGLET_API ParameterSuggestion suggest_parameters(const Circuit& circuit,
                                                   const ParameterRequest& request);

/// Suggests parameters for depth_circuit(depth), for use when only the depth of a circuit is known.
/// Each sum of two values in your circuit costs up to one more bit of precision or budget. For
/// exact values, declare the circuit.
/// @throws as suggest_parameters of a circuit; InvalidArgument if depth is above 64.
RINGLET_API ParameterSuggestion suggest_parameters(std::size_t depth,
                                                   const ParameterRequest& request);

/// Returns the circuit that squares one input `depth` times, with slots of at most 1, and rotates
/// the result once.
/// @throws as Circuit; InvalidArgument if depth is above 64.
RINGLET_API Circuit depth_circuit(std::size_t depth, std::size_t row_length = 2);

}  // namespace ringlet
