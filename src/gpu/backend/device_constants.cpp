// SPDX-License-Identifier: Apache-2.0
#include "gpu/backend/device_constants.hpp"

#include <algorithm>
#include <utility>

#include "ringlet/arith/modular.hpp"

namespace ringlet::gpu {
namespace {

using Words = ConstantCache::Words;

// DIVISION_CONSTANTS in division.inc and TARGET_CONSTANTS in conversion.inc.
constexpr std::size_t kDivisionWords = 8;
constexpr std::size_t kTargetWords = 8;

/// Which list of constants a key stands for.
enum class Kind : std::uint64_t {
  indices,
  primes,
  scalars,
  lift,
  lifts,
  key_products,
  division,
  end,
  conversion
};

/// A key of the cache: all that determines the words, except the basis, which is always the same.
class Key {
 public:
  explicit Key(Kind kind) : words_{static_cast<std::uint64_t>(kind)} {}
  Key& add(std::uint64_t word) {
    words_.push_back(word);
    return *this;
  }
  template <typename Word>
  Key& add(std::span<const Word> words) {
    words_.reserve(words_.size() + words.size() + 1);
    words_.push_back(words.size());
    words_.insert(words_.end(), words.begin(), words.end());
    return *this;
  }
  Words take() { return std::move(words_); }

 private:
  Words words_;
};

void append(Words& words, std::initializer_list<std::uint64_t> more) {
  words.insert(words.end(), more);
}

void append_factor(Words& words, const Modulus& q, std::uint64_t factor) {
  append(words, {q.value(), factor, shoup_quotient(factor, q.value())});
}

/// Appends the constants of q: those of a lift from p, then those of a division by P.
void append_divided(Words& words, const Modulus& q, const Modulus& p, std::uint64_t inverse,
                    std::uint64_t preserve) {
  const std::uint64_t shift = q.value() - q.reduce(p.value() / 2);
  const std::uint64_t factor = q.multiply(q.reduce(preserve), inverse);
  append(words, {q.value(), q.ratio().low, q.ratio().high, shift, p.value() > 3 * q.value(),
                 inverse, negate_mod(factor, q.value()), 0});
}

}  // namespace

DeviceBlock::DeviceBlock(std::shared_ptr<DeviceMemory> memory, std::size_t words, Secrecy secrecy)
    : memory_(std::move(memory)), words_(memory_->allocate(words, secrecy)) {
  try {
    place_ = memory_->resolve(words_);
  } catch (...) {
    memory_->release(words_);
    throw;
  }
}

DeviceBlock::~DeviceBlock() { memory_->release(words_); }

ConstantCache::ConstantCache(std::shared_ptr<DeviceMemory> memory) : memory_(std::move(memory)) {}

std::size_t ConstantCache::Hash::operator()(std::span<const std::uint64_t> key) const noexcept {
  std::uint64_t hash = 0;
  for (const std::uint64_t word : key) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;  // an odd number near 2^64 / golden ratio
    hash ^= hash >> 32;
  }
  return hash;
}

bool ConstantCache::Equal::operator()(std::span<const std::uint64_t> a,
                                      std::span<const std::uint64_t> b) const noexcept {
  return std::ranges::equal(a, b);
}

std::size_t ConstantCache::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

