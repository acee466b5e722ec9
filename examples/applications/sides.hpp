// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common.hpp"
#include "ringlet/ringlet.hpp"

// The two sides of an application that computes a circuit. They share only the bytes of an Offer,
// of Keys and of ciphertexts.

namespace app {

/// The needs of a circuit: parameters, the scale of CKKS, and the operations that need a key.
struct Offer {
  Bytes parameters;
  double scale = 1;
  std::vector<int> rotations;
  bool relinearization = true;
};

inline Offer make_offer(const ringlet::Circuit& circuit,
                        const ringlet::ParameterSuggestion& suggestion) {
  const ringlet::Context context(suggestion.parms);
  const ringlet::CircuitPlan plan(circuit, suggestion.parms, suggestion.scale);
  return {save(ringlet::SavedParameters::of(context)), suggestion.scale, circuit.rotations(),
          plan.needs_relinearization()};
}
inline Offer make_offer(const ringlet::Circuit& circuit, const ringlet::ParameterRequest& request) {
  return make_offer(circuit, suggest_parameters(circuit, request));
}

/// The keys that an owner gives to others; a party that only encrypts needs no evaluation keys.
struct Keys {
  Bytes parameters;
  double scale = 1;
  Bytes public_key;
  Bytes relin_keys;
  Bytes galois_keys;

  std::size_t evaluation_bytes() const {
    return parameters.size() + relin_keys.size() + galois_keys.size();
  }
};

/// Degree and primes as a readable text.
inline std::string described(const ringlet::Context& context) {
  std::string text = "N = " + std::to_string(context.parms().poly_modulus_degree()) + ", primes of";
  for (const ringlet::Modulus& prime : context.parms().data_primes()) {
    text += " " + std::to_string(prime.bit_count());
  }
  text += " bits, special";
  for (const ringlet::Modulus& prime : context.parms().special_primes()) {
    text += " " + std::to_string(prime.bit_count());
  }
  return text;
}

/// Numbers in all slots, repeated if there are more slots than a row of the circuit has.
template <typename T>
std::vector<T> tiled(std::span<const T> values, std::size_t row_length, std::size_t slot_count) {
  if (values.size() > row_length) {
    throw ringlet::InvalidArgument({"app::tiled", std::to_string(values.size()) + " numbers",
                                    std::to_string(row_length) + " slots",
                                    "use a larger degree, or several ciphertexts"});
  }
  std::vector<T> slots(slot_count);
  for (std::size_t i = 0; i < slot_count; ++i) {
    slots[i] = i % row_length < values.size() ? values[i % row_length] : T{};
  }
  return slots;
}

inline ringlet::Plaintext encode(const ringlet::Context& context, std::span<const double> values,
                                 std::size_t row_length, double scale) {
  const ringlet::CKKSEncoder encoder(context);
  ringlet::Plaintext plain;
  encoder.encode(tiled(values, row_length, encoder.slot_count()), scale, plain);
  return plain;
}
inline ringlet::Plaintext encode(const ringlet::Context& context,
                                 std::span<const std::int64_t> values, std::size_t row_length,
                                 double /*scale*/) {
  const ringlet::BatchEncoder encoder(context);
  ringlet::Plaintext plain;
  encoder.encode(tiled(values, row_length, encoder.slot_count()), plain);
  return plain;
}

/// Encrypts with the public key alone, as a party does that cannot decrypt.
template <typename T>
Bytes encrypt_for(const Keys& keys, const std::vector<T>& values, std::size_t row_length) {
  const ringlet::Context context = ringlet::load_parameters(keys.parameters).make_context();
  const ringlet::Encryptor encryptor(context,
                                     ringlet::load<ringlet::PublicKey>(context, keys.public_key));
  const std::span<const T> numbers(values);
  return save(encryptor.encrypt(encode(context, numbers, row_length, keys.scale)));
}

/// Holds the secret key.
class Client {
 public:
  explicit Client(const Offer& offer)
      : context_(ringlet::load_parameters(offer.parameters).make_context()),
        keygen_(context_),
        encryptor_(context_, keygen_.secret_key()),
        decryptor_(context_, keygen_.secret_key()) {
    keys_ = {offer.parameters, offer.scale, save(keygen_.create_public_key()), {}, {}};
    if (offer.relinearization) keys_.relin_keys = save(keygen_.create_relin_keys());
    if (!offer.rotations.empty()) {
      keys_.galois_keys = save(keygen_.create_galois_keys(offer.rotations));
    }
  }

  const ringlet::Context& context() const { return context_; }
  const ringlet::SecretKey& secret_key() const { return keygen_.secret_key(); }
  const Keys& keys() const { return keys_; }
  /// Numbers in one ciphertext of BFV.
  std::size_t slot_count() const { return context_.parms().poly_modulus_degree(); }

  /// With the secret key, so that half of the ciphertext travels as a seed.
  template <typename T>
  Bytes encrypt(const std::vector<T>& values, std::size_t row_length) const {
    const std::span<const T> numbers(values);
    return save(
        encryptor_.encrypt_symmetric_seeded(encode(context_, numbers, row_length, keys_.scale)));
  }
  /// The slots of CKKS.
  std::vector<double> decrypt_numbers(const Bytes& data) {
    std::vector<double> slots;
    ringlet::CKKSEncoder(context_).decode(decrypt(data), slots);
    return slots;
  }
  /// The slots of BFV, signed.
  std::vector<std::int64_t> decrypt_integers(const Bytes& data) {
    std::vector<std::int64_t> slots;
    ringlet::BatchEncoder(context_).decode(decrypt(data), slots);
    return slots;
  }
  int noise_budget(const Bytes& data) {
    return decryptor_.invariant_noise_budget(ringlet::load<ringlet::Ciphertext>(context_, data));
  }

 private:
  ringlet::Plaintext decrypt(const Bytes& data) {
    return decryptor_.decrypt(ringlet::load<ringlet::Ciphertext>(context_, data));
  }

  ringlet::Context context_;
  ringlet::KeyGenerator keygen_;
  ringlet::Encryptor encryptor_;
  ringlet::Decryptor decryptor_;
  Keys keys_;
};

/// Has a circuit, and keys for evaluation only.
class Server {
 public:
  Server(const ringlet::Circuit& circuit, const Keys& keys, const std::string& device)
      : context_(ringlet::load_parameters(keys.parameters).make_context()),
        evaluator_(context_, ringlet::Device::parse(device)),
        runner_(circuit, context_, keys.scale) {
    if (!keys.relin_keys.empty()) {
      keys_.relin_keys = ringlet::load<ringlet::RelinKeys>(context_, keys.relin_keys);
    }
    if (!keys.galois_keys.empty()) {
      keys_.galois_keys = ringlet::load<ringlet::GaloisKeys>(context_, keys.galois_keys);
    }
  }

  std::vector<Bytes> answer(const std::vector<Bytes>& request) const {
    std::vector<ringlet::Ciphertext> inputs;
    for (const Bytes& data : request) {
      inputs.push_back(ringlet::load<ringlet::Ciphertext>(context_, data));
    }
    std::vector<Bytes> answers;
    for (const ringlet::Ciphertext& result : runner_.run(evaluator_, inputs, keys_)) {
      answers.push_back(save(result));
    }
    return answers;
  }

 private:
  ringlet::Context context_;
  ringlet::Evaluator evaluator_;
  ringlet::CircuitRunner runner_;
  ringlet::CircuitKeys keys_;
};

}  // namespace app
