// SPDX-License-Identifier: Apache-2.0
#include "gpu/device_memory.hpp"
#include "gpu/device_registry.hpp"
#include "ringlet/error.hpp"
#include "support/forking.hpp"
#include "support/model_device.hpp"
#include "support/test.hpp"

// A driver's threads are not forked: a child that called it would wait for ever.

namespace ringlet::gpu {
namespace {

using test::ModelDevice;
using test::ModelDriver;

/// The number of the first check that fails in a forked child; 0 if all hold.
int first_failure_in_child(const std::vector<std::function<bool()>>& checks) {
  return test::status_of_child([&checks] {
    int number = 0;
    for (const auto& check : checks) {
      ++number;
      if (!check()) return number;
    }
    return 0;
  });
}

bool is_refused(const std::function<void()>& call) {
  try {
    call();
  } catch (const LogicError& error) {
    return error.offending().find("another process") != std::string::npos;
  }
  return false;
}

DeviceRegistry make_registry() {
  const std::vector<std::shared_ptr<DriverDevice>> devices{std::make_shared<ModelDevice>()};
  return DeviceRegistry({{Api::opencl, "libOpenCL.so.1", [devices](std::string&) {
                            return std::make_shared<ModelDriver>(Api::opencl, devices);
                          }}});
}

TEST(ForkedProcess, MemoryIsRefusedAndGivesNothingBack) {
  if (!test::kMayFork) GTEST_SKIP() << test::kWhyNotFork;
  const auto device = std::make_shared<ModelDevice>();
  auto memory = std::make_shared<DeviceMemory>("gpu:7", device, DeviceOptions{});
  std::uint64_t* const block = memory->allocate(4, Secrecy::secret);
  const std::vector<std::uint64_t> words{1, 2, 3, 4};
  memory->upload(block, words.data(), words.size());
  const std::size_t calls = device->state().calls().size();
  const auto calls_nothing = [&] { return device->state().calls().size() == calls; };
  std::vector<std::uint64_t> read(4);
  EXPECT_EQ(first_failure_in_child({
                [&] { return is_refused([&] { memory->allocate(4, Secrecy::open); }); },
                [&] { return is_refused([&] { memory->upload(block, words.data(), 4); }); },
                [&] { return is_refused([&] { memory->download(read.data(), block, 4); }); },
                [&] { return is_refused([&] { memory->copy(block, block + 2, 2); }); },
                [&] { return is_refused([&] { memory->resolve(block); }); },
                [&] { return is_refused([&] { memory->synchronize(); }); },
                [&] { return is_refused([&] { memory->with_queue([](Queue&) {}); }); },
                [&] { return memory->release(block), memory->trim(), memory->close(), true; },
                [&] { return memory.reset(), calls_nothing(); },
            }),
            0);
  // The parent goes on.
  memory->download(read.data(), block, read.size());
  EXPECT_EQ(read, words);
}

TEST(ForkedProcess, OpensWhatWasNotLoadedBefore) {
  if (!test::kMayFork) GTEST_SKIP() << test::kWhyNotFork;
  DeviceRegistry loaded = make_registry();
  const auto open = [](DeviceRegistry& registry) {
    return registry.open({DeviceScope::all, 0}, {}, "test");
  };
  const auto first = open(loaded);
  DeviceRegistry unused = make_registry();
  EXPECT_EQ(first_failure_in_child({
                [&] { return is_refused([&] { open(loaded); }); },
                [&] { return loaded.list().size() == 2; },
                [&] { return open(unused) != nullptr; },
            }),
            0);
  EXPECT_EQ(open(loaded), first);
}

}  // namespace
}  // namespace ringlet::gpu
