// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ntt/ntt.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <memory_resource>
#include <mutex>
#include <string>

#include "call_named.hpp"
#include "hexl/ntt/ntt.hpp"
#include "hexl/number-theory/number-theory.hpp"
#include "ringlet/base/error.hpp"

namespace intel::hexl {

const AllocatorStrategyPtr mallocStrategy = std::make_shared<MallocStrategy>();

namespace {

using Words = AlignedVector64<uint64_t>;

/// Memory of a caller's allocator, which gives no alignment.
class StrategyMemory final : public std::pmr::memory_resource {
 public:
  explicit StrategyMemory(AllocatorStrategyPtr strategy) : bytes_(std::move(strategy)) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (alignment > kAlignment) throw std::bad_alloc();
    return bytes_.allocate(bytes);
  }
  void do_deallocate(void* block, std::size_t bytes, std::size_t) override {
    bytes_.deallocate(static_cast<unsigned char*>(block), bytes);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  static constexpr std::size_t kAlignment = 64;
  AlignedAllocator<unsigned char, kAlignment> bytes_;
};

}  // namespace

/// The plan and the powers that were requested so far.
class NTT::State {
 public:
  /// The arrays that the getters return.
  enum Array : unsigned {
    kRoots,
    kRoots32,
    kRoots64,
    kSpread,
    kSpread32,
    kSpread52,
    kSpread64,
    kInverse,
    kInverse32,
    kInverse52,
    kInverse64,
    kArrayCount
  };

  State(uint64_t degree, uint64_t q, uint64_t root, AllocatorStrategyPtr strategy)
      : strategy_(std::move(strategy)),
        memory_(strategy_),
        plan_(degree, q, root, ringlet::KernelSelection::from_environment(),
              strategy_ == nullptr ? *std::pmr::new_delete_resource()
                                   : static_cast<std::pmr::memory_resource&>(memory_)) {}

  static const ringlet::Ntt& plan_of(const NTT& ntt) {
    if (ntt.state_ != nullptr) return ntt.state_->plan_;
    ringlet::throw_invalid_argument(
        {.operation = "NTT",
         .offending = "an NTT object without degree and modulus",
         .limit = "objects made of a degree and a modulus",
         .remedy = "assign an object made of a degree and a modulus first"});
  }

  static const Words& array_of(const NTT& ntt, Array which) {
    static const Words none;
    return ntt.state_ == nullptr ? none : ntt.state_->array(which);
  }

  const ringlet::Ntt& plan() const noexcept { return plan_; }

  const Words& array(Array which) const {
    if (!ready_[which].load(std::memory_order_acquire)) {
      const std::lock_guard lock(mutex_);
      build(which);
    }
    return arrays_[which];
  }

 private:
  /// Quotients 2^shift * power / q of the powers of another array; shift is 0 for powers
  /// themselves.
  struct Derived {
    Array source;
    int shift;
  };

  /// Computes an array and its source if they are missing. The caller holds the lock.
  void build(Array which) const {
    static constexpr Derived kDerived[kArrayCount] = {
        {kRoots, 0},   {kRoots, 32},  {kRoots, 64},   {kSpread, 0},   {kSpread, 32}, {kSpread, 52},
        {kSpread, 64}, {kInverse, 0}, {kInverse, 32}, {kInverse, 52}, {kInverse, 64}};
    if (ready_[which].load(std::memory_order_relaxed)) return;
    if (kDerived[which].shift != 0) return build_quotients(which, kDerived[which]);
    if (which == kRoots) return publish(which, roots());
    build(kRoots);
    publish(which, which == kSpread ? spread() : inverses());
  }

  void build_quotients(Array which, Derived derived) const {
    build(derived.source);
    const Words& source = arrays_[derived.source];
    Words quotients(source.size(), 0, allocator());
    for (size_t i = 0; i < source.size(); ++i) {
      quotients[i] = MultiplyFactor(source[i], static_cast<uint64_t>(derived.shift), q().value())
                         .BarrettFactor();
    }
    publish(which, std::move(quotients));
  }

  void publish(Array which, Words words) const {
    arrays_[which] = std::move(words);
    ready_[which].store(true, std::memory_order_release);
  }

  Words roots() const {
    const size_t degree = plan_.degree();
    const auto bits = static_cast<uint64_t>(std::countr_zero(degree));
    Words powers(degree, 0, allocator());
    uint64_t power = 1;
    for (size_t i = 0; i < degree; ++i) {
      powers[ReverseBits(i, bits)] = power;
      power = q().multiply(power, plan_.root_of_unity());
    }
    return powers;
  }

  Words spread() const {
    const Words& powers = arrays_[kRoots];
    const size_t degree = powers.size();
    Words words(allocator());
    words.reserve(degree + degree / 4 * 3);
    for (size_t i = 0; i < degree; ++i) {
      const bool four_times = i >= degree / 8 && i < degree / 4;
      const bool twice = i >= degree / 4 && i < degree / 2;
      words.insert(words.end(), four_times ? 4 : twice ? 2 : 1, powers[i]);
    }
    return words;
  }

