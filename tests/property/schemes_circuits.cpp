// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ring/cyclotomic_slots.hpp"
#include "ringlet/ringlet.hpp"
#include "support/circuits/ckks_circuit.hpp"
#include "support/circuits/exact_circuit.hpp"

// Random circuits, to the largest depth that a bound of the noise allows. CKKS is compared with the
// same operations on complex numbers, within the bound of docs/notes/ckks_error_bound.md for each
// ciphertext. BFV and BGV are compared with polynomials modulo X^N + 1 and t by FLINT, and with
// single slots; noise and noise budget with big integers.

namespace ringlet::test {
namespace {

template <typename SchemeCircuit>
CircuitRun run_circuits(const char* test, SchemeType scheme,
                        const std::array<std::size_t, 4>& operations) {
  CircuitRun run(test, static_cast<std::uint64_t>(scheme));
  std::mt19937_64 rng(run.key_part() | static_cast<std::uint64_t>(scheme));
  const auto circuit = [&](const CircuitBench& bench, std::uint64_t seed) {
    const std::size_t degree = bench.context.ring().degree();
    SchemeCircuit one(bench, seed, run.statistics(), run.is_single());
    one.run(operations[degree > 8192 ? 0 : degree > 4096 ? 1 : degree > 1024 ? 2 : 3]);
  };
  if (scheme == SchemeType::ckks) {
    run(secure_ckks_sets(), toy_ckks_sets(25, rng), circuit);
  } else {
    run(secure_exact_sets(scheme), toy_exact_sets(scheme, 24, rng), circuit);
  }
  run.expect_common_operations();
  return run;
}

TEST(Circuits, Ckks) {
  CircuitRun run = run_circuits<CkksCircuit>("Circuits.Ckks", SchemeType::ckks, {10, 14, 18, 30});
  const CircuitStatistics& statistics = run.statistics();
  std::printf("  error / bound: median %.3f, 95 %% above %.3f, at most %.3f\n",
              statistics.quantile(0.5), statistics.quantile(0.05), statistics.quantile(1));
  run.expect_operations(
      "complex_conjugate; encode a complex constant; encode a real constant; encode an integer; "
      "encode complex slots; encode real slots; mod_reduce_to; mod_reduce_to_next; mod_switch of "
      "a plaintext; relinearize_and_rescale_to_next; rescale_to; rescale_to_next; rotate_vector; "
      "rotate_vector, composed");
  if (run.is_single()) return;
  // Bounds that are never nearly reached fail as well: they say nothing.
  EXPECT_GE(statistics.quantile(1), 0.1);
}

CircuitRun run_exact(const char* test, SchemeType scheme) {
  CircuitRun run = run_circuits<ExactCircuit>(test, scheme, {8, 12, 16, 30});
  const CircuitStatistics& statistics = run.statistics();
  std::printf("  log2(bound / noise): median %.1f, 95 %% below %.1f, at most %.1f\n",
              statistics.quantile(0.5), statistics.quantile(0.95), statistics.quantile(1));
  run.expect_operations(
      "exponentiate; multiply_many; multiply_plain by NTT form; multiply_plain by NTT form, "
      "mod_switch; multiply_plain in the other form; rotate_columns; rotate_rows; rotate_rows, "
      "composed");
  return run;
}

TEST(Circuits, Bfv) { run_exact("Circuits.Bfv", SchemeType::bfv); }

TEST(Circuits, Bgv) {
  run_exact("Circuits.Bgv", SchemeType::bgv)
      .expect_operations(
          "add with unequal factors; mod_reduce_to; mod_reduce_to_next; sub with unequal factors");
}

// Encrypted bits in slots over rings of 128-bit security. Random circuits of XOR, AND, NOT, masks
// and rotations are compared with bits in the clear. Products go to the depth that a bound of the
// noise allows.

using Bits = std::vector<std::uint8_t>;

/// A ring and a scheme, with its default parameters of 128-bit security.
struct SlotSet {
  SchemeType scheme;
  std::uint64_t index;
  int promised_depth;  // the number of successive products that the bound must allow
};

void PrintTo(const SlotSet& set, std::ostream* stream) {
  *stream << to_string(set.scheme) << ", m = " << set.index;
}

/// A ciphertext, the expected bits of its slots, and the bound of its noise.
struct SlotValue {
  Ciphertext ciphertext;
  Bits bits;
  Load load;
};

class SlotCircuits : public ::testing::TestWithParam<SlotSet> {
 protected:
  /// Runs random operations, then products to the promised depth; decrypts all values.
  void run(std::size_t operation_count) {
    pool_.clear();
    for (int i = 0; i < 4; ++i) pool_.push_back(fresh());
    for (std::size_t i = 0; i < operation_count; ++i) random_operation();
    for (const SlotValue& value : pool_) check(value);
    climb();
  }

