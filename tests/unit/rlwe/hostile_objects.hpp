// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "serialization_support.hpp"
#include "support/load_meter.hpp"

// Loads forged files, and uses the objects that were accepted.

namespace ringlet::test {

/// Runs a call that may refuse its operands, but must do nothing worse.
inline void may_refuse(const std::function<void()>& call) {
  try {
    call();
  } catch (const ErrorInfo&) {
  }
}

inline void use(const Objects& objects, const Ciphertext& encrypted) {
  EXPECT_TRUE(same(load<Ciphertext>(objects.context, save(encrypted)), encrypted));
  may_refuse([&] { (void)objects.decryptor.decrypt(encrypted); });
  Ciphertext result;
  may_refuse([&] { objects.evaluator.add(encrypted, objects.encrypted, result); });
  may_refuse([&] { objects.evaluator.multiply(encrypted, objects.encrypted, result); });
  may_refuse([&] { objects.evaluator.relinearize(encrypted, objects.relin_keys, result); });
  may_refuse([&] { objects.evaluator.mod_switch_to_next(encrypted, result); });
}

inline void use(const Objects& objects, const Plaintext& plain) {
  EXPECT_TRUE(same(load<Plaintext>(objects.context, save(plain)), plain));
  Ciphertext result;
  may_refuse([&] { (void)objects.decryptor.decrypt(objects.encryptor.encrypt(plain)); });
  may_refuse([&] { objects.evaluator.multiply_plain(objects.encrypted, plain, result); });
  may_refuse([&] { objects.evaluator.add_plain(objects.encrypted, plain, result); });
}

inline void use(const Objects& objects, const PublicKey& key) {
  EXPECT_TRUE(same(load<PublicKey>(objects.context, save(key)), key));
  const Encryptor encryptor(objects.context, key, RandomSource::for_testing(31));
  (void)objects.decryptor.decrypt(encryptor.encrypt(objects.plain));
}

inline void use(const Objects& objects, const RelinKeys& keys) {
  EXPECT_TRUE(same(load<RelinKeys>(objects.context, save(keys)), keys));
  Ciphertext result =
      result_of(objects.evaluator, &Evaluator::multiply, objects.encrypted, objects.encrypted);
  may_refuse([&] {
    objects.evaluator.relinearize_inplace(result, keys);
    (void)objects.decryptor.decrypt(result);
  });
}

inline void use(const Objects& objects, const GaloisKeys& keys) {
  EXPECT_TRUE(same(load<GaloisKeys>(objects.context, save(keys)), keys));
  for (const std::uint64_t element : keys.galois_elements()) {
    Ciphertext result;
    may_refuse([&] { objects.evaluator.apply_galois(objects.encrypted, element, keys, result); });
  }
}

inline void use(const Objects& objects, const SecretKey& key) {
  EXPECT_TRUE(same(load_secret_key(objects.context, save_secret_key(objects.context, key)), key));
  (void)Decryptor(objects.context, key).decrypt(objects.encrypted);
}

inline void use(const SavedParameters& saved) {
  // Large contexts are slow to make, and other tests cover them.
  if (saved.parms.poly_modulus_degree() > 64) return;
  may_refuse([&] { EXPECT_TRUE(same(SavedParameters::of(saved.make_context()), saved)); });
}

/// The smallest context with keys of several digits: files of a few hundred bytes.
inline Context tiny_context(SchemeType scheme) {
  constexpr std::size_t kDegree = 4;
  EncryptionParameters parms =
      parameters_of(scheme, kDegree, CoeffModulus::create(kDegree, {36, 40, 49}), 1);
  if (scheme != SchemeType::ckks) parms.set_plain_modulus(PlainModulus::batching(kDegree, 14));
  return context_of(parms);
}

/// One kind of file: a good file, and a function that loads and uses a forged one.
struct FileKind {
  std::string name;
  FileBytes file;
  bool has_one_frame = true;
  std::function<void(const FileBytes&)> load_and_use;
};

template <typename T>
FileKind kind_of(const Objects& objects, std::string name, FileBytes file,
                 bool has_one_frame = true) {
  return {std::move(name), std::move(file), has_one_frame, [&objects](const FileBytes& bytes) {
            use(objects, metered(bytes, [&] { return load<T>(objects.context, bytes); }));
          }};
}

inline FileKind kind_of_parameters(const SavedParameters& saved, Compression compression) {
  return {"parameters", save(saved, compression), true, [](const FileBytes& bytes) {
            use(metered(bytes, [&] { return load_parameters(bytes, SecurityLevel::none); }));
          }};
}

using Kinds = std::vector<FileKind>(const Objects&, Compression);

/// The kinds of files that depend on the scheme. `objects` must outlive the result.
inline std::vector<FileKind> message_kinds(const Objects& objects, Compression compression) {
  std::vector<FileKind> kinds;
  kinds.push_back(kind_of_parameters(SavedParameters::of(objects.context), compression));
  kinds.push_back(kind_of<Plaintext>(objects, "plaintext", save(objects.plain, compression)));
  kinds.push_back(kind_of<Ciphertext>(objects, "ciphertext", save(objects.encrypted, compression)));
  kinds.push_back(
      kind_of<Ciphertext>(objects, "seeded ciphertext", save(objects.seeded, compression)));
  return kinds;
}

/// The kinds of files that are the same in all schemes.
inline std::vector<FileKind> key_kinds(const Objects& objects, Compression compression) {
  std::vector<FileKind> kinds;
  kinds.push_back(kind_of<PublicKey>(objects, "public key", save(objects.public_key, compression)));
  kinds.push_back(kind_of<RelinKeys>(objects, "relinearization keys",
                                     save(objects.relin_keys, compression), false));
  kinds.push_back(
      kind_of<GaloisKeys>(objects, "Galois keys", save(objects.galois_keys, compression), false));
  // Secret keys are never compressed, and a directory is opened without decompression.
  if (compression == Compression::none) {
    kinds.push_back({"lazy Galois keys", save(objects.galois_keys, compression), false,
                     [&objects](const FileBytes& bytes) {
                       const auto shared = std::make_shared<const FileBytes>(bytes);
                       use(objects, metered(bytes, [&] {
                             const auto keys = open_galois_keys(objects.context, shared);
                             for (const auto element : keys.galois_elements()) {
                               (void)keys.key(element);
                             }
                             return keys;
                           }));
                     }});
    const auto file = save_secret_key(objects.context, objects.keygen.secret_key());
    kinds.push_back({"secret key", FileBytes(file.begin(), file.end()), true,
                     [&objects](const FileBytes& bytes) {
                       use(objects,
                           metered(bytes, [&] { return load_secret_key(objects.context, bytes); }));
                     }});
  }
  return kinds;
}

/// Calls check for messages of all schemes and keys of one: all schemes share the compression.
inline void for_each_tiny_file(const std::function<void(const FileKind&, Compression)>& check) {
  for (const SchemeType scheme : kSchemes) {
    const Objects objects(tiny_context(scheme), {1});
    for (const Compression compression : kCompressions) {
      if (compression == Compression::zstd && scheme != SchemeType::ckks) continue;
      auto kinds = message_kinds(objects, compression);
      if (scheme == SchemeType::ckks) {
        for (FileKind& kind : key_kinds(objects, compression)) kinds.push_back(std::move(kind));
      }
      for (const FileKind& kind : kinds) {
        SCOPED_TRACE(std::string(to_string(scheme)) + ": " + kind.name);
        check(kind, compression);
      }
    }
  }
}

}  // namespace ringlet::test
