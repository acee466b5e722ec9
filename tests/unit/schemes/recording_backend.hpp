// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/devices/fake_memory.hpp"
#include "support/devices/forwarding_backend.hpp"

namespace ringlet::test {

/// A device that is a part of the host's memory: it knows its own words.
struct CountingMemory final : FakeMemory {
  CountingMemory() : FakeMemory("counting", true) {}
};

/// The processor's primitives, those of products counted; with a memory, words of these must be
/// there.
class RecordingBackend final : public ForwardingBackend {
 public:
  explicit RecordingBackend(const RnsBasis& basis, std::shared_ptr<CountingMemory> memory = nullptr)
      : ForwardingBackend(make_cpu_backend(basis), memory), counting_(std::move(memory)) {}

  struct Counts {
    std::atomic<int> multiply{0};
    std::atomic<int> multiply_accumulate{0};
    std::atomic<int> multiply_matrices{0};
    std::atomic<int> add{0};
  };
  mutable Counts counts;

  std::string name() const override { return "recording"; }
  void do_add(ResidueView r, ConstResidueView a, ConstResidueView b,
              PrimeIndices p) const override {
    ++counts.add;
    check({r.data, a.data, b.data});
    ForwardingBackend::do_add(r, a, b, p);
  }
  void do_multiply(NttView r, ConstNttView a, ConstNttView b, PrimeIndices p) const override {
    ++counts.multiply;
    check({r.data, a.data, b.data});
    ForwardingBackend::do_multiply(r, a, b, p);
  }
  void do_multiply_accumulate(NttView r, ConstViews a, ConstViews b,
                              PrimeIndices p) const override {
    ++counts.multiply_accumulate;
    check({r.data});
    check_all(a);
    check_all(b);
    ForwardingBackend::do_multiply_accumulate(r, a, b, p);
  }
  void do_multiply_matrices(const NttMatrix& c, const ConstNttMatrix& a, const ConstNttMatrix& b,
                            std::size_t held, PrimeIndices p) const override {
    ++counts.multiply_matrices;
    check_all(c.entries);
    check_all(a.entries);
    check_all(b.entries);
    Backend::do_multiply_matrices(c, a, b, held, p);
  }

 private:
  void check(std::initializer_list<const std::uint64_t*> words) const {
    if (counting_ == nullptr) return;
    for (const std::uint64_t* word : words) {
      EXPECT_TRUE(counting_->owns(word)) << "words that are not on the device";
    }
  }

  template <typename Views>
  void check_all(const Views& views) const {
    for (const auto& view : views) check({view.data});
  }

  std::shared_ptr<CountingMemory> counting_;
};

}  // namespace ringlet::test
