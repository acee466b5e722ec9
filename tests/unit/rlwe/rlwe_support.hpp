// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/ring/rns_poly.hpp"
#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/key_generator.hpp"
#include "ringlet/rlwe/plaintext.hpp"
#include "ringlet/schemes/evaluator.hpp"
#include "support/circuits/shape_parameters.hpp"
#include "support/refusal.hpp"
#include "support/values.hpp"

namespace ringlet::test {

using Sizes = std::vector<std::size_t>;

/// The schemes for tests of every scheme, and their names.
inline const auto kEveryScheme =
    ::testing::Values(SchemeType::bfv, SchemeType::ckks, SchemeType::bgv);
inline std::string scheme_name(const ::testing::TestParamInfo<SchemeType>& test) {
  return to_string(test.param);
}

inline EncryptionParameters ckks_of(std::size_t degree, std::vector<Modulus> primes) {
  EncryptionParameters parms(SchemeType::ckks);
  parms.set_poly_modulus_degree(degree);
  parms.set_coeff_modulus(std::move(primes));
  return parms;
}

inline EncryptionParameters ckks(std::size_t degree, const std::vector<int>& bit_sizes) {
  return ckks_of(degree, CoeffModulus::create(degree, bit_sizes));
}

/// Degrees are small here, so there is no security to check.
inline Context toy_context(std::size_t degree, const std::vector<int>& bit_sizes,
                           const KernelSelection& kernels = KernelSelection::from_environment()) {
  return Context(ckks(degree, bit_sizes), SecurityLevel::none, SecurityTable::classical_2024,
                 kernels);
}

/// Expects that `call` throws an Error of `operation` whose message holds all `parts`.
template <typename Error = InvalidArgument, typename Call>
void expect_refusal(const Call& call, const std::string& operation,
                    std::initializer_list<std::string> parts) {
  expect_refusal_of<Error>(operation, parts, call);
}

/// Expects that a context refuses these parameters.
inline void expect_bad(const EncryptionParameters& parms, std::initializer_list<std::string> parts,
                       SecurityLevel level = SecurityLevel::none) {
  expect_refusal([&] { const Context context(parms, level); }, "Context", parts);
}

inline Context context_of(const EncryptionParameters& parms) {
  return Context(parms, SecurityLevel::none);
}

/// The destination that a member function of Evaluator writes.
template <typename... Parameters, typename... Operands>
Ciphertext result_of(const Evaluator& evaluator, void (Evaluator::*function)(Parameters...) const,
                     const Operands&... operands) {
  Ciphertext result;
  (evaluator.*function)(operands..., result);
  return result;
}

/// The levels from `level` down, and the data levels of a context.
inline std::vector<const ContextData*> levels_from(const ContextData* level) {
  std::vector<const ContextData*> levels;
  for (; level != nullptr; level = level->next_context_data()) levels.push_back(level);
  return levels;
}
inline std::vector<const ContextData*> levels_of(const Context& context) {
  return levels_from(context.first_context_data());
}

/// Parameters whose last `special_count` primes are special.
inline EncryptionParameters parameters_of(SchemeType scheme, std::size_t degree,
                                          const std::vector<Modulus>& primes,
                                          std::size_t special_count) {
  const auto middle = primes.end() - static_cast<std::ptrdiff_t>(special_count);
  EncryptionParameters parms(scheme);
  parms.set_poly_modulus_degree(degree);
  parms.set_coeff_modulus({primes.begin(), middle}, {middle, primes.end()});
  return parms;
}

/// All words of a view, limb by limb.
template <typename View>
std::vector<std::uint64_t> words_of(const View& view) {
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < view.limb_count; ++i) {
    words.insert(words.end(), view.limb(i).begin(), view.limb(i).end());
  }
  return words;
}

inline std::vector<std::uint64_t> words_of(const Ciphertext& encrypted) {
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < encrypted.size(); ++i) {
    const auto poly = words_of(encrypted.view(i));
    words.insert(words.end(), poly.begin(), poly.end());
  }
  return words;
}

inline std::string hex_of(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

/// The signed coefficients of a polynomial that is small in every prime: they must agree between
/// limbs.
inline std::vector<std::int64_t> small_coefficients(const Context& context, ConstNttView values,
                                                    PrimeIndices primes) {
  CoeffPoly coefficients(values.limb_count, values.degree);
  context.backend().inverse_ntt(coefficients.view_for_writing(), values, primes);
  const ConstCoeffView view = coefficients.view();
  std::vector<std::int64_t> result(values.degree);
  for (std::size_t i = 0; i < primes.size(); ++i) {
    const auto q = static_cast<std::int64_t>(context.backend().basis()[primes[i]].value());
    for (std::size_t n = 0; n < result.size(); ++n) {
      const auto residue = static_cast<std::int64_t>(view.limb(i)[n]);
      const std::int64_t value = residue > q / 2 ? residue - q : residue;
      if (i == 0) result[n] = value;
      if (result[n] != value) {
        ADD_FAILURE() << "coefficient " << n << " is not small: limb " << i << " has " << value
                      << ", limb 0 has " << result[n];
        return result;
      }
    }
  }
  return result;
}

inline double largest(const std::vector<std::int64_t>& values) {
  std::int64_t result = 0;
  for (const std::int64_t value : values) result = std::max(result, std::abs(value));
  return static_cast<double>(result);
}

inline double standard_deviation(const std::vector<std::int64_t>& values) {
  double sum = 0;
  for (const std::int64_t value : values) {
    sum += static_cast<double>(value) * static_cast<double>(value);
  }
  return std::sqrt(sum / static_cast<double>(values.size()));
}

/// c_0 + c_1*s + ... in NTT form by Horner's rule, computed independently of Decryptor.
inline NttPoly phase(const Context& context, const SecretKey& secret, const Ciphertext& encrypted) {
  const ContextData& level = *context.get_context_data(encrypted.parms_id());
  const ConstNttView s = secret.view().first(level.prime_count());
  NttPoly result(level.prime_count(), level.degree());
  const NttView view = result.view_for_writing();
  for (std::size_t i = encrypted.size(); i-- > 0;) {
    context.backend().multiply_add(view, view, s, encrypted.ntt_view(i), level.primes());
  }
  return result;
}

/// Fills a polynomial with uniform residues.
inline void fill_uniform(NttView view, const Context& context, PrimeIndices primes,
                         std::mt19937_64& rng) {
  for (std::size_t i = 0; i < primes.size(); ++i) {
    const std::uint64_t q = context.backend().basis()[primes[i]].value();
    const auto residues = random_residues(view.degree, q, rng);
    std::copy(residues.begin(), residues.end(), view.limb(i).begin());
  }
}

/// Pearson's statistic of counts against probabilities, and a limit that chance exceeds about once
/// in 1e9 (six standard deviations; Wilson and Hilferty's approximation).
struct ChiSquare {
  double statistic = 0;
  double limit = 0;
};

inline ChiSquare chi_square(const std::vector<std::size_t>& counts,
                            const std::vector<double>& probabilities) {
  double total = 0;
  for (const std::size_t count : counts) total += static_cast<double>(count);
  ChiSquare result;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = total * probabilities[i];
    const double difference = static_cast<double>(counts[i]) - expected;
    result.statistic += difference * difference / expected;
  }
  const double freedom = static_cast<double>(counts.size() - 1);
  const double root = 1 - 2 / (9 * freedom) + 6 * std::sqrt(2 / (9 * freedom));
  result.limit = freedom * root * root * root;
  return result;
}

}  // namespace ringlet::test
