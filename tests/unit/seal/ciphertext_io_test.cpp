// SPDX-License-Identifier: Apache-2.0
#include <zstd.h>

#include "compat/seal/src/seed_expansion.hpp"
#include "compat/seal/src/seeded.hpp"
#include "object_file_checks.hpp"
#include "seal/ciphertext.h"
#include "seal/randomgen.h"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

using seal::Ciphertext;
using seal::scheme_type;
using seal::SEALContext;

std::uint64_t power(std::uint64_t base, std::uint64_t exponent, std::uint64_t q) {
  std::uint64_t result = 1;
  for (; exponent > 0; exponent /= 2, base = base * base % q) {
    if (exponent % 2 == 1) result = result * base % q;
  }
  return result;
}

std::uint64_t smallest_root(std::uint64_t order, std::uint64_t q) {
  for (std::uint64_t root = 2;; ++root) {
    if (power(root, order / 2, q) == q - 1) return root;
  }
}

/// Word i is m(psi^(2 * bitrev(i) + 1)), by the sum.
std::vector<std::uint64_t> naive_ntt(const std::uint64_t* m, std::size_t degree, std::uint64_t q) {
  const std::uint64_t psi = smallest_root(2 * degree, q);
  std::vector<std::uint64_t> result(degree);
  for (std::size_t i = 0; i < degree; ++i) {
    std::size_t reversed = 0;
    for (std::size_t bit = 1; bit < degree; bit *= 2) reversed = 2 * reversed + (i / bit) % 2;
    for (std::size_t j = 0; j < degree; ++j) {
      const std::uint64_t exponent = (2 * reversed + 1) * j % (2 * degree);
      result[i] = (result[i] + m[j] * power(psi, exponent, q)) % q;
    }
  }
  return result;
}

seal::UniformRandomGeneratorInfo some_seed(seal::prng_type type) {
  return {type, {1, 2, 3, 4, 5, 6, 7, ~std::uint64_t{0}}};
}

/// An encryption whose second half is what a seed expands to.
Ciphertext expanded_ciphertext(const SEALContext& context, const seal::parms_id_type& parms_id,
                               const seal::UniformRandomGeneratorInfo& seed) {
  Ciphertext result = random_ciphertext(context, parms_id, 2);
  std::vector<std::uint64_t> moduli;
  const auto level = context.get_context_data(parms_id);
  for (const auto& q : level->parms().coeff_modulus()) moduli.push_back(q.value());
  seal4::detail::expand_seed(seed, {}, moduli, result.poly_modulus_degree(), result.data(1));
  return result;
}

TEST(CiphertextFile, everyScheme) {
  for (const scheme_type scheme : {scheme_type::bfv, scheme_type::ckks, scheme_type::bgv}) {
    SCOPED_TRACE(static_cast<int>(scheme));
    const SEALContext context = small_context(scheme);
    Ciphertext ciphertext = random_ciphertext(context, context.last_parms_id(), 2);
    if (scheme == scheme_type::bgv) ciphertext.correction_factor() = kSmallPlainModulus - 1;
    expect_sound_files(context, ciphertext);
    expect_round_trips(context, random_ciphertext(context, context.first_parms_id(), 3));
    expect_round_trips(context, random_ciphertext(context, context.first_parms_id(), 16));
    expect_round_trips(context, random_ciphertext(context, context.first_parms_id(), 0));
  }
  const SEALContext context = small_context(scheme_type::bfv);
  Ciphertext transformed = random_ciphertext(context, context.first_parms_id(), 2);
  transformed.is_ntt_form() = true;
  expect_round_trips(context, transformed);
}

TEST(CiphertextFile, hasTheLayoutOfSeal) {
  const SEALContext context = small_context(scheme_type::bgv);
  Ciphertext ciphertext = random_ciphertext(context, context.first_parms_id(), 3);
  ciphertext.correction_factor() = 5;
  EXPECT_EQ(saved(ciphertext), ciphertext_file(ciphertext));
}

TEST(CiphertextFile, hasTheSizesOfSeal) {
  seal::EncryptionParameters parms(scheme_type::bfv);
  parms.set_poly_modulus_degree(4096);
  parms.set_coeff_modulus(seal::CoeffModulus::BFVDefault(4096));
  parms.set_plain_modulus(1024);
  const SEALContext context(parms);
  ASSERT_TRUE(context.parameters_set());
  const auto seed = some_seed(seal::prng_type::blake2xb);
  Ciphertext ciphertext = expanded_ciphertext(context, context.first_parms_id(), seed);
  EXPECT_EQ(saved(ciphertext).size(), 131185U);
  seal4::detail::replace_by_seed(ciphertext, seed);
  EXPECT_EQ(saved(ciphertext).size(), 65730U);
  EXPECT_EQ(ciphertext.save_size(seal::compr_mode_type::none), 65730);
}

