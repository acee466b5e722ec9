// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ringlet/base/export.hpp"
#include "ringlet/gpu/device.hpp"
#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/keys.hpp"
#include "ringlet/schemes/evaluator.hpp"

namespace ringlet {

/// Where the results of a batch are after the call.
enum class BatchResults : std::uint8_t {
  on_host,         ///< on the host (perhaps also on a device): usable anywhere
  where_computed,  ///< each on the device that computed it; other devices refuse it
};

struct DeviceGroupOptions {
  /// The largest number of elements that a device receives before it has finished them. With a
  /// small number the device is idle between elements; with a large number the other devices wait
  /// for the slowest device at the end.
  std::size_t most_in_flight = 32;
  BatchResults results = BatchResults::on_host;
};

/// Several devices, also of different kinds, that share the elements of a batch (proposed as future
/// work by Zhai et al., "Accelerating Encrypted Computing on Intel GPUs", IPDPS 2022). Each element
/// is computed on one device, by an Evaluator on that device. The results are therefore bit for bit
/// those of a loop on the host, in the order of the operands.
///
/// Each device has a host thread, which takes elements when the device has finished its previous
/// elements. It first takes one element. Later it takes half of the device's share of the remaining
/// elements, in proportion to the speeds of the devices. It takes no more elements if the other
/// devices would finish the rest sooner. Each device prepares a key once, when it first uses the
/// key.
///
/// All elements may share operands. Operands must be on the host; they may be on devices too. A
/// device refuses (InvalidArgument) an operand that only another device has. Copies of operands
/// stay on the devices that used them until an operand changes or is destroyed. If operands and
/// results do not fit into the memory of a device, divide the batch into several calls.
///
/// Immutable; all methods may be called by several threads at once.
class RINGLET_API DeviceGroup {
 public:
  /// Makes a group of devices. The processor may be named several times: each adds one thread of
  /// the host.
  /// @throws InvalidArgument if there are no devices, a device other than the processor is named
  ///         twice, or most_in_flight is 0; LogicError if a device is closed; and as Context::on.
  DeviceGroup(const Context& context, std::span<const Device> devices,
              const DeviceGroupOptions& options = {});
  DeviceGroup(const Context& context, std::initializer_list<Device> devices,
              const DeviceGroupOptions& options = {})
      : DeviceGroup(context, std::span(devices.begin(), devices.size()), options) {}
  /// Makes a group on backends of the caller's choice. Each context becomes one member. Make all of
  /// them from one context by Context::on.
  /// @throws InvalidArgument as for devices, and if contexts are of different parameters.
  explicit DeviceGroup(std::span<const Context> contexts, const DeviceGroupOptions& options = {});
  ~DeviceGroup();
  DeviceGroup(const DeviceGroup&) = delete;
  DeviceGroup& operator=(const DeviceGroup&) = delete;

  /// Returns the number of members.
  std::size_t size() const noexcept;
  /// Returns the name of member `index`: "cpu", "gpu:0", ... @throws OutOfRange.
  const std::string& name(std::size_t index) const;
  /// Returns the Evaluator that computes on member `index`. @throws OutOfRange.
  const Evaluator& evaluator(std::size_t index) const;
  const DeviceGroupOptions& options() const noexcept;

  using Work = std::function<void(const Evaluator&, std::size_t)>;
  using Compute = std::function<void(const Evaluator&, std::size_t, Ciphertext&)>;

  /// Calls work(evaluator, i) once for every i in [0, count), with the Evaluator of the member that
  /// takes element i, on a thread of that member. Several calls run at once, in no particular
  /// order. When the function returns, all submitted work is complete. Results stay where `work`
  /// leaves them.
  ///
  /// After the first error no member begins another element. When all threads have ended, the
  /// function throws that error: an exception of the library with the element and the device added
  /// to its message, any other exception unchanged. Effects of other elements up to this time
  /// remain.
  /// @returns the number of elements that each member computed.
  /// @throws what `work` throws; RuntimeError if a device fails, or there are no threads.
  std::vector<std::size_t> for_each(std::size_t count, const Work& work) const;

  /// Computes destinations[i] by compute(evaluator, i, result), which receives an empty `result`.
  /// Writes all destinations or, on an error, none. `compute` may read destinations. Results need
  /// memory besides the destinations until the last element is complete.
  /// @returns the number of elements that each member computed.
  /// @throws as for_each; LogicError also if a result that is copied to the host is transparent.
  std::vector<std::size_t> compute(std::span<Ciphertext> destinations,
                                   const Compute& compute) const;

 private:
  struct Member;
  struct Batch;

  void add_member(const Context& context, const Context& first);
  const Member& member(std::size_t index) const;
  std::vector<std::size_t> run(std::size_t count, const Work& work, const Work& end) const;

  DeviceGroupOptions options_;
  std::vector<std::unique_ptr<const Member>> members_;
};

// These functions are the routines of ringlet/schemes/routines.hpp over spans, whose elements are
// divided among the members of a group. Results, conditions and errors are those of the routines;
// errors also name the device.
// @returns the number of elements that each member computed.

RINGLET_API std::vector<std::size_t> multiply_relinearize(const DeviceGroup& group,
                                                          std::span<const Ciphertext> a,
                                                          std::span<const Ciphertext> b,
                                                          const RelinKeys& keys,
                                                          std::span<Ciphertext> destinations);
RINGLET_API std::vector<std::size_t> multiply_relinearize_rescale(
    const DeviceGroup& group, std::span<const Ciphertext> a, std::span<const Ciphertext> b,
    const RelinKeys& keys, std::span<Ciphertext> destinations);
RINGLET_API std::vector<std::size_t> square_relinearize_rescale(const DeviceGroup& group,
                                                                std::span<const Ciphertext> a,
                                                                const RelinKeys& keys,
                                                                std::span<Ciphertext> destinations);
RINGLET_API std::vector<std::size_t> multiply_relinearize_rescale_add(
    const DeviceGroup& group, std::span<const Ciphertext> a, std::span<const Ciphertext> b,
    std::span<const Ciphertext> addends, const RelinKeys& keys, std::span<Ciphertext> destinations);
RINGLET_API std::vector<std::size_t> rotate(const DeviceGroup& group, std::span<const Ciphertext> a,
                                            int steps, const GaloisKeys& keys,
                                            std::span<Ciphertext> destinations);

}  // namespace ringlet
