// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/backend/device_backend.hpp"
#include "support/devices/test_device.hpp"
#include "support/ring_fixture.hpp"

// Compares the same primitives on the processor and on a device, word by word.

namespace ringlet::test {

/// Bits of the primes of make_device_basis: below and above 57, and up to the largest.
inline const std::vector<int> kDeviceBasisBits = {50, 30, 60, 57, 61, 22, 57, 58, 50, 49};
inline RnsBasis make_device_basis(std::size_t degree) {
  return make_basis_of_bits(degree, kDeviceBasisBits);
}

/// Returns the degrees of a test: `few`, which many tests share, and in the long run
/// (RINGLET_TEST_SCALE=large) `more` too. Kernels take far longer to compile than to test.
inline std::vector<std::size_t> test_degrees(std::vector<std::size_t> few,
                                             const std::vector<std::size_t>& more) {
  if (test_scale() != 1) few.insert(few.end(), more.begin(), more.end());
  return few;
}

/// How the residues of a polynomial are chosen.
enum class Fill : std::uint8_t { scattered, zero, largest };
inline constexpr Fill kFills[] = {Fill::scattered, Fill::zero, Fill::largest};

/// Words of a polynomial with a stride of its own, on the host: the operands of a primitive, and
/// the words to compare afterwards. A pattern fills the gaps between limbs.
struct Image {
  Image(std::size_t polynomial_degree, std::size_t count, std::size_t gap)
      : degree(polynomial_degree),
        limb_count(count),
        stride(degree + gap),
        words(std::max<std::size_t>(1, count * stride), kSentinel) {}

  ConstNttView view() const { return {words.data(), degree, limb_count, stride}; }

  std::size_t degree;
  std::size_t limb_count;
  std::size_t stride;
  Words words;
};

/// Makes residues modulo the primes of the list.
inline Image make_image(const RnsBasis& basis, PrimeIndices primes, std::mt19937_64& rng,
                        Fill fill = Fill::scattered, std::size_t gap = 0) {
  Image image(basis.degree(), primes.size(), gap);
  for (std::size_t i = 0; i < primes.size(); ++i) {
    const std::uint64_t q = basis[primes[i]].value();
    Words values(basis.degree(), fill == Fill::zero ? 0 : q - 1);
    if (fill == Fill::scattered) values = scattered_residues(basis.degree(), q, rng);
    std::copy(values.begin(), values.end(),
              image.words.begin() + static_cast<std::ptrdiff_t>(i * image.stride));
  }
  return image;
}

/// Makes room for a result.
inline Image make_room(const RnsBasis& basis, std::size_t limb_count, std::size_t gap = 0) {
  return {basis.degree(), limb_count, gap};
}

/// The words of an Image where a backend computes.
class Placed {
 public:
  Placed(const Image& image, std::shared_ptr<Memory> memory)
      : image_(image), memory_(std::move(memory)), words_(image_.words.data()) {
    if (memory_ == nullptr) return;
    words_ = memory_->allocate(image_.words.size(), Secrecy::open);
    memory_->upload(words_, image_.words.data(), image_.words.size());
  }
  ~Placed() {
    if (memory_ != nullptr) memory_->release(words_);
  }
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;

  template <Form F>
  PolyView<F> view() const {
    return {words_, image_.degree, image_.limb_count, image_.stride};
  }
  NttView values() const { return view<Form::ntt>(); }
  CoeffView coefficients() const { return view<Form::coefficient>(); }
  std::span<std::uint64_t> limb(std::size_t i) const { return values().limb(i); }

  /// Returns all words, with those between the limbs.
  Words download() {
    if (memory_ != nullptr) {
      memory_->download(image_.words.data(), words_, image_.words.size());
    }
    return image_.words;
  }

 private:
  Image image_;
  std::shared_ptr<Memory> memory_;
  std::uint64_t* words_;
};

using PlacedImages = std::vector<std::unique_ptr<Placed>>;

inline PlacedImages place(const std::vector<Image>& images, const std::shared_ptr<Memory>& memory) {
  PlacedImages placed;
  for (const Image& image : images) placed.push_back(std::make_unique<Placed>(image, memory));
  return placed;
}
inline std::vector<Words> download(const PlacedImages& placed) {
  std::vector<Words> words;
  for (const auto& one : placed) words.push_back(one->download());
  return words;
}

/// A basis on the processor and on the device.
class DeviceBackendPair {
 public:
  DeviceBackendPair(std::shared_ptr<gpu::DeviceMemory> memory, const RnsBasis& basis)
      : memory_(std::move(memory)),
        cpu_(make_cpu_backend(basis)),
        device_(gpu::make_device_backend(basis, memory_)) {}

  const RnsBasis& basis() const { return cpu_->basis(); }
  const Backend& cpu() const { return *cpu_; }
  const Backend& device() const { return *device_; }
  gpu::DeviceMemory& memory() const { return *memory_; }

  /// Runs operation(backend, placed images) on both, and compares every word of every image
  /// afterwards: results, operands, and the gaps between limbs.
  template <typename Operation>
  void expect_same(const std::vector<Image>& images, const Operation& operation) const {
    const std::vector<Words> expected = run(*cpu_, nullptr, images, operation);
    const std::vector<Words> actual = run(*device_, memory_, images, operation);
    for (std::size_t i = 0; i < images.size(); ++i) {
      const auto [left, right] = std::ranges::mismatch(expected[i], actual[i]);
      if (left == expected[i].end()) continue;
      const auto word = static_cast<std::size_t>(left - expected[i].begin());
      ADD_FAILURE() << "image " << i << ", limb " << word / images[i].stride << ", word "
                    << word % images[i].stride << " of degree " << images[i].degree << ": "
                    << *right << " instead of " << *left;
      return;
    }
  }

 private:
  template <typename Operation>
  static std::vector<Words> run(const Backend& backend, const std::shared_ptr<Memory>& memory,
                                const std::vector<Image>& images, const Operation& operation) {
    const PlacedImages placed = place(images, memory);
    operation(backend, placed);
    return download(placed);
  }

  std::shared_ptr<gpu::DeviceMemory> memory_;
  std::shared_ptr<const Backend> cpu_;
  std::shared_ptr<const Backend> device_;
};

/// Tests on a device, which are skipped if there is none.
struct DeviceBackendTest : ::testing::Test {
  void SetUp() override {
    std::string reason;
    device_ = find_test_device(reason);
    if (device_ == nullptr) GTEST_SKIP() << reason;
  }

  bool is_host_processor() const { return device_->properties().is_host_processor; }
  std::shared_ptr<gpu::DeviceMemory> make_memory(const DeviceOptions& options = {}) const {
    return std::make_shared<gpu::DeviceMemory>("gpu:0", device_, options);
  }
  DeviceBackendPair make_pair(const RnsBasis& basis, const DeviceOptions& options = {}) const {
    return {make_memory(options), basis};
  }

  std::shared_ptr<gpu::DriverDevice> device_;
};

}  // namespace ringlet::test
