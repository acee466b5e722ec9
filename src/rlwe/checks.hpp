// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ringlet/ring/storage.hpp"
#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/parameters.hpp"
#include "ringlet/rlwe/plaintext.hpp"

// Checks of metadata that encryption, decryption and evaluation share. All throw InvalidArgument
// without a name, which the public call adds with level and scale of its operands, before anything
// is changed. They read metadata alone, never residues.

namespace ringlet::rlwe {

/// "chain index 2, scale 2^40.000000" for messages; "no level of this context" for an unknown one.
std::string describe(const Context& context, const Ciphertext& encrypted);
std::string describe(const Context& context, const Plaintext& plain);
std::string describe_scale(double scale);
/// "the ring Z[X]/Phi_m with m = 105", or "X^N + 1 with N = 8192".
std::string describe_ring(const RingSpec& ring);
/// Which Galois elements a ring has, and where to take them from.
std::string describe_galois_elements(const RingSpec& ring);
const char* galois_element_source(const RingSpec& ring) noexcept;

/// The data level with that identifier: not the key level, unless there is only one prime.
const ContextData& check_data_level(const Context& context, const ParmsId& parms_id);

/// The level of a ciphertext that is fit for this context in either form: not empty, known data
/// level, a scale and a correction factor that the scheme has. `name` is what the message calls it.
const ContextData& check_ciphertext(const Context& context, const Ciphertext& encrypted,
                                    const char* name);
/// The same, and in the native form of the scheme.
const ContextData& check_operand(const Context& context, const Ciphertext& encrypted,
                                 const char* name);
/// The level of a plaintext in NTT form: not empty, known data level, a scale that the scheme has.
const ContextData& check_operand(const Context& context, const Plaintext& plain, const char* name);
/// Both operands (already checked one by one) are in one form.
void check_same_form(const Ciphertext& a, const Ciphertext& b);

[[noreturn]] void refuse_level();
/// `which` follows "operands of different scales" in the message.
[[noreturn]] void refuse_scale(const std::string& which);

/// True if two scales differ by about one unit in the last place at most:
/// |a - b| < 2^-52 * max(|a|, |b|).
bool scales_match(double a, double b) noexcept;

/// Both operands (already checked one by one) are at the same level.
template <typename A, typename B>
void check_same_level(const A& a, const B& b) {
  if (a.parms_id() != b.parms_id()) refuse_level();
}
/// The same for scales.
template <typename A, typename B>
void check_same_scale(const A& a, const B& b) {
  if (!scales_match(a.scale(), b.scale())) refuse_scale("");
}

/// A key with this identifier belongs to the key level of the context; `name` such as "public key".
void check_key(const Context& context, const ParmsId& key_parms_id, const char* name);

/// "3f2a91c07b1e44d0...", the start of an identifier.
std::string describe(const ParmsId& id);
/// "ckks, N = 4096, primes of 35, 35, 36 bits (parms_id 3f2a91c07b1e44d0...)".
std::string describe(const Context& context);
/// The start of an identifier, or "(unknown)".
std::string describe(const KeyId& id);
/// Two things of one secret key, or of one that is unknown; what the message calls them.
void check_key_id(const KeyId& a, const char* name_of_a, const KeyId& b, const char* name_of_b);
/// The same, of ciphertexts.
void check_same_key(const Ciphertext& a, const Ciphertext& b);
/// The identifier of what is computed from both, which check_same_key has passed.
inline const KeyId& common_key(const KeyId& a, const KeyId& b) noexcept {
  return a == kKeyIdUnknown ? b : a;
}

/// A view is asked for in the form that the polynomial has.
/// @throws LogicError otherwise.
void check_form(Form form, Form wanted, bool has_data);

/// @throws LogicError: the message of transparent results.
[[noreturn]] void throw_transparent();

}  // namespace ringlet::rlwe
