// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ringlet/base/export.hpp"
#include "ringlet/circuits/circuit.hpp"
#include "ringlet/circuits/circuit_runner.hpp"
#include "ringlet/estimates/noise_estimator.hpp"
#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/keys.hpp"
#include "ringlet/rlwe/parameters.hpp"
#include "ringlet/rlwe/random.hpp"

namespace ringlet {

namespace circuits {
class ClearMessage;
class TracedOperations;
struct TracedResult;
}  // namespace circuits

/// What one operation did. SECRET: whoever sees it learns about the key.
struct TraceStep {
  std::size_t number = 0;       ///< from 1
  std::string result;           ///< the label of the result: "t" and the number, unless given
  std::string operation;        ///< as Evaluator calls it
  std::string operands;         ///< labels, then public arguments
  std::size_t prime_count = 0;  ///< data primes of the result: its level
  std::size_t size = 0;         ///< polynomials of the result
  double scale = 1;             ///< of the ciphertext; 1 for BFV and BGV
  /// log2 of the noise that is there. CKKS: of the largest |decoded slot - slot in the clear|. BFV
  /// and BGV: of the largest coefficient of what Decryptor::invariant_noise_budget measures.
  /// -infinity for none.
  double measured_bits = 0;
  /// What it exceeds with a small probability: NoiseEstimate::error_bits for CKKS, noise_bits for
  /// BFV and BGV.
  double estimated_bits = 0;
  /// BFV and BGV: log2(q) - 1 - measured_bits, the bits by which the noise may still grow.
  std::optional<double> budget_bits;
  /// What this operation cost: bits of error more than the worst operand has (CKKS), bits of budget
  /// less (BFV and BGV). None for encryptions.
  std::optional<double> lost_bits;
  /// CKKS: the largest absolute value of a slot in the clear, and what the estimate was told that
  /// none exceeds. 0 for BFV and BGV.
  double magnitude = 0;
  double magnitude_bound = 0;
  /// BFV and BGV: the ciphertext decrypts to the message in the clear. CKKS: no slot is off by a
  /// quarter of magnitude_bound or more, so that two bits at least are left.
  bool is_right = true;
  /// measured_bits <= estimated_bits.
  bool is_within_estimate = true;
  /// What went wrong and what to do about it; empty if nothing did.
  std::string advice;
};

/// One line without its end, such as "t3 = multiply(x, y)  primes 3  size 3  scale 2^80.0  ...".
RINGLET_API std::string to_string(const TraceStep& step);
/// A table with aligned columns, one line a step and a head line, each with its end. Errors and
/// noise are logarithms to base 2. What is not as expected ends in "ABOVE ESTIMATE" or "WRONG" and
/// the advice.
RINGLET_API std::string to_string(std::span<const TraceStep> steps);

/// Told of each step as soon as it is done. What it throws undoes the step.
using TraceSink = std::function<void(const TraceStep&)>;

/// A ciphertext, what is known of its noise, and its message in the clear. SECRET. A value type,
/// made by a TracingEvaluator and for it alone; the message is wiped with its last copy.
class RINGLET_API TracedCiphertext {
 public:
  const Ciphertext& ciphertext() const noexcept { return ciphertext_; }
  /// To try out what a change by hand does, of the scale for example; inspect() shows it.
  Ciphertext& ciphertext() noexcept { return ciphertext_; }
  const NoiseEstimate& estimate() const noexcept { return estimate_; }

  /// The message: all slots, N/2 for CKKS, two rows of N/2 for BFV and BGV. The other one is empty.
  std::span<const std::complex<double>> numbers() const noexcept;
  std::span<const std::uint64_t> residues() const noexcept;

  /// What the log calls it.
  const std::string& label() const noexcept { return label_; }
  void set_label(std::string label) { label_ = std::move(label); }

 private:
  friend class TracingEvaluator;
  friend class circuits::TracedOperations;

  TracedCiphertext(Ciphertext ciphertext, NoiseEstimate estimate,
                   std::shared_ptr<const circuits::ClearMessage> message,
                   std::shared_ptr<const NoiseEstimator> origin)
      : ciphertext_(std::move(ciphertext)),
        estimate_(std::move(estimate)),
        message_(std::move(message)),
        origin_(std::move(origin)) {}

