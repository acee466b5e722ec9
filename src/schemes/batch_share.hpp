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

/// Who does which elements of a batch: members of different speed are to finish together. Guided
/// self-scheduling (Polychronopoulos and Kuck, 1987), weighted by the speeds that were measured.
/// Thread-safe; knows no clock.
class BatchShare {
 public:
  /// `most` elements at a time at most.
  BatchShare(std::size_t count, std::size_t member_count, std::size_t most)
      : count_(count), most_(most), members_(member_count) {}

  /// What `member` does next. The first time one element; then half of its fair part of the rest.
  /// Nothing, from then on, if the others will have done all of the rest before it has done one.
  BatchChunk take(std::size_t member);
  /// `member` has done that many elements in `seconds`.
  void finish(std::size_t member, std::size_t count, double seconds);
  /// Nobody takes anything any more.
  void stop();
  bool is_stopped() const;
  /// How many elements each member has finished.
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
