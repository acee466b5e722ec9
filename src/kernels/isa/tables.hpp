// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/kernel.hpp"

// The tables that the units of this folder export, as units.inc lists them. Only table_list.cpp and
// the units themselves include this.

#define RINGLET_UNIT_PORTABLE(...) __VA_ARGS__
#ifdef RINGLET_X86_KERNELS
#define RINGLET_UNIT_X86(...) __VA_ARGS__
#define RINGLET_UNIT_X86_STUDY(...) RINGLET_UNIT_STUDY(__VA_ARGS__)
#else
#define RINGLET_UNIT_X86(...)
#define RINGLET_UNIT_X86_STUDY(...)
#endif
#ifdef RINGLET_AVX512_KERNELS
#define RINGLET_UNIT_AVX512(...) __VA_ARGS__
#define RINGLET_UNIT_AVX512_STUDY(...) RINGLET_UNIT_STUDY(__VA_ARGS__)
#else
#define RINGLET_UNIT_AVX512(...)
#define RINGLET_UNIT_AVX512_STUDY(...)
#endif
#ifdef RINGLET_S390X_KERNELS
#define RINGLET_UNIT_S390X(...) __VA_ARGS__
#else
#define RINGLET_UNIT_S390X(...)
#endif

namespace ringlet::kernels {

/// The features that all AVX-512 kernels need, and those that its 52-bit products need.
inline constexpr CpuFeatureMask kAvx512DqFeatures =
    feature_mask(CpuFeature::avx2, CpuFeature::fma, CpuFeature::avx512f, CpuFeature::avx512dq);
inline constexpr CpuFeatureMask kIfma52Features =
    kAvx512DqFeatures | feature_bit(CpuFeature::avx512ifma);

#define RINGLET_UNIT_STUDY(...) __VA_ARGS__
#define RINGLET_KERNEL_UNIT(where, table, source, flags) \
  RINGLET_UNIT_##where(extern const KernelTable table;)
#include "kernels/isa/units.inc"
#undef RINGLET_KERNEL_UNIT
#undef RINGLET_UNIT_STUDY

// With RINGLET_STUDIES the list has the tables for study, too.
#ifdef RINGLET_STUDIES
#define RINGLET_UNIT_STUDY(...) __VA_ARGS__
#else
#define RINGLET_UNIT_STUDY(...)
#endif
#define RINGLET_KERNEL_UNIT(where, table, source, flags) RINGLET_UNIT_##where(&table, )
inline constexpr const KernelTable* kTables[] = {
#include "kernels/isa/units.inc"
};
#undef RINGLET_KERNEL_UNIT

}  // namespace ringlet::kernels
