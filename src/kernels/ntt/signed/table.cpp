// SPDX-License-Identifier: Apache-2.0
#include "kernels/ntt/signed/table.hpp"

#include <cstddef>
#include <new>

namespace ringlet::kernels {

std::size_t signed_table_bytes(int log_degree, const SignedShape& shape) {
  return offsetof(SignedTable, radix2) + radix2_table_bytes(log_degree, shape.radix2);
}

void build_signed_table(void* memory, const NttRequest& request, const SignedShape& shape) {
  auto* table = new (memory) SignedTable;
  table->one = make_twiddle_pair(1, request.q, shape.radix2);
  build_radix2_table(&table->radix2, request, shape.radix2);
  table->reductions = make_signed_reductions(shape.arithmetic, request.q, table->radix2.schedule);
}

}  // namespace ringlet::kernels
