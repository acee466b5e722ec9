// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/kernel.hpp"

// The tables that the units of this folder export, lowest first. A table that needs more features
// than its neighbour below may have the same name: the two are one table to users, and what the
// higher one has is preferred where its features are there. Only select.cpp and the units
// themselves include this.

namespace ringlet::kernels {

extern const KernelTable kScalar64Table;
#ifdef RINGLET_X86_KERNELS
extern const KernelTable kAvx2Table;
extern const KernelTable kAvx2FloatTable;
extern const KernelTable kAvx512DqTable;
extern const KernelTable kAvx512DqVbmi2Table;
extern const KernelTable kAvx512DqFloatTable;
extern const KernelTable kIfma52Table;
extern const KernelTable kIfma52LazyTable;
#endif

inline constexpr const KernelTable* kTables[] = {
    &kScalar64Table,
#ifdef RINGLET_X86_KERNELS
    &kAvx2Table,          &kAvx2FloatTable, &kAvx512DqTable,   &kAvx512DqVbmi2Table,
    &kAvx512DqFloatTable, &kIfma52Table,    &kIfma52LazyTable,
#endif
};

}  // namespace ringlet::kernels
