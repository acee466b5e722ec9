// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "seal/modulus.h"

namespace ringlet::seal4 {

/// SEAL's default primes for a degree and a level of the table of 2018, the special prime last;
/// empty for any other degree or level.
std::vector<Modulus> default_primes(std::size_t degree, sec_level_type level);

}  // namespace ringlet::seal4
