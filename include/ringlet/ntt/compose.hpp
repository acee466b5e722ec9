// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <tuple>
#include <utility>

#include "ringlet/base/error.hpp"
#include "ringlet/ntt/stages.hpp"

/// Composes transforms and element-wise operations into chains, over plans that are chosen at run
/// time:
///
///   using namespace ringlet::stages;
///   const auto filter = forward(ntt) | multiply(eltwise, key) | inverse(ntt);
///
///   filter(result, polynomial);
///
/// The compiler chooses the range of values between two stages: the largest range factor that the
/// first stage can leave and the second stage accepts. Values are thus reduced only where a stage
/// needs it; in the example the transform leaves values in [0, 4q) for the product. Boemer et al.,
/// "Intel HEXL", Listing 4, does this by hand. A chain of two stages that do not fit does not
/// compile, and neither does a chain that transforms values twice in the same direction.
/// Neighbouring element-wise stages run block by block in the first-level cache, and products of
/// transforms run as one kernel.
namespace ringlet::stages {

namespace detail {

/// Holds the range factors between the stages of a chain, and whether the stages fit.
template <typename... S>
struct Flow {
  static constexpr std::size_t kCount = sizeof...(S);

  /// Entry i is the input factor of stage i. The last entry is the output factor of the chain. An
  /// entry is 0 if two stages do not fit.
  static constexpr std::array<int, kCount + 1> kFactors = [] {
    constexpr std::array<FactorSet, kCount> kInputs{S::kInputs...};
    constexpr std::array<FactorSet (*)(int), kCount> kOutputs{&S::outputs...};
    std::array<int, kCount + 1> factors{};
    factors[0] = kInputs[0].empty() ? kOutputs[0](1).laziest() : 1;
    for (std::size_t i = 0; i < kCount; ++i) {
      const FactorSet outputs = kOutputs[i](factors[i]);
      if (i + 1 < kCount) {
        factors[i + 1] = (outputs & kInputs[i + 1]).laziest();
      } else {
        factors[i + 1] = outputs.empty() ? factors[i] : outputs.tightest();
      }
    }
    return factors;
  }();

  static constexpr bool kRangesFit =
      std::find(kFactors.begin(), kFactors.end(), 0) == kFactors.end();

  static constexpr bool kFormsFit = [] {
    constexpr std::array<Form, kCount> kInputs{S::kInputForm...};
    constexpr std::array<Form, kCount> kOutputs{S::kOutputForm...};
    Form form = Form::any;
    for (std::size_t i = 0; i < kCount; ++i) {
      if (kInputs[i] != Form::any && form != Form::any && kInputs[i] != form) return false;
      if (kInputs[i] != Form::any) form = kInputs[i];
      if (kOutputs[i] != Form::any) form = kOutputs[i];
    }
    return true;
  }();
};

[[noreturn]] inline void refuse(const char* offending, const char* limit, const char* remedy) {
  throw_invalid_argument({"stages::Chain", offending, limit, remedy});
}

inline bool overlaps(Operand a, Operand b) {
  return !a.empty() && !b.empty() && a.data() < b.data() + b.size() &&
         b.data() < a.data() + a.size();
}

}  // namespace detail

/// Runs stages one after the other; made by operator| or compose(). Immutable; many threads may use
/// it at once. Constant time in the data, because all stages run in constant time.
template <Stage... S>
class Chain {
 public:
  using Flow = detail::Flow<S...>;
  /// Range factors of the operand and of the result.
  static constexpr int kInput = Flow::kFactors.front();
  static constexpr int kOutput = Flow::kFactors.back();

  /// Makes a chain of `stages`.
  /// @throws InvalidArgument if two stages have different moduli, or two transforms different
  ///         degrees.
  explicit Chain(std::tuple<S...> stages) : stages_(std::move(stages)) { check_plans(); }

