// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/core/prelude.hpp"

namespace ringlet::python {

/// Each function adds one part of the package to the extension module.
void bind_kernels(nb::module_& module);
void bind_devices(nb::module_& module);
void bind_kernel_selection(nb::module_& module);
void bind_ntt(nb::module_& module);
void bind_rns_ntt(nb::module_& module);
void bind_parallel(nb::module_& module);
void bind_eltwise(nb::module_& module);
void bind_rings(nb::module_& module);
void bind_fv(nb::module_& module);
void bind_wide(nb::module_& module);
void bind_parameters(nb::module_& module);
void bind_circuits(nb::module_& module);
void bind_circuit_runs(nb::module_& module);
void bind_circuit_functions(nb::module_& module);
void bind_circuit_traces(nb::module_& module);
void bind_sharing(nb::module_& module);
void bind_parameters_advice(nb::module_& module);
void bind_ciphertexts(nb::module_& module);
void bind_secret_contexts(nb::module_& module);
void bind_public_contexts(nb::module_& module);
void bind_files(nb::module_& module);

}  // namespace ringlet::python
