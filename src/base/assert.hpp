// SPDX-License-Identifier: Apache-2.0
#pragma once

// Conditions that the library's own code must keep. Only builds with RINGLET_CHECK_RANGES check
// them, such as the sanitizer builds. The objects of all other builds do not depend on NDEBUG.
#ifdef RINGLET_CHECK_RANGES
#include <cstdio>
#include <cstdlib>

#define RINGLET_ASSERT(condition)                                                            \
  do {                                                                                       \
    if (!(condition)) {                                                                      \
      std::fprintf(stderr, "%s:%d: assertion failed: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                          \
    }                                                                                        \
  } while (false)
#else
// The condition is not evaluated, but the names in it count as used.
#define RINGLET_ASSERT(condition) static_cast<void>(sizeof((condition) ? 1 : 0))
#endif
