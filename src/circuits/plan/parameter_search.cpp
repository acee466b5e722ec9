// SPDX-License-Identifier: Apache-2.0
#include "circuits/plan/parameter_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "circuits/plan/modulus_chain.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/estimates/noise_estimator.hpp"
#include "ringlet/rlwe/security.hpp"
#include "ringlet/schemes/sharing_decryptor.hpp"
#include "rlwe/scheme_traits.hpp"

namespace ringlet::circuits {
namespace {

constexpr int kLargestBits = 60;
// For levels of one prime: the first prime and the special prime may have two bits more.
constexpr int kLargestScaleBits = 58;
// For levels of two primes.
constexpr int kMostScaleBits = 2 * kLargestScaleBits;
constexpr int kFastBits = 49;
constexpr int kLeastBits = 18;
constexpr std::size_t kMostSpecialPrimes = 4;
// BGV tries so many sizes of level primes above the smallest sufficient one.
constexpr int kLargerSizes = 4;
constexpr int kBitsToSpare = 4;
// Bits of the last level above those of a result: the sign, and the noise beside it. And above
// those of the scale.
constexpr double kRoom = 1.01;
constexpr double kLeastRoom = 1.5;
// The largest ratio between the scale of a level and that of the inputs.
constexpr double kMostDrift = 1.5;

bool contains(std::span<const Modulus> primes, std::uint64_t value) {
  return std::ranges::any_of(primes, [value](const Modulus& q) { return q.value() == value; });
}

// Returns the prime = 1 modulo `step` nearest to `target` that is not in `taken`, or 0 if its ratio
// to `target` exceeds kMostDrift.
std::uint64_t prime_near(double target, std::uint64_t step, std::span<const Modulus> taken) {
  const auto middle = static_cast<std::uint64_t>(target) / step * step + 1;
  const auto fits = [&](std::uint64_t q) { return is_prime(q) && !contains(taken, q); };
  for (std::uint64_t distance = 0;; distance += step) {
    const double ratio = static_cast<double>(distance) / target;
    if (1 + ratio > kMostDrift) return 0;
    if (middle > distance + step && fits(middle - distance)) return middle - distance;
    if (fits(middle + step + distance)) return middle + step + distance;
  }
}

// Returns the least prime = 1 modulo `step` above `least` that is not in `taken`.
std::uint64_t prime_above(double least, std::uint64_t step, std::span<const Modulus> taken) {
  std::uint64_t q = static_cast<std::uint64_t>(least) / step * step + 1 + step;
  while (contains(taken, q) || !is_prime(q)) q += step;
  return q;
}

// Appends to `taken` the `count` largest primes = 1 modulo `step` of `bits` bits that it does not
// hold. Returns false if there are too few.
bool append_primes(int bits, std::uint64_t step, std::size_t count, std::vector<Modulus>& taken) {
  if (bits > kLargestBits || bits < kLeastBits) return false;
  std::uint64_t q = ((std::uint64_t{1} << bits) - 1) / step * step + 1;
  for (; count > 0 && q > (std::uint64_t{1} << (bits - 1)); q -= step) {
    if (contains(taken, q) || !is_prime(q)) continue;
    taken.emplace_back(q);
    --count;
  }
  return count == 0;
}

// Returns the largest prime = 1 modulo `step` of exactly `bits` bits, or 0.
std::uint64_t largest_prime(int bits, std::uint64_t step) {
  const std::uint64_t least = std::uint64_t{1} << (bits - 1);
  std::uint64_t q = (2 * least - 1) / step * step + 1;
  while (q > least && (q >= 2 * least || !is_prime(q))) q -= std::min(q, step);
  return q > least ? q : 0;
}

int bits_of(std::span<const Modulus> primes) {
  long double bits = 0;
  for (const Modulus& q : primes) bits += std::log2(static_cast<long double>(q.value()));
  return static_cast<int>(std::floor(bits)) + 1;
}

// Counts the transforms of one key switch at the first level.
double key_switch_cost(const EncryptionParameters& parms) {
  const auto data = static_cast<double>(parms.data_primes().size());
  const auto special = static_cast<double>(parms.special_primes().size());
  return data + static_cast<double>(parms.digit_count()) * (data + special) +
         2 * (data + 2 * special);
}

// Returns the least number from `least` to `most` that suffices, if it is at most `wanted` and
// `most` suffices. `does` is only almost monotone: noises that BGV balances depend on residues of
// primes. So `wanted` does not change the steps of the bisection; it only ends the search early.
template <typename Does>
std::optional<int> least_that_does(int least, int most, int wanted, const Does& does) {
  if (most < least || wanted < least || !does(most)) return std::nullopt;
  int too_few = least - 1;
  while (most - too_few > 1) {
    if (too_few >= wanted) return std::nullopt;
    const int middle = too_few + (most - too_few) / 2;
    (does(middle) ? most : too_few) = middle;
  }
  return most <= wanted ? std::optional(most) : std::nullopt;
}

// Returns the number of data primes of the last level, all of about the same size.
std::size_t first_count(double first_bits) {
  return static_cast<std::size_t>(std::ceil(first_bits / (kLargestBits - 0.1)));
}

// Returns the bits of the largest of `count` primes that have `bits` bits together.
int largest_part(int bits, std::size_t count) {
  return (bits + static_cast<int>(count) - 1) / static_cast<int>(count);
}

}  // namespace

std::size_t primes_for(int bits) {
  return static_cast<std::size_t>((bits + kLargestScaleBits - 1) / kLargestScaleBits);
}

std::vector<Modulus> scale_primes(std::size_t degree, double first_bits, int scale_bits,
                                  std::size_t count) {
  const std::uint64_t step = 2 * std::uint64_t{degree};
  std::vector<Modulus> primes;
  const std::size_t firsts = first_count(first_bits);
  const double least = std::exp2(first_bits / static_cast<double>(firsts));
  for (std::size_t i = 0; i < firsts; ++i) {
    const std::uint64_t q = prime_above(least, step, primes);
    if (q >> kLargestBits != 0) return {};
    primes.emplace_back(q);
  }
  const double wanted = std::exp2(scale_bits);
  const std::size_t per_level = primes_for(scale_bits);
  double scale = wanted;
  for (std::size_t level = 0; level < count; ++level) {
    const double wanted_divisor = scale * scale / wanted;
    double divisor = 1;
    for (std::size_t left = per_level; left > 0; --left) {
      const double share = std::pow(wanted_divisor / divisor, 1.0 / static_cast<double>(left));
      const std::uint64_t q = prime_near(share, step, primes);
      if (q == 0) return {};
      primes.emplace_back(q);
      divisor *= static_cast<double>(q);
    }
    scale = scale_below(scale, divisor);
    if (scale > wanted * kMostDrift || scale * kMostDrift < wanted) return {};
  }
  std::ranges::reverse(primes.begin() + static_cast<std::ptrdiff_t>(firsts), primes.end());
  return primes;
}

ParameterSearch::ParameterSearch(const Circuit& circuit, const ParameterRequest& request,
                                 std::size_t degree)
    : circuit_(circuit),
      request_(request),
      inputs_(request.sharing ? CircuitInputs::any : CircuitInputs::independent),
      degree_(degree),
      depth_(circuit.depth()),
      limit_(max_modulus_bits(degree, request.level, request.table)),
      switches_keys_(circuit.multiplicative_depth() > 0 || !circuit.rotations().empty() ||
                     circuit.uses_conjugation()) {}

std::optional<Candidate> ParameterSearch::make_ckks(const Bits& bits) const {
  std::vector<Modulus> primes = scale_primes(degree_, bits.first, bits.others, bits.others_count);
  if (primes.empty()) return std::nullopt;
  const std::size_t data = primes.size();
  if (bits.special > 0 && !append_primes(bits.special, 2 * degree_, 1, primes)) return std::nullopt;
  Candidate candidate{EncryptionParameters(SchemeType::ckks), std::exp2(bits.others)};
  candidate.parms.set_poly_modulus_degree(degree_);
  const auto special = primes.begin() + static_cast<std::ptrdiff_t>(data);
  candidate.parms.set_coeff_modulus({primes.begin(), special}, {special, primes.end()});
  return candidate;
}

std::optional<Candidate> ParameterSearch::make_exact(const Bits& bits) const {
  const std::uint64_t step = 2 * std::uint64_t{degree_};
  std::uint64_t t = request_.plain_modulus;
  for (int size = request_.plain_bits; t == 0 && size <= kMaxPlainModulusBits; ++size) {
    t = largest_prime(size, step);
  }
  if (t == 0) return std::nullopt;
  std::vector<Modulus> primes;
  primes.emplace_back(t);  // keeps t out of the modulus
  if (!append_primes(bits.first_bits(), step, 1, primes) ||
      !append_primes(bits.others, step, bits.others_count, primes)) {
    return std::nullopt;
  }
  const std::size_t data = primes.size();
  // Every level that the circuit reaches must hold a message, for BGV also the level of results.
  const std::size_t last = request_.scheme == SchemeType::bgv ? 2 : data;
  if (bits_of(std::span(primes).first(last).subspan(1)) <= primes.front().bit_count() + 1) {
    return std::nullopt;
  }
  if (bits.special > 0 && !append_primes(bits.special, step, 1, primes)) return std::nullopt;
  Candidate candidate{EncryptionParameters(request_.scheme), 1};
  candidate.parms.set_poly_modulus_degree(degree_);
  const auto special = primes.begin() + static_cast<std::ptrdiff_t>(data);
  candidate.parms.set_coeff_modulus({primes.begin() + 1, special}, {special, primes.end()});
  candidate.parms.set_plain_modulus(Modulus(t));
  return candidate;
}

std::optional<Candidate> ParameterSearch::make(const Bits& bits) const {
  // Saves the search for primes. Their product may have a few bits more or less.
  if (bits.total() > limit_ + kBitsToSpare) return std::nullopt;
  std::optional<Candidate> candidate =
      request_.scheme == SchemeType::ckks ? make_ckks(bits) : make_exact(bits);
  if (!candidate || bits_of(candidate->parms.coeff_modulus()) > limit_) return std::nullopt;
  return candidate;
}

std::optional<ParameterSuggestion> ParameterSearch::judge(const Candidate& candidate) const {
  const bool is_ckks = request_.scheme == SchemeType::ckks;
  const CircuitPlan plan(circuit_, candidate.parms, candidate.scale, any_galois_key());
  const auto fits = [&](CircuitInputs inputs) {
    return std::ranges::all_of(estimated(plan, candidate.parms, inputs),
                               [](const NoiseEstimate& a) { return a.fits(); });
  };
  ParameterSuggestion suggestion;
  suggestion.parms = candidate.parms;
  suggestion.scale = candidate.scale;
  double least = std::numeric_limits<double>::infinity();
  std::size_t fewest = candidate.parms.data_primes().size();
  const CircuitInputs promised = request_.symmetric_inputs ? CircuitInputs::symmetric : inputs_;
  for (const NoiseEstimate& result : estimated(plan, candidate.parms, promised)) {
    // Intermediate values may wrap around: all steps are exact modulo the primes.
    if (!result.fits()) return std::nullopt;
    least =
        std::min(least, is_ckks ? result_precision(candidate.parms, result) : result.budget_bits());
    fewest = std::min(fewest, result.prime_count());
  }
  if (is_ckks && least < request_.precision_bits) return std::nullopt;
  if (promised != inputs_ && !fits(inputs_)) return std::nullopt;
  (is_ckks ? suggestion.precision_bits : suggestion.budget_bits) = least;
  suggestion.modulus_bits = bits_of(candidate.parms.coeff_modulus());
  suggestion.modulus_bits_limit = limit_;
  suggestion.counts = plan.counts();
  suggestion.galois_key_count = plan.galois_elements().size();
  suggestion.input = ciphertext_size(candidate.parms, plan.input_prime_count());
  suggestion.result = ciphertext_size(candidate.parms, fewest);
  suggestion.public_key = public_key_size(candidate.parms);
  if (plan.needs_relinearization()) suggestion.relin_keys = relin_keys_size(candidate.parms);
  if (suggestion.galois_key_count > 0) {
    suggestion.galois_keys = galois_keys_size(candidate.parms, suggestion.galois_key_count);
  }
  return suggestion;
}

std::vector<NoiseEstimate> ParameterSearch::estimated(const CircuitPlan& plan,
                                                      const EncryptionParameters& parms,
                                                      CircuitInputs inputs) const {
  const bool is_ckks = request_.scheme == SchemeType::ckks;
  return estimate_results(circuit_, plan, parms,
                          is_ckks ? kApproximateFailureBits : kExactFailureBits, inputs);
}

// Returns negative infinity if flooding leaves no room for the message.
double ParameterSearch::result_precision(const EncryptionParameters& parms,
                                         const NoiseEstimate& result) const {
  if (!request_.sharing) return result.precision_bits();
  const double noise = result_noise_bits(result);
  double modulus = 0;
  for (const Modulus& q : parms.data_primes().first(result.prime_count())) {
    modulus += std::log2(static_cast<double>(q.value()));
  }
  const double filled = std::log2(result.scale() * result.magnitude() + std::exp2(noise));
  if (filled + 1 > modulus) return -std::numeric_limits<double>::infinity();
  return std::min(result.precision_bits(), std::log2(result.scale()) - noise);
}

bool ParameterSearch::is_enough(const Bits& bits) const {
  const std::optional<Candidate> candidate = make(bits);
  return candidate && judge(*candidate);
}

// Plans with room to spare in the last level, which shows how much the results need there.
std::optional<ParameterSearch::Bits> ParameterSearch::ckks_bits(int scale_bits) const {
  Bits bits{static_cast<double>(scale_bits + kLargestBits), scale_bits, 0, depth_};
  const std::vector<Modulus> primes =
      scale_primes(degree_, bits.first, scale_bits, bits.others_count);
  if (primes.empty()) return std::nullopt;
  EncryptionParameters parms(SchemeType::ckks);
  parms.set_poly_modulus_degree(degree_);
  std::vector<Modulus> special;
  if (switches_keys_) {
    std::vector<Modulus> all = primes;
    if (!append_primes(kLargestBits, 2 * degree_, 1, all)) return std::nullopt;
    special.push_back(all.back());
  }
  parms.set_coeff_modulus(primes, special);
  const CircuitPlan plan(circuit_, parms, std::exp2(scale_bits));
  double filled = 0;
  for (const NoiseEstimate& result : estimated(plan, parms, inputs_)) {
    double bits_of_result =
        std::log2(result.scale() * result.magnitude() + std::exp2(result_noise_bits(result)));
    for (std::size_t i = first_count(bits.first); i < result.prime_count(); ++i) {
      bits_of_result -= std::log2(static_cast<double>(primes[i].value()));
    }
    filled = std::max(filled, bits_of_result);
  }
  // The encoder wants twice the next power of two for an addend.
  for (const PlanStep& step : plan.steps()) {
    if (step.operation != PlanOperation::add_known) continue;
    if (step.prime_count > first_count(bits.first)) continue;
    const double largest = circuit_.known_vectors()[step.b].magnitude() * step.scale;
    if (largest > 0) filled = std::max(filled, std::ceil(std::log2(largest)));
  }
  if (!(filled < limit_)) return std::nullopt;
  bits.first = std::max(scale_bits + kLeastRoom, filled + kRoom);
  if (switches_keys_) {
    bits.special = std::max(largest_part(bits.first_bits(), first_count(bits.first)),
                            largest_part(scale_bits, primes_for(scale_bits)) + 1);
  }
  return bits;
}

// Returns the noise of a decrypted result, with the flooding of shared decryption if requested.
double ParameterSearch::result_noise_bits(const NoiseEstimate& result) const {
  const double noise = result.noise_bits();
  if (!request_.sharing) return noise;
  const double flooding =
      SharingDecryptor::flooding(*request_.sharing, degree_, result.hidden_noise_bits()).slot_bits;
  return std::log2(std::exp2(noise) + std::exp2(flooding));
}

// Returns the largest scale that the security limit leaves room for.
std::optional<int> ParameterSearch::largest_scale_bits() const {
  const int levels = static_cast<int>(depth_) + 1;
  for (int bits = std::min(kMostScaleBits, limit_ / levels); bits >= kLeastBits; --bits) {
    const int special = switches_keys_ ? largest_part(bits, primes_for(bits)) : 0;
    if (bits * levels + special > limit_ + kBitsToSpare) continue;  // saves an estimate
    const std::optional<Bits> sizes = ckks_bits(bits);
    if (sizes && make(*sizes)) return bits;
  }
  return std::nullopt;
}

// Bisects the scale: larger scales give more precision.
std::optional<ParameterSearch::Bits> ParameterSearch::smallest_ckks() const {
  const auto does = [this](int scale_bits) {
    const std::optional<Bits> bits = ckks_bits(scale_bits);
    return bits && is_enough(*bits);
  };
  const std::optional<int> most = largest_scale_bits();
  const std::optional<int> least =
      most ? least_that_does(kLeastBits, *most, *most, does) : std::optional<int>();
  return least ? ckks_bits(*least) : std::nullopt;
}

double ParameterSearch::best_precision() const {
  ParameterRequest anything = request_;
  anything.precision_bits = -std::numeric_limits<double>::infinity();
  const ParameterSearch search(circuit_, anything, degree_);
  const std::optional<int> scale_bits = search.largest_scale_bits();
  if (!scale_bits) return anything.precision_bits;
  const auto suggestion = search.judge(*search.make(*search.ckks_bits(*scale_bits)));
  return suggestion ? suggestion->precision_bits : anything.precision_bits;
}

// Takes primes of one size; more bits never hurt.
std::optional<ParameterSearch::Bits> ParameterSearch::smallest_bfv() const {
  const auto split = [this](int total) {
    const int count = std::max(1, (total + kFastBits - 1) / kFastBits);
    const int bits = std::max(kLeastBits, (total + count - 1) / count);
    const auto others = static_cast<std::size_t>(count - 1);
    return Bits{static_cast<double>(bits), bits, switches_keys_ ? bits : 0, others};
  };
  // The special prime and rounding up take their part of the limit.
  int most = limit_;
  while (most >= kLeastBits && !make(split(most))) --most;
  const auto does = [&](int total) { return is_enough(split(total)); };
  const std::optional<int> total = least_that_does(kLeastBits, most, most, does);
  return total ? std::optional(split(*total)) : std::nullopt;
}

// Also returns none if the sum of all bits cannot be below that of `best`.
std::optional<ParameterSearch::Bits> ParameterSearch::smallest_first(
    Bits bits, const std::optional<Bits>& best) const {
  const auto with_first = [&](int first) {
    Bits result = bits;
    result.first = first;
    result.special = switches_keys_ ? std::max(first, bits.others) : 0;
    return result;
  };
  int most = kLargestBits;
  while (most >= kLeastBits && !make(with_first(most))) --most;
  int wanted = most;
  while (best && wanted >= kLeastBits && with_first(wanted).total() >= best->total()) --wanted;
  const auto does = [&](int first) { return is_enough(with_first(first)); };
  const std::optional<int> first = least_that_does(kLeastBits, most, wanted, does);
  return first ? std::optional(with_first(*first)) : std::nullopt;
}

// Tries the smallest level primes that suffice with the largest first prime, and some larger ones,
// with which the first prime may be smaller.
std::optional<ParameterSearch::Bits> ParameterSearch::smallest_bgv() const {
  if (depth_ == 0) return smallest_first({kLeastBits, kLeastBits, 0, 0}, {});
  ParameterSearch unlimited = *this;
  unlimited.limit_ = std::numeric_limits<int>::max() / 2;
  const auto does = [&](int others) {
    return unlimited.is_enough({kLargestBits, others, switches_keys_ ? kLargestBits : 0, depth_});
  };
  // Larger level primes exceed the security limit with every first prime.
  const int count = static_cast<int>(depth_) + (switches_keys_ ? 1 : 0);
  const int room = std::min(kLargestBits, (limit_ + kBitsToSpare - kLeastBits) / count);
  const std::optional<int> least = least_that_does(kLeastBits, kLargestBits, room, does);
  if (!least) return std::nullopt;
  // With one level, each bit more there may save one bit of the first prime.
  const int most = *least + (depth_ == 1 ? kLargestBits : kLargerSizes);
  std::optional<Bits> best;
  for (int others = *least; others <= std::min(most, room); ++others) {
    const std::optional<Bits> enough = smallest_first({kLeastBits, others, 0, depth_}, best);
    if (enough) best = enough;
  }
  return best;
}

// Takes longer digits if the security limit leaves room: fewer transforms, smaller keys.
ParameterSuggestion ParameterSearch::with_best_digits(const ParameterSuggestion& single) const {
  ParameterSuggestion best = single;
  if (!switches_keys_) return best;
  const auto data = single.parms.data_primes();
  for (std::size_t count = 2; count <= std::min(kMostSpecialPrimes, data.size()); ++count) {
    int longest = 0;
    for (std::size_t i = 0; i < data.size(); i += count) {
      longest = std::max(longest, bits_of(data.subspan(i, std::min(count, data.size() - i))));
    }
    const int size = (longest + static_cast<int>(count)) / static_cast<int>(count);
    std::vector<Modulus> primes(data.begin(), data.end());
    if (request_.scheme != SchemeType::ckks) primes.emplace_back(single.parms.plain_modulus());
    const auto first = static_cast<std::ptrdiff_t>(primes.size());
    if (!append_primes(size, 2 * degree_, count, primes)) continue;
    Candidate candidate{single.parms, single.scale};
    candidate.parms.set_coeff_modulus({data.begin(), data.end()},
                                      {primes.begin() + first, primes.end()});
    if (bits_of(candidate.parms.coeff_modulus()) > limit_) break;
    const std::optional<ParameterSuggestion> next = judge(candidate);
    if (next && key_switch_cost(next->parms) < key_switch_cost(best.parms)) best = *next;
  }
  return best;
}

std::optional<ParameterSuggestion> ParameterSearch::run() const {
  std::optional<Bits> bits;
  switch (request_.scheme) {
    case SchemeType::ckks:
      bits = smallest_ckks();
      break;
    case SchemeType::bfv:
      bits = smallest_bfv();
      break;
    default:
      bits = smallest_bgv();
  }
  if (!bits) return std::nullopt;
  ParameterSuggestion found = with_best_digits(*judge(*make(*bits)));
  if (request_.scheme == SchemeType::ckks) {
    const CircuitPlan plan(circuit_, found.parms, found.scale);
    for (const NoiseEstimate& result : estimated(plan, found.parms, CircuitInputs::any)) {
      found.noise_bits = std::max(found.noise_bits, result.hidden_noise_bits());
    }
  }
  return found;
}

}  // namespace ringlet::circuits
