// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "ringlet/ring/backend.hpp"

namespace ringlet {

/// The prepared forms of living keys that a backend holds, by the address of their Preparations. A
/// form ends with its key or with the backend.
struct PreparedKeys {
  std::mutex mutex;
  std::map<const void*, std::shared_ptr<const PreparedKey>> by_owner;
};

}  // namespace ringlet
