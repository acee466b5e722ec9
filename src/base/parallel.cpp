// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <unistd.h>

#include "base/parallel_team.hpp"
#include "base/text.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet {
namespace {

using parallel_detail::is_in_loop;
using parallel_detail::Loop;
using parallel_detail::Team;
using parallel_detail::Work;

/// The library's only state that belongs to the process: the number of threads that it may use, and
/// the threads. It is never destroyed, because destructors of static objects may still compute.
struct ProcessThreads {
  std::atomic<std::size_t> count{0};  ///< 0 until it has been set or read from the environment.
  /// The process of the team; 0 before the first loop. A forked process has neither the workers nor
  /// a mutex in a known state: it finds another process here and uses neither.
  std::atomic<pid_t> owner{0};
  std::mutex busy;  ///< A thread that uses the team holds it. Guards the members below.
  Team team;
  bool is_closed = false;
};

ProcessThreads& process_threads() {
  static ProcessThreads* const threads = new ProcessThreads;
  return *threads;
}

/// Ends the workers at the exit of the process, and when a shared library is unloaded.
class CloseAtExit {
 public:
  ~CloseAtExit() {
    ProcessThreads& threads = process_threads();
    if (is_in_loop || threads.owner != getpid()) return;
    // A loop that runs now does so in another thread, which the exit does not wait for either.
    const std::unique_lock lock(threads.busy, std::try_to_lock);
    if (!lock) return;
    threads.team.stop();
    threads.is_closed = true;
  }
};

/// True if this process may use the team: it did before, or no process has yet.
bool claim(ProcessThreads& threads) {
  const pid_t self = getpid();
  pid_t owner = 0;
  return threads.owner.compare_exchange_strong(owner, self) || owner == self;
}

bool is_valid(std::size_t count) { return count >= 1 && count <= kMaxThreadCount; }

std::string valid_counts() { return concat("1 to ", kMaxThreadCount, " threads"); }

std::size_t count_from_environment() {
  const char* variable = std::getenv("RINGLET_THREADS");
  const std::string_view text = variable == nullptr ? "" : variable;
  if (text.empty()) return 1;
  std::size_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  if (error == std::errc() && stop == end && is_valid(count)) return count;
  throw_runtime_error(
      {.operation = "thread_count (RINGLET_THREADS)",
       .offending = concat("'", text, "'"),
       .limit = valid_counts(),
       .remedy = "set the variable to a number in this range, or leave it empty for 1"});
}

std::size_t chunk_count(std::size_t count, Chunks chunks, std::size_t grain, std::size_t threads) {
  const std::size_t most = count / grain;
  return chunks == Chunks::even ? std::min(most, threads) : most;
}

/// Runs the loop in the team. Returns false if the caller must run it alone.
bool run_in_team(std::size_t count, std::size_t chunk_count, Work work) {
  ProcessThreads& threads = process_threads();
  if (!claim(threads)) return false;
  static const CloseAtExit close_at_exit;
  std::unique_lock lock(threads.busy, std::try_to_lock);
  if (!lock || threads.is_closed) return false;
  Loop loop(count, chunk_count, work);
  threads.team.run(loop, threads.count);
  lock.unlock();
  loop.rethrow_failure();
  return true;
}

}  // namespace

std::size_t thread_count() {
  std::atomic<std::size_t>& count = process_threads().count;
  std::size_t known = count;
  if (known != 0) return known;
  const std::size_t wanted = count_from_environment();
  return count.compare_exchange_strong(known, wanted) ? wanted : known;
}

void set_thread_count(std::size_t count) {
  if (!is_valid(count)) {
    throw_invalid_argument({.operation = "set_thread_count",
                            .offending = concat("count = ", count),
                            .limit = valid_counts(),
                            .remedy = "pass 1 to use only the calling thread"});
  }
  if (is_in_loop) {
    throw_logic_error({.operation = "set_thread_count",
                       .offending = "the call comes from inside parallel work",
                       .limit = "calls from outside of parallel work",
                       .remedy = "set the number before the work begins"});
  }
  ProcessThreads& threads = process_threads();
  threads.count = count;
  if (threads.owner != getpid()) return;
  const std::lock_guard lock(threads.busy);
  threads.team.stop();
}

void parallel_detail::run(std::size_t count, Work work, Chunks chunks, std::size_t grain) {
  if (count / grain >= 2 && !is_in_loop) {
    const std::size_t threads = thread_count();
    if (threads > 1 && run_in_team(count, chunk_count(count, chunks, grain, threads), work)) return;
  }
  work.run(work.body, 0, count);
}

}  // namespace ringlet
