// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/unique_ptr.h>

#include "bindings/circuits/circuits.hpp"
#include "bindings/core/bindings.hpp"
#include "bindings/core/interrupts.hpp"
#include "bindings/schemes/contexts.hpp"
#include "bindings/schemes/files.hpp"
#include "bindings/schemes/security_names.hpp"
#include "bindings/schemes/sharing.hpp"
#include "bindings/schemes/values.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::python {
namespace {

using OptionalSteps = std::optional<std::vector<Integer>>;

Plaintext decrypted(const SecretContext& secret, const BoundCiphertext& encrypted,
                    bool is_checked = false) {
  const char* operation = "SecretContext.decrypt";
  const nb::gil_scoped_release unlocked;
  const BoundCiphertext own = encrypted.bind_to(secret.workshop(), operation);
  const Ciphertext& value = own.value(operation);
  return is_checked ? secret.decryptor().decrypt_checked(value) : secret.decryptor().decrypt(value);
}

int noise_budget(const SecretContext& secret, const BoundCiphertext& encrypted) {
  const char* operation = "SecretContext.noise_budget";
  const nb::gil_scoped_release unlocked;
  const BoundCiphertext own = encrypted.bind_to(secret.workshop(), operation);
  return secret.decryptor().invariant_noise_budget(own.value(operation));
}

const Plaintext& own_plaintext(const SecretContext& secret, const BoundPlaintext& plain) {
  return plain.value_for(*secret.workshop(), "SecretContext.decode");
}

// Returns the Galois elements of the requested rotations; None means those that compose every one.
std::vector<std::uint64_t> galois_elements(const RingSpec& ring, const OptionalSteps& rotations,
                                           bool conjugation, const char* remedy) {
  if (!rotations) return ring.default_galois_elements();
  std::vector<std::uint64_t> elements;
  for (const Integer& rotation : *rotations) {
    const int step = rotation.number("SecretContext.public", "rotations");
    if (step == 0) {
      throw_invalid_argument(
          {"SecretContext.public", "rotations contain 0", "steps other than 0", remedy});
    }
    elements.push_back(ring.galois_element_from_step(step));
  }
  if (conjugation) elements.push_back(ring.conjugation_element());
  return elements;
}

// Returns the elements that rotate slots of bits along the first dimension; None means along all.
std::vector<std::uint64_t> slot_elements(const SlotEncoder& slots, const OptionalSteps& rotations,
                                         bool swap_rows) {
  if (swap_rows) {
    throw_invalid_argument({"SecretContext.public", "swap_rows=True for slots of bits",
                            "messages of two rows", "rotate along a dimension: rotate_slots"});
  }
  if (!rotations) return slots.rotation_elements();
  std::vector<std::uint64_t> elements;
  for (const Integer& rotation : *rotations) {
    elements.push_back(
        slots.galois_element(0, rotation.number("SecretContext.public", "rotations")));
  }
  return elements;
}

// The arguments of secret.public().
struct KeyChoice {
  OptionalSteps rotations;
  std::optional<bool> relinearization;
  bool mirror = false;  // conjugation, or swapping rows
  nb::handle circuit;
};

// Returns the keys of circuits and of rotations that are listed as well.
NeededKeys chosen_keys(const SecretContext& secret, const KeyChoice& choice, const char* remedy) {
  const Workshop& workshop = *secret.workshop();
  NeededKeys needed;
  OptionalSteps rotations = choice.rotations;
  if (!choice.circuit.is_none()) {
    needed = needed_keys(workshop, choice.circuit, "SecretContext.public");
    if (!rotations) rotations.emplace();
  }
  const SlotEncoder* const slots = workshop.slot_encoder();
  const std::vector<std::uint64_t> listed =
      slots != nullptr
          ? slot_elements(*slots, rotations, choice.mirror)
          : galois_elements(workshop.context().ring(), rotations, choice.mirror, remedy);
  needed.galois_elements.insert(needed.galois_elements.end(), listed.begin(), listed.end());
  needed.relinearization =
      choice.relinearization.value_or(needed.relinearization || choice.circuit.is_none());
  return needed;
}

SharedWorkshop public_workshop(const SecretContext& secret, const NeededKeys& needed,
                               const OptionalText& kernels) {
  const KernelSelection selection = kernel_selection(kernels);
  const nb::gil_scoped_release unlocked;
  auto keys = std::make_shared<PublicKeys>();
  keys->encryption = secret.generator().create_public_key();
  if (needed.relinearization) keys->relinearization = secret.generator().create_relin_keys();
  if (!needed.galois_elements.empty()) {
    keys->galois = make_galois_keys(secret, needed.galois_elements);
  }
  return std::make_shared<const Workshop>(secret.workshop()->parameters(), selection,
                                          std::move(keys));
}

nb::object refuse_secret_pickling(const SecretContext&, nb::handle) {
  throw_logic_error({"pickle of a SecretContext", "it holds the secret key",
                     "objects without a secret",
                     "send what secret.public() returns as bytes, public.to_bytes(); keep the "
                     "SecretContext where it is"});
}

template <SchemeType kScheme>
void bind_public(nb::class_<SecretContextOf<kScheme>, SecretContext>& type) {
  type.def(
      "public",
      [](const SecretContext& secret, const OptionalSteps& rotations,
         const std::optional<bool>& relinearization, bool swap_rows, const OptionalText& kernels,
         nb::handle circuit) {
        const NeededKeys needed =
            chosen_keys(secret, {rotations, relinearization, swap_rows, circuit},
                        "leave it out; swap_rows=True makes the key of swapping rows");
        return PublicContextOf<kScheme>(public_workshop(secret, needed, kernels));
      },
      nb::kw_only(), "rotations"_a = nb::none(), "relinearization"_a = nb::none(),
      "swap_rows"_a = false, "kernels"_a = nb::none(), "circuit"_a = nb::none(),
      nb::sig(for_scheme(kScheme,
                         "def public(self, *, rotations: Sequence[int] | None = None, "
                         "relinearization: bool | None = None, swap_rows: bool = False, "
                         "kernels: str | None = None, circuit: Circuit | Sequence[Circuit] | "
                         "None = None) -> %PublicContext")
                  .c_str()),
      "Makes new keys and returns them as a PublicContext for the server.\n"
      "\n"
      "- rotations: steps that get a key, not 0, |step| < N/2. None makes keys from which\n"
      "  every rotation of rows, and the swap of rows, is composed. For slots of bits, a\n"
      "  list means the first dimension, and None makes the keys of every rotation along\n"
      "  every dimension.\n"
      "- relinearization: whether to make the relinearization key. None makes it; with\n"
      "  circuits, only if a circuit needs it.\n"
      "- swap_rows: whether to make the key that swaps the rows.\n"
      "- kernels: a kernel selection, as in RINGLET_FORCE_KERNELS.\n"
      "- circuit: one circuit or several: the call makes exactly the keys that they need,\n"
      "  and the listed ones.\n"
      "\n"
      "Raises InvalidArgument for other steps. Ctrl-C ends the call.");
}

template <SchemeType kScheme>
void bind_decryption(nb::class_<SecretContextOf<kScheme>, SecretContext>& type) {
  const auto sig = [](const char* text) { return for_scheme(kScheme, text); };
  type.def(
          "decrypt",
          [](const SecretContext& secret, const BoundCiphertext& encrypted, bool is_signed,
             bool is_checked) {
            return decode_integers(*secret.workshop(), decrypted(secret, encrypted, is_checked),
                                   is_signed);
          },
          "ciphertext"_a, nb::kw_only(), "signed"_a = true, "check"_a = false,
          nb::sig(sig("def decrypt(self, ciphertext: %Ciphertext, *, signed: bool = True, "
                      "check: bool = False) -> numpy.typing.NDArray[numpy.int64]")
                      .c_str()),
          "Decrypts a ciphertext and returns all slots as an array of int64; the first N/2\n"
          "slots are the first row.\n"
          "\n"
          "- signed: True gives values in [-floor(t/2), floor(t/2)], False in [0, t).\n"
          "- check: True raises InvalidArgument if the noise budget is used up, and takes twice\n"
          "  as long. False returns wrong numbers then. Do not tell the sender of a ciphertext\n"
          "  that this error was raised: it reveals something about the key.\n"
          "\n"
          "Raises InvalidArgument for a ciphertext of another key. With check=False, decryption\n"
          "is constant time in key and message.")
      .def(
          "decode",
          [](const SecretContext& secret, const BoundPlaintext& plain, bool is_signed) {
            return decode_integers(*secret.workshop(), own_plaintext(secret, plain), is_signed);
          },
          "plaintext"_a, nb::kw_only(), "signed"_a = true,
          nb::sig(sig("def decode(self, plaintext: %Plaintext, *, signed: bool = True) -> "
                      "numpy.typing.NDArray[numpy.int64]")
                      .c_str()),
          "Returns all slots of a plaintext as an array of int64. `signed` is that of\n"
          "`decrypt`.")
      .def("noise_budget", &noise_budget, "ciphertext"_a,
           nb::sig(sig("def noise_budget(self, ciphertext: %Ciphertext) -> int").c_str()),
           "Returns by how many bits the noise may still grow; at 0 the message is lost. The\n"
           "time depends on the noise.");
  bind_public(type);
}

void bind_public(nb::class_<SecretContextOf<SchemeType::ckks>, SecretContext>& type) {
  type.def(
      "public",
      [](const SecretContext& secret, const OptionalSteps& rotations,
         const std::optional<bool>& relinearization, bool conjugation, const OptionalText& kernels,
         nb::handle circuit) {
        const NeededKeys needed =
            chosen_keys(secret, {rotations, relinearization, conjugation, circuit},
                        "leave 0 out; conjugation=True makes the key of conjugation");
        return PublicContextOf<SchemeType::ckks>(public_workshop(secret, needed, kernels));
      },
      nb::kw_only(), "rotations"_a = nb::none(), "relinearization"_a = nb::none(),
      "conjugation"_a = false, "kernels"_a = nb::none(), "circuit"_a = nb::none(),
      nb::sig("def public(self, *, rotations: Sequence[int] | None = None, "
              "relinearization: bool | None = None, conjugation: bool = False, "
              "kernels: str | None = None, "
              "circuit: Circuit | Sequence[Circuit] | None = None) -> CkksPublicContext"),
      "Makes new keys and returns them as a PublicContext for the server.\n"
      "\n"
      "- rotations: steps that get a key, not 0, |step| < N/2. None makes log2(N) keys from\n"
      "  which every rotation, and conjugation, is composed.\n"
      "- relinearization: whether to make the relinearization key. None makes it; with\n"
      "  circuits, only if a circuit needs it.\n"
      "- conjugation: whether to make the key of conjugation.\n"
      "- kernels: a kernel selection, as in RINGLET_FORCE_KERNELS.\n"
      "- circuit: one circuit or several: the call makes exactly the keys that they need,\n"
      "  and the listed ones.\n"
      "\n"
      "Raises InvalidArgument for other steps. Ctrl-C ends the call.");
}

void bind_decryption(nb::class_<SecretContextOf<SchemeType::ckks>, SecretContext>& type) {
  const auto decrypt = []<bool kComplex>(const SecretContext& secret,
                                         const BoundCiphertext& encrypted) {
    return decode_numbers(*secret.workshop(), decrypted(secret, encrypted), kComplex);
  };
  const auto decode = []<bool kComplex>(const SecretContext& secret, const BoundPlaintext& plain) {
    return decode_numbers(*secret.workshop(), own_plaintext(secret, plain), kComplex);
  };
  type.def(
          "decrypt",
          [=](const SecretContext& secret, const BoundCiphertext& encrypted) {
            return decrypt.operator()<false>(secret, encrypted);
          },
          "ciphertext"_a,
          nb::sig("def decrypt(self, ciphertext: CkksCiphertext) -> "
                  "numpy.typing.NDArray[numpy.float64]"),
          "Decrypts a ciphertext and returns the real parts of all slots as an array of\n"
          "float64.\n"
          "\n"
          "Do not show these numbers to anybody who has the ciphertext and must not have the\n"
          "key. Use sharing_decryptor for such results.\n"
          "Raises InvalidArgument for a ciphertext of another key. Decryption is constant time\n"
          "in key and message.")
      .def(
          "decrypt_complex",
          [=](const SecretContext& secret, const BoundCiphertext& encrypted) {
            return decrypt.operator()<true>(secret, encrypted);
          },
          "ciphertext"_a,
          nb::sig("def decrypt_complex(self, ciphertext: CkksCiphertext) -> "
                  "numpy.typing.NDArray[numpy.complex128]"),
          "Decrypts a ciphertext and returns all slots as an array of complex128. The warning\n"
          "of `decrypt` applies.")
      .def(
          "decode",
          [=](const SecretContext& secret, const BoundPlaintext& plain) {
            return decode.operator()<false>(secret, plain);
          },
          "plaintext"_a,
          nb::sig("def decode(self, plaintext: CkksPlaintext) -> "
                  "numpy.typing.NDArray[numpy.float64]"),
          "Returns the real parts of all slots of a plaintext as an array of float64.")
      .def(
          "decode_complex",
          [=](const SecretContext& secret, const BoundPlaintext& plain) {
            return decode.operator()<true>(secret, plain);
          },
          "plaintext"_a,
          nb::sig("def decode_complex(self, plaintext: CkksPlaintext) -> "
                  "numpy.typing.NDArray[numpy.complex128]"),
          "Returns all slots of a plaintext as an array of complex128.")
      .def("sharing_decryptor", &make_sharing, "policy"_a,
           nb::sig("def sharing_decryptor(self, policy: SharingPolicy) -> SharingDecryptor"),
           "Returns a SharingDecryptor: it decrypts results for others, and adds noise that\n"
           "hides the key.\n"
           "\n"
           "All sharing decryptors of one SecretContext share one count of results. Raises\n"
           "InvalidArgument for another policy than the first one.");
  bind_public(type);
}

template <SchemeType kScheme>
void bind_secret(nb::module_& module) {
  nb::class_<SecretContextOf<kScheme>, SecretContext> type(
      module, (class_prefix(kScheme) + "SecretContext").c_str(),
      "The client's side: generates and holds the secret key.\n"
      "\n"
      "It encrypts, decrypts, and makes the PublicContext of the server. kernels: a kernel\n"
      "selection, as in RINGLET_FORCE_KERNELS. Raises InvalidArgument if the parameters do\n"
      "not reach their security level.\n"
      "A SecretContext cannot be pickled, and no call returns the key. `save_secret_key`\n"
      "writes it to a file.");
  type.def(
      "__init__",
      [](SecretContextOf<kScheme>* self, const ParametersOf<kScheme>& parameters,
         const OptionalText& kernels) {
        const KernelSelection selection = kernel_selection(kernels);
        const nb::gil_scoped_release unlocked;
        new (self) SecretContextOf<kScheme>(
            std::make_shared<const Workshop>(parameters, selection, nullptr));
      },
      "parameters"_a, "kernels"_a = nb::none());
  bind_common<kScheme, SecretContext>(type);
  bind_decryption(type);
  const std::string loader = std::string("load_") + to_string(kScheme) + "_secret_key";
  const std::string signature = "def " + loader +
                                "(path: str | os.PathLike[str], *, kernels: str | None = None, "
                                "min_security: int | str = 'tc128') -> %SecretContext";
  module.def(
      loader.c_str(),
      [](const std::filesystem::path& path, const OptionalText& kernels,
         const SecurityName& min_security) {
        const SecurityLevel level = parse_min_security(min_security, "load_secret_key");
        const KernelSelection selection = kernel_selection(kernels);
        const nb::gil_scoped_release unlocked;
        SecretKey key;
        const SharedWorkshop workshop = read_secret_key_file(kScheme, path, level, selection, key);
        return std::make_unique<SecretContextOf<kScheme>>(workshop, key);
      },
      "path"_a, nb::kw_only(), "kernels"_a = nb::none(), "min_security"_a = "tc128",
      nb::sig(for_scheme(kScheme, signature.c_str()).c_str()),
      "Returns the SecretContext whose key save_secret_key wrote.\n"
      "\n"
      "- min_security: lowest accepted security level; raises InvalidArgument for a lower\n"
      "  one. Raises RuntimeFailure if the file cannot be read.");
}

void bind_base(nb::module_& module) {
  nb::class_<SecretContext> secret(module, "SecretContext",
                                   "The client's side of a scheme, with the secret key.");
  secret
      .def("__reduce_ex__", &refuse_secret_pickling, "protocol"_a,
           nb::sig("def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn"))
      .def("__repr__", [](const SecretContext& self) {
        return repr_start(self.workshop()->scheme(), "SecretContext") +
               describe(self.workshop()->parameters()) + ">";
      });
  bind_properties(secret);
  bind_secret_trace(secret);
  module.def(
      "save_secret_key",
      [](const SecretContext& secret_context, const std::filesystem::path& path) {
        const nb::gil_scoped_release unlocked;
        write_secret_key_file(*secret_context.workshop(), secret_context.generator().secret_key(),
                              path);
      },
      "secret"_a, "path"_a,
      nb::sig("def save_secret_key(secret: SecretContext, path: str | os.PathLike[str]) -> None"),
      "Writes the secret key and its parameters, unencrypted, to a new file that only the\n"
      "user may read.\n"
      "\n"
      "Anyone who has the file can decrypt everything. load_secret_key reads it. Raises\n"
      "RuntimeFailure if the file exists or cannot be written.");
}

}  // namespace

GaloisKeys make_galois_keys(const SecretContext& secret,
                            const std::vector<std::uint64_t>& elements) {
  Interrupts interrupts;
  KSwitchKeyMap keys;
  for (const std::uint64_t element : elements) {
    if (keys.contains(element)) continue;
    const auto one = std::make_shared<const GaloisKeys>(
        secret.generator().create_galois_keys_for_elements({element}));
    keys.emplace(element, std::shared_ptr<const KSwitchKey>(one, &one->key(element)));
    interrupts.check();
  }
  return {secret.workshop()->context(), std::move(keys)};
}

void bind_secret_contexts(nb::module_& module) {
  bind_base(module);
  bind_secret<SchemeType::ckks>(module);
  bind_secret<SchemeType::bfv>(module);
  bind_secret<SchemeType::bgv>(module);
}

}  // namespace ringlet::python
