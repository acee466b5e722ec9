// SPDX-License-Identifier: Apache-2.0
#include "bindings/core/arguments.hpp"
#include "bindings/core/bindings.hpp"
#include "kernels/select.hpp"
#include "ringlet/base/cpu.hpp"
#include "ringlet/kernels/kernel_selection.hpp"

namespace ringlet::python {

void bind_kernels(nb::module_& module) {
  nb::class_<CpuInfo>(module, "CpuInfo", "The processor that this process runs on.")
      .def_ro("model", &CpuInfo::model, "Its name, or \"unknown\".")
      .def_ro("features", &CpuInfo::features, "Instruction-set extensions that kernels use.")
      .def_ro("traits", &CpuInfo::traits, "What changes which kernels the estimate prefers.")
      .def("__repr__", [](const CpuInfo& info) { return "CpuInfo('" + info.model + "')"; });

  nb::class_<KernelInfo>(module, "KernelInfo", "One kernel of the library.")
      .def_ro("name", &KernelInfo::name, "\"table/algorithm/operation\".")
      .def_ro("table", &KernelInfo::table, "First part of the name.")
      .def_ro("algorithm", &KernelInfo::algorithm, "Second part.")
      .def_ro("operation", &KernelInfo::operation, "Third part: \"ntt\", \"add\", ...")
      .def_ro("features", &KernelInfo::features, "Every processor feature that it needs.")
      .def_ro("available", &KernelInfo::available, "True if this processor has them all.")
      .def_ro("modulus_limit", &KernelInfo::modulus_limit, "It takes moduli below this,")
      .def_ro("modulus_minimum", &KernelInfo::modulus_minimum, "and from this on.")
      .def_ro("min_degree", &KernelInfo::min_degree,
              "Smallest transform length; 0 for element-wise kernels.")
      .def_ro("named_only", &KernelInfo::named_only,
              "True if only its name selects it: for studies.")
      .def_ro("calls", &KernelInfo::calls, "Calls so far, in builds that count them.")
      .def("__repr__", [](const KernelInfo& info) {
        return "KernelInfo('" + info.name + "', available=" + (info.available ? "True" : "False") +
               ")";
      });

  module.def("cpu_info", &ringlet::cpu_info, "Reads the processor's name and features.");
  module.def("kernel_catalog", &ringlet::kernel_catalog, "All kernels, lowest table first.");
  module.def("kernel_tables", &ringlet::kernel_tables, "Names of the tables, lowest first.");
  module.def(
      "conversion_kernel",
      [](std::uint64_t largest) {
        constexpr std::uint64_t kEnd = std::uint64_t{1} << 61;
        const KernelSelection selection = kernel_selection(std::nullopt);
        return largest < kEnd ? kernels::choose_conversion(largest, selection).name() : "";
      },
      "largest"_a,
      "The kernel of conversions between bases with primes up to `largest`; empty from 2^61 on.");
  module.def("kernel_statistics_enabled", &ringlet::kernel_statistics_enabled,
             "True if this build counts calls per kernel.");
  module.def(
      "selected_kernels",
      [](const OptionalText& kernels) { return kernel_selection(kernels).text(); },
      "kernels"_a = nb::none(),
      "Checks a kernel selection and returns its text; None reads RINGLET_FORCE_KERNELS.");
}

}  // namespace ringlet::python