  Ciphertext ciphertext_;
  NoiseEstimate estimate_;
  std::shared_ptr<const circuits::ClearMessage> message_;
  std::shared_ptr<const NoiseEstimator> origin_;
  std::string label_;
  double left_bits_ = 0;  // the budget, or minus the bits of the error, when it was made
  bool is_sound_ = true;  // right and within its estimate when it was made
};

/// An Evaluator for debugging: it holds the secret key and shows after every operation what the
/// ciphertext really is beside what was expected. Each operation is computed three times, on the
/// ciphertext by Evaluator, on the estimate by NoiseEstimator and on the message in the clear; then
/// the result is decrypted, compared and written to a log.
///
/// NOT FOR PRODUCTION. Log, steps, sink and traced ciphertexts show what nobody but the owner of
/// the secret key may see: messages, and noise, from which the key can be computed (Li and
/// Micciancio, IACR ePrint 2020/1533). Never hand them out, and never run this where others choose
/// ciphertexts and see what comes of them. Messages lie in memory that is wiped; known vectors and
/// arguments do not. Times depend on messages.
///
/// Messages are slots: CKKS, or BFV and BGV with batching. Operations have the names, conditions
/// and errors of Evaluator, and take the keys that are to be examined; results are returned.
/// InvalidArgument also for an operand of another TracingEvaluator. On an error operands and log
/// keep their values. Not synchronised: one thread at a time.
class RINGLET_API TracingEvaluator {
 public:
  /// Computes where Evaluator(context) does. `random` serves encryptions and the keys of trace().
  /// An estimate is meant to hold but with probability 2^-failure_bits.
  /// @throws InvalidArgument if the key is empty or belongs to another context, for BFV and BGV
  ///         without batching (polynomials are no slots), and as NoiseEstimator; as Evaluator.
  TracingEvaluator(const Context& context, const SecretKey& secret_key,
                   RandomSource random = RandomSource(),
                   double failure_bits = NoiseEstimator::kDefaultFailureBits);
  ~TracingEvaluator();
  TracingEvaluator(const TracingEvaluator&) = delete;
  TracingEvaluator& operator=(const TracingEvaluator&) = delete;

  /// CKKS: an encryption with the public key at the first level; slots that are not given are 0.
  /// The estimate takes the largest absolute value of a slot for the bound of all, or 1 if all are
  /// 0.
  /// @throws InvalidArgument for other schemes; as CKKSEncoder::encode.
  TracedCiphertext encrypt(std::span<const std::complex<double>> slots, double scale,
                           std::string label = {});
  TracedCiphertext encrypt(std::span<const double> slots, double scale, std::string label = {});
  /// BFV and BGV: the same, of integers below t, or of signed ones, which are taken modulo t. The
  /// estimate takes the polynomial for uniform modulo t.
  /// @throws InvalidArgument for CKKS; as BatchEncoder::encode.
  TracedCiphertext encrypt(std::span<const std::uint64_t> slots, std::string label = {});
  TracedCiphertext encrypt(std::span<const std::int64_t> slots, std::string label = {});

  TracedCiphertext negate(const TracedCiphertext& a);
  TracedCiphertext add(const TracedCiphertext& a, const TracedCiphertext& b);
  TracedCiphertext sub(const TracedCiphertext& a, const TracedCiphertext& b);
  TracedCiphertext multiply(const TracedCiphertext& a, const TracedCiphertext& b);
  TracedCiphertext square(const TracedCiphertext& a);
  /// BFV and BGV. @throws as Evaluator::exponentiate; LogicError for CKKS.
  TracedCiphertext exponentiate(const TracedCiphertext& a, std::uint64_t exponent,
                                const RelinKeys& keys);
  TracedCiphertext relinearize(const TracedCiphertext& a, const RelinKeys& keys);

