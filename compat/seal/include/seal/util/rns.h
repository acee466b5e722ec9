// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "seal/memorymanager.h"
#include "seal/modulus.h"
#include "seal/util/common.h"
#include "seal/util/defines.h"
#include "seal/util/iterator.h"
#include "seal/util/ntt.h"
#include "seal/util/pointer.h"
#include "seal/util/uintarithsmallmod.h"

// Residue number systems. Residues are reduced words. Arithmetic on them is constant time; making
// bases and tools is not. Memory comes from the system: pools have no effect, but every function
// that takes a pool throws std::invalid_argument for a handle without one, and also for null.

namespace ringlet::seal4_util {

using seal4::MemoryPoolHandle;

/// Moduli q_0, ..., q_{k-1} without common factors, with product Q, and precomputed numbers.
/// Immutable; copies share the numbers.
class RINGLET_SEAL_API RNSBase {
 public:
  /// @throws std::invalid_argument if there is no modulus, or one is 0 or has a common factor with
  ///         another.
  RNSBase(const std::vector<Modulus>& rnsbase, MemoryPoolHandle pool);
  RNSBase(const RNSBase& copy, MemoryPoolHandle pool);
  RNSBase(const RNSBase& copy) = default;
  RNSBase& operator=(const RNSBase& assign) = delete;

  /// @throws std::out_of_range if index >= size().
  SEAL_NODISCARD const Modulus& operator[](std::size_t index) const;
  SEAL_NODISCARD std::size_t size() const noexcept { return data_->base.size(); }

  SEAL_NODISCARD bool contains(const Modulus& value) const noexcept;
  /// Returns true if `superbase` contains every modulus of this base.
  SEAL_NODISCARD bool is_subbase_of(const RNSBase& superbase) const noexcept;
  SEAL_NODISCARD bool is_superbase_of(const RNSBase& subbase) const noexcept {
    return subbase.is_subbase_of(*this);
  }
  SEAL_NODISCARD bool is_proper_subbase_of(const RNSBase& superbase) const noexcept {
    return size() < superbase.size() && is_subbase_of(superbase);
  }
  SEAL_NODISCARD bool is_proper_superbase_of(const RNSBase& subbase) const noexcept {
    return subbase.is_proper_subbase_of(*this);
  }

  /// Returns this base with one modulus more.
  /// @throws std::invalid_argument if `value` is 0; std::logic_error if it has a common factor with
  ///         a modulus of the base.
  SEAL_NODISCARD RNSBase extend(const Modulus& value) const;
  /// Returns the moduli of this base, then those of `other`.
  /// @throws std::invalid_argument if two of them have a common factor.
  SEAL_NODISCARD RNSBase extend(const RNSBase& other) const;
  /// Return this base without its last modulus, or without `value`.
  /// @throws std::logic_error if the base has only one modulus, or does not contain `value`.
  SEAL_NODISCARD RNSBase drop() const;
  SEAL_NODISCARD RNSBase drop(const Modulus& value) const;

  /// Replaces an integer of size() words, the lowest first, by its residues.
  void decompose(std::uint64_t* value, MemoryPoolHandle pool) const {
    decompose_array(value, 1, std::move(pool));
  }
  /// Replaces `count` such integers, one after the other, by their residues: first all residues
  /// modulo q_0, then all modulo q_1, and so on.
  void decompose_array(std::uint64_t* value, std::size_t count, MemoryPoolHandle pool) const;
  /// Replaces residues by the integer in [0, Q).
  void compose(std::uint64_t* value, MemoryPoolHandle pool) const {
    compose_array(value, 1, std::move(pool));
  }
  /// Inverse of decompose_array.
  void compose_array(std::uint64_t* value, std::size_t count, MemoryPoolHandle pool) const;

  SEAL_NODISCARD const Modulus* base() const noexcept { return data_->base.data(); }
  /// Returns Q, in size() words.
  SEAL_NODISCARD const std::uint64_t* base_prod() const noexcept { return data_->product.data(); }
  /// Returns Q/q_i for each i, in size() words each.
  SEAL_NODISCARD const std::uint64_t* punctured_prod_array() const noexcept {
    return data_->punctured.data();
  }
  /// Returns the inverse of Q/q_i modulo q_i for each i.
  SEAL_NODISCARD const MultiplyUIntModOperand* inv_punctured_prod_mod_base_array() const noexcept {
    return data_->inverses.data();
  }

 private:
  friend class BaseConverter;

