// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "seal/ciphertext.h"
#include "seal/context.h"
#include "seal/encryptionparams.h"
#include "seal/galoiskeys.h"
#include "seal/memorymanager.h"
#include "seal/plaintext.h"
#include "seal/relinkeys.h"
#include "seal/util/defines.h"

namespace ringlet::seal4 {

/// Computes on ciphertexts without the secret key.
///
/// Most operations come as f(operand, ..., destination), where the destination may be an operand,
/// and as f_inplace(operand, ...). All are const and may be called by several threads at once, as
/// long as no thread writes an object that another one uses. Time does not depend on messages.
///
/// Common errors: std::invalid_argument if an operand is not valid for the context (at the key
/// level, empty, a scale or a correction factor that the scheme does not have), operands are at
/// different levels, a pool is uninitialized or, unless stated otherwise, a ciphertext is not in
/// the native form of the scheme (coefficient form for BFV, NTT form for CKKS and BGV); for CKKS
/// also if the scale of a product, or a scale at a lower level, does not fit the level's modulus.
/// std::logic_error if the result would be transparent, that is, readable without the key. On every
/// error operands and destination keep their values. Words are taken to be reduced.
class RINGLET_SEAL_API Evaluator {
 public:
  /// @throws std::invalid_argument if the context's parameters are not valid.
  explicit Evaluator(const SEALContext& context);
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;
  ~Evaluator();

  /// -a, in either form.
  void negate(const Ciphertext& encrypted, Ciphertext& destination) const;
  void negate_inplace(Ciphertext& encrypted) const { negate(encrypted, encrypted); }

  /// Sum and difference of operands in one form, native or not; the size is the larger of both.
  /// Where correction factors differ (BGV), operands are multiplied by small constants first.
  /// @throws std::invalid_argument if forms or, beyond one unit in the last place, scales differ.
  void add(const Ciphertext& encrypted1, const Ciphertext& encrypted2,
           Ciphertext& destination) const;
  void add_inplace(Ciphertext& encrypted1, const Ciphertext& encrypted2) const {
    add(encrypted1, encrypted2, encrypted1);
  }
  void sub(const Ciphertext& encrypted1, const Ciphertext& encrypted2,
           Ciphertext& destination) const;
  void sub_inplace(Ciphertext& encrypted1, const Ciphertext& encrypted2) const {
    sub(encrypted1, encrypted2, encrypted1);
  }

  /// The sum of all.
  /// @throws std::invalid_argument if there are none, or the destination is one of them; as add.
  void add_many(const std::vector<Ciphertext>& encrypteds, Ciphertext& destination) const;

