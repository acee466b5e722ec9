// SPDX-License-Identifier: Apache-2.0
#include "gpu/backend/limb_launcher.hpp"

#include <utility>

namespace ringlet::gpu {
LimbLauncher::LimbLauncher(std::shared_ptr<DeviceMemory> memory, const RnsBasis& basis)
    : memory_(std::move(memory)),
      degree_(basis.degree()),
      kernels_(memory_->device(), memory_->options()),
      ntt_(memory_, basis) {}

void LimbLauncher::append(Call& call, const Limbs& limbs) {
  call.arguments.emplace_back(*limbs.place.buffer);
  call.arguments.emplace_back(limbs.place.word);
  call.arguments.emplace_back(limbs.stride);
}

void LimbLauncher::append(Call& call, const LimbOperand& operand) {
  call.operands.push_back(operand);
  if (!operand.is_argument) return;
  append(call, operand.limbs);
  if (takes_batches(call.kernel)) call.arguments.emplace_back(operand.batch_stride);
}

void LimbLauncher::append(Call& call, std::span<const LimbOperand> operands) {
  for (const LimbOperand& operand : operands) append(call, operand);
}

void LimbLauncher::append(Call& call, const ConstantCache::Block& constants) {
  call.arguments.emplace_back(*constants->place().buffer);
  call.arguments.emplace_back(constants->place().word);
}

Access LimbLauncher::access_of(const LimbOperand& operand, std::size_t first,
                               std::size_t end) const {
  if (operand.shared_count != 0) {
    first = 0;
    end = operand.shared_count;
  }
  // The range goes from the first word of all limbs to the last and includes gaps between limbs.
  const Place& place = operand.limbs.place;
  const std::uint64_t begin = place.word + first * operand.limbs.stride;
  const std::uint64_t words = (end - 1 - first) * operand.limbs.stride +
                              (operand.batch_count - 1) * operand.batch_stride + degree_;
  return {place.buffer.get(), begin, begin + words, operand.is_write};
}

void LimbLauncher::for_parts(QueueLanes& lanes, std::size_t limb_count,
                             std::span<const LimbOperand> operands, const PartWork& work) const {
  const std::size_t parts = lanes.part_count(limb_count);
  std::vector<Access> accesses;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t first = part * limb_count / parts;
    const std::size_t end = (part + 1) * limb_count / parts;
    accesses.clear();
    if (lanes.count() > 1) {
      for (const LimbOperand& operand : operands)
        accesses.push_back(access_of(operand, first, end));
    }
    const auto submit = [&](Queue& queue) { work(queue, first, end); };
    if (parts > 1) {
      lanes.submit_to(part, accesses, submit);
    } else {
      lanes.submit(accesses, submit);
    }
  }
}

void LimbLauncher::launch(QueueLanes& lanes, Call& call, std::size_t limb_count) const {
  const std::size_t per_group = call.kernel == LimbKernel::convert ? kTargetsPerItem : 1;
  const std::size_t values = call.arguments.size();
  const std::size_t batches = call.operands.front().batch_count;
  for_parts(lanes, limb_count, call.operands,
            [&](Queue& queue, std::size_t first, std::size_t end) {
              call.arguments.resize(values, Argument(std::uint64_t{0}));
              call.arguments.emplace_back(std::uint64_t{first});
              call.arguments.emplace_back(std::uint64_t{end});
              const std::size_t groups = (end - first + per_group - 1) / per_group;
              kernels_.launch(queue, call.kernel, degree_, groups, batches, call.arguments);
            });
}

void LimbLauncher::forward(QueueLanes& lanes, const Limbs& result, const Limbs& a,
                           const PrimeList& primes) const {
  transform(lanes, ntt_.forward_passes(), {.result = {result}, .a = {a}, .primes = primes});
}

void LimbLauncher::inverse(QueueLanes& lanes, const Limbs& result, const Limbs& a,
                           const PrimeList& primes) const {
  transform(lanes, ntt_.inverse_passes(), {.result = {result}, .a = {a}, .primes = primes});
}

void LimbLauncher::transform(QueueLanes& lanes, const DeviceNtt::Passes& passes,
                             const NttWork& work) const {
  std::vector<LimbOperand> operands;
  const auto add = [&](const LimbOperand& operand, const BatchLimbs& batches) {
    operands.push_back(in_batches(operand, work.batch_count, batches.batch_stride));
  };
  add(writes(work.result.limbs), work.result);
  const bool is_shared = work.a.limbs.stride == 0;
  add(is_shared ? reads_all(work.a.limbs, 1) : reads(work.a.limbs), work.a);
  if (work.dividend.limbs.place.buffer != nullptr) {
    add(reads(work.dividend.limbs), work.dividend);
    add(writes(work.between.limbs), work.between);
  }
  for_parts(lanes, work.primes.count, operands,
            [&](Queue& queue, std::size_t first, std::size_t end) {
              ntt_.run(queue, passes, work, first, end);
            });
}

}  // namespace ringlet::gpu
