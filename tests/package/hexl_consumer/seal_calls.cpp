// SPDX-License-Identifier: Apache-2.0
// Calls HEXL as a library with memory pools and lazy ranges: factors 4 and 8, transforms from four
// times the modulus to four times the modulus, and an adapter for its pool.
#include <algorithm>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "check.hpp"
#include "hexl/hexl.hpp"

namespace pool {

/// A pool that counts its blocks; handles to it are copied and moved.
class Pool {
 public:
  std::unique_ptr<unsigned char[]> get(std::size_t bytes) {
    ++blocks_given;
    bytes_given += bytes;
    return std::unique_ptr<unsigned char[]>(new unsigned char[bytes]);
  }
  std::size_t blocks_given = 0;
  std::size_t bytes_given = 0;
  std::size_t blocks_returned = 0;
};

class PoolHandle {
 public:
  explicit PoolHandle(std::shared_ptr<Pool> pool) : pool_(std::move(pool)) {}
  operator Pool&() const { return *pool_; }
  explicit operator bool() const { return pool_ != nullptr; }

 private:
  std::shared_ptr<Pool> pool_;
};

/// Locks an allocator. It can be moved, but not copied.
class LockPolicy {
 public:
  LockPolicy() : mutex_(std::make_unique<std::mutex>()) {}
  std::unique_lock<std::mutex> lock() {
    if (!mutex_) throw std::logic_error("the policy was moved away");
    return std::unique_lock<std::mutex>(*mutex_);
  }

 private:
  std::unique_ptr<std::mutex> mutex_;
};

}  // namespace pool

namespace intel {
namespace hexl {

template <>
struct NTT::AllocatorAdapter<pool::PoolHandle>
    : public AllocatorInterface<NTT::AllocatorAdapter<pool::PoolHandle>> {
  AllocatorAdapter(pool::PoolHandle handle) : handle_(std::move(handle)) {}

  void* allocate_impl(std::size_t bytes_count) {
    blocks_.push_back(static_cast<pool::Pool&>(handle_).get(bytes_count));
    return blocks_.back().get();
  }
  void deallocate_impl(void* p, std::size_t) {
    const auto found = std::find_if(blocks_.begin(), blocks_.end(),
                                    [p](const auto& block) { return block.get() == p; });
    if (found == blocks_.end()) throw std::logic_error("a block of another allocator");
    blocks_.erase(found);
    ++static_cast<pool::Pool&>(handle_).blocks_returned;
  }

 private:
  pool::PoolHandle handle_;
  std::vector<std::unique_ptr<unsigned char[]>> blocks_;
};

template <>
struct NTT::AllocatorAdapter<pool::PoolHandle, pool::LockPolicy>
    : public AllocatorInterface<NTT::AllocatorAdapter<pool::PoolHandle, pool::LockPolicy>> {
  AllocatorAdapter(pool::PoolHandle handle, pool::LockPolicy&& policy)
      : plain_(std::move(handle)), policy_(std::move(policy)) {}

  void* allocate_impl(std::size_t bytes_count) {
    const auto locked = policy_.lock();
    return plain_.allocate_impl(bytes_count);
  }
  void deallocate_impl(void* p, std::size_t bytes_count) {
    const auto locked = policy_.lock();
    plain_.deallocate_impl(p, bytes_count);
  }

 private:
  NTT::AllocatorAdapter<pool::PoolHandle> plain_;
  pool::LockPolicy policy_;
};

}  // namespace hexl
}  // namespace intel

