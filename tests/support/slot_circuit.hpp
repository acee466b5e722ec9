// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/ringlet.hpp"
#include "support/circuit_noise.hpp"
#include "support/exact_model.hpp"
#include "support/test.hpp"

// Random circuits of encrypted bits in slots, beside the same in the clear. A bound of the noise
// decides what may still be done.

namespace ringlet::test {

using SlotBits = std::vector<std::uint8_t>;

/// A ring and a scheme, with its default parameters of 128-bit security.
struct SlotSet {
  SchemeType scheme;
  std::uint64_t index;
  /// The products in a row that the bound must allow.
  int promised_depth;
};

inline void PrintTo(const SlotSet& set, std::ostream* stream) {
  *stream << to_string(set.scheme) << ", m = " << set.index;
}

/// Context, keys and services of one set.
struct SlotBench {
  SlotBench(const SlotSet& with, const RandomSource& random)
      : set(with),
        context(default_parameters(with.scheme, RingSpec::cyclotomic(with.index), Modulus(2))),
        encoder(context),
        keygen(context, random),
        relin_keys(keygen.create_relin_keys()),
        galois_keys(keygen.create_galois_keys_for_elements(encoder.rotation_elements())),
        encryptor(context, keygen.create_public_key(), keygen.secret_key()),
        evaluator(context),
        decryptor(context, keygen.secret_key()),
        noise(context,
              CircuitNoise(context, static_cast<double>(CircuitNoise(context, 1).secret_bound()))) {
  }

  SlotSet set;
  Context context;
  SlotEncoder encoder;
  KeyGenerator keygen;
  RelinKeys relin_keys;
  GaloisKeys galois_keys;
  Encryptor encryptor;
  Evaluator evaluator;
  Decryptor decryptor;
  ExactNoise noise;
};

/// A ciphertext, what its slots should hold, and the bound of its noise.
struct SlotValue {
  Ciphertext ciphertext;
  SlotBits bits;
  Load load;
};

class SlotCircuit {
 public:
  SlotCircuit(SlotBench& bench, std::uint64_t seed, std::map<std::string, std::size_t>& operations)
      : bench_(bench), rng_(seed), operations_(operations) {}

  /// Random operations, then products to the promised depth; decrypts all values.
  void run(std::size_t operation_count) {
    for (int i = 0; i < 4; ++i) pool_.push_back(fresh());
    for (std::size_t i = 0; i < operation_count; ++i) random_operation();
    for (const SlotValue& value : pool_) check(value);
    climb();
  }

 private:
  SlotBits random_bits() {
    SlotBits bits(bench_.encoder.slot_count());
    for (auto& bit : bits) bit = static_cast<std::uint8_t>(rng_() & 1);
    return bits;
  }
  std::size_t below(std::size_t limit) { return rng_() % limit; }
  const SlotValue& any() { return pool_[below(pool_.size())]; }
  static SlotBits combine(const SlotBits& a, const SlotBits& b, bool is_product) {
    SlotBits result = a;
    for (std::size_t i = 0; i < a.size(); ++i) {
      result[i] = is_product ? a[i] & b[i] : a[i] ^ b[i];
    }
    return result;
  }

  SlotValue fresh() {
    SlotBits bits = random_bits();
    const bool is_symmetric = below(2) == 0;
    const Plaintext plain = bench_.encoder.encode(bits);
    const Load load = bench_.noise.fresh(*bench_.context.first_context_data(), is_symmetric);
    ++operations_[is_symmetric ? "encrypt_symmetric" : "encrypt"];
    return {
        is_symmetric ? bench_.encryptor.encrypt_symmetric(plain) : bench_.encryptor.encrypt(plain),
        std::move(bits), load};
  }

  void lower(SlotValue& value, const ContextData& level) {
    if (value.load.level == &level) return;
    ++operations_["mod_switch_to"];
    value.load = bench_.noise.mod_switch(value.load, level);
    bench_.evaluator.mod_switch_to_inplace(value.ciphertext, level.parms_id());
  }
  /// Both at the lower level of the two.
  void level_out(SlotValue& a, SlotValue& b) {
    const bool a_is_lower = a.load.level->chain_index() < b.load.level->chain_index();
    const ContextData& level = a_is_lower ? *a.load.level : *b.load.level;
    lower(a, level);
    lower(b, level);
  }
  Load sum_load(const SlotValue& a, const SlotValue& b) const {
    return bench_.noise.add(a.load, a.ciphertext.correction_factor(), b.load,
                            b.ciphertext.correction_factor());
  }

  /// The level at which the product of two values of one level has the most room; null if it has
  /// none anywhere.
  const ContextData* best_level(const Load& a, const Load& b) const {
    const ContextData* best = nullptr;
    long double best_room = 0;
    for (const ContextData* level = a.level; level != nullptr; level = level->next_context_data()) {
      const Load low_a = bench_.noise.mod_switch(a, *level);
      const Load low_b = bench_.noise.mod_switch(b, *level);
      const Load product = bench_.noise.relinearize(bench_.noise.multiply(low_a, low_b));
      if (!bench_.noise.is_sound(low_a) || !bench_.noise.is_sound(low_b)) continue;
      if (!bench_.noise.is_sound(product)) continue;
      const long double room = modulus_of(*level) / product.noise;
      if (room > best_room) {
        best = level;
        best_room = room;
      }
    }
    return best;
  }

