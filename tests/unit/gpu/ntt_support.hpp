// SPDX-License-Identifier: Apache-2.0
#pragma once

// Transforms on a device, compared with those of the processor word by word.

#include "gpu/backend/device_ntt.hpp"
#include "ringlet/ntt/ntt.hpp"
#include "support/devices/device_backend_pair.hpp"
#include "support/test.hpp"

namespace ringlet::gpu {

using test::Words;

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

/// The end of the name of a prime's transform.
inline std::string path_name(const Modulus& q, const DeviceOptions& options) {
  if (options.use_narrow_words && q.value() < (std::uint64_t{1} << 30)) return "/narrow";
  return options.use_lazy_reduction && q.value() < (std::uint64_t{1} << 57) ? "/lazy" : "/exact";
}

class NttTest : public test::DeviceBackendTest {
 protected:
  /// Words of limbs with a stride.
  Words fill(const RnsBasis& basis, const std::vector<Limb>& limbs, std::size_t stride) {
    const std::size_t degree = basis.degree();
    Words words(limbs.size() * stride, kBetween);
    for (std::size_t i = 0; i < limbs.size(); ++i) {
      const std::uint64_t q = basis[limbs[i].prime].value();
      const auto limb = std::span(words).subspan(i * stride, degree);
      const bool is_largest = limbs[i].fill == Fill::largest;
      std::ranges::fill(limb, is_largest ? q - 1 : limbs[i].fill == Fill::above ? 4 * q - 1 : 0);
      if (limbs[i].fill == Fill::one) limb[rng() % degree] = 1;
      if (limbs[i].fill == Fill::random) {
        std::ranges::copy(test::mixed_values(degree, q, 1, rng), limb.begin());
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

    void expect(const Words& wanted, const char* where) const {
      Words words(count);
      memory->download(words.data(), address, count);
      EXPECT_TRUE(words == wanted) << where;
    }

    std::shared_ptr<DeviceMemory> memory;
    std::uint64_t* address;
    std::size_t count;
  };

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

  /// A transform of every prime with every fill, primes mixed: apart, to the middle of a block, in
  /// place, and back.
  void check(const DeviceNtt& ntt, const RnsBasis& basis, bool is_forward, std::size_t stride) {
    std::vector<Limb> limbs;
    for (const Fill fill : {Fill::random, Fill::zero, Fill::largest, Fill::above, Fill::one}) {
      if (fill == Fill::above && !is_forward) continue;
      for (std::size_t prime = 0; prime < basis.size(); ++prime) limbs.push_back({prime, fill});
    }
    const Words operand = fill(basis, limbs, stride);
    const Words wanted = expected(basis, limbs, operand, stride, is_forward);
    const PlacedList list(*this, limbs);
    const Block source(memory, operand);
    const Block room(memory, Words(operand.size() + 3, kBetween));
    const Limbs a{.place = memory->resolve(source.address), .stride = stride};
    const Limbs result{.place = memory->resolve(room.address + 3), .stride = stride};
    const auto transform = [&](bool forward, const Limbs& to, const Limbs& from) {
      memory->with_queue([&](Queue& queue) {
        forward ? ntt.forward(queue, to, from, list.primes)
                : ntt.inverse(queue, to, from, list.primes);
      });
    };
    transform(is_forward, result, a);
    Words apart(3, kBetween);
    apart.insert(apart.end(), wanted.begin(), wanted.end());
    room.expect(apart, "apart");
    source.expect(operand, "the operand has changed");
    transform(is_forward, a, a);
    source.expect(wanted, "in place");
    if (is_forward) return;
    transform(true, a, a);
    source.expect(operand, "there and back");
  }

  void check_basis(const DeviceOptions& options, const RnsBasis& basis) {
    memory = make_memory(options);
    const DeviceNtt ntt(memory, basis);
    SCOPED_TRACE(::testing::Message() << ntt.name(0) << ", degree " << basis.degree());
    for (std::size_t i = 0; i < basis.size(); ++i) {
      EXPECT_TRUE(ntt.name(i).ends_with(path_name(basis[i], options))) << ntt.name(i);
    }
    const std::size_t stride = basis.degree() + basis.degree() % 3;
    for (const bool is_forward : {true, false}) check(ntt, basis, is_forward, stride);
  }
  void check_degree(const DeviceOptions& options, std::size_t degree,
                    const std::vector<int>& bits = kBits) {
    check_basis(options, test::make_basis_of_bits(degree, bits));
  }

  std::shared_ptr<DeviceMemory> memory;
  std::mt19937_64 rng = test::make_rng();
};

}  // namespace ringlet::gpu
