// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "fv/products/costs.hpp"
#include "fv/products/integer.hpp"
#include "fv/products/product_length.hpp"
#include "fv/products/product_method.hpp"
#include "fv/products/reconstruction.hpp"
#include "kernels/select.hpp"
#include "ring/backend/scratch.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/kernels/eltwise.hpp"
#include "ringlet/ntt/ntt.hpp"

// Products by transforms modulo a few primes below 2^50, whose product exceeds twice the largest
// coefficient of the exact result. The reduction modulo Phi_m comes before the integers are
// reconstructed: it is linear, and three planes of words are smaller than the integers.

namespace ringlet::wide {
namespace {

constexpr int kMaxPrimeBits = 50;
/// Transforms of primes below 2^49 reduce less often.
constexpr int kPreferredPrimeBits = 49;

/// The transforms of p, prime by prime.
class TransformedPoly final : public PreparedWidePoly {
 public:
  TransformedPoly(const WideModulus& modulus, std::size_t length, std::size_t primes)
      : q(modulus), stride(length), words(length * primes) {}
  std::size_t bytes() const noexcept override { return words.size() * sizeof(std::uint64_t); }

  WideModulus q;
  std::size_t stride;
  AlignedVector<std::uint64_t> words;
};

/// The transforms of one prime.
struct PrimeTransforms {
  PrimeTransforms(const ProductLength& length, const Modulus& p, const KernelSelection& kernels)
      : modulus(p), first(length.first, p, kernels), eltwise(p, kernels) {
    if (length.second != 0) second.emplace(length.second, p, kernels);
  }

  Modulus modulus;
  Ntt first;
  std::optional<Ntt> second;
  Eltwise eltwise;
};

/// The sizes of a product.
struct NttShape {
  std::size_t degree;
  std::size_t count;  ///< Coefficients of a product before the reduction: 2n - 1.
  ProductLength length;
  std::uint64_t growth;  ///< Of coefficients by the reduction modulo Phi_m.
  std::vector<Modulus> primes;
};

class NttMethod final : public ProductMethod {
 public:
  NttMethod(const MethodRequest& request, NttShape shape)
      : shape_(std::move(shape)),
        q_(request.q),
        reduction_(request.reduction),
        kernel_(kernels::choose_residue(request.kernels)),
        reconstruction_(request.q, shape_.primes, shape_.growth, kernel_) {
    for (const Modulus& p : shape_.primes)
      transforms_.emplace_back(shape_.length, p, request.kernels);
  }

  std::shared_ptr<const PreparedWidePoly> prepare(const WidePoly& p) const override {
    auto prepared =
        std::make_shared<TransformedPoly>(q_, shape_.length.total(), transforms_.size());
    for (std::size_t l = 0; l < transforms_.size(); ++l) {
      const std::span<std::uint64_t> words = part(prepared->words.data(), l);
      residues_of(words.first(shape_.degree), p, transforms_[l].modulus);
      fold(words, transforms_[l].modulus.value());
      transform(words, transforms_[l]);
    }
    return prepared;
  }

  bool takes(const PreparedWidePoly& p) const noexcept override {
    const auto* transformed = dynamic_cast<const TransformedPoly*>(&p);
    return transformed != nullptr && transformed->q == q_ &&
           transformed->stride == shape_.length.total() &&
           transformed->words.size() == shape_.length.total() * transforms_.size();
  }

  void multiply_add(std::span<WidePoly> results, const PreparedWidePoly& p, SmallOperands u,
                    Summands e) const override {
    const auto& transformed = static_cast<const TransformedPoly&>(p);
    const Scratch scratch(scratch_words());
    std::uint64_t* const residues = scratch.words().data();
    const auto small =
        reinterpret_cast<std::int8_t*>(residues + shape_.length.total() * transforms_.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
      fold_small({small, shape_.length.total()}, u[i]);
      for (std::size_t l = 0; l < transforms_.size(); ++l) {
        multiply(part(residues, l), part(transformed.words.data(), l), small, transforms_[l]);
      }
      reconstruction_.run(results[i], residues, shape_.length.total(), e[i]);
    }
  }

