// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include "lab_bindings.hpp"
#include "ringlet_commit.hpp"

namespace nb = nanobind;

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

}  // namespace

void bind_build_info(nb::module_& module) {
  module.def("build_info", &build_info,
             "The \"compiler\" of this extension, and the \"commit\" of its source, or "
             "\"unknown\".");
}

}  // namespace ringlet::python
