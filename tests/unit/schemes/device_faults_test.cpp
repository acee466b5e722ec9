// SPDX-License-Identifier: Apache-2.0
#include "gpu/device_backend.hpp"
#include "gpu/device_memory.hpp"
#include "support/device_fixture.hpp"
#include "support/opencl_device.hpp"
#include "support/opencl_faults.hpp"
#include "support/test.hpp"
#include "unit/schemes/ckks_support.hpp"
#include "unit/schemes/exact_support.hpp"

// Every call of the driver within every operation of the Evaluator fails in turn: once, from then
// on, and later while the command is executed. What the operation leaves is looked at each time.

namespace ringlet::test {
namespace {

namespace cl = gpu::cl;

/// CL_INVALID_COMMAND_QUEUE, by which drivers tell that a device is lost, and NVIDIA's for a kernel
/// that has read where there is nothing.
constexpr cl::Int kDeviceLost = -36;
constexpr cl::Int kIllegalRead = -9999;

struct Fault {
  FaultKind kind;
  cl::Int code;

  /// Whether the operation has returned when it is noticed.
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

/// An operation of two operands; the second may be left unused.
struct Operation {
  std::string name;
  std::function<void(const Evaluator&, const Ciphertext&, const Ciphertext&, Ciphertext&)> call;
  /// Of three polynomials is the first operand, not two.
  bool takes_product = false;
};

/// Where the operands are when the operation begins.
enum class Operands : std::uint8_t {
  on_host,
  on_device_alone,
  on_host_first_use,  ///< And the device has nothing of keys and constants yet.
};
/// What its destination is.
enum class Destination : std::uint8_t { empty, filled, first_operand };

/// What is known of an operation without faults.
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

/// The operands and the destination of one trial.
struct Trial {
  Ciphertext a;
  Ciphertext b;
  Ciphertext destination;
};

class DeviceFaults : public test::OpenclDeviceTest {
 protected:
  void SetUp() override {
    OpenclDeviceTest::SetUp();
    if (IsSkipped()) return;
    OpenclFaultPlan::of_process().install(*api);
  }
  void TearDown() override {
    plan.disarm();
    evaluator.reset();
    memory.reset();
    if (IsSkipped()) return;
    EXPECT_EQ(plan.buffer_count(), 0);
  }

  /// Anew, without anything of before.
  void open() {
    evaluator.reset();
    memory = std::make_shared<gpu::DeviceMemory>("gpu:0", device, DeviceOptions{});
    renew_backend();
  }
  void renew_backend() {
    evaluator = std::make_unique<Evaluator>(
        context->on(gpu::make_device_backend(context->backend().basis(), memory)));
  }

  Trial prepare(const Case& one) {
    Trial trial;
    if (one.operands == Operands::on_host_first_use) renew_backend();
    if (one.operands != Operands::on_device_alone) {
      trial.a = one.a;
      trial.b = one.b;
    } else {
      evaluator->negate(one.minus_a, trial.a);
      evaluator->negate(one.minus_b, trial.b);
      trial.a.scale() = one.a.scale();
    }
    if (one.destination == Destination::filled) evaluator->negate(one.expected, trial.destination);
    return trial;
  }
  void run(const Case& one, Trial& trial) const {
    const bool is_in_place = one.destination == Destination::first_operand;
    Ciphertext& destination = is_in_place ? trial.a : trial.destination;
    one.operation.call(*evaluator, trial.a, trial.b, destination);
  }
  static const Ciphertext& result(const Case& one, const Trial& trial) {
    return one.destination == Destination::first_operand ? trial.a : trial.destination;
  }

  /// What fails while it is executed is told by the driver's call; a refusal by the operation.
  void expect_typed(const ErrorInfo& error, cl::Int code, const char* from) const {
    EXPECT_TRUE(error.operation().starts_with(from)) << error.operation();
    EXPECT_NE(error.offending().find(cl::error_text(code)), std::string::npos) << error.offending();
    EXPECT_FALSE(error.limit().empty());
    EXPECT_FALSE(error.remedy().empty());
  }

  /// The operation has refused: nothing is changed or lost, and it works the next time.
  void expect_untouched(const Case& one, Trial& trial, std::uint64_t in_use) const {
    if (one.operands == Operands::on_device_alone) {
      EXPECT_EQ(memory->statistics().in_use, in_use);
    }
    EXPECT_EQ(Snapshot(trial.a), Snapshot(one.a)) << "the first operand";
    EXPECT_EQ(Snapshot(trial.b), Snapshot(one.b)) << "the second operand";
    if (one.destination == Destination::empty) {
      EXPECT_EQ(trial.destination.size(), 0u);
    } else if (one.destination == Destination::filled) {
      Ciphertext before;
      evaluator->negate(one.expected, before);
      EXPECT_EQ(Snapshot(trial.destination), Snapshot(before)) << "the destination";
    }
    run(one, trial);
    expect_same(one.expected, result(one, trial));
  }

