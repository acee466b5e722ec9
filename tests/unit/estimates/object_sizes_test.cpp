// SPDX-License-Identifier: Apache-2.0
// Sizes from parameters alone, compared with objects that are made and saved: byte_count() in
// memory, and the bytes that save() writes, exact without compression.
#include "ringlet/estimates/object_sizes.hpp"

#include "ringlet/ringlet.hpp"
#include "rlwe/serialization/layout.hpp"
#include "rlwe/serialization/zstd_codec.hpp"
#include "unit/rlwe/serialization_support.hpp"

namespace ringlet::test {
namespace {

/// Parameters of one ring.
struct Case {
  SchemeType scheme;
  RingSpec ring;
  std::uint64_t t;  // 0 for CKKS
  std::vector<int> data;
  std::vector<int> special;
  std::size_t digit_size = 0;
};

std::string name_of(const Case& with) {
  return std::string(to_string(with.scheme)) + "_m" + std::to_string(with.ring.cyclotomic_index()) +
         "_" + std::to_string(with.data.size()) + "and" + std::to_string(with.special.size()) +
         "_by" + std::to_string(with.digit_size) + "_t" + std::to_string(with.t);
}
void PrintTo(const Case& with, std::ostream* stream) { *stream << name_of(with); }

std::vector<Case> cases() {
  const RingSpec small = RingSpec::power_of_two(64);
  std::vector<Case> all;
  for (const SchemeType scheme : {SchemeType::ckks, SchemeType::bfv, SchemeType::bgv}) {
    const std::uint64_t t = scheme == SchemeType::ckks ? 0 : 257;
    all.push_back({scheme, small, t, {30}, {}});
    all.push_back({scheme, small, t, {40, 30, 35}, {}});
    all.push_back({scheme, RingSpec::power_of_two(2), t, {20, 25}, {40}});
    for (const std::size_t digit_size : {0u, 1u, 2u, 3u, 9u}) {
      all.push_back({scheme, small, t, {30, 30, 31, 32, 33}, {61, 60, 59}, digit_size});
    }
    if (t == 0) continue;
    // Levels end above t, which exceeds one prime here and two primes below.
    all.push_back({scheme, small, (std::uint64_t{1} << 40) + 15, {30, 30, 31, 32}, {40}});
    all.push_back({scheme, small, (std::uint64_t{1} << 60) - 1, {30, 30, 31, 32}, {40}});
    // phi(105) = 48 and phi(31) = 30 coefficients: no powers of two, one no multiple of four.
    all.push_back({scheme, RingSpec::cyclotomic(105), 2, {45, 45}, {46}});
    all.push_back({scheme, RingSpec::cyclotomic(31), 5, {40, 40, 41, 42}, {50, 51}, 2});
    all.push_back({scheme, RingSpec::cyclotomic(9), 2, {30}, {}});
  }
  return all;
}

/// The objects of one case.
class ObjectSizesOf : public ::testing::TestWithParam<Case> {
 protected:
  ObjectSizesOf()
      : parms_(parameters_of(GetParam().scheme, GetParam().ring, GetParam().data,
                             GetParam().special, GetParam().t, GetParam().digit_size)),
        context_(parms_, SecurityLevel::none),
        keys_(context_),
        whole_keys_(context_, RandomSource().with_uniform_half(
                                  [](NttView a, std::span<const Modulus> moduli) {
                                    for (std::size_t i = 0; i < a.limb_count; ++i) {
                                      for (auto& word : a.limb(i)) word = moduli[i].value() - 1;
                                    }
                                  })),
        encryptor_(context_, keys_.secret_key()) {}

