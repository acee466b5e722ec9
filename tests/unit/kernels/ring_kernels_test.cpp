// SPDX-License-Identifier: Apache-2.0
// Every kernel of basis conversions that this processor runs, compared with the definitions of
// conversion_kernel.hpp in 128-bit integers.

#include "ringlet/arith/modulus.hpp"
#include "ringlet/base/aligned.hpp"
#include "support/kernels/kernels_of_tables.hpp"
#include "support/values.hpp"

namespace ringlet::test {
namespace {

using kernels::ConversionKernel;
using kernels::ConversionPrime;
using Rows = AlignedVector<std::uint64_t>;

constexpr std::size_t kStride = 136;
constexpr std::initializer_list<std::size_t> kWords = {1,  2,  3,  5,  7,   8,   9,   15,  16,
                                                       17, 31, 33, 64, 100, 127, 128, 129, 136};

std::size_t padded(std::size_t words) {
  return (words + kernels::kConversionPadding - 1) / kernels::kConversionPadding *
         kernels::kConversionPadding;
}

struct ConversionKernels : ::testing::Test {
  /// Odd moduli up to the limit of a kernel, on both sides of powers of two.
  std::vector<std::uint64_t> moduli(const ConversionKernel& kernel) {
    std::vector<std::uint64_t> result = neighbours_of_powers(7, 61, random_);
    std::erase_if(result, [&](auto q) { return q % 2 == 0 || q >= kernel.modulus_limit; });
    result.insert(result.end(), {3, 5, 257, 65537});
    result.push_back(kernel.modulus_limit / 2 + 1);
    result.push_back(kernel.modulus_limit - 1);
    return result;
  }
  /// A residue modulo q, often one at an edge.
  std::uint64_t residue(std::uint64_t q) {
    const std::uint64_t edges[] = {0, q - 1, q / 2};
    const std::uint64_t choice = random_() % 8;
    return choice < std::size(edges) ? edges[choice] : random_() % q;
  }
  ConversionPrime prime(std::uint64_t q, int word_bits, int fraction_bits) {
    const std::uint64_t factor = residue(q);
    return {.q = q,
            .factor = factor,
            .factor_quotient = shoup_quotient(factor, q),
            .reciprocal =
                static_cast<std::uint64_t>((uint128_t{1} << (word_bits + fraction_bits)) / q)};
  }

  std::mt19937_64 random_{test_seed()};
};

TEST_F(ConversionKernels, ScalesEveryRow) {
  for_each_kernel_of(&kernels::KernelTable::conversion, [&](const ConversionKernel& kernel) {
    const std::vector<std::uint64_t> q = moduli(kernel);
    std::vector<ConversionPrime> primes;
    for (const std::uint64_t modulus : q) primes.push_back(prime(modulus, 52, 1));
    for (const std::size_t words : kWords) {
      std::vector<std::uint64_t> a(q.size() * (words + 3));
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = residue(q[i / (words + 3)]);
      Rows rows(q.size() * kStride, kSentinel);
      kernel.scale({.rows = rows.data(),
                    .row_stride = kStride,
                    .a = a.data(),
                    .a_stride = words + 3,
                    .primes = primes.data(),
                    .prime_count = q.size(),
                    .words = words});
      for (std::size_t i = 0; i < q.size(); ++i) {
        for (std::size_t c = 0; c < kStride; ++c) {
          const std::uint64_t expected =
              c >= padded(words) ? kSentinel
              : c >= words       ? 0
                                 : static_cast<std::uint64_t>(uint128_t{a[i * (words + 3) + c]} *
                                                              primes[i].factor % q[i]);
          ASSERT_EQ(rows[i * kStride + c], expected) << q[i] << ", word " << c << " of " << words;
        }
      }
    }
  });
}

TEST_F(ConversionKernels, CountsInFixedPoint) {
  for_each_kernel_of(&kernels::KernelTable::conversion, [&](const ConversionKernel& kernel) {
    for (const int word_bits : {52, 64}) {
      const std::uint64_t limit =
          std::min(kernel.modulus_limit, std::uint64_t{1} << (word_bits == 52 ? 50 : 61));
      if (word_bits == 64 && limit <= std::uint64_t{1} << 50) continue;  // then word_bits is 52
      for (const std::size_t count : {1u, 2u, 17u, 40u}) {
        const int fraction_bits = std::bit_width(limit / 4) - 1;
        std::vector<ConversionPrime> primes;
        for (std::size_t i = 0; i < count; ++i) {
          primes.push_back(prime(limit - 1 - 2 * i, word_bits, fraction_bits));
        }
        for (const std::size_t words : kWords) {
          Rows rows(count * kStride, 0);
          for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t c = 0; c < words; ++c) rows[i * kStride + c] = residue(primes[i].q);
          }
          Rows u(kStride, kSentinel);
          kernel.count({.u = u.data(),
                        .rows = rows.data(),
                        .row_stride = kStride,
                        .primes = primes.data(),
                        .prime_count = count,
                        .word_bits = word_bits,
                        .fraction_bits = fraction_bits,
                        .words = words});
          for (std::size_t c = 0; c < words; ++c) {
            std::uint64_t sum = std::uint64_t{1} << (fraction_bits - 1);
            for (std::size_t i = 0; i < count; ++i) {
              sum += static_cast<std::uint64_t>(
                  (uint128_t{rows[i * kStride + c]} * primes[i].reciprocal) >> word_bits);
            }
            ASSERT_EQ(u[c], sum >> fraction_bits) << word_bits << ", word " << c << " of " << words;
          }
          for (std::size_t c = padded(words); c < kStride; ++c) ASSERT_EQ(u[c], kSentinel);
        }
      }
    }
  });
}

