// SPDX-License-Identifier: Apache-2.0
#include "seal_objects.hpp"
#include "service_setup.hpp"
#include "support/test.hpp"

// Data objects, memory, files and random numbers, each function once, as programs call it.

namespace ringlet::test {
namespace {

using seal::Ciphertext;
using seal::compr_mode_type;
using seal::MemoryManager;
using seal::MemoryPoolHandle;
using seal::Plaintext;
using seal::scheme_type;
using seal::seal_byte;
using seal::Serialization;

/// All ways to save and load a T with a context; `equal` compares with the object.
template <typename T, typename Equal>
void expect_round_trips(const seal::SEALContext& context, const T& object, Equal equal) {
  std::stringstream stream;
  std::streamoff bytes = object.save(stream, compr_mode_type::none);
  EXPECT_EQ(object.save_size(compr_mode_type::none), bytes);
  EXPECT_EQ(object.save(stream, compr_mode_type::none), bytes);
  T loaded;
  EXPECT_EQ(loaded.load(context, stream), bytes);
  EXPECT_TRUE(equal(loaded));
  T unsafe;
  EXPECT_EQ(unsafe.unsafe_load(context, stream), bytes);
  EXPECT_TRUE(equal(unsafe));
  std::vector<seal_byte> buffer(static_cast<std::size_t>(object.save_size()));
  bytes = object.save(buffer.data(), buffer.size());
  EXPECT_EQ(loaded.load(context, buffer.data(), buffer.size()), bytes);
  EXPECT_TRUE(equal(loaded));
  EXPECT_EQ(unsafe.unsafe_load(context, buffer.data(), buffer.size()), bytes);
  EXPECT_TRUE(equal(unsafe));
  EXPECT_INVALID_ARGUMENT(object.save(nullptr, 100));
  EXPECT_INVALID_ARGUMENT(loaded.load(context, buffer.data(), 8));
  std::stringstream compressed;
  EXPECT_EQ(object.save(compressed), bytes);
}

TEST(SealSignatures, plaintext) {
  const auto pool = MemoryPoolHandle::New();
  EXPECT_EQ(Plaintext().coeff_count(), 0U);
  EXPECT_TRUE(Plaintext(pool).pool() == pool);
  EXPECT_EQ(Plaintext(std::size_t{5}).coeff_count(), 5U);
  EXPECT_EQ(Plaintext(std::size_t{5}, pool).coeff_count(), 5U);
  Plaintext p(64, 0);
  EXPECT_EQ(p.capacity(), 64U);
  EXPECT_EQ(Plaintext(64, 3, pool).coeff_count(), 3U);
  EXPECT_EQ(Plaintext("1x^2 + 5").to_string(), "1x^2 + 5");
  EXPECT_EQ(Plaintext(std::string("7"), pool).to_string(), "7");
  EXPECT_TRUE(Plaintext(p, pool).pool() == pool);
  p = "2x^3 + A";
  EXPECT_EQ(*p.data(), 10U);
  EXPECT_EQ(*std::as_const(p).data(3), 2U);
  EXPECT_EQ(p[3], 2U);
  EXPECT_THROW(p[4], std::out_of_range);
  EXPECT_THROW((void)p.data(4), std::out_of_range);
  EXPECT_TRUE(p == Plaintext("2x^3 + A") && p != Plaintext("2x^3"));
  EXPECT_EQ(p.coeff_count(), 4U);
  EXPECT_EQ(p.significant_coeff_count(), 4U);
  EXPECT_EQ(p.nonzero_coeff_count(), 2U);
  EXPECT_FALSE(p.is_zero());
  EXPECT_FALSE(p.is_ntt_form());
  EXPECT_EQ(p.parms_id(), seal::parms_id_zero);
  EXPECT_EQ(p.scale(), 1.0);
  p.scale() = 2.0;
  EXPECT_EQ(std::as_const(p).scale(), 2.0);
  p.scale() = 1.0;
  EXPECT_EQ(p.dyn_array().size(), 4U);
  p.resize(6);
  p.reserve(10);
  EXPECT_EQ(p.capacity(), 10U);
  p.shrink_to_fit();
  EXPECT_EQ(p.capacity(), 6U);
  p.set_zero(3);
  EXPECT_EQ(p.to_string(), "A");
  p.set_zero(0, 1);
  EXPECT_TRUE(p.is_zero());
  EXPECT_THROW(p.set_zero(7), std::out_of_range);
  p = std::uint64_t{12};
  EXPECT_EQ(p.to_string(), "C");
  p.set_zero();
  EXPECT_EQ(p.to_string(), "0");
  p.release();
  EXPECT_EQ(p.coeff_count(), 0U);
  const auto context = small_context(scheme_type::bfv);
  const Plaintext saved("5x^7 + 3");
  expect_round_trips(context, saved, [&](const Plaintext& in) { return in == saved; });
  p.parms_id() = context.first_parms_id();
  EXPECT_TRUE(p.is_ntt_form());
  EXPECT_LOGIC_ERROR(p.resize(3));
  EXPECT_LOGIC_ERROR(p.reserve(3));
  EXPECT_INVALID_ARGUMENT((void)p.to_string());
}

TEST(SealSignatures, ciphertext) {
  const auto context = small_context(scheme_type::bgv);
  const auto pool = MemoryPoolHandle::New();
  const seal::parms_id_type last = context.last_parms_id();
  EXPECT_EQ(Ciphertext().size(), 0U);
  EXPECT_TRUE(Ciphertext(pool).pool() == pool);
  EXPECT_EQ(Ciphertext(context).size_capacity(), 2U);
  EXPECT_TRUE(Ciphertext(context, pool).pool() == pool);
  EXPECT_EQ(Ciphertext(context, last).parms_id(), last);
  EXPECT_EQ(Ciphertext(context, last, pool).coeff_modulus_size(), 1U);
  EXPECT_EQ(Ciphertext(context, last, 5).size_capacity(), 5U);
  EXPECT_EQ(Ciphertext(context, last, 5, pool).size_capacity(), 5U);
  Ciphertext x(context);
  EXPECT_EQ(Ciphertext(x, pool).parms_id(), x.parms_id());
  x.reserve(context, last, 4);
  x.reserve(context, 3);
  x.reserve(4);
  EXPECT_EQ(x.size_capacity(), 4U);
  x.resize(context, last, 3);
  EXPECT_EQ(x.size(), 3U);
  x.resize(context, 2);
  x.resize(3);
  EXPECT_EQ(x.size(), 3U);
  EXPECT_EQ(x.poly_modulus_degree(), kSmallDegree);
  EXPECT_EQ(x.coeff_modulus_size(), 2U);
  EXPECT_TRUE(x.is_transparent());
  x[17] = 5;
  EXPECT_FALSE(x.is_transparent());
  EXPECT_EQ(x.data(1)[1], 5U);
  EXPECT_EQ(std::as_const(x)[17], 5U);
  EXPECT_EQ(x.data()[17], 5U);
  EXPECT_THROW((void)x.data(3), std::out_of_range);
  EXPECT_THROW(x[48], std::out_of_range);
  EXPECT_EQ(Ciphertext().data(0), nullptr);
  EXPECT_EQ(x.dyn_array().size(), 48U);
  EXPECT_EQ(x.scale(), 1.0);
  x.scale() = 1.0;
  EXPECT_EQ(x.correction_factor(), 1U);
  x.correction_factor() = 2;
  EXPECT_FALSE(x.is_ntt_form());
  x.is_ntt_form() = true;
  x.parms_id() = context.first_parms_id();
  expect_round_trips(context, x, [&](const Ciphertext& in) { return same(in, x); });
  x.release();
  EXPECT_EQ(x.size(), 0U);
  EXPECT_INVALID_ARGUMENT(x.reserve(1));
  EXPECT_INVALID_ARGUMENT(x.reserve(17));
  EXPECT_INVALID_ARGUMENT(x.resize(1));
}

TEST(SealSignatures, keys) {
  Services s(scheme_type::bfv);
  seal::SecretKey secret = s.keygen.secret_key();
  EXPECT_EQ(secret.parms_id(), secret.data().parms_id());
  EXPECT_TRUE(static_cast<bool>(secret.pool()));
  expect_round_trips(s.context, secret,
                     [&](const seal::SecretKey& in) { return same(in, secret); });
  seal::PublicKey key = s.public_key;
  EXPECT_EQ(key.parms_id(), key.data().parms_id());
  EXPECT_TRUE(static_cast<bool>(key.pool()));
  expect_round_trips(s.context, key, [&](const seal::PublicKey& in) { return same(in, key); });

  seal::RelinKeys relin = s.relin_keys;
  EXPECT_EQ(relin.size(), 1U);
  EXPECT_EQ(relin.parms_id(), s.context.key_parms_id());
  EXPECT_TRUE(static_cast<bool>(relin.pool()));
  EXPECT_EQ(&relin.data(0), &relin.data()[0]);
  EXPECT_EQ(&relin.key(2), &relin.data(0));
  EXPECT_EQ(seal::RelinKeys::get_index(2), 0U);
  EXPECT_TRUE(relin.has_key(2));
  EXPECT_FALSE(relin.has_key(3));
  EXPECT_INVALID_ARGUMENT((void)seal::RelinKeys::get_index(1));
  EXPECT_INVALID_ARGUMENT((void)relin.data(1));
  expect_round_trips(s.context, relin, [&](const seal::RelinKeys& in) { return same(in, relin); });
  const seal::KSwitchKeys& base = relin;
  expect_round_trips(s.context, base, [&](const seal::KSwitchKeys& in) { return same(in, base); });

  const seal::GaloisKeys& galois = s.galois_keys;
  EXPECT_EQ(seal::GaloisKeys::get_index(3), 1U);
  EXPECT_TRUE(galois.has_key(3));
  EXPECT_EQ(&galois.key(3), &galois.data(1));
  EXPECT_INVALID_ARGUMENT((void)galois.key(5));
  EXPECT_INVALID_ARGUMENT((void)seal::GaloisKeys::get_index(4));
  EXPECT_INVALID_ARGUMENT((void)galois.has_key(1 << 18));
  expect_round_trips(s.context, galois,
                     [&](const seal::GaloisKeys& in) { return same(in, galois); });
}

template <typename T>
void expect_valid(const T& object, const seal::SEALContext& context) {
  EXPECT_TRUE(seal::is_metadata_valid_for(object, context));
  EXPECT_TRUE(seal::is_buffer_valid(object));
  EXPECT_TRUE(seal::is_data_valid_for(object, context));
  EXPECT_TRUE(seal::is_valid_for(object, context));
  const seal::SEALContext foreign = foreign_context(scheme_type::bgv);
  EXPECT_FALSE(seal::is_metadata_valid_for(object, foreign));
  EXPECT_FALSE(seal::is_data_valid_for(object, foreign));
  EXPECT_FALSE(seal::is_valid_for(object, foreign));
}

TEST(SealSignatures, validity) {
  Services s(scheme_type::bgv);
  expect_valid(s.encode(counting(s, 1)), s.context);
  expect_valid(s.encrypt({1}), s.context);
  expect_valid(s.keygen.secret_key(), s.context);
  expect_valid(s.public_key, s.context);
  expect_valid(static_cast<const seal::KSwitchKeys&>(s.relin_keys), s.context);
  expect_valid(s.relin_keys, s.context);
  expect_valid(s.galois_keys, s.context);
  EXPECT_FALSE(seal::is_valid_for(seal::RelinKeys(), s.context));
}

TEST(SealSignatures, memory) {
  const MemoryPoolHandle none;
  EXPECT_FALSE(static_cast<bool>(none));
  EXPECT_TRUE(none == MemoryPoolHandle());
  const MemoryPoolHandle own = MemoryPoolHandle::New();
  EXPECT_TRUE(static_cast<bool>(own) && own != MemoryPoolHandle::New(true));
  EXPECT_TRUE(MemoryPoolHandle::Global() == MemoryManager::GetPool());
  EXPECT_TRUE(MemoryPoolHandle::ThreadLocal() ==
              MemoryManager::GetPool(seal::mm_force_thread_local));
  EXPECT_TRUE(MemoryManager::GetPool(seal::mm_force_global) == MemoryPoolHandle::Global());
  EXPECT_TRUE(MemoryManager::GetPool(seal::mm_force_new, true) != MemoryPoolHandle::Global());
  EXPECT_EQ(own.alloc_byte_count(), 0U);
  const Plaintext plain(1000, own);
  EXPECT_GE(own.alloc_byte_count(), 8000U);
  EXPECT_EQ(own.pool_count(), 1U);
  EXPECT_EQ(own.use_count(), 2);
  auto old = MemoryManager::SwitchProfile(std::make_unique<seal::MMProfFixed>(own));
  EXPECT_TRUE(MemoryManager::GetPool() == own);
  MemoryManager::SwitchProfile(std::move(old));
  EXPECT_TRUE(MemoryManager::GetPool() == MemoryPoolHandle::Global());
  {
    seal::MMProfGuard guard(std::make_unique<seal::MMProfNew>());
    EXPECT_TRUE(MemoryManager::GetPool() != MemoryManager::GetPool());
  }
}

TEST(SealSignatures, files) {
  Serialization::SEALHeader header;
  EXPECT_EQ(header.magic, 0xA15E);
  EXPECT_EQ(header.header_size, 16);
  EXPECT_EQ(header.version_major, SEAL_VERSION_MAJOR);
  EXPECT_EQ(header.version_minor, SEAL_VERSION_MINOR);
  EXPECT_EQ(header.compr_mode, compr_mode_type::none);
  EXPECT_EQ(header.reserved, 0);
  EXPECT_EQ(header.size, 0U);
  EXPECT_EQ(Serialization::seal_magic, 0xA15E);
  EXPECT_EQ(Serialization::seal_header_size, 16);
  header.size = 24;
  std::stringstream stream;
  Serialization::SaveHeader(header, stream);
  Serialization::SEALHeader loaded;
  Serialization::LoadHeader(stream, loaded);
  EXPECT_EQ(loaded.size, 24U);
  stream.seekg(0);
  Serialization::LoadHeader(stream, loaded, false);
  EXPECT_TRUE(Serialization::IsValidHeader(loaded));
  EXPECT_TRUE(Serialization::IsCompatibleVersion(loaded));
  EXPECT_TRUE(Serialization::IsSupportedComprMode(Serialization::compr_mode_default));
  EXPECT_GE(Serialization::ComprSizeEstimate(100, compr_mode_type::zstd), 100U);
  EXPECT_INVALID_ARGUMENT((void)seal::Modulus(17).save(stream, static_cast<compr_mode_type>(77)));
}

TEST(SealSignatures, dynamicArrays) {
  seal::DynArray<std::uint64_t> array(3);
  array[0] = 5;
  array.at(2) = 7;
  EXPECT_THROW((void)array.at(3), std::out_of_range);
  EXPECT_EQ(*array.begin(), 5U);
  EXPECT_EQ(array.end() - array.begin(), 3);
  EXPECT_EQ(array.size(), 3U);
  array.reserve(10);
  EXPECT_EQ(array.capacity(), 10U);
  array.resize(5);
  EXPECT_EQ(array[4], 0U);
  array.resize(6, false);
  EXPECT_EQ(array.size(), 6U);
  std::stringstream stream;
  const auto bytes = array.save(stream, compr_mode_type::none);
  EXPECT_EQ(array.save_size(compr_mode_type::none), bytes);
  seal::DynArray<std::uint64_t> loaded;
  EXPECT_EQ(loaded.load(stream), bytes);
  EXPECT_EQ(loaded[2], 7U);
  array.clear();
  EXPECT_EQ(array.size(), 0U);
  array.release();
  EXPECT_EQ(array.capacity(), 0U);
}

TEST(SealSignatures, randomNumbers) {
  const seal::prng_seed_type seed{1, 2, 3};
  for (const std::shared_ptr<seal::UniformRandomGeneratorFactory>& factory :
       {std::shared_ptr<seal::UniformRandomGeneratorFactory>(
            std::make_shared<seal::Blake2xbPRNGFactory>(seed)),
        std::shared_ptr<seal::UniformRandomGeneratorFactory>(
            std::make_shared<seal::Shake256PRNGFactory>(seed))}) {
    const auto generator = factory->create();
    EXPECT_EQ(generator->seed(), seed);
    EXPECT_EQ(generator->info().seed(), seed);
    EXPECT_TRUE(generator->info().has_valid_prng_type());
    const std::uint32_t word = generator->generate();
    std::uint32_t bytes = 0;
    factory->create(seed)->generate(4, reinterpret_cast<seal_byte*>(&bytes));
    EXPECT_EQ(word, bytes);
    EXPECT_EQ(generator->info().make_prng()->generate(), word);
    seal::RandomToStandardAdapter adapter(factory->create());
    EXPECT_EQ(adapter(), word);
    std::normal_distribution<double> normal;
    EXPECT_TRUE(std::isfinite(normal(adapter)));
    std::stringstream stream;
    generator->info().save(stream);
    seal::UniformRandomGeneratorInfo info;
    info.load(stream);
    EXPECT_TRUE(info == generator->info());
  }
  EXPECT_NE(seal::Blake2xbPRNGFactory().create()->seed(),
            seal::Shake256PRNGFactory().create()->seed());
  EXPECT_TRUE(seal::UniformRandomGeneratorFactory::DefaultFactory()->create() != nullptr);
  EXPECT_NE(seal::random_uint64(), seal::random_uint64());
  std::array<seal_byte, 32> bytes{};
  seal::random_bytes(bytes.data(), bytes.size());
  EXPECT_NE(bytes, (std::array<seal_byte, 32>{}));
}

}  // namespace
}  // namespace ringlet::test
