// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/opencl/api.hpp"
#include "support/test.hpp"

namespace ringlet::test {

/// How the calls of OpenCL fail. How often the status of a command is asked for depends on how fast
/// it is: these calls are counted by themselves.
enum class FaultKind : std::uint8_t {
  once,            ///< One call, as when memory was short for a moment.
  from_then_on,    ///< That call and all after it, as when memory is used up.
  lost,            ///< The same, and what asks for the status of a command too.
  status_unknown,  ///< One call that asks for the status of a command.
  in_execution,    ///< Such a call says that the command has failed.
};

/// Numbers the calls that can fail, and makes one of them fail. For one test at a time.
class OpenclFaultPlan {
 public:
  static OpenclFaultPlan& of_process() {
    static OpenclFaultPlan plan;
    return plan;
  }

  /// Call `index` from now on, counted from 0, fails with `code`.
  void arm(FaultKind kind, std::size_t index, gpu::cl::Int code) {
    kind_ = kind;
    index_ = index;
    code_ = code;
    count_ = 0;
    failures_ = 0;
    is_armed_ = true;
  }
  /// Counts without failing.
  void count(FaultKind kind) { arm(kind, std::numeric_limits<std::size_t>::max(), 0); }
  void disarm() { is_armed_ = false; }
  std::size_t call_count() const { return count_; }
  bool has_failed() const { return failures_ > 0; }
  /// Buffers that were made and not released.
  int buffer_count() const { return buffer_count_; }

  /// Replaces the entry points of `api`.
  void install(gpu::cl::Api& api);

 private:
  /// Whether this call fails.
  bool is_due(bool asks_for_status) {
    if (!is_armed_) return false;
    if (kind_ == FaultKind::lost && asks_for_status) return failures_ > 0;
    const bool counts_status =
        kind_ == FaultKind::status_unknown || kind_ == FaultKind::in_execution;
    if (asks_for_status != counts_status) return false;
    const bool is_lasting = kind_ == FaultKind::from_then_on || kind_ == FaultKind::lost;
    const std::size_t number = count_++;
    const bool due = is_lasting ? number >= index_ : number == index_;
    failures_ += due ? 1 : 0;
    return due;
  }
  template <auto Entry>
  static constexpr bool asks_for_status() {
    using Status = std::integral_constant<decltype(&gpu::cl::Api::get_event_info),
                                          &gpu::cl::Api::get_event_info>;
    return std::is_same_v<std::integral_constant<decltype(Entry), Entry>, Status>;
  }

  template <auto Entry>
  struct Replacement;

  FaultKind kind_ = FaultKind::once;
  std::size_t index_ = 0;
  gpu::cl::Int code_ = 0;
  std::size_t count_ = 0;
  std::size_t failures_ = 0;
  bool is_armed_ = false;
  gpu::cl::Api real_;
  int buffer_count_ = 0;
};

/// Calls whose result is a code.
template <typename... Arguments, gpu::cl::Int (*gpu::cl::Api::*Entry)(Arguments...)>
struct OpenclFaultPlan::Replacement<Entry> {
  static gpu::cl::Int call(Arguments... arguments) {
    OpenclFaultPlan& plan = of_process();
    if (!plan.is_due(asks_for_status<Entry>())) return (plan.real_.*Entry)(arguments...);
    if constexpr (asks_for_status<Entry>()) {
      // A command that has failed, or that a lost device has, runs no more: here it has to end, for
      // what it reads may go now.
      const auto all = std::tie(arguments...);
      plan.real_.wait_for_events(1, &std::get<0>(all));
      if (plan.kind_ == FaultKind::in_execution) {
        *static_cast<gpu::cl::Int*>(std::get<3>(all)) = plan.code_;
        return gpu::cl::kSuccess;
      }
    }
    return plan.code_;
  }
};

/// Calls whose result is an object; the code comes by the last argument.
template <typename Object, typename... Arguments, Object* (*gpu::cl::Api::*Entry)(Arguments...)>
struct OpenclFaultPlan::Replacement<Entry> {
  static Object* call(Arguments... arguments) {
    OpenclFaultPlan& plan = of_process();
    if (plan.is_due(false)) {
      *std::get<sizeof...(Arguments) - 1>(std::tie(arguments...)) = plan.code_;
      return nullptr;
    }
    Object* const object = (plan.real_.*Entry)(arguments...);
    if constexpr (std::is_same_v<Object*, gpu::cl::Memory>) plan.buffer_count_ += object != nullptr;
    return object;
  }
};

inline void OpenclFaultPlan::install(gpu::cl::Api& api) {
  using gpu::cl::Api;
  disarm();
  real_ = api;
  buffer_count_ = 0;
  const auto replace = [&api]<auto... Entries>() {
    ((api.*Entries = Replacement<Entries>::call), ...);
  };
  replace.template operator()<
      &Api::create_buffer, &Api::create_program_with_source, &Api::create_program_with_binary,
      &Api::build_program, &Api::create_kernel, &Api::set_kernel_arg, &Api::get_kernel_info,
      &Api::get_kernel_work_group_info, &Api::enqueue_nd_range_kernel, &Api::enqueue_write_buffer,
      &Api::enqueue_read_buffer, &Api::enqueue_copy_buffer, &Api::enqueue_fill_buffer,
      &Api::enqueue_marker_with_wait_list, &Api::enqueue_barrier_with_wait_list, &Api::flush,
      &Api::finish, &Api::wait_for_events, &Api::get_event_info>();
  api.release_mem_object = [](gpu::cl::Memory memory) {
    --of_process().buffer_count_;
    return of_process().real_.release_mem_object(memory);
  };
}

}  // namespace ringlet::test
