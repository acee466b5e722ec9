// SPDX-License-Identifier: Apache-2.0
#include <regex>

#include "gpu/backend/device_backend.hpp"
#include "support/devices/device_fixture.hpp"
#include "support/devices/opencl_device.hpp"
#include "unit/schemes/operations.hpp"

// Every call of the driver within every operation of the Evaluator fails in turn: once, from then
// on, or later while the command executes. Each time the test checks the state after the operation.

namespace ringlet::test {
namespace {

/// How calls of OpenCL fail. The number of status queries depends on the speed of commands, so
/// these calls have their own count.
enum class FaultKind : std::uint8_t {
  once,            ///< One call fails, as if memory was short for a moment.
  from_then_on,    ///< That call and all later ones fail, as if memory was used up.
  lost,            ///< That call and all later ones fail, status queries included.
  status_unknown,  ///< One query of a command's status fails.
  in_execution,    ///< One query says that the command has failed.
};

/// Numbers the calls that can fail, and makes one fail. For one test at a time.
class OpenclFaultPlan {
 public:
  static OpenclFaultPlan& of_process() {
    static OpenclFaultPlan plan;
    return plan;
  }

  /// The call number `index` from now on, counted from 0, will fail with `code`.
  void arm(FaultKind kind, std::size_t index, gpu::cl::Int code) {
    kind_ = kind;
    index_ = index;
    code_ = code;
    count_ = 0;
    failures_ = 0;
    is_armed_ = true;
  }
  /// Counts the calls without a failure.
  void count(FaultKind kind) { arm(kind, std::numeric_limits<std::size_t>::max(), 0); }
  void disarm() { is_armed_ = false; }
  std::size_t call_count() const { return count_; }
  bool has_failed() const { return failures_ > 0; }
  /// The number of buffers that were made and not released.
  int buffer_count() const { return buffer_count_; }

  /// Replaces the entry points of `api`.
  void install(gpu::cl::Api& api);

