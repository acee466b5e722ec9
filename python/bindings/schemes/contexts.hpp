// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/core/devices.hpp"
#include "bindings/schemes/arithmetic.hpp"
#include "bindings/schemes/state.hpp"
#include "ringlet/rlwe/key_generator.hpp"
#include "ringlet/schemes/decryptor.hpp"
#include "ringlet/schemes/encryptor.hpp"

namespace ringlet::python {

/// The client's side. The key generator holds the secret key.
class SecretContext {
 public:
  /// Makes a context with a new key.
  explicit SecretContext(SharedWorkshop workshop)
      : SecretContext(workshop, std::make_unique<KeyGenerator>(workshop->context())) {}
  SecretContext(SharedWorkshop workshop, const SecretKey& key)
      : SecretContext(workshop, std::make_unique<KeyGenerator>(workshop->context(), key)) {}

  const SharedWorkshop& workshop() const { return workshop_; }
  const KeyGenerator& generator() const { return *generator_; }
  const Decryptor& decryptor() const { return decryptor_; }
  BoundCiphertext encrypt(const Plaintext& plain) const {
    return {workshop_,
            std::make_shared<const SeededCiphertext>(encryptor_.encrypt_symmetric_seeded(plain))};
  }

 private:
  SecretContext(SharedWorkshop workshop, std::unique_ptr<const KeyGenerator> generator)
      : workshop_(std::move(workshop)),
        generator_(std::move(generator)),
        encryptor_(workshop_->context(), generator_->secret_key()),
        decryptor_(workshop_->context(), generator_->secret_key()) {}

  SharedWorkshop workshop_;
  std::unique_ptr<const KeyGenerator> generator_;
  Encryptor encryptor_;
  Decryptor decryptor_;
};

/// The server's side: built from a Workshop, which has no secret key.
class PublicContext {
 public:
  explicit PublicContext(SharedWorkshop workshop)
      : workshop_(std::move(workshop)),
        encryptor_(std::make_shared<const Encryptor>(
            workshop_->context(), workshop_->keys("PublicContext").encryption)) {}

  const SharedWorkshop& workshop() const { return workshop_; }
  const PublicKeys& keys() const { return *workshop_->shared_keys(); }
  BoundCiphertext encrypt(const Plaintext& plain) const {
    return {workshop_, std::make_shared<const Ciphertext>(encryptor_->encrypt(plain))};
  }

