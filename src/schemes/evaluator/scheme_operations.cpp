// SPDX-License-Identifier: Apache-2.0
#include "schemes/evaluator/scheme_operations.hpp"

#include "base/text.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet {

Plaintext SchemeOperations::decode_phase(const ContextData&, ResidueView, const Ciphertext&) const {
  throw_logic_error({"SchemeOperations::decode_phase", "a scheme whose messages have a scale",
                     "schemes with a plain modulus",
                     "this is an error of the library: there the phase is the message"});
}

std::unique_ptr<const SchemeOperations> make_scheme_operations(const Context& context) {
  switch (context.scheme()) {
    case SchemeType::bfv:
      return make_bfv_operations(context);
    case SchemeType::bgv:
      return make_bgv_operations(context);
    case SchemeType::ckks:
      return make_ckks_operations(context);
    case SchemeType::none:
      break;
  }
  throw_logic_error({"make_scheme_operations", concat("scheme ", to_string(context.scheme())),
                     "bfv, bgv or ckks",
                     "this is an error of the library: a context has one of these"});
}

}  // namespace ringlet
