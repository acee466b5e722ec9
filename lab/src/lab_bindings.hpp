// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace ringlet::python {

/// Each adds one part of what measures to the extension module.
void bind_build_info(nanobind::module_& module);
void bind_bench(nanobind::module_& module);
void bind_bench_fv(nanobind::module_& module);
void bind_bench_gpu(nanobind::module_& module);
void bind_bench_limits(nanobind::module_& module);
void bind_bench_ntt(nanobind::module_& module);
void bind_bench_schemes(nanobind::module_& module);
void bind_bench_wide(nanobind::module_& module);
void bind_bench_wide_limits(nanobind::module_& module);
void bind_bench_wide_projection(nanobind::module_& module);

}  // namespace ringlet::python
