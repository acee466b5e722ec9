// SPDX-License-Identifier: Apache-2.0
#include "rlwe/checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "rlwe/scheme_traits.hpp"

namespace ringlet::rlwe {
namespace {

constexpr const char* kOneContext =
    "use keys, plaintexts and ciphertexts of the same context and its levels";

template <typename T>
std::string describe_any(const Context& context, const T& operand) {
  const ContextData* level = context.get_context_data(operand.parms_id());
  const std::string where = level == nullptr ? std::string("no level of this context")
                                             : concat("level ", level->chain_index());
  return concat(where, ", ", describe_scale(operand.scale()));
}

void check_not_empty(bool empty, const char* name) {
  if (!empty) return;
  refuse(concat("empty ", name), "an operand that holds data", "encode or encrypt into it first");
}

void check_scale(const Context& context, const ContextData& level, double scale, const char* name) {
  if (traits_of(context.scheme()).has_scale) {
    const int bits = level.total_coeff_modulus_bit_count();
    if (std::isnormal(scale) && scale > 0 && std::ilogb(scale) < bits) return;
    refuse(concat(name, " has scale ", scale),
           concat("positive normal numbers below 2^", bits, ", the size of the level's modulus"),
           "set the scale with which the message was encoded");
  }
  if (scale == 1.0) return;
  refuse(concat(name, " has scale ", scale),
         concat("scale 1, the scale of all messages of scheme ", to_string(context.scheme())),
         "keep the scale at 1 in this scheme");
}

void check_correction_factor(const Context& context, std::uint64_t factor, const char* name) {
  const bool has_factor = traits_of(context.scheme()).noise_is_multiple_of_t;
  const std::uint64_t end = has_factor ? context.plain_modulus().value() : 2;
  if (factor >= 1 && factor < end && (!has_factor || std::gcd(factor, end) == 1)) return;
  refuse(concat(name, " has correction factor ", factor),
         has_factor ? concat("from 1 to t - 1 = ", end - 1, ", coprime to t") : "1",
         "keep the correction factor that the last operation set");
}

[[noreturn]] void refuse_form(const Context& context, const char* name, Form form, Form wanted) {
  const char* found = form == Form::ntt ? "NTT form" : "coefficient form";
  const char* expected = wanted == Form::ntt ? "NTT form" : "coefficient form";
  refuse(concat(name, " is in ", found),
         concat(expected, ", the native form of ", to_string(context.scheme())),
         concat("transform it to ", expected, " first"));
}

std::string start_of(std::uint64_t id) {
  char text[32];
  std::snprintf(text, sizeof(text), "%016llx...", static_cast<unsigned long long>(id));
  return text;
}

bool is_negacyclic(const RingSpec& ring) noexcept {
  return ring.kind() == RingKind::power_of_two_cyclotomic;
}

}  // namespace

std::string describe_ring(const RingSpec& ring) {
  return is_negacyclic(ring) ? concat("the ring X^N + 1 with N = ", ring.degree())
                             : concat("the ring Z[X]/Phi_m with m = ", ring.cyclotomic_index());
}

std::string describe_galois_elements(const RingSpec& ring) {
  return is_negacyclic(ring) ? concat("odd and below 2N = ", ring.cyclotomic_index())
                             : concat("coprime to m = ", ring.cyclotomic_index(), " and below it");
}

const char* galois_element_source(const RingSpec& ring) noexcept {
  return is_negacyclic(ring) ? "pass the Galois element of a rotation by a number of steps"
                             : "pass the Galois element of a rotation of the slots";
}

std::string describe_scale(double scale) {
  std::string text = concat("scale ", scale);
  if (std::isnormal(scale) && scale > 0) {
    char exponent[32];
    std::snprintf(exponent, sizeof(exponent), " (2^%.6g)", std::log2(scale));
    text += exponent;
  }
  return text;
}

std::string describe(const Context& context, const Ciphertext& encrypted) {
  return describe_any(context, encrypted);
}

std::string describe(const Context& context, const Plaintext& plain) {
  if (plain.is_ntt_form()) return describe_any(context, plain);
  return concat("coefficient form, ", plain.coeff_count(), " coefficients, ",
                describe_scale(plain.scale()));
}

const ContextData& check_data_level(const Context& context, const ParmsId& parms_id) {
  const ContextData* level = context.get_context_data(parms_id);
  if (level == nullptr) {
    refuse(concat("identifier ", describe(parms_id), " is not a level of this context"),
           concat("the levels of ", describe(context)), kOneContext);
  }
  if (level->chain_index() > context.first_context_data()->chain_index()) {
    refuse(concat("level ", level->chain_index(), ", the key level"),
           concat("data levels, 0 to ", context.first_context_data()->chain_index()),
           "pass an object at a data level");
  }
  return *level;
}

const ContextData& check_ciphertext(const Context& context, const Ciphertext& encrypted,
                                    const char* name) {
  check_not_empty(encrypted.size() < kMinCiphertextSize, name);
  if (encrypted.is_vacant()) {
    refuse(concat("a vacant place as ", name), "ciphertexts whose words have been written",
           "write the words first, or pass the place as the destination");
  }
  const ContextData& level = check_data_level(context, encrypted.parms_id());
  check_scale(context, level, encrypted.scale(), name);
  check_correction_factor(context, encrypted.correction_factor(), name);
  return level;
}

const ContextData& check_operand(const Context& context, const Ciphertext& encrypted,
                                 const char* name) {
  const ContextData& level = check_ciphertext(context, encrypted, name);
  if (encrypted.form() != context.ciphertext_form()) {
    refuse_form(context, name, encrypted.form(), context.ciphertext_form());
  }
  return level;
}

const ContextData& check_operand(const Context& context, const Plaintext& plain, const char* name) {
  check_not_empty(plain.empty(), name);
  if (!plain.is_ntt_form()) refuse_form(context, name, plain.form(), Form::ntt);
  const ContextData& level = check_data_level(context, plain.parms_id());
  check_scale(context, level, plain.scale(), name);
  return level;
}

void check_same_form(const Ciphertext& a, const Ciphertext& b) {
  if (a.form() == b.form()) return;
  refuse(concat("operands of different form: the first is in ",
                a.is_ntt_form() ? "NTT" : "coefficient", " form, the second is not"),
         "operands that are both in NTT form or both in coefficient form", "transform one operand");
}

bool scales_match(double a, double b) noexcept {
  return std::abs(a - b) < std::ldexp(std::max(std::abs(a), std::abs(b)), -52);
}

void check_key(const Context& context, const ParmsId& key_parms_id, const char* name) {
  if (key_parms_id == context.key_parms_id()) return;
  refuse(key_parms_id == kParmsIdZero ? concat("empty ", name)
                                      : concat(name, " of identifier ", describe(key_parms_id)),
         concat("a key of ", describe(context)),
         "make the key with a key generator of the same parameters");
}

std::string describe(const ParmsId& id) { return start_of(id[0]); }

std::string describe(const Context& context) {
  const RingSpec ring = context.ring();
  std::string text = concat(to_string(context.scheme()), is_negacyclic(ring) ? ", N = " : ", m = ",
                            is_negacyclic(ring) ? ring.degree() : ring.cyclotomic_index());
  const char* separator = ", primes of ";
  for (const Modulus& q : context.key_context_data()->coeff_modulus()) {
    text += concat(separator, q.bit_count());
    separator = ", ";
  }
  return concat(text, " bits (identifier ", describe(context.key_parms_id()), ")");
}

std::string describe(const KeyId& id) {
  return id == kKeyIdUnknown ? std::string("(unknown)") : start_of(id[0]);
}

void check_key_id(const KeyId& a, const char* name_of_a, const KeyId& b, const char* name_of_b) {
  if (a == b || a == kKeyIdUnknown || b == kKeyIdUnknown) return;
  refuse(concat(name_of_a, " belongs to secret key ", describe(a), ", ", name_of_b, " to ",
                describe(b)),
         "both under the same secret key",
         "use keys and ciphertexts that belong to the same secret key");
}

void check_same_key(const Ciphertext& a, const Ciphertext& b) {
  check_key_id(a.key_id(), "the first operand", b.key_id(), "the second");
}

void check_form(Form form, Form wanted, bool has_data) {
  if (!has_data) {
    refuse<LogicError>("there is no polynomial", "an object that holds data",
                       "encode or encrypt into it first");
  }
  if (form != wanted) {
    const bool is_ntt = form == Form::ntt;
    refuse<LogicError>(is_ntt ? "the object is in NTT form" : "the object is in coefficient form",
                       is_ntt ? "coefficient form" : "NTT form",
                       "check the form first, or transform the object");
  }
}

void refuse_level() {
  refuse("operands at different levels", "the same level",
         "bring the higher operand down with mod_switch_to");
}

void refuse_scale(const std::string& which) {
  refuse(concat("operands of different scales", which), "equal scales",
         "rescale one of them, encode with the other's scale, or set one scale to the other if the "
         "small difference is acceptable");
}

void throw_transparent() {
  refuse<LogicError>(
      "a transparent result: its polynomials 1 and up are all zero",
      "results that only the secret key can decrypt",
      "do not subtract a ciphertext from itself or multiply it by zero; to get zero, encrypt it");
}

}  // namespace ringlet::rlwe
