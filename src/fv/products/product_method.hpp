// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "ringlet/arith/wide_modulus.hpp"
#include "ringlet/fv/wide_poly.hpp"
#include "ringlet/fv/wide_product.hpp"
#include "ringlet/kernels/kernel_selection.hpp"
#include "ringlet/ring/cyclotomic.hpp"

namespace ringlet::wide {

/// Operands of one call: at most kMaxProducts of each, checked by WideProduct. All methods compute
/// the one formula of WideProduct::multiply_add.
inline constexpr std::size_t kMaxProducts = 4;
using SmallOperands = std::span<const std::span<const std::int8_t>>;
using Summands = std::span<const std::span<const std::int32_t>>;

/// Multiplies in one way. Immutable; each call takes and wipes its scratch memory.
class ProductMethod {
 public:
  virtual ~ProductMethod() = default;

  virtual std::shared_ptr<const PreparedWidePoly> prepare(const WidePoly& p) const = 0;
  /// Returns whether prepare() of this object, or of one of its kind and shape, makes such a `p`.
  virtual bool takes(const PreparedWidePoly& p) const noexcept = 0;
  /// results[i] = p * u[i] + e[i] modulo (Phi_m, q); results have their shape.
  virtual void multiply_add(std::span<WidePoly> results, const PreparedWidePoly& p, SmallOperands u,
                            Summands e) const = 0;

  virtual std::string kernel_name() const = 0;
  virtual std::size_t table_bytes() const noexcept = 0;
  virtual std::size_t scratch_bytes(std::size_t count) const noexcept = 0;
  /// Returns the time of one product by the estimate (costs.hpp).
  virtual double estimated_microseconds() const = 0;
};

/// The arguments from which all methods are made.
struct MethodRequest {
  const CyclotomicPolynomial& polynomial;
  const CyclotomicReduction& reduction;
  const WideModulus& q;
  const KernelSelection& kernels;
};

/// @throws InvalidArgument: reduction lets coefficients grow too much for a method.
[[noreturn]] void refuse_growth(
    const MethodRequest& request, std::uint64_t growth, const std::string& limit,
    const char* remedy = "choose another way, or an index with fewer prime divisors");

std::unique_ptr<const ProductMethod> make_karatsuba_method(const MethodRequest& request);
std::unique_ptr<const ProductMethod> make_ntt_method(const MethodRequest& request);
std::unique_ptr<const ProductMethod> make_additions_method(const MethodRequest& request);

}  // namespace ringlet::wide
