// SPDX-License-Identifier: Apache-2.0
// Every kernel table gives the same bits.

#include "ringlet/schemes/decryptor.hpp"
#include "ringlet/schemes/encryptor.hpp"
#include "rlwe/keys/key_switch.hpp"
#include "rlwe_support.hpp"
#include "support/kernels/available_tables.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

// All that the layer makes from one seed with the kernels of one table.
std::vector<Words> everything(const KernelSelection& kernels, std::size_t degree) {
  const Context context = toy_context(degree, {30, 49, 50, 60, 61}, kernels);
  const KeyGenerator keys(context, RandomSource::for_testing(11));
  const PublicKey public_key = keys.create_public_key();
  const RelinKeys relin = keys.create_relin_keys();
  const GaloisKeys galois = keys.create_galois_keys(std::vector<int>{1});
  const Encryptor encryptor(context, public_key, keys.secret_key(), RandomSource::for_testing(12));
  const Decryptor decryptor(context, keys.secret_key());
  Ciphertext encrypted = encryptor.encrypt_zero();
  std::vector<Words> words;
  words.push_back(words_of(keys.secret_key().view()));
  words.push_back(words_of(public_key.data()));
  words.push_back(words_of(galois.key(3).b(1)));
  words.push_back(words_of(encrypted));
  words.push_back(words_of(encryptor.encrypt_zero_symmetric()));
  for (const ContextData* level : levels_of(context)) {
    Ciphertext at_level = encryptor.encrypt_zero(level->parms_id());
    rlwe::add_key_switched(context, *level, at_level.ntt_view(1), relin.key(2),
                           at_level.ntt_view_for_writing(0), at_level.ntt_view_for_writing(1));
    words.push_back(words_of(at_level));
    words.push_back(words_of(decryptor.decrypt(at_level).ntt_view()));
  }
  return words;
}

TEST(Tables, GiveTheSameBits) {
  for (const std::size_t degree : {8, 1024, 4096}) {
    const auto expected = everything(KernelSelection("scalar64"), degree);
    for (const KernelSelection& kernels : available_tables()) {
      EXPECT_EQ(everything(kernels, degree), expected) << kernels.text() << ", degree " << degree;
    }
    EXPECT_EQ(everything(KernelSelection(), degree), expected);
  }
}

}  // namespace
}  // namespace ringlet::test
