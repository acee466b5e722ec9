// SPDX-License-Identifier: Apache-2.0
// Bits in slots through encryption: what the ring is for.

#include "ringlet/cyclotomic_slots.hpp"
#include "support/environment.hpp"
#include "support/test.hpp"
#include "unit/schemes/fv_support.hpp"

namespace ringlet::test {
namespace {

std::vector<std::uint8_t> random_bits(std::size_t count, std::mt19937_64& rng) {
  std::vector<std::uint8_t> bits(count);
  for (auto& bit : bits) bit = static_cast<std::uint8_t>(rng() % 2);
  return bits;
}

// Bits to slots, encrypted, added, decrypted, and back: their exclusive or.
void expect_xor(const fv::Context& context, std::size_t slot_count, std::mt19937_64& rng) {
  SCOPED_TRACE(describe(context.parameters()));
  const CyclotomicSlots slots(context.parameters().ring.cyclotomic_index());
  ASSERT_EQ(slots.slot_count(), slot_count);
  const fv::KeyGenerator keys(context);
  const fv::Encryptor encryptor(context, keys.create_public_key());
  const fv::Decryptor decryptor(context, keys.secret_key());
  std::vector<std::vector<std::uint8_t>> bits;
  std::vector<fv::Message> messages;
  for (std::size_t i = 0; i < 5; ++i) {
    bits.push_back(random_bits(slot_count, rng));
    messages.emplace_back(slots.degree());
    slots.encode(messages.back(), bits.back());
  }
  const std::vector<fv::Ciphertext> encrypted = encryptor.encrypt(messages);
  std::vector<std::uint8_t> wanted(slot_count, 0);
  fv::Ciphertext sum;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    for (std::size_t k = 0; k < slot_count; ++k) wanted[k] ^= bits[i][k];
    sum = i == 0 ? encrypted[0] : context.add(sum, encrypted[i]);
    std::vector<std::uint8_t> found(slot_count);
    slots.decode(found, decryptor.decrypt(sum));
    ASSERT_EQ(found, wanted) << "after " << i + 1;
  }
}

TEST(FvSlots, SumsAreExclusiveOrs) {
  auto rng = make_rng();
  for (std::size_t i = 0; i < scaled(5); ++i) {
    expect_xor(toy_fv(15, 30), 2, rng);
    expect_xor(toy_fv(127, 64), 18, rng);
    expect_xor(toy_fv(255, 129), 16, rng);
  }
  expect_xor(fv::Context(fv::Parameters::default_128()), 108, rng);
  expect_xor(fv::Context(fv::Parameters::default_128_8190()), 630, rng);
  expect_xor(fv::Context(fv::Parameters::reproduction_2420(), SecurityLevel::reproduction), 22,
             rng);
  expect_xor(fv::Context(fv::Parameters::reproduction_2560(), SecurityLevel::reproduction), 64,
             rng);
}

}  // namespace
}  // namespace ringlet::test
