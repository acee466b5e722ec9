// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <ios>
#include <iosfwd>
#include <vector>

#include "seal/context.h"
#include "seal/encryptionparams.h"
#include "seal/memorymanager.h"
#include "seal/publickey.h"
#include "seal/serialization.h"
#include "seal/util/defines.h"

namespace ringlet::seal4 {

/// Keys that turn what is encrypted under other secrets s' into an encryption under s. Entry i is
/// empty or has one pair for each data prime: pair j is an encryption of zero at the key level to
/// whose first polynomial P*s' was added modulo prime j, P the special prime. What an index stands
/// for is up to RelinKeys and GaloisKeys.
class RINGLET_SEAL_API KSwitchKeys {
 public:
  /// No keys.
  KSwitchKeys() = default;

  /// Number of entries that are not empty.
  std::size_t size() const noexcept;
  /// All entries.
  std::vector<std::vector<PublicKey>>& data() noexcept { return keys_; }
  const std::vector<std::vector<PublicKey>>& data() const noexcept { return keys_; }
  /// Entry `index`.
  /// @throws std::invalid_argument if there is none or it is empty.
  const std::vector<PublicKey>& data(std::size_t index) const;

  parms_id_type& parms_id() noexcept { return parms_id_; }
  const parms_id_type& parms_id() const noexcept { return parms_id_; }
  MemoryPoolHandle pool() const noexcept { return pool_; }

  /// Bytes that save() writes: exact for compr_mode_type::none, otherwise an upper bound.
  /// @throws std::invalid_argument for a mode that this build does not have; std::logic_error if
  ///         the size does not fit.
  std::streamoff save_size(compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  /// Writes the keys and returns the number of bytes.
  /// @throws std::invalid_argument for a mode that this build does not have, a null buffer or one
  ///         of less than 16 bytes; std::runtime_error if the stream fails or the buffer is full.
  std::streamoff save(std::ostream& stream,
                      compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  std::streamoff save(seal_byte* buffer, std::size_t size,
                      compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  /// Reads keys, seeded ones too, leaves the stream behind them and returns the number of bytes.
  /// The keys must be valid for `context` (is_valid_for). After an exception this object is as
  /// before. Sizes are checked against the context before memory is taken.
  /// @throws std::invalid_argument if the context's parameters are not valid, the buffer is null or
  ///         has less than 16 bytes, or a length exceeds what there is; std::logic_error if the
  ///         data are not valid keys; std::runtime_error if the data ends early.
  std::streamoff load(const SEALContext& context, std::istream& stream);
  std::streamoff load(const SEALContext& context, const seal_byte* in, std::size_t size);
  /// load() without the check that the words are reduced.
  std::streamoff unsafe_load(const SEALContext& context, std::istream& stream);
  std::streamoff unsafe_load(const SEALContext& context, const seal_byte* in, std::size_t size);

 private:
  MemoryPoolHandle pool_ = MemoryManager::GetPool();
  parms_id_type parms_id_ = parms_id_zero;
  std::vector<std::vector<PublicKey>> keys_;
};

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
