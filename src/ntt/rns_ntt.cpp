// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ntt/rns_ntt.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "ntt/checks.hpp"
#include "ntt/plan.hpp"
#include "ntt/rns_call.hpp"
#include "ringlet/arith/modular.hpp"

namespace ringlet {
namespace {

/// Words of transforms that are worth another thread: waking a thread takes as long as transforming
/// about this many words.
constexpr std::size_t kWordsPerThread = std::size_t{1} << 14;

ErrorDetails unknown_prime(std::string operation, std::string offending, std::size_t size) {
  return {std::move(operation), std::move(offending),
          concat("indices of the ", size, " primes, from 0"), "use one of these indices"};
}

/// The shape that both buffers of a call have.
struct Shape {
  std::size_t polynomials;
  std::size_t limbs;
  std::size_t degree;

  bool is_empty() const { return polynomials == 0 || limbs == 0; }
};

/// Where the words of one buffer are. Products of sizes are computed in 128 bits.
class Placement {
 public:
  Placement(const char* name, ConstRnsWords buffer, Shape shape)
      : name_(name), buffer_(buffer), shape_(shape) {}

  void check() const {
    if (shape_.limbs > 1) check_stride("limb_stride", buffer_.limb_stride);
    if (shape_.polynomials > 1) check_stride("polynomial_stride", buffer_.polynomial_stride);
    check_interleaving();
    // The first comparison also keeps the sum of the second one within 128 bits.
    if (polynomial_span() > buffer_.words.size() || extent() > buffer_.words.size()) {
      refuse_length();
    }
    check_operands(buffer_.words.size(), {{name_, buffer_.words}});
  }

  /// All words from the first one of a limb to the last one of a limb.
  std::span<const std::uint64_t> words() const {
    return buffer_.words.first(static_cast<std::size_t>(extent()));
  }

  bool is_same_as(const Placement& other) const {
    return buffer_.words.data() == other.buffer_.words.data() &&
           (shape_.limbs <= 1 || buffer_.limb_stride == other.buffer_.limb_stride) &&
           (shape_.polynomials <= 1 ||
            buffer_.polynomial_stride == other.buffer_.polynomial_stride);
  }

 private:
  uint128_t polynomial_span() const {
    return static_cast<uint128_t>(shape_.polynomials - 1) * buffer_.polynomial_stride;
  }
  uint128_t limb_span() const {
    return static_cast<uint128_t>(shape_.limbs - 1) * buffer_.limb_stride;
  }
  uint128_t extent() const { return polynomial_span() + limb_span() + shape_.degree; }

  void check_stride(const char* stride_name, std::size_t stride) const {
    if (stride >= shape_.degree) return;
    refuse(concat(stride_name, " = ", stride, " of ", name_),
           concat("at least the ", shape_.degree, " words of a limb"),
           "pass the distance between the first words of two neighbouring limbs or polynomials");
  }

  void check_interleaving() const {
    if (shape_.limbs <= 1 || shape_.polynomials <= 1) return;
    if (buffer_.polynomial_stride >= limb_span() + shape_.degree ||
        buffer_.limb_stride >= polynomial_span() + shape_.degree) {
      return;
    }
    refuse(concat("polynomial_stride = ", buffer_.polynomial_stride,
                  " and limb_stride = ", buffer_.limb_stride, " of ", name_, ", for ", shape_.limbs,
                  " limbs of ", shape_.polynomials, " polynomials"),
           "one polynomial after the other, or one prime after the other",
           "enlarge one of the strides until limbs share no words");
  }

  [[noreturn]] void refuse_length() const {
    refuse(concat(name_, " has ", buffer_.words.size(), " words"),
           concat("at least ", shape_.polynomials - 1, " * ", buffer_.polynomial_stride, " + ",
                  shape_.limbs - 1, " * ", buffer_.limb_stride, " + ", shape_.degree, " words"),
           "pass a longer buffer, or smaller strides");
  }