// Up to as many rows as a conversion has. With the largest words and factors, sums are full before
// their end.
TEST_F(ConversionKernels, AddsProductsAndReducesTheSum) {
  for_each_kernel_of(&kernels::KernelTable::conversion, [&](const ConversionKernel& kernel) {
    const int limit_bits = std::bit_width(kernel.modulus_limit - 1);
    for (const std::uint64_t p : moduli(kernel)) {
      for (const std::size_t count : {1u, 2u, 5u, 16u, 19u, 257u}) {
        for (const bool is_full : {false, true}) {
          const bool has_extra = random_() % 2 == 0;
          const bool is_padded = random_() % 2 == 0;
          const std::size_t words = is_full ? 41 : std::data(kWords)[random_() % kWords.size()];
          const std::uint64_t bound = (std::uint64_t{1} << limit_bits) - 1;
          Rows rows(count * kStride, 0);
          std::vector<std::uint64_t> factors(count);
          std::vector<std::uint64_t> extra(words);
          for (std::size_t i = 0; i < count; ++i) {
            factors[i] = is_full ? p - 1 : residue(p);
            for (std::size_t c = 0; c < words; ++c) {
              rows[i * kStride + c] = is_full ? bound : residue(bound);
            }
          }
          for (std::uint64_t& word : extra) word = is_full ? bound : residue(bound);
          const std::uint64_t extra_factor = is_full ? p - 1 : residue(p);
          Rows result(kStride, kSentinel);
          kernel.sum({.result = result.data(),
                      .rows = rows.data(),
                      .row_stride = kStride,
                      .factors = factors.data(),
                      .row_count = count,
                      .row_bits = limit_bits,
                      .extra = has_extra ? extra.data() : nullptr,
                      .extra_factor = extra_factor,
                      .is_padded = is_padded,
                      .p = p,
                      .ratio = Modulus(p).ratio(),
                      .words = words});
          for (std::size_t c = 0; c < words; ++c) {
            uint128_t sum = has_extra ? uint128_t{extra[c]} * extra_factor % p : 0;
            for (std::size_t i = 0; i < count; ++i) {
              sum += uint128_t{rows[i * kStride + c]} * factors[i] % p;
            }
            ASSERT_EQ(result[c], static_cast<std::uint64_t>(sum % p))
                << p << ", " << count << " rows, word " << c << " of " << words;
          }
          for (std::size_t c = is_padded ? padded(words) : words; c < kStride; ++c) {
            ASSERT_EQ(result[c], kSentinel) << words;
          }
        }
      }
    }
  });
}

