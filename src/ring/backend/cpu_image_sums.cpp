// SPDX-License-Identifier: Apache-2.0
// Inner products of key switching for images of one polynomial. The digits are lifted once for each
// target, and a kernel reads their images out of them.
#include <array>
#include <utility>
#include <vector>

#include "ring/backend/canonical_key.hpp"
#include "ring/backend/cpu_backend.hpp"
#include "ring/backend/digit_target.hpp"
#include "ring/backend/scratch.hpp"
#include "ringlet/ring/key_switch_source.hpp"

namespace ringlet {

class CpuBackend::ImageProducts {
 public:
  ImageProducts(const CpuBackend& backend, std::span<const GadgetImages> sums,
                const KeySwitchSource& source, PrimeIndices targets)
      : backend_(backend), sums_(sums), source_(source), targets_(targets) {
    for (const GadgetImages& sum : sums) {
      for (const KeyedImage& image : sum.images) maps_.emplace_back(backend, image.galois_element);
    }
  }

  /// Words of scratch memory for add(): the digits, and images where no kernel reads them.
  std::size_t scratch_words() const { return (source_.digits.size() + kMostTogether) * stride(); }

  /// Adds the products of all images to the sums of a target.
  void add(std::size_t target, Words scratch) const {
    const std::vector<ConstWords> digits = lifted(target, scratch);
    const Words images = scratch.subspan(digits.size() * stride());
    auto map = maps_.begin();
    for (const GadgetImages& sum : sums_) {
      const DigitTarget to(backend_, targets_[target], {sum.b.limb(target), sum.a.limb(target)},
                           {});
      add(to, sum, {&*map, sum.images.size()}, digits, images, target);
      map += static_cast<std::ptrdiff_t>(sum.images.size());
    }
  }

 private:
  /// An automorphism as kernels read it.
  struct Map {
    Map(const CpuBackend& backend, std::uint64_t galois_element)
        : sources(backend.basis().degree() / 8) {
      const GaloisPermutation& permutation = *backend.automorphisms_.negacyclic();
      if (!sources.empty()) permutation.describe_values(sources, patterns, galois_element);
    }
    std::vector<std::uint32_t> sources;
    std::array<std::uint64_t, 64> patterns{};
  };

  std::size_t stride() const { return backend_.basis().degree() + kGap; }

  std::vector<ConstWords> lifted(std::size_t target, Words scratch) const {
    std::vector<ConstWords> digits;
    for (std::size_t j = 0; j < source_.digits.size(); ++j) {
      const Words memory = scratch.subspan(j * stride(), backend_.basis().degree());
      if (j == target && source_.values.limb_count != 0) {
        digits.push_back(source_.values.limb(j));  // modulo its own prime: the source itself
      } else {
        backend_.lift_offset_digit(memory, source_.coefficients.limb(j), j, targets_[target]);
        digits.push_back(memory);
      }
    }
    return digits;
  }

  void add(const DigitTarget& to, const GadgetImages& sum, std::span<const Map> maps,
           std::span<const ConstWords> digits, Words memory, std::size_t target) const {
    std::array<DigitTerm, kMostTogether> terms;
    std::array<kernels::BlockMap, kMostTogether> block_maps;
    bool is_first = !sum.adds;
    const std::size_t count = sum.images.size() * digits.size();
    for (std::size_t begin = 0; begin < count; begin += kMostTogether) {
      const std::size_t group = std::min(kMostTogether, count - begin);
      for (std::size_t k = 0; k < group; ++k) {
        const std::size_t i = (begin + k) / digits.size();
        const std::size_t j = (begin + k) % digits.size();
        terms[k] = {};
        terms[k].values = digits[j];
        const auto& key = dynamic_cast<const CanonicalKey&>(*sum.images[i].key);
        terms[k].pair = key.pair(j, targets_[target]);
        block_maps[k] = {maps[i].sources.data(), maps[i].patterns.data()};
        if (to.has_images()) continue;
        const Words image = memory.subspan(k * stride(), backend_.basis().degree());
        backend_.automorphisms_.of_values(sum.images[i].galois_element)
            .apply_to_values(image, digits[j]);
        terms[k].values = image;
      }
      to.add_images({terms.data(), group}, block_maps.data(), std::exchange(is_first, false));
    }
  }

  const CpuBackend& backend_;
  std::span<const GadgetImages> sums_;
  const KeySwitchSource& source_;
  PrimeIndices targets_;
  std::vector<Map> maps_;
};

void CpuBackend::do_multiply_images_by_keys(std::span<const GadgetImages> sums,
                                            const KeySwitchSource& source,
                                            PrimeIndices targets) const {
  const ImageProducts products(*this, sums, source, targets);
  for_limb_ranges(targets.size(), kTransformGrain, [&](std::size_t first, std::size_t end) {
    const Scratch scratch(*pool(), products.scratch_words(), Secrecy::open);
    for (std::size_t t = first; t < end; ++t) products.add(t, scratch.words());
  });
}

}  // namespace ringlet
