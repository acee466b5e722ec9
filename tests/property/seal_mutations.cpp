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
    ntt_plain = random_ntt_plaintext(context, context.first_parms_id());
    ntt_plain.scale() = plain.scale();
    product = random_ciphertext(context, context.first_parms_id(), 3);
    product.scale() = plain.scale();
  }

  seal::SEALContext context;
  seal::KeyGenerator keygen;
  seal::Evaluator evaluator;
  mutable seal::Decryptor decryptor;
  seal::Encryptor encryptor;
  seal::PublicKey public_key;
  seal::RelinKeys relin_keys;
  seal::GaloisKeys galois_keys;
  seal::Plaintext plain, ntt_plain;
  seal::Ciphertext encrypted, product;
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

/// The good files of an object in every mode.
struct SealFile {
  std::vector<Bytes> modes;
  std::function<bool(const Bytes&)> load_and_use;  // whether the object is that of the good files
  std::size_t expected = 0;                        // bytes of memory, if a good file takes less
};

/// Files of a T or a Serializable<T>; each is loaded in the place of `before`. @param context the
/// context that loads a T, if it needs one
template <typename T, typename Object, typename... Context>
SealFile file_of(const Object& object, const T& before, const std::function<void(const T&)>& use_it,
                 const Context&... context) {
  const auto load = [&context...](T& target, const Bytes& bytes) {
    target.load(context..., bytes.data(), bytes.size());
  };
  SealFile file;
  for (const auto mode : kModes) file.modes.push_back(saved(object, mode));
  T whole;
  load(whole, file.modes[0]);
  file.load_and_use = [load, before, use_it, &context..., good = saved(whole),
                       unchanged = saved(before)](const Bytes& bytes) {
    // Otherwise the memory that a shared pool keeps would not count.
    const seal::MMProfGuard guard(std::make_unique<seal::MMProfNew>());
    T result(before);
    try {
      metered(bytes, [&] { load(result, bytes); });
    } catch (...) {
      EXPECT_EQ(saved(result), unchanged) << "refused, but changed";
      throw;
    }
    const Bytes again = saved(result);
    T back;
    load(back, again);
    EXPECT_EQ(saved(back), again);
    if constexpr (sizeof...(Context) != 0) {
      EXPECT_TRUE(is_valid_for(result, context...));
    }
    if constexpr (requires { seal4::borrow_native(context..., result); }) {
      EXPECT_NO_THROW(static_cast<void>(seal4::borrow_native(context..., result)));
    }
    if (use_it) use_it(result);
    return again == good;
  };
  return file;
}

/// Files of an object that `world` uses.
template <typename T, typename Object>
SealFile used_file(const World& world, const Object& object, const T& before) {
  const auto use_it = [&world](const T& result) { use(world, result); };
  return file_of<T>(object, before, use_it, world.context);
}

SealFile file_of_parameters(const World& world, const World&) {
  return file_of<seal::EncryptionParameters>(
      world.context.key_context_data()->parms(), seal::EncryptionParameters(),
      [](const seal::EncryptionParameters& result) {
        // Contexts of full size take long, and other tests make them.
        if (result.poly_modulus_degree() > 64) return;
        const seal::SEALContext context(result, true, seal::sec_level_type::none);
        static_cast<void>(context.parameter_error_message());
      });
}

/// Only a limit of 1 MiB bounds the content of a compressed array; its memory doubles to grow.
template <typename Value>
SealFile file_of_array() {
  seal::DynArray<Value> array(40);
  for (std::size_t i = 0; i < array.size(); ++i) array[i] = static_cast<Value>(i << 40 | i);
  SealFile file = file_of<seal::DynArray<Value>>(array, seal::DynArray<Value>(3), {});
  file.expected = std::size_t{3} << 20;
  return file;
}

void set_size(Bytes& file) {
  if (file.size() < kHeader) return;
  std::uint64_t size = file.size();
  for (std::size_t i = 0; i < 8; ++i, size >>= 8) file[kSizeAt + i] = std::byte(size & 255);
}

/// The raw file, its members compressed without other changes.
Bytes compressed_file(const Bytes& raw, seal::compr_mode_type mode) {
  std::ostringstream stream(std::ios::binary);
  const std::string members = as_text(raw).substr(kHeader);
  seal::Serialization::Save([&members](std::ostream& out) { out << members; },
                            static_cast<std::streamoff>(raw.size()), stream, mode, false);
  return as_bytes(stream.str());
}

/// A damaged file of any mode; half of these files announce their true size. Of compressed files
/// one half is damaged before compression.
Bytes forge(const SealFile& file, std::mt19937_64& rng) {
  const std::size_t mode = rng() % std::size(kModes);
  const bool is_inside = rng() % 2 == 0;
  Bytes forged = mutated(file.modes[is_inside ? 0 : mode], rng);
  if (rng() % 2 == 0) set_size(forged);
  return is_inside && forged.size() > kHeader ? compressed_file(forged, kModes[mode]) : forged;
}

