// SPDX-License-Identifier: Apache-2.0
// Calls Ringlet's own interface in any order: see support/calls/call_bench.hpp.

#include "support/calls/call_bench.hpp"
#include "unit/rlwe/serialization_support.hpp"
#include "unit/schemes/operations.hpp"

namespace ringlet::test {
namespace {

std::vector<Operation> further_operations(const Context& context) {
  using enum Operation::Trait;
  constexpr auto kProduct = takes_a | takes_b | needs_relin_key;
  // Passes a list of destinations that holds the operand: `call(a, destinations)`.
  const auto to_list = [](World& w, Ciphertext& d, const auto& call) {
    std::vector<Ciphertext> to{d, w.a};
    const std::vector<Ciphertext> before = to;
    try {
      call(&d == &w.a ? to[0] : to[1], to);
    } catch (const ErrorInfo&) {
      EXPECT_TRUE(Snapshot::of(to) == Snapshot::of(before)) << "a destination changed";
      throw;
    }
    d = to[0];
  };
  std::vector<Operation> all{
      {"save and load", takes_a,
       [context](auto&, auto& w, auto& d) { d = load<Ciphertext>(context, save(w.a)); }},
      {"multiply_relinearize", kProduct,
       [](auto& e, auto& w, auto& d) { multiply_relinearize(e, w.a, w.b, w.relin, d); }},
      {"Evaluator::apply_galois_many", takes_a | needs_galois_key,
       [=](auto& e, auto& w, auto& d) {
         const std::uint64_t elements[] = {w.galois_element, 3};
         to_list(w, d, [&](auto& a, auto& to) { e.apply_galois_many(a, elements, w.galois, to); });
       }},
      {"rotate many", takes_a | needs_galois_key, [=](auto& e, auto& w, auto& d) {
         const int steps[] = {w.steps, 1};
         to_list(w, d, [&](auto& a, auto& to) {
           if (e.context().scheme() == SchemeType::ckks) {
             e.rotate_vector_many(a, steps, w.galois, to);
           } else {
             e.rotate_rows_many(a, steps, w.galois, to);
           }
         });
       }}};
  if (context.scheme() != SchemeType::ckks) return all;
  all.push_back({"multiply_relinearize_rescale", kProduct, [](auto& e, auto& w, auto& d) {
                   multiply_relinearize_rescale(e, w.a, w.b, w.relin, d);
                 }});
  all.push_back({"multiply_relinearize_rescale_add", kProduct, [](auto& e, auto& w, auto& d) {
                   Ciphertext addend = w.b;  // the same numbers at the scale that fits
                   addend.scale() = product_scale_after_rescale(e, w.a, w.b);
                   multiply_relinearize_rescale_add(e, w.a, w.b, addend, w.relin, d);
                 }});
  all.push_back(
      {"square_relinearize_rescale", takes_a | needs_relin_key,
       [](auto& e, auto& w, auto& d) { square_relinearize_rescale(e, w.a, w.relin, d); }});
  all.push_back({"rotate", takes_a | needs_galois_key,
                 [](auto& e, auto& w, auto& d) { rotate(e, w.a, w.steps, w.galois, d); }});
  return all;
}

struct NativeSide : Services {
  using Api = NativeApi;
  using Shape = ExactShape;
  static constexpr bool kNamesKeys = true;
  static constexpr bool kChecksPlainScale = true;

  NativeSide(SchemeType scheme, const Shape& shape, std::uint64_t seed)
      : Services(exact_context(scheme, shape), seed, Device::cpu()) {
    if (native.using_keyswitching()) few_keys = keygen.create_galois_keys({1});
  }

  std::vector<Operation> further_operations() const { return test::further_operations(context); }
  static std::span<const std::uint64_t> coefficients(const Plaintext& plain) {
    return plain.coefficients();
  }
  Ciphertext encrypt(const Plaintext& plain) const { return encryptor.encrypt(plain); }
  Ciphertext encrypt_symmetric(const Plaintext& plain, bool is_seeded) const {
    if (!is_seeded) return encryptor.encrypt_symmetric(plain);
    return load<Ciphertext>(context, save(encryptor.encrypt_symmetric_seeded(plain)));
  }
  bool decrypt_checked(const Ciphertext& encrypted, Plaintext& plain) const {
    try {
      plain = decryptor.decrypt_checked(encrypted);
      return true;
    } catch (const InvalidArgument&) {
      return false;
    }
  }
  Ciphertext zero_at_key_level() const {
    return Ciphertext(*context.key_context_data(), 2, context.ciphertext_form(), Contents::zero);
  }
  Plaintext zero_at_first_level() const { return Plaintext(*context.first_context_data()); }
  void reload(World& w) const {
    if (native.scheme() != SchemeType::ckks) w.plain = load<Plaintext>(context, save(w.plain));
    w.leveled = load<Plaintext>(context, save(w.leveled));
    if (!context.using_keyswitching()) return;
    w.relin = load<RelinKeys>(context, save(w.relin));
    w.galois = load<GaloisKeys>(context, save(w.galois));
  }
  static void expect_told(const ErrorInfo& error) {
    EXPECT_FALSE(error.operation().empty() || error.offending().empty() || error.limit().empty() ||
                 error.remedy().empty());
  }

  const Context& native = context;
  std::vector<CallLevel> levels = levels_from(
      context.first_context_data(), [](const ContextData& level) { return level.prime_count(); });
  GaloisKeys few_keys;
};

class Calls : public ::testing::TestWithParam<SchemeType> {};

TEST_P(Calls, AreRightOrRefused) {
  const std::uint64_t t = PlainModulus::batching(64, 16).value();
  expect_right_or_refused<NativeSide>(GetParam(), {{64, t, {50, 45, 45, 45}, {55}},
                                                   {64, t, {40, 40, 50, 49}, {49, 50}, 2},
                                                   {64, 257, {45, 44, 43}, {}}});
}

INSTANTIATE_TEST_SUITE_P(Schemes, Calls,
                         ::testing::Values(SchemeType::ckks, SchemeType::bfv, SchemeType::bgv));

}  // namespace
}  // namespace ringlet::test