 private:
  SharedWorkshop workshop_;
  std::shared_ptr<const Encryptor> encryptor_;
};

template <SchemeType kScheme>
struct SecretContextOf : SecretContext {
  using SecretContext::SecretContext;
};
template <SchemeType kScheme>
struct PublicContextOf : PublicContext {
  using PublicContext::PublicContext;
};

/// Makes one key after the other, so that Ctrl-C ends it. The result shares the keys of the sets
/// that made them. Needs no interpreter. @throws as KeyGenerator; what a handler of signals raises.
GaloisKeys make_galois_keys(const SecretContext& secret,
                            const std::vector<std::uint64_t>& elements);

/// Adds SecretContext.trace.
void bind_secret_trace(nb::class_<SecretContext>& type);

/// Encodes numbers or a sequence of them as a plaintext of the scheme. CKKS: by default at the
/// highest level and with the scale of the parameters.
nb::object encode_on(const SharedWorkshop& workshop, nb::handle values,
                     const std::optional<Integer>& level, const std::optional<double>& scale);

/// A plaintext to encrypt, with the facts about its numbers.
struct Prepared {
  std::shared_ptr<const Plaintext> plain;
  std::optional<InputFacts> facts;
};

/// Returns `values`, a plaintext of that context or numbers, as they are encrypted. Unless
/// `circuit` is None, tiled() lays them out as inputs of the circuit.
/// @throws InvalidArgument also if a number is above what the circuit declares for its inputs.
Prepared prepared(const Workshop& workshop, nb::handle values, nb::handle circuit);

/// Reads and checks the ciphertext in `data`.
nb::object load_ciphertext(const SharedWorkshop& workshop, const nb::bytes& data);

template <typename Side>
nb::object encrypt_on(const Side& side, nb::handle values, nb::handle circuit) {
  const Prepared input = prepared(*side.workshop(), values, circuit);
  std::optional<BoundCiphertext> encrypted;
  {
    const nb::gil_scoped_release unlocked;
    encrypted = side.encrypt(*input.plain);
    encrypted->set_facts(input.facts);
  }
  return to_python(std::move(*encrypted));
}

template <SchemeType kScheme, typename Side, typename Type>
void bind_encode(Type& type) {
  if constexpr (kScheme == SchemeType::ckks) {
    type.def(
        "encode",
        [](const Side& side, nb::handle values, const std::optional<Integer>& level,
           const std::optional<double>& scale) {
          return encode_on(side.workshop(), values, level, scale);
        },
        "values"_a, "level"_a = nb::none(), "scale"_a = nb::none(),
        nb::sig("def encode(self, values: CkksValues, level: int | None = None, "
                "scale: float | None = None) -> CkksPlaintext"),
        "Encodes numbers into a plaintext.\n"
        "\n"
        "- values: one number, for all slots, or an array of shape (n,) with n up to\n"
        "  slot_count; further slots become 0.\n"
        "- level: 0 to max_level, by default the highest level.\n"
        "- scale: by default the scale of the parameters.\n"
        "\n"
        "Raises InvalidArgument for NaN, infinity, too many numbers and numbers that do not\n"
        "fit the modulus.");
  } else {
    type.def(
        "encode",
        [](const Side& side, nb::handle values) {
          return encode_on(side.workshop(), values, std::nullopt, std::nullopt);
        },
        "values"_a,
        nb::sig(for_scheme(kScheme, "def encode(self, values: %Values) -> %Plaintext").c_str()),
        "Encodes integers into a plaintext.\n"
        "\n"
        "- values: integers in [-floor(t/2), t): one integer, for all slots, or an array of\n"
        "  shape (n,), one row after the other, or (2, N/2); further slots become 0. Without\n"
        "  batching, the integers are coefficients, and a single integer is the constant\n"
        "  coefficient.\n"
        "\n"
        "Raises InvalidArgument for other values and shapes.");
  }
}

/// Adds what both sides can do without keys.
template <SchemeType kScheme, typename Side, typename Type>
void bind_common(Type& type) {
  const auto sig = [](const char* text) { return for_scheme(kScheme, text); };
  type.def("encrypt", &encrypt_on<Side>, "values"_a, nb::kw_only(), "circuit"_a = nb::none(),
           nb::sig(sig("def encrypt(self, values: %Values | %Plaintext, *, "
                       "circuit: Circuit | None = None) -> %Ciphertext")
                       .c_str()),
           "Encrypts numbers or a plaintext and returns the ciphertext.\n"
           "\n"
           "- values: numbers, as for encode, or a Plaintext.\n"
           "- circuit: the circuit for which the ciphertext is an input. The call arranges the\n"
           "  numbers as circuit.tiled does. For CKKS it then raises InvalidArgument for numbers\n"
           "  above the largest magnitude that the inputs declare.\n"
           "\n"
           "Several threads may encrypt with one context. Encryption is constant time in message\n"
           "and keys.")
      .def(
          "load_ciphertext",
          [](const Side& side, const BytesLike& data) {
            return load_ciphertext(side.workshop(), data.value);
          },
          "data"_a,
          nb::sig(sig("def load_ciphertext(self, data: bytes | bytearray | memoryview) -> "
                      "%Ciphertext")
                      .c_str()),
          "Returns the ciphertext in `data`: bytes of to_bytes, or a file of the C++ library.\n"
          "\n"
          "Raises InvalidArgument for a ciphertext of other parameters, RuntimeFailure or\n"
          "InvalidArgument for damaged bytes.")
      .def_prop_ro(
          "parameters",
          [](const Side& side) { return ParametersOf<kScheme>(side.workshop()->parameters()); },
          "Parameters of the context.");
  bind_encode<kScheme, Side>(type);
}

/// Adds the properties of both sides.
template <typename Side>
void bind_properties(nb::class_<Side>& type) {
  type.def_prop_ro(
          "slot_count", [](const Side& side) { return side.workshop()->slot_count(); },
          "Number of slots of a ciphertext: N/2 for CKKS, N for BFV and BGV; in a ring with\n"
          "ring=m, the number of slots of bits.")
      .def_prop_ro(
          "slot_shape", [](const Side& side) { return side.workshop()->slot_shape(); },
          "Shape in which slots are rotated: two rows, or the dimensions of slots of bits.")
      .def_prop_ro(
          "max_level",
          [](const Side& side) {
            return side.workshop()->context().first_context_data()->chain_index();
          },
          "Level of a fresh ciphertext: the number of times that it can go one level down.")
      .def_prop_ro(
          "fingerprint", [](const Side& side) { return side.workshop()->fingerprint(); },
          "64 hexadecimal digits that identify scheme, parameters and security. Client and\n"
          "server have the same fingerprint.")
      .def(
          "rotations_for",
          [](const Side& side, nb::handle matrix) {
            return rotations_for(*side.workshop(), matrix);
          },
          nb::arg("matrix"),
          nb::sig("def rotations_for(self, matrix: numpy.typing.NDArray[Any] | "
                  "tuple[int, int]) -> list[int]"),
          "Returns the rotations whose keys `matrix @ ciphertext` needs, for\n"
          "secret.public(rotations=...).\n"
          "\n"
          "- matrix: an array of shape (m, n), or the shape alone; a shape gives the rotations\n"
          "  that any matrix of that shape may need.")
      .def_prop_ro(
          "uses_batching",
          [](const Side& side) {
            return side.workshop()->context().using_batching() ||
                   side.workshop()->slot_encoder() != nullptr;
          },
          "BFV and BGV: True if messages are numbers in slots, False if they are coefficients\n"
          "of polynomials.")
      .def_prop_ro(
          "device", [](const Side& side) { return side.workshop()->device(); },
          "Device that computes on ciphertexts.")
      .def_prop_ro(
          "backend", [](const Side& side) { return side.workshop()->backend().name(); },
          "Name of the device that computes on ciphertexts: \"cpu\", or for example \"gpu:0\".")
      .def_prop_ro(
          "kernel_names",
          [](const Side& side) { return side.workshop()->backend().kernel_names(); },
          "Names of the transforms' kernels, one for each prime, in order.");
}

}  // namespace ringlet::python
