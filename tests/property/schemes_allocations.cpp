// SPDX-License-Identifier: Apache-2.0
// Operations that have run before ask the system for no memory, and need little more than their
// operands and results. This program's operator new and its allocator for OpenSSL count.

#include <openssl/crypto.h>

#include "unit/schemes/operations.hpp"

// ThreadSanitizer has an operator new of its own that a program cannot replace.
#define RINGLET_TEST_COUNTS_NEW (RINGLET_TEST_THREAD_SANITIZED == 0)

namespace ringlet::test {
namespace {

std::atomic<std::size_t> allocations{0};
std::atomic<std::size_t> openssl_allocations{0};

void* count_openssl_malloc(std::size_t bytes, const char*, int) {
  ++openssl_allocations;
  return std::malloc(bytes);
}
void* count_openssl_realloc(void* block, std::size_t bytes, const char*, int) {
  ++openssl_allocations;
  return std::realloc(block, bytes);
}
void openssl_free(void* block, const char*, int) { std::free(block); }

// OpenSSL refuses this once it has allocated anything.
const bool kCountsOpenSsl =
    CRYPTO_set_mem_functions(count_openssl_malloc, count_openssl_realloc, openssl_free) == 1;

}  // namespace
}  // namespace ringlet::test

#if RINGLET_TEST_COUNTS_NEW
namespace {

void* counted(void* block) {
  ++ringlet::test::allocations;
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
  return counted(std::malloc(size == 0 ? 1 : size));
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto align = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(align, (size + align - 1) / align * align));
}
[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  std::free(block);
}
#endif

namespace ringlet::test {
namespace {

struct NamedCall {
  std::string name;
  std::function<void()> run;
};

constexpr std::size_t kDegree = 2048;

ExactShape shape_of(std::size_t data_primes, std::size_t special_primes) {
  return {kDegree, PlainModulus::batching(kDegree, 20).value(), std::vector<int>(data_primes, 45),
          std::vector<int>(special_primes, 45)};
}

/// Every operation, with destinations that are used again.
class Allocations : public ::testing::TestWithParam<std::tuple<SchemeType, ExactShape>> {
 protected:
  std::vector<NamedCall> calls() {
    std::vector<NamedCall> all = coding();
    all.push_back({"encrypt", [&] { encryptor_.encrypt(bench_.plaintext, world_.a); }});
    all.push_back(
        {"encrypt_symmetric", [&] { encryptor_.encrypt_symmetric(bench_.plaintext, world_.b); }});
    all.push_back({"decrypt", [&] { decrypted_ = bench_.decryptor.decrypt(world_.a); }});
    all.push_back({"apply_galois of two keys", [&] { rotate(3); }});
    for (const Operation& operation : operations_of(bench_.context)) {
      if (operation.has(Operation::takes_list) || operation.has(Operation::is_composed)) continue;
      const bool takes_product = operation.has(Operation::relinearizes);
      all.push_back({operation.name, [this, takes_product, operation] {
                       if (takes_product) std::swap(world_.a, product_);
                       operation.call(bench_.evaluator, world_, result_);
                       if (takes_product) std::swap(world_.a, product_);
                     }});
    }
    return all;
  }

  void SetUp() override {
    // Holds few keys and little else beside the operands: the test of the peak depends on it.
    world_.destination = Ciphertext();
    bench_.evaluator.multiply(world_.a, world_.b, product_);
    bench_.galois_keys = bench_.keygen.create_galois_keys(std::vector<int>{0, 1, -1, 4});
    world_.galois = bench_.galois_keys;
  }

  SchemeBench bench_{exact_context(std::get<0>(GetParam()), std::get<1>(GetParam()))};

