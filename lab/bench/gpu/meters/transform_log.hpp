// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "standard.hpp"
#include "support/devices/forwarding_backend.hpp"

namespace ringlet::bench {

/// Transforms of one call of a primitive.
struct LoggedTransform {
  bool is_forward = true;
  std::vector<std::size_t> primes;  ///< One per limb.
};

/// Forwards every call to another backend, and writes down the transforms that each
/// primitive stands for. Not synchronised: one thread computes.
class TransformLog final : public test::ForwardingBackend {
 public:
  using ForwardingBackend::ForwardingBackend;

  const std::vector<LoggedTransform>& transforms() const { return transforms_; }
  void clear() { transforms_.clear(); }

  void do_forward_ntt(NttView result, ConstCoeffView a, PrimeIndices primes) const override {
    note(true, primes);
    ForwardingBackend::do_forward_ntt(result, a, primes);
  }
  void do_inverse_ntt(CoeffView result, ConstNttView a, PrimeIndices primes) const override {
    note(false, primes);
    ForwardingBackend::do_inverse_ntt(result, a, primes);
  }
  void do_inverse_ntt_to_digits(CoeffView result, ConstNttView a,
                                PrimeIndices primes) const override {
    note(false, primes);
    ForwardingBackend::do_inverse_ntt_to_digits(result, a, primes);
  }
  void do_lift_digit_to_ntt(NttView result, ConstWords digit, std::size_t digit_prime,
                            PrimeIndices primes) const override {
    note(true, primes);
    ForwardingBackend::do_lift_digit_to_ntt(result, digit, digit_prime, primes);
  }
  void do_divide_and_round_by_last(NttView result, ConstNttView a, PrimeIndices primes,
                                   std::uint64_t preserve) const override {
    note(false, primes.last(1));
    note(true, primes.first(primes.size() - 1));
    ForwardingBackend::do_divide_and_round_by_last(result, a, primes, preserve);
  }
  void do_divide_and_round(NttView result, ConstNttView a, PrimeIndices primes,
                           const BasisConversion& conversion,
                           std::uint64_t preserve) const override {
    const std::size_t dropped = conversion.from().size();
    note(false, primes.last(dropped));
    note(true, primes.first(primes.size() - dropped));
    ForwardingBackend::do_divide_and_round(result, a, primes, conversion, preserve);
  }
  /// Logs one batch over digits and targets, without targets that the source in NTT form serves.
  void do_multiply_digits_by_key(NttView sum_b, NttView sum_a, const KeySwitchSource& source,
                                 const PreparedKey& key, PrimeIndices targets) const override {
    std::vector<std::size_t> lifted;
    for (const std::size_t target : targets) {
      for (const KeySwitchDigit& digit : source.digits) {
        const bool is_own = target >= digit.first && target - digit.first < digit.count;
        if (!is_own || source.values.limb_count == 0) lifted.push_back(target);
      }
    }
    note(true, lifted);
    ForwardingBackend::do_multiply_digits_by_key(sum_b, sum_a, source, key, targets);
  }

 private:
  void note(bool is_forward, PrimeIndices primes) const {
    if (!primes.empty()) transforms_.push_back({is_forward, {primes.begin(), primes.end()}});
  }

  mutable std::vector<LoggedTransform> transforms_;
};

}  // namespace ringlet::bench
