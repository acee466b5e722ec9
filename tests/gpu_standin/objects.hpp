// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "gpu_standin/engine.hpp"

namespace standin {

/// Objects of one kind, by handle. A module, a stream or the like that is not here any more was
/// used after its end.
template <typename Object>
class Objects {
 public:
  explicit Objects(std::string kind) : kind_(std::move(kind)) {}
  Object* make() {
    auto object = std::make_unique<Object>();
    Object* handle = object.get();
    all_[handle] = std::move(object);
    Engine::instance().count(kind_, 1);
    return handle;
  }
  bool has(Object* handle) const { return all_.contains(handle); }
  bool release(Object* handle) {
    if (all_.erase(handle) == 0) return false;
    Engine::instance().count(kind_, -1);
    return true;
  }
  void clear() { all_.clear(); }
  std::size_t size() const { return all_.size(); }
  template <typename Action>
  void for_each(const Action& action) const {
    for (const auto& [handle, object] : all_) action(*object);
  }

 private:
  std::string kind_;
  std::map<Object*, std::unique_ptr<Object>> all_;
};

}  // namespace standin
