// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "gpu/driver.hpp"
#include "ringlet/gpu/device.hpp"
#include "support/test.hpp"

// A driver whose devices are plain memory of the host. Queues do their work at once, or only when a
// caller waits for it and not in the order of submission: code that relies on an order that it
// never requested goes wrong. The driver logs its calls, fails on demand, and notices mistakes that
// a real driver would not forgive.

namespace ringlet::test {

/// The commands of one queue; they outlive it.
struct ModelStream {
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

/// When a queue does work for which nobody waits.
enum class ModelOrder : std::uint8_t { at_once, never, random };

/// The state that the buffers and queues of a device share; it outlives them.
struct ModelState {
  static constexpr std::size_t kAlways = std::numeric_limits<std::size_t>::max();

  mutable std::mutex mutex;
  ModelOrder order = ModelOrder::at_once;
  bool divides = true;         ///< Whether split() succeeds.
  bool ignores_waits = false;  ///< Between queues, to show that they matter.
  std::mt19937_64 rng{1};
  std::vector<std::string> log;  ///< "queue 1: launch add", "allocate", ...
  std::size_t host_waits = 0;
  std::vector<std::shared_ptr<ModelStream>> streams;
  std::atomic<bool> is_busy{false};         ///< A queue is in use.
  std::atomic<int> queues_used_at_once{0};  ///< Times that two threads were in queues.

  std::size_t limit = kAlways;
  std::size_t allocated = 0;  ///< Bytes of live buffers, and of dropped ones until the next finish.
  std::size_t dropped = 0;    ///< Bytes of buffers that were released since then.
  int live_buffers = 0;
  std::vector<std::size_t> requests;  ///< Bytes of all calls of allocate.
  std::size_t unclean_bytes = 0;      ///< Not zero in buffers when they were released.
  std::function<void()> during_allocate;

  /// The call, counted from now on, that fails; 0 for none.
  std::size_t failing_call = 0;
  bool finds_no_memory = false;  ///< A failure is for lack of memory.
  std::string failing_text;
  std::size_t failures = 0;

  /// Lets calls whose line of the log has `text` fail `times` times from now on.
  void fail(const std::string& text, std::size_t times = kAlways) {
    failing_text = text;
    failures = times;
  }
  void call(const std::string& text) {
    const std::lock_guard lock(mutex);
    log.push_back(text);
    const bool is_nth = failing_call != 0 && --failing_call == 0;
    const bool is_named = failures != 0 && text.find(failing_text) != std::string::npos;
    if (!is_nth && !is_named) return;
    if (is_named && failures != kAlways) --failures;
    if (finds_no_memory) throw OutOfDeviceMemory({text, "no memory", "none", "none"});
    throw_runtime_error({text, "injected", "none", "none"});
  }
  void submit(ModelStream& stream, std::function<void()> command) {
    stream.commands.push_back(std::move(command));
    ++stream.submitted;
    if (order == ModelOrder::at_once) return stream.run_until(stream.submitted);
    if (order == ModelOrder::never) return;
    for (int i = 0; i < 2; ++i) {
      ModelStream& other = *streams[rng() % streams.size()];
      if (other.done < other.submitted) other.run_until(other.done + 1);
    }
  }
  /// Returns the log's lines about queues, without the number of the queue.
  std::vector<std::string> calls() const {
    std::vector<std::string> calls;
    for (const std::string& text : log) {
      if (text.starts_with("queue ")) calls.push_back(text.substr(text.find(": ") + 2));
    }
    return calls;
  }
  std::size_t count(const std::string& part) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        log, [&part](const std::string& text) { return text.find(part) != std::string::npos; }));
  }
};

class ModelBuffer final : public gpu::Buffer {
 public:
  explicit ModelBuffer(std::size_t bytes, std::shared_ptr<ModelState> state = nullptr)
      : bytes_(std::make_shared<std::vector<std::byte>>(bytes, std::byte{0x5a})),
        state_(std::move(state)) {}
  ~ModelBuffer() override {
    if (state_ == nullptr) return;
    const std::lock_guard lock(state_->mutex);
    state_->dropped += bytes_->size();
    --state_->live_buffers;
    state_->unclean_bytes +=
        bytes_->size() - static_cast<std::size_t>(std::ranges::count(*bytes_, std::byte{0}));
  }
  ModelBuffer(const ModelBuffer&) = delete;
  ModelBuffer& operator=(const ModelBuffer&) = delete;

  std::size_t byte_count() const noexcept override { return bytes_->size(); }
  /// Returns bytes [offset, offset + count), which stay while the pointer is held.
  std::shared_ptr<std::byte> part(std::size_t offset, std::size_t count) const {
    if (offset > bytes_->size() || count > bytes_->size() - offset) {
      throw std::out_of_range("beyond the end of a buffer");
    }
    return {bytes_, bytes_->data() + offset};
  }

