// SPDX-License-Identifier: Apache-2.0
#include "seal/keygenerator.h"

#include <utility>

#include "native/access.hpp"
#include "native/bridge.hpp"
#include "native/convert.hpp"
#include "native/native_keys.hpp"
#include "random/random_call.hpp"
#include "random/seed_expansion.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/rlwe/key_generator.hpp"

namespace ringlet::seal4 {
namespace {

using Seeds = std::vector<UniformRandomGeneratorInfo>;

/// Whether the uniform halves of keys become seeds.
enum class Storing { whole, seeded };

/// Returns the seeds that a key keeps: those drawn since the last call, or none.
Seeds seeds_of(detail::RandomCall& call, Storing storing) {
  Seeds drawn = call.take_public_seeds();
  return storing == Storing::seeded ? drawn : Seeds();
}

/// The keys of a native generator, which are written into them.
class NewKeys {
 public:
  explicit NewKeys(const SEALContext& context) : level_(context.key_context_data()) {}

  /// Returns the memory of one more key.
  ringlet::Ciphertext add() {
    Ciphertext& key = keys_.emplace_back().data();
    std::uint64_t* const words =
        detail::CiphertextAccess::reshape(key, level_->parms(), SEAL_CIPHERTEXT_SIZE_MIN);
    key.parms_id() = level_->parms_id();
    key.is_ntt_form() = true;
    return detail::borrow_words(native_level(*level_), key, words);
  }
  /// Returns the keys of a call, which are then written, and forgets them.
  std::vector<PublicKey> take(const Seeds& seeds) {
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      detail::replace_by_seed(keys_.at(i).data(), seeds[i]);
    }
    return std::exchange(keys_, {});
  }

 private:
  std::shared_ptr<const SEALContext::ContextData> level_;
  std::vector<PublicKey> keys_;
};

}  // namespace

struct KeyGenerator::Impl {
  explicit Impl(const SEALContext& context) : bridge(context, "KeyGenerator") {}

  /// Returns the native generator for one call, which writes its keys into `keys`.
  ringlet::KeyGenerator native(Storing storing, NewKeys& keys) const {
    const ringlet::Context& context = bridge.native();
    return ringlet::KeyGenerator::in_memory(
        context, detail::borrow_key(context, secret_key),
        detail::symmetric_random_source(bridge.parms(), context, Form::ntt,
                                        storing == Storing::seeded),
        [&keys](const ringlet::ContextData&) { return keys.add(); });
  }

  void draw_secret_key() {
    detail::RandomCall call(bridge.parms());
    const EncryptionParameters& parms = bridge.parms();
    std::uint64_t* const words = detail::PlaintextAccess::reshape(
        secret_key.data(), parms.poly_modulus_degree() * parms.coeff_modulus().size(), 0);
    ringlet::KeyGenerator::create_secret_key(bridge.native(), detail::random_source(parms),
                                             ringlet::SecretKey::borrow(bridge.native(), words));
    secret_key.data().parms_id() = bridge.context().key_parms_id();
  }
  PublicKey public_key(Storing storing) const {
    detail::RandomCall call(bridge.parms());
    NewKeys keys(bridge.context());
    native(storing, keys).create_public_key();
    return std::move(keys.take(seeds_of(call, storing)).front());
  }
  RelinKeys relin_keys(Storing storing) const {
    check_keyswitching();
    detail::RandomCall call(bridge.parms());
    NewKeys keys(bridge.context());
    native(storing, keys).create_relin_keys();
    RelinKeys result;
    result.parms_id() = bridge.context().key_parms_id();
    detail::KeyAccess::entries(result).push_back(keys.take(seeds_of(call, storing)));
    return result;
  }
  GaloisKeys galois_keys(const std::vector<std::uint64_t>& elements, Storing storing) const;
  std::vector<std::uint64_t> elements_of(const std::vector<int>& steps) const {
    check_keyswitching();
    if (!bridge.context().key_context_data()->qualifiers().using_batching) {
      throw_logic_error(
          {"KeyGenerator::create_galois_keys", "parameters without batching",
           "a plain modulus that is a prime = 1 mod 2N",
           "take the plain modulus from PlainModulus::Batching, or ask for elements"});
    }
    std::vector<std::uint64_t> elements;
    for (const int step : steps) {
      elements.push_back(bridge.native().ring().galois_element_from_step(step));
    }
    return elements;
  }

