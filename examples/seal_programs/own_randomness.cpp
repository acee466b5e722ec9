// SPDX-License-Identifier: Apache-2.0
// A program's own generator: keys and encryptions of two runs are the same, standard distributions
// draw from it, and Galois keys with chosen elements are moved by hand.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <sstream>

#include "seal/seal.h"
#include "seal/util/rlwe.h"

using namespace seal;
using namespace seal::util;

struct Run {
  explicit Run(std::uint64_t seed) {
    EncryptionParameters parms(scheme_type::bgv);
    parms.set_poly_modulus_degree(4096);
    parms.set_coeff_modulus(CoeffModulus::BFVDefault(4096));
    parms.set_plain_modulus(PlainModulus::Batching(4096, 20));
    parms.set_random_generator(std::make_shared<Blake2xbPRNGFactory>(prng_seed_type{seed, 2, 3}));
    const SEALContext context(parms);
    KeyGenerator keygen(context);
    keygen.secret_key().save(bytes, compr_mode_type::none);
    Encryptor encryptor(context, keygen.secret_key());
    Ciphertext x;
    encryptor.encrypt_symmetric(Plaintext("5x^2 + 1"), x);
    x.save(bytes, compr_mode_type::none);

    // The keys of one element, in an object that the program fills itself.
    GaloisKeys made, moved;
    keygen.create_galois_keys(std::vector<std::uint32_t>{3, 8191}, made);
    moved.parms_id() = made.parms_id();
    moved.data().resize(made.data().size());
    moved.data()[GaloisKeys::get_index(3)] = made.data()[GaloisKeys::get_index(3)];
    Ciphertext turned, expected;
    const Evaluator evaluator(context);
    evaluator.apply_galois(x, 3, moved, turned);
    evaluator.apply_galois(x, 3, made, expected);
    Plaintext message;
    Decryptor(context, keygen.secret_key()).decrypt(turned, message);
    good = message.to_string() == "5x^6 + 1" && !moved.has_key(8191) &&
           std::equal(turned.data(), turned.data() + turned.dyn_array().size(), expected.data());

    // Residues of a small polynomial, the same for every prime.
    std::vector<std::uint64_t> words(4096 * parms.coeff_modulus().size());
    sample_poly_ternary(parms.random_generator()->create({seed}), parms, words.data());
    for (std::size_t i = 0; i < 4096; ++i) {
      const std::uint64_t q = parms.coeff_modulus()[0].value();
      good = good && (words[i] <= 1 || words[i] == q - 1);
    }
  }

  std::stringstream bytes;
  bool good = false;
};

int main() {
  const Run one(1), again(1), other(2);
  RandomToStandardAdapter engine(Blake2xbPRNGFactory(prng_seed_type{9}).create());
  std::uniform_int_distribution<int> die(1, 6);
  int faces = 0;
  for (int i = 0; i < 200; ++i) faces |= 1 << die(engine);
  const bool repeats = one.bytes.str() == again.bytes.str() && one.bytes.str() != other.bytes.str();
  std::printf("runs %s, keys and samples are %s, faces %s\n", repeats ? "repeat" : "differ",
              one.good && other.good ? "right" : "wrong", faces == 126 ? "all" : "some");
  return repeats && one.good && again.good && other.good && faces == 126 ? EXIT_SUCCESS
                                                                         : EXIT_FAILURE;
}
