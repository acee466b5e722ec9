// SPDX-License-Identifier: Apache-2.0
// Writes a file of encryptions for hw_bus_host: a fresh pair of keys of FV with a modulus of 125
// bits and binary secrets, random messages, the samples of each encryption, and its ciphertext.
//   hw_bus_job FILE M COUNT SEED
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <vector>

#include "fv/ephemeral.hpp"
#include "fv/state.hpp"
#include "hw/karatsuba/bus/job_file.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/fv/fv.hpp"

namespace ringlet::hw::bus {
namespace {

constexpr int kModulusBits = 125;
constexpr std::uint32_t kKeyName = 7;

std::vector<std::int16_t> narrowed(const rlwe::ErrorPoly& error) {
  std::vector<std::int16_t> noise;
  for (const std::int32_t value : error) {
    noise.push_back(static_cast<std::int16_t>(value));
    if (noise.back() != value) {
      throw_runtime_error({"file of encryptions", "noise beyond 16 bits", "what the card takes",
                           "take a ring whose coefficients grow less"});
    }
  }
  return noise;
}

Job make_job(std::uint64_t index, std::size_t count, std::uint64_t seed) {
  const fv::Parameters parameters{.ring = RingSpec::cyclotomic(index),
                                  .modulus = WideModulus::largest_prime(kModulusBits),
                                  .plain_modulus = 2,
                                  .secrets = fv::SecretDistribution::binary,
                                  .way = ProductWay::automatic};
  // No security level: the rings serve tests and the comparison with the paper.
  const fv::Context context(parameters, SecurityLevel::none);
  const fv::Access::State& state = fv::Access::state(context);
  const fv::KeyGenerator generator(context, RandomSource::for_testing(seed));
  const fv::PublicKey key = generator.create_public_key();

  Job job;
  job.index = index;
  job.key = {.name = kKeyName,
             .modulus = parameters.modulus.value(),
             .message_bit = state.scaling.scale(1),
             .polys = {key[0], key[1]}};
  const auto secret = generator.secret_key().coefficients();
  job.secret_key.assign(secret.begin(), secret.end());
  // `samples` and the encryptor draw the same seeds in the same order.
  const RandomSource samples = RandomSource::for_testing(seed + 1);
  const fv::Encryptor encryptor(context, key, RandomSource::for_testing(seed + 1));
  std::mt19937_64 rng(seed);
  for (std::size_t i = 0; i < count; ++i) {
    fv::Message message(parameters.ring.degree());
    for (std::uint64_t& bit : message) bit = rng() & 1;
    const fv::Ephemeral drawn(state, samples);
    resident::Encryption& one = job.encryptions.emplace_back();
    one.key_name = kKeyName;
    one.u.assign(drawn.secret.begin(), drawn.secret.end());
    one.message.assign(message.begin(), message.end());
    for (std::size_t c = 0; c < 2; ++c) one.noise[c] = narrowed(drawn.errors[c]);
    const fv::Ciphertext encrypted = encryptor.encrypt(message);
    job.ciphertexts.push_back({encrypted[0], encrypted[1]});
  }
  return job;
}

}  // namespace
}  // namespace ringlet::hw::bus

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: hw_bus_job FILE M COUNT SEED\n");
    return 2;
  }
  const auto number = [&](int i) { return std::strtoull(argv[i], nullptr, 10); };
  try {
    ringlet::hw::bus::write_job(argv[1],
                                ringlet::hw::bus::make_job(number(2), number(3), number(4)));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
