// SPDX-License-Identifier: Apache-2.0
#pragma once

// Macros with the names that callers of HEXL use. HEXL_DEBUG is never defined: the checks of this
// library are in every build.

#if defined(__clang__)
#define HEXL_USE_CLANG
#else
#define HEXL_USE_GNU
#endif

// Callers guard intrinsics of their own by these two macros. HEXL's build defines them if its
// compiler's target, the building machine, has the instructions. Here a caller sees them if the
// target of its own compiler has the instructions. They say nothing about the library's kernels,
// which are chosen at run time.
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && \
    !defined(HEXL_HAS_AVX512DQ)
#define HEXL_HAS_AVX512DQ
#endif
#if defined(__AVX512F__) && defined(__AVX512IFMA__) && !defined(HEXL_HAS_AVX512IFMA)
#define HEXL_HAS_AVX512IFMA
#endif

#define HEXL_UNUSED(x) static_cast<void>(x)

/// Exports a class or function from the shared library.
#define HEXL_RINGLET_API __attribute__((visibility("default")))
