// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>

#include "bindings.hpp"
#include "errors.hpp"
#include "lab_bindings.hpp"

NB_MODULE(_lab, module) {
  module.doc() = "The compiled part of ringlet_lab.";
  ringlet::python::register_errors();
  ringlet::python::bind_build_info(module);
  ringlet::python::bind_kernels(module);
  ringlet::python::bind_parallel(module);
  ringlet::python::bind_bench(module);
  ringlet::python::bind_bench_fv(module);
  ringlet::python::bind_bench_gpu(module);
  ringlet::python::bind_bench_limits(module);
  ringlet::python::bind_bench_ntt(module);
  ringlet::python::bind_bench_schemes(module);
  ringlet::python::bind_bench_wide(module);
  ringlet::python::bind_bench_wide_limits(module);
  ringlet::python::bind_bench_wide_projection(module);
}
