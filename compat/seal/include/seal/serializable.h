// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <ios>
#include <iosfwd>
#include <utility>

#include "seal/serialization.h"
#include "seal/util/defines.h"

namespace ringlet::seal4 {

class Encryptor;
class KeyGenerator;

/// An object that can only be saved. It holds the seed of its random polynomials instead of the
/// polynomials, which halves its size. To use the object, save it and load it as a T.
template <class T>
class Serializable {
 public:
  Serializable(const Serializable& copy) = default;
  Serializable(Serializable&& source) noexcept = default;
  Serializable& operator=(const Serializable& assign) = default;
  Serializable& operator=(Serializable&& assign) noexcept = default;

  /// Returns an upper bound of the bytes that save writes.
  SEAL_NODISCARD std::streamoff save_size(
      compr_mode_type compr_mode = Serialization::compr_mode_default) const {
    return obj_.save_size(compr_mode);
  }

  /// Saves as T::save does.
  std::streamoff save(std::ostream& stream,
                      compr_mode_type compr_mode = Serialization::compr_mode_default) const {
    return obj_.save(stream, compr_mode);
  }

  std::streamoff save(seal_byte* out, std::size_t size,
                      compr_mode_type compr_mode = Serialization::compr_mode_default) const {
    return obj_.save(out, size, compr_mode);
  }

 private:
  friend class Encryptor;
  friend class KeyGenerator;

  explicit Serializable(T&& obj) : obj_(std::move(obj)) {}

  T obj_;
};

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
