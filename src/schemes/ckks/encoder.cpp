// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "base/declassify.hpp"
#include "base/text.hpp"
#include "ringlet/aligned.hpp"
#include "ringlet/ckks_encoder.hpp"
#include "ringlet/error.hpp"
#include "ringlet/rns_poly.hpp"
#include "rlwe/checks.hpp"
#include "schemes/ckks/centred_crt.hpp"
#include "schemes/ckks/rounding.hpp"
#include "schemes/ckks/special_fft.hpp"

namespace ringlet {
namespace {

constexpr const char* kEncode = "CKKSEncoder::encode";
constexpr const char* kDecode = "CKKSEncoder::decode";

const Context& check_scheme(const Context& context) {
  if (context.scheme() != SchemeType::ckks) {
    throw_invalid_argument({"CKKSEncoder", concat("scheme = ", to_string(context.scheme())),
                            "scheme ckks", "make the context from parameters of scheme ckks"});
  }
  return context;
}

// floor(log2 scale) of a positive normal number.
int floor_log2(double scale) { return std::ilogb(scale); }

void check_scale(const ContextData& level, double scale) {
  if (!(std::isnormal(scale) && scale > 0)) {
    throw_invalid_argument({kEncode, concat("scale = ", scale),
                            "a positive normal floating-point number",
                            "choose a scale such as 2^40, near the size of the data primes"});
  }
  const int bits = level.total_coeff_modulus_bit_count();
  if (floor_log2(scale) + 1 >= bits) {
    throw_invalid_argument({kEncode, rlwe::describe_scale(scale),
                            concat("below 2^", bits - 1, " at chain index ", level.chain_index(),
                                   ", whose modulus has ", bits, " bits"),
                            "use a smaller scale or encode at a level with more primes"});
  }
}

// No coefficient times the scale is above 2^ceil_log2.
void check_magnitude(const ContextData& level, double scale, int ceil_log2) {
  const int bits = level.total_coeff_modulus_bit_count();
  if (declassify(ceil_log2 > bits - 2)) {
    throw_invalid_argument(
        {kEncode,
         concat("a coefficient times the ", rlwe::describe_scale(scale), " reaches 2^", ceil_log2),
         concat("at most 2^", bits - 2, " at chain index ", level.chain_index(),
                ", whose modulus has ", bits, " bits"),
         "use smaller values or a smaller scale, or encode at a level with more primes"});
  }
}

std::span<const double> parts(std::span<const double> values) { return values; }
std::span<const double> parts(std::span<const std::complex<double>> values) {
  // The standard lets an array of complex numbers be read as pairs of real ones.
  return {reinterpret_cast<const double*>(values.data()), 2 * values.size()};
}

template <typename T>
void check_finite(std::span<const T> values) {
  const std::span<const double> numbers = parts(values);
  if (ckks::all_finite(numbers)) return;
  std::size_t i = 0;
  while (std::isfinite(numbers[i])) ++i;
  throw_invalid_argument(
      {kEncode, concat("value ", i * values.size() / numbers.size(), " contains ", numbers[i]),
       "finite numbers", "remove NaN and infinities from the input"});
}

// `destination` itself if it already has the shape, else a new plaintext.
Plaintext& shaped(Plaintext& destination, Plaintext& fresh, const ContextData& level) {
  if (destination.is_ntt_form() && destination.parms_id() == level.parms_id()) return destination;
  fresh = Plaintext(level);
  return fresh;
}

// The residues of the plaintext constant in all places, which is that constant in NTT form.
void fill_constant(const ContextData& level, const ckks::RoundedIntegers& integer, double scale,
                   Plaintext& destination) {
  Plaintext fresh;
  Plaintext& result = shaped(destination, fresh, level);
  const NttView view = result.ntt_view_for_writing();
  for (std::size_t i = 0; i < view.limb_count; ++i) {
    std::uint64_t residue = 0;
    integer.reduce({&residue, 1}, level.coeff_modulus()[i]);
    std::ranges::fill(view.limb(i), residue);
  }
  result.scale() = scale;
  if (&result != &destination) destination = std::move(result);
}

}  // namespace

struct CKKSEncoder::Tables {
  explicit Tables(const Context& context)
      : fft(context.first_context_data()->degree()),
        crt(context.first_context_data()->coeff_modulus()) {}

