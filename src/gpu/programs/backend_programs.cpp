// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "gpu/backend/device_backend_kernels.hpp"
#include "gpu/backend/device_matrix.hpp"
#include "gpu/programs/programs.hpp"

namespace ringlet::gpu {

Program backend_program(const DeviceOptions& options) {
  const int assembly = options.use_assembly ? 1 : 0;
  const int fused = options.use_fused_multiply_add ? 1 : 0;
  return {
      .name = concat("backend", assembly == 1 ? " assembly" : "", fused == 1 ? " fused" : ""),
      .files = {"arithmetic.inc", "limbs.inc", "division.inc", "elementwise.inc",
                "automorphism.inc", "division_kernels.inc", "conversion.inc", "key_product.inc"},
      .definitions = {concat("RINGLET_ASSEMBLY=", assembly),
                      concat("RINGLET_FUSED_MULTIPLY_ADD=", fused)},
      .main_kernels = {kLimbKernelNames.begin(), kLimbKernelNames.end()}};
}

Program matrix_program(const DeviceOptions& options) {
  const int assembly = options.use_assembly ? 1 : 0;
  const int fused = options.use_fused_multiply_add ? 1 : 0;
  return {.name = concat("matrix", assembly == 1 ? " assembly" : "", fused == 1 ? " fused" : ""),
          .files = {"arithmetic.inc", "limbs.inc", "matrix.inc"},
          .definitions = {concat("RINGLET_ASSEMBLY=", assembly),
                          concat("RINGLET_FUSED_MULTIPLY_ADD=", fused)},
          .main_kernels = {"matrix_products_2x2", "matrix_products"}};
}

std::vector<Program> backend_programs(const DeviceProperties& /*device*/) {
  std::vector<Program> programs;
  for (const bool assembly : {true, false}) {
    for (const bool fused : {true, false}) {
      DeviceOptions options;
      options.use_assembly = assembly;
      options.use_fused_multiply_add = fused;
      programs.push_back(backend_program(options));
      programs.push_back(matrix_program(options));
    }
  }
  return programs;
}

}  // namespace ringlet::gpu
