// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frame_streams.hpp"
#include "seal/serialization.h"
#include "seal_objects.hpp"
#include "support/test.hpp"

// What the files of every kind of object have in common: T is a class with save, load, unsafe_load
// and save_size.

namespace ringlet::test {

inline constexpr seal::compr_mode_type kModes[] = {seal::compr_mode_type::none,
                                                   seal::compr_mode_type::zstd};

/// Whether a call throws one of the three types that loading may throw. Anything else, such as
/// std::bad_alloc, is not caught.
inline bool is_refused(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::logic_error&) {
    return true;
  } catch (const std::runtime_error&) {
    return true;
  }
  return false;
}

template <typename T>
T loaded(const seal::SEALContext& context, const Bytes& file) {
  T result;
  result.load(context, file.data(), file.size());
  return result;
}

/// Both modes, both kinds of input and output: the sizes are those that were announced, and what
/// comes back is what went in.
template <typename T>
void expect_round_trips(const seal::SEALContext& context, const T& object) {
  for (const seal::compr_mode_type mode : kModes) {
    SCOPED_TRACE(static_cast<int>(mode));
    const Bytes file = saved(object, mode);
    const auto size = static_cast<std::streamoff>(file.size());
    if (mode == seal::compr_mode_type::none) {
      EXPECT_EQ(object.save_size(mode), size);
    } else {
      EXPECT_GE(object.save_size(mode), size);
    }
    Bytes buffer(file.size());
    EXPECT_EQ(object.save(buffer.data(), buffer.size(), mode), size);
    EXPECT_EQ(buffer, file);

    T from_buffer;
    EXPECT_EQ(from_buffer.load(context, file.data(), file.size()), size);
    EXPECT_TRUE(same(from_buffer, object));
    T from_stream;
    std::istringstream stream(as_text(file), std::ios::binary);
    EXPECT_EQ(from_stream.load(context, stream), size);
    EXPECT_TRUE(same(from_stream, object));
    T unsafe;
    EXPECT_EQ(unsafe.unsafe_load(context, file.data(), file.size()), size);
    EXPECT_TRUE(same(unsafe, object));
    Pipe pipe(as_text(file) + "rest");
    std::istream unseekable(&pipe);
    T from_pipe;
    EXPECT_EQ(from_pipe.load(context, unseekable), size);
    EXPECT_TRUE(same(from_pipe, object));
    EXPECT_EQ(pipe.position(), file.size());
    std::istringstream unsafe_stream(as_text(file), std::ios::binary);
    T from_unsafe_stream;
    EXPECT_EQ(from_unsafe_stream.unsafe_load(context, unsafe_stream), size);
    EXPECT_TRUE(same(from_unsafe_stream, object));
  }
}

/// Objects follow each other in one stream or buffer, with other data behind them.
template <typename T>
void expect_leaves_the_stream_behind_itself(const seal::SEALContext& context, const T& object) {
  std::stringstream stream(std::ios::in | std::ios::out | std::ios::binary);
  object.save(stream, seal::compr_mode_type::zstd);
  object.save(stream, seal::compr_mode_type::none);
  object.save(stream, seal::compr_mode_type::zstd);
  stream << "rest";
  std::streamoff consumed = 0;
  for (int i = 0; i < 3; ++i) {
    T next;
    consumed += next.load(context, stream);
    EXPECT_TRUE(same(next, object)) << i;
    EXPECT_EQ(stream.tellg(), consumed) << i;
  }
  std::string rest;
  stream >> rest;
  EXPECT_EQ(rest, "rest");

  for (const seal::compr_mode_type mode : kModes) {
    Bytes file = saved(object, mode);
    const auto size = static_cast<std::streamoff>(file.size());
    file.resize(file.size() + 9, std::byte{0x5E});
    T next;
    EXPECT_EQ(next.load(context, file.data(), file.size()), size);
    EXPECT_TRUE(same(next, object));
  }
}

