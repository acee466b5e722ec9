// SPDX-License-Identifier: Apache-2.0
#pragma once

// Conditions that the library's own code must keep. They are asked in builds with
// RINGLET_CHECK_RANGES, as the sanitizers' are, and in no other: all others have the same objects,
// whatever NDEBUG says.
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
// Not evaluated, but what it names is used.
#define RINGLET_ASSERT(condition) static_cast<void>(sizeof((condition) ? 1 : 0))
#endif