  template <typename Object>
  static void expect_file(const Object& object, std::size_t bytes) {
    EXPECT_EQ(save(object).size(), bytes);
    EXPECT_EQ(save_size(object), bytes);
  }
  template <typename Object>
  static void expect_object(const Object& object, const ObjectSizes& sizes, bool is_seeded) {
    EXPECT_EQ(object.byte_count(), sizes.payload);
    expect_file(object, is_seeded ? sizes.saved_seeded : sizes.saved);
  }
  // Compression adds at most what Zstandard's bounds allow, for the whole and for each frame.
  template <typename Object>
  static void expect_compressed(const Object& object, std::size_t frames) {
    const std::size_t bound = rlwe::zstd_bound(save_size(object)) + frames * rlwe::zstd_bound(0);
    EXPECT_LE(save(object, Compression::zstd).size(), bound);
  }

  EncryptionParameters parms_;
  Context context_;
  KeyGenerator keys_;
  KeyGenerator whole_keys_;
  Encryptor encryptor_;
};

INSTANTIATE_TEST_SUITE_P(Cases, ObjectSizesOf, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return name_of(info.param); });

TEST_P(ObjectSizesOf, MessagesOfEveryLevel) {
  std::size_t levels = 0;
  for (const ContextData* level = context_.first_context_data(); level != nullptr;
       level = level->next_context_data()) {
    ++levels;
    const std::size_t primes = level->prime_count();
    SCOPED_TRACE(primes);
    expect_object(Plaintext(*level), plaintext_size(parms_, primes), false);
    for (std::size_t size = kMinCiphertextSize; size <= kMaxCiphertextSize; ++size) {
      expect_object(Ciphertext(*level, size), ciphertext_size(parms_, primes, size), false);
    }
    const SeededCiphertext seeded = encryptor_.encrypt_zero_symmetric_seeded(level->parms_id());
    const ObjectSizes sizes = ciphertext_size(parms_, primes);
    expect_file(seeded, sizes.saved_seeded);
    EXPECT_EQ(seeded.byte_count(), sizes.payload / 2 + kSeedBytes);
    EXPECT_EQ(ciphertext_size(parms_, primes, 3).saved_seeded,
              ciphertext_size(parms_, primes, 3).saved);
    expect_compressed(seeded, 1);
    EXPECT_EQ(primes == last_level_primes(parms_), level->next_context_data() == nullptr);
  }
  EXPECT_EQ(first_level_primes(parms_), context_.first_context_data()->prime_count());
  EXPECT_EQ(levels, first_level_primes(parms_) - last_level_primes(parms_) + 1);
}

TEST_P(ObjectSizesOf, CoefficientsOfMessages) {
  if (parms_.scheme() == SchemeType::ckks) {
    EXPECT_THROW(coefficient_plaintext_size(parms_, 1), InvalidArgument);
    return;
  }
  const std::size_t degree = parms_.poly_modulus_degree();
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, degree - 1, degree}) {
    expect_object(Plaintext(count), coefficient_plaintext_size(parms_, count), false);
  }
  EXPECT_THROW(coefficient_plaintext_size(parms_, degree + 1), InvalidArgument);
}

TEST_P(ObjectSizesOf, KeysOfEncryption) {
  expect_object(keys_.create_public_key(), public_key_size(parms_), true);
  expect_object(whole_keys_.create_public_key(), public_key_size(parms_), false);
  const ObjectSizes secret = secret_key_size(parms_);
  EXPECT_EQ(save_secret_key(context_, keys_.secret_key()).size(), secret.saved);
  EXPECT_EQ(secret.saved_seeded, secret.saved);
  const ConstNttView view = keys_.secret_key().view();
  EXPECT_EQ(view.limb_count * view.degree * 8, secret.payload);
  const SavedParameters saved = SavedParameters::of(context_);
  expect_file(saved, parameters_size(parms_).saved);
  expect_file(saved, parameters_size(parms_).saved_seeded);
  expect_compressed(keys_.create_public_key(), 1);
}

