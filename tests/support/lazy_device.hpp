// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "gpu/driver.hpp"
#include "ringlet/device.hpp"
#include "ringlet/error.hpp"
#include "support/test.hpp"

// A device whose queues do their work when somebody waits for it, and not in the order in which it
// was submitted: whatever relies on an order that was not asked for goes wrong. It writes down what
// it is asked, and fails on demand.

namespace ringlet::test {

/// The commands of one queue; outlives it.
struct LazyStream {
  std::size_t index = 0;
  std::deque<std::function<void()>> commands;
  std::uint64_t submitted = 0;
  std::uint64_t done = 0;

  void run_until(std::uint64_t position) {
    while (done < position) {
      const std::function<void()> command = std::move(commands.front());
      commands.pop_front();
      ++done;
      command();
    }
  }
};

/// When work is done that nobody waits for.
enum class LazyOrder : std::uint8_t { never, at_once, random };

struct LazyState {
  LazyOrder order = LazyOrder::never;
  bool divides = true;         ///< If it is asked to.
  bool ignores_waits = false;  ///< Between queues: so that tests see that it matters.
  std::mt19937_64 rng{1};
  std::vector<std::string> log;  ///< "queue 1: launch add", "allocate", ...
  /// The call, counted from now on, that fails; 0 for none.
  std::size_t failing_call = 0;
  /// Calls of this text fail so many times.
  std::string failing_text;
  std::size_t failures = 0;
  bool finds_no_memory = false;  ///< What fails says so.
  std::size_t host_waits = 0;
  std::vector<std::shared_ptr<LazyStream>> streams;

  void call(const std::string& text) {
    log.push_back(text);
    const bool is_nth = failing_call != 0 && --failing_call == 0;
    const bool is_named = failures != 0 && text.find(failing_text) != std::string::npos;
    if (!is_nth && !is_named) return;
    if (is_named) --failures;
    if (finds_no_memory) throw OutOfDeviceMemory({text, "no memory", "none", "none"});
    throw_runtime_error({text, "injected", "none", "none"});
  }
  void submit(LazyStream& stream, std::function<void()> command) {
    stream.commands.push_back(std::move(command));
    ++stream.submitted;
    if (order == LazyOrder::at_once) return stream.run_until(stream.submitted);
    if (order == LazyOrder::never) return;
    for (int i = 0; i < 2; ++i) {
      LazyStream& other = *streams[rng() % streams.size()];
      if (other.done < other.submitted) other.run_until(other.done + 1);
    }
  }
  std::size_t count(const std::string& part) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        log, [&part](const std::string& text) { return text.find(part) != std::string::npos; }));
  }
};

class LazyBuffer final : public gpu::Buffer {
 public:
  explicit LazyBuffer(std::size_t bytes)
      : bytes_(std::make_shared<std::vector<std::byte>>(bytes, std::byte{0x5a})) {}
  std::size_t byte_count() const noexcept override { return bytes_->size(); }
  const std::shared_ptr<std::vector<std::byte>>& bytes() const { return bytes_; }

 private:
  std::shared_ptr<std::vector<std::byte>> bytes_;
};

/// A kernel of tests: what it does to the words of its buffers, with its other arguments.
class LazyKernel final : public gpu::Kernel {
 public:
  using Run = std::function<void(const std::vector<std::uint64_t*>& buffers,
                                 const std::vector<std::uint64_t>& words)>;
  LazyKernel(std::string name, Run run) : name_(std::move(name)), run_(std::move(run)) {}
  const std::string& name() const noexcept override { return name_; }
  std::size_t largest_group() const noexcept override { return 256; }
  const Run& run() const { return run_; }

 private:
  std::string name_;
  Run run_;
};

class LazyEvent final : public gpu::Event {
 public:
  LazyEvent(std::shared_ptr<LazyState> state, std::shared_ptr<LazyStream> stream)
      : state_(std::move(state)), stream_(std::move(stream)), position_(stream_->submitted) {}
  void wait() override {
    state_->call("event of queue " + std::to_string(stream_->index) + ": wait");
    if (!is_done()) ++state_->host_waits;
    reach();
  }
  bool is_done() override { return stream_->done >= position_; }
  double seconds_since(const gpu::Event& earlier) const override {
    const auto& start = dynamic_cast<const LazyEvent&>(earlier);
    return static_cast<double>(position_) - static_cast<double>(start.position_);
  }
  void reach() const { stream_->run_until(position_); }
  std::size_t queue() const { return stream_->index; }

 private:
  std::shared_ptr<LazyState> state_;
  std::shared_ptr<LazyStream> stream_;
  std::uint64_t position_;
};

class LazyQueue final : public gpu::Queue {
 public:
  LazyQueue(std::shared_ptr<LazyState> state, std::shared_ptr<LazyStream> stream)
      : state_(std::move(state)), stream_(std::move(stream)) {}
  ~LazyQueue() override { stream_->run_until(stream_->submitted); }
  LazyQueue(const LazyQueue&) = delete;
  LazyQueue& operator=(const LazyQueue&) = delete;

