// SPDX-License-Identifier: Apache-2.0
#include "native/convert.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "context_level.hpp"
#include "native/access.hpp"
#include "ringlet/base/error.hpp"
#include "seal/valcheck.h"

namespace ringlet::seal4 {

namespace detail {

struct NativeAccess {
  static const ContextLevel& level(const SEALContext::ContextData& data) {
    const ContextLevel& level = *data.level_;
    if (level.native_level == nullptr) {
      throw_invalid_argument({.operation = "SEALContext",
                              .offending = level.qualifiers.parameter_error_message(),
                              .limit = "valid encryption parameters",
                              .remedy = "check parameters_set() before you use the context"});
    }
    return level;
  }
};

}  // namespace detail

const ringlet::Context& native_context(const SEALContext& context) {
  return *detail::NativeAccess::level(*context.key_context_data()).native;
}

const ringlet::ContextData& native_level(const SEALContext::ContextData& level) {
  return *detail::NativeAccess::level(level).native_level;
}

namespace {

using detail::borrow_words;
using detail::copy_limbs;
using detail::level_of;
using Access = detail::CiphertextAccess;
using Words = detail::PlaintextAccess;
using Level = std::shared_ptr<const SEALContext::ContextData>;

/// Operands for reading are const where they are used, so nothing is written through this pointer.
std::uint64_t* readable(const std::uint64_t* words) { return const_cast<std::uint64_t*>(words); }

template <typename T>
void require_valid(const SEALContext& context, const T& in, bool is_metadata_valid,
                   const char* name) {
  if (is_metadata_valid && is_buffer_valid(in)) return;
  throw_invalid_argument({"SEALContext", std::string(name) + " that is not valid for the context",
                          context.parameters_set()
                              ? "objects made with the same encryption parameters"
                              : context.parameter_error_message(),
                          "check the object with is_valid_for(object, context)"});
}

const ringlet::ContextData& native_level_of(const SEALContext& context,
                                            const parms_id_type& parms_id) {
  return native_level(*context.get_context_data(parms_id));
}

/// Gives a plaintext `count` words, in coefficient form, and returns them.
std::uint64_t* words_for(Plaintext& out, std::size_t count) {
  if (count > out.capacity()) {
    out = Plaintext(count, out.pool());
  } else {
    out.parms_id() = parms_id_zero;
    out.resize(count);
  }
  return Words::words(out);
}

ringlet::Plaintext borrow_at_its_level(const SEALContext& context, const Plaintext& in,
                                       std::uint64_t* words) {
  const bool has_scale = context.key_context_data()->parms().scheme() == scheme_type::ckks;
  const ringlet::ContextData* level =
      in.is_ntt_form() ? &native_level_of(context, in.parms_id()) : nullptr;
  return borrow_words(level, has_scale, in, words);
}

}  // namespace

Level detail::level_of(const SEALContext& context, const ringlet::ParmsId& native_id) {
  Level level = context.key_context_data();
  while (level != nullptr && native_level(*level).parms_id() != native_id) {
    level = level->next_context_data();
  }
  if (level != nullptr) return level;
  throw_logic_error({"SEALContext", "a result at a level that the context does not have",
                     "levels of the context's modulus chain",
                     "make the context with expand_mod_chain = true"});
}

ringlet::Ciphertext detail::borrow_words(const ringlet::ContextData& level, const Ciphertext& in,
                                         std::uint64_t* words, Contents contents) {
  if (in.size() == 0) return {};
  ringlet::Ciphertext native = ringlet::Ciphertext::borrow(
      level, in.size(), in.is_ntt_form() ? ringlet::Form::ntt : ringlet::Form::coefficient, words,
      contents);
  native.scale() = in.scale();
  native.correction_factor() = in.correction_factor();
  return native;
}

ringlet::Plaintext detail::borrow_words(const ringlet::ContextData* level, bool has_scale,
                                        const Plaintext& in, std::uint64_t* words) {
  ringlet::Plaintext native = level != nullptr
                                  ? ringlet::Plaintext::borrow(*level, words)
                                  : ringlet::Plaintext::borrow(in.coeff_count(), words);
  native.scale() = has_scale ? in.scale() : 1.0;
  return native;
}

ringlet::Plaintext borrow_native(const SEALContext& context, const Plaintext& in) {
  require_valid(context, in, is_metadata_valid_for(in, context, true), "a plaintext");
  return borrow_at_its_level(context, in, readable(Words::words(in)));
}

ringlet::Ciphertext borrow_native(const SEALContext& context, const Ciphertext& in) {
  require_valid(context, in, is_metadata_valid_for(in, context, true), "a ciphertext");
  return borrow_words(native_level_of(context, in.parms_id()), in,
                      readable(Access::array(in).begin()));
}

ringlet::KSwitchKey borrow_native(const SEALContext& context, const std::vector<PublicKey>& in) {
  std::vector<ringlet::Ciphertext> pairs;
  for (const PublicKey& pair : in) {
    require_valid(context, pair, is_metadata_valid_for(pair, context), "a key-switching key");
    pairs.push_back(borrow_words(native_level_of(context, pair.data().parms_id()), pair.data(),
                                 readable(Access::array(pair.data()).begin())));
  }
  return {native_context(context), std::move(pairs)};
}

void detail::write_words(const SEALContext::ContextData* level, const ringlet::Plaintext& native,
                         Plaintext& out) {
  if (native.is_ntt_form()) {
    const ringlet::ConstNttView poly = native.ntt_view();
    if (poly.data != Words::words(out)) copy_limbs(poly, words_for(out, native.coeff_count()));
    out.parms_id() = level->parms_id();
  } else {
    const std::span<const std::uint64_t> words = native.coefficients();
    if (words.empty() || words.data() != Words::words(out)) {
      std::ranges::copy(words, words_for(out, words.size()));
    }
    out.parms_id() = parms_id_zero;
  }
  out.scale() = native.scale();
}

void detail::write_words(const SEALContext::ContextData& level, const ringlet::Ciphertext& native,
                         Ciphertext& out) {
  if (Access::is_only_on_device(out)) {
    Ciphertext fresh(out.pool());
    write_words(level, native, fresh);
    out = std::move(fresh);
    return;
  }
  if (native.view(0).data != Access::array_for_writing(out).begin()) {
    std::uint64_t* words = Access::reshape(out, level.parms(), native.size());
    for (std::size_t i = 0; i < native.size(); ++i) words = copy_limbs(native.view(i), words);
  }
  out.parms_id() = level.parms_id();
  out.is_ntt_form() = native.is_ntt_form();
  out.scale() = native.scale();
  out.correction_factor() = native.correction_factor();
}

void write_back(const SEALContext& context, const ringlet::Plaintext& native, Plaintext& out) {
  const Level level = native.is_ntt_form() ? level_of(context, native.parms_id()) : nullptr;
  detail::write_words(level.get(), native, out);
}

void write_back(const SEALContext& context, const ringlet::Ciphertext& native, Ciphertext& out) {
  if (native.size() == 0) return out.release();
  detail::write_words(*level_of(context, native.parms_id()), native, out);
}

}  // namespace ringlet::seal4
