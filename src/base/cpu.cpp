// SPDX-License-Identifier: Apache-2.0
#include "ringlet/base/cpu.hpp"

#include <utility>

#include "base/cpu_features.hpp"

namespace ringlet {

CpuInfo cpu_info() {
  std::string model = cpu_model_name();
  if (model.empty()) model = "unknown";
  return {std::move(model), cpu_feature_names(detected_cpu_features()),
          cpu_trait_names(detected_cpu_traits())};
}

}  // namespace ringlet
