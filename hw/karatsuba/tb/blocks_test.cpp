// SPDX-License-Identifier: Apache-2.0
// The arithmetic modules one by one.
#include <deque>

#include "Vblock_int_mul.h"
#include "Vblock_mod_reduce.h"
#include "Vblock_modular_post_unit.h"
#include "Vblock_poly_mul.h"
#include "Vblock_pre_unit.h"
#include "hw/karatsuba/tb/job_data.hpp"

namespace ringlet::hw {
namespace {

constexpr unsigned kChunkBits = 27;
constexpr unsigned kChunks = 5;
constexpr unsigned kSmallBits = 10;
constexpr unsigned kLanes = 4;
constexpr std::size_t kLeaf = 5;
constexpr unsigned kWidth = 148;
constexpr unsigned kModulusBits = 128;

std::uint32_t mask(unsigned bits) { return static_cast<std::uint32_t>((1ull << bits) - 1); }

// Bits `at` to `at` + `count` - 1 of the words of a port; count up to 192.
template <class Port>
WideInteger field(const Port& port, unsigned at, unsigned count) {
  WideInteger value{};
  for (unsigned bit = 0; bit < count; ++bit) {
    const unsigned from = at + bit;
    const std::uint64_t one = (port[from / 32] >> (from % 32)) & 1;
    value[bit / 64] |= one << (bit % 64);
  }
  return value;
}

template <class Port>
void set_field(Port& port, unsigned at, unsigned count, const WideInteger& value) {
  for (unsigned bit = 0; bit < count; ++bit) {
    const std::uint32_t one = static_cast<std::uint32_t>(value[bit / 64] >> (bit % 64)) & 1;
    const unsigned to = at + bit;
    port[to / 32] = (port[to / 32] & ~(std::uint32_t{1} << (to % 32))) | (one << (to % 32));
  }
}

WideInteger chunks_to_integer(const std::vector<std::uint64_t>& chunks) {
  WideInteger value{};
  for (std::size_t k = chunks.size(); k-- > 0;) {
    for (unsigned i = 0; i < kChunkBits; ++i) value = add(value, value);
    value = add(value, {chunks[k], 0, 0});
  }
  return value;
}

// Mostly random, now and then all bits clear or set.
std::uint32_t edgy(unsigned bits, std::mt19937_64& rng) {
  const std::uint64_t draw = rng();
  if (draw % 8 == 0) return 0;
  if (draw % 8 == 1) return mask(bits);
  return static_cast<std::uint32_t>(draw >> 32) & mask(bits);
}

template <class Model>
void tick(Model& model) {
  // Verilator sees the first edge only after an evaluation with a low clock.
  model.eval();
  model.clock = 1;
  model.eval();
  model.clock = 0;
  model.eval();
}

template <class Model>
void reset(Model& model) {
  model.reset = 1;
  tick(model);
  model.reset = 0;
}

TEST(IntegerMultiplier, ProductsInChunks) {
  Vblock_int_mul model;
  std::mt19937_64 rng = test::make_rng();
  for (std::size_t round = 0; round < test::scaled(2000); ++round) {
    std::vector<std::uint32_t> factors(kLanes);
    std::vector<std::uint64_t> chunks(kChunks);
    std::uint64_t packed = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      factors[lane] = edgy(kSmallBits, rng);
      packed |= std::uint64_t{factors[lane]} << (lane * kSmallBits);
    }
    for (auto& chunk : chunks) chunk = edgy(kChunkBits, rng);
    std::vector<std::vector<std::uint64_t>> products(kLanes);
    // The stages: a chunk is multiplied in cycle k and reconstructed in cycle k + 1.
    for (unsigned k = 0; k <= kChunks; ++k) {
      const bool multiplies = k < kChunks;
      const bool rebuilds = k > 0;
      model.enable = static_cast<std::uint8_t>((multiplies ? 1 : 0) | (rebuilds ? 2 : 0));
      model.first = k == 1;
      model.last = k == kChunks;
      model.factors = packed;
      model.chunk = multiplies ? static_cast<std::uint32_t>(chunks[k]) : edgy(kChunkBits, rng);
      tick(model);
      for (unsigned lane = 0; rebuilds && lane < kLanes; ++lane) {
        const unsigned wide = kSmallBits + kChunkBits;
        products[lane].push_back(field(model.product, lane * wide, wide)[0]);
      }
    }
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const Integers wanted = multiply({chunks_to_integer(chunks)}, {factors[lane]});
      ASSERT_EQ(chunks_to_integer(products[lane]), wanted[0]) << "lane " << lane;
      for (unsigned k = 0; k + 1 < kChunks; ++k) ASSERT_LE(products[lane][k], mask(kChunkBits));
    }
  }
}

