// SPDX-License-Identifier: Apache-2.0
#include "circuits/declare/without_zeros.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>
#include <utility>
#include <vector>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "circuits/declare/diagonals.hpp"
#include "ringlet/schemes/ckks_encoder.hpp"

namespace ringlet {
namespace {

// In units of the scale's last place. The noise of a sum hides thousands of such values.
constexpr double kNegligible = 0x1p-10;

}  // namespace

/// Walks through a copy of a circuit and replaces its nodes in place.
class ZeroRemover {
 public:
  ZeroRemover(const Circuit& circuit, const circuits::ZeroRule& rule)
      : circuit_(circuit),
        rule_(rule),
        is_live_(circuit.live_nodes()),
        bounds_(circuits::magnitudes_of(circuit, circuit.nodes().size())),
        samples_(circuit.nodes().size()),
        states_(circuit.nodes().size()) {
    for (std::size_t i = 0; i < states_.size(); ++i) states_[i].same_as = i;
  }

  Circuit operator()() {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (is_live_[i]) replace(i);
    }
    for (std::size_t& output : circuit_.outputs_) {
      output = states_[output].same_as;
      check_result(output);
    }
    return std::move(circuit_);
  }

 private:
  struct State {
    bool vanishes = false;  // CKKS: a factor of the value rounds to 0 at the scale
    std::size_t same_as = 0;
    std::optional<std::size_t> known = {};  // index, if the value is a known vector alone
  };

  bool is_zero_vector(std::size_t place) const {
    const KnownVector& vector = circuit_.known_[place];
    if (rule_.plain_modulus == 0 || !vector.is_integer()) return vector.magnitude() == 0;
    const auto t = static_cast<std::int64_t>(rule_.plain_modulus);
    return std::ranges::all_of(vector.integers(), [t](std::int64_t v) { return v % t == 0; });
  }

  bool is_negligible(std::size_t i) const {
    return states_[i].vanishes && bounds_[i] * rule_.scale <= kNegligible;
  }

  bool is_zero(std::size_t i) const { return samples_[i].is_zero(); }

  void replace(std::size_t i) {
    CircuitNode& node = circuit_.nodes_[i];
    if (node.operation != CircuitOperation::input) node.a = states_[node.a].same_as;
    if (node.has_two_values()) node.b = states_[node.b].same_as;
    const std::uint64_t known =
        node.has_known_vector() && !is_zero_vector(node.b) ? circuit_.known_[node.b].sample_ : 0;
    samples_[i] = Circuit::sample_of(node, samples_, known);
    switch (node.operation) {
      case CircuitOperation::input:
        return;
      case CircuitOperation::add:
      case CircuitOperation::subtract:
        replace_sum(i);
        break;
      case CircuitOperation::multiply:
        replace_product(i);
        break;
      case CircuitOperation::add_known:
        replace_known_sum(i);
        break;
      case CircuitOperation::multiply_known:
        replace_known_product(i);
        break;
      default:
        states_[i].vanishes = states_[node.a].vanishes;
    }
    const bool is_new = states_[i].same_as == i && !states_[i].known;
    if (is_new && samples_[i].encrypted == 0 && !is_zero(i)) refuse_known(i);
  }

  void replace_sum(std::size_t i) {
    CircuitNode& node = circuit_.nodes_[i];
    const auto [a, b] = std::pair(node.a, node.b);
    const bool is_sum = node.operation == CircuitOperation::add;
    State& state = states_[i];
    state.vanishes = states_[a].vanishes && states_[b].vanishes;
    if (is_zero(i)) return;
    const auto adds_nothing = [this](std::size_t x, std::size_t to) {
      return is_zero(x) || (is_negligible(x) && !states_[to].vanishes);
    };
    if (adds_nothing(b, a)) {
      state.same_as = a;
    } else if (adds_nothing(a, b)) {
      if (is_sum) {
        state.same_as = b;
      } else {
        node = {.operation = CircuitOperation::negate, .a = b, .magnitude = node.magnitude};
      }
    } else if (states_[a].known || states_[b].known) {
      if (!is_sum) refuse_known(states_[a].known ? a : b);
      join(node, CircuitOperation::add_known);
    }
  }

  void replace_product(std::size_t i) {
    CircuitNode& node = circuit_.nodes_[i];
    states_[i].vanishes = states_[node.a].vanishes || states_[node.b].vanishes;
    if (is_zero(i) || !(states_[node.a].known || states_[node.b].known)) return;
    join(node, CircuitOperation::multiply_known);
  }

  // One of the two operands is known.
  void join(CircuitNode& node, CircuitOperation operation) const {
    const bool is_first = states_[node.a].known.has_value();
    const std::size_t known = *states_[is_first ? node.a : node.b].known;
    node.a = is_first ? node.b : node.a;
    node.b = known;
    node.operation = operation;
  }

  void replace_known_sum(std::size_t i) {
    const CircuitNode& node = circuit_.nodes_[i];
    if (is_zero_vector(node.b)) {
      states_[i].same_as = node.a;
    } else if (is_zero(node.a)) {
      states_[i].known = node.b;
    }
  }

  void replace_known_product(std::size_t i) {
    const CircuitNode& node = circuit_.nodes_[i];
    const bool is_rounded = circuit_.known_[node.b].magnitude() * rule_.scale < 0.5;
    states_[i].vanishes = states_[node.a].vanishes || (rule_.scale > 0 && is_rounded);
  }

  [[noreturn]] void refuse_known(std::size_t value) const {
    refuse(concat("value ", value, " depends on known numbers alone"),
           "values that depend on an input",
           "remove products by 0, and compute with known numbers outside of the circuit");
  }

  void check_result(std::size_t value) const {
    if (states_[value].known) refuse_known(value);
    if (!is_zero(value) && !states_[value].vanishes) return;
    const bool is_rounded = !is_zero(value);
    refuse(concat("a result that is 0", is_rounded ? concat(" at scale ", rule_.scale) : "",
                  rule_.plain_modulus != 0 ? concat(" modulo ", rule_.plain_modulus) : "",
                  " for all inputs"),
           is_rounded
               ? concat("factors of at least about 2^", std::round(-1 - std::log2(rule_.scale)))
               : "results that depend on an input",
           is_rounded ? "multiply by larger numbers, or use a larger scale" : "remove this output");
  }

  Circuit circuit_;
  circuits::ZeroRule rule_;
  std::vector<bool> is_live_;
  std::vector<double> bounds_;
  std::vector<Circuit::Sample> samples_;
  std::vector<State> states_;
};

namespace circuits {

Circuit without_zeros(const Circuit& circuit, const ZeroRule& rule) {
  return ZeroRemover(circuit, rule)();
}

void avoid_zero_factor(const Context& context, Plaintext& plain) {
  const ConstNttView view = plain.ntt_view();
  for (std::size_t i = 0; i < view.limb_count; ++i) {
    if (std::ranges::any_of(view.limb(i), [](std::uint64_t word) { return word != 0; })) return;
  }
  const double scale = plain.scale();
  const ParmsId level = plain.parms_id();
  CKKSEncoder(context).encode(std::complex<double>(1 / scale), level, scale, plain);
}

}  // namespace circuits
}  // namespace ringlet
