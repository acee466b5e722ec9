// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "ringlet/base/export.hpp"

namespace ringlet {

/// Largest number of threads that set_thread_count and RINGLET_THREADS take.
inline constexpr std::size_t kMaxThreadCount = 256;

// How many threads the library may use is the only thing that it keeps per process; plans, contexts
// and keys know nothing of it. Every number of threads gives the same bits.
//
// A call that has enough to do (several limbs, several polynomials) shares it among the calling
// thread and workers. The workers are started by the first such call, sleep between calls, and end
// with the process or when the number changes. A call that finds them at work for another thread
// does all of its work itself, and so does any call in a process that was forked from the one that
// started them. With fewer threads to be had than asked for, the call uses those.

/// The threads that one call may use, the calling one included. 1 unless set_thread_count or the
/// environment variable RINGLET_THREADS, a number from 1 to 256 that is read once, says otherwise;
/// unset and empty mean 1.
/// @throws RuntimeError while RINGLET_THREADS is anything else and no call of set_thread_count has
///         taken its place. Calls of the library that could use threads throw it too.
RINGLET_API std::size_t thread_count();

/// Sets it, for every thread of this process. Waits for a call that uses the workers, and returns
/// when they have ended; the next one starts as many as it needs. May be called by several threads
/// at once.
/// @throws InvalidArgument if `count` is 0 or above kMaxThreadCount; LogicError inside work that
///         the library has shared out.
RINGLET_API void set_thread_count(std::size_t count);

}  // namespace ringlet
