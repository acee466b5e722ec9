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
  nb::class_<WisdomEntry>(module, "WisdomEntry", "The fastest kernel of one operation.")
      .def(nb::init<std::string, int, int, std::string>(), "operation"_a, "log_degree"_a,
           "modulus_bits"_a, "kernel"_a)
      .def_ro("operation", &WisdomEntry::operation, "\"ntt\", \"add\", ...")
      .def_ro("log_degree", &WisdomEntry::log_degree,
              "Of transforms of length 2^log_degree; 0 for other operations.")
      .def_ro("modulus_bits", &WisdomEntry::modulus_bits, "Bits of the modulus, exactly.")
      .def_ro("kernel", &WisdomEntry::kernel, "\"table/algorithm\".")
      .def(
          "__eq__", [](const WisdomEntry& a, const WisdomEntry& b) { return a == b; },
          nb::sig("def __eq__(self, other: object, /) -> bool"), nb::is_operator())
      .def("__repr__", [](const WisdomEntry& entry) {
        return "WisdomEntry('" + entry.operation + "', " + std::to_string(entry.log_degree) + ", " +
               std::to_string(entry.modulus_bits) + ", '" + entry.kernel + "')";
      });

  nb::class_<TuneProgress>(module, "TuneProgress", "What Wisdom.tune tells of each entry.")
      .def_ro("completed", &TuneProgress::completed, "Points of the grid so far.")
      .def_ro("total", &TuneProgress::total, "Points of the whole grid.")
      .def_ro("entry", &TuneProgress::entry, "What was found.")
      .def_ro("estimate", &TuneProgress::estimate, "The kernel that the estimate takes.")
      .def_ro("gain", &TuneProgress::gain, "Its time divided by that of the entry's kernel.")
      .def("__repr__", [](const TuneProgress& progress) {
        return "TuneProgress(completed=" + std::to_string(progress.completed) +
               ", total=" + std::to_string(progress.total) + ", kernel='" + progress.entry.kernel +
               "')";
      });
}

void bind_wisdom(nb::module_& module) {
  nb::class_<Wisdom>(module, "Wisdom",
                     "Which kernels turned out to be the fastest on this processor; immutable.\n"
                     "The environment variable RINGLET_WISDOM names the file that plans use.")
      .def(nb::init<std::vector<WisdomEntry>>(), "entries"_a = std::vector<WisdomEntry>())
      .def_static(
          "tune", &tune, "log_degrees"_a = nb::none(), "modulus_bits"_a = nb::none(),
          "operations"_a = nb::none(), "quick"_a = false, "progress"_a = nb::none(),
          "Times all kernels of this processor in turn: every operation for every width of\n"
          "the modulus, transforms for every degree. None stands for the whole range, or\n"
          "for a few of it if `quick`.")
      .def_static("load", &Wisdom::load, "path"_a,
                  "Reads a file; what cannot be used gives no entries, a state and a reason.")
      .def("save", &Wisdom::save, "path"_a, "Writes a file, in one step.")
      .def_prop_ro("entries", &Wisdom::entries, "Sorted by operation, degree and width.")
      .def("__len__", [](const Wisdom& wisdom) { return wisdom.entries().size(); })
      .def(
          "__eq__", [](const Wisdom& a, const Wisdom& b) { return a == b; }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__repr__", [](const Wisdom& wisdom) {
        return "Wisdom(" + std::to_string(wisdom.entries().size()) + " entries)";
      });

  nb::class_<WisdomFile>(module, "WisdomFile", "What came of reading wisdom.")
      .def_ro("wisdom", &WisdomFile::wisdom, "Empty unless the state is \"used\".")
      .def_prop_ro(
          "state", [](const WisdomFile& file) { return wisdom_state_name(file.state); },
          "\"used\", \"absent\", \"stale\" or \"damaged\".")
      .def_ro("reason", &WisdomFile::reason, "Why it is not used; empty if it is.")
      .def_ro("path", &WisdomFile::path, "Empty where no file was named.")
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
      "How plans choose their kernels, from RINGLET_PLAN_EFFORT: \"estimate\" or \"measure\".");
  module.def(
      "environment_wisdom", [] { return Wisdom::from_environment(); },
      "The wisdom file that RINGLET_WISDOM names, as it was read when it was first needed.");
}

}  // namespace ringlet::python
