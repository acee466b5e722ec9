// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/calls/call_counts.hpp"
#include "support/calls/oracles.hpp"
#include "support/values.hpp"

// Calls in any order, with operands of any kind. Either a result is that of the slots in the clear,
// or the call is refused and changes nothing.
//
// A `Side` is one interface with the services of one parameter set and one key: Api with the
// encoders and the type of exceptions, context, evaluator, encryptor, decryptor, relin_keys,
// galois_keys, few_keys, levels, native (the Context that computes), and all else that is called
// below.

namespace ringlet::test {

struct CallLevel {
  ParmsId id;
  std::size_t primes;
  int bits;
};

/// All levels from `level` down.
template <typename Level, typename PrimeCount>
std::vector<CallLevel> levels_from(Level level, const PrimeCount& prime_count) {
  std::vector<CallLevel> all;
  for (; level != nullptr; level = level->next_context_data()) {
    all.push_back({level->parms_id(), prime_count(*level), level->total_coeff_modulus_bit_count()});
  }
  return all;
}

/// True for mod_reduce of BFV: a prime dropped without a division destroys the message.
inline bool loses_message(SchemeType scheme, const std::string& operation) {
  return scheme == SchemeType::bfv && operation.starts_with("Evaluator::mod_reduce");
}

/// One parameter set with objects foreign to it: of other primes, and of another key.
template <typename Side>
class CallBench {
  using Api = typename Side::Api;
  using Ciphertext = typename Api::Ciphertext;
  using Plaintext = typename Api::Plaintext;
  using RelinKeys = typename Api::RelinKeys;
  using GaloisKeys = typename Api::GaloisKeys;
  using World = WorldOf<Api>;
  using Operation = OperationOf<Api>;
  using Words = std::vector<std::uint64_t>;

  struct Value {
    Ciphertext ciphertext;
    Expected expected;
  };

 public:
  CallBench(SchemeType scheme, const typename Side::Shape& shape,
            const typename Side::Shape& foreign_shape)
      : scheme_(scheme),
        side_(scheme, shape, test_seed()),
        other_key_(scheme, shape, test_seed() + 2),
        foreign_(scheme, foreign_shape, test_seed() + 4),
        estimator_(side_.native.parms(), kFailureBits),
        oracles_(oracles(degree())),
        operations_(operations_of<Api>(scheme)) {
    for (Operation& one : side_.further_operations()) operations_.push_back(std::move(one));
    add_encryptions();
    for (const Operation& one : operations_) EXPECT_EQ(oracles_.count(one.name), 1u) << one.name;
    if (is_ckks()) {
      ckks_.emplace(side_.context);
    } else {
      batch_.emplace(side_.context);
    }
    of_other_key_ = encrypted_zero(other_key_);
    of_other_primes_ = encrypted_zero(foreign_);
  }

  void run(std::mt19937_64& rng, std::map<std::string, CallCounts>& counts) {
    rng_ = &rng;
    trace_.clear();
    pool_.clear();
    for (int k = 0; k < 3; ++k) pool_.push_back(encrypted());
    for (std::size_t calls = 1 + any(10); calls > 0; --calls) {
      const Operation& operation = operations_[any(operations_.size())];
      call(operation, counts[operation.name]);
      ASSERT_FALSE(::testing::Test::HasFailure()) << trace_;
    }
  }

  double largest_ratio = 0;  ///< The largest ratio of an error of CKKS to its bound.

 private:
  static constexpr double kFailureBits = 60;

  std::size_t any(std::size_t count) { return (*rng_)() % count; }
  bool percent(std::size_t part) { return any(100) < part; }
  bool is_ckks() const { return scheme_ == SchemeType::ckks; }
  std::size_t degree() const { return side_.native.ring().degree(); }
  std::uint64_t t() const { return is_ckks() ? 0 : side_.native.plain_modulus().value(); }
  const CallLevel& any_level() { return side_.levels[any(side_.levels.size())]; }

  static Ciphertext encrypted_zero(Side& side) {
    Ciphertext zero;
    side.encryptor.encrypt_zero(zero);
    return zero;
  }

  void add_encryptions() {
    using enum OperationTraits::Trait;
    const auto message = is_ckks() ? &World::leveled : &World::plain;
    const std::uint32_t traits = is_ckks() ? takes_leveled : takes_plain | native_plain_only;
    operations_.push_back({"encrypt", traits, [this, message](auto&, auto& w, auto& d) {
                             d = side_.encrypt(w.*message);
                           }});
    operations_.push_back({"encrypt_symmetric", traits, [this, message](auto&, auto& w, auto& d) {
                             d = side_.encrypt_symmetric(w.*message, percent(50));
                           }});
  }

