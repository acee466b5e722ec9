// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "fv/products/costs.hpp"
#include "fv/products/finish.hpp"
#include "fv/products/product_method.hpp"
#include "kernels/karatsuba/shape.hpp"
#include "kernels/select.hpp"
#include "ring/backend/scratch.hpp"

// Products by Karatsuba's recursion over planes of chunks (Migliore et al. 2017, section 3.2), with
// the pre-computation of p kept in its prepared form. The planes are reduced modulo Phi_m one by
// one, as products of their own, and only then carried: docs/notes/karatsuba.md.

namespace ringlet::wide {
namespace {

using kernels::Chosen;
using kernels::KaratsubaKernel;
using kernels::KaratsubaShape;

/// The sub-polynomials of p.
class SplitPoly final : public PreparedWidePoly {
 public:
  SplitPoly(const WideModulus& modulus, std::size_t size) : q(modulus), data(size) {}
  std::size_t bytes() const noexcept override { return data.size(); }

  WideModulus q;
  AlignedVector<std::byte> data;
};

/// Working memory of a call, in bytes, all of them whole cache lines.
struct Layout {
  std::size_t planes;
  std::size_t small;
  std::size_t room;

  std::size_t total() const { return planes + small + room; }
};

class KaratsubaMethod final : public ProductMethod {
 public:
  KaratsubaMethod(const MethodRequest& request, const KaratsubaShape& shape, const LimbShape& limbs,
                  const Chosen<KaratsubaKernel>& kernel)
      : q_(request.q),
        degree_(request.polynomial.degree()),
        reduction_(request.reduction),
        shape_(shape),
        kernel_(kernel),
        finish_(request.q, limbs, request.kernels) {}

  std::shared_ptr<const PreparedWidePoly> prepare(const WidePoly& p) const override {
    auto prepared = std::make_shared<SplitPoly>(q_, kernel().wide_bytes(shape_));
    const Scratch scratch(kernel().scratch_bytes(shape_) / sizeof(std::uint64_t));
    kernel().split_wide(prepared->data.data(), {p.plane(0).data(), p.degree(), p.word_count()},
                        shape_, scratch.words().data());
    return prepared;
  }

  bool takes(const PreparedWidePoly& p) const noexcept override {
    const auto* split = dynamic_cast<const SplitPoly*>(&p);
    return split != nullptr && split->q == q_ && split->data.size() == kernel().wide_bytes(shape_);
  }

  void multiply_add(std::span<WidePoly> results, const PreparedWidePoly& p, SmallOperands u,
                    Summands e) const override {
    const auto& split = static_cast<const SplitPoly&>(p);
    const Layout bytes = layout();
    const Scratch scratch(bytes.total() / sizeof(std::uint64_t));
    std::uint64_t* const planes = scratch.words().data();
    std::uint64_t* const small = planes + bytes.planes / sizeof(std::uint64_t);
    std::uint64_t* const room = small + bytes.small / sizeof(std::uint64_t);
    for (std::size_t i = 0; i < results.size(); ++i) {
      kernel_.counter.count();
      kernel().split_small(small, u[i].data(), degree_, shape_, room);
      kernel().multiply(planes, split.data.data(), small, shape_, room);
      for (std::size_t k = 0; k < shape_.plane_count; ++k) {
        reduction_.reduce_words({planes + k * stride(), 2 * degree_ - 1});
      }
      finish_.run(results[i], {planes, shape_.plane_count * stride()}, stride(), e[i]);
    }
  }

  std::string kernel_name() const override {
    return concat("karatsuba/", kernel_.name(), "/", shape_.base_size << shape_.recursions, "/",
                  shape_.recursions);
  }
  std::size_t table_bytes() const noexcept override { return sizeof(*this); }
  double estimated_microseconds() const override {
    return karatsuba_microseconds(kernel().table, shape_, {degree_, reduction_.operation_count()});
  }
  std::size_t scratch_bytes(std::size_t) const noexcept override { return layout().total(); }

 private:
  const KaratsubaKernel& kernel() const noexcept { return *kernel_.kernel; }

  /// Returns the words of a plane: twice the padded degree.
  std::size_t stride() const noexcept { return 2 * shape_.base_size << shape_.recursions; }

  Layout layout() const noexcept {
    const std::size_t line = kAlignment / sizeof(std::uint64_t);
    const std::size_t words = (shape_.plane_count * stride() + line - 1) / line * line;
    return {words * sizeof(std::uint64_t), kernel().small_bytes(shape_),
            kernel().scratch_bytes(shape_)};
  }

  WideModulus q_;
  std::size_t degree_;
  CyclotomicReduction reduction_;
  KaratsubaShape shape_;
  Chosen<KaratsubaKernel> kernel_;
  Finish finish_;
};

}  // namespace

std::unique_ptr<const ProductMethod> make_karatsuba_method(const MethodRequest& request) {
  const std::size_t degree = request.polynomial.degree();
  const std::uint64_t growth = reduction_growth(request.polynomial, 2 * degree - 1);
  constexpr std::uint64_t kMaxGrowth = std::uint64_t{1} << 24;
  if (growth > kMaxGrowth) {
    refuse_growth(request, growth, concat("growth up to ", kMaxGrowth));
  }
  // A coefficient of the result is a sum of at most n * growth coefficients of p.
  const int sum_bits = std::bit_width(growth * degree);
  const int bits = request.q.bit_count();
  const kernels::KaratsubaProblem problem{degree, bits, 62 - sum_bits};
  const auto kernel = kernels::choose_karatsuba(request.kernels);
  const KaratsubaShape shape = kernels::best_karatsuba_shape(*kernel.kernel, problem);
  const LimbShape limbs{shape.chunk_bits, shape.plane_count, std::max(bits + sum_bits, 31) + 1};
  return std::make_unique<KaratsubaMethod>(request, shape, limbs, kernel);
}

}  // namespace ringlet::wide
