// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "peers.h"

/// One operation of one library on vectors of n words modulo q.
struct ringlet_peer_job {
  ringlet_peer_job() = default;
  virtual ~ringlet_peer_job() = default;
  ringlet_peer_job(const ringlet_peer_job&) = delete;
  ringlet_peer_job& operator=(const ringlet_peer_job&) = delete;

  virtual void load(const std::uint64_t* a, const std::uint64_t* b) = 0;
  virtual void run() = 0;
  virtual void result(std::uint64_t* words) const = 0;
};

namespace ringlet::peers {

struct Peer {
  const char* name;
  std::string description;
  /// Returns null if the library does not have the operation.
  std::unique_ptr<ringlet_peer_job> (*create)(std::uint64_t n, std::uint64_t q);
};

/// Operands and result as a library's words.
template <typename Word>
class WordsJob : public ringlet_peer_job {
 public:
  explicit WordsJob(std::uint64_t n) : a_(n), b_(n), result_(n) {}

  void load(const std::uint64_t* a, const std::uint64_t* b) override {
    std::copy(a, a + a_.size(), a_.begin());
    std::copy(b, b + b_.size(), b_.begin());
  }
  void result(std::uint64_t* words) const override {
    std::copy(result_.begin(), result_.end(), words);
  }

 protected:
  std::vector<Word> a_, b_, result_;
};

/// The operations of each library that this build has.
std::vector<Peer> ntl_peers();
std::vector<Peer> flint_peers();

/// result = product mod X^n + 1, where coefficient(i) in [0, q) is the coefficient of X^i for i <
/// length <= 2n.
template <typename Coefficient>
void fold_negacyclic(std::span<std::uint64_t> result, std::size_t length, std::uint64_t q,
                     Coefficient coefficient) {
  const std::size_t n = result.size();
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t low = i < length ? coefficient(i) : 0;
    const std::uint64_t high = i + n < length ? coefficient(i + n) : 0;
    result[i] = low >= high ? low - high : low + q - high;
  }
}

}  // namespace ringlet::peers
