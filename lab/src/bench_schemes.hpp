// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/core/prelude.hpp"
#include "gpu/meters/transform_log.hpp"
#include "ringlet/ringlet.hpp"
#include "support/devices/forwarding_backend.hpp"

// Shared by the sources of `ringlet bench schemes`.

namespace ringlet::python {

/// Adds up the time of each primitive of a backend. Not synchronised: one thread computes.
class PrimitiveClock final : public test::ForwardingBackend {
 public:
  /// Watches `backend`; log() also records its transforms.
  explicit PrimitiveClock(const std::shared_ptr<const Backend>& backend)
      : PrimitiveClock(std::make_shared<bench::TransformLog>(backend)) {}

  bench::TransformLog& log() const { return *log_; }
  /// Nanoseconds by the kind of primitive.
  const std::map<std::string_view, double>& totals_ns() const { return totals_ns_; }
  void clear() { totals_ns_.clear(); }

 protected:
  void around(std::string_view primitive, const std::function<void()>& call) const override;

 private:
  explicit PrimitiveClock(const std::shared_ptr<bench::TransformLog>& log)
      : ForwardingBackend(log), log_(log) {}

  std::shared_ptr<bench::TransformLog> log_;
  mutable std::map<std::string_view, double> totals_ns_;
};

/// A message: the slots of a plaintext, real or integers.
struct Slots {
  std::vector<double> reals;
  std::vector<std::uint64_t> integers;
};

/// The parameters of one context.
struct MeterParameters {
  SchemeType scheme = SchemeType::none;
  std::size_t degree = 0;
  std::vector<int> data_bits;     ///< None for SEAL's default primes of 128-bit security.
  std::vector<int> special_bits;  ///< None with SEAL's primes, of which the last is special.
  KernelSelection kernels;
  bool has_profile = false;  ///< With a clock around every primitive.
};

/// Where the time of one operation goes.
struct OperationProfile {
  double total_ns = 0;
  std::map<std::string, double> primitives_ns;
  std::size_t forward_transforms = 0;  ///< Transforms of one limb each.
  std::size_t inverse_transforms = 0;
};

/// One context with its keys, operands and reused destinations, and the operations on them. Use it
/// in one thread at a time.
class SchemeMeter {
 public:
  /// @throws InvalidArgument as EncryptionParameters and Context do, with the limits of the
  ///         standard of 2018 for 128 bits, which SEAL's primes need.
  explicit SchemeMeter(const MeterParameters& parameters);

  const Context& context() const { return context_; }
  /// The operations that the scheme and the chain have.
  std::vector<std::string> operations() const;
  /// Returns a function that runs an operation. @throws InvalidArgument for an unknown name.
  std::function<void()> runner(const std::string& name);
  /// Runs the operation, decrypts or decodes, and compares with the expected slots.
  /// @throws RuntimeError if they differ.
  void check(const std::string& name);
  /// The profile of the fastest of `runs` runs. @throws LogicError without has_profile.
  OperationProfile profile(const std::string& name, int runs);
  std::size_t key_bytes();

 private:
  struct Operation;

  bool is_ckks() const { return context_.scheme() == SchemeType::ckks; }
  static const std::vector<Operation>& all_operations();
  const Operation& find(const std::string& name) const;
  bool has(const Operation& operation) const;
  Context make_context(const EncryptionParameters& parms, const MeterParameters& parameters);
  void make_operands();
  void encode(const Slots& slots, double scale, Plaintext& plain) const;
  void decode(const Plaintext& plain);
  const RelinKeys& relin_keys();
  const GaloisKeys& galois_keys();
  /// The expected slots after an operation.
  Slots expected(const Operation& operation) const;
  /// The number of the last decoded slots that differ by more than the tolerance.
  std::size_t count_differences(const Slots& expected, double scale) const;

  std::shared_ptr<PrimitiveClock> clock_;
  Context context_;
  KeyGenerator keygen_;
  Encryptor encryptor_;
  Decryptor decryptor_;
  Evaluator evaluator_;
  std::optional<CKKSEncoder> ckks_encoder_;
  std::optional<BatchEncoder> batch_encoder_;
  std::optional<RelinKeys> relin_keys_;
  std::optional<GaloisKeys> galois_keys_;

  double scale_ = 1;
  Slots slots_x_, slots_y_, slots_;
  Plaintext plain_x_, plain_y_, plain_;
  // Operands, then destinations by shape: two polynomials, three, and two a level below.
  Ciphertext x_, y_, product_, relinearized_, addend_;
  Ciphertext result_, long_result_, lowered_;
};

}  // namespace ringlet::python
