// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "ringlet/gpu/device.hpp"
#include "standard.hpp"

// The rows of the tables of `ringlet bench gpu`: each is one change over the row before it.

namespace ringlet::bench {

inline constexpr std::size_t kRowPrimes = 8;

/// A variant of the transforms. Rows are in the order of Zhai et al., "Accelerating Encrypted
/// Computing on Intel GPUs" (2021); then come variants beyond the paper.
struct NttRow {
  const char* key;
  const char* title;
  int radix;
  DeviceOptions options;
  int bits = 50;  ///< Of the primes.
  bool is_chunked = false;

  /// Returns the options for a degree, on which the limbs of a chunk of fixed bytes depend.
  DeviceOptions options_for(std::size_t degree) const;
};
std::span<const NttRow> ntt_rows();

/// A set of options in the figures of routines and of products of matrices.
struct Bar {
  const char* key;
  const char* title;
  DeviceOptions options;
  bool has_one_division = false;  ///< Else routines that rescale relinearize first.
  bool is_fused = true;           ///< The form of products of matrices.
};
/// Returns the bars of the paper's figures 16 and 18, then those beyond them.
std::span<const Bar> routine_bars();
/// Returns the last two of routine_bars(): key switching alone has no division to save.
std::span<const Bar> key_switch_bars();
/// Returns the bars of the paper's figure 19, and one with the memory cache alone.
std::span<const Bar> product_bars();

/// False for the rows of assembly on a device for which the library has none.
template <typename Row>
bool changes_something(const Row& row, const Device& device) {
  return std::string_view(row.key) != "assembly" || device.info().has_assembly;
}

/// Returns the options as an object of JSON, as ringlet.device takes them.
std::string options_json(const DeviceOptions& options);

}  // namespace ringlet::bench
