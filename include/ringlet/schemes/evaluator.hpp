// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ringlet/base/export.hpp"
#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/keys.hpp"
#include "ringlet/rlwe/parameters.hpp"
#include "ringlet/rlwe/plaintext.hpp"

namespace ringlet {

class SchemeOperations;

namespace schemes {
class Evaluation;
}  // namespace schemes

/// Computes on ciphertexts without the secret key.
///
/// Each operation has two forms: f(operands..., destination) and f_inplace(operand, ...). The
/// destination may be one of the operands. All methods are const. Several threads may use one
/// Evaluator at once, as long as no thread writes a ciphertext that another thread uses. Time does
/// not depend on messages; ciphertexts and levels are public.
///
/// Every operation throws
/// - InvalidArgument if an operand is empty, of another context or at the key level, or has a scale
///   or a correction factor that the scheme does not have. (A plaintext of BFV or BGV without
///   coefficients is not empty: it is the message 0.)
/// - InvalidArgument if an operand is not in the scheme's native form: coefficient form for BFV,
///   NTT form for CKKS and BGV. Operations that accept other forms state this.
/// - InvalidArgument, for CKKS, if the scale of a product, or a scale at a lower level, does not
///   fit the modulus of the level: it must be below 2^B, B the bits of that modulus.
/// - LogicError if the result would be transparent, that is, readable without the key (such as
///   a - a).
///
/// On every error all operands and the destination keep their values. Residues must be reduced, as
/// all functions of the library leave them; operations do not check this.
///
/// On a device, an operation submits its work and does not wait for it. Results are bit for bit
/// those of the host and stay on the device until the host reads them. A transparent result is
/// found only at this read: Ciphertext::view, decryption and saving throw the LogicError, which
/// names the operation. Operations throw InvalidArgument if only another device has an operand,
/// OutOfDeviceMemory if the device has no room, and RuntimeError if the device fails, at the latest
/// when the host reads the result.
///
/// Messages are vectors of slots: N/2 numbers for CKKS; a matrix of 2 rows of N/2 integers modulo t
/// for BFV and BGV with a plain modulus for batching. Without batching, messages of BFV and BGV are
/// polynomials modulo t in the ring of the context.
class RINGLET_API Evaluator {
 public:
  /// Makes an Evaluator on the backend of `context` (Context::on). If that backend is the host and
  /// the environment variable RINGLET_DEVICE names a device, the Evaluator computes on that device.
  /// @throws as Device::from_environment and Context::on.
  explicit Evaluator(const Context& context);
  /// Makes an Evaluator on `device`, also if RINGLET_DEVICE names another. @throws as Context::on.
  Evaluator(const Context& context, const Device& device);
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  const Context& context() const noexcept { return context_; }

  /// Computes -a, in either form.
  void negate(const Ciphertext& a, Ciphertext& destination) const;
  void negate_inplace(Ciphertext& a) const { negate(a, a); }

  /// Compute a + b and a - b of operands that have the same form, native or not. The size of the
  /// result is the larger of the two sizes. If correction factors differ (BGV), both operands are
  /// multiplied by small constants first.
  /// @throws InvalidArgument if forms or levels differ, or scales differ by more than one unit in
  ///         the last place. Scales are never adjusted silently.
  void add(const Ciphertext& a, const Ciphertext& b, Ciphertext& destination) const;
  void add_inplace(Ciphertext& a, const Ciphertext& b) const { add(a, b, a); }
  void sub(const Ciphertext& a, const Ciphertext& b, Ciphertext& destination) const;
  void sub_inplace(Ciphertext& a, const Ciphertext& b) const { sub(a, b, a); }

  /// Computes the sum of all operands; `destination` may be one of them.
  /// @throws InvalidArgument if there are no operands, or as add.
  void add_many(std::span<const Ciphertext> operands, Ciphertext& destination) const;

