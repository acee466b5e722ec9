// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <sstream>
#include <string>
#include <vector>

// Every error code of the three libraries, for tests that go through them all.

namespace ringlet::test {

/// Returns the numbers of a list, and those of its ranges "first:last", both ends included.
inline std::vector<int> codes(const std::string& list) {
  std::vector<int> all;
  std::istringstream numbers(list);
  for (int code = 0; numbers >> code; all.push_back(code)) {
    if (numbers.peek() != ':') continue;
    int last = 0;
    for (numbers.ignore() >> last; code < last; ++code) all.push_back(code);
  }
  return all;
}

/// CUresult, of CUDA 13.
inline const std::vector<int> kCudaErrors = codes(
    "1:8 34 36 46 100:102 200:202 205:226 300:304 400:402 500 600 700:705 708:721 800:812 900:916 "
    "999");
/// nvrtcResult, of NVRTC 13.
inline const std::vector<int> kNvrtcErrors = codes("1:17");
/// Errors of OpenCL 1.2, its installable drivers and the sub-group extensions, and a driver's own.
inline const std::vector<int> kOpenclErrors = codes("-19:-1 -72:-30 -1001 -9999");

/// Returns the answer of cuGetErrorName: CUDA's own name where tests read it.
inline std::string cuda_error_name(int code) {
  static const std::map<int, std::string> names{{1, "INVALID_VALUE"}, {2, "OUT_OF_MEMORY"},
                                                {100, "NO_DEVICE"},   {200, "INVALID_IMAGE"},
                                                {500, "NOT_FOUND"},   {700, "ILLEGAL_ADDRESS"}};
  const auto found = names.find(code);
  return "CUDA_ERROR_" +
         (found != names.end() ? found->second : "OF_NUMBER_" + std::to_string(code));
}

}  // namespace ringlet::test
