// SPDX-License-Identifier: Apache-2.0
#include "ring/wide/planner.hpp"

#include "base/text.hpp"
#include "ringlet/error.hpp"

namespace ringlet::wide {

PlannedMethod plan_method(const MethodRequest& request, ProductWay way) {
  switch (way) {
    case ProductWay::automatic:
    case ProductWay::ntt:
      return {ProductWay::ntt, make_ntt_method(request)};
    case ProductWay::additions:
      return {ProductWay::additions, make_additions_method(request)};
    case ProductWay::karatsuba:
      return {ProductWay::karatsuba, make_karatsuba_method(request)};
  }
  throw_invalid_argument({.operation = "WideProduct",
                          .offending = concat("way ", to_string(way)),
                          .limit = "automatic, karatsuba, ntt or additions",
                          .remedy = "leave the way to the planner"});
}

}  // namespace ringlet::wide
