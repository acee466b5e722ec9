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

/// Where the results of a batch are when it is done.
enum class BatchResults : std::uint8_t {
  on_host,         ///< On the host (too): they may be used anywhere.
  where_computed,  ///< Each on the device that computed it, and no other device takes them.
};

struct DeviceGroupOptions {
  /// Most elements that a device is given before it has finished them: it then comes back for more.
  /// Few leave it idle between them, many make the others wait for the slowest at the end.
  std::size_t most_in_flight = 32;
  BatchResults results = BatchResults::on_host;
};

/// Several devices, also of different kinds, among which the elements of a batch are divided (left
/// to future work by Zhai et al., "Accelerating Encrypted Computing on Intel GPUs", IPDPS 2022).
/// Every element is computed on one of them as an Evaluator there would, so that results are bit
/// for bit those of a loop on the host, in the order of the operands, whoever computed what.
///
/// One thread of the host per device takes the next elements whenever that device has finished the
/// ones before: the first time one, then as many as its speed so far lets expect that all finish
/// together, and none any more where the others will have done the rest sooner. Keys are prepared
/// on each device once, when it first uses them.
///
/// Operands may be shared by all elements. They are on the host (device copies beside that do no
/// harm): what is on one device alone is an InvalidArgument for the others, as everywhere. Copies
/// of operands stay on the devices that used them, as long as the operands live unchanged: batches
/// whose operands and results do not fit into the memory of a device are handed over in parts.
///
/// Immutable; all methods may be called by several threads at once.
class RINGLET_API DeviceGroup {
 public:
  /// The processor may be named several times: each is one thread of the host more.
  /// @throws InvalidArgument if there are no devices, or one that is not the processor is named
  ///         twice, or most_in_flight is 0; LogicError if a device is closed; and as Context::on.
  DeviceGroup(const Context& context, std::span<const Device> devices,
              const DeviceGroupOptions& options = {});
  DeviceGroup(const Context& context, std::initializer_list<Device> devices,
              const DeviceGroupOptions& options = {})
      : DeviceGroup(context, std::span(devices.begin(), devices.size()), options) {}
  /// The same on backends of the caller's choice: each context is one member, made of the same
  /// context by Context::on.
  /// @throws InvalidArgument as above, and if contexts are of different parameters.
  explicit DeviceGroup(std::span<const Context> contexts, const DeviceGroupOptions& options = {});
  ~DeviceGroup();
  DeviceGroup(const DeviceGroup&) = delete;
  DeviceGroup& operator=(const DeviceGroup&) = delete;

  /// Number of members.
  std::size_t size() const noexcept;
  /// "cpu", "gpu:0", ... of member `index`. @throws OutOfRange.
  const std::string& name(std::size_t index) const;
  /// Computes on member `index`. @throws OutOfRange.
  const Evaluator& evaluator(std::size_t index) const;
  const DeviceGroupOptions& options() const noexcept;

  using Work = std::function<void(const Evaluator&, std::size_t)>;
  using Compute = std::function<void(const Evaluator&, std::size_t, Ciphertext&)>;

  /// Calls work(evaluator, i) once for every i in [0, count), each with the Evaluator of the member
  /// that takes it, on a thread of that member; several at once, in no particular order. All that
  /// was submitted is done when this returns. Results stay where `work` leaves them.
  ///
  /// On the first error nobody begins another element; when all threads have ended it leaves this
  /// function: exceptions of the library as they were, and naming the element and the device; all
  /// others unchanged. What other elements did by then is done.
  /// @returns how many elements each member did.
  /// @throws what `work` throws; RuntimeError if a device fails, or there are no threads.
  std::vector<std::size_t> for_each(std::size_t count, const Work& work) const;

  /// Result i is what compute(evaluator, i, result) makes of an empty `result`. All results are
  /// there or none: on an error every destination keeps its value. Destinations may be what
  /// `compute` reads. Until the last element is done the results lie beside the destinations.
  /// @returns and throws as for_each; LogicError also if a result that goes to the host is
  ///          transparent.
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

// The routines of ringlet/schemes/routines.hpp over spans, divided among the members of a group;
// each result, and what is refused, as there. Errors also name the device.
// @returns how many elements each member did.

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
