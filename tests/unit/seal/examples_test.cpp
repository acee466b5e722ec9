// SPDX-License-Identifier: Apache-2.0

// A program as users of SEAL write them: the one header, both namespaces opened, an operator of its
// own for identifiers, contexts made from parameters on the fly. The lessons in examples/seal are
// longer.

#include "seal/seal.h"
#include "support/test.hpp"

using namespace std;
using namespace seal;

/// Programs put this operator at global scope.
inline ostream& operator<<(ostream& stream, parms_id_type parms_id) {
  ios_base::fmtflags flags = stream.flags();
  stream << hex << parms_id[0] << " " << parms_id[1] << " " << parms_id[2] << " " << parms_id[3];
  stream.flags(flags);
  return stream;
}

/// Programs reopen the namespaces for their own functions.
namespace seal {
namespace util {
inline int programs_own_bits(uint64_t value) { return get_significant_bit_count(value); }
}  // namespace util
class Report {
 public:
  explicit Report(const SEALContext& context) : context_(context) {}
  string primes() const {
    ostringstream out;
    for (const Modulus& q : context_.key_context_data()->parms().coeff_modulus()) {
      out << util::programs_own_bits(q.value()) << " ";
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
  out << (data.parms().scheme() == scheme_type::bfv ? "BFV " : "? ");
  out << data.parms().poly_modulus_degree() << " " << data.total_coeff_modulus_bit_count();
  return out.str();
}

TEST(SealProgram, evaluatesAPolynomial) {
  EncryptionParameters parms(scheme_type::bfv);
  const size_t degree = 4096;
  parms.set_poly_modulus_degree(degree);
  parms.set_coeff_modulus(CoeffModulus::BFVDefault(degree));
  parms.set_plain_modulus(1024);
  SEALContext context(parms);
  EXPECT_EQ(describe(context), "BFV 4096 109");
  EXPECT_EQ(describe(parms), "BFV 4096 109");  // parameters where a context is expected
  EXPECT_EQ(Report(context).primes(), "36 36 37 ");
  ostringstream id;
  id << context.key_parms_id();
  EXPECT_EQ(id.str(), "858bc578bcc87463 38cec5f12c7ded20 5ff4f469d5e636be 5ab9a121d6f57bf9");

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
  Ciphertext x_encrypted;
  encryptor.encrypt(Plaintext(util::uint_to_hex_string(&x, size_t(1))), x_encrypted);
  Ciphertext left;
  evaluator.square(x_encrypted, left);
  evaluator.relinearize_inplace(left, relin_keys);
  Plaintext two("2");
  evaluator.add_plain_inplace(left, two);
  Ciphertext right;
  evaluator.add_plain(x_encrypted, Plaintext("5"), right);
  evaluator.square_inplace(right);
  evaluator.relinearize_inplace(right, relin_keys);
  evaluator.multiply_plain_inplace(left, string("3"));
  Ciphertext result;
  evaluator.multiply(left, right, result);
  evaluator.relinearize_inplace(result, relin_keys);
  EXPECT_GT(decryptor.invariant_noise_budget(result), 0);
  Plaintext plain_result;
  decryptor.decrypt(result, plain_result);
  EXPECT_EQ(plain_result.to_string(), "1E2");
}

}  // namespace
