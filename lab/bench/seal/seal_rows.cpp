// SPDX-License-Identifier: Apache-2.0
// The rows on SEAL's interface. C++17, and no header of Ringlet's but the rows': the program links
// this source with Ringlet's SEAL, and a module that it may load links it with Microsoft's.
#include "rows_of.hpp"
#include "seal/seal.h"
#include "seal/util/ntt.h"

namespace {

using ringlet::bench::SealScheme;

struct SealApi {
  using Context = seal::SEALContext;
  using KeyGenerator = seal::KeyGenerator;
  using PublicKey = seal::PublicKey;
  using RelinKeys = seal::RelinKeys;
  using GaloisKeys = seal::GaloisKeys;
  using Encryptor = seal::Encryptor;
  using Decryptor = seal::Decryptor;
  using Evaluator = seal::Evaluator;
  using BatchEncoder = seal::BatchEncoder;
  using CKKSEncoder = seal::CKKSEncoder;
  using Plaintext = seal::Plaintext;
  using Ciphertext = seal::Ciphertext;

  static Context context(SealScheme scheme, std::size_t degree, int plain_bits) {
    constexpr seal::scheme_type kTypes[] = {seal::scheme_type::bfv, seal::scheme_type::bgv,
                                            seal::scheme_type::ckks};
    seal::EncryptionParameters parms(kTypes[static_cast<int>(scheme)]);
    parms.set_poly_modulus_degree(degree);
    parms.set_coeff_modulus(seal::CoeffModulus::BFVDefault(degree));
    if (scheme != SealScheme::ckks) {
      parms.set_plain_modulus(seal::PlainModulus::Batching(degree, plain_bits));
    }
    return Context(parms);
  }

  static std::uint64_t plain_modulus(const Context& context) {
    return context.first_context_data()->parms().plain_modulus().value();
  }

  class Transform {
   public:
    Transform(const Context& context, std::size_t)
        : level_(context.first_context_data()), tables_(level_->small_ntt_tables()[0]) {}
    std::uint64_t modulus() const { return tables_.modulus().value(); }
    void forward(std::uint64_t* words) const { seal::util::ntt_negacyclic_harvey(words, tables_); }
    void inverse(std::uint64_t* words) const {
      seal::util::inverse_ntt_negacyclic_harvey(words, tables_);
    }

   private:
    std::shared_ptr<const seal::SEALContext::ContextData> level_;
    const seal::util::NTTTables& tables_;
  };
};

}  // namespace

#ifdef RINGLET_BENCH_SEAL_MODULE
extern "C" __attribute__((visibility("default"))) ringlet::bench::SealRows* ringlet_bench_seal_rows(
    SealScheme scheme, std::size_t degree) {
  return new ringlet::bench::RowsOf<SealApi>(scheme, degree);
}
extern "C" __attribute__((visibility("default"))) const char* ringlet_bench_seal_version() {
  return SEAL_VERSION;
}
#else
std::unique_ptr<ringlet::bench::SealRows> ringlet::bench::make_seal_rows(SealScheme scheme,
                                                                         std::size_t degree) {
  return std::make_unique<RowsOf<SealApi>>(scheme, degree);
}
#endif
