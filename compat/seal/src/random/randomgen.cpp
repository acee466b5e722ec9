// SPDX-License-Identifier: Apache-2.0
#include "seal/randomgen.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include <openssl/evp.h>
#include <sys/random.h>

#include "files/object_io.hpp"
#include "random/blake2xb.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/base/wipe.hpp"

namespace ringlet::seal4 {

namespace {

constexpr std::size_t kInfoBytes = 1 + prng_seed_byte_count;
constexpr std::size_t kWordBytes = sizeof(std::uint64_t);

void put_word(std::uint8_t* bytes, std::uint64_t word) {
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    bytes[i] = static_cast<std::uint8_t>(word >> (8 * i));
  }
}

/// The bytes of a seed followed by a counter, all little-endian; wiped when destroyed.
class SeedAndCounter {
 public:
  SeedAndCounter(const prng_seed_type& seed, std::uint64_t counter) {
    for (std::size_t i = 0; i < seed.size(); ++i) put_word(bytes_.data() + i * kWordBytes, seed[i]);
    put_word(bytes_.data() + prng_seed_byte_count, counter);
  }
  SeedAndCounter(const SeedAndCounter&) = delete;
  SeedAndCounter& operator=(const SeedAndCounter&) = delete;
  ~SeedAndCounter() { secure_wipe(bytes_.data(), bytes_.size()); }

  std::span<const std::uint8_t> both() const { return bytes_; }
  std::span<const std::uint8_t> seed() const { return both().first(prng_seed_byte_count); }
  std::span<const std::uint8_t> counter() const { return both().last(kWordBytes); }

 private:
  std::array<std::uint8_t, prng_seed_byte_count + kWordBytes> bytes_;
};

void shake256(std::span<std::uint8_t> out, std::span<const std::uint8_t> message) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        EVP_MD_CTX_free);
  const bool done = context && EVP_DigestInit_ex(context.get(), EVP_shake256(), nullptr) == 1 &&
                    EVP_DigestUpdate(context.get(), message.data(), message.size()) == 1 &&
                    EVP_DigestFinalXOF(context.get(), out.data(), out.size()) == 1;
  if (!done) {
    throw_runtime_error({"Shake256PRNG", "an error of OpenSSL", "a provider of SHAKE256",
                         "check the configuration of OpenSSL, or use Blake2xbPRNG"});
  }
}

}  // namespace

void random_bytes(seal_byte* buf, std::size_t count) {
  if (buf == nullptr && count != 0) {
    throw_invalid_argument({"random_bytes", "a null buffer", "a buffer of count bytes",
                            "pass the address of the buffer"});
  }
  while (count != 0) {
    const ssize_t taken = getrandom(buf, count, 0);
    if (taken < 0 && errno != EINTR) {
      throw_runtime_error({"random_bytes", std::strerror(errno),
                           "a working generator of the operating system",
                           "check that the system call getrandom is allowed"});
    }
    if (taken <= 0) continue;
    buf += taken;
    count -= static_cast<std::size_t>(taken);
  }
}

std::uint64_t random_uint64() {
  std::uint64_t word = 0;
  random_bytes(reinterpret_cast<seal_byte*>(&word), sizeof(word));
  return word;
}

std::shared_ptr<UniformRandomGenerator> UniformRandomGeneratorInfo::make_prng() const {
  switch (type_) {
    case prng_type::blake2xb:
      return std::make_shared<Blake2xbPRNG>(seed_);
    case prng_type::shake256:
      return std::make_shared<Shake256PRNG>(seed_);
    case prng_type::unknown:
      break;
  }
  return nullptr;
}

bool UniformRandomGeneratorInfo::has_valid_prng_type() const noexcept {
  return type_ == prng_type::unknown || type_ == prng_type::blake2xb ||
         type_ == prng_type::shake256;
}

void UniformRandomGeneratorInfo::clear() noexcept {
  type_ = prng_type::unknown;
  secure_wipe(seed_.data(), sizeof(seed_));
}

std::streamoff UniformRandomGeneratorInfo::SaveSize(compr_mode_type compr_mode) {
  return static_cast<std::streamoff>(Serialization::seal_header_size +
                                     Serialization::ComprSizeEstimate(kInfoBytes, compr_mode));
}