  std::string kernel_name() const override {
    return concat("ntt/", table(), "/", shape_.length.to_string());
  }
  double estimated_microseconds() const override {
    return ntt_microseconds(table(), shape_.length, transforms_.size(),
                            {shape_.degree, reduction_.operation_count()});
  }
  std::size_t table_bytes() const noexcept override {
    std::size_t bytes = sizeof(*this);
    for (const PrimeTransforms& transforms : transforms_) {
      bytes += transforms.first.table_bytes() +
               (transforms.second ? transforms.second->table_bytes() : 0);
    }
    return bytes;
  }
  std::size_t scratch_bytes(std::size_t) const noexcept override {
    return scratch_words() * sizeof(std::uint64_t);
  }

 private:
  /// Returns the kernel table of the longer transforms.
  std::string table() const {
    const std::string& name = transforms_.front().first.kernel_name();
    return name.substr(0, name.find('/'));
  }

  /// Returns the words for residues of all primes, and for a byte per coefficient.
  std::size_t scratch_words() const {
    return shape_.length.total() * transforms_.size() +
           shape_.length.total() / sizeof(std::uint64_t);
  }

  /// Returns the part of prime l.
  template <typename Word>
  std::span<Word> part(Word* words, std::size_t l) const {
    return {words + l * shape_.length.total(), shape_.length.total()};
  }

  /// Writes p modulo a prime, centred: coefficients above q/2 stand for negative ones, so that the
  /// exact product has one bit less.
  void residues_of(std::span<std::uint64_t> result, const WidePoly& p, const Modulus& prime) const {
    const WideInteger half = divide(LongInteger(q_.value()), LongInteger(2)).quotient.low();
    const std::uint64_t q_residue = modulo(LongInteger(q_.value()), prime.value());
    const std::uint64_t radix = modulo(LongInteger::power_of_two(64), prime.value());
    for (std::size_t i = 0; i < result.size(); ++i) {
      const WideInteger value = p[i];
      std::uint64_t residue = 0;
      for (std::size_t w = kWideWords; w-- > 0;) {
        residue = add_mod(prime.multiply(residue, radix), prime.reduce(value[w]), prime.value());
      }
      WideInteger difference;
      const std::uint64_t is_high = opaque(0 - kernels::subtract_words(difference, half, value));
      result[i] = sub_mod(residue, q_residue & is_high, prime.value());
    }
  }

  /// Writes the remainder of the first n coefficients modulo X^B + 1 to the second part, and zeros
  /// after the coefficients to the first part. All are residues.
  void fold(std::span<std::uint64_t> words, std::uint64_t p) const {
    const auto [first, second] = shape_.length;
    std::fill(words.begin() + static_cast<std::ptrdiff_t>(shape_.degree),
              words.begin() + static_cast<std::ptrdiff_t>(first), 0);
    if (second == 0) return;
    const std::span<std::uint64_t> folded = words.subspan(first);
    std::copy_n(words.begin(), second, folded.begin());
    for (std::size_t j = second; j < shape_.degree; ++j) {
      std::uint64_t& sum = folded[j % second];
      sum = (j / second) % 2 == 0 ? add_mod(sum, words[j], p) : sub_mod(sum, words[j], p);
    }
  }

  void transform(std::span<std::uint64_t> words, const PrimeTransforms& transforms) const {
    const auto [first, second] = shape_.length;
    transforms.first.forward(words.first(first));
    if (second != 0) transforms.second->forward(words.subspan(first));
  }

