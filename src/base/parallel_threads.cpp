// SPDX-License-Identifier: Apache-2.0
#include <new>
#include <system_error>

#include "base/parallel_team.hpp"

namespace ringlet::parallel_detail {
namespace {

/// Gives way to other threads until `condition` holds, for some 50 microseconds at most: the next
/// loop often follows at once, and to wake a thread that sleeps takes as long.
template <typename Condition>
void wait_a_little(Condition condition) {
  constexpr int kYields = 100;
  for (int i = 0; i < kYields && !condition(); ++i) std::this_thread::yield();
}

}  // namespace

void Team::run(Loop& loop, std::size_t thread_count) noexcept {
  start(thread_count - 1);
  const std::size_t helpers = std::min(workers_.size(), loop.chunk_count() - 1);
  {
    const std::lock_guard lock(mutex_);
    loop_ = &loop;
    vacancies_ = helpers;
  }
  for (std::size_t i = 0; i < helpers; ++i) wake_.notify_one();
  loop.take_chunks();
  {
    // A worker that has not joined by now must not join: the loop ends with this call.
    const std::lock_guard lock(mutex_);
    vacancies_ = 0;
  }
  wait_a_little([this] { return active_ == 0; });
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return active_ == 0; });
}

void Team::work() noexcept {
  while (true) {
    wait_a_little([this] { return vacancies_ > 0 || is_stopping_; });
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return vacancies_ > 0 || is_stopping_; });
    if (is_stopping_) return;
    --vacancies_;
    ++active_;
    Loop* const loop = loop_;
    lock.unlock();
    loop->take_chunks();
    lock.lock();
    if (--active_ == 0) done_.notify_one();
  }
}

void Team::start(std::size_t worker_count) noexcept {
  if (worker_count == wanted_) return;
  stop();
  wanted_ = worker_count;
  try {
    workers_.reserve(worker_count);
    while (workers_.size() < worker_count) workers_.emplace_back(&Team::work, this);
  } catch (const std::system_error&) {
    return;
  } catch (const std::bad_alloc&) {
    return;
  }
}

void Team::stop() noexcept {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
  wanted_ = 0;
  is_stopping_ = false;
}

}  // namespace ringlet::parallel_detail
