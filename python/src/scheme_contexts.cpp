// SPDX-License-Identifier: Apache-2.0
#include "scheme_contexts.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "ringlet/error.hpp"
#include "ringlet/serialization.hpp"
#include "scheme_files.hpp"
#include "scheme_streams.hpp"
#include "scheme_values.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace ringlet::python {
namespace {

using OptionalInteger = std::optional<Integer>;
using OptionalSteps = std::optional<std::vector<Integer>>;

EncodingTarget encoding_target(const Workshop& workshop, const OptionalInteger& level,
                               const std::optional<double>& scale) {
  const ContextData& data = level ? workshop.level(level->word("encode", "level"), "encode")
                                  : *workshop.context().first_context_data();
  return {data.parms_id(), scale.value_or(workshop.parameters().scale)};
}

std::shared_ptr<const Plaintext> encode_object(const Workshop& workshop, nb::handle object,
                                               const EncodingTarget& target) {
  const SlotValues values = slot_values(workshop, object, "encode");
  const nb::gil_scoped_release unlocked;
  return std::make_shared<const Plaintext>(encode(workshop, values, target));
}

template <typename Side>
nb::object encode_on(const Side& side, nb::handle values, const OptionalInteger& level,
                     const std::optional<double>& scale) {
  const Workshop& workshop = *side.workshop();
  return to_python(BoundPlaintext{
      side.workshop(), encode_object(workshop, values, encoding_target(workshop, level, scale))});
}

template <typename Side>
nb::object encrypt_on(const Side& side, nb::handle values) {
  const Workshop& workshop = *side.workshop();
  std::shared_ptr<const Plaintext> plain;
  if (nb::isinstance<BoundPlaintext>(values)) {
    const auto& bound = nb::cast<const BoundPlaintext&>(values);
    bound.value_for(workshop, "encrypt");
    plain = bound.value;
  } else {
    plain = encode_object(workshop, values, encoding_target(workshop, std::nullopt, std::nullopt));
  }
  std::optional<BoundCiphertext> encrypted;
  {
    const nb::gil_scoped_release unlocked;
    encrypted = side.encrypt(*plain);
  }
  return to_python(std::move(*encrypted));
}

template <typename Side>
nb::object load_ciphertext(const Side& side, const nb::bytes& data) {
  std::shared_ptr<const Ciphertext> loaded;
  {
    const nb::gil_scoped_release unlocked;
    const auto* bytes = reinterpret_cast<const std::byte*>(data.c_str());
    loaded = std::make_shared<const Ciphertext>(
        load<Ciphertext>(side.workshop()->context(), std::span(bytes, data.size())));
  }
  return to_python(BoundCiphertext(side.workshop(), std::move(loaded)));
}

Plaintext decrypted(const SecretContext& secret, const BoundCiphertext& encrypted) {
  const char* operation = "SecretContext.decrypt";
  const nb::gil_scoped_release unlocked;
  const BoundCiphertext own = encrypted.bind_to(secret.workshop(), operation);
  return secret.decryptor().decrypt(own.value(operation));
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

// Galois elements of the rotations that were asked for; None asks for all that compose any.
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

SharedWorkshop public_workshop(const SecretContext& secret,
                               const std::vector<std::uint64_t>& elements, bool relinearization,
                               const OptionalText& kernels) {
  const KernelSelection selection = kernel_selection(kernels);
  const nb::gil_scoped_release unlocked;
  auto keys = std::make_shared<PublicKeys>();
  keys->encryption = secret.generator().create_public_key();
  if (relinearization) keys->relinearization = secret.generator().create_relin_keys();
  if (!elements.empty()) {
    keys->galois = secret.generator().create_galois_keys_for_elements(elements);
  }
  return std::make_shared<const Workshop>(secret.workshop()->parameters(), selection,
                                          std::move(keys));
}

SharedWorkshop with_kernels(const PublicContext& context, const OptionalText& kernels) {
  const KernelSelection selection = kernel_selection(kernels);
  const nb::gil_scoped_release unlocked;
  return std::make_shared<const Workshop>(context.workshop()->parameters(), selection,
                                          context.workshop()->shared_keys());
}

nb::object bind_ciphertext_to(const PublicContext& context, const BoundCiphertext& ciphertext) {
  std::optional<BoundCiphertext> bound;
  {
    const nb::gil_scoped_release unlocked;
    bound = ciphertext.bind_to(context.workshop(), "PublicContext.bind");
  }
  return to_python(std::move(*bound));
}

nb::bytes public_to_bytes(const PublicContext& context, const std::string& compression) {
  const Compression kind = parse_compression(compression, "PublicContext.to_bytes");
  std::ostringstream stream;
  {
    const nb::gil_scoped_release unlocked;
    write_public(*context.workshop(), kind, stream);
  }
  return nb::bytes(stream.view().data(), stream.view().size());
}

void save_public(const PublicContext& context, const std::filesystem::path& path,
                 const std::string& compression) {
  const Compression kind = parse_compression(compression, "PublicContext.save");
  const nb::gil_scoped_release unlocked;
  write_public_file(*context.workshop(), kind, path);
}

template <SchemeType kScheme>
PublicContextOf<kScheme> public_from_bytes(const nb::bytes& data, const OptionalText& kernels,
                                           bool allow_unchecked) {
  const KernelSelection selection = kernel_selection(kernels);
  const nb::gil_scoped_release unlocked;
  const PublicSource source{kScheme, "PublicContext.from_bytes",
                            memory_stream(data.c_str(), data.size()), false, allow_unchecked};
  return PublicContextOf<kScheme>(read_public(source, selection));
}

template <SchemeType kScheme>
PublicContextOf<kScheme> load_public(const std::filesystem::path& path, bool is_lazy,
                                     const OptionalText& kernels, bool allow_unchecked) {
  const KernelSelection selection = kernel_selection(kernels);
  const nb::gil_scoped_release unlocked;
  const PublicSource source{kScheme, "PublicContext.load", file_stream(path, "PublicContext.load"),
                            is_lazy, allow_unchecked};
  return PublicContextOf<kScheme>(read_public(source, selection));
}

nb::object refuse_secret_pickling(const SecretContext&, nb::handle) {
  throw_logic_error({"pickle of a SecretContext", "it holds the secret key",
                     "objects without a secret",
                     "send what secret.public() returns as bytes, public.to_bytes(); keep the "
                     "SecretContext where it is"});
}

nb::object refuse_public_pickling(const PublicContext&, nb::handle) {
  throw_logic_error({"pickle of a PublicContext", "it holds keys of many megabytes",
                     "ciphertexts, which carry the fingerprint of their context, and parameters",
                     "send public.to_bytes() once, and use PublicContext.from_bytes and "
                     "public.bind(ciphertext) there"});
}

// What both sides can do without keys.
template <SchemeType kScheme, typename Side, typename Type>
void bind_common(Type& type) {
  const auto sig = [](const char* text) { return for_scheme(kScheme, text); };
  type.def("encrypt", &encrypt_on<Side>, "values"_a,
           nb::sig(sig("def encrypt(self, values: %Values | %Plaintext) -> %Ciphertext").c_str()),
           "Encrypts numbers or a plaintext.")
      .def("load_ciphertext", &load_ciphertext<Side>, "data"_a,
           nb::sig(sig("def load_ciphertext(self, data: bytes) -> %Ciphertext").c_str()),
           "A ciphertext from what its to_bytes gave, or from a file of the C++ library.")
      .def_prop_ro(
          "parameters",
          [](const Side& side) { return ParametersOf<kScheme>(side.workshop()->parameters()); },
          "The parameters.");
  if constexpr (kScheme == SchemeType::ckks) {
    type.def("encode", &encode_on<Side>, "values"_a, "level"_a = nb::none(), "scale"_a = nb::none(),
             nb::sig("def encode(self, values: CkksValues, level: int | None = None, "
                     "scale: float | None = None) -> CkksPlaintext"),
             "Numbers to a plaintext, at the highest level and the parameters' scale unless said. "
             "A single number\nfills all slots; slots that are not given become 0.");
  } else {
    type.def(
        "encode",
        [](const Side& side, nb::handle values) {
          return encode_on(side, values, std::nullopt, std::nullopt);
        },
        "values"_a, nb::sig(sig("def encode(self, values: %Values) -> %Plaintext").c_str()),
        "Integers in [-floor(t/2), t) to a plaintext: of one row after the other, or of an array "
        "of shape\n(2, N/2). A single integer fills all slots; slots that are not given become 0. "
        "Without batching,\nintegers are coefficients, and a single one is the constant.");
  }
}

template <typename Side>
void bind_properties(nb::class_<Side>& type) {
  type.def_prop_ro(
          "slot_count", [](const Side& side) { return side.workshop()->slot_count(); },
          "Numbers in one ciphertext: N/2 for CKKS, N otherwise.")
      .def_prop_ro(
          "max_level",
          [](const Side& side) {
            return side.workshop()->context().first_context_data()->chain_index();
          },
          "Level of a fresh ciphertext: how often it can go one level down.")
      .def_prop_ro(
          "fingerprint", [](const Side& side) { return side.workshop()->fingerprint(); },
          "64 hexadecimal digits that stand for scheme, parameters and security; the same on both "
          "sides.")
      .def_prop_ro(
          "uses_batching",
          [](const Side& side) { return side.workshop()->context().using_batching(); },
          "BFV and BGV: whether messages are slots and not coefficients.")
      .def_prop_ro(
          "backend", [](const Side& side) { return side.workshop()->context().backend().name(); },
          "What computes: \"cpu\".")
      .def_prop_ro(
          "kernel_names",
          [](const Side& side) { return side.workshop()->context().backend().kernel_names(); },
          "The transform's kernel for each prime, in order.");
}

template <SchemeType kScheme>
void bind_decryption(nb::class_<SecretContextOf<kScheme>, SecretContext>& type) {
  const auto sig = [](const char* text) { return for_scheme(kScheme, text); };
  type.def(
          "decrypt",
          [](const SecretContext& secret, const BoundCiphertext& encrypted, bool is_signed) {
            return decode_integers(*secret.workshop(), decrypted(secret, encrypted), is_signed);
          },
          "ciphertext"_a, nb::kw_only(), "signed"_a = true,
          nb::sig(sig("def decrypt(self, ciphertext: %Ciphertext, *, signed: bool = True) -> "
                      "numpy.typing.NDArray[numpy.int64]")
                      .c_str()),
          "All slots, in [-floor(t/2), floor(t/2)], or in [0, t) with signed=False. The first N/2 "
          "are the first\nrow.")
      .def(
          "decode",
          [](const SecretContext& secret, const BoundPlaintext& plain, bool is_signed) {
            return decode_integers(*secret.workshop(), own_plaintext(secret, plain), is_signed);
          },
          "plaintext"_a, nb::kw_only(), "signed"_a = true,
          nb::sig(sig("def decode(self, plaintext: %Plaintext, *, signed: bool = True) -> "
                      "numpy.typing.NDArray[numpy.int64]")
                      .c_str()),
          "All slots of a plaintext, as decrypt gives them.")
      .def("noise_budget", &noise_budget, "ciphertext"_a,
           nb::sig(sig("def noise_budget(self, ciphertext: %Ciphertext) -> int").c_str()),
           "Bits by which the noise may still grow; at 0 the message is lost.")
      .def(
          "public",
          [](const SecretContext& secret, const OptionalSteps& rotations, bool relinearization,
             bool swap_rows, const OptionalText& kernels) {
            const auto elements =
                galois_elements(secret.workshop()->context().ring(), rotations, swap_rows,
                                "leave it out; swap_rows=True makes the key of swapping rows");
            return PublicContextOf<kScheme>(
                public_workshop(secret, elements, relinearization, kernels));
          },
          nb::kw_only(), "rotations"_a = nb::none(), "relinearization"_a = true,
          "swap_rows"_a = false, "kernels"_a = nb::none(),
          "A PublicContext with new keys. `rotations` lists the steps that get a key; None makes "
          "the\nkeys of which every rotation of rows, and swapping them, is composed.");
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
          "The real parts of all slots. Do not hand them to anybody who has the ciphertext and "
          "must not have\nthe key.")
      .def(
          "decrypt_complex",
          [=](const SecretContext& secret, const BoundCiphertext& encrypted) {
            return decrypt.operator()<true>(secret, encrypted);
          },
          "ciphertext"_a,
          nb::sig("def decrypt_complex(self, ciphertext: CkksCiphertext) -> "
                  "numpy.typing.NDArray[numpy.complex128]"),
          "All slots. The same warning applies.")
      .def(
          "decode",
          [=](const SecretContext& secret, const BoundPlaintext& plain) {
            return decode.operator()<false>(secret, plain);
          },
          "plaintext"_a,
          nb::sig("def decode(self, plaintext: CkksPlaintext) -> "
                  "numpy.typing.NDArray[numpy.float64]"),
          "The real parts of all slots of a plaintext.")
      .def(
          "decode_complex",
          [=](const SecretContext& secret, const BoundPlaintext& plain) {
            return decode.operator()<true>(secret, plain);
          },
          "plaintext"_a,
          nb::sig("def decode_complex(self, plaintext: CkksPlaintext) -> "
                  "numpy.typing.NDArray[numpy.complex128]"),
          "All slots of a plaintext.")
      .def(
          "public",
          [](const SecretContext& secret, const OptionalSteps& rotations, bool relinearization,
             bool conjugation, const OptionalText& kernels) {
            const auto elements =
                galois_elements(secret.workshop()->context().ring(), rotations, conjugation,
                                "leave it out; conjugation=True makes the key of conjugation");
            return PublicContextOf<SchemeType::ckks>(
                public_workshop(secret, elements, relinearization, kernels));
          },
          nb::kw_only(), "rotations"_a = nb::none(), "relinearization"_a = true,
          "conjugation"_a = false, "kernels"_a = nb::none(),
          "A PublicContext with new keys. `rotations` lists the steps that get a key; None makes "
          "the\nlog2(N) keys of which every rotation, and conjugation, is composed.");
}

template <SchemeType kScheme>
void bind_secret(nb::module_& module) {
  nb::class_<SecretContextOf<kScheme>, SecretContext> type(
      module, (class_prefix(kScheme) + "SecretContext").c_str(),
      "The client's side: generates and holds the secret key. Encrypts, decrypts, and makes the\n"
      "PublicContext of the server. It cannot be pickled, and nothing returns the key; "
      "save_secret_key\nwrites it to a file.");
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
                                "(path: str | os.PathLike[str], *, kernels: str | None = None) -> "
                                "%SecretContext";
  module.def(
      loader.c_str(),
      [](const std::filesystem::path& path, const OptionalText& kernels) {
        const KernelSelection selection = kernel_selection(kernels);
        const nb::gil_scoped_release unlocked;
        SecretKey key;
        const SharedWorkshop workshop = read_secret_key_file(kScheme, path, selection, key);
        return std::make_unique<SecretContextOf<kScheme>>(workshop, key);
      },
      "path"_a, nb::kw_only(), "kernels"_a = nb::none(),
      nb::sig(for_scheme(kScheme, signature.c_str()).c_str()),
      "The SecretContext whose key save_secret_key wrote.");
}

template <SchemeType kScheme>
void bind_public(nb::module_& module) {
  nb::class_<PublicContextOf<kScheme>, PublicContext> type(
      module, (class_prefix(kScheme) + "PublicContext").c_str(),
      "The server's side: public key and evaluation keys. Encodes, encrypts and computes; it has "
      "no way to\ndecrypt.");
  type.def("bind", &bind_ciphertext_to, "ciphertext"_a,
           nb::sig(for_scheme(kScheme, "def bind(self, ciphertext: %Ciphertext) -> %Ciphertext")
                       .c_str()),
           "The same ciphertext, bound to the evaluation keys of this context. Copies nothing, but "
           "reads and\nchecks the bytes of one that was unpickled.")
      .def(
          "with_kernels",
          [](const PublicContext& self, const OptionalText& kernels) {
            return PublicContextOf<kScheme>(with_kernels(self, kernels));
          },
          "kernels"_a,
          "The same keys on other kernels, named as in RINGLET_FORCE_KERNELS. Results have the "
          "same bits.")
      .def_static("from_bytes", &public_from_bytes<kScheme>, "data"_a, nb::kw_only(),
                  "kernels"_a = nb::none(), "allow_unchecked"_a = false,
                  "What to_bytes gave, from whomever: every part is checked. Parameters without a "
                  "security level are\nrefused unless allow_unchecked.")
      .def_static("load", &load_public<kScheme>, "path"_a, nb::kw_only(), "lazy"_a = true,
                  "kernels"_a = nb::none(), "allow_unchecked"_a = false,
                  nb::sig(for_scheme(kScheme,
                                     "def load(path: str | os.PathLike[str], *, lazy: bool = True, "
                                     "kernels: str | None = None, "
                                     "allow_unchecked: bool = False) -> %PublicContext")
                              .c_str()),
                  "From a file that save wrote. If lazy, a Galois key is read and checked when it "
                  "is first used, and the\nfile must stay as it is.");
  bind_common<kScheme, PublicContext>(type);
}

void bind_bases(nb::module_& module) {
  nb::class_<SecretContext> secret(module, "SecretContext", "The client's side of a scheme.");
  secret
      .def("__reduce_ex__", &refuse_secret_pickling, "protocol"_a,
           nb::sig("def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn"))
      .def("__repr__", [](const SecretContext& self) {
        return repr_start(self.workshop()->scheme(), "SecretContext") +
               describe(self.workshop()->parameters()) + ">";
      });
  bind_properties(secret);
  module.def(
      "save_secret_key",
      [](const SecretContext& secret_context, const std::filesystem::path& path) {
        const nb::gil_scoped_release unlocked;
        write_secret_key_file(*secret_context.workshop(), secret_context.generator().secret_key(),
                              path);
      },
      "secret"_a, "path"_a,
      nb::sig("def save_secret_key(secret: SecretContext, path: str | os.PathLike[str]) -> None"),
      "Writes the secret key, unencrypted, with its parameters to a new file that only the user "
      "may read.\nWhoever has the file reads everything. load_secret_key reads it.");

  nb::class_<PublicContext> open(module, "PublicContext", "The server's side of a scheme.");
  open.def("to_bytes", &public_to_bytes, nb::kw_only(), "compression"_a = "none",
           "Parameters and keys as bytes, for from_bytes of the same class. compression: none or "
           "zstd.")
      .def("save", &save_public, "path"_a, nb::kw_only(), "compression"_a = "none",
           nb::sig("def save(self, path: str | os.PathLike[str], *, "
                   "compression: str = 'none') -> None"),
           "The same into a file, for load of the same class.")
      .def("__reduce_ex__", &refuse_public_pickling, "protocol"_a,
           nb::sig("def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn"))
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
        return repr_start(self.workshop()->scheme(), "PublicContext") +
               describe(self.workshop()->parameters()) + ">";
      });
  bind_properties(open);
}

template <SchemeType kScheme>
void bind_scheme(nb::module_& module) {
  bind_secret<kScheme>(module);
  bind_public<kScheme>(module);
}

}  // namespace

void bind_contexts(nb::module_& module) {
  bind_bases(module);
  bind_scheme<SchemeType::ckks>(module);
  bind_scheme<SchemeType::bfv>(module);
  bind_scheme<SchemeType::bgv>(module);
}

}  // namespace ringlet::python