  /// Applies the stages to operand and writes the values to result. Operand values are in
  /// [0, kInput*q), result values in [0, kOutput*q). `result` may be the same memory as `operand`;
  /// otherwise it overlaps no vector of the call or of the chain.
  /// @throws InvalidArgument on different lengths or overlap, before anything is written; any
  ///         exception of the stages.
  void operator()(Result result, Operand operand) const {
    check_vectors(result, operand);
    run<0>(result, operand);
  }

  const std::tuple<S...>& stages() const noexcept { return stages_; }

 private:
  static constexpr std::size_t kCount = sizeof...(S);
  /// Words of a block of element-wise stages: a few vectors of 8 KiB stay in the first-level cache.
  static constexpr std::size_t kBlockWords = 1024;

  template <std::size_t i>
  using At = std::tuple_element_t<i, std::tuple<S...>>;

  template <std::size_t i, typename Middle>
  static constexpr bool is_product() {
    if constexpr (i + 2 < kCount) {
      return std::same_as<At<i>, Forward> && std::same_as<At<i + 1>, Middle> &&
             std::same_as<At<i + 2>, Inverse>;
    } else {
      return false;
    }
  }

  template <std::size_t i>
  static constexpr std::size_t end_of_block() {
    if constexpr (i < kCount) {
      if constexpr (At<i>::kBlockwise) return end_of_block<i + 1>();
    }
    return i;
  }

  template <std::size_t i>
  void run(Result result, Operand operand) const {
    if constexpr (i == kCount) {
      if (operand.data() != result.data())
        std::copy(operand.begin(), operand.end(), result.begin());
    } else if constexpr (is_product<i, MultiplyTransformed>()) {
      const Ntt& ntt = std::get<i>(stages_).ntt;
      const Transformed& factor = std::get<i + 1>(stages_).factor;
      if (same_transform(ntt, factor.ntt) && same_transform(ntt, std::get<i + 2>(stages_).ntt)) {
        ntt.multiply(result, operand, factor.polynomial, Flow::kFactors[i], Flow::kFactors[i + 3]);
        run<i + 3>(result, result);
      } else {
        run_whole<i>(result, operand);
      }
    } else if constexpr (At<i>::kBlockwise) {
      constexpr std::size_t kEnd = end_of_block<i>();
      if constexpr (has_work<i, kEnd>()) {
        for (std::size_t first = 0; first < result.size(); first += kBlockWords) {
          const std::size_t count = std::min(kBlockWords, result.size() - first);
          run_block<i, kEnd>(result.subspan(first, count), operand.subspan(first, count), first);
        }
        run<kEnd>(result, result);
      } else {
        run<kEnd>(result, operand);
      }
    } else {
      run_whole<i>(result, operand);
    }
  }

  template <std::size_t i>
  void run_whole(Result result, Operand operand) const {
    std::get<i>(stages_).run(result, operand, 0, Flow::kFactors[i], Flow::kFactors[i + 1]);
    run<i + 1>(result, result);
  }

  template <std::size_t i>
  static constexpr bool is_passage() {
    return std::derived_from<At<i>, detail::Passage>;
  }

  template <std::size_t i, std::size_t kEnd>
  static constexpr bool has_work() {
    if constexpr (i == kEnd) {
      return false;
    } else {
      return !is_passage<i>() || has_work<i + 1, kEnd>();
    }
  }

  template <std::size_t i, std::size_t kEnd>
  void run_block(Result result, Operand operand, std::size_t first) const {
    if constexpr (i < kEnd) {
      if constexpr (is_passage<i>()) {
        run_block<i + 1, kEnd>(result, operand, first);
      } else {
        std::get<i>(stages_).run(result, operand, first, Flow::kFactors[i], Flow::kFactors[i + 1]);
        run_block<i + 1, kEnd>(result, result, first);
      }
    }
  }

  static bool same_transform(const Ntt& a, const Ntt& b) {
    return a.degree() == b.degree() && a.modulus() == b.modulus() &&
           a.root_of_unity() == b.root_of_unity();
  }

