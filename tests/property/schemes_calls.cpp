// SPDX-License-Identifier: Apache-2.0
// Calls in any order, with operands of any kind: a result is that of the slots in the clear, or the
// call is refused and changes nothing. 50 sequences of each scheme, 10^4 in a long run.

#include "support/scheme_calls.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

struct Counts {
  std::size_t right = 0;
  std::size_t lost = 0;  ///< The noise is as large as the modulus, and known to be.
  std::size_t refused = 0;
};

/// One parameter set with its strangers: objects of other primes, and of another key.
class CallBench {
 public:
  CallBench(SchemeType scheme, const ExactShape& shape, const ExactShape& foreign_shape)
      : bench(exact_context(scheme, shape)),
        other_key_(bench.context, test_seed() + 2),
        of_other_key_(other_key_.encryptor.encrypt(bench.plaintext)),
        foreign_(exact_context(scheme, foreign_shape)),
        estimator_(bench.context.parms(), kFailureBits),
        oracles_(oracles(bench.context)),
        operations_(operations_of(bench.context)) {
    for (Operation& one : further_operations(bench.context)) operations_.push_back(std::move(one));
    if (!bench.is_ckks) batch_.emplace(bench.context);
    if (bench.is_ckks) ckks_.emplace(bench.context);
    if (bench.context.using_keyswitching()) few_keys_ = bench.keygen.create_galois_keys({1});
  }

