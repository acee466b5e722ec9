// SPDX-License-Identifier: Apache-2.0

// Programs in the way that users of SEAL write them: the one header, both namespaces opened, output
// of identifiers by an operator of their own, contexts made from parameters on the fly.

#include <iomanip>

#include "seal/seal.h"
#include "support/test.hpp"

using namespace std;
using namespace seal;

/// At global scope, where programs put it.
inline ostream& operator<<(ostream& stream, parms_id_type parms_id) {
  ios_base::fmtflags flags = stream.flags();
  stream << hex << parms_id[0] << " " << parms_id[1] << " " << parms_id[2] << " " << parms_id[3];
  stream.flags(flags);
  return stream;
}

/// Programs reopen the namespace for things of their own.
namespace seal {
class Report {
 public:
  explicit Report(const SEALContext& context) : context_(context) {}
  string primes() const {
    ostringstream out;
    for (const Modulus& q : context_.key_context_data()->parms().coeff_modulus()) {
      out << q.bit_count() << " ";
    }
    return out.str();
  }

 private:
  SEALContext context_;
};
}  // namespace seal

namespace {

string describe(const SEALContext& context) {
  const auto& data = *context.key_context_data();
  ostringstream out;
  switch (data.parms().scheme()) {
    case scheme_type::bfv:
      out << "BFV";
      break;
    case scheme_type::bgv:
      out << "BGV";
      break;
    case scheme_type::ckks:
      out << "CKKS";
      break;
    default:
      out << "?";
  }
  out << " " << data.parms().poly_modulus_degree() << " " << data.total_coeff_modulus_bit_count();
  return out.str();
}

TEST(SealProgram, evaluatesAPolynomialInBfv) {
  EncryptionParameters parms(scheme_type::bfv);
  const size_t degree = 4096;
  parms.set_poly_modulus_degree(degree);
  parms.set_coeff_modulus(CoeffModulus::BFVDefault(degree));
  parms.set_plain_modulus(1024);
  SEALContext context(parms);
  EXPECT_EQ(describe(context), "BFV 4096 109");
  EXPECT_EQ(describe(parms), "BFV 4096 109");  // parameters where a context is expected
  EXPECT_STREQ(context.parameter_error_message(), "valid");
  EXPECT_EQ(Report(context).primes(), "36 36 37 ");

  KeyGenerator keygen(context);
  const SecretKey secret_key = keygen.secret_key();
  PublicKey public_key;
  keygen.create_public_key(public_key);
  RelinKeys relin_keys;
  keygen.create_relin_keys(relin_keys);
  Encryptor encryptor(context, public_key);
  Evaluator evaluator(context);
  Decryptor decryptor(context, secret_key);

  // 3 (x^2 + 2) (x + 5)^2 for x = 6 is 13794, that is 0x1E2 modulo 1024.
  const uint64_t x = 6;
  Plaintext x_plain(util::uint_to_hex_string(&x, size_t(1)));
  EXPECT_EQ(x_plain.to_string(), "6");
  Ciphertext x_encrypted;
  encryptor.encrypt(x_plain, x_encrypted);
  EXPECT_GT(decryptor.invariant_noise_budget(x_encrypted), 50);

  Ciphertext left;
  evaluator.square(x_encrypted, left);
  evaluator.relinearize_inplace(left, relin_keys);
  Plaintext two("2");
  evaluator.add_plain_inplace(left, two);
  Ciphertext right;
  evaluator.add_plain(x_encrypted, Plaintext("5"), right);
  evaluator.square_inplace(right);
  EXPECT_EQ(right.size(), 3U);
  evaluator.relinearize_inplace(right, relin_keys);
  EXPECT_EQ(right.size(), 2U);
  evaluator.multiply_plain_inplace(left, string("3"));
  Ciphertext result;
  evaluator.multiply(left, right, result);
  evaluator.relinearize_inplace(result, relin_keys);
  EXPECT_GT(decryptor.invariant_noise_budget(result), 0);
  Plaintext plain_result;
  decryptor.decrypt(result, plain_result);
  EXPECT_EQ(plain_result.to_string(), "1E2");
  plain_result = "1x^2 + 3";
  EXPECT_EQ(plain_result.coeff_count(), 3U);

  // Insecure parameters are told from the context, which still answers questions.
  parms.set_poly_modulus_degree(2048);
  context = SEALContext(parms);
  EXPECT_FALSE(context.parameters_set());
  EXPECT_STREQ(context.parameter_error_name(), "invalid_parameters_insecure");
  EXPECT_EQ(context.key_context_data()->total_coeff_modulus_bit_count(), 109);
}

TEST(SealProgram, batchesAndSwitchesLevels) {
  for (const scheme_type scheme : {scheme_type::bfv, scheme_type::bgv}) {
    EncryptionParameters parms(scheme);
    const size_t degree = 8192;
    parms.set_poly_modulus_degree(degree);
    parms.set_coeff_modulus(CoeffModulus::Create(degree, {50, 30, 30, 50, 50}));
    parms.set_plain_modulus(PlainModulus::Batching(degree, 20));
    SEALContext context(parms);
    EXPECT_TRUE(context.first_context_data()->qualifiers().using_batching);

    ostringstream levels;
    auto context_data = context.key_context_data();
    for (; context_data; context_data = context_data->next_context_data()) {
      levels << context_data->chain_index() << ": " << context_data->parms().coeff_modulus().size()
             << "; ";
      ostringstream id;
      id << context_data->parms_id();
      EXPECT_GT(id.str().size(), 40U);
    }
    EXPECT_EQ(levels.str(), "4: 5; 3: 4; 2: 3; 1: 2; 0: 1; ");

    KeyGenerator keygen(context);
    PublicKey public_key;
    keygen.create_public_key(public_key);
    RelinKeys relin_keys;
    keygen.create_relin_keys(relin_keys);
    GaloisKeys galois_keys;
    keygen.create_galois_keys(galois_keys);
    Encryptor encryptor(context, public_key);
    Evaluator evaluator(context);
    Decryptor decryptor(context, keygen.secret_key());
    BatchEncoder encoder(context);

    const size_t slots = encoder.slot_count();
    const size_t row = slots / 2;
    vector<uint64_t> matrix(slots, 0ULL);
    for (size_t i = 0; i < 4; ++i) matrix[i] = i;
    for (size_t i = 0; i < 4; ++i) matrix[row + i] = i + 4;
    Plaintext plain;
    encoder.encode(matrix, plain);
    Ciphertext encrypted;
    encryptor.encrypt(plain, encrypted);
    evaluator.square_inplace(encrypted);
    evaluator.relinearize_inplace(encrypted, relin_keys);
    const int before = decryptor.invariant_noise_budget(encrypted);
    evaluator.mod_switch_to_next_inplace(encrypted);
    evaluator.rotate_rows_inplace(encrypted, 3, galois_keys);
    evaluator.rotate_columns_inplace(encrypted, galois_keys);
    evaluator.mod_switch_to_inplace(encrypted,
                                    context.last_context_data()->prev_context_data()->parms_id());
    EXPECT_LE(decryptor.invariant_noise_budget(encrypted), before);
    EXPECT_GT(decryptor.invariant_noise_budget(encrypted), 0);
    decryptor.decrypt(encrypted, plain);
    encoder.decode(plain, matrix);
    EXPECT_EQ(matrix[0], 49U);
    EXPECT_EQ(matrix[row - 3], 16U);
    EXPECT_EQ(matrix[row], 9U);
    EXPECT_EQ(matrix[slots - 1], 4U);
  }
}

TEST(SealProgram, evaluatesAPolynomialInCkks) {
  EncryptionParameters parms(scheme_type::ckks);
  const size_t degree = 8192;
  parms.set_poly_modulus_degree(degree);
  parms.set_coeff_modulus(CoeffModulus::Create(degree, {60, 40, 40, 60}));
  const double scale = pow(2.0, 40);
  SEALContext context(parms);
  KeyGenerator keygen(context);
  auto secret_key = keygen.secret_key();
  PublicKey public_key;
  keygen.create_public_key(public_key);
  RelinKeys relin_keys;
  keygen.create_relin_keys(relin_keys);
  GaloisKeys galois_keys;
  keygen.create_galois_keys(galois_keys);
  Encryptor encryptor(context, public_key);
  Evaluator evaluator(context);
  Decryptor decryptor(context, secret_key);
  CKKSEncoder encoder(context);
  const size_t slots = encoder.slot_count();

  vector<double> input;
  for (size_t i = 0; i < slots; ++i) {
    input.push_back(static_cast<double>(i) / static_cast<double>(slots - 1));
  }
  // 2.5 x^3 - 0.5 x + 1
  Plaintext coeff3, coeff1, coeff0, x_plain;
  encoder.encode(2.5, scale, coeff3);
  encoder.encode(-0.5, scale, coeff1);
  encoder.encode(1.0, scale, coeff0);
  encoder.encode(input, scale, x_plain);
  Ciphertext x1, x3;
  encryptor.encrypt(x_plain, x1);
  evaluator.square(x1, x3);
  evaluator.relinearize_inplace(x3, relin_keys);
  evaluator.rescale_to_next_inplace(x3);
  Ciphertext x1_coeff3;
  evaluator.multiply_plain(x1, coeff3, x1_coeff3);
  evaluator.rescale_to_next_inplace(x1_coeff3);
  evaluator.multiply_inplace(x3, x1_coeff3);
  evaluator.relinearize_inplace(x3, relin_keys);
  evaluator.rescale_to_next_inplace(x3);
  evaluator.multiply_plain_inplace(x1, coeff1);
  evaluator.rescale_to_next_inplace(x1);
  EXPECT_NE(x3.scale(), scale);
  EXPECT_THROW(evaluator.add_inplace(x3, x1), invalid_argument);
  x3.scale() = pow(2.0, 40);
  x1.scale() = pow(2.0, 40);
  const parms_id_type last = x3.parms_id();
  EXPECT_EQ(last, context.last_parms_id());
  evaluator.mod_switch_to_inplace(x1, last);
  evaluator.mod_switch_to_inplace(coeff0, last);
  Ciphertext result;
  evaluator.add(x3, x1, result);
  evaluator.add_plain_inplace(result, coeff0);
  evaluator.rotate_vector_inplace(result, 2, galois_keys);

  Plaintext plain;
  vector<double> output;
  decryptor.decrypt(result, plain);
  encoder.decode(plain, output);
  for (size_t i = 0; i + 2 < slots; ++i) {
    const double x = input[i + 2];
    ASSERT_NEAR(output[i], (2.5 * x * x - 0.5) * x + 1, 1e-5) << i;
  }
}

TEST(SealProgram, sendsSeededObjectsThroughStreams) {
  stringstream parms_stream, data_stream, key_stream;
  {
    EncryptionParameters parms(scheme_type::ckks);
    parms.set_poly_modulus_degree(8192);
    parms.set_coeff_modulus(CoeffModulus::Create(8192, {50, 20, 50}));
    const auto size = parms.save(parms_stream);
    EXPECT_GE(parms.save_size(), size);
    EXPECT_EQ(parms.save(parms_stream), size);  // two in a row
  }
  stringstream secret;
  {  // The client.
    EncryptionParameters parms;
    parms.load(parms_stream);
    SEALContext context(parms);
    KeyGenerator keygen(context);
    keygen.secret_key().save(secret);
    Serializable<RelinKeys> relin_keys = keygen.create_relin_keys();
    const auto size_seeded = relin_keys.save(key_stream);
    stringstream whole_stream;
    RelinKeys whole;
    keygen.create_relin_keys(whole);
    EXPECT_LT(size_seeded, whole.save(whole_stream) * 6 / 10);

    CKKSEncoder encoder(context);
    Encryptor encryptor(context, keygen.secret_key());
    Plaintext plain1, plain2;
    encoder.encode(2.3, pow(2.0, 20), plain1);
    encoder.encode(4.5, pow(2.0, 20), plain2);
    const auto first = encryptor.encrypt_symmetric(plain1).save(data_stream);
    const auto second = encryptor.encrypt_symmetric(plain2).save(data_stream);
    EXPECT_EQ(streamoff(data_stream.tellp()), first + second);
    EXPECT_THROW((void)encryptor.encrypt(plain1), logic_error);
  }
  parms_stream.seekg(0);
  {  // The server.
    EncryptionParameters parms;
    parms.load(parms_stream);
    SEALContext context(parms);
    RelinKeys relin_keys;
    relin_keys.load(context, key_stream);
    Ciphertext a, b, product;
    a.load(context, data_stream);
    b.load(context, data_stream);
    Evaluator evaluator(context);
    evaluator.multiply(a, b, product);
    evaluator.relinearize_inplace(product, relin_keys);
    evaluator.rescale_to_next_inplace(product);
    data_stream.seekp(0);
    data_stream.seekg(0);
    product.save(data_stream);
  }
  {  // The client again.
    parms_stream.seekg(0);
    EncryptionParameters parms;
    parms.load(parms_stream);
    SEALContext context(parms);
    SecretKey key;
    key.load(context, secret);
    Decryptor decryptor(context, key);
    CKKSEncoder encoder(context);
    Ciphertext encrypted;
    encrypted.load(context, data_stream);
    Plaintext plain;
    decryptor.decrypt(encrypted, plain);
    vector<double> values;
    encoder.decode(plain, values);
    EXPECT_NEAR(values[0], 2.3 * 4.5, 0.05);
    EXPECT_NEAR(values.back(), 2.3 * 4.5, 0.05);

    Serialization::SEALHeader header;
    stringstream raw;
    plain.save(raw, compr_mode_type::none);
    Serialization::LoadHeader(raw, header);
    EXPECT_EQ(header.size, raw.str().size());
  }
}

TEST(SealProgram, looksAtItsMemory) {
  EncryptionParameters parms(scheme_type::bgv);
  parms.set_poly_modulus_degree(4096);
  parms.set_coeff_modulus(CoeffModulus::BFVDefault(4096));
  parms.set_plain_modulus(786433);
  SEALContext context(parms);
  KeyGenerator keygen(context);
  PublicKey public_key;
  keygen.create_public_key(public_key);
  Encryptor encryptor(context, public_key);
  Decryptor decryptor(context, keygen.secret_key());
  Evaluator evaluator(context);
  BatchEncoder encoder(context);
  MemoryPoolHandle pool = MemoryManager::GetPool();
  const auto start = chrono::high_resolution_clock::now();
  Plaintext plain(parms.poly_modulus_degree(), 0);
  encoder.encode(vector<int64_t>{-1, 2, -3}, plain);
  Ciphertext a(context), b(context);
  encryptor.encrypt(plain, a);
  encryptor.encrypt(plain, b);
  a.reserve(3);
  evaluator.multiply_inplace(a, b);
  EXPECT_EQ(a.size_capacity(), 3U);
  decryptor.decrypt(a, plain);
  vector<int64_t> values;
  encoder.decode(plain, values);
  values.resize(4);
  EXPECT_EQ(values, (vector<int64_t>{1, 4, 9, 0}));
  EXPECT_GE(pool.alloc_byte_count() >> 20, 0U);
  EXPECT_GT(pool.alloc_byte_count(), 0U);
  const auto end = chrono::high_resolution_clock::now();
  EXPECT_GE(chrono::duration_cast<chrono::microseconds>(end - start).count(), 0);
}

}  // namespace
