// SPDX-License-Identifier: Apache-2.0
#pragma once

// The headers that most sources of the layers include, compiled once with RINGLET_PRECOMPILE. No
// source includes this file: builds without the option find a source that forgets a header.

// IWYU pragma: begin_exports
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
// IWYU pragma: end_exports