TEST_P(ObjectSizesOf, KeysOfEvaluation) {
  if (!context_.using_keyswitching()) {
    for (const std::size_t count : {0u, 1u}) {
      expect_refusal([&] { relin_keys_size(parms_, count); }, "relin_keys_size", {"special prime"});
      expect_refusal([&] { galois_keys_size(parms_, count); }, "galois_keys_size",
                     {"special prime"});
    }
    return;
  }
  expect_object(keys_.create_relin_keys(), relin_keys_size(parms_), true);
  expect_object(whole_keys_.create_relin_keys(), relin_keys_size(parms_), false);
  expect_compressed(keys_.create_relin_keys(), 2);
  const auto galois = keys_.create_galois_keys();
  const auto elements = galois.galois_elements();
  expect_object(galois, galois_keys_size(parms_, elements.size()), true);
  for (std::size_t count = 0; count <= elements.size(); ++count) {
    const Words some(elements.begin(), elements.begin() + static_cast<std::ptrdiff_t>(count));
    expect_object(whole_keys_.create_galois_keys_for_elements(some),
                  galois_keys_size(parms_, count), false);
    expect_object(keys_.create_galois_keys_for_elements(some), galois_keys_size(parms_, count),
                  true);
  }
}

// KeyGenerator makes a key for one power of the secret; files may have several.
TEST_P(ObjectSizesOf, KeysOfSeveralPowers) {
  if (!context_.using_keyswitching()) return;
  KSwitchKeyMap map;
  for (std::uint64_t power = 2; power < kMaxCiphertextSize; ++power) {
    std::vector<Ciphertext> pairs;
    std::vector<PublicSeed> seeds(parms_.digit_count());
    for (std::size_t digit = 0; digit < parms_.digit_count(); ++digit) {
      pairs.emplace_back(*context_.key_context_data());
    }
    map.emplace(power, std::make_shared<KSwitchKey>(context_, std::move(pairs), std::move(seeds)));
    expect_object(RelinKeys(context_, map), relin_keys_size(parms_, map.size()), true);
  }
  EXPECT_EQ(map.size(), 14u);
  EXPECT_THROW(relin_keys_size(parms_, 15), InvalidArgument);
}

TEST_P(ObjectSizesOf, TotalsAreTheSumOfWhatIsSent) {
  const std::size_t parameters = save(SavedParameters::of(context_)).size();
  EXPECT_EQ(client_size(parms_).saved,
            parameters + save_secret_key(context_, keys_.secret_key()).size());
  std::size_t sent = parameters + save(keys_.create_public_key()).size();
  EXPECT_EQ(server_size(parms_, {.relin_keys = 0}).saved_seeded, sent);
  if (!context_.using_keyswitching()) {
    EXPECT_THROW(server_size(parms_), InvalidArgument);
    return;
  }
  const GaloisKeys galois = keys_.create_galois_keys();
  sent += save(keys_.create_relin_keys()).size() + save(galois).size();
  EXPECT_EQ(server_size(parms_, {.galois_elements = galois.size()}).saved_seeded, sent);
}

TEST_P(ObjectSizesOf, ImpossibleSizesAreRefused) {
  const std::size_t first = first_level_primes(parms_);
  const std::size_t last = last_level_primes(parms_);
  constexpr std::size_t kHuge = std::numeric_limits<std::size_t>::max();
  for (const std::size_t primes : {std::size_t{0}, last - 1, first + 1, kHuge}) {
    SCOPED_TRACE(primes);
    const std::string value = "prime_count = " + std::to_string(primes);
    const std::string range = std::to_string(last) + " to " + std::to_string(first);
    expect_refusal([&] { plaintext_size(parms_, primes); }, "plaintext_size", {value, range});
    expect_refusal([&] { ciphertext_size(parms_, primes); }, "ciphertext_size", {value, range});
  }
  for (const std::size_t polynomials : {std::size_t{0}, std::size_t{1}, std::size_t{17}, kHuge}) {
    expect_refusal([&] { ciphertext_size(parms_, first, polynomials); }, "ciphertext_size",
                   {std::to_string(polynomials), "2 to 16"});
  }
  if (!context_.using_keyswitching()) return;
  const std::size_t degree = parms_.poly_modulus_degree();
  EXPECT_NO_THROW(galois_keys_size(parms_, degree));
  for (const std::size_t count : {degree + 1, kHuge}) {
    expect_refusal([&] { galois_keys_size(parms_, count); }, "galois_keys_size",
                   {std::to_string(count), std::to_string(degree)});
  }
}

