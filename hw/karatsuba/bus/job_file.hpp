// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "hw/karatsuba/model/resident_frames.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/fv/wide_poly.hpp"

namespace ringlet::hw::bus {

/// The inputs of encryptions of FV and their expected results. Secret.
struct Job {
  std::uint64_t index = 0;  ///< m.
  resident::Key key;
  SecretVector<std::int8_t> secret_key;
  std::vector<resident::Encryption> encryptions;
  std::vector<std::array<WidePoly, 2>> ciphertexts;  ///< The library's own results.
};

/// Writes numbers lowest byte first, without padding. For tests: the file is not protected.
/// @throws RuntimeError if the file cannot be written.
void write_job(const std::string& path, const Job& job);
/// @throws RuntimeError if the file cannot be read, has a wrong length or another format;
///         InvalidArgument if its ring or modulus is invalid.
Job read_job(const std::string& path);

}  // namespace ringlet::hw::bus
