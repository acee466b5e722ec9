// SPDX-License-Identifier: Apache-2.0
#include "gpu/programs/programs.hpp"

#include <utility>

#include "gpu/programs/kernel_sources.hpp"

namespace ringlet::gpu {

std::string program_text(const Program& program) {
  std::string text;
  for (const std::string& file : program.files) text += kernel_source(file);
  return text;
}

std::vector<Program> program_catalogue(const DeviceProperties& device) {
  std::vector<Program> catalogue = ntt_programs(device);
  for (Program& program : backend_programs(device)) catalogue.push_back(std::move(program));
  for (Program& program : roofs_programs()) catalogue.push_back(std::move(program));
  for (Program& program : key_products_programs(device)) catalogue.push_back(std::move(program));
  return catalogue;
}

}  // namespace ringlet::gpu
