// SPDX-License-Identifier: Apache-2.0
#include "ringlet/gpu/device.hpp"

#include "support/devices/device_fixture.hpp"
#include "support/devices/model_device.hpp"
#include "support/refusal.hpp"
#include "support/scratch.hpp"
#include "support/threads.hpp"

namespace ringlet::gpu {
namespace {

using test::expect_error;
using test::expect_error_below;
using test::expect_error_says;
using test::ModelDevice;
using test::ModelDriver;
using test::Variable;
using Devices = std::vector<std::shared_ptr<DriverDevice>>;

std::shared_ptr<DriverDevice> device(Api api, const std::string& name, const std::string& vendor,
                                     bool is_host_processor = false) {
  const auto device = std::make_shared<test::ModelDevice>();
  DeviceProperties& properties = device->properties_to_change();
  properties.api = api;
  properties.name = name;
  properties.vendor = vendor;
  properties.driver_version = "7.1";
  properties.is_host_processor = is_host_processor;
  return device;
}

DriverSource source(Api api, const std::string& library, const Devices& devices) {
  return {api, library, [=](std::string&) { return std::make_shared<ModelDriver>(api, devices); }};
}

DriverSource missing(Api api, const std::string& library, const std::string& reason) {
  return {api, library, [reason](std::string& why) {
            why = reason;
            return std::shared_ptr<Driver>();
          }};
}

/// Returns two GPUs of CUDA; OpenCL has one of them, another vendor's, and the processor between.
std::vector<DriverSource> full_machine() {
  return {source(Api::cuda, "libcuda.so.1",
                 {device(Api::cuda, "Big", "NVIDIA"), device(Api::cuda, "Small", "NVIDIA")}),
          source(Api::opencl, "libOpenCL.so.1",
                 {device(Api::opencl, "Small", "NVIDIA Corporation"),
                  device(Api::opencl, "Processor", "Somebody", true),
                  device(Api::opencl, "Arc", "Intel")})};
}

std::vector<std::string> names(const std::vector<DeviceInfo>& devices) {
  std::vector<std::string> text;
  for (const DeviceInfo& device : devices) text.push_back(device.name + " " + device.description);
  return text;
}

void expect_refusal(DeviceRegistry& registry, const std::string& name,
                    std::initializer_list<std::string> texts) {
  expect_error_below<RuntimeError>(texts, [&] { registry.open(parse_device_name(name), {}); });
}

TEST(DeviceName, ReadsItsForms) {
  const auto parse = [](std::string_view name) {
    const DeviceName parsed = parse_device_name(name);
    return std::pair(parsed.scope, parsed.index);
  };
  EXPECT_EQ(parse("cpu").first, DeviceScope::processor);
  EXPECT_EQ(parse("gpu"), std::pair(DeviceScope::all, std::size_t{0}));
  EXPECT_EQ(parse("gpu:0"), parse("gpu"));
  EXPECT_EQ(parse("gpu:12"), std::pair(DeviceScope::all, std::size_t{12}));
  EXPECT_EQ(parse("cuda"), std::pair(DeviceScope::cuda, std::size_t{0}));
  EXPECT_EQ(parse("cuda:3"), std::pair(DeviceScope::cuda, std::size_t{3}));
  EXPECT_EQ(parse("opencl:1"), std::pair(DeviceScope::opencl, std::size_t{1}));
}

TEST(DeviceName, RefusesOthersAndSaysWhatIsMeant) {
  const auto expect = [](const std::string& name, const std::string& text) {
    expect_error_below<InvalidArgument>({text}, [&] { parse_device_name(name); });
  };
  for (const std::string name :
       {"", " gpu", "gpu ", "gpu:", "gpu:-1", "gpu:+1", "gpu:1x", "gpu:0:0",
        "gpu:99999999999999999999", "gpu1", "GPU", "cpu:0", "cuda:x", "vulkan:0", ":0"}) {
    if (!name.empty()) expect(name, "'" + name + "'");
    expect(name, "opencl:<index>");
  }
  expect("GPU:1", "write 'gpu:0';");
  expect("gpu1", "write 'gpu:0';");
  expect("open_cl:0", "write 'opencl:0';");
  expect("CUDA", "write 'cuda:0';");
  expect("xpu", "write 'cpu' or 'gpu:0';");
  expect_error<InvalidArgument>(
      "a long name", [] { Device::parse(std::string(100000, 'x')); },
      [](const InvalidArgument& error) { EXPECT_LT(std::string(error.what()).size(), 400u); });
}

TEST(DeviceRegistry, CountsGpusFirstAndNoneTwice) {
  DeviceRegistry registry(full_machine());
  const std::vector<DeviceInfo> devices = registry.list();
  std::vector<std::string> expected{"cpu " + devices.at(0).description, "gpu:0 Big", "gpu:1 Small",
                                    "gpu:2 Arc", "gpu:3 Processor"};
  EXPECT_EQ(names(devices), expected);
  EXPECT_EQ(devices[0].api, "host");
  EXPECT_TRUE(devices[0].is_host_processor);
  EXPECT_GT(devices[0].memory_bytes, 1u << 20);
  EXPECT_GE(devices[0].compute_units, 1u);
  EXPECT_EQ(devices[1].api, "cuda");
  EXPECT_EQ(devices[3].api, "opencl");
  EXPECT_EQ(devices[3].driver_version, "7.1");
  EXPECT_EQ(devices[3].memory_bytes, std::uint64_t{1} << 40);
  EXPECT_EQ(devices[3].compute_units, 12u);
  EXPECT_FALSE(devices[3].is_host_processor);
  EXPECT_TRUE(devices[4].is_host_processor);
}

TEST(DeviceRegistry, ListsNvidiaUnderOpenclWithoutCuda) {
  std::vector<DriverSource> sources = full_machine();
  sources[0] = missing(Api::cuda, "libcuda.so.1", "no such file");
  DeviceRegistry registry(sources);
  const std::vector<std::string> found = names(registry.list());
  EXPECT_EQ(std::vector(found.begin() + 1, found.end()),
            (std::vector<std::string>{"gpu:0 Small", "gpu:1 Arc", "gpu:2 Processor"}));
}

TEST(DeviceRegistry, OpensOncePerOptions) {
  DeviceRegistry registry(full_machine());
  const auto open = [&registry](const std::string& name, const DeviceOptions& options = {}) {
    return registry.open(parse_device_name(name), options);
  };
  const auto first = open("gpu:1");
  EXPECT_EQ(first->info.description, "Small");
  EXPECT_EQ(first->memory->name(), "gpu:1");
  EXPECT_EQ(open("gpu:1"), first);
  EXPECT_EQ(open("cuda:1"), first);
  EXPECT_NE(open("gpu:0"), first);
  const auto other = open("gpu:1", {.use_memory_cache = false});
  EXPECT_NE(other, first);
  EXPECT_FALSE(other->memory->options().use_memory_cache);
  EXPECT_EQ(open("gpu:1", {.use_memory_cache = false}), other);

  const auto twin = open("opencl:0");
  EXPECT_EQ(twin->info.description, "Small");
  EXPECT_EQ(twin->info.api, "opencl");
  EXPECT_EQ(twin->info.name, "opencl:0");
  EXPECT_EQ(open("opencl:1"), open("gpu:3"));
  EXPECT_EQ(open("opencl:2"), open("gpu:2"));

  registry.forget(*first);
  first->memory->close();
  const auto anew = open("gpu:1");
  EXPECT_NE(anew, first);
  EXPECT_NO_THROW(anew->memory->synchronize());
}

TEST(DeviceRegistry, OpensADeviceWithSeveralQueues) {
  // The driver returns new objects each time, because an earlier one may be in use as a whole.
  struct CountingDriver final : Driver {
    Api api() const noexcept override { return Api::opencl; }
    Devices devices() override {
      ++listings;
      return {device(Api::opencl, "A", "B"), device(Api::opencl, "Other", "B")};
    }
    int listings = 0;
  };
  const auto driver = std::make_shared<CountingDriver>();
  DeviceRegistry registry({{Api::opencl, "l", [driver](std::string&) { return driver; }}});
  const auto open = [&registry](std::size_t count, std::size_t index = 1) {
    return registry.open({DeviceScope::all, index}, {.queue_count = count});
  };
  const auto single = open(1);
  EXPECT_EQ(single->info.description, "Other");
  EXPECT_EQ(driver->listings, 1);
  const auto two = open(2);
  EXPECT_EQ(driver->listings, 2);
  EXPECT_NE(two->device, single->device);
  EXPECT_EQ(two->info.name, "gpu:1");
  EXPECT_EQ(two->info.description, "Other (2 queues, all on the device)");
  EXPECT_EQ(open(2), two);
  EXPECT_EQ(open(1), single);
  EXPECT_NE(open(16), two);
  registry.forget(*two);
  EXPECT_NE(open(2), two);
  for (const std::size_t count : {std::size_t{0}, std::size_t{17}, SIZE_MAX}) {
    expect_error_below<InvalidArgument>({"queue_count = " + std::to_string(count), "1 to 16"},
                                        [&] { open(count); });
  }
}

TEST(DeviceRegistry, AnotherDeviceInItsPlaceIsNotTaken) {
  auto driver = std::make_shared<ModelDriver>(Api::opencl, Devices{device(Api::opencl, "A", "B")});
  DeviceRegistry registry({{Api::opencl, "l", [&driver](std::string&) { return driver; }}});
  registry.list();
  driver->all = {device(Api::opencl, "Z", "B")};
  expect_error_below<RuntimeError>({"not there any more"},
                                   [&] { registry.open({}, {.queue_count = 2}); });
}

TEST(DeviceRegistry, SaysHowManyThereAre) {
  DeviceRegistry registry(full_machine());
  expect_refusal(registry, "gpu:4", {"'gpu:4'", "4 devices, gpu:0 to gpu:3"});
  expect_refusal(registry, "cuda:2", {"2 devices, cuda:0 to cuda:1"});
  expect_refusal(registry, "opencl:3", {"3 devices"});
  DeviceRegistry single({source(Api::opencl, "l", {device(Api::opencl, "A", "B")})});
  expect_refusal(single, "gpu:1", {"the only device, gpu:0"});
}

TEST(DeviceRegistry, SaysWhatItLookedForAndWhatToInstall) {
  DeviceRegistry registry({missing(Api::cuda, "libcuda.so.1", "cannot open shared object file"),
                           source(Api::opencl, "libOpenCL.so.1", {})});
  EXPECT_EQ(registry.list().size(), 1u);
  EXPECT_EQ(registry.libraries().at(0).library, "libcuda.so.1");
  EXPECT_EQ(registry.libraries().at(0).reason, "cannot open shared object file");
  expect_refusal(
      registry, "gpu",
      {"libcuda.so.1 (cannot open shared object file)",
       "libOpenCL.so.1 (loaded, but it has no device)", "install", "pocl-opencl-icd", "'cpu'"});
  expect_error<RuntimeError>(
      "cuda",
      [&] { public_entry("a public call", [&] { registry.open({DeviceScope::cuda, 0}, {}); }); },
      [](const RuntimeError& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find("libcuda.so.1"), std::string::npos) << message;
        EXPECT_EQ(message.find("libOpenCL.so.1 ("), std::string::npos) << message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      });
}

TEST(DeviceRegistry, OneLibraryThatFailsDoesNotHideTheOther) {
  std::vector<DriverSource> sources = full_machine();
  sources[0].load = [](std::string&) -> std::shared_ptr<Driver> {
    throw_runtime_error({"cuInit", "error 999", "none", "none"});
  };
  DeviceRegistry registry(sources);
  EXPECT_EQ(registry.list().size(), 4u);
  expect_refusal(registry, "cuda", {"error 999"});
  EXPECT_NE(registry.libraries().at(0).reason.find("error 999"), std::string::npos);
  EXPECT_EQ(registry.libraries().at(1).reason, "");
}

TEST(DeviceRegistry, LoadsWhenAskedAndOnce) {
  int loads = 0;
  DriverSource counted = source(Api::opencl, "l", {device(Api::opencl, "A", "B")});
  counted.load = [&loads, load = counted.load](std::string& reason) {
    ++loads;
    return load(reason);
  };
  DeviceRegistry registry({counted});
  EXPECT_EQ(loads, 0);
  std::vector<std::shared_ptr<OpenDevice>> opened(test::kThreads);
  test::in_threads([&](std::size_t thread) {
    EXPECT_EQ(registry.list().size(), 2u);
    opened[thread] = registry.open({}, {});
  });
  EXPECT_EQ(loads, 1);
  for (const auto& open : opened) EXPECT_EQ(open, opened[0]);
}

TEST(DeviceRegistry, ADeviceThatDoesNotOpenIsTriedAgain) {
  const auto fake = std::make_shared<ModelDevice>();
  DeviceRegistry registry({source(Api::opencl, "l", {fake})});
  fake->state().fail("make_queue");
  EXPECT_THROW(registry.open({}, {}), RuntimeError);
  fake->state().fail("", 0);
  EXPECT_EQ(registry.open({}, {})->info.name, "gpu:0");
}

TEST(Device, IsTheProcessorUnlessToldOtherwise) {
  const Device device;
  EXPECT_TRUE(device.is_cpu());
  EXPECT_EQ(device, Device::cpu());
  EXPECT_EQ(device, Device::parse("cpu"));
  EXPECT_EQ(device.name(), "cpu");
  EXPECT_EQ(device.info().api, "host");
  EXPECT_EQ(device.options(), DeviceOptions{});
  EXPECT_EQ(device.memory_statistics().in_use, 0u);
  device.synchronize();
  device.trim();
  device.close();
  EXPECT_EQ(make_backend(RnsBasis(8, {Modulus(97)}), device)->memory(), nullptr);
  EXPECT_EQ(Device::list().at(0).name, "cpu");
  EXPECT_THROW(Device::parse("gup"), InvalidArgument);
}

TEST(Device, ReadsTheEnvironment) {
  const Variable variable("RINGLET_DEVICE", std::nullopt);
  EXPECT_TRUE(Device::from_environment().is_cpu());
  for (const std::string value : {"", "cpu"}) {
    variable.set(value);
    EXPECT_TRUE(Device::from_environment().is_cpu());
  }
  variable.set("nonsense");
  expect_error_says<InvalidArgument>({"RINGLET_DEVICE"}, [] { Device::from_environment(); });
}

class DeviceOfMachine : public test::DeviceTest {};

TEST_F(DeviceOfMachine, IsListedAndOpensOnce) {
  const std::vector<DeviceInfo> devices = Device::list();
  ASSERT_GE(devices.size(), 2u);
  for (std::size_t i = 1; i < devices.size(); ++i) {
    EXPECT_EQ(devices[i].name, "gpu:" + std::to_string(i - 1));
    EXPECT_FALSE(devices[i].description.empty());
    EXPECT_GT(devices[i].memory_bytes, 0u);
    EXPECT_GT(devices[i].compute_units, 0u);
  }
  const Device gpu = Device::gpu(0);
  EXPECT_FALSE(gpu.is_cpu());
  EXPECT_EQ(gpu.name(), "gpu:0");
  EXPECT_EQ(gpu.info().description, devices[1].description);
  EXPECT_EQ(gpu, Device::gpu());
  EXPECT_EQ(gpu, Device::parse("gpu"));
  EXPECT_NE(gpu, Device::cpu());
  EXPECT_THROW(Device::gpu(devices.size() - 1), RuntimeError);
  const Variable variable("RINGLET_DEVICE", "gpu:0");
  EXPECT_EQ(Device::from_environment(), gpu);
}

TEST_F(DeviceOfMachine, ClosesAndOpensAnew) {
  const DeviceOptions options{.use_memory_cache = false};
  const Device first = open(options);
  first.synchronize();
  first.close();
  EXPECT_THROW(first.synchronize(), LogicError);
  EXPECT_THROW(make_backend(RnsBasis(8, {Modulus(97)}), first), LogicError);
  first.trim();
  first.close();
  const Device second = open(options);
  EXPECT_NE(second, first);
  EXPECT_EQ(second.options(), options);
  second.synchronize();
  EXPECT_EQ(second.memory_statistics().in_use, 0u);
  second.close();
}

TEST_F(DeviceOfMachine, MemoryHoldsWordsOfManyThreads) {
  const DeviceOptions options{.use_timing = true};
  const DeviceName place = parse_device_name(name());
  const auto opened = DeviceRegistry::of_process().open(place, options);
  const std::shared_ptr<DeviceMemory> memory = opened->memory;
  test::in_threads([&memory](std::size_t thread) {
    for (std::uint64_t i = 0; i < 10; ++i) {
      const std::size_t count = 1 + 700 * i;
      std::vector<std::uint64_t> words(count, thread << 32 | i);
      std::uint64_t* const a = memory->allocate(count, Secrecy::secret);
      std::uint64_t* const b = memory->allocate(count + 1, Secrecy::open);
      memory->upload(a, words.data(), count);
      memory->copy(b + 1, a, count);
      memory->release(a);
      std::vector<std::uint64_t> back(count);
      memory->download(back.data(), b + 1, count);
      EXPECT_EQ(back, words);
      memory->release(b);
    }
  });
  EXPECT_GT(memory->statistics().reuse_count, 0u);
  EXPECT_EQ(memory->statistics().in_use, 0u);
  // Secrets are cleared before the next owner gets their block.
  std::vector<std::uint64_t> words(1000, 7);
  std::uint64_t* const secret = memory->allocate(words.size(), Secrecy::secret);
  memory->upload(secret, words.data(), words.size());
  memory->release(secret);
  ASSERT_EQ(memory->allocate(words.size(), Secrecy::open), secret);
  memory->download(words.data(), secret, words.size());
  EXPECT_EQ(words, std::vector<std::uint64_t>(1000, 0));
  EXPECT_THROW(memory->allocate(std::size_t{1} << 59, Secrecy::open), OutOfDeviceMemory);
  DeviceRegistry::of_process().forget(*opened);
  memory->close();
  EXPECT_THROW(memory->download(words.data(), secret, 1), LogicError);
}

}  // namespace
}  // namespace ringlet::gpu
