// SPDX-License-Identifier: Apache-2.0
#include "ringlet/rlwe/parameter_sets.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "rlwe/scheme_traits.hpp"

namespace ringlet {
namespace {

constexpr const char* kDefaultParameters = "default_parameters";
constexpr int kPrimeBits = 49;
constexpr int kScaleBits = 40;
constexpr int kPlainModulusBits = 20;
constexpr int kLeastForKeySwitching = 60;

/// Bit sizes of primes: data primes, then special ones.
struct Sizes {
  std::vector<int> data;
  std::vector<int> special;
};

std::size_t special_count(std::size_t prime_count) {
  return prime_count < 2 ? 0 : std::max<std::size_t>(1, (prime_count + 2) / 5);
}

// Returns the sizes of as few primes as the bits allow, two sizes at most; larger ones are special.
Sizes equal_sizes(int bits) {
  if (bits < kLeastForKeySwitching) return {{std::min(bits, kPrimeBits)}, {}};
  const int count = (bits + kPrimeBits - 1) / kPrimeBits;
  std::vector<int> all(static_cast<std::size_t>(count), bits / count);
  for (int i = count - bits % count; i < count; ++i) ++all[static_cast<std::size_t>(i)];
  const auto special = all.end() - static_cast<std::ptrdiff_t>(special_count(all.size()));
  return {{all.begin(), special}, {special, all.end()}};
}

Sizes ckks_sizes(int bits) {
  if (bits < 2 * kPrimeBits + kScaleBits) return equal_sizes(bits);
  Sizes sizes{{kPrimeBits}, {kPrimeBits}};
  int rest = bits - 2 * kPrimeBits;
  while (rest >= kScaleBits) {
    const std::size_t count = sizes.data.size() + sizes.special.size() + 1;
    if (sizes.special.size() < special_count(count)) {
      if (rest < kPrimeBits) break;
      sizes.special.push_back(kPrimeBits);
      rest -= kPrimeBits;
    } else {
      sizes.data.push_back(kScaleBits);
      rest -= kScaleBits;
    }
  }
  return sizes;
}

void check_entry(std::size_t degree, SecurityLevel level, int bits, const std::string& table) {
  if (bits > 0 && level != SecurityLevel::none) return;
  refuse(concat("degree = ", degree, ", level ", to_string(level)),
         concat("an entry of table ", table), "choose a degree and a level that the table has");
}

EncryptionParameters parameters_of(SchemeType scheme, const RingSpec& ring, const Sizes& sizes) {
  std::vector<int> all = sizes.data;
  all.insert(all.end(), sizes.special.begin(), sizes.special.end());
  const std::vector<Modulus> primes = CoeffModulus::create(ring, all);
  const auto special = primes.begin() + static_cast<std::ptrdiff_t>(sizes.data.size());
  EncryptionParameters parms(scheme);
  parms.set_ring(ring);
  parms.set_coeff_modulus({primes.begin(), special}, {special, primes.end()});
  return parms;
}

/// One entry of SEAL's defaults.
struct SealEntry {
  SecurityLevel level;
  std::size_t degree;
  std::vector<std::uint64_t> primes;
};

// Part of an interface: programs on both sides of a file choose the same primes by name.
const std::vector<SealEntry>& seal_entries() {
  using enum SecurityLevel;
  static const std::vector<SealEntry> kEntries = {
      {tc128, 1024, {0x7e00001}},
      {tc128, 2048, {0x3fffffff000001}},
      {tc128, 4096, {0xffffee001, 0xffffc4001, 0x1ffffe0001}},
      {tc128, 8192, {0x7fffffd8001, 0x7fffffc8001, 0xfffffffc001, 0xffffff6c001, 0xfffffebc001}},
      {tc128,
       16384,
       {0xfffffffd8001, 0xfffffffa0001, 0xfffffff00001, 0x1fffffff68001, 0x1fffffff50001,
        0x1ffffffee8001, 0x1ffffffea0001, 0x1ffffffe88001, 0x1ffffffe48001}},
      {tc128,
       32768,
       {0x7fffffffe90001, 0x7fffffffbf0001, 0x7fffffffbd0001, 0x7fffffffba0001, 0x7fffffffaa0001,
        0x7fffffffa50001, 0x7fffffff9f0001, 0x7fffffff7e0001, 0x7fffffff770001, 0x7fffffff380001,
        0x7fffffff330001, 0x7fffffff2d0001, 0x7fffffff170001, 0x7fffffff150001, 0x7ffffffef00001,
        0xfffffffff70001}},
      {tc192, 1024, {0x7f001}},
      {tc192, 2048, {0x1ffffc0001}},
      {tc192, 4096, {0x1ffc001, 0x1fce001, 0x1fc0001}},
      {tc192, 8192, {0x3ffffac001, 0x3ffff54001, 0x3ffff48001, 0x3ffff28001}},
      {tc192,
       16384,
       {0x3ffffffdf0001, 0x3ffffffd48001, 0x3ffffffd20001, 0x3ffffffd18001, 0x3ffffffcd0001,
        0x3ffffffc70001}},
      {tc192,
       32768,
       {0x3fffffffd60001, 0x3fffffffca0001, 0x3fffffff6d0001, 0x3fffffff5d0001, 0x3fffffff550001,
        0x7fffffffe90001, 0x7fffffffbf0001, 0x7fffffffbd0001, 0x7fffffffba0001, 0x7fffffffaa0001,
        0x7fffffffa50001}},
      {tc256, 1024, {0x3001}},
      {tc256, 2048, {0x1ffc0001}},
      {tc256, 4096, {0x3ffffffff040001}},
      {tc256, 8192, {0x7ffffec001, 0x7ffffb0001, 0xfffffdc001}},
      {tc256,
       16384,
       {0x7ffffffc8001, 0x7ffffff00001, 0x7fffffe70001, 0xfffffffd8001, 0xfffffffa0001}},
      {tc256,
       32768,
       {0xffffffff00001, 0x1fffffffe30001, 0x1fffffffd80001, 0x1fffffffd10001, 0x1fffffffc50001,
        0x1fffffffbf0001, 0x1fffffffb90001, 0x1fffffffb60001, 0x1fffffffa50001}},
  };
  return kEntries;
}

}  // namespace

EncryptionParameters default_parameters(SchemeType scheme, std::size_t degree, SecurityLevel level,
                                        SecurityTable table) {
  const rlwe::SchemeTraits traits =
      public_entry(kDefaultParameters, [&] { return rlwe::checked_traits(scheme); });
  // Degrees between powers of two have limits in a table, but no ring X^N + 1.
  const int bits = std::has_single_bit(degree) ? max_modulus_bits(degree, level, table) : 0;
  public_entry(kDefaultParameters, [&] { check_entry(degree, level, bits, to_string(table)); });
  const RingSpec ring = RingSpec::power_of_two(degree);
  EncryptionParameters parms =
      parameters_of(scheme, ring, traits.has_scale ? ckks_sizes(bits) : equal_sizes(bits));
  if (traits.has_plain_modulus) {
    parms.set_plain_modulus(bits < kLeastForKeySwitching
                                ? Modulus(2)
                                : PlainModulus::batching(degree, kPlainModulusBits));
  }
  return parms;
}

EncryptionParameters default_parameters(SchemeType scheme, const RingSpec& ring,
                                        const Modulus& plain_modulus, SecurityLevel level,
                                        SecurityTable table) {
  public_entry(kDefaultParameters, [&] {
    if (!rlwe::checked_traits(scheme).has_scale) return;
    refuse(concat("scheme = ", to_string(scheme)), "bfv or bgv, the schemes with a plain modulus",
           "pass a degree instead of a ring and a plain modulus");
  });
  const int bits = max_modulus_bits(ring.degree(), level, table);
  public_entry(kDefaultParameters,
               [&] { check_entry(ring.degree(), level, bits, to_string(table)); });
  EncryptionParameters parms = parameters_of(scheme, ring, equal_sizes(bits));
  parms.set_plain_modulus(plain_modulus);
  return parms;
}

std::vector<Modulus> seal_default_primes(std::size_t degree, SecurityLevel level) {
  const auto& entries = seal_entries();
  const auto entry = std::ranges::find_if(entries, [&](const SealEntry& candidate) {
    return candidate.degree == degree && candidate.level == level;
  });
  public_entry("seal_default_primes", [&] {
    check_entry(degree, level, entry == entries.end() ? 0 : 1, "he_standard_2018");
  });
  return {entry->primes.begin(), entry->primes.end()};
}

}  // namespace ringlet
