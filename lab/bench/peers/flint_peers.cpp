// SPDX-License-Identifier: Apache-2.0
#include <flint/flint.h>
#include <flint/nmod_poly.h>
#include <flint/nmod_vec.h>

#include "job.hpp"

namespace ringlet::peers {
namespace {

static_assert(std::is_same_v<mp_limb_t, std::uint64_t>, "FLINT's words are 64 bits here");

class FlintJob : public WordsJob<std::uint64_t> {
 public:
  FlintJob(std::uint64_t n, std::uint64_t q) : WordsJob(n) { nmod_init(&q_, q); }

 protected:
  slong length() const { return static_cast<slong>(a_.size()); }

  nmod_t q_{};
};

class MultiplyJob final : public FlintJob {
 public:
  using FlintJob::FlintJob;
  void run() override {
    for (std::size_t i = 0; i < a_.size(); ++i) result_[i] = nmod_mul(a_[i], b_[i], q_);
  }
};

// The call adds to its result: after load() the first repetition gives b + a * scalar, and later
// repetitions add to that.
class MultiplyAddJob final : public FlintJob {
 public:
  using FlintJob::FlintJob;
  void load(const std::uint64_t* a, const std::uint64_t* b) override {
    FlintJob::load(a, b);
    result_ = b_;
  }
  void run() override {
    _nmod_vec_scalar_addmul_nmod(result_.data(), a_.data(), length(), b_[0], q_);
  }
};

class ProductJob final : public FlintJob {
 public:
  ProductJob(std::uint64_t n, std::uint64_t q) : FlintJob(n, q), product_(2 * n - 1) {}
  void run() override {
    _nmod_poly_mul(product_.data(), a_.data(), length(), b_.data(), length(), q_);
    fold_negacyclic(result_, product_.size(), q_.n, [this](std::size_t i) { return product_[i]; });
  }

 private:
  std::vector<std::uint64_t> product_;
};

template <typename Job>
std::unique_ptr<ringlet_peer_job> make(std::uint64_t n, std::uint64_t q) {
  return std::make_unique<Job>(n, q);
}

}  // namespace

std::vector<Peer> flint_peers() {
  const std::string library = std::string("FLINT ") + FLINT_VERSION + ", ";
  return {
      {"flint/multiply", library + "loop of nmod_mul", make<MultiplyJob>},
      {"flint/multiply_scalar_add", library + "_nmod_vec_scalar_addmul_nmod", make<MultiplyAddJob>},
      {"flint/product", library + "_nmod_poly_mul of N by N coefficients, folded modulo X^N + 1",
       make<ProductJob>},
  };
}

}  // namespace ringlet::peers
