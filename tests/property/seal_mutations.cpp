// SPDX-License-Identifier: Apache-2.0
// Random damage to files in SEAL's format, which have no checksum; uses files that are accepted.

#include "compat/seal/src/native/convert.hpp"
#include "seal/seal.h"
#include "support/circuits/trace_watch.hpp"
#include "support/load_meter.hpp"
#include "unit/seal/files/object_file_checks.hpp"

namespace ringlet::test {
namespace {

constexpr seal::scheme_type kMutationSchemes[] = {seal::scheme_type::bfv, seal::scheme_type::ckks,
                                                  seal::scheme_type::bgv};
using Array = seal::DynArray<std::uint64_t>;
constexpr std::size_t kSizeAt = 8;
constexpr std::size_t kHeader = 16;

/// N = 128, long enough for every kernel.
seal::SEALContext longer_context(seal::scheme_type scheme) {
  seal::EncryptionParameters parms = small_parameters(scheme);
  parms.set_poly_modulus_degree(128);
  parms.set_coeff_modulus(seal::CoeffModulus::Create(128, {20, 20, 20}));
  return seal::SEALContext(parms, true, seal::sec_level_type::none);
}

/// A context with all services and one of each object.
struct World {
  explicit World(seal::SEALContext made)
      : context(std::move(made)),
        keygen(context),
        evaluator(context),
        decryptor(context, keygen.secret_key()),
        encryptor(context, keygen.secret_key()) {
    keygen.create_public_key(public_key);
    keygen.create_relin_keys(relin_keys);
    keygen.create_galois_keys(std::vector<std::uint32_t>{3, 15}, galois_keys);
    encryptor.set_public_key(public_key);
    if (context.key_context_data()->parms().scheme() == seal::scheme_type::ckks) {
      plain = random_ntt_plaintext(context, context.first_parms_id());
      plain.scale() = 1024;
    } else {
      plain = seal::Plaintext("60x^7 + 1x^2 + 5");
    }
    encryptor.encrypt(plain, encrypted);
  }

