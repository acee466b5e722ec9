// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/rlwe/context.hpp"
#include "support/devices/forwarding_backend.hpp"
#include "support/test.hpp"

namespace ringlet::test {

/// Forwards to the processor's backend and counts key switches.
class KeySwitchCounter final : public ForwardingBackend {
 public:
  explicit KeySwitchCounter(const RnsBasis& basis) : ForwardingBackend(make_cpu_backend(basis)) {}

  std::string name() const override { return "counting key switches"; }
  void do_multiply_digits_by_key(NttView sum_b, NttView sum_a, const KeySwitchSource& source,
                                 const PreparedKey& key, PrimeIndices targets) const override {
    ++count_;
    ForwardingBackend::do_multiply_digits_by_key(sum_b, sum_a, source, key, targets);
  }
  /// Several images of one polynomial meet their keys prime by prime: counts the first prime.
  void do_key_inner_product(NttView sum_b, NttView sum_a, ConstViews lifted_digits,
                            const KeyTerms& terms, PrimeIndices primes) const override {
    if (primes.front() == 0) ++count_;
    ForwardingBackend::do_key_inner_product(sum_b, sum_a, lifted_digits, terms, primes);
  }

  std::size_t take() const { return count_.exchange(0); }

 private:
  mutable std::atomic<std::size_t> count_{0};
};

/// A context whose key switches are counted; its parameters may be of any security.
struct CountedContext {
  explicit CountedContext(const EncryptionParameters& parms)
      : counter(std::make_shared<KeySwitchCounter>(Context::backend_basis(parms))),
        context(parms, SecurityLevel::none, SecurityTable::classical_2024, counter) {}

  std::shared_ptr<KeySwitchCounter> counter;
  Context context;
};

}  // namespace ringlet::test