  /// Computes a * b, slot by slot: the tensor product, of size a.size() + b.size() - 1. Scales and
  /// correction factors multiply. BFV: round(t/q * (a x b)) over the integers, computed in integers
  /// of one word. The method is that of Bajard, Eynard, Hasan and Zucca, SAC 2016, with the exact
  /// base conversion of Halevi, Polyakov and Shoup, IACR ePrint 2018/117, but without floating
  /// point.
  /// @throws InvalidArgument if levels differ or the size would exceed 16.
  void multiply(const Ciphertext& a, const Ciphertext& b, Ciphertext& destination) const;
  void multiply_inplace(Ciphertext& a, const Ciphertext& b) const { multiply(a, b, a); }
  /// Computes a * a with fewer products than multiply().
  void square(const Ciphertext& a, Ciphertext& destination) const;
  void square_inplace(Ciphertext& a) const { square(a, a); }

  /// Computes the product of all operands as a tree, relinearized after each multiplication;
  /// `destination` may be one of the operands. BFV and BGV.
  /// @throws LogicError for CKKS, whose scales need care after each product; InvalidArgument if
  ///         there are no operands, or as multiply and relinearize.
  void multiply_many(std::span<const Ciphertext> operands, const RelinKeys& keys,
                     Ciphertext& destination) const;
  /// Computes a^exponent, relinearized after each multiplication; a^1 is a. BFV and BGV.
  /// @throws LogicError for CKKS if exponent > 1; InvalidArgument if exponent is 0, or as
  ///         multiply_many.
  void exponentiate(const Ciphertext& a, std::uint64_t exponent, const RelinKeys& keys,
                    Ciphertext& destination) const;
  void exponentiate_inplace(Ciphertext& a, std::uint64_t exponent, const RelinKeys& keys) const {
    exponentiate(a, exponent, keys, a);
  }

  /// Reduces the size of a ciphertext to 2. A ciphertext of size 2 is unchanged.
  /// @throws InvalidArgument if the keys are empty or of another context, or one of the powers
  ///         s^2, ..., s^(size-1) has no key.
  void relinearize(const Ciphertext& a, const RelinKeys& keys, Ciphertext& destination) const;
  void relinearize_inplace(Ciphertext& a, const RelinKeys& keys) const { relinearize(a, keys, a); }

  /// Compute a + plain and a - plain. The plaintext is in NTT form at the level and scale of a for
  /// CKKS, in coefficient form for BFV and BGV.
  /// @throws InvalidArgument if levels or scales differ, or the plaintext is in the other form or
  ///         has more than N coefficients.
  void add_plain(const Ciphertext& a, const Plaintext& plain, Ciphertext& destination) const;
  void add_plain_inplace(Ciphertext& a, const Plaintext& plain) const { add_plain(a, plain, a); }
  void sub_plain(const Ciphertext& a, const Plaintext& plain, Ciphertext& destination) const;
  void sub_plain_inplace(Ciphertext& a, const Plaintext& plain) const { sub_plain(a, plain, a); }
  /// Computes a * plain, slot by slot; scales multiply. Ciphertext and plaintext may each be in
  /// either form; the result has the form of a. A coefficient m of a plaintext in coefficient form
  /// represents the integer m or, from (t+1)/2 on, m - t. A plaintext that is used often is faster
  /// after transform_to_ntt.
  /// @throws InvalidArgument if levels differ, or a plaintext in coefficient form has more than N
  ///         coefficients or is used with CKKS.
  void multiply_plain(const Ciphertext& a, const Plaintext& plain, Ciphertext& destination) const;
  void multiply_plain_inplace(Ciphertext& a, const Plaintext& plain) const {
    multiply_plain(a, plain, a);
  }

  /// Divides a CKKS ciphertext by the last prime of the level with rounding, and its scale by that
  /// prime. The result is one level lower. rescale_to repeats this down to the given level.
  /// @throws InvalidArgument for other schemes, at the last level, or if the target level is
  ///         unknown or above the level of a.
  void rescale_to_next(const Ciphertext& a, Ciphertext& destination) const;
  void rescale_to_next_inplace(Ciphertext& a) const { rescale_to_next(a, a); }
  void rescale_to(const Ciphertext& a, const ParmsId& parms_id, Ciphertext& destination) const;
  void rescale_to_inplace(Ciphertext& a, const ParmsId& parms_id) const {
    rescale_to(a, parms_id, a);
  }