  seal::SEALContext context;
  seal::KeyGenerator keygen;
  seal::Evaluator evaluator;
  mutable seal::Decryptor decryptor;
  seal::Encryptor encryptor;
  seal::PublicKey public_key;
  seal::RelinKeys relin_keys;
  seal::GaloisKeys galois_keys;
  seal::Plaintext plain;
  seal::Ciphertext encrypted;
};

/// Allows the types of exceptions that SEAL's users catch.
void may_throw(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::logic_error&) {
  } catch (const std::runtime_error&) {
  }
}

/// Expects that a valid object can change to the other form and back, unchanged.
void expect_transformable(const seal::Evaluator& evaluator, const seal::Ciphertext& object) {
  if (object.is_transparent()) return;
  seal::Ciphertext other;
  seal::Ciphertext back;
  if (object.is_ntt_form()) {
    evaluator.transform_from_ntt(object, other);
    evaluator.transform_to_ntt(other, back);
  } else {
    evaluator.transform_to_ntt(object, other);
    evaluator.transform_from_ntt(other, back);
  }
  EXPECT_TRUE(same(back, object));
}

void use(const World& world, const seal::Ciphertext& object) {
  const auto level = world.context.get_context_data(object.parms_id());
  // SEAL loads scales that are too large for the modulus; operations may refuse them.
  if (std::log2(object.scale()) < level->total_coeff_modulus_bit_count()) {
    EXPECT_NO_THROW(expect_transformable(world.evaluator, object));
  } else {
    may_throw([&] { expect_transformable(world.evaluator, object); });
  }
  seal::Ciphertext result;
  seal::Plaintext message;
  may_throw([&] { world.decryptor.decrypt(object, message); });
  may_throw([&] { world.evaluator.add(object, world.encrypted, result); });
  may_throw([&] { world.evaluator.multiply(object, world.encrypted, result); });
  may_throw([&] { world.evaluator.relinearize(object, world.relin_keys, result); });
  may_throw([&] { world.evaluator.mod_switch_to_next(object, result); });
}

void use(const World& world, const seal::Plaintext& object) {
  seal::Ciphertext result;
  may_throw([&] { world.encryptor.encrypt(object, result); });
  may_throw([&] { world.evaluator.multiply_plain(world.encrypted, object, result); });
  may_throw([&] { world.evaluator.add_plain(world.encrypted, object, result); });
}

void use(const World& world, const seal::PublicKey& object) {
  seal::Ciphertext result;
  EXPECT_NO_THROW(seal::Encryptor(world.context, object).encrypt(world.plain, result));
}

void use(const World& world, const seal::RelinKeys& object) {
  seal::Ciphertext result;
  world.evaluator.multiply(world.encrypted, world.encrypted, result);
  const auto relinearize = [&] { world.evaluator.relinearize_inplace(result, object); };
  EXPECT_EQ(is_refused(relinearize), !object.has_key(2));
}

void use(const World& world, const seal::GaloisKeys& object) {
  seal::Ciphertext result;
  for (const std::uint32_t element : {3U, 5U, 15U}) {
    const auto apply = [&] {
      world.evaluator.apply_galois(world.encrypted, element, object, result);
    };
    EXPECT_EQ(is_refused(apply), !object.has_key(element)) << element;
  }
}

void use(const World& world, const seal::SecretKey& object) {
  seal::Plaintext message;
  EXPECT_NO_THROW(seal::Decryptor(world.context, object).decrypt(world.encrypted, message));
}

template <typename T>
bool same_values(const T& a, const T& b) {
  return a == b;
}
bool same_values(const Array& a, const Array& b) { return std::ranges::equal(a, b); }

struct SealFile {
  Bytes raw;
  Bytes zstd;
  std::function<void(const Bytes&)> load_and_use;
  std::size_t expected = 0;  // bytes of memory, if a good file takes less
};

template <typename T>
SealFile file_of(const World& world, const T& object) {
  return {saved(object, seal::compr_mode_type::none), saved(object, seal::compr_mode_type::zstd),
          [&world, object](const Bytes& bytes) {
            // Otherwise the memory that a shared pool keeps would not count.
            const seal::MMProfGuard guard(std::make_unique<seal::MMProfNew>());
            T result(object);
            try {
              metered(bytes, [&] { result.load(world.context, bytes.data(), bytes.size()); });
            } catch (...) {
              EXPECT_TRUE(same(result, object)) << "refused, but changed";
              throw;
            }
            EXPECT_TRUE(is_valid_for(result, world.context));
            EXPECT_TRUE(same(loaded<T>(world.context, saved(result)), result));
            if constexpr (requires { seal4::borrow_native(world.context, result); }) {
              EXPECT_NO_THROW(static_cast<void>(seal4::borrow_native(world.context, result)));
            }
            use(world, result);
          }};
}

/// A file of an object that loads without a context.
template <typename T>
SealFile file_of_values(const T& object, const std::function<void(const T&)>& use_values = {}) {
  return {saved(object, seal::compr_mode_type::none), saved(object, seal::compr_mode_type::zstd),
          [use_values](const Bytes& bytes) {
            T result;
            metered(bytes, [&] { result.load(bytes.data(), bytes.size()); });
            T back;
            const Bytes again = saved(result);
            back.load(again.data(), again.size());
            EXPECT_TRUE(same_values(back, result));
            if (use_values) use_values(result);
          }};
}

SealFile file_of_parameters(const World& world) {
  return file_of_values<seal::EncryptionParameters>(
      world.context.key_context_data()->parms(), [](const seal::EncryptionParameters& result) {
        // Contexts of full size take long, and other tests make them.
        if (result.poly_modulus_degree() > 64) return;
        const seal::SEALContext context(result, true, seal::sec_level_type::none);
        static_cast<void>(context.parameter_error_message());
      });
}

void set_size(Bytes& file) {
  if (file.size() < kHeader) return;
  std::uint64_t size = file.size();
  for (std::size_t i = 0; i < 8; ++i, size >>= 8) file[kSizeAt + i] = std::byte(size & 255);
}

/// The raw file, its members compressed without other changes.
Bytes compressed_file(const Bytes& raw) {
  std::ostringstream stream(std::ios::binary);
  const std::string members = as_text(raw).substr(kHeader);
  seal::Serialization::Save([&members](std::ostream& out) { out << members; },
                            static_cast<std::streamoff>(raw.size()), stream,
                            seal::compr_mode_type::zstd, false);
  const std::string text = stream.str();
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

/// A damaged file; half of these files announce their true size.
Bytes forge(const SealFile& file, std::mt19937_64& rng) {
  const std::size_t way = rng() % 4;
  Bytes forged = mutated(way == 0 ? file.zstd : file.raw, rng);
  if (rng() % 2 == 0) set_size(forged);
  return way == 1 && forged.size() > kHeader ? compressed_file(forged) : forged;
}

/// Runs `mutations` mutations, a third for each scheme.
void run(const char* name, const std::function<SealFile(const World&)>& make,
         seal::SEALContext (*context)(seal::scheme_type) = small_context,
         std::size_t mutations = mutation_count()) {
  auto rng = make_rng();
  MutationCounts counts;
  load_costs = {};
  for (std::size_t i = 0; i < std::size(kMutationSchemes); ++i) {
    const World world(context(kMutationSchemes[i]));
    const SealFile file = make(world);
    std::size_t expected = 0;
    ASSERT_NO_THROW(expected = expected_cost({file.raw, file.zstd}, file.load_and_use));
    load_costs.expected = std::max(expected, file.expected);
    const std::size_t end = mutations * (i + 1) / std::size(kMutationSchemes);
    for (; counts.tried < end; ++counts.tried) {
      const Bytes forged = forge(file, rng);
      const bool refused = is_refused([&] { file.load_and_use(forged); });
      ++(refused ? counts.refused : counts.accepted);
      ASSERT_FALSE(::testing::Test::HasFailure()) << "mutation " << counts.tried;
    }
  }
  std::printf("%s: %s; %s\n", name, counts.text().c_str(), load_costs.text().c_str());
  EXPECT_EQ(counts.tried, mutations);
  EXPECT_GT(counts.refused, counts.tried / 20);
  EXPECT_GT(counts.accepted, 0U);
}

TEST(SealFileMutations, parameters) { run("SEAL parameters", file_of_parameters); }
TEST(SealFileMutations, moduli) {
  run("SEAL modulus", [](const World&) { return file_of_values(seal::Modulus(1048129)); });
}
TEST(SealFileMutations, seeds) {
  run("SEAL seed", [](const World&) {
    return file_of_values(
        seal::UniformRandomGeneratorInfo(seal::prng_type::blake2xb, {1, 2, 3, 4, 5, 6, 7, 8}));
  });
}
// Only a limit of 1 MiB bounds the content of a compressed array; its memory doubles to grow.
TEST(SealFileMutations, arrays) {
  run("SEAL array", [](const World&) {
    Array array(40);
    std::iota(array.begin(), array.end(), std::uint64_t{1} << 40);
    SealFile file = file_of_values(array);
    file.expected = std::size_t{3} << 20;
    return file;
  });
}

/// Runs the mutations for one member of World.
template <typename T>
void run(const char* name, T World::* member,
         seal::SEALContext (*context)(seal::scheme_type) = small_context,
         std::size_t mutations = mutation_count()) {
  run(
      name, [member](const World& world) { return file_of(world, world.*member); }, context,
      mutations);
}

TEST(SealFileMutations, plaintexts) { run("SEAL plaintext", &World::plain); }
TEST(SealFileMutations, ciphertexts) { run("SEAL ciphertext", &World::encrypted); }
TEST(SealFileMutations, longerCiphertexts) {
  run("longer SEAL ciphertext", &World::encrypted, longer_context, mutation_count() / 10);
}
TEST(SealFileMutations, publicKeys) { run("SEAL public key", &World::public_key); }
TEST(SealFileMutations, relinKeys) { run("SEAL relinearization keys", &World::relin_keys); }
TEST(SealFileMutations, galoisKeys) { run("SEAL Galois keys", &World::galois_keys); }

TEST(SealFileMutations, seededCiphertexts) {
  run("SEAL seeded ciphertext", [](const World& world) {
    const auto seeded = world.encryptor.encrypt_symmetric(world.plain);
    SealFile file = file_of(world, world.encrypted);
    file.raw = saved(seeded, seal::compr_mode_type::none);
    file.zstd = saved(seeded, seal::compr_mode_type::zstd);
    return file;
  });
}

TEST(SealFileMutations, secretKeys) {
  run("SEAL secret key",
      [](const World& world) { return file_of(world, world.keygen.secret_key()); });
}

}  // namespace
}  // namespace ringlet::test
