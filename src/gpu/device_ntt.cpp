// SPDX-License-Identifier: Apache-2.0
#include "gpu/device_ntt.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "gpu/device_constants.hpp"
#include "gpu/module_cache.hpp"
#include "gpu/ntt_plan.hpp"
#include "gpu/ntt_tables.hpp"
#include "ringlet/error.hpp"

namespace ringlet::gpu {
namespace {

/// Limbs of a launch, in dimension 1: CUDA takes no more groups there.
constexpr std::size_t kMostLimbs = 65535;

NttPaths all_of(const std::vector<NttPath>& paths) {
  NttPaths all = 0;
  for (const NttPath path : paths) all = all | path;
  return all;
}

}  // namespace

struct DeviceNtt::State {
  /// A step with its kernel.
  struct Launch {
    NttStep step;
    std::shared_ptr<Kernel> kernel;
  };

  State(std::shared_ptr<DeviceMemory> memory, const RnsBasis& basis);

  void upload_tables(const RnsBasis& basis);
  std::vector<Launch> find_kernels(const std::vector<NttStep>& steps) const;
  void run(Queue& queue, const std::vector<Launch>& launches, const Limbs& result, const Limbs& a,
           const PrimeList& primes) const;
  void run_chunk(Queue& queue, const std::vector<Launch>& launches, const Limbs& result,
                 const Limbs& a, const PrimeList& primes) const;

  std::shared_ptr<DeviceMemory> memory;
  std::vector<NttPath> paths;  ///< Of each prime.
  int log_degree;
  NttPlan plan;
  std::shared_ptr<Module> module;
  std::vector<Launch> forward;
  std::vector<Launch> inverse;
  DeviceBlock tables;
};

DeviceNtt::State::State(std::shared_ptr<DeviceMemory> device_memory, const RnsBasis& basis)
    : memory(std::move(device_memory)),
      log_degree(std::countr_zero(basis.degree())),
      tables(memory, basis.size() * ntt_record_words(log_degree), Secrecy::open) {
  const DeviceOptions& options = memory->options();
  for (const Modulus& q : basis.moduli()) {
    paths.push_back(ntt_path(q, options));
  }
  plan = make_ntt_plan({.variant = options.ntt,
                        .log_degree = log_degree,
                        .paths = all_of(paths),
                        .use_assembly = options.use_assembly},
                       memory->device().properties());
  module = build_module(memory->device(), program_text(plan.program), plan.program.definitions);
  forward = find_kernels(plan.forward);
  inverse = find_kernels(plan.inverse);
  upload_tables(basis);
}

void DeviceNtt::State::upload_tables(const RnsBasis& basis) {
  const std::size_t words = ntt_record_words(log_degree);
  for (std::size_t i = 0; i < basis.size(); ++i) {
    const std::vector<std::uint64_t> record =
        make_ntt_record(basis[i], log_degree, plan.pass_levels, paths[i]);
    memory->upload(tables.words() + i * words, record.data(), words);
  }
}

std::vector<DeviceNtt::State::Launch> DeviceNtt::State::find_kernels(
    const std::vector<NttStep>& steps) const {
  std::vector<Launch> launches;
  for (const NttStep& step : steps) {
    std::shared_ptr<Kernel> kernel = module->kernel(step.kernel);
    if (kernel->largest_group() < step.group_size) {
      throw_runtime_error({.operation = concat("transforms of ", std::size_t{1} << log_degree,
                                               " words on ", memory->name()),
                           .offending = concat(step.kernel, " runs in groups of at most ",
                                               kernel->largest_group(), " work-items here"),
                           .limit = concat(step.group_size, " are needed"),
                           .remedy = "choose another variant of DeviceOptions::ntt"});
    }
    launches.push_back({.step = step, .kernel = std::move(kernel)});
  }
  return launches;
}

void DeviceNtt::State::run(Queue& queue, const std::vector<Launch>& launches, const Limbs& result,
                           const Limbs& a, const PrimeList& primes) const {
  const std::size_t wanted = memory->options().ntt_chunk_limbs;
  const std::size_t most = wanted == 0 ? kMostLimbs : std::min(wanted, kMostLimbs);
  for (std::size_t first = 0; first < primes.count; first += most) {
    const auto part = [first](const Limbs& limbs) {
      return Limbs{
          .place = {.buffer = limbs.place.buffer, .word = limbs.place.word + first * limbs.stride},
          .stride = limbs.stride};
    };
    run_chunk(queue, launches, part(result), part(a),
              {.place = {.buffer = primes.place.buffer, .word = primes.place.word + first},
               .count = std::min(most, primes.count - first)});
  }
}

void DeviceNtt::State::run_chunk(Queue& queue, const std::vector<Launch>& launches,
                                 const Limbs& result, const Limbs& a,
                                 const PrimeList& primes) const {
  const Limbs* source = &a;
  for (const Launch& launch : launches) {
    std::vector<Argument> arguments{
        *result.place.buffer,   result.place.word,  result.stride,        *source->place.buffer,
        source->place.word,     source->stride,     *primes.place.buffer, primes.place.word,
        *tables.place().buffer, tables.place().word};
    if (launch.step.has_gap) arguments.emplace_back(launch.step.log_gap);
    queue.launch(
        *launch.kernel,
        {.groups = {launch.step.groups, primes.count, 1}, .group_size = launch.step.group_size},
        arguments);
    source = &result;  // all but the first work in place
  }
}

DeviceNtt::DeviceNtt(std::shared_ptr<DeviceMemory> memory, const RnsBasis& basis)
    : state_(std::make_unique<State>(std::move(memory), basis)) {}

DeviceNtt::~DeviceNtt() = default;

std::string DeviceNtt::name(std::size_t prime) const {
  return concat(state_->plan.name, "/", name_of(state_->paths[prime]));
}

void DeviceNtt::forward(Queue& queue, const Limbs& result, const Limbs& a,
                        const PrimeList& primes) const {
  state_->run(queue, state_->forward, result, a, primes);
}

void DeviceNtt::inverse(Queue& queue, const Limbs& result, const Limbs& a,
                        const PrimeList& primes) const {
  state_->run(queue, state_->inverse, result, a, primes);
}

}  // namespace ringlet::gpu
