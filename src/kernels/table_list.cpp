// SPDX-License-Identifier: Apache-2.0
// In a file of its own: a program with kernels for study links another list instead of this one.
#include "kernels/isa/tables.hpp"
#include "kernels/select.hpp"

namespace ringlet::kernels {

std::span<const KernelTable* const> kernel_table_list() { return kTables; }

}  // namespace ringlet::kernels
