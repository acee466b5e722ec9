// SPDX-License-Identifier: Apache-2.0
#include "hw/karatsuba/model/golden.hpp"

#include <algorithm>
#include <utility>

#include "ringlet/base/error.hpp"

namespace ringlet::hw {
namespace {

constexpr unsigned kWordBits = 64;
constexpr unsigned kSlotBits = 32;

WideInteger shift_left(const WideInteger& a, unsigned bits) {
  WideInteger result{};
  const std::size_t words = bits / kWordBits;
  const unsigned rest = bits % kWordBits;
  for (std::size_t w = words; w < kWideWords; ++w) {
    result[w] = a[w - words] << rest;
    if (rest != 0 && w > words) result[w] |= a[w - words - 1] >> (kWordBits - rest);
  }
  return result;
}

std::uint32_t chunk_of(const WideInteger& a, unsigned index, unsigned bits) {
  const std::uint64_t value = wide::shift_right(a, static_cast<int>(index * bits))[0];
  return static_cast<std::uint32_t>(value & ((std::uint64_t{1} << bits) - 1));
}

std::uint32_t sum_of(std::uint32_t a, std::uint32_t b) { return a + b; }
WideInteger sum_of(const WideInteger& a, const WideInteger& b) { return add(a, b); }

template <class Poly>
void split_into(std::vector<Poly>& result, const Poly& poly, int recursions) {
  if (recursions == 0) {
    result.push_back(poly);
    return;
  }
  const std::size_t half = poly.size() / 2;
  const Poly low(poly.begin(), poly.begin() + static_cast<std::ptrdiff_t>(half));
  const Poly high(poly.begin() + static_cast<std::ptrdiff_t>(half), poly.end());
  Poly both(half);
  for (std::size_t i = 0; i < half; ++i) both[i] = sum_of(low[i], high[i]);
  split_into(result, low, recursions - 1);
  split_into(result, high, recursions - 1);
  split_into(result, both, recursions - 1);
}

template <class Poly>
std::vector<Poly> split_any(const Poly& poly, int recursions) {
  if (recursions < 0 || poly.size() % (std::size_t{1} << recursions) != 0) {
    throw_invalid_argument({"Karatsuba split", "a length that 2^recursions does not divide",
                            "a multiple of 2^recursions", "pad with zeros"});
  }
  std::vector<Poly> result;
  split_into(result, poly, recursions);
  return result;
}

void check_sub_polys(const Shape& shape, const std::vector<Integers>& key,
                     const std::vector<std::vector<Smalls>>& small) {
  const auto fits = [&shape](const auto& polys) {
    return polys.size() == shape.sub_polys() &&
           std::all_of(polys.begin(), polys.end(),
                       [&shape](const auto& poly) { return poly.size() == shape.coeffs(); });
  };
  if (!fits(key) || small.empty() || small.size() > static_cast<std::size_t>(shape.lanes) ||
      !std::all_of(small.begin(), small.end(), fits)) {
    throw_invalid_argument({"stream of the accelerator", "sub-polynomials of another shape",
                            "what the shape says", "split with shape.software recursions"});
  }
}

}  // namespace

WideInteger remainder(WideInteger a, const WideInteger& q) {
  for (int shift = wide::bit_count(a) - wide::bit_count(q); shift >= 0; --shift) {
    const WideInteger multiple = shift_left(q, static_cast<unsigned>(shift));
    if (!is_less(a, multiple)) a = subtract(a, multiple);
  }
  return a;
}

std::vector<Integers> split(const Integers& poly, int recursions) {
  return split_any(poly, recursions);
}

std::vector<Smalls> split(const Smalls& poly, int recursions) {
  return split_any(poly, recursions);
}

Integers join(const std::vector<Integers>& products, int recursions) {
  std::vector<Integers> level = products;
  for (int r = 0; r < recursions; ++r) {
    std::vector<Integers> next;
    for (std::size_t t = 0; t + 2 < level.size(); t += 3) {
      const Integers& low = level[t];
      const Integers& high = level[t + 1];
      const Integers& both = level[t + 2];
      const std::size_t half = (low.size() + 1) / 2;
      Integers whole(4 * half - 1);
      for (std::size_t i = 0; i < low.size(); ++i) {
        const WideInteger middle = subtract(subtract(both[i], low[i]), high[i]);
        whole[i] = add(whole[i], low[i]);
        whole[i + half] = add(whole[i + half], middle);
        whole[i + 2 * half] = add(whole[i + 2 * half], high[i]);
      }
      next.push_back(std::move(whole));
    }
    level = std::move(next);
  }
  return level.at(0);
}

Integers multiply(const Integers& p, const Smalls& u) {
  Integers result(p.size() + u.size() - 1);
  for (std::size_t j = 0; j < u.size(); ++j) {
    if (u[j] == 0) continue;
    for (std::size_t i = 0; i < p.size(); ++i) {
      result[i + j] = add(result[i + j], wide::multiply_add(p[i], u[j], 0));
    }
  }
  return result;
}

void reduce(Integers& poly, const WideInteger& q) {
  for (WideInteger& value : poly) value = remainder(value, q);
}

std::vector<Burst> pack_input(const Shape& shape, const std::vector<Integers>& key,
                              const std::vector<std::vector<Smalls>>& small) {
  check_sub_polys(shape, key, small);
  std::vector<Burst> bursts;
  bursts.reserve(shape.in_bursts());
  const auto bits = static_cast<unsigned>(shape.chunk_bits);
  for (std::size_t t = 0; t < key.size(); ++t) {
    for (std::size_t i = 0; i < shape.coeffs(); ++i) {
      for (unsigned k = 0; k < static_cast<unsigned>(shape.chunks); ++k) {
        Burst burst;
        burst.slots[0] = chunk_of(key[t][i], k, bits);
        if (k < small.size()) burst.slots[1] = small[k][t][i];
        bursts.push_back(burst);
      }
    }
  }
  bursts.back().last = true;
  return bursts;
}

std::vector<Burst> hardware_output(const Shape& shape, const WideInteger& q,
                                   const std::vector<Integers>& key,
                                   const std::vector<std::vector<Smalls>>& small) {
  check_sub_polys(shape, key, small);
  // results[lane] has shape.out_polys() products.
  std::vector<std::vector<Integers>> results(small.size());
  const int joins = std::max(0, shape.post - shape.pre);
  const int splits = std::max(0, shape.pre - shape.post);
  const std::size_t group = power_of_three(joins);
  for (std::size_t lane = 0; lane < small.size(); ++lane) {
    for (std::size_t t = 0; t < key.size(); t += group) {
      std::vector<Integers> products;
      for (std::size_t g = 0; g < group; ++g) {
        const auto wide_parts = split(key[t + g], splits);
        const auto small_parts = split(small[lane][t + g], splits);
        for (std::size_t part = 0; part < wide_parts.size(); ++part) {
          products.push_back(multiply(wide_parts[part], small_parts[part]));
        }
      }
      if (joins > 0) products = {join(products, joins)};
      for (Integers& product : products) {
        reduce(product, q);
        results[lane].push_back(std::move(product));
      }
    }
  }
  std::vector<Burst> bursts;
  bursts.reserve(shape.out_bursts());
  const auto bits = static_cast<unsigned>(shape.chunk_bits);
  for (std::size_t t = 0; t < shape.out_polys(); ++t) {
    for (std::size_t i = 0; i < shape.out_coeffs(); ++i) {
      for (unsigned k = 0; k < static_cast<unsigned>(shape.chunks); ++k) {
        Burst burst;
        for (std::size_t lane = 0; lane < small.size(); ++lane) {
          burst.slots[lane] = chunk_of(results[lane][t][i], k, bits);
        }
        bursts.push_back(burst);
      }
    }
  }
  bursts.back().last = true;
  return bursts;
}

std::vector<std::vector<Integers>> unpack_output(const Shape& shape,
                                                 const std::vector<Burst>& bursts) {
  if (bursts.size() != shape.out_bursts()) {
    throw_invalid_argument({"stream of the accelerator", "an answer of another length",
                            "shape.out_bursts()", "read until the burst marked last"});
  }
  static_assert(kSlotBits == 32);
  std::vector<std::vector<Integers>> results(
      static_cast<std::size_t>(shape.lanes),
      std::vector<Integers>(shape.out_polys(), Integers(shape.out_coeffs())));
  std::size_t at = 0;
  for (std::size_t t = 0; t < shape.out_polys(); ++t) {
    for (std::size_t i = 0; i < shape.out_coeffs(); ++i) {
      for (unsigned k = 0; k < static_cast<unsigned>(shape.chunks); ++k, ++at) {
        for (std::size_t lane = 0; lane < results.size(); ++lane) {
          const WideInteger chunk{bursts[at].slots[lane], 0, 0};
          WideInteger& value = results[lane][t][i];
          value = add(value, shift_left(chunk, k * static_cast<unsigned>(shape.chunk_bits)));
        }
      }
    }
  }
  return results;
}

}  // namespace ringlet::hw
