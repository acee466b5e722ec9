// SPDX-License-Identifier: Apache-2.0
#pragma once

// The members with which SEAL's objects are saved and loaded, which are the same for each class.

/// load(target, context, checks, input...) does all of it.
#define RINGLET_SEAL_DEFINE_LOADS(Class, load_to)                                                 \
  std::streamoff Class::load(const SEALContext& context, std::istream& stream) {                  \
    return load_to(*this, context, true, stream);                                                 \
  }                                                                                               \
  std::streamoff Class::load(const SEALContext& context, const seal_byte* in, std::size_t size) { \
    return load_to(*this, context, true, in, size);                                               \
  }                                                                                               \
  std::streamoff Class::unsafe_load(const SEALContext& context, std::istream& stream) {           \
    return load_to(*this, context, false, stream);                                                \
  }                                                                                               \
  std::streamoff Class::unsafe_load(const SEALContext& context, const seal_byte* in,              \
                                    std::size_t size) {                                           \
    return load_to(*this, context, false, in, size);                                              \
  }

/// Those of a class whose files need no context: load(target, input...).
#define RINGLET_SEAL_DEFINE_FREE_LOADS(Class, load_to)                                \
  std::streamoff Class::load(std::istream& stream) { return load_to(*this, stream); } \
  std::streamoff Class::load(const seal_byte* in, std::size_t size) {                 \
    return load_to(*this, in, size);                                                  \
  }

/// write(object, stream) writes members_size(object) bytes; buffers of secret ones are wiped.
#define RINGLET_SEAL_DEFINE_SAVES(Class, members_size, write, is_secret)                         \
  std::streamoff Class::save_size(compr_mode_type compr_mode) const {                            \
    return detail::object_size(members_size(*this), compr_mode);                                 \
  }                                                                                              \
  std::streamoff Class::save(std::ostream& stream, compr_mode_type compr_mode) const {           \
    return Serialization::Save([this](std::ostream& out) { write(*this, out); },                 \
                               save_size(compr_mode_type::none), stream, compr_mode, is_secret); \
  }                                                                                              \
  std::streamoff Class::save(seal_byte* buffer, std::size_t size, compr_mode_type compr_mode)    \
      const {                                                                                    \
    return Serialization::Save([this](std::ostream& out) { write(*this, out); },                 \
                               save_size(compr_mode_type::none), buffer, size, compr_mode,       \
                               is_secret);                                                       \
  }

/// Those of a class that holds one object of another.
#define RINGLET_SEAL_FORWARD_SAVES(Class, member)                                             \
  std::streamoff Class::save_size(compr_mode_type compr_mode) const {                         \
    return member.save_size(compr_mode);                                                      \
  }                                                                                           \
  std::streamoff Class::save(std::ostream& stream, compr_mode_type compr_mode) const {        \
    return member.save(stream, compr_mode);                                                   \
  }                                                                                           \
  std::streamoff Class::save(seal_byte* buffer, std::size_t size, compr_mode_type compr_mode) \
      const {                                                                                 \
    return member.save(buffer, size, compr_mode);                                             \
  }