  std::optional<SlotValue> product(SlotValue a, SlotValue b) {
    level_out(a, b);
    const ContextData* level = best_level(a.load, b.load);
    if (level == nullptr) return std::nullopt;
    lower(a, *level);
    lower(b, *level);
    SlotValue result;
    result.load = bench_.noise.relinearize(bench_.noise.multiply(a.load, b.load));
    bench_.evaluator.multiply(a.ciphertext, b.ciphertext, result.ciphertext);
    bench_.evaluator.relinearize_inplace(result.ciphertext, bench_.relin_keys);
    result.bits = combine(a.bits, b.bits, true);
    ++operations_["AND"];
    return result;
  }
  SlotValue sum(SlotValue a, SlotValue b) {
    level_out(a, b);
    const Load load = sum_load(a, b);
    bench_.evaluator.add_inplace(a.ciphertext, b.ciphertext);
    ++operations_["XOR"];
    return {std::move(a.ciphertext), combine(a.bits, b.bits, false), load};
  }
  SlotValue negated(SlotValue a) {
    bench_.evaluator.add_plain_inplace(a.ciphertext, bench_.encoder.all_ones());
    for (auto& bit : a.bits) bit ^= 1;
    ++operations_["NOT"];
    return {std::move(a.ciphertext), std::move(a.bits), bench_.noise.add_plain(a.load)};
  }
  SlotValue sum_with_plain(SlotValue a) {
    const SlotBits bits = random_bits();
    bench_.evaluator.add_plain_inplace(a.ciphertext, bench_.encoder.encode(bits));
    ++operations_["XOR with bits in the clear"];
    return {std::move(a.ciphertext), combine(a.bits, bits, false), bench_.noise.add_plain(a.load)};
  }
  SlotValue masked(SlotValue a) {
    std::vector<std::size_t> chosen;
    SlotBits mask(a.bits.size());
    for (std::size_t i = 0; i < 1 + below(mask.size()); ++i) {
      chosen.push_back(below(mask.size()));
      mask[chosen.back()] = 1;
    }
    bench_.evaluator.multiply_plain_inplace(a.ciphertext, bench_.encoder.mask(chosen));
    ++operations_["mask"];
    const auto degree = static_cast<long double>(bench_.context.ring().degree());
    return {std::move(a.ciphertext), combine(a.bits, mask, true),
            bench_.noise.multiply_plain(a.load, degree)};
  }
  SlotValue rotated(SlotValue a) {
    const auto sizes = bench_.encoder.dimensions();
    const std::size_t dimension = below(sizes.size());
    const std::size_t size = sizes[dimension];
    const std::size_t step = below(size);
    for (std::size_t bits = step; bits != 0; bits &= bits - 1) {
      a.load = bench_.noise.switch_key(a.load);
    }
    const bool is_backwards = step != 0 && below(2) == 0;
    const auto places = static_cast<std::int64_t>(step);
    bench_.encoder.rotate_inplace(bench_.evaluator, a.ciphertext, dimension,
                                  is_backwards ? places - static_cast<std::int64_t>(size) : places,
                                  bench_.galois_keys);
    std::size_t stride = 1;
    for (std::size_t j = dimension + 1; j < sizes.size(); ++j) stride *= sizes[j];
    const SlotBits before = a.bits;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const std::size_t place = i / stride % size;
      a.bits[i] = before[i - place * stride + (place + step) % size * stride];
    }
    ++operations_["rotation"];
    return a;
  }

  void random_operation() {
    std::optional<SlotValue> value;
    const SlotValue& a = any();
    switch (below(8)) {
      case 0:
      case 1:
        value = sum(a, any());
        break;
      case 2:
        value = negated(a);
        break;
      case 3:
        value = sum_with_plain(a);
        break;
      case 4:
        value = masked(a);
        break;
      case 5:
        value = rotated(a);
        break;
      default:
        value = product(a, any());
        break;
    }
    if (!value || !bench_.noise.is_sound(value->load)) return;
    if (pool_.size() < kMostValues) {
      pool_.push_back(std::move(*value));
    } else {
      pool_[below(pool_.size())] = std::move(*value);
    }
  }

  /// a AND b again and again, b being squared along, to the depth of squarings.
  void climb() {
    SlotValue a = fresh();
    SlotValue b = fresh();
    const int depth = bench_.noise.remaining_depth(
        bench_.noise.fresh(*bench_.context.first_context_data(), false));
    ASSERT_GE(depth, bench_.set.promised_depth);
    for (int i = 0; i < depth; ++i) {
      std::optional<SlotValue> next = product(a, b);
      std::optional<SlotValue> square = product(b, b);
      ASSERT_TRUE(next && square) << "at product " << i + 1 << " of " << depth;
      a = std::move(*next);
      b = std::move(*square);
    }
    check(a);
    check(b);
    deepest_ = depth;
  }

  void check(const SlotValue& value) {
    ASSERT_GT(bench_.decryptor.invariant_noise_budget(value.ciphertext), 0);
    ASSERT_EQ(bench_.encoder.decode(bench_.decryptor.decrypt(value.ciphertext)), value.bits);
  }

 public:
  int deepest() const { return deepest_; }

 private:
  static constexpr std::size_t kMostValues = 6;

  SlotBench& bench_;
  std::mt19937_64 rng_;
  std::map<std::string, std::size_t>& operations_;
  std::vector<SlotValue> pool_;
  int deepest_ = 0;
};

}  // namespace ringlet::test
