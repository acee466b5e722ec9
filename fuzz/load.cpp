// SPDX-License-Identifier: Apache-2.0
// Loads any bytes, with correct checksums. The first byte chooses scheme and type.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ringlet/ringlet.hpp"
#include "support/ringlet_files.hpp"

namespace {

using namespace ringlet;

Context make_context(SchemeType scheme) {
  constexpr std::size_t kDegree = 4;
  EncryptionParameters parms(scheme);
  parms.set_poly_modulus_degree(kDegree);
  parms.set_coeff_modulus(CoeffModulus::create(kDegree, {36, 40, 49}));
  if (scheme != SchemeType::ckks) parms.set_plain_modulus(PlainModulus::batching(kDegree, 14));
  return Context(parms, SecurityLevel::none);
}

const Context& context_of(unsigned choice) {
  static const std::vector<Context> contexts{
      make_context(SchemeType::bfv), make_context(SchemeType::ckks), make_context(SchemeType::bgv)};
  return contexts[choice % contexts.size()];
}

void load_as(unsigned type, const Context& context, const std::vector<std::byte>& file) {
  switch (type) {
    case 0:
      load_parameters(file, SecurityLevel::none);
      break;
    case 1:
      load<Plaintext>(context, file);
      break;
    case 2:
      load<Ciphertext>(context, file);
      break;
    case 3:
      load<PublicKey>(context, file);
      break;
    case 4:
      load<RelinKeys>(context, file);
      break;
    case 5:
      load<GaloisKeys>(context, file);
      break;
    case 6: {
      const GaloisKeys keys =
          open_galois_keys(context, std::make_shared<const std::vector<std::byte>>(file));
      for (const std::uint64_t element : keys.galois_elements()) (void)keys.key(element);
      break;
    }
    default:
      load_secret_key(context, file);
      break;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  std::vector<std::byte> file(bytes + 1, bytes + size);
  test::mend(file);
  try {
    load_as(data[0] / 3 % 8, context_of(data[0]), file);
  } catch (const InvalidArgument&) {
  } catch (const RuntimeError&) {
  }
  return 0;
}
