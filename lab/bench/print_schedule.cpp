// SPDX-License-Identifier: Apache-2.0
//
// Prints the passes of a transform, for lab/scripts/predict_cycles.py: first stage, stages between
// rows and whether it is the tail. The stages of an extended tail are all of its stages.
//
// usage: print_schedule radix2|radix4|r4r2 LOG_LANES MAX_ROW_STAGES LOG_DEGREE
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "kernels/ntt/extended/table.hpp"
#include "kernels/ntt/schedule.hpp"

using namespace ringlet::kernels;

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs("usage: print_schedule radix2|radix4|r4r2 LOG_LANES MAX_ROW_STAGES LOG_DEGREE\n",
               stderr);
    return 2;
  }
  const std::string_view family = argv[1];
  const int log_lanes = std::atoi(argv[2]);
  const int log_degree = std::atoi(argv[4]);
  ExtendedShape shape;
  shape.layout.log_lanes = log_lanes;
  if (family == "r4r2") shape.variant.tail = ExtendedTail::pairs;
  const Schedule schedule = family == "radix2"
                                ? make_schedule(log_degree, log_lanes, std::atoi(argv[3]))
                                : make_extended_schedule(log_degree, shape);
  for (int p = 0; p < schedule.pass_count; ++p) {
    const Pass& pass = schedule.passes[p];
    std::printf("%d %d %d\n", pass.first_stage, pass.row_stages, pass.is_tail ? 1 : 0);
  }
  return 0;
}
