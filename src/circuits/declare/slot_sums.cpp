// SPDX-License-Identifier: Apache-2.0
#include "ringlet/circuits/slot_sums.hpp"

#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "circuits/declare/diagonals.hpp"

namespace ringlet {
namespace {

void check_count(std::size_t count) {
  if (count != 0) return;
  refuse("count = 0", "at least 1", "pass the number of slots to sum");
}

// Steps are reduced modulo the length of a row, a power of two. So the products `size * stride` may
// wrap around as unsigned integers.
CircuitValue neighbour_sum(Circuit& circuit, CircuitValue x, std::size_t count,
                           std::size_t stride) {
  const auto rotate = [&](CircuitValue a, std::size_t steps) {
    return circuit.rotate(a, static_cast<int>(steps & (circuit.row_length() - 1)));
  };
  CircuitValue power = x;  // the sum of `size` neighbours
  std::optional<CircuitValue> total;
  for (std::size_t size = 1;; size *= 2) {
    if ((count & size) != 0) {
      total = total ? circuit.add(power, rotate(*total, size * stride)) : power;
    }
    if (count / 2 < size) return *total;
    power = circuit.add(power, rotate(power, size * stride));
  }
}

}  // namespace

std::size_t sum_slots_rotations(std::size_t count) {
  public_entry("sum_slots_rotations", [&] { check_count(count); });
  const auto bits = static_cast<std::size_t>(std::bit_width(count));
  return bits + static_cast<std::size_t>(std::popcount(count)) - 2;
}

CircuitValue sum_slots(Circuit& circuit, CircuitValue x, std::size_t count, int stride) {
  public_entry("sum_slots", [&] {
    check_count(count);
    circuits::check_value(circuit, x);
  });
  return neighbour_sum(circuit, x, count, static_cast<std::size_t>(std::int64_t{stride}));
}

CircuitValue mean_slots(Circuit& circuit, CircuitValue x, std::size_t count, int stride) {
  public_entry("mean_slots", [&] {
    check_count(count);
    circuits::check_value(circuit, x);
  });
  const CircuitValue sum =
      neighbour_sum(circuit, x, count, static_cast<std::size_t>(std::int64_t{stride}));
  return circuit.multiply(sum, KnownVector(1.0 / static_cast<double>(count)));
}

CircuitValue replicate(Circuit& circuit, CircuitValue x, std::size_t block) {
  public_entry("replicate", [&] {
    circuits::check_value(circuit, x);
    if (!std::has_single_bit(block) || block > circuit.row_length()) {
      refuse(concat("block = ", block), concat("a power of two up to ", circuit.row_length()),
             "pad the numbers with zeros to a power of two");
    }
  });
  const double magnitude = circuits::magnitude_of(circuit, x);
  const CircuitValue result =
      neighbour_sum(circuit, x, circuit.row_length() / block, std::size_t{0} - block);
  circuits::bound_if_finite(circuit, result, magnitude);
  return result;
}

CircuitValue spread_slot(Circuit& circuit, CircuitValue x, std::size_t slot) {
  public_entry("spread_slot", [&] {
    circuits::check_value(circuit, x);
    if (slot >= circuit.row_length()) {
      refuse(concat("slot = ", slot), concat("below row_length = ", circuit.row_length()),
             "count slots of the circuit's row from 0");
    }
  });
  const double magnitude = circuits::magnitude_of(circuit, x);
  KnownVector::Integers mask(circuit.row_length());
  mask[slot] = 1;
  const CircuitValue alone = circuit.multiply(x, KnownVector(std::move(mask)));
  const CircuitValue result = neighbour_sum(circuit, alone, circuit.row_length(), 1);
  circuits::bound_if_finite(circuit, result, magnitude);
  return result;
}

}  // namespace ringlet
