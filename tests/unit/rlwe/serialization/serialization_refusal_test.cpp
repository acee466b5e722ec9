// SPDX-License-Identifier: Apache-2.0
// Forbidden contents of files, and the parts that messages name.
#include <zstd.h>

#include "support/ringlet_files.hpp"
#include "unit/rlwe/hostile_objects.hpp"

namespace ringlet::test {
namespace {

constexpr std::size_t kPayload = kFrameHeader;

template <typename T>
void expect_refused(const Objects& objects, ByteVector file,
                    std::initializer_list<std::string> parts) {
  mend(file);
  expect_refusal([&] { load<T>(objects.context, file); }, load_operation<T>(), parts);
}

ByteVector with_number(ByteVector file, std::size_t at, std::uint64_t value, std::size_t size = 8) {
  set_number(file, at, value, size);
  return file;
}

ByteVector with_parms_id(ByteVector file, const ParmsId& id) {
  for (std::size_t i = 0; i < id.size(); ++i) set_number(file, 16 + 8 * i, id[i]);
  return file;
}

class Refusals : public ::testing::Test {
 protected:
  void refuse(const ByteVector& bad, std::initializer_list<std::string> parts) const {
    expect_refused<Ciphertext>(ckks, bad, parts);
  }

  const Objects ckks{tiny_context(SchemeType::ckks)};
  const Objects bgv{tiny_context(SchemeType::bgv)};
  const ByteVector file = save(ckks.encrypted);
};

TEST_F(Refusals, OtherFilesAreNamed) {
  ByteVector other = file;
  other[1] = std::byte{'X'};
  refuse(other, {"do not start like a file of Ringlet"});
  refuse(save(ckks.public_key), {"a public key, type 4", "a ciphertext, type 3"});
  refuse(with_number(file, 8, 77, 2), {"an object of unknown type, type 77"});
  expect_refused<PublicKey>(ckks, file, {"a ciphertext", "a public key"});
}

TEST_F(Refusals, NewerVersionsAreReadWhereTheySayThatTheyCanBe) {
  ByteVector newer = with_number(file, 10, 9, 2);
  mend(newer);
  EXPECT_TRUE(same(load<Ciphertext>(ckks.context, newer), ckks.encrypted));
  refuse(with_number(newer, 12, 2, 2), {"format version 9, for readers of version 2", "newer one"});
  refuse(with_number(file, 10, 0, 2), {"version 0"});
  refuse(with_number(file, 12, 0, 2), {"oldest reader 0"});
}

TEST_F(Refusals, UnknownFlags) {
  for (int bit = 0; bit < 16; ++bit) {
    ByteVector flagged = with_number(file, 14, std::uint64_t{1} << bit, 2);
    mend(flagged);
    EXPECT_TRUE(is_refused([&] { load<Ciphertext>(ckks.context, flagged); })) << bit;
  }
  refuse(with_number(file, 14, 4, 2), {"flags 0x4 of a ciphertext", "0x3"});
  // Directories are never compressed, plaintexts and directories never seeded.
  expect_refused<GaloisKeys>(ckks, with_number(save(ckks.galois_keys), 14, 1, 2), {"flags 0x1"});
  expect_refused<Plaintext>(ckks, with_number(save(ckks.plain), 14, 2, 2), {"flags 0x2"});
}

TEST_F(Refusals, OtherParameters) {
  const std::string theirs = to_string(ckks.encrypted.parms_id()).substr(0, 16);
  expect_refused<Ciphertext>(
      bgv, file,
      {"a ciphertext of identifier " + theirs, to_string(bgv.context.key_parms_id()).substr(0, 16),
       "bgv, N = ", "file of parameters"});
  EncryptionParameters parms = ckks.context.parms();
  const Context stricter(parms, SecurityLevel::none, SecurityTable::he_standard_2018);
  EXPECT_EQ(stricter.key_parms_id(), ckks.context.key_parms_id()) << "no table at level none";
  parms.set_digit_size(2);
  const auto primes = CoeffModulus::create(4, {36, 40, 49, 50});
  parms.set_coeff_modulus({primes[0], primes[1]}, {primes[2], primes[3]});
  expect_refusal([&] { load<Ciphertext>(context_of(parms), file); }, "load Ciphertext", {theirs});
  expect_refused<PublicKey>(bgv, save(ckks.public_key), {"a public key of identifier"});
  const auto secret = save_secret_key(ckks.context, ckks.keygen.secret_key());
  expect_refusal([&] { load_secret_key(bgv.context, secret); }, "load_secret_key",
                 {"a secret key of identifier"});
}

TEST_F(Refusals, KeysLiveAtTheKeyLevelAndMessagesBelow) {
  refuse(with_parms_id(file, ckks.context.key_parms_id()),
         {"level 2, the key level", "data levels, 0 to 1"});
  expect_refused<PublicKey>(ckks,
                            with_parms_id(save(ckks.public_key), ckks.context.first_parms_id()),
                            {"level 1", "key level"});
}

TEST_F(Refusals, ResiduesAreBelowTheirPrimes) {
  const auto& primes = ckks.context.first_context_data()->coeff_modulus();
  const std::size_t words = kPayload + 48;
  for (const std::size_t limb : {0, 1}) {
    const std::uint64_t q = primes[limb].value();
    const std::size_t at = words + 8 * (4 * limb + 3);
    ByteVector good = with_number(file, at, q - 1);
    mend(good);
    EXPECT_NO_THROW(load<Ciphertext>(ckks.context, good));
    for (const std::uint64_t bad : Words{q, q + 1, ~0ull}) {
      refuse(with_number(file, at, bad), {"residue at place 3", "below " + std::to_string(q)});
    }
  }
}

TEST_F(Refusals, CoefficientsAreBelowThePlainModulus) {
  const ByteVector plain = save(bgv.plain);
  const std::uint64_t t = bgv.context.plain_modulus().value();
  for (const std::uint64_t bad : Words{t, t + 1, ~0ull}) {
    expect_refused<Plaintext>(bgv, with_number(plain, kPayload + 24 + 8, bad),
                              {"coefficient at place 1"});
  }
  expect_refused<Plaintext>(ckks, plain, {"in scheme ckks"});
  expect_refused<Plaintext>(bgv, save(Plaintext(5)), {"at most"});
}

TEST_F(Refusals, ScalesAndCorrectionFactorsAreThoseOfTheScheme) {
  constexpr std::size_t kScaleAt = kPayload + 32;
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  const double past =
      std::ldexp(1.0, ckks.context.first_context_data()->total_coeff_modulus_bit_count());
  ByteVector good = with_number(file, kScaleAt, bits(std::nextafter(past, 1.0)));
  mend(good);
  EXPECT_NO_THROW(load<Ciphertext>(ckks.context, good));
  for (const double scale : {0.0, -1.0, past, 1e308, HUGE_VAL, std::nan(""),
                             std::numeric_limits<double>::denorm_min()}) {
    refuse(with_number(file, kScaleAt, bits(scale)), {"has scale"});
  }
  const ByteVector other = save(bgv.encrypted);
  expect_refused<Ciphertext>(bgv, with_number(other, kScaleAt, bits(2.0)), {"has scale 2"});
  for (const std::uint64_t factor : Words{0, bgv.context.plain_modulus().value()}) {
    expect_refused<Ciphertext>(bgv, with_number(other, kScaleAt + 8, factor),
                               {"correction factor"});
  }
  refuse(with_number(file, kScaleAt + 8, 2), {"correction factor 2"});
}

TEST_F(Refusals, PayloadsThatAreNotCompressedHaveTheLengthThatTheySay) {
  const std::uint64_t raw = number_at(file, 56);
  ASSERT_EQ(number_at(file, 48), raw);
  for (const std::int64_t by : {-8, -1, 1, 8}) {
    const std::uint64_t stored = raw + static_cast<std::uint64_t>(by);
    ByteVector changed = with_number(file, 48, stored);
    changed.resize(kPayload + stored);
    refuse(changed,
           {std::to_string(stored) + " bytes for a payload of", "exactly " + std::to_string(raw)});
  }
}

TEST_F(Refusals, SizesAreCheckedBeforeAnythingIsAllocated) {
  for (const std::uint64_t huge :
       Words{1ull << 20, 1ull << 32, 1ull << 61, 1ull << 63, ~0ull, ~0ull - 95}) {
    for (const std::size_t at : {48, 56}) {
      refuse(with_number(file, at, huge), {});
    }
    ByteVector both = with_number(with_number(file, 48, huge), 56, huge);
    refuse(both, {"at most"});
    // Products of size, primes and degree overflow.
    for (const std::size_t at : {8, 16, 24}) {
      refuse(with_number(file, kPayload + at, huge), {std::to_string(huge)});
    }
    const ByteVector keys = save(ckks.galois_keys);
    for (const std::size_t at : {0, 8, 16, 24}) {
      expect_refused<GaloisKeys>(ckks, with_number(keys, kPayload + at, huge),
                                 {std::to_string(huge)});
    }
    ByteVector parms = save(SavedParameters::of(bgv.context));
    for (const std::size_t at : {0, 8, 16, 24, 32, 40, 48, 56, 64}) {
      if (at == 16 && huge < std::uint64_t{1} << 60) continue;  // a valid plain modulus
      ByteVector changed = with_number(parms, kPayload + at, huge);
      mend(changed);
      EXPECT_TRUE(is_refused([&] { load_parameters(changed, SecurityLevel::none); }))
          << at << ": " << huge;
    }
  }
}

TEST_F(Refusals, APayloadThatIsNotThereCostsNothing) {
  const Context large = file_context(SchemeType::ckks, 32768);
  ByteVector header =
      with_parms_id({file.begin(), file.begin() + kFrameHeader}, large.first_parms_id());
  constexpr std::uint64_t kBytes = 48 + 16 * 3 * 32768 * 8;
  set_number(header, 48, kBytes);
  set_number(header, 56, kBytes);
  auto stream = stream_of(header);
  expect_refusal<RuntimeError>([&] { load<Ciphertext>(large, stream); }, "load Ciphertext",
                               {"after 0 of " + std::to_string(kBytes)});
}

// The file with a Zstandard frame instead of its payload.
ByteVector with_zstd(const ByteVector& file, std::span<const char> frame, std::size_t raw_bytes) {
  ByteVector forged(kFrameHeader + frame.size());
  std::copy_n(file.begin(), kFrameHeader, forged.begin());
  const auto content = std::as_bytes(frame);
  std::copy(content.begin(), content.end(), forged.begin() + kFrameHeader);
  set_number(forged, 14, 1, 2);
  set_number(forged, 48, frame.size());
  set_number(forged, 56, raw_bytes);
  mend(forged);
  return forged;
}

std::string zstd_frame(const std::string& content, int window_log = 0) {
  std::string frame(ZSTD_compressBound(content.size()), '\0');
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 3);
  if (window_log != 0) {
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  }
  ZSTD_inBuffer input{content.data(), content.size(), 0};
  ZSTD_outBuffer output{frame.data(), frame.size(), 0};
  // A single step would write the size of the content as the window into the frame's header.
  while (window_log != 0 && input.pos < input.size) {
    ZSTD_compressStream2(context, &output, &input, ZSTD_e_continue);
  }
  EXPECT_EQ(ZSTD_compressStream2(context, &output, &input, ZSTD_e_end), 0u);
  ZSTD_freeCCtx(context);
  frame.resize(output.pos);
  return frame;
}

TEST_F(Refusals, DecompressionBombs) {
  const std::size_t raw_bytes = file.size() - kFrameHeader;
  const std::string payload = as_text(file).substr(kFrameHeader);
  EXPECT_TRUE(same(load<Ciphertext>(ckks.context, with_zstd(file, zstd_frame(payload), raw_bytes)),
                   ckks.encrypted));
  const std::string zeros(std::size_t{16} << 20, '\0');
  const std::string bomb = zstd_frame(payload + zeros);
  refuse(with_zstd(file, bomb, raw_bytes), {});
  refuse(with_zstd(file, bomb, raw_bytes + zeros.size()), {"at most"});
  const std::string small_bomb = zstd_frame(payload + std::string(4000, '\0'));
  refuse(with_zstd(file, small_bomb, raw_bytes), {"bytes follow the Zstandard frame"});
  // A second frame or other bytes follow the first frame.
  const std::string frame = zstd_frame(payload);
  refuse(with_zstd(file, frame + zstd_frame(""), raw_bytes), {"bytes follow"});
  refuse(with_zstd(file, frame + "x", raw_bytes), {"bytes follow"});
  refuse(with_zstd(file, std::span(frame).first(frame.size() - 1), raw_bytes), {});
  refuse(with_zstd(file, zstd_frame(payload.substr(0, payload.size() - 1)), raw_bytes),
         {"cannot be read to its end"});
}

TEST_F(Refusals, CompressionWithTooLongAMemory) {
  const std::size_t raw_bytes = file.size() - kFrameHeader;
  const std::string payload = as_text(file).substr(kFrameHeader);
  EXPECT_NO_THROW(
      load<Ciphertext>(ckks.context, with_zstd(file, zstd_frame(payload, 20), raw_bytes)));
  for (const int window_log : {21, 27}) {
    refuse(with_zstd(file, zstd_frame(payload, window_log), raw_bytes), {"2^20 bytes of history"});
  }
}

TEST_F(Refusals, TransparentObjects) {
  ByteVector transparent = file;
  std::fill(transparent.begin() + kPayload + 48 + 64, transparent.end(), std::byte{0});
  refuse(transparent, {"transparent"});
  ByteVector key = save(PublicKey(ckks.context, ckks.public_key.data()));
  std::fill(key.begin() + kPayload + 16 + 96, key.end(), std::byte{0});
  expect_refused<PublicKey>(ckks, key, {"nothing is encrypted"});
}

TEST_F(Refusals, SecretKeysAreTernary) {
  const auto saved = save_secret_key(ckks.context, ckks.keygen.secret_key());
  ByteVector bad(saved.begin(), saved.end());
  bad.back() |= std::byte{0xc0};
  mend(bad);
  expect_refusal([&] { load_secret_key(ckks.context, bad); }, "load_secret_key", {"not ternary"});
}

TEST_F(Refusals, ObjectsThatHoldNothing) {
  expect_refusal([] { save(Ciphertext()); }, "save", {"a ciphertext that holds"});
  expect_refusal([] { save(PublicKey()); }, "save", {"a public key that holds"});
  expect_refusal([] { save(RelinKeys()); }, "save", {"relinearization keys"});
  expect_refusal([] { save(GaloisKeys()); }, "save", {"Galois keys"});
  expect_refusal([&] { save_secret_key(ckks.context, SecretKey()); }, "save_secret_key", {"empty"});
  expect_refusal([] { save(SavedParameters()); }, "save", {"scheme"});
  std::ostringstream untouched;
  EXPECT_THROW(save(Ciphertext(), untouched), InvalidArgument);
  EXPECT_TRUE(untouched.str().empty());
}

TEST_F(Refusals, StreamsThatFail) {
  std::ostringstream output;
  output.setstate(std::ios::badbit);
  expect_refusal<RuntimeError>([&] { save(ckks.encrypted, output); }, "save", {"did not accept"});
  std::ostringstream throwing;
  throwing.setstate(std::ios::failbit);
  EXPECT_THROW(throwing.exceptions(std::ios::failbit | std::ios::badbit), std::ios_base::failure);
  expect_refusal<RuntimeError>([&] { save(ckks.encrypted, throwing); }, "save", {"did not accept"});
  auto input = stream_of(std::span(file).first(100));
  input.exceptions(std::ios::failbit | std::ios::eofbit);
  expect_refusal<RuntimeError>([&] { load<Ciphertext>(ckks.context, input); }, "load Ciphertext",
                               {"the input ends"});
}

TEST_F(Refusals, SetsOfKeysNameTheKeyThatIsDamaged) {
  ByteVector keys = save(ckks.galois_keys);
  const std::size_t second = number_at(keys, kPayload + 8 + 24 + 8);
  keys[second + kFrameHeader + 50] ^= std::byte{1};
  expect_refusal([&] { load<GaloisKeys>(ckks.context, keys); }, "load GaloisKeys",
                 {"the key of Galois element 7 at offset " + std::to_string(second), "checksum"});
  // A good key takes the place of another.
  ByteVector swapped = save(ckks.galois_keys);
  const std::size_t first = number_at(swapped, kPayload + 8 + 8);
  std::copy_n(swapped.begin() + static_cast<std::ptrdiff_t>(first), swapped.size() - second,
              swapped.begin() + static_cast<std::ptrdiff_t>(second));
  expect_refusal([&] { load<GaloisKeys>(ckks.context, swapped); }, "load GaloisKeys",
                 {"the key of Galois element 7", "index 3"});
  const ByteVector relin = save(ckks.relin_keys);
  expect_refusal<RuntimeError>(
      [&] { load<RelinKeys>(ckks.context, std::span(relin).first(relin.size() - 1)); },
      "load RelinKeys", {"the key of the secret's power 2"});
}

TEST(RefusalsWithoutKeySwitching, SetsOfKeys) {
  const Context context = toy_context(4, {36});
  ByteVector keys =
      with_parms_id(save(RelinKeys(tiny_context(SchemeType::ckks), {})), context.key_parms_id());
  mend(keys);
  expect_refusal([&] { load<RelinKeys>(context, keys); }, "load RelinKeys",
                 {"without special primes"});
}

}  // namespace
}  // namespace ringlet::test
