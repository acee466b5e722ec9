// SPDX-License-Identifier: Apache-2.0
#include "gpu/backend/device_ntt.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/text.hpp"
#include "gpu/backend/device_constants.hpp"
#include "gpu/backend/ntt_plan.hpp"
#include "gpu/backend/ntt_tables.hpp"
#include "gpu/programs/module_cache.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::gpu {

/// A step with its kernel.
struct NttLaunch {
  NttStep step;
  std::shared_ptr<Kernel> kernel;
};

class DeviceNtt::Passes {
 public:
  std::vector<NttLaunch> launches;
};

namespace {

/// Most limbs (dimension 1) and batches (dimension 2) of a launch: CUDA takes no more groups there.
constexpr std::size_t kMostLimbs = 65535;

NttPaths all_of(const std::vector<NttPath>& paths) {
  NttPaths all = 0;
  for (const NttPath path : paths) all = all | path;
  return all;
}

void append(std::vector<Argument>& arguments, const BatchLimbs& batch) {
  arguments.emplace_back(*batch.limbs.place.buffer);
  arguments.emplace_back(batch.limbs.place.word);
  arguments.emplace_back(batch.limbs.stride);
  arguments.emplace_back(batch.batch_stride);
}

void append(std::vector<Argument>& arguments, const Place& place) {
  arguments.emplace_back(*place.buffer);
  arguments.emplace_back(place.word);
}

}  // namespace

struct DeviceNtt::State {
  State(std::shared_ptr<DeviceMemory> memory, const RnsBasis& basis);

  NttRequest request() const {
    return {.variant = memory->options().ntt,
            .log_degree = log_degree,
            .paths = all_of(paths),
            .use_assembly = memory->options().use_assembly};
  }
  /// Makes a plan with groups so small that all its kernels run in them.
  void make_plan() {
    for (std::size_t before = 0; before != properties.largest_group;) {
      before = properties.largest_group;
      plan = make_ntt_plan(request(), properties);
      module = build_module(memory->device(), program_text(plan.program), plan.program.definitions);
      for (const std::vector<NttStep>* steps : {&plan.forward, &plan.inverse}) {
        for (const NttStep& step : *steps) {
          const std::size_t largest = module->kernel(step.kernel)->largest_group();
          if (largest > 0 && largest < step.group_size) {
            properties.largest_group = std::min(properties.largest_group, largest);
          }
        }
      }
    }
  }

  void upload_tables(const RnsBasis& basis) {
    const std::size_t words = ntt_record_words(log_degree);
    for (std::size_t i = 0; i < basis.size(); ++i) {
      const std::vector<std::uint64_t> record =
          make_ntt_record(basis[i], log_degree, plan.pass_levels, paths[i]);
      memory->upload(tables.words() + i * words, record.data(), words);
    }
  }
  /// Finds the kernels of fused steps in `program`, and those of other steps in `module`.
  Passes find_kernels(const std::vector<NttStep>& steps, Module& program) const {
    Passes passes;
    for (const NttStep& step : steps) {
      std::shared_ptr<Kernel> kernel = (step.is_fused ? program : *module).kernel(step.kernel);
      if (kernel->largest_group() < step.group_size) {
        throw_runtime_error({.operation = concat("transforms of ", std::size_t{1} << log_degree,
                                                 " words on ", memory->name()),
                             .offending = concat(step.kernel, " runs in groups of at most ",
                                                 kernel->largest_group(), " work-items here"),
                             .limit = concat(step.group_size, " are needed"),
                             .remedy = step.is_fused
                                           ? "open the device with use_fused_passes = false"
                                           : "open the device with another variant of ntt"});
      }
      passes.launches.push_back({.step = step, .kernel = std::move(kernel)});
    }
    return passes;
  }

  std::unique_ptr<const Passes> build(NttFusion fusion) const {
    NttRequest wanted = request();
    wanted.fusion = fusion;
    const NttPlan fused_plan = make_ntt_plan(wanted, properties);
    const auto program = build_module(memory->device(), program_text(fused_plan.program),
                                      fused_plan.program.definitions);
    const std::vector<NttStep>& steps =
        fusion == NttFusion::make_digits ? fused_plan.inverse : fused_plan.forward;
    return std::make_unique<const Passes>(find_kernels(steps, *program));
  }
  /// `is_part`: other launches follow, which read what the last one leaves.
  void run(Queue& queue, std::span<const NttLaunch> launches, const NttWork& work,
           std::size_t first, std::size_t end, bool is_part = false) const {
    const std::size_t wanted = memory->options().ntt_chunk_limbs;
    const std::size_t most =
        wanted == 0 ? kMostLimbs
                    : std::clamp<std::size_t>(wanted / work.batch_count, 1, kMostLimbs);
    for (; first < end; first += std::min(most, end - first)) {
      run_chunk(queue, launches, work, first, std::min(end, first + most), is_part);
    }
  }
  void run_chunk(Queue& queue, std::span<const NttLaunch> launches, const NttWork& work,
                 std::size_t first, std::size_t end, bool is_part) const {
    const bool divides = !launches.empty() && launches.back().step.takes_dividend;
    const BatchLimbs& between = divides ? work.between : work.result;
    for (const NttLaunch& launch : launches) {
      const NttStep& step = launch.step;
      const bool is_first = &launch == &launches.front();
      const bool is_last = &launch == &launches.back();
      std::vector<Argument> arguments;
      append(arguments, is_last ? work.result : between);
      append(arguments, is_first ? work.a : between);
      append(arguments, work.primes.place);
      append(arguments, tables.place());
      arguments.emplace_back(std::uint64_t{first});
      arguments.emplace_back(is_part ? work.left_out : kNoneLeftOut);
      if (step.has_gap) arguments.emplace_back(step.log_gap);
      if (step.takes_constants) {
        append(arguments, work.constants);
        arguments.emplace_back(work.constants_stride);
      }
      if (step.takes_dividend) append(arguments, work.dividend);
      queue.launch(
          *launch.kernel,
          {.groups = {step.groups, end - first, work.batch_count}, .group_size = step.group_size},
          arguments);
    }
  }

