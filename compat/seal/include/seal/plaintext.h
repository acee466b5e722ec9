// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "seal/context.h"
#include "seal/dynarray.h"
#include "seal/encryptionparams.h"
#include "seal/memorymanager.h"
#include "seal/serialization.h"
#include "seal/util/defines.h"

namespace ringlet::seal4 {

namespace detail {
struct PlaintextAccess;
}

/// An encoded message. In coefficient form (BFV, BGV) it holds coefficients, lowest degree first,
/// of a polynomial modulo the plain modulus. In NTT form it holds, for each prime of the level that
/// parms_id() names, one block of N residues. It is in NTT form exactly if parms_id() is not zero.
///
/// The words are secret: they are wiped before their memory goes back to the pool. A value type;
/// not synchronised for concurrent writers.
class RINGLET_SEAL_API Plaintext : public detail::Saved<Plaintext>,
                                   public detail::Loaded<Plaintext> {
 public:
  using pt_coeff_type = std::uint64_t;

  /// No coefficients, scale 1. The memory comes from `pool`.
  /// @throws std::invalid_argument if the pool is uninitialized (all constructors).
  Plaintext(MemoryPoolHandle pool = MemoryManager::GetPool());
  /// `coeff_count` zeros.
  explicit Plaintext(std::size_t coeff_count, MemoryPoolHandle pool = MemoryManager::GetPool());
  /// `coeff_count` zeros, and room for `capacity` words.
  /// @throws std::invalid_argument if capacity < coeff_count.
  explicit Plaintext(std::size_t capacity, std::size_t coeff_count,
                     MemoryPoolHandle pool = MemoryManager::GetPool());
  /// The polynomial that the text stands for; see operator=(const std::string&).
  Plaintext(const std::string& hex_poly, MemoryPoolHandle pool = MemoryManager::GetPool());

  Plaintext(const Plaintext& copy);
  /// What was moved from has no coefficients.
  Plaintext(Plaintext&& source) noexcept;
  Plaintext(const Plaintext& copy, MemoryPoolHandle pool);
  /// Keeps the pool of the destination.
  Plaintext& operator=(const Plaintext& assign);
  Plaintext& operator=(Plaintext&& assign) noexcept;
  ~Plaintext();

  /// Makes room for exactly `capacity` words; coefficients beyond it are lost.
  /// @throws std::logic_error in NTT form.
  void reserve(std::size_t capacity);
  /// Gives back the memory that the coefficients do not need.
  void shrink_to_fit();
  /// No coefficients and no memory, scale 1, coefficient form.
  void release() noexcept;
  /// Keeps the first coefficients; new ones are zero.
  /// @throws std::logic_error in NTT form.
  void resize(std::size_t coeff_count);

  /// The polynomial that `hex_poly` stands for. It is a sequence of terms "H" or "Hx^D" with
  /// strictly decreasing exponents, each two separated by exactly " + "; H is hexadecimal in either
  /// case, at most 64 bits, and D decimal, below 131072. A " + " may follow the last term too,
  /// unless that is the constant one. Then coeff_count() is the exponent of the first term plus 1;
  /// a text without any nonzero coefficient (the empty one too) sets the coefficients that there
  /// are to zero. Variable time.
  /// @throws std::invalid_argument for any other text; std::logic_error in NTT form. The plaintext
  ///         is then unchanged.
  Plaintext& operator=(const std::string& hex_poly);
  /// The constant polynomial, in coefficient form. Scale and memory stay.
  Plaintext& operator=(pt_coeff_type const_coeff);

  /// Sets all words to zero; their number stays.
  void set_zero();
  /// Sets the words from `start_coeff` on, or `length` of them, to zero.
  /// @throws std::out_of_range if there is no such range.
  void set_zero(std::size_t start_coeff);
  void set_zero(std::size_t start_coeff, std::size_t length);

  const DynArray<pt_coeff_type>& dyn_array() const noexcept { return data_; }
  /// The words; null if there are none.
  pt_coeff_type* data() noexcept { return data_.begin(); }
  const pt_coeff_type* data() const noexcept { return data_.begin(); }
  /// The words from `coeff_index` on; null if there are none at all.
  /// @throws std::out_of_range if coeff_index >= coeff_count().
  pt_coeff_type* data(std::size_t coeff_index);
  const pt_coeff_type* data(std::size_t coeff_index) const;
  /// @throws std::out_of_range if coeff_index >= coeff_count().
  pt_coeff_type& operator[](std::size_t coeff_index);
  const pt_coeff_type& operator[](std::size_t coeff_index) const;

  /// Equal except for zeros at the end, with scales that differ by less than 2^-52 of the larger,
  /// both in coefficient form or both in NTT form with the same parms_id. Variable time.
  bool operator==(const Plaintext& compare) const;
  bool operator!=(const Plaintext& compare) const { return !(*this == compare); }

  /// True if no word is nonzero. Variable time, as the counts below.
  bool is_zero() const { return significant_coeff_count() == 0; }
  std::size_t capacity() const noexcept { return data_.capacity(); }
  /// Number of words, in either form.
  std::size_t coeff_count() const noexcept { return data_.size(); }
  /// Number of words without the zeros at the end.
  std::size_t significant_coeff_count() const noexcept;
  std::size_t nonzero_coeff_count() const noexcept;

  /// The text that operator= reads: capital letters, no leading zeros, no zero terms, "0" for zero.
  /// Variable time.
  /// @throws std::invalid_argument in NTT form.
  std::string to_string() const;

  bool is_ntt_form() const noexcept { return parms_id_ != parms_id_zero; }
  parms_id_type& parms_id() noexcept { return parms_id_; }
  const parms_id_type& parms_id() const noexcept { return parms_id_; }
  /// The factor by which the message was multiplied before rounding (CKKS); 1 otherwise.
  double& scale() noexcept { return scale_; }
  const double& scale() const noexcept { return scale_; }
  MemoryPoolHandle pool() const noexcept { return data_.pool(); }

 private:
  friend struct detail::PlaintextAccess;

  parms_id_type parms_id_ = parms_id_zero;
  double scale_ = 1.0;
  DynArray<pt_coeff_type> data_;
};

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
