// SPDX-License-Identifier: Apache-2.0
#include "ringlet/rlwe/keys.hpp"

#include "rlwe/keys/key_switch.hpp"
#include "rlwe_support.hpp"
#include "support/devices/forwarding_backend.hpp"

namespace ringlet::test {
namespace {

TEST(Keys, SecretIsTernaryAndTheSameInEveryPrime) {
  const Context context = toy_context(4096, {30, 49, 60});
  const KeyGenerator keys(context);
  const auto secret =
      small_coefficients(context, keys.secret_key().view(), context.key_context_data()->primes());
  EXPECT_EQ(keys.secret_key().parms_id(), context.key_parms_id());
  std::vector<std::size_t> counts(3);
  for (const std::int64_t value : secret) {
    ASSERT_LE(std::abs(value), 1);
    ++counts[static_cast<std::size_t>(value + 1)];
  }
  const ChiSquare test = chi_square(counts, {1 / 3.0, 1 / 3.0, 1 / 3.0});
  EXPECT_LT(test.statistic, test.limit);
}

TEST(Keys, PublicKeyEncryptsZeroAtTheKeyLevel) {
  const Context context = toy_context(1024, {30, 40, 41});
  const KeyGenerator keys(context);
  const PublicKey key = keys.create_public_key();
  EXPECT_EQ(key.parms_id(), context.key_parms_id());
  EXPECT_EQ(key.byte_count(), 2 * 3 * 1024 * 8u);
  EXPECT_FALSE(key.data().is_transparent());
  const NttPoly noise = phase(context, keys.secret_key(), key.data());
  EXPECT_LE(
      largest(small_coefficients(context, noise.view(), context.key_context_data()->primes())), 21);
}

// b_j + a_j*s - [P*s' in residue j] is one error polynomial, the same in every prime.
void expect_key_from(const Context& context, const SecretKey& secret, const KSwitchKey& key,
                     ConstNttView source) {
  const Backend& backend = context.backend();
  const ContextData& level = *context.key_context_data();
  const std::uint64_t special = level.coeff_modulus().back().value();
  ASSERT_EQ(key.digit_count(), level.prime_count() - 1);
  EXPECT_EQ(key.byte_count(), 2 * key.digit_count() * level.prime_count() * level.degree() * 8);
  for (std::size_t j = 0; j < key.digit_count(); ++j) {
    NttPoly noise(level.prime_count(), level.degree());
    const NttView view = noise.view_for_writing();
    backend.multiply_add(view, key.a(j), secret.view(), key.b(j), level.primes());
    const Modulus& q = level.coeff_modulus()[j];
    const std::uint64_t factor = q.reduce(special);
    for (std::size_t n = 0; n < level.degree(); ++n) {
      view.limb(j)[n] = sub_mod(view.limb(j)[n], q.multiply(factor, source.limb(j)[n]), q.value());
    }
    const auto error = small_coefficients(context, noise.view(), level.primes());
    EXPECT_LE(largest(error), 21) << "digit " << j;
    EXPECT_GT(largest(error), 0) << "digit " << j;
  }
}

TEST(Keys, RelinearizationKeyHoldsTheSquare) {
  const Context context = toy_context(1024, {30, 40, 60, 61});
  const KeyGenerator keys(context);
  const RelinKeys relin = keys.create_relin_keys();
  EXPECT_EQ(relin.size(), 1u);
  EXPECT_EQ(relin.parms_id(), context.key_parms_id());
  EXPECT_TRUE(relin.has_key(2));
  EXPECT_FALSE(relin.has_key(3));
  NttPoly square(4, 1024);
  context.backend().multiply(square.view_for_writing(), keys.secret_key().view(),
                             keys.secret_key().view(), context.key_context_data()->primes());
  expect_key_from(context, keys.secret_key(), relin.key(2), square.view());
  EXPECT_EQ(relin.byte_count(), relin.key(2).byte_count());
  expect_refusal([&] { (void)relin.key(3); }, "RelinKeys::key", {"power 3", "with a key: 2"});
  expect_refusal([&] { (void)RelinKeys().key(2); }, "RelinKeys::key", {"none"});
}

TEST(Keys, GaloisKeysHoldTheAutomorphismsOfTheSecret) {
  const Context context = toy_context(256, {30, 40, 41});
  const KeyGenerator keys(context);
  const GaloisKeys galois = keys.create_galois_keys();
  EXPECT_EQ(galois.galois_elements(), context.ring().default_galois_elements());
  EXPECT_EQ(galois.size(), galois.galois_elements().size());
  for (const std::uint64_t element : galois.galois_elements()) {
    // s(X^g) by the definition on signed coefficients.
    const auto secret =
        small_coefficients(context, keys.secret_key().view(), context.key_context_data()->primes());
    CoeffPoly image(3, 256);
    for (std::size_t n = 0; n < 256; ++n) {
      const std::size_t target = n * element % 512;
      const std::int64_t value = target < 256 ? secret[n] : -secret[n];
      for (std::size_t i = 0; i < 3; ++i) {
        const std::uint64_t q = context.backend().basis()[i].value();
        image.view_for_writing().limb(i)[target % 256] =
            static_cast<std::uint64_t>(value) + (value < 0 ? q : 0);
      }
    }
    NttPoly values(3, 256);
    context.backend().forward_ntt(values.view_for_writing(), image.view(),
                                  context.key_context_data()->primes());
    expect_key_from(context, keys.secret_key(), galois.key(element), values.view());
  }
}

TEST(Keys, GaloisKeysOfStepsAndElements) {
  const Context context = toy_context(256, {30, 31});
  const KeyGenerator keys(context);
  const GaloisKeys by_step = keys.create_galois_keys(std::vector<int>{1, -1, 0, 1});
  EXPECT_EQ(by_step.size(), 3u);
  for (const int step : {1, -1, 0}) {
    EXPECT_TRUE(by_step.has_key(context.ring().galois_element_from_step(step)));
  }
  const GaloisKeys by_element = keys.create_galois_keys_for_elements({3, 511});
  EXPECT_EQ(by_element.galois_elements(), (Words{3, 511}));
  expect_refusal([&] { (void)by_element.key(9); }, "GaloisKeys::key",
                 {"Galois element 9", "3, 511", "create the Galois keys with this element"});
  for (const std::uint64_t element : {std::uint64_t{2}, std::uint64_t{0}, std::uint64_t{513}}) {
    expect_refusal([&] { keys.create_galois_keys_for_elements({3, element}); },
                   "KeyGenerator::create_galois_keys",
                   {"element " + std::to_string(element), "512"});
  }
  expect_refusal([&] { keys.create_galois_keys(std::vector<int>{128}); },
                 "RingSpec::galois_element_from_step", {"step = 128", "128"});
}

TEST(Keys, EvaluationKeysNeedASpecialPrime) {
  const Context context = toy_context(256, {30});
  const KeyGenerator keys(context);
  expect_refusal<LogicError>([&] { keys.create_relin_keys(); }, "KeyGenerator::create_relin_keys",
                             {"no special prime", "special prime"});
  expect_refusal<LogicError>([&] { keys.create_galois_keys(); }, "KeyGenerator::create_galois_keys",
                             {"no special prime"});
  EXPECT_EQ(keys.create_public_key().parms_id(), context.first_parms_id());
}

TEST(Keys, AnExistingSecretIsUsedAgain) {
  const Context context = toy_context(256, {30, 31});
  const KeyGenerator original(context);
  const KeyGenerator again(Context(context.parms(), SecurityLevel::none), original.secret_key());
  EXPECT_EQ(words_of(again.secret_key().view()), words_of(original.secret_key().view()));
  const NttPoly noise = phase(context, original.secret_key(), again.create_public_key().data());
  EXPECT_LE(
      largest(small_coefficients(context, noise.view(), context.key_context_data()->primes())), 21);
}

/// Remembers the last key that it prepared.
class PreparingBackend final : public ForwardingBackend {
 public:
  explicit PreparingBackend(const Context& context)
      : ForwardingBackend({std::shared_ptr<const Backend>(), &context.backend()}) {}

