// SPDX-License-Identifier: Apache-2.0
#include "fv/products/method_choice.hpp"

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace ringlet::wide {
namespace {

/// The order of preference at equal estimates.
constexpr ProductWay kWays[] = {ProductWay::ntt, ProductWay::karatsuba, ProductWay::additions};

std::unique_ptr<const ProductMethod> make_method(const MethodRequest& request, ProductWay way) {
  switch (way) {
    case ProductWay::karatsuba:
      return make_karatsuba_method(request);
    case ProductWay::ntt:
      return make_ntt_method(request);
    case ProductWay::additions:
      return make_additions_method(request);
    case ProductWay::automatic:
      break;
  }
  refuse(concat("way = ", static_cast<int>(way)), "a way that the library has",
         "leave the argument out, and the library chooses");
}

/// Returns whether the estimate needs to look at a way at all.
bool is_candidate(const MethodRequest& request, ProductWay way) {
  constexpr std::size_t kMaxAdditionsDegree = 512;
  return way != ProductWay::additions || request.polynomial.degree() <= kMaxAdditionsDegree;
}

}  // namespace

void refuse_growth(const MethodRequest& request, std::uint64_t growth, const std::string& limit,
                   const char* remedy) {
  refuse(concat("m = ", request.polynomial.index(),
                ", for which reduction lets coefficients grow by ", growth),
         limit, remedy);
}

ChosenMethod choose_method(const MethodRequest& request, ProductWay way) {
  if (way != ProductWay::automatic) return {way, make_method(request, way)};
  ChosenMethod best;
  for (const ProductWay candidate : kWays) {
    if (!is_candidate(request, candidate)) continue;
    std::unique_ptr<const ProductMethod> method;
    try {
      method = make_method(request, candidate);
    } catch (const InvalidArgument&) {
      continue;  // Another way may take the ring.
    }
    if (best.method == nullptr ||
        method->estimated_microseconds() < best.method->estimated_microseconds()) {
      best = {candidate, std::move(method)};
    }
  }
  // Where no way takes the ring, the one with the widest limits says why.
  if (best.method == nullptr) best = {ProductWay::additions, make_additions_method(request)};
  return best;
}

}  // namespace ringlet::wide
