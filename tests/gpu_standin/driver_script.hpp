// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_standin/standin.hpp"
#include "support/devices/opencl_device.hpp"

namespace ringlet::test {

/// Kernels of these tests, beside kScaleKernel.
inline constexpr const char* kScriptKernels =
    "#define PAIR(name) GLOBAL u64 *name, u64 name##_offset\n"
    "KERNEL void add_word(PAIR(target), /* a comment, */ u64 word) {\n"
    "  if (GLOBAL_ID() == 0) target[target_offset] += word;\n"
    "}\n"
    "KERNEL GROUP_LIMIT(64) void nothing(void) {}\n";

/// Registers host functions of these kernels, and of kScaleKernel with 7 as ADDEND.
inline void teach_kernels(standin::Control& library) {
  library.register_kernel("add_word", [](const standin::Launch& launch) {
    const auto& [target, offset, word] =
        std::tie(launch.arguments[0], launch.arguments[1], launch.arguments[2]);
    reinterpret_cast<std::uint64_t*>(target)[offset] += word;
  });
  library.register_kernel("scale", [](const standin::Launch& launch) {
    auto* const result = reinterpret_cast<std::uint64_t*>(launch.arguments[0]);
    const auto* const a =
        reinterpret_cast<const std::uint64_t*>(launch.arguments[1]) + launch.arguments[2];
    for (std::uint64_t layer = 0; layer < launch.groups[1] * launch.groups[2]; ++layer) {
      for (std::uint64_t i = 0; i < launch.groups[0] * launch.group_size; ++i) {
        result[256 * layer + i] = a[i] * launch.arguments[3] + 7 + layer;
      }
    }
  });
}

/// Returns bytes [0, count), each its index plus `start`.
inline std::vector<std::byte> counted_bytes(std::size_t count, unsigned start = 0) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(start + i);
  return bytes;
}

/// Everything that a program does with a driver, once: all operations of the interface, on two
/// queues. Objects stay until the script goes, so that all calls from then on release them.
class DriverScript {
 public:
  /// Runs the script with one more upload of `upload_bytes` bytes. The queues are on the first and
  /// the last of `parts` parts of the device. Returns false if there is no device.
  bool run(gpu::Driver& driver, std::size_t upload_bytes, std::size_t parts = 1) {
    devices_ = driver.devices();
    if (devices_.empty()) return false;
    gpu::DriverDevice& device = *devices_.front();
    parts_ = device.split(parts);
    first_ = parts_.front()->make_queue(true);
    second_ = parts_.back()->make_queue(true);
    a_ = device.allocate(kBytes);
    b_ = device.allocate(kBytes);
    const std::vector<std::string> definitions{"RINGLET_SCRIPT=1"};
    built_ = device.build(kScriptKernels, definitions);
    module_ = device.load(built_->binary());
    kernel_ = module_->kernel("add_word");

    first_->upload(*a_, 0, counted_bytes(kBytes));
    begin_ = first_->record();
    const gpu::Argument arguments[] = {*a_, std::uint64_t{0}, kWord};
    first_->launch(*kernel_, {{2, 1, 1}, 16}, arguments);
    launched_ = first_->record();
    second_->wait_for(*launched_);
    second_->copy(*b_, 0, *a_, 0, kBytes);
    second_->clear(*b_, kBytes / 2, kBytes / 2);
    copied_ = second_->record();
    second_->flush();
    if (upload_bytes != 0) {
      large_ = device.allocate(upload_bytes);
      first_->upload(*large_, 0, counted_bytes(upload_bytes));
    }
    while (!copied_->is_done()) std::this_thread::yield();
    launched_->wait();
    EXPECT_GT(launched_->seconds_since(*begin_), 0);
    first_->finish();
    std::vector<std::byte> result(kBytes);
    second_->download(result, *b_, 0);
    std::vector<std::byte> expected = counted_bytes(kBytes);
    expected[0] = static_cast<std::byte>(kWord);
    std::fill(expected.begin() + kBytes / 2, expected.end(), std::byte{0});
    EXPECT_EQ(result, expected);
    return true;
  }

 private:
  static constexpr std::size_t kBytes = 256;
  static constexpr std::uint64_t kWord = 7;

  std::vector<std::shared_ptr<gpu::DriverDevice>> devices_;
  std::vector<std::shared_ptr<gpu::DriverDevice>> parts_;
  std::unique_ptr<gpu::Queue> first_;
  std::unique_ptr<gpu::Queue> second_;
  std::shared_ptr<gpu::Buffer> a_;
  std::shared_ptr<gpu::Buffer> b_;
  std::shared_ptr<gpu::Buffer> large_;
  std::shared_ptr<gpu::Module> built_;
  std::shared_ptr<gpu::Module> module_;
  std::shared_ptr<gpu::Kernel> kernel_;
  std::shared_ptr<gpu::Event> begin_;
  std::shared_ptr<gpu::Event> launched_;
  std::shared_ptr<gpu::Event> copied_;
};

}  // namespace ringlet::test