  std::shared_ptr<const PreparedKey> do_prepare_key(
      std::span<const ConstNttView> b, std::span<const ConstNttView> a) const override {
    ++preparations;
    auto key = ForwardingBackend::do_prepare_key(b, a);
    last = key;
    return key;
  }
  mutable int preparations = 0;
  mutable std::weak_ptr<const PreparedKey> last;
};

TEST(Keys, WhatIsPreparedForABackendGoesWithIt) {
  const Context context = toy_context(16, {30, 40, 41});
  const KeyGenerator generator(context);
  const RelinKeys keys = generator.create_relin_keys();
  const KSwitchKey& key = keys.key(2);
  const PreparingBackend stays(context);
  auto goes = std::make_unique<const PreparingBackend>(context);
  key.prepared(*goes);
  key.prepared(stays);
  EXPECT_EQ(&key.prepared(stays), stays.last.lock().get());
  EXPECT_EQ(stays.preparations, 1);
  const std::weak_ptr<const PreparedKey> gone = goes->last;
  EXPECT_FALSE(gone.expired());
  goes = nullptr;
  EXPECT_TRUE(gone.expired());
  EXPECT_FALSE(stays.last.expired());
}

TEST(Keys, WhatIsPreparedOfAKeyGoesWithIt) {
  const Context context = toy_context(16, {30, 40, 41});
  const KeyGenerator generator(context);
  const PreparingBackend backend(context);
  std::weak_ptr<const PreparedKey> first;
  {
    const RelinKeys keys = generator.create_relin_keys();
    keys.key(2).prepared(backend);
    first = backend.last;
    const RelinKeys others = generator.create_relin_keys();
    others.key(2).prepared(backend);
    EXPECT_FALSE(first.expired());
  }
  EXPECT_TRUE(first.expired() && backend.last.expired());
}

}  // namespace
}  // namespace ringlet::test
