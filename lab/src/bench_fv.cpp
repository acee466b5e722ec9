// SPDX-License-Identifier: Apache-2.0
#include "bindings/core/arguments.hpp"
#include "lab_bindings.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/fv/wide_product.hpp"
#include "ringlet/kernels/eltwise.hpp"
#include "ringlet/ntt/rns_ntt.hpp"
#include "ringlet/ring/cyclotomic.hpp"
#include "stopwatch.hpp"

// The jobs of `ringlet bench fv`: products P * U + E of FV's encryption, by every way of the
// library and by the algorithm with which the paper compares itself.

namespace ringlet::python {
namespace {

__extension__ using Uint128 = unsigned __int128;

constexpr std::size_t kMostProducts = 16;
constexpr std::uint64_t kErrorRange = 43;  // E in [-21, 21]

/// P, and `count` times U and E, the same for the same sizes.
struct Operands {
  Operands(std::size_t degree, const WideModulus& q, std::size_t count);

  std::size_t bytes() const;

  WidePoly p;
  std::vector<std::vector<std::int8_t>> u;
  std::vector<std::vector<std::int32_t>> e;
  std::vector<std::span<const std::int8_t>> u_views;
  std::vector<std::span<const std::int32_t>> e_views;
};

Operands::Operands(std::size_t degree, const WideModulus& q, std::size_t count)
    : p(degree, q.word_count()) {
  const int top_bits = q.bit_count() - 1;
  for (std::size_t w = 0; w < q.word_count(); ++w) {
    const int bits = std::min(64, top_bits - static_cast<int>(64 * w));
    const std::uint64_t mask = bits <= 0 ? 0 : ~std::uint64_t{0} >> (64 - bits);
    const auto words = make_words(degree, 0, w + 1);
    std::ranges::transform(words, p.plane(w).begin(), [mask](auto word) { return word & mask; });
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = make_words(degree, 2, 10 + i);
    const auto errors = make_words(degree, kErrorRange, 100 + i);
    u.emplace_back(bits.begin(), bits.end());
    auto& values = e.emplace_back(degree);
    std::ranges::transform(errors, values.begin(), [](std::uint64_t error) {
      return static_cast<std::int32_t>(error) - static_cast<std::int32_t>(kErrorRange / 2);
    });
  }
  u_views.assign(u.begin(), u.end());
  e_views.assign(e.begin(), e.end());
}

std::size_t Operands::bytes() const {
  return p.degree() *
         (8 * p.word_count() + u.size() * (sizeof(std::int8_t) + sizeof(std::int32_t)));
}

/// The paper's Algorithm 1 (Migliore et al. 2017) with P in RNS and NTT form. It transforms U and
/// E, adds up the products, transforms back and reconstructs. Transforms are negacyclic with a
/// power of two that holds the product; the product is not reduced modulo Phi_m.
class RnsProduct {
 public:
  RnsProduct(const Operands& operands, const WideModulus& q, const KernelSelection& kernels);

  void run(std::size_t i);
  std::string kernel_name() const { return ntt_[0].kernel_name(); }
  std::size_t prepared_bytes() const { return 8 * p_.size(); }
  std::size_t table_bytes() const { return ntt_.table_bytes(); }
  std::size_t scratch_bytes() const { return 8 * (u_.size() + e_.size() + result_.size()); }

 private:
  static constexpr std::size_t kPrimes = 3;
  static constexpr int kPrimeBits = 49;

  std::span<std::uint64_t> limb(AlignedVector<std::uint64_t>& words, std::size_t k) const {
    return std::span(words).subspan(k * length_, length_);
  }
  RnsWords rns(AlignedVector<std::uint64_t>& words) const { return {words, length_}; }
  void reconstruct();

