// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <memory>
#include <string>

#include "base/text.hpp"
#include "fv/products/costs.hpp"
#include "fv/products/finish.hpp"
#include "fv/products/integer.hpp"
#include "fv/products/product_method.hpp"
#include "kernels/select.hpp"
#include "ring/backend/scratch.hpp"

// Products by additions alone: every coefficient of the small polynomial adds the wide one, or its
// negative, or zero, at its place. Limbs are so short that no carry leaves a lane before the end.

namespace ringlet::wide {
namespace {

/// The limbs of p, each plane between so many zeros that no index needs a check.
class AddedPoly final : public PreparedWidePoly {
 public:
  AddedPoly(const WideModulus& modulus, std::size_t plane, std::size_t count)
      : q(modulus), plane_words(plane), words(plane * count) {}
  std::size_t bytes() const noexcept override { return words.size() * sizeof(std::uint64_t); }

  WideModulus q;
  std::size_t plane_words;
  SecretVector<std::uint64_t> words;
};

class AdditionsMethod final : public ProductMethod {
 public:
  AdditionsMethod(const MethodRequest& request, const LimbShape& shape)
      : degree_(request.polynomial.degree()),
        sums_(2 * degree_ - 1),
        padded_sums_((sums_ + kernels::kShiftPadding - 1) / kernels::kShiftPadding *
                     kernels::kShiftPadding),
        q_(request.q),
        shape_(shape),
        finish_(request.q, shape, request.kernels),
        reduction_(request.reduction),
        kernel_(kernels::choose_residue(request.kernels)) {}

  std::shared_ptr<const PreparedWidePoly> prepare(const WidePoly& p) const override {
    auto prepared = std::make_shared<AddedPoly>(q_, degree_ - 1 + padded_sums_, shape_.limb_count);
    for (std::size_t i = 0; i < degree_; ++i) {
      const LongInteger value(p[i]);
      for (std::size_t k = 0; k < shape_.limb_count; ++k) {
        prepared->words[k * prepared->plane_words + degree_ - 1 + i] =
            value.bits(shape_.limb_bits * static_cast<int>(k), shape_.limb_bits);
      }
    }
    return prepared;
  }

  bool takes(const PreparedWidePoly& p) const noexcept override {
    const auto* added = dynamic_cast<const AddedPoly*>(&p);
    return added != nullptr && added->q == q_ && added->plane_words == degree_ - 1 + padded_sums_ &&
           added->words.size() == added->plane_words * shape_.limb_count;
  }

  void multiply_add(std::span<WidePoly> results, const PreparedWidePoly& p, SmallOperands u,
                    Summands e) const override {
    const auto& added = static_cast<const AddedPoly&>(p);
    const Scratch scratch(scratch_words());
    for (std::size_t i = 0; i < results.size(); ++i) {
      multiply(scratch.words(), added, u[i]);
      finish_.run(results[i], scratch.words(), padded_sums_, e[i]);
    }
  }

  std::string kernel_name() const override {
    return concat("additions/", kernel_.kernel->table, "/", degree_);
  }
  double estimated_microseconds() const override {
    return additions_microseconds(kernel_.kernel->table, shape_.limb_count,
                                  {degree_, reduction_.operation_count()});
  }
  std::size_t table_bytes() const noexcept override { return sizeof(*this); }
  std::size_t scratch_bytes(std::size_t) const noexcept override {
    return scratch_words() * sizeof(std::uint64_t);
  }

 private:
  std::size_t scratch_words() const { return shape_.limb_count * padded_sums_ + 2 * degree_; }

  /// Writes the planes of p * u modulo Phi_m to the start of `words`.
  void multiply(std::span<std::uint64_t> words, const AddedPoly& p,
                std::span<const std::int8_t> u) const {
    std::uint64_t* const used = words.data() + shape_.limb_count * padded_sums_;
    std::uint64_t* const negative = used + degree_;
    for (std::size_t j = 0; j < degree_; ++j) {
      const auto value = static_cast<std::uint64_t>(static_cast<std::int64_t>(u[j]));
      used[j] = 0 - (value & 1);
      negative[j] = 0 - (value >> 63);
    }
    for (std::size_t k = 0; k < shape_.limb_count; ++k) {
      std::uint64_t* const sums = words.data() + k * padded_sums_;
      const std::uint64_t* const limbs = p.words.data() + k * p.plane_words + degree_ - 1;
      kernel_.counter.count();
      kernel_.kernel->add_shifts({.sums = sums,
                                  .p = limbs,
                                  .used = used,
                                  .negative = negative,
                                  .degree = degree_,
                                  .count = padded_sums_});
      reduction_.reduce_words({sums, sums_});
    }
  }

  std::size_t degree_;
  std::size_t sums_;
  std::size_t padded_sums_;
  WideModulus q_;
  LimbShape shape_;
  Finish finish_;
  CyclotomicReduction reduction_;
  kernels::Chosen<kernels::ResidueKernel> kernel_;
};

/// Chooses limbs so short that n of them, grown by the reduction, stay below 2^62.
LimbShape choose_shape(const MethodRequest& request) {
  const std::size_t degree = request.polynomial.degree();
  const std::uint64_t growth = reduction_growth(request.polynomial, 2 * degree - 1);
  const int sum_bits = static_cast<int>(std::bit_width(growth) + std::bit_width(degree));
  constexpr int kMaxSumBits = 54;
  if (sum_bits > kMaxSumBits) {
    refuse_growth(request, growth, concat("growth times degree below 2^", kMaxSumBits),
                  "choose an index with fewer prime divisors");
  }
  const int limb_bits = 62 - sum_bits;
  const int q_bits = request.q.bit_count();
  const int limbs = (q_bits + limb_bits - 1) / limb_bits;
  return {limb_bits, static_cast<std::size_t>(limbs), std::max(q_bits + sum_bits, 31) + 1};
}

}  // namespace

std::unique_ptr<const ProductMethod> make_additions_method(const MethodRequest& request) {
  return std::make_unique<AdditionsMethod>(request, choose_shape(request));
}

}  // namespace ringlet::wide
