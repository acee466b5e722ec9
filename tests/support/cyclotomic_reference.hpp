// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <flint/fmpz_poly.h>
#include <flint/nmod_poly.h>

#include "support/test.hpp"

namespace ringlet::test {

/// Z_q[X]/Phi_m by FLINT, for any q.
class FlintRing {
 public:
  using Values = std::vector<std::uint64_t>;

  FlintRing(std::uint64_t m, std::uint64_t q) : m_(m) {
    fmpz_poly_t phi;
    fmpz_poly_init(phi);
    fmpz_poly_cyclotomic(phi, m);
    nmod_poly_init(phi_, q);
    fmpz_poly_get_nmod_poly(phi_, phi);
    fmpz_poly_clear(phi);
  }
  ~FlintRing() { nmod_poly_clear(phi_); }
  FlintRing(const FlintRing&) = delete;
  FlintRing& operator=(const FlintRing&) = delete;

  std::size_t degree() const { return static_cast<std::size_t>(nmod_poly_degree(phi_)); }

  Values product(const Values& a, const Values& b) const {
    Poly x(a, phi_);
    const Poly y(b, phi_);
    nmod_poly_mulmod(x.poly, x.poly, y.poly, phi_);
    return x.coefficients(degree());
  }

  /// Any number of coefficients modulo Phi_m.
  Values remainder(const Values& a) const {
    Poly x(a, phi_);
    nmod_poly_rem(x.poly, x.poly, phi_);
    return x.coefficients(degree());
  }

  /// a(X^g).
  Values substitute(const Values& a, std::uint64_t g) const {
    Values image(m_, 0);
    for (std::size_t i = 0; i < a.size(); ++i) image[i * g % m_] = a[i];
    return remainder(image);
  }

  /// a(w^k) for the k below m that are coprime to m, ascending.
  Values evaluate_at_units(const Values& a, std::uint64_t w) const {
    Values points;
    std::uint64_t power = 1;
    for (std::uint64_t k = 1; k < m_; ++k) {
      power = nmod_mul(power, w, phi_->mod);
      if (std::gcd(k, m_) == 1) points.push_back(power);
    }
    const Poly x(a, phi_);
    Values values(points.size());
    nmod_poly_evaluate_nmod_vec_fast(values.data(), x.poly, points.data(),
                                     static_cast<slong>(points.size()));
    return values;
  }

 private:
  struct Poly {
    Poly(const Values& values, const nmod_poly_struct* like) {
      nmod_poly_init2(poly, like->mod.n, static_cast<slong>(values.size()));
      for (std::size_t i = values.size(); i-- > 0;) {
        nmod_poly_set_coeff_ui(poly, static_cast<slong>(i), values[i]);
      }
    }
    ~Poly() { nmod_poly_clear(poly); }
    Poly(const Poly&) = delete;
    Poly& operator=(const Poly&) = delete;

    Values coefficients(std::size_t count) const {
      Values values(count);
      for (std::size_t i = 0; i < count; ++i) {
        values[i] = nmod_poly_get_coeff_ui(poly, static_cast<slong>(i));
      }
      return values;
    }

    nmod_poly_t poly;
  };

  std::uint64_t m_;
  nmod_poly_t phi_;
};

}  // namespace ringlet::test
