// SPDX-License-Identifier: Apache-2.0
#include "ringlet/fv/fv.hpp"

#include <filesystem>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/shared_ptr.h>

#include "bindings/core/arguments.hpp"
#include "bindings/core/bindings.hpp"
#include "bindings/core/interrupts.hpp"
#include "bindings/schemes/files.hpp"
#include "bindings/schemes/security_names.hpp"
#include "bindings/schemes/streams.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/fv/fv_serialization.hpp"
#include "ringlet/ring/cyclotomic_slots.hpp"

// Bits in slots of FV with a wide modulus. ringlet.fv documents, checks and shapes arrays;
// functions here take rows of bytes.

namespace ringlet::python {
namespace {

/// Rows of bits, each a byte.
using BitRows = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Bits = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>;

template <typename Value, std::size_t kCount>
Value parse(const std::array<std::pair<const char*, Value>, kCount>& names, const std::string& name,
            const char* what) {
  std::string known;
  for (const auto& [text, value] : names) {
    if (name == text) return value;
    known += (known.empty() ? "" : ", ") + std::string(text);
  }
  throw_invalid_argument(
      {"fv", std::string(what) + " '" + name + "'", known, "pass one of these names"});
}

constexpr std::array<std::pair<const char*, fv::SecretDistribution>, 2> kSecrets{
    {{"ternary", fv::SecretDistribution::ternary}, {"binary", fv::SecretDistribution::binary}}};
constexpr std::array<std::pair<const char*, ProductWay>, 4> kWays{
    {{"automatic", ProductWay::automatic},
     {"karatsuba", ProductWay::karatsuba},
     {"ntt", ProductWay::ntt},
     {"additions", ProductWay::additions}}};
constexpr std::array<std::pair<const char*, SecurityLevel>, 5> kLevels{
    {{"tc128", SecurityLevel::tc128},
     {"tc192", SecurityLevel::tc192},
     {"tc256", SecurityLevel::tc256},
     {"reproduction", SecurityLevel::reproduction},
     {"none", SecurityLevel::none}}};
constexpr std::array<std::pair<const char*, fv::Parameters (*)()>, 4> kSets{
    {{"default_128", fv::Parameters::default_128},
     {"default_128_8190", fv::Parameters::default_128_8190},
     {"reproduction_2420", fv::Parameters::reproduction_2420},
     {"reproduction_2560", fv::Parameters::reproduction_2560}}};

template <typename Value, std::size_t kCount>
const char* name_of(const std::array<std::pair<const char*, Value>, kCount>& names, Value value) {
  for (const auto& [text, known] : names) {
    if (known == value) return text;
  }
  return "unknown";
}

/// A context with the slots of its ring; t = 2.
struct BoundContext {
  BoundContext(const fv::Parameters& parameters, SecurityLevel level, SecurityTable table)
      : context(parameters, level, table), slots(parameters.ring.cyclotomic_index()) {}

  fv::Context context;
  CyclotomicSlots slots;
};
using SharedContext = std::shared_ptr<BoundContext>;

SharedContext bind_context(const fv::Parameters& parameters, SecurityLevel level,
                           SecurityTable table) {
  if (parameters.plain_modulus != 2) {
    throw_invalid_argument({"fv.Context",
                            "plain modulus t = " + std::to_string(parameters.plain_modulus), "2",
                            "use the C++ interface for other messages than bits"});
  }
  return std::make_shared<BoundContext>(parameters, level, table);
}

struct BoundCiphertext {
  SharedContext bound;
  fv::Ciphertext ciphertext;
};

struct BoundPublicKey {
  BoundPublicKey(SharedContext context, fv::PublicKey public_key)
      : bound(std::move(context)), key(std::move(public_key)), encryptor(bound->context, key) {}

  SharedContext bound;
  fv::PublicKey key;
  fv::Encryptor encryptor;
};

struct BoundSecretKey {
  BoundSecretKey(SharedContext context, const fv::SecretKey& secret_key)
      : bound(std::move(context)),
        generator(bound->context, secret_key),
        decryptor(bound->context, secret_key) {}

