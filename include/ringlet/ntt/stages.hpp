// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "ringlet/base/aligned.hpp"
#include "ringlet/kernels/eltwise.hpp"
#include "ringlet/ntt/ntt.hpp"

/// The stages that compose.hpp joins into chains.
namespace ringlet::stages {

using Result = std::span<std::uint64_t>;
using Operand = std::span<const std::uint64_t>;

/// A set of range factors among 1, 2, 4 and 8.
class FactorSet {
 public:
  constexpr FactorSet() = default;
  template <typename... Factor>
  constexpr explicit FactorSet(Factor... factors) : bits_((static_cast<unsigned>(factors) | ...)) {}

  constexpr bool contains(int factor) const { return (bits_ & static_cast<unsigned>(factor)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  /// Returns the largest (laziest) or the smallest (tightest) factor; 0 if the set is empty.
  constexpr int laziest() const {
    int factor = 8;
    while (factor != 0 && !contains(factor)) factor /= 2;
    return factor;
  }
  constexpr int tightest() const { return static_cast<int>(bits_ & (~bits_ + 1)); }
  friend constexpr FactorSet operator&(FactorSet a, FactorSet b) {
    FactorSet both;
    both.bits_ = a.bits_ & b.bits_;
    return both;
  }

 private:
  unsigned bits_ = 0;
};

/// The form of a polynomial in a chain. Element-wise stages accept both forms.
enum class Form { any, coefficients, values };

/// A stage of a chain.
///   kInputs:         the input factors that it accepts
///   outputs(input):  the output factors that it can leave for this input factor
///   kInputForm, kOutputForm: both `any` if the stage keeps the form
///   kBlockwise:      true if it may run on a part of the vectors
///   run(result, operand, first, input, output): computes the words from `first` on
///   visit(body):     calls body(words) for every vector that it reads besides the operand
template <typename S>
concept Stage = requires(const S& stage, Result result, Operand operand) {
  { S::kInputs } -> std::convertible_to<FactorSet>;
  { S::outputs(1) } -> std::same_as<FactorSet>;
  { S::kInputForm } -> std::convertible_to<Form>;
  { S::kOutputForm } -> std::convertible_to<Form>;
  { S::kBlockwise } -> std::convertible_to<bool>;
  stage.run(result, operand, std::size_t{0}, 1, 1);
  stage.visit([](Operand) {});
};

namespace detail {

/// The common members of element-wise stages.
template <int... kAccepted>
struct ElementwiseStage {
  static constexpr FactorSet kInputs{kAccepted...};
  static constexpr FactorSet outputs(int) { return FactorSet(1); }
  static constexpr Form kInputForm = Form::any;
  static constexpr Form kOutputForm = Form::any;
  static constexpr bool kBlockwise = true;

  Eltwise eltwise;

  const Modulus& modulus() const noexcept { return eltwise.modulus(); }
  void visit(auto&&) const {}
};

template <int... kAccepted>
struct OneVectorStage : ElementwiseStage<kAccepted...> {
  Operand vector;
  Operand part(std::size_t first, std::size_t count) const { return vector.subspan(first, count); }
  void visit(auto&& body) const { body(vector); }
};

/// The common members of Load and Store, which compute nothing.
struct Passage {
  static constexpr Form kInputForm = Form::any;
  static constexpr Form kOutputForm = Form::any;
  static constexpr bool kBlockwise = true;
  void run(Result, Operand, std::size_t, int, int) const {}
  void visit(auto&&) const {}
};

}  // namespace detail

/// Begins a chain whose operands are in [0, kFactor*q). A chain without Load takes [0, q).
template <int kFactor>
struct Load : detail::Passage {
  static_assert(FactorSet(1, 2, 4, 8).contains(kFactor));
  static constexpr FactorSet kInputs{};
  static constexpr FactorSet outputs(int) { return FactorSet(kFactor); }
};

/// Ends a chain whose results are in [0, kFactor*q). A chain without Store gives [0, q).
template <int kFactor>
struct Store : detail::Passage {
  static_assert(FactorSet(1, 2, 4, 8).contains(kFactor));
  static constexpr FactorSet kInputs{kFactor};
  static constexpr FactorSet outputs(int) { return {}; }
};

struct Forward {
  static constexpr FactorSet kInputs{1, 2, 4};
  static constexpr FactorSet outputs(int) { return FactorSet(1, 4); }
  static constexpr Form kInputForm = Form::coefficients;
  static constexpr Form kOutputForm = Form::values;
  static constexpr bool kBlockwise = false;

  Ntt ntt;

  const Modulus& modulus() const noexcept { return ntt.modulus(); }
  void run(Result result, Operand operand, std::size_t, int input, int output) const {
    ntt.forward(result, operand, input, output);
  }
  void visit(auto&&) const {}
};

struct Inverse {
  static constexpr FactorSet kInputs{1, 2};
  static constexpr FactorSet outputs(int) { return FactorSet(1, 2); }
  static constexpr Form kInputForm = Form::values;
  static constexpr Form kOutputForm = Form::coefficients;
  static constexpr bool kBlockwise = false;

  Ntt ntt;

  const Modulus& modulus() const noexcept { return ntt.modulus(); }
  void run(Result result, Operand operand, std::size_t, int input, int output) const {
    ntt.inverse(result, operand, input, output);
  }
  void visit(auto&&) const {}
};

struct Multiply : detail::OneVectorStage<1, 2, 4> {
  void run(Result result, Operand operand, std::size_t first, int input, int) const {
    eltwise.multiply(result, operand, part(first, result.size()), input);
  }
};

/// A factor in coefficient form that the product transforms first.
struct Transformed {
  Ntt ntt;
  Operand polynomial;
};

/// Multiplies by a Transformed factor, which it transforms first.
struct MultiplyTransformed : detail::ElementwiseStage<1, 2, 4> {
  static constexpr Form kInputForm = Form::values;
  static constexpr Form kOutputForm = Form::values;
  static constexpr bool kBlockwise = false;

  Transformed factor;

  void run(Result result, Operand operand, std::size_t, int input, int) const {
    SecretVector<std::uint64_t> values(result.size());
    factor.ntt.forward(values, factor.polynomial, 1, 4);
    eltwise.multiply(result, operand, values, std::max(input, 4));
  }
  void visit(auto&& body) const { body(factor.polynomial); }
};

struct MultiplyScalar : detail::ElementwiseStage<1, 2, 4, 8> {
  std::uint64_t scalar;
  void run(Result result, Operand operand, std::size_t, int input, int) const {
    eltwise.multiply_scalar(result, operand, scalar, input);
  }
};

struct MultiplyScalarAdd : detail::OneVectorStage<1, 2, 4, 8> {
  std::uint64_t scalar;
  void run(Result result, Operand operand, std::size_t first, int input, int) const {
    eltwise.multiply_scalar_add(result, operand, scalar, part(first, result.size()), input);
  }
};

struct MultiplyAdd : detail::OneVectorStage<1> {
  Operand addend;
  void run(Result result, Operand operand, std::size_t first, int, int) const {
    const std::size_t count = result.size();
    eltwise.multiply_add(result, operand, part(first, count), addend.subspan(first, count));
  }
  void visit(auto&& body) const {
    body(vector);
    body(addend);
  }
};

struct Add : detail::OneVectorStage<1> {
  void run(Result result, Operand operand, std::size_t first, int, int) const {
    eltwise.add(result, operand, part(first, result.size()));
  }
};

struct Subtract : detail::OneVectorStage<1> {
  void run(Result result, Operand operand, std::size_t first, int, int) const {
    eltwise.subtract(result, operand, part(first, result.size()));
  }
};

struct Negate : detail::ElementwiseStage<1> {
  void run(Result result, Operand operand, std::size_t, int, int) const {
    eltwise.negate(result, operand);
  }
};

/// Reduces by subtractions of 2q and q. Values in [0, 4q) are reduced only to [0, 2q) if the next
/// stage accepts this range.
struct Reduce : detail::ElementwiseStage<2, 4> {
  static constexpr FactorSet outputs(int input) {
    return input == 4 ? FactorSet(1, 2) : FactorSet(1);
  }
  void run(Result result, Operand operand, std::size_t, int input, int output) const {
    eltwise.reduce_range(result, operand, input, output);
  }
};

/// These functions make stages; each has the name of its operation. Vectors have the length of the
/// operand and must outlive the chain. The values of these vectors are in [0, q).
template <int kFactor = 1>
constexpr Load<kFactor> load() {
  return {};
}
template <int kFactor = 1>
constexpr Store<kFactor> store() {
  return {};
}
inline Forward forward(Ntt ntt) { return {std::move(ntt)}; }
inline Inverse inverse(Ntt ntt) { return {std::move(ntt)}; }
inline Transformed transformed(Ntt ntt, Operand polynomial) { return {std::move(ntt), polynomial}; }
inline Multiply multiply(Eltwise eltwise, Operand b) { return {{{std::move(eltwise)}, b}}; }
inline MultiplyTransformed multiply(Eltwise eltwise, Transformed b) {
  return {{std::move(eltwise)}, std::move(b)};
}
inline MultiplyScalar multiply_scalar(Eltwise eltwise, std::uint64_t scalar) {
  return {{std::move(eltwise)}, scalar};
}
inline MultiplyScalarAdd multiply_scalar_add(Eltwise eltwise, std::uint64_t scalar, Operand c) {
  return {{{std::move(eltwise)}, c}, scalar};
}
inline MultiplyAdd multiply_add(Eltwise eltwise, Operand b, Operand c) {
  return {{{std::move(eltwise)}, b}, c};
}
inline Add add(Eltwise eltwise, Operand b) { return {{{std::move(eltwise)}, b}}; }
inline Subtract subtract(Eltwise eltwise, Operand b) { return {{{std::move(eltwise)}, b}}; }
inline Negate negate(Eltwise eltwise) { return {{std::move(eltwise)}}; }
inline Reduce reduce(Eltwise eltwise) { return {{std::move(eltwise)}}; }

}  // namespace ringlet::stages