  struct Data {
    std::vector<Modulus> base;
    std::vector<std::uint64_t> product;
    std::vector<std::uint64_t> punctured;
    std::vector<MultiplyUIntModOperand> inverses;
  };

  explicit RNSBase(const std::vector<Modulus>& rnsbase);
  void compose_one(const std::uint64_t* residues, std::size_t stride, std::uint64_t* result) const;

  std::shared_ptr<const Data> data_;
};

/// Converts residues from a base with product Q to the moduli p_j of another base. The bases may
/// have moduli in common.
class RINGLET_SEAL_API BaseConverter {
 public:
  BaseConverter(const RNSBase& ibase, const RNSBase& obase, MemoryPoolHandle pool);
  BaseConverter(const BaseConverter& copy) = delete;
  BaseConverter& operator=(const BaseConverter& assign) = delete;

  SEAL_NODISCARD std::size_t ibase_size() const noexcept { return ibase_.size(); }
  SEAL_NODISCARD std::size_t obase_size() const noexcept { return obase_.size(); }
  SEAL_NODISCARD const RNSBase& ibase() const noexcept { return ibase_; }
  SEAL_NODISCARD const RNSBase& obase() const noexcept { return obase_; }

  /// Converts one number x in [0, Q): writes x + u*Q modulo p_j for each j, for one u in
  /// [0, ibase_size()) that depends on x. Here x + u*Q is the sum of the y_i * Q/q_i, where
  /// y_i = x_i * (Q/q_i)^-1 mod q_i.
  void fast_convert(ConstCoeffIter in, CoeffIter out, MemoryPoolHandle pool) const;
  /// Converts polynomials, coefficient by coefficient. `out` may be `in`.
  /// @throws std::invalid_argument if the degrees of `in` and `out` differ.
  void fast_convert_array(ConstRNSIter in, RNSIter out, MemoryPoolHandle pool) const;
  /// Writes x modulo the single modulus of the other base, for the representatives x in
  /// [-Q/2, Q/2), exactly.
  /// @throws std::invalid_argument if obase_size() is not 1.
  void exact_convert_array(ConstRNSIter in, CoeffIter out, MemoryPoolHandle pool) const;

 private:
  void fast_convert(const std::uint64_t* in, std::uint64_t* out, std::size_t count) const;

  RNSBase ibase_;
  RNSBase obase_;
  std::vector<std::uint64_t> matrix_;  // Q/q_i mod p_j in row j
};

/// Operations of BFV and BGV modulo a base q with product Q: J.-C. Bajard, J. Eynard, A. Hasan, V.
/// Zucca, "A full RNS variant of FV like somewhat homomorphic encryption schemes", 2016. They work
/// on polynomials with poly_modulus_degree coefficients.
///
/// Auxiliary primes are the largest ones of 61 bits that are 1 modulo twice the degree, in
/// decreasing order: m_sk, gamma, then those of base B. B has as many primes as q, or one more if
/// 32 + bits of t + bits of Q >= 61 * (size of q + 1). m_tilde is 2^32.
class RINGLET_SEAL_API RNSTool {
 public:
  /// @param plain_modulus t, or 0: then there is no base {t, gamma}.
  /// @throws std::invalid_argument if the degree is not a power of two in [2, 131072] or the base
  ///         has more than 256 moduli; std::logic_error if moduli have common factors with 2, t or
  ///         auxiliary primes.
  RNSTool(std::size_t poly_modulus_degree, const RNSBase& coeff_modulus,
          const Modulus& plain_modulus, MemoryPoolHandle pool);
  RNSTool(const RNSTool& copy) = delete;
  RNSTool& operator=(const RNSTool& assign) = delete;
  ~RNSTool();

  /// Replaces x modulo q by x divided by the last prime and rounded to nearest, modulo the primes
  /// before it. Afterwards the words modulo the last prime are unspecified, here and below.
  void divide_and_round_q_last_inplace(RNSIter input, MemoryPoolHandle pool) const;
  /// Does the same in NTT form.
  void divide_and_round_q_last_ntt_inplace(RNSIter input, ConstNTTTablesIter rns_ntt_tables,
                                           MemoryPoolHandle pool) const;
  /// Replaces x by (x - d)/q_last, where d is the multiple of t in [0, t*q_last) that is x modulo
  /// q_last: for BGV.
  /// @throws std::logic_error if t is 0.
  void mod_t_and_divide_q_last_inplace(RNSIter input, MemoryPoolHandle pool) const;
  /// Does the same in NTT form.
  void mod_t_and_divide_q_last_ntt_inplace(RNSIter input, ConstNTTTablesIter rns_ntt_tables,
                                           MemoryPoolHandle pool) const;