  void check_keyswitching() const {
    if (bridge.context().using_keyswitching()) return;
    throw_logic_error({"KeyGenerator", "the context has no special prime",
                       "contexts with data primes and a special prime",
                       "add a prime to the coefficient modulus"});
  }

  detail::Bridge bridge;
  SecretKey secret_key;
};

GaloisKeys KeyGenerator::Impl::galois_keys(const std::vector<std::uint64_t>& elements,
                                           Storing storing) const {
  check_keyswitching();
  const RingSpec& ring = bridge.native().ring();
  for (const std::uint64_t element : elements) {
    if (ring.is_galois_element(element)) continue;
    throw_invalid_argument(
        {"KeyGenerator::create_galois_keys", "Galois element " + std::to_string(element),
         "odd numbers below 2N = " + std::to_string(ring.cyclotomic_index()),
         "pass odd Galois elements, or pass the steps of rotations as a vector of int"});
  }
  detail::RandomCall call(bridge.parms());
  NewKeys keys(bridge.context());
  const ringlet::KeyGenerator generator = native(storing, keys);
  GaloisKeys result;
  result.parms_id() = bridge.context().key_parms_id();
  auto& entries = detail::KeyAccess::entries(result);
  entries.resize(ring.degree());
  // One key at a time: all pairs made and all seeds drawn belong to it.
  for (const std::uint64_t element : elements) {
    std::vector<PublicKey>& key =
        entries[GaloisKeys::get_index(static_cast<std::uint32_t>(element))];
    if (!key.empty()) continue;
    generator.create_galois_keys_for_elements({element});
    key = keys.take(seeds_of(call, storing));
  }
  return result;
}

KeyGenerator::KeyGenerator(const SEALContext& context) {
  auto impl = std::make_unique<Impl>(context);
  impl->draw_secret_key();
  impl_ = std::move(impl);
}

KeyGenerator::KeyGenerator(const SEALContext& context, const SecretKey& secret_key) {
  auto impl = std::make_unique<Impl>(context);
  detail::check_key(impl->bridge, secret_key, "KeyGenerator");
  impl->secret_key = secret_key;
  impl_ = std::move(impl);
}

KeyGenerator::~KeyGenerator() = default;

const SecretKey& KeyGenerator::secret_key() const { return impl_->secret_key; }

void KeyGenerator::create_public_key(PublicKey& destination) const {
  destination = impl_->public_key(Storing::whole);
}

Serializable<PublicKey> KeyGenerator::create_public_key() const {
  return Serializable<PublicKey>(impl_->public_key(Storing::seeded));
}

void KeyGenerator::create_relin_keys(RelinKeys& destination) const {
  destination = impl_->relin_keys(Storing::whole);
}

Serializable<RelinKeys> KeyGenerator::create_relin_keys() const {
  return Serializable<RelinKeys>(impl_->relin_keys(Storing::seeded));
}

void KeyGenerator::create_galois_keys(const std::vector<std::uint32_t>& galois_elts,
                                      GaloisKeys& destination) const {
  destination = impl_->galois_keys({galois_elts.begin(), galois_elts.end()}, Storing::whole);
}

Serializable<GaloisKeys> KeyGenerator::create_galois_keys(
    const std::vector<std::uint32_t>& galois_elts) const {
  return Serializable<GaloisKeys>(
      impl_->galois_keys({galois_elts.begin(), galois_elts.end()}, Storing::seeded));
}

void KeyGenerator::create_galois_keys(const std::vector<int>& steps,
                                      GaloisKeys& destination) const {
  destination = impl_->galois_keys(impl_->elements_of(steps), Storing::whole);
}

Serializable<GaloisKeys> KeyGenerator::create_galois_keys(const std::vector<int>& steps) const {
  return Serializable<GaloisKeys>(impl_->galois_keys(impl_->elements_of(steps), Storing::seeded));
}

void KeyGenerator::create_galois_keys(GaloisKeys& destination) const {
  destination =
      impl_->galois_keys(impl_->bridge.native().ring().default_galois_elements(), Storing::whole);
}

Serializable<GaloisKeys> KeyGenerator::create_galois_keys() const {
  return Serializable<GaloisKeys>(
      impl_->galois_keys(impl_->bridge.native().ring().default_galois_elements(), Storing::seeded));
}

}  // namespace ringlet::seal4
