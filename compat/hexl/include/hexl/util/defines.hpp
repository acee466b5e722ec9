// SPDX-License-Identifier: Apache-2.0
#pragma once

// Macros with the names that callers of HEXL use. HEXL_DEBUG is never defined: the checks of this
// library are in every build.

#if defined(__clang__)
#define HEXL_USE_CLANG
#else
#define HEXL_USE_GNU
#endif

#define HEXL_UNUSED(x) static_cast<void>(x)

/// Exports a class or function from the shared library.
#define HEXL_RINGLET_API __attribute__((visibility("default")))
