// SPDX-License-Identifier: Apache-2.0
//
// Lesson 10: bits in slots.
//
// Modulo X^N + 1 a plain modulus of 2 gives one slot. Modulo other cyclotomic polynomials there are
// many: X^8191 - 1 over X - 1 splits into 630 factors of degree 13 modulo 2. So one ciphertext
// holds 630 bits, a sum is their XOR and a product their AND. applications/bit_filter.cpp searches
// a table with them.
#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "lesson.hpp"
#include "ringlet/ringlet.hpp"

namespace {

using ringlet::Ciphertext;
using Bits = std::vector<std::uint8_t>;

// The XOR of 630 slots is folded by each factor in turn.
constexpr std::array<std::size_t, 5> kFactors{2, 3, 3, 5, 7};

template <typename Bit>
Bits bits(std::size_t count, Bit&& bit) {
  Bits result(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = bit(i) ? 1 : 0;
  return result;
}

// Rotations by i * step slots for i below each factor.
std::vector<std::uint64_t> folding_elements(const ringlet::SlotEncoder& encoder) {
  std::vector<std::uint64_t> elements;
  std::size_t step = encoder.slot_count();
  for (const std::size_t factor : kFactors) {
    step /= factor;
    for (std::size_t i = 1; i < factor; ++i) {
      elements.push_back(encoder.galois_element(0, static_cast<std::int64_t>(i * step)));
    }
  }
  return elements;
}

void run(lesson::Checks& checks) {
  // 1. The largest modulus that 128 bits of security allow at this degree: 213 bits.
  const ringlet::Context context(ringlet::default_parameters(
      ringlet::SchemeType::bfv, ringlet::RingSpec::cyclotomic(8191), ringlet::Modulus(2)));
  const ringlet::SlotEncoder encoder(context);
  const std::size_t count = encoder.slot_count();
  std::printf("%zu slots for bits, modulo a polynomial of degree %zu\n", count,
              context.ring().degree());

  const ringlet::KeyGenerator keygen(context);
  const ringlet::Encryptor encryptor(context, keygen.create_public_key());
  const ringlet::RelinKeys relin_keys = keygen.create_relin_keys();
  const ringlet::GaloisKeys galois_keys =
      keygen.create_galois_keys_for_elements(folding_elements(encoder));
  const ringlet::Evaluator evaluator(context);
  ringlet::Decryptor decryptor(context, keygen.secret_key());
  const auto read = [&](const Ciphertext& c) { return encoder.decode(decryptor.decrypt(c)); };

  // 2. XOR, AND and NOT of all slots at once.
  const Bits thirds = bits(count, [](std::size_t i) { return i % 3 == 0; });
  const Bits squares = bits(count, [](std::size_t i) { return i * i % 7 == 2; });
  const Ciphertext x = encryptor.encrypt(encoder.encode(thirds));
  const Ciphertext y = encryptor.encrypt(encoder.encode(squares));
  Ciphertext sum = x;
  evaluator.add_inplace(sum, y);
  checks.expect(read(sum) == bits(count, [&](std::size_t i) { return thirds[i] != squares[i]; }),
                "the sum is the XOR");
  Ciphertext product;
  evaluator.multiply(x, y, product);
  evaluator.relinearize_inplace(product, relin_keys);
  checks.expect(read(product) ==
                    bits(count, [&](std::size_t i) { return thirds[i] == 1 && squares[i] == 1; }),
                "the product is the AND");
  Ciphertext opposite = x;
  evaluator.add_plain_inplace(opposite, encoder.all_ones());
  checks.expect(read(opposite) == bits(count, [&](std::size_t i) { return thirds[i] == 0; }),
                "adding ones is NOT");
  std::printf("noise budget that is left: %d bits\n", decryptor.invariant_noise_budget(product));

  // 3. Automorphisms move slots: here until every slot has the XOR of all.
  Ciphertext parity = product;
  std::size_t step = count;
  for (const std::size_t factor : kFactors) {
    step /= factor;
    const Ciphertext one = parity;
    for (std::size_t i = 1; i < factor; ++i) {
      Ciphertext moved = one;
      encoder.rotate_inplace(evaluator, moved, 0, static_cast<std::int64_t>(i * step), galois_keys);
      evaluator.add_inplace(parity, moved);
    }
  }
  std::size_t ones = 0;
  for (const std::uint8_t bit : read(product)) ones += bit;
  checks.expect(read(parity) == Bits(count, ones % 2), "the parity of all slots, in every slot");

  checks.expect_refused("what is no bit is refused", [&] { encoder.encode(Bits{0, 1, 2}); });
}

}  // namespace

int main() { return lesson::run(run); }