namespace detail {
namespace {

void load_members(std::istream& stream, UniformRandomGeneratorInfo& info) {
  const auto type = read_value<std::uint8_t>(stream);
  if (type > static_cast<std::uint8_t>(prng_type::shake256)) {
    throw_logic_error({"UniformRandomGeneratorInfo::load",
                       "a generator of type " + std::to_string(type), "types 0, 1 and 2",
                       "load what was saved, unchanged"});
  }
  info.type() = static_cast<prng_type>(type);
  read_values(stream, info.seed().data(), info.seed().size(), kWordBytes);
}

}  // namespace

std::size_t members_size(const UniformRandomGeneratorInfo&) { return kInfoBytes; }
void write_members(const UniformRandomGeneratorInfo& info, std::ostream& stream) {
  write_value(stream, info.type());
  write_values(stream, info.seed().data(), info.seed().size(), kWordBytes);
}

template <class... Input>
std::streamoff load_to(UniformRandomGeneratorInfo& target, Input&&... input) {
  UniformRandomGeneratorInfo loaded;
  const auto members = [&](std::istream& stream, SEALVersion) { load_members(stream, loaded); };
  const std::streamoff read = Serialization::Load(members, std::forward<Input>(input)..., true,
                                                  Serialization::seal_header_size + kInfoBytes);
  target = loaded;
  return read;
}

template <>
inline constexpr bool kIsSecret<UniformRandomGeneratorInfo> = true;
template class Saved<UniformRandomGeneratorInfo>;
template class LoadedAlone<UniformRandomGeneratorInfo>;

}  // namespace detail

UniformRandomGenerator::UniformRandomGenerator(prng_seed_type seed)
    : seed_(seed),
      buffer_(buffer_size_, MemoryManager::GetPool(mm_force_new, true)),
      buffer_begin_(buffer_.begin()),
      buffer_end_(buffer_.end()),
      buffer_head_(buffer_.end()) {}

UniformRandomGenerator::~UniformRandomGenerator() { secure_wipe(seed_.data(), sizeof(seed_)); }

void UniformRandomGenerator::generate(std::size_t byte_count, seal_byte* destination) {
  if (destination == nullptr && byte_count != 0) {
    throw_invalid_argument({"UniformRandomGenerator::generate", "a null destination",
                            "a destination of byte_count bytes", "pass the address of a buffer"});
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  while (byte_count != 0) {
    if (buffer_head_ == buffer_end_) {
      refill_buffer();
      buffer_head_ = buffer_begin_;
    }
    const std::size_t taken =
        std::min(byte_count, static_cast<std::size_t>(buffer_end_ - buffer_head_));
    std::copy_n(buffer_head_, taken, destination);
    buffer_head_ += taken;
    destination += taken;
    byte_count -= taken;
  }
}

std::uint32_t UniformRandomGenerator::generate() {
  std::array<seal_byte, sizeof(std::uint32_t)> bytes{};
  generate(bytes.size(), bytes.data());
  std::uint32_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | std::to_integer<std::uint32_t>(bytes[i]);
  }
  return value;
}

void UniformRandomGenerator::refresh() {
  const std::lock_guard<std::mutex> lock(mutex_);
  buffer_head_ = buffer_end_;
}

UniformRandomGeneratorFactory::~UniformRandomGeneratorFactory() {
  secure_wipe(default_seed_.data(), sizeof(default_seed_));
}

std::shared_ptr<UniformRandomGenerator> UniformRandomGeneratorFactory::create() {
  if (!use_random_seed_) return create_impl(default_seed_);
  prng_seed_type seed{};
  random_bytes(reinterpret_cast<seal_byte*>(seed.data()), sizeof(seed));
  std::shared_ptr<UniformRandomGenerator> generator = create_impl(seed);
  secure_wipe(seed.data(), sizeof(seed));
  return generator;
}

std::shared_ptr<UniformRandomGeneratorFactory> UniformRandomGeneratorFactory::DefaultFactory() {
  static const std::shared_ptr<UniformRandomGeneratorFactory> factory =
      std::make_shared<Blake2xbPRNGFactory>();
  return factory;
}

namespace detail {

template <prng_type kType>
CountingPRNG<kType>::~CountingPRNG() = default;

template <>
void CountingPRNG<prng_type::blake2xb>::refill_buffer() {
  const SeedAndCounter input(seed_, counter_++);
  blake2xb({reinterpret_cast<std::uint8_t*>(buffer_begin_), buffer_size_}, input.counter(),
           input.seed());
}

template <>
void CountingPRNG<prng_type::shake256>::refill_buffer() {
  const SeedAndCounter input(seed_, counter_++);
  shake256({reinterpret_cast<std::uint8_t*>(buffer_begin_), buffer_size_}, input.both());
}

template <class Generator>
FactoryOf<Generator>::~FactoryOf() = default;

template <class Generator>
std::shared_ptr<UniformRandomGenerator> FactoryOf<Generator>::create_impl(prng_seed_type seed) {
  return std::make_shared<Generator>(seed);
}

template class CountingPRNG<prng_type::blake2xb>;
template class CountingPRNG<prng_type::shake256>;
template class FactoryOf<Blake2xbPRNG>;
template class FactoryOf<Shake256PRNG>;

}  // namespace detail

}  // namespace ringlet::seal4
