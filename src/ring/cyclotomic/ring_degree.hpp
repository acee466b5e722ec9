// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace ringlet {

/// @throws InvalidArgument unless `degree` is a power of two in [2, 131072]: a degree of X^N + 1.
void check_power_of_two_degree(std::size_t degree);

}  // namespace ringlet
