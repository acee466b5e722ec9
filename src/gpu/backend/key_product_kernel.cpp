// SPDX-License-Identifier: Apache-2.0
#include "gpu/backend/key_product_kernel.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "gpu/backend/ntt_plan.hpp"
#include "gpu/programs/module_cache.hpp"
#include "gpu/programs/programs.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::gpu {
namespace {

constexpr const char* kKernelName = "ntt_key_products";
constexpr std::size_t kMostKeyProductGroups = 16;
/// Work-items for each processor of a device below which separate transforms are faster: measured
/// on an H200 (docs/gpu.md), whose processors hold groups of a transform with as many work-items.
constexpr std::size_t kFewItems = 1024;

/// Returns the work-items of a processor that have 64, 128 or 256 registers of 32 bits each. Two
/// sums take four registers per word of a set.
std::size_t resident_items(GpuNtt variant) {
  return variant == GpuNtt::radix4 ? 1024 : variant == GpuNtt::radix8 ? 512 : 256;
}

const char* name_of(KeyDigitForm form) {
  switch (form) {
    case KeyDigitForm::above_blocks:
      return "";
    case KeyDigitForm::offsets:
      return " of offset digits";
    case KeyDigitForm::values:
      return " of values";
  }
  return "";
}

Program key_products_program(const NttPlan& plan, const DeviceOptions& options, KeyDigitForm form) {
  Program program{.name = concat(plan.program.name, " with products with keys",
                                 options.use_fused_multiply_add ? " fused" : "", name_of(form)),
                  .files = {"arithmetic.inc", "limbs.inc", "division.inc", "ntt_butterfly.inc",
                            "ntt_sets.inc", "ntt_radix.inc", "ntt_key_products.inc"},
                  .definitions = plan.program.definitions,
                  .main_kernels = {}};
  if (options.ntt == GpuNtt::radix8 && plan.forward.back().group_size > 64) {
    program.main_kernels = {kKernelName};
    program.main_registers = 128;
  }
  const auto define = [&](const char* name, std::size_t value) {
    program.definitions.push_back(concat(name, "=", value));
  };
  const std::size_t group = plan.forward.back().group_size;
  define("KEY_GROUPS",
         std::clamp<std::size_t>(resident_items(options.ntt) / group, 1, kMostKeyProductGroups));
  define("RINGLET_FUSED_MULTIPLY_ADD", options.use_fused_multiply_add ? 1 : 0);
  define("RINGLET_MANY_REGISTERS", 1);
  define("KEY_OF_VALUES", form == KeyDigitForm::values ? 1 : 0);
  if (form == KeyDigitForm::offsets) define("NTT_LOAD", 1);
  return program;
}

}  // namespace

bool KeyProductKernel::is_there() const noexcept {
  const DeviceOptions& options = memory_.options();
  if (!options.use_fused_passes || !has_fusions(options.ntt)) return false;
  const NttPlan& plan = ntt_.plan();
  return plan.pass_levels.size() > plan.forward.size();
}

bool KeyProductKernel::has_few_groups(std::size_t limb_count) const noexcept {
  const NttStep& block = ntt_.plan().forward.back();
  return block.groups * block.group_size * limb_count <
         kFewItems * memory_.device().properties().compute_units;
}

const Kernel& KeyProductKernel::get(KeyDigitForm form) const {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Kernel>& kernel = kernels_[static_cast<std::size_t>(form)];
  if (kernel == nullptr) {
    const Program program = key_products_program(ntt_.plan(), memory_.options(), form);
    auto built = build_module(memory_.device(), program_text(program), program.definitions)
                     ->kernel(kKernelName);
    const std::size_t group = ntt_.plan().forward.back().group_size;
    if (built->largest_group() < group) {
      throw_runtime_error({.operation = concat("products with keys on ", memory_.name()),
                           .offending = concat(kKernelName, " runs in groups of at most ",
                                               built->largest_group(), " work-items here"),
                           .limit = concat(group, " are needed"),
                           .remedy = "open the device with use_fused_passes = false"});
    }
    kernel = std::move(built);
  }
  return *kernel;
}

Grid KeyProductKernel::grid(KeyDigitForm form, std::size_t limb_count) const {
  const NttStep& block = ntt_.plan().forward.back();
  const std::size_t groups =
      form == KeyDigitForm::values ? ntt_.degree() / block.group_size : block.groups;
  return {.groups = {groups, limb_count, 1}, .group_size = block.group_size};
}

std::vector<Program> key_products_programs(const DeviceProperties& device) {
  std::vector<Program> programs;
  using enum KeyDigitForm;
  const auto add = [&](GpuNtt variant, int log_degree, NttPaths paths, KeyDigitForm form,
                       bool fused = true) {
    DeviceOptions options;
    options.ntt = variant;
    options.use_fused_multiply_add = fused;
    const NttPlan plan = make_ntt_plan({.variant = variant,
                                        .log_degree = log_degree,
                                        .paths = paths,
                                        .use_assembly = device.has_assembly()},
                                       device);
    programs.push_back(key_products_program(plan, options, form));
  };
  for (const NttPaths paths : {kLazyPaths, kExactPaths, kNarrowPaths, kAllPaths}) {
    add(GpuNtt::radix8, 15, paths, above_blocks);
    add(GpuNtt::radix8, 15, paths, values);
    add(GpuNtt::radix8, 12, paths, offsets);
  }
  add(GpuNtt::radix8, 15, kAllPaths, above_blocks, false);
  add(GpuNtt::radix8, 4, kAllPaths, offsets);
  add(GpuNtt::radix8, 12, kAllPaths, above_blocks);
  add(GpuNtt::radix8, 17, kAllPaths, above_blocks);
  add(GpuNtt::radix8, 13, kNarrowPaths, offsets);
  for (const GpuNtt variant : {GpuNtt::radix4, GpuNtt::radix16}) {
    add(variant, 15, kAllPaths, above_blocks);
  }
  return programs;
}

}  // namespace ringlet::gpu
