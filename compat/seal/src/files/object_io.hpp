// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ios>
#include <istream>
#include <limits>
#include <ostream>
#include <string>
#include <utility>

#include "ringlet/base/error.hpp"
#include "seal/context.h"
#include "seal/encryptionparams.h"
#include "seal/serialization.h"

// The common parts of saving and loading for all objects.

namespace ringlet::seal4 {
class Plaintext;
}

namespace ringlet::seal4::detail {

inline constexpr std::size_t kHeaderBytes = Serialization::seal_header_size;

/// Throws std::logic_error, as SEAL does, for bad data in a load.
[[noreturn]] inline void throw_bad_data(const char* operation, const std::string& offending,
                                        const char* limit) {
  throw_logic_error({operation, offending, limit,
                     "load an unchanged object that was saved for the same encryption parameters"});
}

inline void require_parameters(const char* operation, const SEALContext& context) {
  if (context.parameters_set()) return;
  throw_invalid_argument(
      {operation, std::string("a context with ") + context.parameter_error_name(),
       "a context whose parameters are valid", "check SEALContext::parameters_set() first"});
}

/// Whether `poly_count` RNS polynomials, contiguous, are reduced modulo the primes of a level of
/// the context. Constant time in the words.
bool are_words_reduced(const SEALContext& context, const parms_id_type& parms_id,
                       const std::uint64_t* words, std::size_t poly_count);

/// Returns the bytes of header and members in a mode.
inline std::streamoff object_size(std::size_t members, compr_mode_type mode) {
  const std::size_t stored = Serialization::ComprSizeEstimate(members, mode);
  if (stored >
      static_cast<std::size_t>(std::numeric_limits<std::streamoff>::max()) - kHeaderBytes) {
    throw_logic_error({"save_size", std::to_string(stored) + " bytes", "sizes below 2^63",
                       "save a smaller object"});
  }
  return static_cast<std::streamoff>(kHeaderBytes + stored);
}

/// Returns the bytes of an array object with `count` words.
inline std::size_t array_size(std::size_t count) { return kHeaderBytes + 8 + 8 * count; }

inline void write_parms_id(std::ostream& stream, const parms_id_type& parms_id) {
  detail::write_values(stream, parms_id.data(), parms_id.size(), 8);
}
/// Writes the object of an array: header, count, words.
inline void write_array(std::ostream& stream, const std::uint64_t* words, std::size_t count,
                        bool secret) {
  const auto members = [&](std::ostream& out) {
    detail::write_value(out, std::uint64_t{count});
    detail::write_values(out, words, count, 8);
  };
  Serialization::Save(members, object_size(8 + 8 * count, compr_mode_type::none), stream,
                      compr_mode_type::none, secret);
}

inline parms_id_type read_parms_id(std::istream& stream) {
  parms_id_type parms_id{};
  detail::read_values(stream, parms_id.data(), parms_id.size(), 8);
  return parms_id;
}
/// Reads the object of an array with at most `bound` words. `destination` receives the number of
/// words; it throws, or returns where the words go.
inline void read_array(std::istream& stream, std::size_t bound, bool secret,
                       const std::function<std::uint64_t*(std::uint64_t)>& destination) {
  const auto members = [&](std::istream& in, SEALVersion) {
    const auto count = detail::read_value<std::uint64_t>(in);
    std::uint64_t* words = destination(count);
    detail::read_values(in, words, static_cast<std::size_t>(count), 8);
  };
  Serialization::Load(members, stream, secret, array_size(bound));
}

// The bodies of Saved, Loaded and LoadedAlone, for the file that instantiates them for a class T.
// That file defines, in this namespace:
//   members_size(object)                               bytes of the members
//   write_members(object, stream)                      writes them
//   load_to(target, context, check_words, input...)    all of Loaded, or load_to(target, input...);
//                                                      the input is a stream, or a buffer and its
//                                                      size

/// Whether buffers are wiped.
template <class T>
inline constexpr bool kIsSecret = false;

template <class T, class... Output>
std::streamoff save_to(const T& object, compr_mode_type compr_mode, Output&&... output) {
  return Serialization::Save([&object](std::ostream& out) { write_members(object, out); },
                             object.save_size(compr_mode_type::none),
                             std::forward<Output>(output)..., compr_mode, kIsSecret<T>);
}

template <class T>
std::streamoff Saved<T>::save_size(compr_mode_type compr_mode) const {
  return object_size(members_size(static_cast<const T&>(*this)), compr_mode);
}
template <class T>
std::streamoff Saved<T>::save(std::ostream& stream, compr_mode_type compr_mode) const {
  return save_to(static_cast<const T&>(*this), compr_mode, stream);
}
template <class T>
std::streamoff Saved<T>::save(seal_byte* out, std::size_t size, compr_mode_type compr_mode) const {
  return save_to(static_cast<const T&>(*this), compr_mode, out, size);
}

template <class T>
std::streamoff Loaded<T>::load(const SEALContext& context, std::istream& stream) {
  return load_to(static_cast<T&>(*this), context, true, stream);
}
template <class T>
std::streamoff Loaded<T>::load(const SEALContext& context, const seal_byte* in, std::size_t size) {
  return load_to(static_cast<T&>(*this), context, true, in, size);
}
template <class T>
std::streamoff Loaded<T>::unsafe_load(const SEALContext& context, std::istream& stream) {
  return load_to(static_cast<T&>(*this), context, false, stream);
}
template <class T>
std::streamoff Loaded<T>::unsafe_load(const SEALContext& context, const seal_byte* in,
                                      std::size_t size) {
  return load_to(static_cast<T&>(*this), context, false, in, size);
}

template <class T>
std::streamoff LoadedAlone<T>::load(std::istream& stream) {
  return load_to(static_cast<T&>(*this), stream);
}
template <class T>
std::streamoff LoadedAlone<T>::load(const seal_byte* in, std::size_t size) {
  return load_to(static_cast<T&>(*this), in, size);
}

// Instances that files of other classes use.
extern template class Loaded<Plaintext>;
extern template class Saved<UniformRandomGeneratorInfo>;
extern template class LoadedAlone<UniformRandomGeneratorInfo>;

}  // namespace ringlet::seal4::detail