 private:
  std::vector<NamedCall> coding() {
    if (bench_.is_ckks) {
      const auto encoder = std::make_shared<const CKKSEncoder>(bench_.context);
      return {{"encode",
               [=, this] {
                 encoder->encode(std::span<const double>(numbers_), SchemeBench::kScale, encoded_);
               }},
              {"decode", [=, this] {
                 encoder->decode(bench_.plaintext, std::span<double>(decoded_numbers_));
               }}};
    }
    const auto encoder = std::make_shared<const BatchEncoder>(bench_.context);
    return {
        {"encode",
         [=, this] { encoder->encode(std::span<const std::uint64_t>(words_), encoded_); }},
        {"decode", [=, this] { encoder->decode(bench_.plaintext, std::span(decoded_words_)); }}};
  }
  void rotate(int steps) {
    const Evaluator& e = bench_.evaluator;
    bench_.is_ckks ? e.rotate_vector(world_.a, steps, world_.galois, result_)
                   : e.rotate_rows(world_.a, steps, world_.galois, result_);
  }

  // Uses the system's randomness: the randomness for tests allocates.
  const Encryptor encryptor_{bench_.context, bench_.keygen.create_public_key(),
                             bench_.keygen.secret_key()};
  World world_ = bench_.world();
  Ciphertext product_;
  Plaintext encoded_, decrypted_;
  Ciphertext result_;
  std::vector<double> numbers_ = std::vector<double>(kDegree / 2, 0.25);
  std::vector<double> decoded_numbers_ = numbers_;
  Words words_ = Words(kDegree, 3);
  Words decoded_words_ = words_;
};

TEST_P(Allocations, NoneAfterWarmUp) {
  if (!RINGLET_TEST_COUNTS_NEW) GTEST_SKIP() << "operator new belongs to the sanitizer";
  ASSERT_TRUE(kCountsOpenSsl) << "OpenSSL allocated before this program could count";
  const std::vector<NamedCall> all = calls();
  for (int i = 0; i < 2; ++i) {
    for (const NamedCall& call : all) call.run();
  }
  for (const NamedCall& call : all) {
    const std::size_t before = allocations;
    const std::size_t openssl_before = openssl_allocations;
    call.run();
    EXPECT_EQ(allocations - before, 0u) << call.name;
    EXPECT_EQ(openssl_allocations - openssl_before, 0u) << call.name;
  }
}

TEST_P(Allocations, TheCountSeesOne) {
  if (!RINGLET_TEST_COUNTS_NEW) GTEST_SKIP() << "operator new belongs to the sanitizer";
  const std::size_t before = allocations;
  const auto word = std::make_unique<std::uint64_t>(1);
  asm volatile("" : : "r"(word.get()) : "memory");  // the compiler must not drop it
  const std::size_t openssl_before = openssl_allocations;
  OPENSSL_free(OPENSSL_malloc(1));
  EXPECT_EQ(allocations - before, 1u);
  EXPECT_EQ(openssl_allocations - openssl_before, 1u);
}

// The pool holds keys, operands and results at the same time.
TEST_P(Allocations, ThePeakIsWithinAQuarterOfWhatIsHeld) {
  const std::vector<NamedCall> all = calls();
  for (const NamedCall& call : all) call.run();
  HostPool& pool = *bench_.context.first_context_data()->pool();
  for (const NamedCall& call : all) {
    pool.reset_peak();
    call.run();
    const HostPoolStatistics after = pool.statistics();
    EXPECT_LE(static_cast<double>(after.peak_bytes_in_use),
              1.25 * static_cast<double>(after.bytes_in_use))
        << call.name;
  }
}

std::string name_of(const ::testing::TestParamInfo<Allocations::ParamType>& test) {
  const auto& [scheme, shape] = test.param;
  return std::string(to_string(scheme)) + "_" + std::to_string(shape.data.size()) + "_" +
         std::to_string(shape.special.size());
}

// Digits of one prime, then of two primes.
INSTANTIATE_TEST_SUITE_P(Schemes, Allocations,
                         ::testing::Combine(kEveryScheme,
                                            ::testing::Values(shape_of(4, 1), shape_of(6, 2))),
                         name_of);

}  // namespace
}  // namespace ringlet::test
