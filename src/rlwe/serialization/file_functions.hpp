// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <istream>
#include <ostream>
#include <span>
#include <vector>

#include "base/public_entry.hpp"
#include "rlwe/serialization/byte_stream.hpp"
#include "rlwe/serialization/objects.hpp"

// Defines what ringlet/rlwe/serialization.hpp declares, for the file that instantiates it for the
// types of a component. The namespace of a type finds its encode(), raw_bytes() and decode().

namespace ringlet::rlwe {

/// The call that errors name; RINGLET_INSTANTIATE_FILES gives all but secret keys another name.
template <typename T>
inline constexpr const char* kLoad = "load_secret_key";
inline constexpr const char* kSave = "save";
inline constexpr const char* kSaveSecretKey = "save_secret_key";

template <typename T>
std::size_t file_size(const T& object) {
  return raw_bytes(object);
}

template <typename T, typename Source>
T load_parameters_from(Source&& source, SecurityLevel min_security) {
  return public_entry("load_parameters", [&] {
    return load_from(source, {}, [min_security](ByteSource& bytes) {
      return decode(To<T>{}, bytes, min_security);
    });
  });
}

template <typename T, typename Source>
T load_object_from(const ContextOf<T>& context, Source&& source, const LoadLimits& limits = {}) {
  return public_entry(kLoad<T>, [&] {
    return load_from(source, limits,
                     [&context](ByteSource& bytes) { return decode(To<T>{}, context, bytes); });
  });
}

}  // namespace ringlet::rlwe

namespace ringlet {

template <typename T, typename>
std::size_t save(const T& object, std::ostream& stream, Compression compression) {
  return public_entry(rlwe::kSave, [&] {
    rlwe::StreamSink sink(stream);
    encode(object, sink, compression);
    return sink.written();
  });
}

template <typename T, typename>
std::vector<std::byte> save(const T& object, Compression compression) {
  return public_entry(rlwe::kSave, [&] {
    std::vector<std::byte> bytes;
    if (compression == Compression::none) bytes.reserve(rlwe::file_size(object));
    rlwe::MemorySink sink(bytes);
    encode(object, sink, compression);
    return bytes;
  });
}

template <typename T, typename>
std::size_t save_size(const T& object) {
  return public_entry(rlwe::kSave, [&] { return rlwe::file_size(object); });
}

template <typename T, typename>
T load_parameters(std::istream& stream, SecurityLevel min_security) {
  return rlwe::load_parameters_from<T>(stream, min_security);
}
template <typename T, typename>
T load_parameters(std::span<const std::byte> bytes, SecurityLevel min_security) {
  return rlwe::load_parameters_from<T>(bytes, min_security);
}

template <typename T, typename>
T load(const ContextOf<T>& context, std::istream& stream, const LoadLimits& limits) {
  return rlwe::load_object_from<T>(context, stream, limits);
}
template <typename T, typename>
T load(const ContextOf<T>& context, std::span<const std::byte> bytes, const LoadLimits& limits) {
  return rlwe::load_object_from<T>(context, bytes, limits);
}

template <typename Key, typename>
std::size_t save_secret_key(const ContextOf<Key>& context, const Key& key, std::ostream& stream) {
  using rlwe::encode;
  return public_entry(rlwe::kSaveSecretKey,
                      [&] { return rlwe::save_file(encode(context, key), stream); });
}
template <typename Key, typename>
SecretVector<std::byte> save_secret_key(const ContextOf<Key>& context, const Key& key) {
  using rlwe::encode;
  return public_entry(rlwe::kSaveSecretKey, [&] {
    return rlwe::save_file<SecretVector<std::byte>>(encode(context, key));
  });
}

template <typename Key, typename>
Key load_secret_key(const ContextOf<Key>& context, std::istream& stream) {
  return rlwe::load_object_from<Key>(context, stream);
}
template <typename Key, typename>
Key load_secret_key(const ContextOf<Key>& context, std::span<const std::byte> bytes) {
  return rlwe::load_object_from<Key>(context, bytes);
}

}  // namespace ringlet

#define RINGLET_INSTANTIATE_SAVE(T)                                            \
  template RINGLET_API std::size_t save(const T&, std::ostream&, Compression); \
  template RINGLET_API std::vector<std::byte> save(const T&, Compression);     \
  template RINGLET_API std::size_t save_size(const T&);
#define RINGLET_INSTANTIATE_FILES_OF_PARAMETERS(T)                      \
  RINGLET_INSTANTIATE_SAVE(T)                                           \
  template RINGLET_API T load_parameters(std::istream&, SecurityLevel); \
  template RINGLET_API T load_parameters(std::span<const std::byte>, SecurityLevel);
#define RINGLET_INSTANTIATE_FILES(T)                                                  \
  template <>                                                                         \
  inline constexpr const char* rlwe::kLoad<T> = "load " #T;                           \
  RINGLET_INSTANTIATE_SAVE(T)                                                         \
  template RINGLET_API T load(const ContextOf<T>&, std::istream&, const LoadLimits&); \
  template RINGLET_API T load(const ContextOf<T>&, std::span<const std::byte>, const LoadLimits&);
#define RINGLET_INSTANTIATE_FILES_OF_SECRET_KEY(T)                                                \
  template RINGLET_API std::size_t save_secret_key(const ContextOf<T>&, const T&, std::ostream&); \
  template RINGLET_API SecretVector<std::byte> save_secret_key(const ContextOf<T>&, const T&);    \
  template RINGLET_API T load_secret_key(const ContextOf<T>&, std::istream&);                     \
  template RINGLET_API T load_secret_key(const ContextOf<T>&, std::span<const std::byte>);
