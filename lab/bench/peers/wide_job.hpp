// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>

#include "job.hpp"
#include "wide_transform.hpp"

// The operations of `ringlet bench wide` over another library's integers.

namespace ringlet::peers {

struct WidePeer {
  const char* name;
  std::string description;
  std::unique_ptr<ringlet_peer_job> (*create)(std::uint64_t n, const ringlet_wide_modulus& q);
};

/// The operations of each library that this build has.
std::vector<WidePeer> gmp_wide_peers();
std::vector<WidePeer> flint_wide_peers();

/// A job on vectors of n integers. Arithmetic has the operations of WideTransform and
///   Arithmetic(const std::uint64_t* q)
///   read(x, words), write(words, x)          two words, the low one first.
template <typename Arithmetic>
class WideJob : public ringlet_peer_job {
 public:
  using Integer = typename Arithmetic::Integer;
  using Integers = std::vector<Integer>;

  WideJob(std::uint64_t n, const ringlet_wide_modulus& q) : q_(q.q), a_(n), b_(n), result_(n) {}

  void load(const std::uint64_t* a, const std::uint64_t* b) override {
    for (std::size_t i = 0; i < a_.size(); ++i) {
      q_.read(a_[i], a + 2 * i);
      q_.read(b_[i], b + 2 * i);
    }
  }
  void result(std::uint64_t* words) const override {
    for (std::size_t i = 0; i < result_.size(); ++i) q_.write(words + 2 * i, result_[i]);
  }

 protected:
  Integer integer(const std::uint64_t* words) {
    Integer x;
    q_.read(x, words);
    return x;
  }

  Arithmetic q_;
  Integers a_, b_, result_;
};

/// Transforms in place: after load() the result is a, and each repetition transforms it again.
template <typename Arithmetic, bool kForward>
class WideTransformJob final : public WideJob<Arithmetic> {
 public:
  WideTransformJob(std::uint64_t n, const ringlet_wide_modulus& q)
      : WideJob<Arithmetic>(n, q),
        transform_(this->q_, n, this->integer(q.root), this->integer(q.inverse_root),
                   this->integer(q.inverse_degree)) {}

  void load(const std::uint64_t* a, const std::uint64_t* b) override {
    WideJob<Arithmetic>::load(a, b);
    this->result_ = this->a_;
  }
  void run() override {
    kForward ? transform_.forward(this->result_) : transform_.inverse(this->result_);
  }

 private:
  WideTransform<Arithmetic> transform_;
};

/// Jobs with transforms need a root of order 2n, so that 0 means none.
template <typename Job>
std::unique_ptr<ringlet_peer_job> make_wide_transform(std::uint64_t n,
                                                      const ringlet_wide_modulus& q) {
  if (n < 2 || (n & (n - 1)) != 0 || (q.root[0] | q.root[1]) == 0) return nullptr;
  return std::make_unique<Job>(n, q);
}

template <typename Job>
std::unique_ptr<ringlet_peer_job> make_wide(std::uint64_t n, const ringlet_wide_modulus& q) {
  return std::make_unique<Job>(n, q);
}

}  // namespace ringlet::peers
