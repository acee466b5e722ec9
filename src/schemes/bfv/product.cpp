// SPDX-License-Identifier: Apache-2.0
#include "schemes/bfv/product.hpp"

#include <mutex>
#include <optional>
#include <utility>

#include "ring/reinterpret.hpp"
#include "ringlet/backend.hpp"
#include "ringlet/basis_conversion.hpp"
#include "ringlet/rns_poly.hpp"
#include "schemes/polynomials.hpp"
#include "schemes/tensor.hpp"

namespace ringlet::bfv {

/// What products at one level precompute, when the first of them is computed.
struct Products::Level {
  void prepare(const Context& context, const ContextData& data);

  std::once_flag prepared;
  std::optional<BasisConversion> to_auxiliary;
  std::optional<BasisConversion> from_auxiliary;
  std::vector<std::uint64_t> t_mod_q;          // t modulo each prime of Q
  std::vector<std::uint64_t> t_mod_r;          // t modulo each prime of R
  std::vector<std::uint64_t> inverse_q_mod_r;  // 1/Q modulo each prime of R
};

void Products::Level::prepare(const Context& context, const ContextData& data) {
  std::call_once(prepared, [&] {
    const RnsBasis& basis = context.backend().basis();
    const std::uint64_t t = context.plain_modulus().value();
    to_auxiliary.emplace(basis, data.primes(), data.auxiliary_primes());
    from_auxiliary.emplace(basis, data.auxiliary_primes(), data.primes());
    for (const std::size_t i : data.primes()) t_mod_q.push_back(basis[i].reduce(t));
    for (std::size_t j = 0; j < data.auxiliary_primes().size(); ++j) {
      t_mod_r.push_back(basis[data.auxiliary_primes()[j]].reduce(t));
      inverse_q_mod_r.push_back(to_auxiliary->product_inverse(j));
    }
  });
}

/// Polynomials over Q and R in NTT form: an operand or a tensor product.
class Products::Tensor {
 public:
  Tensor(const Context& context, const ContextData& data, const Level& level, std::size_t size);

  /// Polynomial k = that of `a`, its centred representative.
  void load(const Ciphertext& a);
  void assign_product(const Tensor& a, const Tensor& b);
  void assign_square(const Tensor& a);
  /// result polynomial k = round(t/Q * polynomial k), which is overwritten.
  void scale_down(Ciphertext& result);

 private:
  std::vector<ConstNttView> views(const std::vector<NttPoly>& polys) const;
  std::vector<NttView> views_for_writing(std::vector<NttPoly>& polys) const;

  const Backend& backend_;
  const ContextData& data_;
  const Level& level_;
  std::vector<NttPoly> over_q_;
  std::vector<NttPoly> over_r_;
};

Products::Tensor::Tensor(const Context& context, const ContextData& data, const Level& level,
                         std::size_t size)
    : backend_(context.backend()), data_(data), level_(level) {
  for (std::size_t k = 0; k < size; ++k) {
    over_q_.emplace_back(data.prime_count(), data.degree(), Secrecy::open, Contents::unspecified);
    over_r_.emplace_back(data.auxiliary_primes().size(), data.degree(), Secrecy::open,
                         Contents::unspecified);
  }
}

void Products::Tensor::load(const Ciphertext& a) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    const ConstCoeffView polynomial = a.coeff_view(k, backend_);
    backend_.forward_ntt(over_q_[k].view_for_writing(backend_), polynomial, data_.primes());
    const NttView r = over_r_[k].view_for_writing(backend_);
    backend_.convert_basis(as_coefficients(r), polynomial, *level_.to_auxiliary);
    backend_.forward_ntt(r, as_coefficients(r), data_.auxiliary_primes());
  }
}

std::vector<ConstNttView> Products::Tensor::views(const std::vector<NttPoly>& polys) const {
  std::vector<ConstNttView> result;
  for (const NttPoly& poly : polys) result.push_back(poly.view(backend_));
  return result;
}

std::vector<NttView> Products::Tensor::views_for_writing(std::vector<NttPoly>& polys) const {
  std::vector<NttView> result;
  for (NttPoly& poly : polys) result.push_back(poly.view_for_writing(backend_));
  return result;
}

void Products::Tensor::assign_product(const Tensor& a, const Tensor& b) {
  schemes::tensor(backend_, data_.primes(), views(a.over_q_), views(b.over_q_),
                  views_for_writing(over_q_));
  schemes::tensor(backend_, data_.auxiliary_primes(), views(a.over_r_), views(b.over_r_),
                  views_for_writing(over_r_));
}

void Products::Tensor::assign_square(const Tensor& a) {
  schemes::tensor_square(backend_, data_.primes(), views(a.over_q_), views_for_writing(over_q_));
  schemes::tensor_square(backend_, data_.auxiliary_primes(), views(a.over_r_),
                         views_for_writing(over_r_));
}

void Products::Tensor::scale_down(Ciphertext& result) {
  const PrimeIndices q_primes = data_.primes();
  const PrimeIndices r_primes = data_.auxiliary_primes();
  CoeffPoly remainder(r_primes.size(), data_.degree(), Secrecy::open, Contents::unspecified);
  const CoeffView z = remainder.view_for_writing(backend_);
  for (std::size_t k = 0; k < over_q_.size(); ++k) {
    const CoeffView q = as_coefficients(over_q_[k].view_for_writing(backend_));
    const CoeffView r = as_coefficients(over_r_[k].view_for_writing(backend_));
    backend_.inverse_ntt(q, as_values(q), q_primes);
    backend_.inverse_ntt(r, as_values(r), r_primes);
    backend_.multiply_scalars(q, q, level_.t_mod_q, q_primes);
    backend_.convert_basis(z, q, *level_.to_auxiliary);
    backend_.multiply_scalars(r, r, level_.t_mod_r, r_primes);
    backend_.subtract(r, r, z, r_primes);
    backend_.multiply_scalars(r, r, level_.inverse_q_mod_r, r_primes);
    backend_.convert_basis(result.coeff_view_for_writing(k, backend_), r, *level_.from_auxiliary);
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
  constexpr const char* kOperation = "Evaluator::multiply";
  const std::size_t size = a.size() + b.size() - 1;
  schemes::check_product_size(size, kOperation);
  const ContextData& data = *context_.get_context_data(a.parms_id());
  const Level& tables = level(a);
  Tensor lifted_a(context_, data, tables, a.size());
  Tensor lifted_b(context_, data, tables, b.size());
  Tensor product(context_, data, tables, size);
  lifted_a.load(a);
  lifted_b.load(b);
  product.assign_product(lifted_a, lifted_b);
  Ciphertext result(data, size, Form::coefficient, Contents::unspecified);
  product.scale_down(result);
  schemes::check_not_transparent(context_, result, kOperation);
  destination = std::move(result);
}

void Products::square(const Ciphertext& a, Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::square";
  const std::size_t size = 2 * a.size() - 1;
  schemes::check_product_size(size, kOperation);
  const ContextData& data = *context_.get_context_data(a.parms_id());
  const Level& tables = level(a);
  Tensor lifted(context_, data, tables, a.size());
  Tensor product(context_, data, tables, size);
  lifted.load(a);
  product.assign_square(lifted);
  Ciphertext result(data, size, Form::coefficient, Contents::unspecified);
  product.scale_down(result);
  schemes::check_not_transparent(context_, result, kOperation);
  destination = std::move(result);
}

}  // namespace ringlet::bfv