  const Operands& operands_;
  std::size_t degree_;
  std::size_t length_;
  std::vector<Modulus> primes_;
  RnsNtt ntt_;
  std::vector<Eltwise> eltwise_;
  WideModulus q_;
  std::uint64_t inverse_01_;   // p_0^-1 modulo p_1
  std::uint64_t inverse_012_;  // (p_0 * p_1)^-1 modulo p_2
  AlignedVector<std::uint64_t> p_, u_, e_, result_;
};

RnsProduct::RnsProduct(const Operands& operands, const WideModulus& q,
                       const KernelSelection& kernels)
    : operands_(operands),
      degree_(operands.p.degree()),
      length_(std::bit_ceil(2 * degree_ - 1)),
      primes_(generate_ntt_primes(kPrimeBits, length_, kPrimes)),
      ntt_(length_, primes_, kernels),
      q_(q),
      inverse_01_(inverse_mod(primes_[0].value(), primes_[1])),
      inverse_012_(inverse_mod(
          primes_[2].multiply(primes_[0].value() % primes_[2].value(), primes_[1].value()),
          primes_[2])),
      p_(kPrimes * length_),
      u_(kPrimes * length_),
      e_(kPrimes * length_),
      result_(q.word_count() * (2 * degree_ - 1)) {
  for (std::size_t k = 0; k < kPrimes; ++k) {
    const Modulus& modulus = primes_[k];
    eltwise_.emplace_back(modulus, kernels);
    const std::uint64_t radix = pow_mod(2, 64, modulus);
    for (std::size_t i = 0; i < degree_; ++i) {
      const WideInteger value = operands.p[i];
      std::uint64_t residue = 0;
      for (std::size_t w = kWideWords; w-- > 0;) {
        residue =
            add_mod(modulus.multiply(residue, radix), modulus.reduce(value[w]), modulus.value());
      }
      p_[k * length_ + i] = residue;
    }
  }
  ntt_.forward(rns(p_), rns(p_));
}

void RnsProduct::run(std::size_t i) {
  const auto& u = operands_.u[i];
  const auto& e = operands_.e[i];
  for (std::size_t k = 0; k < kPrimes; ++k) {
    const std::span<std::uint64_t> u_limb = limb(u_, k);
    const std::span<std::uint64_t> e_limb = limb(e_, k);
    const std::uint64_t prime = primes_[k].value();
    for (std::size_t j = 0; j < degree_; ++j) {
      u_limb[j] = static_cast<std::uint64_t>(u[j]);
      const std::int64_t value = e[j];
      e_limb[j] =
          static_cast<std::uint64_t>(value) + (prime & static_cast<std::uint64_t>(value >> 63));
    }
    std::fill(u_limb.begin() + static_cast<std::ptrdiff_t>(degree_), u_limb.end(), 0);
    std::fill(e_limb.begin() + static_cast<std::ptrdiff_t>(degree_), e_limb.end(), 0);
  }
  ntt_.forward(rns(u_), rns(u_));
  ntt_.forward(rns(e_), rns(e_));
  for (std::size_t k = 0; k < kPrimes; ++k) {
    eltwise_[k].multiply_add(limb(u_, k), limb(p_, k), limb(u_, k), limb(e_, k));
  }
  ntt_.inverse(rns(u_), rns(u_));
  reconstruct();
}

// Garner's formula, v_0 + p_0 * (v_1 + p_1 * v_2), as three words. As in the algorithm of the paper
// the result is the integer, not reduced below q.
void RnsProduct::reconstruct() {
  const std::uint64_t p0 = primes_[0].value();
  const std::uint64_t p1 = primes_[1].value();
  const Uint128 p01 = Uint128{p0} * p1;
  const auto p01_low = static_cast<std::uint64_t>(p01);
  const auto p01_high = static_cast<std::uint64_t>(p01 >> 64);
  const std::size_t count = 2 * degree_ - 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t v0 = u_[i];
    const std::uint64_t v1 =
        primes_[1].multiply(sub_mod(u_[length_ + i], primes_[1].reduce(v0), p1), inverse_01_);
    const std::uint64_t known = add_mod(
        primes_[2].reduce(v0), primes_[2].multiply(primes_[2].reduce(p0), primes_[2].reduce(v1)),
        primes_[2].value());
    const std::uint64_t v2 =
        primes_[2].multiply(sub_mod(u_[2 * length_ + i], known, primes_[2].value()), inverse_012_);
    const Uint128 low = Uint128{p0} * v1 + v0;
    const Uint128 first = Uint128{p01_low} * v2 + static_cast<std::uint64_t>(low);
    const Uint128 second = Uint128{p01_high} * v2 + static_cast<std::uint64_t>(low >> 64) +
                           static_cast<std::uint64_t>(first >> 64);
    const std::array<std::uint64_t, kWideWords> words{static_cast<std::uint64_t>(first),
                                                      static_cast<std::uint64_t>(second),
                                                      static_cast<std::uint64_t>(second >> 64)};
    for (std::size_t w = 0; w < q_.word_count(); ++w) result_[w * count + i] = words[w];
  }
}

std::size_t checked_count(const char* operation, const Integer& count) {
  const std::uint64_t value = count.word(operation, "count");
  if (value >= 1 && value <= kMostProducts) return static_cast<std::size_t>(value);
  throw_invalid_argument({operation, "count = " + std::to_string(value),
                          "1 to " + std::to_string(kMostProducts), "ask for 1 or more products"});
}

template <typename Value>
struct Named {
  std::string name;
  Value value;
};

ProductWay parse_way(const char* operation, const std::string& name) {
  static const auto kWays = [] {
    using enum ProductWay;
    std::vector<Named<ProductWay>> ways;
    for (const auto way : {automatic, karatsuba, ntt, additions}) {
      ways.push_back({to_string(way), way});
    }
    return ways;
  }();
  return find_named(operation, "way", kWays, name).value;
}

TimedJob add_wide_product(Stopwatch& stopwatch, const Integer& index, const std::string& modulus,
                          const std::string& way, const std::string& kernels, const Integer& count,
                          bool prepared) {
  const char* operation = "add_wide_product";
  const WideModulus q = WideModulus::parse(modulus);
  const CyclotomicPolynomial polynomial(index.word(operation, "index"));
  const std::size_t products = checked_count(operation, count);
  const WideProduct product(polynomial, q, parse_way(operation, way), KernelSelection(kernels));
  auto operands = std::make_shared<const Operands>(polynomial.degree(), q, products);
  auto key = product.prepare(operands->p);
  auto results = std::make_shared<std::vector<WidePoly>>(products);
  return {.index = stopwatch.add(repeated([=] {
            const auto p = prepared ? key : product.prepare(operands->p);
            product.multiply_add(*results, *p, operands->u_views, operands->e_views);
          })),
          .kernel = product.kernel_name(),
          .operand_bytes = operands->bytes(),
          .prepared_bytes = key->bytes(),
          .table_bytes = product.table_bytes(),
          .scratch_bytes = product.scratch_bytes(products)};
}

TimedJob add_rns_product(Stopwatch& stopwatch, const Integer& degree, const std::string& modulus,
                         const std::string& kernels, const Integer& count) {
  const char* operation = "add_rns_product";
  constexpr std::uint64_t kMostDegree = 16384;
  const WideModulus q = WideModulus::parse(modulus);
  const std::uint64_t n = degree.word(operation, "degree");
  if (n < 2 || n > kMostDegree) {
    throw_invalid_argument({operation, "degree = " + std::to_string(n),
                            "2 to " + std::to_string(kMostDegree),
                            "choose a degree in this range"});
  }
  const std::size_t products = checked_count(operation, count);
  auto operands = std::make_shared<const Operands>(static_cast<std::size_t>(n), q, products);
  auto product = std::make_shared<RnsProduct>(*operands, q, KernelSelection(kernels));
  return {.index = stopwatch.add(repeated([=] {
            for (std::size_t k = 0; k < products; ++k) product->run(k);
            // The product holds references to the operands.
            static_cast<void>(operands);
          })),
          .kernel = product->kernel_name(),
          .operand_bytes = operands->bytes(),
          .prepared_bytes = product->prepared_bytes(),
          .table_bytes = product->table_bytes(),
          .scratch_bytes = product->scratch_bytes()};
}

TimedJob add_reduction(Stopwatch& stopwatch, const Integer& index, const std::string& method,
                       const Integer& planes) {
  const char* operation = "add_reduction";
  const CyclotomicPolynomial polynomial(index.word(operation, "index"));
  const std::size_t count = checked_count(operation, planes);
  const std::array<Named<ReductionMethod>, 3> methods{{
      {"sparse_divisors", ReductionMethod::sparse_divisors},
      {"block_system", ReductionMethod::block_system},
      {"barrett", ReductionMethod::barrett},
  }};
  const CyclotomicReduction reduction(polynomial,
                                      find_named(operation, "method", methods, method).value);
  const std::size_t size = 2 * polynomial.degree() - 1;
  auto words = std::make_shared<AlignedVector<std::uint64_t>>(make_words(count * size, 0, 1));
  return {.index = stopwatch.add(repeated([=] {
            for (std::size_t k = 0; k < count; ++k) {
              reduction.reduce_words(std::span(*words).subspan(k * size, size));
            }
          })),
          .kernel = method,
          .operand_bytes = 8 * words->size()};
}

std::string wide_product_kernel(const Integer& index, const std::string& modulus,
                                const std::string& way, const std::string& kernels) {
  const char* operation = "wide_product_kernel";
  const CyclotomicPolynomial polynomial(index.word(operation, "index"));
  return WideProduct(polynomial, WideModulus::parse(modulus), parse_way(operation, way),
                     KernelSelection(kernels))
      .kernel_name();
}

std::string wide_prime(const Integer& bits) {
  return WideModulus::largest_prime(bits.number("wide_prime", "bits")).to_string();
}

}  // namespace

