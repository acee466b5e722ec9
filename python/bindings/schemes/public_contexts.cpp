// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <nanobind/stl/filesystem.h>

#include "base/public_entry.hpp"
#include "bindings/circuits/circuits.hpp"
#include "bindings/core/bindings.hpp"
#include "bindings/schemes/contexts.hpp"
#include "bindings/schemes/files.hpp"
#include "bindings/schemes/security_names.hpp"
#include "bindings/schemes/streams.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::python {
namespace {

SharedWorkshop with_kernels(const PublicContext& context, const OptionalText& kernels) {
  const KernelSelection selection = kernel_selection(kernels);
  const nb::gil_scoped_release unlocked;
  const Workshop& workshop = *context.workshop();
  return std::make_shared<const Workshop>(workshop.parameters(), selection, workshop.shared_keys(),
                                          workshop.device());
}

SharedWorkshop on_device(const PublicContext& context, const DeviceArgument& argument) {
  constexpr const char* kOperation = "PublicContext.on";
  const Device device = argument.open(kOperation);
  const SharedWorkshop& workshop = context.workshop();
  const nb::gil_scoped_release unlocked;
  public_entry(kOperation, [&device] { device.check_open(); });
  SharedWorkshop result = workshop;
  if (workshop->device() != device) result = std::make_shared<const Workshop>(*workshop, device);
  result->evaluator();
  return result;
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

std::uint64_t budget_of(const std::optional<Integer>& max_bytes, const char* operation) {
  return max_bytes ? std::max<std::uint64_t>(max_bytes->word(operation, "max_bytes"), 1) : 0;
}

template <SchemeType kScheme>
PublicContextOf<kScheme> public_from_bytes(const BytesLike& data, const OptionalText& kernels,
                                           const SecurityName& min_security,
                                           const std::optional<Integer>& max_bytes) {
  const char* operation = "PublicContext.from_bytes";
  const SecurityLevel level = parse_min_security(min_security, operation);
  const KernelSelection selection = kernel_selection(kernels);
  const std::uint64_t budget = budget_of(max_bytes, operation);
  const nb::gil_scoped_release unlocked;
  const PublicSource source{
      kScheme, operation, memory_stream(data.value.c_str(), data.value.size()),
      false,   level,     budget};
  return PublicContextOf<kScheme>(read_public(source, selection));
}

template <SchemeType kScheme>
PublicContextOf<kScheme> load_public(const std::filesystem::path& path, bool is_lazy,
                                     const OptionalText& kernels, const SecurityName& min_security,
                                     const std::optional<Integer>& max_bytes) {
  const char* operation = "PublicContext.load";
  const SecurityLevel level = parse_min_security(min_security, operation);
  const KernelSelection selection = kernel_selection(kernels);
  const std::uint64_t budget = budget_of(max_bytes, operation);
  const nb::gil_scoped_release unlocked;
  const PublicSource source{kScheme, operation, file_stream(path, operation),
                            is_lazy, level,     budget};
  return PublicContextOf<kScheme>(read_public(source, selection));
}

nb::object refuse_public_pickling(const PublicContext&, nb::handle) {
  throw_logic_error({"pickle of a PublicContext", "it holds keys of many megabytes",
                     "ciphertexts, which carry the fingerprint of their context, and parameters",
                     "send public.to_bytes() once, and use PublicContext.from_bytes and "
                     "public.bind(ciphertext) there"});
}

template <SchemeType kScheme>
void bind_loaders(nb::class_<PublicContextOf<kScheme>, PublicContext>& type) {
  type.def_static(
          "from_bytes", &public_from_bytes<kScheme>, "data"_a, nb::kw_only(),
          "kernels"_a = nb::none(), "min_security"_a = "tc128", "max_bytes"_a = nb::none(),
          "Returns the PublicContext in `data`, bytes of to_bytes. Every part is checked, so\n"
          "you need not trust the sender.\n"
          "\n"
          "- kernels: a kernel selection, as in RINGLET_FORCE_KERNELS.\n"
          "- min_security: lowest accepted security level.\n"
          "- max_bytes: most bytes of memory for the keys; by default the size of one key plus\n"
          "  32 bytes for each byte of `data`.\n"
          "\n"
          "Raises InvalidArgument for parameters or keys beyond these limits, RuntimeFailure or\n"
          "InvalidArgument for damaged bytes. Ctrl-C ends the call.")
      .def_static(
          "load", &load_public<kScheme>, "path"_a, nb::kw_only(), "lazy"_a = true,
          "kernels"_a = nb::none(), "min_security"_a = "tc128", "max_bytes"_a = nb::none(),
          nb::sig(for_scheme(kScheme,
                             "def load(path: str | os.PathLike[str], *, lazy: bool = True, "
                             "kernels: str | None = None, "
                             "min_security: int | str = 'tc128', "
                             "max_bytes: int | None = None) -> %PublicContext")
                      .c_str()),
          "Returns the PublicContext in a file that `save` wrote.\n"
          "\n"
          "- lazy: True reads and checks a Galois key when it is first used. The first use\n"
          "  raises RuntimeFailure if the file was overwritten in the meantime. Replacing the\n"
          "  file by another file of this name has no effect.\n"
          "\n"
          "The other arguments and errors are those of from_bytes.");
}

template <SchemeType kScheme>
void bind_public(nb::module_& module) {
  nb::class_<PublicContextOf<kScheme>, PublicContext> type(
      module, (class_prefix(kScheme) + "PublicContext").c_str(),
      "The server's side: public key and evaluation keys. It encodes, encrypts and\n"
      "computes, and cannot decrypt.");
  type.def("bind", &bind_ciphertext_to, "ciphertext"_a,
           nb::sig(for_scheme(kScheme, "def bind(self, ciphertext: %Ciphertext) -> %Ciphertext")
                       .c_str()),
           "Returns the ciphertext, bound to the evaluation keys of this context. Nothing is\n"
           "copied; the bytes of an unpickled ciphertext are read and checked.\n"
           "\n"
           "Raises ContextMismatch for a ciphertext of other parameters.")
      .def(
          "with_kernels",
          [](const PublicContext& self, const OptionalText& kernels) {
            return PublicContextOf<kScheme>(with_kernels(self, kernels));
          },
          "kernels"_a,
          "Returns a context with these keys and other kernels of the processor, named as in\n"
          "RINGLET_FORCE_KERNELS. Results have the same bits.")
      .def(
          "on",
          [](const PublicContext& self, const DeviceArgument& device) {
            return PublicContextOf<kScheme>(on_device(self, device));
          },
          "device"_a,
          "Returns a context with these keys that computes on a device. Results have the same\n"
          "bits and stay on the device until they are read.\n"
          "\n"
          "- device: a Device, or a name for ringlet.device. RINGLET_DEVICE has no effect here.\n"
          "\n"
          "Keys are copied to the device when they are first used. The call compiles kernels or\n"
          "finds them on disk. Raises RuntimeFailure with the compiler's log if the compilation\n"
          "fails.");
  bind_loaders(type);
  bind_common<kScheme, PublicContext>(type);
}

void bind_base(nb::module_& module) {
  nb::class_<PublicContext> open(module, "PublicContext",
                                 "The server's side of a scheme, with the public keys.");
  open.def("to_bytes", &public_to_bytes, nb::kw_only(), "compression"_a = "none",
           "Returns parameters and keys as bytes, for from_bytes of the same class. compression:\n"
           "\"none\" or \"zstd\".")
      .def("save", &save_public, "path"_a, nb::kw_only(), "compression"_a = "none",
           nb::sig("def save(self, path: str | os.PathLike[str], *, "
                   "compression: str = 'none') -> None"),
           "Writes parameters and keys to a file, for load of the same class.\n"
           "\n"
           "- compression: \"none\" or \"zstd\". An existing file is replaced in one step; "
           "contexts\n"
           "  that were loaded from the old file still read the old data. Raises RuntimeFailure\n"
           "  if the file cannot be written.")
      .def(
          "runner",
          [](const PublicContext& self, nb::handle circuit, const std::optional<Integer>& level,
             bool symmetric_inputs) {
            return make_runner(self.workshop(), circuit, level, symmetric_inputs);
          },
          "circuit"_a, "level"_a = nb::none(), nb::kw_only(), "symmetric_inputs"_a = false,
          nb::sig("def runner(self, circuit: Circuit, level: int | None = None, *, "
                  "symmetric_inputs: bool = False) -> CircuitRunner"),
          "Plans a circuit for these parameters and returns it as a CircuitRunner.\n"
          "\n"
          "- level: level of the input ciphertexts, by default the highest. Known vectors are\n"
          "  encoded now. Later additions to the circuit do not change the runner.\n"
          "- symmetric_inputs: the estimates are those of inputs from SecretContext.encrypt, "
          "which\n"
          "  have less noise than those from PublicContext.encrypt.\n"
          "\n"
          "Raises InvalidArgument if the circuit does not fit these parameters, if results may\n"
          "not decrypt, or if keys are missing; the error names all missing keys.")
      .def("__reduce_ex__", &refuse_public_pickling, "protocol"_a,
           nb::sig("def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn"))
      .def_prop_ro(
          "public_key_nbytes",
          [](const PublicContext& self) { return self.keys().encryption.byte_count(); },
          "Size of the public key's residues in bytes.")
      .def_prop_ro(
          "relin_keys_nbytes",
          [](const PublicContext& self) { return self.keys().relinearization.byte_count(); },
          "Size of the relinearization key's residues in bytes.")
      .def_prop_ro(
          "galois_keys_nbytes",
          [](const PublicContext& self) { return self.keys().galois.byte_count(); },
          "Size of the Galois keys' residues in bytes.")
      .def("__repr__", [](const PublicContext& self) {
        return repr_start(self.workshop()->scheme(), "PublicContext") +
               describe(self.workshop()->parameters()) + ">";
      });
  bind_properties(open);
}

}  // namespace

void bind_public_contexts(nb::module_& module) {
  bind_base(module);
  bind_public<SchemeType::ckks>(module);
  bind_public<SchemeType::bfv>(module);
  bind_public<SchemeType::bgv>(module);
}

}  // namespace ringlet::python
