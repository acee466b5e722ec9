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
/// Each operation comes as f(operands..., destination) and as f_inplace(operand, ...); the
/// destination may be one of the operands. All methods are const and may be called by several
/// threads at once on one Evaluator, as long as no thread writes a ciphertext that another one
/// uses. Time does not depend on messages; ciphertexts and levels are public.
///
/// Common to all: InvalidArgument if an operand is empty (but a plaintext of BFV or BGV without
/// coefficients is the message 0), of another context, at the key level, with a scale or a
/// correction factor that the scheme does not have, or, where nothing else is said, not in the
/// scheme's native form (coefficient form for BFV, NTT form for CKKS and BGV); for CKKS also if the
/// scale of a product, or a scale at a lower level, does not fit the level's modulus: with B its
/// bits, 2^B is the limit. LogicError if the result would be transparent, that
/// is, readable without the key (such as a - a). On every error all operands and the destination
/// keep their values. Residues are taken to be reduced, as all functions of the library leave them.
///
/// On a device operations are submitted and not waited for. Results are bit for bit those of the
/// host, and stay on the device until the host reads them. Only then a transparent result is found
/// out: Ciphertext::view, decryption and saving throw the LogicError, in the name of the operation.
/// InvalidArgument if an operand is on another device alone; OutOfDeviceMemory if there is no room;
/// RuntimeError if the device fails, at the latest when the host reads the result.
///
/// Messages are vectors of slots: N/2 numbers for CKKS; a matrix of 2 rows of N/2 integers modulo t
/// for BFV and BGV with a plain modulus for batching, else polynomials modulo t in
/// the ring of the context.
class RINGLET_API Evaluator {
 public:
  /// Computes where the backend of `context` does (Context::on); if that is the host, on the device
  /// that RINGLET_DEVICE names, if it names one.
  /// @throws as Device::from_environment and Context::on.
  explicit Evaluator(const Context& context);
  /// Computes on `device`, whatever the environment says. @throws as Context::on.
  Evaluator(const Context& context, const Device& device);
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  const Context& context() const noexcept { return context_; }

  /// -a, in either form.
  void negate(const Ciphertext& a, Ciphertext& destination) const;
  void negate_inplace(Ciphertext& a) const { negate(a, a); }

  /// a + b and a - b of operands in one form, native or not; the size is the larger of both. Where
  /// correction factors differ (BGV), both operands are multiplied by small constants first.
  /// @throws InvalidArgument if forms, levels or, beyond one unit in the last place, scales differ:
  ///         they are never adjusted silently.
  void add(const Ciphertext& a, const Ciphertext& b, Ciphertext& destination) const;
  void add_inplace(Ciphertext& a, const Ciphertext& b) const { add(a, b, a); }
  void sub(const Ciphertext& a, const Ciphertext& b, Ciphertext& destination) const;
  void sub_inplace(Ciphertext& a, const Ciphertext& b) const { sub(a, b, a); }

  /// The sum of all; `destination` may be one of them.
  /// @throws InvalidArgument if there are none, or as add.
  void add_many(std::span<const Ciphertext> operands, Ciphertext& destination) const;

  /// a * b, slot by slot: the tensor product, of size a.size() + b.size() - 1; scales and
  /// correction factors multiply. BFV: round(t/q * (a x b)) over the integers, without large
  /// integers (in the way of Bajard, Eynard, Hasan and Zucca, SAC 2016, with the exact base
  /// conversion of Halevi, Polyakov and Shoup, IACR ePrint 2018/117, by integers alone).
  /// @throws InvalidArgument if levels differ or the size would pass 16.
  void multiply(const Ciphertext& a, const Ciphertext& b, Ciphertext& destination) const;
  void multiply_inplace(Ciphertext& a, const Ciphertext& b) const { multiply(a, b, a); }
  /// a * a with fewer products.
  void square(const Ciphertext& a, Ciphertext& destination) const;
  void square_inplace(Ciphertext& a) const { square(a, a); }

  /// The product of all, relinearized after each multiplication, as a tree; `destination` may be
  /// one of them. BFV and BGV.
  /// @throws LogicError for CKKS, whose scales need care after each product; InvalidArgument if
  /// there
  ///         are no operands, or as multiply and relinearize.
  void multiply_many(std::span<const Ciphertext> operands, const RelinKeys& keys,
                     Ciphertext& destination) const;
  /// a^exponent, relinearized after each multiplication; a^1 is a. BFV and BGV.
  /// @throws LogicError for CKKS if exponent > 1; InvalidArgument if exponent is 0, or as
  ///         multiply_many.
  void exponentiate(const Ciphertext& a, std::uint64_t exponent, const RelinKeys& keys,
                    Ciphertext& destination) const;
  void exponentiate_inplace(Ciphertext& a, std::uint64_t exponent, const RelinKeys& keys) const {
    exponentiate(a, exponent, keys, a);
  }