  Clear any_clear() {
    const std::size_t rows = is_ckks() ? 1 : 2;
    Clear clear{Slots(rows * degree() / 2), degree() / 2, static_cast<double>(t())};
    if (is_ckks()) clear.slots = random_slots(clear.slots.size(), *rng_);
    for (Complex& z : clear.slots) {
      if (!is_ckks()) z = static_cast<double>(any(percent(30) ? 3 : t()));
    }
    // The numbers of one slot alone, or zeros only.
    if (percent(10))
      std::fill(clear.slots.begin() + static_cast<std::ptrdiff_t>(any(2)), clear.slots.end(), 0.0);
    return clear;
  }

  /// Encodes random slots: for CKKS in NTT form at `level`, else in coefficient form.
  PlainValue encode(const CallLevel& level, double scale, Plaintext& plain) {
    PlainValue value{any_clear(), std::nullopt, std::nullopt};
    if (is_ckks()) {
      scale = std::min(scale, std::ldexp(1.0, level.bits - 8));
      const double largest = std::abs(
          *std::ranges::max_element(value.clear.slots, {}, [](Complex z) { return std::abs(z); }));
      ckks_->encode(value.clear.slots, level.id, scale, plain);
      value.estimate = estimator_.encode(scale, largest);
      value.primes = level.primes;
      return value;
    }
    Words words;
    for (const Complex z : value.clear.slots) words.push_back(static_cast<std::uint64_t>(z.real()));
    batch_->encode(words, plain);
    value.estimate = estimator_.known_plain(Side::coefficients(plain));
    return value;
  }

  Value encrypted() {
    const CallLevel& level = side_.levels[percent(60) ? 0 : any(side_.levels.size())];
    Plaintext plain;
    const PlainValue value = encode(level, scale(), plain);
    return percent(50)
               ? Value{side_.encrypt(plain),
                       {value.clear, estimator_.encrypt(*value.estimate, value.primes)}}
               : Value{side_.encrypt_symmetric(plain, percent(50)),
                       {value.clear, estimator_.encrypt_symmetric(*value.estimate, value.primes)}};
  }
  double scale() { return percent(80) ? 0x1p34 : std::ldexp(1.0, 10 + static_cast<int>(any(40))); }

  /// A value that `add` accepts beside `a`, if there is one; now and then any value.
  const Value& partner(const Value& a) {
    std::vector<const Value*> fitting;
    for (const Value& b : pool_) {
      if (b.ciphertext.parms_id() == a.ciphertext.parms_id() &&
          b.ciphertext.is_ntt_form() == a.ciphertext.is_ntt_form() &&
          (b.ciphertext.scale() == a.ciphertext.scale() || percent(30))) {
        fitting.push_back(&b);
      }
    }
    return fitting.empty() || percent(20) ? pool_[any(pool_.size())]
                                          : *fitting[any(fitting.size())];
  }

  PlainValue set_plain(World& w) {
    const CallLevel& own = *std::ranges::find(side_.levels, w.a.parms_id(), &CallLevel::id);
    const CallLevel& level = percent(80) ? own : any_level();
    if (is_ckks()) return encode(level, percent(60) ? w.a.scale() : scale(), w.leveled);
    PlainValue value = encode(level, 1, w.plain);
    // A plaintext without coefficients is the message 0.
    if (std::ranges::count(value.clear.slots, 0.0) == std::ssize(value.clear.slots)) {
      w.plain = Plaintext();
    }
    const CallLevel& above = percent(50) ? level : side_.levels.front();
    if (percent(50)) {
      w.leveled = w.plain;
      side_.evaluator.transform_to_ntt_inplace(w.leveled, above.id);
      side_.evaluator.mod_switch_to_inplace(w.leveled, level.id);
    } else {
      Plaintext transformed;
      side_.evaluator.transform_to_ntt(w.plain, above.id, transformed);
      side_.evaluator.mod_switch_to(transformed, level.id, w.leveled);
    }
    return value;
  }

  template <typename... T>
  auto pick(T... values) {
    const std::array all{values...};
    return all[any(all.size())];
  }

