// SPDX-License-Identifier: Apache-2.0
#include "schemes/bfv/product.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <utility>

#include "base/parallel.hpp"
#include "ring/backend/reinterpret.hpp"
#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/basis_conversion.hpp"
#include "ringlet/ring/rns_poly.hpp"
#include "rlwe/checks.hpp"
#include "schemes/evaluator/polynomials.hpp"
#include "schemes/evaluator/tensor.hpp"

namespace ringlet::bfv {

/// The constants of products at one level, which the first product computes.
struct Products::Level {
  void prepare(const Context& context, const ContextData& data);

  std::once_flag prepared;
  std::optional<BasisConversion> to_auxiliary;
  std::optional<RnsScaling> scaling;
};

void Products::Level::prepare(const Context& context, const ContextData& data) {
  std::call_once(prepared, [&] {
    const RnsBasis& basis = context.backend().basis();
    to_auxiliary.emplace(basis, data.primes(), data.auxiliary_primes());
    scaling.emplace(basis, data.primes(), data.auxiliary_primes(), context.plain_modulus().value());
  });
}

namespace {

constexpr std::size_t kMaxFactorSize = 2 * kMaxCiphertextSize;

/// Polynomials of one or two ciphertexts, all to be multiplied with each other: of a and of b, or
/// of a alone for its square.
struct Factors {
  std::size_t a_size = 0;
  std::size_t b_size = 0;  ///< 0 for a square.
  std::array<ConstCoeffView, kMaxFactorSize> polys = {};

  std::size_t size() const { return a_size + b_size; }
  std::size_t product_size() const { return (b_size == 0 ? 2 * a_size : a_size + b_size) - 1; }
};

/// product[k] = polynomial k of the tensor product of `factors`, in coefficient form, in every
/// limb. The host goes limb by limb: transforms, products and transforms back while the limb is in
/// the cache. A product may be the same polynomial as a factor.
class LimbProducts {
 public:
  LimbProducts(const Backend& backend, PrimeIndices primes) : backend_(backend), primes_(primes) {}

  void multiply(const Factors& factors, std::span<const CoeffView> product) const {
    if (backend_.memory() != nullptr) return multiply_limbs(0, primes_.size(), factors, product);
    parallel_for(primes_.size(), [&](std::size_t i) { multiply_limbs(i, 1, factors, product); });
  }

 private:
  void multiply_limbs(std::size_t first, std::size_t count, const Factors& factors,
                      std::span<const CoeffView> product) const {
    const PrimeIndices primes = primes_.subspan(first, count);
    NttPoly values(backend_, factors.size() * count, Secrecy::open, Contents::unspecified);
    const NttView words = values.view_for_writing(backend_);
    std::array<ConstNttView, kMaxFactorSize> operands;
    for (std::size_t k = 0; k < factors.size(); ++k) {
      const NttView operand = words.part(k * count, count);
      backend_.forward_ntt(operand, factors.polys[k].part(first, count), primes);
      operands[k] = operand;
    }
    std::array<NttView, kMaxFactorSize> results;
    for (std::size_t k = 0; k < product.size(); ++k) {
      results[k] = as_values(product[k].part(first, count));
    }
    const auto a = std::span(operands).first(factors.a_size);
    const auto b = std::span(operands).subspan(factors.a_size, factors.b_size);
    const auto result = std::span(results).first(product.size());
    if (b.empty()) {
      schemes::tensor_square(backend_, primes, a, result);
    } else {
      schemes::tensor(backend_, primes, a, b, result);
    }
    for (const NttView& poly : result) backend_.inverse_ntt(as_coefficients(poly), poly, primes);
  }

  const Backend& backend_;
  PrimeIndices primes_;
};

}  // namespace

// The product over R takes the memory of the factors over R, the one over Q that of the result.
void Products::multiply(const Level& level, const ContextData& data, const Ciphertext& a,
                        const Ciphertext* b, Ciphertext& result) const {
  const Backend& backend = context_.backend();
  const PrimeIndices r_primes = data.auxiliary_primes();
  Factors over_q{.a_size = a.size(), .b_size = b == nullptr ? 0 : b->size()};
  const std::size_t size = over_q.product_size();
  const std::size_t r_count = std::max(over_q.size(), size);
  CoeffPoly words_over_r(backend, r_count * r_primes.size(), Secrecy::open, Contents::unspecified);
  const CoeffView r_words = words_over_r.view_for_writing(backend);
  Factors over_r = over_q;
  std::array<CoeffView, kMaxFactorSize> product;
  for (std::size_t k = 0; k < r_count; ++k) {
    product[k] = r_words.part(k * r_primes.size(), r_primes.size());
    if (k >= over_q.size()) continue;
    over_q.polys[k] =
        k < a.size() ? a.coeff_view(k, backend) : b->coeff_view(k - a.size(), backend);
    backend.convert_basis(product[k], over_q.polys[k], *level.to_auxiliary);
    over_r.polys[k] = product[k];
  }
  const auto over_r_product = std::span(product).first(size);
  LimbProducts(backend, r_primes).multiply(over_r, over_r_product);
  std::array<CoeffView, kMaxFactorSize> result_polys;
  for (std::size_t k = 0; k < size; ++k)
    result_polys[k] = result.coeff_view_for_writing(k, backend);
  LimbProducts(backend, data.primes()).multiply(over_q, std::span(result_polys).first(size));
  for (std::size_t k = 0; k < size; ++k) {
    backend.scale_and_round(result_polys[k], result_polys[k], product[k], *level.scaling);
  }
}

Products::Products(const Context& context) : context_(context) {
  for (std::size_t i = 0; i < context.first_context_data()->prime_count(); ++i) {
    levels_.push_back(std::make_unique<Level>());
  }
}

Products::~Products() = default;

const Products::Level& Products::level(const Ciphertext& a) const {
  const ContextData& data = *context_.get_context_data(a.parms_id());
  Level& level = *levels_[data.prime_count() - 1];
  level.prepare(context_, data);
  return level;
}

void Products::multiply(const Ciphertext& a, const Ciphertext& b, Ciphertext& destination) const {
  const std::size_t size = a.size() + b.size() - 1;
  schemes::check_product_size(size);
  const ContextData& data = *context_.get_context_data(a.parms_id());
  Ciphertext result = destination.new_result(data, size, Form::coefficient);
  result.key_id() = rlwe::common_key(a.key_id(), b.key_id());
  multiply(level(a), data, a, &b, result);
  schemes::check_not_transparent(context_, result);
  destination = std::move(result);
}

void Products::square(const Ciphertext& a, Ciphertext& destination) const {
  const std::size_t size = 2 * a.size() - 1;
  schemes::check_product_size(size);
  const ContextData& data = *context_.get_context_data(a.parms_id());
  Ciphertext result = destination.new_result(data, size, Form::coefficient);
  result.key_id() = a.key_id();
  multiply(level(a), data, a, nullptr, result);
  schemes::check_not_transparent(context_, result);
  destination = std::move(result);
}

}  // namespace ringlet::bfv
