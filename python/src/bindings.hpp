// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace ringlet::python {

/// Each adds one part of the package to the extension module.
void bind_kernels(nanobind::module_& module);
void bind_devices(nanobind::module_& module);
void bind_planner(nanobind::module_& module);
void bind_ntt(nanobind::module_& module);
void bind_rns_ntt(nanobind::module_& module);
void bind_parallel(nanobind::module_& module);
void bind_eltwise(nanobind::module_& module);
void bind_rings(nanobind::module_& module);
void bind_fv(nanobind::module_& module);
void bind_wide(nanobind::module_& module);
void bind_parameters(nanobind::module_& module);
void bind_circuits(nanobind::module_& module);
void bind_circuit_runs(nanobind::module_& module);
void bind_circuit_functions(nanobind::module_& module);
void bind_circuit_traces(nanobind::module_& module);
void bind_sharing(nanobind::module_& module);
void bind_parameters_advice(nanobind::module_& module);
void bind_ciphertexts(nanobind::module_& module);
void bind_secret_contexts(nanobind::module_& module);
void bind_public_contexts(nanobind::module_& module);

}  // namespace ringlet::python
