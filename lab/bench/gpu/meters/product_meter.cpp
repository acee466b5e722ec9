// SPDX-License-Identifier: Apache-2.0
#include "gpu/meters/product_meter.hpp"

#include "base/text.hpp"
#include "gpu/device_words.hpp"

namespace ringlet::bench {
namespace {

constexpr const char* kOperation = "products";
constexpr std::size_t kMostSide = 1024;

const Device& checked(const Device& device) {
  check_is_device(kOperation, device);
  return device;
}

}  // namespace

std::string ProductShape::name() const { return concat(rows, "x", columns, "x", depth); }

std::uint64_t ProductShape::byte_count() const {
  const std::uint64_t entries = 3 * rows * columns + 2 * depth * (rows + columns);
  return 8 * degree * data_primes * entries;
}

ProductShape ProductShape::fitted(double limit) const {
  ProductShape shape = *this;
  while (static_cast<double>(shape.byte_count()) > limit && (shape.rows > 1 || shape.columns > 1)) {
    shape.rows = std::max<std::size_t>(1, shape.rows / 2);
    shape.columns = std::max<std::size_t>(1, shape.columns / 2);
  }
  return shape;
}

ProductHost::ProductHost(const ProductShape& product)
    : Host(kOperation, {product.degree, product.data_primes}), shape(product) {
  check_range(kOperation, "rows", shape.rows, 1, kMostSide);
  check_range(kOperation, "columns", shape.columns, 1, kMostSide);
  check_range(kOperation, "depth", shape.depth, 1, kMostSide);
}

CiphertextMatrix ProductHost::zeros() const {
  return {*context.first_context_data(), {shape.rows, shape.columns}, 3, kScale * kScale};
}

CiphertextMatrix ProductHost::encrypted(std::size_t rows, std::size_t columns) const {
  return {{rows, columns}, encrypt(rows * columns)};
}

ProductMeter::ProductMeter(std::shared_ptr<const ProductHost> host, const Device& device,
                           bool fused)
    : device_(device),
      host_(std::move(host)),
      evaluator_(host_->context, checked(device)),
      form_(fused ? MatrixProduct::fused : MatrixProduct::separate) {}

void ProductMeter::prepare() {
  const ProductShape& shape = host_->shape;
  a_ = host_->encrypted(shape.rows, shape.depth);
  b_ = host_->encrypted(shape.depth, shape.columns);
  c_ = host_->zeros();
  multiply_accumulate(evaluator_, c_, a_, b_, form_);
  const Evaluator processor(host_->context);
  for (const auto& [i, j] :
       {std::pair<std::size_t, std::size_t>{0, 0}, {shape.rows - 1, shape.columns - 1}}) {
    Ciphertext sum;
    processor.multiply(a_.at(i, 0), b_.at(0, j), sum);
    for (std::size_t t = 1; t < shape.depth; ++t) {
      Ciphertext product;
      processor.multiply(a_.at(i, t), b_.at(t, j), product);
      processor.add_inplace(sum, product);
    }
    if (!are_same(c_.at(i, j), sum)) report_difference(kOperation, "a product");
  }
}

void ProductMeter::release() {
  a_ = b_ = c_ = CiphertextMatrix();
  device_.trim();
}

double ProductMeter::seconds() {
  return device_.time([&] { multiply_accumulate(evaluator_, c_, a_, b_, form_); });
}

double ProductMeter::process_seconds() const {
  using Clock = std::chrono::steady_clock;
  const ProductShape& shape = host_->shape;
  device_.synchronize();
  const auto start = Clock::now();
  CiphertextMatrix c = host_->zeros();
  const CiphertextMatrix a = host_->encrypted(shape.rows, shape.depth);
  const CiphertextMatrix b = host_->encrypted(shape.depth, shape.columns);
  multiply_accumulate(evaluator_, c, a, b, form_);
  Plaintext plain;
  for (const Ciphertext& entry : c.entries()) host_->decryptor.decrypt(entry, plain);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  std::vector<double> values;
  host_->encoder.decode(plain, values);
  const double expected = Host::kValue * Host::kValue * static_cast<double>(shape.depth);
  for (const double value : values) {
    if (!(std::abs(value - expected) < 1e-3)) {
      throw_runtime_error({kOperation, concat("a slot of the product is ", value),
                           concat(expected, ", up to 0.001"),
                           "the device computes wrong results: report it"});
    }
  }
  return seconds;
}

}  // namespace ringlet::bench
