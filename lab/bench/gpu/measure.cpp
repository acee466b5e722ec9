// SPDX-License-Identifier: Apache-2.0
#include "gpu/measure.hpp"

#include "gpu/device_words.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::bench {
namespace {

struct Part {
  std::string_view name;
  void (*run)(const Options&, Reporter&);
};
constexpr std::array kParts{
    Part{"list", list_devices},
    Part{"roofs", measure_roofs},
    Part{"ntt", measure_transforms},
    Part{"routines", measure_routines},
    Part{"keyswitch", measure_key_switching},
    Part{"products", measure_products},
    Part{"server", measure_server},
    Part{"compile", measure_compiler},
    Part{"cubins", write_machine_code},
};

}  // namespace

Device open_device(const Options& options, DeviceOptions device_options) {
  device_options.use_timing = true;
  Device device = Device::parse(options.text("device", "gpu"), device_options);
  check_is_device("gpu_bench", device);
  return device;
}

void measure(std::string_view part, const Options& options, const Sink& sink) {
  std::string names;
  for (const Part& each : kParts) {
    if (each.name == part) {
      Reporter reporter(sink);
      each.run(options, reporter);
      reporter.throw_if_wrong();
      return;
    }
    names += concat(names.empty() ? "" : ", ", each.name);
  }
  throw_invalid_argument({"gpu_bench", concat("part '", part, "'"), names, "name one of these"});
}

}  // namespace ringlet::bench
