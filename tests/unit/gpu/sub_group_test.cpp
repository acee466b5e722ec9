// SPDX-License-Identifier: Apache-2.0
// Transforms that exchange words by the device's own shuffles, at every width of its sub-groups.

#include "gpu/device_memory.hpp"
#include "gpu/device_ntt.hpp"
#include "gpu/driver.hpp"
#include "ringlet/ntt.hpp"
#include "ringlet/primes.hpp"
#include "support/device_backend_pair.hpp"
#include "support/environment.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

namespace ringlet::gpu {
namespace {

using Words = std::vector<std::uint64_t>;

/// A device that admits to one width alone.
class OneWidthDevice final : public DriverDevice {
 public:
  OneWidthDevice(std::shared_ptr<DriverDevice> whole, std::size_t width)
      : DriverDevice(*whole), whole_(std::move(whole)), properties_(whole_->properties()) {
    properties_.sub_group_sizes = {width};
  }
  const DeviceProperties& properties() const noexcept override { return properties_; }
  std::unique_ptr<Queue> make_queue(bool timing) override { return whole_->make_queue(timing); }
  std::shared_ptr<Buffer> allocate(std::size_t bytes) override { return whole_->allocate(bytes); }
  std::shared_ptr<Module> build(const std::string& source,
                                std::span<const std::string> definitions) override {
    return whole_->build(source, definitions);
  }
  std::shared_ptr<Module> load(std::span<const std::byte> binary) override {
    return whole_->load(binary);
  }
  std::vector<std::shared_ptr<DriverDevice>> split(std::size_t count) override {
    return whole_->split(count);
  }

 private:
  std::shared_ptr<DriverDevice> whole_;
  DeviceProperties properties_;
};

class SubGroups : public test::DeviceBackendTest,
                  public ::testing::WithParamInterface<std::size_t> {
 protected:
  /// Forward and back in place on the device, for one limb of each prime.
  void expect_host_results(GpuNtt variant, std::size_t degree) {
    std::vector<Modulus> moduli;
    for (const int bits : {30, 57, 58, 61}) {
      moduli.push_back(generate_ntt_primes(bits, degree, 1).front());
    }
    const RnsBasis basis(degree, moduli);
    Words words;
    Words values;
    for (const Modulus& q : moduli) {
      const Words limb = test::mixed_values(degree, q.value(), 1, rng_);
      words.insert(words.end(), limb.begin(), limb.end());
      values.insert(values.end(), limb.begin(), limb.end());
      const auto place = std::span(values).last(degree);
      Ntt(degree, q).forward(place, place);
    }

    DeviceOptions options;
    options.ntt = variant;
    const auto memory = std::make_shared<DeviceMemory>(
        "gpu:0", std::make_shared<OneWidthDevice>(device_, GetParam()), options);
    const DeviceNtt ntt(memory, basis);
    SCOPED_TRACE(ntt.name(0));
    std::uint64_t* const block = memory->allocate(words.size() + moduli.size(), Secrecy::open);
    std::uint64_t* const list = block + words.size();
    memory->upload(block, words.data(), words.size());
    const Words indices{0, 1, 2, 3};
    memory->upload(list, indices.data(), indices.size());
    const Limbs limbs{.place = memory->resolve(block), .stride = degree};
    const PrimeList primes{.place = memory->resolve(list), .count = indices.size()};
    Words found(words.size());
    memory->with_queue([&](Queue& queue) { ntt.forward(queue, limbs, limbs, primes); });
    memory->download(found.data(), block, found.size());
    EXPECT_TRUE(found == values) << "forward";
    memory->with_queue([&](Queue& queue) { ntt.inverse(queue, limbs, limbs, primes); });
    memory->download(found.data(), block, found.size());
    EXPECT_TRUE(found == words) << "inverse";
    memory->release(block);
  }

 private:
  std::mt19937_64 rng_ = test::make_rng();
};

TEST_P(SubGroups, ShufflesGiveTheHostsResults) {
  const std::vector<std::size_t>& widths = device_->properties().sub_group_sizes;
  if (std::find(widths.begin(), widths.end(), GetParam()) == widths.end()) {
    GTEST_SKIP() << device_->properties().name << " has no sub-groups of " << GetParam();
  }
  for (const GpuNtt variant : {GpuNtt::simd_8_8, GpuNtt::simd_16_8, GpuNtt::simd_32_8}) {
    for (const std::size_t degree : {std::size_t{256}, std::size_t{1024}, std::size_t{8192}}) {
      expect_host_results(variant, degree);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Widths, SubGroups, ::testing::Values(8, 16, 32));

}  // namespace
}  // namespace ringlet::gpu