  ckks::SpecialFft fft;
  ckks::CentredCrt crt;
};

CKKSEncoder::CKKSEncoder(const Context& context)
    : context_(check_scheme(context)), tables_(std::make_shared<const Tables>(context)) {}

std::size_t CKKSEncoder::slot_count() const noexcept { return tables_->fft.slot_count(); }

template <typename T>
void CKKSEncoder::encode_slots(std::span<const T> values, const ParmsId& parms_id, double scale,
                               Plaintext& destination) const {
  const ContextData& level = rlwe::check_data_level(context_, parms_id, kEncode);
  if (values.size() > slot_count()) {
    throw_invalid_argument({kEncode, concat(values.size(), " values"),
                            concat("at most ", slot_count(), " slots"),
                            "split the values over several plaintexts"});
  }
  check_scale(level, scale);
  check_finite(values);

  // scale = fraction * 2^exponent: the transform sees the fraction alone and cannot overflow.
  int exponent = 0;
  const double fraction = std::frexp(scale, &exponent);
  SecretVector<double> buffer(level.degree());
  tables_->fft.scatter(buffer, values, fraction / static_cast<double>(level.degree()));
  tables_->fft.points_to_coefficients(buffer);
  const int shift = exponent + 1;
  const int ceil_log2 = ckks::ceil_log2_of_largest(buffer, shift);
  check_magnitude(level, scale, ceil_log2);
  const ckks::RoundedIntegers integers(buffer, shift, ceil_log2);

  Plaintext fresh;
  Plaintext& result = shaped(destination, fresh, level);
  const NttView view = result.ntt_view_for_writing();
  const CoeffView coefficients{view.data, view.degree, view.limb_count, view.limb_stride};
  for (std::size_t i = 0; i < view.limb_count; ++i) {
    integers.reduce(coefficients.limb(i), level.coeff_modulus()[i]);
  }
  context_.backend().forward_ntt(view, coefficients, level.primes());
  result.scale() = scale;
  if (&result != &destination) destination = std::move(result);
}

void CKKSEncoder::encode(std::span<const double> values, const ParmsId& parms_id, double scale,
                         Plaintext& destination) const {
  encode_slots(values, parms_id, scale, destination);
}

void CKKSEncoder::encode(std::span<const std::complex<double>> values, const ParmsId& parms_id,
                         double scale, Plaintext& destination) const {
  encode_slots(values, parms_id, scale, destination);
}

void CKKSEncoder::encode(std::complex<double> value, const ParmsId& parms_id, double scale,
                         Plaintext& destination) const {
  const SecretVector<std::complex<double>> slots(slot_count(), value);
  encode_slots(std::span<const std::complex<double>>(slots), parms_id, scale, destination);
}

void CKKSEncoder::encode(double value, const ParmsId& parms_id, double scale,
                         Plaintext& destination) const {
  const ContextData& level = rlwe::check_data_level(context_, parms_id, kEncode);
  check_scale(level, scale);
  check_finite(std::span<const double>(&value, 1));
  int exponent = 0;
  const double scaled = value * std::frexp(scale, &exponent);
  const std::span<const double> constant(&scaled, 1);
  const int ceil_log2 = ckks::ceil_log2_of_largest(constant, exponent);
  check_magnitude(level, scale, ceil_log2);
  fill_constant(level, ckks::RoundedIntegers(constant, exponent, ceil_log2), scale, destination);
}

void CKKSEncoder::encode(std::int64_t value, const ParmsId& parms_id,
                         Plaintext& destination) const {
  const ContextData& level = rlwe::check_data_level(context_, parms_id, kEncode);
  const ckks::RoundedIntegers integer(value);
  check_magnitude(level, 1.0, integer.ceil_log2());
  fill_constant(level, integer, 1.0, destination);
}

template <typename T>
void CKKSEncoder::decode_slots(const Plaintext& plain, std::span<T> destination) const {
  const ContextData& level = rlwe::check_operand(context_, plain, "plaintext", kDecode);
  if (destination.size() != slot_count()) {
    throw_invalid_argument({kDecode, concat("destination of ", destination.size(), " elements"),
                            concat(slot_count(), " slots"),
                            "pass a span of slot_count() elements, or a vector"});
  }
  const int bits = level.total_coeff_modulus_bit_count();
  if (floor_log2(plain.scale()) >= bits) {
    throw_invalid_argument({kDecode, rlwe::describe(context_, plain),
                            concat("a scale below 2^", bits, ", the size of the level's modulus"),
                            "check the scale that was set on the plaintext or ciphertext"});
  }
  CoeffPoly residues(level.prime_count(), level.degree(), Secrecy::secret);
  context_.backend().inverse_ntt(residues.view_for_writing(), plain.ntt_view(), level.primes());
  SecretVector<double> buffer(level.degree());
  tables_->crt.to_real(context_.backend(), buffer, residues.view_for_writing(), plain.scale());
  tables_->fft.coefficients_to_points(buffer);
  tables_->fft.gather(destination, buffer);
}

template <typename T>
void CKKSEncoder::decode_all(const Plaintext& plain, std::vector<T>& destination) const {
  // Decoded first, so that an error leaves the destination as it is.
  std::vector<T> slots(slot_count());
  decode_slots(plain, std::span<T>(slots));
  destination = std::move(slots);
}

void CKKSEncoder::decode(const Plaintext& plain, std::span<double> destination) const {
  decode_slots(plain, destination);
}

void CKKSEncoder::decode(const Plaintext& plain,
                         std::span<std::complex<double>> destination) const {
  decode_slots(plain, destination);
}

void CKKSEncoder::decode(const Plaintext& plain, std::vector<double>& destination) const {
  decode_all(plain, destination);
}

void CKKSEncoder::decode(const Plaintext& plain,
                         std::vector<std::complex<double>>& destination) const {
  decode_all(plain, destination);
}

}  // namespace ringlet