ConstantCache::Block ConstantCache::find(const Words& key) {
  const auto found = index_.find(key);
  if (found == index_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->block;
}

ConstantCache::Block ConstantCache::add(Words key, const Words& words) {
  auto block = std::make_shared<const DeviceBlock>(memory_, words.size(), Secrecy::open);
  memory_->upload(block->words(), words.data(), words.size());
  entries_.push_front({std::move(key), block, words.size()});
  try {
    index_.emplace(entries_.front().key, entries_.begin());
  } catch (...) {
    entries_.pop_front();
    throw;
  }
  word_count_ += words.size();
  while (entries_.size() > 1 && (entries_.size() > kMostLists || word_count_ > kMostWords)) {
    index_.erase(entries_.back().key);
    word_count_ -= entries_.back().word_count;
    entries_.pop_back();
  }
  return block;
}

BackendConstants::BackendConstants(std::shared_ptr<DeviceMemory> memory, const RnsBasis& basis)
    : basis_(basis), cache_(std::move(memory)) {}

BackendConstants::List BackendConstants::prime_list(PrimeIndices primes) const {
  Block block = cache_.get(Key(Kind::indices).add(primes).take(),
                           [&] { return Words(primes.begin(), primes.end()); });
  const PrimeList list{block->place(), primes.size()};
  return {std::move(block), list};
}

BackendConstants::Block BackendConstants::primes(PrimeIndices primes) const {
  return cache_.get(Key(Kind::primes).add(primes).take(), [&] {
    Words words;
    for (const std::size_t prime : primes) {
      const Modulus& q = basis_[prime];
      append(words, {q.value(), q.ratio().low, q.ratio().high, prime});
    }
    return words;
  });
}

BackendConstants::Block BackendConstants::scalars(PrimeIndices primes,
                                                  std::span<const std::uint64_t> scalars) const {
  return cache_.get(Key(Kind::scalars).add(primes).add(scalars).take(), [&] {
    Words words;
    for (std::size_t i = 0; i < primes.size(); ++i) {
      append_factor(words, basis_[primes[i]], scalars[i]);
    }
    return words;
  });
}

BackendConstants::Block BackendConstants::digit_lift(PrimeIndices primes,
                                                     std::size_t digit_prime) const {
  return cache_.get(Key(Kind::lift).add(primes).add(digit_prime).take(), [&] {
    Words words(kDivisionWords);
    for (const std::size_t prime : primes) {
      append_divided(words, basis_[prime], basis_[digit_prime], 0, 0);
    }
    return words;
  });
}

BackendConstants::Block BackendConstants::digit_lifts(PrimeIndices primes, std::size_t first_prime,
                                                      std::size_t count) const {
  return cache_.get(Key(Kind::lifts).add(primes).add(first_prime).add(count).take(), [&] {
    Words words;
    for (std::size_t k = 0; k < count; ++k) {
      words.resize(words.size() + kDivisionWords);
      for (const std::size_t prime : primes) {
        append_divided(words, basis_[prime], basis_[first_prime + k], 0, 0);
      }
    }
    return words;
  });
}

BackendConstants::Block BackendConstants::key_products(
    PrimeIndices targets, std::span<const std::uint64_t> digits,
    std::span<const std::uint64_t> own_digits) const {
  Words key = Key(Kind::key_products).add(targets).add(digits).add(own_digits).take();
  return cache_.get(std::move(key), [&] {
    Words words(digits.begin(), digits.end());
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const Modulus& q = basis_[targets[i]];
      const auto shift = static_cast<std::uint64_t>(q.bit_count() - 1);
      // floor(2^(64 + s) / q) is the upper part of floor(2^128 / q).
      const std::uint64_t factor = q.ratio().high << shift | q.ratio().low >> (64 - shift);
      append(words,
             {targets[i], own_digits[i], q.ratio().low, q.ratio().high, shift, factor, 0, 0});
    }
    return words;
  });
}

BackendConstants::Block BackendConstants::division_by_last(PrimeIndices primes,
                                                           std::uint64_t preserve) const {
  return cache_.get(Key(Kind::division).add(primes).add(preserve).take(), [&] {
    const Modulus& p = basis_[primes.back()];
    Words words;
    append_factor(words, p, inverse_mod(preserve, p));
    words.resize(kDivisionWords);
    for (const std::size_t prime : primes.first(primes.size() - 1)) {
      const Modulus& q = basis_[prime];
      append_divided(words, q, p, inverse_mod(p.value(), q), preserve);
    }
    return words;
  });
}

BackendConstants::Block BackendConstants::division_end(const BasisConversion& conversion,
                                                       std::size_t target_count,
                                                       std::uint64_t preserve) const {
  const PrimeIndices targets = conversion.to().first(target_count);
  Words key = Key(Kind::end).add(conversion.from()).add(targets).add(preserve).take();
  return cache_.get(std::move(key), [&] {
    Words words(kDivisionWords);
    for (std::size_t j = 0; j < target_count; ++j) {
      const Modulus& q = basis_[targets[j]];
      append_divided(words, q, q, conversion.product_inverse(j), preserve);
    }
    return words;
  });
}

BackendConstants::Block BackendConstants::conversion(const BasisConversion& conversion,
                                                     std::size_t target_count,
                                                     std::uint64_t preserve) const {
  const bool leaves_basis = conversion.modulus().has_value();
  const PrimeIndices from = conversion.from();
  const PrimeIndices targets = conversion.to().first(leaves_basis ? 0 : target_count);
  // Conversions between the same primes may scale by different constants.
  Key described(Kind::conversion);
  described.add(from).add(targets).add(leaves_basis ? conversion.modulus()->value() : 0);
  described.add(preserve).add(conversion.punctured_inverses());
  for (std::size_t j = 0; j < target_count; ++j) described.add(conversion.product(j));
  Words key = described.take();
  return cache_.get(std::move(key), [&] {
    Words words;
    for (std::size_t i = 0; i < from.size(); ++i) {
      const Modulus& q = basis_[from[i]];
      const std::uint64_t factor =
          q.multiply(conversion.punctured_inverses()[i], inverse_mod(preserve, q));
      append_factor(words, q, factor);
      words.push_back(conversion.reciprocals()[i] << (64 - conversion.word_bits()));
    }
    for (std::size_t j = 0; j < target_count; ++j) {
      const Modulus& p = leaves_basis ? *conversion.modulus() : basis_[targets[j]];
      const std::uint64_t inverse = conversion.product_inverse(j);
      const std::uint64_t factor = p.multiply(p.reduce(preserve), inverse);
      append(words, {p.value(), p.ratio().low, p.ratio().high,
                     negate_mod(conversion.product(j), p.value()), inverse,
                     negate_mod(factor, p.value())});
      words.resize(words.size() + kTargetWords - 6);
      const std::span<const std::uint64_t> products = conversion.punctured_products(j);
      words.insert(words.end(), products.begin(), products.end());
    }
    return words;
  });
}

}  // namespace ringlet::gpu
