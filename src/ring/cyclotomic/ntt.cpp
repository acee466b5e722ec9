// SPDX-License-Identifier: Apache-2.0
#include "ring/cyclotomic/ntt.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "base/assert.hpp"
#include "ring/backend/scratch.hpp"
#include "ring/cyclotomic/index_arithmetic.hpp"
#include "ringlet/arith/modular.hpp"

namespace ringlet {
namespace {

// Returns an element of order m: x^((q-1)/m) for the first x that gives no smaller order.
std::uint64_t any_root(std::uint64_t m, const Modulus& q) {
  const std::vector<std::uint32_t> divisors = prime_divisors(m);
  for (std::uint64_t candidate = 2;; ++candidate) {
    const std::uint64_t root = pow_mod(candidate, (q.value() - 1) / m, q);
    if (std::ranges::all_of(divisors,
                            [&](std::uint64_t p) { return pow_mod(root, m / p, q) != 1; })) {
      return root;
    }
  }
}

// Returns the smallest primitive m-th root. All of them are the powers of one by units.
std::uint64_t smallest_root(const CyclotomicIndices& indices, const Modulus& q) {
  const std::uint64_t root = any_root(indices.ring.cyclotomic_index(), q);
  std::uint64_t smallest = root;
  std::uint64_t power = 1;
  std::uint32_t exponent = 0;
  for (const std::uint32_t unit : indices.units) {
    for (; exponent < unit; ++exponent) power = q.multiply(power, root);
    smallest = std::min(smallest, power);
  }
  return smallest;
}

/// Generates w^C(y, 2) for y = 0, 1, ...
class Chirp {
 public:
  Chirp(std::uint64_t root, const Modulus& q) : root_(root), q_(q) {}

  std::uint64_t next() {
    const std::uint64_t value = value_;
    value_ = q_.multiply(value_, power_);
    power_ = q_.multiply(power_, root_);
    return value;
  }

 private:
  std::uint64_t root_;
  Modulus q_;
  std::uint64_t value_ = 1;
  std::uint64_t power_ = 1;
};

// values[i] = values[i]^-1, with one inversion. No value is 0.
void invert_all(std::span<std::uint64_t> values, const Modulus& q) {
  std::vector<std::uint64_t> products(values.size());
  std::uint64_t product = 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    products[i] = product;
    product = q.multiply(product, values[i]);
  }
  std::uint64_t inverse = inverse_mod(product, q);
  for (std::size_t i = values.size(); i-- > 0;) {
    const std::uint64_t value = values[i];
    values[i] = q.multiply(inverse, products[i]);
    inverse = q.multiply(inverse, value);
  }
}

// The shortest block that is worth a call of a kernel.
constexpr std::size_t kMinBlock = 64;

// words[x] = words[x] - words[x + distance] for x ascending: times 1 - X^distance.
void subtract_shifted(const Eltwise& eltwise, std::span<std::uint64_t> words,
                      std::size_t distance) {
  const std::size_t count = words.size() - distance;
  const std::uint64_t q = eltwise.modulus().value();
  if (distance < kMinBlock) {
    for (std::size_t x = 0; x < count; ++x) words[x] = sub_mod(words[x], words[x + distance], q);
    return;
  }
  for (std::size_t x = 0; x < count; x += distance) {
    const std::size_t block = std::min(distance, count - x);
    const std::span<std::uint64_t> result = words.subspan(x, block);
    eltwise.subtract(result, result, words.subspan(x + distance, block));
  }
}

// words[x] = words[x] + words[x + distance] for x descending: divided by 1 - X^distance.
void add_shifted(const Eltwise& eltwise, std::span<std::uint64_t> words, std::size_t distance) {
  const std::size_t count = words.size() - distance;
  const std::uint64_t q = eltwise.modulus().value();
  if (distance < kMinBlock) {
    for (std::size_t x = count; x-- > 0;) words[x] = add_mod(words[x], words[x + distance], q);
    return;
  }
  for (std::size_t end = count; end > 0;) {
    const std::size_t block = std::min(distance, end);
    end -= block;
    const std::span<std::uint64_t> result = words.subspan(end, block);
    eltwise.add(result, result, words.subspan(end + distance, block));
  }
}

}  // namespace