TEST_F(ConversionKernels, CountsWordsFromABoundOn) {
  for_each_kernel_of(&kernels::KernelTable::conversion, [&](const ConversionKernel& kernel) {
    for (const std::uint64_t bound : {std::uint64_t{3}, (std::uint64_t{1} << 50) - 27,
                                      (std::uint64_t{1} << 61) - 1, ~std::uint64_t{0}}) {
      for (std::size_t count = 0; count < 140; ++count) {
        std::vector<std::uint64_t> words(count);
        for (std::uint64_t& word : words) word = residue(bound);
        ASSERT_EQ(kernel.count_from(words.data(), count, bound), 0u) << count;
        if (count == 0) continue;
        std::uint64_t expected = 0;
        for (const std::uint64_t offence : {bound, bound | std::uint64_t{1} << 63}) {
          std::uint64_t& word = words[random_() % count];
          expected += static_cast<std::uint64_t>(word < bound);
          word = offence;
        }
        ASSERT_EQ(kernel.count_from(words.data(), count, bound), expected) << count;
      }
    }
  });
}

// Every kernel of samples and of residues of signed integers that this processor runs, compared
// with the definitions of sampling_kernel.hpp, bit by bit and in 128-bit integers.

using kernels::SamplingKernel;
using int128_t = __int128;
using Sizes = std::initializer_list<std::size_t>;

struct SamplingKernels : ::testing::Test {
  template <typename Integer>
  Integer between(Integer low, Integer high) {
    return std::uniform_int_distribution<Integer>(low, high)(random_);
  }
  /// Both ends and the middle of [-bound, bound], and random values.
  template <typename Integer>
  std::vector<Integer> signed_values(std::size_t count, Integer bound) {
    std::vector<Integer> values(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t edges[] = {-std::int64_t{bound}, bound, 0};
      values[i] = static_cast<Integer>(i % 5 < 3 ? edges[i % 5] : between(edges[0], edges[1]));
    }
    return values;
  }
  /// Random bytes with runs of zeros and ones between them.
  std::vector<std::uint8_t> bytes(std::size_t count) {
    std::vector<std::uint8_t> result(count);
    for (std::size_t i = 0; i < count; ++i) {
      const int kind = between(0, 9);
      result[i] = kind == 0 ? 0 : kind == 1 ? 255 : static_cast<std::uint8_t>(between(0, 255));
    }
    return result;
  }

  std::mt19937_64 random_{test_seed()};
};

constexpr std::uint64_t power(int bits) { return std::uint64_t{1} << bits; }

constexpr std::size_t kGuard = 64;

/// `count` words and kGuard more, which no call may change.
template <typename Word>
std::vector<Word> guarded(std::size_t count) {
  return std::vector<Word>(count + kGuard, 99);
}
template <typename Word>
void expect_guards(const std::vector<Word>& words) {
  EXPECT_EQ(std::count(words.end() - kGuard, words.end(), Word{99}), kGuard);
}

TEST_F(SamplingKernels, BinomialCountsTheBitsOfEverySample) {
  for_each_kernel_of(&kernels::KernelTable::sampling, [&](const SamplingKernel& kernel) {
    for (const std::size_t count : Sizes{0, 1, 3, 4, 5, 7, 8, 9, 15, 16, 63, 64, 65, 1000, 1024}) {
      const std::vector<std::uint8_t> from = bytes(6 * count);
      auto result = guarded<std::int8_t>(count);
      kernel.binomial(result.data(), count, from.data());
      for (std::size_t i = 0; i < count; ++i) {
        int expected = 0;
        for (std::size_t bit = 0; bit < 42; ++bit) {
          expected += (from[6 * i + bit / 8] >> bit % 8 & 1) * (bit < 21 ? 1 : -1);
        }
        ASSERT_EQ(result[i], expected) << count << " " << i;
      }
      expect_guards(result);
    }
  });
}

TEST_F(SamplingKernels, TernaryKeepsTheFieldsThatAreNotThreeInOrder) {
  for_each_kernel_of(&kernels::KernelTable::sampling, [&](const SamplingKernel& kernel) {
    for (const std::size_t byte_count : Sizes{0, 1, 2, 15, 16, 17, 32, 100, 6144}) {
      for (const std::size_t room : Sizes{0, 1, 7, 8, 9, 63, 64, 65, 200, 30000}) {
        const std::vector<std::uint8_t> from = bytes(byte_count);
        std::vector<std::int8_t> expected;
        for (std::size_t i = 0; i < 4 * byte_count && expected.size() < room; ++i) {
          const int field = from[i / 4] >> (2 * (i % 4)) & 3;
          if (field != 3) expected.push_back(static_cast<std::int8_t>(field - 1));
        }
        auto result = guarded<std::int8_t>(room);
        const std::size_t count = kernel.ternary(result.data(), room, from.data(), byte_count);
        ASSERT_EQ(count, expected.size()) << byte_count << " " << room;
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), result.begin()));
        expect_guards(result);
      }
    }
  });
}

