// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ringlet/ring/storage.hpp"
#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/parameters.hpp"
#include "ringlet/rlwe/plaintext.hpp"

// Checks of metadata that encryption, decryption and evaluation share. They read metadata alone,
// never residues. All throw InvalidArgument before anything is changed, without a name: the public
// call adds it, with level and scale of its operands.

namespace ringlet::rlwe {

/// Return "chain index 2, scale 2^40.000000", or "no level of this context" for an unknown level.
std::string describe(const Context& context, const Ciphertext& encrypted);
std::string describe(const Context& context, const Plaintext& plain);
std::string describe_scale(double scale);
/// Returns "the ring Z[X]/Phi_m with m = 105", or "X^N + 1 with N = 8192".
std::string describe_ring(const RingSpec& ring);
/// Say for messages which Galois elements a ring has, and where to take them from.
std::string describe_galois_elements(const RingSpec& ring);
const char* galois_element_source(const RingSpec& ring) noexcept;

/// Returns the data level with this identifier: not the key level, unless there is only one prime.
const ContextData& check_data_level(const Context& context, const ParmsId& parms_id);

/// Returns the level of a ciphertext that fits this context, in either form: not empty, at a known
/// data level, with a scale and a correction factor of the scheme. The message calls it `name`.
const ContextData& check_ciphertext(const Context& context, const Ciphertext& encrypted,
                                    const char* name);
/// Does the same, and requires the native form of the scheme.
const ContextData& check_operand(const Context& context, const Ciphertext& encrypted,
                                 const char* name);
/// Returns the level of a plaintext in NTT form: not empty, known data level, a scale of the
/// scheme.
const ContextData& check_operand(const Context& context, const Plaintext& plain, const char* name);
/// Checks that both operands (each checked before) are in one form.
void check_same_form(const Ciphertext& a, const Ciphertext& b);

[[noreturn]] void refuse_level();
/// `which` follows "operands of different scales" in the message.
[[noreturn]] void refuse_scale(const std::string& which);

/// Returns whether two scales differ by about one unit in the last place at most:
/// |a - b| < 2^-52 * max(|a|, |b|).
bool scales_match(double a, double b) noexcept;

/// Checks that both operands (each checked before) are at the same level.
template <typename A, typename B>
void check_same_level(const A& a, const B& b) {
  if (a.parms_id() != b.parms_id()) refuse_level();
}
/// Checks that both operands have the same scale.
template <typename A, typename B>
void check_same_scale(const A& a, const B& b) {
  if (!scales_match(a.scale(), b.scale())) refuse_scale("");
}

/// Checks that a key with this identifier belongs to the key level; `name` such as "public key".
void check_key(const Context& context, const ParmsId& key_parms_id, const char* name);

/// Returns "3f2a91c07b1e44d0...", the start of an identifier.
std::string describe(const ParmsId& id);
/// Returns "ckks, N = 4096, primes of 35, 35, 36 bits (parms_id 3f2a91c07b1e44d0...)".
std::string describe(const Context& context);
/// Returns the start of an identifier, or "(unknown)".
std::string describe(const KeyId& id);
/// Checks that both belong to one secret key, or that a key is unknown. Messages use the names.
void check_key_id(const KeyId& a, const char* name_of_a, const KeyId& b, const char* name_of_b);
/// Checks this for two ciphertexts.
void check_same_key(const Ciphertext& a, const Ciphertext& b);
/// Returns the identifier of what is computed from two operands that check_same_key has passed.
inline const KeyId& common_key(const KeyId& a, const KeyId& b) noexcept {
  return a == kKeyIdUnknown ? b : a;
}

/// Checks that a view is in the form that the polynomial has.
/// @throws LogicError otherwise.
void check_form(Form form, Form wanted, bool has_data);

/// @throws LogicError: the message of transparent results.
[[noreturn]] void throw_transparent();

}  // namespace ringlet::rlwe