CyclotomicIndices::CyclotomicIndices(const RingSpec& spec)
    : ring(spec), polynomial(spec.cyclotomic_index()) {
  const std::uint64_t m = ring.cyclotomic_index();
  units.reserve(ring.degree());
  for (std::uint64_t k = 1; k < m; ++k) {
    if (std::gcd(k, m) == 1) units.push_back(static_cast<std::uint32_t>(k));
  }
}

CyclotomicNtt::CyclotomicNtt(std::shared_ptr<const CyclotomicIndices> indices, const Modulus& q,
                             const KernelSelection& selection)
    : indices_(std::move(indices)),
      root_(smallest_root(*indices_, q)),
      convolution_(indices_->ring.transform_length(), q, selection),
      eltwise_(q, selection) {
  make_chirp();
  make_value_factors();
}

void CyclotomicNtt::make_chirp() {
  const Modulus& q = eltwise_.modulus();
  const std::size_t n = indices_->ring.degree();
  const std::size_t m = indices_->ring.cyclotomic_index();
  chirp_.assign(convolution_.degree(), 0);
  Chirp chirp(root_, q);
  for (std::size_t y = n + m - 1; y-- > 0;) chirp_[y] = chirp.next();
  convolution_.forward(chirp_);

  Chirp inverse(inverse_mod(root_, q), q);
  auto unit = indices_->units.begin();
  for (std::size_t k = 0; k < m; ++k) {
    const std::uint64_t value = inverse.next();
    if (k < n) before_.push_back(value);
    if (unit == indices_->units.end() || *unit != k) continue;
    after_.push_back(value);
    ++unit;
  }
  before_reversed_.assign(before_.rbegin(), before_.rend());
}

void CyclotomicNtt::make_value_factors() {
  const Modulus& q = eltwise_.modulus();
  const std::span<const std::int32_t> phi = indices_->polynomial.coefficients();
  before_inverse_.resize(after_.size());
  for (std::size_t i = 0; i < before_inverse_.size(); ++i) {
    const std::int64_t coefficient = phi[i + 1];
    const std::uint64_t size = q.reduce(static_cast<std::uint64_t>(std::abs(coefficient)));
    const std::uint64_t factor = q.multiply(size, q.reduce(i + 1));
    before_inverse_[i] = coefficient < 0 ? negate_mod(factor, q.value()) : factor;
  }
  forward(before_inverse_, before_inverse_);
  invert_all(before_inverse_, q);
  eltwise_.multiply(before_inverse_, before_inverse_, after_);
}

void CyclotomicNtt::correlate(Words words) const {
  convolution_.forward(words);
  eltwise_.multiply(words, words, chirp_);
  convolution_.inverse(words);
}

void CyclotomicNtt::forward(std::span<std::uint64_t> result, std::span<const std::uint64_t> operand,
                            int input_mod_factor) const {
  const std::size_t n = indices_->ring.degree();
  RINGLET_ASSERT(result.size() == n && operand.size() == n);
  const Scratch scratch(convolution_.degree());
  const Words words = scratch.words();
  eltwise_.multiply(words.first(n), operand, before_, input_mod_factor);
  std::ranges::fill(words.subspan(n), 0);
  correlate(words);
  const std::uint64_t* const last = &words[n + indices_->ring.cyclotomic_index() - 2];
  for (std::size_t i = 0; i < n; ++i) result[i] = *(last - indices_->units[i]);
  eltwise_.multiply(result, result, after_);
}

void CyclotomicNtt::inverse(std::span<std::uint64_t> result,
                            std::span<const std::uint64_t> operand) const {
  const std::size_t n = indices_->ring.degree();
  const std::size_t m = indices_->ring.cyclotomic_index();
  RINGLET_ASSERT(result.size() == n && operand.size() == n);
  const Scratch scratch(convolution_.degree());
  const Words words = scratch.words();
  eltwise_.multiply(result, operand, before_inverse_);
  std::ranges::fill(words, 0);
  for (std::size_t i = 0; i < n; ++i) words[indices_->units[i]] = result[i];
  correlate(words);
  eltwise_.multiply(result, words.subspan(m - 1, n), before_reversed_);
  multiply_by_polynomial(result);
}

void CyclotomicNtt::multiply_by_polynomial(Words words) const {
  for (const std::uint64_t d : indices_->polynomial.factors()) {
    if (d < words.size()) subtract_shifted(eltwise_, words, d);
  }
  for (const std::uint64_t d : indices_->polynomial.divisors()) {
    if (d < words.size()) add_shifted(eltwise_, words, d);
  }
}

}  // namespace ringlet