TEST(ObjectSizes, ParametersWithoutASizeAreRefused) {
  const RingSpec ring = RingSpec::power_of_two(64);
  EncryptionParameters parms;
  EXPECT_THROW(public_key_size(parms), InvalidArgument) << "no scheme";
  parms = EncryptionParameters(SchemeType::ckks);
  EXPECT_THROW(public_key_size(parms), InvalidArgument) << "no primes";
  parms.set_coeff_modulus(CoeffModulus::create(ring, {30, 31}));
  EXPECT_THROW(public_key_size(parms), InvalidArgument) << "no ring";
  parms.set_ring(RingSpec::cyclotomic(105));
  EXPECT_THROW(public_key_size(parms), InvalidArgument) << "no ring of the scheme";
  parms.set_ring(ring);
  EXPECT_NO_THROW(public_key_size(parms));
  parms.set_coeff_modulus({}, CoeffModulus::create(ring, {30}));
  EXPECT_THROW(secret_key_size(parms), InvalidArgument) << "no data primes";
  parms = EncryptionParameters(SchemeType::bgv);
  parms.set_ring(ring);
  parms.set_coeff_modulus(CoeffModulus::create(ring, {30, 31}));
  EXPECT_THROW(last_level_primes(parms), InvalidArgument) << "no plain modulus";
  parms.set_plain_modulus(std::uint64_t{1} << 35);
  EXPECT_THROW(ciphertext_size(parms, 1), InvalidArgument) << "a plain modulus beyond all primes";
  EXPECT_NO_THROW(public_key_size(parms)) << "keys have no level";
}

// The largest parameters that the limits allow: no product overflows to a small number.
TEST(ObjectSizes, TheLargestParametersDoNotOverflow) {
  std::vector<Modulus> data(kMaxCoeffModulusCount - 1, Modulus((std::uint64_t{1} << 61) - 1));
  EncryptionParameters parms(SchemeType::ckks);
  parms.set_poly_modulus_degree(kMaxPolyModulusDegree);
  parms.set_coeff_modulus(data, {data.front()});
  const long double key = 2.0L * 255 * 256 * 131072 * 8;
  EXPECT_EQ(static_cast<long double>(relin_keys_size(parms).payload), key);
  EXPECT_EQ(static_cast<long double>(galois_keys_size(parms, kMaxPolyModulusDegree).payload),
            key * 131072);
  EXPECT_GT(galois_keys_size(parms, kMaxPolyModulusDegree).saved,
            galois_keys_size(parms, kMaxPolyModulusDegree).payload);
  data.push_back(data.front());
  parms.set_coeff_modulus(data, {data.front()});
  EXPECT_THROW(relin_keys_size(parms), InvalidArgument) << "257 primes";
  // Digits longer than all primes are one digit, whatever their length.
  data.resize(3, data.front());
  for (const std::size_t digit_size : {std::size_t{3}, std::numeric_limits<std::size_t>::max()}) {
    parms.set_coeff_modulus(data, {data.front()});
    parms.set_digit_size(digit_size);
    EXPECT_EQ(relin_keys_size(parms).payload, std::size_t{2} * 4 * 131072 * 8);
  }
}

// The figures of docs/files.md.
TEST(ObjectSizes, TheFiguresOfTheDocumentation) {
  const EncryptionParameters parms = ckks(8192, {49, 40, 40, 49});
  EXPECT_EQ(ciphertext_size(parms, 3).saved, 393376u);
  EXPECT_EQ(ciphertext_size(parms, 3).saved_seeded, 196800u);
  EXPECT_EQ(secret_key_size(parms).saved, 2168u);
  const std::size_t elements = parms.ring().default_galois_elements().size();
  EXPECT_NEAR(static_cast<double>(galois_keys_size(parms, elements).saved_seeded), 18.9e6, 0.05e6);
}

