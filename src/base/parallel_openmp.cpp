// SPDX-License-Identifier: Apache-2.0
#include "base/parallel_team.hpp"

// The threads are OpenMP's, which keeps them for the other loops of the program.

namespace ringlet::parallel_detail {

void Team::run(Loop& loop, std::size_t thread_count) noexcept {
  const int threads = static_cast<int>(std::min(thread_count, loop.chunk_count()));
#pragma omp parallel num_threads(threads)
  loop.take_chunks();
}

void Team::stop() noexcept {}

}  // namespace ringlet::parallel_detail
