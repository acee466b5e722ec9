// SPDX-License-Identifier: Apache-2.0
// Encrypted bits in slots over rings of 128-bit security: random circuits of XOR, AND, NOT, masks
// and rotations against the same in the clear, and products to the depth that a bound of the noise
// allows.

#include "support/slot_circuit.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

namespace ringlet::test {
namespace {

// Per set: one circuit, 100 in the long run.
std::size_t circuit_count() { return std::min<std::size_t>(scaled(1), 100); }
constexpr std::size_t kOperations = 14;

class SlotCircuits : public ::testing::TestWithParam<SlotSet> {};

TEST_P(SlotCircuits, AgreeWithBitsInTheClear) {
  auto rng = make_rng();
  SlotBench bench(GetParam(), RandomSource::for_testing(rng()));
  std::map<std::string, std::size_t> operations;
  int depth = 0;
  for (std::size_t i = 0; i < circuit_count(); ++i) {
    SCOPED_TRACE(i);
    SlotCircuit circuit(bench, rng(), operations);
    circuit.run(kOperations);
    if (HasFatalFailure()) return;
    depth = circuit.deepest();
  }
  std::printf("  %s, m = %llu: %zu circuits to depth %d\n", to_string(bench.set.scheme),
              static_cast<unsigned long long>(bench.set.index), circuit_count(), depth);
  for (const auto& [name, count] : operations) std::printf("    %-28s %zu\n", name.c_str(), count);
}

// The depths are those that docs/slots.md promises.
INSTANTIATE_TEST_SUITE_P(Rings, SlotCircuits,
                         ::testing::Values(SlotSet{SchemeType::bfv, 10773, 5},
                                           SlotSet{SchemeType::bgv, 10773, 3},
                                           SlotSet{SchemeType::bfv, 8191, 8},
                                           SlotSet{SchemeType::bgv, 8191, 5}));

}  // namespace
}  // namespace ringlet::test
