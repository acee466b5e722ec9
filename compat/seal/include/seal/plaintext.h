// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "seal/context.h"
#include "seal/dynarray.h"
#include "seal/encryptionparams.h"
#include "seal/memorymanager.h"
#include "seal/serialization.h"
#include "seal/util/defines.h"
#ifdef SEAL_USE_MSGSL
#include <gsl/span>
#endif

namespace ringlet::seal4 {

namespace detail {
struct PlaintextAccess;
}

/// An encoded message. In coefficient form (BFV, BGV) it holds the coefficients of a polynomial
/// modulo the plain modulus, lowest degree first. In NTT form it holds, for each prime of the level
/// that parms_id() names, one block of N residues. It is in NTT form exactly if parms_id() is not
/// zero.
///
/// The words are secret: they are wiped before their memory returns to the pool. A value type;
/// writing by one thread while another uses the object is not synchronised. After data(),
/// operator[] or dyn_array() the caller may keep a pointer: results of the same length that are
/// written to this object later are then copied to the same array.
class RINGLET_SEAL_API Plaintext : public detail::Saved<Plaintext>,
                                   public detail::Loaded<Plaintext> {
 public:
  using pt_coeff_type = std::uint64_t;

  /// Makes a plaintext without coefficients, with scale 1. The memory comes from `pool`.
  /// @throws std::invalid_argument if the pool is uninitialized (all constructors).
  Plaintext(MemoryPoolHandle pool = MemoryManager::GetPool());
  /// Makes a plaintext of `coeff_count` zeros.
  explicit Plaintext(std::size_t coeff_count, MemoryPoolHandle pool = MemoryManager::GetPool());
  /// Makes a plaintext of `coeff_count` zeros with room for `capacity` words.
  /// @throws std::invalid_argument if capacity < coeff_count.
  explicit Plaintext(std::size_t capacity, std::size_t coeff_count,
                     MemoryPoolHandle pool = MemoryManager::GetPool());
  /// Makes the polynomial that a text describes; see operator=(const std::string&).
  Plaintext(const std::string& hex_poly, MemoryPoolHandle pool = MemoryManager::GetPool());
#ifdef SEAL_USE_MSGSL
  /// Makes the polynomial of these coefficients, with room for `capacity` words.
  /// @throws std::invalid_argument if capacity < coeffs.size().
  explicit Plaintext(gsl::span<const pt_coeff_type> coeffs, std::size_t capacity,
                     MemoryPoolHandle pool = MemoryManager::GetPool())
      : data_(coeffs, capacity, std::move(pool)) {}
  explicit Plaintext(gsl::span<const pt_coeff_type> coeffs,
                     MemoryPoolHandle pool = MemoryManager::GetPool())
      : data_(coeffs, std::move(pool)) {}
#endif

  Plaintext(const Plaintext& copy);
  /// The source of a move has no coefficients afterwards.
  Plaintext(Plaintext&& source) noexcept;
  Plaintext(const Plaintext& copy, MemoryPoolHandle pool);
  /// Copies `assign`; the destination keeps its pool.
  Plaintext& operator=(const Plaintext& assign);
  Plaintext& operator=(Plaintext&& assign) noexcept;
  ~Plaintext();

  /// Makes room for exactly `capacity` words; coefficients above this number are lost.
  /// @throws std::logic_error in NTT form.
  void reserve(std::size_t capacity);
  /// Releases the memory that the coefficients do not need.
  void shrink_to_fit();
  /// Resets to a plaintext without coefficients and memory, with scale 1, in coefficient form.
  void release() noexcept;
  /// Sets the number of coefficients; new coefficients are zero.
  /// @throws std::logic_error in NTT form.
  void resize(std::size_t coeff_count);

  /// Assigns the polynomial that the text `hex_poly` describes: terms "H" or "Hx^D" with strictly
  /// decreasing exponents, separated by exactly " + ". H is hexadecimal in either case, at most 64
  /// bits. D is decimal, below 131072. A " + " may also follow the last term unless this is the
  /// constant term. coeff_count() is then the exponent of the first term plus 1. A text without a
  /// nonzero coefficient, the empty text too, sets the existing coefficients to zero. Variable
  /// time.
  /// @throws std::invalid_argument for any other text; std::logic_error in NTT form. The plaintext
  ///         is then unchanged.
  Plaintext& operator=(const std::string& hex_poly);
  /// Assigns the constant polynomial, in coefficient form. Scale and memory are unchanged.
  Plaintext& operator=(pt_coeff_type const_coeff);
#ifdef SEAL_USE_MSGSL
  /// Assigns the polynomial of these coefficients, in coefficient form; scale and pool stay.
  Plaintext& operator=(gsl::span<const pt_coeff_type> coeffs) {
    Plaintext assigned(coeffs, pool());
    assigned.scale_ = scale_;
    return *this = std::as_const(assigned);
  }
#endif

  /// Sets all words to zero; their number is unchanged.
  void set_zero();
  /// Sets the words from `start_coeff` on, or `length` of them, to zero.
  /// @throws std::out_of_range if there is no such range.
  void set_zero(std::size_t start_coeff);
  void set_zero(std::size_t start_coeff, std::size_t length);

  const DynArray<pt_coeff_type>& dyn_array() const noexcept {
    is_exposed_.store(true, std::memory_order_relaxed);
    return data_;
  }
  /// Returns the words; null if there are none.
  pt_coeff_type* data() noexcept {
    is_exposed_.store(true, std::memory_order_relaxed);
    return data_.begin();
  }
  const pt_coeff_type* data() const noexcept { return dyn_array().begin(); }
#ifdef SEAL_USE_MSGSL
  gsl::span<pt_coeff_type> data_span() { return {data(), coeff_count()}; }
  gsl::span<const pt_coeff_type> data_span() const { return dyn_array().span(); }
#endif
  /// Returns the words from `coeff_index` on; null if there are no words.
  /// @throws std::out_of_range if coeff_index >= coeff_count().
  pt_coeff_type* data(std::size_t coeff_index);
  const pt_coeff_type* data(std::size_t coeff_index) const;
  /// Returns word `coeff_index`.
  /// @throws std::out_of_range if coeff_index >= coeff_count().
  pt_coeff_type& operator[](std::size_t coeff_index);
  const pt_coeff_type& operator[](std::size_t coeff_index) const;

  /// Returns true if three conditions hold: the words are equal except for zeros at the end; the
  /// scales differ by less than 2^-52 of the larger; both are in coefficient form, or both in NTT
  /// form with the same parms_id. Variable time.
  bool operator==(const Plaintext& compare) const;
  bool operator!=(const Plaintext& compare) const { return !(*this == compare); }

  /// Returns true if no word is nonzero. Variable time, as the counts below.
  bool is_zero() const { return significant_coeff_count() == 0; }
  std::size_t capacity() const noexcept { return data_.capacity(); }
  /// Returns the number of words, in either form.
  std::size_t coeff_count() const noexcept { return data_.size(); }
  /// Returns the number of words without the zeros at the end.
  std::size_t significant_coeff_count() const noexcept;
  std::size_t nonzero_coeff_count() const noexcept;

  /// Returns the text that operator= reads: capital letters, no leading zeros, no zero terms, "0"
  /// for zero. Variable time.
  /// @throws std::invalid_argument in NTT form.
  std::string to_string() const;

  bool is_ntt_form() const noexcept { return parms_id_ != parms_id_zero; }
  parms_id_type& parms_id() noexcept { return parms_id_; }
  const parms_id_type& parms_id() const noexcept { return parms_id_; }
  /// Returns the factor by which the message was multiplied before rounding (CKKS); 1 otherwise.
  double& scale() noexcept { return scale_; }
  const double& scale() const noexcept { return scale_; }
  MemoryPoolHandle pool() const noexcept { return data_.pool(); }

 private:
  friend struct detail::PlaintextAccess;

  parms_id_type parms_id_ = parms_id_zero;
  double scale_ = 1.0;
  DynArray<pt_coeff_type> data_;
  /// True if a caller may hold a pointer into the array.
  mutable std::atomic<bool> is_exposed_ = false;
};

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
