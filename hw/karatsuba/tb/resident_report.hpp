// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ringlet::hw::resident {

/// The card that keeps the key, with one lane and with four, as two entries of the array "tops" of
/// the report on the hardware: cycles of 1 to 4 encryptions, both components, from the first burst
/// in to the last one out, with a key that is on the card already.
/// @throws RuntimeError if a result differs from WideProduct's.
std::string report_tops();

}  // namespace ringlet::hw::resident
