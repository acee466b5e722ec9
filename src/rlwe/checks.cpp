// SPDX-License-Identifier: Apache-2.0
#include "rlwe/checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/text.hpp"
#include "ringlet/error.hpp"

namespace ringlet::rlwe {
namespace {

constexpr const char* kOneContext =
    "use keys, plaintexts and ciphertexts of one context and its levels";

template <typename T>
std::string describe_any(const Context& context, const T& operand) {
  const ContextData* level = context.get_context_data(operand.parms_id());
  const std::string where = level == nullptr ? std::string("no level of this context")
                                             : concat("chain index ", level->chain_index());
  return concat(where, ", ", describe_scale(operand.scale()));
}

template <typename T>
const ContextData& check_any(const Context& context, const T& operand, bool empty, const char* name,
                             const char* operation) {
  if (empty) {
    throw_invalid_argument({.operation = operation,
                            .offending = concat(name, " is empty"),
                            .limit = "an operand that holds data",
                            .remedy = "encode or encrypt into it first"});
  }
  const ContextData& level = check_data_level(context, operand.parms_id(), operation);
  if (!operand.is_ntt_form()) {
    throw_invalid_argument({.operation = operation,
                            .offending = concat(name, " is in coefficient form"),
                            .limit = "NTT form, the native form of ckks",
                            .remedy = "transform it first"});
  }
  if (!(std::isnormal(operand.scale()) && operand.scale() > 0)) {
    throw_invalid_argument({.operation = operation,
                            .offending = concat(name, " has scale ", operand.scale()),
                            .limit = "positive normal numbers",
                            .remedy = "set scale() to the scale it was encoded with"});
  }
  return level;
}

}  // namespace

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
  return describe_any(context, plain);
}

const ContextData& check_data_level(const Context& context, const ParmsId& parms_id,
                                    const char* operation) {
  const ContextData* level = context.get_context_data(parms_id);
  if (level == nullptr) {
    throw_invalid_argument(
        {.operation = operation,
         .offending = concat("parms_id ", to_string(parms_id), " is no level of this context"),
         .limit =
             concat("the levels of the context with key level ", to_string(context.key_parms_id())),
         .remedy = kOneContext});
  }
  if (level->chain_index() > context.first_context_data()->chain_index()) {
    throw_invalid_argument(
        {.operation = operation,
         .offending = concat("chain index ", level->chain_index(), ", the key level"),
         .limit =
             concat("data levels, chain index 0 to ", context.first_context_data()->chain_index()),
         .remedy = "start at first_parms_id()"});
  }
  return *level;
}

const ContextData& check_operand(const Context& context, const Ciphertext& encrypted,
                                 const char* name, const char* operation) {
  return check_any(context, encrypted, encrypted.size() < kMinCiphertextSize, name, operation);
}

const ContextData& check_operand(const Context& context, const Plaintext& plain, const char* name,
                                 const char* operation) {
  return check_any(context, plain, plain.empty(), name, operation);
}

bool scales_match(double a, double b) noexcept {
  return std::abs(a - b) < std::ldexp(std::max({std::abs(a), std::abs(b), 1.0}), -52);
}

void check_key(const Context& context, const ParmsId& key_parms_id, const char* name,
               const char* operation) {
  if (key_parms_id == context.key_parms_id()) return;
  throw_invalid_argument({.operation = operation,
                          .offending = key_parms_id == kParmsIdZero
                                           ? concat(name, " is empty")
                                           : concat(name, " of parms_id ", to_string(key_parms_id)),
                          .limit = concat("a key at the key level of this context, parms_id ",
                                          to_string(context.key_parms_id())),
                          .remedy = "make the key with a KeyGenerator of the same parameters"});
}

void check_form(Form form, Form wanted, bool has_data, const char* operation) {
  if (!has_data) {
    throw_logic_error({.operation = operation,
                       .offending = "there is no polynomial",
                       .limit = "an object that holds data",
                       .remedy = "encode or encrypt into it first"});
  }
  if (form != wanted) {
    const bool is_ntt = form == Form::ntt;
    throw_logic_error({.operation = operation,
                       .offending = is_ntt ? "NTT form" : "coefficient form",
                       .limit = is_ntt ? "coefficient form" : "NTT form",
                       .remedy = "ask is_ntt_form() first"});
  }
}

void throw_level_mismatch(const std::string& a, const std::string& b, const char* operation) {
  throw_invalid_argument({.operation = operation,
                          .offending = concat("operands at different levels: ", a, " and ", b),
                          .limit = "the same level",
                          .remedy = "bring the higher one down with mod_switch_to"});
}

void throw_scale_mismatch(const std::string& a, const std::string& b, const char* operation) {
  throw_invalid_argument(
      {.operation = operation,
       .offending = concat("operands of different scales: ", a, " and ", b),
       .limit = "equal scales",
       .remedy = "rescale one of them, encode with the other's scale, or set scale() where the "
                 "small difference is meant"});
}

}  // namespace ringlet::rlwe
