// SPDX-License-Identifier: Apache-2.0
#include "bindings/core/bindings.hpp"
#include "bindings/core/errors.hpp"
#include "gpu/measure.hpp"
#include "lab_bindings.hpp"
#include "ringlet_commit.hpp"

namespace ringlet::python {
namespace {

std::map<std::string, std::string> build_info() {
#if defined(__clang__)
  const std::string compiler = "clang " __clang_version__;
#elif defined(__GNUC__)
  const std::string compiler = "gcc " __VERSION__;
#else
  const std::string compiler = "unknown";
#endif
  return {{"compiler", compiler}, {"commit", kCommit}};
}

void measure_device(const std::string& part, const std::map<std::string, std::string>& options,
                    const bench::Sink& sink) {
  const nb::gil_scoped_release unlocked;
  bench::measure(part, bench::Options({options.begin(), options.end()}), sink);
}

}  // namespace
}  // namespace ringlet::python

NB_MODULE(_lab, module) {
  using namespace ringlet::python;
  module.doc() = "The compiled part of ringlet_lab.";
  register_errors();
  bind_kernels(module);
  bind_parallel(module);
  bind_bench(module);
  bind_bench_fv(module);
  bind_bench_limits(module);
  bind_bench_schemes(module);
  bind_bench_wide(module);
  bind_bench_wide_projection(module);
  module.def("build_info", &build_info,
             "The \"compiler\" of this extension, and the \"commit\" of its source, or "
             "\"unknown\".");
  module.def("measure_device", &measure_device, "part"_a, "options"_a, "sink"_a,
             "Measures one part of a device: roofs, ntt, routines, keyswitch, products or server. "
             "`options` are texts, as\nthose of the program gpu_bench. `sink` is called with each "
             "line of JSON; what it raises ends the call.");
}
