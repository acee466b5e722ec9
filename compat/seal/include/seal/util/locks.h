// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <shared_mutex>

#include "seal/util/defines.h"

namespace ringlet::seal4_util {

/// Locks held by one reader or writer. They are empty by default, and can be moved.
using ReaderLock = std::shared_lock<std::shared_mutex>;
using WriterLock = std::unique_lock<std::shared_mutex>;

/// Lets several readers or one writer in at a time. Functions whose names start with try_ return an
/// empty lock instead of waiting.
class ReaderWriterLocker : public std::shared_mutex {
 public:
  SEAL_NODISCARD ReaderLock acquire_read() { return ReaderLock(*this); }
  SEAL_NODISCARD WriterLock acquire_write() { return WriterLock(*this); }
  SEAL_NODISCARD ReaderLock try_acquire_read() { return {*this, std::try_to_lock}; }
  SEAL_NODISCARD WriterLock try_acquire_write() { return {*this, std::try_to_lock}; }
};

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