  /// Brings a ciphertext back to size 2; one of size 2 stays as it is.
  /// @throws InvalidArgument if the keys are empty or of another context, or one of the powers
  ///         s^2, ..., s^(size-1) has no key.
  void relinearize(const Ciphertext& a, const RelinKeys& keys, Ciphertext& destination) const;
  void relinearize_inplace(Ciphertext& a, const RelinKeys& keys) const { relinearize(a, keys, a); }

  /// a + plain and a - plain. The plaintext is in NTT form at the level and scale of a for CKKS, in
  /// coefficient form for BFV and BGV.
  /// @throws InvalidArgument if levels or scales differ, or the plaintext is in the other form or
  /// has
  ///         more than N coefficients.
  void add_plain(const Ciphertext& a, const Plaintext& plain, Ciphertext& destination) const;
  void add_plain_inplace(Ciphertext& a, const Plaintext& plain) const { add_plain(a, plain, a); }
  void sub_plain(const Ciphertext& a, const Plaintext& plain, Ciphertext& destination) const;
  void sub_plain_inplace(Ciphertext& a, const Plaintext& plain) const { sub_plain(a, plain, a); }
  /// a * plain, slot by slot; scales multiply. Ciphertext and plaintext may each be in either form;
  /// the result has the form of a. Coefficients m of a plaintext in coefficient form are lifted to
  /// the integers m or, from (t+1)/2 on, m - t. A plaintext that is used often is faster after
  /// transform_to_ntt.
  /// @throws InvalidArgument if levels differ, or a plaintext in coefficient form has more than N
  ///         coefficients or comes with CKKS.
  void multiply_plain(const Ciphertext& a, const Plaintext& plain, Ciphertext& destination) const;
  void multiply_plain_inplace(Ciphertext& a, const Plaintext& plain) const {
    multiply_plain(a, plain, a);
  }

  /// CKKS: divides by the last prime of the level with rounding, and the scale by its value; the
  /// result is one level lower. rescale_to goes on to the given level.
  /// @throws InvalidArgument at the last level, if the target is unknown or above the operand.
  void rescale_to_next(const Ciphertext& a, Ciphertext& destination) const;
  void rescale_to_next_inplace(Ciphertext& a) const { rescale_to_next(a, a); }
  void rescale_to(const Ciphertext& a, const ParmsId& parms_id, Ciphertext& destination) const;
  void rescale_to_inplace(Ciphertext& a, const ParmsId& parms_id) const {
    rescale_to(a, parms_id, a);
  }

  /// CKKS: relinearize and rescale_to_next in one division, which saves transforms: of size 3, with
  /// P the product of the special primes, q the last prime of the level, and (s_b, s_a) the sums of
  /// key switching before they are divided,
  ///   (round((P*c_0 + s_b) / (P*q)), round((P*c_1 + s_a) / (P*q))).
  /// Of larger sizes the sums of all powers are added first; of size 2 it is rescale_to_next. Every
  /// coefficient is off by 1/2 + d at most, with d of BasisConversion for q and the special primes
  /// (2^-27 for one special prime, both of 30 bits). The two operations in turn give the same bits
  /// but where a coefficient is as near to a half as d: there it may differ by 1.
  /// @throws as relinearize and rescale_to_next.
  void relinearize_and_rescale_to_next(const Ciphertext& a, const RelinKeys& keys,
                                       Ciphertext& destination) const;
  void relinearize_and_rescale_to_next_inplace(Ciphertext& a, const RelinKeys& keys) const {
    relinearize_and_rescale_to_next(a, keys, a);
  }

  /// The same message one level lower, or at the given level. BFV and BGV divide by the last prime
  /// with rounding, which shrinks the noise; BGV keeps the message modulo t in doing so, times the
  /// inverse of the prime, which the correction factor records. CKKS drops primes and keeps the
  /// scale.
  /// @throws InvalidArgument as rescale_to_next and rescale_to.
  void mod_switch_to_next(const Ciphertext& a, Ciphertext& destination) const;
  void mod_switch_to_next_inplace(Ciphertext& a) const { mod_switch_to_next(a, a); }
  void mod_switch_to(const Ciphertext& a, const ParmsId& parms_id, Ciphertext& destination) const;
  void mod_switch_to_inplace(Ciphertext& a, const ParmsId& parms_id) const {
    mod_switch_to(a, parms_id, a);
  }
  /// The same for plaintexts in NTT form.
  void mod_switch_to_next(const Plaintext& plain, Plaintext& destination) const;
  void mod_switch_to_next_inplace(Plaintext& plain) const { mod_switch_to_next(plain, plain); }
  void mod_switch_to(const Plaintext& plain, const ParmsId& parms_id, Plaintext& destination) const;
  void mod_switch_to_inplace(Plaintext& plain, const ParmsId& parms_id) const {
    mod_switch_to(plain, parms_id, plain);
  }

