// SPDX-License-Identifier: Apache-2.0
#include "ringlet/rlwe/random.hpp"

#include <atomic>
#include <cerrno>
#include <utility>

#include <sys/random.h>

#include "base/text.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/base/wipe.hpp"
#include "rlwe/random/sha256.hpp"

namespace ringlet {

struct RandomSource::TestingState {
  explicit TestingState(std::uint64_t seed_in) : seed(seed_in) {}

  std::uint64_t seed;
  std::atomic<std::uint64_t> draws{0};
};

RandomSource::RandomSource() noexcept = default;

RandomSource RandomSource::for_testing(std::uint64_t seed) {
  RandomSource source;
  source.testing_ = std::make_shared<TestingState>(seed);
  return source;
}

RandomSource RandomSource::from_generator(
    std::function<void(std::span<std::uint8_t, kSeedBytes>)> generator) {
  RandomSource source;
  source.generator_ = std::move(generator);
  return source;
}

RandomSource RandomSource::with_uniform_half(UniformHalf uniform_half) const {
  RandomSource source = *this;
  source.uniform_half_ = std::move(uniform_half);
  return source;
}

void RandomSource::draw_seed(std::span<std::uint8_t, kSeedBytes> seed) const {
  if (generator_) return generator_(seed);
  if (testing_ != nullptr) {
    rlwe::ByteString message;
    message.append("ringlet.testing.1");
    message.append(testing_->seed);
    message.append(testing_->draws.fetch_add(1));
    rlwe::sha256(message, seed);
    return;
  }
  std::size_t filled = 0;
  while (filled < seed.size()) {
    const ssize_t count = getrandom(seed.data() + filled, seed.size() - filled, 0);
    if (count > 0) {
      filled += static_cast<std::size_t>(count);
    } else if (count == 0 || errno != EINTR) {
      const int error = errno;
      secure_wipe(seed.data(), seed.size());
      throw_runtime_error({.operation = "RandomSource::draw_seed",
                           .offending = concat("getrandom failed, errno = ", error),
                           .limit = "32 bytes of the operating system's randomness",
                           .remedy = "let the process call getrandom (a sandbox may forbid it)"});
    }
  }
}

}  // namespace ringlet
