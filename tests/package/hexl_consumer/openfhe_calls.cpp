// SPDX-License-Identifier: Apache-2.0
// Calls HEXL as a library that stores its data in aligned vectors, works in place with factor 1 and
// keeps transforms in a map by length and modulus.
#include <mutex>
#include <unordered_map>
#include <utility>

#include "check.hpp"
#include "hexl/hexl.hpp"

namespace {

using intel::hexl::AlignedVector64;
using intel::hexl::CMPINT;
using intel::hexl::NTT;

/// Residues together with their modulus q.
class Residues {
 public:
  Residues(const Words& words, std::uint64_t q) : data_(words.begin(), words.end()), q_(q) {}

  void add(std::uint64_t b) {
    intel::hexl::EltwiseAddMod(data(), data(), b >= q_ ? b % q_ : b, data_.size(), q_);
  }
  void add(const Residues& b) {
    intel::hexl::EltwiseAddMod(data(), data(), b.data_.data(), data_.size(), q_);
  }
  void multiply(std::uint64_t b) {
    intel::hexl::EltwiseFMAMod(data(), data(), b >= q_ ? b % q_ : b, nullptr, data_.size(), q_, 1);
  }
  void multiply(const Residues& b) {
    intel::hexl::EltwiseMultMod(data(), data(), b.data_.data(), data_.size(), q_, 1);
  }
  /// Switches to the modulus `to`, from representatives in (-q/2, q/2].
  void switch_modulus(std::uint64_t to) {
    const std::uint64_t half = q_ >> 1;
    if (to > q_) {
      intel::hexl::EltwiseCmpAdd(data(), data(), data_.size(), CMPINT::NLE, half, to - q_);
    } else {
      intel::hexl::EltwiseCmpSubMod(data(), data(), data_.size(), to, CMPINT::NLE, half,
                                    (q_ - to) % to);
    }
    q_ = to;
  }
  /// Switches to the modulus `to`, from representatives in [0, q).
  void switch_modulus_lazily(std::uint64_t to) {
    q_ = to;
    intel::hexl::EltwiseReduceMod(data(), data(), data_.size(), to, 1, 1);
  }
  void forward(bool renew = false) { plan(renew).ComputeForward(data(), data(), 1, 1); }
  void inverse() { plan(false).ComputeInverse(data(), data(), 1, 1); }

  const AlignedVector64<std::uint64_t>& words() const { return data_; }

 private:
  NTT& plan(bool renew) {
    static std::unordered_map<std::pair<std::uint64_t, std::uint64_t>, NTT, PairHash> plans;
    static std::mutex mutex;
    const std::pair<std::uint64_t, std::uint64_t> key{data_.size(), q_};
    const std::lock_guard<std::mutex> lock(mutex);
    auto found = plans.find(key);
    if (renew || found == plans.end()) {
      NTT made(data_.size(), q_, intel::hexl::MinimalPrimitiveRoot(2 * data_.size(), q_));
      plans[key] = std::move(made);
      found = plans.find(key);
    }
    return found->second;
  }

  std::uint64_t* data() { return &data_[0]; }

  AlignedVector64<std::uint64_t> data_;
  std::uint64_t q_;
};

void arithmetic(std::size_t n, std::uint64_t q) {
  const Words a = random_words(n, q);
  const Words b = random_words(n, q);
  const std::uint64_t s = generator()();
  Residues x(a, q);
  x.add(s);
  check(all_are(x.words(), [&](std::size_t i) { return plus(a[i], s, q); }), "add a number");
  x.multiply(s);
  check(all_are(x.words(), [&](std::size_t i) { return times(plus(a[i], s, q), s % q, q); }),
        "multiply by a number");
  Residues y(a, q);
  y.add(Residues(b, q));
  y.multiply(Residues(b, q));
  check(all_are(y.words(), [&](std::size_t i) { return times(plus(a[i], b[i], q), b[i], q); }),
        "add and multiply in place, factor 1");
}

void transforms(std::size_t n, std::uint64_t q) {
  const Words a = random_words(n, q);
  const Words b = random_words(n, q);
  Residues x(a, q);
  Residues y(b, q);
  x.forward();
  y.forward(true);
  x.multiply(y);
  x.inverse();
  const Words expected = schoolbook_product(a, b, q);
  check(all_are(x.words(), [&](std::size_t i) { return expected[i]; }), "product, factors (1, 1)");
}

void moduli(std::size_t n, std::uint64_t q, std::uint64_t other) {
  const Words a = random_words(n, q);
  const auto centred = [&](std::size_t i) {
    return a[i] > q / 2 ? minus(0, (q - a[i]) % other, other) : a[i] % other;
  };
  Residues x(a, q);
  x.switch_modulus(other);
  check(all_are(x.words(), centred), "switched modulus");
  Residues y(a, q);
  y.switch_modulus_lazily(other);
  check(all_are(y.words(), [&](std::size_t i) { return a[i] % other; }),
        "(1, 1) in place reduces any words");
  AlignedVector64<std::uint64_t> words(n, ~std::uint64_t{0});
  intel::hexl::EltwiseReduceMod(words.data(), words.data(), n, q, 1, 1);
  check(all_are(words, [&](std::size_t) { return ~std::uint64_t{0} % q; }),
        "(1, 1) in place reduces the largest word");
}

}  // namespace

void call_as_openfhe() {
  for (const std::size_t n : {16, 128}) {
    const std::uint64_t small = intel::hexl::GeneratePrimes(1, 44, true, n)[0];
    const std::uint64_t large = intel::hexl::GeneratePrimes(1, 59, false, n)[0];
    for (const std::uint64_t q : {small, large}) {
      arithmetic(n + 1, q);
      transforms(n, q);
    }
    moduli(n + 1, small, large);
    moduli(n + 1, large, small);
    moduli(n + 1, 3 * small, small);  // the difference is 0 modulo the new modulus
  }
}
