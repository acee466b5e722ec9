// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <utility>

#include "arith/wide_integer.hpp"
#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "kernels/select.hpp"
#include "ntt/wide_checks.hpp"
#include "ntt/wide_roots.hpp"
#include "ringlet/base/aligned.hpp"

namespace ringlet {

using kernels::DoubleResidues;

namespace {

constexpr const char* kPrimeRemedy = "generate a wide prime for the degree";

/// log2 of the order of the root that a ring of this degree needs.
int log_order(std::size_t degree, WideRing ring) {
  return std::countr_zero(degree) + (ring == WideRing::negacyclic ? 1 : 0);
}

int twos(uint128_t x) {
  return low_word(x) != 0 ? std::countr_zero(low_word(x)) : 64 + std::countr_zero(high_word(x));
}

void check_prime(const WideModulus& q) {
  check_double_modulus(q);
  if (wide::is_probable_prime(q.value())) return;
  refuse(concat("modulus = ", q.to_string(), ", composite"), "primes", kPrimeRemedy);
}

void check_request(std::size_t degree, const WideModulus& q, WideRing ring) {
  if (!std::has_single_bit(degree) || degree < kMinWideNttDegree || degree > kMaxWideNttDegree) {
    refuse(concat("degree = ", degree),
           concat("powers of two from ", kMinWideNttDegree, " to ", kMaxWideNttDegree),
           "choose a power of two in that range");
  }
  check_prime(q);
  if (log_order(degree, ring) <= twos(to_double(q) - 1)) return;
  const bool negacyclic = ring == WideRing::negacyclic;
  refuse(concat("degree = ", degree, " for modulus = ", q.to_string()),
         concat("the longest ", negacyclic ? "negacyclic" : "cyclic",
                " transform of this modulus has length ",
                std::size_t{1} << longest_transform_log2(q, ring)),
         concat("generate a wide prime that is 1 mod ", degree * (negacyclic ? 2 : 1)));
}

void check_root(const DoubleWord& root, int log_order, const DoubleResidues& residues) {
  const uint128_t value = join_words(root[0], root[1]);
  if (value < residues.modulus() && residues.has_order(value, log_order)) return;
  refuse(concat("root_of_unity = ", decimal_digits(value)),
         concat("elements of order 2^", log_order, " modulo ", decimal_digits(residues.modulus())),
         "leave the root out to use the smallest one");
}

}  // namespace

uint128_t minimal_double_root(int log_order, const DoubleResidues& residues) {
  const uint128_t cofactor = (residues.modulus() - 1) >> log_order;
  uint128_t root = 0;
  for (uint128_t candidate = 2; root == 0; ++candidate) {
    const uint128_t power = residues.power(candidate, cofactor);
    if (residues.has_order(power, log_order)) root = power;
  }
  // The other elements of this order are the odd powers of `root`.
  const uint128_t square = residues.multiply(root, root);
  uint128_t smallest = root;
  for (std::size_t i = std::size_t{1} << (log_order - 1); i > 1; --i) {
    root = residues.multiply(root, square);
    smallest = std::min(smallest, root);
  }
  return smallest;
}

int longest_transform_log2(const WideModulus& q, WideRing ring) {
  public_entry("longest_transform_log2", [&] { check_prime(q); });
  return twos(to_double(q) - 1) - (ring == WideRing::negacyclic ? 1 : 0);
}

class WideNtt::Plan {
 public:
  /// The caller has checked the arguments.
  Plan(std::size_t degree, const WideModulus& q, WideRing ring, uint128_t root,
       const KernelSelection& selection)
      : degree_(degree),
        modulus_(q),
        ring_(ring),
        root_{low_word(root), high_word(root)},
        chosen_(kernels::choose_wide(q.value().data(), selection)),
        kernel_name_(chosen_.name()),
        table_(chosen_.kernel->table_bytes(std::countr_zero(degree)) / sizeof(std::uint64_t)) {
    chosen_.kernel->build_table(table_.data(), {.log_degree = std::countr_zero(degree),
                                                .cyclic = ring == WideRing::cyclic,
                                                .q = {q.value()[0], q.value()[1]},
                                                .root = {root_[0], root_[1]}});
  }

  using Transform = void (*)(const kernels::WideNttArguments&, const void*);

