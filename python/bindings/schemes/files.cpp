// SPDX-License-Identifier: Apache-2.0
#include "bindings/schemes/files.hpp"

#include "bindings/core/errors.hpp"
#include "bindings/core/interrupts.hpp"
#include "bindings/schemes/streams.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/estimates/object_sizes.hpp"
#include "rlwe/random/sha256.hpp"

namespace ringlet::python {
namespace {

constexpr std::array<std::uint8_t, 8> kMagic = {0x89, 'R', 'G', 'P', 0x0d, 0x0a, 0x1a, 0x0a};
constexpr std::size_t kMagicBytes = kMagic.size();
constexpr std::size_t kHeadBytes = 24;
constexpr std::size_t kDigestBytes = 32;
constexpr std::uint64_t kVersion = 1;

enum Part : std::uint64_t {
  kPublicKey = 1,
  kRelinKeys = 2,
  kGaloisKeys = 4,
  kSecretKey = 8,
};
constexpr std::uint64_t kPublicParts = kPublicKey | kRelinKeys | kGaloisKeys;

// The beginning of a container.
struct Preamble {
  std::uint64_t parts = 0;
  double scale = 1.0;
};

using Head = std::array<std::uint8_t, kHeadBytes>;
using Digest = std::array<std::uint8_t, kDigestBytes>;

void put_word(Head& head, std::size_t offset, std::uint64_t word) {
  for (std::size_t i = 0; i < 8; ++i) head[offset + i] = static_cast<std::uint8_t>(word >> (8 * i));
}

std::uint64_t get_word(const Head& head, std::size_t offset) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < 8; ++i) word |= std::uint64_t{head[offset + i]} << (8 * i);
  return word;
}

Digest digest_of(const Head& head) {
  rlwe::ByteString message;
  message.append(head);
  Digest digest{};
  rlwe::sha256(message, digest);
  return digest;
}

void write_preamble(const Preamble& preamble, std::ostream& stream) {
  Head head{};
  std::ranges::copy(kMagic, head.begin());
  put_word(head, 8, kVersion | (preamble.parts << 32));
  put_word(head, 16, std::bit_cast<std::uint64_t>(preamble.scale));
  const Digest digest = digest_of(head);
  stream.write(reinterpret_cast<const char*>(head.data()), head.size());
  stream.write(reinterpret_cast<const char*>(digest.data()), digest.size());
}

template <std::size_t kCount>
void read_exactly(std::istream& stream, std::array<std::uint8_t, kCount>& bytes,
                  const char* operation) {
  if (stream.read(reinterpret_cast<char*>(bytes.data()), kCount)) return;
  throw_runtime_error({operation, "the bytes end within the first 56",
                       "all bytes that to_bytes or save wrote", "read or receive all bytes"});
}

[[noreturn]] void refuse(const char* operation, const std::string& what) {
  throw_invalid_argument({operation, what, "bytes that the same version of ringlet wrote",
                          "check where these bytes come from, and that they arrived unchanged"});
}

Preamble read_preamble(std::istream& stream, const char* operation) {
  Head head{};
  Digest digest{};
  read_exactly(stream, head, operation);
  if (!std::equal(kMagic.begin(), kMagic.end(), head.begin())) {
    refuse(operation, "bytes without the magic number of ringlet's containers");
  }
  read_exactly(stream, digest, operation);
  if (digest != digest_of(head)) refuse(operation, "damaged bytes");
  const std::uint64_t word = get_word(head, 8);
  if ((word & 0xffffffffU) != kVersion) {
    refuse(operation, "format version " + std::to_string(word & 0xffffffffU));
  }
  Preamble preamble;
  preamble.parts = word >> 32;
  preamble.scale = std::bit_cast<double>(get_word(head, 16));
  return preamble;
}

void check_parts(const Preamble& preamble, std::uint64_t required, std::uint64_t permitted,
                 const char* operation) {
  if ((preamble.parts & required) == required && (preamble.parts & ~permitted) == 0) return;
  refuse(operation, "the container has other parts (" + std::to_string(preamble.parts) + ")");
}

// Reads parameters; errors name the call of Python.
SavedParameters saved_parameters(std::istream& stream, SecurityLevel min_security,
                                 const char* operation) {
  try {
    return load_parameters(stream, min_security);
  } catch (const InvalidArgument& error) {
    throw_invalid_argument({operation, error.offending(), error.limit(), error.remedy()});
  }
}

