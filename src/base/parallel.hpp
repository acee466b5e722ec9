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
  dynamic,  ///< Chunks of about `grain` indices, taken by free threads: for indices that differ.
};

namespace parallel_detail {

/// body(first, end), whatever the type of the body.
struct Work {
  void (*run)(const void* body, std::size_t first, std::size_t end);
  const void* body;
};

/// Exported because both libraries share one set of workers.
RINGLET_API void run(std::size_t count, Work work, Chunks chunks, std::size_t grain);

}  // namespace parallel_detail

/// parallel_for, below, for bodies that need something once per chunk: body(first, end) goes
/// through the indices in [first, end).
template <typename Body>
void parallel_for_chunks(std::size_t count, const Body& body, Chunks chunks = Chunks::even,
                         std::size_t grain = 1) {
  const auto run_chunk = [](const void* erased, std::size_t first, std::size_t end) {
    (*static_cast<const Body*>(erased))(first, end);
  };
  if (count > 0) parallel_detail::run(count, {run_chunk, &body}, chunks, grain);
}

/// Calls body(index) for every index in [0, count), each once, on at most thread_count() threads;
/// the calling one is among them, and all is done when this returns. A chunk has at least `grain`
/// >= 1 indices as far as there are any: work that is too short to be shared out is left to the
/// caller.
///
/// Serial, in ascending order: with one chunk or one thread; inside another such loop; in a forked
/// process without workers of its own; and where another thread has them at work, so that threads
/// of the program do not multiply with those of the library.
///
/// If a body throws, the exception that came first leaves this function once no thread is inside a
/// body any more; others are dropped, and indices that nobody had begun are left out.
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