  /// Writes u and zeros modulo X^A + 1, and after it u modulo X^B + 1: at most A/B <= 64
  /// coefficients are added up, which fits a byte.
  void fold_small(std::span<std::int8_t> result, std::span<const std::int8_t> u) const {
    const auto [first, second] = shape_.length;
    std::copy(u.begin(), u.end(), result.begin());
    std::fill(result.begin() + static_cast<std::ptrdiff_t>(u.size()), result.end(), 0);
    std::int8_t* const folded = result.data() + first;
    bool negative = false;
    for (std::size_t block = 0; second != 0 && block < u.size(); block += second) {
      const std::size_t size = std::min(second, u.size() - block);
      const std::int8_t sign = negative ? -1 : 1;
      for (std::size_t j = 0; j < size; ++j) {
        folded[j] = static_cast<std::int8_t>(folded[j] + sign * result[block + j]);
      }
      negative = !negative;
    }
  }

  /// Writes p * u modulo Phi_m and one prime to the first n words, as grown signed integers.
  void multiply(std::span<std::uint64_t> words, std::span<const std::uint64_t> p,
                const std::int8_t* small, const PrimeTransforms& transforms) const {
    const auto [first, second] = shape_.length;
    kernel_.counter.count();
    kernel_.kernel->spread(words.data(), small, words.size(), transforms.modulus.value());
    transform(words, transforms);
    transforms.eltwise.multiply(words, words, p);
    transforms.first.inverse(words.first(first));
    if (second != 0) {
      transforms.second->inverse(words.subspan(first));
      kernel_.kernel->join({words.data(), first, second,
                            shape_.count - std::min(shape_.count, first),
                            transforms.modulus.value()});
    }
    reduction_.reduce_words(words.first(shape_.count));
  }

  NttShape shape_;
  WideModulus q_;
  CyclotomicReduction reduction_;
  kernels::Chosen<kernels::ResidueKernel> kernel_;
  Reconstruction reconstruction_;
  std::vector<PrimeTransforms> transforms_;
};

LongInteger product_of(std::span<const Modulus> primes) {
  LongInteger product(1);
  for (const Modulus& p : primes) product = product * p.value();
  return product;
}

/// Returns as few primes as hold every integer from -bound to bound, of 49 bits if these suffice;
/// none if four do not.
std::vector<Modulus> choose_primes(const LongInteger& bound, std::size_t degree) {
  const LongInteger range = bound + bound + LongInteger(1);
  for (std::size_t count = 1; count <= kernels::kMaxResiduePrimes; ++count) {
    for (const int bits : {kPreferredPrimeBits, kMaxPrimeBits}) {
      // Sums of digits times weights would leave their limbs.
      if (count == kernels::kMaxResiduePrimes && bits == kMaxPrimeBits) break;
      if (static_cast<int>(count) * bits + 1 < range.bit_count()) continue;
      auto primes = generate_ntt_primes(bits, degree, count);
      if (range < product_of(primes)) return primes;
    }
  }
  return {};
}

NttShape choose_ntt_shape(const MethodRequest& request) {
  const std::size_t degree = request.polynomial.degree();
  const std::size_t count = 2 * degree - 1;
  NttShape shape{
      degree, count, product_length(count), reduction_growth(request.polynomial, count), {}};
  constexpr std::uint64_t kMaxGrowth = std::uint64_t{1} << 12;
  if (shape.growth <= kMaxGrowth) {
    const LongInteger half = divide(LongInteger(request.q.value()), LongInteger(2)).quotient;
    shape.primes =
        choose_primes((half + LongInteger(1)) * degree * shape.growth, shape.length.first);
  }
  if (shape.primes.empty()) {
    refuse_growth(request, shape.growth, concat("growth up to ", kMaxGrowth));
  }
  return shape;
}

}  // namespace

std::unique_ptr<const ProductMethod> make_ntt_method(const MethodRequest& request) {
  return std::make_unique<NttMethod>(request, choose_ntt_shape(request));
}

}  // namespace ringlet::wide
