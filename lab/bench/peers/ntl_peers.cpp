// SPDX-License-Identifier: Apache-2.0
#include <NTL/FFT.h>
#include <NTL/lzz_pX.h>
#include <NTL/version.h>

#include "job.hpp"

namespace ringlet::peers {
namespace {

#ifdef NTL_ENABLE_AVX_FFT
constexpr const char* kBuild = "AVX transforms enabled";
#else
constexpr const char* kBuild = "portable build, without its AVX transforms";
#endif

using Longs = std::vector<long>;

class NtlJob : public WordsJob<long> {
 public:
  NtlJob(std::uint64_t n, std::uint64_t q)
      : WordsJob(n), q_(static_cast<long>(q)), inverse_(NTL::PrepMulMod(q_)) {}

 protected:
  long q_;
  NTL::mulmod_t inverse_;
};

class MultiplyJob final : public NtlJob {
 public:
  using NtlJob::NtlJob;
  void run() override {
    for (std::size_t i = 0; i < a_.size(); ++i) {
      result_[i] = NTL::MulMod(a_[i], b_[i], q_, inverse_);
    }
  }
};

class MultiplyAddJob final : public NtlJob {
 public:
  using NtlJob::NtlJob;
  void run() override {
    const long scalar = b_[0];
    const NTL::mulmod_precon_t quotient = NTL::PrepMulModPrecon(scalar, q_, inverse_);
    for (std::size_t i = 0; i < a_.size(); ++i) {
      result_[i] = NTL::AddMod(NTL::MulModPrecon(a_[i], scalar, q_, quotient), b_[i], q_);
    }
  }
};

// NTL's tables of roots of unity modulo q. NTL chooses another root each time, so that the two
// directions must share one.
const NTL::zz_pContext& shared_roots(long q) {
  static thread_local std::map<long, NTL::zz_pContext> contexts;
  const auto [entry, is_new] = contexts.try_emplace(q);
  if (is_new) {
    const NTL::zz_pPush restore_later;
    NTL::zz_p::UserFFTInit(q);
    entry->second.save();
  }
  return entry->second;
}

class RootsJob : public NtlJob {
 public:
  RootsJob(std::uint64_t n, std::uint64_t q)
      : NtlJob(n, q), log_degree_(std::countr_zero(n)), context_(shared_roots(q_)) {
    const NTL::zz_pPush active(context_);
    roots_ = NTL::zz_pInfo->p_info;
  }

 protected:
  long log_degree_;
  NTL::zz_pContext context_;
  const NTL::FFTPrimeInfo* roots_ = nullptr;
};

template <bool kForward>
class TransformJob final : public RootsJob {
 public:
  using RootsJob::RootsJob;
  void run() override {
    if constexpr (kForward) {
      NTL::new_fft(result_.data(), a_.data(), log_degree_, *roots_);
    } else {
      NTL::new_ifft(result_.data(), a_.data(), log_degree_, *roots_);
    }
  }
};

class ProductJob final : public RootsJob {
 public:
  using RootsJob::RootsJob;

  void load(const std::uint64_t* a, const std::uint64_t* b) override {
    const NTL::zz_pPush active(context_);
    NtlJob::load(a, b);
    set(x_, a_);
    set(y_, b_);
    // Reserves room for all coefficients, so that the first run allocates no more than later ones.
    product_.SetMaxLength(static_cast<long>(2 * a_.size()));
    folded_.resize(a_.size());
  }
  void run() override {
    const NTL::zz_pPush active(context_);
    NTL::mul(product_, x_, y_);
    fold_negacyclic(
        folded_, static_cast<std::size_t>(NTL::deg(product_) + 1), static_cast<std::uint64_t>(q_),
        [this](std::size_t i) {
          return static_cast<std::uint64_t>(NTL::rep(product_.rep[static_cast<long>(i)]));
        });
  }
  void result(std::uint64_t* words) const override {
    std::copy(folded_.begin(), folded_.end(), words);
  }

 private:
  static void set(NTL::zz_pX& polynomial, const Longs& words) {
    polynomial.rep.SetLength(static_cast<long>(words.size()));
    for (std::size_t i = 0; i < words.size(); ++i) {
      polynomial.rep[static_cast<long>(i)] = NTL::to_zz_p(words[i]);
    }
    polynomial.normalize();
  }

  NTL::zz_pX x_, y_, product_;
  std::vector<std::uint64_t> folded_;
};

constexpr std::uint64_t kModulusEnd = std::uint64_t{1} << NTL_SP_NBITS;

template <typename Job>
std::unique_ptr<ringlet_peer_job> make_eltwise(std::uint64_t n, std::uint64_t q) {
  if (q >= kModulusEnd) return nullptr;
  return std::make_unique<Job>(n, q);
}

// Cyclic transforms of n words need an n-th root of unity, products a 2n-th root.
template <typename Job, std::uint64_t kOrderFactor>
std::unique_ptr<ringlet_peer_job> make_with_roots(std::uint64_t n, std::uint64_t q) {
  if (q >= kModulusEnd || q % (kOrderFactor * n) != 1 || !NTL::ProbPrime(static_cast<long>(q))) {
    return nullptr;
  }
  return std::make_unique<Job>(n, q);
}

}  // namespace

std::vector<Peer> ntl_peers() {
  const std::string library = std::string("NTL ") + NTL_VERSION + " (" + kBuild + "), ";
  return {
      {"ntl/ntt_forward", library + "new_fft: cyclic of length N, where Ringlet's is negacyclic",
       make_with_roots<TransformJob<true>, 1>},
      {"ntl/ntt_inverse", library + "new_ifft: cyclic of length N, where Ringlet's is negacyclic",
       make_with_roots<TransformJob<false>, 1>},
      {"ntl/multiply", library + "loop of MulMod", make_eltwise<MultiplyJob>},
      {"ntl/multiply_scalar_add", library + "loop of MulModPrecon and AddMod",
       make_eltwise<MultiplyAddJob>},
      {"ntl/product", library + "zz_pX mul by transforms of length 2N, folded modulo X^N + 1",
       make_with_roots<ProductJob, 2>},
  };
}

}  // namespace ringlet::peers
