// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <memory>
#include <optional>
#include <string>

#include <nanobind/nanobind.h>

#include "arguments.hpp"
#include "ringlet/aligned.hpp"
#include "ringlet/ciphertext.hpp"
#include "ringlet/ckks_encoder.hpp"
#include "ringlet/context.hpp"
#include "ringlet/encryptor.hpp"
#include "ringlet/evaluator.hpp"
#include "ringlet/keys.hpp"
#include "ringlet/plaintext.hpp"

// What the Python objects of CKKS share. Objects are immutable and hold their parts by shared
// pointers to const, so that calls may run without the interpreter's lock.

namespace ringlet::python {

/// Parameters of CKKS: the library's, what they are checked against, and the usual scale.
struct CkksParameters {
  EncryptionParameters parms{SchemeType::ckks};
  SecurityLevel level = SecurityLevel::tc128;
  SecurityTable table = SecurityTable::classical_2024;
  double scale = 1.0;
};

/// Public keys of a PublicContext; what is absent is empty.
struct PublicKeys {
  PublicKey encryption;
  RelinKeys relinearization;
  GaloisKeys galois;
};

/// All that is needed to compute on ciphertexts, and nothing secret.
class Workshop {
 public:
  Workshop(const CkksParameters& parameters, const KernelSelection& kernels,
           std::shared_ptr<const PublicKeys> keys);

  const CkksParameters& parameters() const { return parameters_; }
  const Context& context() const { return context_; }
  const CKKSEncoder& encoder() const { return encoder_; }
  const Evaluator& evaluator() const { return evaluator_; }
  /// True for that of a PublicContext.
  bool has_keys() const { return keys_ != nullptr; }
  const std::shared_ptr<const PublicKeys>& shared_keys() const { return keys_; }
  /// @throws LogicError naming `operation` if there are none.
  const PublicKeys& keys(const char* operation) const;

  /// The data level of that index.
  /// @throws InvalidArgument if there is none.
  const ContextData& level(std::size_t index, const char* operation) const;

 private:
  CkksParameters parameters_;
  Context context_;
  CKKSEncoder encoder_;
  Evaluator evaluator_;
  std::shared_ptr<const PublicKeys> keys_;
};

using SharedWorkshop = std::shared_ptr<const Workshop>;

/// A ringlet::Ciphertext and where it is computed on.
struct BoundCiphertext {
  SharedWorkshop workshop;
  std::shared_ptr<const Ciphertext> value;
};

/// A ringlet::Plaintext and the context that made it.
struct BoundPlaintext {
  SharedWorkshop workshop;
  std::shared_ptr<const Plaintext> value;
};

/// Numbers for the slots, taken from a Python number, sequence or array.
struct SlotValues {
  bool is_scalar = false;
  bool is_complex = false;
  SecretVector<double> real;
  SecretVector<std::complex<double>> complex;
};

/// True if the object can stand for numbers: a number, a list, a tuple, an array.
bool is_numeric(nanobind::handle object);

/// @throws InvalidArgument if the object is not numbers that convert to float64 or complex128
///         without loss of kind, or has more than one dimension.
SlotValues slot_values(nanobind::handle object, const char* operation);

/// Encodes at that level. Needs no interpreter.
Plaintext encode(const Workshop& workshop, const SlotValues& values, const ParmsId& level,
                 double scale);

/// All slots as a NumPy array of float64 or complex128.
nanobind::object decode(const Workshop& workshop, const Plaintext& plain, bool as_complex);

/// "2^40.00".
std::string scale_text(double scale);

/// Index of the level of an object; 0 is the last.
std::size_t level_index(const Workshop& workshop, const ParmsId& parms_id);

}  // namespace ringlet::python