  void launch(const gpu::Kernel& kernel, const gpu::Grid&,
              std::span<const gpu::Argument> arguments) override {
    call("launch " + kernel.name());
    std::vector<std::shared_ptr<std::vector<std::byte>>> held;
    std::vector<std::uint64_t*> buffers;
    std::vector<std::uint64_t> words;
    for (const gpu::Argument& argument : arguments) {
      if (argument.buffer == nullptr) {
        words.push_back(argument.word);
        continue;
      }
      held.push_back(bytes_of(*argument.buffer));
      buffers.push_back(reinterpret_cast<std::uint64_t*>(held.back()->data()));
    }
    submit([held, buffers, words, run = dynamic_cast<const LazyKernel&>(kernel).run()] {
      run(buffers, words);
    });
  }
  void upload(const gpu::Buffer& target, std::size_t offset,
              std::span<const std::byte> source) override {
    call("upload");
    submit([to = bytes_of(target), offset, from = std::vector(source.begin(), source.end())] {
      std::ranges::copy(from, to->begin() + static_cast<std::ptrdiff_t>(offset));
    });
  }
  void download(std::span<std::byte> target, const gpu::Buffer& source,
                std::size_t offset) override {
    call("download");
    ++state_->host_waits;
    stream_->run_until(stream_->submitted);
    std::memcpy(target.data(), bytes_of(source)->data() + offset, target.size());
  }
  void copy(const gpu::Buffer& target, std::size_t target_offset, const gpu::Buffer& source,
            std::size_t source_offset, std::size_t bytes) override {
    call("copy");
    submit([to = bytes_of(target), target_offset, from = bytes_of(source), source_offset, bytes] {
      std::memcpy(to->data() + target_offset, from->data() + source_offset, bytes);
    });
  }
  void clear(const gpu::Buffer& target, std::size_t offset, std::size_t bytes) override {
    call("clear");
    submit([to = bytes_of(target), offset, bytes] { std::memset(to->data() + offset, 0, bytes); });
  }
  std::shared_ptr<gpu::Event> record() override {
    call("record");
    return std::make_shared<LazyEvent>(state_, stream_);
  }
  void wait_for(const gpu::Event& event) override {
    const auto& other = dynamic_cast<const LazyEvent&>(event);
    call("wait for queue " + std::to_string(other.queue()));
    submit([other, state = state_.get()] {
      if (!state->ignores_waits) other.reach();
    });
  }
  void flush() override { call("flush"); }
  void finish() override {
    call("finish");
    ++state_->host_waits;
    stream_->run_until(stream_->submitted);
  }

 private:
  static const std::shared_ptr<std::vector<std::byte>>& bytes_of(const gpu::Buffer& buffer) {
    return dynamic_cast<const LazyBuffer&>(buffer).bytes();
  }
  void call(const std::string& text) {
    state_->call("queue " + std::to_string(stream_->index) + ": " + text);
  }
  void submit(std::function<void()> command) { state_->submit(*stream_, std::move(command)); }

  std::shared_ptr<LazyState> state_;
  std::shared_ptr<LazyStream> stream_;
};

/// Says that it divides into up to `parts` parts.
class LazyDevice final : public gpu::DriverDevice {
 public:
  explicit LazyDevice(std::size_t parts = 1) {
    properties_.name = "Lazy";
    properties_.memory_bytes = std::uint64_t{1} << 40;
    properties_.largest_allocation_bytes = std::uint64_t{1} << 38;
    properties_.compute_units = 12;
    properties_.largest_partition = parts;
  }
  LazyDevice(const LazyDevice& whole, std::size_t part)
      : gpu::DriverDevice(whole), state_(whole.state_), properties_(whole.properties_) {
    properties_.name += " part " + std::to_string(part);
  }
  LazyState& state() const { return *state_; }

  const gpu::DeviceProperties& properties() const noexcept override { return properties_; }
  std::unique_ptr<gpu::Queue> make_queue(bool) override {
    state_->call("make_queue on " + properties_.name);
    auto stream = std::make_shared<LazyStream>();
    stream->index = state_->streams.size();
    state_->streams.push_back(stream);
    return std::make_unique<LazyQueue>(state_, stream);
  }
  std::shared_ptr<gpu::Buffer> allocate(std::size_t bytes) override {
    state_->call("allocate");
    return std::make_shared<LazyBuffer>(bytes);
  }
  std::shared_ptr<gpu::Module> build(const std::string&, std::span<const std::string>) override {
    throw_runtime_error({"build", "a lazy device", "no programs", "none"});
  }
  std::shared_ptr<gpu::Module> load(std::span<const std::byte>) override {
    throw_runtime_error({"load", "a lazy device", "no programs", "none"});
  }
  std::vector<std::shared_ptr<gpu::DriverDevice>> split(std::size_t count) override {
    state_->call("split");
    if (!state_->divides) throw gpu::IndivisibleDevice({"split", "parts", "none", "none"});
    std::vector<std::shared_ptr<gpu::DriverDevice>> parts;
    for (std::size_t i = 0; i < count; ++i) {
      parts.push_back(std::make_shared<LazyDevice>(*this, i));
    }
    return parts;
  }

 private:
  std::shared_ptr<LazyState> state_ = std::make_shared<LazyState>();
  gpu::DeviceProperties properties_;
};

}  // namespace ringlet::test
