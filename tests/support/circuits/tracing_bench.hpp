// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/circuits/declared_circuit.hpp"

namespace ringlet::test {

inline constexpr double kTracedScale = 0x1p40;

/// A generator of keys under another secret, which cannot be told from keys of the first secret.
inline KeyGenerator nameless_keys(const Context& context) {
  const KeyGenerator other(context, RandomSource::for_testing(test_seed() + 7));
  const ConstNttView secret = other.secret_key().view();
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < secret.limb_count; ++i) {
    words.insert(words.end(), secret.limb(i).begin(), secret.limb(i).end());
  }
  return {context, SecretKey::borrow(context, words.data()), RandomSource()};
}

/// Keys that the test makes itself, beside a TracingEvaluator.
struct TracingBench {
  explicit TracingBench(const Context& of)
      : context(of),
        keygen(context, RandomSource::for_testing(test_seed())),
        relin_keys(keygen.create_relin_keys()),
        galois_keys(keygen.create_galois_keys()),
        decryptor(context, keygen.secret_key()),
        estimator(context.parms()),
        tracer(context, keygen.secret_key(), RandomSource::for_testing(test_seed() + 1)) {}

  const TraceStep& last() const { return tracer.log().back(); }

  Context context;
  KeyGenerator keygen;
  RelinKeys relin_keys;
  GaloisKeys galois_keys;
  Decryptor decryptor;
  NoiseEstimator estimator;
  TracingEvaluator tracer;
};

inline TracingBench ckks_bench(std::size_t levels = 3) {
  return TracingBench(CkksBench::context(64, levels));
}
inline TracingBench exact_bench(SchemeType scheme, std::size_t primes = 4) {
  return TracingBench(ExactBench::context(scheme, 64, primes));
}

inline std::vector<std::uint64_t> random_rows(const Context& context, std::uint64_t stream) {
  std::mt19937_64 rng = make_rng(stream);
  return random_residues(context.ring().degree(), context.plain_modulus().value(), rng);
}

}  // namespace ringlet::test
