// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ringlet/backend.hpp"
#include "ringlet/memory.hpp"

namespace ringlet::test {

/// A device that is a part of the host's memory: it knows its own words, counts what is asked of
/// it, and runs out of memory when told to.
class CountingMemory final : public Memory {
 public:
  std::string name() const override { return "counting"; }

  std::uint64_t* allocate(std::size_t words, Secrecy) override {
    const std::lock_guard lock(mutex_);
    if (allocations_left == 0) throw std::bad_alloc();
    --allocations_left;
    std::vector<std::uint64_t> block(words, 0xa5a5a5a5a5a5a5a5u);
    std::uint64_t* const data = block.data();
    blocks_.emplace(data, std::move(block));
    return data;
  }
  void release(std::uint64_t* block) noexcept override {
    const std::lock_guard lock(mutex_);
    blocks_.erase(block);
  }
  void upload(std::uint64_t* target, const std::uint64_t* source, std::size_t words) override {
    std::memcpy(target, source, words * sizeof(*source));
  }
  void download(std::uint64_t* target, const std::uint64_t* source, std::size_t words) override {
    ++downloads;
    std::memcpy(target, source, words * sizeof(*source));
  }
  void copy(std::uint64_t* target, const std::uint64_t* source, std::size_t words) override {
    std::memcpy(target, source, words * sizeof(*source));
  }

  bool owns(const std::uint64_t* word) const {
    const std::lock_guard lock(mutex_);
    auto above = blocks_.upper_bound(const_cast<std::uint64_t*>(word));
    if (above == blocks_.begin()) return false;
    const std::vector<std::uint64_t>& block = std::prev(above)->second;
    return word < block.data() + block.size();
  }

  int downloads = 0;
  std::size_t allocations_left = std::numeric_limits<std::size_t>::max();

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t*, std::vector<std::uint64_t>> blocks_;
};

/// The processor's primitives, those of products counted; with a memory, words of these must be
/// there.
class RecordingBackend final : public Backend {
 public:
  explicit RecordingBackend(const RnsBasis& basis, std::shared_ptr<CountingMemory> memory = nullptr)
      : Backend(basis, memory), cpu_(make_cpu_backend(basis)), counting_(std::move(memory)) {}

  struct Counts {
    std::atomic<int> multiply{0};
    std::atomic<int> multiply_add{0};
    std::atomic<int> multiply_accumulate{0};
    std::atomic<int> add{0};
  };
  mutable Counts counts;

  std::string name() const override { return "recording"; }
  std::vector<std::string> kernel_names() const override { return cpu_->kernel_names(); }
  void copy(ResidueView r, ConstResidueView a) const override { cpu_->copy(r, a); }
  void forward_ntt(NttView r, ConstCoeffView a, PrimeIndices p) const override {
    cpu_->forward_ntt(r, a, p);
  }
  void inverse_ntt(CoeffView r, ConstNttView a, PrimeIndices p) const override {
    cpu_->inverse_ntt(r, a, p);
  }
  void add(ResidueView r, ConstResidueView a, ConstResidueView b, PrimeIndices p) const override {
    ++counts.add;
    check({r.data, a.data, b.data});
    cpu_->add(r, a, b, p);
  }
  void subtract(ResidueView r, ConstResidueView a, ConstResidueView b,
                PrimeIndices p) const override {
    cpu_->subtract(r, a, b, p);
  }
  void negate(ResidueView r, ConstResidueView a, PrimeIndices p) const override {
    cpu_->negate(r, a, p);
  }
  void multiply(NttView r, ConstNttView a, ConstNttView b, PrimeIndices p) const override {
    ++counts.multiply;
    check({r.data, a.data, b.data});
    cpu_->multiply(r, a, b, p);
  }
  void multiply_add(NttView r, ConstNttView a, ConstNttView b, ConstNttView c,
                    PrimeIndices p) const override {
    ++counts.multiply_add;
    check({r.data, a.data, b.data, c.data});
    cpu_->multiply_add(r, a, b, c, p);
  }
  void multiply_accumulate(NttView r, std::span<const ConstNttView> a,
                           std::span<const ConstNttView> b, PrimeIndices p) const override {
    ++counts.multiply_accumulate;
    check({r.data});
    for (const ConstNttView& view : a) check({view.data});
    for (const ConstNttView& view : b) check({view.data});
    cpu_->multiply_accumulate(r, a, b, p);
  }
  void multiply_scalars(ResidueView r, ConstResidueView a, std::span<const std::uint64_t> scalars,
                        PrimeIndices p) const override {
    cpu_->multiply_scalars(r, a, scalars, p);
  }
  void automorphism(NttView r, ConstNttView a, std::uint64_t element,
                    PrimeIndices p) const override {
    cpu_->automorphism(r, a, element, p);
  }
  void automorphism(CoeffView r, ConstCoeffView a, std::uint64_t element,
                    PrimeIndices p) const override {
    cpu_->automorphism(r, a, element, p);
  }
  void lift_digit(CoeffView r, std::span<const std::uint64_t> digit, std::size_t prime,
                  PrimeIndices p) const override {
    cpu_->lift_digit(r, digit, prime, p);
  }
  void inverse_ntt_to_digits(CoeffView r, ConstNttView a, PrimeIndices p) const override {
    cpu_->inverse_ntt_to_digits(r, a, p);
  }
  void to_digits(CoeffView r, ConstCoeffView a, PrimeIndices p) const override {
    cpu_->to_digits(r, a, p);
  }
  void lift_digit_to_ntt(NttView r, std::span<const std::uint64_t> digit, std::size_t prime,
                         PrimeIndices p) const override {
    cpu_->lift_digit_to_ntt(r, digit, prime, p);
  }
  void convert_basis(CoeffView r, ConstCoeffView a,
                     const BasisConversion& conversion) const override {
    cpu_->convert_basis(r, a, conversion);
  }
  void convert_to_modulus(std::span<std::uint64_t> r, ConstCoeffView a,
                          const BasisConversion& conversion) const override {
    cpu_->convert_to_modulus(r, a, conversion);
  }
  void divide_and_round_by_last(NttView r, ConstNttView a, PrimeIndices p,
                                std::uint64_t preserve) const override {
    cpu_->divide_and_round_by_last(r, a, p, preserve);
  }
  void divide_and_round_by_last(CoeffView r, ConstCoeffView a, PrimeIndices p,
                                std::uint64_t preserve) const override {
    cpu_->divide_and_round_by_last(r, a, p, preserve);
  }

 private:
  void check(std::initializer_list<const std::uint64_t*> words) const {
    if (counting_ == nullptr) return;
    for (const std::uint64_t* word : words) {
      EXPECT_TRUE(counting_->owns(word)) << "words that are not on the device";
    }
  }

  std::shared_ptr<const Backend> cpu_;
  std::shared_ptr<CountingMemory> counting_;
};

}  // namespace ringlet::test
