// SPDX-License-Identifier: Apache-2.0
// Calls HEXL as a library whose residues have type long, with transforms by the smallest root.
#include <mutex>
#include <unordered_map>

#include "check.hpp"
#include "hexl/hexl.hpp"

namespace {

using intel::hexl::NTT;

NTT& transform(std::uint64_t degree, std::uint64_t q) {
  static std::unordered_map<std::pair<std::uint64_t, std::uint64_t>, NTT, PairHash> table;
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  const std::pair key{degree, q};
  const auto found = table.find(key);
  return found != table.end() ? found->second : table.emplace(key, NTT(degree, q)).first->second;
}

std::uint64_t* words(std::vector<long>& v) { return reinterpret_cast<std::uint64_t*>(v.data()); }
const std::uint64_t* words(const std::vector<long>& v) {
  return reinterpret_cast<const std::uint64_t*>(v.data());
}
std::vector<long> longs(const Words& v) { return std::vector<long>(v.begin(), v.end()); }

void product(long n, long q) {
  const auto modulus = static_cast<std::uint64_t>(q);
  const Words a = random_words(static_cast<std::size_t>(n), modulus);
  const Words b = random_words(static_cast<std::size_t>(n), modulus);
  const std::vector<long> x = longs(a);
  const std::vector<long> y = longs(b);
  std::vector<long> u(x.size());
  std::vector<long> v(x.size());
  transform(n, q).ComputeForward(words(u), words(x), 4, 1);
  transform(n, q).ComputeForward(words(v), words(y), 4, 1);
  intel::hexl::EltwiseMultMod(words(u), words(u), words(v), n, q, 1);
  transform(n, q).ComputeInverse(words(v), words(u), 2, 1);
  const Words expected = schoolbook_product(a, b, modulus);
  check(all_are(v, [&](std::size_t i) { return static_cast<long>(expected[i]); }),
        "product out of place, factors (4, 1) and (2, 1)");
}

void arithmetic(long n, long q) {
  const auto modulus = static_cast<std::uint64_t>(q);
  const Words a = random_words(static_cast<std::size_t>(n), modulus);
  const std::vector<long> x = longs(a);
  const long scalar = q - 2;
  std::vector<long> result(x.size());
  const auto expect = [&](auto element, const char* what) {
    check(all_are(result, [&](std::size_t i) { return static_cast<long>(element(a[i])); }), what);
  };
  intel::hexl::EltwiseAddMod(words(result), words(x), scalar, n, q);
  expect([&](auto e) { return plus(e, modulus - 2, modulus); }, "add a long");
  intel::hexl::EltwiseSubMod(words(result), words(x), scalar, n, q);
  expect([&](auto e) { return minus(e, modulus - 2, modulus); }, "subtract a long");
  intel::hexl::EltwiseAddMod(words(result), words(x), words(x), n, q);
  expect([&](auto e) { return plus(e, e, modulus); }, "add longs");
  intel::hexl::EltwiseSubMod(words(result), words(result), words(x), n, q);
  expect([&](auto e) { return e; }, "subtract longs");
  const std::vector<std::uint64_t> repeated(x.size(), modulus - 2);
  intel::hexl::EltwiseMultMod(words(result), words(x), repeated.data(), n, q, 1);
  expect([&](auto e) { return times(e, modulus - 2, modulus); }, "multiply by a repeated scalar");
}

}  // namespace

void call_as_helib() {
  for (const long n : {32L, 128L}) {
    const auto q = static_cast<long>(
        intel::hexl::GeneratePrimes(1, 54, false, static_cast<std::size_t>(n))[0]);
    product(n, q);
    arithmetic(n - 1, q);
  }
}
