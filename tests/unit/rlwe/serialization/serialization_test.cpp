// SPDX-License-Identifier: Apache-2.0
// Saved objects come back, from streams and from memory.
#include "ringlet/rlwe/serialization.hpp"

#include <streambuf>

#include "unit/rlwe/hostile_objects.hpp"

namespace ringlet::test {
namespace {

constexpr std::size_t kTinyDegree = 32;
constexpr std::size_t kHeader = 112;

/// A stream's buffer that can neither seek nor put back, and gives a few bytes at a time.
class Pipe : public std::streambuf {
 public:
  explicit Pipe(std::string bytes) : bytes_(std::move(bytes)) {}
  std::size_t taken() const { return position_ - static_cast<std::size_t>(egptr() - gptr()); }

 protected:
  int_type underflow() override {
    if (position_ == bytes_.size()) return traits_type::eof();
    const std::size_t count = std::min<std::size_t>(7, bytes_.size() - position_);
    setg(bytes_.data() + position_, bytes_.data() + position_, bytes_.data() + position_ + count);
    position_ += count;
    return traits_type::to_int_type(*gptr());
  }

 private:
  std::string bytes_;
  std::size_t position_ = 0;
};

template <typename T>
void expect_round_trips(const Context& context, const T& object) {
  for (const Compression compression : kCompressions) {
    const FileBytes file = save(object, compression);
    if (compression == Compression::none) {
      EXPECT_EQ(save_size(object), file.size());
    }
    std::stringstream stream(std::ios::in | std::ios::out | std::ios::binary);
    EXPECT_EQ(save(object, stream, compression), file.size());
    EXPECT_EQ(stream.str(), as_text(file));
    EXPECT_TRUE(same(load<T>(context, file), object));

    Pipe pipe(as_text(file) + as_text(file) + "rest");
    std::istream input(&pipe);
    for (const std::size_t n : {1, 2}) {
      EXPECT_TRUE(same(load<T>(context, input), object));
      EXPECT_EQ(pipe.taken(), n * file.size());
    }
    std::string rest;
    input >> rest;
    EXPECT_EQ(rest, "rest");

    FileBytes longer = file;
    longer.push_back(std::byte{0});
    expect_refusal([&] { load<T>(context, longer); }, load_operation<T>(),
                   {"1 bytes after the object"});
  }
}

TEST(Serialization, ObjectsComeBack) {
  for (const SchemeType scheme : kSchemes) {
    for (const std::size_t degree :
         {std::size_t{2}, std::size_t{4}, kTinyDegree, std::size_t{2048}}) {
      SCOPED_TRACE(degree);
      EncryptionParameters parms = file_parameters(scheme, std::max<std::size_t>(degree, 8));
      parms.set_poly_modulus_degree(degree);
      const Context context = context_of(parms);
      const KeyGenerator keygen(context, RandomSource::for_testing(1));
      expect_round_trips(context, keygen.create_public_key());
      expect_round_trips(context, keygen.create_relin_keys());
      expect_round_trips(context, keygen.create_galois_keys_for_elements({3 % (2 * degree)}));
      const Encryptor encryptor(context, keygen.secret_key());
      for (const ContextData* level : levels_of(context)) {
        expect_round_trips(context, encryptor.encrypt_zero_symmetric(level->parms_id()));
      }
    }
  }
}

TEST(Serialization, MessagesComeBack) {
  for (const SchemeType scheme : kSchemes) {
    const Objects objects(scheme, kTinyDegree);
    expect_round_trips(objects.context, objects.plain);
    expect_round_trips(objects.context, objects.encrypted);
    Ciphertext product =
        result_of(objects.evaluator, &Evaluator::multiply, objects.encrypted, objects.encrypted);
    expect_round_trips(objects.context, product);
    if (scheme == SchemeType::bgv) {
      Ciphertext switched;
      objects.evaluator.mod_switch_to_next(objects.encrypted, switched);
      ASSERT_NE(switched.correction_factor(), 1u);
      expect_round_trips(objects.context, switched);
    }
    if (scheme == SchemeType::bfv) {
      Ciphertext transformed;
      objects.evaluator.transform_to_ntt(objects.encrypted, transformed);
      expect_round_trips(objects.context, transformed);
      expect_round_trips(objects.context, Plaintext());
      expect_round_trips(objects.context, Plaintext(1));
    }
  }
}

TEST(Serialization, SeededCiphertextsAreHalfAsLong) {
  for (const SchemeType scheme : kSchemes) {
    const Objects objects(scheme, kTinyDegree);
    for (const Compression compression : kCompressions) {
      const FileBytes file = save(objects.seeded, compression);
      EXPECT_TRUE(same(load<Ciphertext>(objects.context, file), objects.seeded.ciphertext()));
      EXPECT_TRUE(same(objects.decryptor.decrypt(objects.seeded.ciphertext()),
                       objects.decryptor.decrypt(load<Ciphertext>(objects.context, file))));
      std::stringstream stream(std::ios::in | std::ios::out | std::ios::binary);
      EXPECT_EQ(save(objects.seeded, stream, compression), file.size());
    }
    EXPECT_EQ(save(objects.seeded).size(), save_size(objects.seeded));
    EXPECT_EQ(save_size(objects.seeded), kHeader + 48 + objects.seeded.byte_count());
    EXPECT_EQ(save_size(objects.encrypted), kHeader + 48 + objects.encrypted.byte_count());
    EXPECT_EQ(objects.seeded.byte_count(), objects.encrypted.byte_count() / 2 + kSeedBytes);
    const Encryptor symmetric(objects.context, objects.keygen.secret_key());
    const ParmsId& last = objects.context.last_parms_id();
    const SeededCiphertext zero = symmetric.encrypt_zero_symmetric_seeded(last);
    EXPECT_TRUE(same(load<Ciphertext>(objects.context, save(zero)), zero.ciphertext()));
  }
}

TEST(Serialization, KeysWithoutSeedsAreSavedWhole) {
  const Objects objects(SchemeType::bgv, kTinyDegree);
  const PublicKey& seeded = objects.public_key;
  const PublicKey whole(objects.context, seeded.data());
  ASSERT_TRUE(seeded.seed().has_value());
  EXPECT_EQ(save_size(whole) - save_size(seeded), seeded.byte_count() / 2 - kSeedBytes);
  expect_round_trips(objects.context, whole);

  const KSwitchKey& key = objects.relin_keys.key(2);
  std::vector<Ciphertext> pairs;
  for (std::size_t i = 0; i < key.digit_count(); ++i) pairs.push_back(key.pair(i));
  KSwitchKeyMap map;
  map.emplace(2, std::make_shared<const KSwitchKey>(objects.context, pairs));
  map.emplace(15, std::make_shared<const KSwitchKey>(objects.context, pairs, key.seeds()));
  expect_round_trips(objects.context, RelinKeys(objects.context, map));
  expect_round_trips(objects.context, RelinKeys(objects.context, {}));
}

TEST(Serialization, SecretKeysTakeTwoBitsPerCoefficient) {
  for (const SchemeType scheme : kSchemes) {
    for (const std::size_t degree : {std::size_t{8}, kTinyDegree, std::size_t{1024}}) {
      const Context context = file_context(scheme, degree);
      const SecretKey key = KeyGenerator(context).secret_key();
      const auto file = save_secret_key(context, key);
      EXPECT_EQ(file.size(), kHeader + 8 + degree / 4);
      EXPECT_TRUE(same(load_secret_key(context, file), key));
      std::stringstream stream(std::ios::in | std::ios::out | std::ios::binary);
      EXPECT_EQ(save_secret_key(context, key, stream), file.size());
      EXPECT_EQ(stream.str(), as_text(file));
      EXPECT_TRUE(same(load_secret_key(context, stream), key));
    }
  }
}

TEST(Serialization, SecretKeysThatAreNotTernaryAreRefused) {
  const Context context = file_context(SchemeType::ckks, kTinyDegree);
  Words words = words_of(KeyGenerator(context).secret_key().view());
  const SecretKey key = SecretKey::borrow(context, words.data());
  EXPECT_NO_THROW(save_secret_key(context, key));
  for (const std::size_t place : {std::size_t{0}, kTinyDegree + 3, words.size() - 1}) {
    const std::uint64_t kept = words[place];
    words[place] = kept == 0 ? 1 : kept - 1;
    expect_refusal([&] { save_secret_key(context, key); }, "save_secret_key", {"not ternary"});
    words[place] = kept;
  }
}

TEST(Serialization, ParametersAgreeOnBothSides) {
  for (const SchemeType scheme : kSchemes) {
    EncryptionParameters parms = file_parameters(scheme, kTinyDegree);
    for (const std::size_t digit_size : {0, 1, 2}) {
      parms.set_digit_size(digit_size);
      for (const SecurityTable table :
           {SecurityTable::classical_2024, SecurityTable::he_standard_2018}) {
        expect_parameters_come_back(Context(parms, SecurityLevel::none, table));
      }
    }
  }
  const Context context(ckks(4096, {30, 30, 40}));
  const SavedParameters loaded = load_parameters(save(SavedParameters::of(context)));
  EXPECT_EQ(loaded.level, SecurityLevel::tc128);
  EXPECT_EQ(loaded.make_context().key_parms_id(), context.key_parms_id());
}

TEST(Serialization, ParametersBelowTheLevelThatIsAskedForAreRefused) {
  using enum SecurityLevel;
  SavedParameters saved = SavedParameters::of(file_context(SchemeType::bfv, kTinyDegree));
  for (const SecurityLevel level : {none, reproduction, tc128, tc192, tc256}) {
    saved.level = level;
    const FileBytes file = save(saved);
    for (const SecurityLevel least : {none, reproduction, tc128, tc192, tc256}) {
      auto stream = stream_of(file);
      EXPECT_EQ(is_refused([&] { load_parameters(stream, least); }), level < least);
      EXPECT_EQ(is_refused([&] { load_parameters(file, least); }), level < least);
    }
    EXPECT_EQ(is_refused([&] { load_parameters(file); }), level < tc128);
  }
}

TEST(Serialization, ParametersBeyondTheTableAreForContextToRefuse) {
  SavedParameters saved = SavedParameters::of(file_context(SchemeType::bfv, kTinyDegree));
  saved.level = SecurityLevel::tc128;
  const SavedParameters loaded = load_parameters(save(saved));
  EXPECT_EQ(loaded.level, SecurityLevel::tc128);
  EXPECT_THROW(loaded.make_context(), InvalidArgument);
}

}  // namespace
}  // namespace ringlet::test
