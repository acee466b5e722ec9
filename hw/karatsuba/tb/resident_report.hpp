// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "hw/karatsuba/model/link.hpp"

namespace ringlet::hw {

/// Cycles, bytes and times of software of one run.
struct ReportedRun {
  std::size_t encryptions = 0;
  int components = 1;
  std::uint64_t input_cycles = 0, output_cycles = 0;
  CardRun card{};
  std::uint64_t products = 0;
  double multiplier_use = 0;
  double pre_us = 0, post_us = 0, reduce_us = 0;
};

/// An entry of the array "runs" of the report on the hardware.
std::string json_of(const ReportedRun& run);

namespace resident {

/// The card that keeps the key, with one lane and with four, as two entries of the array "tops" of
/// the report on the hardware. They hold the cycles of 1 to 4 encryptions, both components, from
/// the first burst in to the last one out, with a key already on the card.
/// @throws RuntimeError if a result differs from WideProduct's.
std::string report_tops();

}  // namespace resident
}  // namespace ringlet::hw
