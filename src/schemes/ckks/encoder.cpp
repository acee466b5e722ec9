// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "base/declassify.hpp"
#include "base/parallel.hpp"
#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ring/backend/scratch.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/ring/rns_poly.hpp"
#include "ringlet/schemes/ckks_encoder.hpp"
#include "rlwe/checks.hpp"
#include "schemes/ckks/centred_crt.hpp"
#include "schemes/ckks/rounding.hpp"
#include "schemes/ckks/special_fft.hpp"

namespace ringlet {
namespace {

constexpr const char* kEncode = "CKKSEncoder::encode";
constexpr const char* kDecode = "CKKSEncoder::decode";

// The words of a plaintext's limbs from which another thread pays for their transforms.
constexpr std::size_t kEncodedWordsPerThread = std::size_t{1} << 14;

const Context& check_scheme(const Context& context) {
  if (context.scheme() != SchemeType::ckks) {
    refuse(concat("scheme = ", to_string(context.scheme())), "scheme ckks",
           "make the context from parameters of scheme ckks");
  }
  return context;
}

// Returns floor(log2 scale) of a positive normal number.
int floor_log2(double scale) { return std::ilogb(scale); }

void check_scale(const ContextData& level, double scale) {
  if (!(std::isnormal(scale) && scale > 0)) {
    refuse(concat("scale = ", scale), "a positive normal floating-point number",
           "choose a scale such as 2^40, near the size of the data primes");
  }
  const int bits = level.total_coeff_modulus_bit_count();
  if (floor_log2(scale) + 1 >= bits) {
    refuse(rlwe::describe_scale(scale),
           concat("below 2^", bits - 1, " at level ", level.chain_index(), ", whose modulus has ",
                  bits, " bits"),
           "use a smaller scale or encode at a level with more primes");
  }
}

// Checks that coefficients fit the modulus. None times the scale is above 2^ceil_log2.
void check_magnitude(const ContextData& level, double scale, int ceil_log2) {
  const int bits = level.total_coeff_modulus_bit_count();
  if (declassify(ceil_log2 > bits - 2)) {
    refuse(concat("a coefficient times the ", rlwe::describe_scale(scale), " is too large"),
           concat("at most 2^", bits - 2, " at level ", level.chain_index(), ", whose modulus has ",
                  bits, " bits"),
           "use smaller values or a smaller scale, or encode at a level with more primes");
  }
}

std::span<const double> parts(std::span<const double> values) { return values; }
std::span<const double> parts(std::span<const std::complex<double>> values) {
  // The standard lets an array of complex numbers be read as pairs of real ones.
  return {reinterpret_cast<const double*>(values.data()), 2 * values.size()};
}

template <typename T>
void check_finite(std::span<const T> values, const ckks::EmbeddingChoice& kernel) {
  const std::span<const double> numbers = parts(values);
  if (ckks::all_finite(numbers, kernel)) return;
  std::size_t i = 0;
  while (std::isfinite(numbers[i])) ++i;
  refuse(concat("value ", i * values.size() / numbers.size(), " is not finite"), "finite numbers",
         "remove NaN and infinities from the input");
}

// Returns `destination` itself if it already has the shape, else a new plaintext.
Plaintext& shaped(Plaintext& destination, Plaintext& fresh, const ContextData& level) {
  if (destination.is_ntt_form() && destination.parms_id() == level.parms_id()) return destination;
  fresh = Plaintext(level, Contents::unspecified);
  return fresh;
}

// Writes integers modulo the primes of the level, in NTT form. The host goes limb by limb, so that
// each limb is transformed while it is in the cache.
void transform_integers(const Backend& backend, const ContextData& level,
                        const ckks::RoundedIntegers& integers, NttView result) {
  const CoeffView coefficients{result.data, result.degree, result.limb_count, result.limb_stride};
  const auto reduce = [&](std::size_t i) {
    integers.reduce(coefficients.limb(i), level.coeff_modulus()[i]);
  };
  if (backend.memory() != nullptr) {
    for (std::size_t i = 0; i < result.limb_count; ++i) reduce(i);
    return backend.forward_ntt(result, coefficients, level.primes());
  }
  const auto transform = [&](std::size_t i) {
    reduce(i);
    backend.forward_ntt(result.part(i, 1), coefficients.part(i, 1), level.primes().subspan(i, 1));
  };
  parallel_for(result.limb_count, transform, Chunks::even,
               std::max<std::size_t>(1, kEncodedWordsPerThread / result.degree));
}

// Returns the working memory of a call as doubles.
std::span<double> reals(const Scratch& scratch) {
  return {reinterpret_cast<double*>(scratch.words().data()), scratch.words().size()};
}

// Writes the residues of a constant to all places, which is this constant in NTT form.
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
      : fft(context.first_context_data()->degree(), context.kernels()),
        crt(context.first_context_data()->coeff_modulus(), context.kernels()),
        kernel(ckks::any_embedding(context.kernels())) {}

