// SPDX-License-Identifier: Apache-2.0
// Identifiers of levels. Expected values: Python's hashlib over the byte string that
// ContextData::parms_id documents.

#include "ringlet/rlwe/context.hpp"
#include "rlwe_support.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

std::vector<ParmsId> ids_of(const Context& context) {
  std::vector<ParmsId> ids;
  for (const ContextData* level : levels_from(context.key_context_data())) {
    ids.push_back(level->parms_id());
  }
  return ids;
}

TEST(ParmsId, IsTheDocumentedHashForCkks) {
  const auto parms = ckks(8192, {60, 40, 40, 60});
  const std::vector<ParmsId> expected{
      {0x37e1e9fbd3607e47, 0x1e4eec79a8bafdec, 0x7f625333de80cd73, 0xea261a5afa32c1c9},
      {0xd9b08e36c1cd8390, 0x00b1cfaac6d62d02, 0x992c42122326de2f, 0x2cc15e7d5b4c586f},
      {0xa3b32447fce94422, 0x2aa7d71ec9ec71e9, 0xacd4550ea3ceceef, 0xa3c11523b76e960c},
      {0xfc5ecb3aa4808829, 0x87fe5396b2ff612b, 0x72d8734d53c3d3cf, 0x3b285cb406dbb16f}};
  EXPECT_EQ(ids_of(Context(parms, SecurityLevel::none)), expected);
  EXPECT_EQ(to_string(expected[0]),
            "37e1e9fbd3607e471e4eec79a8bafdec7f625333de80cd73ea261a5afa32c1c9");
  // The table counts for nothing where there is no level, and the level counts.
  EXPECT_EQ(ids_of(Context(parms, SecurityLevel::none, SecurityTable::quantum_2024)), expected);
  EXPECT_EQ(Context(parms).key_parms_id(), (ParmsId{0x9b054160f59aec1a, 0x3fdd7a0128da853b,
                                                    0x790da392704c4df6, 0xbdc98f8659d61078}));
}

TEST(ParmsId, IsTheDocumentedHashWithPlainModulusAndDigits) {
  const auto primes = CoeffModulus::create(4096, {20, 21, 22, 23, 23, 23});
  EncryptionParameters parms(SchemeType::bgv);
  parms.set_poly_modulus_degree(4096);
  parms.set_coeff_modulus({primes.begin(), primes.begin() + 4}, {primes.begin() + 4, primes.end()});
  parms.set_plain_modulus(Modulus(65537));
  parms.set_digit_size(2);
  const Context context(parms, SecurityLevel::none);
  EXPECT_EQ(ids_of(context).size(), 5u);
  const std::vector<ParmsId> expected{
      {0x27a785ffedbaae28, 0x50e6596f79b8fe6d, 0xc9b9feb68d5bd9da, 0xae7b99b9e51b713f},
      {0x80baf5b277183fab, 0xfdfa8f4aa80be6fb, 0x1dd58b6938a73c33, 0xce4d28c7e125e460},
      {0x534cdf5030384f32, 0x8a8f5b7cc69b95a8, 0x54efa13c9449e306, 0xef7df3f6ab4bac99},
      {0xb875b6a07390a567, 0x9305e89232f7daf7, 0x3a74df61b616c61a, 0x01ae4fed5f8d972e},
      {0xad23aae85e126e7d, 0xea995e90efbd3373, 0x91063ad4268772b2, 0xe5bccf53ac78d00a}};
  EXPECT_EQ(ids_of(context), expected);
}

TEST(ParmsId, EveryPartEnters) {
  const auto primes = CoeffModulus::create(1024, {30, 31, 32, 33, 34, 35});
  const auto make = [&](const std::function<void(EncryptionParameters&)>& change,
                        SchemeType scheme = SchemeType::bfv) {
    EncryptionParameters parms(scheme);
    parms.set_poly_modulus_degree(1024);
    parms.set_coeff_modulus({primes[0], primes[1], primes[2]}, {primes[3], primes[4]});
    if (scheme != SchemeType::ckks) parms.set_plain_modulus(Modulus(257));
    parms.set_digit_size(1);
    change(parms);
    return Context(parms, SecurityLevel::none);
  };
  const auto nothing = [](EncryptionParameters&) {};
  std::set<ParmsId> ids{kParmsIdZero};
  std::size_t count = 1;
  const auto expect_new = [&](const Context& context, const std::string& what) {
    for (const ParmsId& id : ids_of(context)) {
      EXPECT_TRUE(ids.insert(id).second) << what;
      ++count;
    }
  };
  expect_new(make(nothing), "first");
  expect_new(make(nothing, SchemeType::bgv), "scheme");
  expect_new(make(nothing, SchemeType::ckks), "scheme");
  expect_new(make([](auto& p) { p.set_poly_modulus_degree(512); }), "degree");
  expect_new(make([](auto& p) { p.set_plain_modulus(Modulus(258)); }), "plain modulus");
  expect_new(make([](auto& p) { p.set_digit_size(2); }), "digit size");
  const auto with = [&](std::vector<Modulus> data, std::vector<Modulus> special) {
    return make([&](auto& p) { p.set_coeff_modulus(data, special); });
  };
  expect_new(with({primes[1], primes[0], primes[2]}, {primes[3], primes[4]}), "order");
  expect_new(with({primes[0], primes[1]}, {primes[2], primes[3], primes[4]}), "special primes");
  expect_new(with({primes[0], primes[1], primes[2], primes[3]}, {primes[4]}), "special primes");
  expect_new(with({primes[0], primes[1], primes[2]}, {primes[4], primes[3]}), "order");
  expect_new(with({primes[0], primes[1], primes[2]}, {primes[3]}), "fewer primes");
  expect_new(with({primes[0], primes[1], primes[2]}, {}), "no special primes");
  EXPECT_EQ(ids.size(), count);
  // The same parameters have the same identifiers, with other kernels too.
  EXPECT_EQ(ids_of(make(nothing)), ids_of(make(nothing)));
}

TEST(ParmsId, SecurityEnters) {
  const auto parms = ckks(4096, {20, 20});
  std::set<ParmsId> ids;
  std::size_t count = 0;
  for (const SecurityLevel level :
       {SecurityLevel::tc128, SecurityLevel::tc192, SecurityLevel::tc256}) {
    for (const SecurityTable table : {SecurityTable::classical_2024, SecurityTable::quantum_2024,
                                      SecurityTable::he_standard_2018}) {
      ids.insert(Context(parms, level, table).key_parms_id());
      ++count;
    }
  }
  ids.insert(Context(parms, SecurityLevel::none).key_parms_id());
  EXPECT_EQ(ids.size(), count + 1);
}

}  // namespace
}  // namespace ringlet::test
