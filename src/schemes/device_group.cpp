// SPDX-License-Identifier: Apache-2.0
#include "ringlet/schemes/device_group.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "gpu/memory/device_memory.hpp"
#include "ringlet/schemes/routines.hpp"
#include "schemes/batch_share.hpp"

namespace ringlet {
namespace {

using schemes::BatchChunk;
using schemes::BatchShare;
using Counts = std::vector<std::size_t>;
using Operands = std::span<const Ciphertext>;

constexpr const char* kOperation = "DeviceGroup";

std::vector<Context> contexts_on(const Context& context, std::span<const Device> devices) {
  std::vector<Context> contexts;
  for (const Device& device : devices) {
    public_entry(kOperation, [&device] { device.check_open(); });
    contexts.push_back(context.on(device));
  }
  return contexts;
}

void check_options(std::size_t member_count, const DeviceGroupOptions& options) {
  if (member_count == 0) {
    refuse("no devices", "at least one", "name the device cpu, or one that `ringlet info` shows");
  }
  if (options.most_in_flight == 0) {
    refuse("most_in_flight = 0", "1 and up", "leave it as it is");
  }
}

/// Runs `call`; its errors also name the device and the elements.
template <typename Call>
void name_elements(const std::string& elements, const std::string& device, const Call& call) {
  try {
    call();
  } catch (const ErrorInfo& error) {
    refuse_at(concat(elements, " on ", device), error);
  }
}

}  // namespace

struct DeviceGroup::Member {
  explicit Member(const Context& context)
      : memory(std::dynamic_pointer_cast<gpu::DeviceMemory>(context.backend().memory())),
        name(context.backend().name()) {
    // A context of the host means the processor here, whatever the environment says.
    evaluator = context.backend().memory() == nullptr
                    ? std::make_unique<const Evaluator>(context, Device::cpu())
                    : std::make_unique<const Evaluator>(context);
  }
  /// Waits for all work. @throws RuntimeError if work failed.
  void finish() const {
    if (memory != nullptr) memory->synchronize();
  }

  std::shared_ptr<gpu::DeviceMemory> memory;  ///< Null for the processor.
  std::string name;
  std::unique_ptr<const Evaluator> evaluator;
};

DeviceGroup::DeviceGroup(const Context& context, std::span<const Device> devices,
                         const DeviceGroupOptions& options)
    : DeviceGroup(contexts_on(context, devices), options) {}

DeviceGroup::DeviceGroup(std::span<const Context> contexts, const DeviceGroupOptions& options)
    : options_(options) {
  public_entry(kOperation, [&] {
    check_options(contexts.size(), options);
    for (const Context& context : contexts) add_member(context, contexts.front());
  });
}

void DeviceGroup::add_member(const Context& context, const Context& first) {
  const std::shared_ptr<Memory> memory = context.backend().memory();
  const std::string name = context.backend().name();
  if (context.key_parms_id() != first.key_parms_id()) {
    refuse(concat("a context of other parameters on ", name), "contexts of one set of parameters",
           "make a group for each set of parameters");
  }
  const bool is_repeated = std::ranges::any_of(members_, [&memory](const auto& member) {
    return memory != nullptr && member->evaluator->context().backend().memory() == memory;
  });
  if (is_repeated) {
    refuse(concat(name, ", named twice"), "devices that differ; only the processor may be repeated",
           "name each device once: its member keeps it busy");
  }
  members_.push_back(std::make_unique<const Member>(context));
}

DeviceGroup::~DeviceGroup() = default;

std::size_t DeviceGroup::size() const noexcept { return members_.size(); }

const DeviceGroupOptions& DeviceGroup::options() const noexcept { return options_; }

const DeviceGroup::Member& DeviceGroup::member(std::size_t index) const {
  if (index >= members_.size()) {
    refuse<OutOfRange>(concat("index = ", index), concat("below the size ", members_.size()),
                       "check the size first");
  }
  return *members_[index];
}

const std::string& DeviceGroup::name(std::size_t index) const {
  return public_entry("DeviceGroup::name", [&]() -> auto& { return member(index).name; });
}

const Evaluator& DeviceGroup::evaluator(std::size_t index) const {
  return public_entry("DeviceGroup::evaluator",
                      [&]() -> auto& { return *member(index).evaluator; });
}

/// A batch while it is computed.
struct DeviceGroup::Batch {
  Batch(const DeviceGroup& group_in, std::size_t count_in, const Work& work_in, const Work& end_in)
      : group(group_in),
        count(count_in),
        work(work_in),
        end(end_in),
        share(count_in, group_in.size(), group_in.options_.most_in_flight) {}

