// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "ringlet/arith/modular.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/base/error.hpp"
#include "seal/util/rns.h"
#include "seal/util/uintarith.h"
#include "util/multiword.hpp"

namespace ringlet::seal4_util {
namespace {

using seal4::detail::Words;

void check_call(const char* operation, bool has_words, const MemoryPoolHandle& pool) {
  if (has_words && pool) return;
  throw_invalid_argument({.operation = operation,
                          .offending = has_words ? "a handle without a pool" : "null words",
                          .limit = "words and a pool",
                          .remedy = "pass MemoryManager::GetPool() and words of the right size"});
}

[[noreturn]] void refuse_base(const std::string& offending) {
  throw_invalid_argument({.operation = "RNSBase",
                          .offending = offending,
                          .limit = "at least one modulus, none 0, none with a factor of another",
                          .remedy = "pass different primes"});
}

[[noreturn]] void refuse_change(const char* operation, const Modulus& value, const char* limit) {
  throw_logic_error({.operation = operation,
                     .offending = "modulus " + std::to_string(value.value()),
                     .limit = limit,
                     .remedy = "compare with contains() and size() first"});
}

// Coefficients of one block of a conversion, so that its words stay in the cache.
constexpr std::size_t kBlock = 256;

}  // namespace

RNSBase::RNSBase(const std::vector<Modulus>& rnsbase) {
  if (rnsbase.empty()) refuse_base("no modulus");
  Data data{.base = rnsbase, .product = {}, .punctured = {}, .inverses = {}};
  for (const Modulus& q : rnsbase) {
    if (q.is_zero()) refuse_base("modulus 0");
  }
  data.product = seal4::detail::product_of(rnsbase);
  for (const Modulus& q : rnsbase) {
    const Words punctured = seal4::detail::quotient_of(data.product, q.value());
    std::uint64_t inverse = modulo_uint(punctured.data(), punctured.size(), q);
    if (!try_invert_uint_mod(inverse, q, inverse)) {
      refuse_base("modulus " + std::to_string(q.value()) + " with a factor of another");
    }
    data.punctured.insert(data.punctured.end(), punctured.begin(), punctured.end());
    data.inverses.emplace_back().set(inverse, q);
  }
  data_ = std::make_shared<const Data>(std::move(data));
}

RNSBase::RNSBase(const std::vector<Modulus>& rnsbase, MemoryPoolHandle pool) : RNSBase(rnsbase) {
  check_call("RNSBase", true, pool);
}

RNSBase::RNSBase(const RNSBase& copy, MemoryPoolHandle pool) : RNSBase(copy) {
  check_call("RNSBase", true, pool);
}

const Modulus& RNSBase::operator[](std::size_t index) const {
  if (index < size()) return data_->base[index];
  throw_out_of_range({.operation = "RNSBase::operator[]",
                      .offending = "index = " + std::to_string(index),
                      .limit = "below size() = " + std::to_string(size()),
                      .remedy = "pass an index of the base"});
}

bool RNSBase::contains(const Modulus& value) const noexcept {
  return std::find(data_->base.begin(), data_->base.end(), value) != data_->base.end();
}

bool RNSBase::is_subbase_of(const RNSBase& superbase) const noexcept {
  return std::all_of(data_->base.begin(), data_->base.end(),
                     [&](const Modulus& value) { return superbase.contains(value); });
}

RNSBase RNSBase::extend(const Modulus& value) const {
  if (value.is_zero()) refuse_base("modulus 0");
  for (const Modulus& q : data_->base) {
    if (!are_coprime(q.value(), value.value())) {
      refuse_change("RNSBase::extend", value, "no common factor with the base");
    }
  }
  std::vector<Modulus> base = data_->base;
  base.push_back(value);
  return RNSBase(base);
}

RNSBase RNSBase::extend(const RNSBase& other) const {
  std::vector<Modulus> base = data_->base;
  base.insert(base.end(), other.data_->base.begin(), other.data_->base.end());
  return RNSBase(base);
}

RNSBase RNSBase::drop() const { return drop(data_->base.back()); }

RNSBase RNSBase::drop(const Modulus& value) const {
  std::vector<Modulus> base = data_->base;
  const auto place = std::find(base.begin(), base.end(), value);
  if (base.size() == 1 || place == base.end()) {
    refuse_change("RNSBase::drop", value, "one of at least two moduli of the base");
  }
  base.erase(place);
  return RNSBase(base);
}

void RNSBase::decompose_array(std::uint64_t* value, std::size_t count,
                              MemoryPoolHandle pool) const {
  check_call("RNSBase::decompose", value != nullptr, pool);
  const SecretVector<std::uint64_t> integers(value, value + mul_safe(count, size()));
  for (const Modulus& q : data_->base) {
    for (std::size_t c = 0; c < count; ++c) {
      *value++ = modulo_uint(integers.data() + c * size(), size(), q);
    }
  }
}

// Each term y_i * Q/q_i is below Q, and so is the sum after one subtraction.
void RNSBase::compose_one(const std::uint64_t* residues, std::size_t stride,
                          std::uint64_t* result) const {
  const std::size_t k = size();
  const std::uint64_t* product = base_prod();
  std::fill_n(result, k, 0);
  for (std::size_t i = 0; i < k; ++i) {
    const std::uint64_t* punctured = punctured_prod_array() + i * k;
    const std::uint64_t y =
        multiply_uint_mod(residues[i * stride], data_->inverses[i], data_->base[i]);
    uint128_t carry = 0;
    uint128_t borrow = 0;
    for (std::size_t w = 0; w < k; ++w) {
      carry += static_cast<uint128_t>(y) * punctured[w] + result[w];
      result[w] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
      borrow = (static_cast<uint128_t>(result[w]) - product[w] - borrow) >> 127;
    }
    const std::uint64_t at_least = opaque(static_cast<std::uint64_t>(borrow) - 1);
    borrow = 0;
    for (std::size_t w = 0; w < k; ++w) {
      const uint128_t difference =
          static_cast<uint128_t>(result[w]) - (product[w] & at_least) - borrow;
      result[w] = static_cast<std::uint64_t>(difference);
      borrow = difference >> 127;
    }
  }
}

void RNSBase::compose_array(std::uint64_t* value, std::size_t count, MemoryPoolHandle pool) const {
  check_call("RNSBase::compose", value != nullptr, pool);
  const SecretVector<std::uint64_t> residues(value, value + mul_safe(count, size()));
  for (std::size_t c = 0; c < count; ++c) {
    compose_one(residues.data() + c, count, value + c * size());
  }
}

BaseConverter::BaseConverter(const RNSBase& ibase, const RNSBase& obase, MemoryPoolHandle pool)
    : ibase_(ibase, pool), obase_(obase, pool) {
  const std::size_t k = ibase_.size();
  for (std::size_t j = 0; j < obase_.size(); ++j) {
    for (std::size_t i = 0; i < k; ++i) {
      matrix_.push_back(modulo_uint(ibase_.punctured_prod_array() + i * k, k, obase_[j]));
    }
  }
}

void BaseConverter::fast_convert(const std::uint64_t* in, std::uint64_t* out,
                                 std::size_t count) const {
  const std::size_t k = ibase_.size();
  SecretVector<std::uint64_t> y(k * std::min(count, kBlock));
  for (std::size_t first = 0; first < count; first += kBlock) {
    const std::size_t block = std::min(count - first, kBlock);
    for (std::size_t i = 0; i < k; ++i) {
      const MultiplyUIntModOperand inverse = ibase_.inv_punctured_prod_mod_base_array()[i];
      for (std::size_t c = 0; c < block; ++c) {
        y[c * k + i] = multiply_uint_mod(in[i * count + first + c], inverse, ibase_.base()[i]);
      }
    }
    for (std::size_t j = 0; j < obase_.size(); ++j) {
      for (std::size_t c = 0; c < block; ++c) {
        out[j * count + first + c] =
            dot_product_mod(y.data() + c * k, matrix_.data() + j * k, k, obase_.base()[j]);
      }
    }
  }
}

void BaseConverter::fast_convert(ConstCoeffIter in, CoeffIter out, MemoryPoolHandle pool) const {
  check_call("BaseConverter::fast_convert", in && out, pool);
  fast_convert(in, out, 1);
}

void BaseConverter::fast_convert_array(ConstRNSIter in, RNSIter out, MemoryPoolHandle pool) const {
  check_call("BaseConverter::fast_convert_array", in && out, pool);
  if (in.poly_modulus_degree() != out.poly_modulus_degree()) {
    throw_invalid_argument({.operation = "BaseConverter::fast_convert_array",
                            .offending = "degrees " + std::to_string(in.poly_modulus_degree()) +
                                         " and " + std::to_string(out.poly_modulus_degree()),
                            .limit = "equal degrees",
                            .remedy = "pass polynomials of one degree"});
  }
  fast_convert(*in, *out, in.poly_modulus_degree());
}

void BaseConverter::exact_convert_array(ConstRNSIter in, CoeffIter out,
                                        MemoryPoolHandle pool) const {
  check_call("BaseConverter::exact_convert_array", in && out, pool);
  if (obase_.size() != 1) {
    throw_invalid_argument({.operation = "BaseConverter::exact_convert_array",
                            .offending = std::to_string(obase_.size()) + " moduli",
                            .limit = "one modulus",
                            .remedy = "make a converter for each modulus"});
  }
  const std::size_t k = ibase_.size(), count = in.poly_modulus_degree();
  const Modulus& p = obase_[0];
  const std::uint64_t product = modulo_uint(ibase_.base_prod(), k, p);
  const Words half = seal4::detail::upper_half(ibase_.data_->product);
  const SecretVector<std::uint64_t> residues(*in, *in + mul_safe(count, k));
  SecretVector<std::uint64_t> integer(k), difference(k);
  for (std::size_t c = 0; c < count; ++c) {
    ibase_.compose_one(residues.data() + c, count, integer.data());
    const std::uint64_t is_negative =
        opaque(std::uint64_t{sub_uint(integer.data(), half.data(), k, difference.data())} - 1);
    out[c] = sub_uint_mod(modulo_uint(integer.data(), k, p), product & is_negative, p);
  }
}

}  // namespace ringlet::seal4_util
