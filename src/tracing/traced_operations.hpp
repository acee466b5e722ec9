// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ringlet/circuits/circuit.hpp"
#include "ringlet/estimates/noise_estimator.hpp"
#include "ringlet/rlwe/key_generator.hpp"
#include "ringlet/rlwe/plaintext.hpp"
#include "ringlet/schemes/batch_encoder.hpp"
#include "ringlet/schemes/ckks_encoder.hpp"
#include "ringlet/schemes/encryptor.hpp"
#include "ringlet/schemes/evaluator.hpp"
#include "ringlet/tracing/tracing_evaluator.hpp"
#include "tracing/clear_message.hpp"
#include "tracing/message_meter.hpp"

namespace ringlet::circuits {

/// The result of an operation before it is measured.
struct TracedResult {
  /// A scale that was set by hand. The label is empty if none was.
  struct ChangedScale {
    std::string label;
    double scale = 1;
    double expected = 1;
  };
  struct Operands {
    std::string text;
    /// The least TracedCiphertext::left_bits_ of all operands. None without operands.
    std::optional<double> left_bits;
    /// No operand was marked as wrong when it was made.
    bool are_sound = true;
    ChangedScale changed_scale;
  };

  std::string operation;
  Operands operands;
  TracedCiphertext ciphertext;
};

/// Known values in the three forms that an operation takes.
struct KnownOperand {
  Plaintext plain;
  PlainEstimate estimate;
  ClearMessage message;
  std::string text;
};

/// Runs every operation in three ways: on ciphertext, estimate and message. Immutable.
class TracedOperations {
 public:
  /// @throws as TracingEvaluator.
  TracedOperations(const Context& context, const SecretKey& secret_key, RandomSource random,
                   double failure_bits);

  const Context& context() const noexcept { return context_; }
  bool has_scale() const noexcept { return ckks_encoder_.has_value(); }
  const NoiseEstimator& estimator() const noexcept { return *estimator_; }
  const KeyGenerator& key_generator() const noexcept { return key_generator_; }
  std::size_t slot_count() const noexcept;

  MessageReading read(const TracedCiphertext& a) const {
    return meter_(a.ciphertext(), *a.message_);
  }
  /// Refuses a ciphertext that another TracingEvaluator made or that was moved from.
  void check(const TracedCiphertext& a) const;
  void check_scheme(bool wants_ckks) const;
  /// Refuses more values than slots.
  void check_count(std::size_t values) const;
  /// Returns the value modulo t.
  std::uint64_t residue_of(std::int64_t value) const;

  /// Returns all slots in the clear. A constant fills them; other missing slots are 0.
  ClearMessage message_of(const KnownVector& values) const;
  /// Encodes values at a level and a scale; BFV and BGV have neither.
  KnownOperand known(const KnownVector& values, const ParmsId& parms_id, double scale) const;

  TracedResult encrypt(ClearMessage message, double scale, double magnitude) const;
  TracedResult negate(const TracedCiphertext& a) const;
  TracedResult add(const TracedCiphertext& a, const TracedCiphertext& b) const;
  TracedResult sub(const TracedCiphertext& a, const TracedCiphertext& b) const;
  TracedResult multiply(const TracedCiphertext& a, const TracedCiphertext& b) const;
  TracedResult square(const TracedCiphertext& a) const;
  TracedResult exponentiate(const TracedCiphertext& a, std::uint64_t exponent,
                            const RelinKeys& keys) const;
  TracedResult relinearize(const TracedCiphertext& a, const RelinKeys& keys) const;
  TracedResult add_plain(const TracedCiphertext& a, const KnownOperand& b) const;
  TracedResult multiply_plain(const TracedCiphertext& a, const KnownOperand& b) const;
  TracedResult rescale_to_next(const TracedCiphertext& a) const;
  TracedResult relinearize_and_rescale_to_next(const TracedCiphertext& a,
                                               const RelinKeys& keys) const;
  TracedResult mod_switch_to_next(const TracedCiphertext& a) const;
  TracedResult mod_switch_to(const TracedCiphertext& a, const ParmsId& parms_id) const;
  TracedResult rotate_vector(const TracedCiphertext& a, int steps, const GaloisKeys& keys) const;
  TracedResult rotate_rows(const TracedCiphertext& a, int steps, const GaloisKeys& keys) const;
  TracedResult complex_conjugate(const TracedCiphertext& a, const GaloisKeys& keys) const;
  TracedResult rotate_columns(const TracedCiphertext& a, const GaloisKeys& keys) const;
  TracedResult with_scale(const TracedCiphertext& a, double scale) const;
  TracedResult inspect(const TracedCiphertext& a) const;

 private:
  struct Call {
    const char* name;  ///< of the function of Evaluator
    std::vector<const TracedCiphertext*> operands;
    std::string arguments = {};
  };

  using Estimates = std::vector<NoiseEstimate>;

  static void add_operand(const TracedCiphertext& operand, TracedResult::Operands& operands);
  NoiseEstimate estimate_as_it_is(const TracedCiphertext& a) const;
  template <typename Compute, typename Estimate, typename Message>
  TracedResult computed(const Call& call, const Compute& compute, const Estimate& estimate,
                        const Message& message) const;
  template <typename Compute>
  TracedResult rotated(const Call& call, int steps, const GaloisKeys& keys,
                       const Compute& compute) const;

  Context context_;
  std::shared_ptr<const NoiseEstimator> estimator_;
  KeyGenerator key_generator_;
  Encryptor encryptor_;
  Evaluator evaluator_;
  MessageMeter meter_;
  std::optional<CKKSEncoder> ckks_encoder_;
  std::optional<BatchEncoder> batch_encoder_;
};

}  // namespace ringlet::circuits
