// SPDX-License-Identifier: Apache-2.0
#include "kernels/ntt/lazy_table.hpp"

#include <new>

namespace ringlet::kernels {
namespace {

LazyConstants make_constants(std::uint64_t q, int log_degree, LazyReduction reduction) {
  LazyConstants c;
  const int stages = stages_per_reduction(q, reduction);
  c.q = q;
  c.quotient = kLazyWord / q;
  c.bias = static_cast<std::uint64_t>(stages) * q;
  c.forward_bound = reduced_width(q, reduction) + 2 * c.bias;
  c.forward = forward_stages(log_degree, stages);
  for (std::uint64_t i = 0; i < kLookupEntries; ++i) {
    c.multiples[i] = i * kLookupStep / q * q - c.bias;
  }
  return c;
}

}  // namespace

std::size_t lazy_table_bytes(int log_degree, const Radix2Shape& shape) {
  return sizeof(LazyTable) + radix2_table_bytes(log_degree, shape);
}

void build_lazy_table(void* memory, const NttRequest& request, const Radix2Shape& shape,
                      LazyReduction reduction) {
  auto* table = new (memory) LazyTable;
  table->constants = make_constants(request.q, request.log_degree, reduction);
  build_radix2_table(table + 1, request, shape);
}

}  // namespace ringlet::kernels