  /// Spoils an operand. An operation with one of the returned traits must refuse it.
  std::uint32_t spoil(World& w) {
    using enum OperationTraits::Trait;
    const double infinite = std::numeric_limits<double>::infinity();
    trace_ += " [spoiled " + std::to_string(spoiled_ = any(13)) + "]";
    switch (spoiled_) {
      case 0:
        w.a = percent(50) ? Ciphertext() : of_other_primes_;
        return takes_a;
      case 1:
        w.b = pick(Ciphertext(), of_other_primes_, Side::kNamesKeys ? of_other_key_ : Ciphertext());
        return takes_b;
      case 2:
        if (!side_.native.using_keyswitching()) return 0;
        w.a = side_.zero_at_key_level();
        return takes_a;
      case 3:
        w.a.scale() =
            is_ckks() ? pick(0.0, -1.0, infinite, std::nan("")) : pick(0.0, 2.0, infinite);
        return takes_a;
      case 4:
        w.a.correction_factor() = scheme_ == SchemeType::bgv
                                      ? pick(std::uint64_t{0}, t())
                                      : pick(std::uint64_t{0}, std::uint64_t{2});
        return takes_a;
      case 5:
        w.relin = pick(RelinKeys(), foreign_.relin_keys,
                       Side::kNamesKeys ? other_key_.relin_keys : RelinKeys());
        if (w.a.size() == 2 || w.exponent == 1) return 0;
        return needs_relin_key;
      case 6:
        w.galois = pick(GaloisKeys(), foreign_.galois_keys,
                        Side::kNamesKeys ? other_key_.galois_keys : GaloisKeys());
        return needs_galois_key;
      default:
        return spoil_plain(w);
    }
  }

  std::uint32_t spoil_plain(World& w) {
    using enum OperationTraits::Trait;
    const double infinite = std::numeric_limits<double>::infinity();
    switch (spoiled_) {
      case 7:
        w.plain = Plaintext(percent(50) ? degree() + 1 : 1);  // too long, or not below t
        const_cast<std::uint64_t&>(Side::coefficients(w.plain)[0]) = t();
        return takes_plain;
      case 8:
        w.leveled = pick(Plaintext(), foreign_.zero_at_first_level());
        return takes_leveled;
      case 9:
        w.leveled.scale() = is_ckks() ? pick(0.0, -1.0, infinite, std::nan("")) : 2.0;
        w.plain.scale() = 2.0;
        return is_ckks() || Side::kChecksPlainScale ? takes_leveled | takes_plain : 0;
      case 10:
        w.target = pick(kParmsIdZero, foreign_.levels.front().id, ParmsId{1, 2, 3, 4});
        return chooses_level;
      case 11:  // the other form
        std::swap(w.plain, w.leveled);
        return native_plain_only | (is_ckks() ? takes_leveled : native_plain_only);
      default:
        w.galois = side_.few_keys;
        return spoil_label(w);
    }
  }

  /// SEAL lets programs set the level that a ciphertext says it has.
  std::uint32_t spoil_label(World& w) {
    if constexpr (requires { w.a.parms_id() = w.target; }) {
      const ParmsId own = std::exchange(
          w.a.parms_id(), pick(kParmsIdZero, any_level().id, foreign_.levels.front().id));
      if (own != w.a.parms_id()) return OperationTraits::takes_a;
    }
    return 0;
  }

  void call(const Operation& operation, CallCounts& count) {
    const Value a = pool_[any(pool_.size())];
    const Value b = partner(a);
    World w = operands(a, b);
    Expected first = a.expected;
    if (is_ckks() && percent(5)) {  // a scale set by hand: another message
      w.a.scale() *= 1.5;
      for (Complex& z : first.clear.slots) z /= 1.5;
      first.estimate = estimator_.with_scale(first.estimate, w.a.scale());
    }
    trace_ += "; " + operation.name;
    const PlainValue plain = set_plain(w);
    if (percent(5)) side_.reload(w);
    const std::uint32_t must_refuse = percent(12) ? spoil(w) : 0;
    const bool is_in_place = operation.in_place && percent(25);
    Ciphertext World::* const destination = is_in_place || percent(25) ? &World::a
                                            : percent(25)              ? &World::b
                                                                       : &World::destination;
    const World before = w;
    if ((must_refuse & OperationTraits::takes_a) != 0) {
      EXPECT_THROW(side_.decryptor.decrypt(w.a, w.plain_destination), typename Api::Error);
    }
    try {
      is_in_place ? operation.in_place(side_.evaluator, w)
                  : operation.call(side_.evaluator, w, w.*destination);
    } catch (const typename Api::Error& error) {
      Side::expect_told(error);
      expect_unchanged(before, w, nullptr);
      ++count.refused;
      return;
    }
    EXPECT_EQ(operation.traits & must_refuse, 0u) << "accepted";
    expect_unchanged(before, w, destination);
    if (loses_message(scheme_, operation.name)) return;
    Value result{w.*destination,
                 oracles_.at(operation.name)({estimator_, first, b.expected, plain, w})};
    if (!expect_right(result)) {
      ++count.lost;
      return;
    }
    ++count.right;
    pool_.size() < 6 ? pool_.push_back(std::move(result)) : void(pool_[any(6)] = std::move(result));
  }