 private:
  std::shared_ptr<std::vector<std::byte>> bytes_;
  std::shared_ptr<ModelState> state_;
};

/// A kernel of tests: `run` changes the words of its buffers, with its other arguments.
class ModelKernel final : public gpu::Kernel {
 public:
  using Run = std::function<void(const std::vector<std::uint64_t*>& buffers,
                                 const std::vector<std::uint64_t>& words)>;
  explicit ModelKernel(
      std::string name, Run run = [](const auto&, const auto&) {})
      : name_(std::move(name)), run_(std::move(run)) {}
  const std::string& name() const noexcept override { return name_; }
  std::size_t largest_group() const noexcept override { return 256; }
  const Run& run() const { return run_; }

 private:
  std::string name_;
  Run run_;
};

class ModelEvent final : public gpu::Event {
 public:
  ModelEvent(std::shared_ptr<ModelState> state, std::shared_ptr<ModelStream> stream)
      : state_(std::move(state)), stream_(std::move(stream)), position_(stream_->submitted) {}
  void wait() override {
    state_->call("event of queue " + std::to_string(stream_->index) + ": wait");
    if (!is_done()) ++state_->host_waits;
    reach();
  }
  bool is_done() override { return stream_->done >= position_; }
  double seconds_since(const gpu::Event& earlier) const override {
    const auto& start = dynamic_cast<const ModelEvent&>(earlier);
    return static_cast<double>(position_) - static_cast<double>(start.position_);
  }
  void reach() const { stream_->run_until(position_); }
  std::size_t queue() const { return stream_->index; }

 private:
  std::shared_ptr<ModelState> state_;
  std::shared_ptr<ModelStream> stream_;
  std::uint64_t position_;
};

class ModelQueue final : public gpu::Queue {
 public:
  ModelQueue(std::shared_ptr<ModelState> state, std::shared_ptr<ModelStream> stream)
      : state_(std::move(state)), stream_(std::move(stream)) {}
  ~ModelQueue() override { stream_->run_until(stream_->submitted); }
  ModelQueue(const ModelQueue&) = delete;
  ModelQueue& operator=(const ModelQueue&) = delete;

  void launch(const gpu::Kernel& kernel, const gpu::Grid&,
              std::span<const gpu::Argument> arguments) override {
    const Use use(*this, "launch " + kernel.name());
    std::vector<std::shared_ptr<std::byte>> held;
    std::vector<std::uint64_t*> buffers;
    std::vector<std::uint64_t> words;
    for (const gpu::Argument& argument : arguments) {
      if (argument.buffer == nullptr) {
        words.push_back(argument.word);
        continue;
      }
      held.push_back(part(*argument.buffer, 0, 0));
      buffers.push_back(reinterpret_cast<std::uint64_t*>(held.back().get()));
    }
    submit([held, buffers, words, run = dynamic_cast<const ModelKernel&>(kernel).run()] {
      run(buffers, words);
    });
  }
  void upload(const gpu::Buffer& target, std::size_t offset,
              std::span<const std::byte> source) override {
    const Use use(*this, "upload");
    submit(
        [to = part(target, offset, source.size()),
         from = std::vector(source.begin(), source.end())] { std::ranges::copy(from, to.get()); });
  }
  void download(std::span<std::byte> target, const gpu::Buffer& source,
                std::size_t offset) override {
    const Use use(*this, "download");
    ++state_->host_waits;
    stream_->run_until(stream_->submitted);
    std::copy_n(part(source, offset, target.size()).get(), target.size(), target.begin());
  }
  void copy(const gpu::Buffer& target, std::size_t target_offset, const gpu::Buffer& source,
            std::size_t source_offset, std::size_t bytes) override {
    const Use use(*this, "copy");
    submit([to = part(target, target_offset, bytes), from = part(source, source_offset, bytes),
            bytes] { std::memmove(to.get(), from.get(), bytes); });
  }
  void clear(const gpu::Buffer& target, std::size_t offset, std::size_t bytes) override {
    const Use use(*this, "clear");
    submit(
        [to = part(target, offset, bytes), bytes] { std::fill_n(to.get(), bytes, std::byte{}); });
  }
  std::shared_ptr<gpu::Event> record() override {
    const Use use(*this, "record");
    return std::make_shared<ModelEvent>(state_, stream_);
  }
  void wait_for(const gpu::Event& event) override {
    const auto& other = dynamic_cast<const ModelEvent&>(event);
    const Use use(*this, "wait for queue " + std::to_string(other.queue()));
    submit([other, state = state_.get()] {
      if (!state->ignores_waits) other.reach();
    });
  }
  void flush() override { const Use use(*this, "flush"); }
  void finish() override {
    const Use use(*this, "finish");
    ++state_->host_waits;
    stream_->run_until(stream_->submitted);
    const std::lock_guard lock(state_->mutex);
    state_->allocated -= std::exchange(state_->dropped, 0);
  }

