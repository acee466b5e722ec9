// SPDX-License-Identifier: Apache-2.0
#pragma once

// One header serves all compilers that Ringlet builds with.
#include "hexl/util/compiler.hpp"
