// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "ringlet/circuits/circuit.hpp"

namespace ringlet {

/// At which depth the values of a circuit are computed, and which of them are relinearized anyway.
/// A depth counts products on the way to a value, itself included, as Circuit::depth does; level L
/// below the first holds values of depth L.
struct Placement {
  /// Of each value. It is not below the least depth of the value:
  /// - a product that only one sum takes, at one depth, is computed there, so that all products of
  ///   a sum are relinearized and rescaled once;
  /// - sums of products by known vectors, at the depth where they are first asked for: the scale of
  ///   a known vector makes up any difference for nothing;
  /// - rotations and conjugates, where they are first asked for: key switches of fewer primes take
  ///   less time, and one value is brought down instead of many.
  std::vector<std::size_t> depths;
  /// A product, rotation or result takes it: a version of size 2 has to be made in any case.
  std::vector<bool> is_relinearized;
  /// Two values or more are made of it.
  std::vector<bool> is_shared;
  /// A sum at its depth takes it before it is rescaled.
  std::vector<bool> is_summed;
  /// All that takes it are products that take a level, and results: it is rescaled before.
  std::vector<bool> is_multiplied;
};

Placement place(const Circuit& circuit);

}  // namespace ringlet