  void run(std::mt19937_64& rng, std::map<std::string, Counts>& counts) {
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

 private:
  static constexpr double kFailureBits = 60;

  std::size_t any(std::size_t count) { return (*rng_)() % count; }
  bool percent(std::size_t part) { return any(100) < part; }
  bool is_ckks() const { return bench.is_ckks; }
  const ContextData& any_level() {
    const auto levels = bench.levels();
    return *levels[any(levels.size())];
  }

  Clear any_clear() {
    const std::size_t rows = is_ckks() ? 1 : 2;
    Clear clear{Slots(rows * bench.degree() / 2), bench.degree() / 2,
                is_ckks() ? 0.0 : static_cast<double>(bench.context.plain_modulus().value())};
    if (is_ckks()) clear.slots = random_slots(clear.slots.size(), *rng_);
    for (Complex& z : clear.slots) {
      if (!is_ckks())
        z = static_cast<double>(any(percent(30) ? 3 : static_cast<std::size_t>(clear.t)));
    }
    // The numbers of one slot alone, or nothing.
    if (percent(10))
      std::fill(clear.slots.begin() + static_cast<std::ptrdiff_t>(any(2)), clear.slots.end(), 0.0);
    return clear;
  }

  /// For CKKS in NTT form at `level`, else in coefficient form.
  PlainValue encode(const ContextData& level, double scale, Plaintext& plain) {
    PlainValue value{any_clear(), std::nullopt};
    if (is_ckks()) {
      scale = std::min(scale, std::ldexp(1.0, level.total_coeff_modulus_bit_count() - 8));
      const double largest = std::abs(
          *std::ranges::max_element(value.clear.slots, {}, [](Complex z) { return std::abs(z); }));
      ckks_->encode(std::span<const Complex>(value.clear.slots), level.parms_id(), scale, plain);
      value.estimate = estimator_.encode(scale, largest);
      return value;
    }
    Words words;
    for (const Complex z : value.clear.slots) words.push_back(static_cast<std::uint64_t>(z.real()));
    batch_->encode(std::span<const std::uint64_t>(words), plain);
    value.estimate = estimator_.known_plain(plain.coefficients());
    return value;
  }

  Value encrypted() {
    const ContextData& level = percent(60) ? *bench.context.first_context_data() : any_level();
    Plaintext plain;
    const PlainValue value = encode(level, scale(), plain);
    const std::optional<std::size_t> primes =
        is_ckks() ? std::optional(level.prime_count()) : std::nullopt;
    return percent(50)
               ? Value{bench.encryptor.encrypt(plain),
                       {value.clear, estimator_.encrypt(*value.estimate, primes)}}
               : Value{bench.encryptor.encrypt_symmetric(plain),
                       {value.clear, estimator_.encrypt_symmetric(*value.estimate, primes)}};
  }
  double scale() { return percent(80) ? 0x1p34 : std::ldexp(1.0, 10 + static_cast<int>(any(40))); }

  /// One that add takes beside `a`, if there is one.
  const Value& partner(const Value& a) {
    std::vector<const Value*> fitting;
    for (const Value& b : pool_) {
      if (b.ciphertext.parms_id() == a.ciphertext.parms_id() &&
          b.ciphertext.form() == a.ciphertext.form() &&
          (b.ciphertext.scale() == a.ciphertext.scale() || percent(30))) {
        fitting.push_back(&b);
      }
    }
    return fitting.empty() || percent(20) ? pool_[any(pool_.size())]
                                          : *fitting[any(fitting.size())];
  }

  PlainValue set_plain(World& w) {
    const ContextData* own = bench.context.get_context_data(w.a.parms_id());
    const ContextData& level = percent(80) ? *own : any_level();
    if (is_ckks()) return encode(level, percent(60) ? w.a.scale() : scale(), w.leveled);
    PlainValue value = encode(level, 1, w.plain);
    // Without coefficients it is the message 0.
    if (std::ranges::count(value.clear.slots, 0.0) == std::ssize(value.clear.slots)) w.plain = {};
    const ContextData& above = percent(50) ? level : *bench.context.first_context_data();
    bench.evaluator.transform_to_ntt(w.plain, above.parms_id(), w.leveled);
    bench.evaluator.mod_switch_to_inplace(w.leveled, level.parms_id());
    return value;
  }

  /// Spoils an operand. An operation with one of the traits that come back must refuse.
  std::uint32_t spoil(World& w) {
    using enum Operation::Trait;
    const auto pick = [&](auto... values) {
      const std::array all{values...};
      return all[any(all.size())];
    };
    const double infinite = std::numeric_limits<double>::infinity();
    const ContextData& key_level = *bench.context.key_context_data();
    const bool has_key_level = bench.context.using_keyswitching();
    trace_ += " [spoiled " + std::to_string(spoiled_ = any(13)) + "]";
    switch (spoiled_) {
      case 0:
        w.a = percent(50) ? Ciphertext() : foreign_.ciphertext;
        return takes_a;
      case 1:
        w.b = pick(Ciphertext(), foreign_.ciphertext, of_other_key_);
        return takes_b;
      case 2:
        if (!has_key_level) return 0;
        w.a = Ciphertext(key_level, 2, bench.context.ciphertext_form(), Contents::zero);
        return takes_a;
      case 3:
        w.a.scale() =
            is_ckks() ? pick(0.0, -1.0, infinite, std::nan("")) : pick(0.0, 2.0, infinite);
        return takes_a;
      case 4:
        w.a.correction_factor() =
            bench.context.scheme() == SchemeType::bgv
                ? pick(std::uint64_t{0}, bench.context.plain_modulus().value())
                : pick(std::uint64_t{0}, std::uint64_t{2});
        return takes_a;
      case 5:
        w.relin = pick(RelinKeys(), foreign_.relin_keys, other_key_.relin_keys);
        return w.a.size() > 2 && w.exponent != 1 ? needs_relin_key : 0;
      case 6:
        w.galois = pick(GaloisKeys(), foreign_.galois_keys, other_key_.galois_keys);
        return needs_galois_key;
      case 7:
        w.plain = Plaintext(bench.degree() + 1);
        return takes_plain;
      case 8:
        w.leveled = pick(Plaintext(), Plaintext(*foreign_.context.first_context_data()));
        return takes_leveled;
      case 9:
        w.leveled.scale() = is_ckks() ? pick(0.0, -1.0, infinite, std::nan("")) : 2.0;
        w.plain.scale() = 2.0;
        return takes_leveled | takes_plain;
      case 10:
        w.target = pick(kParmsIdZero, foreign_.context.first_parms_id(), ParmsId{1, 2, 3, 4});
        return chooses_level;
      case 11:  // the other form
        std::swap(w.plain, w.leveled);
        return native_plain_only | (is_ckks() ? takes_leveled : 0);
      default:
        w.galois = few_keys_;
        return 0;
    }
  }

  void call(const Operation& operation, Counts& count) {
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
    const std::uint32_t must_refuse = percent(12) ? spoil(w) : 0;
    const bool is_in_place = operation.in_place && percent(25);
    Ciphertext World::* const destination = is_in_place || percent(25) ? &World::a
                                            : percent(25)              ? &World::b
                                                                       : &World::destination;
    const World before = w;
    try {
      is_in_place ? operation.in_place(bench.evaluator, w)
                  : operation.call(bench.evaluator, w, w.*destination);
    } catch (const ErrorInfo& error) {
      EXPECT_FALSE(error.operation().empty() || error.offending().empty() ||
                   error.limit().empty() || error.remedy().empty());
      expect_unchanged(before, w, nullptr);
      ++count.refused;
      return;
    }
    EXPECT_EQ(operation.traits & must_refuse, 0u) << "accepted";
    expect_unchanged(before, w, destination);
    if (loses_message(bench.context.scheme(), operation.name)) return;
    Value result{w.*destination,
                 oracles_.at(operation.name)(estimator_, first, b.expected, plain, w)};
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
      w.destination = percent(50) ? foreign_.ciphertext : pool_[any(pool_.size())].ciphertext;
    w.relin = bench.relin_keys;
    w.galois = bench.galois_keys;
    w.target = any_level().parms_id();
    const auto row = static_cast<int>(bench.degree() / 2);
    w.steps = static_cast<int>(any(static_cast<std::size_t>(2 * row + 3))) - row - 1;
    w.galois_element = percent(70) ? bench.context.ring().galois_element_from_step(1 << any(5))
                                   : any(4 * bench.degree());
    w.exponent = any(6);
    return w;
  }

  static void expect_unchanged(const World& before, World after, Ciphertext World::* but) {
    if (but != nullptr) after.*but = before.*but;
    EXPECT_TRUE(before.snapshots() == after.snapshots()) << "an operand changed";
  }

  /// Whether the message is still there.
  bool expect_right(const Value& result) {
    const NoiseEstimate& estimate = result.expected.estimate;
    const Clear& clear = result.expected.clear;
    Ciphertext native = result.ciphertext;
    EXPECT_EQ(native.size(), estimate.size());
    EXPECT_EQ(native.coeff_modulus_size(), estimate.prime_count());
    EXPECT_EQ(native.scale(), estimate.scale());
    EXPECT_EQ(native.correction_factor(), estimate.correction_factor());
    if (native.form() != bench.context.ciphertext_form()) {
      native.is_ntt_form() ? bench.evaluator.transform_from_ntt_inplace(native)
                           : bench.evaluator.transform_to_ntt_inplace(native);
    }
    if (is_ckks()) {
      if (!estimate.fits()) return false;
      Slots slots;
      ckks_->decode(bench.decryptor.decrypt(native), slots);
      const double error = largest_difference(slots, clear.slots);
      const double bound = std::exp2(estimate.error_bits());
      EXPECT_LE(error, bound);
      largest_ratio = std::max(largest_ratio, error / bound);
      return true;
    }
    Words slots;
    try {
      batch_->decode(bench.decryptor.decrypt_checked(native), slots);
    } catch (const InvalidArgument&) {
      EXPECT_LT(estimate.budget_bits(), 1) << "a message was lost that should not be";
      return false;
    }
    EXPECT_TRUE(std::ranges::equal(slots, clear.slots, [](std::uint64_t x, Complex z) {
      return static_cast<double>(x) == z.real();
    })) << "decrypted to other slots";
    return true;
  }

 public:
  SchemeBench bench;
  double largest_ratio = 0;  ///< Of an error of CKKS and its bound.

 private:
  Services other_key_;
  Ciphertext of_other_key_;
  SchemeBench foreign_;
  NoiseEstimator estimator_;
  std::map<std::string, Oracle> oracles_;
  std::vector<Operation> operations_;
  std::optional<BatchEncoder> batch_;
  std::optional<CKKSEncoder> ckks_;
  GaloisKeys few_keys_;
  std::mt19937_64* rng_ = nullptr;
  std::vector<Value> pool_;
  std::string trace_;
  std::size_t spoiled_ = 0;
};

class Calls : public ::testing::TestWithParam<SchemeType> {};

TEST_P(Calls, AreRightOrRefused) {
  const std::uint64_t t = PlainModulus::batching(64, 16).value();
  const ExactShape shapes[] = {{64, t, {50, 45, 45, 45}, {55}},
                               {64, t, {40, 40, 50, 49}, {49, 50}, 2},
                               {64, 257, {45, 44, 43}, {}}};
  auto rng = make_rng();
  std::map<std::string, Counts> counts;
  for (std::size_t i = 0; i < std::size(shapes); ++i) {
    CallBench bench(GetParam(), shapes[i], shapes[(i + 1) % std::size(shapes)]);
    const std::size_t end = scaled(50) * (i + 1) / std::size(shapes);
    for (std::size_t k = scaled(50) * i / std::size(shapes); k < end; ++k) {
      bench.run(rng, counts);
      ASSERT_FALSE(HasFailure()) << "sequence " << k;
    }
    // A bound that says nothing fails as well.
    if (bench.bench.is_ckks) {
      EXPECT_GE(bench.largest_ratio, 0.1);
    }
  }
  Counts all;
  for (const auto& [name, count] : counts) {
    std::printf("  %-46s %6zu right %6zu lost %6zu refused\n", name.c_str(), count.right,
                count.lost, count.refused);
    if (test_scale() > 1) {
      EXPECT_TRUE(count.right > 0 || loses_message(GetParam(), name)) << name;
      EXPECT_GT(count.refused, 0u) << name;
    }
    all.right += count.right;
    all.refused += count.refused;
  }
  EXPECT_GT(3 * all.right, all.refused);
}

INSTANTIATE_TEST_SUITE_P(Schemes, Calls,
                         ::testing::Values(SchemeType::ckks, SchemeType::bfv, SchemeType::bgv));

}  // namespace
}  // namespace ringlet::test