  /// Computes relinearize and rescale_to_next of a CKKS ciphertext in one division, which saves
  /// transforms. Let P be the product of the special primes, q the last prime of the level, and
  /// (s_b, s_a) the sums of key switching before their division. For size 3 the result is
  ///   (round((P*c_0 + s_b) / (P*q)), round((P*c_1 + s_a) / (P*q))).
  /// For larger sizes, the sums of all powers are added first. For size 2 the operation is
  /// rescale_to_next. Every coefficient is off by at most 1/2 + d, with d of BasisConversion for q
  /// and the special primes (2^-27 for one special prime, both of 30 bits). The result is bit for
  /// bit that of the two operations in turn, except that a coefficient within d of a half may
  /// differ by 1.
  /// @throws as relinearize and rescale_to_next.
  void relinearize_and_rescale_to_next(const Ciphertext& a, const RelinKeys& keys,
                                       Ciphertext& destination) const;
  void relinearize_and_rescale_to_next_inplace(Ciphertext& a, const RelinKeys& keys) const {
    relinearize_and_rescale_to_next(a, keys, a);
  }

  /// Brings the message one level lower, or to the given level. BFV and BGV divide by the last
  /// prime with rounding, which reduces the noise. BGV thereby multiplies the message modulo t by
  /// the inverse of the prime; the correction factor records this. CKKS drops primes and keeps the
  /// scale.
  /// @throws InvalidArgument as rescale_to_next and rescale_to.
  void mod_switch_to_next(const Ciphertext& a, Ciphertext& destination) const;
  void mod_switch_to_next_inplace(Ciphertext& a) const { mod_switch_to_next(a, a); }
  void mod_switch_to(const Ciphertext& a, const ParmsId& parms_id, Ciphertext& destination) const;
  void mod_switch_to_inplace(Ciphertext& a, const ParmsId& parms_id) const {
    mod_switch_to(a, parms_id, a);
  }
  /// Brings a plaintext in NTT form one level lower, or to the given level.
  void mod_switch_to_next(const Plaintext& plain, Plaintext& destination) const;
  void mod_switch_to_next_inplace(Plaintext& plain) const { mod_switch_to_next(plain, plain); }
  void mod_switch_to(const Plaintext& plain, const ParmsId& parms_id, Plaintext& destination) const;
  void mod_switch_to_inplace(Plaintext& plain, const ParmsId& parms_id) const {
    mod_switch_to(plain, parms_id, plain);
  }

  /// Drops the last prime, or primes down to the given level, without a division, in any scheme. A
  /// BFV message is in the high digits of the coefficients, so for BFV the result is useful only to
  /// experts.
  /// @throws InvalidArgument as rescale_to_next and rescale_to.
  void mod_reduce_to_next(const Ciphertext& a, Ciphertext& destination) const;
  void mod_reduce_to_next_inplace(Ciphertext& a) const { mod_reduce_to_next(a, a); }
  void mod_reduce_to(const Ciphertext& a, const ParmsId& parms_id, Ciphertext& destination) const;
  void mod_reduce_to_inplace(Ciphertext& a, const ParmsId& parms_id) const {
    mod_reduce_to(a, parms_id, a);
  }

  /// Transform between the forms. A plaintext of BFV or BGV becomes integers as in multiply_plain,
  /// and belongs to a level from then on.
  /// @throws InvalidArgument if the operand is already in the form of the result; for plaintexts
  ///         also if the level is unknown or there are more than N coefficients.
  void transform_to_ntt(const Plaintext& plain, const ParmsId& parms_id,
                        Plaintext& destination) const;
  void transform_to_ntt_inplace(Plaintext& plain, const ParmsId& parms_id) const {
    transform_to_ntt(plain, parms_id, plain);
  }
  void transform_to_ntt(const Ciphertext& a, Ciphertext& destination) const;
  void transform_to_ntt_inplace(Ciphertext& a) const { transform_to_ntt(a, a); }
  void transform_from_ntt(const Ciphertext& a, Ciphertext& destination) const;
  void transform_from_ntt_inplace(Ciphertext& a) const { transform_from_ntt(a, a); }

