// SPDX-License-Identifier: Apache-2.0
#include "kernels/ntt/lazy_table.hpp"

#include <new>

namespace ringlet::kernels {
namespace {

LazyConstants make_constants(const NttRequest& request, const Radix2Shape& shape) {
  const std::uint64_t q = request.q;
  const int per_reduction = stages_per_reduction(q);
  const int since_last = (request.log_degree - 1) % per_reduction + 1;
  return {.q = q,
          .quotient = kLazyWord / q,
          .bias = forward_bias(q, per_reduction),
          .forward_bound = forward_interval(q, per_reduction, since_last).upper,
          .one = make_twiddle_pair(1, q, shape),
          .forward = forward_stages(request.log_degree, per_reduction)};
}

}  // namespace

std::size_t lazy_table_bytes(int log_degree, const Radix2Shape& shape) {
  return sizeof(LazyTable) + radix2_table_bytes(log_degree, shape) +
         lazy_inverse_stream_words(log_degree) * sizeof(std::uint64_t);
}

void build_lazy_table(void* memory, const NttRequest& request, const Radix2Shape& shape) {
  auto* table = new (memory) LazyTable;
  table->constants = make_constants(request, shape);
  build_radix2_table(table + 1, request, shape);
  table->inverse_offset = radix2_table_bytes(request.log_degree, shape) / sizeof(std::uint64_t);
  auto* stream = reinterpret_cast<std::uint64_t*>(table + 1) + table->inverse_offset;
  build_lazy_inverse(table->inverse, stream, request, shape);
}

}  // namespace ringlet::kernels