namespace {

using intel::hexl::NTT;

std::shared_ptr<pool::Pool> shared_pool = std::make_shared<pool::Pool>();

/// Returns a copy of a transform from a map that readers share.
NTT transform(std::size_t n, std::uint64_t q, std::uint64_t root) {
  static std::unordered_map<std::pair<std::uint64_t, std::uint64_t>, NTT, PairHash> cache;
  static std::shared_mutex mutex;
  std::pair<std::uint64_t, std::uint64_t> key{n, q};
  {
    const std::shared_lock<std::shared_mutex> reader(mutex);
    const auto found = cache.find(key);
    if (found != cache.end()) return found->second;
  }
  const std::unique_lock<std::shared_mutex> writer(mutex);
  auto found = cache.find(key);
  if (found == cache.end()) {
    NTT made(n, q, root, pool::PoolHandle(shared_pool), pool::LockPolicy{});
    found = cache.emplace(std::move(key), std::move(made)).first;
  }
  return found->second;
}

void multiply_polynomials(std::size_t n, std::uint64_t q) {
  const std::uint64_t root = intel::hexl::MinimalPrimitiveRoot(2 * n, q);
  const Words a = random_words(n, 4 * q);
  const Words b = random_words(n, q);
  Words x = a;
  Words y = b;
  transform(n, q, root).ComputeForward(x.data(), x.data(), 4, 4);
  transform(n, q, root).ComputeForward(y.data(), y.data(), 4, 1);
  check(all_are(y, [&](std::size_t i) { return y[i] % q; }), "forward (4, 1) reduces");
  intel::hexl::EltwiseMultMod(x.data(), x.data(), y.data(), n, q, 4);
  y = x;
  transform(n, q, root).ComputeInverse(x.data(), x.data(), 2, 1);
  check(x == schoolbook_product(a, b, q), "product by transforms (4, 4), (4, 1), (2, 1)");
  transform(n, q, root).ComputeInverse(y.data(), y.data(), 2, 2);
  check(all_are(y, [&](std::size_t i) { return y[i] < 2 * q && y[i] % q == x[i] ? y[i] : ~y[i]; }),
        "inverse (2, 2) agrees with (2, 1)");
}

void multiply_by_scalar(std::size_t n, std::uint64_t q) {
  const Words a = random_words(n, 8 * q);
  const std::uint64_t scalar = generator()() % q;
  Words result(n);
  intel::hexl::EltwiseFMAMod(result.data(), a.data(), scalar, nullptr, n, q, 8);
  check(all_are(result, [&](std::size_t i) { return times(a[i], scalar, q); }),
        "multiply-add with factor 8 and no addend");
}

void sums_and_reduction(std::size_t n, std::uint64_t q) {
  const Words a = random_words(n, q);
  const Words b = random_words(n, q);
  Words result(n);
  intel::hexl::EltwiseAddMod(result.data(), a.data(), b.data(), n, q);
  check(all_are(result, [&](std::size_t i) { return plus(a[i], b[i], q); }), "sum");
  intel::hexl::EltwiseAddMod(result.data(), a.data(), q - 1, n, q);
  check(all_are(result, [&](std::size_t i) { return plus(a[i], q - 1, q); }), "sum with a scalar");
  intel::hexl::EltwiseSubMod(result.data(), a.data(), b.data(), n, q);
  check(all_are(result, [&](std::size_t i) { return minus(a[i], b[i], q); }), "difference");
  intel::hexl::EltwiseSubMod(result.data(), a.data(), q - 1, n, q);
  check(all_are(result, [&](std::size_t i) { return minus(a[i], q - 1, q); }),
        "difference with a scalar");
  const Words any = random_words(n, 0);
  intel::hexl::EltwiseReduceMod(result.data(), any.data(), n, q, q, 1);
  check(all_are(result, [&](std::size_t i) { return any[i] % q; }), "any words reduced");
}

void adapters_are_used() {
  check(shared_pool->bytes_given > 0, "transforms take their memory from the pool");
  check(shared_pool->blocks_returned < shared_pool->blocks_given, "and keep it");
  auto own = std::make_shared<pool::Pool>();
  {
    const std::uint64_t q = intel::hexl::GeneratePrimes(1, 40, true, 64)[0];
    const NTT single(64, q, pool::PoolHandle(own));
    check(own->bytes_given >= 64 * sizeof(std::uint64_t), "an adapter without a policy is used");
  }
  check(own->blocks_returned == own->blocks_given, "memory goes back to the pool");
}

}  // namespace

void call_as_seal() {
  for (const std::size_t n : {8, 64, 256}) {
    for (const std::size_t bits : {30, 49, 54, 60}) {
      const std::uint64_t q = intel::hexl::GeneratePrimes(1, bits - 1, true, n)[0];
      multiply_polynomials(n, q);
      multiply_by_scalar(n + 3, q);
      sums_and_reduction(n + 5, q);
    }
  }
  adapters_are_used();
}
