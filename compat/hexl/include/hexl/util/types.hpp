// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

#include "hexl/util/defines.hpp"

// Callers use these two types at global scope.
__extension__ typedef __int128 int128_t;
__extension__ typedef unsigned __int128 uint128_t;