/// A file in memory that counts the bytes that are read from it.
class CountingBuffer : public std::stringbuf {
 public:
  using std::stringbuf::stringbuf;
  std::size_t read_bytes = 0;

 protected:
  std::streamsize xsgetn(char* target, std::streamsize count) override {
    const std::streamsize size = std::stringbuf::xsgetn(target, count);
    read_bytes += static_cast<std::size_t>(size);
    return size;
  }
};

// Galois keys of the elements that a circuit lists: only these are made, saved with seeds in the
// predicted number of bytes, and read one by one when they are used.
class ListedGaloisKeys : public ::testing::TestWithParam<SchemeType> {};

INSTANTIATE_TEST_SUITE_P(Schemes, ListedGaloisKeys, kEveryScheme, scheme_name);

TEST_P(ListedGaloisKeys, AreMadeSavedAndReadOneByOne) {
  const Objects objects(GetParam(), 64);
  const Context& context = objects.context;
  const EncryptionParameters& parms = context.parms();
  const RingSpec& ring = context.ring();
  // The elements are unordered, and one of them comes twice.
  const Words listed{ring.conjugation_element(), ring.galois_element_from_step(7),
                     ring.galois_element_from_step(-3), ring.galois_element_from_step(7)};
  const GaloisKeys made = objects.keygen.create_galois_keys_for_elements(listed);
  ASSERT_EQ(made.size(), 3u);
  for (const std::uint64_t element : listed) EXPECT_TRUE(made.has_key(element));
  const FileBytes bytes = save(made);
  const ObjectSizes sizes = galois_keys_size(parms, made.size());
  EXPECT_EQ(bytes.size(), sizes.saved_seeded);
  EXPECT_LT(sizes.saved_seeded, sizes.saved * 6 / 10);

  CountingBuffer file(as_text(bytes));
  const GaloisKeys opened = open_galois_keys(context, std::make_shared<std::istream>(&file));
  EXPECT_EQ(opened.galois_elements(), made.galois_elements());
  const std::size_t directory = rlwe::frame_bytes(rlwe::directory_bytes(3));
  const std::size_t each = (bytes.size() - directory) / 3;
  EXPECT_EQ(each, rlwe::frame_bytes(rlwe::key_bytes(parms.digit_count(),
                                                    parms.coeff_modulus().size(), 64, true)));
  const std::size_t opening = directory + 3 * sizeof(rlwe::Checksum);
  EXPECT_EQ(file.read_bytes, opening) << "keys that nobody asked for";
  std::size_t used = 0;
  for (const std::uint64_t element : {listed[2], listed[2], listed[0]}) {
    Ciphertext expected;
    Ciphertext found;
    objects.evaluator.apply_galois(objects.encrypted, element, made, expected);
    objects.evaluator.apply_galois(objects.encrypted, element, opened, found);
    EXPECT_TRUE(same(found, expected));
    used = element == listed[0] ? 2 : 1;
    EXPECT_EQ(file.read_bytes, opening + used * each) << "each key is read once";
  }
  // A rotation that is not listed has no key, and reads none.
  Ciphertext rotated;
  EXPECT_THROW(objects.evaluator.apply_galois(objects.encrypted, ring.galois_element_from_step(1),
                                              opened, rotated),
               InvalidArgument);
  EXPECT_EQ(file.read_bytes, opening + used * each);
}

// Without elements there are no keys: the set exists and is empty.
TEST_P(ListedGaloisKeys, AnEmptyListGivesAnEmptySet) {
  const Objects objects(GetParam(), 64);
  const GaloisKeys made = objects.keygen.create_galois_keys_for_elements({});
  const FileBytes bytes = save(made);
  EXPECT_EQ(bytes.size(), galois_keys_size(objects.context.parms(), 0).saved_seeded);
  const GaloisKeys opened =
      open_galois_keys(objects.context, std::make_shared<const FileBytes>(bytes));
  EXPECT_EQ(opened.size(), 0u);
  EXPECT_EQ(opened.parms_id(), made.parms_id());
}

}  // namespace
}  // namespace ringlet::test
