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
/// Most operations have two forms: f(operand, ..., destination), where the destination may be an
/// operand, and f_inplace(operand, ...). All operations are const. Several threads may call them at
/// once if no thread writes an object that another thread uses. Time does not depend on messages.
///
/// Common errors: std::invalid_argument if an operand is not valid for the context (at the key
/// level, empty, with a scale or a correction factor that the scheme does not have), if operands
/// are at different levels, if a pool is uninitialized or, unless stated otherwise, if a ciphertext
/// is not in the native form of the scheme (coefficient form for BFV, NTT form for CKKS and BGV).
/// For CKKS, also std::invalid_argument if the scale of a product, or a scale at a lower level,
/// does not fit the level's modulus. std::logic_error if the result would be transparent, that is,
/// readable without the key, unless the program is compiled with RINGLET_SEAL_ALLOW_TRANSPARENT. On
/// every error operands and destination keep their values. Operations assume that words are reduced
/// and do not check this.
class RINGLET_SEAL_API Evaluator {
 public:
  /// Makes an evaluator for `context`. Each source file follows its own definition of
  /// SEAL_THROW_ON_TRANSPARENT_CIPHERTEXT, so this constructor never becomes a symbol.
  /// @throws std::invalid_argument if the context's parameters are not valid.
  __attribute__((always_inline)) explicit Evaluator(const SEALContext& context)
      : Evaluator(context, RINGLET_SEAL_THROWS_ON_TRANSPARENT) {}
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;
  ~Evaluator();

  /// Computes -a, in either form.
  void negate(const Ciphertext& encrypted, Ciphertext& destination) const;
  void negate_inplace(Ciphertext& encrypted) const { negate(encrypted, encrypted); }

  /// Add and subtract operands that have the same form, native or not; the size of the result is
  /// the larger of the two sizes. If correction factors differ (BGV), operands are first multiplied
  /// by small constants.
  /// @throws std::invalid_argument if forms differ, or if scales differ by more than one unit in
  ///         the last place.
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

  /// Adds all ciphertexts.
  /// @throws std::invalid_argument if there are no ciphertexts, or the destination is one of them;
  ///         as add.
  void add_many(const std::vector<Ciphertext>& encrypteds, Ciphertext& destination) const;

  /// Multiplies ciphertexts; the size of the product is encrypted1.size() + encrypted2.size() - 1.
  /// Scales and correction factors multiply.
  /// @throws std::invalid_argument if the size would be above 16.
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

