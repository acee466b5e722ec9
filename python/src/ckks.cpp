// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "ckks_state.hpp"
#include "ringlet/decryptor.hpp"
#include "ringlet/error.hpp"
#include "ringlet/key_generator.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace ringlet::python {
namespace {

template <typename Value, std::size_t kCount>
Value parse(const std::array<Value, kCount>& known, const std::string& text, const char* name) {
  std::string names;
  for (const Value value : known) {
    if (text == to_string(value)) return value;
    names += (names.empty() ? "" : ", ") + std::string(to_string(value));
  }
  throw_invalid_argument(
      {"Parameters", std::string(name) + " = '" + text + "'", names, "pass one of these names"});
}

constexpr std::array kSecurityLevels = {SecurityLevel::none, SecurityLevel::tc128,
                                        SecurityLevel::tc192, SecurityLevel::tc256};
constexpr std::array kSecurityTables = {SecurityTable::classical_2024, SecurityTable::quantum_2024,
                                        SecurityTable::he_standard_2018,
                                        SecurityTable::he_standard_2018_quantum};

double parse_scale(const std::optional<Integer>& bits, const std::optional<double>& scale) {
  if (bits.has_value() == scale.has_value()) {
    throw_invalid_argument({"Parameters", bits ? "both scale_bits and scale" : "no scale",
                            "exactly one of scale_bits and scale",
                            "pass for example scale_bits=40"});
  }
  const double value = bits ? std::ldexp(1.0, bits->number("Parameters", "scale_bits")) : *scale;
  if (!std::isnormal(value) || value < 1.0) {
    throw_invalid_argument({"Parameters", "scale = " + std::to_string(value),
                            "a finite number from 1", "pass for example scale_bits=40"});
  }
  return value;
}

CkksParameters make_parameters(const Integer& degree, const std::vector<Integer>& bits,
                               const std::optional<Integer>& scale_bits,
                               const std::optional<double>& scale, const std::string& security,
                               const std::string& table) {
  CkksParameters parameters;
  parameters.scale = parse_scale(scale_bits, scale);
  parameters.level = parse(kSecurityLevels, security, "security");
  parameters.table = parse(kSecurityTables, table, "table");
  const std::size_t n = degree.word("Parameters", "degree");
  std::vector<int> sizes;
  for (const Integer& size : bits) sizes.push_back(size.number("Parameters", "coeff_modulus_bits"));
  parameters.parms.set_poly_modulus_degree(n);
  parameters.parms.set_coeff_modulus(CoeffModulus::create(n, sizes));
  return parameters;
}

std::vector<std::uint64_t> prime_values(const CkksParameters& parameters) {
  const std::vector<Modulus>& primes = parameters.parms.coeff_modulus();
  std::vector<std::uint64_t> values;
  values.reserve(primes.size());
  for (const Modulus& q : primes) values.push_back(q.value());
  return values;
}

std::string describe(const CkksParameters& parameters) {
  std::string bits;
  for (const Modulus& q : parameters.parms.coeff_modulus()) {
    bits += (bits.empty() ? "" : ", ") + std::to_string(q.bit_count());
  }
  return "<ringlet.ckks.Parameters degree=" +
         std::to_string(parameters.parms.poly_modulus_degree()) + " coeff_modulus_bits=[" + bits +
         "] scale=" + scale_text(parameters.scale) + " security=" + to_string(parameters.level) +
         " table=" + to_string(parameters.table) + ">";
}

// The client's side. The key generator holds the secret key; no method gives it away.
class SecretContext {
 public:
  SecretContext(const CkksParameters& parameters, const KernelSelection& kernels)
      : workshop_(std::make_shared<const Workshop>(parameters, kernels, nullptr)),
        generator_(workshop_->context()),
        encryptor_(workshop_->context(), generator_.secret_key()),
        decryptor_(workshop_->context(), generator_.secret_key()) {}

  const SharedWorkshop& workshop() const { return workshop_; }
  const KeyGenerator& generator() const { return generator_; }
  const Decryptor& decryptor() const { return decryptor_; }
  Ciphertext encrypt(const Plaintext& plain) const { return encryptor_.encrypt_symmetric(plain); }