TEST(CiphertextFile, olderVersions) {
  const SEALContext context = small_context(scheme_type::ckks);
  const Ciphertext ciphertext = random_ciphertext(context, context.first_parms_id(), 2);
  for (const auto& [major, minor] : {std::pair{4, 0}, {4, 3}, {3, 7}, {3, 6}, {3, 5}, {3, 4}}) {
    const auto back = loaded<Ciphertext>(context, ciphertext_file(ciphertext, major, minor));
    EXPECT_TRUE(same(back, ciphertext)) << major << '.' << minor;
  }
  for (const auto& [major, minor] : {std::pair{4, 5}, {5, 0}, {3, 3}}) {
    const Bytes file = ciphertext_file(ciphertext, major, minor);
    EXPECT_THROW(loaded<Ciphertext>(context, file), std::logic_error) << major << '.' << minor;
  }
}

TEST(CiphertextFile, bgvComesBackInNttForm) {
  const SEALContext context = small_context(scheme_type::bgv);
  Ciphertext ciphertext = random_ciphertext(context, context.first_parms_id(), 3);
  ciphertext.is_ntt_form() = false;
  Bytes file = saved(ciphertext);
  const auto back = loaded<Ciphertext>(context, file);
  ASSERT_TRUE(back.is_ntt_form());
  ASSERT_TRUE(is_valid_for(back, context));
  const auto level = context.first_context_data();
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      const std::uint64_t q = level->parms().coeff_modulus()[j].value();
      const std::uint64_t* limb = back.data(i) + j * kSmallDegree;
      EXPECT_EQ(std::vector(limb, limb + kSmallDegree),
                naive_ntt(ciphertext.data(i) + j * kSmallDegree, kSmallDegree, q));
    }
  }
  ciphertext[3] = ~std::uint64_t{0};
  file = saved(ciphertext);
  Ciphertext target;
  EXPECT_THROW(target.load(context, file.data(), file.size()), std::logic_error);
  EXPECT_THROW(target.unsafe_load(context, file.data(), file.size()), std::logic_error)
      << "what is transformed must be reduced";
}

TEST(CiphertextFile, wordsAreReduced) {
  const SEALContext context = small_context(scheme_type::bfv);
  const auto level = context.first_context_data();
  for (std::size_t limb = 0; limb < 4; ++limb) {
    Ciphertext ciphertext = random_ciphertext(context, context.first_parms_id(), 2);
    const std::uint64_t q = level->parms().coeff_modulus()[limb % 2].value();
    for (const std::uint64_t word : {q, q + 1, ~std::uint64_t{0}}) {
      ciphertext[limb * kSmallDegree + 7] = word;
      const Bytes file = saved(ciphertext);
      EXPECT_THROW(loaded<Ciphertext>(context, file), std::logic_error) << limb;
      Ciphertext unsafe;
      unsafe.unsafe_load(context, file.data(), file.size());
      EXPECT_TRUE(same(unsafe, ciphertext));
    }
  }
}

TEST(CiphertextFile, metadataFitsTheContext) {
  const SEALContext bgv = small_context(scheme_type::bgv);
  const SEALContext ckks = small_context(scheme_type::ckks);
  const auto refused = [](const SEALContext& context, auto change) {
    Ciphertext odd = random_ciphertext(context, context.first_parms_id(), 2);
    change(odd);
    const Bytes file = ciphertext_file(odd);
    Ciphertext target;
    EXPECT_THROW(target.load(context, file.data(), file.size()), std::logic_error);
    EXPECT_THROW(target.unsafe_load(context, file.data(), file.size()), std::logic_error);
    return target.size() == 0;
  };
  EXPECT_TRUE(refused(bgv, [](Ciphertext& c) { c.scale() = 2.0; }));
  EXPECT_TRUE(refused(bgv, [](Ciphertext& c) { c.correction_factor() = 0; }));
  EXPECT_TRUE(refused(bgv, [](Ciphertext& c) { c.correction_factor() = kSmallPlainModulus; }));
  EXPECT_TRUE(refused(bgv, [](Ciphertext& c) { c.parms_id()[0] ^= 1; }));
  EXPECT_TRUE(refused(bgv, [&](Ciphertext& c) { c.parms_id() = bgv.last_parms_id(); }));
  EXPECT_TRUE(refused(bgv, [](Ciphertext& c) { c.parms_id() = seal::parms_id_zero; }));
  EXPECT_TRUE(refused(ckks, [](Ciphertext& c) { c.correction_factor() = 2; }));
  for (const double scale : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN(), 1e-310}) {
    EXPECT_TRUE(refused(ckks, [&](Ciphertext& c) { c.scale() = scale; })) << scale;
  }
  EXPECT_TRUE(refused(ckks, [](Ciphertext& c) { c.resize(0), c.release(); }));
}

