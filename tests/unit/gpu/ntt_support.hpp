// SPDX-License-Identifier: Apache-2.0
#pragma once

// Transforms on a device, compared with those of the processor word by word.

#include "gpu/device_memory.hpp"
#include "gpu/device_ntt.hpp"
#include "gpu/driver.hpp"
#include "gpu/ntt_plan.hpp"
#include "ringlet/ntt.hpp"
#include "ringlet/primes.hpp"
#include "support/device_backend_pair.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

namespace ringlet::gpu {

using Words = std::vector<std::uint64_t>;

/// What a limb holds before the transform.
enum class Fill : std::uint8_t { random, zero, largest, above, one };

/// Words between limbs, and after the last.
inline constexpr std::uint64_t kBetween = 0xa5a5a5a5a5a5a5a5u;

struct Limb {
  std::size_t prime;
  Fill fill;
};

inline constexpr GpuNtt kVariants[] = {GpuNtt::naive,     GpuNtt::simd_8_8, GpuNtt::simd_16_8,
                                       GpuNtt::simd_32_8, GpuNtt::radix4,   GpuNtt::radix8,
                                       GpuNtt::radix16};
inline const std::vector<int> kBits = {30, 50, 57, 58, 60, 61};

inline RnsBasis make_basis(std::size_t degree, const std::vector<int>& bits) {
  std::vector<Modulus> moduli;
  for (const int bit_count : bits) {
    const auto primes = generate_ntt_primes(bit_count, degree, 2);
    moduli.push_back(
        std::find(moduli.begin(), moduli.end(), primes[0]) == moduli.end() ? primes[0] : primes[1]);
  }
  return {degree, moduli};
}

/// Every prime with every fill, primes mixed.
inline std::vector<Limb> all_limbs(std::size_t prime_count, bool has_above) {
  std::vector<Limb> limbs;
  for (const Fill fill : {Fill::random, Fill::zero, Fill::largest, Fill::above, Fill::one}) {
    if (fill == Fill::above && !has_above) continue;
    for (std::size_t prime = 0; prime < prime_count; ++prime) limbs.push_back({prime, fill});
  }
  return limbs;
}

/// The end of the name of a prime's transform.
inline std::string path_name(const Modulus& q, const DeviceOptions& options) {
  if (options.use_narrow_words && q.value() < (std::uint64_t{1} << 30)) return "/narrow";
  return options.use_lazy_reduction && q.value() < (std::uint64_t{1} << 57) ? "/lazy" : "/exact";
}

class NttTest : public test::DeviceBackendTest {
 protected:
  void open(const DeviceOptions& options) { memory = make_memory(options); }

  /// Words of limbs with a stride.
  Words fill(const RnsBasis& basis, const std::vector<Limb>& limbs, std::size_t stride) {
    Words words(limbs.size() * stride, kBetween);
    for (std::size_t i = 0; i < limbs.size(); ++i) {
      const std::uint64_t q = basis[limbs[i].prime].value();
      const auto limb = words.begin() + static_cast<std::ptrdiff_t>(i * stride);
      const auto end = limb + static_cast<std::ptrdiff_t>(basis.degree());
      switch (limbs[i].fill) {
        case Fill::random:
          std::ranges::copy(test::mixed_values(basis.degree(), q, 1, rng), limb);
          break;
        case Fill::zero:
          std::fill(limb, end, 0);
          break;
        case Fill::largest:
          std::fill(limb, end, q - 1);
          break;
        case Fill::above:
          std::fill(limb, end, 4 * q - 1);
          break;
        case Fill::one:
          std::fill(limb, end, 0);
          limb[static_cast<std::ptrdiff_t>(rng() % basis.degree())] = 1;
          break;
      }
    }
    return words;
  }

  /// The same on the host: only the words of limbs change.
  static Words expected(const RnsBasis& basis, const std::vector<Limb>& limbs, Words words,
                        std::size_t stride, bool is_forward) {
    std::vector<Ntt> plans;
    for (const Modulus& q : basis.moduli()) plans.emplace_back(basis.degree(), q);
    for (std::size_t i = 0; i < limbs.size(); ++i) {
      const auto limb = std::span(words).subspan(i * stride, basis.degree());
      if (is_forward) {
        plans[limbs[i].prime].forward(limb, limb, 4);
      } else {
        plans[limbs[i].prime].inverse(limb, limb);
      }
    }
    return words;
  }

  /// A block of device words.
  struct Block {
    Block(std::shared_ptr<DeviceMemory> device_memory, const Words& words)
        : memory(std::move(device_memory)),
          address(memory->allocate(words.size(), Secrecy::open)),
          count(words.size()) {
      memory->upload(address, words.data(), words.size());
    }
    ~Block() { memory->release(address); }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

    Words words() const {
      Words result(count);
      memory->download(result.data(), address, count);
      return result;
    }

