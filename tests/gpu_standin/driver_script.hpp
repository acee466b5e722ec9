// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "gpu/driver.hpp"
#include "gpu_standin/standin.hpp"

namespace ringlet::test {

/// Kernels of these tests. The stand-in knows add_word by add_word_on_host.
inline constexpr const char* kScriptKernels =
    "#define PAIR(name) GLOBAL u64 *name, u64 name##_offset\n"
    "KERNEL void add_word(PAIR(target), /* a comment, */ u64 word) {\n"
    "  if (GLOBAL_ID() == 0) target[target_offset] += word;\n"
    "}\n"
    "KERNEL GROUP_LIMIT(64) void nothing(void) {}\n";

/// Bytes [0, count), each its index plus `start`.
inline std::vector<std::byte> counted_bytes(std::size_t count, unsigned start = 0) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(start + i);
  return bytes;
}

/// Everything that a program does with a driver, once: all operations of the interface, on two
/// queues. Objects stay until the script goes, so that what is called from then on is what releases
/// them.
class DriverScript {
 public:
  static constexpr std::size_t kBytes = 256;
  static constexpr std::uint64_t kWord = 7;

  /// `upload_bytes`: of one more upload. With `parts` queues are on the first and the last of so
  /// many parts of the device. False if there is no device.
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
    seconds_ = launched_->seconds_since(*begin_);
    first_->finish();
    result_.resize(kBytes);
    second_->download(result_, *b_, 0);
    return true;
  }

  /// What the script leaves in `result`, if add_word adds to the first word.
  static std::vector<std::byte> expected() {
    std::vector<std::byte> bytes = counted_bytes(kBytes);
    bytes[0] = static_cast<std::byte>(kWord);
    std::fill(bytes.begin() + kBytes / 2, bytes.end(), std::byte{0});
    return bytes;
  }
  const std::vector<std::byte>& result() const noexcept { return result_; }
  double seconds() const noexcept { return seconds_; }

 private:
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
  std::vector<std::byte> result_;
  double seconds_ = 0;
};

/// The kernel add_word on the host: adds to the word at an offset in words.
inline void add_word_on_host(const standin_launch* launch) {
  auto* target = reinterpret_cast<std::uint64_t*>(launch->arguments[0]);
  target[launch->arguments[1]] += launch->arguments[2];
}

}  // namespace ringlet::test