 private:
  SharedWorkshop workshop_;
  KeyGenerator generator_;
  Encryptor encryptor_;
  Decryptor decryptor_;
};

// The server's side: built from a Workshop, in which there is no secret key.
class PublicContext {
 public:
  explicit PublicContext(SharedWorkshop workshop)
      : workshop_(std::move(workshop)),
        encryptor_(std::make_shared<const Encryptor>(
            workshop_->context(), workshop_->keys("PublicContext").encryption)) {}

  const SharedWorkshop& workshop() const { return workshop_; }
  const PublicKeys& keys() const { return *workshop_->shared_keys(); }
  Ciphertext encrypt(const Plaintext& plain) const { return encryptor_->encrypt(plain); }

 private:
  SharedWorkshop workshop_;
  std::shared_ptr<const Encryptor> encryptor_;
};

const ParmsId& chosen_level(const Workshop& workshop, const std::optional<Integer>& level,
                            const char* operation) {
  if (!level) return workshop.context().first_parms_id();
  return workshop.level(level->word(operation, "level"), operation).parms_id();
}

Plaintext encode_object(const Workshop& workshop, nb::handle object,
                        const std::optional<Integer>& level, std::optional<double> scale) {
  const SlotValues values = slot_values(object, "encode");
  const ParmsId target = chosen_level(workshop, level, "encode");
  const nb::gil_scoped_release unlocked;
  return encode(workshop, values, target, scale.value_or(workshop.parameters().scale));
}

template <typename Side>
BoundPlaintext encode_on(const Side& side, nb::handle values, const std::optional<Integer>& level,
                         std::optional<double> scale) {
  return {side.workshop(),
          std::make_shared<const Plaintext>(encode_object(*side.workshop(), values, level, scale))};
}

template <typename Side>
BoundCiphertext encrypt_on(const Side& side, nb::handle values) {
  std::shared_ptr<const Plaintext> plain;
  if (nb::isinstance<BoundPlaintext>(values)) {
    plain = nb::cast<const BoundPlaintext&>(values).value;
  } else {
    plain = std::make_shared<const Plaintext>(
        encode_object(*side.workshop(), values, std::nullopt, std::nullopt));
  }
  const nb::gil_scoped_release unlocked;
  return {side.workshop(), std::make_shared<const Ciphertext>(side.encrypt(*plain))};
}

template <bool kComplex>
nb::object decrypt(const SecretContext& secret, const BoundCiphertext& encrypted) {
  Plaintext plain;
  {
    const nb::gil_scoped_release unlocked;
    plain = secret.decryptor().decrypt(*encrypted.value);
  }
  return decode(*secret.workshop(), plain, kComplex);
}

template <bool kComplex>
nb::object decode_object(const SecretContext& secret, const BoundPlaintext& plain) {
  return decode(*secret.workshop(), *plain.value, kComplex);
}

// Galois elements of the rotations that were asked for; None asks for all that compose any.
std::vector<std::uint64_t> galois_elements(const RingSpec& ring,
                                           const std::optional<std::vector<Integer>>& rotations,
                                           bool conjugation) {
  if (!rotations) return ring.default_galois_elements();
  std::vector<std::uint64_t> elements;
  for (const Integer& rotation : *rotations) {
    const int step = rotation.number("SecretContext.public", "rotations");
    if (step == 0) {
      throw_invalid_argument({"SecretContext.public", "rotations contain 0", "steps other than 0",
                              "leave it out; conjugation=True makes the key of conjugation"});
    }
    elements.push_back(ring.galois_element_from_step(step));
  }
  if (conjugation) elements.push_back(ring.conjugation_element());
  return elements;
}

PublicContext make_public(const SecretContext& secret,
                          const std::optional<std::vector<Integer>>& rotations,
                          bool relinearization, bool conjugation, const OptionalText& kernels) {
  const Workshop& own = *secret.workshop();
  const auto elements = galois_elements(own.context().ring(), rotations, conjugation);
  const KernelSelection selection = kernel_selection(kernels);
  const nb::gil_scoped_release unlocked;
  auto keys = std::make_shared<PublicKeys>();
  keys->encryption = secret.generator().create_public_key();
  if (relinearization) keys->relinearization = secret.generator().create_relin_keys();
  if (!elements.empty()) {
    keys->galois = secret.generator().create_galois_keys_for_elements(elements);
  }
  return PublicContext(
      std::make_shared<const Workshop>(own.parameters(), selection, std::move(keys)));
}

PublicContext with_kernels(const PublicContext& context, const OptionalText& kernels) {
  const KernelSelection selection = kernel_selection(kernels);
  const nb::gil_scoped_release unlocked;
  return PublicContext(std::make_shared<const Workshop>(context.workshop()->parameters(), selection,
                                                        context.workshop()->shared_keys()));
}

BoundCiphertext bind(const PublicContext& context, const BoundCiphertext& ciphertext) {
  const Context& own = context.workshop()->context();
  if (own.get_context_data(ciphertext.value->parms_id()) == nullptr) {
    throw_invalid_argument({"PublicContext.bind", "the ciphertext belongs to other parameters",
                            "a ciphertext of the parameters of this context",
                            "encrypt it with a context of the same parameters"});
  }
  return {context.workshop(), ciphertext.value};
}

nb::object refuse_pickling(const SecretContext&, nb::handle) {
  throw_logic_error({"pickle of a SecretContext", "it holds the secret key",
                     "objects without a secret",
                     "send what secret.public() returns; keep the SecretContext where it is"});
}

// What both sides can do without keys.
template <typename Side>
void bind_common(nb::class_<Side>& type) {
  type.def("encode", &encode_on<Side>, "values"_a, "level"_a = nb::none(), "scale"_a = nb::none(),
           nb::sig("def encode(self, values: Numbers, level: int | None = None, "
                   "scale: float | None = None) -> Plaintext"),
           "Numbers to a plaintext, at the highest level and the parameters' scale unless said. A "
           "single number\nfills all slots; slots that are not given become 0.")
      .def("encrypt", &encrypt_on<Side>, "values"_a,
           nb::sig("def encrypt(self, values: Numbers | Plaintext) -> Ciphertext"),
           "Encrypts numbers or a plaintext.")
      .def_prop_ro(
          "parameters", [](const Side& side) { return side.workshop()->parameters(); },
          "The parameters.")
      .def_prop_ro(
          "slot_count", [](const Side& side) { return side.workshop()->encoder().slot_count(); },
          "Numbers in one ciphertext: N/2.")
      .def_prop_ro(
          "max_level",
          [](const Side& side) {
            return side.workshop()->context().first_context_data()->chain_index();
          },
          "Level of a fresh ciphertext: the rescalings that it can take.")
      .def_prop_ro(
          "backend", [](const Side& side) { return side.workshop()->context().backend().name(); },
          "What computes: \"cpu\".")
      .def_prop_ro(
          "kernel_names",
          [](const Side& side) { return side.workshop()->context().backend().kernel_names(); },
          "The transform's kernel for each prime, in order.");
}

void bind_parameters(nb::module_& module) {
  nb::class_<CkksParameters>(
      module, "Parameters",
      "Parameters of CKKS: the degree N, one prime for each entry of coeff_modulus_bits (the last "
      "is the\nspecial prime of key switching), the scale of encodings, and what they are checked "
      "against.\nsecurity: tc128, tc192, tc256 or none. table: classical_2024, quantum_2024, "
      "he_standard_2018 or\nhe_standard_2018_quantum. The check itself is made when a context is.")
      .def(nb::new_(&make_parameters), "degree"_a, "coeff_modulus_bits"_a, nb::kw_only(),
           "scale_bits"_a = nb::none(), "scale"_a = nb::none(), "security"_a = "tc128",
           "table"_a = "classical_2024")
      .def_prop_ro(
          "degree", [](const CkksParameters& p) { return p.parms.poly_modulus_degree(); }, "N.")
      .def_prop_ro("coeff_modulus", &prime_values, "The primes.")
      .def_prop_ro(
          "scale", [](const CkksParameters& p) { return p.scale; },
          "The usual factor of encodings.")
      .def_prop_ro(
          "security", [](const CkksParameters& p) { return std::string(to_string(p.level)); },
          "Name of the security level.")
      .def_prop_ro(
          "table", [](const CkksParameters& p) { return std::string(to_string(p.table)); },
          "Name of the security table.")
      .def("__repr__", &describe);
  module.def(
      "max_modulus_bits",
      [](const Integer& degree, const std::string& security, const std::string& table) {
        return ringlet::max_modulus_bits(degree.word("max_modulus_bits", "degree"),
                                         parse(kSecurityLevels, security, "security"),
                                         parse(kSecurityTables, table, "table"));
      },
      "degree"_a, "security"_a = "tc128", "table"_a = "classical_2024",
      "Largest number of bits of the full modulus at that degree; 0 if the table has no entry.");
}

}  // namespace