  void run(Transform transform, const WideResult& result, const WideOperand& operand,
           std::span<std::uint64_t> scratch) const {
    check_wide_vectors(degree_, {"result", result}, {{"operand", operand}});
    if (scratch.empty()) {
      SecretVector<std::uint64_t> memory(scratch_words());
      chosen_.counter.count();
      transform({to_words(result), to_words(operand), memory.data()}, table_.data());
      return;
    }
    check_scratch(result, operand, scratch);
    chosen_.counter.count();
    transform({to_words(result), to_words(operand), scratch.data()}, table_.data());
  }

  std::size_t degree() const noexcept { return degree_; }
  const WideModulus& modulus() const noexcept { return modulus_; }
  WideRing ring() const noexcept { return ring_; }
  DoubleWord root() const noexcept { return root_; }
  const kernels::WideKernel& kernel() const noexcept { return *chosen_.kernel; }
  const std::string& kernel_name() const noexcept { return kernel_name_; }
  std::size_t scratch_words() const noexcept {
    return chosen_.kernel->scratch_words(std::countr_zero(degree_));
  }
  std::size_t table_bytes() const noexcept { return table_.size() * sizeof(std::uint64_t); }

 private:
  void check_scratch(const WideResult& result, const WideOperand& operand,
                     std::span<const std::uint64_t> scratch) const {
    if (scratch.size() < scratch_words()) {
      refuse(concat("scratch has ", scratch.size(), " words"),
             concat("at least ", scratch_words(), " words"), "pass a longer scratch, or none");
    }
    const auto address = reinterpret_cast<std::uintptr_t>(scratch.data());
    if (address == 0 || address % kAlignment != 0) {
      refuse(concat("scratch starts at address ", hex(address)),
             concat("addresses that are multiples of ", kAlignment, ", not null"),
             "pass aligned memory, or none");
    }
    if (have_common_words(result, scratch) || have_common_words(operand, scratch)) {
      refuse("scratch overlaps another vector of the call", "no word in common",
             "pass separate memory as scratch, or none");
    }
  }

  std::size_t degree_;
  WideModulus modulus_;
  WideRing ring_;
  DoubleWord root_;
  kernels::Chosen<kernels::WideKernel> chosen_;
  std::string kernel_name_;
  AlignedVector<std::uint64_t> table_;
};

WideNtt::WideNtt(std::size_t degree, const WideModulus& q, WideRing ring,
                 const KernelSelection& selection) {
  public_entry("WideNtt", [&] {
    check_request(degree, q, ring);
    const uint128_t root =
        minimal_double_root(log_order(degree, ring), DoubleResidues(to_double(q)));
    plan_ = std::make_shared<const Plan>(degree, q, ring, root, selection);
  });
}

WideNtt::WideNtt(std::size_t degree, const WideModulus& q, WideRing ring, DoubleWord root_of_unity,
                 const KernelSelection& selection) {
  public_entry("WideNtt", [&] {
    check_request(degree, q, ring);
    check_root(root_of_unity, log_order(degree, ring), DoubleResidues(to_double(q)));
    plan_ = std::make_shared<const Plan>(degree, q, ring,
                                         join_words(root_of_unity[0], root_of_unity[1]), selection);
  });
}

void WideNtt::forward(WideResult result, WideOperand operand,
                      std::span<std::uint64_t> scratch) const {
  public_entry("WideNtt::forward",
               [&] { plan_->run(plan_->kernel().forward, result, operand, scratch); });
}

void WideNtt::inverse(WideResult result, WideOperand operand,
                      std::span<std::uint64_t> scratch) const {
  public_entry("WideNtt::inverse",
               [&] { plan_->run(plan_->kernel().inverse, result, operand, scratch); });
}

std::size_t WideNtt::degree() const noexcept { return plan_->degree(); }
const WideModulus& WideNtt::modulus() const noexcept { return plan_->modulus(); }
WideRing WideNtt::ring() const noexcept { return plan_->ring(); }
DoubleWord WideNtt::root_of_unity() const noexcept { return plan_->root(); }
const std::string& WideNtt::kernel_name() const noexcept { return plan_->kernel_name(); }
std::size_t WideNtt::scratch_words() const noexcept { return plan_->scratch_words(); }
std::size_t WideNtt::table_bytes() const noexcept { return plan_->table_bytes(); }

}  // namespace ringlet