  /// A command has failed, or its status is not known: from then on the device says so to everybody
  /// who reads. What the host has is as it was, and is of use when the device was opened anew.
  void expect_lost(const Case& one, Trial& trial, bool is_refused, const Fault& fault) {
    if (!is_refused) {
      try {
        result(one, trial).view(0);
        ADD_FAILURE() << "words of a device that has failed";
      } catch (const RuntimeError& error) {
        expect_typed(error, fault.code, "cl");
      }
    }
    if (one.operands != Operands::on_device_alone) {
      const bool is_overwritten = !is_refused && one.destination == Destination::first_operand;
      EXPECT_TRUE(is_overwritten || Snapshot(trial.a) == Snapshot(one.a)) << "the first operand";
      EXPECT_EQ(Snapshot(trial.b), Snapshot(one.b)) << "the second operand";
    }
    trial = {};
    open();
    trial = prepare(one);
    run(one, trial);
    expect_same(one.expected, result(one, trial));
  }

  /// True if a fault was met.
  bool try_fault(const Case& one, const Fault& fault, std::size_t index) {
    Trial trial = prepare(one);
    const std::uint64_t in_use = memory->statistics().in_use;
    plan.arm(fault.kind, index, fault.code);
    bool is_refused = false;
    bool is_lost = false;
    try {
      run(one, trial);
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
      expect_typed(error, fault.code, "cl");
    }
    plan.disarm();
    if (is_lost) {
      expect_lost(one, trial, is_refused, fault);
    } else if (is_refused) {
      expect_untouched(one, trial, in_use);
    } else {
      expect_same(one.expected, result(one, trial));
    }
    return plan.has_failed();
  }

  /// How many calls a fault may meet, once the operation has run before.
  std::size_t count_calls(const Case& one, FaultKind kind) {
    for (int repetition = 0; repetition < 2; ++repetition) {
      Trial trial = prepare(one);
      plan.count(kind);
      run(one, trial);
      plan.disarm();
      expect_same(one.expected, result(one, trial));
    }
    return plan.call_count();
  }

  /// True if the fault was met.
  bool try_call(const Case& one, const Fault& fault, std::size_t index) {
    SCOPED_TRACE("call " + std::to_string(index) + ", " + cl::error_text(fault.code) + ", kind " +
                 std::to_string(static_cast<int>(fault.kind)));
    const bool has_failed = try_fault(one, fault, index);
    trials += has_failed ? 1 : 0;
    return has_failed;
  }

