// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "ringlet/arith/modular.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/base/error.hpp"
#include "seal/util/numth.h"
#include "seal/util/rns.h"
#include "seal/util/uintcore.h"

namespace ringlet::seal4_util {
namespace {

[[noreturn]] void refuse_tool(const std::string& offending, const char* limit) {
  throw_invalid_argument({.operation = "RNSTool",
                          .offending = offending,
                          .limit = limit,
                          .remedy = "take the arguments from valid parameters"});
}

/// Returns 1/value modulo `modulus`.
std::uint64_t inverse_of(std::uint64_t value, const Modulus& modulus) {
  std::uint64_t inverse = 0;
  if (try_invert_uint_mod(value, modulus, inverse)) return inverse;
  throw_logic_error({.operation = "RNSTool",
                     .offending = "a common factor with " + std::to_string(modulus.value()),
                     .limit = "odd primes of at most 60 bits, none of them in t",
                     .remedy = "take the moduli from valid parameters"});
}

MultiplyUIntModOperand operand_of(std::uint64_t value, const Modulus& modulus) {
  MultiplyUIntModOperand operand;
  operand.set(value, modulus);
  return operand;
}

std::uint64_t product_modulo(const RNSBase& base, const Modulus& modulus) {
  return modulo_uint(base.base_prod(), base.size(), modulus);
}

/// Returns all ones if value >= bound, else 0, for numbers below 2^63.
std::uint64_t mask_at_least(std::uint64_t value, std::uint64_t bound) {
  return opaque(((value - bound) >> 63) - 1);
}

}  // namespace

struct RNSTool::Constants {
  BaseConverter q_to_Bsk;
  BaseConverter q_to_Bsk_m_tilde;
  BaseConverter B_to_q;
  BaseConverter B_to_m_sk;
  std::unique_ptr<const BaseConverter> q_to_t;  ///< Null if t is 0.
  std::uint64_t inv_Q_mod_t = 0;
  MultiplyUIntModOperand neg_inv_Q_mod_m_tilde = {};
  MultiplyUIntModOperand inv_B_mod_m_sk = {};
  std::vector<MultiplyUIntModOperand> inv_Q_mod_Bsk = {};
};

RNSTool::RNSTool(std::size_t poly_modulus_degree, const RNSBase& coeff_modulus,
                 const Modulus& plain_modulus, MemoryPoolHandle pool)
    : coeff_count_(poly_modulus_degree), m_tilde_(std::uint64_t{1} << 32), t_(plain_modulus) {
  const int power = get_power_of_two(poly_modulus_degree);
  if (!pool) refuse_tool("a handle without a pool", "a pool");
  if (power < get_power_of_two(SEAL_POLY_MOD_DEGREE_MIN) ||
      power > get_power_of_two(SEAL_POLY_MOD_DEGREE_MAX)) {
    refuse_tool("degree " + std::to_string(poly_modulus_degree), "powers of two in [2, 131072]");
  }
  if (coeff_modulus.size() > SEAL_COEFF_MOD_COUNT_MAX) {
    refuse_tool(std::to_string(coeff_modulus.size()) + " moduli", "at most 256");
  }
  choose_bases(coeff_modulus);
  const RNSBase &q = *base_q_, &bsk = *base_Bsk_;
  CreateNTTTables(power, {bsk.base(), bsk.base() + bsk.size()}, base_Bsk_ntt_tables_, pool);
  auto constants = std::unique_ptr<Constants>(new Constants{
      {q, bsk, pool},
      {q, *base_Bsk_m_tilde_, pool},
      {*base_B_, q, pool},
      {*base_B_, RNSBase({m_sk_}, pool), pool},
      t_.is_zero() ? nullptr : std::make_unique<BaseConverter>(q, RNSBase({t_}, pool), pool)});
  constants->neg_inv_Q_mod_m_tilde = operand_of(
      negate_uint_mod(inverse_of(product_modulo(q, m_tilde_), m_tilde_), m_tilde_), m_tilde_);
  constants->inv_B_mod_m_sk = operand_of(inverse_of(product_modulo(*base_B_, m_sk_), m_sk_), m_sk_);
  for (std::size_t i = 0; i < bsk.size(); ++i) {
    constants->inv_Q_mod_Bsk.push_back(
        operand_of(inverse_of(product_modulo(q, bsk[i]), bsk[i]), bsk[i]));
  }

  const std::uint64_t last = q[q.size() - 1].value();
  inv_q_last_mod_q_ = allocate<MultiplyUIntModOperand>(q.size() - 1, pool);
  for (std::size_t i = 0; i + 1 < q.size(); ++i) {
    inv_q_last_mod_q_[i] = operand_of(inverse_of(last, q[i]), q[i]);
  }
  if (!t_.is_zero()) {
    inv_q_last_mod_t_ = inverse_of(last, t_);
    q_last_mod_t_ = barrett_reduce_64(last, t_);
    constants->inv_Q_mod_t = inverse_of(product_modulo(q, t_), t_);
  }
  constants_ = std::move(constants);
}

RNSTool::~RNSTool() = default;

void RNSTool::choose_bases(const RNSBase& q) {
  const MemoryPoolHandle pool = seal4::MemoryManager::GetPool();
  const int size = static_cast<int>(q.size());
  const int bits = get_significant_bit_count_uint(q.base_prod(), q.size());
  const bool needs_more = 32 + t_.bit_count() + bits >= SEAL_INTERNAL_MOD_BIT_COUNT * (size + 1);
  const std::size_t b_size = q.size() + (needs_more ? 1 : 0);
  const std::vector<Modulus> primes =
      get_primes(2 * coeff_count_, SEAL_INTERNAL_MOD_BIT_COUNT, b_size + 2);
  m_sk_ = primes[0];
  gamma_ = primes[1];
  base_q_ = std::make_unique<RNSBase>(q);
  base_B_ = std::make_unique<RNSBase>(std::vector<Modulus>(primes.begin() + 2, primes.end()), pool);
  base_Bsk_ = std::make_unique<RNSBase>(base_B_->extend(m_sk_));
  base_Bsk_m_tilde_ = std::make_unique<RNSBase>(base_Bsk_->extend(m_tilde_));
  if (t_.is_zero()) return;
  base_t_gamma_ = std::make_unique<RNSBase>(RNSBase({t_}, pool).extend(gamma_));
}

void RNSTool::check(ConstRNSIter input, bool has_destination, const MemoryPoolHandle& pool) const {
  if (!input || !has_destination || !pool) {
    refuse_tool("null words or a handle without a pool", "words and a pool");
  }
  if (input.poly_modulus_degree() != coeff_count_) {
    refuse_tool("a polynomial of degree " + std::to_string(input.poly_modulus_degree()),
                "polynomials of the degree of the tool");
  }
}

void RNSTool::check_has_t(const char* operation) const {
  if (!t_.is_zero()) return;
  throw_logic_error({.operation = operation,
                     .offending = "plain_modulus = 0",
                     .limit = "a plaintext modulus",
                     .remedy = "use the tool of parameters of BFV or BGV"});
}

void RNSTool::divide_by_last(RNSIter input, const NTTTables* tables, Division division) const {
  const RNSBase& q = *base_q_;
  const std::size_t k = q.size();
  const Modulus& last_modulus = q[k - 1];
  CoeffIter last = input[k - 1];
  if (tables != nullptr) inverse_ntt_negacyclic_harvey(last, tables[k - 1]);

  // What is subtracted from x, to make it a multiple of the last prime p: r - offset + factor * p.
  // Rounding: r = (x + p/2) mod p. Multiple of t: r = x mod p.
  const bool rounds = division == Division::rounding;
  const std::uint64_t offset = rounds ? last_modulus.value() / 2 : 0;
  SecretVector<std::uint64_t> factors(coeff_count_), temp(coeff_count_);
  for (std::size_t c = 0; c < coeff_count_; ++c) {
    if (rounds) {
      last[c] = add_uint_mod(last[c], offset, last_modulus);
    } else {
      factors[c] = negate_uint_mod(multiply_uint_mod(last[c], inv_q_last_mod_t_, t_), t_);
    }
  }
  for (std::size_t i = 0; i + 1 < k; ++i) {
    const Modulus& modulus = q[i];
    const MultiplyUIntModOperand p =
        operand_of(barrett_reduce_64(last_modulus.value(), modulus), modulus);
    const std::uint64_t reduced_offset = barrett_reduce_64(offset, modulus);
    for (std::size_t c = 0; c < coeff_count_; ++c) {
      temp[c] = sub_uint_mod(multiply_add_uint_mod(factors[c], p, last[c], modulus), reduced_offset,
                             modulus);
    }
    if (tables != nullptr) ntt_negacyclic_harvey(temp.data(), tables[i]);
    CoeffIter residues = input[i];
    for (std::size_t c = 0; c < coeff_count_; ++c) {
      residues[c] = multiply_uint_mod(sub_uint_mod(residues[c], temp[c], modulus),
                                      inv_q_last_mod_q_[i], modulus);
    }
  }
}

void RNSTool::divide_and_round_q_last_inplace(RNSIter input, MemoryPoolHandle pool) const {
  check(input, true, pool);
  divide_by_last(input, nullptr, Division::rounding);
}

void RNSTool::divide_and_round_q_last_ntt_inplace(RNSIter input, ConstNTTTablesIter rns_ntt_tables,
                                                  MemoryPoolHandle pool) const {
  check(input, static_cast<bool>(rns_ntt_tables), pool);
  divide_by_last(input, rns_ntt_tables, Division::rounding);
}

void RNSTool::mod_t_and_divide_q_last_inplace(RNSIter input, MemoryPoolHandle pool) const {
  check(input, true, pool);
  check_has_t("RNSTool::mod_t_and_divide_q_last_inplace");
  divide_by_last(input, nullptr, Division::multiple_of_t);
}

void RNSTool::mod_t_and_divide_q_last_ntt_inplace(RNSIter input, ConstNTTTablesIter rns_ntt_tables,
                                                  MemoryPoolHandle pool) const {
  check(input, static_cast<bool>(rns_ntt_tables), pool);
  check_has_t("RNSTool::mod_t_and_divide_q_last_ntt_inplace");
  divide_by_last(input, rns_ntt_tables, Division::multiple_of_t);
}

void RNSTool::fastbconv_m_tilde(ConstRNSIter input, RNSIter destination,
                                MemoryPoolHandle pool) const {
  check(input, static_cast<bool>(destination), pool);
  const RNSBase& q = *base_q_;
  SecretVector<std::uint64_t> multiple(q.size() * coeff_count_);
  RNSIter out(multiple.data(), coeff_count_);
  for (std::size_t i = 0; i < q.size(); ++i) {
    for (std::size_t c = 0; c < coeff_count_; ++c) {
      out[i][c] = multiply_uint_mod(input[i][c], m_tilde_.value(), q[i]);
    }
  }
  constants_->q_to_Bsk_m_tilde.fast_convert_array(out, destination, pool);
}

void RNSTool::sm_mrq(ConstRNSIter input, RNSIter destination, MemoryPoolHandle pool) const {
  check(input, static_cast<bool>(destination), pool);
  check(destination, true, pool);
  const RNSBase& bsk = *base_Bsk_;
  const std::uint64_t m_tilde = m_tilde_.value();
  SecretVector<std::uint64_t> factors(coeff_count_);
  ConstCoeffIter last = input[bsk.size()];
  for (std::size_t c = 0; c < coeff_count_; ++c) {
    factors[c] = multiply_uint_mod(last[c], constants_->neg_inv_Q_mod_m_tilde, m_tilde_);
  }
  for (std::size_t i = 0; i < bsk.size(); ++i) {
    const Modulus& modulus = bsk[i];
    const MultiplyUIntModOperand q = operand_of(product_modulo(*base_q_, modulus), modulus);
    const MultiplyUIntModOperand inverse = operand_of(inverse_of(m_tilde, modulus), modulus);
    for (std::size_t c = 0; c < coeff_count_; ++c) {
      const std::uint64_t r =
          factors[c] + ((modulus.value() - m_tilde) & mask_at_least(factors[c], m_tilde / 2));
      destination[i][c] =
          multiply_uint_mod(multiply_add_uint_mod(r, q, input[i][c], modulus), inverse, modulus);
    }
  }
}

void RNSTool::fast_floor(ConstRNSIter input, RNSIter destination, MemoryPoolHandle pool) const {
  check(input, static_cast<bool>(destination), pool);
  constants_->q_to_Bsk.fast_convert_array(input, destination, pool);
  const RNSBase& bsk = *base_Bsk_;
  for (std::size_t i = 0; i < bsk.size(); ++i) {
    ConstCoeffIter x = input[base_q_->size() + i];
    CoeffIter z = destination[i];
    for (std::size_t c = 0; c < coeff_count_; ++c) {
      z[c] =
          multiply_uint_mod(sub_uint_mod(x[c], z[c], bsk[i]), constants_->inv_Q_mod_Bsk[i], bsk[i]);
    }
  }
}

void RNSTool::fastbconv_sk(ConstRNSIter input, RNSIter destination, MemoryPoolHandle pool) const {
  check(input, static_cast<bool>(destination), pool);
  check(destination, true, pool);
  // The fast conversion from B gives x + u*B for a small u, of either sign, which m_sk reveals.
  SecretVector<std::uint64_t> counts(coeff_count_);
  ConstCoeffIter last = input[base_B_->size()];
  constants_->B_to_m_sk.fast_convert_array(input, RNSIter(counts.data(), coeff_count_), pool);
  for (std::size_t c = 0; c < coeff_count_; ++c) {
    counts[c] = multiply_uint_mod(sub_uint_mod(counts[c], last[c], m_sk_),
                                  constants_->inv_B_mod_m_sk, m_sk_);
  }
  constants_->B_to_q.fast_convert_array(input, destination, pool);
  for (std::size_t i = 0; i < base_q_->size(); ++i) {
    const Modulus& modulus = (*base_q_)[i];
    const std::uint64_t m_sk = barrett_reduce_64(m_sk_.value(), modulus);
    const MultiplyUIntModOperand b = operand_of(product_modulo(*base_B_, modulus), modulus);
    CoeffIter result = destination[i];
    for (std::size_t c = 0; c < coeff_count_; ++c) {
      const std::uint64_t is_negative = mask_at_least(counts[c], m_sk_.value() / 2 + 1);
      const std::uint64_t u =
          sub_uint_mod(barrett_reduce_64(counts[c], modulus), m_sk & is_negative, modulus);
      result[c] = sub_uint_mod(result[c], multiply_uint_mod(u, b, modulus), modulus);
    }
  }
}

// With z = t*x mod Q in [-Q/2, Q/2), t*x/Q rounded to nearest is (t*x - z)/Q, and t*x is 0 modulo
// t.
void RNSTool::decrypt_scale_and_round(ConstRNSIter phase, CoeffIter destination,
                                      MemoryPoolHandle pool) const {
  check(phase, static_cast<bool>(destination), pool);
  check_has_t("RNSTool::decrypt_scale_and_round");
  const RNSBase& q = *base_q_;
  SecretVector<std::uint64_t> multiple(q.size() * coeff_count_);
  RNSIter out(multiple.data(), coeff_count_);
  for (std::size_t i = 0; i < q.size(); ++i) {
    for (std::size_t c = 0; c < coeff_count_; ++c) {
      out[i][c] = multiply_uint_mod(phase[i][c], t_.value(), q[i]);
    }
  }
  constants_->q_to_t->exact_convert_array(out, destination, pool);
  for (std::size_t c = 0; c < coeff_count_; ++c) {
    destination[c] =
        negate_uint_mod(multiply_uint_mod(destination[c], constants_->inv_Q_mod_t, t_), t_);
  }
}

void RNSTool::decrypt_modt(RNSIter phase, CoeffIter destination, MemoryPoolHandle pool) const {
  check(phase, static_cast<bool>(destination), pool);
  check_has_t("RNSTool::decrypt_modt");
  constants_->q_to_t->exact_convert_array(phase, destination, pool);
}

}  // namespace ringlet::seal4_util