  SharedContext bound;
  fv::KeyGenerator generator;
  fv::Decryptor decryptor;
};

std::span<const std::byte> view_of(const nb::bytes& bytes) {
  return {reinterpret_cast<const std::byte*>(bytes.c_str()), bytes.size()};
}

template <typename Vector>
nb::bytes to_bytes(const Vector& file) {
  return nb::bytes(reinterpret_cast<const char*>(file.data()), file.size());
}

fv::Parameters make_parameters(const Integer& index, const std::string& modulus,
                               const std::string& secrets, const std::string& way) {
  const std::uint64_t m = index.word("fv.Parameters", "index");
  return {.ring = RingSpec::cyclotomic(m),
          .modulus = WideModulus::parse(modulus),
          .plain_modulus = 2,
          .secrets = parse(kSecrets, secrets, "secrets"),
          .way = parse(kWays, way, "way")};
}

SharedContext make_context(const fv::Parameters& parameters, const SecurityName& security) {
  const SecurityLevel level = parse(kLevels, security.text, "security");
  const nb::gil_scoped_release unlocked;
  return bind_context(parameters, level, SecurityTable::classical_2024);
}

SharedContext load_context(const BytesLike& data, const SecurityName& min_security) {
  const SecurityLevel level = parse(kLevels, min_security.text, "min_security");
  const nb::gil_scoped_release unlocked;
  const fv::SavedParameters saved =
      load_parameters<fv::SavedParameters>(view_of(data.value), level);
  return bind_context(saved.parameters, saved.level, saved.table);
}

BoundSecretKey generate(const SharedContext& bound) {
  const nb::gil_scoped_release unlocked;
  return {bound, fv::KeyGenerator(bound->context).secret_key()};
}

// A multiple of the rows that are encrypted together, small enough for Ctrl-C to act at once.
constexpr std::size_t kRowsTogether = 16;

std::vector<BoundCiphertext> encrypt(const BoundPublicKey& key, const BitRows& rows) {
  const CyclotomicSlots& slots = key.bound->slots;
  const std::size_t count = rows.shape(0);
  const std::size_t length = rows.shape(1);
  const std::uint8_t* data = rows.data();
  const nb::gil_scoped_release unlocked;
  Interrupts interrupts;
  std::vector<BoundCiphertext> results;
  for (std::size_t first = 0; first < count; first += kRowsTogether) {
    std::vector<fv::Message> messages;
    for (std::size_t i = first; i < std::min(first + kRowsTogether, count); ++i) {
      messages.emplace_back(slots.degree());
      slots.encode(messages.back(), {data + i * length, length});
    }
    for (fv::Ciphertext& ciphertext : key.encryptor.encrypt(messages)) {
      results.push_back({key.bound, std::move(ciphertext)});
    }
    interrupts.check();
  }
  return results;
}

Bits decrypt(const BoundSecretKey& key, const BoundCiphertext& encrypted) {
  const CyclotomicSlots& slots = key.bound->slots;
  auto bits = std::make_unique<std::uint8_t[]>(slots.slot_count());
  {
    const nb::gil_scoped_release unlocked;
    const fv::Message message = key.decryptor.decrypt(encrypted.ciphertext);
    slots.decode({bits.get(), slots.slot_count()}, message);
  }
  std::uint8_t* data = bits.release();
  const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<std::uint8_t*>(p); });
  return Bits(data, {slots.slot_count()}, owner);
}

BoundCiphertext add(const BoundCiphertext& a, const BoundCiphertext& b) {
  const nb::gil_scoped_release unlocked;
  return {a.bound, a.bound->context.add(a.ciphertext, b.ciphertext)};
}

void bind_parameters_of_fv(nb::module_& module) {
  using P = const fv::Parameters&;
  nb::class_<fv::Parameters>(module, "FvParameters",
                             "A ring, a wide modulus and how secrets are drawn; messages of bits.")
      .def_static(
          "named",
          [](const std::string& name) { return parse(kSets, name, "set of parameters")(); },
          "name"_a)
      .def_static("make", make_parameters, "index"_a, "modulus"_a, "secrets"_a, "way"_a)
      .def_prop_ro("index", [](P p) { return p.ring.cyclotomic_index(); })
      .def_prop_ro("degree", [](P p) { return p.ring.degree(); })
      .def_prop_ro("modulus_text", [](P p) { return p.modulus.to_string(); })
      .def_prop_ro("modulus_bits", [](P p) { return p.modulus.bit_count(); })
      .def_prop_ro("secrets", [](P p) { return std::string(name_of(kSecrets, p.secrets)); })
      .def_prop_ro("way", [](P p) { return std::string(name_of(kWays, p.way)); });
  module.def(
      "fv_largest_prime",
      [](const Integer& bits) {
        return WideModulus::largest_prime(bits.number("fv.Parameters", "modulus_bits")).to_string();
      },
      "bits"_a);
}

// Writes the public facts of an object.
std::string describe(const char* name, const BoundContext& bound) {
  return std::string("<ringlet.fv.") + name +
         " index=" + std::to_string(bound.context.parameters().ring.cyclotomic_index()) +
         " slots=" + std::to_string(bound.slots.slot_count()) +
         " security=" + name_of(kLevels, bound.context.security_level()) + ">";
}