  /// Rotates the N/2 slots of a CKKS ciphertext by `steps` to the left (to the right if negative):
  /// slot i of the result is slot i + steps of a, cyclically. The call uses the key of exactly this
  /// rotation if there is one, otherwise the keys of the powers of two in the non-adjacent form of
  /// `steps`. With 0 steps the result is a.
  /// @throws LogicError for other schemes; InvalidArgument if |steps| >= N/2, the size of a is not
  ///         2, the keys are empty or of another context, or a key is missing (which is found
  ///         before anything is computed).
  void rotate_vector(const Ciphertext& a, int steps, const GaloisKeys& keys,
                     Ciphertext& destination) const;
  void rotate_vector_inplace(Ciphertext& a, int steps, const GaloisKeys& keys) const {
    rotate_vector(a, steps, keys, a);
  }
  /// Computes the complex conjugate of every slot. CKKS.
  /// @throws as rotate_vector.
  void complex_conjugate(const Ciphertext& a, const GaloisKeys& keys,
                         Ciphertext& destination) const;
  void complex_conjugate_inplace(Ciphertext& a, const GaloisKeys& keys) const {
    complex_conjugate(a, keys, a);
  }
  /// Rotates both rows of N/2 slots by `steps`, as rotate_vector does for CKKS. BFV and BGV with
  /// batching.
  /// @throws LogicError for CKKS and without batching; InvalidArgument as rotate_vector.
  void rotate_rows(const Ciphertext& a, int steps, const GaloisKeys& keys,
                   Ciphertext& destination) const;
  void rotate_rows_inplace(Ciphertext& a, int steps, const GaloisKeys& keys) const {
    rotate_rows(a, steps, keys, a);
  }
  /// Exchanges the two rows of slots. BFV and BGV with batching.
  /// @throws as rotate_rows.
  void rotate_columns(const Ciphertext& a, const GaloisKeys& keys, Ciphertext& destination) const;
  void rotate_columns_inplace(Ciphertext& a, const GaloisKeys& keys) const {
    rotate_columns(a, keys, a);
  }
  /// Applies the automorphism m(X) -> m(X^galois_element) to the message.
  /// @throws InvalidArgument if the ring has no such element (RingSpec::is_galois_element), and as
  ///         rotate_vector.
  void apply_galois(const Ciphertext& a, std::uint64_t galois_element, const GaloisKeys& keys,
                    Ciphertext& destination) const;
  void apply_galois_inplace(Ciphertext& a, std::uint64_t galois_element,
                            const GaloisKeys& keys) const {
    apply_galois(a, galois_element, keys, a);
  }

  // These functions apply several automorphisms to one ciphertext: destinations[i] is the result of
  // automorphism i, bit for bit that of a single call. For X^N + 1 and digits of one prime each,
  // all automorphisms share the part of key switching before the product by the key ("hoisting").
  // The operand may be a destination. On an error no destination is changed.

  /// Computes rotate_vector by each of the steps.
  /// @throws as rotate_vector; InvalidArgument if there are not as many destinations as steps.
  void rotate_vector_many(const Ciphertext& a, std::span<const int> steps, const GaloisKeys& keys,
                          std::span<Ciphertext> destinations) const;
  /// Computes rotate_rows by each of the steps.
  /// @throws as rotate_rows; InvalidArgument if there are not as many destinations as steps.
  void rotate_rows_many(const Ciphertext& a, std::span<const int> steps, const GaloisKeys& keys,
                        std::span<Ciphertext> destinations) const;
  /// Computes apply_galois with each of the elements.
  /// @throws as apply_galois; InvalidArgument if there are not as many destinations as elements.
  void apply_galois_many(const Ciphertext& a, std::span<const std::uint64_t> galois_elements,
                         const GaloisKeys& keys, std::span<Ciphertext> destinations) const;

 private:
  friend class schemes::Evaluation;

  std::vector<Ciphertext> rotate_many(const Ciphertext& a, std::span<const int> steps,
                                      const GaloisKeys& keys, std::size_t destination_count) const;
  void conjugate(const Ciphertext& a, const GaloisKeys& keys, const char* meaning,
                 Ciphertext& destination) const;
  Ciphertext power(const Ciphertext& a, std::uint64_t exponent, const RelinKeys& keys) const;
  void rescale(const Ciphertext& a, const ContextData& target, Ciphertext& destination) const;
  void sum_balanced(std::span<const Ciphertext> operands, Ciphertext& sum) const;
  void drop_primes(const Plaintext& plain, const ContextData& target, Plaintext& destination) const;
  void drop_primes(const Ciphertext& a, const ContextData& target, Ciphertext& destination) const;

  Context context_;
  std::unique_ptr<const SchemeOperations> operations_;
};

}  // namespace ringlet