/// Null and short buffers, full buffers, failing streams, unknown modes, contexts without valid
/// parameters.
template <typename T>
void expect_calls_are_checked(const seal::SEALContext& context, const T& object) {
  const Bytes file = saved(object);
  T target(object);
  const auto unchanged = [&] { return same(target, object); };
  EXPECT_THROW(target.load(context, nullptr, file.size()), std::invalid_argument);
  EXPECT_THROW(target.unsafe_load(context, nullptr, file.size()), std::invalid_argument);
  for (const std::size_t size : {0, 1, 15}) {
    EXPECT_THROW(target.load(context, file.data(), size), std::invalid_argument) << size;
  }
  std::istringstream empty;
  EXPECT_THROW(target.load(context, empty), std::runtime_error);
  EXPECT_TRUE(unchanged());

  Bytes buffer(file.size());
  constexpr auto kNone = seal::compr_mode_type::none;
  EXPECT_THROW(object.save(nullptr, buffer.size(), kNone), std::invalid_argument);
  EXPECT_THROW(object.save(buffer.data(), 15, kNone), std::invalid_argument);
  EXPECT_THROW(object.save(buffer.data(), 16, kNone), std::runtime_error);
  EXPECT_THROW(object.save(buffer.data(), buffer.size() - 1, kNone), std::runtime_error);
  std::ostringstream broken;
  broken.setstate(std::ios::badbit);
  EXPECT_THROW(object.save(broken, kNone), std::runtime_error);
  for (const int mode : {1, 3, 255}) {
    const auto unknown = static_cast<seal::compr_mode_type>(mode);
    std::ostringstream stream;
    EXPECT_THROW(object.save(stream, unknown), std::invalid_argument) << mode;
    EXPECT_THROW(object.save(buffer.data(), buffer.size(), unknown), std::invalid_argument) << mode;
    EXPECT_THROW(static_cast<void>(object.save_size(unknown)), std::invalid_argument) << mode;
  }

  seal::EncryptionParameters parms = context.key_context_data()->parms();
  parms.set_poly_modulus_degree(12);
  const seal::SEALContext refused(parms, true, seal::sec_level_type::none);
  EXPECT_THROW(target.load(refused, file.data(), file.size()), std::invalid_argument);
  EXPECT_THROW(target.unsafe_load(refused, file.data(), file.size()), std::invalid_argument);
  const seal::SEALContext foreign(
      small_parameters(parms.scheme() == seal::scheme_type::bfv ? seal::scheme_type::bgv
                                                                : seal::scheme_type::bfv),
      true, seal::sec_level_type::none);
  if (object.parms_id() != seal::parms_id_zero) {
    EXPECT_THROW(target.load(foreign, file.data(), file.size()), std::logic_error);
    EXPECT_THROW(target.unsafe_load(foreign, file.data(), file.size()), std::logic_error);
  }
  EXPECT_TRUE(unchanged());
}

/// Files that end too early, at every byte, are refused by every way of loading: by the size in the
/// header where the end of the input can be known, and when the input ends where it cannot.
template <typename T>
void expect_truncations_are_refused(const seal::SEALContext& context, const T& object) {
  for (const seal::compr_mode_type mode : kModes) {
    const Bytes file = saved(object, mode);
    T target(object);
    for (std::size_t size = 0; size < file.size(); ++size) {
      // A copy of its own, so that reading beyond it is seen.
      const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_THROW(target.load(context, cut.data(), cut.size()), std::invalid_argument) << size;
      std::istringstream stream(as_text(cut), std::ios::binary);
      if (size < 16) {
        EXPECT_THROW(target.load(context, stream), std::runtime_error) << size;
      } else {
        EXPECT_THROW(target.load(context, stream), std::invalid_argument) << size;
      }
      Pipe pipe(as_text(cut));
      std::istream unseekable(&pipe);
      EXPECT_THROW(target.load(context, unseekable), std::runtime_error) << size;
    }
    EXPECT_TRUE(same(target, object));
  }
}

/// Every flipped bit is refused, or gives an object that is valid; what was refused changes
/// nothing.
template <typename T>
void expect_flipped_bits_are_harmless(const seal::SEALContext& context, const T& object) {
  for (const seal::compr_mode_type mode : kModes) {
    Bytes file = saved(object, mode);
    std::size_t refused = 0;
    for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
      const auto mask = static_cast<std::byte>(1U << (bit % 8));
      file[bit / 8] ^= mask;
      T target(object);
      if (is_refused([&] { target.load(context, file.data(), file.size()); })) {
        ++refused;
        EXPECT_TRUE(same(target, object)) << "bit " << bit;
      } else {
        EXPECT_TRUE(is_valid_for(target, context)) << "bit " << bit;
      }
      file[bit / 8] ^= mask;
    }
    EXPECT_GT(refused, 8 * std::size_t{16}) << "every bit of a header, and more";
  }
}

template <typename T>
void expect_sound_files(const seal::SEALContext& context, const T& object) {
  ASSERT_TRUE(is_valid_for(object, context));
  expect_round_trips(context, object);
  expect_leaves_the_stream_behind_itself(context, object);
  expect_calls_are_checked(context, object);
  expect_truncations_are_refused(context, object);
  expect_flipped_bits_are_harmless(context, object);
}

}  // namespace ringlet::test
