// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/kernel.hpp"

// The tables that the units of this folder export, lowest first. A table that needs more features
// than its neighbour below may have the same name: the two are one table to users, and what the
// higher one has is preferred where its features are there. With RINGLET_STUDIES the list has those
// of lab/kernels, too. Only table_list.cpp and the units themselves include this.

namespace ringlet::kernels {

extern const KernelTable kScalar64ExtendedTable;
extern const KernelTable kScalar64Table;
extern const KernelTable kScalar64ResidueTable;
extern const KernelTable kScalar64ConversionTable;
extern const KernelTable kScalar64SamplingTable;
extern const KernelTable kScalarKaratsubaTable;
extern const KernelTable kScalar64WideTable;
extern const KernelTable kScalar64EmbeddingTable;
extern const KernelTable kMqxWideTable;
#ifdef RINGLET_X86_KERNELS
extern const KernelTable kSse42KaratsubaTable;
extern const KernelTable kAvx2Table;
extern const KernelTable kAvx2KaratsubaTable;
extern const KernelTable kAvx2FloatTable;
extern const KernelTable kAvx2SignedTable;
extern const KernelTable kAvx2Mont32Table;
extern const KernelTable kAvx2ResidueTable;
extern const KernelTable kAvx2ConversionTable;
extern const KernelTable kAvx2SamplingTable;
extern const KernelTable kAvx2WideTable;
extern const KernelTable kAvx2EmbeddingTable;
#endif
#ifdef RINGLET_AVX512_KERNELS
extern const KernelTable kAvx512DqTable;
extern const KernelTable kAvx512DqKaratsubaTable;
extern const KernelTable kAvx512DqVnniTable;
extern const KernelTable kAvx512DqVbmi2Table;
extern const KernelTable kAvx512DqFloatTable;
extern const KernelTable kAvx512DqSignedTable;
extern const KernelTable kAvx512DqMont64Table;
extern const KernelTable kAvx512DqShoup64Table;
extern const KernelTable kAvx512DqMont32Table;
extern const KernelTable kAvx512DqResidueTable;
extern const KernelTable kAvx512DqConversionTable;
extern const KernelTable kAvx512DqSamplingTable;
extern const KernelTable kAvx512DqWideTable;
extern const KernelTable kAvx512DqWideFloatTable;
extern const KernelTable kAvx512DqEmbeddingTable;
extern const KernelTable kIfma52ExtendedTable;
extern const KernelTable kIfma52Table;
extern const KernelTable kIfma52LazyTable;
extern const KernelTable kIfma52ResidueTable;
extern const KernelTable kIfma52ConversionTable;
extern const KernelTable kIfma52SamplingTable;
extern const KernelTable kIfma52WideTable;
extern const KernelTable kIfma52EmbeddingTable;
#endif
#ifdef RINGLET_S390X_KERNELS
extern const KernelTable kVmsl56Table;
#endif

inline constexpr const KernelTable* kTables[] = {
#ifdef RINGLET_STUDIES
    &kScalar64ExtendedTable,
#endif
    &kScalar64Table,
    &kScalar64ResidueTable,
    &kScalar64ConversionTable,
    &kScalar64SamplingTable,
    &kScalarKaratsubaTable,
    &kScalar64WideTable,
    &kScalar64EmbeddingTable,
#ifdef RINGLET_STUDIES
    &kMqxWideTable,
#endif
#ifdef RINGLET_X86_KERNELS
    &kSse42KaratsubaTable,
    &kAvx2Table,
    &kAvx2FloatTable,
    &kAvx2SignedTable,
    &kAvx2Mont32Table,
    &kAvx2ResidueTable,
    &kAvx2ConversionTable,
    &kAvx2KaratsubaTable,
    &kAvx2SamplingTable,
    &kAvx2WideTable,
    &kAvx2EmbeddingTable,
#endif
#ifdef RINGLET_AVX512_KERNELS
    &kAvx512DqTable,
    &kAvx512DqVbmi2Table,
    &kAvx512DqFloatTable,
    &kAvx512DqShoup64Table,
    &kAvx512DqMont64Table,
    &kAvx512DqSignedTable,
    &kAvx512DqMont32Table,
    &kAvx512DqResidueTable,
    &kAvx512DqConversionTable,
    &kAvx512DqSamplingTable,
    &kAvx512DqKaratsubaTable,
    &kAvx512DqVnniTable,
    &kAvx512DqWideTable,
    &kAvx512DqWideFloatTable,
    &kAvx512DqEmbeddingTable,
#ifdef RINGLET_STUDIES
    &kIfma52ExtendedTable,
#endif
    &kIfma52Table,
    &kIfma52LazyTable,
    &kIfma52ResidueTable,
    &kIfma52ConversionTable,
    &kIfma52SamplingTable,
    &kIfma52WideTable,
    &kIfma52EmbeddingTable,
#endif
#ifdef RINGLET_S390X_KERNELS
    &kVmsl56Table,
#endif
};

}  // namespace ringlet::kernels