    std::shared_ptr<DeviceMemory> memory;
    std::uint64_t* address;
    std::size_t count;
  };

  /// Both transforms of all limbs: forward to a place of its own with another stride, inverse of
  /// what comes out and back in place, and of the operand's residues.
  void check(const DeviceNtt& ntt, const RnsBasis& basis, std::size_t gap) {
    check_forward(ntt, basis, gap);
    check_inverse(ntt, basis, gap);
  }

  void check_forward(const DeviceNtt& ntt, const RnsBasis& basis, std::size_t gap) {
    const std::vector<Limb> limbs = all_limbs(basis.size(), true);
    const std::size_t stride = basis.degree() + gap;
    const Words operand = fill(basis, limbs, stride);
    const Words values = expected(basis, limbs, operand, stride, true);
    expect_transform(limbs, stride, operand, values,
                     [&](Queue& queue, const Limbs& result, const Limbs& a, const PrimeList& list) {
                       ntt.forward(queue, result, a, list);
                     });
  }

  void check_inverse(const DeviceNtt& ntt, const RnsBasis& basis, std::size_t gap) {
    const std::vector<Limb> limbs = all_limbs(basis.size(), false);
    const std::size_t stride = basis.degree() + gap;
    const Words operand = fill(basis, limbs, stride);
    const Words coefficients = expected(basis, limbs, operand, stride, false);
    expect_transform(limbs, stride, operand, coefficients,
                     [&](Queue& queue, const Limbs& result, const Limbs& a, const PrimeList& list) {
                       ntt.inverse(queue, result, a, list);
                     });
    // There and back again, in place.
    const Block words(memory, operand);
    const PlacedList list(*this, limbs);
    const Limbs place{.place = memory->resolve(words.address), .stride = stride};
    memory->with_queue([&](Queue& queue) {
      ntt.inverse(queue, place, place, list.primes);
      ntt.forward(queue, place, place, list.primes);
    });
    EXPECT_EQ(differences(words.words(), operand), 0u);
  }

  /// The indices of primes of limbs, on the device; they begin in the middle of a block.
  struct PlacedList {
    PlacedList(const NttTest& test, const std::vector<Limb>& limbs)
        : block(test.memory, indices(limbs)),
          primes{.place = test.memory->resolve(block.address + 1), .count = limbs.size()} {}
    static Words indices(const std::vector<Limb>& limbs) {
      Words words{~std::uint64_t{0}};
      for (const Limb& limb : limbs) words.push_back(limb.prime);
      return words;
    }
    Block block;
    PrimeList primes;
  };

  static std::size_t differences(const Words& a, const Words& b) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i];
    return count;
  }

  /// Apart, with words of their own between the limbs of the result, and in place.
  template <typename Transform>
  void expect_transform(const std::vector<Limb>& limbs, std::size_t stride, const Words& operand,
                        const Words& wanted, const Transform& transform) {
    const PlacedList list(*this, limbs);
    const Block source(memory, operand);
    const Block room(memory, Words(operand.size() + 3, kBetween));
    const Limbs a{.place = memory->resolve(source.address), .stride = stride};
    const Limbs result{.place = memory->resolve(room.address + 3), .stride = stride};
    memory->with_queue([&](Queue& queue) { transform(queue, result, a, list.primes); });
    Words apart = room.words();
    EXPECT_EQ(Words(apart.begin(), apart.begin() + 3), Words(3, kBetween));
    apart.erase(apart.begin(), apart.begin() + 3);
    EXPECT_EQ(differences(apart, wanted), 0u) << "apart";
    EXPECT_EQ(differences(source.words(), operand), 0u) << "the operand has changed";
    memory->with_queue([&](Queue& queue) { transform(queue, a, a, list.primes); });
    EXPECT_EQ(differences(source.words(), wanted), 0u) << "in place";
  }

  void check_degree(GpuNtt variant, std::size_t degree, const std::vector<int>& bits = kBits) {
    DeviceOptions options;
    options.ntt = variant;
    check_degree(options, degree, bits);
  }
  void check_degree(const DeviceOptions& options, std::size_t degree,
                    const std::vector<int>& bits) {
    check_basis(options, make_basis(degree, bits));
  }
  void check_basis(const DeviceOptions& options, const RnsBasis& basis) {
    open(options);
    const DeviceNtt ntt(memory, basis);
    SCOPED_TRACE(::testing::Message() << ntt.name(0) << ", degree " << basis.degree());
    for (std::size_t i = 0; i < basis.size(); ++i) {
      EXPECT_TRUE(ntt.name(i).ends_with(path_name(basis[i], options))) << ntt.name(i);
    }
    check(ntt, basis, basis.degree() % 3);
  }

  std::shared_ptr<DeviceMemory> memory;
  std::mt19937_64 rng = test::make_rng();
};

}  // namespace ringlet::gpu
