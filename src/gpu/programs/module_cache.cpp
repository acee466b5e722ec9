// SPDX-License-Identifier: Apache-2.0
#include "gpu/programs/module_cache.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "gpu/programs/kernel_sources.hpp"
#include "gpu/programs/module_file.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/base/version.hpp"

namespace ringlet::gpu {
namespace {

/// A module goes with its last user; the next user finds the program on the disk.
struct Entry {
  std::mutex mutex;
  std::weak_ptr<Module> module;
};

/// The modules of this process, by device and program.
class ProcessCache {
 public:
  std::shared_ptr<Entry> entry(std::uint64_t device, const Digest& key) {
    const std::lock_guard lock(mutex_);
    std::erase_if(entries_, [](const auto& item) {
      // If the map is the only owner, no thread can reach the entry while the map is locked.
      if (item.second.use_count() != 1) return false;
      const std::lock_guard entry_lock(item.second->mutex);
      return item.second->module.expired();
    });
    std::shared_ptr<Entry>& entry = entries_[{device, key}];
    if (entry == nullptr) entry = std::make_shared<Entry>();
    return entry;
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<std::uint64_t, Digest>, std::shared_ptr<Entry>> entries_;
};

ProcessCache& process_cache() {
  static ProcessCache cache;
  return cache;
}

Digest program_key(const DeviceProperties& device, std::string_view source,
                   std::span<const std::string> definitions) {
  const bool is_cuda = device.api == Api::cuda;
  std::string text;
  // With its length in front no part runs into the next.
  const auto add = [&](std::string_view part) { text += concat(part.size(), ":", part); };
  add(kVersion);
  add(is_cuda ? "cuda" : "opencl");
  add(device.name);
  add(device.vendor);
  add(device.driver_version);
  add(kernel_source(is_cuda ? "prelude.cuda" : "prelude.opencl"));
  add(source);
  for (const std::string& definition : definitions) add(definition);
  return digest(std::as_bytes(std::span(text)));
}

/// Loads the module of a file; null if there is no file that the driver takes.
std::shared_ptr<Module> load_file(DriverDevice& device, const std::filesystem::path& file,
                                  const Digest& key) {
  const auto program = read_module_file(file, key);
  if (!program) return nullptr;
  try {
    return device.load(*program);
  } catch (const RuntimeError&) {
    return nullptr;
  }
}

/// Writes a module to a file; returns whether it did. If not, it is compiled again next time.
bool keep_file(const Module& module, const std::filesystem::path& file, const Digest& key) {
  try {
    const std::vector<std::byte> program = module.binary();
    return !program.empty() && write_module_file(file, key, program);
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

std::shared_ptr<Module> build_module(DriverDevice& device, const std::string& source,
                                     std::span<const std::string> definitions) {
  const Digest key = program_key(device.properties(), source, definitions);
  const std::shared_ptr<Entry> entry = process_cache().entry(device.identity(), key);
  const std::lock_guard lock(entry->mutex);
  if (auto module = entry->module.lock()) return module;
  // PoCL, asked for a program's binary, compiles all of its kernels once more, for groups of any
  // size, and then runs these in place of those for the groups that are launched.
  const bool driver_keeps_it = device.properties().keeps_programs;
  const std::filesystem::path file = driver_keeps_it ? std::filesystem::path() : module_file(key);
  std::shared_ptr<Module> module;
  if (!file.empty()) module = load_file(device, file, key);
  if (module == nullptr) {
    module = device.build(source, definitions);
    if (!file.empty()) keep_file(*module, file, key);
  }
  entry->module = module;
  return module;
}

}  // namespace ringlet::gpu
