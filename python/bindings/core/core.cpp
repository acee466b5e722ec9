// SPDX-License-Identifier: Apache-2.0
#include "bindings/core/arguments.hpp"
#include "bindings/core/bindings.hpp"
#include "bindings/core/errors.hpp"
#include "ringlet/base/version.hpp"
#include "rlwe/dependency_versions.hpp"
#include "rlwe/serialization/zstd_codec.hpp"

namespace {

// Returns None for what is no frame of at most `most` bytes.
nb::object zstd_contents(const nb::bytes& frame, std::size_t most) {
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(frame.c_str()), frame.size());
  const auto contents = ringlet::rlwe::zstd_contents(bytes, most);
  if (!contents) return nb::none();
  return nb::bytes(contents->data(), contents->size());
}

}  // namespace

NB_MODULE(_core, module) {
  module.doc() = "The compiled part of ringlet. Import the package `ringlet` instead.";
  module.attr("version") = ringlet::kVersion;
  module.attr("openssl_version") = ringlet::rlwe::openssl_version();
  module.attr("zstd_version") = ringlet::rlwe::zstd_version();
  ringlet::python::register_errors();
  ringlet::python::bind_kernels(module);
  ringlet::python::bind_devices(module);
  ringlet::python::bind_kernel_selection(module);
  ringlet::python::bind_ntt(module);
  ringlet::python::bind_rns_ntt(module);
  ringlet::python::bind_parallel(module);
  ringlet::python::bind_eltwise(module);
  ringlet::python::bind_rings(module);
  ringlet::python::bind_fv(module);
  ringlet::python::bind_wide(module);
  ringlet::python::bind_parameters(module);
  ringlet::python::bind_circuit_functions(module);
  ringlet::python::bind_circuits(module);
  ringlet::python::bind_sharing(module);
  ringlet::python::bind_parameters_advice(module);
  ringlet::python::bind_ciphertexts(module);
  ringlet::python::bind_circuit_traces(module);
  ringlet::python::bind_secret_contexts(module);
  ringlet::python::bind_public_contexts(module);
  ringlet::python::bind_circuit_runs(module);
  ringlet::python::bind_files(module);
  module.def("zstd_contents", &zstd_contents, "frame"_a, "most"_a,
             nb::sig("def zstd_contents(frame: bytes, most: int) -> bytes | None"));
  module.def("refuse_masked", [](nb::handle object, const char* operation, const char* name) {
    ringlet::python::refuse_masked(object, operation, name);
  });
}