SchemeParameters read_parameters(SchemeType scheme, std::istream& stream, double scale,
                                 SecurityLevel min_security, const char* operation) {
  const SavedParameters saved = saved_parameters(stream, min_security, operation);
  if (saved.parms.scheme() != scheme) {
    throw ContextMismatch({operation,
                           std::string("parameters of ") + to_string(saved.parms.scheme()),
                           std::string("parameters of ") + to_string(scheme),
                           std::string("use ringlet.") + to_string(saved.parms.scheme())});
  }
  SchemeParameters parameters{saved.parms, saved.level, saved.table, scale};
  check_scale(parameters, operation);
  return parameters;
}

void write_parameters(const SchemeParameters& parameters, std::uint64_t parts,
                      std::ostream& stream) {
  write_preamble({parts, parameters.scale}, stream);
  save(SavedParameters{parameters.parms, parameters.level, parameters.table}, stream);
}

// Checks that the stream holds `wanted` more bytes. Call it before making a context: its tables
// take much memory and time.
void expect_bytes(std::uint64_t wanted, std::istream& stream, const char* operation) {
  std::streambuf& buffer = *stream.rdbuf();
  std::streamoff ahead = buffer.in_avail();  // all bytes, if the stream is in memory
  const auto here = buffer.pubseekoff(0, std::ios::cur, std::ios::in);
  if (here != std::streampos(-1)) {
    ahead = buffer.pubseekoff(0, std::ios::end, std::ios::in) - here;
    buffer.pubseekpos(here, std::ios::in);
  }
  if (ahead >= 0 && static_cast<std::uint64_t>(ahead) >= wanted) return;
  throw_runtime_error({operation, std::to_string(ahead) + " bytes after the parameters",
                       "at least " + std::to_string(wanted) + " for a key of these parameters",
                       "read or receive all bytes that to_bytes or save wrote"});
}

// A public key holds N random residues of each prime: no compression makes it shorter.
std::uint64_t public_key_information(const EncryptionParameters& parms) {
  std::uint64_t bits = 0;
  for (const Modulus& q : parms.coeff_modulus()) bits += static_cast<unsigned>(q.bit_count()) - 1;
  return bits * parms.poly_modulus_degree() / 8;
}

bool is_container(const nb::bytes& bytes) {
  return bytes.size() < kMagicBytes || std::memcmp(bytes.c_str(), kMagic.data(), kMagicBytes) == 0;
}

nb::bytes to_bytes(const std::ostringstream& stream) {
  const std::string_view text = stream.view();
  return nb::bytes(text.data(), text.size());
}

}  // namespace

Compression parse_compression(const std::string& name, const char* operation) {
  if (name == "none") return Compression::none;
  if (name == "zstd") return Compression::zstd;
  throw_invalid_argument(
      {operation, "compression = '" + name + "'", "'none' or 'zstd'", "pass one of these names"});
}

nb::bytes parameters_to_bytes(const SchemeParameters& parameters) {
  std::ostringstream stream;
  write_parameters(parameters, 0, stream);
  return to_bytes(stream);
}

SchemeParameters parameters_from_bytes(SchemeType scheme, const nb::bytes& bytes,
                                       SecurityLevel min_security, const char* operation) {
  const nb::gil_scoped_release unlocked;
  const auto source = memory_stream(bytes.c_str(), bytes.size());
  std::istream& stream = *source;
  Preamble preamble;
  if (is_container(bytes)) preamble = read_preamble(stream, operation);
  check_parts(preamble, 0, 0, operation);
  SchemeParameters parameters =
      read_parameters(scheme, stream, preamble.scale, min_security, operation);
  check_at_end(stream, operation);
  return parameters;
}

ParametersOf<SchemeType::ckks> ckks_parameters_from_bytes(const nb::bytes& bytes,
                                                          const std::optional<Integer>& scale_bits,
                                                          const std::optional<double>& scale,
                                                          SecurityLevel min_security) {
  const char* operation = "Parameters.from_bytes";
  SchemeParameters parameters =
      parameters_from_bytes(SchemeType::ckks, bytes, min_security, operation);
  if (!is_container(bytes) || scale_bits || scale) {
    set_scale(parameters, scale_bits, scale, operation);
  }
  return ParametersOf<SchemeType::ckks>(parameters);
}

bool same_parameters(const SchemeParameters& a, nb::handle other) {
  if (!nb::isinstance<SchemeParameters>(other)) return false;
  const auto& b = nb::cast<const SchemeParameters&>(other);
  return a.parms == b.parms && a.level == b.level && a.table == b.table && a.scale == b.scale;
}

nb::bytes ciphertext_to_bytes(const BoundCiphertext& ciphertext, Compression compression) {
  const Ciphertext& value = ciphertext.value("Ciphertext.to_bytes");
  std::vector<std::byte> bytes;
  {
    const nb::gil_scoped_release unlocked;
    bytes =
        ciphertext.seeded() ? save(*ciphertext.seeded(), compression) : save(value, compression);
  }
  return nb::bytes(bytes.data(), bytes.size());
}

