// SPDX-License-Identifier: Apache-2.0
#pragma once

#if __cplusplus < 202002L
#error "Ringlet's headers need C++20: compile with -std=c++20, or set CMAKE_CXX_STANDARD to 20"
#endif

/// Exports a class or function from the shared library. Everything else is hidden.
#define RINGLET_API __attribute__((visibility("default")))

/// Inlines a function always, so that it never becomes a symbol. Kernel units are compiled with
/// flags of their instruction set; a weak symbol from such a unit could replace the portable
/// function at link time.
#define RINGLET_INLINE inline __attribute__((always_inline))
