// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "ringlet/base/export.hpp"

namespace ringlet {

/// Largest number of threads that set_thread_count and RINGLET_THREADS accept.
inline constexpr std::size_t kMaxThreadCount = 256;

// The number of threads is the only setting that the library keeps per process. Plans, contexts and
// keys do not depend on it. Every number of threads gives the same bits.
//
// A call with enough work (several limbs or several polynomials) divides it among the calling
// thread and worker threads. The first such call starts the workers. They sleep between calls, and
// end with the process or when the number of threads changes. The calling thread does all work
// itself if the workers serve another thread, or if the process was forked from the process that
// started them. If the system gives fewer threads than requested, the call uses the threads that
// exist.

/// Returns the number of threads that one call may use, the calling thread included. It is 1 unless
/// set_thread_count or the environment variable RINGLET_THREADS sets another number. The variable
/// holds a number from 1 to 256 and is read once; unset and empty mean 1.
/// @throws RuntimeError if RINGLET_THREADS has any other value and set_thread_count has not been
///         called. Calls of the library that could use threads throw this error too.
RINGLET_API std::size_t thread_count();

/// Sets the number of threads that one call may use, for every thread of this process. Waits until
/// no call uses the workers, then ends the workers. The next call that divides its work starts new
/// workers. Several threads may call set_thread_count at once.
/// @throws InvalidArgument if `count` is 0 or above kMaxThreadCount; LogicError inside work that
///         the library has divided among threads.
RINGLET_API void set_thread_count(std::size_t count);

}  // namespace ringlet
