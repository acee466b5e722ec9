// SPDX-License-Identifier: Apache-2.0
#pragma once

// The build reads the version of the project from these three lines.
#define RINGLET_VERSION_MAJOR 0
#define RINGLET_VERSION_MINOR 1
#define RINGLET_VERSION_PATCH 0

namespace ringlet {

/// The version of the headers, "major.minor.patch".
inline constexpr const char* kVersion = "0.1.0";

}  // namespace ringlet
