// SPDX-License-Identifier: Apache-2.0
#include "schemes/ckks/special_fft.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace ringlet::ckks {
namespace {

/// Points of one column of tiles; four columns and their tables fit the nearest cache.
constexpr std::size_t kColumnPoints = 256;

/// Returns the exponents of both halves of each block.
std::vector<std::uint64_t> split_blocks(const std::vector<std::uint64_t>& exponents,
                                        std::uint64_t order) {
  std::vector<std::uint64_t> children;
  children.reserve(2 * exponents.size());
  for (const std::uint64_t e : exponents) {
    children.push_back(e / 2);
    children.push_back(e / 2 + order / 2);
  }
  return children;
}

// The standard lets an array of complex numbers be read as pairs of real ones.
const double* parts_of(std::span<const std::complex<double>> values) {
  return reinterpret_cast<const double*>(values.data());
}
double* parts_of(std::span<std::complex<double>> values) {
  return reinterpret_cast<double*>(values.data());
}

}  // namespace

SpecialFft::SpecialFft(std::size_t degree, const KernelSelection& selection)
    : degree_(degree),
      slot_count_(degree / 2),
      kernel_(kernels::choose_embedding(std::countr_zero(degree), selection)),
      first_(root(degree / 4)),
      columns_(std::max(slot_count_ / kColumnPoints, std::min<std::size_t>(slot_count_, 4))),
      places_(std::max<std::size_t>(slot_count_, 4)) {
  const std::uint64_t order = 2 * std::uint64_t{degree};
  // A block stands for X^L - r, r = zeta^e; the tree starts at X^(N/2) - i.
  std::vector<std::uint64_t> exponents{order / 4};
  std::size_t length = slot_count_;
  if (std::countr_zero(slot_count_) % 2 == 1) {
    exponents = split_blocks(exponents, order);
    length /= 2;
  }
  for (; length > 1; length /= 4) {
    add_factors(exponents, length == 4 ? kernel_.kernel->lanes : 1);
    exponents = split_blocks(split_blocks(exponents, order), order);
  }
  place_slots(exponents);
}

void SpecialFft::add_factors(std::span<const std::uint64_t> exponents, std::size_t lanes) {
  const std::size_t offset = factors_.size();
  factors_.resize(offset + kernels::kEmbeddingFactors * exponents.size());
  for (std::size_t b = 0; b < exponents.size(); ++b) {
    const std::uint64_t e = exponents[b];
    double* group = factors_.data() + offset + kernels::kEmbeddingFactors * (b - b % lanes);
    std::size_t k = 0;
    for (const Root& w : {root(e / 4), root(e / 2), root(3 * (e / 4))}) {
      group[lanes * k++ + b % lanes] = w.re;
      group[lanes * k++ + b % lanes] = w.im;
    }
  }
}

void SpecialFft::place_slots(std::span<const std::uint64_t> exponents) {
  const std::uint64_t order = 2 * std::uint64_t{degree_};
  const std::size_t lanes = slot_count_ < 4 ? 1 : kernel_.kernel->lanes;
  std::vector<std::uint32_t> place_of(order);
  for (std::size_t leaf = 0; leaf < slot_count_; ++leaf) {
    const std::size_t block = leaf / 4;
    const std::size_t place = 4 * (block - block % lanes) + lanes * (leaf % 4) + block % lanes;
    place_of[exponents[leaf]] = static_cast<std::uint32_t>(place);
  }
  const std::size_t rows = slot_count_ / columns_;
  std::uint64_t power = 1;
  for (std::size_t j = 0; j < slot_count_; ++j) {
    const std::size_t column = j % columns_;
    places_[4 * (column / 4 * rows + j / columns_) + column % 4] =
        place_of[j % 2 == 0 ? power : order - power];
    power = 3 * power % order;
  }
}

// Computes each root on its own from an angle in [0, pi/4]: no error accumulates, and the roots of
// order 8 are symmetric to the last bit.
SpecialFft::Root SpecialFft::root(std::uint64_t exponent) const {
  const std::uint64_t order = 2 * std::uint64_t{degree_};
  const std::uint64_t quarter = order / 4;
  exponent %= order;
  const std::uint64_t quadrant = exponent / quarter;
  const std::uint64_t rest = exponent % quarter;
  const bool mirrored = 2 * rest > quarter;
  const std::uint64_t small = mirrored ? quarter - rest : rest;
  const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(small) /
                            static_cast<long double>(order);
  auto re = static_cast<double>(std::cos(angle));
  auto im = static_cast<double>(std::sin(angle));
  if (mirrored) std::swap(re, im);
  switch (quadrant) {
    case 0:
      return {re, im};
    case 1:
      return {-im, re};
    case 2:
      return {-re, -im};
    default:
      return {im, -re};
  }
}

void SpecialFft::scatter(std::span<double> buffer, const double* slots, std::size_t count,
                         bool is_complex, double factor) const {
  kernel_.counter.count();
  kernel_.kernel->scatter({.places = places(),
                           .re = buffer.data(),
                           .im = buffer.data() + slot_count_,
                           .slots = slots,
                           .count = count,
                           .is_complex = is_complex,
                           .factor = factor});
}

void SpecialFft::scatter(std::span<double> buffer, std::span<const double> slots,
                         double factor) const {
  scatter(buffer, slots.data(), slots.size(), false, factor);
}

void SpecialFft::scatter(std::span<double> buffer, std::span<const std::complex<double>> slots,
                         double factor) const {
  scatter(buffer, parts_of(slots), slots.size(), true, factor);
}

void SpecialFft::gather(double* slots, bool is_complex, std::span<const double> buffer) const {
  kernel_.counter.count();
  kernel_.kernel->gather({.places = places(),
                          .re = buffer.data(),
                          .im = buffer.data() + slot_count_,
                          .slots = slots,
                          .is_complex = is_complex});
}

void SpecialFft::gather(std::span<std::complex<double>> slots,
                        std::span<const double> buffer) const {
  gather(parts_of(slots), true, buffer);
}

void SpecialFft::gather(std::span<double> slots, std::span<const double> buffer) const {
  gather(slots.data(), false, buffer);
}

kernels::EmbeddingArguments SpecialFft::arguments(std::span<double> buffer) const {
  return {.re = buffer.data(),
          .im = buffer.data() + slot_count_,
          .log_slots = std::countr_zero(slot_count_),
          .factors = factors_.data(),
          .root_re = first_.re,
          .root_im = first_.im};
}

void SpecialFft::coefficients_to_points(std::span<double> buffer) const {
  kernel_.counter.count();
  kernel_.kernel->forward(arguments(buffer));
}

void SpecialFft::points_to_coefficients(std::span<double> buffer) const {
  kernel_.counter.count();
  kernel_.kernel->inverse(arguments(buffer));
}

}  // namespace ringlet::ckks
