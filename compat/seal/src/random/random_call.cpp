// SPDX-License-Identifier: Apache-2.0
#include "random/random_call.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "random/seed_expansion.hpp"
#include "ringlet/ring/backend.hpp"
#include "seal/version.h"

namespace ringlet::seal4::detail {
namespace {

thread_local RandomCall* current_call = nullptr;

// Expands a new public seed as readers of this version's files do, limb by limb in NTT form.
void expand_uniform_half(const Backend& backend, Form stored, NttView a,
                         std::span<const ringlet::Modulus> moduli) {
  std::vector<std::uint64_t> primes;
  for (const ringlet::Modulus& q : moduli) primes.push_back(q.value());
  std::vector<std::uint64_t> words(primes.size() * a.degree);
  expand_seed(RandomCall::current().draw_public_seed(), SEALVersion{}, primes, a.degree,
              words.data());
  if (stored == Form::coefficient) {
    // Levels have the first primes of the backend's basis.
    std::vector<std::size_t> indices(primes.size());
    std::iota(indices.begin(), indices.end(), std::size_t{0});
    backend.forward_ntt(a, ConstCoeffView{words.data(), a.degree, primes.size(), a.degree},
                        indices);
    return;
  }
  for (std::size_t i = 0; i < primes.size(); ++i) {
    std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(i * a.degree), a.degree,
                a.limb(i).begin());
  }
}

}  // namespace

RandomCall::RandomCall(const EncryptionParameters& parms)
    : factory_(parms.random_generator()),
      generator_(factory_ ? factory_->create() : nullptr),
      outer_(std::exchange(current_call, this)) {}

RandomCall::~RandomCall() { current_call = outer_; }

RandomCall& RandomCall::current() noexcept { return *current_call; }

void RandomCall::generate(std::span<std::uint8_t> bytes) {
  auto* buffer = reinterpret_cast<seal_byte*>(bytes.data());
  if (generator_) {
    generator_->generate(bytes.size(), buffer);
  } else {
    random_bytes(buffer, bytes.size());
  }
}

const UniformRandomGeneratorInfo& RandomCall::draw_public_seed() {
  prng_seed_type seed;
  generate({reinterpret_cast<std::uint8_t*>(seed.data()), sizeof(seed)});
  // A seed is useless in a file whose readers cannot make its generator.
  UniformRandomGeneratorInfo info(prng_type::blake2xb, seed);
  if (factory_) {
    const UniformRandomGeneratorInfo own = factory_->create(seed)->info();
    if (own.type() != prng_type::unknown) info = own;
  }
  return public_seeds_.emplace_back(info);
}

std::vector<UniformRandomGeneratorInfo> RandomCall::take_public_seeds() {
  return std::exchange(public_seeds_, {});
}

RandomSource random_source(const EncryptionParameters& parms) {
  if (parms.random_generator() == nullptr) return RandomSource();
  return RandomSource::from_generator(
      [](std::span<std::uint8_t, kSeedBytes> seed) { RandomCall::current().generate(seed); });
}

RandomSource symmetric_random_source(const EncryptionParameters& parms,
                                     const ringlet::Context& context, Form stored, bool seeded) {
  if (!seeded && parms.random_generator() == nullptr) return random_source(parms);
  return random_source(parms).with_uniform_half(
      [context, stored](NttView a, std::span<const ringlet::Modulus> moduli) {
        expand_uniform_half(context.backend(), stored, a, moduli);
      });
}

}  // namespace ringlet::seal4::detail
