// SPDX-License-Identifier: Apache-2.0
//
// Prints checksums of transforms and element-wise operations on fixed inputs. The program is built
// for other processors too; all must print the same lines as the native build, whose results other
// tests compare with FLINT. Results of double words are compared with tests/vectors/wide.
#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "ringlet/arith/primes.hpp"
#include "ringlet/kernels/eltwise.hpp"
#include "ringlet/ntt/ntt.hpp"
#include "support/reference/wide_vectors.hpp"

namespace {

using Words = std::vector<std::uint64_t>;

/// Residues from Steele, Lea and Flood's SplitMix64, which gives the same words everywhere.
Words inputs(std::size_t count, std::uint64_t q, std::uint64_t seed) {
  Words words(count);
  for (std::uint64_t& word : words) {
    std::uint64_t z = seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    word = (z ^ (z >> 31)) % q;
  }
  return words;
}

std::uint64_t checksum(const Words& words) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a over words
  for (const std::uint64_t word : words) hash = (hash ^ word) * 0x100000001b3u;
  return hash;
}

bool print_transform(std::size_t degree, const ringlet::Modulus& q) {
  const ringlet::Ntt ntt(degree, q);
  const Words a = inputs(degree, q.value(), degree);
  Words values(degree);
  ntt.forward(values, a);
  std::printf("ntt n=%zu q=%" PRIu64 " root=%" PRIu64 " %016" PRIx64 "\n", degree, q.value(),
              ntt.root_of_unity(), checksum(values));
  ntt.inverse(values);
  const bool inverted = values == a;
  const auto print = [&](const char* name) {
    std::printf("%s n=%zu q=%" PRIu64 " %016" PRIx64 "\n", name, degree, q.value(),
                checksum(values));
  };
  const Words b = inputs(degree, q.value(), degree + 1);
  ntt.multiply(values, a, b);
  print("ntt multiply");
  const std::array<ringlet::Ntt::Operand, 2> operands{a, b};
  const std::array<ringlet::Ntt::Operand, 2> keys{b, a};
  ntt.multiply_accumulate(values, operands, keys);
  print("ntt multiply_accumulate");
  return inverted;
}

/// Prints the checksum of each result under the name of its operation.
class EltwisePrinter {
 public:
  explicit EltwisePrinter(const ringlet::Modulus& q) : eltwise_(q), q_(q.value()) {}

  void print_sums() {
    print("add", [&] { eltwise_.add(result_, a_, b_); });
    print("add_scalar", [&] { eltwise_.add_scalar(result_, a_, scalar_); });
    print("subtract", [&] { eltwise_.subtract(result_, a_, b_); });
    print("subtract_scalar", [&] { eltwise_.subtract_scalar(result_, a_, scalar_); });
    print("negate", [&] { eltwise_.negate(result_, a_); });
  }

  void print_products() {
    print("multiply_add", [&] { eltwise_.multiply_add(result_, a_, b_, c_); });
    for (const int factor : {1, 2, 4, 8}) {
      if (q_ > ~std::uint64_t{0} / static_cast<unsigned>(factor)) break;
      const std::uint64_t range = static_cast<unsigned>(factor) * q_;
      const Words a = inputs(kCount, range, 5);
      const Words b = inputs(kCount, range, 6);
      if (factor <= 4) print("multiply", [&] { eltwise_.multiply(result_, a, b, factor); });
      print("multiply_scalar", [&] { eltwise_.multiply_scalar(result_, a, scalar_, factor); });
      print("multiply_scalar_add",
            [&] { eltwise_.multiply_scalar_add(result_, a, scalar_, b, factor); });
    }
    const std::array<ringlet::Eltwise::Operand, 3> terms{a_, b_, c_};
    const std::array<ringlet::Eltwise::Operand, 3> others{c_, a_, b_};
    print("multiply_accumulate", [&] { eltwise_.multiply_accumulate(result_, terms, others); });
    print("dot", [&] { result_.assign(kCount, eltwise_.dot(a_, b_)); });
  }

