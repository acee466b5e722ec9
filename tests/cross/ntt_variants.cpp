// SPDX-License-Identifier: Apache-2.0
//
// Compares the transforms of every kernel of this processor, by its exact name, with those of
// scalar64/radix2, which other tests compare with FLINT. Prints a line for each. Moduli are primes
// just below and far below the kernel's limit; the kernel must refuse one just above. The last line
// names the kernel that a plan for 50 bits chooses by itself.
//
// usage: ringlet_ntt_variants [log2 of the largest degree]
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "ringlet/arith/primes.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/ntt/ntt.hpp"

namespace {

using Words = std::vector<std::uint64_t>;

constexpr int kMinLogDegree = 4;
constexpr int kMaxLogDegree = 16;

/// The closest prime that is 1 modulo `step`: below `from`, or not below it.
std::uint64_t next_prime(std::uint64_t from, std::uint64_t step, bool below) {
  std::uint64_t q = (from - 2) / step * step + 1;  // The largest candidate below `from`.
  if (!below) q += step;
  while (!ringlet::is_prime(q)) q = below ? q - step : q + step;
  return q;
}

/// Residues from Steele, Lea and Flood's SplitMix64, which gives the same words everywhere. The
/// largest residues come first.
Words inputs(std::size_t count, std::uint64_t range, std::uint64_t seed) {
  Words words(count);
  for (std::uint64_t& word : words) {
    std::uint64_t z = seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    word = (z ^ (z >> 31)) % range;
  }
  for (std::size_t i = 0; i < count / 4; ++i) words[i] = range - 1;
  return words;
}

bool are_congruent(const Words& lazy, const Words& reduced, std::uint64_t q, std::uint64_t range) {
  for (std::size_t i = 0; i < lazy.size(); ++i) {
    if (lazy[i] >= range || lazy[i] % q != reduced[i]) return false;
  }
  return true;
}

/// Whether both plans transform alike, from all input ranges to all output ranges.
bool agree(const ringlet::Ntt& plan, const ringlet::Ntt& reference) {
  const std::uint64_t q = plan.modulus().value();
  const std::size_t degree = plan.degree();
  Words expected(degree);
  Words values(degree);
  bool equal = true;
  for (const int factor : {1, 4}) {
    const Words a = inputs(degree, static_cast<unsigned>(factor) * q, q);
    reference.forward(expected, a, factor, 1);
    plan.forward(values, a, factor, 1);
    equal &= values == expected;
    plan.forward(values, a, factor, 4);
    equal &= are_congruent(values, expected, q, 4 * q);
    const ringlet::UnorderedValues unordered = plan.forward_unordered(values, a, factor, 1);
    Words ordered(degree);
    plan.to_bit_reversed(ordered, unordered);
    equal &= ordered == expected;
    Words back(degree);
    plan.inverse_unordered(back, unordered);
    reference.inverse(ordered);
    equal &= back == ordered;
  }
  for (const int factor : {1, 2}) {
    const Words a = inputs(degree, static_cast<unsigned>(factor) * q, q + 1);
    reference.inverse(expected, a, factor, 1);
    plan.inverse(values, a, factor, 1);
    equal &= values == expected;
    values = a;
    plan.inverse(values, values, factor, 2);
    equal &= are_congruent(values, expected, q, 2 * q);
  }
  return equal;
}

/// Whether two transforms at once give the same result as one after the other.
bool agree_on_two(const ringlet::Ntt& plan, const ringlet::Ntt& reference) {
  const std::uint64_t q = plan.modulus().value();
  const std::size_t degree = plan.degree();
  const Words a[2] = {inputs(degree, q, q + 2), inputs(degree, q, q + 3)};
  Words expected[2] = {Words(degree), Words(degree)};
  Words values[2] = {Words(degree), Words(degree)};
  for (int i = 0; i < 2; ++i) reference.forward(expected[i], a[i]);
  plan.forward_two({values[0], values[1]}, {a[0], a[1]});
  const bool equal = values[0] == expected[0] && values[1] == expected[1];
  plan.inverse_two({values[0], values[1]}, {expected[0], expected[1]});
  return equal && values[0] == a[0] && values[1] == a[1];
}

bool refuses(std::size_t degree, std::uint64_t q, const ringlet::KernelSelection& kernel) {
  try {
    const ringlet::Ntt plan(degree, ringlet::Modulus(q), kernel);
    return false;
  } catch (const ringlet::InvalidArgument&) {
    return true;
  }
}

/// Returns the number of failed checks.
int check_kernel(const ringlet::KernelInfo& info, int max_log_degree) {
  const ringlet::KernelSelection kernel(info.table + "/" + info.algorithm);
  const ringlet::KernelSelection reference("scalar64/radix2");
  int failures = 0;
  int transforms = 0;
  for (int n = kMinLogDegree; n <= max_log_degree; ++n) {
    const std::size_t degree = std::size_t{1} << n;
    if (degree < info.min_degree) continue;
    for (const std::uint64_t below :
         {info.modulus_limit, std::uint64_t{1} << 50, std::uint64_t{1} << 31}) {
      if (below > info.modulus_limit) continue;
      const std::uint64_t q = next_prime(below, 2 * degree, true);
      const ringlet::Ntt plan(degree, ringlet::Modulus(q), kernel);
      const ringlet::Ntt expected(degree, ringlet::Modulus(q), reference);
      const bool equal = agree(plan, expected) && agree_on_two(plan, expected);
      ++transforms;
      if (equal) continue;
      ++failures;
      std::printf("%s n=%zu q=%" PRIu64 ": WRONG\n", kernel.text().c_str(), degree, q);
    }
    const std::uint64_t above = next_prime(info.modulus_limit, 2 * degree, false);
    if (!refuses(degree, above, kernel)) {
      ++failures;
      std::printf("%s n=%zu q=%" PRIu64 ": NOT REFUSED\n", kernel.text().c_str(), degree, above);
    }
  }
  std::printf("%s: %d transforms, primes below %" PRIu64 "%s\n", kernel.text().c_str(), transforms,
              info.modulus_limit, failures == 0 ? "" : ", FAILED");
  return failures;
}

}  // namespace

int main(int argc, char** argv) {
  const int max_log_degree = argc > 1 ? std::atoi(argv[1]) : kMaxLogDegree;
  int failures = 0;
  for (const ringlet::KernelInfo& info : ringlet::kernel_catalog()) {
    const bool is_reference = info.table == "scalar64" && info.algorithm == "radix2";
    if (info.operation == "ntt" && info.available && !is_reference) {
      failures += check_kernel(info, max_log_degree);
    }
  }
  const ringlet::Ntt plan(1024, ringlet::generate_ntt_primes(50, 1024, 1)[0]);
  std::printf("default: %s\n", plan.kernel_name().c_str());
  return failures == 0 ? 0 : 1;
}