  /// Relinearizes a ciphertext: reduces its size to 2. A ciphertext of size 2 is unchanged.
  /// @throws std::invalid_argument if the keys are of another context, or one of the powers s^2,
  ///         ..., s^(size-1) has no key.
  void relinearize(const Ciphertext& encrypted, const RelinKeys& relin_keys,
                   Ciphertext& destination, MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void relinearize_inplace(Ciphertext& encrypted, const RelinKeys& relin_keys,
                           MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    relinearize(encrypted, relin_keys, encrypted, std::move(pool));
  }

  /// Multiplies all ciphertexts as a tree, relinearizing after each multiplication. For BFV and
  /// BGV.
  /// @throws std::logic_error for CKKS; std::invalid_argument if there are no ciphertexts, the
  ///         destination is one of them, or as multiply and relinearize.
  void multiply_many(const std::vector<Ciphertext>& encrypteds, const RelinKeys& relin_keys,
                     Ciphertext& destination,
                     MemoryPoolHandle pool = MemoryManager::GetPool()) const;

  /// Raises a ciphertext to a power, relinearizing after each multiplication; the power 1 is a
  /// copy. For BFV and BGV.
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

  /// Add and subtract a plaintext. For CKKS it is in NTT form, at the level and scale of the
  /// ciphertext; for BFV and BGV it is in coefficient form.
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

  /// Multiplies a ciphertext by a plaintext, in any combination of forms. The plaintext is in NTT
  /// form at the level of the ciphertext, or in coefficient form (BFV, BGV), where a coefficient m
  /// above t/2 represents m - t. The ciphertext keeps its form. CKKS scales multiply.
  void multiply_plain(const Ciphertext& encrypted, const Plaintext& plain, Ciphertext& destination,
                      MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void multiply_plain_inplace(Ciphertext& encrypted, const Plaintext& plain,
                              MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    multiply_plain(encrypted, plain, encrypted, std::move(pool));
  }

  /// Rescales a ciphertext (CKKS): divides it by the last prime of the level with rounding, and its
  /// scale by that prime. The result is one level lower. rescale_to repeats this down to the given
  /// level.
  /// @throws std::invalid_argument for other schemes, at the last level, if the target level is
  ///         unknown or above the level of the operand.
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

  /// Switch to the next lower level, or to the given level, with the same message. BFV and BGV
  /// divide by the last prime with rounding, which reduces the noise; CKKS drops primes and keeps
  /// the scale.
  /// @throws std::invalid_argument at the last level, if the target level is unknown or above the
  ///         level of the operand.
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

  /// Switch plaintexts in NTT form to the next lower level, or to the given level.
  void mod_switch_to_next(const Plaintext& plain, Plaintext& destination) const;
  void mod_switch_to_next_inplace(Plaintext& plain) const { mod_switch_to_next(plain, plain); }
  void mod_switch_to(const Plaintext& plain, parms_id_type parms_id, Plaintext& destination) const;
  void mod_switch_to_inplace(Plaintext& plain, parms_id_type parms_id) const {
    mod_switch_to(plain, parms_id, plain);
  }

  /// Drop the last prime, or primes down to the given level, without dividing, in any scheme.
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

  /// Transform between the forms. A plaintext of BFV or BGV is lifted as in multiply_plain, and
  /// belongs to a level from then on.
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

  /// Applies the automorphism m(X) -> m(X^galois_elt) to the message. Here and in rotations the
  /// ciphertext has size 2.
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

  /// Rotates both rows of N/2 slots by `steps` to the left, or to the right if negative (BFV and
  /// BGV with batching): slot i + steps of a row moves to slot i. Uses the key of this rotation if
  /// there is one, otherwise the keys of powers of two, by the non-adjacent form of `steps`. 0
  /// changes nothing.
  /// @throws std::logic_error for CKKS and without batching; std::invalid_argument if |steps| >=
  ///         N/2, the keys are of another context or a key is missing.
  void rotate_rows(const Ciphertext& encrypted, int steps, const GaloisKeys& galois_keys,
                   Ciphertext& destination, MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void rotate_rows_inplace(Ciphertext& encrypted, int steps, const GaloisKeys& galois_keys,
                           MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    rotate_rows(encrypted, steps, galois_keys, encrypted, std::move(pool));
  }

  /// Swaps the two rows of slots (BFV and BGV with batching).
  /// @throws as rotate_rows.
  void rotate_columns(const Ciphertext& encrypted, const GaloisKeys& galois_keys,
                      Ciphertext& destination,
                      MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void rotate_columns_inplace(Ciphertext& encrypted, const GaloisKeys& galois_keys,
                              MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    rotate_columns(encrypted, galois_keys, encrypted, std::move(pool));
  }

  /// Rotates the N/2 slots (CKKS), in the same way as rotate_rows.
  /// @throws std::logic_error for other schemes; otherwise as rotate_rows.
  void rotate_vector(const Ciphertext& encrypted, int steps, const GaloisKeys& galois_keys,
                     Ciphertext& destination,
                     MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void rotate_vector_inplace(Ciphertext& encrypted, int steps, const GaloisKeys& galois_keys,
                             MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    rotate_vector(encrypted, steps, galois_keys, encrypted, std::move(pool));
  }

  /// Computes the complex conjugate of every slot (CKKS).
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

  Evaluator(const SEALContext& context, bool throws_on_transparent);

  std::unique_ptr<const Impl> impl_;
};

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