/// The sizes as they are given, and an array with that count and no words.
Bytes sizes_file(const SEALContext& context, std::uint64_t size, std::uint64_t degree,
                 std::uint64_t primes, std::uint64_t count) {
  FileWriter array;
  array.u64(count);
  FileWriter file;
  file.parms_id(context.first_parms_id()).u8(0).u64(size).u64(degree).u64(primes).f64(1.0).u64(1);
  return file.append(array.object()).object();
}

TEST(CiphertextFile, hugeSizesTakeNoMemory) {
  const SEALContext context = small_context(scheme_type::bfv);
  const std::uint64_t huge = std::uint64_t{1} << 32;
  const seal::MemoryPoolHandle pool = seal::MemoryPoolHandle::New();
  Ciphertext target(pool);
  const auto refuse = [&](const Bytes& file) {
    EXPECT_THROW(target.load(context, file.data(), file.size()), std::logic_error);
    EXPECT_THROW(target.unsafe_load(context, file.data(), file.size()), std::logic_error);
  };
  refuse(sizes_file(context, 2, 8, 2, huge));
  refuse(sizes_file(context, 2, 8, 2, std::uint64_t{1} << 63));
  refuse(sizes_file(context, 2, 8, 2, (std::uint64_t{1} << 61) + 32));
  refuse(sizes_file(context, 2, 8, 2, ~std::uint64_t{0}));
  refuse(sizes_file(context, 2, 8, 2, 0));
  refuse(sizes_file(context, 2, 8, 2, 15));
  refuse(sizes_file(context, 2, 8, 2, 33));
  refuse(sizes_file(context, 3, 8, 2, 16));
  refuse(sizes_file(context, 1, 8, 2, 16));
  refuse(sizes_file(context, 17, 8, 2, 17 * 16));
  refuse(sizes_file(context, huge * 2, 8, huge / 4, 0));
  refuse(sizes_file(context, 2, huge, 2, 4 * huge));
  refuse(sizes_file(context, 2, 8, huge, 16 * huge));
  EXPECT_EQ(pool.alloc_byte_count(), 0U);
}

TEST(CiphertextFile, aBombIsRefused) {
  const SEALContext context = small_context(scheme_type::bfv);
  const std::string zeros(std::size_t{64} << 20, '\0');
  Bytes payload(ZSTD_compressBound(zeros.size()));
  payload.resize(ZSTD_compress(payload.data(), payload.size(), zeros.data(), zeros.size(), 3));
  FileWriter file;
  file.append(payload);
  Bytes bytes = file.object();
  ASSERT_LT(bytes.size(), zeros.size() / 1000);
  bytes[5] = std::byte{2};
  EXPECT_THROW(loaded<Ciphertext>(context, bytes), std::logic_error);
}

TEST(CiphertextFile, theFormIsZeroOrOne) {
  const SEALContext context = small_context(scheme_type::bfv);
  Bytes file = saved(random_ciphertext(context, context.first_parms_id(), 2));
  file[48] = std::byte{2};
  EXPECT_THROW(loaded<Ciphertext>(context, file), std::logic_error);
}

TEST(CiphertextFile, keyLevelNeedsUnsafeLoad) {
  const SEALContext context = small_context(scheme_type::ckks);
  const Ciphertext ciphertext = random_ciphertext(context, context.key_parms_id(), 2);
  const Bytes file = saved(ciphertext);
  EXPECT_THROW(loaded<Ciphertext>(context, file), std::logic_error);
  Ciphertext unsafe;
  unsafe.unsafe_load(context, file.data(), file.size());
  EXPECT_TRUE(same(unsafe, ciphertext));
}