  /// Plaintexts are values: slots that are not given are 0, a single number stands for all slots,
  /// and integers are taken modulo t for BFV and BGV. CKKS: an addend is encoded at the scale of
  /// `a`, a factor at `scale`; a small integer (KnownVector::is_small_integer) at scale 1 is exact.
  /// @throws InvalidArgument if there are more values than slots; for BFV and BGV if they are not
  ///         integers, or `scale` is not 1; as the encoders.
  TracedCiphertext add_plain(const TracedCiphertext& a, const KnownVector& values);
  TracedCiphertext multiply_plain(const TracedCiphertext& a, const KnownVector& values,
                                  double scale = 1);

  TracedCiphertext rescale_to_next(const TracedCiphertext& a);
  TracedCiphertext relinearize_and_rescale_to_next(const TracedCiphertext& a,
                                                   const RelinKeys& keys);
  TracedCiphertext mod_switch_to_next(const TracedCiphertext& a);
  TracedCiphertext mod_switch_to(const TracedCiphertext& a, const ParmsId& parms_id);

  TracedCiphertext rotate_vector(const TracedCiphertext& a, int steps, const GaloisKeys& keys);
  TracedCiphertext complex_conjugate(const TracedCiphertext& a, const GaloisKeys& keys);
  TracedCiphertext rotate_rows(const TracedCiphertext& a, int steps, const GaloisKeys& keys);
  TracedCiphertext rotate_columns(const TracedCiphertext& a, const GaloisKeys& keys);

  /// CKKS: sets the scale by hand: the message becomes the former one times scale / new scale. Who
  /// sets ciphertext().scale() instead says that the message stays, and sees by how much it does
  /// not.
  /// @throws InvalidArgument for other schemes, or unless the scale is positive and normal.
  TracedCiphertext with_scale(const TracedCiphertext& a, double scale);
  /// CKKS: tells the estimate that no slot is above `magnitude`, where that is less than the
  /// operands of operations let expect. Is no step.
  /// @throws InvalidArgument for other schemes, or unless magnitude is finite and not negative.
  TracedCiphertext with_magnitude(const TracedCiphertext& a, double magnitude) const;
  /// Measures `a` as it is: after ciphertext() was changed by hand. The result is a copy.
  /// @throws as Decryptor::decrypt.
  TracedCiphertext inspect(const TracedCiphertext& a);

  /// Runs a declared circuit for the parameters of the context: where does its precision go? One
  /// step an input, "in0", "in1", ..., encrypted here, and one a PlanStep; a result "v5" is the
  /// circuit's value of index 5, "v5.2" and so on are its further forms, relinearized or rescaled.
  /// An input has up to row_length slots, for BFV and BGV up to two rows; what is not given is 0,
  /// one row stands for both, and rows are repeated as Circuit says. Estimates are those of
  /// estimate_noise. Circuits are traced that CircuitRunner refuses because their results may not
  /// decrypt. Without `keys` it makes those of the plan.
  /// @returns the circuit's results.
  /// @throws InvalidArgument if there are not as many inputs as declared, or one has too many slots
  ///         or is not of the scheme; as CircuitPlan, the encoders and Evaluator. The log then
  ///         keeps its value; a sink has seen the steps before the error.
  std::vector<TracedCiphertext> trace(const Circuit& circuit, std::span<const KnownVector> inputs,
                                      double scale = 1);
  std::vector<TracedCiphertext> trace(const Circuit& circuit, std::span<const KnownVector> inputs,
                                      const CircuitKeys& keys, double scale = 1);

  /// All steps so far. to_string makes a table of them.
  std::span<const TraceStep> log() const noexcept { return log_; }
  /// Forgets them; numbers go on.
  void clear_log() noexcept { log_.clear(); }
  /// Calls `sink` after each step from now on; an empty one ends that.
  void set_sink(TraceSink sink) { sink_ = std::move(sink); }

 private:
  class CircuitTrace;

  TracedCiphertext record(circuits::TracedResult result, std::string label = {});

  std::unique_ptr<const circuits::TracedOperations> operations_;
  std::vector<TraceStep> log_;
  TraceSink sink_;
  std::size_t step_count_ = 0;
};

}  // namespace ringlet
