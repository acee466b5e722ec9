// SPDX-License-Identifier: Apache-2.0
#include "ringlet/kernels/kernel_selection.hpp"

#include "bindings/core/arguments.hpp"
#include "bindings/core/bindings.hpp"
#include "ringlet/kernels/wisdom.hpp"

namespace ringlet::python {
namespace {

using Progress = std::function<void(const TuneProgress&)>;

Wisdom tune(const std::optional<std::vector<int>>& log_degrees,
            const std::optional<std::vector<int>>& modulus_bits,
            const std::optional<std::vector<std::string>>& operations, bool quick,
            std::optional<Progress> progress) {
  TuneOptions options = quick ? TuneOptions::quick() : TuneOptions();
  if (log_degrees) options.log_degrees = *log_degrees;
  if (modulus_bits) options.modulus_bits = *modulus_bits;
  if (operations) options.operations = *operations;
  if (progress) options.progress = std::move(*progress);
  const nb::gil_scoped_release unlocked;
  return Wisdom::tune(options);
}

void bind_entries(nb::module_& module) {
  nb::class_<WisdomEntry>(
      module, "WisdomEntry",
      "The fastest kernel of one operation for one length and one width of the modulus.")
      .def(nb::init<std::string, int, int, std::string>(), "operation"_a, "log_degree"_a,
           "modulus_bits"_a, "kernel"_a)
      .def_ro("operation", &WisdomEntry::operation,
              "Name of the operation, such as \"ntt\" or \"add\".")
      .def_ro("log_degree", &WisdomEntry::log_degree,
              "Base-2 logarithm of the transform length; 0 for other operations.")
      .def_ro("modulus_bits", &WisdomEntry::modulus_bits, "Number of bits of the modulus.")
      .def_ro("kernel", &WisdomEntry::kernel, "Name of the kernel: \"table/algorithm\".")
      .def(
          "__eq__", [](const WisdomEntry& a, const WisdomEntry& b) { return a == b; },
          nb::sig("def __eq__(self, other: object, /) -> bool"), nb::is_operator())
      .def("__repr__", [](const WisdomEntry& entry) {
        return "WisdomEntry('" + entry.operation + "', " + std::to_string(entry.log_degree) + ", " +
               std::to_string(entry.modulus_bits) + ", '" + entry.kernel + "')";
      });

  nb::class_<TuneProgress>(module, "TuneProgress",
                           "Progress report of Wisdom.tune after a measured point.")
      .def_ro("completed", &TuneProgress::completed, "Number of points that are measured.")
      .def_ro("total", &TuneProgress::total, "Number of points to measure.")
      .def_ro("entry", &TuneProgress::entry, "The fastest kernel of this point.")
      .def_ro("estimate", &TuneProgress::estimate,
              "Name of the kernel that would be chosen without measurement.")
      .def_ro("gain", &TuneProgress::gain,
              "Time of the kernel in `estimate`, divided by the time of the kernel in `entry`.")
      .def("__repr__", [](const TuneProgress& progress) {
        return "TuneProgress(completed=" + std::to_string(progress.completed) +
               ", total=" + std::to_string(progress.total) + ", kernel='" + progress.entry.kernel +
               "')";
      });
}

void bind_wisdom(nb::module_& module) {
  nb::class_<Wisdom>(
      module, "Wisdom",
      "The measured fastest kernels of this processor. Immutable.\n"
      "\n"
      "The environment variable RINGLET_WISDOM names the file from which new plans take\n"
      "their kernels.")
      .def(nb::init<std::vector<WisdomEntry>>(), "entries"_a = std::vector<WisdomEntry>())
      .def_static(
          "tune", &tune, "log_degrees"_a = nb::none(), "modulus_bits"_a = nb::none(),
          "operations"_a = nb::none(), "quick"_a = false, "progress"_a = nb::none(),
          "Measures all kernels of this processor and returns the fastest one for each\n"
          "operation, length and width.\n"
          "\n"
          "- log_degrees: base-2 logarithms of the transform lengths, 1 to 20.\n"
          "- modulus_bits: widths of the modulus in bits, 2 to 63.\n"
          "- operations: names of operations, such as \"ntt\" or \"add\".\n"
          "- quick: measure only a few values of each argument that is None.\n"
          "- progress: a function that receives a TuneProgress after each measured point.\n"
          "\n"
          "Without `quick`, None means the whole range of an argument. Raises InvalidArgument\n"
          "for a value out of range.")
      .def_static(
          "load", &Wisdom::load, "path"_a,
          "Reads a wisdom file. A missing or unusable file raises no error: the result has no\n"
          "entries, a state and a reason.")
      .def("save", &Wisdom::save, "path"_a,
           "Writes a wisdom file in one step. Raises RuntimeFailure if the file cannot be\n"
           "written.")
      .def_prop_ro("entries", &Wisdom::entries,
                   "All entries, sorted by operation, transform length and width of the modulus.")
      .def("__len__", [](const Wisdom& wisdom) { return wisdom.entries().size(); })
      .def(
          "__eq__", [](const Wisdom& a, const Wisdom& b) { return a == b; }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__repr__", [](const Wisdom& wisdom) {
        return "Wisdom(" + std::to_string(wisdom.entries().size()) + " entries)";
      });

  nb::class_<WisdomFile>(module, "WisdomFile", "Outcome of reading a wisdom file.")
      .def_ro("wisdom", &WisdomFile::wisdom,
              "The entries of the file. There are none unless the state is \"used\".")
      .def_prop_ro(
          "state", [](const WisdomFile& file) { return wisdom_state_name(file.state); },
          "Outcome: \"used\", \"absent\", \"stale\" or \"damaged\".")
      .def_ro("reason", &WisdomFile::reason, "Why the file is not used; \"\" if it is used.")
      .def_ro("path", &WisdomFile::path, "Path of the file; \"\" if no file was named.")
      .def("__repr__", [](const WisdomFile& file) {
        return "WisdomFile(path='" + file.path + "', state='" + wisdom_state_name(file.state) +
               "', entries=" + std::to_string(file.wisdom.entries().size()) + ")";
      });
}

}  // namespace

void bind_kernel_selection(nb::module_& module) {
  bind_entries(module);
  bind_wisdom(module);
  module.def(
      "plan_effort", [] { return plan_effort_name(KernelSelection::from_environment().effort()); },
      "Returns how plans choose their kernels: \"estimate\" or \"measure\", from\n"
      "RINGLET_PLAN_EFFORT.");
  module.def(
      "environment_wisdom", [] { return Wisdom::from_environment(); },
      "Returns the wisdom file that RINGLET_WISDOM names. The process reads this file once,\n"
      "when it first needs it.");
}

}  // namespace ringlet::python
