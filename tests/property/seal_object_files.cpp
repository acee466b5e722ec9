// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "compat/seal/src/convert.hpp"
#include "compat/seal/src/native.hpp"
#include "compat/seal/src/seed_expansion.hpp"
#include "compat/seal/src/seeded.hpp"
#include "ringlet/evaluator.hpp"
#include "ringlet/kernel_selection.hpp"
#include "seal/modulus.h"
#include "seal/randomgen.h"
#include "support/environment.hpp"
#include "unit/seal/object_file_checks.hpp"

// Damaged files of SEAL's objects: refused, or read as other objects that are as good as any.

namespace ringlet::test {
namespace {

using seal::scheme_type;
using seal::SEALContext;

/// Damages a file in one of several ways. Files of other objects are there to be mixed in.
class Mutator {
 public:
  Mutator(std::uint64_t seed, Bytes other) : random_(seed), other_(std::move(other)) {}

  Bytes operator()(const Bytes& file) {
    Bytes mutant = file;
    for (std::size_t rounds = 1 + below(3); rounds > 0; --rounds) mutate(mutant);
    if (below(2) == 0) repair_size(mutant);
    return mutant;
  }

 private:
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }

  void mutate(Bytes& file) {
    if (file.empty()) file.push_back(std::byte{0});
    switch (below(7)) {
      case 0:
        file[below(file.size())] ^= static_cast<std::byte>(1U << below(8));
        break;
      case 1:
        file[below(file.size())] = static_cast<std::byte>(random_());
        break;
      case 2:
        overwrite_number(file);
        break;
      case 3: {
        const auto at = file.begin() + static_cast<std::ptrdiff_t>(below(file.size()));
        file.erase(at, at + static_cast<std::ptrdiff_t>(
                                below(static_cast<std::size_t>(file.end() - at)) + 1));
        break;
      }
      case 4:
        insert(file, file);
        break;
      case 5:
        insert(file, other_);
        break;
      default:
        std::copy_n(other_.begin(), std::min(below(other_.size()), file.size()), file.begin());
    }
  }

  /// A number that loaders may trip over in the place of eight bytes.
  void overwrite_number(Bytes& file) {
    static constexpr std::uint64_t kNumbers[] = {0,
                                                 1,
                                                 2,
                                                 3,
                                                 7,
                                                 8,
                                                 15,
                                                 16,
                                                 17,
                                                 97,
                                                 1048129,
                                                 std::uint64_t{1} << 31,
                                                 std::uint64_t{1} << 32,
                                                 std::uint64_t{1} << 60,
                                                 std::uint64_t{1} << 61,
                                                 std::uint64_t{1} << 63,
                                                 ~std::uint64_t{0},
                                                 ~std::uint64_t{0} / 8,
                                                 0x7FF0000000000000,
                                                 0x7FF8000000000000,
                                                 0x8000000000000000};
    if (file.size() < 8) return;
    const std::uint64_t number = kNumbers[below(std::size(kNumbers))];
    std::memcpy(file.data() + below(file.size() - 7), &number, sizeof(number));
  }

  void insert(Bytes& file, const Bytes& source) {
    const std::size_t begin = below(source.size());
    const Bytes part(
        source.begin() + static_cast<std::ptrdiff_t>(begin),
        source.begin() + static_cast<std::ptrdiff_t>(begin + below(source.size() - begin + 1)));
    file.insert(file.begin() + static_cast<std::ptrdiff_t>(below(file.size())), part.begin(),
                part.end());
    file.resize(std::min<std::size_t>(file.size(), 1 << 16));
  }

  /// The header announces the size that there is, so that loaders come to the members.
  static void repair_size(Bytes& file) {
    if (file.size() < 16) return;
    const std::uint64_t size = file.size();
    std::memcpy(file.data() + 8, &size, sizeof(size));
  }

