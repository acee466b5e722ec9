// SPDX-License-Identifier: Apache-2.0
// What `ringlet bench gpu` measures below the schemes: a device's roofs, and its transforms.
#include "bench_gpu.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "gpu/device_registry.hpp"
#include "gpu/ntt_plan.hpp"
#include "gpu/roofs.hpp"
#include "ringlet/error.hpp"
#include "ringlet/ntt.hpp"
#include "ringlet/primes.hpp"
#include "stopwatch.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace ringlet::python {

void check_range(const char* operation, const char* name, std::uint64_t value, std::uint64_t least,
                 std::uint64_t most) {
  if (value >= least && value <= most) return;
  throw_invalid_argument({operation, std::string(name) + " = " + std::to_string(value),
                          "from " + std::to_string(least) + " to " + std::to_string(most),
                          "ask for a number in this range"});
}

void check_degree(const char* operation, std::uint64_t degree) {
  check_range(operation, "degree", degree, 16, kMostDegree);
  if (std::has_single_bit(degree)) return;
  throw_invalid_argument(
      {operation, "degree = " + std::to_string(degree), "powers of two", "ask for a power of two"});
}

void check_is_device(const char* operation, const Device& device) {
  if (!device.is_cpu()) return;
  throw_invalid_argument({operation, "the processor", "devices of OpenCL or CUDA",
                          "name one that `ringlet info` shows, such as gpu:0"});
}

DeviceWords::DeviceWords(std::shared_ptr<Memory> memory, std::size_t words)
    : memory_(std::move(memory)), words_(memory_->allocate(words, Secrecy::open)) {}

DeviceWords::~DeviceWords() { memory_->release(words_); }

void DeviceWords::fill(std::span<const std::uint64_t> pattern, std::size_t words) {
  std::size_t filled = std::min(pattern.size(), words);
  memory_->upload(words_, pattern.data(), filled);
  while (filled < words) {
    const std::size_t count = std::min(filled, words - filled);
    memory_->copy(words_ + filled, words_, count);
    filled += count;
  }
}

namespace {

constexpr std::size_t kMostPrimes = 64;
constexpr std::size_t kMostBatch = 65536;
constexpr std::size_t kMostCalls = 1000000;

std::shared_ptr<gpu::DriverDevice> driver_device(const char* operation, const Device& device) {
  check_is_device(operation, device);
  return gpu::DeviceRegistry::of_process()
      .open(gpu::parse_device_name(device.name(), operation), device.options(), operation)
      ->device;
}

// ---------------------------------------------------------------------------------------- roofs

struct RoofMeter {
  static constexpr const char* kOperation = "GpuRoofs";

  explicit RoofMeter(const Device& device) : roofs(driver_device(kOperation, device)) {}

  std::pair<std::size_t, std::vector<double>> copy(std::size_t bytes, std::size_t rounds,
                                                   std::size_t launches) {
    check_range("GpuRoofs.copy", "bytes", bytes, 1, std::uint64_t{1} << 40U);
    check_range("GpuRoofs.copy", "rounds", rounds, 1, kMostCalls);
    check_range("GpuRoofs.copy", "launches", launches, 1, kMostCalls);
    gpu::CopyTimes times = roofs.copy(bytes, rounds, launches);
    return {times.bytes, std::move(times.seconds)};
  }

  static gpu::MultiplyRoof parse(const std::string& name) {
    if (name == "multiply_add") return gpu::MultiplyRoof::multiply_add;
    if (name == "multiply_add_wide") return gpu::MultiplyRoof::multiply_add_wide;
    if (name == "multiply_high") return gpu::MultiplyRoof::multiply_high;
    throw_invalid_argument({kOperation, "product '" + name + "'",
                            "multiply_add, multiply_add_wide, multiply_high",
                            "pass one of these names"});
  }

  static void check_work(std::size_t groups, std::uint64_t rounds) {
    check_range("GpuRoofs.multiply", "groups", groups, 1, std::size_t{1} << 20U);
    check_range("GpuRoofs.multiply", "rounds", rounds, 1, std::uint64_t{1} << 30U);
  }

  double multiply(const std::string& name, std::size_t groups, std::uint64_t rounds) {
    check_work(groups, rounds);
    return roofs.multiply_seconds(parse(name), groups, rounds);
  }

  double products(std::size_t groups, std::uint64_t rounds) const {
    check_work(groups, rounds);
    return roofs.product_count(groups, rounds);
  }

  // The chains of one group against the same ones computed here.
  void check(const std::string& name) {
    const gpu::MultiplyRoof roof = parse(name);
    if (roofs.multiply_ends(roof, 1, 2) == roofs.expected_ends(roof, 1, 2)) return;
    throw_runtime_error({kOperation, name + ": chains of products end elsewhere than on the host",
                         "the same words",
                         "the device or its driver computes wrong results: do not use its times"});
  }