  Bits random_bits() {
    Bits bits(encoder_.slot_count());
    for (auto& bit : bits) bit = static_cast<std::uint8_t>(rng_() & 1);
    return bits;
  }
  std::size_t below(std::size_t limit) { return rng_() % limit; }
  const SlotValue& any() { return pool_[below(pool_.size())]; }
  static Bits combine(const Bits& a, const Bits& b, bool is_product) {
    Bits result = a;
    for (std::size_t i = 0; i < a.size(); ++i) {
      result[i] = is_product ? a[i] & b[i] : a[i] ^ b[i];
    }
    return result;
  }

  SlotValue fresh() {
    Bits bits = random_bits();
    const bool is_symmetric = below(2) == 0;
    const Plaintext plain = encoder_.encode(bits);
    const Load load = noise_.fresh(*context_.first_context_data(), is_symmetric);
    ++operations_[is_symmetric ? "encrypt_symmetric" : "encrypt"];
    return {is_symmetric ? encryptor_.encrypt_symmetric(plain) : encryptor_.encrypt(plain),
            std::move(bits), load};
  }

  void lower(SlotValue& value, const ContextData& level) {
    if (value.load.level == &level) return;
    ++operations_["mod_switch_to"];
    value.load = noise_.mod_switch(value.load, level);
    evaluator_.mod_switch_to_inplace(value.ciphertext, level.parms_id());
  }
  std::optional<SlotValue> product(SlotValue a, SlotValue b) {
    const std::vector<Load> products = noise_.products(a.load, b.load);
    if (products.empty()) return std::nullopt;
    SlotValue result{{}, combine(a.bits, b.bits, true), ExactNoise::roomiest(products)};
    lower(a, *result.load.level);
    lower(b, *result.load.level);
    evaluator_.multiply(a.ciphertext, b.ciphertext, result.ciphertext);
    evaluator_.relinearize_inplace(result.ciphertext, relin_keys_);
    ++operations_["AND"];
    return result;
  }
  SlotValue sum(SlotValue a, SlotValue b) {
    const bool a_is_lower = a.load.level->chain_index() < b.load.level->chain_index();
    a_is_lower ? lower(b, *a.load.level) : lower(a, *b.load.level);
    a.load = noise_.add(a.load, b.load, a.ciphertext.correction_factor(),
                        b.ciphertext.correction_factor());
    evaluator_.add_inplace(a.ciphertext, b.ciphertext);
    a.bits = combine(a.bits, b.bits, false);
    ++operations_["XOR"];
    return a;
  }
  SlotValue sum_with(SlotValue a, const Bits& bits, const Plaintext& plain, const char* operation) {
    evaluator_.add_plain_inplace(a.ciphertext, plain);
    a.bits = combine(a.bits, bits, false);
    a.load = noise_.add_plain(a.load);
    ++operations_[operation];
    return a;
  }
  SlotValue negated(const SlotValue& a) {
    return sum_with(a, Bits(a.bits.size(), 1), encoder_.all_ones(), "NOT");
  }
  SlotValue sum_with_plain(const SlotValue& a) {
    const Bits bits = random_bits();
    return sum_with(a, bits, encoder_.encode(bits), "XOR with bits in the clear");
  }
  SlotValue masked(SlotValue a) {
    std::vector<std::size_t> chosen;
    Bits mask(a.bits.size());
    for (std::size_t i = 0; i < 1 + below(mask.size()); ++i) {
      chosen.push_back(below(mask.size()));
      mask[chosen.back()] = 1;
    }
    evaluator_.multiply_plain_inplace(a.ciphertext, encoder_.mask(chosen));
    a.bits = combine(a.bits, mask, true);
    a.load = noise_.multiply_plain(a.load, static_cast<long double>(context_.ring().degree()));
    ++operations_["mask"];
    return a;
  }
  SlotValue rotated(SlotValue a) {
    const auto sizes = encoder_.dimensions();
    const std::size_t dimension = below(sizes.size());
    const std::size_t size = sizes[dimension];
    const std::size_t step = below(size);
    for (std::size_t bits = step; bits != 0; bits &= bits - 1) a.load = noise_.switch_key(a.load);
    const bool is_backwards = step != 0 && below(2) == 0;
    const auto places = static_cast<std::int64_t>(step);
    encoder_.rotate_inplace(evaluator_, a.ciphertext, dimension,
                            is_backwards ? places - static_cast<std::int64_t>(size) : places,
                            galois_keys_);
    std::size_t stride = 1;
    for (std::size_t j = dimension + 1; j < sizes.size(); ++j) stride *= sizes[j];
    const Bits before = a.bits;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const std::size_t place = i / stride % size;
      a.bits[i] = before[i - place * stride + (place + step) % size * stride];
    }
    ++operations_["rotation"];
    return a;
  }

