// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/host.hpp"

namespace ringlet::bench {

/// C += A * B of ciphertexts: A has rows x depth entries, B depth x columns.
struct ProductShape {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t depth = 0;
  std::size_t degree = 0;
  std::size_t data_primes = 0;

  std::string name() const;
  /// Returns the bytes of C in three polynomials, and of A and B in two.
  std::uint64_t byte_count() const;
  /// Halves the rows and columns again and again, until the shape takes at most `limit` bytes.
  ProductShape fitted(double limit) const;
  friend bool operator==(const ProductShape&, const ProductShape&) = default;
};

struct ProductHost : Host {
  /// @throws InvalidArgument for sizes out of range.
  explicit ProductHost(const ProductShape& shape);
  CiphertextMatrix zeros() const;
  CiphertextMatrix encrypted(std::size_t rows, std::size_t columns) const;

  ProductShape shape;
};

/// Products on one device.
class ProductMeter {
 public:
  ProductMeter(std::shared_ptr<const ProductHost> host, const Device& device, bool fused);

  /// Brings the operands to the device, and compares one product's first and last entry with the
  /// processor's.
  /// @throws RuntimeError if a word differs.
  void prepare();
  /// Frees the operands.
  void release();
  /// Returns the seconds of one product, on the device's clock.
  double seconds();
  /// Returns the seconds of the whole process on the processor's clock: allocate, encode, encrypt,
  /// multiply, decrypt.
  /// @throws RuntimeError if a slot of the result is wrong.
  double process_seconds() const;
  const Device& device() const { return device_; }

 private:
  Device device_;
  std::shared_ptr<const ProductHost> host_;
  Evaluator evaluator_;
  MatrixProduct form_;
  CiphertextMatrix a_, b_, c_;
};

}  // namespace ringlet::bench
