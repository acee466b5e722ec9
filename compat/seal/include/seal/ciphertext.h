// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "seal/context.h"
#include "seal/dynarray.h"
#include "seal/encryptionparams.h"
#include "seal/memorymanager.h"
#include "seal/serialization.h"
#include "seal/util/defines.h"
#include "seal/util/iterator.h"

namespace ringlet {
class Ciphertext;
}

namespace ringlet::seal4 {

class UniformRandomGeneratorInfo;

namespace detail {
struct CiphertextAccess;

/// The words of a ciphertext on the device of an Evaluator.
struct DeviceWords {
  /// The words as the device has them; null if no device has them.
  std::shared_ptr<const ringlet::Ciphertext> native;
  /// True if only the device has the words: the array is then empty.
  std::atomic<bool> is_alone = false;
  /// True if a caller may hold a pointer into the array, so that results must be written there.
  std::atomic<bool> is_exposed = false;
  /// True if the array is new and holds no value yet.
  bool is_vacant = false;
};
}  // namespace detail

/// A ciphertext: polynomials (c_0, ..., c_{n-1}) that decrypt to c_0 + c_1*s + ... +
/// c_{n-1}*s^{n-1}, at the level that parms_id() names. The words are stored in one array: by
/// polynomial, then by prime, then by coefficient. A value type; writing by one thread while
/// another uses the object is not synchronised.
///
/// The result of an Evaluator on a device stays there. It is copied to the array when data(),
/// operator[], dyn_array(), resize(), save() or decryption needs the words. The copy waits for the
/// device. It throws std::logic_error if the result is transparent, and std::runtime_error if the
/// device failed. After data(), operator[] or dyn_array() the caller may keep a pointer: results
/// that are written to this object later are copied to the array at once.
///
/// load() transforms BGV ciphertexts in coefficient form to NTT form. unsafe_load() also accepts
/// ciphertexts at a key level; it checks words only if it transforms them.
class RINGLET_SEAL_API Ciphertext : public detail::Saved<Ciphertext>,
                                    public detail::Loaded<Ciphertext> {
 public:
  using ct_coeff_type = std::uint64_t;

  /// Makes a ciphertext of size 0 without memory. The memory will come from `pool`.
  /// @throws std::invalid_argument if the pool is uninitialized (all constructors).
  Ciphertext(MemoryPoolHandle pool = MemoryManager::GetPool());
  /// Make a ciphertext of size 0 with room for `size_capacity` polynomials (default: 2), at the
  /// level `parms_id` (default: the first data level).
  /// @throws std::invalid_argument if the context's parameters are not valid, it has no such level,
  ///         or size_capacity is outside [2, 16].
  explicit Ciphertext(const SEALContext& context, MemoryPoolHandle pool = MemoryManager::GetPool());
  explicit Ciphertext(const SEALContext& context, parms_id_type parms_id,
                      MemoryPoolHandle pool = MemoryManager::GetPool());
  explicit Ciphertext(const SEALContext& context, parms_id_type parms_id, std::size_t size_capacity,
                      MemoryPoolHandle pool = MemoryManager::GetPool());

  Ciphertext(const Ciphertext& copy);
  /// The source of a move has size 0 afterwards.
  Ciphertext(Ciphertext&& source) noexcept;
  Ciphertext(const Ciphertext& copy, MemoryPoolHandle pool);
  /// Copies `assign`; the destination keeps its pool.
  Ciphertext& operator=(const Ciphertext& assign);
  Ciphertext& operator=(Ciphertext&& assign) noexcept;
  ~Ciphertext();

  /// Makes room for exactly `size_capacity` polynomials, at a level of `context` (the first one, if
  /// none is named) or at the present level. Polynomials above this number are lost. After a change
  /// of the level the words have no meaning.
  /// @throws std::invalid_argument as the constructors.
  void reserve(const SEALContext& context, parms_id_type parms_id, std::size_t size_capacity);
  void reserve(const SEALContext& context, std::size_t size_capacity);
  void reserve(std::size_t size_capacity);
  /// Sets the number of polynomials; new words are zero.
  /// @throws std::invalid_argument as the constructors, but a size of 0 is allowed.
  void resize(const SEALContext& context, parms_id_type parms_id, std::size_t size);
  void resize(const SEALContext& context, std::size_t size);
  void resize(std::size_t size);
  /// Resets to the state of a default-constructed object; the pool is unchanged.
  void release() noexcept;

  /// Returns the words; null if there are none.
  ct_coeff_type* data() { return array_for_writing().begin(); }
  const ct_coeff_type* data() const { return dyn_array().begin(); }
  /// Returns the words of polynomial `poly_index`; null if there are no words.
  /// @throws std::out_of_range if poly_index >= size().
  ct_coeff_type* data(std::size_t poly_index);
  const ct_coeff_type* data(std::size_t poly_index) const;
  /// Returns the word at `coeff_index` in the array of all words.
  /// @throws std::out_of_range if there is no such word.
  ct_coeff_type& operator[](std::size_t coeff_index);
  const ct_coeff_type& operator[](std::size_t coeff_index) const;
  const DynArray<ct_coeff_type>& dyn_array() const;

  std::size_t coeff_modulus_size() const noexcept { return fields_.coeff_modulus_size; }
  std::size_t poly_modulus_degree() const noexcept { return fields_.poly_modulus_degree; }
  /// Returns the number of polynomials.
  std::size_t size() const noexcept { return fields_.size; }
  /// Returns the number of polynomials for which there is room.
  std::size_t size_capacity() const noexcept;

  /// Returns true if anybody can read the message: there are no words, or the words of all
  /// polynomials except the first are zero. Variable time; ciphertexts are public.
  bool is_transparent() const;

  bool is_ntt_form() const noexcept { return fields_.is_ntt_form; }
  bool& is_ntt_form() noexcept { return fields_.is_ntt_form; }
  parms_id_type& parms_id() noexcept { return fields_.parms_id; }
  const parms_id_type& parms_id() const noexcept { return fields_.parms_id; }
  /// Returns the scale of the encrypted message (CKKS); 1 otherwise.
  double& scale() noexcept { return fields_.scale; }
  const double& scale() const noexcept { return fields_.scale; }
  /// Returns the factor modulo the plain modulus that decryption removes (BGV); 1 otherwise.
  std::uint64_t& correction_factor() noexcept { return fields_.correction_factor; }
  const std::uint64_t& correction_factor() const noexcept { return fields_.correction_factor; }
  MemoryPoolHandle pool() const noexcept { return data_.pool(); }

 private:
  friend struct detail::CiphertextAccess;

  /// All members except the words.
  struct Fields {
    parms_id_type parms_id = parms_id_zero;
    bool is_ntt_form = false;
    std::size_t size = 0;
    std::size_t poly_modulus_degree = 0;
    std::size_t coeff_modulus_size = 0;
    double scale = 1.0;
    std::uint64_t correction_factor = 1;
    /// Set only inside Serializable. The words are then those of c_0 alone, and c_1 is expanded
    /// from the seed.
    std::shared_ptr<const UniformRandomGeneratorInfo> seed;
  };

  void set_level(const EncryptionParameters& parms, std::size_t size);
  DynArray<ct_coeff_type>& array_for_writing();

  // The words are assigned first: if there is no memory for them, an assignment changes nothing.
  // Mutable, because threads that only read an object move its words to the host or to a device.
  mutable DynArray<ct_coeff_type> data_;
  mutable detail::DeviceWords device_;
  Fields fields_;
};

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