  void print_reductions() {
    const Words words = inputs(kCount, ~std::uint64_t{0}, 4);
    print("reduce", [&] { eltwise_.reduce(result_, words); });
    const Words doubled = inputs(kCount, 2 * q_, 7);
    print("reduce_range 2 1", [&] { eltwise_.reduce_range(result_, doubled, 2, 1); });
    if (q_ < std::uint64_t{1} << 62) {
      const Words fourfold = inputs(kCount, 4 * q_, 8);
      print("reduce_range 4 1", [&] { eltwise_.reduce_range(result_, fourfold, 4, 1); });
      print("reduce_range 4 2", [&] { eltwise_.reduce_range(result_, fourfold, 4, 2); });
    }
    for (int i = 0; i < ringlet::kComparisonCount; ++i) {
      const auto comparison = static_cast<ringlet::Comparison>(i);
      const std::uint64_t bound = words[static_cast<std::size_t>(i)];
      print("compare_add",
            [&] { eltwise_.compare_add(result_, words, comparison, bound, scalar_); });
      print("compare_subtract",
            [&] { eltwise_.compare_subtract(result_, words, comparison, bound, scalar_); });
    }
  }

 private:
  static constexpr std::size_t kCount = 1003;

  template <typename Call>
  void print(const char* name, Call call) {
    call();
    std::printf("%s q=%" PRIu64 " %016" PRIx64 "\n", name, q_, checksum(result_));
  }

  ringlet::Eltwise eltwise_;
  std::uint64_t q_;
  Words a_ = inputs(kCount, q_, 1);
  Words b_ = inputs(kCount, q_, 2);
  Words c_ = inputs(kCount, q_, 3);
  std::uint64_t scalar_ = c_[0];
  Words result_ = Words(kCount);
};

void print_eltwise(const ringlet::Modulus& q) {
  EltwisePrinter printer(q);
  printer.print_sums();
  if (q.bit_count() > ringlet::kMaxProductModulusBits) return;
  printer.print_products();
  printer.print_reductions();
}

/// Prints a line for each known answer. Returns whether all are right.
bool print_double_words() {
  bool right = true;
  for (const ringlet::test::WideCase& x :
       ringlet::test::read_wide_cases(RINGLET_SOURCE_DIR "/tests/vectors/wide/known_answers.txt")) {
    for (const bool pairs : {false, true}) {
      const auto result = ringlet::test::run_wide_case(x, pairs, ringlet::KernelSelection());
      const bool equal = result.has_value() && *result == x.field("result");
      right &= equal;
      std::printf("wide %s in %s, q=%s, %zu elements: %s\n", x.operation.c_str(),
                  pairs ? "pairs" : "planes", x.modulus().to_string().c_str(), x.field("a").size(),
                  equal ? "the known answer" : "WRONG");
    }
  }
  return right;
}

}  // namespace

int main() {
  bool inverted = true;
  for (const int bits : {30, 49, 50, 61, 62}) {
    for (std::size_t degree = 2; degree <= 4096; degree *= 2) {
      inverted &= print_transform(degree, ringlet::generate_ntt_primes(bits, degree, 1)[0]);
    }
    print_eltwise(ringlet::generate_ntt_primes(bits, 1024, 1)[0]);
  }
  for (const std::uint64_t q : {std::uint64_t{2}, std::uint64_t{1000}, std::uint64_t{1} << 40,
                                (std::uint64_t{1} << 62) - 1, (std::uint64_t{1} << 63) - 1}) {
    print_eltwise(ringlet::Modulus(q));
  }
  if (!inverted) std::puts("an inverse transform did not lead back");
  const bool known = print_double_words();
  if (!known) std::puts("double words differ from the known answers");
  return inverted && known ? 0 : 1;
}
