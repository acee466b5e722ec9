// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory/address_space.hpp"

#include <limits>
#include <unistd.h>
#include <utility>

#include <sys/mman.h>

#include "base/text.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::gpu {
namespace {

[[noreturn]] void refuse(std::size_t words) {
  throw_runtime_error({.offending = concat("allocation of ", words, " words on a device"),
                       .limit = "addresses that this process may reserve",
                       .remedy = "raise the limit of its address space (ulimit -v), or release "
                                 "what is no longer needed"});
}

}  // namespace

AddressRange::AddressRange(std::size_t words) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t most = std::numeric_limits<std::size_t>::max() - 2 * page;
  if (words > most / sizeof(std::uint64_t)) refuse(words);
  bytes_ = (words * sizeof(std::uint64_t) + page - 1) / page * page + page;
  void* const range =
      mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) refuse(words);
  begin_ = static_cast<std::uint64_t*>(range);
}

AddressRange::~AddressRange() {
  if (begin_ != nullptr) munmap(begin_, bytes_);
}

AddressRange::AddressRange(AddressRange&& other) noexcept
    : begin_(std::exchange(other.begin_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

AddressRange& AddressRange::operator=(AddressRange&& other) noexcept {
  std::swap(begin_, other.begin_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace ringlet::gpu
