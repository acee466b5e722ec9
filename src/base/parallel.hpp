// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "ringlet/base/export.hpp"
#include "ringlet/base/parallel.hpp"

// The only way in which the library uses more than one thread.

namespace ringlet {

/// How the indices of a loop are shared out. A chunk is a run of neighbouring indices that one
/// thread goes through in ascending order.
enum class Chunks {
  even,     ///< As many chunks as threads: for indices that gain from their neighbours.
  dynamic,  ///< Chunks of about `grain` indices for free threads: for indices of unequal cost.
};

namespace parallel_detail {

/// A call body(first, end) that hides the type of the body.
struct Work {
  void (*run)(const void* body, std::size_t first, std::size_t end);
  const void* body;
};

/// Exported because both libraries share one set of workers.
RINGLET_API void run(std::size_t count, Work work, Chunks chunks, std::size_t grain);

}  // namespace parallel_detail

/// Works as parallel_for, below, for bodies that need something once per chunk: body(first, end)
/// goes through the indices in [first, end).
template <typename Body>
void parallel_for_chunks(std::size_t count, const Body& body, Chunks chunks = Chunks::even,
                         std::size_t grain = 1) {
  const auto run_chunk = [](const void* erased, std::size_t first, std::size_t end) {
    (*static_cast<const Body*>(erased))(first, end);
  };
  if (count > 0) parallel_detail::run(count, {run_chunk, &body}, chunks, grain);
}

/// Calls body(index) for every index in [0, count), each once, on at most thread_count() threads.
/// The calling thread is among them and returns once all indices are done. A chunk has at least
/// `grain` >= 1 indices unless `count` is smaller: work too short to be shared out runs on the
/// caller alone.
///
/// The loop is serial, in ascending order: with one chunk or one thread; inside another such loop;
/// in a forked process without workers of its own; and while another thread uses the workers, so
/// that threads of the program do not multiply with those of the library.
///
/// If a body throws, this function throws the first exception once no thread is inside a body any
/// more. Other exceptions are dropped, and indices that no thread had begun are left out.
/// @throws what the body throws; RuntimeError as thread_count.
template <typename Body>
void parallel_for(std::size_t count, const Body& body, Chunks chunks = Chunks::even,
                  std::size_t grain = 1) {
  parallel_for_chunks(
      count,
      [&body](std::size_t first, std::size_t end) {
        for (std::size_t index = first; index < end; ++index) body(index);
      },
      chunks, grain);
}

}  // namespace ringlet