  World operands(const Value& a, const Value& b) {
    World w;
    w.a = a.ciphertext;
    w.b = b.ciphertext;
    if (percent(50))
      w.destination = percent(50) ? of_other_primes_ : pool_[any(pool_.size())].ciphertext;
    w.relin = side_.relin_keys;
    w.galois = side_.galois_keys;
    const CallLevel& target = any_level();
    w.target = target.id;
    w.target_primes = target.primes;
    const auto row = static_cast<int>(degree() / 2);
    w.steps = static_cast<int>(any(static_cast<std::size_t>(2 * row + 3))) - row - 1;
    w.galois_element = static_cast<std::uint32_t>(
        percent(70) ? side_.native.ring().galois_element_from_step(1 << any(5))
                    : any(4 * degree()));
    w.exponent = any(6);
    return w;
  }

  static void expect_unchanged(const World& before, World after, Ciphertext World::* but) {
    if (but != nullptr) after.*but = before.*but;
    EXPECT_TRUE(before.snapshots() == after.snapshots()) << "an operand changed";
  }

  /// Checks a result. Returns whether its message can still be decrypted.
  bool expect_right(const Value& result) {
    const NoiseEstimate& estimate = result.expected.estimate;
    const Clear& clear = result.expected.clear;
    Ciphertext native = result.ciphertext;
    EXPECT_EQ(native.size(), estimate.size());
    EXPECT_EQ(native.coeff_modulus_size(), estimate.prime_count());
    EXPECT_EQ(native.scale(), estimate.scale());
    EXPECT_EQ(native.correction_factor(), estimate.correction_factor());
    if (native.is_ntt_form() != (scheme_ != SchemeType::bfv)) {
      native.is_ntt_form() ? side_.evaluator.transform_from_ntt_inplace(native)
                           : side_.evaluator.transform_to_ntt_inplace(native);
    }
    Plaintext plain;
    if (is_ckks()) {
      if (!estimate.fits()) return false;
      Slots slots;
      side_.decryptor.decrypt(native, plain);
      ckks_->decode(plain, slots);
      const double error = largest_difference(slots, clear.slots);
      const double bound = std::exp2(estimate.error_bits());
      EXPECT_LE(error, bound);
      largest_ratio = std::max(largest_ratio, error / bound);
      return true;
    }
    if (!side_.decrypt_checked(native, plain)) {
      EXPECT_LT(estimate.budget_bits(), 1) << "a message was lost that should not be";
      return false;
    }
    Words slots;
    batch_->decode(plain, slots);
    EXPECT_TRUE(std::ranges::equal(slots, clear.slots, [](std::uint64_t x, Complex z) {
      return static_cast<double>(x) == z.real();
    })) << "decrypted to other slots";
    return true;
  }

  SchemeType scheme_;
  Side side_;
  Side other_key_;
  Side foreign_;
  Ciphertext of_other_key_;
  Ciphertext of_other_primes_;
  NoiseEstimator estimator_;
  std::map<std::string, Oracle> oracles_;
  std::vector<Operation> operations_;
  std::optional<typename Api::BatchEncoder> batch_;
  std::optional<typename Api::CKKSEncoder> ckks_;
  std::mt19937_64* rng_ = nullptr;
  std::vector<Value> pool_;
  std::string trace_;
  std::size_t spoiled_ = 0;
};

/// Runs 50 sequences, 10^4 in a long run; primes of one parameter set are foreign to another.
template <typename Side>
void expect_right_or_refused(SchemeType scheme, const std::vector<typename Side::Shape>& shapes) {
  auto rng = make_rng();
  std::map<std::string, CallCounts> counts;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    CallBench<Side> bench(scheme, shapes[i], shapes[(i + 1) % shapes.size()]);
    const std::size_t end = scaled(50) * (i + 1) / shapes.size();
    for (std::size_t k = scaled(50) * i / shapes.size(); k < end; ++k) {
      bench.run(rng, counts);
      ASSERT_FALSE(::testing::Test::HasFailure()) << "sequence " << k;
    }
    // Bounds that are never nearly reached fail as well: they say nothing.
    if (scheme == SchemeType::ckks) {
      EXPECT_GE(bench.largest_ratio, 0.1);
    }
  }
  expect_counts(counts, [scheme](const auto& name) { return loses_message(scheme, name); });
}

}  // namespace ringlet::test