  /// Drops the last prime, or primes down to the given level, without dividing, in any scheme. For
  /// BFV, whose messages sit in the high digits, the result is of no use but for experts.
  /// @throws InvalidArgument as rescale_to_next and rescale_to.
  void mod_reduce_to_next(const Ciphertext& a, Ciphertext& destination) const;
  void mod_reduce_to_next_inplace(Ciphertext& a) const { mod_reduce_to_next(a, a); }
  void mod_reduce_to(const Ciphertext& a, const ParmsId& parms_id, Ciphertext& destination) const;
  void mod_reduce_to_inplace(Ciphertext& a, const ParmsId& parms_id) const {
    mod_reduce_to(a, parms_id, a);
  }

  /// Transforms between the forms. A plaintext of BFV or BGV is lifted as multiply_plain does, and
  /// from then on belongs to a level.
  /// @throws InvalidArgument if the operand is in the wanted form already; for plaintexts also if
  /// the
  ///         level is unknown or there are more than N coefficients.
  void transform_to_ntt(const Plaintext& plain, const ParmsId& parms_id,
                        Plaintext& destination) const;
  void transform_to_ntt_inplace(Plaintext& plain, const ParmsId& parms_id) const {
    transform_to_ntt(plain, parms_id, plain);
  }
  void transform_to_ntt(const Ciphertext& a, Ciphertext& destination) const;
  void transform_to_ntt_inplace(Ciphertext& a) const { transform_to_ntt(a, a); }
  void transform_from_ntt(const Ciphertext& a, Ciphertext& destination) const;
  void transform_from_ntt_inplace(Ciphertext& a) const { transform_from_ntt(a, a); }

  /// CKKS: rotates the N/2 slots by `steps` to the left (to the right if negative): slot i of the
  /// result is slot i + steps of a. With the key of exactly that rotation if there is one,
  /// otherwise by powers of two, those of the non-adjacent form of `steps`. 0 changes nothing.
  /// @throws LogicError for other schemes; InvalidArgument if |steps| >= N/2, the size of a is not
  ///         2, the keys are empty or of another context, or a key is missing (which is found
  ///         before anything is computed).
  void rotate_vector(const Ciphertext& a, int steps, const GaloisKeys& keys,
                     Ciphertext& destination) const;
  void rotate_vector_inplace(Ciphertext& a, int steps, const GaloisKeys& keys) const {
    rotate_vector(a, steps, keys, a);
  }
  /// CKKS: the complex conjugate of every slot.
  /// @throws InvalidArgument as rotate_vector.
  void complex_conjugate(const Ciphertext& a, const GaloisKeys& keys,
                         Ciphertext& destination) const;
  void complex_conjugate_inplace(Ciphertext& a, const GaloisKeys& keys) const {
    complex_conjugate(a, keys, a);
  }
  /// BFV and BGV with batching: rotates both rows of N/2 slots, in the same way as rotate_vector.
  /// @throws LogicError for CKKS and without batching; InvalidArgument as rotate_vector.
  void rotate_rows(const Ciphertext& a, int steps, const GaloisKeys& keys,
                   Ciphertext& destination) const;
  void rotate_rows_inplace(Ciphertext& a, int steps, const GaloisKeys& keys) const {
    rotate_rows(a, steps, keys, a);
  }
  /// BFV and BGV with batching: swaps the rows.
  /// @throws as rotate_rows.
  void rotate_columns(const Ciphertext& a, const GaloisKeys& keys, Ciphertext& destination) const;
  void rotate_columns_inplace(Ciphertext& a, const GaloisKeys& keys) const {
    rotate_columns(a, keys, a);
  }
  /// The automorphism m(X) -> m(X^galois_element) of the message.
  /// @throws InvalidArgument if the ring has no such element (RingSpec::is_galois_element), and as
  /// rotate_vector.
  void apply_galois(const Ciphertext& a, std::uint64_t galois_element, const GaloisKeys& keys,
                    Ciphertext& destination) const;
  void apply_galois_inplace(Ciphertext& a, std::uint64_t galois_element,
                            const GaloisKeys& keys) const {
    apply_galois(a, galois_element, keys, a);
  }

  // Several automorphisms of one ciphertext, with the bits of the single calls: destinations[i] is
  // the result of the i-th. With X^N + 1 and digits of one prime each, what a key switch does
  // before it meets the key is done once for all of them ("hoisting"). The operand may be a
  // destination; then nothing else reads it afterwards. On an error no destination is changed.

  /// rotate_vector by each of the steps.
  /// @throws as rotate_vector; InvalidArgument if there are not as many destinations as steps.
  void rotate_vector_many(const Ciphertext& a, std::span<const int> steps, const GaloisKeys& keys,
                          std::span<Ciphertext> destinations) const;
  /// rotate_rows by each of the steps.
  /// @throws as rotate_rows; InvalidArgument if there are not as many destinations as steps.
  void rotate_rows_many(const Ciphertext& a, std::span<const int> steps, const GaloisKeys& keys,
                        std::span<Ciphertext> destinations) const;
  /// apply_galois with each of the elements.
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
