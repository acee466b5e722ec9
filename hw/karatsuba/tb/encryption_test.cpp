// SPDX-License-Identifier: Apache-2.0
// Encryptions of FV whose products the accelerator computes have the same bits as in software, and
// decrypt to the message.

#include "Vkaratsuba_full.h"
#include "fv/state.hpp"
#include "hw/karatsuba/model/software_half.hpp"
#include "hw/karatsuba/tb/job_data.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/fv/fv.hpp"
#include "ringlet/fv/wide_product.hpp"
#include "ringlet/rlwe/random.hpp"

namespace ringlet::hw {
namespace {

constexpr std::size_t kAtOnce = 4;
constexpr std::int32_t kErrorBound = 21;

// The samples of an encryption: U of bits, and two errors of FV's size.
struct Draws {
  Draws(std::size_t degree, std::mt19937_64& rng) : u(degree) {
    for (std::int8_t& bit : u) bit = static_cast<std::int8_t>(rng() & 1);
    std::binomial_distribution<std::int32_t> centred(2 * kErrorBound, 0.5);
    for (auto& error : e) {
      error.resize(degree);
      for (std::int32_t& value : error) value = centred(rng) - kErrorBound;
    }
  }
  std::vector<std::int8_t> u;
  std::array<std::vector<std::int32_t>, 2> e;
};

class AcceleratedEncryption : public ::testing::Test {
 protected:
  using Polys = std::vector<std::array<WidePoly, 2>>;

  /// One to four encryptions of zero through two jobs of the accelerator, one per component.
  Polys by_hardware(const fv::Context& context, const fv::PublicKey& key,
                    const std::vector<Draws>& draws) {
    const WideProduct& product = context.product();
    const SoftwareHalf software(simulation_.shape(), product.polynomial(), product.modulus());
    std::vector<std::span<const std::int8_t>> u;
    for (const Draws& draw : draws) u.emplace_back(draw.u);
    Polys results(draws.size());
    for (std::size_t component = 0; component < 2; ++component) {
      const std::vector<Burst> answer = multiply(software, product.modulus(), key[component], u);
      joined_.resize(draws.size());
      software.join(joined_, answer);
      for (std::size_t i = 0; i < draws.size(); ++i) {
        software.finish(results[i][component], joined_[i], draws[i].e[component]);
      }
    }
    return results;
  }

  static Polys by_software(const fv::Context& context, const fv::PublicKey& key,
                           const std::vector<Draws>& draws) {
    Polys results(draws.size());
    for (std::size_t component = 0; component < 2; ++component) {
      const auto prepared = context.product().prepare(key[component]);
      for (std::size_t i = 0; i < draws.size(); ++i) {
        const std::span<const std::int8_t> u(draws[i].u);
        const std::span<const std::int32_t> e(draws[i].e[component]);
        context.product().multiply_add({&results[i][component], 1}, *prepared, {&u, 1}, {&e, 1});
      }
    }
    return results;
  }

  std::vector<Burst> multiply(const SoftwareHalf& software, const WideModulus& q, const WidePoly& p,
                              wide::SmallOperands u) {
    Job job;
    job.modulus = q.value();
    job.encryptions = static_cast<int>(u.size());
    software.prepare(stream_, p, u);
    const Outcome outcome = simulation_.run(job, stream_, random_gaps(rng_, 64, 64));
    EXPECT_EQ(outcome.status.state, State::done);
    EXPECT_FALSE(outcome.unstable);
    return outcome.output;
  }

  void check(const fv::Parameters& parameters, std::size_t count) {
    const fv::Context context(parameters, SecurityLevel::reproduction);
    const fv::KeyGenerator generator(context, RandomSource::for_testing(rng_()));
    const fv::PublicKey key = generator.create_public_key();
    const fv::Decryptor decryptor(context, generator.secret_key());
    for (std::size_t done = 0; done < count;) {
      const std::size_t some = std::min(1 + done % kAtOnce, count - done);
      std::vector<Draws> draws;
      for (std::size_t i = 0; i < some; ++i) draws.emplace_back(parameters.ring.degree(), rng_);
      Polys made = by_hardware(context, key, draws);
      ASSERT_EQ(made, by_software(context, key, draws)) << "encryption " << done;
      for (auto& polys : made) {
        fv::Message message(parameters.ring.degree());
        for (std::uint64_t& bit : message) bit = rng_() & 1;
        const auto& state = fv::Access::state(context);
        state.scaling.add_scaled(polys[0], message);
        fv::Ciphertext encrypted;
        fv::Access::polys(encrypted) = std::move(polys);
        fv::Access::set_owner(encrypted, state, key.key_id());
        ASSERT_EQ(decryptor.decrypt(encrypted), message) << "encryption " << done;
      }
      done += some;
    }
  }

  AcceleratorSimulation simulation_{std::make_unique<VerilatedDevice<Vkaratsuba_full>>()};
  std::mt19937_64 rng_{test::make_rng()};
  // Used by every job, so that what one leaves behind cannot reach the next unnoticed.
  std::vector<Burst> stream_;
  std::vector<SoftwareHalf::Joined> joined_;
};

TEST_F(AcceleratedEncryption, EqualsSoftwareInThePapersRing) {
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t ticks = simulation_.ticks();
  const std::size_t count = test::scaled(10);
  check(fv::Parameters::reproduction_2420(), count);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const std::uint64_t cycles = simulation_.ticks() - ticks;
  std::printf("%zu encryptions, both components: %llu cycles, %.0f cycles per second\n", count,
              static_cast<unsigned long long>(cycles), static_cast<double>(cycles) / seconds);
}

TEST_F(AcceleratedEncryption, EqualsSoftwareWhereTheRingFillsThePolynomial) {
  check(fv::Parameters::reproduction_2560(), 3);
}

TEST_F(AcceleratedEncryption, RefusesWhatDoesNotFit) {
  const CyclotomicPolynomial polynomial(2783);
  EXPECT_THROW(SoftwareHalf(simulation_.shape(), polynomial, WideModulus::largest_prime(127)),
               InvalidArgument);
  EXPECT_THROW(SoftwareHalf(simulation_.shape(), CyclotomicPolynomial(8191),
                            WideModulus::largest_prime(125)),
               InvalidArgument);
  const WideModulus q = WideModulus::largest_prime(125);
  const SoftwareHalf software(simulation_.shape(), polynomial, q);
  const WidePoly p(2420, q.word_count());
  std::vector<std::int8_t> u(2420);
  const std::vector<std::span<const std::int8_t>> five(5, u);
  EXPECT_THROW(software.prepare(stream_, p, five), InvalidArgument);
  EXPECT_THROW(software.prepare(stream_, p, {}), InvalidArgument);
  EXPECT_THROW(software.prepare(stream_, WidePoly(2560, q.word_count()), std::span(five).first(1)),
               InvalidArgument);
  u[17] = -1;
  EXPECT_THROW(software.prepare(stream_, p, std::span(five).first(1)), InvalidArgument);
  joined_.resize(4);
  EXPECT_THROW(software.join(joined_, std::vector<Burst>(129194)), InvalidArgument);
  joined_.resize(5);
  EXPECT_THROW(software.join(joined_, std::vector<Burst>(129195)), InvalidArgument);
}

}  // namespace
}  // namespace ringlet::hw
