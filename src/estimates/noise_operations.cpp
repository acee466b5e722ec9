// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <limits>
#include <memory>
#include <utility>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "estimates/noise_state.hpp"
#include "ringlet/arith/modulus.hpp"
#include "ringlet/estimates/noise_estimator.hpp"
#include "ringlet/rlwe/ciphertext.hpp"
#include "schemes/bgv/balance.hpp"

namespace ringlet {

using estimates::Dependence;
using estimates::NoiseModel;
using estimates::NoiseTerms;

namespace {

long double squared(long double x) { return x * x; }

// Returns the largest slot of a message times the scale.
template <typename State>
long double largest_part(const State& state) {
  return static_cast<long double>(state.scale) * static_cast<long double>(state.magnitude);
}

NoiseTerms sum(const NoiseTerms& a, const NoiseTerms& b) {
  return NoiseTerms::sum(a, b, Dependence::independent);
}

bool share_any(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  std::vector<std::uint64_t> common;
  std::ranges::set_intersection(a, b, std::back_inserter(common));
  return !common.empty();
}

std::vector<std::uint64_t> all_of(const std::vector<std::uint64_t>& a,
                                  const std::vector<std::uint64_t>& b) {
  std::vector<std::uint64_t> all;
  std::ranges::set_union(a, b, std::back_inserter(all));
  return all;
}

bool is_same_scale(double a, double b) { return a == b || std::nextafter(a, b) == b; }

void check_primes(const NoiseModel& model, std::size_t count, std::size_t most) {
  const std::size_t least = model.last_level();
  if (count >= least && count <= most) return;
  refuse(concat("a level of ", count, " primes"), concat(least, " to ", most),
         "take a level that the operand can reach");
}

void check_key_switching(const NoiseModel& model) {
  if (!model.parms().special_primes().empty()) return;
  refuse("parameters without special primes", "at least one special prime",
         "use parameters with special primes");
}

void check_level(std::size_t a, std::size_t b) {
  if (a == b) return;
  refuse(concat("levels of ", a, " and ", b, " primes"), "operands at the same level",
         "bring the higher operand down");
}

void check_scale(double a, double b) {
  if (is_same_scale(a, b)) return;
  refuse(concat("scales ", a, " and ", b), "the same scale",
         "rescale, or take plaintexts at this scale");
}

void check_ckks(const NoiseModel& model, bool wants_ckks) {
  if ((model.scheme() == SchemeType::ckks) == wants_ckks) return;
  refuse(concat("scheme = ", to_string(model.scheme())), wants_ckks ? "ckks" : "bfv or bgv",
         wants_ckks ? "switch the modulus" : "multiply and rescale step by step");
}

std::uint64_t without_prime(std::uint64_t factor, std::uint64_t prime, const Modulus& t) {
  return t.multiply(factor, inverse_mod(t.reduce(prime), t));
}

}  // namespace

const NoiseEstimator::State& NoiseEstimator::state_of(const NoiseEstimate& a) const {
  if (a.state_ && a.state_->model == model_) return *a.state_;
  refuse("an estimate of another estimator", "estimates of this estimator or a copy of it",
         "make all estimates with the same estimator");
}

void NoiseEstimator::check_plain(const PlainEstimate& plain) const {
  if (plain.model_ == model_) return;
  refuse("a plaintext of another estimator", "plaintexts of this estimator or a copy of it",
         "make all estimates with the same estimator");
}

NoiseEstimate NoiseEstimator::made(State state) {
  return NoiseEstimate(std::make_shared<const State>(std::move(state)));
}

NoiseEstimator::State NoiseEstimator::fresh(bool is_symmetric, std::size_t prime_count) const {
  const NoiseModel& model = *model_;
  const NoiseTerms noise = is_symmetric ? model.fresh_symmetric() : model.fresh_public(prime_count);
  State state{.model = model_, .prime_count = prime_count};
  state.noise = noise.scaled(squared(model.plain_modulus()));
  state.messages = {model.next_message()};
  return state;
}

// A message of BFV adds t times the rounding of q/t*m; a message of BGV is part of the noise.
void NoiseEstimator::add_message(State& state, const PlainEstimate& plain) const {
  const NoiseModel& model = *model_;
  if (plain.kind_ == PlainEstimate::Kind::exact) return;
  const Dependence dependence = join(state, plain);
  if (state.is_ckks()) {
    if (plain.kind_ == PlainEstimate::Kind::constant) {
      state.fixed += estimates::kConstantRounding;
    } else {
      const NoiseTerms rounding({{0, 1, model.rounding(), 0, 0}});
      state.noise = NoiseTerms::sum(state.noise, rounding, dependence);
    }
    state.fixed += static_cast<long double>(plain.scale_) *
                   static_cast<long double>(plain.magnitude_) * estimates::kEncoding;
    return;
  }
  const bool is_bgv = model.scheme() == SchemeType::bgv;
  const bool is_scaled = !is_bgv || state.correction_factor != 1;
  if (plain.kind_ == PlainEstimate::Kind::uniform) {
    const long double variance = squared(model.plain_modulus()) * model.rounding();
    const NoiseTerms message({{0, 1, variance, 0, 0}});
    state.noise = NoiseTerms::sum(state.noise, message, dependence);
    return;
  }
  PolynomialSize size = plain.size_;
  if (plain.kind_ == PlainEstimate::Kind::known && is_scaled) {
    size = is_bgv ? model.lifted_size(*plain.coefficients_, state.correction_factor)
                  : model.scaling_error(*plain.coefficients_, state.prime_count);
  } else if (is_scaled) {
    size = model.largest_message();
  }
  state.noise = NoiseTerms::sum(state.noise, NoiseModel::known(size), dependence);
}

// Makes the state depend on the plaintext too.
Dependence NoiseEstimator::join(State& state, const PlainEstimate& plain) {
  if (plain.kind_ == PlainEstimate::Kind::exact) return Dependence::independent;
  const std::vector<std::uint64_t> message{plain.message_};
  const bool shares = share_any(state.messages, message);
  state.messages = all_of(state.messages, message);
  state.has_dependent_operands |= shares;
  return shares ? Dependence::dependent : Dependence::independent;
}

NoiseEstimate NoiseEstimator::encrypted(const PlainEstimate& plain,
                                        std::optional<std::size_t> prime_count,
                                        bool is_symmetric) const {
  return public_entry(
      is_symmetric ? "NoiseEstimator::encrypt_symmetric" : "NoiseEstimator::encrypt", [&] {
        check_plain(plain);
        const std::size_t first = model_->parms().data_primes().size();
        const std::size_t count = prime_count.value_or(first);
        check_primes(*model_, count, first);
        if (model_->scheme() != SchemeType::ckks) check_level(count, first);
        State state = fresh(is_symmetric, count);
        state.scale = plain.scale_;
        state.magnitude = plain.magnitude_;
        state.rms = plain.rms_;
        add_message(state, plain);
        return made(std::move(state));
      });
}

NoiseEstimate NoiseEstimator::encrypt(const PlainEstimate& plain,
                                      std::optional<std::size_t> prime_count) const {
  return encrypted(plain, prime_count, false);
}

NoiseEstimate NoiseEstimator::encrypt_symmetric(const PlainEstimate& plain,
                                                std::optional<std::size_t> prime_count) const {
  return encrypted(plain, prime_count, true);
}

NoiseEstimate NoiseEstimator::encrypt_zero(std::optional<std::size_t> prime_count) const {
  return public_entry("NoiseEstimator::encrypt_zero", [&] {
    const std::size_t first = model_->parms().data_primes().size();
    check_primes(*model_, prime_count.value_or(first), first);
    return made(fresh(false, prime_count.value_or(first)));
  });
}

NoiseEstimate NoiseEstimator::encrypt_zero_symmetric(std::optional<std::size_t> prime_count) const {
  return public_entry("NoiseEstimator::encrypt_zero_symmetric", [&] {
    const std::size_t first = model_->parms().data_primes().size();
    check_primes(*model_, prime_count.value_or(first), first);
    return made(fresh(true, prime_count.value_or(first)));
  });
}

NoiseEstimate NoiseEstimator::add_plain(const NoiseEstimate& a, const PlainEstimate& plain) const {
  return public_entry("NoiseEstimator::add_plain", [&] {
    State state = state_of(a);
    check_plain(plain);
    check_scale(state.scale, plain.scale_);
    add_message(state, plain);
    state.magnitude += plain.magnitude_;
    state.rms += plain.rms_;
    state.fixed +=
        static_cast<long double>(state.scale * state.magnitude) * estimates::kScaleRounding;
    return made(std::move(state));
  });
}

NoiseEstimate NoiseEstimator::sub_plain(const NoiseEstimate& a, const PlainEstimate& plain) const {
  return add_plain(a, plain);
}

NoiseEstimate NoiseEstimator::multiply_plain(const NoiseEstimate& a,
                                             const PlainEstimate& plain) const {
  return public_entry("NoiseEstimator::multiply_plain", [&] {
    State state = state_of(a);
    check_plain(plain);
    if (state.is_ckks()) {
      State factor{
          .model = model_, .scale = plain.scale_, .magnitude = plain.magnitude_, .rms = plain.rms_};
      add_message(factor, plain);
      set_ckks_product(state, factor, join(state, plain));
      return made(std::move(state));
    }
    const NoiseTerms factor = NoiseModel::known(plain.size_);
    state.noise = NoiseTerms::product(state.noise, factor, join(state, plain));
    return made(std::move(state));
  });
}

// (D_a*z_a + e_a) * (D_b*z_b + e_b), where the first terms hold all that is not random.
void NoiseEstimator::set_ckks_product(State& a, const State& b, Dependence dependence) {
  const auto message = [](const State& state) {
    const auto scale = static_cast<long double>(state.scale);
    return NoiseTerms({{0, 0, 0, squared(scale * static_cast<long double>(state.rms) + state.fixed),
                        squared(largest_part(state) + state.fixed)}});
  };
  const long double x = largest_part(a);
  const long double y = largest_part(b);
  const NoiseTerms linear = NoiseTerms::sum(
      NoiseTerms::product(message(a), b.noise, Dependence::independent),
      NoiseTerms::product(message(b), a.noise, Dependence::independent), dependence);
  const NoiseTerms both = NoiseTerms::product(a.noise, b.noise, dependence);
  a.noise = NoiseTerms::sum(linear, both, dependence);
  a.fixed = x * b.fixed + y * a.fixed + a.fixed * b.fixed + x * y * estimates::kScaleRounding;
  a.scale *= b.scale;
  a.rms = std::min(a.rms * b.magnitude, a.magnitude * b.rms);
  a.magnitude *= b.magnitude;
}

// Let w = t*phase - q*m and U = t/q * phase, a sum of uniform polynomials times powers of s. Then
// w = w_a*U_b + w_b*U_a - w_a*w_b/q, plus the rounding.
void NoiseEstimator::set_bfv_product(State& a, const State& b, Dependence dependence) const {
  const long double t_squared = squared(model_->plain_modulus());
  const NoiseTerms linear = NoiseTerms::sum(
      NoiseTerms::product(a.noise, model_->rounding(b.size).scaled(t_squared), dependence),
      NoiseTerms::product(b.noise, model_->rounding(a.size).scaled(t_squared), dependence),
      dependence);
  const NoiseTerms both = NoiseTerms::product(a.noise, b.noise, dependence)
                              .scaled(1 / squared(model_->modulus(a.prime_count)));
  const NoiseTerms product = NoiseTerms::sum(linear, both, dependence);
  a.noise = sum(product, model_->rounding(a.size + b.size - 1).scaled(t_squared));
}

NoiseEstimate NoiseEstimator::multiplied(const State& a, const State& b) const {
  check_level(a.prime_count, b.prime_count);
  const std::size_t size = a.size + b.size - 1;
  if (size > kMaxCiphertextSize) {
    refuse(concat("a product of size ", size), concat("at most ", kMaxCiphertextSize),
           "call relinearize first");
  }
  const bool shares = share_any(a.messages, b.messages);
  const Dependence dependence = shares ? Dependence::dependent : Dependence::independent;
  State result = a;
  switch (model_->scheme()) {
    case SchemeType::ckks:
      set_ckks_product(result, b, dependence);
      break;
    case SchemeType::bfv:
      set_bfv_product(result, b, dependence);
      break;
    default: {
      const Modulus t(model_->parms().plain_modulus());
      result.noise = NoiseTerms::product(a.noise, b.noise, dependence);
      if (shares && (a.has_images || b.has_images)) result.noise = result.noise.with_mean();
      result.correction_factor = t.multiply(a.correction_factor, b.correction_factor);
    }
  }
  result.size = size;
  result.messages = all_of(a.messages, b.messages);
  result.has_images |= b.has_images;
  result.has_dependent_operands |= b.has_dependent_operands || shares;
  return made(std::move(result));
}

NoiseEstimate NoiseEstimator::multiply(const NoiseEstimate& a, const NoiseEstimate& b) const {
  return public_entry("NoiseEstimator::multiply",
                      [&] { return multiplied(state_of(a), state_of(b)); });
}

NoiseEstimate NoiseEstimator::square(const NoiseEstimate& a) const {
  return public_entry("NoiseEstimator::square",
                      [&] { return multiplied(state_of(a), state_of(a)); });
}

NoiseEstimate NoiseEstimator::relinearize(const NoiseEstimate& a) const {
  return public_entry("NoiseEstimator::relinearize", [&] {
    State state = state_of(a);
    check_key_switching(*model_);
    const NoiseTerms added =
        model_->key_switch(state.prime_count).scaled(squared(model_->plain_modulus()));
    for (; state.size > 2; --state.size) state.noise = sum(state.noise, added);
    return made(std::move(state));
  });
}

NoiseEstimate NoiseEstimator::apply_galois(const NoiseEstimate& a, std::size_t switch_count) const {
  return public_entry("NoiseEstimator::apply_galois", [&] {
    State state = state_of(a);
    if (switch_count == 0) return a;
    check_key_switching(*model_);
    if (state.size != 2) {
      refuse(concat("size = ", state.size), "2", "call relinearize first");
    }
    const NoiseTerms added =
        model_->key_switch(state.prime_count).scaled(squared(model_->plain_modulus()));
    state.noise = sum(state.noise, added.scaled(static_cast<long double>(switch_count)));
    state.has_images = true;
    return made(std::move(state));
  });
}

// Each prime divides the noise and rounds all polynomials again.
NoiseEstimate NoiseEstimator::divided(State state, std::size_t prime_count) const {
  const NoiseTerms rounding = model_->rounding(state.size).scaled(squared(model_->plain_modulus()));
  for (; state.prime_count > prime_count; --state.prime_count) {
    const std::uint64_t prime = model_->prime(state.prime_count - 1);
    const auto q = static_cast<long double>(prime);
    state.noise = sum(state.noise.scaled(1 / (q * q)), rounding);
    if (state.is_ckks()) {
      state.scale /= static_cast<double>(prime);
      state.fixed = state.fixed / q + static_cast<long double>(state.scale * state.magnitude) *
                                          estimates::kScaleRounding;
    } else if (model_->scheme() == SchemeType::bgv) {
      const Modulus t(model_->parms().plain_modulus());
      state.correction_factor = without_prime(state.correction_factor, prime, t);
    }
  }
  return made(std::move(state));
}

NoiseEstimate NoiseEstimator::rescale_to(const NoiseEstimate& a, std::size_t prime_count) const {
  return public_entry("NoiseEstimator::rescale_to", [&] {
    const State& state = state_of(a);
    check_ckks(*model_, true);
    check_primes(*model_, prime_count, state.prime_count);
    return divided(state, prime_count);
  });
}

NoiseEstimate NoiseEstimator::rescale_to_next(const NoiseEstimate& a) const {
  return public_entry("NoiseEstimator::rescale_to_next",
                      [&] { return rescale_to(a, state_of(a).prime_count - 1); });
}

NoiseEstimate NoiseEstimator::relinearize_and_rescale_to_next(const NoiseEstimate& a) const {
  return rescale_to_next(relinearize(a));
}

NoiseEstimate NoiseEstimator::mod_switch_to(const NoiseEstimate& a, std::size_t prime_count) const {
  return public_entry("NoiseEstimator::mod_switch_to", [&] {
    const State& state = state_of(a);
    check_primes(*model_, prime_count, state.prime_count);
    return state.is_ckks() ? mod_reduce_to(a, prime_count) : divided(state, prime_count);
  });
}

NoiseEstimate NoiseEstimator::mod_switch_to_next(const NoiseEstimate& a) const {
  return public_entry("NoiseEstimator::mod_switch_to_next",
                      [&] { return mod_switch_to(a, state_of(a).prime_count - 1); });
}

NoiseEstimate NoiseEstimator::mod_reduce_to(const NoiseEstimate& a, std::size_t prime_count) const {
  return public_entry("NoiseEstimator::mod_reduce_to", [&] {
    State state = state_of(a);
    if (model_->scheme() == SchemeType::bfv) {
      refuse("scheme = bfv", "ckks or bgv",
             "switch the modulus: dropping primes loses messages of BFV");
    }
    check_primes(*model_, prime_count, state.prime_count);
    state.prime_count = prime_count;
    return made(std::move(state));
  });
}

NoiseEstimate NoiseEstimator::mod_reduce_to_next(const NoiseEstimate& a) const {
  return public_entry("NoiseEstimator::mod_reduce_to_next",
                      [&] { return mod_reduce_to(a, state_of(a).prime_count - 1); });
}

NoiseEstimate NoiseEstimator::add(const NoiseEstimate& a, const NoiseEstimate& b) const {
  return public_entry("NoiseEstimator::add", [&] {
    State result = state_of(a);
    const State& other = state_of(b);
    check_level(result.prime_count, other.prime_count);
    check_scale(result.scale, other.scale);
    const bool shares = share_any(result.messages, other.messages);
    NoiseTerms addend = other.noise;
    if (result.correction_factor != other.correction_factor) {
      const Balance balance = bgv::balance(result.correction_factor, other.correction_factor,
                                           Modulus(model_->parms().plain_modulus()));
      result.noise = result.noise.scaled(squared(static_cast<long double>(balance.of_a)));
      addend = addend.scaled(squared(static_cast<long double>(balance.of_b)));
      result.correction_factor = balance.common;
    }
    result.noise = NoiseTerms::sum(result.noise, addend,
                                   shares ? Dependence::dependent : Dependence::independent);
    result.magnitude += other.magnitude;
    result.rms += other.rms;
    result.fixed += other.fixed + static_cast<long double>(result.scale * result.magnitude) *
                                      estimates::kScaleRounding;
    result.size = std::max(result.size, other.size);
    result.messages = all_of(result.messages, other.messages);
    result.has_images |= other.has_images;
    result.has_dependent_operands |= other.has_dependent_operands || shares;
    return made(std::move(result));
  });
}

NoiseEstimate NoiseEstimator::sub(const NoiseEstimate& a, const NoiseEstimate& b) const {
  return add(a, b);
}

NoiseEstimate NoiseEstimator::add_many(std::span<const NoiseEstimate> operands) const {
  return public_entry("NoiseEstimator::add_many", [&] {
    check_some(operands);
    NoiseEstimate result = operands.front();
    for (const NoiseEstimate& operand : operands.subspan(1)) result = add(result, operand);
    return result;
  });
}

void NoiseEstimator::check_some(std::span<const NoiseEstimate> operands) {
  if (!operands.empty()) return;
  refuse("no operands", "at least one operand", "pass the estimates to combine");
}

NoiseEstimate NoiseEstimator::multiply_many(std::span<const NoiseEstimate> operands) const {
  return public_entry("NoiseEstimator::multiply_many", [&] {
    check_some(operands);
    check_ckks(*model_, false);
    std::deque<NoiseEstimate> factors(operands.begin(), operands.end());
    while (factors.size() > 1) {
      factors.push_back(relinearize(multiply(factors[0], factors[1])));
      factors.erase(factors.begin(), factors.begin() + 2);
    }
    return factors.front();
  });
}

NoiseEstimate NoiseEstimator::exponentiate(const NoiseEstimate& a, std::uint64_t exponent) const {
  return public_entry("NoiseEstimator::exponentiate", [&] {
    state_of(a);
    check_ckks(*model_, false);
    if (exponent == 0) refuse("exponent = 0", "1 or more", "encrypt the number 1");
    std::optional<NoiseEstimate> product;
    NoiseEstimate power = a;
    while (true) {
      if (exponent % 2 == 1) product = product ? relinearize(multiply(*product, power)) : power;
      exponent /= 2;
      if (exponent == 0) return *product;
      power = relinearize(square(power));
    }
  });
}

NoiseEstimate NoiseEstimator::depending_on(const NoiseEstimate& a,
                                           const NoiseEstimate& other) const {
  return public_entry("NoiseEstimator::depending_on", [&] {
    State state = state_of(a);
    state.messages = all_of(state.messages, state_of(other).messages);
    return made(std::move(state));
  });
}

}  // namespace ringlet
