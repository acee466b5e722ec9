// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "ringlet/circuits/circuit.hpp"

namespace ringlet {

/// States at which depth the values of a circuit are computed, and which are relinearized anyway.
/// A depth counts the products on the longest way to a value, itself included, as Circuit::depth
/// does. The level L below the first holds values of depth L.
struct Placement {
  /// The depth of each value, not below its least depth:
  /// - a product that only one sum takes, at one depth, is computed there, so that all products of
  ///   a sum are relinearized and rescaled once;
  /// - sums of products by known vectors are computed at the depth where they are first asked for:
  ///   the scale of a known vector makes up any difference at no cost;
  /// - rotations and conjugates are computed where they are first asked for: key switches of fewer
  ///   primes take less time, and one value is brought down instead of many.
  std::vector<std::size_t> depths;
  /// A product or rotation takes it, or it is a result: a version of size 2 is needed in any case.
  std::vector<bool> is_relinearized;
  /// Two or more values take it as an operand.
  std::vector<bool> is_shared;
  /// A sum at its depth takes it before it is rescaled.
  std::vector<bool> is_summed;
  /// Only products that take a level, and results, take it: it is rescaled first.
  std::vector<bool> is_multiplied;
  /// A rotation or conjugate that is moved once more, itself or in a sum, as when slots are summed
  /// in steps of 1, 2, 4, ...: one rescaling before the first saves a prime in each key switch.
  std::vector<bool> is_moved_again;
};

Placement place(const Circuit& circuit);

}  // namespace ringlet
