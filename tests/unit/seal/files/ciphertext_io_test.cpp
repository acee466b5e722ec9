// SPDX-License-Identifier: Apache-2.0
#include "compat/seal/src/random/seed_expansion.hpp"
#include "object_file_checks.hpp"
#include "support/reference/ntt_reference.hpp"

namespace ringlet::test {
namespace {

using seal4::detail::replace_by_seed;

const double kBadScales[] = {0.0, -1.0, HUGE_VAL, std::nan(""), 1e-310};

Bytes file_of(const Plaintext& in, int major = 4, int minor = 4) {
  FileWriter file(major, minor);
  file.parms_id(in.parms_id()).u64(in.coeff_count()).f64(in.scale());
  return file.array(in.data(), in.coeff_count()).object();
}

Bytes file_of(const Ciphertext& in, int major = 4, int minor = 4) {
  return ciphertext_file(in, major, minor);
}

/// Expects that files of versions 3.4 to 4.4 are read, and others refused.
template <typename T>
void expect_versions(const SEALContext& context, const T& object) {
  EXPECT_EQ(saved(object), file_of(object));
  for (const auto& [major, minor] :
       {std::pair{4, 4}, {4, 3}, {4, 0}, {3, 7}, {3, 6}, {3, 5}, {3, 4}}) {
    const auto back = loaded<T>(context, file_of(object, major, minor));
    EXPECT_TRUE(same(back, object)) << major << '.' << minor;
  }
  for (const auto& [major, minor] : {std::pair{4, 5}, {5, 0}, {3, 3}, {2, 0}}) {
    SCOPED_TRACE(testing::Message() << major << '.' << minor);
    expect_refused<T>(context, file_of(object, major, minor));
  }
}

/// The file of a plaintext with `count` in its members and an array of `words` zeros.
Bytes odd_file(const parms_id_type& parms_id, std::uint64_t count, std::size_t words,
               double scale = 1.0) {
  const std::vector<std::uint64_t> zeros(words);
  FileWriter file;
  return file.parms_id(parms_id).u64(count).f64(scale).array(zeros.data(), words).object();
}

TEST(PlaintextFile, everyForm) {
  for (const scheme_type scheme : kSchemes) {
    const SEALContext context = small_context(scheme);
    Plaintext plain = random_ntt_plaintext(context, context.last_parms_id());
    if (scheme == scheme_type::ckks) plain.scale() = 1024.5;
    expect_sound_files(context, plain);
    expect_round_trips(context, random_ntt_plaintext(context, context.first_parms_id()));
    if (scheme == scheme_type::ckks) continue;
    expect_sound_files(context, Plaintext("60x^7 + 1x^2 + 5"));
    expect_round_trips(context, Plaintext());
  }
}

TEST(PlaintextFile, hasTheLayoutOfSealInEveryVersion) {
  const SEALContext context = small_context(scheme_type::bfv);
  expect_versions(context, Plaintext("60x^7 + 1x^2 + 5"));
  expect_versions(context, random_ntt_plaintext(context, context.first_parms_id()));
}

TEST(PlaintextFile, sizesFitTheContext) {
  const SEALContext bfv = small_context(scheme_type::bfv);
  const SEALContext ckks = small_context(scheme_type::ckks);
  const auto zero = parms_id_zero;
  EXPECT_NO_THROW(loaded<Plaintext>(bfv, odd_file(zero, 8, 8)));
  expect_refused<Plaintext>(bfv, odd_file(zero, 9, 9));  // more than N coefficients
  expect_refused<Plaintext>(bfv, odd_file(zero, 4, 5));
  expect_refused<Plaintext>(bfv, odd_file(zero, 5, 4));
  expect_refused<Plaintext>(bfv, odd_file({1, 2, 3, 4}, 16, 16));  // an unknown level
  expect_refused<Plaintext>(bfv, odd_file(bfv.first_parms_id(), 8, 8));
  expect_refused<Plaintext>(bfv, odd_file(bfv.first_parms_id(), 24, 24));
  expect_unsafe_only(ckks, Plaintext(8));  // CKKS has no coefficient form
  expect_unsafe_only(ckks, Plaintext());
  expect_refused<Plaintext>(ckks, odd_file(zero, 9, 9));
  expect_refused<Plaintext>(ckks, odd_file(ckks.first_parms_id(), 0, 0));
  for (const double scale : kBadScales) {
    expect_refused<Plaintext>(ckks, odd_file(ckks.first_parms_id(), 16, 16, scale));
  }
}

TEST(PlaintextFile, hugeCountsTakeNoMemory) {
  const SEALContext context = small_context(scheme_type::bfv);
  for (const std::uint64_t count : {std::uint64_t{1} << 32, std::uint64_t{1} << 60,
                                    std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    const MemoryPoolHandle pool = MemoryPoolHandle::New();
    Plaintext target(pool);
    for (const std::uint64_t outer : {count, std::uint64_t{8}}) {
      FileWriter file;
      file.parms_id(parms_id_zero).u64(outer).f64(1.0);
      const Bytes bytes = file.append(FileWriter().u64(count).object()).object();
      EXPECT_LOGIC_ERROR(target.load(context, bytes.data(), bytes.size()));
    }
    EXPECT_EQ(pool.alloc_byte_count(), 0U) << count;
  }
}

TEST(CiphertextFile, everyScheme) {
  for (const scheme_type scheme : kSchemes) {
    SCOPED_TRACE(static_cast<int>(scheme));
    const SEALContext context = small_context(scheme);
    Ciphertext ciphertext = random_ciphertext(context, context.last_parms_id(), 2);
    if (scheme == scheme_type::bgv) ciphertext.correction_factor() = kSmallPlainModulus - 1;
    expect_sound_files(context, ciphertext);
    for (const std::size_t size : {3, 16, 0}) {
      expect_round_trips(context, random_ciphertext(context, context.first_parms_id(), size));
    }
    if (scheme != scheme_type::bfv) continue;
    ciphertext.is_ntt_form() = true;
    expect_round_trips(context, ciphertext);
  }
}

TEST(CiphertextFile, hasTheLayoutOfSealInEveryVersion) {
  const SEALContext ckks = small_context(scheme_type::ckks);
  expect_versions(ckks, random_ciphertext(ckks, ckks.first_parms_id(), 2));
  const SEALContext bgv = small_context(scheme_type::bgv);
  Ciphertext ciphertext = random_ciphertext(bgv, bgv.first_parms_id(), 3);
  ciphertext.correction_factor() = 5;
  EXPECT_EQ(saved(ciphertext), ciphertext_file(ciphertext));
}

TEST(CiphertextFile, bgvComesBackInNttForm) {
  const SEALContext context = small_context(scheme_type::bgv);
  Ciphertext ciphertext = random_ciphertext(context, context.first_parms_id(), 3);
  ciphertext.is_ntt_form() = false;
  const auto back = loaded<Ciphertext>(context, saved(ciphertext));
  ASSERT_TRUE(back.is_ntt_form());
  ASSERT_TRUE(is_valid_for(back, context));
  const auto& primes = context.first_context_data()->parms().coeff_modulus();
  for (std::size_t i = 0; i < back.dyn_array().size(); ++i) {
    const seal::Modulus& q = primes[i / kSmallDegree % 2];
    std::uint64_t root = 0;
    ASSERT_TRUE(seal::util::try_minimal_primitive_root(2 * kSmallDegree, q, root));
    const std::uint64_t* limb = ciphertext.data() + i / kSmallDegree * kSmallDegree;
    const std::vector<std::uint64_t> coefficients(limb, limb + kSmallDegree);
    EXPECT_EQ(back[i], ntt_value(coefficients, i % kSmallDegree, root, q.value())) << i;
  }
  ciphertext[3] = ~std::uint64_t{0};
  expect_refused<Ciphertext>(context, saved(ciphertext));  // transforms need reduced words
}

/// Expects that load accepts the largest reduced word of `limb`, and only unsafe_load larger ones.
template <typename T>
void expect_words_are_checked(const SEALContext& context, T object, std::size_t limb,
                              std::uint64_t q) {
  std::uint64_t& word = object[limb * kSmallDegree + 3];
  word = q - 1;
  EXPECT_TRUE(same(loaded<T>(context, saved(object)), object));
  for (const std::uint64_t large : {q, q + 1, ~std::uint64_t{0}}) {
    word = large;
    expect_unsafe_only(context, object);
  }
}

TEST(ObjectFiles, wordsAreReduced) {
  const SEALContext context = small_context(scheme_type::bfv);
  const auto first = context.first_parms_id();
  expect_words_are_checked(context, Plaintext(4), 0, kSmallPlainModulus);
  for (std::size_t limb = 0; limb < 4; ++limb) {
    const auto& primes = context.first_context_data()->parms().coeff_modulus();
    const std::uint64_t q = primes[limb % 2].value();
    expect_words_are_checked(context, random_ciphertext(context, first, 2), limb, q);
    if (limb < 2) expect_words_are_checked(context, random_ntt_plaintext(context, first), limb, q);
  }
}

TEST(ObjectFiles, keyLevelNeedsUnsafeLoad) {
  const SEALContext context = small_context(scheme_type::ckks);
  expect_unsafe_only(context, random_ntt_plaintext(context, context.key_parms_id()));
  expect_unsafe_only(context, random_ciphertext(context, context.key_parms_id(), 2));
}

TEST(CiphertextFile, metadataFitsTheContext) {
  const SEALContext bgv = small_context(scheme_type::bgv);
  const SEALContext ckks = small_context(scheme_type::ckks);
  const auto refuse = [](const SEALContext& context, const auto& change) {
    Ciphertext odd = random_ciphertext(context, context.first_parms_id(), 2);
    change(odd);
    expect_refused<Ciphertext>(context, ciphertext_file(odd));
  };
  refuse(bgv, [](Ciphertext& c) { c.scale() = 2.0; });
  refuse(bgv, [](Ciphertext& c) { c.correction_factor() = 0; });
  refuse(bgv, [](Ciphertext& c) { c.correction_factor() = kSmallPlainModulus; });
  refuse(bgv, [](Ciphertext& c) { c.parms_id()[0] ^= 1; });
  refuse(bgv, [&](Ciphertext& c) { c.parms_id() = bgv.last_parms_id(); });
  refuse(bgv, [](Ciphertext& c) { c.parms_id() = parms_id_zero; });
  refuse(ckks, [](Ciphertext& c) { c.correction_factor() = 2; });
  for (const double scale : kBadScales) refuse(ckks, [&](Ciphertext& c) { c.scale() = scale; });
  refuse(ckks, [](Ciphertext& c) { c.resize(0), c.release(); });
  Bytes file = saved(random_ciphertext(ckks, ckks.first_parms_id(), 2));
  file[48] = std::byte{2};  // the form is 0 or 1
  expect_refused<Ciphertext>(ckks, file);
}

TEST(CiphertextFile, hugeSizesTakeNoMemory) {
  const SEALContext context = small_context(scheme_type::bfv);
  const std::uint64_t huge = std::uint64_t{1} << 32;
  const MemoryPoolHandle pool = MemoryPoolHandle::New();
  Ciphertext target(pool);
  // Refuses a file of these sizes with an array of that count and no words.
  const auto refuse = [&](std::uint64_t size, std::uint64_t degree, std::uint64_t primes,
                          std::uint64_t count) {
    FileWriter file;
    file.parms_id(context.first_parms_id()).u8(0).u64(size).u64(degree).u64(primes).f64(1.0).u64(1);
    const Bytes bytes = file.append(FileWriter().u64(count).object()).object();
    EXPECT_LOGIC_ERROR(target.load(context, bytes.data(), bytes.size()));
    EXPECT_LOGIC_ERROR(target.unsafe_load(context, bytes.data(), bytes.size()));
  };
  for (const std::uint64_t count :
       {huge, std::uint64_t{1} << 63, (std::uint64_t{1} << 61) + 32, ~std::uint64_t{0},
        std::uint64_t{0}, std::uint64_t{15}, std::uint64_t{33}}) {
    refuse(2, 8, 2, count);
  }
  refuse(3, 8, 2, 16);
  refuse(1, 8, 2, 16);
  refuse(17, 8, 2, 17 * 16);
  refuse(huge * 2, 8, huge / 4, 0);
  refuse(2, huge, 2, 4 * huge);
  refuse(2, 8, huge, 16 * huge);
  EXPECT_EQ(pool.alloc_byte_count(), 0U);
}

TEST(CiphertextFile, aBombIsRefused) {
  const SEALContext context = small_context(scheme_type::bfv);
  const std::string zeros(std::size_t{8} << 20, '\0');
  for (const compr_mode_type mode : {compr_mode_type::zlib, compr_mode_type::zstd}) {
    std::ostringstream stream(std::ios::binary);
    seal::Serialization::Save([&](std::ostream& out) { out << zeros; }, 16 + std::ssize(zeros),
                              stream, mode, false);
    ASSERT_LT(stream.str().size(), zeros.size() / 1000);
    expect_refused<Ciphertext>(context, as_bytes(stream.str()));
  }
}

seal::UniformRandomGeneratorInfo some_seed(seal::prng_type type = seal::prng_type::blake2xb) {
  return {type, {1, 2, 3, 4, 5, 6, 7, ~std::uint64_t{0}}};
}

/// A ciphertext whose second half is the expansion of a seed.
Ciphertext expanded_ciphertext(const SEALContext& context, const parms_id_type& parms_id,
                               const seal::UniformRandomGeneratorInfo& seed) {
  Ciphertext result = random_ciphertext(context, parms_id, 2);
  const auto moduli = values_of(context.get_context_data(parms_id)->parms().coeff_modulus());
  seal4::detail::expand_seed(seed, {}, moduli, result.poly_modulus_degree(), result.data(1));
  return result;
}

TEST(CiphertextFile, aSeedComesBackAsAPolynomial) {
  for (const scheme_type scheme : kSchemes) {
    const SEALContext context = small_context(scheme);
    for (const auto type : {seal::prng_type::blake2xb, seal::prng_type::shake256}) {
      const auto seed = some_seed(type);
      const Ciphertext whole = expanded_ciphertext(context, context.first_parms_id(), seed);
      Ciphertext seeded = whole;
      replace_by_seed(seeded, seed);
      const Ciphertext copy = seeded;
      for (const compr_mode_type mode : kModes) {
        const Bytes file = saved(copy, mode);
        EXPECT_TRUE(same(loaded<Ciphertext>(context, file), whole));
        EXPECT_EQ(saved(seeded, mode), file);
      }
      const Bytes file = saved(seeded);
      EXPECT_EQ(file.size(), saved(whole).size() - 8 * 2 * kSmallDegree + 16 + 65);
      EXPECT_EQ(seeded.save_size(compr_mode_type::none), std::ssize(file));
      FileWriter expected;
      expected.u8(static_cast<std::uint64_t>(type));
      for (const std::uint64_t word : seed.seed()) expected.u64(word);
      EXPECT_EQ(Bytes(file.end() - 65, file.end()), expected.bytes());
    }
  }
}

TEST(CiphertextFile, seededFilesAreAsSoundAsOthers) {
  const SEALContext context = small_context(scheme_type::ckks);
  const auto seed = some_seed();
  const Ciphertext whole = expanded_ciphertext(context, context.first_parms_id(), seed);
  Ciphertext seeded = whole;
  replace_by_seed(seeded, seed);
  for (const compr_mode_type mode : kModes) {
    Ciphertext target(whole);
    for_each_truncation(saved(seeded, mode), [&](const Bytes& cut) {
      EXPECT_INVALID_ARGUMENT(target.load(context, cut.data(), cut.size())) << cut.size();
    });
    expect_flipped_bits_are_harmless(context, whole, saved(seeded, mode));
  }
  Bytes file = saved(seeded);
  for (const int type : {0, 3, 255}) {
    file[file.size() - 65] = static_cast<std::byte>(type);
    EXPECT_LOGIC_ERROR(loaded<Ciphertext>(context, file)) << type;
  }
}

TEST(CiphertextFile, seedsAreForPairsOfSomeLength) {
  const SEALContext context = small_context(scheme_type::bfv);
  Ciphertext three = random_ciphertext(context, context.first_parms_id(), 3);
  EXPECT_INVALID_ARGUMENT(replace_by_seed(three, some_seed()));
  Ciphertext two = random_ciphertext(context, context.first_parms_id(), 2);
  EXPECT_INVALID_ARGUMENT(replace_by_seed(two, {}));
  Ciphertext tiny = expanded_ciphertext(context, context.last_parms_id(), some_seed());
  const Ciphertext whole = tiny;
  replace_by_seed(tiny, some_seed());
  EXPECT_TRUE(same(tiny, whole)) << "8 words";
  EXPECT_EQ(saved(tiny), saved(whole));
}

TEST(CiphertextFile, seedsBeforeVersion36AreRefused) {
  const SEALContext context = small_context(scheme_type::ckks);
  const Ciphertext ciphertext = random_ciphertext(context, context.first_parms_id(), 2);
  for (const int minor : {4, 5}) {
    FileWriter file(3, minor);
    file.parms_id(ciphertext.parms_id()).u8(1).u64(2).u64(kSmallDegree).u64(2);
    file.f64(ciphertext.scale()).array(ciphertext.data(), 2 * kSmallDegree);
    for (int i = 0; i < 8; ++i) file.u64(1);
    EXPECT_LOGIC_ERROR(loaded<Ciphertext>(context, file.object())) << minor;
  }
}

}  // namespace
}  // namespace ringlet::test
