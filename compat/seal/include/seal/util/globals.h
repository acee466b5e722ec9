// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ringlet::seal4_util {

namespace global_variables {

/// The noise of encryptions has this standard deviation and is at most noise_max_deviation.
constexpr double noise_standard_deviation = 3.2;
constexpr double noise_distribution_width_multiplier = 6;
constexpr double noise_max_deviation =
    noise_standard_deviation * noise_distribution_width_multiplier;

}  // namespace global_variables

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