  std::shared_ptr<DeviceMemory> memory;
  std::vector<NttPath> paths;  ///< Of each prime.
  int log_degree;
  DeviceProperties properties;  ///< The device's, with the largest group of the plan.
  NttPlan plan;
  std::shared_ptr<Module> module;
  Passes forward;
  Passes inverse;
  DeviceBlock tables;

  mutable std::mutex mutex;  ///< Guards `fused`, whose entries stay once made.
  mutable std::array<std::unique_ptr<const Passes>, kNttFusionCount> fused;
};

DeviceNtt::State::State(std::shared_ptr<DeviceMemory> device_memory, const RnsBasis& basis)
    : memory(std::move(device_memory)),
      log_degree(std::countr_zero(basis.degree())),
      properties(memory->device().properties()),
      tables(memory, basis.size() * ntt_record_words(log_degree), Secrecy::open) {
  for (const Modulus& q : basis.moduli()) {
    paths.push_back(ntt_path(q, memory->options()));
  }
  make_plan();
  forward = find_kernels(plan.forward, *module);
  inverse = find_kernels(plan.inverse, *module);
  upload_tables(basis);
}

DeviceNtt::DeviceNtt(std::shared_ptr<DeviceMemory> memory, const RnsBasis& basis)
    : state_(std::make_unique<State>(std::move(memory), basis)) {}

DeviceNtt::~DeviceNtt() = default;

std::string DeviceNtt::name(std::size_t prime) const {
  return concat(state_->plan.name, "/", name_of(state_->paths[prime]));
}

void DeviceNtt::forward(Queue& queue, const Limbs& result, const Limbs& a,
                        const PrimeList& primes) const {
  run(queue, state_->forward, {.result = {result}, .a = {a}, .primes = primes}, 0, primes.count);
}

void DeviceNtt::inverse(Queue& queue, const Limbs& result, const Limbs& a,
                        const PrimeList& primes) const {
  run(queue, state_->inverse, {.result = {result}, .a = {a}, .primes = primes}, 0, primes.count);
}

const DeviceNtt::Passes& DeviceNtt::forward_passes() const noexcept { return state_->forward; }
const DeviceNtt::Passes& DeviceNtt::inverse_passes() const noexcept { return state_->inverse; }

const DeviceNtt::Passes* DeviceNtt::fused(NttFusion fusion) const {
  const DeviceOptions& options = state_->memory->options();
  if (!options.use_fused_passes || !has_fusions(options.ntt)) return nullptr;
  const std::lock_guard lock(state_->mutex);
  auto& passes = state_->fused[static_cast<std::size_t>(fusion)];
  if (passes == nullptr) passes = state_->build(fusion);
  return passes.get();
}

void DeviceNtt::run(Queue& queue, const Passes& passes, const NttWork& work, std::size_t first,
                    std::size_t end) const {
  RINGLET_ASSERT(end <= work.primes.count && work.batch_count <= kMostLimbs);
  state_->run(queue, passes.launches, work, first, end);
}

bool DeviceNtt::has_passes_above_block() const noexcept {
  return has_fusions(state_->memory->options().ntt) && state_->forward.launches.size() > 1;
}

void DeviceNtt::run_above_block(Queue& queue, const Passes& passes, const NttWork& work,
                                std::size_t first, std::size_t end) const {
  RINGLET_ASSERT(has_passes_above_block() && work.batch_count <= kMostLimbs);
  const std::span<const NttLaunch> all = passes.launches;
  // A first pass that does not lift leaves no limb out.
  RINGLET_ASSERT(work.left_out == kNoneLeftOut || all.front().step.is_fused);
  state_->run(queue, all.first(all.size() - 1), work, first, end, true);
}

const NttPlan& DeviceNtt::plan() const noexcept { return state_->plan; }
std::size_t DeviceNtt::degree() const noexcept { return std::size_t{1} << state_->log_degree; }
const Place& DeviceNtt::tables() const noexcept { return state_->tables.place(); }

}  // namespace ringlet::gpu
