// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/parallel.hpp"

// The parts of parallel.cpp: a loop that is shared out, and the team that works on it. The team's
// functions are in parallel_threads.cpp, or in parallel_openmp.cpp with RINGLET_OPENMP.

namespace ringlet::parallel_detail {

/// True in a thread that is inside a body.
inline constinit thread_local bool is_in_loop = false;

/// A loop in chunks of nearly equal length. Each thread takes the next until none is left.
class Loop {
 public:
  Loop(std::size_t count, std::size_t chunk_count, Work work)
      : chunk_count_(chunk_count),
        chunk_size_(count / chunk_count),
        longer_chunks_(count % chunk_count),
        work_(work) {}

  std::size_t chunk_count() const noexcept { return chunk_count_; }

  /// Does the calling thread's part of the loop. Exceptions of the bodies stay here.
  void take_chunks() noexcept {
    const bool was_in_loop = std::exchange(is_in_loop, true);
    try {
      for (std::size_t chunk = next_++; chunk < chunk_count_; chunk = next_++) {
        work_.run(work_.body, start(chunk), start(chunk + 1));
      }
    } catch (...) {
      next_ = chunk_count_;
      if (!has_failed_.exchange(true)) failure_ = std::current_exception();
    }
    is_in_loop = was_in_loop;
  }

  /// Throws the first exception, if there was one. Call it once no thread is in take_chunks.
  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::size_t start(std::size_t chunk) const noexcept {
    return chunk * chunk_size_ + std::min(chunk, longer_chunks_);
  }

  std::size_t chunk_count_;
  std::size_t chunk_size_;
  std::size_t longer_chunks_;  ///< Number of chunks, the first ones, that have one index more.
  Work work_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> has_failed_{false};
  std::exception_ptr failure_;
};

/// Threads that help the calling thread. The caller makes one call at a time.
class Team {
 public:
  /// Runs loop.take_chunks() in the calling thread and in up to thread_count - 1 others, with
  /// happens-before in both directions. Returns when all of them have left it.
  void run(Loop& loop, std::size_t thread_count) noexcept;

  void stop() noexcept;

 private:
  void start(std::size_t worker_count) noexcept;
  void work() noexcept;

  std::size_t wanted_ = 0;  ///< Workers asked for; there are fewer if the system has no more.
  std::vector<std::thread> workers_;
  std::mutex mutex_;  ///< A thread that changes the members below holds it.
  std::condition_variable wake_;
  std::condition_variable done_;
  Loop* loop_ = nullptr;
  std::atomic<std::size_t> vacancies_{0};  ///< Workers that may still join the loop.
  std::atomic<std::size_t> active_{0};     ///< Workers inside the loop.
  std::atomic<bool> is_stopping_{false};
};

}  // namespace ringlet::parallel_detail
