// SPDX-License-Identifier: Apache-2.0
#include "schemes/batch_share.hpp"

#include <algorithm>
#include <string>

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace ringlet::schemes {

void check_lengths(std::size_t results, std::initializer_list<std::size_t> operands) {
  const bool is_same =
      std::ranges::all_of(operands, [results](std::size_t length) { return length == results; });
  if (is_same && results > 0) return;
  std::string lengths;
  for (const std::size_t length : operands) lengths += concat(length, ", ");
  refuse(concat("operands of ", lengths, "destinations of ", results),
         "spans of the same length, at least 1", "pass as many destinations as there are operands");
}

namespace {

// The seconds that count for a time too short to measure.
constexpr double kShortest = 1e-9;

}  // namespace

/// Sums the rates of the others that still take elements; `unknown` before their first element.
double BatchShare::rate_of_others(std::size_t member, double unknown) const {
  double sum = 0;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (i == member || members_[i].has_left) continue;
    sum += members_[i].rate > 0 ? members_[i].rate : unknown;
  }
  return sum;
}

BatchChunk BatchShare::take(std::size_t member) {
  const std::lock_guard lock(mutex_);
  const std::size_t rest = is_stopped_ ? 0 : count_ - next_;
  Member& self = members_[member];
  if (rest == 0 || self.has_left) return {};
  std::size_t count = 1;
  if (self.rate > 0) {
    const auto left = static_cast<double>(rest);
    // The last member never leaves: the rate of the others is 0 then.
    if (rate_of_others(member, 0) > self.rate * left) {
      self.has_left = true;
      return {};
    }
    const double fair = left * self.rate / (self.rate + rate_of_others(member, self.rate));
    count = std::clamp<std::size_t>(static_cast<std::size_t>(fair / 2), 1, std::min(most_, rest));
  }
  const BatchChunk chunk{next_, count};
  next_ += count;
  return chunk;
}

void BatchShare::finish(std::size_t member, std::size_t count, double seconds) {
  const std::lock_guard lock(mutex_);
  members_[member].done += count;
  members_[member].rate = static_cast<double>(count) / std::max(seconds, kShortest);
}

void BatchShare::stop() {
  const std::lock_guard lock(mutex_);
  is_stopped_ = true;
}

bool BatchShare::is_stopped() const {
  const std::lock_guard lock(mutex_);
  return is_stopped_;
}

std::vector<std::size_t> BatchShare::done() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::size_t> counts;
  for (const Member& member : members_) counts.push_back(member.done);
  return counts;
}

}  // namespace ringlet::schemes
