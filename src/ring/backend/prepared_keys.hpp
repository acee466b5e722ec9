// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "ringlet/ring/backend.hpp"

namespace ringlet {

/// What a backend has prepared of keys that live, by the address of their Preparations. It goes
/// with the backend, and what is of one key with that.
struct PreparedKeys {
  std::mutex mutex;
  std::map<const void*, std::shared_ptr<const PreparedKey>> by_owner;
};

}  // namespace ringlet
