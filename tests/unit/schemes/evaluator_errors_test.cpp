// SPDX-License-Identifier: Apache-2.0
#include <cfloat>

#include "support/test.hpp"
#include "unit/schemes/ckks_support.hpp"

namespace ringlet::test {
namespace {

constexpr double kScale = 0x1p40;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Unary = std::function<void(const Ciphertext&, Ciphertext&)>;
using Binary = std::function<void(const Ciphertext&, const Ciphertext&, Ciphertext&)>;
using WithPlain = std::function<void(const Ciphertext&, const Plaintext&, Ciphertext&)>;

template <typename Call>
struct Named {
  std::string operation;
  Call call;
};

class EvaluatorErrors : public ::testing::Test {
 protected:
  EvaluatorErrors() {
    Ciphertext lower;
    ckks_.evaluator.mod_switch_to_next(a_, lower);
    lower_ = lower;
    ckks_.evaluator.square(a_, wide_);
    Plaintext plain = plain_;
    ckks_.evaluator.mod_switch_to_next_inplace(plain);
    lower_plain_ = plain;
  }

  // Refused with all parts of a message; neither operands nor the destination change. Then the same
  // with an operand as the destination.
  template <typename Error = InvalidArgument>
  void expect_refuses(const Named<Unary>& f, const Ciphertext& a, const std::string& part) {
    SCOPED_TRACE(f.operation);
    Ciphertext operand = a;
    Ciphertext destination = other_;
    const Snapshot before(operand);
    test::expect_refusal<Error>([&] { f.call(operand, destination); }, f.operation, {part});
    EXPECT_EQ(Snapshot(destination), Snapshot(other_));
    EXPECT_EQ(Snapshot(operand), before);
    test::expect_refusal<Error>([&] { f.call(operand, operand); }, f.operation, {part});
    EXPECT_EQ(Snapshot(operand), before);
  }

  template <typename Error = InvalidArgument, typename Call, typename B>
  void expect_refuses(const Named<Call>& f, const Ciphertext& a, const B& b,
                      const std::string& part) {
    SCOPED_TRACE(f.operation);
    Ciphertext operand = a;
    B second = b;
    Ciphertext destination = other_;
    const Snapshot before(operand);
    const Snapshot second_before(second);
    test::expect_refusal<Error>([&] { f.call(operand, second, destination); }, f.operation, {part});
    EXPECT_EQ(Snapshot(destination), Snapshot(other_));
    test::expect_refusal<Error>([&] { f.call(operand, second, operand); }, f.operation, {part});
    EXPECT_EQ(Snapshot(operand), before);
    EXPECT_EQ(Snapshot(second), second_before);
  }

  std::vector<Named<Unary>> unary() const {
    const Evaluator& e = ckks_.evaluator;
    const ParmsId last = ckks_.context.last_parms_id();
    return {
        {"Evaluator::negate", [&e](auto& a, auto& d) { e.negate(a, d); }},
        {"Evaluator::square", [&e](auto& a, auto& d) { e.square(a, d); }},
        {"Evaluator::relinearize",
         [&e, this](auto& a, auto& d) { e.relinearize(a, ckks_.relin_keys, d); }},
        {"Evaluator::rescale_to_next", [&e](auto& a, auto& d) { e.rescale_to_next(a, d); }},
        {"Evaluator::rescale_to", [&e, last](auto& a, auto& d) { e.rescale_to(a, last, d); }},
        {"Evaluator::mod_switch_to_next", [&e](auto& a, auto& d) { e.mod_switch_to_next(a, d); }},
        {"Evaluator::mod_switch_to", [&e, last](auto& a, auto& d) { e.mod_switch_to(a, last, d); }},
        {"Evaluator::rotate_vector",
         [&e, this](auto& a, auto& d) { e.rotate_vector(a, 1, ckks_.galois_keys, d); }},
        {"Evaluator::complex_conjugate",
         [&e, this](auto& a, auto& d) { e.complex_conjugate(a, ckks_.galois_keys, d); }},
        {"Evaluator::apply_galois",
         [&e, this](auto& a, auto& d) { e.apply_galois(a, 3, ckks_.galois_keys, d); }},
        {"Evaluator::add_many", [&e](auto& a, auto& d) { e.add_many({&a, 1}, d); }},
        {"Evaluator::relinearize_and_rescale_to_next",
         [&e, this](auto& a, auto& d) {
           e.relinearize_and_rescale_to_next(a, ckks_.relin_keys, d);
         }},
    };
  }

