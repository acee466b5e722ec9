// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "fv/products/product_method.hpp"

namespace ringlet::wide {

/// A way and its method.
struct ChosenMethod {
  ProductWay way = ProductWay::automatic;
  std::unique_ptr<const ProductMethod> method;
};

/// Returns the method of `way`, or of the way that the estimate prefers.
/// @throws InvalidArgument if the way does not take the ring and the modulus.
ChosenMethod choose_method(const MethodRequest& request, ProductWay way);

}  // namespace ringlet::wide
