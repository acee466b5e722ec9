// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

// Every error code of the three libraries, for tests that go through them all.

namespace ringlet::test {

/// All numbers of the ranges, both ends included.
inline std::vector<int> codes(std::initializer_list<std::pair<int, int>> ranges) {
  std::vector<int> all;
  for (const auto& [first, last] : ranges) {
    for (int code = first; code <= last; ++code) all.push_back(code);
  }
  return all;
}

/// CUresult, of CUDA 13.
inline const std::vector<int> kCudaErrors = codes({{1, 8},
                                                   {34, 34},
                                                   {36, 36},
                                                   {46, 46},
                                                   {100, 102},
                                                   {200, 202},
                                                   {205, 226},
                                                   {300, 304},
                                                   {400, 402},
                                                   {500, 500},
                                                   {600, 600},
                                                   {700, 705},
                                                   {708, 721},
                                                   {800, 812},
                                                   {900, 916},
                                                   {999, 999}});
/// nvrtcResult, of NVRTC 13.
inline const std::vector<int> kNvrtcErrors = codes({{1, 17}});
/// Of OpenCL 1.2, its installable drivers and the sub-group extensions, and a driver's own.
inline const std::vector<int> kOpenclErrors =
    codes({{-19, -1}, {-72, -30}, {-1001, -1001}, {-9999, -9999}});

/// What cuGetErrorName answers: CUDA's own name where tests read it.
inline std::string cuda_error_name(int code) {
  switch (code) {
    case 1:
      return "CUDA_ERROR_INVALID_VALUE";
    case 2:
      return "CUDA_ERROR_OUT_OF_MEMORY";
    case 100:
      return "CUDA_ERROR_NO_DEVICE";
    case 200:
      return "CUDA_ERROR_INVALID_IMAGE";
    case 500:
      return "CUDA_ERROR_NOT_FOUND";
    case 700:
      return "CUDA_ERROR_ILLEGAL_ADDRESS";
    default:
      return "CUDA_ERROR_OF_NUMBER_" + std::to_string(code);
  }
}

}  // namespace ringlet::test
