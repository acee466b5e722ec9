// SPDX-License-Identifier: Apache-2.0
#include "seal/util/iterator.h"

#include "seal/ciphertext.h"

namespace ringlet::seal4_util {

PolyIter::PolyIter(Ciphertext& ct)
    : PolyIter(ct.data(), ct.poly_modulus_degree(), ct.coeff_modulus_size()) {}

ConstPolyIter::ConstPolyIter(const Ciphertext& ct)
    : ConstPolyIter(ct.data(), ct.poly_modulus_degree(), ct.coeff_modulus_size()) {}

}  // namespace ringlet::seal4_util