  void random_operation() {
    const SlotValue& a = any();
    const std::size_t kind = below(8);
    const std::optional<SlotValue> value = kind < 2    ? sum(a, any())
                                           : kind == 2 ? negated(a)
                                           : kind == 3 ? sum_with_plain(a)
                                           : kind == 4 ? masked(a)
                                           : kind == 5 ? rotated(a)
                                                       : product(a, any());
    if (!value || !noise_.is_sound(value->load)) return;
    if (pool_.size() < kMostValues) {
      pool_.push_back(*value);
    } else {
      pool_[below(pool_.size())] = *value;
    }
  }

  /// Replaces a by a AND b and b by b AND b, to the depth of squarings.
  void climb() {
    SlotValue a = fresh();
    SlotValue b = fresh();
    depth_ = noise_.remaining_depth(noise_.fresh(*context_.first_context_data(), false));
    ASSERT_GE(depth_, GetParam().promised_depth);
    for (int i = 0; i < depth_; ++i) {
      std::optional<SlotValue> next = product(a, b);
      std::optional<SlotValue> square = product(b, b);
      ASSERT_TRUE(next && square) << "at product " << i + 1 << " of " << depth_;
      a = std::move(*next);
      b = std::move(*square);
    }
    check(a);
    check(b);
  }

  void check(const SlotValue& value) {
    ASSERT_GT(decryptor_.invariant_noise_budget(value.ciphertext), 0);
    ASSERT_EQ(encoder_.decode(decryptor_.decrypt(value.ciphertext)), value.bits);
  }

  static constexpr std::size_t kMostValues = 6;

  std::mt19937_64 rng_ = make_rng();
  Context context_{
      default_parameters(GetParam().scheme, RingSpec::cyclotomic(GetParam().index), Modulus(2))};
  SlotEncoder encoder_{context_};
  KeyGenerator keygen_{context_, RandomSource::for_testing(rng_())};
  RelinKeys relin_keys_ = keygen_.create_relin_keys();
  GaloisKeys galois_keys_ = keygen_.create_galois_keys_for_elements(encoder_.rotation_elements());
  Encryptor encryptor_{context_, keygen_.create_public_key(), keygen_.secret_key()};
  Evaluator evaluator_{context_};
  Decryptor decryptor_{context_, keygen_.secret_key()};
  ExactNoise noise_{
      context_,
      CircuitNoise(context_, static_cast<double>(CircuitNoise(context_, 1).secret_bound()))};
  std::map<std::string, std::size_t> operations_;
  std::vector<SlotValue> pool_;
  int depth_ = 0;
};

// One circuit for each set, 100 in the long run.
TEST_P(SlotCircuits, AgreeWithBitsInTheClear) {
  const std::size_t count = std::min<std::size_t>(scaled(1), 100);
  for (std::size_t i = 0; i < count; ++i) {
    SCOPED_TRACE(i);
    run(14);
    if (HasFatalFailure()) return;
  }
  std::printf("  %s, m = %llu: %zu circuits to depth %d\n", to_string(GetParam().scheme),
              static_cast<unsigned long long>(GetParam().index), count, depth_);
  for (const auto& [name, uses] : operations_) std::printf("    %-28s %zu\n", name.c_str(), uses);
}

// docs/slots.md promises these depths.
INSTANTIATE_TEST_SUITE_P(Rings, SlotCircuits,
                         ::testing::Values(SlotSet{SchemeType::bfv, 10773, 5},
                                           SlotSet{SchemeType::bgv, 10773, 3},
                                           SlotSet{SchemeType::bfv, 8191, 8},
                                           SlotSet{SchemeType::bgv, 8191, 5}));

// Slots of binary polynomials over many cyclotomic rings. Random bits and elements decode to
// themselves, sums and products by FLINT are those of the slots, automorphisms move slots.

// Trials for each ring: 18 rings make 10,800 trials in the long run.
constexpr std::size_t kTrials = 3;

class CyclotomicBatching : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  CyclotomicBatching() : slots_(GetParam()), phi_(FlintPoly::cyclotomic(GetParam())) {}