  /// Converts m_tilde * x from q to Bsk and m_tilde, as BaseConverter::fast_convert.
  void fastbconv_m_tilde(ConstRNSIter input, RNSIter destination, MemoryPoolHandle pool) const;
  /// Divides by m_tilde: from x in Bsk and m_tilde to (x + r*Q)/m_tilde in Bsk, for the r in
  /// [-m_tilde/2, m_tilde/2) that makes it exact.
  void sm_mrq(ConstRNSIter input, RNSIter destination, MemoryPoolHandle pool) const;
  /// Divides by Q: from x in q and Bsk to (x - z)/Q in Bsk, for the fast conversion z of x mod Q.
  void fast_floor(ConstRNSIter input, RNSIter destination, MemoryPoolHandle pool) const;
  /// Converts from Bsk to q: exactly, for x with |x| < B * (m_sk/2 - size of B), where B is the
  /// product of its base.
  void fastbconv_sk(ConstRNSIter input, RNSIter destination, MemoryPoolHandle pool) const;

  /// Writes t*x/Q rounded to nearest, modulo t, exactly.
  /// @throws std::logic_error if t is 0.
  void decrypt_scale_and_round(ConstRNSIter phase, CoeffIter destination,
                               MemoryPoolHandle pool) const;
  /// Writes x modulo t, for the representatives x in [-Q/2, Q/2).
  /// @throws std::logic_error if t is 0.
  void decrypt_modt(RNSIter phase, CoeffIter destination, MemoryPoolHandle pool) const;

  /// Returns 1/q_last modulo each prime before it; null if there is none.
  SEAL_NODISCARD MultiplyUIntModOperand* inv_q_last_mod_q() const noexcept {
    return inv_q_last_mod_q_.get();
  }
  SEAL_NODISCARD NTTTables* base_Bsk_ntt_tables() const noexcept {
    return base_Bsk_ntt_tables_.get();
  }
  SEAL_NODISCARD RNSBase* base_q() const noexcept { return base_q_.get(); }
  SEAL_NODISCARD RNSBase* base_B() const noexcept { return base_B_.get(); }
  /// Returns B and m_sk.
  SEAL_NODISCARD RNSBase* base_Bsk() const noexcept { return base_Bsk_.get(); }
  SEAL_NODISCARD RNSBase* base_Bsk_m_tilde() const noexcept { return base_Bsk_m_tilde_.get(); }
  /// Returns {t, gamma}; null if t is 0.
  SEAL_NODISCARD RNSBase* base_t_gamma() const noexcept { return base_t_gamma_.get(); }
  SEAL_NODISCARD const Modulus& m_tilde() const noexcept { return m_tilde_; }
  SEAL_NODISCARD const Modulus& m_sk() const noexcept { return m_sk_; }
  SEAL_NODISCARD const Modulus& t() const noexcept { return t_; }
  SEAL_NODISCARD const Modulus& gamma() const noexcept { return gamma_; }
  /// Return 1/q_last and q_last modulo t; 1 if t is 0.
  SEAL_NODISCARD const std::uint64_t& inv_q_last_mod_t() const noexcept {
    return inv_q_last_mod_t_;
  }
  SEAL_NODISCARD const std::uint64_t& q_last_mod_t() const noexcept { return q_last_mod_t_; }

 private:
  struct Constants;
  enum class Division : bool { rounding, multiple_of_t };

  void choose_bases(const RNSBase& q);
  void divide_by_last(RNSIter input, const NTTTables* tables, Division division) const;
  void check(ConstRNSIter input, bool has_destination, const MemoryPoolHandle& pool) const;
  void check_has_t(const char* operation) const;

  std::size_t coeff_count_ = 0;
  // Pointers like those of SEAL: what they point to can be read through a const tool.
  std::unique_ptr<RNSBase> base_q_;
  std::unique_ptr<RNSBase> base_B_;
  std::unique_ptr<RNSBase> base_Bsk_;
  std::unique_ptr<RNSBase> base_Bsk_m_tilde_;
  std::unique_ptr<RNSBase> base_t_gamma_;
  Pointer<NTTTables> base_Bsk_ntt_tables_;
  Pointer<MultiplyUIntModOperand> inv_q_last_mod_q_;
  Modulus m_tilde_;
  Modulus m_sk_;
  Modulus t_;
  Modulus gamma_;
  std::uint64_t inv_q_last_mod_t_ = 1;
  std::uint64_t q_last_mod_t_ = 1;
  std::unique_ptr<const Constants> constants_;
};

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