TEST_F(SamplingKernels, UniformKeepsTheWordsBelowTheBoundInOrder) {
  for_each_kernel_of(&kernels::KernelTable::sampling, [&](const SamplingKernel& kernel) {
    for (const std::uint64_t bound :
         {power(1), power(1) + 1, power(2) + 1, power(8) + 1, power(49) + 69, power(50) - 27,
          power(61) - 1, power(62) - 57}) {
      const std::uint64_t mask = ~std::uint64_t{0} >> std::countl_zero(bound);
      for (const std::size_t word_count : Sizes{0, 1, 3, 4, 5, 8, 9, 31, 768}) {
        std::vector<std::uint8_t> from = bytes(8 * word_count);
        std::vector<std::uint64_t> words(word_count);
        for (std::size_t i = 0; i < word_count; ++i) {
          // Words on both sides of the bound, with any bits above the mask.
          const int kind = between(0, 5);
          const std::uint64_t edge = (bound - 2 + static_cast<std::uint64_t>(kind)) & mask;
          for (std::size_t k = 0; k < 8; ++k) {
            std::uint8_t& byte = from[8 * i + k];
            if (kind < 4) byte = (edge | (~mask & 0x5aa5ffffu << 31)) >> (8 * k) & 255;
            words[i] |= std::uint64_t{byte} << (8 * k);
          }
        }
        for (const std::size_t room : Sizes{0, 1, 3, 4, 7, 8, 9, 20, 1000}) {
          std::vector<std::uint64_t> expected;
          for (std::size_t i = 0; i < word_count && expected.size() < room; ++i) {
            if ((words[i] & mask) < bound) expected.push_back(words[i] & mask);
          }
          auto result = guarded<std::uint64_t>(room);
          const std::size_t count =
              kernel.uniform(result.data(), room, from.data(), from.size(), mask, bound);
          ASSERT_EQ(count, expected.size()) << bound << " " << word_count << " " << room;
          EXPECT_TRUE(std::equal(expected.begin(), expected.end(), result.begin()));
          expect_guards(result);
        }
      }
    }
  });
}

/// Moduli on both sides of the limits of all policies, and neighbours of powers of two, of which a
/// short run takes a few.
Words moduli() {
  auto rng = make_rng();
  Words found = neighbours_of_powers(7, 61, rng);
  const Words chosen = chosen_moduli(power(62) - 1);
  std::ranges::shuffle(found, rng);
  if (test_scale() == 1) found.resize(chosen.size());
  found.insert(found.end(), chosen.begin(), chosen.end());
  return found;
}

std::uint64_t modulo(int128_t x, std::uint64_t q) {
  const int128_t rest = x % static_cast<int128_t>(q);
  return static_cast<std::uint64_t>(rest < 0 ? rest + static_cast<int128_t>(q) : rest);
}

template <typename Integer>
void run(const SamplingKernel& kernel, const kernels::SignedResidueArguments<Integer>& a) {
  if constexpr (sizeof(Integer) == 1) kernel.residues8(a);
  if constexpr (sizeof(Integer) == 4) kernel.residues32(a);
  if constexpr (sizeof(Integer) == 8) kernel.residues64(a);
}
template <typename Integer>
void run(const SamplingKernel& kernel, const kernels::RoundingArguments<Integer>& a) {
  if constexpr (sizeof(Integer) == 1) kernel.rounding8(a);
  if constexpr (sizeof(Integer) == 4) kernel.rounding32(a);
}