void bind_ckks(nb::module_& module) {
  bind_parameters(module);
  nb::class_<SecretContext> secret(
      module, "SecretContext",
      "The client's side of CKKS: generates and holds the secret key. Encrypts, decrypts, and "
      "makes "
      "the\nPublicContext of the server. It cannot be pickled, and nothing returns the key.");
  nb::class_<PublicContext> open(
      module, "PublicContext",
      "The server's side of CKKS: public key and evaluation keys. Encodes, encrypts and computes; "
      "it has\nno way to decrypt.");
  secret
      .def(
          "__init__",
          [](SecretContext* self, const CkksParameters& parameters, const OptionalText& kernels) {
            const KernelSelection selection = kernel_selection(kernels);
            const nb::gil_scoped_release unlocked;
            new (self) SecretContext(parameters, selection);
          },
          "parameters"_a, "kernels"_a = nb::none())
      .def("public", &make_public, nb::kw_only(), "rotations"_a = nb::none(),
           "relinearization"_a = true, "conjugation"_a = false, "kernels"_a = nb::none(),
           "A PublicContext with new keys. `rotations` lists the steps that get a key; None makes "
           "the\nlog2(N) keys of which every rotation, and conjugation, is composed.")
      .def("decrypt", &decrypt<false>, "ciphertext"_a,
           nb::sig("def decrypt(self, ciphertext: Ciphertext) -> "
                   "numpy.typing.NDArray[numpy.float64]"),
           "The real parts of all slots. Do not hand them to anybody who has the ciphertext and "
           "must not have\nthe key.")
      .def("decrypt_complex", &decrypt<true>, "ciphertext"_a,
           nb::sig("def decrypt_complex(self, ciphertext: Ciphertext) -> "
                   "numpy.typing.NDArray[numpy.complex128]"),
           "All slots. The same warning applies.")
      .def("decode", &decode_object<false>, "plaintext"_a,
           nb::sig("def decode(self, plaintext: Plaintext) -> "
                   "numpy.typing.NDArray[numpy.float64]"),
           "The real parts of all slots of a plaintext.")
      .def("decode_complex", &decode_object<true>, "plaintext"_a,
           nb::sig("def decode_complex(self, plaintext: Plaintext) -> "
                   "numpy.typing.NDArray[numpy.complex128]"),
           "All slots of a plaintext.")
      .def("__reduce_ex__", &refuse_pickling, "protocol"_a,
           nb::sig("def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn"))
      .def("__repr__", [](const SecretContext& self) {
        return "<ringlet.ckks.SecretContext " + describe(self.workshop()->parameters()) + ">";
      });
  bind_common(secret);

  open.def("bind", &bind, "ciphertext"_a,
           "The same ciphertext, bound to the evaluation keys of this context. Copies nothing.")
      .def("with_kernels", &with_kernels, "kernels"_a,
           "The same keys on other kernels, named as in RINGLET_FORCE_KERNELS. Results have the "
           "same bits.")
      .def_prop_ro(
          "public_key_nbytes",
          [](const PublicContext& self) { return self.keys().encryption.byte_count(); },
          "Bytes of the public key's residues.")
      .def_prop_ro(
          "relin_keys_nbytes",
          [](const PublicContext& self) { return self.keys().relinearization.byte_count(); },
          "Bytes of the relinearization keys' residues.")
      .def_prop_ro(
          "galois_keys_nbytes",
          [](const PublicContext& self) { return self.keys().galois.byte_count(); },
          "Bytes of the Galois keys' residues.")
      .def("__repr__", [](const PublicContext& self) {
        return "<ringlet.ckks.PublicContext " + describe(self.workshop()->parameters()) + ">";
      });
  bind_common(open);
}

}  // namespace ringlet::python
