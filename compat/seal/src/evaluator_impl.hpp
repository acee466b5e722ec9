// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <type_traits>
#include <vector>

#include "native/access.hpp"
#include "native/bridge.hpp"
#include "ringlet/schemes/evaluator.hpp"
#include "seal/evaluator.h"

namespace ringlet::seal4 {

/// Runs operations of the native evaluator on SEAL's objects. `operation` names the public call in
/// messages. On the host a native operation receives operands that borrow the words. If operand and
/// destination are one object, it receives that object twice. On a device it makes a new result.
struct Evaluator::Impl {
  Impl(const SEALContext& context, bool throws_on_transparent)
      : bridge(context, "Evaluator"),
        native(throws_on_transparent ? bridge.native()
                                     : bridge.native().allowing_transparent_results()),
        is_on_device(native.context().backend().memory() != nullptr) {}

  /// Runs call(const Native& operand, Native& destination); T is Ciphertext or Plaintext.
  template <typename T, typename Call>
  void run(const T& a, T& destination, const char* operation, Call call) const {
    if constexpr (std::is_same_v<T, Ciphertext>) {
      if (is_on_device) {
        const auto operand = bridge.borrow_on_device(a, operation);
        ringlet::Ciphertext result;
        call(*operand, result);
        bridge.store_on_device(std::move(result), destination);
        return;
      }
    }
    auto operand = bridge.borrow(a, operation);
    if (&a == &destination) {
      call(operand, operand);
      bridge.store(operand, destination);
      return;
    }
    auto result = bridge.place(destination);
    call(operand, result);
    bridge.store(result, destination);
  }

  using Binary = void (ringlet::Evaluator::*)(const ringlet::Ciphertext&,
                                              const ringlet::Ciphertext&,
                                              ringlet::Ciphertext&) const;
  void run(const Ciphertext& a, const Ciphertext& b, Ciphertext& destination, const char* operation,
           Binary call) const;

  /// Does Bridge::run_for_shape. `may_reuse` is false if the destination is an operand, or if the
  /// native operation may refuse a result that it has written.
  template <typename Call>
  void run_for_shape(Ciphertext& destination, const parms_id_type& parms_id, std::size_t size,
                     bool is_ntt, bool may_reuse, Call call) const {
    if (is_on_device) return call(destination);
    bridge.run_for_shape(destination, parms_id, size, is_ntt, may_reuse, call);
  }
  /// Runs call(operand, result) likewise for a native operation on one ciphertext.
  template <typename Call>
  void run_for_shape(const Ciphertext& a, Ciphertext& destination, const char* operation,
                     std::size_t size, bool may_reuse, Call call) const {
    run_for_shape(destination, a.parms_id(), size, a.is_ntt_form(), may_reuse,
                  [&](Ciphertext& target) { run(a, target, operation, call); });
  }

  /// Runs a native sum or difference.
  void add(const Ciphertext& a, const Ciphertext& b, Ciphertext& destination, const char* operation,
           Binary call) const {
    run_for_shape(destination, a.parms_id(), std::max(a.size(), b.size()), a.is_ntt_form(), true,
                  [&](Ciphertext& target) { run(a, b, target, operation, call); });
  }
  /// Runs call(operand, result) for an automorphism.
  template <typename Call>
  void switch_key(const Ciphertext& a, Ciphertext& destination, const char* operation,
                  Call call) const {
    run_for_shape(a, destination, operation, SEAL_CIPHERTEXT_SIZE_MIN, false, call);
  }

  /// Runs the native transform of a ciphertext; `is_ntt` is the form of the result.
  void transform(const Ciphertext& a, Ciphertext& destination, const char* operation, bool is_ntt,
                 void (ringlet::Evaluator::*call)(const ringlet::Ciphertext&, ringlet::Ciphertext&)
                     const) const {
    const auto native_call = [&](const auto& operand, auto& result) {
      (native.*call)(operand, result);
    };
    run_for_shape(destination, a.parms_id(), a.size(), is_ntt, &a != &destination,
                  [&](Ciphertext& target) { run(a, target, operation, native_call); });
  }

  std::vector<ringlet::Ciphertext> borrow_all(const std::vector<Ciphertext>& operands,
                                              const Ciphertext& destination,
                                              const char* operation) const;

  void store(ringlet::Ciphertext&& result, Ciphertext& destination) const {
    if (is_on_device) return bridge.store_on_device(std::move(result), destination);
    bridge.store(result, destination);
  }

  /// Refuses the last level: the native context may have more levels than this context.
  void check_has_next(const parms_id_type& parms_id, const char* operation) const;

  template <typename T>
  using NativeOf =
      std::conditional_t<std::is_same_v<T, Plaintext>, ringlet::Plaintext, ringlet::Ciphertext>;

  /// Runs a native operation that goes to the level `target`.
  template <typename T, typename Call>
  void run_to(const T& a, const parms_id_type& target, T& destination, const char* operation,
              Call call) const {
    if constexpr (std::is_same_v<T, Ciphertext>) {
      run_for_shape(destination, target, a.size(), a.is_ntt_form(), false,
                    [&](Ciphertext& result) { run(a, result, operation, call); });
    } else {
      run(a, destination, operation, call);
    }
  }

  /// Runs a native operation that goes to the next level.
  template <typename T>
  void to_next(const T& a, T& destination, const char* operation,
               void (ringlet::Evaluator::*call)(const NativeOf<T>&, NativeOf<T>&) const) const {
    check_has_next(a.parms_id(), operation);
    const parms_id_type* next = bridge.next_parms_id(a.parms_id());
    run_to(a, next != nullptr ? *next : a.parms_id(), destination, operation,
           [&](const auto& operand, auto& result) { (native.*call)(operand, result); });
  }
  /// Runs a native operation that goes to the level `parms_id`.
  template <typename T>
  void to_level(const T& a, const parms_id_type& parms_id, T& destination, const char* operation,
                void (ringlet::Evaluator::*call)(const NativeOf<T>&, const ParmsId&, NativeOf<T>&)
                    const) const {
    const auto& target = bridge.native_parms_id(parms_id, operation);
    run_to(a, parms_id, destination, operation,
           [&](const auto& operand, auto& result) { (native.*call)(operand, target, result); });
  }

  detail::Bridge bridge;
  ringlet::Evaluator native;
  bool is_on_device;
};

}  // namespace ringlet::seal4
