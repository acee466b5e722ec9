// SPDX-License-Identifier: Apache-2.0
// Every operation of the three schemes: with all destinations, and with all kernels.

#include "unit/schemes/operations.hpp"

#include "ringlet/kernels/kernel_selection.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

class Operations : public ::testing::TestWithParam<SchemeType> {};

TEST_P(Operations, MayWriteToTheirOperands) {
  const SchemeBench bench(exact_context(GetParam(), {64, 257, {50, 40, 40}, {60}}));
  const Evaluator& e = bench.evaluator;
  for (const ContextData* level : bench.levels()) {
    SCOPED_TRACE(level->chain_index());
    World at_level = bench.world();
    for (Ciphertext* operand : {&at_level.a, &at_level.b}) {
      e.mod_switch_to_inplace(*operand, level->parms_id());
    }
    e.mod_switch_to_inplace(at_level.leveled, level->parms_id());
    bench.for_each_operation(at_level, [&](const Operation& operation, const World& operands) {
      World world = operands;
      Ciphertext fresh;
      operation.call(e, world, fresh);
      const Snapshot expected(fresh);
      const auto expect_result = [&](World used, Ciphertext World::* destination) {
        operation.call(e, used, used.*destination);
        EXPECT_EQ(Snapshot(used.*destination), expected);
      };
      operation.call(e, world, fresh);  // where something of its shape is
      EXPECT_EQ(Snapshot(fresh), expected);
      expect_result(world, &World::destination);
      expect_result(world, &World::a);
      if (operation.in_place != nullptr) {
        World used = world;
        operation.in_place(e, used);
        EXPECT_EQ(Snapshot(used.a), expected) << "by the form in place";
      }
      if (!operation.has(Operation::takes_b)) return;
      expect_result(world, &World::b);
    });
    for (const auto binary : {&Evaluator::add, &Evaluator::multiply}) {
      Ciphertext both = at_level.a;
      (e.*binary)(both, both, both);
      EXPECT_EQ(Snapshot(both), Snapshot(result_of(e, binary, at_level.a, at_level.a)));
    }
  }
}

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

// What all operations make of two messages, encryption, decryption and batching included.
std::vector<Snapshot> everything(const SchemeBench& bench) {
  std::vector<Snapshot> results{Snapshot(bench.plaintext), Snapshot(bench.ciphertext)};
  results.emplace_back(bench.encryptor.encrypt_symmetric(bench.plaintext));
  results.emplace_back(bench.decryptor.decrypt(bench.ciphertext));
  bench.for_each_operation(bench.world(), [&](const Operation& operation, World& world) {
    Ciphertext result;
    operation.call(bench.evaluator, world, result);
    results.emplace_back(result);
  });
  if (!bench.is_ckks) {
    Words slots(bench.degree());
    Plaintext encoded;
    BatchEncoder(bench.context).decode(bench.plaintext, slots);
    BatchEncoder(bench.context).encode(slots, encoded);
    results.emplace_back(encoded);
  }
  return results;
}

TEST_P(Operations, HaveTheSameBitsWithEveryKernel) {
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
          actual =
              everything(SchemeBench(exact_context(GetParam(), shape, KernelSelection(selection))));
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

// Encoders go by the kernels that their context was made with.
TEST_P(Operations, EncodersTakeTheKernelsOfTheContext) {
  const Context context =
      exact_context(GetParam(), {1024, 12289, {45, 45}, {}}, KernelSelection("scalar64"));
  EXPECT_EQ(context.kernels().text(), "scalar64");
  EXPECT_EQ(context.on_host().kernels().text(), "scalar64");
  if (!kernel_statistics_enabled()) GTEST_SKIP() << "this build counts no calls of kernels";
  const auto calls_by_table = [] {
    std::map<std::string, std::uint64_t> calls;
    for (const KernelInfo& kernel : kernel_catalog()) calls[kernel.table] += kernel.calls;
    return calls;
  };
  const auto before = calls_by_table();
  Plaintext plain;
  if (GetParam() == SchemeType::ckks) {
    const CKKSEncoder encoder(context);
    std::vector<double> values(encoder.slot_count(), 0.5);
    encoder.encode(values, 0x1p30, plain);
    encoder.decode(plain, values);
    EXPECT_NEAR(values.front(), 0.5, 1e-6);
  } else {
    const BatchEncoder encoder(context);
    Words values(encoder.slot_count(), 7);
    encoder.encode(values, plain);
    encoder.decode(plain, values);
    EXPECT_EQ(values.back(), 7u);
  }
  for (const auto& [table, calls] : calls_by_table()) {
    EXPECT_EQ(calls > before.at(table), table == "scalar64") << table;
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, Operations, kEveryScheme, scheme_name);

}  // namespace
}  // namespace ringlet::test
