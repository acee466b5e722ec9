// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "seal/seal.h"

// As programs do, this adds to SEAL's namespace.
namespace seal {

std::string describe(const SEALContext& context);

}  // namespace seal