TEST_F(SamplingKernels, ResiduesAreThoseOfTheIntegers) {
  const auto check = [&]<typename Integer>(const SamplingKernel& kernel, Integer bound) {
    const auto magnitude = static_cast<std::uint64_t>(bound);
    for (const std::uint64_t q : moduli()) {
      const std::uint64_t offset = (magnitude + q - 1) / q * q;
      for (const std::uint64_t factor : {std::uint64_t{1}, q - 1, q / 2, std::uint64_t{0}}) {
        for (const std::size_t count : Sizes{0, 1, 3, 4, 7, 8, 9, 64, 101}) {
          const auto values = signed_values(count, bound);
          auto subtrahend = guarded<std::uint64_t>(count);
          for (std::size_t i = 0; i < count; ++i) {
            subtrahend[i] = i % 3 == 0 ? 0 : i % 3 == 1 ? q - 1 : between(std::uint64_t{0}, q - 1);
          }
          for (const bool subtracts : {false, true}) {
            std::vector<std::uint64_t> result = subtrahend;
            run(kernel, kernels::SignedResidueArguments<Integer>{
                            .result = result.data(),
                            .values = values.data(),
                            .subtrahend = subtracts ? result.data() : nullptr,
                            .count = count,
                            .q = q,
                            .offset = offset,
                            .limit = offset + magnitude + 1,
                            .factor = factor,
                            .quotient = shoup_quotient(factor, q)});
            for (std::size_t i = 0; i < count; ++i) {
              const auto product = static_cast<int128_t>(modulo(values[i], q)) * factor;
              const std::uint64_t expected =
                  modulo(product - static_cast<int128_t>(subtracts ? subtrahend[i] : 0), q);
              ASSERT_EQ(result[i], expected) << q << " " << factor << " " << i << "/" << count;
            }
            expect_guards(result);
          }
        }
      }
    }
  };
  for_each_kernel_of(&kernels::KernelTable::sampling, [&](const SamplingKernel& kernel) {
    check(kernel, std::int8_t{1});
    check(kernel, std::int8_t{21});
    check(kernel, std::int32_t{21 * 40});
    check(kernel, std::numeric_limits<std::int32_t>::max());
    for (const int bits : {1, 29, 49, 50, 51, 60}) {
      check(kernel, (std::int64_t{1} << bits) + 22);
    }
  });
}

TEST_F(SamplingKernels, RoundingTakesOffTheCentredRemainder) {
  const auto check = [&]<typename Integer>(const SamplingKernel& kernel, Integer bound) {
    const auto magnitude = static_cast<std::uint64_t>(bound);
    for (const std::uint64_t p : moduli()) {
      const std::uint64_t half = p / 2;
      const std::uint64_t offset = half + (magnitude + p - 1) / p * p;
      for (const std::size_t count : Sizes{0, 1, 3, 4, 7, 8, 9, 64, 101}) {
        const auto errors = signed_values(count, bound);
        std::vector<std::uint64_t> words(count);
        for (std::size_t i = 0; i < count; ++i) {
          const std::uint64_t edges[] = {0, p - 1, half, half + 1 == p ? half : half + 1};
          words[i] = i % 7 < 4 ? edges[i % 7] : between(std::uint64_t{0}, p - 1);
        }
        std::vector<std::uint64_t> memory = words;  // in place
        memory.resize(count + kGuard, 99);
        auto* const result = reinterpret_cast<std::int64_t*>(memory.data());
        run(kernel, kernels::RoundingArguments<Integer>{.result = result,
                                                        .words = memory.data(),
                                                        .errors = errors.data(),
                                                        .count = count,
                                                        .p = p,
                                                        .half = half,
                                                        .offset = offset,
                                                        .limit = p + offset + magnitude,
                                                        .quotient = shoup_quotient(1, p)});
        for (std::size_t i = 0; i < count; ++i) {
          // The residue of least absolute value, by its definition.
          const int128_t sum = static_cast<int128_t>(words[i]) + errors[i];
          int128_t centred = static_cast<int128_t>(modulo(sum, p));
          if (centred >= static_cast<int128_t>(p - half)) centred -= static_cast<int128_t>(p);
          ASSERT_EQ(result[i], static_cast<std::int64_t>(errors[i] - centred))
              << p << " " << i << "/" << count;
        }
        expect_guards(memory);
      }
    }
  };
  for_each_kernel_of(&kernels::KernelTable::sampling, [&](const SamplingKernel& kernel) {
    check(kernel, std::int8_t{21});
    check(kernel, std::int32_t{21 * 40});
    check(kernel, std::numeric_limits<std::int32_t>::max());
  });
}

}  // namespace
}  // namespace ringlet::test
