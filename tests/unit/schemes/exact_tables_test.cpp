// SPDX-License-Identifier: Apache-2.0
// BFV and BGV give the same bits with every kernel.

#include "ringlet/kernel_selection.hpp"
#include "support/test.hpp"
#include "unit/schemes/exact_support.hpp"

namespace ringlet::test {
namespace {

// Every table that this processor has, and every algorithm of its transforms.
std::set<std::string> available_selections() {
  std::set<std::string> selections{""};
  for (const KernelInfo& kernel : kernel_catalog()) {
    if (!kernel.available) continue;
    selections.insert(kernel.table);
    if (kernel.operation == "ntt") selections.insert(kernel.table + "/" + kernel.algorithm);
  }
  return selections;
}

// What all operations make of two messages.
std::vector<Snapshot> everything(const Exact& exact, const PlainPoly& x, const PlainPoly& y) {
  const Evaluator& e = exact.evaluator;
  std::vector<Snapshot> results;
  Ciphertext a = exact.encrypt(x);
  const Ciphertext b = exact.encryptor.encrypt_symmetric(plain_of(y.coefficients()));
  const Plaintext plain = plain_of(y.coefficients());
  const auto keep = [&] { results.emplace_back(a); };
  keep();
  e.multiply_inplace(a, b), keep();
  e.relinearize_inplace(a, exact.relin_keys), keep();
  e.square_inplace(a), keep();
  e.relinearize_inplace(a, exact.relin_keys), keep();
  e.mod_switch_to_next_inplace(a), keep();
  e.add_plain_inplace(a, plain), keep();
  e.multiply_plain_inplace(a, plain), keep();
  e.apply_galois_inplace(a, 3, exact.galois_keys), keep();
  e.rotate_rows_inplace(a, 5, exact.galois_keys), keep();
  e.rotate_columns_inplace(a, exact.galois_keys), keep();
  e.negate_inplace(a), keep();
  results.emplace_back(exact.decryptor.decrypt(a));
  e.mod_switch_to_inplace(a, exact.context.last_parms_id()), keep();
  a.is_ntt_form() ? e.transform_from_ntt_inplace(a) : e.transform_to_ntt_inplace(a), keep();
  std::vector<std::uint64_t> slots(exact.degree());
  BatchEncoder(exact.context).decode(plain, slots);
  Plaintext encoded;
  BatchEncoder(exact.context).encode(slots, encoded);
  results.emplace_back(encoded);
  return results;
}

class ExactTables : public ::testing::TestWithParam<SchemeType> {};

TEST_P(ExactTables, TheSameBitsWithEveryKernel) {
  // 49 bits and below run on 52-bit kernels, 60 bits on 64-bit ones; one special prime or more.
  for (const std::size_t degree : {16, 256, 2048}) {
    const std::uint64_t t = PlainModulus::batching(degree, 17).value();
    for (const ExactShape& shape : {ExactShape{degree, t, {60, 45, 59}, {60}},
                                    ExactShape{degree, t, {49, 45, 48}, {49, 49}, 2},
                                    ExactShape{degree, t, {30, 29, 28, 31}, {31}}}) {
      SCOPED_TRACE(describe(shape));
      std::vector<Snapshot> expected;
      std::size_t compared = 0;
      for (const std::string& selection : available_selections()) {
        SCOPED_TRACE(selection);
        std::vector<Snapshot> actual;
        try {
          const Exact exact(exact_context(GetParam(), shape, KernelSelection(selection)));
          auto rng = make_rng(degree);
          const PlainPoly x = exact.random_message(rng);
          const PlainPoly y = exact.random_message(rng);
          actual = everything(exact, x, y);
        } catch (const InvalidArgument& error) {
          // An algorithm that is named exactly may refuse a prime or a degree outside its range.
          ASSERT_NE(selection.find('/'), std::string::npos) << error.what();
          continue;
        }
        if (expected.empty()) expected = actual;
        ASSERT_EQ(actual.size(), expected.size());
        for (std::size_t i = 0; i < actual.size(); ++i) {
          ASSERT_TRUE(actual[i] == expected[i]) << "result " << i;
        }
        ++compared;
      }
      EXPECT_GE(compared, 2u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, ExactTables, ::testing::Values(SchemeType::bfv, SchemeType::bgv),
                         [](const auto& test) { return std::string(to_string(test.param)); });

// Rotations of slots, against the matrix itself; the key of the very rotation or several.
TEST(ExactRotations, MoveRowsAndColumns) {
  for (const SchemeType scheme : {SchemeType::bfv, SchemeType::bgv}) {
    for (const std::size_t degree : {4, 64}) {
      const std::uint64_t t = PlainModulus::batching(degree, 12).value();
      const Exact exact(scheme, {degree, t, {40, 41}, {42}});
      const BatchEncoder encoder(exact.context);
      auto rng = make_rng(degree);
      const auto values = random_values(degree, t, rng);
      Plaintext plain;
      encoder.encode(values, plain);
      const Ciphertext a = exact.encryptor.encrypt_symmetric(plain);
      const auto row = static_cast<int>(degree / 2);
      for (int steps = 1 - row; steps < row; ++steps) {
        Ciphertext rotated;
        exact.evaluator.rotate_rows(a, steps, exact.galois_keys, rotated);
        Words slots;
        encoder.decode(exact.decryptor.decrypt(rotated), slots);
        for (int i = 0; i < row; ++i) {
          const auto from = static_cast<std::size_t>((i + steps + row) % row);
          const auto place = static_cast<std::size_t>(i);
          ASSERT_EQ(slots[place], values[from]) << steps;
          ASSERT_EQ(slots[degree / 2 + place], values[degree / 2 + from]) << steps;
        }
        Ciphertext inplace = a;
        exact.evaluator.rotate_rows_inplace(inplace, steps, exact.galois_keys);
        EXPECT_TRUE(Snapshot(inplace) == Snapshot(rotated));
      }
      Ciphertext swapped = a;
      exact.evaluator.rotate_columns_inplace(swapped, exact.galois_keys);
      Words slots;
      encoder.decode(exact.decryptor.decrypt(swapped), slots);
      for (std::size_t i = 0; i < degree; ++i) {
        ASSERT_EQ(slots[i], values[(i + degree / 2) % degree]);
      }
    }
  }
}

}  // namespace
}  // namespace ringlet::test
