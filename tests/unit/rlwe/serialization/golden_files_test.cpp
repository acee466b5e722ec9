// SPDX-License-Identifier: Apache-2.0
// Files of every released format stay readable, and every kernel table makes them bit by bit.

#include "rlwe/serialization/checksum.hpp"
#include "support/kernels/available_tables.hpp"
#include "unit/rlwe/serialization_support.hpp"

namespace ringlet::test {
namespace {

constexpr std::size_t kSmallDegree = 32;
constexpr std::array<std::size_t, 3> kDegrees{128, 1024, 4096};

using NamedFiles = std::vector<std::pair<std::string, FileBytes>>;

/// Two data primes above 50 bits and one special prime, for other kernels than file_parameters.
EncryptionParameters wide_parameters(SchemeType scheme, std::size_t degree) {
  EncryptionParameters parms =
      parameters_of(scheme, degree, CoeffModulus::create(degree, {52, 60, 61}), 1);
  if (scheme != SchemeType::ckks) parms.set_plain_modulus(PlainModulus::batching(degree, 20));
  return parms;
}

/// The saved keys, encryptions and evaluations from fixed seeds.
NamedFiles make_files(const Context& context) {
  const Objects objects(context);
  const Evaluator& evaluator = objects.evaluator;
  Ciphertext product =
      result_of(evaluator, &Evaluator::multiply, objects.encrypted, objects.seeded.ciphertext());
  const Ciphertext relinearized =
      result_of(evaluator, &Evaluator::relinearize, product, objects.relin_keys);
  Ciphertext switched;
  evaluator.mod_switch_to_next(relinearized, switched);
  const Ciphertext rotated =
      result_of(evaluator, &Evaluator::apply_galois, switched, 3, objects.galois_keys);
  const auto secret = save_secret_key(context, objects.keygen.secret_key());
  return {{"parameters", save(SavedParameters::of(context))},
          {"secret_key", FileBytes(secret.begin(), secret.end())},
          {"public_key", save(objects.public_key)},
          {"relin_keys", save(objects.relin_keys)},
          {"galois_keys", save(objects.galois_keys)},
          {"plaintext", save(objects.plain)},
          {"ciphertext", save(objects.encrypted)},
          {"seeded_ciphertext", save(objects.seeded)},
          {"product", save(product)},
          {"relinearized", save(relinearized)},
          {"switched", save(switched)},
          {"rotated", save(rotated)}};
}

std::span<const std::uint8_t> octets(const FileBytes& bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

std::string digest_of(const FileBytes& bytes) {
  return hex_of(rlwe::checksum_of(octets(bytes), {}));
}

/// Digests of the files of larger parameters, by name.
std::map<std::string, std::string> make_digests(SchemeType scheme, const KernelSelection& kernels) {
  std::map<std::string, std::string> digests;
  const auto add = [&](const std::string& set, const EncryptionParameters& parms) {
    const Context context(parms, SecurityLevel::none, SecurityTable::classical_2024, kernels);
    for (const auto& [name, file] : make_files(context)) {
      digests[set + "/" + name] = digest_of(file);
    }
  };
  for (const std::size_t degree : kDegrees) {
    const std::string suffix = "/n=" + std::to_string(degree);
    add("narrow" + suffix, file_parameters(scheme, degree));
    add("wide" + suffix, wide_parameters(scheme, degree));
  }
  return digests;
}

/// The file tests/vectors/ringlet/<format>_<scheme>.txt; the README there states its contents.
struct Golden {
  std::map<std::string, FileBytes> files;
  std::map<std::string, std::string> digests;

  static std::string path(SchemeType scheme) {
    return std::string(RINGLET_SOURCE_DIR "/tests/vectors/ringlet/v1_") + to_string(scheme) +
           ".txt";
  }

  explicit Golden(SchemeType scheme) {
    std::ifstream input(path(scheme));
    FileBytes* file = nullptr;
    for (std::string line; std::getline(input, line);) {
      const std::size_t space = line.find(' ');
      if (line.empty() || line[0] == '#') continue;
      if (line.starts_with("object ")) {
        file = &files[line.substr(7)];
      } else if (line.starts_with("digest ")) {
        const std::size_t end = line.find(' ', space + 1);
        digests[line.substr(7, end - 7)] = line.substr(end + 1);
      } else {
        for (std::size_t i = 0; i + 1 < line.size(); i += 2) {
          file->push_back(static_cast<std::byte>(std::stoul(line.substr(i, 2), nullptr, 16)));
        }
      }
    }
  }
};

void write_object(std::ofstream& output, const std::string& name, const FileBytes& file) {
  output << "object " << name << '\n' << hex_of(octets(file)) << '\n';
}

/// Writes golden files again, which only formats without a release allow.
void write_golden(SchemeType scheme) {
  std::ofstream output(Golden::path(scheme));
  output << "# Files of Ringlet, format version 1; see README.md.\n";
  const Context context = file_context(scheme, kSmallDegree, KernelSelection("scalar64"));
  for (const auto& [name, file] : make_files(context)) write_object(output, name, file);
  // Tests only read compressed files: their bytes depend on the version of Zstandard.
  const Objects objects(context);
  write_object(output, "zstd/ciphertext", save(objects.encrypted, Compression::zstd));
  write_object(output, "zstd/galois_keys", save(objects.galois_keys, Compression::zstd));
  for (const auto& [name, digest] : make_digests(scheme, KernelSelection("scalar64"))) {
    output << "digest " << name << ' ' << digest << '\n';
  }
}

class GoldenFiles : public ::testing::TestWithParam<SchemeType> {
 protected:
  void SetUp() override {
    if (std::getenv("RINGLET_WRITE_GOLDEN_FILES") != nullptr) write_golden(GetParam());
  }
};

TEST_P(GoldenFiles, EveryTableWritesThem) {
  const Golden golden(GetParam());
  ASSERT_FALSE(golden.files.empty());
  for (const KernelSelection& kernels : available_tables()) {
    SCOPED_TRACE(kernels.text());
    for (const auto& [name, file] : make_files(file_context(GetParam(), kSmallDegree, kernels))) {
      EXPECT_EQ(file, golden.files.at(name)) << name;
    }
    EXPECT_EQ(make_digests(GetParam(), kernels), golden.digests);
  }
}

TEST_P(GoldenFiles, AreRead) {
  const Golden golden(GetParam());
  const auto file = [&golden](const char* name) -> const FileBytes& {
    return golden.files.at(name);
  };
  const SavedParameters saved = load_parameters(file("parameters"), SecurityLevel::none);
  const Context context = saved.make_context();
  const SecretKey secret = load_secret_key(context, file("secret_key"));
  const Decryptor decryptor(context, secret);
  const Plaintext plain = load<Plaintext>(context, file("plaintext"));
  const Ciphertext encrypted = load<Ciphertext>(context, file("ciphertext"));
  const Ciphertext seeded = load<Ciphertext>(context, file("seeded_ciphertext"));
  if (GetParam() != SchemeType::ckks) {
    EXPECT_TRUE(same(decryptor.decrypt(encrypted), plain));
    EXPECT_TRUE(same(decryptor.decrypt(seeded), plain));
  }
  const RelinKeys relin_keys = load<RelinKeys>(context, file("relin_keys"));
  const GaloisKeys galois_keys = load<GaloisKeys>(context, file("galois_keys"));
  const Evaluator evaluator(context);
  Ciphertext result = result_of(evaluator, &Evaluator::multiply, encrypted, seeded);
  EXPECT_TRUE(same(result, load<Ciphertext>(context, file("product"))));
  evaluator.relinearize(result, relin_keys, result);
  EXPECT_TRUE(same(result, load<Ciphertext>(context, file("relinearized"))));
  evaluator.mod_switch_to_next(result, result);
  EXPECT_TRUE(same(result, load<Ciphertext>(context, file("switched"))));
  evaluator.apply_galois(result, 3, galois_keys, result);
  EXPECT_TRUE(same(result, load<Ciphertext>(context, file("rotated"))));
  EXPECT_EQ(save(load<PublicKey>(context, file("public_key"))), file("public_key"));
  EXPECT_TRUE(same(load<Ciphertext>(context, file("zstd/ciphertext")), encrypted));
  EXPECT_TRUE(same(load<GaloisKeys>(context, file("zstd/galois_keys")), galois_keys));
}

INSTANTIATE_TEST_SUITE_P(Schemes, GoldenFiles, kEveryScheme, scheme_name);

}  // namespace
}  // namespace ringlet::test
