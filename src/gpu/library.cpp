// SPDX-License-Identifier: Apache-2.0
#include "gpu/library.hpp"

#include <dlfcn.h>
#include <utility>

#include "base/text.hpp"

namespace ringlet::gpu {

Library::Library(std::string name, void* handle) noexcept
    : name_(std::move(name)), handle_(handle) {}

Library::~Library() { dlclose(handle_); }

std::unique_ptr<Library> Library::open(std::initializer_list<std::string> names,
                                       std::string& reason) {
#ifdef RINGLET_WITHOUT_GPU
  reason = concat(*names.begin(), " is not looked for by a build with RINGLET_WITH_GPU=OFF");
  return nullptr;
#else
  reason.clear();
  for (const std::string& name : names) {
    if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
      reason.clear();
      return std::unique_ptr<Library>(new Library(name, handle));
    }
    const char* message = dlerror();
    reason = concat(reason, reason.empty() ? "" : "; ", message != nullptr ? message : name);
  }
  return nullptr;
#endif
}

void* Library::address(const char* symbol) const noexcept { return dlsym(handle_, symbol); }

}  // namespace ringlet::gpu
