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

/// One step of a trace: an operation and its effect. SECRET: anyone who sees a step learns about
/// the key.
struct TraceStep {
  std::size_t number = 0;       ///< counts steps from 1
  std::string result;           ///< the label of the result: "t" and the number, unless given
  std::string operation;        ///< the name of the operation in Evaluator
  std::string operands;         ///< labels of ciphertexts, then public arguments
  std::size_t prime_count = 0;  ///< data primes of the result: its level
  std::size_t size = 0;         ///< polynomials of the result
  double scale = 1;             ///< scale of the result; 1 for BFV and BGV
  /// log2 of the measured noise; -infinity without noise. CKKS: the noise is the largest |decoded
  /// slot - slot in the clear|. BFV and BGV: it is the largest coefficient of the polynomial that
  /// Decryptor::invariant_noise_budget measures.
  double measured_bits = 0;
  /// The estimate that the noise exceeds with a small probability: NoiseEstimate::error_bits for
  /// CKKS, noise_bits for BFV and BGV.
  double estimated_bits = 0;
  /// BFV and BGV: log2(q) - 1 - measured_bits, the bits by which the noise may still grow.
  std::optional<double> budget_bits;
  /// The cost of this operation: the bits by which the error exceeds that of the worst operand
  /// (CKKS), or the bits of budget that it used (BFV and BGV). Empty for encryptions.
  std::optional<double> lost_bits;
  /// CKKS: the largest absolute value of a slot in the clear, and the bound of the slots in the
  /// estimate. 0 for BFV and BGV.
  double magnitude = 0;
  double magnitude_bound = 0;
  /// Whether the message is correct. BFV and BGV: the ciphertext decrypts to the message in the
  /// clear. CKKS: every slot is off by less than a quarter of magnitude_bound, so that at least two
  /// bits are left.
  bool is_right = true;
  /// Whether measured_bits <= estimated_bits.
  bool is_within_estimate = true;
  /// What went wrong and what to do about it; empty if nothing did.
  std::string advice;
};

/// Returns the step as one line of text, without a line end, such as
///   t3 = multiply(x, y)  primes 3  size 3  scale 2^80.0  ...
RINGLET_API std::string to_string(const TraceStep& step);
/// Returns a table with aligned columns: a head line and one line for each step, each with a line
/// end. Errors and noise are logarithms to base 2. A line ends in "ABOVE ESTIMATE" or "WRONG" and
/// the advice if the step is not as expected.
RINGLET_API std::string to_string(std::span<const TraceStep> steps);

/// A function that receives each step as soon as it is complete. An exception that it throws undoes
/// the step.
using TraceSink = std::function<void(const TraceStep&)>;

/// A ciphertext with its noise estimate and its message in the clear. SECRET. A value type. Only
/// the TracingEvaluator that made it accepts it. The message is wiped when its last copy is
/// destroyed.
class RINGLET_API TracedCiphertext {
 public:
  const Ciphertext& ciphertext() const noexcept { return ciphertext_; }
  /// Gives access to the ciphertext, to change it by hand, for example its scale. inspect() shows
  /// the effect.
  Ciphertext& ciphertext() noexcept { return ciphertext_; }
  const NoiseEstimate& estimate() const noexcept { return estimate_; }

  /// Return all slots of the message: N/2 numbers for CKKS, two rows of N/2 residues for BFV and
  /// BGV. The function for the other schemes returns an empty span.
  std::span<const std::complex<double>> numbers() const noexcept;
  std::span<const std::uint64_t> residues() const noexcept;

  /// Returns the name of this ciphertext in the log.
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
  double left_bits_ = 0;  // budget, or minus the bits of the error, when it was made
  bool is_sound_ = true;  // correct and within its estimate when it was made
};

/// An Evaluator for debugging. It holds the secret key and shows after every operation the actual
/// ciphertext beside the expected one. Each operation is computed three times: by Evaluator on the
/// ciphertext, by NoiseEstimator on the estimate, and on the message in the clear. The result is
/// then decrypted, compared and written to a log.
///
/// NOT FOR PRODUCTION. Log, steps, sink and traced ciphertexts show data that only the owner of the
/// secret key may see: messages, and noise, from which the key can be computed (Li and Micciancio,
/// IACR ePrint 2020/1533). Never give them to others, and never run this where others choose
/// ciphertexts and see the results. Memory of messages is wiped; memory of known vectors and
/// arguments is not. Times depend on messages.
///
/// Messages are slots: the scheme is CKKS, or BFV or BGV with batching. Operations have the names,
/// conditions and errors of Evaluator. They take the keys that your program uses, and return their
/// results. They also throw InvalidArgument for an operand of another TracingEvaluator. On an error
/// operands and log keep their values. Not synchronised: one thread at a time.
class RINGLET_API TracingEvaluator {
 public:
  /// Makes a tracing evaluator that computes where Evaluator(context) does. `random` serves
  /// encryptions and the keys of trace(). Estimates are meant to hold except with probability
  /// 2^-failure_bits.
  /// @throws InvalidArgument if the key is empty or belongs to another context, for BFV and BGV
  ///         without batching (polynomials are not slots), and as NoiseEstimator and Evaluator.
  TracingEvaluator(const Context& context, const SecretKey& secret_key,
                   RandomSource random = RandomSource(),
                   double failure_bits = NoiseEstimator::kDefaultFailureBits);
  ~TracingEvaluator();
  TracingEvaluator(const TracingEvaluator&) = delete;
  TracingEvaluator& operator=(const TracingEvaluator&) = delete;

