// SPDX-License-Identifier: Apache-2.0
#include "gpu/device_registry.hpp"
#include "gpu/measure.hpp"
#include "gpu/meters/transform_meter.hpp"
#include "gpu/programs/roofs.hpp"
#include "gpu/rows.hpp"

namespace ringlet::bench {
namespace {

constexpr std::size_t kMostRounds = 10000;
// A launch of products is so long that the time of its start is negligible.
constexpr double kLeastProductsSeconds = 5e-3;
constexpr std::uint64_t kMostGroupRounds = 1U << 20U;

std::shared_ptr<gpu::DriverDevice> driver_device(const Device& device) {
  return gpu::DeviceRegistry::of_process()
      .open(gpu::parse_device_name(device.name()), device.options())
      ->device;
}

void measure_copies(gpu::Roofs& roofs, const Device& device, const Options& options,
                    std::size_t rounds, Reporter& reporter) {
  constexpr std::size_t kLaunches = 4;
  for (const std::size_t mib : options.numbers("copy-mib", "256,512,1024,2048", 1, 1U << 20U)) {
    const std::size_t bytes = mib << 20U;
    if (4 * bytes > device.info().memory_bytes) {
      reporter.note(concat("copies of ", mib, " MiB: too large for this device"));
      continue;
    }
    const gpu::CopyTimes times = roofs.copy(bytes, rounds, kLaunches);
    auto line = entry(concat("gpu_roof/copy/bytes=", times.bytes), "roof", times.seconds);
    reporter.say(line.add("bytes", 2 * times.bytes));
  }
}

void measure_multiplier(gpu::Roofs& roofs, gpu::MultiplyRoof roof, const std::string& name,
                        std::size_t groups, std::size_t rounds, Reporter& reporter) {
  const bool is_right = reporter.is_right("roofs", name, [&] {
    if (roofs.multiply_ends(roof, 1, 2) == roofs.expected_ends(roof, 1, 2)) return;
    throw_runtime_error({"roofs", name + ": chains of products end elsewhere than on the processor",
                         "the same words",
                         "the device or its driver computes wrong results: do not use its times"});
  });
  if (!is_right) return;
  std::uint64_t steps = 1;
  while (steps < kMostGroupRounds &&
         roofs.multiply_seconds(roof, groups, steps) < kLeastProductsSeconds) {
    steps *= 2;
  }
  std::array jobs{Job{[&] { return roofs.multiply_seconds(roof, groups, steps); }}};
  sample_in_turn(jobs, rounds);
  auto line = entry("gpu_roof/" + name, "roof", jobs[0].seconds);
  reporter.say(line.add("products", roofs.product_count(groups, steps)));
}

// -------------------------------------------------------------------------------------- transforms

struct TransformSize {
  std::size_t degree;
  std::size_t limbs;
  std::size_t primes() const { return std::min(limbs, kRowPrimes); }
};

using Meters = std::vector<std::pair<const NttRow*, std::unique_ptr<TransformMeter>>>;

void report_transforms(const NttRow& row, const TransformMeter& meter, const TransformSize& size,
                       bool is_forward, const Job& job, Reporter& reporter) {
  const char* direction = is_forward ? "forward" : "inverse";
  const gpu::NttPlan plan = meter.plan();
  auto line = entry(concat("gpu_ntt_", direction, "/", row.key, "/n=", size.degree, "/q=", row.bits,
                           "/limbs=", size.limbs),
                    "ntt", job.seconds, static_cast<double>(size.limbs));
  line.add("row", row.key).add("title", row.title).add("radix", row.radix);
  line.add("direction", direction).add("degree", size.degree).add("bits", row.bits);
  line.add("primes", size.primes()).add("limbs", size.limbs);
  line.add("kernel", meter.kernel_name()).add("queues", meter.device().info().description);
  line.add("passes", is_forward ? plan.forward.size() : plan.inverse.size());
  line.add_json("options", options_json(meter.device().options()));
  reporter.say(line);
}

void time_transforms(const Meters& meters, const TransformSize& size, std::size_t rounds,
                     double block_seconds, Reporter& reporter) {
  std::vector<Job> jobs;
  for (const auto& each : meters) {
    const TransformMeter& meter = *each.second;
    for (const bool is_forward : {true, false}) {
      const std::size_t calls = calls_for(meter.seconds(is_forward, 1), block_seconds);
      jobs.push_back({[&, is_forward, calls] { return meter.seconds(is_forward, calls); }});
    }
  }
  sample_in_turn(jobs, rounds);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& [row, meter] = meters[i / 2];
    report_transforms(*row, *meter, size, i % 2 == 0, jobs[i], reporter);
  }
}

/// Measures one size, with all rows open at once so that they can take turns.
void measure_size(const Options& options, const Device& device, const TransformSize& size,
                  std::size_t rounds, double block_seconds, Reporter& reporter) {
  Meters meters;
  try {
    meters = make_meters<TransformMeter>(
        device, ntt_rows(), "transforms", reporter, [&](const NttRow& row) {
          return std::make_unique<TransformMeter>(
              open_device(options, row.options_for(size.degree)), size.degree, row.bits,
              size.primes(), size.limbs / size.primes());
        });
    std::erase_if(meters, [&](auto& each) {
      return !reporter.is_right("transforms", each.first->title, [&] { each.second->check(); });
    });
    time_transforms(meters, size, rounds, block_seconds, reporter);
  } catch (const OutOfDeviceMemory& error) {
    reporter.note(concat("transforms of N = ", size.degree, ", ", size.limbs, " limbs: left out, ",
                         error.offending()));
  }
  std::vector<Device> devices;
  for (const auto& [row, meter] : meters) devices.push_back(meter->device());
  meters.clear();
  for (const Device& each : devices) each.trim();
}

}  // namespace

