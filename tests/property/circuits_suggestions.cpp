// SPDX-License-Identifier: Apache-2.0
#include "support/declared_circuit.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"

// Parameters that are suggested carry their circuit, with the promised precision, under the
// promised security; the next smaller ring does not. A Context checks the security by itself.

namespace ringlet::test {
namespace {

struct Request {
  ParameterRequest wanted;
  Circuit circuit;
};

// A few sums, products by known vectors, rotations and products.
Circuit random_circuit(std::size_t depth, bool is_exact, std::mt19937_64& rng) {
  const std::size_t length = std::size_t{2} << rng() % 6;
  Circuit circuit(length);
  CircuitValue x = circuit.input();
  const CircuitValue y = circuit.input();
  for (std::size_t level = 0; level < depth; ++level) {
    const std::size_t kind = rng() % 4;
    if (kind == 0) x = circuit.add(circuit.rotate(x, static_cast<int>(1 + rng() % 3)), x);
    if (kind == 1) x = circuit.subtract(x, y);
    if (rng() % 3 != 0) {
      x = circuit.multiply(x, rng() % 2 == 0 ? x : y);
    } else if (is_exact) {
      KnownVector::Integers factors(length);
      for (std::int64_t& factor : factors) factor = static_cast<std::int64_t>(rng() % 1000) - 500;
      x = circuit.multiply(x, KnownVector(factors));
    } else {
      x = circuit.multiply(x, KnownVector(0.75));
    }
    if (rng() % 4 == 0) x = circuit.conjugate(x);
  }
  circuit.output(x);
  return circuit;
}

Request random_request(std::size_t turn, std::mt19937_64& rng) {
  ParameterRequest wanted;
  constexpr SchemeType kSchemes[] = {SchemeType::ckks, SchemeType::bfv, SchemeType::bgv};
  wanted.scheme = kSchemes[turn % 3];
  const bool is_exact = wanted.scheme != SchemeType::ckks;
  wanted.precision_bits = 8 + static_cast<double>(rng() % 25);
  wanted.plain_bits = 16 + static_cast<int>(rng() % 10);
  wanted.level = turn % 5 == 4 ? SecurityLevel::tc192 : SecurityLevel::tc128;
  wanted.table = turn % 7 == 6 ? SecurityTable::quantum_2024 : SecurityTable::classical_2024;
  const std::size_t depth = rng() % 5;
  if (rng() % 3 == 0) return {wanted, depth_circuit(depth)};
  return {wanted, random_circuit(depth, is_exact, rng)};
}

TEST(Suggestions, KeepTheirPromisesInTheSmallestRing) {
  std::mt19937_64 rng(test_seed());
  const std::size_t count = std::min<std::size_t>(50, 9 * test_scale());
  for (std::size_t turn = 0; turn < count; ++turn) {
    const Request request = random_request(turn, rng);
    const ParameterSuggestion suggestion = suggest_parameters(request.circuit, request.wanted);
    const EncryptionParameters& parms = suggestion.parms;
    const std::size_t degree = parms.poly_modulus_degree();
    SCOPED_TRACE("request " + std::to_string(turn) + ", N = " + std::to_string(degree));
    EXPECT_EQ(suggestion.modulus_bits_limit,
              max_modulus_bits(degree, request.wanted.level, request.wanted.table));
    EXPECT_LE(suggestion.modulus_bits, suggestion.modulus_bits_limit);
    const Context context(parms, request.wanted.level, request.wanted.table);
    double error = 0;
    if (parms.scheme() == SchemeType::ckks) {
      const CkksBench bench(context, suggestion.scale);
      auto inputs = bench.random_inputs(request.circuit, rng);
      for (auto& input : inputs) {
        for (Number& z : input) z /= std::max(1.0L, std::abs(z));
      }
      error = bench.expect_run(request.circuit, inputs, std::exp2(-request.wanted.precision_bits));
      EXPECT_LE(error, std::exp2(-suggestion.precision_bits));
      EXPECT_GE(suggestion.precision_bits, request.wanted.precision_bits);
    } else {
      ExactBench(context).expect_run(request.circuit, rng);
      EXPECT_GE(suggestion.budget_bits, 0);
    }
    std::printf(
        "  %s depth %zu: N = %zu, %zu + %zu primes, %d of %d bits, asked %.0f, estimated "
        "%.1f, measured %.1f\n",
        to_string(parms.scheme()), request.circuit.depth(), degree, parms.data_primes().size(),
        parms.special_primes().size(), suggestion.modulus_bits, suggestion.modulus_bits_limit,
        request.wanted.precision_bits, suggestion.precision_bits, -std::log2(error));
    if (degree == 1024) continue;
    ParameterRequest smaller = request.wanted;
    smaller.degree = degree / 2;
    expect_refusal_of("suggest_parameters", {},
                      [&] { suggest_parameters(request.circuit, smaller); });
  }
}

}  // namespace
}  // namespace ringlet::test
