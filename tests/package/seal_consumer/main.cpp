// SPDX-License-Identifier: Apache-2.0
// Uses parameters, contexts and plaintexts as programs written for SEAL 4 do, with their headers
// and no others.
#include "helpers.hpp"

using namespace std;   // NOLINT(google-build-using-namespace)
using namespace seal;  // NOLINT(google-build-using-namespace)

static_assert(__cplusplus < 202002L, "users of SEAL write C++17; nothing may ask for more");

namespace {

int failures = 0;

void check(bool condition, const char* what) {
  if (condition) return;
  cout << "FAILED: " << what << endl;
  ++failures;
}

/// SEAL's users print identifiers with their own operator.
ostream& operator<<(ostream& stream, parms_id_type parms_id) {
  return stream << hex << parms_id[0] << parms_id[1] << parms_id[2] << parms_id[3] << dec;
}

EncryptionParameters parameters() {
  EncryptionParameters parms(scheme_type::bfv);
  parms.set_poly_modulus_degree(4096);
  parms.set_coeff_modulus(CoeffModulus::BFVDefault(4096));
  parms.set_plain_modulus(1024);
  return parms;
}

bool is_valid(const SEALContext& context) { return context.parameters_set(); }

void chain_of_levels() {
  const SEALContext context(parameters());
  check(is_valid(context), "default parameters are valid");
  check(is_valid(parameters()), "parameters stand for a context");
  check(string(context.parameter_error_message()) == "valid", "and say so");
  check(seal::describe(context) == "BFV 4096 (36 36 37 bits), t = 400", "they are SEAL's");
  size_t levels = 0;
  for (auto data = context.first_context_data(); data; data = data->next_context_data()) ++levels;
  check(levels == 2, "there are two levels for data");
  cout << "identifier " << context.key_parms_id() << endl;
  stringstream text;
  text << context.key_parms_id();
  check(text.str() == "858bc578bcc8746338cec5f12c7ded205ff4f469d5e636be5ab9a121d6f57bf9",
        "the identifier is SEAL's");

  EncryptionParameters insecure = parameters();
  insecure.set_poly_modulus_degree(2048);
  check(!is_valid(insecure), "insecure parameters are not valid");
}

void files() {
  stringstream stream;
  const auto size = parameters().save(stream);
  EncryptionParameters loaded;
  check(loaded.load(stream) == size && loaded == parameters(), "parameters come back");
  Serialization::SEALHeader header;
  stream.seekg(0);
  Serialization::LoadHeader(stream, header);
  check(header.size == static_cast<uint64_t>(size), "their header is readable");

  const SEALContext context(parameters());
  Plaintext plain("1x^3 + 2"), copy;
  stringstream other;
  plain.save(other);
  copy.load(context, other);
  check(copy.to_string() == "1x^3 + 2", "plaintexts come back");
}

void refuse() {
  int refused = 0;
  try {
    Modulus modulus(1);
  } catch (const invalid_argument& error) {
    refused += error.what()[0] != '\0' ? 1 : 0;
  }
  try {
    EncryptionParameters().set_poly_modulus_degree(1024);
  } catch (const logic_error& error) {
    refused += error.what()[0] != '\0' ? 1 : 0;
  }
  try {
    EncryptionParameters parms;
    stringstream empty;
    parms.load(empty);
  } catch (const runtime_error&) {
    ++refused;
  }
  check(refused == 3, "bad arguments are refused by exceptions that cross the library");
}

}  // namespace

int main() {
  chain_of_levels();
  files();
  refuse();
  check(pow(2.0, 3) == 8.0, "seal.h brings the headers that programs rely on");
  cout << "SEAL " << SEAL_VERSION << ", " << failures << " checks failed" << endl;
  return failures == 0 ? 0 : 1;
}
