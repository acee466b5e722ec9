// SPDX-License-Identifier: Apache-2.0
#include "support/circuits/declared_circuit.hpp"

// Suggested parameters suffice for their circuit, with the promised precision and security; the
// next smaller ring does not. A Context checks the security by itself.

namespace ringlet::test {
namespace {

struct Request {
  ParameterRequest wanted;
  Circuit circuit;
};

// A random circuit with a few sums, products by known vectors and matrices, rotations and products.
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
      const std::size_t rows = rng() % 2 == 0 ? 1 : length;
      KnownVector::Integers factors(rows * length);
      for (std::int64_t& factor : factors) {
        factor = rng() % 4 == 0 ? 0 : static_cast<std::int64_t>(rng() % 1000) - 500;
      }
      factors[0] = 1;
      x = rows == 1 ? circuit.multiply(x, KnownVector(factors))
                    : matrix_vector(circuit, x, KnownMatrix(rows, length, factors));
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
  const std::size_t depth = rng() % (test_scale() > 1 ? 8 : 5);
  if (rng() % 3 == 0) return {wanted, depth_circuit(depth)};
  return {wanted, random_circuit(depth, is_exact, rng)};
}

// A matrix of normal, uniform or sparse entries, with rows and columns of zeros. Its rows may add
// up to more than 1.
KnownMatrix random_matrix(std::size_t size, bool is_small, std::mt19937_64& rng) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(-1, 1);
  const std::size_t kind = rng() % 3;
  std::vector<double> entries(size * size);
  for (double& entry : entries) entry = kind == 0 ? normal(rng) : uniform(rng);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bool is_zero = kind == 2 ? rng() % 8 != 0 : i / size == 1 || i % size == 2;
    if (is_zero && i != 0) entries[i] = 0;
  }
  const double largest = KnownMatrix(size, size, entries).row_sum();
  if (is_small) std::ranges::for_each(entries, [&](double& entry) { entry /= largest; });
  return {size, size, entries};
}

// A circuit of matrix products, products, sums and rotations. `is_small` keeps slots up to 4.
Circuit matrix_circuit(std::size_t depth, bool is_small, std::mt19937_64& rng) {
  const std::size_t length = std::size_t{4} << rng() % (depth < 5 ? 5 : 2);
  Circuit circuit(length);
  CircuitValue x = circuit.input();
  for (std::size_t level = 0; level < depth; ++level) {
    if (rng() % 2 == 0) {
      x = circuit.multiply(x, is_small ? circuit.rotate(x, 1) : circuit.input());
    } else {
      const auto layout = rng() % 2 == 0 ? SlotLayout::repeated : SlotLayout::padded;
      x = matrix_vector(circuit, x, random_matrix(length, is_small, rng), layout);
    }
  }
  circuit.output(circuit.add(x, circuit.rotate(x, 1)));
  return circuit;
}

/// Runs the circuit with the suggested parameters and returns its largest error.
double error_of_run(const Circuit& circuit, const ParameterSuggestion& suggestion,
                    const ParameterRequest& wanted, std::mt19937_64& rng) {
  const CkksBench bench(Context(suggestion.parms, wanted.level, wanted.table), suggestion.scale);
  auto inputs = bench.random_inputs(circuit, rng);
  for (auto& input : inputs) {
    for (Number& z : input) z /= std::max(1.0L, std::abs(z));
  }
  EXPECT_GE(suggestion.precision_bits, wanted.precision_bits);
  return bench.expect_run(circuit, inputs, std::exp2(-suggestion.precision_bits));
}

// Expects that a refusal names the number of bits, and whether smaller slots would suffice. If it
// says so, they must suffice.
void expect_named_bound(const Circuit& circuit, const ParameterRequest& wanted,
                        const std::string& refusal) {
  if (refusal.find("slots up to infinity") != std::string::npos) return;
  const std::string degree = std::to_string(wanted.degree == 0 ? 131072 : wanted.degree);
  const std::size_t named = refusal.find("limit: N = " + degree);
  ASSERT_NE(named, std::string::npos) << refusal;
  const std::string gives = "limit: N = " + degree + " gives at most ";
  if (refusal.compare(named, gives.size(), gives) == 0) {
    EXPECT_LT(std::stod(refusal.substr(named + gives.size())), wanted.precision_bits) << refusal;
  }
  if (refusal.find("slots above 1") == std::string::npos) {
    EXPECT_NE(refusal.find("smaller depth"), std::string::npos) << refusal;
    return;
  }
  Circuit small = circuit;
  for (std::size_t i = 0; i < circuit.nodes().size(); ++i) small.bound({i}, 1);
  EXPECT_NO_THROW(suggest_parameters(small, wanted)) << refusal;
}

TEST(Suggestions, CarryMatricesAndDepth) {
  std::mt19937_64 rng(test_seed());
  const bool is_long = test_scale() > 1;
  std::size_t run = 0;
  std::size_t refused = 0;
  for (std::size_t turn = 0; turn < (is_long ? 500 : 6); ++turn) {
    ParameterRequest wanted;
    wanted.precision_bits = 6 + static_cast<double>(rng() % 20);
    if (turn % 3 == 0) wanted.degree = std::size_t{4096} << rng() % 3;
    const bool is_small = turn % 4 != 0;
    const Circuit circuit = matrix_circuit(1 + rng() % (is_long ? 12 : 3), is_small, rng);
    SCOPED_TRACE(testing::Message() << "turn " << turn << ", depth " << circuit.depth());
    try {
      const ParameterSuggestion suggestion = suggest_parameters(circuit, wanted);
      if (suggestion.parms.poly_modulus_degree() > 32768) continue;
      const double error = error_of_run(circuit, suggestion, wanted, rng);
      std::printf("  depth %zu: N = %zu, asked %.0f, estimated %.1f, measured %.1f\n",
                  circuit.depth(), suggestion.parms.poly_modulus_degree(), wanted.precision_bits,
                  suggestion.precision_bits, -std::log2(error));
      ++run;
    } catch (const InvalidArgument& error) {
      EXPECT_FALSE(is_small && wanted.degree == 0) << error.what();
      expect_named_bound(circuit, wanted, error.what());
      ++refused;
    }
  }
  std::printf("  %zu run, %zu refused\n", run, refused);
  EXPECT_GT(run, refused);
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
      error = error_of_run(request.circuit, suggestion, request.wanted, rng);
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