/// Runs `mutations` mutations of make(world, other), a third for each scheme. The worlds have the
/// same parameters and different keys.
void run(const char* name, const std::function<SealFile(const World&, const World&)>& make,
         std::size_t mutations = mutation_count(),
         seal::SEALContext (*context)(seal::scheme_type) = small_context) {
  auto rng = make_rng();
  MutationCounts counts;
  std::size_t unchanged = 0;
  load_costs = {};
  for (std::size_t i = 0; i < std::size(kMutationSchemes); ++i) {
    const World world(context(kMutationSchemes[i]));
    const World other(context(kMutationSchemes[i]));
    const SealFile file = make(world, other);
    const auto expect_good = [&](const Bytes& good) { EXPECT_TRUE(file.load_and_use(good)); };
    std::size_t expected = 0;
    ASSERT_NO_THROW(expected = expected_cost(file.modes, expect_good));
    load_costs.expected = std::max(expected, file.expected);
    const std::size_t end = mutations * (i + 1) / std::size(kMutationSchemes);
    for (; counts.tried < end; ++counts.tried) {
      const Bytes forged = forge(file, rng);
      const bool refused = is_refused([&] { unchanged += file.load_and_use(forged); });
      ++(refused ? counts.refused : counts.accepted);
      ASSERT_FALSE(::testing::Test::HasFailure()) << "mutation " << counts.tried;
    }
  }
  std::printf("%s: %s, %zu of these with the values of the good file; %s\n", name,
              counts.text().c_str(), unchanged, load_costs.text().c_str());
  EXPECT_EQ(counts.tried, mutations);
  EXPECT_GT(counts.refused, counts.tried / 20);
  EXPECT_GT(counts.accepted, unchanged);
}

/// Runs the mutations for one member of World.
template <typename T>
void run(const char* name, T World::* member, std::size_t mutations = mutation_count(),
         seal::SEALContext (*context)(seal::scheme_type) = small_context) {
  const auto make = [member](const World& world, const World& other) {
    return used_file<T>(world, world.*member, other.*member);
  };
  run(name, make, mutations, context);
}

/// The number of mutations of files whose layout other files have too.
std::size_t few() { return mutation_count() / 10; }

TEST(SealFileMutations, parameters) { run("SEAL parameters", file_of_parameters); }
TEST(SealFileMutations, moduli) {
  run("SEAL modulus", [](const World&, const World&) {
    return file_of<seal::Modulus>(seal::Modulus(1048129), seal::Modulus(5), {});
  });
}
TEST(SealFileMutations, seeds) {
  using Info = seal::UniformRandomGeneratorInfo;
  run("SEAL seed", [](const World&, const World&) {
    const Info info(seal::prng_type::blake2xb, {1, 2, 3, 4, 5, 6, 7, 8});
    return file_of<Info>(info, Info(seal::prng_type::shake256, {9}), {});
  });
}
TEST(SealFileMutations, arrays) {
  run("SEAL array", [](const World&, const World&) { return file_of_array<std::uint64_t>(); });
}
TEST(SealFileMutations, arraysOfBytes) {
  const auto make = [](const World&, const World&) { return file_of_array<seal::seal_byte>(); };
  run("SEAL array of bytes", make, few());
}

TEST(SealFileMutations, plaintexts) { run("SEAL plaintext", &World::plain); }
TEST(SealFileMutations, plaintextsInNttForm) {
  run("SEAL plaintext in NTT form", &World::ntt_plain, few());
}
TEST(SealFileMutations, ciphertexts) { run("SEAL ciphertext", &World::encrypted); }
TEST(SealFileMutations, productCiphertexts) {
  run("SEAL ciphertext of size 3", &World::product, few());
}
TEST(SealFileMutations, longerCiphertexts) {
  run("longer SEAL ciphertext", &World::encrypted, few(), longer_context);
}
TEST(SealFileMutations, publicKeys) { run("SEAL public key", &World::public_key); }
TEST(SealFileMutations, relinKeys) { run("SEAL relinearization keys", &World::relin_keys); }
TEST(SealFileMutations, galoisKeys) { run("SEAL Galois keys", &World::galois_keys); }

TEST(SealFileMutations, keySwitchingKeys) {
  const auto make = [](const World& world, const World& other) {
    const seal::KSwitchKeys keys = world.galois_keys, before = other.relin_keys;
    return file_of<seal::KSwitchKeys>(keys, before, {}, world.context);
  };
  run("SEAL key switching keys", make, few());
}
TEST(SealFileMutations, secretKeys) {
  run("SEAL secret key", [](const World& world, const World& other) {
    return used_file<seal::SecretKey>(world, world.keygen.secret_key(), other.keygen.secret_key());
  });
}

TEST(SealFileMutations, seededCiphertexts) {
  run("SEAL seeded ciphertext", [](const World& world, const World& other) {
    return used_file<seal::Ciphertext>(world, world.encryptor.encrypt_symmetric(world.plain),
                                       other.encrypted);
  });
}
TEST(SealFileMutations, seededPublicKeys) {
  const auto make = [](const World& world, const World& other) {
    return used_file<seal::PublicKey>(world, world.keygen.create_public_key(), other.public_key);
  };
  run("SEAL seeded public key", make, few());
}
TEST(SealFileMutations, seededRelinKeys) {
  const auto make = [](const World& world, const World& other) {
    return used_file<seal::RelinKeys>(world, world.keygen.create_relin_keys(), other.relin_keys);
  };
  run("SEAL seeded relinearization keys", make, few());
}
TEST(SealFileMutations, seededGaloisKeys) {
  const auto make = [](const World& world, const World& other) {
    const auto keys = world.keygen.create_galois_keys(std::vector<std::uint32_t>{3, 15});
    return used_file<seal::GaloisKeys>(world, keys, other.galois_keys);
  };
  run("SEAL seeded Galois keys", make, few());
}

}  // namespace
}  // namespace ringlet::test
