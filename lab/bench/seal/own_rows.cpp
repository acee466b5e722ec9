// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ringlet.hpp"
#include "rows_of.hpp"

namespace ringlet::bench {
namespace {

struct OwnApi {
  using Context = ringlet::Context;
  using KeyGenerator = ringlet::KeyGenerator;
  using PublicKey = ringlet::PublicKey;
  using RelinKeys = ringlet::RelinKeys;
  using GaloisKeys = ringlet::GaloisKeys;
  using Encryptor = ringlet::Encryptor;
  using Decryptor = ringlet::Decryptor;
  using Evaluator = ringlet::Evaluator;
  using BatchEncoder = ringlet::BatchEncoder;
  using CKKSEncoder = ringlet::CKKSEncoder;
  using Plaintext = ringlet::Plaintext;
  using Ciphertext = ringlet::Ciphertext;

  static Context context(SealScheme scheme, std::size_t degree, int plain_bits) {
    constexpr SchemeType kTypes[] = {SchemeType::bfv, SchemeType::bgv, SchemeType::ckks};
    EncryptionParameters parms(kTypes[static_cast<int>(scheme)]);
    parms.set_poly_modulus_degree(degree);
    parms.set_coeff_modulus(seal_default_primes(degree));
    if (scheme != SealScheme::ckks) {
      parms.set_plain_modulus(PlainModulus::batching(degree, plain_bits));
    }
    return Context(parms, SecurityLevel::tc128, SecurityTable::he_standard_2018);
  }

  static std::uint64_t plain_modulus(const Context& context) {
    return context.plain_modulus().value();
  }

  class Transform {
   public:
    Transform(const Context& context, std::size_t degree)
        : degree_(degree), ntt_(degree, context.parms().coeff_modulus().front()) {}
    std::uint64_t modulus() const { return ntt_.modulus().value(); }
    void forward(std::uint64_t* words) const { ntt_.forward(std::span(words, degree_)); }
    void inverse(std::uint64_t* words) const { ntt_.inverse(std::span(words, degree_)); }

   private:
    std::size_t degree_;
    Ntt ntt_;
  };
};

}  // namespace

std::unique_ptr<SealRows> make_own_rows(SealScheme scheme, std::size_t degree) {
  return std::make_unique<RowsOf<OwnApi>>(scheme, degree);
}

}  // namespace ringlet::bench
