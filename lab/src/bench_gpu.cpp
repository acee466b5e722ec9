// SPDX-License-Identifier: Apache-2.0
// What `ringlet bench gpu` measures is in lab/bench/gpu: this calls it.
#include <functional>
#include <map>
#include <string>
#include <utility>

#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include "gpu/measure.hpp"
#include "lab_bindings.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace ringlet::python {
namespace {

void measure_device(const std::string& part, const std::map<std::string, std::string>& options,
                    const bench::Sink& sink) {
  const nb::gil_scoped_release unlocked;
  bench::measure(part, bench::Options({options.begin(), options.end()}), sink);
}

}  // namespace

void bind_bench_gpu(nb::module_& module) {
  module.def("measure_device", &measure_device, "part"_a, "options"_a, "sink"_a,
             "Measures one part of a device: roofs, ntt, routines, keyswitch, products or server. "
             "`options` are texts, as\nthose of the program gpu_bench. `sink` is called with each "
             "line of JSON; what it raises ends the call.");
}

}  // namespace ringlet::python
