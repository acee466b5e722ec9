// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "ringlet/parameters.hpp"
#include "ringlet/rns_basis.hpp"
#include "ringlet/security.hpp"

namespace ringlet::rlwe {

/// @throws InvalidArgument, of that operation, unless `degree` is a power of two in [2, 131072].
void check_degree(std::size_t degree, const char* operation);

/// Validates parameters in the order that Context documents and returns their basis.
/// @throws InvalidArgument at the first offence.
RnsBasis validate_parameters(const EncryptionParameters& parms, SecurityLevel level,
                             SecurityTable table);

}  // namespace ringlet::rlwe