void measure_roofs(const Options& options, Reporter& reporter) {
  options.check_names({"device", "rounds", "copy-mib", "groups"});
  const std::size_t rounds = options.number("rounds", 20, 1, kMostRounds);
  const Device device = open_device(options);
  constexpr std::size_t kMostGroups = 1U << 16U;
  const std::size_t groups = std::clamp<std::size_t>(
      device.info().compute_units * options.number("groups", 32, 1, 1024), 1, kMostGroups);
  gpu::Roofs roofs(driver_device(device));
  measure_copies(roofs, device, options, rounds, reporter);
  constexpr std::array kRoofs{
      std::pair{gpu::MultiplyRoof::multiply_add, "multiply_add"},
      std::pair{gpu::MultiplyRoof::multiply_add_wide, "multiply_add_wide"},
      std::pair{gpu::MultiplyRoof::multiply_high, "multiply_high"},
  };
  for (const auto& [roof, name] : kRoofs) {
    measure_multiplier(roofs, roof, name, groups, rounds, reporter);
  }
}

void measure_transforms(const Options& options, Reporter& reporter) {
  options.check_names({"device", "degrees", "limbs", "rounds", "block-ms"});
  // The paper's size first: a run that is cut off has it.
  const auto degrees = options.numbers("degrees", "32768,4096,8192,16384,65536", 64, 131072);
  const auto limbs = options.numbers("limbs", "8192,1,8,64,512,2048", 1, 524288);
  const std::size_t rounds = options.number("rounds", 20, 1, kMostRounds);
  const double block_seconds = 1e-3 * static_cast<double>(options.number("block-ms", 2, 0, 10000));
  const Device device = open_device(options);
  const double memory = kMemoryShare * static_cast<double>(device.info().memory_bytes);
  for (const std::size_t degree : degrees) check_degree("transforms", degree);
  for (const std::size_t count : limbs) {
    if (count < kRowPrimes || count % kRowPrimes == 0) continue;
    throw_invalid_argument({"transforms", concat("limbs = ", count),
                            concat("up to ", kRowPrimes, ", or a multiple of it"),
                            "ask for as many limbs of each prime"});
  }
  std::size_t done = 0;
  for (const std::size_t degree : degrees) {
    for (const std::size_t count : limbs) {
      const TransformSize size{degree, count};
      const auto needed = static_cast<double>(8 * ntt_rows().size() * size.limbs * degree);
      if (needed > memory) {
        reporter.note(concat("transforms of N = ", degree, ", ", size.limbs,
                             " limbs: left out, all ", "rows together take ",
                             std::llround(needed / 0x1p20), " MiB"));
      } else {
        measure_size(options, device, size, rounds, block_seconds, reporter);
      }
      reporter.progress("transforms", ++done, degrees.size() * limbs.size());
    }
  }
}

}  // namespace ringlet::bench
