// SPDX-License-Identifier: Apache-2.0
// The control interface of standin.hpp, in each of the libraries.
#include <algorithm>

#include "gpu_standin/engine.hpp"
#include "gpu_standin/export.hpp"

using standin::Engine;

namespace {

std::uint64_t copy_out(const std::string& text, char* target, std::uint64_t size) {
  if (target != nullptr) std::memcpy(target, text.data(), std::min<std::size_t>(size, text.size()));
  return text.size();
}

}  // namespace

STANDIN_EXPORT void standin_reset() { Engine::instance().reset(); }

STANDIN_EXPORT void standin_heal() { Engine::instance().heal(); }

STANDIN_EXPORT void standin_fail(const char* entry, std::uint64_t nth, std::int64_t code) {
  Engine::instance().fail(entry, nth, code);
}

STANDIN_EXPORT void standin_fail_work(std::uint64_t nth, std::int64_t code) {
  Engine::instance().fail_work(nth, code);
}

STANDIN_EXPORT void standin_set(const char* option, std::int64_t value) {
  Engine::instance().set(option, value);
}

STANDIN_EXPORT void standin_register_kernel(const char* name, standin_kernel function) {
  Engine::instance().register_kernel(name, function);
}

STANDIN_EXPORT std::uint64_t standin_call_count() { return Engine::instance().call_count(); }

STANDIN_EXPORT void standin_copy_call(std::uint64_t index, standin_call* call) {
  *call = Engine::instance().call_at(index);
}

STANDIN_EXPORT void standin_clear_calls() { Engine::instance().clear_calls(); }

STANDIN_EXPORT std::uint64_t standin_live(char* target, std::uint64_t size) {
  return copy_out(Engine::instance().live_text(), target, size);
}

STANDIN_EXPORT std::uint64_t standin_violations(char* target, std::uint64_t size) {
  return copy_out(Engine::instance().violations(), target, size);
}
