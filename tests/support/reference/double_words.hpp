// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cctype>
#include <gmp.h>

#include <flint/fmpz_mod_poly.h>

#include "kernels/select.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/kernels/kernel_selection.hpp"
#include "ringlet/ntt/wide.hpp"
#include "support/test.hpp"

// Double words for tests: values, and GMP and FLINT as oracles.

namespace ringlet::test {

/// Elements as pairs (low word, high word).
using DoubleWords = std::vector<DoubleWord>;

/// An integer of GMP that frees itself.
class Mpz {
 public:
  Mpz() { mpz_init(value_); }
  explicit Mpz(const DoubleWord& x) : Mpz() { set(x); }
  explicit Mpz(const WideModulus& q) : Mpz(DoubleWord{q.value()[0], q.value()[1]}) {}
  Mpz(const Mpz&) = delete;
  Mpz& operator=(const Mpz&) = delete;
  ~Mpz() { mpz_clear(value_); }

  void set(const DoubleWord& x) { mpz_import(value_, 2, -1, sizeof x[0], 0, 0, x.data()); }
  /// A value in [0, 2^128).
  DoubleWord words() const {
    DoubleWord x{};
    mpz_export(x.data(), nullptr, -1, sizeof x[0], 0, 0, value_);
    return x;
  }
  mpz_ptr get() { return value_; }
  mpz_srcptr get() const { return value_; }

 private:
  mpz_t value_;
};

/// The negacyclic or cyclic product of two polynomials by FLINT.
inline DoubleWords flint_product(const DoubleWords& a, const DoubleWords& b, const WideModulus& q,
                                 WideRing ring) {
  fmpz_t n;
  fmpz_init(n);
  const Mpz modulus(q);
  fmpz_set_mpz(n, modulus.get());
  fmpz_mod_ctx_t context;
  fmpz_mod_ctx_init(context, n);
  fmpz_mod_poly_t x;
  fmpz_mod_poly_t y;
  fmpz_mod_poly_init(x, context);
  fmpz_mod_poly_init(y, context);
  fmpz_t c;
  fmpz_init(c);
  const auto fill = [&](fmpz_mod_poly_t poly, const DoubleWords& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      fmpz_set_ui_array(c, reinterpret_cast<const mp_limb_t*>(values[i].data()), 2);
      fmpz_mod_poly_set_coeff_fmpz(poly, static_cast<slong>(i), c, context);
    }
  };
  fill(x, a);
  fill(y, b);
  fmpz_mod_poly_mul(x, x, y, context);
  DoubleWords result(a.size());
  fmpz_t other;
  fmpz_init(other);
  for (std::size_t i = 0; i < a.size(); ++i) {
    fmpz_mod_poly_get_coeff_fmpz(c, x, static_cast<slong>(i), context);
    fmpz_mod_poly_get_coeff_fmpz(other, x, static_cast<slong>(i + a.size()), context);
    (ring == WideRing::negacyclic ? fmpz_mod_sub : fmpz_mod_add)(c, c, other, context);
    fmpz_get_ui_array(reinterpret_cast<mp_limb_t*>(result[i].data()), 2, c);
  }
  fmpz_clear(other);
  fmpz_clear(c);
  fmpz_mod_poly_clear(x, context);
  fmpz_mod_poly_clear(y, context);
  fmpz_mod_ctx_clear(context);
  fmpz_clear(n);
  return result;
}

/// q - small.
inline DoubleWord less_than_modulus(const WideModulus& q, std::uint64_t small) {
  const WideInteger& v = q.value();
  return {v[0] - small, v[1] - (v[0] < small ? 1 : 0)};
}

/// 0, 1, q - 1 and values around carries between words and limbs of 28, 52 and 64 bits, where they
/// are below q.
inline DoubleWords edge_elements(const WideModulus& q) {
  DoubleWords values = {{0, 0}, {1, 0}, less_than_modulus(q, 1), less_than_modulus(q, 2)};
  for (const int bit : {28, 31, 52, 56, 63, 64, 84, 103, 104, 112, 123}) {
    const DoubleWord power = bit < 64 ? DoubleWord{std::uint64_t{1} << bit, 0}
                                      : DoubleWord{0, std::uint64_t{1} << (bit - 64)};
    const DoubleWord less = {power[0] - 1, power[1] - (power[0] == 0 ? 1 : 0)};
    values.insert(values.end(), {power, less});
  }
  values.push_back({~std::uint64_t{0}, 0});
  values.push_back({~std::uint64_t{0}, q.value()[1] / 2});
  values.push_back({0, q.value()[1]});
  std::erase_if(values, [&](const DoubleWord& x) {
    return std::pair(x[1], x[0]) >= std::pair(q.value()[1], q.value()[0]);
  });
  return values;
}

/// Uniform residues.
inline DoubleWords random_elements(std::size_t count, const WideModulus& q, std::mt19937_64& rng) {
  DoubleWords values(count);
  const int top = q.bit_count() - 64;
  const std::uint64_t low_mask =
      q.bit_count() >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << q.bit_count()) - 1;
  const std::uint64_t high_mask = top > 0 ? (std::uint64_t{1} << top) - 1 : 0;
  for (DoubleWord& x : values) {
    do {
      x = {rng() & low_mask, rng() & high_mask};
    } while (std::pair(x[1], x[0]) >= std::pair(q.value()[1], q.value()[0]));
  }
  return values;
}

/// Names ("table/algorithm") of the kernels of double words that this processor runs and that take
/// q: all, or those that the environment names.
inline std::vector<std::string> wide_kernel_names(const WideModulus& q) {
  const KernelSelection& forced = KernelSelection::from_environment();
  std::vector<std::string> names;
  for (const auto& chosen : kernels::wide_kernels(q.value().data())) {
    if (!forced.table().empty() && forced.table() != chosen.kernel->table) continue;
    if (!forced.algorithm().empty() && forced.algorithm() != chosen.kernel->algorithm) continue;
    names.push_back(chosen.name());
  }
  return names;
}

}  // namespace ringlet::test