void bind_bench_fv(nb::module_& module) {
  module.def("wide_prime", &wide_prime, "bits"_a, "The largest prime of so many bits, in decimal.");
  module.def("wide_product_kernel", &wide_product_kernel, "index"_a, "modulus"_a, "way"_a,
             "kernels"_a, "The name of what add_wide_product runs.");
  module.def(
      "add_wide_product", &add_wide_product, "stopwatch"_a, "index"_a, "modulus"_a, "way"_a,
      "kernels"_a, "count"_a, nb::kw_only(), "prepared"_a,
      "Adds `count` products P * U + E modulo (Phi_m, q) of one P, m = index, q in decimal.\n"
      "Without `prepared`, what is made of P once per key is part of each call.");
  module.def(
      "add_rns_product", &add_rns_product, "stopwatch"_a, "degree"_a, "modulus"_a, "kernels"_a,
      "count"_a,
      "Adds `count` products by Algorithm 1 of Migliore et al. (2017), each with two forward\n"
      "transforms, one inverse and reconstruction, not reduced modulo Phi_m or q.");
  module.def("add_reduction", &add_reduction, "stopwatch"_a, "index"_a, "method"_a, "planes"_a,
             "Adds the reduction modulo Phi_m of `planes` polynomials of 2n - 1 words.");
}

}  // namespace ringlet::python
