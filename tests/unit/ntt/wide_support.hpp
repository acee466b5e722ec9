// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/reference/double_words.hpp"

namespace ringlet::test {

/// An operation of WideEltwise with a result, and by GMP its value before reduction modulo q.
struct WideOperation {
  std::string name;
  bool has_second = true;
  std::function<void(const WideEltwise&, WideResult, WideOperand, WideOperand)> call;
  std::function<mpz_class(const mpz_class&, const mpz_class&)> reference;
};

inline const std::vector<WideOperation>& wide_operations() {
  static const DoubleWord kScalar = {0x0123456789abcdef, 0};
  static const std::vector<WideOperation> kList = {
      {"add", true, [](auto& e, auto r, auto a, auto b) { e.add(r, a, b); },
       [](auto& a, auto& b) { return a + b; }},
      {"subtract", true, [](auto& e, auto r, auto a, auto b) { e.subtract(r, a, b); },
       [](auto& a, auto& b) { return a - b; }},
      {"multiply", true, [](auto& e, auto r, auto a, auto b) { e.multiply(r, a, b); },
       [](auto& a, auto& b) { return a * b; }},
      {"multiply_scalar_add", true,
       [](auto& e, auto r, auto a, auto b) { e.multiply_scalar_add(r, kScalar, a, b); },
       [](auto& a, auto& b) -> mpz_class { return to_mpz(kScalar) * a + b; }},
      {"reduce", false, [](auto& e, auto r, auto a, auto) { e.reduce(r, a); },
       [](auto& a, auto&) { return a; }},
  };
  return kList;
}

}  // namespace ringlet::test
