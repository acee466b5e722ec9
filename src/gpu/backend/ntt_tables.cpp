// SPDX-License-Identifier: Apache-2.0
#include "gpu/backend/ntt_tables.hpp"

#include "kernels/ntt/twiddle_powers.hpp"
#include "ringlet/arith/modular.hpp"
#include "ringlet/arith/primes.hpp"

namespace ringlet::gpu {
namespace {

constexpr std::size_t kConstantWords = 8;

/// Returns floor(root * 2^64 / q), or floor(root * 2^32 / q) for a narrow prime.
std::uint64_t root_quotient(std::uint64_t root, const Modulus& q, NttPath path) {
  return path == NttPath::narrow ? (root << 32U) / q.value() : shoup_quotient(root, q.value());
}

/// Writes roots in the order of the passes. `powers` has the root of block b among 2^s blocks at
/// index 2^s + b.
class RootWriter {
 public:
  RootWriter(std::span<std::uint64_t> target, std::span<const std::uint64_t> powers,
             const Modulus& q, NttPath path)
      : target_(target), powers_(powers), q_(q), path_(path) {}

  void write(std::span<const int> pass_levels) {
    std::size_t blocks = 1;
    for (const int levels : pass_levels) {
      write_pass(blocks, levels);
      blocks <<= levels;
    }
  }

 private:
  /// Node 2^u + v of the tree of block b has number (blocks - 1) + (2^u + v - 1) * blocks + b.
  void write_pass(std::size_t blocks, int levels) {
    for (int u = 0; u < levels; ++u) {
      const std::size_t parts = std::size_t{1} << u;
      for (std::size_t v = 0; v < parts; ++v) {
        for (std::size_t b = 0; b < blocks; ++b) {
          write_pair((parts + v) * blocks - 1 + b, powers_[(blocks + b) * parts + v]);
        }
      }
    }
  }
  void write_pair(std::size_t number, std::uint64_t root) {
    const std::uint64_t quotient = root_quotient(root, q_, path_);
    if (path_ == NttPath::narrow) {
      target_[number] = quotient << 32U | root;
    } else {
      target_[2 * number] = root;
      target_[2 * number + 1] = quotient;
    }
  }

  std::span<std::uint64_t> target_;
  std::span<const std::uint64_t> powers_;
  const Modulus& q_;
  NttPath path_;
};

}  // namespace

std::size_t ntt_record_words(int log_degree) {
  return kConstantWords + (std::size_t{4} << log_degree);
}

std::vector<std::uint64_t> make_ntt_record(const Modulus& q, int log_degree,
                                           std::span<const int> pass_levels, NttPath path) {
  const std::size_t degree = std::size_t{1} << log_degree;
  const std::uint64_t root = minimal_primitive_root(2 * degree, q);
  const std::uint64_t degree_inverse = inverse_mod(degree, q);
  std::vector<std::uint64_t> record(ntt_record_words(log_degree));
  record[0] = q.value();
  record[1] = std::uint64_t{0} - q.value();
  if (path == NttPath::narrow) {
    record[0] |= (2 * q.value()) << 32U;
    record[1] = (std::uint64_t{0} - 2 * q.value()) << 32U | (record[1] & 0xffffffffU);
  }
  record[2] = q.ratio().high;
  record[3] = static_cast<std::uint64_t>(path);
  record[4] = degree_inverse;
  record[5] = root_quotient(degree_inverse, q, path);

  const std::span<std::uint64_t> roots = std::span(record).subspan(kConstantWords);
  const auto forward = kernels::bit_reversed_powers(root, log_degree, q);
  RootWriter(roots.first(2 * degree), forward, q, path).write(pass_levels);
  auto inverse = kernels::bit_reversed_powers(inverse_mod(root, q), log_degree, q);
  inverse[1] = q.multiply(inverse[1], degree_inverse);
  RootWriter(roots.subspan(2 * degree), inverse, q, path).write(pass_levels);
  return record;
}

}  // namespace ringlet::gpu
