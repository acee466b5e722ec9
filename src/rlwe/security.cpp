// SPDX-License-Identifier: Apache-2.0
#include "ringlet/rlwe/security.hpp"

#include <array>
#include <span>

namespace ringlet {
namespace {

// Significant bits of the full modulus for 128, 192 and 256 bits of security; 0: not tabulated.
struct SecurityRow {
  std::size_t degree;
  std::array<int, 3> bits;
};

// Bossuat et al., IACR ePrint 2024/463: ternary secret, classical cost model.
constexpr std::array<SecurityRow, 8> kClassical2024{{
    {1024, {26, 0, 0}},
    {2048, {53, 36, 27}},
    {4096, {106, 73, 56}},
    {8192, {214, 147, 114}},
    {16384, {430, 297, 230}},
    {32768, {868, 597, 462}},
    {65536, {1747, 1199, 929}},
    {131072, {3523, 2411, 1866}},
}};

// The same guidelines, cost model of Chailloux and Loyer.
constexpr std::array<SecurityRow, 8> kQuantum2024{{
    {1024, {20, 0, 0}},
    {2048, {40, 29, 22}},
    {4096, {80, 59, 47}},
    {8192, {161, 119, 95}},
    {16384, {322, 239, 192}},
    {32768, {644, 479, 385}},
    {65536, {1289, 959, 773}},
    {131072, {2578, 1920, 0}},
}};

// Albrecht et al., "Homomorphic Encryption Security Standard", 2018: ternary secret, classical.
constexpr std::array<SecurityRow, 6> kStandard2018{{
    {1024, {27, 19, 14}},
    {2048, {54, 37, 29}},
    {4096, {109, 75, 58}},
    {8192, {218, 152, 118}},
    {16384, {438, 305, 237}},
    {32768, {881, 611, 476}},
}};

// The same standard, ternary secret, quantum.
constexpr std::array<SecurityRow, 6> kQuantumStandard2018{{
    {1024, {25, 17, 13}},
    {2048, {51, 35, 27}},
    {4096, {101, 70, 54}},
    {8192, {202, 141, 109}},
    {16384, {411, 284, 220}},
    {32768, {827, 571, 443}},
}};

std::span<const SecurityRow> rows_of(SecurityTable table) noexcept {
  switch (table) {
    case SecurityTable::classical_2024:
      return kClassical2024;
    case SecurityTable::quantum_2024:
      return kQuantum2024;
    case SecurityTable::he_standard_2018:
      return kStandard2018;
    case SecurityTable::he_standard_2018_quantum:
      return kQuantumStandard2018;
  }
  return {};
}

// Rows without an entry in that column stand at the ends of a table.
int interpolated_bits(std::span<const SecurityRow> rows, std::size_t column,
                      std::size_t degree) noexcept {
  const SecurityRow* below = nullptr;
  for (const SecurityRow& row : rows) {
    const int bits = row.bits[column];
    if (bits == 0) continue;
    if (row.degree == degree) return bits;
    if (row.degree < degree) {
      below = &row;
      continue;
    }
    if (below == nullptr) return 0;
    const std::size_t rise = static_cast<std::size_t>(bits - below->bits[column]);
    return below->bits[column] +
           static_cast<int>(rise * (degree - below->degree) / (row.degree - below->degree));
  }
  return 0;
}

}  // namespace

int max_modulus_bits(std::size_t degree, SecurityLevel level, SecurityTable table) noexcept {
  std::size_t column = 0;
  switch (level) {
    case SecurityLevel::none:
      return kUnlimitedModulusBits;
    case SecurityLevel::reproduction:
      return degree < kReproductionDegree ? 0 : kReproductionModulusBits;
    case SecurityLevel::tc128:
      column = 0;
      break;
    case SecurityLevel::tc192:
      column = 1;
      break;
    case SecurityLevel::tc256:
      column = 2;
      break;
    default:
      return 0;
  }
  return interpolated_bits(rows_of(table), column, degree);
}

const char* to_string(SecurityLevel level) noexcept {
  switch (level) {
    case SecurityLevel::none:
      return "none";
    case SecurityLevel::reproduction:
      return "reproduction, about 64 bits";
    case SecurityLevel::tc128:
      return "tc128";
    case SecurityLevel::tc192:
      return "tc192";
    case SecurityLevel::tc256:
      return "tc256";
  }
  return "unknown";
}

const char* to_string(SecurityTable table) noexcept {
  switch (table) {
    case SecurityTable::classical_2024:
      return "classical_2024";
    case SecurityTable::quantum_2024:
      return "quantum_2024";
    case SecurityTable::he_standard_2018:
      return "he_standard_2018";
    case SecurityTable::he_standard_2018_quantum:
      return "he_standard_2018_quantum";
  }
  return "unknown";
}

}  // namespace ringlet