 private:
  /// True if this call must fail.
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

/// Replaces calls whose result is a code.
template <typename... Arguments, gpu::cl::Int (*gpu::cl::Api::*Entry)(Arguments...)>
struct OpenclFaultPlan::Replacement<Entry> {
  static gpu::cl::Int call(Arguments... arguments) {
    OpenclFaultPlan& plan = of_process();
    if (!plan.is_due(asks_for_status<Entry>())) return (plan.real_.*Entry)(arguments...);
    if constexpr (asks_for_status<Entry>()) {
      // A failed command, or one of a lost device, no longer runs. Here it has to end first: what
      // it reads may be released now.
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

/// Replaces calls whose result is an object; the last argument receives the code.
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

void OpenclFaultPlan::install(gpu::cl::Api& api) {
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

namespace cl = gpu::cl;

/// CL_INVALID_COMMAND_QUEUE, which drivers return for a lost device, and NVIDIA's code for a kernel
/// that read an invalid address.
constexpr cl::Int kDeviceLost = -36;
constexpr cl::Int kIllegalRead = -9999;

struct Fault {
  FaultKind kind;
  cl::Int code;

  /// True if the failure is noticed after the operation has returned.
  bool is_late() const {
    return kind == FaultKind::status_unknown || kind == FaultKind::in_execution;
  }
};
const std::vector<Fault> kFaults = {
    {FaultKind::once, cl::kMemoryObjectAllocationFailure},
    {FaultKind::once, kDeviceLost},
    {FaultKind::from_then_on, cl::kMemoryObjectAllocationFailure},
    {FaultKind::from_then_on, cl::kOutOfResources},
    {FaultKind::lost, kDeviceLost},
    {FaultKind::status_unknown, cl::kOutOfHostMemory},
    {FaultKind::in_execution, kIllegalRead},
};

/// The places of the operands when the operation begins.
enum class Operands : std::uint8_t {
  on_host,
  on_device_alone,
  on_host_first_use,  ///< The device does not have keys and constants yet.
};
/// The state of the destination.
enum class Destination : std::uint8_t { empty, filled, first_operand };

constexpr std::pair<Operands, Destination> kPlaces[] = {
    {Operands::on_host, Destination::empty},
    {Operands::on_host, Destination::filled},
    {Operands::on_host, Destination::first_operand},
    {Operands::on_device_alone, Destination::empty},
    {Operands::on_device_alone, Destination::filled},
    {Operands::on_device_alone, Destination::first_operand},
    {Operands::on_host_first_use, Destination::empty},
};

/// An operation, its operands, and its result without faults.
struct Case {
  const Operation& operation;
  Operands operands;
  Destination destination;
  const Ciphertext& a;
  const Ciphertext& b;
  const Ciphertext& minus_a;
  const Ciphertext& minus_b;
  Ciphertext expected;
};

class DeviceFaults : public OpenclDeviceTest {
 protected:
  void SetUp() override {
    OpenclDeviceTest::SetUp();
    if (IsSkipped()) return;
    OpenclFaultPlan::of_process().install(*api);
  }
  void TearDown() override {
    plan.disarm();
    world = {};
    evaluator.reset();
    memory.reset();
    if (IsSkipped()) return;
    EXPECT_EQ(plan.buffer_count(), 0);
  }

  /// Opens fresh memory and a fresh evaluator.
  void open() {
    evaluator.reset();
    memory = std::make_shared<gpu::DeviceMemory>("gpu:0", device, DeviceOptions{});
    renew_backend();
  }
  void renew_backend() {
    evaluator = std::make_unique<Evaluator>(
        context->on(gpu::make_device_backend(context->backend().basis(), memory)));
  }

  /// Sets the operands and the destination of one trial.
  void prepare(const Case& one) {
    if (one.operands == Operands::on_host_first_use) renew_backend();
    if (one.operands != Operands::on_device_alone) {
      world.a = one.a;
      world.b = one.b;
    } else {
      evaluator->negate(one.minus_a, world.a);
      evaluator->negate(one.minus_b, world.b);
      world.a.scale() = one.a.scale();
    }
    world.destination = Ciphertext();
    if (one.destination == Destination::filled) evaluator->negate(one.expected, world.destination);
  }
  Ciphertext& result(const Case& one) {
    return one.destination == Destination::first_operand ? world.a : world.destination;
  }
  void run(const Case& one) { one.operation.call(*evaluator, world, result(one)); }

  /// Expects that the error names the driver's failure and the public call `from`, or no call if
  /// `from` is empty.
  void expect_typed(const ErrorInfo& error, cl::Int code, const std::string& from) const {
    EXPECT_TRUE(error.operation().starts_with(from)) << error.operation();
    EXPECT_EQ(error.operation().empty(), from.empty()) << error.operation();
    EXPECT_TRUE(std::regex_search(error.offending(), std::regex("\\bcl[A-Z]")))
        << error.offending();
    EXPECT_NE(error.offending().find(cl::error_text(code)), std::string::npos) << error.offending();
    EXPECT_FALSE(error.limit().empty());
    EXPECT_FALSE(error.remedy().empty());
  }

  /// After a refusal nothing is changed or lost, and the operation succeeds the next time.
  void expect_untouched(const Case& one, std::uint64_t in_use) {
    if (one.operands == Operands::on_device_alone) {
      EXPECT_EQ(memory->statistics().in_use, in_use);
    }
    EXPECT_EQ(Snapshot(world.a), Snapshot(one.a)) << "the first operand";
    EXPECT_EQ(Snapshot(world.b), Snapshot(one.b)) << "the second operand";
    if (one.destination == Destination::empty) {
      EXPECT_EQ(world.destination.size(), 0u);
    } else if (one.destination == Destination::filled) {
      const Ciphertext before = result_of(*evaluator, &Evaluator::negate, one.expected);
      EXPECT_EQ(Snapshot(world.destination), Snapshot(before)) << "the destination";
    }
    run(one);
    expect_same(one.expected, result(one));
  }

  /// After a failed command or an unknown status, the device reports this to every reader. Words on
  /// the host are unchanged, and usable after the device is opened again.
  void expect_lost(const Case& one, bool is_refused, const Fault& fault) {
    if (!is_refused) {
      try {
        result(one).view(0);
        ADD_FAILURE() << "words of a device that has failed";
      } catch (const RuntimeError& error) {
        expect_typed(error, fault.code, "Ciphertext::view");
      }
    }
    if (one.operands != Operands::on_device_alone) {
      const bool is_overwritten = !is_refused && one.destination == Destination::first_operand;
      EXPECT_TRUE(is_overwritten || Snapshot(world.a) == Snapshot(one.a)) << "the first operand";
      EXPECT_EQ(Snapshot(world.b), Snapshot(one.b)) << "the second operand";
    }
    world.a = world.b = world.destination = Ciphertext();
    open();
    prepare(one);
    run(one);
    expect_same(one.expected, result(one));
  }

  /// Returns true if the call reached the fault.
  bool try_call(const Case& one, const Fault& fault, std::size_t index) {
    SCOPED_TRACE("call " + std::to_string(index) + ", " + cl::error_text(fault.code) + ", kind " +
                 std::to_string(static_cast<int>(fault.kind)));
    prepare(one);
    const std::uint64_t in_use = memory->statistics().in_use;
    plan.arm(fault.kind, index, fault.code);
    bool is_refused = false;
    bool is_lost = false;
    try {
      run(one);
    } catch (const RuntimeError& error) {
      is_refused = true;
      expect_typed(error, fault.code, "Evaluator::");
    }
    // A command may fail after the operation has returned.
    if (!fault.is_late()) plan.disarm();
    try {
      memory->synchronize();
    } catch (const RuntimeError& error) {
      is_lost = true;
      expect_typed(error, fault.code, "");
    }
    plan.disarm();
    if (is_lost) {
      expect_lost(one, is_refused, fault);
    } else if (is_refused) {
      expect_untouched(one, in_use);
    } else {
      expect_same(one.expected, result(one));
    }
    trials += plan.has_failed() ? 1 : 0;
    return plan.has_failed();
  }

  /// The number of calls that a fault may hit, once the operation has run before.
  std::size_t count_calls(const Case& one, FaultKind kind) {
    for (int repetition = 0; repetition < 2; ++repetition) {
      prepare(one);
      plan.count(kind);
      run(one);
      plan.disarm();
      expect_same(one.expected, result(one));
    }
    return plan.call_count();
  }

  /// Tries every call in turn, or some. Their number varies a little with the contents of the
  /// memory cache and the speed of commands.
  void try_calls(const Case& one) {
    if (test_scale() == 1) {
      for (int i = 0; i < 2; ++i) {
        const Fault& fault = kFaults[rng() % kFaults.size()];
        const std::size_t count = count_calls(one, fault.kind);
        if (count > 0) try_call(one, fault, rng() % count);
      }
      return;
    }
    for (const Fault& fault : kFaults) {
      const std::size_t count = count_calls(one, fault.kind);
      std::size_t met = 0;
      bool is_met = true;
      for (std::size_t i = 0; (i < count || is_met) && !HasFailure(); ++i) {
        is_met = try_call(one, fault, i);
        met += is_met ? 1 : 0;
      }
      EXPECT_TRUE(fault.is_late() || 2 * met >= count) << met << " of " << count;
    }
  }

  /// Tries all operations, with operands and destinations of every kind.
  void try_all(const SchemeBench& bench) {
    context = &bench.context;
    world = bench.world();
    const Evaluator& host = bench.evaluator;
    open();
    const Ciphertext a = world.a;
    const Ciphertext b = world.b;
    const Ciphertext product = result_of(host, &Evaluator::multiply, a, b);
    const Ciphertext minus_a = result_of(host, &Evaluator::negate, a);
    const Ciphertext minus_b = result_of(host, &Evaluator::negate, b);
    const Ciphertext minus_product = result_of(host, &Evaluator::negate, product);
    std::size_t operations = 0;
    std::vector<Operation> all = operations_of(bench.context);
    all.push_back({"Evaluator::add_many", Operation::takes_a, [](auto& e, auto& w, auto& d) {
                     e.add_many(std::span<const Ciphertext>(&w.a, 1), d);
                   }});
    for (const Operation& operation : all) {
      if (operation.has(Operation::is_composed) || operation.has(Operation::takes_list)) continue;
      ++operations;
      const bool takes_product = operation.has(Operation::relinearizes);
      const Ciphertext& first = takes_product ? product : a;
      const Ciphertext& minus_first = takes_product ? minus_product : minus_a;
      for (const auto& [operands, destination] : kPlaces) {
        SCOPED_TRACE(operation.name + ", operands " + std::to_string(static_cast<int>(operands)) +
                     ", destination " + std::to_string(static_cast<int>(destination)));
        Case one{operation, operands, destination, first, b, minus_first, minus_b, {}};
        world.a = first;
        world.b = b;
        operation.call(host, world, one.expected);
        try_calls(one);
        if (HasFailure()) return;
      }
    }
    EXPECT_GT(trials, operations * 6);
  }

  OpenclFaultPlan& plan = OpenclFaultPlan::of_process();
  std::mt19937_64 rng = make_rng();
  std::shared_ptr<gpu::DeviceMemory> memory;
  std::unique_ptr<Evaluator> evaluator;
  const Context* context = nullptr;
  World world;
  std::size_t trials = 0;
};

class SchemesDeviceFaults : public DeviceFaults,
                            public ::testing::WithParamInterface<SchemeType> {};

TEST_P(SchemesDeviceFaults, Operations) {
  try_all(SchemeBench(exact_context(GetParam(), {64, 257, {40, 50, 57}, {60}})));
}

INSTANTIATE_TEST_SUITE_P(Schemes, SchemesDeviceFaults, kEveryScheme, scheme_name);

}  // namespace
}  // namespace ringlet::test
