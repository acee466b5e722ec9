// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/core/arguments.hpp"
#include "ringlet/estimates/noise_estimator.hpp"
#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/keys.hpp"
#include "ringlet/rlwe/plaintext.hpp"
#include "ringlet/rlwe/seeded_ciphertext.hpp"
#include "ringlet/schemes/batch_encoder.hpp"
#include "ringlet/schemes/ckks_encoder.hpp"
#include "ringlet/schemes/evaluator.hpp"
#include "ringlet/schemes/slot_encoder.hpp"

// The common state of the Python objects of the schemes. Objects are immutable and hold their parts
// by shared pointers to const, so that calls may run without the interpreter's lock.

namespace ringlet::python {

/// Parameters of a scheme: those of the library, the security that they are checked for, and for
/// CKKS the usual scale.
struct SchemeParameters {
  EncryptionParameters parms;
  SecurityLevel level = SecurityLevel::tc128;
  SecurityTable table = SecurityTable::classical_2024;
  double scale = 1.0;

  SchemeType scheme() const noexcept { return parms.scheme(); }
};

/// Public keys of a PublicContext; absent keys are empty.
struct PublicKeys {
  PublicKey encryption;
  RelinKeys relinearization;
  GaloisKeys galois;
};

/// Everything needed to compute on ciphertexts, and nothing secret.
class Workshop {
 public:
  /// Computes on `device`, by default the device that RINGLET_DEVICE names.
  Workshop(const SchemeParameters& parameters, const KernelSelection& kernels,
           std::shared_ptr<const PublicKeys> keys,
           const Device& device = Device::from_environment());
  /// Takes the context of `other`, with keys.
  Workshop(const Workshop& other, std::shared_ptr<const PublicKeys> keys);
  /// Takes the context and keys of `other`, on another device.
  Workshop(const Workshop& other, const Device& device);

  const SchemeParameters& parameters() const { return parameters_; }
  SchemeType scheme() const { return parameters_.scheme(); }
  const Context& context() const { return context_; }
  const Device& device() const { return device_; }
  /// Returns the evaluator, made at the first call, which compiles the kernels of a device.
  /// @throws as Evaluator's constructor.
  const Evaluator& evaluator() const;
  /// Returns the backend, which runs the polynomial arithmetic of the evaluator.
  const Backend& backend() const { return evaluator().context().backend(); }
  /// The encoder of CKKS; null otherwise.
  const CKKSEncoder* ckks_encoder() const { return ckks_ ? &*ckks_ : nullptr; }
  /// The encoder of BFV and BGV with batching; null otherwise.
  const BatchEncoder* batch_encoder() const { return batch_ ? &*batch_ : nullptr; }
  /// The encoder of BFV and BGV with t = 2 over Z[X]/Phi_m, m odd: slots of bits. Null otherwise.
  const SlotEncoder* slot_encoder() const { return slots_ ? &*slots_ : nullptr; }
  /// Returns the count of numbers in one message.
  std::size_t slot_count() const;
  /// Returns the shape along which slots are rotated.
  std::vector<std::size_t> slot_shape() const;
  /// CKKS: returns the scale D_l of the level with l data primes (see levels.hpp), or 0 if the rule
  /// does not hold, because D_l is not within a factor of two of the parameters' scale.
  double level_scale(std::size_t prime_count) const { return level_scales_[prime_count]; }
  /// Returns a digest of the parameters and of what they were checked for: 64 hexadecimal digits.
  const std::string& fingerprint() const { return fingerprint_; }

  /// Returns true for the workshop of a PublicContext.
  bool has_keys() const { return keys_ != nullptr; }
  const std::shared_ptr<const PublicKeys>& shared_keys() const { return keys_; }
  /// @throws LogicError naming `operation` if there are none.
  const PublicKeys& keys(const char* operation) const;

  /// Returns the data level of that index.
  /// @throws InvalidArgument if there is none.
  const ContextData& level(std::size_t index, const char* operation) const;

 private:
  SchemeParameters parameters_;
  Context context_;
  std::string fingerprint_;
  std::vector<double> level_scales_;
  std::optional<CKKSEncoder> ckks_;
  std::optional<BatchEncoder> batch_;
  std::optional<SlotEncoder> slots_;
  Device device_;
  mutable std::once_flag evaluator_made_;
  mutable std::optional<Evaluator> evaluator_;
  std::shared_ptr<const PublicKeys> keys_;
};

using SharedWorkshop = std::shared_ptr<const Workshop>;

/// An unpickled ciphertext: bytes that are not checked yet, and the fingerprint of the context that
/// they should belong to.
struct DetachedCiphertext {
  SchemeType scheme;
  std::string fingerprint;
  std::string bytes;
};

/// Facts about encrypted numbers, seen at encryption. As secret as the numbers: never sent, saved
/// or shown.
struct InputFacts {
  std::size_t period = 1;  ///< slots after which each row repeats
  double magnitude = 0;    ///< CKKS: the largest absolute value; 0 if it is not known
};

/// The noise of a ciphertext, with its estimator. All operands must have the same estimator.
struct ExpectedNoise {
  std::shared_ptr<const NoiseEstimator> estimator;
  NoiseEstimate estimate;
};

/// A ringlet::Ciphertext with its workshop, or a detached ciphertext.
class BoundCiphertext {
 public:
  BoundCiphertext(SharedWorkshop workshop, std::shared_ptr<const Ciphertext> value)
      : workshop_(std::move(workshop)), value_(std::move(value)) {}
  BoundCiphertext(SharedWorkshop workshop, std::shared_ptr<const SeededCiphertext> seeded)
      : workshop_(std::move(workshop)),
        value_(seeded, &seeded->ciphertext()),
        seeded_(std::move(seeded)) {}
  explicit BoundCiphertext(std::shared_ptr<const DetachedCiphertext> detached)
      : detached_(std::move(detached)) {}