  std::mt19937_64 random_;
  Bytes other_;
};

template <typename T>
void compute_with(const SEALContext& context, const T& object) {
  EXPECT_NO_THROW(static_cast<void>(seal4::borrow_native(context, object)));
}

/// To the other form and back.
void compute_with(const SEALContext& context, const seal::Ciphertext& object) {
  if (object.is_transparent()) return;
  const Evaluator evaluator(seal4::native_context(context));
  Ciphertext operand = seal4::borrow_native(context, object);
  Ciphertext transformed;
  Ciphertext back;
  if (object.is_ntt_form()) {
    evaluator.transform_from_ntt(operand, transformed);
    evaluator.transform_to_ntt(transformed, back);
  } else {
    evaluator.transform_to_ntt(operand, transformed);
    evaluator.transform_from_ntt(transformed, back);
  }
  seal::Ciphertext again;
  write_back(context, back, again);
  EXPECT_TRUE(same(again, object));
}

template <typename T>
void expect_usable(const SEALContext& context, const T& object) {
  ASSERT_TRUE(is_valid_for(object, context));
  EXPECT_TRUE(same(loaded<T>(context, saved(object)), object));
  compute_with(context, object);
}

/// Mutants of each file: the kernels matter little, so that one run over all of them is enough.
std::size_t mutants(std::size_t normal) {
  return scaled(KernelSelection::from_environment().table().empty() ? normal : normal / 20);
}

/// `file` is that of `object`, which may be another one than it reads as (a seeded one).
template <typename T>
void expect_mutants_harmless(const SEALContext& context, const T& object, const Bytes& file,
                             std::size_t count) {
  Mutator mutate(test_seed(), saved(random_public_key(context)));
  std::size_t accepted = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Bytes mutant = mutate(file);
    T target(object);
    if (is_refused([&] { target.load(context, mutant.data(), mutant.size()); })) {
      ASSERT_TRUE(same(target, object)) << "mutant " << i;
      continue;
    }
    ++accepted;
    expect_usable(context, target);
  }
  EXPECT_LT(accepted, count) << "nothing was refused";
}

template <typename T>
void expect_mutants_harmless(const SEALContext& context, const T& object, std::size_t normal) {
  for (const seal::compr_mode_type mode : kModes) {
    expect_mutants_harmless(context, object, saved(object, mode), mutants(normal));
  }
}

TEST(SealObjectFiles, plaintexts) {
  const SEALContext bfv = small_context(scheme_type::bfv);
  expect_mutants_harmless(bfv, seal::Plaintext("60x^7 + 1x^2 + 5"), 2500);
  const SEALContext ckks = small_context(scheme_type::ckks);
  expect_mutants_harmless(ckks, random_ntt_plaintext(ckks, ckks.first_parms_id()), 2500);
}

TEST(SealObjectFiles, ciphertexts) {
  for (const scheme_type scheme : {scheme_type::bfv, scheme_type::ckks, scheme_type::bgv}) {
    const SEALContext context = small_context(scheme);
    expect_mutants_harmless(context, random_ciphertext(context, context.first_parms_id(), 2), 1500);
  }
}

/// Long enough for every kernel.
TEST(SealObjectFiles, longerCiphertexts) {
  seal::EncryptionParameters parms = small_parameters(scheme_type::bfv);
  parms.set_poly_modulus_degree(128);
  parms.set_coeff_modulus(seal::CoeffModulus::Create(128, {20, 20}));
  const SEALContext context(parms, true, seal::sec_level_type::none);
  const seal::Ciphertext ciphertext = random_ciphertext(context, context.first_parms_id(), 2);
  expect_usable(context, ciphertext);
  expect_mutants_harmless(context, ciphertext, 500);
}

TEST(SealObjectFiles, seededCiphertexts) {
  const SEALContext context = small_context(scheme_type::ckks);
  const seal::UniformRandomGeneratorInfo seed(seal::prng_type::blake2xb, {1, 2, 3});
  seal::Ciphertext seeded = random_ciphertext(context, context.first_parms_id(), 2);
  seal4::detail::expand_seed(seed, {}, {1048129, 1048193}, kSmallDegree, seeded.data(1));
  const seal::Ciphertext whole = seeded;
  seal4::detail::replace_by_seed(seeded, seed);
  for (const seal::compr_mode_type mode : kModes) {
    expect_mutants_harmless(context, whole, saved(seeded, mode), mutants(5000));
  }
}

TEST(SealObjectFiles, keys) {
  const SEALContext context = small_context(scheme_type::bgv);
  expect_mutants_harmless(context, random_secret_key(context), 5000);
  expect_mutants_harmless(context, random_public_key(context), 5000);
  expect_mutants_harmless(context, random_keys<seal::RelinKeys>(context, 1, {0}), 5000);
  expect_mutants_harmless(context, random_keys<seal::GaloisKeys>(context, kSmallDegree, {1, 7}),
                          5000);
}

}  // namespace
}  // namespace ringlet::test