 private:
  /// One use of the queue.
  struct Use {
    Use(ModelQueue& queue, const std::string& text) : state(*queue.state_) {
      if (state.is_busy.exchange(true)) ++state.queues_used_at_once;
      try {
        state.call("queue " + std::to_string(queue.stream_->index) + ": " + text);
      } catch (...) {
        state.is_busy = false;
        throw;
      }
    }
    ~Use() { state.is_busy = false; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ModelState& state;
  };
  static std::shared_ptr<std::byte> part(const gpu::Buffer& buffer, std::size_t offset,
                                         std::size_t count) {
    return dynamic_cast<const ModelBuffer&>(buffer).part(offset, count);
  }
  void submit(std::function<void()> command) { state_->submit(*stream_, std::move(command)); }

  std::shared_ptr<ModelState> state_;
  std::shared_ptr<ModelStream> stream_;
};

/// A device that reports that it divides into up to `parts` parts.
class ModelDevice final : public gpu::DriverDevice {
 public:
  explicit ModelDevice(ModelOrder order = ModelOrder::at_once, std::size_t parts = 1) {
    state_->order = order;
    properties_.name = "Model";
    properties_.vendor = "Nobody";
    properties_.memory_bytes = std::uint64_t{1} << 40;
    properties_.largest_allocation_bytes = std::uint64_t{1} << 38;
    properties_.compute_units = 12;
    properties_.largest_partition = parts;
  }
  ModelDevice(const ModelDevice& whole, std::size_t part)
      : gpu::DriverDevice(whole), state_(whole.state_), properties_(whole.properties_) {
    properties_.name += " part " + std::to_string(part);
  }
  ModelState& state() const { return *state_; }

  gpu::DeviceProperties& properties_to_change() noexcept { return properties_; }
  const gpu::DeviceProperties& properties() const noexcept override { return properties_; }
  std::unique_ptr<gpu::Queue> make_queue(bool) override {
    state_->call("make_queue on " + properties_.name);
    auto stream = std::make_shared<ModelStream>();
    stream->index = state_->streams.size();
    state_->streams.push_back(stream);
    return std::make_unique<ModelQueue>(state_, stream);
  }
  std::shared_ptr<gpu::Buffer> allocate(std::size_t bytes) override {
    if (state_->during_allocate) state_->during_allocate();
    state_->call("allocate");
    const std::lock_guard lock(state_->mutex);
    state_->requests.push_back(bytes);
    if (bytes > state_->limit - std::min(state_->limit, state_->allocated)) {
      throw OutOfDeviceMemory({"allocate", "the driver's words", "none", "none"});
    }
    auto buffer = std::make_shared<ModelBuffer>(bytes, state_);
    state_->allocated += bytes;
    ++state_->live_buffers;
    return buffer;
  }
  std::shared_ptr<gpu::Module> build(const std::string&, std::span<const std::string>) override {
    throw_runtime_error({"build", "a model of a device", "no programs", "none"});
  }
  std::shared_ptr<gpu::Module> load(std::span<const std::byte>) override {
    throw_runtime_error({"load", "a model of a device", "no programs", "none"});
  }
  std::vector<std::shared_ptr<gpu::DriverDevice>> split(std::size_t count) override {
    state_->call("split");
    if (!state_->divides) throw gpu::IndivisibleDevice({"split", "parts", "none", "none"});
    std::vector<std::shared_ptr<gpu::DriverDevice>> parts;
    for (std::size_t i = 0; i < count; ++i) {
      parts.push_back(std::make_shared<ModelDevice>(*this, i));
    }
    return parts;
  }

 private:
  std::shared_ptr<ModelState> state_ = std::make_shared<ModelState>();
  gpu::DeviceProperties properties_;
};

struct ModelDriver final : gpu::Driver {
  ModelDriver(gpu::Api of, std::vector<std::shared_ptr<gpu::DriverDevice>> devices)
      : all(std::move(devices)), api_of(of) {}
  gpu::Api api() const noexcept override { return api_of; }
  std::vector<std::shared_ptr<gpu::DriverDevice>> devices() override { return all; }
  std::vector<std::shared_ptr<gpu::DriverDevice>> all;
  gpu::Api api_of;
};

}  // namespace ringlet::test
