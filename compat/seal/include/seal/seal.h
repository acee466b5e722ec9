// SPDX-License-Identifier: Apache-2.0
#pragma once

// The whole interface of SEAL 4 on top of Ringlet. Programs rely on the standard headers below
// without including them.

#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "seal/context.h"
#include "seal/encryptionparams.h"
#include "seal/modulus.h"
#include "seal/version.h"
