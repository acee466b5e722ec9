// SPDX-License-Identifier: Apache-2.0
//
// ringlet_check_wide_planner
//
// Does ProductWay::automatic take the fastest way? For rings of many degrees, moduli of several
// widths and every table of this processor, all ways are timed in turn, and the estimate's choice
// is compared with the fastest. The exit status is 1 if it stays slower by more than 8 % and 0.3
// microseconds. Run it on a quiet machine.

#include "in_turn.hpp"
#include "ringlet/fv/wide_product.hpp"
#include "ringlet/kernels/kernel_selection.hpp"

namespace ringlet::bench {
namespace {

constexpr double kAllowedRatio = 1.08;
constexpr double kAllowedMicroseconds = 0.3;
constexpr double kHopelessRatio = 2;
constexpr double kBlockMicroseconds = 100;
constexpr int kBlocks = 12;
constexpr std::size_t kLeastBlocks = 4;
constexpr int kRetries = 4;
constexpr int kWidths[] = {20, 45, 60, 100, 125, 135};
constexpr std::uint64_t kRings[] = {7,   11,  21,  31,  64,   105,  97,   128,  193,
                                    255, 256, 397, 512, 1024, 1365, 2048, 2783, 3485};
constexpr ProductWay kWays[] = {ProductWay::ntt, ProductWay::karatsuba, ProductWay::additions};
constexpr std::size_t kMaxAdditionsDegree = 512;

/// One way and its operands.
struct Candidate {
  Candidate(const CyclotomicPolynomial& polynomial, const WideModulus& q, ProductWay way,
            const KernelSelection& selection)
      : product(polynomial, q, way, selection),
        prepared(product.prepare(WidePoly(polynomial.degree(), q.word_count()))),
        u(polynomial.degree(), 1),
        e(polynomial.degree(), 3) {}

  void run() {
    const std::span<const std::int8_t> small = u;
    const std::span<const std::int32_t> summand = e;
    product.multiply_add({&result, 1}, *prepared, {&small, 1}, {&summand, 1});
  }

  WideProduct product;
  std::shared_ptr<const PreparedWidePoly> prepared;
  std::vector<std::int8_t> u;
  std::vector<std::int32_t> e;
  WidePoly result;
};

struct Timed {
  Candidate candidate;
  std::vector<double> samples = {};
  double time() const { return *std::ranges::min_element(samples); }
};

/// Several blocks decide whether a way is hopeless; such a way is not timed further.
void time_in_turn(std::vector<Timed>& all) {
  for (int block = 0; block < kBlocks; ++block) {
    const bool is_known = all.front().samples.size() >= kLeastBlocks;
    const double best = is_known ? std::ranges::min_element(all, {}, &Timed::time)->time() : 0;
    for (Timed& timed : all) {
      if (is_known && timed.time() > kHopelessRatio * best) continue;
      const auto call = [&timed] { timed.candidate.run(); };
      timed.samples.push_back(time_block(call, calls_per_block(call, kBlockMicroseconds)));
    }
  }
}

/// True unless the planner's way stays slower than allowed.
bool check(std::uint64_t index, int width, const std::string& table) {
  const CyclotomicPolynomial polynomial(index);
  const WideModulus q = WideModulus::largest_prime(width);
  const KernelSelection selection(table);
  const ProductWay taken = WideProduct(polynomial, q, ProductWay::automatic, selection).way();
  std::vector<Timed> all;
  for (const ProductWay way : kWays) {
    if (way == ProductWay::additions && polynomial.degree() > kMaxAdditionsDegree) continue;
    all.push_back({Candidate(polynomial, q, way, selection)});
  }
  for (int attempt = 0; attempt < kRetries; ++attempt) {
    time_in_turn(all);
    const double best = std::ranges::min_element(all, {}, &Timed::time)->time();
    const double time = std::ranges::find(all, taken, [](const Timed& timed) {
                          return timed.candidate.product.way();
                        })->time();
    if (time <= best * kAllowedRatio || time <= best + kAllowedMicroseconds) return true;
    if (attempt + 1 < kRetries) continue;
    std::printf("%s m=%llu n=%zu q=%d bits: %s takes %.2f us, the fastest %.2f us\n", table.c_str(),
                static_cast<unsigned long long>(index), polynomial.degree(), width,
                to_string(taken), time, best);
  }
  return false;
}

int run() {
  int rows = 0;
  int slow = 0;
  std::string last;
  for (const KernelInfo& kernel : kernel_catalog()) {
    if (!kernel.available || kernel.table == last) continue;
    last = kernel.table;
    for (const std::uint64_t index : kRings) {
      for (const int width : kWidths) {
        ++rows;
        slow += check(index, width, kernel.table) ? 0 : 1;
      }
    }
  }
  std::printf("%d of %d rows slower than allowed\n", slow, rows);
  return slow == 0 ? 0 : 1;
}

}  // namespace
}  // namespace ringlet::bench

int main() { return ringlet::bench::run(); }
