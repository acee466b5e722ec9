// SPDX-License-Identifier: Apache-2.0
#include "ring/cyclotomic/slots/slot_group.hpp"

#include <algorithm>
#include <numeric>

namespace ringlet::slots {
namespace {

// The cosets of the powers of 2, by ascending smallest member.
struct Cosets {
  explicit Cosets(std::uint64_t m) : index(m), coset_of(m, SlotGroup::kNone) {
    for (std::uint64_t a = 1; a < m; ++a) {
      if (coset_of[a] != SlotGroup::kNone || std::gcd(a, m) != 1) continue;
      const auto coset = static_cast<std::uint32_t>(smallest.size());
      for (std::uint64_t b = a; coset_of[b] == SlotGroup::kNone; b = 2 * b % m) {
        coset_of[b] = coset;
      }
      smallest.push_back(a);
    }
  }

  // Returns the smallest exponent that takes the coset into a subgroup.
  std::size_t order(std::size_t coset, const std::vector<bool>& subgroup) const {
    std::size_t result = 1;
    for (std::uint64_t power = smallest[coset]; !subgroup[coset_of[power]]; ++result) {
      power = power * smallest[coset] % index;
    }
    return result;
  }

  std::uint64_t index;
  std::vector<std::uint32_t> coset_of;
  std::vector<std::uint64_t> smallest;
};

struct CosetGenerator {
  std::uint64_t element = 0;
  std::size_t order = 0;
};

CosetGenerator next_generator(const Cosets& cosets, const std::vector<bool>& subgroup) {
  std::vector<std::size_t> orders(cosets.smallest.size());
  for (std::size_t c = 0; c < orders.size(); ++c) orders[c] = cosets.order(c, subgroup);
  const std::size_t largest = std::ranges::max(orders);
  std::vector<bool> trivial(orders.size(), false);
  trivial[0] = true;
  // The subgroup is a direct factor, so that some coset keeps its order.
  std::size_t c = 0;
  while (orders[c] != largest || cosets.order(c, trivial) != largest) ++c;
  return {cosets.smallest[c], largest};
}

}  // namespace

SlotGroup make_slot_group(std::uint64_t index) {
  const Cosets cosets(index);
  const std::size_t count = cosets.smallest.size();
  SlotGroup group;
  group.index = index;
  group.slot_degree =
      static_cast<std::size_t>(std::ranges::count(cosets.coset_of, cosets.coset_of[1]));
  group.representatives = {1};
  std::vector<bool> subgroup(count, false);
  subgroup[0] = true;
  while (group.representatives.size() < count) {
    const CosetGenerator generator = next_generator(cosets, subgroup);
    group.generators.push_back(generator.element);
    group.dimensions.push_back(generator.order);
    std::vector<std::uint32_t> products;
    for (std::uint64_t a : group.representatives) {
      for (std::size_t e = 0; e < generator.order; ++e) {
        products.push_back(static_cast<std::uint32_t>(a));
        subgroup[cosets.coset_of[a]] = true;
        a = a * generator.element % index;
      }
    }
    group.representatives = std::move(products);
  }
  std::vector<std::uint32_t> slots(count);
  for (std::size_t i = 0; i < count; ++i) {
    slots[cosets.coset_of[group.representatives[i]]] = static_cast<std::uint32_t>(i);
  }
  group.slot_of.assign(index, SlotGroup::kNone);
  for (std::uint64_t a = 1; a < index; ++a) {
    if (cosets.coset_of[a] != SlotGroup::kNone) group.slot_of[a] = slots[cosets.coset_of[a]];
  }
  return group;
}

}  // namespace ringlet::slots
