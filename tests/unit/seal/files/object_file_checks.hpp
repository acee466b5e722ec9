// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "unit/seal/seal_objects.hpp"

// Checks that files of every kind of object have in common: T is a class with save, load,
// unsafe_load and save_size.

namespace ringlet::test {

/// True if a call throws one of the types that loading may throw. Others, such as std::bad_alloc,
/// pass through.
inline bool is_refused(const std::function<void()>& call) { return thrown_by(call) != "nothing"; }

template <typename T>
T loaded(const SEALContext& context, const Bytes& file) {
  T result;
  result.load(context, file.data(), file.size());
  return result;
}

/// Expects that load and unsafe_load refuse the file and leave their target unchanged.
template <typename T>
void expect_refused(const SEALContext& context, const Bytes& file) {
  T target;
  EXPECT_LOGIC_ERROR(target.load(context, file.data(), file.size()));
  EXPECT_LOGIC_ERROR(target.unsafe_load(context, file.data(), file.size()));
  EXPECT_TRUE(same(target, T()));
}

/// Expects that load refuses the object and unsafe_load accepts it.
template <typename T>
void expect_unsafe_only(const SEALContext& context, const T& object) {
  const Bytes file = saved(object);
  T target;
  EXPECT_LOGIC_ERROR(target.load(context, file.data(), file.size()));
  target.unsafe_load(context, file.data(), file.size());
  EXPECT_TRUE(same(target, object));
}

/// Expects that an object comes back from every kind of input in every mode.
template <typename T>
void expect_round_trips(const SEALContext& context, const T& object) {
  expect_round_trips(object, saved(object), std::vector<T>(1), context);
}

/// Checks null, short and full buffers, failing streams, unknown modes, and contexts without valid
/// parameters.
template <typename T>
void expect_calls_are_checked(const SEALContext& context, const T& object) {
  const Bytes file = saved(object);
  T target(object);
  EXPECT_INVALID_ARGUMENT(target.load(context, nullptr, file.size()));
  EXPECT_INVALID_ARGUMENT(target.unsafe_load(context, nullptr, file.size()));
  std::istringstream empty;
  EXPECT_RUNTIME_ERROR(target.load(context, empty));

  Bytes buffer(file.size());
  constexpr auto kNone = compr_mode_type::none;
  EXPECT_INVALID_ARGUMENT(object.save(nullptr, buffer.size(), kNone));
  EXPECT_INVALID_ARGUMENT(object.save(buffer.data(), 15, kNone));
  EXPECT_RUNTIME_ERROR(object.save(buffer.data(), 16, kNone));
  EXPECT_RUNTIME_ERROR(object.save(buffer.data(), buffer.size() - 1, kNone));
  std::ostringstream broken;
  broken.setstate(std::ios::badbit);
  EXPECT_RUNTIME_ERROR(object.save(broken, kNone));
  for (const int mode : {3, 255}) {
    const auto unknown = static_cast<compr_mode_type>(mode);
    std::ostringstream stream;
    EXPECT_INVALID_ARGUMENT(object.save(stream, unknown)) << mode;
    EXPECT_INVALID_ARGUMENT(object.save(buffer.data(), buffer.size(), unknown)) << mode;
    EXPECT_INVALID_ARGUMENT(object.save_size(unknown)) << mode;
  }

  const scheme_type scheme = context.key_context_data()->parms().scheme();
  const SEALContext invalid = refused_context(scheme);
  EXPECT_INVALID_ARGUMENT(target.load(invalid, file.data(), file.size()));
  EXPECT_INVALID_ARGUMENT(target.unsafe_load(invalid, file.data(), file.size()));
  if (object.parms_id() != parms_id_zero) {
    expect_refused<T>(
        small_context(scheme == scheme_type::bfv ? scheme_type::bgv : scheme_type::bfv), file);
  }
  EXPECT_TRUE(same(target, object));
}

/// Expects that every way of loading refuses files cut at any byte: by the size in the header if
/// the end of the input is known before, else when the input ends.
template <typename T>
void expect_truncations_are_refused(const SEALContext& context, const T& object) {
  for (const compr_mode_type mode : kModes) {
    T target(object);
    for_each_truncation(saved(object, mode), [&](const Bytes& cut) {
      SCOPED_TRACE(cut.size());
      EXPECT_INVALID_ARGUMENT(target.load(context, cut.data(), cut.size()));
      std::istringstream stream(as_text(cut), std::ios::binary);
      EXPECT_THROWN(cut.size() < 16 ? "runtime_error" : "invalid_argument",
                    target.load(context, stream));
      Pipe pipe(as_text(cut));
      std::istream unseekable(&pipe);
      EXPECT_RUNTIME_ERROR(target.load(context, unseekable));
    });
    EXPECT_TRUE(same(target, object));
  }
}

/// Expects that every flipped bit is refused without a change, or gives a valid object.
template <typename T>
void expect_flipped_bits_are_harmless(const SEALContext& context, const T& object,
                                      const Bytes& file) {
  std::size_t refused = 0;
  for_each_flipped_bit(file, [&](const Bytes& flipped) {
    T target(object);
    if (is_refused([&] { target.load(context, flipped.data(), flipped.size()); })) {
      ++refused;
      EXPECT_TRUE(same(target, object));
    } else {
      EXPECT_TRUE(is_valid_for(target, context));
    }
  });
  EXPECT_GT(refused, 8 * std::size_t{16}) << "every bit of a header, and more";
}

template <typename T>
void expect_sound_files(const SEALContext& context, const T& object) {
  ASSERT_TRUE(is_valid_for(object, context));
  expect_round_trips(context, object);
  expect_calls_are_checked(context, object);
  expect_truncations_are_refused(context, object);
  for (const compr_mode_type mode : kModes) {
    expect_flipped_bits_are_harmless(context, object, saved(object, mode));
  }
}

}  // namespace ringlet::test
