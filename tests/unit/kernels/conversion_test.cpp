// SPDX-License-Identifier: Apache-2.0
// Every kernel of basis conversions that this processor runs, against the definitions of
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
constexpr std::uint64_t kGuard = 0x123456789abcdef;
constexpr std::initializer_list<std::size_t> kWords = {1,  2,  3,  5,  7,   8,   9,   15,  16,
                                                       17, 31, 33, 64, 100, 127, 128, 129, 136};

std::size_t padded(std::size_t words) {
  return (words + kernels::kConversionPadding - 1) / kernels::kConversionPadding *
         kernels::kConversionPadding;
}

class ConversionKernels : public ::testing::Test {
 protected:
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
  for_each_conversion_kernel([&](const ConversionKernel& kernel) {
    const std::vector<std::uint64_t> q = moduli(kernel);
    std::vector<ConversionPrime> primes;
    for (const std::uint64_t modulus : q) primes.push_back(prime(modulus, 52, 1));
    for (const std::size_t words : kWords) {
      std::vector<std::uint64_t> a(q.size() * (words + 3));
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = residue(q[i / (words + 3)]);
      Rows rows(q.size() * kStride, kGuard);
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
              c >= padded(words) ? kGuard
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
  for_each_conversion_kernel([&](const ConversionKernel& kernel) {
    for (const int word_bits : {52, 64}) {
      const std::uint64_t limit =
          std::min(kernel.modulus_limit, std::uint64_t{1} << (word_bits == 52 ? 50 : 61));
      if (word_bits == 64 && limit <= std::uint64_t{1} << 50) continue;  // then w is 52
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
          Rows u(kStride, kGuard);
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
          for (std::size_t c = padded(words); c < kStride; ++c) ASSERT_EQ(u[c], kGuard);
        }
      }
    }
  });
}

// As many rows as a conversion has, all words and factors as large as they may be among them: sums
// that are full before their end.
TEST_F(ConversionKernels, AddsProductsAndReducesTheSum) {
  for_each_conversion_kernel([&](const ConversionKernel& kernel) {
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
          Rows result(kStride, kGuard);
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
            ASSERT_EQ(result[c], kGuard) << words;
          }
        }
      }
    }
  });
}

TEST_F(ConversionKernels, CountsWordsFromABoundOn) {
  for_each_conversion_kernel([&](const ConversionKernel& kernel) {
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

}  // namespace
}  // namespace ringlet::test
