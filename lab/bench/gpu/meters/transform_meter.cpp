// SPDX-License-Identifier: Apache-2.0
#include "gpu/meters/transform_meter.hpp"

#include "base/text.hpp"
#include "gpu/device_registry.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/ntt/ntt.hpp"

namespace ringlet::bench {
namespace {

constexpr const char* kOperation = "transforms";
constexpr std::size_t kMostPrimes = 64;
constexpr std::size_t kMostBatch = 65536;

}  // namespace

TransformMeter::TransformMeter(const Device& device, std::size_t degree, int bits,
                               std::size_t prime_count, std::size_t batch)
    : device_(device),
      basis_(make_basis(device, degree, bits, prime_count, batch)),
      backend_(make_backend(basis_, device)),
      limb_count_(prime_count * batch),
      words_(backend_->memory(), limb_count_ * degree),
      primes_(limb_count_) {
  for (std::size_t i = 0; i < limb_count_; ++i) primes_[i] = i % prime_count;
  for (std::size_t i = 0; i < prime_count; ++i) {
    const auto limb = scattered_words(degree, basis_[i].value(), i + 1);
    sample_.insert(sample_.end(), limb.begin(), limb.end());
  }
  words_.fill(sample_, limb_count_ * degree);
}

RnsBasis TransformMeter::make_basis(const Device& device, std::size_t degree, int bits,
                                    std::size_t prime_count, std::size_t batch) {
  check_is_device(kOperation, device);
  check_degree(kOperation, degree);
  check_range(kOperation, "prime_count", prime_count, 1, kMostPrimes);
  check_range(kOperation, "batch", batch, 1, kMostBatch);
  return {degree, generate_ntt_primes(bits, degree, prime_count)};
}

gpu::NttPlan TransformMeter::plan() const {
  const DeviceOptions& options = device_.options();
  const auto opened =
      gpu::DeviceRegistry::of_process().open(gpu::parse_device_name(device_.name()), options);
  return gpu::make_ntt_plan({.variant = options.ntt,
                             .log_degree = std::countr_zero(basis_.degree()),
                             .paths = static_cast<gpu::NttPaths>(gpu::ntt_path(basis_[0], options)),
                             .use_assembly = options.use_assembly},
                            opened->device->properties());
}

void TransformMeter::check() {
  std::vector<std::uint64_t> values = sample_;
  for (std::size_t i = 0; i < basis_.size(); ++i) {
    Ntt(basis_.degree(), basis_[i])
        .forward(std::span(values).subspan(i * basis_.degree(), basis_.degree()));
  }
  words_.fill(sample_, limb_count_ * basis_.degree());
  run(true);
  compare(values, "forward");
  run(false);
  compare(sample_, "inverse");
}

double TransformMeter::seconds(bool is_forward, std::size_t calls) const {
  const double all = device_.time([&] {
    for (std::size_t i = 0; i < calls; ++i) run(is_forward);
  });
  return all / static_cast<double>(calls);
}

void TransformMeter::run(bool is_forward) const {
  const std::size_t degree = basis_.degree();
  const NttView values{words_.data(), degree, limb_count_, degree};
  const CoeffView coefficients{words_.data(), degree, limb_count_, degree};
  if (is_forward) {
    backend_->forward_ntt(values, coefficients, primes_);
  } else {
    backend_->inverse_ntt(coefficients, values, primes_);
  }
}

void TransformMeter::compare(const std::vector<std::uint64_t>& expected,
                             const char* direction) const {
  std::vector<std::uint64_t> found(expected.size());
  const std::size_t last = limb_count_ * basis_.degree() - expected.size();
  for (const std::size_t first : {std::size_t{0}, last}) {
    backend_->memory()->download(found.data(), words_.data() + first, found.size());
    const auto [here, there] = std::ranges::mismatch(found, expected);
    if (here == found.end()) continue;
    const std::size_t word = first + static_cast<std::size_t>(here - found.begin());
    throw_runtime_error(
        {kOperation,
         concat(direction, " transform by ", kernel_name(), ": word ", word, " is ", *here),
         concat(*there, ", as on the processor"),
         "the variant is wrong on this device: report it with the output of `ringlet info`"});
  }
}

}  // namespace ringlet::bench