  gpu::Roofs roofs;
};

void bind_roofs(nb::module_& module) {
  using Unlocked = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<RoofMeter>(module, "GpuRoofs", "Measures what bounds all kernels of a device.")
      .def(nb::init<const Device&>(), "device"_a, Unlocked())
      .def("copy", &RoofMeter::copy, "bytes"_a, "rounds"_a, "launches"_a, Unlocked(),
           "Bytes of a copy after rounding, and seconds of one copy in each round: as many bytes "
           "are read and\nwritten.")
      .def("check", &RoofMeter::check, "product"_a, Unlocked(),
           "Raises RuntimeFailure if chains of products end elsewhere than on the host.")
      .def("multiply", &RoofMeter::multiply, "product"_a, "groups"_a, "rounds"_a, Unlocked(),
           "Seconds of so many groups, each of so many rounds of multiply_add, multiply_add_wide "
           "or\nmultiply_high.")
      .def("products", &RoofMeter::products, "groups"_a, "rounds"_a,
           "Products that such a launch computes.");
}

// ----------------------------------------------------------------------------------- transforms

/// The transforms of `batch` polynomials modulo `prime_count` primes, in place on a device.
class TransformMeter {
 public:
  TransformMeter(const Device& device, std::size_t degree, int bits, std::size_t prime_count,
                 std::size_t batch)
      : device_(device),
        basis_(make_basis(device, degree, bits, prime_count, batch)),
        backend_(make_backend(basis_, device)),
        limb_count_(prime_count * batch),
        words_(backend_->memory(), limb_count_ * degree),
        primes_(limb_count_) {
    for (std::size_t i = 0; i < limb_count_; ++i) primes_[i] = i % prime_count;
    for (std::size_t i = 0; i < prime_count; ++i) {
      const auto limb = make_words(degree, basis_[i].value(), i + 1);
      sample_.insert(sample_.end(), limb.begin(), limb.end());
    }
    words_.fill(sample_, limb_count_ * degree);
  }

  std::string kernel_name() const { return backend_->kernel_names().front(); }

  /// Passes through global memory of a forward and an inverse transform.
  std::pair<std::size_t, std::size_t> passes() const {
    const DeviceOptions& options = device_.options();
    const gpu::NttPlan plan =
        gpu::make_ntt_plan({.variant = options.ntt,
                            .log_degree = std::countr_zero(basis_.degree()),
                            .paths = static_cast<gpu::NttPaths>(gpu::ntt_path(basis_[0], options)),
                            .use_assembly = options.use_assembly},
                           driver_device("GpuTransforms", device_)->properties());
    return {plan.forward.size(), plan.inverse.size()};
  }

  /// First and last polynomial there and back, against the host's.
  void check() {
    std::vector<std::uint64_t> values = sample_;
    for (std::size_t i = 0; i < basis_.size(); ++i) {
      const auto limb = std::span(values).subspan(i * basis_.degree(), basis_.degree());
      Ntt(basis_.degree(), basis_[i]).forward(limb);
    }
    words_.fill(sample_, limb_count_ * basis_.degree());
    run(true);
    compare(values, "forward");
    run(false);
    compare(sample_, "inverse");
  }

  /// Seconds of one transform of all limbs.
  double seconds(bool is_forward, std::size_t calls) const {
    check_range("GpuTransforms.seconds", "calls", calls, 1, kMostCalls);
    const double all = device_.time([&] {
      for (std::size_t i = 0; i < calls; ++i) run(is_forward);
    });
    return all / static_cast<double>(calls);
  }

 private:
  static RnsBasis make_basis(const Device& device, std::size_t degree, int bits,
                             std::size_t prime_count, std::size_t batch) {
    constexpr const char* kOperation = "GpuTransforms";
    check_is_device(kOperation, device);
    check_degree(kOperation, degree);
    check_range(kOperation, "prime_count", prime_count, 1, kMostPrimes);
    check_range(kOperation, "batch", batch, 1, kMostBatch);
    return {degree, generate_ntt_primes(bits, degree, prime_count)};
  }

  void run(bool is_forward) const {
    const std::size_t degree = basis_.degree();
    const NttView values{words_.data(), degree, limb_count_, degree};
    const CoeffView coefficients{words_.data(), degree, limb_count_, degree};
    if (is_forward) {
      backend_->forward_ntt(values, coefficients, primes_);
    } else {
      backend_->inverse_ntt(coefficients, values, primes_);
    }
  }

  void compare(const std::vector<std::uint64_t>& expected, const char* direction) const {
    std::vector<std::uint64_t> found(expected.size());
    const std::size_t last = limb_count_ * basis_.degree() - expected.size();
    for (const std::size_t first : {std::size_t{0}, last}) {
      backend_->memory()->download(found.data(), words_.data() + first, found.size());
      const auto [here, there] = std::ranges::mismatch(found, expected);
      if (here == found.end()) continue;
      const std::size_t word = first + static_cast<std::size_t>(here - found.begin());
      throw_runtime_error(
          {"GpuTransforms.check",
           std::string(direction) + " transform by " + kernel_name() + ": word " +
               std::to_string(word) + " is " + std::to_string(*here),
           std::to_string(*there) + ", as on the processor",
           "the variant is wrong on this device: report it with the output of `ringlet info`"});
    }
  }

  Device device_;
  RnsBasis basis_;
  std::shared_ptr<const Backend> backend_;
  std::size_t limb_count_;
  DeviceWords words_;
  std::vector<std::size_t> primes_;
  std::vector<std::uint64_t> sample_;
};

void bind_transforms(nb::module_& module) {
  using Unlocked = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<TransformMeter>(module, "GpuTransforms",
                             "Transforms of a batch of polynomials, in place on a device.")
      .def(nb::init<const Device&, std::size_t, int, std::size_t, std::size_t>(), "device"_a,
           "degree"_a, "bits"_a, "prime_count"_a, "batch"_a, Unlocked())
      .def_prop_ro("kernel_name", &TransformMeter::kernel_name, "For people.")
      .def("passes", &TransformMeter::passes,
           "Passes through global memory of a forward and of an inverse transform.")
      .def("check", &TransformMeter::check, Unlocked(),
           "Raises RuntimeFailure if the first or the last polynomial differs from the host's.")
      .def("seconds", &TransformMeter::seconds, "forward"_a, "calls"_a, Unlocked(),
           "Seconds of one transform of the whole batch, the mean of so many calls.");
}

}  // namespace

void bind_bench_gpu(nb::module_& module) {
  bind_roofs(module);
  bind_transforms(module);
  bind_bench_gpu_schemes(module);
}

}  // namespace ringlet::python
