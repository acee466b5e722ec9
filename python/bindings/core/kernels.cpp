// SPDX-License-Identifier: Apache-2.0
#include "bindings/core/arguments.hpp"
#include "bindings/core/bindings.hpp"
#include "kernels/select.hpp"
#include "ringlet/base/cpu.hpp"
#include "ringlet/kernels/kernel_selection.hpp"

namespace ringlet::python {

namespace {

void bind_infos(nb::module_& module) {
  nb::class_<CpuInfo>(module, "CpuInfo", "The processor that this process runs on.")
      .def_ro("model", &CpuInfo::model, "Name of the processor, or \"unknown\".")
      .def_ro("features", &CpuInfo::features,
              "Names of the instruction-set extensions that kernels use, such as \"avx2\".")
      .def_ro("traits", &CpuInfo::traits,
              "Names of properties of this processor that change which kernels the estimate\n"
              "prefers.")
      .def("__repr__", [](const CpuInfo& info) { return "CpuInfo('" + info.model + "')"; });

  nb::class_<KernelInfo>(module, "KernelInfo",
                         "One kernel: an implementation of one operation for one instruction set.")
      .def_ro("name", &KernelInfo::name, "Full name: \"table/algorithm/operation\".")
      .def_ro("table", &KernelInfo::table,
              "First part of the name: the kernel table, such as \"avx2\".")
      .def_ro("algorithm", &KernelInfo::algorithm, "Second part of the name: the algorithm.")
      .def_ro("operation", &KernelInfo::operation,
              "Third part of the name: the operation, such as \"ntt\" or \"add\".")
      .def_ro("features", &KernelInfo::features,
              "Names of all processor features that the kernel needs.")
      .def_ro("available", &KernelInfo::available,
              "True if this processor has all features that the kernel needs.")
      .def_ro("modulus_limit", &KernelInfo::modulus_limit,
              "Upper limit of the moduli: the kernel takes moduli below this value.")
      .def_ro("modulus_minimum", &KernelInfo::modulus_minimum,
              "Lower limit of the moduli: the kernel takes moduli from this value on.")
      .def_ro("min_degree", &KernelInfo::min_degree,
              "Smallest transform length N; 0 for element-wise kernels.")
      .def_ro(
          "named_only", &KernelInfo::named_only,
          "True if the kernel runs only when `kernels` or RINGLET_FORCE_KERNELS names it. Such\n"
          "kernels are for studies.")
      .def_ro("calls", &KernelInfo::calls,
              "Number of calls so far. Only builds that count calls have it: see\n"
              "kernel_statistics_enabled().")
      .def("__repr__", [](const KernelInfo& info) {
        return "KernelInfo('" + info.name + "', available=" + (info.available ? "True" : "False") +
               ")";
      });
}

}  // namespace

void bind_kernels(nb::module_& module) {
  bind_infos(module);
  module.def("cpu_info", &ringlet::cpu_info,
             "Returns the name and the features of this processor.");
  module.def("kernel_catalog", &ringlet::kernel_catalog,
             "Returns all kernels of the library, the lowest table first.");
  module.def("kernel_tables", &ringlet::kernel_tables,
             "Returns the names of the kernel tables, the lowest first.");
  module.def(
      "conversion_kernel",
      [](std::uint64_t largest) {
        constexpr std::uint64_t kEnd = std::uint64_t{1} << 61;
        const KernelSelection selection = kernel_selection(std::nullopt);
        return largest < kEnd ? kernels::choose_conversion(largest, selection).name() : "";
      },
      "largest"_a,
      "Returns the name of the kernel that converts between bases with primes up to\n"
      "`largest`; \"\" from 2^61 on.");
  module.def("kernel_statistics_enabled", &ringlet::kernel_statistics_enabled,
             "Returns True if this build counts the calls of each kernel.");
  module.def(
      "selected_kernels",
      [](const OptionalText& kernels) { return kernel_selection(kernels).text(); },
      "kernels"_a = nb::none(),
      "Checks the text of a kernel selection and returns it.\n"
      "\n"
      "- kernels: \"table\" or \"table/algorithm\", as `ringlet info --kernels` lists them.\n"
      "  None reads RINGLET_FORCE_KERNELS.\n"
      "\n"
      "Raises InvalidArgument for a name that does not exist.");
}

}  // namespace ringlet::python