  /// Encrypts slots with the public key at the first level. CKKS. Missing slots are 0. The estimate
  /// uses the largest absolute value of a slot as the bound of all, or 1 if all are 0.
  /// @throws InvalidArgument for other schemes; as CKKSEncoder::encode.
  TracedCiphertext encrypt(std::span<const std::complex<double>> slots, double scale,
                           std::string label = {});
  TracedCiphertext encrypt(std::span<const double> slots, double scale, std::string label = {});
  /// Encrypts slots with the public key at the first level. BFV and BGV. Unsigned slots are below
  /// t; signed slots are taken modulo t. The estimate assumes that the polynomial is uniform modulo
  /// t.
  /// @throws InvalidArgument for CKKS; as BatchEncoder::encode.
  TracedCiphertext encrypt(std::span<const std::uint64_t> slots, std::string label = {});
  TracedCiphertext encrypt(std::span<const std::int64_t> slots, std::string label = {});

  TracedCiphertext negate(const TracedCiphertext& a);
  TracedCiphertext add(const TracedCiphertext& a, const TracedCiphertext& b);
  TracedCiphertext sub(const TracedCiphertext& a, const TracedCiphertext& b);
  TracedCiphertext multiply(const TracedCiphertext& a, const TracedCiphertext& b);
  TracedCiphertext square(const TracedCiphertext& a);
  /// Computes a^exponent. BFV and BGV. @throws as Evaluator::exponentiate; LogicError for CKKS.
  TracedCiphertext exponentiate(const TracedCiphertext& a, std::uint64_t exponent,
                                const RelinKeys& keys);
  TracedCiphertext relinearize(const TracedCiphertext& a, const RelinKeys& keys);

  /// Add known values to `a`, or multiply `a` by them. Missing slots are 0, a single number is used
  /// for all slots, and integers are taken modulo t for BFV and BGV. CKKS: an addend is encoded at
  /// the scale of `a`, a factor at `scale`. A factor that is a small integer
  /// (KnownVector::is_small_integer) is exact at scale 1.
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

  /// Sets the scale of a CKKS ciphertext by hand: the message becomes the old message times
  /// old scale / `scale`. If you set ciphertext().scale() instead, the message in the clear is
  /// unchanged, and the next step shows the difference.
  /// @throws InvalidArgument for other schemes, or unless the scale is positive and normal.
  TracedCiphertext with_scale(const TracedCiphertext& a, double scale);
  /// Returns `a` with `magnitude` as the bound of its slots in the estimate. CKKS. Use it if you
  /// know that no slot is larger than `magnitude`, and the bound that follows from the operands is
  /// larger. The call adds no step to the log.
  /// @throws InvalidArgument for other schemes, or unless magnitude is finite and not negative.
  TracedCiphertext with_magnitude(const TracedCiphertext& a, double magnitude) const;
  /// Measures the present state of `a`, for example after a change of ciphertext() by hand. Returns
  /// a copy.
  /// @throws as Decryptor::decrypt.
  TracedCiphertext inspect(const TracedCiphertext& a);

  /// Runs a circuit for the parameters of the context and shows where its precision is lost. The
  /// log has one step for each input, "in0", "in1", ..., which is encrypted here, and one for each
  /// PlanStep. A result "v5" is the circuit's value of index 5; "v5.2" and so on are its further
  /// versions, relinearized or rescaled.
  ///
  /// An input has up to row_length slots, for BFV and BGV up to two rows. Missing slots are 0, a
  /// single row is used for both rows, and rows are repeated as Circuit describes. Estimates are
  /// those of estimate_noise. trace() also runs circuits that CircuitRunner refuses because their
  /// results may not decrypt. Without `keys` it makes the keys of the plan.
  /// @returns the circuit's results.
  /// @throws InvalidArgument if the number of inputs is not that of the circuit, or an input has
  ///         too many slots or does not suit the scheme; as CircuitPlan, the encoders and
  ///         Evaluator. The log then keeps its value; a sink has received the steps before the
  ///         error.
  std::vector<TracedCiphertext> trace(const Circuit& circuit, std::span<const KnownVector> inputs,
                                      double scale = 1);
  std::vector<TracedCiphertext> trace(const Circuit& circuit, std::span<const KnownVector> inputs,
                                      const CircuitKeys& keys, double scale = 1);

  /// Returns all steps so far. to_string makes a table of them.
  std::span<const TraceStep> log() const noexcept { return log_; }
  /// Removes all steps; step numbers continue.
  void clear_log() noexcept { log_.clear(); }
  /// Calls `sink` after each step from now on; an empty function ends these calls.
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
