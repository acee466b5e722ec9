// SPDX-License-Identifier: Apache-2.0
// One context with everything that its operations need, and the check that they compute the right
// slots.

#include "bench_schemes.hpp"

namespace ringlet::python {
namespace {

constexpr const char* kMeter = "SchemeMeter";
constexpr int kPlainBits = 20;
constexpr int kRotation = 1;
/// Two products of messages of the small scale just fit the 72 bits of degree 4096.
constexpr std::size_t kDegreeOfSmallScale = 4096;
constexpr double kSmallScale = 0x1p30;
constexpr double kUsualScale = 0x1p45;
/// Rounding and errors stay below a few N in a slot.
constexpr double kTolerance = 64;
/// Digits of key switching are not centred. Their mean times the error of the key adds up to a few
/// times N^1.5 over the scale of the operand in the slots near 1.
constexpr double kSwitchTolerance = 16;
/// The limit for every scale: messages are in [-1, 1].
constexpr double kMostTolerance = 1.0 / 16;

EncryptionParameters make_parameters(const MeterParameters& chosen) {
  EncryptionParameters parms(chosen.scheme);
  parms.set_poly_modulus_degree(chosen.degree);
  if (chosen.data_bits.empty()) {
    parms.set_coeff_modulus(seal_default_primes(chosen.degree));
  } else {
    std::vector<int> bits = chosen.data_bits;
    bits.insert(bits.end(), chosen.special_bits.begin(), chosen.special_bits.end());
    const std::vector<Modulus> primes = CoeffModulus::create(chosen.degree, bits);
    const auto special = primes.begin() + static_cast<std::ptrdiff_t>(chosen.data_bits.size());
    parms.set_coeff_modulus({primes.begin(), special}, {special, primes.end()});
  }
  if (chosen.scheme != SchemeType::ckks) {
    parms.set_plain_modulus(PlainModulus::batching(chosen.degree, kPlainBits));
  }
  return parms;
}

/// Names as in docs/measured/performance.md. A product of matrices is not timed.
const std::map<std::string_view, std::string_view> kKinds{
    {"copy", "element-wise"},
    {"add", "element-wise"},
    {"subtract", "element-wise"},
    {"negate", "element-wise"},
    {"multiply_scalars", "element-wise"},
    {"multiply_scalars_add", "element-wise"},
    {"is_reduced", "element-wise"},
    {"forward_ntt", "forward NTT"},
    {"lift_digit_to_ntt", "forward NTT"},
    {"inverse_ntt", "inverse NTT"},
    {"inverse_ntt_to_digits", "inverse NTT"},
    {"multiply", "products"},
    {"multiply_add", "products"},
    {"multiply_accumulate", "products"},
    {"multiply_pairs", "products"},
    {"automorphism", "automorphism"},
    {"key_inner_product", "key product"},
    {"multiply_digits_by_key", "key product"},
    {"lift_digit", "basis conversion"},
    {"to_digits", "basis conversion"},
    {"convert_basis", "basis conversion"},
    {"convert_to_modulus", "basis conversion"},
    {"scale_and_round", "basis conversion"},
    {"lift_message", "basis conversion"},
    {"combine_words", "basis conversion"},
    {"divide_and_round", "division"},
    {"divide_and_round_by_last", "division"},
};

double ns_of(const std::function<void()>& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

enum class Which : std::uint8_t { every_scheme, ckks, integers };

enum class Expected : std::uint8_t { x, sum, product, square, product_and_sum, rotated };

}  // namespace

void PrimitiveClock::around(std::string_view primitive, const std::function<void()>& call) const {
  const auto kind = kKinds.find(primitive);
  if (kind == kKinds.end()) return call();
  totals_ns_[kind->second] += ns_of(call);
}

struct SchemeMeter::Operation {
  const char* name;
  Which schemes;
  bool needs_lower_level;
  Expected expected;
  std::function<void(SchemeMeter&)> run;
  /// The resulting ciphertext or plaintext; if both are null, the result is `slots_`.
  Ciphertext SchemeMeter::* ciphertext = nullptr;
  Plaintext SchemeMeter::* plaintext = nullptr;
};

const std::vector<SchemeMeter::Operation>& SchemeMeter::all_operations() {
  using enum Which;
  constexpr auto kResult = &SchemeMeter::result_;
  constexpr auto kLong = &SchemeMeter::long_result_;
  constexpr auto kLowered = &SchemeMeter::lowered_;
  static const std::vector<Operation> kOperations{
      {"encode", every_scheme, false, Expected::x,
       [](auto& m) { m.encode(m.slots_x_, m.scale_, m.plain_); }, nullptr, &SchemeMeter::plain_},
      {"decode", every_scheme, false, Expected::x, [](auto& m) { m.decode(m.plain_x_); }},
      {"encrypt", every_scheme, false, Expected::x,
       [](auto& m) { m.encryptor_.encrypt(m.plain_x_, m.result_); }, kResult},
      {"decrypt", every_scheme, false, Expected::x,
       [](auto& m) { m.decryptor_.decrypt(m.x_, m.plain_); }, nullptr, &SchemeMeter::plain_},
      {"add", every_scheme, false, Expected::sum,
       [](auto& m) { m.evaluator_.add(m.x_, m.y_, m.result_); }, kResult},
      {"multiply", every_scheme, false, Expected::product,
       [](auto& m) { m.evaluator_.multiply(m.x_, m.y_, m.long_result_); }, kLong},
      {"square", every_scheme, false, Expected::square,
       [](auto& m) { m.evaluator_.square(m.x_, m.long_result_); }, kLong},
      {"multiply_plain", every_scheme, false, Expected::product,
       [](auto& m) { m.evaluator_.multiply_plain(m.x_, m.plain_y_, m.result_); }, kResult},
      {"relinearize", every_scheme, false, Expected::product,
       [](auto& m) { m.evaluator_.relinearize(m.product_, m.relin_keys(), m.result_); }, kResult},
      {"rescale", ckks, true, Expected::product,
       [](auto& m) { m.evaluator_.rescale_to_next(m.relinearized_, m.lowered_); }, kLowered},
      {"mod_switch", integers, true, Expected::x,
       [](auto& m) { m.evaluator_.mod_switch_to_next(m.x_, m.lowered_); }, kLowered},
      {"multiply_relinearize", every_scheme, false, Expected::product,
       [](auto& m) { multiply_relinearize(m.evaluator_, m.x_, m.y_, m.relin_keys(), m.result_); },
       kResult},
      {"relinearize_rescale", ckks, true, Expected::product,
       [](auto& m) {
         m.evaluator_.relinearize_and_rescale_to_next(m.product_, m.relin_keys(), m.lowered_);
       },
       kLowered},
      {"multiply_relinearize_rescale", ckks, true, Expected::product,
       [](auto& m) {
         multiply_relinearize_rescale(m.evaluator_, m.x_, m.y_, m.relin_keys(), m.lowered_);
       },
       kLowered},
      {"square_relinearize_rescale", ckks, true, Expected::square,
       [](auto& m) { square_relinearize_rescale(m.evaluator_, m.x_, m.relin_keys(), m.lowered_); },
       kLowered},
      {"multiply_relinearize_rescale_add", ckks, true, Expected::product_and_sum,
       [](auto& m) {
         multiply_relinearize_rescale_add(m.evaluator_, m.x_, m.y_, m.addend_, m.relin_keys(),
                                          m.lowered_);
       },
       kLowered},
      {"rotate", every_scheme, false, Expected::rotated,
       [](auto& m) {
         const Evaluator& e = m.evaluator_;
         if (!m.is_ckks()) return e.rotate_rows(m.x_, kRotation, m.galois_keys(), m.result_);
         e.rotate_vector(m.x_, kRotation, m.galois_keys(), m.result_);
       },
       kResult},
  };
  return kOperations;
}

SchemeMeter::SchemeMeter(const MeterParameters& parameters)
    : context_(make_context(make_parameters(parameters), parameters)),
      keygen_(context_),
      encryptor_(context_, keygen_.create_public_key()),
      decryptor_(context_, keygen_.secret_key()),
      evaluator_(context_),
      scale_(parameters.degree <= kDegreeOfSmallScale ? kSmallScale : kUsualScale) {
  if (is_ckks()) {
    ckks_encoder_.emplace(context_);
  } else {
    batch_encoder_.emplace(context_);
  }
  make_operands();
}

Context SchemeMeter::make_context(const EncryptionParameters& parms,
                                  const MeterParameters& parameters) {
  constexpr auto kLevel = SecurityLevel::tc128;
  constexpr auto kTable = SecurityTable::he_standard_2018;
  if (!parameters.has_profile) return Context(parms, kLevel, kTable, parameters.kernels);
  clock_ = std::make_shared<PrimitiveClock>(
      make_cpu_backend(Context::backend_basis(parms), parameters.kernels));
  return Context(parms, kLevel, kTable, clock_);
}

void SchemeMeter::make_operands() {
  const std::size_t slots = is_ckks() ? ckks_encoder_->slot_count() : batch_encoder_->slot_count();
  // Two sequences without structure, equal in every run.
  std::uint64_t state = 1;
  const auto next = [&state] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return state >> 33U;
  };
  for (Slots* message : {&slots_x_, &slots_y_}) {
    for (std::size_t i = 0; i < slots; ++i) {
      const std::uint64_t word = next();
      if (is_ckks()) {
        message->reals.push_back(std::ldexp(static_cast<double>(word), -30) - 1);
      } else {
        message->integers.push_back(word % context_.plain_modulus().value());
      }
    }
  }
  if (is_ckks()) {
    slots_.reals.resize(slots);
  } else {
    slots_.integers.resize(slots);
  }
  encode(slots_x_, scale_, plain_x_);
  encode(slots_y_, scale_, plain_y_);
  encryptor_.encrypt(plain_x_, x_);
  encryptor_.encrypt(plain_y_, y_);
}

void SchemeMeter::encode(const Slots& slots, double scale, Plaintext& plain) const {
  if (is_ckks()) {
    ckks_encoder_->encode(slots.reals, scale, plain);
  } else {
    batch_encoder_->encode(slots.integers, plain);
  }
}

void SchemeMeter::decode(const Plaintext& plain) {
  if (is_ckks()) {
    ckks_encoder_->decode(plain, std::span(slots_.reals));
  } else {
    batch_encoder_->decode(plain, std::span(slots_.integers));
  }
}

// Makes the relinearization key together with the operands that only its operations need.
const RelinKeys& SchemeMeter::relin_keys() {
  if (!relin_keys_) {
    relin_keys_ = keygen_.create_relin_keys();
    evaluator_.multiply(x_, y_, product_);
    if (is_ckks() && context_.first_context_data()->next_context_data() != nullptr) {
      evaluator_.relinearize(product_, *relin_keys_, relinearized_);
      Plaintext plain;
      encode(slots_x_, product_scale_after_rescale(evaluator_, x_, y_), plain);
      encryptor_.encrypt(plain, addend_);
    }
  }
  return *relin_keys_;
}

const GaloisKeys& SchemeMeter::galois_keys() {
  if (!galois_keys_) galois_keys_ = keygen_.create_galois_keys(std::vector<int>{kRotation});
  return *galois_keys_;
}

bool SchemeMeter::has(const Operation& operation) const {
  if (operation.schemes == Which::ckks && !is_ckks()) return false;
  if (operation.schemes == Which::integers && is_ckks()) return false;
  return !operation.needs_lower_level ||
         context_.first_context_data()->next_context_data() != nullptr;
}

std::vector<std::string> SchemeMeter::operations() const {
  std::vector<std::string> names;
  for (const Operation& operation : all_operations()) {
    if (has(operation)) names.emplace_back(operation.name);
  }
  return names;
}

const SchemeMeter::Operation& SchemeMeter::find(const std::string& name) const {
  std::string names;
  for (const Operation& operation : all_operations()) {
    if (!has(operation)) continue;
    if (name == operation.name) return operation;
    names += std::string(names.empty() ? "" : ", ") + operation.name;
  }
  throw_invalid_argument(
      {kMeter, "operation '" + name + "'", "one of: " + names, "pass one of these names"});
}

std::function<void()> SchemeMeter::runner(const std::string& name) {
  const Operation& operation = find(name);
  relin_keys();
  return [this, &operation] { operation.run(*this); };
}

Slots SchemeMeter::expected(const Operation& operation) const {
  if (operation.expected == Expected::x) return slots_x_;
  const auto combine = [&](auto x, auto y) {
    const auto product = x * y;
    switch (operation.expected) {
      case Expected::sum:
        return x + y;
      case Expected::square:
        return x * x;
      case Expected::product_and_sum:
        return product + x;
      default:
        return product;
    }
  };
  Slots result;
  if (operation.expected == Expected::rotated) {
    result = slots_x_;
    // Integers rotate in two rows of half the slots.
    std::ranges::rotate(result.reals, result.reals.begin() + (is_ckks() ? kRotation : 0));
    const auto half =
        result.integers.begin() + static_cast<std::ptrdiff_t>(result.integers.size() / 2);
    if (!is_ckks()) {
      std::rotate(result.integers.begin(), result.integers.begin() + kRotation, half);
      std::rotate(half, half + kRotation, result.integers.end());
    }
    return result;
  }
  if (is_ckks()) {
    std::ranges::transform(slots_x_.reals, slots_y_.reals, std::back_inserter(result.reals),
                           combine);
  } else {
    // Values have 20 bits, so that nothing overflows.
    const std::uint64_t t = context_.plain_modulus().value();
    std::ranges::transform(slots_x_.integers, slots_y_.integers,
                           std::back_inserter(result.integers),
                           [&](std::uint64_t x, std::uint64_t y) { return combine(x, y) % t; });
  }
  return result;
}

std::size_t SchemeMeter::count_differences(const Slots& expected, double scale) const {
  std::size_t different = 0;
  const auto n = static_cast<double>(context_.ring().degree());
  const double tolerance =
      std::min(kMostTolerance, kTolerance * n / std::min(scale, scale_) +
                                   kSwitchTolerance * n * std::sqrt(n) / scale_);
  for (std::size_t i = 0; i < expected.reals.size(); ++i) {
    // With this comparison NaN differs.
    const bool is_same = std::abs(slots_.reals[i] - expected.reals[i]) <= tolerance;
    different += is_same ? 0 : 1;
  }
  for (std::size_t i = 0; i < expected.integers.size(); ++i) {
    different += slots_.integers[i] == expected.integers[i] ? 0 : 1;
  }
  return different;
}

void SchemeMeter::check(const std::string& name) {
  const Operation& operation = find(name);
  relin_keys();
  // Clears destinations: otherwise an earlier result could pass for this one.
  result_ = long_result_ = lowered_ = Ciphertext();
  plain_ = Plaintext();
  std::ranges::fill(slots_.reals, 0.0);
  std::ranges::fill(slots_.integers, 0);
  operation.run(*this);
  double scale = scale_;
  if (operation.ciphertext != nullptr) {
    const Plaintext plain = decryptor_.decrypt(this->*operation.ciphertext);
    scale = plain.scale();
    decode(plain);
  } else if (operation.plaintext != nullptr) {
    decode(this->*operation.plaintext);
  }
  const std::size_t different = count_differences(expected(operation), scale);
  if (different == 0) return;
  throw_runtime_error(
      {std::string(kMeter) + ".check",
       name + " of " + to_string(context_.scheme()) + " leaves " + std::to_string(different) +
           " wrong slots at N = " + std::to_string(context_.ring().degree()),
       "the slots that the message says",
       "trust no measurement of this build: report it with the output of `ringlet info`"});
}

OperationProfile SchemeMeter::profile(const std::string& name, int runs) {
  if (clock_ == nullptr) {
    throw_logic_error({std::string(kMeter) + ".profile", "the meter has no clocks",
                       "a meter made with profile=True", "make the meter with profile=True"});
  }
  const std::function<void()> run = runner(name);
  run();
  OperationProfile best;
  for (int i = 0; i < runs; ++i) {
    clock_->clear();
    clock_->log().clear();
    const double time = ns_of(run);
    if (i > 0 && time >= best.total_ns) continue;
    best = {};
    best.total_ns = time;
    for (const auto& [primitive, ns] : clock_->totals_ns()) {
      best.primitives_ns[std::string(primitive)] = ns;
    }
    for (const bench::LoggedTransform& call : clock_->log().transforms()) {
      (call.is_forward ? best.forward_transforms : best.inverse_transforms) += call.primes.size();
    }
  }
  return best;
}

std::size_t SchemeMeter::key_bytes() { return relin_keys().byte_count(); }

}  // namespace ringlet::python
