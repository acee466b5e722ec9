// SPDX-License-Identifier: Apache-2.0
// Operations that have run before ask the system for no memory, and need little more than what they
// read and write. This program's operator new, and the allocator that it gives to OpenSSL, count.

#include <openssl/crypto.h>

#include "ringlet/ringlet.hpp"
#include "support/test.hpp"

// ThreadSanitizer brings an operator new of its own that a program cannot replace.
#define RINGLET_TEST_COUNTS_NEW 1
#if defined(__SANITIZE_THREAD__)
#undef RINGLET_TEST_COUNTS_NEW
#define RINGLET_TEST_COUNTS_NEW 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#undef RINGLET_TEST_COUNTS_NEW
#define RINGLET_TEST_COUNTS_NEW 0
#endif
#endif

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

// Refused once OpenSSL has allocated anything.
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

struct NamedOperation {
  std::string name;
  std::function<void()> run;
};

/// One digit per prime, or digits of two primes.
struct Shape {
  SchemeType scheme;
  std::size_t data_primes;
  std::size_t special_primes;
};

void PrintTo(const Shape& shape, std::ostream* out) {
  *out << to_string(shape.scheme) << ", " << shape.data_primes << " + " << shape.special_primes
       << " primes";
}

std::string shape_name(const ::testing::TestParamInfo<Shape>& info) {
  return std::string(to_string(info.param.scheme)) + "_" + std::to_string(info.param.data_primes) +
         "_" + std::to_string(info.param.special_primes);
}

constexpr std::size_t kDegree = 2048;
constexpr double kScale = 0x1p30;

Context make_context(const Shape& shape) {
  EncryptionParameters parms(shape.scheme);
  parms.set_poly_modulus_degree(kDegree);
  const auto primes =
      CoeffModulus::create(kDegree, std::vector<int>(shape.data_primes + shape.special_primes, 45));
  const auto special = primes.begin() + static_cast<std::ptrdiff_t>(shape.data_primes);
  parms.set_coeff_modulus({primes.begin(), special}, {special, primes.end()});
  if (shape.scheme != SchemeType::ckks) {
    parms.set_plain_modulus(PlainModulus::batching(kDegree, 20));
  }
  return Context(parms, SecurityLevel::none);
}

/// Operands of every operation, and destinations that are used again and again.
struct Work {
  explicit Work(const Shape& shape)
      : context(make_context(shape)),
        keygen(context),
        relin(keygen.create_relin_keys()),
        galois(keygen.create_galois_keys(std::vector<int>{1, -1, 4})),
        encryptor(context, keygen.create_public_key(), keygen.secret_key()),
        decryptor(context, keygen.secret_key()),
        evaluator(context) {}

  std::vector<NamedOperation> common();
  std::vector<NamedOperation> ckks();
  std::vector<NamedOperation> exact();

  Context context;
  KeyGenerator keygen;
  RelinKeys relin;
  GaloisKeys galois;
  Encryptor encryptor;
  Decryptor decryptor;
  Evaluator evaluator;
  Plaintext plain, decrypted;
  Ciphertext a, b, product, result;
};

std::vector<NamedOperation> Work::common() {
  return {
      {"encrypt", [this] { encryptor.encrypt(plain, a); }},
      {"encrypt_symmetric", [this] { encryptor.encrypt_symmetric(plain, b); }},
      {"negate", [this] { evaluator.negate(a, result); }},
      {"add", [this] { evaluator.add(a, b, result); }},
      {"sub", [this] { evaluator.sub(a, b, result); }},
      {"add_plain", [this] { evaluator.add_plain(a, plain, result); }},
      {"multiply_plain", [this] { evaluator.multiply_plain(a, plain, result); }},
      {"multiply", [this] { evaluator.multiply(a, b, product); }},
      {"square", [this] { evaluator.square(a, product); }},
      {"relinearize", [this] { evaluator.relinearize(product, relin, result); }},
      {"mod_switch", [this] { evaluator.mod_switch_to_next(a, result); }},
      {"decrypt", [this] { decrypted = decryptor.decrypt(a); }},
  };
}

