// SPDX-License-Identifier: Apache-2.0
#include "bindings/schemes/levels.hpp"

#include "ringlet/base/error.hpp"

namespace ringlet::python {
namespace {

// Scales are products and quotients of doubles: a few roundings of 2^-53 each.
constexpr double kRounding = 0x1p-48;

bool is_near(double a, double b) { return std::abs(a - b) <= kRounding * b; }

const ContextData& level_of(const Workshop& workshop, const Ciphertext& a) {
  return *workshop.context().get_context_data(a.parms_id());
}

const ContextData& level_with(const Workshop& workshop, std::size_t primes) {
  const ContextData* level = workshop.context().first_context_data();
  while (level->prime_count() > primes) level = level->next_context_data();
  return *level;
}

void bring_down(const Workshop& workshop, const Ciphertext& a, std::size_t primes,
                Ciphertext& result) {
  const Evaluator& evaluator = workshop.evaluator();
  if (workshop.ckks_encoder() == nullptr) {
    evaluator.mod_switch_to(a, level_with(workshop, primes).parms_id(), result);
    return;
  }
  const ContextData& above = level_with(workshop, primes + 1);
  const auto q = static_cast<double>(above.coeff_modulus().back().value());
  Plaintext one;
  workshop.ckks_encoder()->encode(1.0, above.parms_id(),
                                  workshop.level_scale(primes) * q / a.scale(), one);
  evaluator.mod_switch_to(a, above.parms_id(), result);
  evaluator.multiply_plain_inplace(result, one);
  evaluator.rescale_to_next_inplace(result);
  result.scale() = workshop.level_scale(primes);
}

bool is_known(const Workshop& workshop, const Ciphertext& a) {
  return a.size() != 0 && workshop.context().get_context_data(a.parms_id()) != nullptr;
}

}  // namespace

Ciphertext brought_down(const Workshop& workshop, const Ciphertext& a, std::size_t primes) {
  Ciphertext result;
  bring_down(workshop, a, primes, result);
  return result;
}

std::size_t prime_count(const Workshop& workshop, const Ciphertext& a) {
  return level_of(workshop, a).prime_count();
}

bool has_level_scale(const Workshop& workshop, const Ciphertext& a) {
  const double scale = workshop.level_scale(prime_count(workshop, a));
  return scale > 0 && is_near(a.scale(), scale);
}

Aligned::Aligned(const Workshop& workshop, const Ciphertext& a, const Ciphertext& b)
    : a_(&a), b_(&b) {
  if (!is_known(workshop, a) || !is_known(workshop, b)) return;
  const std::size_t first = prime_count(workshop, a);
  const std::size_t second = prime_count(workshop, b);
  if (first == second) return;
  const bool is_ckks = workshop.scheme() == SchemeType::ckks;
  if (is_ckks && !(has_level_scale(workshop, a) && has_level_scale(workshop, b))) return;
  bring_down(workshop, first > second ? a : b, std::min(first, second), lowered_);
  (first > second ? a_ : b_) = nullptr;
}

void check_levels(const Workshop& workshop, const Ciphertext& a, std::size_t needed,
                  const char* operation) {
  const std::size_t level = level_index(workshop, a.parms_id());
  if (workshop.scheme() != SchemeType::ckks || level >= needed) return;
  const std::string left = level == 0 ? "no multiplication is left"
                                      : std::to_string(needed) + " multiplications are too many";
  throw_invalid_argument({operation, left + " at level " + std::to_string(level),
                          "level " + std::to_string(needed) + " or higher: each takes one level",
                          "use parameters with more primes, as "
                          "ringlet.suggest_parameters(depth=...) gives them, or multiply less"});
}

double factor_scale(const Workshop& workshop, const Ciphertext& a) {
  const ContextData& level = level_of(workshop, a);
  const auto q = static_cast<double>(level.coeff_modulus().back().value());
  const std::size_t primes = level.prime_count();
  const double below = primes > 1 ? workshop.level_scale(primes - 1) : 0;
  return below > 0 && has_level_scale(workshop, a) ? below * q / a.scale() : q;
}

void settle_scale(const Workshop& workshop, Ciphertext& product) {
  if (workshop.scheme() != SchemeType::ckks || !has_level_scale(workshop, product)) return;
  product.scale() = workshop.level_scale(prime_count(workshop, product));
}

void reduce_product(const Workshop& workshop, Ciphertext& product, const RelinKeys& keys) {
  const Evaluator& evaluator = workshop.evaluator();
  if (workshop.scheme() == SchemeType::ckks) {
    evaluator.relinearize_and_rescale_to_next_inplace(product, keys);
    settle_scale(workshop, product);
    return;
  }
  evaluator.relinearize_inplace(product, keys);
  const bool goes_down = workshop.scheme() == SchemeType::bgv &&
                         level_of(workshop, product).next_context_data() != nullptr;
  if (goes_down) evaluator.mod_switch_to_next_inplace(product);
}

}  // namespace ringlet::python