TEST(CiphertextFile, aSeedComesBackAsAPolynomial) {
  for (const scheme_type scheme : {scheme_type::bfv, scheme_type::ckks, scheme_type::bgv}) {
    const SEALContext context = small_context(scheme);
    for (const auto type : {seal::prng_type::blake2xb, seal::prng_type::shake256}) {
      const auto seed = some_seed(type);
      const Ciphertext whole = expanded_ciphertext(context, context.first_parms_id(), seed);
      Ciphertext seeded = whole;
      seal4::detail::replace_by_seed(seeded, seed);
      ASSERT_TRUE(seal4::detail::has_seed(seeded));
      const Ciphertext copy = seeded;
      for (const seal::compr_mode_type mode : kModes) {
        const Bytes file = saved(copy, mode);
        EXPECT_TRUE(same(loaded<Ciphertext>(context, file), whole));
        EXPECT_EQ(saved(seeded, mode), file);
      }
      const Bytes file = saved(seeded);
      EXPECT_EQ(file.size(), saved(whole).size() - 8 * 2 * kSmallDegree + 16 + 65);
      Bytes tail(file.end() - 65, file.end());
      FileWriter expected;
      expected.u8(static_cast<std::uint64_t>(type));
      for (const std::uint64_t word : seed.seed()) expected.u64(word);
      EXPECT_EQ(tail, expected.bytes());
    }
  }
}

TEST(CiphertextFile, seededFilesAreAsSoundAsOthers) {
  const SEALContext context = small_context(scheme_type::ckks);
  const auto seed = some_seed(seal::prng_type::blake2xb);
  const Ciphertext whole = expanded_ciphertext(context, context.first_parms_id(), seed);
  Ciphertext seeded = whole;
  seal4::detail::replace_by_seed(seeded, seed);
  for (const seal::compr_mode_type mode : kModes) {
    const Bytes file = saved(seeded, mode);
    Ciphertext target(whole);
    for (std::size_t size = 0; size < file.size(); ++size) {
      const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_TRUE(is_refused([&] { target.load(context, cut.data(), cut.size()); })) << size;
    }
    Bytes changed = file;
    for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
      changed[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
      Ciphertext next(whole);
      if (is_refused([&] { next.load(context, changed.data(), changed.size()); })) {
        EXPECT_TRUE(same(next, whole)) << bit;
      } else {
        EXPECT_TRUE(is_valid_for(next, context)) << bit;
      }
      changed[bit / 8] = file[bit / 8];
    }
  }
  Bytes file = saved(seeded);
  for (const int type : {0, 3, 255}) {
    file[file.size() - 65] = static_cast<std::byte>(type);
    EXPECT_THROW(loaded<Ciphertext>(context, file), std::logic_error) << type;
  }
}

TEST(CiphertextFile, seedsAreForPairsOfSomeLength) {
  const SEALContext context = small_context(scheme_type::bfv);
  const auto seed = some_seed(seal::prng_type::blake2xb);
  Ciphertext three = random_ciphertext(context, context.first_parms_id(), 3);
  EXPECT_THROW(seal4::detail::replace_by_seed(three, seed), std::invalid_argument);
  Ciphertext two = random_ciphertext(context, context.first_parms_id(), 2);
  EXPECT_THROW(seal4::detail::replace_by_seed(two, {}), std::invalid_argument);
  EXPECT_FALSE(seal4::detail::has_seed(two));
  Ciphertext tiny = expanded_ciphertext(context, context.last_parms_id(), seed);
  const Ciphertext whole = tiny;
  seal4::detail::replace_by_seed(tiny, seed);
  EXPECT_FALSE(seal4::detail::has_seed(tiny)) << "8 words";
  EXPECT_TRUE(same(tiny, whole));
}

TEST(CiphertextFile, seedsBeforeVersion36AreRefused) {
  const SEALContext context = small_context(scheme_type::ckks);
  const Ciphertext ciphertext = random_ciphertext(context, context.first_parms_id(), 2);
  for (const int minor : {4, 5}) {
    FileWriter file(3, minor);
    file.parms_id(ciphertext.parms_id()).u8(1).u64(2).u64(kSmallDegree).u64(2);
    file.f64(ciphertext.scale()).array(ciphertext.data(), 2 * kSmallDegree);
    for (int i = 0; i < 8; ++i) file.u64(1);
    EXPECT_THROW(loaded<Ciphertext>(context, file.object()), std::logic_error) << minor;
  }
}

}  // namespace
}  // namespace ringlet::test