  Bits random_bits(std::size_t count) {
    // Sometimes few ones or few zeros.
    const std::uint64_t density = rng_() % 4;
    Bits bits(count);
    for (auto& bit : bits) {
      bit = static_cast<std::uint8_t>(density == 0   ? rng_() % 32 == 0
                                      : density == 1 ? rng_() % 32 != 0
                                                     : rng_() % 2);
    }
    return bits;
  }
  FlintPoly encoded(const Bits& bits, bool are_elements = false) const {
    Words words(slots_.degree());
    are_elements ? slots_.encode_elements(words, bits) : slots_.encode(words, bits);
    return FlintPoly::from(words);
  }
  Bits decoded(const FlintPoly& polynomial, bool are_elements = false) const {
    const auto words = polynomial.coefficients(slots_.degree());
    Bits bits(are_elements ? slots_.degree() : slots_.slot_count());
    are_elements ? slots_.decode_elements(bits, words) : slots_.decode(bits, words);
    return bits;
  }
  /// Element i of `elements` as a polynomial.
  FlintPoly element(const Bits& elements, std::size_t i) const {
    const auto d = static_cast<std::ptrdiff_t>(slots_.slot_degree());
    const auto first = elements.begin() + static_cast<std::ptrdiff_t>(i) * d;
    return FlintPoly::from(Bits(first, first + d));
  }
  std::uint64_t random_unit() {
    for (;;) {
      const std::uint64_t g = rng_() % slots_.index();
      if (std::gcd(g, slots_.index()) == 1) return g;
    }
  }

  void try_bits();
  void try_elements();

  CyclotomicSlots slots_;
  FlintPoly phi_;
  std::mt19937_64 rng_ = make_rng();
};

void CyclotomicBatching::try_bits() {
  const Bits a = random_bits(slots_.slot_count());
  const Bits b = random_bits(slots_.slot_count());
  const FlintPoly poly_a = encoded(a);
  const FlintPoly poly_b = encoded(b);
  ASSERT_EQ(decoded(poly_a), a);
  const Bits products = decoded(poly_a * poly_b % phi_);
  const Bits sums = decoded(poly_a + poly_b);
  const std::uint64_t g = random_unit();
  const Bits moved = decoded(poly_a.substitute_power(g, slots_.index(), phi_));
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(products[i], a[i] & b[i]) << "slot " << i;
    ASSERT_EQ(sums[i], a[i] ^ b[i]) << "slot " << i;
    ASSERT_EQ(moved[slots_.image(i, g)], a[i]) << "slot " << i << " g = " << g;
  }
}

void CyclotomicBatching::try_elements() {
  const Bits a = random_bits(slots_.degree());
  const Bits b = random_bits(slots_.degree());
  const FlintPoly poly_a = encoded(a, true);
  const FlintPoly poly_b = encoded(b, true);
  ASSERT_EQ(decoded(poly_a, true), a);
  const Bits products = decoded(poly_a * poly_b % phi_, true);
  const Bits sums = decoded(poly_a + poly_b, true);
  for (std::size_t i = 0; i < slots_.slot_count(); ++i) {
    const FlintPoly factor = FlintPoly::from(slots_.factor(i));
    ASSERT_EQ(element(products, i), element(a, i) * element(b, i) % factor) << "slot " << i;
    ASSERT_EQ(element(sums, i), element(a, i) + element(b, i)) << "slot " << i;
  }
}

TEST_P(CyclotomicBatching, SlotsComeBackAndComputeApart) {
  for (std::size_t trial = 0; trial < scaled(kTrials); ++trial) {
    SCOPED_TRACE(trial);
    try_bits();
    try_elements();
    if (HasFatalFailure()) return;
  }
  std::printf("  m = %llu: %zu trials on %zu slots of %zu bits\n",
              static_cast<unsigned long long>(slots_.index()), scaled(kTrials), slots_.slot_count(),
              slots_.slot_degree());
}

INSTANTIATE_TEST_SUITE_P(SmallRings, CyclotomicBatching,
                         ::testing::Values(7, 15, 21, 31, 63, 127, 255, 1023));
INSTANTIATE_TEST_SUITE_P(UsualRings, CyclotomicBatching,
                         ::testing::Values(2783, 2827, 3205, 3485, 3875, 5913, 8191, 9225, 10773,
                                           13797));

}  // namespace
}  // namespace ringlet::test