  ckks::SpecialFft fft;
  ckks::CentredCrt crt;
  ckks::EmbeddingChoice kernel;  ///< For any number of values.
};

CKKSEncoder::CKKSEncoder(const Context& context)
    : context_(
          public_entry("CKKSEncoder", [&]() -> const Context& { return check_scheme(context); })),
      tables_(std::make_shared<const Tables>(context)) {}

std::size_t CKKSEncoder::slot_count() const noexcept { return tables_->fft.slot_count(); }

template <typename T>
void CKKSEncoder::encode_slots(std::span<const T> values, const ParmsId& parms_id, double scale,
                               Plaintext& destination) const {
  public_entry(kEncode, [&] {
    const ContextData& level = rlwe::check_data_level(context_, parms_id);
    if (values.size() > slot_count()) {
      refuse(concat(values.size(), " values"), concat("at most ", slot_count(), " slots"),
             "split the values over several plaintexts");
    }
    check_scale(level, scale);
    check_finite(values, tables_->kernel);

    // scale = fraction * 2^exponent: the transform sees the fraction alone and cannot overflow.
    int exponent = 0;
    const double fraction = std::frexp(scale, &exponent);
    const Scratch scratch(*context_.backend().pool(), level.degree());
    const std::span<double> buffer = reals(scratch);
    tables_->fft.scatter(buffer, values, fraction / static_cast<double>(level.degree()));
    tables_->fft.points_to_coefficients(buffer);
    const int shift = exponent + 1;
    const int ceil_log2 = ckks::ceil_log2_of_largest(buffer, shift, tables_->kernel);
    check_magnitude(level, scale, ceil_log2);
    const ckks::RoundedIntegers integers(buffer, shift, ceil_log2, tables_->kernel,
                                         context_.backend().pool().get());

    Plaintext fresh;
    Plaintext& result = shaped(destination, fresh, level);
    transform_integers(context_.backend(), level, integers, result.ntt_view_for_writing());
    result.scale() = scale;
    if (&result != &destination) destination = std::move(result);
  });
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
  const Scratch scratch(*context_.backend().pool(), 2 * slot_count());
  const std::span<std::complex<double>> slots(
      reinterpret_cast<std::complex<double>*>(scratch.words().data()), slot_count());
  std::ranges::fill(slots, value);
  encode_slots(std::span<const std::complex<double>>(slots), parms_id, scale, destination);
}

void CKKSEncoder::encode(double value, const ParmsId& parms_id, double scale,
                         Plaintext& destination) const {
  public_entry(kEncode, [&] {
    const ContextData& level = rlwe::check_data_level(context_, parms_id);
    check_scale(level, scale);
    check_finite(std::span<const double>(&value, 1), tables_->kernel);
    int exponent = 0;
    const double scaled = value * std::frexp(scale, &exponent);
    const std::span<const double> constant(&scaled, 1);
    const int ceil_log2 = ckks::ceil_log2_of_largest(constant, exponent, tables_->kernel);
    check_magnitude(level, scale, ceil_log2);
    const ckks::RoundedIntegers integer(constant, exponent, ceil_log2, tables_->kernel,
                                        context_.backend().pool().get());
    fill_constant(level, integer, scale, destination);
  });
}

void CKKSEncoder::encode(std::int64_t value, const ParmsId& parms_id,
                         Plaintext& destination) const {
  public_entry(kEncode, [&] {
    const ContextData& level = rlwe::check_data_level(context_, parms_id);
    const ckks::RoundedIntegers integer(value, context_.backend().pool().get());
    check_magnitude(level, 1.0, integer.ceil_log2());
    fill_constant(level, integer, 1.0, destination);
  });
}

template <typename T>
void CKKSEncoder::decode_slots(const Plaintext& plain, std::span<T> destination) const {
  public_entry(kDecode, [&] {
    const ContextData& level = rlwe::check_operand(context_, plain, "plaintext");
    if (destination.size() != slot_count()) {
      refuse(concat("destination of ", destination.size(), " elements"),
             concat(slot_count(), " slots"), "pass a span of this size, or a vector");
    }
    const Scratch scratch(*context_.backend().pool(), level.degree());
    to_points(level, plain, reals(scratch));
    tables_->fft.gather(destination, reals(scratch));
  });
}

template <typename T>
void CKKSEncoder::decode_all(const Plaintext& plain, std::vector<T>& destination) const {
  public_entry(kDecode, [&] {
    const ContextData& level = rlwe::check_operand(context_, plain, "plaintext");
    // Only then resized, so that an error leaves the destination as it is.
    const Scratch scratch(*context_.backend().pool(), level.degree());
    to_points(level, plain, reals(scratch));
    destination.resize(slot_count());
    tables_->fft.gather(std::span<T>(destination), reals(scratch));
  });
}

void CKKSEncoder::to_points(const ContextData& level, const Plaintext& plain,
                            std::span<double> buffer) const {
  CoeffPoly residues(context_.backend(), level.prime_count(), Secrecy::secret,
                     Contents::unspecified);
  context_.backend().inverse_ntt(residues.view_for_writing(), plain.ntt_view(), level.primes());
  tables_->crt.to_real(context_.backend(), buffer, residues.view(), plain.scale());
  tables_->fft.coefficients_to_points(buffer);
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