  /// Does all work of one member, on its own thread.
  void run(std::size_t index) noexcept {
    try {
      while (true) {
        const BatchChunk chunk = share.take(index);
        if (chunk.count == 0) return;
        run(index, chunk);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (error == nullptr) error = std::current_exception();
      share.stop();
    }
  }
  void run(std::size_t index, const BatchChunk& chunk) {
    const Member& member = *group.members_[index];
    const auto start = std::chrono::steady_clock::now();
    std::size_t done = 0;
    for (; done < chunk.count && !share.is_stopped(); ++done) {
      run_element(member, work, chunk.first + done);
    }
    for (std::size_t i = 0; end != nullptr && i < done; ++i) {
      run_element(member, end, chunk.first + i);
    }
    name_elements(
        concat("elements ", chunk.first, " to ", chunk.first + chunk.count - 1, " of ", count),
        member.name, [&member] { member.finish(); });
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    share.finish(index, done, time.count());
  }
  void run_element(const Member& member, const Work& call, std::size_t i) const {
    name_elements(concat("element ", i, " of ", count), member.name,
                  [&] { call(*member.evaluator, i); });
  }

  const DeviceGroup& group;
  std::size_t count;
  const Work& work;
  const Work& end;  ///< For all elements of a chunk, once they are submitted; may be empty.
  BatchShare share;
  std::mutex mutex;
  std::exception_ptr error;  ///< The first.
};

std::vector<std::size_t> DeviceGroup::run(std::size_t count, const Work& work,
                                          const Work& end) const {
  Batch batch(*this, count, work, end);
  {
    std::vector<std::jthread> threads;
    try {
      for (std::size_t i = 1; i < std::min(members_.size(), count); ++i) {
        threads.emplace_back([&batch, i] { batch.run(i); });
      }
    } catch (const std::system_error& error) {
      batch.share.stop();
      refuse<RuntimeError>(
          concat("no thread for ", members_[threads.size()]->name, ": ", error.what()),
          "one thread per device", "end other threads, or form a group of fewer devices");
    }
    batch.run(0);
  }
  if (batch.error != nullptr) std::rethrow_exception(batch.error);
  return batch.share.done();
}

std::vector<std::size_t> DeviceGroup::for_each(std::size_t count, const Work& work) const {
  return public_entry(kOperation, [&] { return run(count, work, nullptr); });
}

std::vector<std::size_t> DeviceGroup::compute(std::span<Ciphertext> destinations,
                                              const Compute& compute) const {
  std::vector<Ciphertext> results(destinations.size());
  const Work work = [&](const Evaluator& evaluator, std::size_t i) {
    compute(evaluator, i, results[i]);
  };
  Work end;
  if (options_.results == BatchResults::on_host) {
    end = [&results](const Evaluator&, std::size_t i) { results[i].await_words(); };
  }
  Counts counts = public_entry(kOperation, [&] { return run(results.size(), work, end); });
  std::ranges::move(results, destinations.begin());
  return counts;
}

std::vector<std::size_t> multiply_relinearize(const DeviceGroup& group, Operands a, Operands b,
                                              const RelinKeys& keys,
                                              std::span<Ciphertext> destinations) {
  public_entry("multiply_relinearize",
               [&] { schemes::check_lengths(destinations.size(), {a.size(), b.size()}); });
  return group.compute(destinations,
                       [&](const Evaluator& evaluator, std::size_t i, Ciphertext& result) {
                         multiply_relinearize(evaluator, a[i], b[i], keys, result);
                       });
}

std::vector<std::size_t> multiply_relinearize_rescale(const DeviceGroup& group, Operands a,
                                                      Operands b, const RelinKeys& keys,
                                                      std::span<Ciphertext> destinations) {
  public_entry("multiply_relinearize_rescale",
               [&] { schemes::check_lengths(destinations.size(), {a.size(), b.size()}); });
  return group.compute(destinations,
                       [&](const Evaluator& evaluator, std::size_t i, Ciphertext& result) {
                         multiply_relinearize_rescale(evaluator, a[i], b[i], keys, result);
                       });
}

std::vector<std::size_t> square_relinearize_rescale(const DeviceGroup& group, Operands a,
                                                    const RelinKeys& keys,
                                                    std::span<Ciphertext> destinations) {
  public_entry("square_relinearize_rescale",
               [&] { schemes::check_lengths(destinations.size(), {a.size()}); });
  return group.compute(destinations,
                       [&](const Evaluator& evaluator, std::size_t i, Ciphertext& result) {
                         square_relinearize_rescale(evaluator, a[i], keys, result);
                       });
}

std::vector<std::size_t> multiply_relinearize_rescale_add(const DeviceGroup& group, Operands a,
                                                          Operands b, Operands addends,
                                                          const RelinKeys& keys,
                                                          std::span<Ciphertext> destinations) {
  public_entry("multiply_relinearize_rescale_add", [&] {
    schemes::check_lengths(destinations.size(), {a.size(), b.size(), addends.size()});
  });
  return group.compute(
      destinations, [&](const Evaluator& evaluator, std::size_t i, Ciphertext& result) {
        multiply_relinearize_rescale_add(evaluator, a[i], b[i], addends[i], keys, result);
      });
}

std::vector<std::size_t> rotate(const DeviceGroup& group, Operands a, int steps,
                                const GaloisKeys& keys, std::span<Ciphertext> destinations) {
  public_entry("rotate", [&] { schemes::check_lengths(destinations.size(), {a.size()}); });
  return group.compute(destinations,
                       [&](const Evaluator& evaluator, std::size_t i, Ciphertext& result) {
                         rotate(evaluator, a[i], steps, keys, result);
                       });
}

}  // namespace ringlet