  const char* name_;
  ConstRnsWords buffer_;
  Shape shape_;
};

void check_placements(const Placement& result, const Placement& operand) {
  result.check();
  operand.check();
  if (result.is_same_as(operand)) return;
  if (!have_common_words(result.words(), operand.words())) return;
  refuse("result overlaps operand in another layout or from another word on",
         "the same words in the same layout, or no word in common",
         "transform in place, or pass separate memory as result");
}

}  // namespace

RnsNtt::RnsNtt(std::size_t degree, std::span<const Modulus> moduli,
               const KernelSelection& selection)
    : all_primes_(moduli.size()) {
  public_entry("RnsNtt", [&] {
    if (moduli.empty()) {
      refuse("no moduli", "at least one prime", "take primes from generate_ntt_primes");
    }
  });
  plans_.reserve(moduli.size());
  for (const Modulus& q : moduli) plans_.emplace_back(degree, q, selection);
  std::iota(all_primes_.begin(), all_primes_.end(), std::size_t{0});
}

void RnsNtt::refuse_index(std::size_t i) const {
  throw_out_of_range(unknown_prime("RnsNtt::operator[]", concat("i = ", i), size()));
}

void RnsNtt::check(const Call& call) const {
  if (call.is_forward()) {
    check_forward_factors(call.factors);
  } else {
    check_inverse_factors(call.factors);
  }
  for (std::size_t i = 0; i < call.primes.size(); ++i) {
    if (call.primes[i] >= size()) {
      throw_out_of_range(unknown_prime("", concat("primes[", i, "] = ", call.primes[i]), size()));
    }
  }
  const std::size_t polynomials = call.result.polynomial_count;
  if (call.operand.polynomial_count != polynomials) {
    refuse(concat(polynomials, " polynomials as result, ", call.operand.polynomial_count,
                  " as operand"),
           "the same number of both", "pass the same polynomial_count twice");
  }
  const Shape shape{polynomials, call.primes.size(), degree()};
  if (shape.is_empty()) return;
  check_placements({"result", call.result, shape}, {"operand", call.operand, shape});
}

// The first lines of the next table and operand are not prefetched. With 16 to 200 primes and N
// from 2^12 to 2^16, that changed the time by less than the noise of 1 % on Zen 4, which prefetches
// both streams itself after a few lines. Prefetching more lines cost 2 to 5 %.
void RnsNtt::run(const Call& call) const {
  const std::size_t polynomials = call.result.polynomial_count;
  const auto transform = [&](std::size_t index) {
    const std::size_t i = index / polynomials;
    const std::size_t p = index % polynomials;
    const auto start = [i, p](const auto& buffer) {
      return buffer.words.data() + p * buffer.polynomial_stride + i * buffer.limb_stride;
    };
    const Ntt::Plan& plan = *plans_[call.primes[i]].plan_;
    if (call.is_forward()) {
      plan.forward(start(call.result), start(call.operand), call.factors);
    } else {
      plan.inverse(start(call.result), start(call.operand), call.factors);
    }
  };
  parallel_for(polynomials * call.primes.size(), transform, Chunks::even,
               std::max<std::size_t>(1, kWordsPerThread / degree()));
}

void RnsNtt::forward(RnsWords result, ConstRnsWords operand, std::span<const std::size_t> primes,
                     int input_mod_factor, int output_mod_factor) const {
  const Call call{
      Call::Direction::forward, result, operand, primes, {input_mod_factor, output_mod_factor}};
  public_entry("RnsNtt::forward", [&] { check(call); });
  run(call);
}

void RnsNtt::inverse(RnsWords result, ConstRnsWords operand, std::span<const std::size_t> primes,
                     int input_mod_factor, int output_mod_factor) const {
  const Call call{
      Call::Direction::inverse, result, operand, primes, {input_mod_factor, output_mod_factor}};
  public_entry("RnsNtt::inverse", [&] { check(call); });
  run(call);
}

void RnsNtt::forward(RnsWords result, ConstRnsWords operand, int input_mod_factor,
                     int output_mod_factor) const {
  forward(result, operand, all_primes_, input_mod_factor, output_mod_factor);
}

void RnsNtt::inverse(RnsWords result, ConstRnsWords operand, int input_mod_factor,
                     int output_mod_factor) const {
  inverse(result, operand, all_primes_, input_mod_factor, output_mod_factor);
}

std::size_t RnsNtt::table_bytes() const noexcept {
  std::size_t bytes = 0;
  for (const Ntt& plan : plans_) bytes += plan.table_bytes();
  return bytes;
}

}  // namespace ringlet