void write_public(const Workshop& workshop, Compression compression, std::ostream& stream) {
  const PublicKeys& keys = workshop.keys("PublicContext.save");
  std::uint64_t parts = kPublicKey;
  if (keys.relinearization.size() != 0) parts |= kRelinKeys;
  if (keys.galois.size() != 0) parts |= kGaloisKeys;
  write_parameters(workshop.parameters(), parts, stream);
  save(keys.encryption, stream, compression);
  if ((parts & kRelinKeys) != 0) save(keys.relinearization, stream, compression);
  if ((parts & kGaloisKeys) != 0) save(keys.galois, stream, compression);
}

void write_public_file(const Workshop& workshop, Compression compression,
                       const std::filesystem::path& path) {
  write_file(path, "PublicContext.save", FileRights::shared,
             [&](std::ostream& stream) { write_public(workshop, compression, stream); });
}

// A file that is overwritten while it is read may give parts of two files.
void check_one_secret_key(const PublicKeys& keys, const char* operation) {
  const KeyId& id = keys.encryption.key_id();
  for (const KeyId& other : {keys.relinearization.key_id(), keys.galois.key_id()}) {
    if (id == other || id == kKeyIdUnknown || other == kKeyIdUnknown) continue;
    refuse(operation, "keys of different secret keys");
  }
}

SharedWorkshop read_public(const PublicSource& source, const KernelSelection& kernels) {
  std::istream& stream = *source.stream;
  const char* operation = source.operation;
  const Preamble preamble = read_preamble(stream, operation);
  check_parts(preamble, kPublicKey, kPublicParts, operation);
  const SchemeParameters parameters =
      read_parameters(source.scheme, stream, preamble.scale, source.min_security, operation);
  expect_bytes(public_key_information(parameters.parms), stream, operation);
  const Workshop keyless(parameters, kernels, nullptr);
  const Context& context = keyless.context();
  auto keys = std::make_shared<PublicKeys>();
  Interrupts interrupts;
  LoadLimits limits{source.max_bytes, [&interrupts] { interrupts.check(); }};
  const auto count = [&](std::uint64_t bytes) {
    if (limits.max_bytes != 0) limits.max_bytes -= std::min(bytes, limits.max_bytes - 1);
    interrupts.check();
  };
  keys->encryption = load<PublicKey>(context, stream, limits);
  count(keys->encryption.byte_count());
  if ((preamble.parts & kRelinKeys) != 0) {
    keys->relinearization = load<RelinKeys>(context, stream, limits);
    count(keys->relinearization.byte_count());
  }
  if ((preamble.parts & kGaloisKeys) != 0) {
    keys->galois = source.is_lazy ? open_galois_keys(context, source.stream, limits)
                                  : load<GaloisKeys>(context, stream, limits);
  }
  check_one_secret_key(*keys, operation);
  // Keys that are read later are the last part; their directory states where they end.
  if (!source.is_lazy || (preamble.parts & kGaloisKeys) == 0) check_at_end(stream, operation);
  return std::make_shared<const Workshop>(keyless, std::move(keys));
}

void check_at_end(std::istream& stream, const char* operation) {
  if (stream.peek() == std::istream::traits_type::eof()) return;
  refuse(operation, "bytes follow after the end");
}

void write_secret_key_file(const Workshop& workshop, const SecretKey& key,
                           const std::filesystem::path& path) {
  write_file(path, "save_secret_key", FileRights::owner_new, [&](std::ostream& stream) {
    write_parameters(workshop.parameters(), kSecretKey, stream);
    save_secret_key(workshop.context(), key, stream);
  });
}

SharedWorkshop read_secret_key_file(SchemeType scheme, const std::filesystem::path& path,
                                    SecurityLevel min_security, const KernelSelection& kernels,
                                    SecretKey& key) {
  const char* operation = "load_secret_key";
  std::ifstream file = secret_file_stream(path, operation);
  const Preamble preamble = read_preamble(file, operation);
  check_parts(preamble, kSecretKey, kSecretKey, operation);
  const SchemeParameters parameters =
      read_parameters(scheme, file, preamble.scale, min_security, operation);
  expect_bytes(secret_key_size(parameters.parms).saved, file, operation);
  auto workshop = std::make_shared<const Workshop>(parameters, kernels, nullptr);
  key = load_secret_key(workshop->context(), file);
  check_at_end(file, operation);
  return workshop;
}

}  // namespace ringlet::python
