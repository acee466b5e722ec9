// SPDX-License-Identifier: Apache-2.0
#include "kernels/ntt/lazy/table.hpp"

#include <new>

namespace ringlet::kernels {

std::size_t lazy_table_bytes(int log_degree) {
  const std::size_t words =
      lazy_forward_stream_words(log_degree) + lazy_inverse_stream_words(log_degree);
  return sizeof(LazyTable) + words * sizeof(std::uint64_t);
}

void build_lazy_table(void* memory, const NttRequest& request, const Radix2Shape& shape) {
  auto* table = new (memory) LazyTable;
  table->constants = {.q = request.q,
                      .quotient = kLazyWord / request.q,
                      .one = make_twiddle_pair(1, request.q, shape),
                      .word = make_twiddle_pair(kLazyWord % request.q, request.q, shape)};
  table->inverse_offset = lazy_forward_stream_words(request.log_degree);
  auto* stream = reinterpret_cast<std::uint64_t*>(table + 1);
  build_lazy_forward(table->forward, stream, request, shape);
  build_lazy_inverse(table->inverse, stream + table->inverse_offset, request, shape);
}

}  // namespace ringlet::kernels