  std::vector<Named<Binary>> binary() const {
    const Evaluator& e = ckks_.evaluator;
    return {
        {"Evaluator::add", [&e](auto& a, auto& b, auto& d) { e.add(a, b, d); }},
        {"Evaluator::sub", [&e](auto& a, auto& b, auto& d) { e.sub(a, b, d); }},
        {"Evaluator::multiply", [&e](auto& a, auto& b, auto& d) { e.multiply(a, b, d); }},
    };
  }

  std::vector<Named<WithPlain>> with_plain() const {
    const Evaluator& e = ckks_.evaluator;
    return {
        {"Evaluator::add_plain", [&e](auto& a, auto& p, auto& d) { e.add_plain(a, p, d); }},
        {"Evaluator::sub_plain", [&e](auto& a, auto& p, auto& d) { e.sub_plain(a, p, d); }},
        {"Evaluator::multiply_plain",
         [&e](auto& a, auto& p, auto& d) { e.multiply_plain(a, p, d); }},
    };
  }

  Ckks ckks_{64, {50, 40, 40, 60}};
  Ckks foreign_{64, {50, 40, 41, 60}};
  std::mt19937_64 rng_ = test::make_rng();
  test::Slots x_ = test::random_slots(32, rng_);
  Ciphertext a_ = ckks_.encrypt(x_, kScale);
  Ciphertext b_ = ckks_.encrypt(x_, kScale);
  Ciphertext other_ = ckks_.encrypt(x_, 0x1p20);  // what stands in destinations
  Plaintext plain_ = ckks_.encode(x_, kScale);
  Ciphertext lower_;
  Ciphertext wide_;
  Plaintext lower_plain_;
};

TEST_F(EvaluatorErrors, OperandsThatDoNotBelong) {
  struct Bad {
    Ciphertext operand;
    std::string part;
  };
  std::vector<Bad> bads{
      {Ciphertext(), "empty"},
      {foreign_.encrypt(x_, kScale), "no level"},
      {Ciphertext(*ckks_.context.key_context_data()), "key level"},
  };
  for (const double scale : {0.0, -1.0, std::nan(""), kInfinity, DBL_MIN / 4}) {
    bads.push_back({a_, "scale"});
    bads.back().operand.scale() = scale;
  }
  bads.push_back({a_, "correction factor 2"});
  bads.back().operand.correction_factor() = 2;
  for (const auto& [operand, part] : bads) {
    for (const auto& f : unary()) expect_refuses(f, operand, part);
    for (const auto& f : binary()) {
      expect_refuses(f, operand, a_, part);
      expect_refuses(f, a_, operand, part);
    }
    for (const auto& f : with_plain()) expect_refuses(f, operand, plain_, part);
  }
}

TEST_F(EvaluatorErrors, FormsThatDoNotFit) {
  Ciphertext coefficients;
  ckks_.evaluator.transform_from_ntt(a_, coefficients);
  for (const auto& f : unary()) {
    if (f.operation == "Evaluator::negate" || f.operation == "Evaluator::add_many") {
      Ciphertext result;
      f.call(coefficients, result);
      EXPECT_FALSE(result.is_ntt_form()) << f.operation << " takes both forms";
    } else {
      expect_refuses(f, coefficients, "coefficient form");
    }
  }
  for (const auto& f : binary()) {
    expect_refuses(f, coefficients, a_, "form");
    expect_refuses(f, a_, coefficients, "form");
  }
  for (const auto& f : with_plain()) {
    if (f.operation == "Evaluator::multiply_plain") continue;  // takes both forms
    expect_refuses(f, coefficients, plain_, "coefficient form");
  }
  const std::vector<Ciphertext> mixed{a_, b_, coefficients};
  Ciphertext destination = other_;
  test::expect_refusal<InvalidArgument>([&] { ckks_.evaluator.add_many(mixed, destination); },
                                        "Evaluator::add_many", {"form"});
  EXPECT_EQ(Snapshot(destination), Snapshot(other_));
}

TEST_F(EvaluatorErrors, PlaintextsThatDoNotBelong) {
  struct Bad {
    Plaintext operand;
    std::string part;
  };
  std::vector<Bad> bads{
      {Plaintext(), "empty"},
      {foreign_.encode(x_, kScale), "no level"},
      {Plaintext(*ckks_.context.key_context_data()), "key level"},
      {Plaintext(64), "form"},
  };
  for (const double scale : {0.0, -1.0, std::nan(""), kInfinity, DBL_MIN / 4}) {
    bads.push_back({plain_, "scale"});
    bads.back().operand.scale() = scale;
  }
  const ParmsId& last = ckks_.context.last_parms_id();
  for (auto& [operand, part] : bads) {
    for (const auto& f : with_plain()) expect_refuses(f, a_, operand, part);
    const Snapshot before(operand);
    Plaintext destination = plain_;
    test::expect_refusal<InvalidArgument>(
        [&] { ckks_.evaluator.mod_switch_to_next(operand, destination); },
        "Evaluator::mod_switch_to_next", {part});
    test::expect_refusal<InvalidArgument>(
        [&] { ckks_.evaluator.mod_switch_to_inplace(operand, last); }, "Evaluator::mod_switch_to",
        {part});
    EXPECT_EQ(Snapshot(operand), before);
    EXPECT_EQ(Snapshot(destination), Snapshot(plain_));
  }
}

TEST_F(EvaluatorErrors, LevelsThatDiffer) {
  for (const auto& f : binary()) {
    expect_refuses(f, a_, lower_, "chain index 2, scale 1099511627776");
    expect_refuses(f, a_, lower_, "chain index 1");
    expect_refuses(f, lower_, a_, "different levels");
  }
  for (const auto& f : with_plain()) {
    expect_refuses(f, lower_, plain_, "different levels");
    expect_refuses(f, a_, lower_plain_, "different levels");
  }
  Ciphertext destination = other_;
  const std::vector<Ciphertext> mixed{a_, b_, lower_};
  test::expect_refusal<InvalidArgument>([&] { ckks_.evaluator.add_many(mixed, destination); },
                                        "Evaluator::add_many", {"different levels"});
  EXPECT_EQ(Snapshot(destination), Snapshot(other_));
}

TEST_F(EvaluatorErrors, ScalesThatDiffer) {
  Ciphertext near = b_;
  near.scale() = std::nextafter(std::nextafter(kScale, 0x1p41), 0x1p41);
  Plaintext near_plain = plain_;
  near_plain.scale() = near.scale();
  const auto sums = binary();
  const auto plain_sums = with_plain();
  for (std::size_t i = 0; i < 2; ++i) {  // products take any scales
    expect_refuses(sums[i], a_, near, "different scales");
    expect_refuses(plain_sums[i], a_, near_plain, "different scales");
  }
  Ciphertext result;
  ckks_.evaluator.multiply(a_, near, result);
  Ciphertext destination = other_;
  const std::vector<Ciphertext> mixed{a_, b_, near};
  test::expect_refusal<InvalidArgument>([&] { ckks_.evaluator.add_many(mixed, destination); },
                                        "Evaluator::add_many", {"different scales"});
  EXPECT_EQ(Snapshot(destination), Snapshot(other_));
  test::expect_refusal<InvalidArgument>([&] { ckks_.evaluator.add_many({}, destination); },
                                        "Evaluator::add_many", {"no operands"});
}

TEST_F(EvaluatorErrors, ScalesPastTheModulus) {
  // 130 bits: products up to 2^130 excluded.
  Ciphertext large = a_;
  large.scale() = 0x1p65;
  Plaintext large_plain = plain_;
  large_plain.scale() = 0x1p90;
  expect_refuses(unary()[1], large, "2^130");
  expect_refuses(binary()[2], large, large, "2^130");
  expect_refuses(with_plain()[2], a_, large_plain, "2^130");
  Ciphertext result;
  large.scale() = std::nextafter(0x1p65, 0.0);
  ckks_.evaluator.square(large, result);
  // What fits here may not fit below.
  large.scale() = 0x1p90;
  expect_refuses(unary()[5], large, "2^90");
  expect_refuses(unary()[6], large, "2^50");
  Plaintext destination = plain_;
  test::expect_refusal<InvalidArgument>(
      [&] { ckks_.evaluator.mod_switch_to_next(large_plain, destination); },
      "Evaluator::mod_switch_to_next", {"2^90"});
  EXPECT_EQ(Snapshot(destination), Snapshot(plain_));
  // Scales that vanish or run over altogether.
  for (const double scale : {DBL_MIN, DBL_MAX}) {
    large.scale() = scale;
    expect_refuses(unary()[1], large, "scale");
    expect_refuses(binary()[2], large, large, "scale");
  }
  large.scale() = DBL_MIN;
  expect_refuses(unary()[3], large, "scale");
  expect_refuses(unary()[11], large, "scale");
}

TEST_F(EvaluatorErrors, LevelsThatDoNotExist) {
  Ciphertext last;
  ckks_.evaluator.mod_switch_to(a_, ckks_.context.last_parms_id(), last);
  expect_refuses(unary()[3], last, "last level");
  expect_refuses(unary()[11], last, "last level");
  expect_refuses(unary()[5], last, "last level");
  Plaintext last_plain;
  ckks_.evaluator.mod_switch_to(plain_, ckks_.context.last_parms_id(), last_plain);
  Plaintext destination = plain_;
  test::expect_refusal<InvalidArgument>(
      [&] { ckks_.evaluator.mod_switch_to_next(last_plain, destination); },
      "Evaluator::mod_switch_to_next", {"last level"});

  const Evaluator& e = ckks_.evaluator;
  for (const ParmsId& target : {foreign_.context.first_parms_id(), kParmsIdZero,
                                ckks_.context.key_parms_id(), ckks_.context.first_parms_id()}) {
    const std::string part = target == ckks_.context.first_parms_id() ? "above"
                             : target == ckks_.context.key_parms_id() ? "key level"
                                                                      : "no level";
    expect_refuses({"Evaluator::rescale_to", [&](auto& a, auto& d) { e.rescale_to(a, target, d); }},
                   lower_, part);
    expect_refuses(
        {"Evaluator::mod_switch_to", [&](auto& a, auto& d) { e.mod_switch_to(a, target, d); }},
        lower_, part);
    test::expect_refusal<InvalidArgument>(
        [&] { e.mod_switch_to(lower_plain_, target, destination); }, "Evaluator::mod_switch_to",
        {part});
  }
  EXPECT_EQ(Snapshot(destination), Snapshot(plain_));
}

TEST_F(EvaluatorErrors, SizesThatDoNotFit) {
  for (const std::size_t i : {7, 8, 9}) expect_refuses(unary()[i], wide_, "size 3");
  const ContextData& level = *ckks_.context.first_context_data();
  const Ciphertext nine(level, 9);
  expect_refuses(unary()[1], nine, "17");
  expect_refuses(binary()[2], nine, nine, "17");
  // The generated keys serve s^2 alone.
  expect_refuses(unary()[2], Ciphertext(level, 4), "s^3");
  expect_refuses(unary()[11], Ciphertext(level, 4), "s^3");
}

TEST_F(EvaluatorErrors, KeysThatDoNotBelong) {
  const Evaluator& e = ckks_.evaluator;
  const RelinKeys empty;
  const GaloisKeys none;
  struct Case {
    const RelinKeys* relin;
    const GaloisKeys* galois;
    std::string part;
  };
  for (const auto& [relin, galois, part] :
       {Case{&empty, &none, "empty"},
        Case{&foreign_.relin_keys, &foreign_.galois_keys, "parms_id"}}) {
    const RelinKeys& r = *relin;
    const GaloisKeys& g = *galois;
    for (const Ciphertext& a : {a_, wide_}) {
      expect_refuses({"Evaluator::relinearize", [&](auto& u, auto& d) { e.relinearize(u, r, d); }},
                     a, part);
      expect_refuses({"Evaluator::relinearize_and_rescale_to_next",
                      [&](auto& u, auto& d) { e.relinearize_and_rescale_to_next(u, r, d); }},
                     a, part);
    }
    for (const int steps : {0, 1}) {
      expect_refuses(
          {"Evaluator::rotate_vector", [&](auto& u, auto& d) { e.rotate_vector(u, steps, g, d); }},
          a_, part);
    }
    expect_refuses(
        {"Evaluator::complex_conjugate", [&](auto& u, auto& d) { e.complex_conjugate(u, g, d); }},
        a_, part);
    expect_refuses(
        {"Evaluator::apply_galois", [&](auto& u, auto& d) { e.apply_galois(u, 3, g, d); }}, a_,
        part);
  }
}

TEST_F(EvaluatorErrors, RotationsWithoutTheirKey) {
  const Evaluator& e = ckks_.evaluator;
  // 1 and 8, but not -4: 5 = 1 + 4 and 13 = 1 - 4 + 16.
  const GaloisKeys some = ckks_.keygen.create_galois_keys(std::vector<int>{1, 8, 16});
  const auto rotation = [&](int steps, const GaloisKeys& keys) {
    return Named<Unary>{"Evaluator::rotate_vector", [&e, steps, &keys](auto& u, auto& d) {
                          e.rotate_vector(u, steps, keys, d);
                        }};
  };
  expect_refuses(rotation(5, some), a_, "no key for steps 4");
  expect_refuses(rotation(13, some), a_, "no key for steps -4");
  expect_refuses(rotation(-5, some), a_, "no key for steps -1, -4");
  for (const int steps :
       {32, -32, 33, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    expect_refuses(rotation(steps, ckks_.galois_keys), a_, "N/2 = 32");
  }
  expect_refuses(
      {"Evaluator::complex_conjugate", [&](auto& u, auto& d) { e.complex_conjugate(u, some, d); }},
      a_, "127");
  for (const std::uint64_t element : {0ull, 2ull, 128ull, 129ull, ~0ull}) {
    expect_refuses({"Evaluator::apply_galois",
                    [&](auto& u, auto& d) { e.apply_galois(u, element, ckks_.galois_keys, d); }},
                   a_, "odd");
  }
  expect_refuses(
      {"Evaluator::apply_galois", [&](auto& u, auto& d) { e.apply_galois(u, 7, some, d); }}, a_,
      "element 7");
}

TEST_F(EvaluatorErrors, TransparentResults) {
  const auto binaries = binary();
  Ciphertext negative;
  ckks_.evaluator.negate(a_, negative);
  expect_refuses<LogicError>(binaries[0], a_, negative, "transparent");
  expect_refuses<LogicError>(binaries[1], a_, a_, "transparent");
  expect_refuses<LogicError>(binaries[1], wide_, wide_, "transparent");
  const std::vector<Ciphertext> both{a_, negative};
  Ciphertext destination = other_;
  test::expect_refusal<LogicError>([&] { ckks_.evaluator.add_many(both, destination); },
                                   "Evaluator::add_many", {"transparent"});
  EXPECT_EQ(Snapshot(destination), Snapshot(other_));
  Plaintext zero;
  ckks_.encoder.encode(0.0, kScale, zero);
  expect_refuses<LogicError>(with_plain()[2], a_, zero, "transparent");

  // A transparent operand, and what keeps it transparent.
  Ciphertext transparent(*ckks_.context.first_context_data());
  transparent.scale() = kScale;
  for (const std::size_t i : {0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11}) {
    expect_refuses<LogicError>(unary()[i], transparent, "transparent");
  }
  expect_refuses<LogicError>(binaries[0], transparent, transparent, "transparent");
  expect_refuses<LogicError>(binaries[2], transparent, transparent, "transparent");
  expect_refuses<LogicError>(binaries[2], transparent, a_, "transparent");
  for (const auto& f : with_plain())
    expect_refuses<LogicError>(f, transparent, plain_, "transparent");
  Ciphertext result;
  ckks_.evaluator.add(transparent, a_, result);
  EXPECT_EQ(Snapshot(result), Snapshot(a_));
}

}  // namespace
}  // namespace ringlet::test
