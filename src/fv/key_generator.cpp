// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>
#include <utility>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "fv/samplers.hpp"
#include "fv/state.hpp"
#include "rlwe/random/random_stream.hpp"

namespace ringlet::fv {
namespace {

void check_source(const RandomSource& random) {
  if (random.uniform_half() == nullptr) return;
  refuse("the source draws uniform halves of its own",
         "uniform halves that are expanded from a published seed",
         "pass a source that draws no uniform halves");
}

}  // namespace

KeyGenerator::KeyGenerator(const Context& context, RandomSource random)
    : context_(context), random_(std::move(random)) {
  public_entry("fv::KeyGenerator", [&] { check_source(random_); });
  const Parameters& parameters = context_.parameters();
  secret_key_.coefficients_.resize(parameters.ring.degree());
  const rlwe::Seed seed(random_);
  sample_secret(secret_key_.coefficients_, parameters.secrets, seed);
  Access::set_owner(secret_key_, Access::state(context_), rlwe::sample_key_id(seed));
}

KeyGenerator::KeyGenerator(const Context& context, SecretKey secret_key, RandomSource random)
    : context_(context), random_(std::move(random)), secret_key_(std::move(secret_key)) {
  public_entry("fv::KeyGenerator", [&] {
    check_source(random_);
    check_parms_id(context_, secret_key_.parms_id(), "secret key");
  });
}

PublicKey KeyGenerator::create_public_key() const {
  const Access::State& state = Access::state(context_);
  const WideModulus& q = state.parameters.modulus;
  const std::size_t degree = state.parameters.ring.degree();
  const rlwe::Seed seed(random_);
  const rlwe::Seed public_seed(seed, {rlwe::StreamPurpose::public_seed});
  rlwe::RandomStream error_stream(seed, {rlwe::StreamPurpose::error});
  rlwe::ErrorPoly error(degree);
  state.errors.sample(error, error_stream);

  PublicKey key;
  std::ranges::copy(public_seed.bytes(), key.seed_.begin());
  key.polys_ = {WidePoly(degree, q.word_count()), WidePoly(degree, q.word_count())};
  expand_uniform(key.polys_[1], q, public_seed);
  // Subtracting A*S from E would leave A*S alone in memory for a while, which gives S away.
  const std::span<const std::int8_t> s = secret_key_.coefficients();
  const std::span<const std::int32_t> e = error;
  const auto a = state.product.prepare(key.polys_[1]);
  state.product.multiply_add({key.polys_.data(), 1}, *a, {&s, 1}, {&e, 1});
  const WidePoly zero(degree, q.word_count());
  ringlet::subtract(key.polys_[0], zero, key.polys_[0], q);
  Access::set_owner(key, state, secret_key_.key_id());
  return key;
}

}  // namespace ringlet::fv