TEST(PolynomialMultiplier, ProductsBackToBackAndWithGaps) {
  Vblock_poly_mul model;
  std::mt19937_64 rng = test::make_rng();
  reset(model);
  std::deque<std::vector<Integers>> wanted;     // [product][lane]
  std::vector<std::vector<Integers>> slots(8);  // [slot][lane], as written
  for (auto& slot : slots) slot.assign(kLanes, Integers(2 * kLeaf - 1));
  std::size_t finished = 0;
  std::size_t written = 0;
  const auto step = [&] {
    tick(model);
    if (!model.write) return;
    ++written;
    ASSERT_LT(model.write_index, 2 * kLeaf - 1);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      slots[model.write_slot][lane][model.write_index] =
          field(model.write_data, lane * kWidth, kWidth);
    }
    if (!model.done) return;
    ASSERT_EQ(model.write_index, 2 * kLeaf - 2);
    ASSERT_EQ(model.write_slot, finished % slots.size());
    ASSERT_EQ(slots[model.write_slot], wanted.front()) << "product " << finished;
    wanted.pop_front();
    ++finished;
  };
  const std::size_t count = test::scaled(300);
  for (std::size_t product = 0; product < count; ++product) {
    Integers key;
    std::vector<Smalls> small(kLanes, Smalls(kLeaf));
    std::vector<std::uint32_t> chunks(kLeaf * kChunks);
    for (auto& chunk : chunks) chunk = edgy(kChunkBits, rng);
    for (std::size_t c = 0; c < kLeaf; ++c) {
      const auto begin = chunks.begin() + static_cast<std::ptrdiff_t>(c * kChunks);
      key.push_back(chunks_to_integer({begin, begin + kChunks}));
    }
    std::vector<Integers> results;
    for (Smalls& poly : small) {
      for (auto& value : poly) value = edgy(kSmallBits, rng);
      results.push_back(multiply(key, poly));
    }
    wanted.push_back(results);
    for (std::size_t c = 0; c < kLeaf; ++c) {
      for (unsigned k = 0; k < kChunks; ++k) {
        model.load = 1;
        model.load_chunk = chunks[c * kChunks + k];
        model.load_small = k < kLanes ? small[k][c] : mask(kSmallBits);
        step();
      }
    }
    model.load = 0;
    // Every gap between products occurs, from none to the length of a product.
    const std::size_t gap = product % 3 == 0 ? 0 : product % 29;
    for (std::size_t i = 0; i < gap; ++i) step();
  }
  for (unsigned i = 0; i < 100; ++i) step();
  EXPECT_EQ(finished, count);
  EXPECT_EQ(written, count * (2 * kLeaf - 1));
}

template <typename Chunk>
WideInteger coefficient(const std::vector<Chunk>& words, std::size_t index) {
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(index * kChunks);
  return chunks_to_integer({begin, begin + kChunks});
}

TEST(PreUnit, LowHighAndTheirSum) {
  constexpr std::size_t kCoeffs = 8;
  constexpr std::size_t kWords = kCoeffs * kChunks;
  Vblock_pre_unit model;
  std::mt19937_64 rng = test::make_rng();
  reset(model);
  for (std::size_t round = 0; round < test::scaled(300); ++round) {
    std::vector<std::uint32_t> chunks(kWords), small(kWords);
    for (std::size_t w = 0; w < kWords; ++w) {
      // A sum must fit its last chunk; that of every fourth polynomial does not.
      const bool top = w % kChunks == kChunks - 1;
      chunks[w] = edgy(top && round % 4 != 0 ? kChunkBits - 1 : kChunkBits, rng);
      small[w] = edgy(kSmallBits - 1, rng);
    }
    std::vector<std::uint64_t> passed, summed;
    std::vector<std::uint32_t> passed_small, summed_small;
    bool overflow = false;
    const auto step = [&] {
      tick(model);
      overflow |= model.overflow != 0;
      if (model.pass_valid) {
        passed.push_back(model.pass_chunk);
        passed_small.push_back(model.pass_small);
      }
      if (model.sum_valid) {
        summed.push_back(model.sum_chunk);
        summed_small.push_back(model.sum_small);
      }
    };
    for (std::size_t w = 0; w < kWords; ++w) {
      model.in_valid = 1;
      model.in_chunk = chunks[w];
      model.in_small = static_cast<std::uint16_t>(small[w]);
      step();
      model.in_valid = 0;
      while (rng() % 4 == 0) step();
    }
    for (int i = 0; i < 4; ++i) step();
    ASSERT_EQ(passed, std::vector<std::uint64_t>(chunks.begin(), chunks.end()));
    ASSERT_EQ(passed_small, small);
    ASSERT_EQ(summed.size(), kWords / 2);
    bool leaves = false;
    for (std::size_t c = 0; c < kCoeffs / 2; ++c) {
      WideInteger sum = add(coefficient(chunks, c), coefficient(chunks, c + kCoeffs / 2));
      const WideInteger limit{0, 0, std::uint64_t{1} << (kChunks * kChunkBits - 128)};
      if (!is_less(sum, limit)) {
        leaves = true;
        sum = subtract(sum, limit);
      }
      ASSERT_EQ(coefficient(summed, c), sum);
      for (unsigned k = 0; k < kChunks; ++k) {
        const std::size_t w = c * kChunks + k;
        ASSERT_EQ(summed_small[w], small[w] + small[w + kWords / 2]);
      }
    }
    ASSERT_EQ(overflow, leaves);
  }
}

