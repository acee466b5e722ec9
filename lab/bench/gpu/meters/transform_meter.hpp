// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/backend/ntt_plan.hpp"
#include "gpu/device_words.hpp"
#include "ringlet/gpu/device.hpp"
#include "ringlet/ring/backend.hpp"

namespace ringlet::bench {

/// Transforms of `batch` polynomials modulo `prime_count` primes of so many bits, in place on a
/// device with timing.
class TransformMeter {
 public:
  /// @throws InvalidArgument for sizes out of range; as make_backend.
  TransformMeter(const Device& device, std::size_t degree, int bits, std::size_t prime_count,
                 std::size_t batch);

  std::string kernel_name() const { return backend_->kernel_names().front(); }
  const Device& device() const { return device_; }
  gpu::NttPlan plan() const;
  /// Compares the first and last polynomial, transformed forward and back, with the processor's.
  /// @throws RuntimeError if a word differs.
  void check();
  /// Returns the seconds of one transform of all limbs, the mean of `calls` calls.
  double seconds(bool is_forward, std::size_t calls) const;

 private:
  static RnsBasis make_basis(const Device& device, std::size_t degree, int bits,
                             std::size_t prime_count, std::size_t batch);
  void run(bool is_forward) const;
  void compare(const std::vector<std::uint64_t>& expected, const char* direction) const;

  Device device_;
  RnsBasis basis_;
  std::shared_ptr<const Backend> backend_;
  std::size_t limb_count_;
  DeviceWords words_;
  std::vector<std::size_t> primes_;
  std::vector<std::uint64_t> sample_;
};

}  // namespace ringlet::bench
