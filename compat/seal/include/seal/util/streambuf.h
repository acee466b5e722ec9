// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ios>
#include <streambuf>

#include "seal/util/common.h"
#include "seal/util/defines.h"

namespace ringlet::seal4_util {

/// Reads from an array that stays with the caller.
class ArrayGetBuffer final : public std::streambuf {
 public:
  /// @throws std::invalid_argument if the array is null or the size is not positive.
  ArrayGetBuffer(const char* buf, std::streamsize size) {
    detail::check_argument(buf != nullptr && size > 0, "ArrayGetBuffer");
    char* begin = const_cast<char*>(buf);
    setg(begin, begin, begin + size);
  }

 private:
  pos_type seekoff(off_type offset, std::ios_base::seekdir direction,
                   std::ios_base::openmode) override {
    const off_type base = direction == std::ios_base::beg   ? 0
                          : direction == std::ios_base::cur ? gptr() - eback()
                                                            : egptr() - eback();
    if (base + offset < 0 || base + offset > egptr() - eback()) return pos_type(off_type(-1));
    setg(eback(), eback() + base + offset, egptr());
    return gptr() - eback();
  }
  pos_type seekpos(pos_type position, std::ios_base::openmode which) override {
    return seekoff(off_type(position), std::ios_base::beg, which);
  }
};

/// Writes to an array that stays with the caller; a write beyond its end fails.
class ArrayPutBuffer final : public std::streambuf {
 public:
  /// @throws std::invalid_argument if the array is null or the size is not positive.
  ArrayPutBuffer(char* buf, std::streamsize size) {
    detail::check_argument(buf != nullptr && size > 0, "ArrayPutBuffer");
    setp(buf, buf + size);
  }
  SEAL_NODISCARD bool at_end() const noexcept { return pptr() == epptr(); }

 private:
  pos_type seekoff(off_type offset, std::ios_base::seekdir direction,
                   std::ios_base::openmode) override {
    const off_type base = direction == std::ios_base::beg   ? 0
                          : direction == std::ios_base::cur ? pptr() - pbase()
                                                            : epptr() - pbase();
    const off_type target = base + offset;
    if (target < 0 || target > epptr() - pbase()) return pos_type(off_type(-1));
    setp(pbase(), epptr());
    for (off_type left = target; left > 0; left -= kStep) {
      pbump(static_cast<int>(left < kStep ? left : kStep));
    }
    return target;
  }
  pos_type seekpos(pos_type position, std::ios_base::openmode which) override {
    return seekoff(off_type(position), std::ios_base::beg, which);
  }

  static constexpr off_type kStep = off_type{1} << 30;
};

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
