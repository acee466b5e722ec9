// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "gpu/measure.hpp"
#include "gpu/meters/product_meter.hpp"
#include "gpu/meters/routine_meter.hpp"
#include "gpu/meters/server_meter.hpp"
#include "gpu/rows.hpp"

namespace ringlet::bench {
namespace {

constexpr std::size_t kMostRounds = 10000;
constexpr std::array kRoutines{"MulLin", "MulLinRS", "SqrLinRS", "MulLinRSModSwAdd", "Rotate"};
constexpr std::array kKeySwitches{"Relinearize", "Rotate"};

// -------------------------------------------------------------------------------- routines

using Meters = std::vector<std::pair<const Bar*, std::unique_ptr<RoutineMeter>>>;

/// The measurements of one set of sizes.
struct RoutineSeries {
  std::string part;  ///< "routine" or "keyswitch".
  SchemeShape shape;
  std::size_t count;
  std::size_t rounds;
  double block_seconds;
};

void describe(Object& line, const RoutineSeries& series, const std::string& routine,
              const Bar& bar) {
  line.add("routine", routine).add("row", bar.key).add("title", bar.title);
  line.add("degree", series.shape.degree).add("data_primes", series.shape.data_primes);
  line.add("special_primes", series.shape.special_primes);
  line.add("divisions", bar.has_one_division ? "one" : "in turn");
  line.add_json("options", options_json(bar.options));
}

void report_routine(const RoutineSeries& series, const std::string& routine, const Bar& bar,
                    RoutineMeter& meter, std::span<const Job, 3> jobs, Reporter& reporter) {
  const std::string suffix =
      concat(routine, "/", bar.key, "/n=", series.shape.degree, "/l=", series.shape.data_primes,
             "+", series.shape.special_primes);
  Line single = entry(concat("gpu_", series.part, "/", suffix), series.part, jobs[0].seconds);
  describe(single, series, routine, bar);
  reporter.say(single.add("batch", 1));
  Line batched = entry(concat("gpu_", series.part, "/", suffix, "/count=", series.count),
                       series.part, jobs[1].seconds);
  describe(batched, series, routine, bar);
  reporter.say(batched.add("batch", series.count));
  Line transforms = entry(concat("gpu_", series.part, "_transforms/", suffix),
                          series.part + "_transforms", jobs[2].seconds);
  describe(transforms, series, routine, bar);
  const auto [forward, inverse] = meter.transform_counts(routine);
  reporter.say(transforms.add("forward_limbs", forward).add("inverse_limbs", inverse));
}

/// Measures one routine with all options in turn: alone, many in a call, and its transforms alone.
void measure_routine(const RoutineSeries& series, const std::string& routine, const Meters& meters,
                     Reporter& reporter) {
  std::vector<const std::pair<const Bar*, std::unique_ptr<RoutineMeter>>*> right;
  std::vector<Job> jobs;
  for (const auto& each : meters) {
    RoutineMeter& meter = *each.second;
    const auto check = [&] { meter.check(routine); };
    if (!reporter.is_right(series.part, routine + ", " + each.first->title, check)) continue;
    right.push_back(&each);
    const double block = series.block_seconds;
    const std::size_t single = calls_for(meter.seconds(routine, false, 1), block);
    const double whole_batch = static_cast<double>(series.count) * meter.seconds(routine, true, 1);
    const std::size_t batch = calls_for(whole_batch, block);
    const std::size_t alone = calls_for(meter.transform_seconds(routine, 1), block);
    jobs.push_back({[&, single] { return meter.seconds(routine, false, single); }});
    jobs.push_back({[&, batch] { return meter.seconds(routine, true, batch); }});
    jobs.push_back({[&, alone] { return meter.transform_seconds(routine, alone); }});
  }
  sample_in_turn(jobs, series.rounds);
  for (std::size_t i = 0; i < right.size(); ++i) {
    report_routine(series, routine, *right[i]->first, *right[i]->second,
                   std::span(jobs).subspan(3 * i).first<3>(), reporter);
  }
}

void measure_series(const Options& options, const RoutineSeries& series, std::span<const Bar> bars,
                    std::span<const char* const> routines, Reporter& reporter) {
  const auto host = std::make_shared<const RoutineHost>(series.shape, series.count);
  const Meters meters = make_meters<RoutineMeter>(
      open_device(options), bars, series.part, reporter, [&](const Bar& bar) {
        return std::make_unique<RoutineMeter>(host, open_device(options, bar.options),
                                              bar.has_one_division);
      });
  std::size_t done = 0;
  for (const char* routine : routines) {
    measure_routine(series, routine, meters, reporter);
    reporter.progress(series.part, ++done, routines.size());
  }
}

// -------------------------------------------------------------------------------- products

/// The sizes that all rows of a product share.
struct ProductSeries {
  ProductShape shape;
  std::size_t rounds;
  std::size_t process_rounds;
};

void report_product(const ProductShape& shape, const Bar& bar, const std::string& kind,
                    const Job& job, Reporter& reporter) {
  Line line = entry(concat("gpu_matrix_", kind, "/", shape.name(), "/", bar.key,
                           "/n=", shape.degree, "/l=", shape.data_primes),
                    kind, job.seconds);
  line.add("row", bar.key).add("title", bar.title).add("shape", shape.name());
  line.add("degree", shape.degree).add("data_primes", shape.data_primes);
  line.add("form", bar.is_fused ? "fused" : "separate");
  line.add("clock", kind == "process" ? "host" : "device");
  reporter.say(line.add_json("options", options_json(bar.options)));
}

/// Times the rows in turn. Whole processes begin without memory, as a program does.
void time_products(const Options& options, const ProductSeries& series, std::span<const Bar> bars,
                   const std::shared_ptr<const ProductHost>& host, Reporter& reporter) {
  std::vector<std::unique_ptr<ProductMeter>> meters;
  std::vector<Job> jobs, processes;
  std::vector<const Bar*> right;
  for (const Bar& bar : bars) {
    const Device device = open_device(options, bar.options);
    if (!changes_something(bar, device)) continue;
    auto meter = std::make_unique<ProductMeter>(host, device, bar.is_fused);
    ProductMeter& one = *meter;
    if (!reporter.is_right("products", concat(series.shape.name(), ", ", bar.title),
                           [&] { one.prepare(); })) {
      continue;
    }
    one.seconds();
    right.push_back(&bar);
    jobs.push_back({[&one] { return one.seconds(); }});
    processes.push_back({[&one] {
      const double seconds = one.process_seconds();
      one.device().trim();
      return seconds;
    }});
    meters.push_back(std::move(meter));
  }
  sample_in_turn(jobs, series.rounds);
  for (const auto& meter : meters) meter->release();
  sample_in_turn(processes, series.process_rounds);
  for (std::size_t i = 0; i < right.size(); ++i) {
    report_product(series.shape, *right[i], "product", jobs[i], reporter);
    if (series.process_rounds == 0) continue;
    report_product(series.shape, *right[i], "process", processes[i], reporter);
  }
}

/// Times all rows side by side if their operands fit, else one after the other.
void measure_product(const Options& options, const ProductSeries& series, double limit,
                     Reporter& reporter) {
  const auto host = std::make_shared<const ProductHost>(series.shape);
  const std::span<const Bar> bars = product_bars();
  if (static_cast<double>(bars.size() * series.shape.byte_count()) <= limit) {
    try {
      return time_products(options, series, bars, host, reporter);
    } catch (const OutOfDeviceMemory&) {
      // Other users may take memory as well, so the rows go one after the other.
    }
  }
  reporter.note(concat("matrix product ", series.shape.name(),
                       ": memory does not suffice for all rows side by side; one was timed after "
                       "the other"));
  for (const Bar& bar : bars) {
    try {
      time_products(options, series, std::span(&bar, 1), host, reporter);
    } catch (const OutOfDeviceMemory& error) {
      reporter.refuse("products", concat(series.shape.name(), ", ", bar.title), error);
    }
  }
}

double host_memory() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

void measure_routines(const Options& options, Reporter& reporter) {
  options.check_names({"device", "degree", "data-primes", "count", "rounds", "block-ms"});
  const RoutineSeries series{
      .part = "routine",
      .shape = {options.number("degree", 32768, 16, 131072),
                options.number("data-primes", 8, 2, 32)},
      .count = options.number("count", 16, 1, 4096),
      .rounds = options.number("rounds", 20, 1, kMostRounds),
      .block_seconds = 1e-3 * static_cast<double>(options.number("block-ms", 2, 0, 10000))};
  measure_series(options, series, routine_bars(), kRoutines, reporter);
}

void measure_key_switching(const Options& options, Reporter& reporter) {
  options.check_names({"device", "shapes", "count", "rounds", "block-ms"});
  for (const auto& shape : options.shapes("shapes", "32768:8+1,32768:14+4,65536:24+6", ":+")) {
    const RoutineSeries series{
        .part = "keyswitch",
        .shape = {shape[0], shape[1], shape[2]},
        .count = options.number("count", 4, 1, 4096),
        .rounds = options.number("rounds", 20, 1, kMostRounds),
        .block_seconds = 1e-3 * static_cast<double>(options.number("block-ms", 2, 0, 10000))};
    measure_series(options, series, key_switch_bars(), kKeySwitches, reporter);
  }
}

void measure_products(const Options& options, Reporter& reporter) {
  options.check_names({"device", "shapes", "rounds", "process-rounds"});
  const auto memory = static_cast<double>(open_device(options).info().memory_bytes);
  const double limit = kMemoryShare * std::min(memory, host_memory() / 2);
  const auto shapes = options.shapes("shapes", "100x100x1:8192:3,10x9x8:8192:3", "xx::");
  std::size_t done = 0;
  for (const auto& numbers : shapes) {
    const ProductShape wanted{numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};
    const ProductShape shape = wanted.fitted(limit);
    if (shape != wanted) {
      reporter.note(
          concat("matrix product ", wanted.name(), ": memory suffices for ", shape.name()));
    }
    measure_product(options,
                    {shape, options.number("rounds", 20, 1, kMostRounds),
                     options.number("process-rounds", 3, 0, kMostRounds)},
                    limit, reporter);
    reporter.progress("products", ++done, shapes.size());
  }
}

void measure_server(const Options& options, Reporter& reporter) {
  options.check_names({"device", "count", "rounds"});
  const auto host = std::make_shared<const ServerHost>(options.number("count", 2, 1, 256));
  ServerMeter device(host, open_device(options));
  ServerMeter processor(host, Device::cpu());
  const bool is_right = reporter.is_right("server", "answers", [&] {
    device.seconds();
    processor.seconds();
    for (std::size_t i = 0; i < device.answers().size(); ++i) {
      if (!are_same(device.answers()[i], processor.answers()[i])) {
        report_difference("server", "an answer");
      }
    }
  });
  if (!is_right) return;
  std::array jobs{Job{[&] { return device.seconds(); }}, Job{[&] { return processor.seconds(); }}};
  sample_in_turn(jobs, options.number("rounds", 20, 1, kMostRounds));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const char* row = i == 0 ? "device" : "processor";
    Line line =
        entry(concat("gpu_server/", row, "/count=", host->rows.size()), "server", jobs[i].seconds);
    line.add("row", row).add("ciphertexts", host->rows.size()).add("degree", 8192);
    reporter.say(line.add("clock", "host"));
  }
}

}  // namespace ringlet::bench