// A modulus of each width in turn.
WideInteger any_modulus(std::size_t round, std::mt19937_64& rng) {
  return random_number(2 + static_cast<int>(round % (kModulusBits - 1)), rng);
}

// A residue, edges included.
WideInteger any_residue(const WideInteger& q, std::mt19937_64& rng) {
  const std::uint64_t draw = rng() % 4;
  if (draw == 0) return {};
  return draw == 1 ? subtract(q, {1, 0, 0}) : remainder({rng(), rng(), 0}, q);
}

TEST(ModReduce, EveryQuotient) {
  constexpr unsigned kSteps = 18;
  Vblock_mod_reduce model;
  std::mt19937_64 rng = test::make_rng();
  for (std::size_t round = 0; round < test::scaled(254); ++round) {
    const WideInteger q = any_modulus(round, rng);
    reset(model);
    set_field(model.modulus, 0, kModulusBits, q);
    std::deque<WideInteger> wanted;
    std::size_t seen = 0;
    constexpr std::size_t kValues = 40;
    for (std::size_t i = 0; i < kValues + kSteps + 1; ++i) {
      model.in_valid = i < kValues && rng() % 4 != 0;
      if (model.in_valid) {
        // quotient * q + rest with quotients up to 2^18 - 1 and rests up to q - 1.
        const std::uint32_t quotient = edgy(kSteps, rng);
        const WideInteger rest = any_residue(q, rng);
        const Integers multiple = multiply({q}, {quotient});
        set_field(model.in_value, 0, kModulusBits + kSteps, add(multiple[0], rest));
        wanted.push_back(rest);
      }
      tick(model);
      if (!model.out_valid) continue;
      ASSERT_FALSE(wanted.empty());
      ASSERT_EQ(field(model.out_value, 0, kModulusBits), wanted.front());
      wanted.pop_front();
      ++seen;
    }
    ASSERT_TRUE(wanted.empty());
    ASSERT_GT(seen, 0u);
  }
}

TEST(ModularPostUnit, StaysInRange) {
  Vblock_modular_post_unit model;
  std::mt19937_64 rng = test::make_rng();
  for (std::size_t round = 0; round < test::scaled(3000); ++round) {
    const WideInteger q = any_modulus(round, rng);
    std::vector<WideInteger> values;
    for (int i = 0; i < 4; ++i) values.push_back(any_residue(q, rng));
    const bool use_outer = rng() % 4 != 0;
    const bool use_middle = rng() % 4 != 0;
    set_field(model.modulus, 0, kModulusBits, q);
    set_field(model.outer, 0, kModulusBits, values[0]);
    set_field(model.low, 0, kModulusBits, values[1]);
    set_field(model.high, 0, kModulusBits, values[2]);
    set_field(model.middle, 0, kModulusBits, values[3]);
    model.use_outer = use_outer;
    model.use_middle = use_middle;
    for (unsigned stage = 0; stage < 4; ++stage) {
      model.enable = static_cast<std::uint8_t>(1u << stage);
      tick(model);
    }
    WideInteger wanted = add(q, q);
    if (use_outer) wanted = add(wanted, values[0]);
    if (use_middle) wanted = subtract(subtract(add(wanted, values[3]), values[1]), values[2]);
    ASSERT_EQ(field(model.result, 0, kModulusBits), remainder(wanted, q));
  }
}

}  // namespace
}  // namespace ringlet::hw