  SchemeType scheme() const { return detached_ ? detached_->scheme : workshop_->scheme(); }
  const std::string& fingerprint() const {
    return detached_ ? detached_->fingerprint : workshop_->fingerprint();
  }
  /// Returns null unless the ciphertext was unpickled and not bound since.
  const std::shared_ptr<const DetachedCiphertext>& detached() const { return detached_; }
  /// Returns null unless the ciphertext is unchanged since encryption with the secret key.
  const std::shared_ptr<const SeededCiphertext>& seeded() const { return seeded_; }
  bool has_keys() const { return workshop_ != nullptr && workshop_->has_keys(); }
  /// Returns none if it was not encrypted here, or was computed.
  const std::optional<InputFacts>& facts() const { return facts_; }
  void set_facts(const std::optional<InputFacts>& facts) { facts_ = facts; }
  /// BFV and BGV: returns the noise that a runner expects of its result; else none.
  const std::optional<ExpectedNoise>& noise() const { return noise_; }
  void set_noise(const ExpectedNoise& noise) { noise_ = noise; }

  /// @throws LogicError naming `operation` if it is detached.
  const SharedWorkshop& workshop(const char* operation) const;
  const Ciphertext& value(const char* operation) const;
  /// Returns the index of its level; 0 is the last. @throws as workshop().
  std::size_t level(const char* operation) const;

  /// @throws ContextMismatch as check_same_context, also of a detached one.
  void check_context(const Workshop& target, const char* operation) const;

  /// Returns the ciphertext on another workshop. Reads and checks the bytes of a detached one.
  /// @throws ContextMismatch if the parameters differ; what loading throws.
  BoundCiphertext bind_to(const SharedWorkshop& target, const char* operation) const;

 private:
  SharedWorkshop workshop_;
  std::shared_ptr<const Ciphertext> value_;
  std::shared_ptr<const SeededCiphertext> seeded_;
  std::shared_ptr<const DetachedCiphertext> detached_;
  std::optional<InputFacts> facts_;
  std::optional<ExpectedNoise> noise_;
};

/// A ringlet::Plaintext and the context that made it.
struct BoundPlaintext {
  SharedWorkshop workshop;
  std::shared_ptr<const Plaintext> value;

  /// @throws ContextMismatch unless `target` has the parameters of this plaintext.
  const Plaintext& value_for(const Workshop& target, const char* operation) const;
};

/// The classes of one scheme, which offer other methods than the common ones.
template <SchemeType kScheme>
struct ParametersOf : SchemeParameters {
  explicit ParametersOf(SchemeParameters base) : SchemeParameters(std::move(base)) {}
};
template <SchemeType kScheme>
struct CiphertextOf : BoundCiphertext {
  explicit CiphertextOf(BoundCiphertext base) : BoundCiphertext(std::move(base)) {}
};
template <SchemeType kScheme>
struct PlaintextOf : BoundPlaintext {
  explicit PlaintextOf(BoundPlaintext base) : BoundPlaintext(std::move(base)) {}
};

/// Returns make(scheme), with the scheme as a constant. Only this function switches from a value to
/// a type.
template <typename Make>
nb::object by_scheme(SchemeType scheme, const Make& make) {
  using enum SchemeType;
  if (scheme == bfv) return make(std::integral_constant<SchemeType, bfv>());
  if (scheme == bgv) return make(std::integral_constant<SchemeType, bgv>());
  return make(std::integral_constant<SchemeType, ckks>());
}

/// Returns an object of the class of its scheme.
nb::object to_python(BoundCiphertext ciphertext);
nb::object to_python(BoundPlaintext plaintext);
nb::object to_python(SchemeParameters parameters);

/// @throws ContextMismatch that describes the parameters of both, unless they are the same.
void check_same_context(const Workshop& found, const Workshop& expected, const char* operation);

/// Returns "Ckks", "Bfv" or "Bgv", the prefix of the class names of a scheme.
std::string class_prefix(SchemeType scheme);
/// Returns `signature` with that prefix in place of every '%'.
std::string for_scheme(SchemeType scheme, const char* signature);

/// Returns a scale as "2^40.00".
std::string scale_text(double scale);
/// Returns "<ringlet.bfv.Name ".
std::string repr_start(SchemeType scheme, const char* name);

/// Returns the index of the level of an object; 0 is the last.
std::size_t level_index(const Workshop& workshop, const ParmsId& parms_id);

}  // namespace ringlet::python
