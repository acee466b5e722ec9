// SPDX-License-Identifier: Apache-2.0
#pragma once

// Includes the whole interface of SEAL 4 on top of Ringlet. It also includes the standard headers
// below, because programs use them without including them.

#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "seal/batchencoder.h"
#include "seal/ciphertext.h"
#include "seal/ckks.h"
#include "seal/context.h"
#include "seal/decryptor.h"
#include "seal/dynarray.h"
#include "seal/encryptionparams.h"
#include "seal/encryptor.h"
#include "seal/evaluator.h"
#include "seal/galoiskeys.h"
#include "seal/keygenerator.h"
#include "seal/kswitchkeys.h"
#include "seal/memorymanager.h"
#include "seal/modulus.h"
#include "seal/plaintext.h"
#include "seal/publickey.h"
#include "seal/randomgen.h"
#include "seal/randomtostd.h"
#include "seal/relinkeys.h"
#include "seal/secretkey.h"
#include "seal/serializable.h"
#include "seal/serialization.h"
#include "seal/util/uintcore.h"
#include "seal/valcheck.h"
#include "seal/version.h"
