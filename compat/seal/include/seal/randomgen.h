// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ios>
#include <iosfwd>
#include <memory>
#include <mutex>

#include "seal/dynarray.h"
#include "seal/memorymanager.h"
#include "seal/serialization.h"
#include "seal/util/defines.h"

// Generators of random bytes with a seed of 512 bits, and the record of type and seed from which
// the reader of a file makes the same generator again.

namespace ringlet::seal4 {

constexpr std::size_t prng_seed_uint64_count = 8;
constexpr std::size_t prng_seed_byte_count = prng_seed_uint64_count * sizeof(std::uint64_t);

using prng_seed_type = std::array<std::uint64_t, prng_seed_uint64_count>;

/// The type of the generator to which a stored seed belongs. A user's own generators have the type
/// unknown.
enum class RINGLET_SEAL_API prng_type : std::uint8_t { unknown = 0, blake2xb = 1, shake256 = 2 };

/// Fills a buffer from the operating system's cryptographic generator. Throws std::runtime_error if
/// that fails.
RINGLET_SEAL_API void random_bytes(seal_byte* buf, std::size_t count);

/// Returns 64 bits of random_bytes.
SEAL_NODISCARD RINGLET_SEAL_API std::uint64_t random_uint64();

class UniformRandomGenerator;

/// The type and seed of a generator.
class RINGLET_SEAL_API UniformRandomGeneratorInfo
    : public detail::Saved<UniformRandomGeneratorInfo>,
      public detail::LoadedAlone<UniformRandomGeneratorInfo> {
 public:
  UniformRandomGeneratorInfo() = default;
  UniformRandomGeneratorInfo(prng_type type, const prng_seed_type& seed) noexcept
      : type_(type), seed_(seed) {}
  UniformRandomGeneratorInfo(const UniformRandomGeneratorInfo&) = default;
  UniformRandomGeneratorInfo& operator=(const UniformRandomGeneratorInfo&) = default;

  /// Wipes the seed, from which secrets may be derived.
  ~UniformRandomGeneratorInfo() { clear(); }

  /// Returns a generator at the start of its stream; null for an unknown type.
  SEAL_NODISCARD std::shared_ptr<UniformRandomGenerator> make_prng() const;

  /// Returns true if the type is a value of prng_type; unknown is one.
  SEAL_NODISCARD bool has_valid_prng_type() const noexcept;

  SEAL_NODISCARD prng_type type() const noexcept { return type_; }
  SEAL_NODISCARD prng_type& type() noexcept { return type_; }
  SEAL_NODISCARD const prng_seed_type& seed() const noexcept { return seed_; }
  SEAL_NODISCARD prng_seed_type& seed() noexcept { return seed_; }

  bool operator==(const UniformRandomGeneratorInfo& other) const noexcept {
    return type_ == other.type_ && seed_ == other.seed_;
  }
  bool operator!=(const UniformRandomGeneratorInfo& other) const noexcept {
    return !(*this == other);
  }

  /// Sets type unknown and a seed of zeros.
  void clear() noexcept;

  /// Returns the number of bytes that save() writes: exact in mode none, an upper bound otherwise.
  SEAL_NODISCARD static std::streamoff SaveSize(
      compr_mode_type compr_mode = Serialization::compr_mode_default);

 private:
  prng_type type_ = prng_type::unknown;
  prng_seed_type seed_{};
};

/// A stream of random bytes, computed one buffer at a time. Threads may share a generator.
class RINGLET_SEAL_API UniformRandomGenerator {
 public:
  explicit UniformRandomGenerator(prng_seed_type seed);
  UniformRandomGenerator(const UniformRandomGenerator&) = delete;
  UniformRandomGenerator& operator=(const UniformRandomGenerator&) = delete;
  virtual ~UniformRandomGenerator();

  SEAL_NODISCARD prng_seed_type seed() const noexcept { return seed_; }

  /// Writes the next bytes of the stream. Throws std::invalid_argument for a null destination.
  void generate(std::size_t byte_count, seal_byte* destination);

  /// Returns the next four bytes of the stream as a little-endian number.
  SEAL_NODISCARD std::uint32_t generate();

  /// Drops the rest of the buffer: the next bytes are the first bytes of the next buffer.
  void refresh();