  Words inverses() const {
    const Words& powers = arrays_[kRoots];
    const size_t degree = powers.size();
    Words words(allocator());
    words.reserve(degree);
    words.push_back(1);
    for (size_t block = degree / 2; block > 0; block /= 2) {
      // -w^(N-i) inverts w^i, and the power at place i of a block stands opposite to it.
      for (size_t i = 0; i < block; ++i) {
        words.push_back(q().value() - powers[2 * block - 1 - i]);
      }
    }
    return words;
  }

  const ringlet::Modulus& q() const noexcept { return plan_.modulus(); }
  AlignedAllocator<uint64_t, 64> allocator() const {
    return AlignedAllocator<uint64_t, 64>(strategy_);
  }

  AllocatorStrategyPtr strategy_;
  StrategyMemory memory_;
  ringlet::Ntt plan_;
  mutable std::mutex mutex_;
  mutable std::array<std::atomic<bool>, kArrayCount> ready_{};
  mutable std::array<Words, kArrayCount> arrays_;
};

namespace {

uint64_t minimal_root(uint64_t degree, uint64_t q) {
  return call_named("NTT", [&] {
    if (NTT::CheckArguments(degree, q)) return MinimalPrimitiveRoot(2 * degree, q);
    return ringlet::Ntt(degree, q).root_of_unity();  // throws the error that explains the arguments
  });
}

}  // namespace

NTT::NTT() = default;

NTT::NTT(uint64_t degree, uint64_t q, std::shared_ptr<AllocatorBase> alloc_ptr)
    : NTT(degree, q, minimal_root(degree, q), std::move(alloc_ptr)) {}

NTT::NTT(uint64_t degree, uint64_t q, uint64_t root_of_unity,
         std::shared_ptr<AllocatorBase> alloc_ptr)
    : state_(call_named("NTT", [&] {
        return std::make_shared<const State>(degree, q, root_of_unity, std::move(alloc_ptr));
      })) {}

bool NTT::CheckArguments(uint64_t degree, uint64_t modulus) {
  return std::has_single_bit(degree) && degree >= ringlet::kMinNttDegree &&
         degree <= ringlet::kMaxNttDegree && modulus >> ringlet::kMaxNttModulusBits == 0 &&
         modulus % (2 * degree) == 1 && IsPrime(modulus);
}

namespace {

/// Checks the factor: Ntt takes larger factors too, HEXL does not.
int forward_output(std::uint64_t factor) {
  if (factor == 1 || factor == 4) return static_cast<int>(factor);
  ringlet::throw_invalid_argument({"NTT::ComputeForward",
                                   "output_mod_factor = " + std::to_string(factor), "1 or 4",
                                   "use one of these factors; 1 means fully reduced values"});
}

}  // namespace

void NTT::ComputeForward(uint64_t* result, const uint64_t* operand, uint64_t input_mod_factor,
                         uint64_t output_mod_factor) const {
  call_named("NTT::ComputeForward", [&] {
    const ringlet::Ntt& plan = State::plan_of(*this);
    plan.forward({result, plan.degree()}, {operand, plan.degree()},
                 narrow_factor("input_mod_factor", input_mod_factor),
                 forward_output(output_mod_factor));
  });
}

void NTT::ComputeInverse(uint64_t* result, const uint64_t* operand, uint64_t input_mod_factor,
                         uint64_t output_mod_factor) const {
  call_named("NTT::ComputeInverse", [&] {
    const ringlet::Ntt& plan = State::plan_of(*this);
    plan.inverse({result, plan.degree()}, {operand, plan.degree()},
                 narrow_factor("input_mod_factor", input_mod_factor),
                 narrow_factor("output_mod_factor", output_mod_factor));
  });
}

uint64_t NTT::GetMinimalRootOfUnity() const {
  return state_ == nullptr ? 0 : state_->plan().root_of_unity();
}
uint64_t NTT::GetDegree() const { return state_ == nullptr ? 0 : state_->plan().degree(); }
uint64_t NTT::GetModulus() const {
  return state_ == nullptr ? 0 : state_->plan().modulus().value();
}

#define RINGLET_HEXL_DEFINE_GETTER(getter, which) \
  const Words& NTT::getter() const { return State::array_of(*this, State::which); }

RINGLET_HEXL_DEFINE_GETTER(GetRootOfUnityPowers, kRoots)
RINGLET_HEXL_DEFINE_GETTER(GetPrecon32RootOfUnityPowers, kRoots32)
RINGLET_HEXL_DEFINE_GETTER(GetPrecon64RootOfUnityPowers, kRoots64)
RINGLET_HEXL_DEFINE_GETTER(GetAVX512RootOfUnityPowers, kSpread)
RINGLET_HEXL_DEFINE_GETTER(GetAVX512Precon32RootOfUnityPowers, kSpread32)
RINGLET_HEXL_DEFINE_GETTER(GetAVX512Precon52RootOfUnityPowers, kSpread52)
RINGLET_HEXL_DEFINE_GETTER(GetAVX512Precon64RootOfUnityPowers, kSpread64)
RINGLET_HEXL_DEFINE_GETTER(GetInvRootOfUnityPowers, kInverse)
RINGLET_HEXL_DEFINE_GETTER(GetPrecon32InvRootOfUnityPowers, kInverse32)
RINGLET_HEXL_DEFINE_GETTER(GetPrecon52InvRootOfUnityPowers, kInverse52)
RINGLET_HEXL_DEFINE_GETTER(GetPrecon64InvRootOfUnityPowers, kInverse64)

}  // namespace intel::hexl
