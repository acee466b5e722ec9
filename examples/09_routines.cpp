// SPDX-License-Identifier: Apache-2.0
//
// Lesson 9: routines, batches and matrices.
//
// A program rarely wants only a product of ciphertexts: it relinearizes and rescales it, and adds
// something. ringlet/schemes/routines.hpp has the five sequences by which implementations of CKKS
// are compared, for one ciphertext or for many. ringlet/schemes/ciphertext_matrix.hpp multiplies
// whole matrices of ciphertexts, and reduces each sum of products once instead of after each
// product.
//
// Everything runs where the Evaluator computes: with RINGLET_DEVICE=gpu:0 on a GPU, without a
// change of the program and with the same bits. A batch may also be divided among several devices.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "lesson.hpp"
#include "ringlet/ringlet.hpp"

namespace {

using ringlet::Ciphertext;
using ringlet::CiphertextMatrix;

using Slots = std::vector<double>;

const double kScale = std::pow(2.0, 40);

/// The owner of the data. The server gets the context, `relin_keys` and `galois_keys`.
struct Client {
  explicit Client(const ringlet::Context& shared)
      : context(shared),
        keygen(context),
        relin_keys(keygen.create_relin_keys()),
        galois_keys(keygen.create_galois_keys(std::vector<int>{1})),
        encoder(context),
        encryptor(context, keygen.create_public_key()),
        decryptor(context, keygen.secret_key()) {}

  Ciphertext encrypt(const Slots& slots, double scale) const {
    ringlet::Plaintext plain;
    encoder.encode(slots, scale, plain);
    return encryptor.encrypt(plain);
  }
  Slots decrypt(const Ciphertext& encrypted) const {
    Slots slots;
    encoder.decode(decryptor.decrypt(encrypted), slots);
    return slots;
  }

  ringlet::Context context;
  ringlet::KeyGenerator keygen;
  ringlet::RelinKeys relin_keys;
  ringlet::GaloisKeys galois_keys;
  ringlet::CKKSEncoder encoder;
  ringlet::Encryptor encryptor;
  ringlet::Decryptor decryptor;
};

/// Numbers that differ between slots and between values of `start`.
Slots numbers(std::size_t count, double start) {
  Slots slots(count);
  for (std::size_t i = 0; i < count; ++i)
    slots[i] = std::sin(start + 0.01 * static_cast<double>(i));
  return slots;
}

template <typename Expected>
bool holds(const Slots& slots, const Expected& expected) {
  double error = 0;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    error = std::max(error, std::abs(slots[i] - expected(i)));
  }
  std::printf("largest error of all slots: %.1e\n", error);
  return error < 1e-5;
}

// 1. Each routine is exactly the operations that its name lists. It leaves its operands unchanged
//    if one of them is refused.
void run_routines(const Client& client, const ringlet::Evaluator& server, lesson::Checks& checks) {
  const std::size_t count = client.encoder.slot_count();
  const Slots x = numbers(count, 1);
  const Slots y = numbers(count, 2);
  const Slots z = numbers(count, 3);
  const Ciphertext a = client.encrypt(x, kScale);
  const Ciphertext b = client.encrypt(y, kScale);
  // A summand of a rescaled product must have exactly the product's scale, which this call returns.
  const Ciphertext c = client.encrypt(z, product_scale_after_rescale(server, a, b));

  Ciphertext result;
  multiply_relinearize(server, a, b, client.relin_keys, result);
  checks.expect(holds(client.decrypt(result), [&](auto i) { return x[i] * y[i]; }), "x * y");
  multiply_relinearize_rescale(server, a, b, client.relin_keys, result);
  checks.expect(holds(client.decrypt(result), [&](auto i) { return x[i] * y[i]; }),
                "x * y, one level lower");
  square_relinearize_rescale(server, a, client.relin_keys, result);
  checks.expect(holds(client.decrypt(result), [&](auto i) { return x[i] * x[i]; }), "x * x");
  multiply_relinearize_rescale_add(server, a, b, c, client.relin_keys, result);
  checks.expect(holds(client.decrypt(result), [&](auto i) { return x[i] * y[i] + z[i]; }),
                "x * y + z");
  rotate(server, a, 1, client.galois_keys, result);
  checks.expect(holds(client.decrypt(result), [&](auto i) { return x[(i + 1) % count]; }),
                "x, rotated");
}

// 2. The same for many ciphertexts in one call. It gives all results, or none and the number of the
//    refused element.
void run_batch(const Client& client, const ringlet::Evaluator& server, lesson::Checks& checks) {
  constexpr std::size_t kCount = 4;
  const std::size_t slots = client.encoder.slot_count();
  std::vector<Ciphertext> batch;
  for (std::size_t k = 0; k < kCount; ++k) {
    batch.push_back(client.encrypt(numbers(slots, static_cast<double>(k)), kScale));
  }
  std::vector<Ciphertext> squares(kCount);
  square_relinearize_rescale(server, batch, client.relin_keys, squares);
  bool is_right = true;
  for (std::size_t k = 0; k < kCount; ++k) {
    const Slots x = numbers(slots, static_cast<double>(k));
    is_right &= holds(client.decrypt(squares[k]), [&](auto i) { return x[i] * x[i]; });
  }
  checks.expect(is_right, "four squares in one call");
}