  SEAL_NODISCARD UniformRandomGeneratorInfo info() const noexcept {
    return UniformRandomGeneratorInfo(type(), seed_);
  }

 protected:
  SEAL_NODISCARD virtual prng_type type() const noexcept = 0;

  /// Writes the next buffer_size_ bytes of the stream from buffer_begin_ on.
  virtual void refill_buffer() = 0;

  prng_seed_type seed_;
  const std::size_t buffer_size_ = 4096;

 private:
  DynArray<seal_byte> buffer_;

 protected:
  seal_byte* const buffer_begin_;
  seal_byte* const buffer_end_;
  seal_byte* buffer_head_;

 private:
  std::mutex mutex_;
};

/// Makes generators. With a fixed seed, all generators of create() have the same stream.
class RINGLET_SEAL_API UniformRandomGeneratorFactory {
 public:
  /// Makes a factory whose generators get fresh seeds from random_bytes.
  UniformRandomGeneratorFactory() = default;

  /// Makes a factory whose generators get this seed.
  explicit UniformRandomGeneratorFactory(prng_seed_type default_seed) noexcept
      : default_seed_(default_seed), use_random_seed_(false) {}

  virtual ~UniformRandomGeneratorFactory();

  SEAL_NODISCARD std::shared_ptr<UniformRandomGenerator> create();
  SEAL_NODISCARD std::shared_ptr<UniformRandomGenerator> create(prng_seed_type seed) {
    return create_impl(seed);
  }

  /// Returns a factory of Blake2xbPRNG with random seeds; each call returns the same factory.
  static std::shared_ptr<UniformRandomGeneratorFactory> DefaultFactory();

  SEAL_NODISCARD bool use_random_seed() const noexcept { return use_random_seed_; }
  SEAL_NODISCARD const prng_seed_type& default_seed() const noexcept { return default_seed_; }

 protected:
  SEAL_NODISCARD virtual std::shared_ptr<UniformRandomGenerator> create_impl(
      prng_seed_type seed) = 0;

 private:
  prng_seed_type default_seed_{};
  bool use_random_seed_ = true;
};

namespace detail {

/// A generator whose buffer i is a function of the seed and i.
template <prng_type kType>
class RINGLET_SEAL_API CountingPRNG : public UniformRandomGenerator {
 public:
  using UniformRandomGenerator::UniformRandomGenerator;
  ~CountingPRNG() override;

 protected:
  SEAL_NODISCARD prng_type type() const noexcept override { return kType; }
  void refill_buffer() override;

 private:
  std::uint64_t counter_ = 0;
};

template <>
RINGLET_SEAL_API void CountingPRNG<prng_type::blake2xb>::refill_buffer();
template <>
RINGLET_SEAL_API void CountingPRNG<prng_type::shake256>::refill_buffer();

template <class Generator>
class RINGLET_SEAL_API FactoryOf : public UniformRandomGeneratorFactory {
 public:
  using UniformRandomGeneratorFactory::UniformRandomGeneratorFactory;
  ~FactoryOf() override;

 protected:
  SEAL_NODISCARD std::shared_ptr<UniformRandomGenerator> create_impl(prng_seed_type seed) override;
};

}  // namespace detail

/// A generator with BLAKE2Xb: buffer i of the stream is BLAKE2Xb of the 64-bit number i, keyed with
/// the seed, 4096 bytes long (J.-P. Aumasson et al., "BLAKE2X", 2016).
class RINGLET_SEAL_API Blake2xbPRNG : public detail::CountingPRNG<prng_type::blake2xb> {
  using CountingPRNG::CountingPRNG;
};
class RINGLET_SEAL_API Blake2xbPRNGFactory : public detail::FactoryOf<Blake2xbPRNG> {
  using FactoryOf::FactoryOf;
};

/// A generator with SHAKE256: buffer i of the stream is SHAKE256 of the seed followed by the 64-bit
/// number i, 4096 bytes long (FIPS 202).
class RINGLET_SEAL_API Shake256PRNG : public detail::CountingPRNG<prng_type::shake256> {
  using CountingPRNG::CountingPRNG;
};
class RINGLET_SEAL_API Shake256PRNGFactory : public detail::FactoryOf<Shake256PRNG> {
  using FactoryOf::FactoryOf;
};

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