  /// The product, of size encrypted1.size() + encrypted2.size() - 1; scales and correction factors
  /// multiply.
  /// @throws std::invalid_argument if the size would pass 16.
  void multiply(const Ciphertext& encrypted1, const Ciphertext& encrypted2, Ciphertext& destination,
                MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void multiply_inplace(Ciphertext& encrypted1, const Ciphertext& encrypted2,
                        MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    multiply(encrypted1, encrypted2, encrypted1, std::move(pool));
  }
  void square(const Ciphertext& encrypted, Ciphertext& destination,
              MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void square_inplace(Ciphertext& encrypted,
                      MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    square(encrypted, encrypted, std::move(pool));
  }

  /// Brings a ciphertext back to size 2; one of size 2 stays as it is.
  /// @throws std::invalid_argument if the keys are of another context, or one of the powers
  ///         s^2, ..., s^(size-1) has no key.
  void relinearize(const Ciphertext& encrypted, const RelinKeys& relin_keys,
                   Ciphertext& destination, MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void relinearize_inplace(Ciphertext& encrypted, const RelinKeys& relin_keys,
                           MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    relinearize(encrypted, relin_keys, encrypted, std::move(pool));
  }

  /// The product of all, relinearized after each multiplication, as a tree. BFV and BGV.
  /// @throws std::logic_error for CKKS; std::invalid_argument if there are none, the destination is
  ///         one of them, or as multiply and relinearize.
  void multiply_many(const std::vector<Ciphertext>& encrypteds, const RelinKeys& relin_keys,
                     Ciphertext& destination,
                     MemoryPoolHandle pool = MemoryManager::GetPool()) const;

  /// The power, relinearized after each multiplication; the power 1 changes nothing. BFV and BGV.
  /// @throws std::logic_error for CKKS if exponent > 1; std::invalid_argument if exponent is 0, or
  ///         as multiply_many.
  void exponentiate(const Ciphertext& encrypted, std::uint64_t exponent,
                    const RelinKeys& relin_keys, Ciphertext& destination,
                    MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void exponentiate_inplace(Ciphertext& encrypted, std::uint64_t exponent,
                            const RelinKeys& relin_keys,
                            MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    exponentiate(encrypted, exponent, relin_keys, encrypted, std::move(pool));
  }

  /// Sum and difference with a message: in NTT form at the level and scale of the ciphertext for
  /// CKKS, in coefficient form for BFV and BGV.
  /// @throws std::invalid_argument if the plaintext is in the other form, or scales differ.
  void add_plain(const Ciphertext& encrypted, const Plaintext& plain, Ciphertext& destination,
                 MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void add_plain_inplace(Ciphertext& encrypted, const Plaintext& plain,
                         MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    add_plain(encrypted, plain, encrypted, std::move(pool));
  }
  void sub_plain(const Ciphertext& encrypted, const Plaintext& plain, Ciphertext& destination,
                 MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void sub_plain_inplace(Ciphertext& encrypted, const Plaintext& plain,
                         MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    sub_plain(encrypted, plain, encrypted, std::move(pool));
  }

  /// The product with a message, in any combination of forms: a plaintext in NTT form at the level
  /// of the ciphertext, or in coefficient form (BFV, BGV), where m above t/2 stands for m - t. The
  /// ciphertext stays in its form. CKKS scales multiply.
  void multiply_plain(const Ciphertext& encrypted, const Plaintext& plain, Ciphertext& destination,
                      MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void multiply_plain_inplace(Ciphertext& encrypted, const Plaintext& plain,
                              MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    multiply_plain(encrypted, plain, encrypted, std::move(pool));
  }

  /// CKKS: divides by the last prime of the level with rounding, and the scale by its value; the
  /// result is one level lower. rescale_to goes on to the given level.
  /// @throws std::invalid_argument for other schemes, at the last level, if the target is unknown
  /// or
  ///         above the operand.
  void rescale_to_next(const Ciphertext& encrypted, Ciphertext& destination,
                       MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void rescale_to_next_inplace(Ciphertext& encrypted,
                               MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    rescale_to_next(encrypted, encrypted, std::move(pool));
  }
  void rescale_to(const Ciphertext& encrypted, parms_id_type parms_id, Ciphertext& destination,
                  MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void rescale_to_inplace(Ciphertext& encrypted, parms_id_type parms_id,
                          MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    rescale_to(encrypted, parms_id, encrypted, std::move(pool));
  }

  /// The same message one level lower, or at the given level. BFV and BGV divide by the last prime
  /// with rounding, which shrinks the noise; CKKS drops primes and keeps the scale.
  /// @throws std::invalid_argument at the last level, if the target is unknown or above the
  /// operand.
  void mod_switch_to_next(const Ciphertext& encrypted, Ciphertext& destination,
                          MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void mod_switch_to_next_inplace(Ciphertext& encrypted,
                                  MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    mod_switch_to_next(encrypted, encrypted, std::move(pool));
  }
  void mod_switch_to(const Ciphertext& encrypted, parms_id_type parms_id, Ciphertext& destination,
                     MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void mod_switch_to_inplace(Ciphertext& encrypted, parms_id_type parms_id,
                             MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    mod_switch_to(encrypted, parms_id, encrypted, std::move(pool));
  }

  /// The same for plaintexts in NTT form.
  void mod_switch_to_next(const Plaintext& plain, Plaintext& destination) const;
  void mod_switch_to_next_inplace(Plaintext& plain) const { mod_switch_to_next(plain, plain); }
  void mod_switch_to(const Plaintext& plain, parms_id_type parms_id, Plaintext& destination) const;
  void mod_switch_to_inplace(Plaintext& plain, parms_id_type parms_id) const {
    mod_switch_to(plain, parms_id, plain);
  }

  /// Drops the last prime, or primes down to the given level, without dividing, in any scheme.
  /// @throws std::invalid_argument as mod_switch_to_next and mod_switch_to.
  void mod_reduce_to_next(const Ciphertext& encrypted, Ciphertext& destination,
                          MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void mod_reduce_to_next_inplace(Ciphertext& encrypted,
                                  MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    mod_reduce_to_next(encrypted, encrypted, std::move(pool));
  }
  void mod_reduce_to(const Ciphertext& encrypted, parms_id_type parms_id, Ciphertext& destination,
                     MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void mod_reduce_to_inplace(Ciphertext& encrypted, parms_id_type parms_id,
                             MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    mod_reduce_to(encrypted, parms_id, encrypted, std::move(pool));
  }

  /// Transforms between the forms. A plaintext of BFV or BGV is lifted as multiply_plain does, and
  /// from then on belongs to a level.
  /// @throws std::invalid_argument if the operand is in the wanted form already, or the level is
  ///         unknown.
  void transform_to_ntt(const Plaintext& plain, parms_id_type parms_id, Plaintext& destination_ntt,
                        MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void transform_to_ntt_inplace(Plaintext& plain, parms_id_type parms_id,
                                MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    transform_to_ntt(plain, parms_id, plain, std::move(pool));
  }
  void transform_to_ntt(const Ciphertext& encrypted, Ciphertext& destination_ntt) const;
  void transform_to_ntt_inplace(Ciphertext& encrypted) const {
    transform_to_ntt(encrypted, encrypted);
  }
  void transform_from_ntt(const Ciphertext& encrypted_ntt, Ciphertext& destination) const;
  void transform_from_ntt_inplace(Ciphertext& encrypted_ntt) const {
    transform_from_ntt(encrypted_ntt, encrypted_ntt);
  }

  /// The automorphism m(X) -> m(X^galois_elt) of the message. Here and in rotations the size is 2.
  /// @throws std::invalid_argument if the element is even or not below 2N, the keys are of another
  ///         context, or there is no key for the element.
  void apply_galois(const Ciphertext& encrypted, std::uint32_t galois_elt,
                    const GaloisKeys& galois_keys, Ciphertext& destination,
                    MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void apply_galois_inplace(Ciphertext& encrypted, std::uint32_t galois_elt,
                            const GaloisKeys& galois_keys,
                            MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    apply_galois(encrypted, galois_elt, galois_keys, encrypted, std::move(pool));
  }

  /// BFV and BGV with batching: rotates both rows of N/2 slots by `steps` to the left (to the right
  /// if negative); slot i of a row becomes slot i + steps. With the key of exactly that rotation if
  /// there is one, otherwise by powers of two, those of the non-adjacent form of `steps`. 0 changes
  /// nothing.
  /// @throws std::logic_error for CKKS and without batching; std::invalid_argument if
  ///         |steps| >= N/2, the keys are of another context or a key is missing.
  void rotate_rows(const Ciphertext& encrypted, int steps, const GaloisKeys& galois_keys,
                   Ciphertext& destination, MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void rotate_rows_inplace(Ciphertext& encrypted, int steps, const GaloisKeys& galois_keys,
                           MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    rotate_rows(encrypted, steps, galois_keys, encrypted, std::move(pool));
  }

  /// BFV and BGV with batching: swaps the rows.
  /// @throws as rotate_rows.
  void rotate_columns(const Ciphertext& encrypted, const GaloisKeys& galois_keys,
                      Ciphertext& destination,
                      MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void rotate_columns_inplace(Ciphertext& encrypted, const GaloisKeys& galois_keys,
                              MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    rotate_columns(encrypted, galois_keys, encrypted, std::move(pool));
  }

  /// CKKS: rotates the N/2 slots in the same way as rotate_rows.
  /// @throws std::logic_error for other schemes; otherwise as rotate_rows.
  void rotate_vector(const Ciphertext& encrypted, int steps, const GaloisKeys& galois_keys,
                     Ciphertext& destination,
                     MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void rotate_vector_inplace(Ciphertext& encrypted, int steps, const GaloisKeys& galois_keys,
                             MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    rotate_vector(encrypted, steps, galois_keys, encrypted, std::move(pool));
  }

  /// CKKS: the complex conjugate of every slot.
  /// @throws as rotate_vector.
  void complex_conjugate(const Ciphertext& encrypted, const GaloisKeys& galois_keys,
                         Ciphertext& destination,
                         MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void complex_conjugate_inplace(Ciphertext& encrypted, const GaloisKeys& galois_keys,
                                 MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    complex_conjugate(encrypted, galois_keys, encrypted, std::move(pool));
  }

 private:
  struct Impl;

  std::unique_ptr<const Impl> impl_;
};

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
