// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "ringlet/ring/backend.hpp"

namespace ringlet {

/// The prepared forms that a backend holds of living keys, by the address of their Preparations.
/// They end with the backend, and the form of one key with that key.
struct PreparedKeys {
  std::mutex mutex;
  std::map<const void*, std::shared_ptr<const PreparedKey>> by_owner;
};

}  // namespace ringlet
