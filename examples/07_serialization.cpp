// SPDX-License-Identifier: Apache-2.0
//
// Lesson 7: a client and a server that share nothing but bytes.
//
// The client owns the secret key. Parameters, keys for evaluation and ciphertexts travel to the
// server as files, the answer travels back. Loading checks every object: it is valid for the
// context, or refused.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "lesson.hpp"
#include "ringlet/ringlet.hpp"

namespace {

using Bytes = std::vector<std::byte>;

struct Request {
  Bytes parameters;
  Bytes relin_keys;
  Bytes galois_keys;
  Bytes measurements;
};

// The mean of the squares of all measurements, in every slot.
Bytes serve(const Request& request) {
  const ringlet::Context context = ringlet::load_parameters(request.parameters).make_context();
  const auto relin_keys = ringlet::load<ringlet::RelinKeys>(context, request.relin_keys);
  // A program may use only few of many Galois keys: opening reads their directory, and each key at
  // its first use.
  const ringlet::GaloisKeys galois_keys =
      ringlet::open_galois_keys(context, std::make_shared<const Bytes>(request.galois_keys));
  auto sum = ringlet::load<ringlet::Ciphertext>(context, request.measurements);

  const ringlet::Evaluator evaluator(context);
  const ringlet::CKKSEncoder encoder(context);
  evaluator.square_inplace(sum);
  evaluator.relinearize_inplace(sum, relin_keys);
  evaluator.rescale_to_next_inplace(sum);
  ringlet::Ciphertext rotated;
  for (auto step = static_cast<int>(encoder.slot_count() / 2); step > 0; step /= 2) {
    evaluator.rotate_vector(sum, step, galois_keys, rotated);
    evaluator.add_inplace(sum, rotated);
  }
  ringlet::Plaintext weight;
  encoder.encode(1.0 / static_cast<double>(encoder.slot_count()), sum.parms_id(), std::pow(2.0, 30),
                 weight);
  evaluator.multiply_plain_inplace(sum, weight);
  return ringlet::save(sum, ringlet::Compression::zstd);
}

void run(lesson::Checks& checks) {
  const ringlet::Context context(ringlet::default_parameters(ringlet::SchemeType::ckks, 8192));
  const ringlet::KeyGenerator keygen(context);
  const ringlet::CKKSEncoder encoder(context);
  std::vector<double> values(encoder.slot_count());
  double mean = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::sin(0.002 * static_cast<double>(i));
    mean += values[i] * values[i] / static_cast<double>(values.size());
  }
  ringlet::Plaintext plain;
  encoder.encode(values, std::pow(2.0, 40), plain);

  // The owner of the secret key encrypts symmetrically: half of such a ciphertext is random and
  // travels as a seed of 32 bytes. This holds for all keys, too.
  const ringlet::Encryptor encryptor(context, keygen.secret_key());
  const ringlet::SeededCiphertext seeded = encryptor.encrypt_symmetric_seeded(plain);
  Request request;
  request.parameters = ringlet::save(ringlet::SavedParameters::of(context));
  request.relin_keys = ringlet::save(keygen.create_relin_keys());
  request.galois_keys = ringlet::save(keygen.create_galois_keys());
  request.measurements = ringlet::save(seeded);
  std::printf("parameters %zu, relinearization keys %zu, Galois keys %zu bytes\n",
              request.parameters.size(), request.relin_keys.size(), request.galois_keys.size());
  std::printf("ciphertext: %zu bytes by its seed, %zu whole\n", request.measurements.size(),
              ringlet::save(seeded.ciphertext()).size());

  const Bytes answer = serve(request);
  std::printf("answer: %zu bytes\n", answer.size());
  ringlet::Decryptor decryptor(context, keygen.secret_key());
  std::vector<double> result;
  encoder.decode(decryptor.decrypt(ringlet::load<ringlet::Ciphertext>(context, answer)), result);
  std::printf("mean square: %.6f, in the clear %.6f\n", result[0], mean);
  checks.expect(std::abs(result[0] - mean) < 1e-5, "mean square within 1e-5");

  // A file with one flipped bit is refused.
  request.measurements[request.measurements.size() / 2] ^= std::byte{1};
  checks.expect_refused("a damaged file is refused", [&] { serve(request); });
}

}  // namespace

int main() { return lesson::run(run); }