// 3. Several devices may share a batch, whatever their kind and speed: here the processor and the
//    device that RINGLET_DEVICE names, or the processor on two threads. The division of elements
//    differs from run to run; the results do not.
void run_on_several_devices(const Client& client, const ringlet::Evaluator& server,
                            lesson::Checks& checks) {
  constexpr std::size_t kCount = 12;
  const std::size_t slots = client.encoder.slot_count();
  std::vector<Ciphertext> batch;
  for (std::size_t k = 0; k < kCount; ++k) {
    batch.push_back(client.encrypt(numbers(slots, static_cast<double>(k)), kScale));
  }
  const ringlet::DeviceGroup group(client.context,
                                   {ringlet::Device::cpu(), ringlet::Device::from_environment()});
  std::vector<Ciphertext> rotated(kCount);
  const std::vector<std::size_t> counts = rotate(group, batch, 1, client.galois_keys, rotated);
  for (std::size_t i = 0; i < group.size(); ++i) {
    std::printf("%s computed %zu of %zu\n", group.name(i).c_str(), counts[i], kCount);
  }
  // Any other operation of an Evaluator, element by element.
  std::vector<Ciphertext> sums(kCount);
  group.compute(sums, [&](const ringlet::Evaluator& evaluator, std::size_t k, Ciphertext& sum) {
    evaluator.add(batch[k], rotated[k], sum);
  });
  bool is_same = true;
  for (std::size_t k = 0; k < kCount; ++k) {
    Ciphertext expected;
    server.rotate_vector(batch[k], 1, client.galois_keys, expected);
    server.add_inplace(expected, batch[k]);
    is_same &= client.decrypt(sums[k]) == client.decrypt(expected);
  }
  checks.expect(is_same, "twelve sums by two devices, as by one");
}

// 4. C += A * B for matrices of ciphertexts: every slot of the entries has its own matrix product,
//    thousands at once. Results have three polynomials: relinearize before the next product.
void run_matrices(const Client& client, const ringlet::Evaluator& server, lesson::Checks& checks) {
  constexpr std::size_t kRows = 2;
  constexpr std::size_t kDepth = 3;
  constexpr std::size_t kColumns = 2;
  const std::size_t slots = client.encoder.slot_count();
  const auto entry = [&](std::size_t matrix, std::size_t index) {
    return numbers(slots, static_cast<double>(10 * matrix + index));
  };
  const auto encrypted = [&](std::size_t matrix, const ringlet::MatrixShape& shape, double scale) {
    std::vector<Ciphertext> entries;
    for (std::size_t i = 0; i < shape.rows * shape.columns; ++i) {
      entries.push_back(client.encrypt(entry(matrix, i), scale));
    }
    return CiphertextMatrix(shape, std::move(entries));
  };
  const CiphertextMatrix a = encrypted(1, {kRows, kDepth}, kScale);
  const CiphertextMatrix b = encrypted(2, {kDepth, kColumns}, kScale);
  CiphertextMatrix c = encrypted(3, {kRows, kColumns}, kScale * kScale);
  CiphertextMatrix reduced_each_time = c;
  multiply_accumulate(server, c, a, b);
  multiply_accumulate(server, reduced_each_time, a, b, ringlet::MatrixProduct::separate);
  std::printf("C is %zu x %zu, %zu polynomials in each entry, %zu bytes in all\n", c.shape().rows,
              c.shape().columns, c.size(), c.byte_count());
  CiphertextMatrix small;
  relinearize(server, c, client.relin_keys, small);

  bool is_right = true;
  bool is_same = true;
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < kColumns; ++j) {
      Slots expected = entry(3, i * kColumns + j);
      for (std::size_t t = 0; t < kDepth; ++t) {
        const Slots x = entry(1, i * kDepth + t);
        const Slots y = entry(2, t * kColumns + j);
        for (std::size_t s = 0; s < slots; ++s) expected[s] += x[s] * y[s];
      }
      const auto in_the_clear = [&](auto s) { return expected[s]; };
      is_right &= holds(client.decrypt(small.at(i, j)), in_the_clear);
      is_same &= client.decrypt(c.at(i, j)) == client.decrypt(reduced_each_time.at(i, j));
    }
  }
  checks.expect(is_right, "C + A * B in every slot");
  checks.expect(is_same, "the same sums, reduced after each step");
}

void run(lesson::Checks& checks) {
  ringlet::EncryptionParameters parms(ringlet::SchemeType::ckks);
  parms.set_poly_modulus_degree(8192);
  parms.set_coeff_modulus(ringlet::CoeffModulus::create(8192, {60, 40, 40, 60}));
  const ringlet::Context context(parms);
  const Client client(context);
  const ringlet::Evaluator server(context);
  std::printf("computed by %s\n", server.context().backend().name().c_str());
  run_routines(client, server, checks);
  run_batch(client, server, checks);
  run_on_several_devices(client, server, checks);
  run_matrices(client, server, checks);
}

}  // namespace

int main() { return lesson::run(run); }