void bind_context_of_fv(nb::module_& module) {
  using C = const BoundContext&;
  nb::class_<BoundContext>(module, "FvContext", "Validated parameters with their slots.")
      .def_prop_ro("parameters", [](C c) { return c.context.parameters(); })
      .def_prop_ro("slot_count", [](C c) { return c.slots.slot_count(); })
      .def_prop_ro("security",
                   [](C c) { return std::string(name_of(kLevels, c.context.security_level())); })
      .def_prop_ro("parms_id", [](C c) { return to_string(c.context.parms_id()); })
      .def_prop_ro("fresh_noise_bits", [](C c) { return c.context.fresh_noise_bits(); })
      .def_prop_ro("max_additions", [](C c) { return c.context.max_additions(); })
      .def_prop_ro("kernel_name", [](C c) { return c.context.product().kernel_name(); })
      .def("to_bytes", [](C c) { return to_bytes(save(fv::SavedParameters::of(c.context))); })
      .def("__repr__", [](C c) { return describe("Context", c); });
  module.def("fv_context", make_context, "parameters"_a, "security"_a);
  module.def("load_fv_context", load_context, "bytes"_a, "min_security"_a);
}

void bind_keys_of_fv(nb::module_& module) {
  nb::class_<BoundCiphertext>(module, "FvCiphertext", "Encrypted bits.")
      .def("__add__", add, "other"_a)
      .def("to_bytes", [](const BoundCiphertext& c) { return to_bytes(save(c.ciphertext)); })
      .def("__repr__", [](const BoundCiphertext& c) { return describe("Ciphertext", *c.bound); });
  nb::class_<BoundPublicKey>(module, "FvPublicKey", "Encrypts.")
      .def("encrypt_rows", encrypt, "rows"_a)
      .def("to_bytes", [](const BoundPublicKey& k) { return to_bytes(save(k.key)); })
      .def("__repr__", [](const BoundPublicKey& k) { return describe("PublicKey", *k.bound); });
  nb::class_<BoundSecretKey>(module, "FvSecretKey", "Decrypts.")
      .def("public_key",
           [](const BoundSecretKey& k) {
             const nb::gil_scoped_release unlocked;
             return BoundPublicKey(k.bound, k.generator.create_public_key());
           })
      .def("decrypt_bits", decrypt, "ciphertext"_a)
      .def(
          "noise_budget",
          [](const BoundSecretKey& k, const BoundCiphertext& c) {
            const nb::gil_scoped_release unlocked;
            return k.decryptor.noise_budget(c.ciphertext);
          },
          "ciphertext"_a)
      .def("__repr__", [](const BoundSecretKey& k) { return describe("SecretKey", *k.bound); });
  module.def("generate_fv_key", generate, "context"_a);
}

void bind_files_of_fv(nb::module_& module) {
  module.def(
      "save_fv_secret_key",
      [](const BoundSecretKey& k, const std::filesystem::path& path) {
        const nb::gil_scoped_release unlocked;
        write_file(path, "fv.save_secret_key", FileRights::owner_new, [&](std::ostream& stream) {
          save_secret_key(k.bound->context, k.generator.secret_key(), stream);
        });
      },
      "key"_a, "path"_a,
      nb::sig("def save_fv_secret_key(key: FvSecretKey, path: str | os.PathLike[str]) -> None"));
  module.def(
      "load_fv_secret_key",
      [](const SharedContext& bound, const std::filesystem::path& path) {
        const nb::gil_scoped_release unlocked;
        std::ifstream file = secret_file_stream(path, "fv.load_secret_key");
        const fv::SecretKey key = load_secret_key<fv::SecretKey>(bound->context, file);
        check_at_end(file, "fv.load_secret_key");
        return BoundSecretKey(bound, key);
      },
      "context"_a, "path"_a,
      nb::sig("def load_fv_secret_key(context: FvContext, path: str | os.PathLike[str]) -> "
              "FvSecretKey"));
  module.def(
      "load_fv_public_key",
      [](const SharedContext& bound, const BytesLike& data) {
        const nb::gil_scoped_release unlocked;
        return BoundPublicKey(bound, load<fv::PublicKey>(bound->context, view_of(data.value)));
      },
      "context"_a, "bytes"_a);
  module.def(
      "load_fv_ciphertext",
      [](const SharedContext& bound, const BytesLike& data) {
        const nb::gil_scoped_release unlocked;
        return BoundCiphertext{bound, load<fv::Ciphertext>(bound->context, view_of(data.value))};
      },
      "context"_a, "bytes"_a);
}

}  // namespace

void bind_fv(nb::module_& module) {
  bind_parameters_of_fv(module);
  bind_context_of_fv(module);
  bind_keys_of_fv(module);
  bind_files_of_fv(module);
}

}  // namespace ringlet::python