std::vector<NamedOperation> Work::ckks() {
  const auto encoder = std::make_shared<const CKKSEncoder>(context);
  const auto values = std::make_shared<std::vector<double>>(encoder->slot_count(), 0.25);
  const auto decoded = std::make_shared<std::vector<double>>(encoder->slot_count());
  std::vector<NamedOperation> operations{
      {"encode", [=, this] { encoder->encode(std::span<const double>(*values), kScale, plain); }}};
  const std::vector<NamedOperation> others = common();
  operations.insert(operations.end(), others.begin(), others.end());
  const std::vector<NamedOperation> own{
      {"rescale", [this] { evaluator.rescale_to_next(product, result); }},
      {"relinearize_and_rescale",
       [this] { evaluator.relinearize_and_rescale_to_next(product, relin, result); }},
      {"rotate_vector", [this] { evaluator.rotate_vector(a, 1, galois, result); }},
      {"rotate_vector in two steps", [this] { evaluator.rotate_vector(a, 3, galois, result); }},
      {"decode", [=, this] { encoder->decode(decrypted, std::span<double>(*decoded)); }},
  };
  operations.insert(operations.end(), own.begin(), own.end());
  return operations;
}

std::vector<NamedOperation> Work::exact() {
  const auto encoder = std::make_shared<const BatchEncoder>(context);
  const auto values = std::make_shared<std::vector<std::uint64_t>>(encoder->slot_count(), 3);
  const auto decoded = std::make_shared<std::vector<std::uint64_t>>(encoder->slot_count());
  std::vector<NamedOperation> operations{
      {"encode", [=, this] { encoder->encode(std::span<const std::uint64_t>(*values), plain); }}};
  const std::vector<NamedOperation> others = common();
  operations.insert(operations.end(), others.begin(), others.end());
  const std::vector<NamedOperation> own{
      {"rotate_rows", [this] { evaluator.rotate_rows(a, 1, galois, result); }},
      {"decode", [=, this] { encoder->decode(decrypted, std::span<std::uint64_t>(*decoded)); }},
  };
  operations.insert(operations.end(), own.begin(), own.end());
  return operations;
}

class Allocations : public ::testing::TestWithParam<Shape> {
 protected:
  Allocations() : work_(GetParam()) {}
  std::vector<NamedOperation> operations() {
    return GetParam().scheme == SchemeType::ckks ? work_.ckks() : work_.exact();
  }
  Work work_;
};

TEST_P(Allocations, NoneAfterWarmUp) {
  if (!RINGLET_TEST_COUNTS_NEW) GTEST_SKIP() << "operator new belongs to the sanitizer";
  ASSERT_TRUE(kCountsOpenSsl) << "OpenSSL allocated before this program could count";
  const std::vector<NamedOperation> all = operations();
  for (int i = 0; i < 2; ++i) {
    for (const NamedOperation& operation : all) operation.run();
  }
  for (const NamedOperation& operation : all) {
    const std::size_t before = allocations;
    const std::size_t openssl_before = openssl_allocations;
    operation.run();
    EXPECT_EQ(allocations - before, 0u) << operation.name;
    EXPECT_EQ(openssl_allocations - openssl_before, 0u) << operation.name;
  }
}

TEST_P(Allocations, TheCountSeesOne) {
  if (!RINGLET_TEST_COUNTS_NEW) GTEST_SKIP() << "operator new belongs to the sanitizer";
  const std::size_t before = allocations;
  const auto word = std::make_unique<std::uint64_t>(1);
  asm volatile("" : : "r"(word.get()) : "memory");  // it must not be left out
  const std::size_t openssl_before = openssl_allocations;
  OPENSSL_free(OPENSSL_malloc(1));
  EXPECT_EQ(allocations - before, 1u);
  EXPECT_EQ(openssl_allocations - openssl_before, 1u);
}

// With keys, operands and results in the pool, all of it at once.
TEST_P(Allocations, ThePeakIsWithinThreeTenthsOfWhatIsHeld) {
  const std::vector<NamedOperation> all = operations();
  for (const NamedOperation& operation : all) operation.run();
  HostPool& pool = *work_.context.first_context_data()->pool();
  for (const NamedOperation& operation : all) {
    pool.reset_peak();
    operation.run();
    const HostPoolStatistics after = pool.statistics();
    EXPECT_LE(static_cast<double>(after.peak_bytes_in_use),
              1.3 * static_cast<double>(after.bytes_in_use))
        << operation.name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Schemes, Allocations,
    ::testing::Values(Shape{SchemeType::ckks, 4, 1}, Shape{SchemeType::ckks, 6, 2},
                      Shape{SchemeType::bfv, 4, 1}, Shape{SchemeType::bfv, 6, 2},
                      Shape{SchemeType::bgv, 4, 1}, Shape{SchemeType::bgv, 6, 2}),
    shape_name);

}  // namespace
}  // namespace ringlet::test
