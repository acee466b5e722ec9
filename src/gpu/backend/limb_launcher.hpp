// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "gpu/backend/device_backend_kernels.hpp"
#include "gpu/backend/device_constants.hpp"
#include "gpu/backend/device_ntt.hpp"
#include "gpu/backend/limbs.hpp"
#include "gpu/memory/device_memory.hpp"
#include "gpu/queue_lanes.hpp"
#include "ringlet/ring/rns_basis.hpp"
#include "ringlet/ring/storage.hpp"

namespace ringlet::gpu {

/// Limbs that a launch over limbs touches.
struct LimbOperand {
  Limbs limbs;
  bool is_write = false;
  /// 0 if limb i of the launch touches limb i of `limbs`. Otherwise every limb of the launch
  /// touches so many of them, from the first on.
  std::size_t shared_count = 0;
  bool is_argument = true;  ///< False: the launch touches them, but no argument is added.
  /// Batches of such limbs, `batch_stride` words apart; nothing else is touched in between.
  std::size_t batch_count = 1;
  std::uint64_t batch_stride = 0;
};
inline LimbOperand writes(const Limbs& limbs) { return {.limbs = limbs, .is_write = true}; }
inline LimbOperand reads(const Limbs& limbs) { return {.limbs = limbs}; }
inline LimbOperand reads_all(const Limbs& limbs, std::size_t count) {
  return {.limbs = limbs, .shared_count = count};
}
/// Declares more reads through an argument that another operand adds.
inline LimbOperand also_reads_all(const Limbs& limbs, std::size_t count) {
  return {.limbs = limbs, .shared_count = count, .is_argument = false};
}
/// Repeats an operand in `count` batches that are `stride` words apart.
inline LimbOperand in_batches(LimbOperand operand, std::size_t count, std::uint64_t stride) {
  operand.batch_count = count;
  operand.batch_stride = stride;
  return operand;
}

/// Launches kernels over limbs on the lanes of a device. It divides a launch by limbs into parts,
/// one for a lane, and tells the lane which words a part touches. All parts read constants, lists
/// of primes, keys and tables, which the lanes find by themselves. Immutable, thread-safe.
class LimbLauncher {
 public:
  /// @throws as make_backend.
  LimbLauncher(std::shared_ptr<DeviceMemory> memory, const RnsBasis& basis);

  DeviceMemory& memory() const noexcept { return *memory_; }
  const std::shared_ptr<DeviceMemory>& shared_memory() const noexcept { return memory_; }
  std::size_t degree() const noexcept { return degree_; }
  /// As DeviceNtt::name.
  std::string ntt_name(std::size_t prime) const { return ntt_.name(prime); }

  /// @throws LogicError if the words are not in this memory.
  template <Form F, typename Word>
  Limbs resolve(const BasicPolyView<F, Word>& view) const {
    return {memory_->resolve(view.data), view.limb_stride};
  }
  template <typename View>
  std::vector<Limbs> resolve(std::span<const View> views) const {
    std::vector<Limbs> limbs;
    limbs.reserve(views.size());
    for (const View& view : views) limbs.push_back(resolve(view));
    return limbs;
  }
  /// Resolves one limb.
  Limbs resolve(std::span<const std::uint64_t> limb) const {
    return {memory_->resolve(limb.data()), degree_};
  }

  /// Launches a kernel over limbs. Each value, in the order of the parameters, is a LimbOperand, a
  /// span of them, Limbs that are alone in their buffer and are read, a list of constants, or a
  /// word. The range of limbs is appended. The first operand has as many batches as the launch.
  template <typename... Values>
  void launch(QueueLanes& lanes, LimbKernel kernel, std::size_t limb_count,
              const Values&... values) const {
    Call call{kernel, {}, {}};
    (append(call, values), ...);
    launch(lanes, call, limb_count);
  }
  /// Takes the lanes and launches a kernel as the only work.
  template <typename... Values>
  void run(LimbKernel kernel, std::size_t limb_count, const Values&... values) const {
    memory_->with_lanes([&](QueueLanes& lanes) { launch(lanes, kernel, limb_count, values...); });
  }

  /// Submit its transforms by the functions below, or within for_parts.
  const DeviceNtt& ntt() const noexcept { return ntt_; }
  /// Transform as DeviceNtt does; all passes of a part are on one lane.
  void forward(QueueLanes& lanes, const Limbs& result, const Limbs& a,
               const PrimeList& primes) const;
  void inverse(QueueLanes& lanes, const Limbs& result, const Limbs& a,
               const PrimeList& primes) const;
  /// Runs DeviceNtt::run on all limbs.
  void transform(QueueLanes& lanes, const DeviceNtt::Passes& passes, const NttWork& work) const;

  /// Calls work(queue, first, end) for parts [first, end) of the limbs, at least one, each with the
  /// queue of a lane. What `work` submits to the queue touches only its part of `operands`.
  using PartWork = std::function<void(Queue&, std::size_t, std::size_t)>;
  void for_parts(QueueLanes& lanes, std::size_t limb_count, std::span<const LimbOperand> operands,
                 const PartWork& work) const;

 private:
  struct Call {
    LimbKernel kernel;
    std::vector<Argument> arguments;
    std::vector<LimbOperand> operands;
  };
  /// The objects that arguments refer to outlive the call.
  static void append(Call& call, const Limbs& limbs);
  static void append(Call& call, const LimbOperand& operand);
  static void append(Call& call, std::span<const LimbOperand> operands);
  static void append(Call& call, const ConstantCache::Block& constants);
  static void append(Call& call, std::uint64_t word) { call.arguments.emplace_back(word); }

  void launch(QueueLanes& lanes, Call& call, std::size_t limb_count) const;
  Access access_of(const LimbOperand& operand, std::size_t first, std::size_t end) const;

  std::shared_ptr<DeviceMemory> memory_;
  std::size_t degree_;
  BackendKernels kernels_;
  DeviceNtt ntt_;
};

}  // namespace ringlet::gpu
