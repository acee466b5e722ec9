// SPDX-License-Identifier: Apache-2.0
// When preloaded into a test program, appends every exception of the library to the file
// RINGLET_RECORD_MESSAGES: its four parts, separated by \x1f, end with \x1e.

#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
#include <typeinfo>
#include <unistd.h>

#include "ringlet/base/error.hpp"

// One call of write keeps records of threads and processes apart. A layer below the public calls
// throws without an operation; the public call throws the error again with one.
static void record(const ringlet::ErrorInfo& error) {
  const char* const name = std::getenv("RINGLET_RECORD_MESSAGES");
  if (name == nullptr || error.operation().empty()) return;
  const std::string line = error.operation() + '\x1f' + error.offending() + '\x1f' + error.limit() +
                           '\x1f' + error.remedy() + '\x1e';
  const int file = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0 || write(file, line.data(), line.size()) < 0) std::abort();
  close(file);
}

// The function of libstdc++ that every `throw` calls.
extern "C" [[noreturn]] void __cxa_throw(void* object, void* type,  // NOLINT
                                         void (*destroy)(void*)) {
  void* info = object;
  if (typeid(ringlet::ErrorInfo).__do_catch(static_cast<std::type_info*>(type), &info, 1)) {
    record(*static_cast<const ringlet::ErrorInfo*>(info));
  }
  using Throw = void (*)(void*, void*, void (*)(void*));
  reinterpret_cast<Throw>(dlsym(RTLD_NEXT, "__cxa_throw"))(object, type, destroy);
  std::abort();
}