  void check_plans() const {
    const Modulus* modulus = nullptr;
    std::size_t degree = 0;
    const auto check = [&](const auto& stage) {
      if constexpr (requires { stage.modulus(); }) {
        if (modulus != nullptr && *modulus != stage.modulus()) {
          detail::refuse("stages with different moduli", "one modulus in a chain",
                         "make all plans of the chain for the same modulus");
        }
        modulus = &stage.modulus();
      }
      if constexpr (requires { stage.ntt; }) check_degree(degree, stage.ntt);
      if constexpr (requires { stage.factor.ntt; }) {
        check_degree(degree, stage.factor.ntt);
        if (stage.factor.ntt.modulus() != stage.modulus()) {
          detail::refuse("a transformed factor with another modulus", "one modulus in a chain",
                         "make all plans of the chain for the same modulus");
        }
      }
    };
    std::apply([&](const S&... stage) { (check(stage), ...); }, stages_);
  }

  static void check_degree(std::size_t& degree, const Ntt& ntt) {
    if (degree != 0 && degree != ntt.degree()) {
      detail::refuse("transforms of different degrees", "one degree in a chain",
                     "make all transforms of the chain for the same degree");
    }
    degree = ntt.degree();
  }

  void check_vectors(Result result, Operand operand) const {
    if (operand.size() != result.size()) refuse_length();
    if (operand.data() != result.data() && detail::overlaps(result, operand)) refuse_overlap();
    const auto check = [&](const auto& stage) {
      stage.visit([&](Operand words) {
        if (words.size() != result.size()) refuse_length();
        if (detail::overlaps(result, words)) refuse_overlap();
      });
      if constexpr (requires { stage.ntt; }) {
        if (stage.ntt.degree() != result.size()) refuse_length();
      }
    };
    std::apply([&](const S&... stage) { (check(stage), ...); }, stages_);
  }

  [[noreturn]] static void refuse_length() {
    detail::refuse("vectors of different lengths",
                   "one length for all vectors of a chain, that of its transforms",
                   "pass spans of the same number of words");
  }
  [[noreturn]] static void refuse_overlap() {
    detail::refuse("the result overlaps another vector",
                   "the same start as the operand, or no word in common with any vector",
                   "pass separate memory for the result");
  }

  std::tuple<S...> stages_;
};

namespace detail {

template <typename T>
inline constexpr bool kIsChain = false;
template <typename... S>
inline constexpr bool kIsChain<Chain<S...>> = true;

template <Stage S>
std::tuple<S> stages_of(S stage) {
  return {std::move(stage)};
}
template <typename... S>
std::tuple<S...> stages_of(const Chain<S...>& chain) {
  return chain.stages();
}

template <typename Tuple>
struct FlowOf;
template <typename... S>
struct FlowOf<std::tuple<S...>> : Flow<S...> {};

template <typename A, typename B>
using Joined = FlowOf<decltype(std::tuple_cat(stages_of(std::declval<const A&>()),
                                              stages_of(std::declval<const B&>())))>;

template <typename... S>
Chain<S...> make_chain(std::tuple<S...> stages) {
  return Chain<S...>(std::move(stages));
}

}  // namespace detail

/// True for a stage and for a chain.
template <typename T>
concept Composable = Stage<T> || detail::kIsChain<T>;

/// True if the consumer accepts a range of values that the producer can leave.
template <typename Producer, typename Consumer>
concept RangesFit = detail::Joined<Producer, Consumer>::kRangesFit;

/// True if no forward transform reads values and no inverse transform reads coefficients.
template <typename Producer, typename Consumer>
concept FormsFit = detail::Joined<Producer, Consumer>::kFormsFit;

/// Returns the chain that runs `a` and then `b`.
template <Composable A, Composable B>
  requires RangesFit<A, B> && FormsFit<A, B>
auto operator|(const A& a, const B& b) {
  return detail::make_chain(std::tuple_cat(detail::stages_of(a), detail::stages_of(b)));
}

/// Returns the chain that runs all arguments, first to last; one stage alone gives a chain too.
template <Composable First, Composable... Rest>
auto compose(const First& first, const Rest&... rest) {
  return (detail::make_chain(detail::stages_of(first)) | ... | rest);
}

}  // namespace ringlet::stages