  /// Every call in turn, or some. Their number differs a little from time to time: by what the
  /// cache of memory has, and by how fast commands are done.
  void try_calls(const Case& one) {
    if (test::test_scale() == 1) {
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

  /// All operations, with operands and destinations of every kind.
  void try_all(const Context& on, const Ciphertext& a, const Ciphertext& b,
               const std::vector<Operation>& operations) {
    context = &on;
    open();
    const Evaluator host(on, Device::cpu());
    const auto negated = [&](const Ciphertext& x) {
      Ciphertext result;
      host.negate(x, result);
      return result;
    };
    Ciphertext product;
    host.multiply(a, b, product);
    const Ciphertext minus_a = negated(a);
    const Ciphertext minus_b = negated(b);
    const Ciphertext minus_product = negated(product);
    for (const Operation& operation : operations) {
      const Ciphertext& first = operation.takes_product ? product : a;
      const Ciphertext& minus_first = operation.takes_product ? minus_product : minus_a;
      for (const Operands operands :
           {Operands::on_host, Operands::on_device_alone, Operands::on_host_first_use}) {
        for (const Destination destination :
             {Destination::empty, Destination::filled, Destination::first_operand}) {
          const bool may_fill = operands != Operands::on_host_first_use;
          if (!may_fill && destination != Destination::empty) continue;
          SCOPED_TRACE(operation.name + ", operands " + std::to_string(static_cast<int>(operands)) +
                       ", destination " + std::to_string(static_cast<int>(destination)));
          Case one{operation, operands, destination, first, b, minus_first, minus_b, {}};
          operation.call(host, first, b, one.expected);
          try_calls(one);
          if (HasFailure()) return;
        }
      }
    }
    RecordProperty("trials", static_cast<int>(trials));
    EXPECT_GT(trials, operations.size() * 6);
  }

  OpenclFaultPlan& plan = OpenclFaultPlan::of_process();
  std::mt19937_64 rng = test::make_rng();
  std::shared_ptr<gpu::DeviceMemory> memory;
  std::unique_ptr<Evaluator> evaluator;
  const Context* context = nullptr;
  std::size_t trials = 0;
};

using Ct = const Ciphertext&;

/// What all schemes have.
std::vector<Operation> common_operations(const RelinKeys& keys, const Plaintext& plain,
                                         const ContextData& last) {
  return {
      {"negate", [](const Evaluator& e, Ct a, Ct, Ciphertext& r) { e.negate(a, r); }},
      {"add", [](const Evaluator& e, Ct a, Ct b, Ciphertext& r) { e.add(a, b, r); }},
      {"sub", [](const Evaluator& e, Ct a, Ct b, Ciphertext& r) { e.sub(a, b, r); }},
      {"add_many",
       [](const Evaluator& e, Ct a, Ct, Ciphertext& r) { e.add_many(std::span(&a, 1), r); }},
      {"add_plain", [&](const Evaluator& e, Ct a, Ct, Ciphertext& r) { e.add_plain(a, plain, r); }},
      {"sub_plain", [&](const Evaluator& e, Ct a, Ct, Ciphertext& r) { e.sub_plain(a, plain, r); }},
      {"multiply_plain",
       [&](const Evaluator& e, Ct a, Ct, Ciphertext& r) { e.multiply_plain(a, plain, r); }},
      {"multiply", [](const Evaluator& e, Ct a, Ct b, Ciphertext& r) { e.multiply(a, b, r); }},
      {"square", [](const Evaluator& e, Ct a, Ct, Ciphertext& r) { e.square(a, r); }},
      {"relinearize",
       [&](const Evaluator& e, Ct a, Ct, Ciphertext& r) { e.relinearize(a, keys, r); }, true},
      {"mod_switch_to_next",
       [](const Evaluator& e, Ct a, Ct, Ciphertext& r) { e.mod_switch_to_next(a, r); }},
      {"mod_switch_to", [&](const Evaluator& e, Ct a, Ct,
                            Ciphertext& r) { e.mod_switch_to(a, last.parms_id(), r); }},
      {"mod_reduce_to_next",
       [](const Evaluator& e, Ct a, Ct, Ciphertext& r) { e.mod_reduce_to_next(a, r); }},
  };
}

TEST_F(DeviceFaults, OperationsOfCkks) {
  const Ckks ckks(64, {50, 40, 57, 60});
  const Ciphertext a = ckks.encrypt(test::random_slots(32, rng), 0x1p30);
  const Ciphertext b = ckks.encrypt(test::random_slots(32, rng), 0x1p30);
  const Plaintext plain = ckks.encode(test::random_slots(32, rng), 0x1p30);
  auto all = common_operations(ckks.relin_keys, plain, *ckks.context.last_context_data());
  all.push_back({"rescale_to_next",
                 [](const Evaluator& e, Ct x, Ct, Ciphertext& r) { e.rescale_to_next(x, r); }});
  all.push_back({"relinearize_and_rescale_to_next",
                 [&](const Evaluator& e, Ct x, Ct, Ciphertext& r) {
                   e.relinearize_and_rescale_to_next(x, ckks.relin_keys, r);
                 },
                 true});
  all.push_back({"rotate_vector", [&](const Evaluator& e, Ct x, Ct, Ciphertext& r) {
                   e.rotate_vector(x, 1, ckks.galois_keys, r);
                 }});
  all.push_back({"complex_conjugate", [&](const Evaluator& e, Ct x, Ct, Ciphertext& r) {
                   e.complex_conjugate(x, ckks.galois_keys, r);
                 }});
  all.push_back({"transform_from_ntt",
                 [](const Evaluator& e, Ct x, Ct, Ciphertext& r) { e.transform_from_ntt(x, r); }});
  try_all(ckks.context, a, b, all);
}

class ExactDeviceFaults : public DeviceFaults, public ::testing::WithParamInterface<SchemeType> {};

TEST_P(ExactDeviceFaults, Operations) {
  const Exact exact(GetParam(), {64, 257, {40, 50, 57}, {60}, 0});
  const Ciphertext a = exact.encrypt(exact.random_plain(rng));
  const Ciphertext b = exact.encrypt(exact.random_plain(rng));
  const Plaintext plain = exact.random_plain(rng);
  auto all = common_operations(exact.relin_keys, plain, *exact.context.last_context_data());
  all.push_back({"rotate_rows", [&](const Evaluator& e, Ct x, Ct, Ciphertext& r) {
                   e.rotate_rows(x, 1, exact.galois_keys, r);
                 }});
  all.push_back({"rotate_columns", [&](const Evaluator& e, Ct x, Ct, Ciphertext& r) {
                   e.rotate_columns(x, exact.galois_keys, r);
                 }});
  all.push_back({"transform", [](const Evaluator& e, Ct x, Ct, Ciphertext& r) {
                   x.is_ntt_form() ? e.transform_from_ntt(x, r) : e.transform_to_ntt(x, r);
                 }});
  try_all(exact.context, a, b, all);
}

INSTANTIATE_TEST_SUITE_P(Schemes, ExactDeviceFaults,
                         ::testing::Values(SchemeType::bfv, SchemeType::bgv),
                         [](const auto& one) { return std::string(to_string(one.param)); });

}  // namespace
}  // namespace ringlet::test
