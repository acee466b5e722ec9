// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <mutex>
#include <vector>

namespace ringlet::schemes {

/// @throws InvalidArgument unless all spans of operands are as long as that of results, at least 1.
void check_lengths(std::size_t results, std::initializer_list<std::size_t> operands);

/// Neighbouring elements of a batch.
struct BatchChunk {
  std::size_t first = 0;
  std::size_t count = 0;  ///< 0: there is nothing more to do.
};

/// Distributes the elements of a batch so that members of different speed finish together. Guided
/// self-scheduling (Polychronopoulos and Kuck, 1987), weighted by the measured speeds. Thread-safe;
/// reads no clock.
class BatchShare {
 public:
  /// Gives at most `most` elements at a time.
  BatchShare(std::size_t count, std::size_t member_count, std::size_t most)
      : count_(count), most_(most), members_(member_count) {}

  /// Returns the next elements of `member`: first one, then half of its fair part of the rest.
  /// Returns none, from then on, if the others will finish the rest before `member` finishes one.
  BatchChunk take(std::size_t member);
  /// Records that `member` has done `count` elements in `seconds`.
  void finish(std::size_t member, std::size_t count, double seconds);
  /// Ends the batch: take() returns no elements from now on.
  void stop();
  bool is_stopped() const;
  /// Returns how many elements each member has finished.
  std::vector<std::size_t> done() const;

 private:
  struct Member {
    double rate = 0;  ///< Elements per second of its last chunk; 0 before it.
    bool has_left = false;
    std::size_t done = 0;
  };

  double rate_of_others(std::size_t member, double unknown) const;

  mutable std::mutex mutex_;
  std::size_t next_ = 0;
  bool is_stopped_ = false;
  std::size_t count_;
  std::size_t most_;
  std::vector<Member> members_;
};

}  // namespace ringlet::schemes
