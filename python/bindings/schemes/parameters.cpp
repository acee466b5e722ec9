// SPDX-License-Identifier: Apache-2.0
#include "bindings/core/bindings.hpp"
#include "bindings/schemes/files.hpp"
#include "bindings/schemes/security_names.hpp"
#include "bindings/schemes/state.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/rlwe/parameter_sets.hpp"

namespace ringlet::python {
namespace {

constexpr int kUsualPlainBits = 20;
constexpr int kUsualScaleBits = 40;
// Over Phi_m, messages are slots of bits by default.
constexpr std::uint64_t kSlotPlainModulus = 2;
constexpr const char* kFromBytes = "Parameters.from_bytes";

using OptionalInteger = std::optional<Integer>;
using OptionalSizes = std::optional<std::vector<Integer>>;

// The choice of primes: one list, two lists, or no list for the default set of the degree.
struct PrimeChoice {
  OptionalSizes coeff_modulus_bits;
  OptionalSizes data_bits;
  OptionalSizes special_bits;
  OptionalInteger digit_size;
  std::string preference;
  std::uint64_t plain_modulus = 1;  // the caller's own

  bool is_default() const { return !coeff_modulus_bits && !data_bits; }
};

std::vector<int> sizes_of(const OptionalSizes& bits, const char* name) {
  std::vector<int> sizes;
  if (!bits) return sizes;
  for (const Integer& size : *bits) sizes.push_back(size.number("Parameters", name));
  return sizes;
}

void check_choice(const PrimeChoice& choice) {
  const bool is_double = choice.coeff_modulus_bits && (choice.data_bits || choice.special_bits);
  if (!is_double && (choice.data_bits || !choice.special_bits)) return;
  throw_invalid_argument(
      {"Parameters",
       is_double ? "coeff_modulus_bits beside data_bits or special_bits"
                 : "special_bits without data_bits",
       "coeff_modulus_bits alone, data_bits with or without special_bits, or none of them",
       "pass for example data_bits=[40, 40, 40], special_bits=[49]"});
}

// The ring that the caller names: X^N + 1 by its degree, or Phi_m by m.
struct RingChoice {
  OptionalInteger degree;
  OptionalInteger index;

  bool is_general() const { return index.has_value(); }
  RingSpec ring() const {
    return index ? RingSpec::cyclotomic(index->word("Parameters", "ring"))
                 : RingSpec::power_of_two(degree->word("Parameters", "degree"));
  }
};

void check_ring_choice(const RingChoice& choice) {
  if (choice.degree.has_value() != choice.index.has_value()) return;
  throw_invalid_argument({"Parameters", choice.degree ? "both degree and ring" : "no degree",
                          "exactly one of degree, for X^N + 1, and ring, the m of Phi_m",
                          "pass a degree such as 8192, or ring=8191"});
}

EncryptionParameters default_set(SchemeType scheme, const RingChoice& choice,
                                 const SchemeParameters& parameters) {
  if (choice.is_general()) {
    return default_parameters(scheme, choice.ring(), Modulus(kSlotPlainModulus), parameters.level,
                              parameters.table);
  }
  return default_parameters(scheme, choice.degree->word("Parameters", "degree"), parameters.level,
                            parameters.table);
}

void set_primes(SchemeParameters& parameters, SchemeType scheme, const RingChoice& ring_choice,
                const PrimeChoice& choice) {
  check_ring_choice(ring_choice);
  check_choice(choice);
  if (choice.is_default()) {
    parameters.parms = default_set(scheme, ring_choice, parameters);
  } else {
    parameters.parms = EncryptionParameters(scheme);
    parameters.parms.set_ring(ring_choice.ring());
    if (ring_choice.is_general()) parameters.parms.set_plain_modulus(Modulus(kSlotPlainModulus));
  }
  const PrimePreference preference = parse_prime_preference(choice.preference, "Parameters");
  const auto create = [&](const std::vector<int>& sizes) {
    return CoeffModulus::create(ring_choice.ring(), sizes, preference, choice.plain_modulus);
  };
  if (choice.coeff_modulus_bits) {
    parameters.parms.set_coeff_modulus(
        create(sizes_of(choice.coeff_modulus_bits, "coeff_modulus_bits")));
  } else if (choice.data_bits) {
    std::vector<int> sizes = sizes_of(choice.data_bits, "data_bits");
    const auto data_count = static_cast<std::ptrdiff_t>(sizes.size());
    const std::vector<int> special = sizes_of(choice.special_bits, "special_bits");
    sizes.insert(sizes.end(), special.begin(), special.end());
    const std::vector<Modulus> primes = create(sizes);
    parameters.parms.set_coeff_modulus({primes.begin(), primes.begin() + data_count},
                                       {primes.begin() + data_count, primes.end()});
  }
  if (choice.digit_size) {
    parameters.parms.set_digit_size(choice.digit_size->word("Parameters", "digit_size"));
  }
}

SchemeParameters parameters_with_primes(SchemeType scheme, const RingChoice& ring,
                                        const PrimeChoice& choice, const SecurityName& security,
                                        const std::string& table) {
  SchemeParameters parameters;
  parameters.level = parse_security(security, "Parameters");
  parameters.table = parse_table(table, "Parameters");
  set_primes(parameters, scheme, ring, choice);
  return parameters;
}

ParametersOf<SchemeType::ckks> make_ckks(
    const Integer& degree, const OptionalSizes& bits, const OptionalInteger& scale_bits,
    const std::optional<double>& scale, const OptionalSizes& data_bits,
    const OptionalSizes& special_bits, const OptionalInteger& digit_size,
    const SecurityName& security, const std::string& table, const std::string& preference) {
  const PrimeChoice choice{bits, data_bits, special_bits, digit_size, preference};
  if (!choice.is_default() || scale_bits || scale) check_scale_choice(scale_bits, scale);
  SchemeParameters parameters =
      parameters_with_primes(SchemeType::ckks, {degree, std::nullopt}, choice, security, table);
  if (scale_bits || scale) {
    set_scale(parameters, scale_bits, scale, "Parameters");
  } else {
    const int bits_of_last = parameters.parms.data_primes().back().bit_count();
    parameters.scale = std::ldexp(1.0, std::min(kUsualScaleBits, bits_of_last));
  }
  return ParametersOf<SchemeType::ckks>(parameters);
}

void set_plain_modulus(EncryptionParameters& parms, const OptionalInteger& value,
                       const OptionalInteger& bits) {
  if (value && bits) {
    throw_invalid_argument({"Parameters", "both plain_modulus and plain_bits", "one of them",
                            "pass for example plain_bits=20"});
  }
  if (value) {
    parms.set_plain_modulus(Modulus(value->word("Parameters", "plain_modulus")));
  } else if (bits || parms.plain_modulus() == 0) {
    const int count = bits ? bits->number("Parameters", "plain_bits") : kUsualPlainBits;
    parms.set_plain_modulus(
        PlainModulus::batching(parms.poly_modulus_degree(), count, parms.coeff_modulus()));
  }
}

// Constructs in place, not by __new__: as no argument is required, nanobind would call __new__ for
// objects that are unpickled.
template <SchemeType kScheme>
void make_exact(ParametersOf<kScheme>* self, const OptionalInteger& degree,
                const OptionalSizes& bits, const OptionalInteger& plain_modulus,
                const OptionalInteger& plain_bits, const OptionalSizes& data_bits,
                const OptionalSizes& special_bits, const OptionalInteger& digit_size,
                const SecurityName& security, const std::string& table, const OptionalInteger& ring,
                const std::string& preference) {
  PrimeChoice choice{bits, data_bits, special_bits, digit_size, preference};
  if (plain_modulus) choice.plain_modulus = plain_modulus->word("Parameters", "plain_modulus");
  SchemeParameters parameters =
      parameters_with_primes(kScheme, {degree, ring}, choice, security, table);
  set_plain_modulus(parameters.parms, plain_modulus, plain_bits);
  new (self) ParametersOf<kScheme>(std::move(parameters));
}

void bind_common_parameters(nb::module_& module) {
  using P = const SchemeParameters&;
  nb::class_<SchemeParameters>(module, "Parameters", "Parameters of a scheme.")
      .def_prop_ro(
          "scheme", [](P p) { return std::string(to_string(p.scheme())); },
          "Name of the scheme: \"ckks\", \"bfv\" or \"bgv\".")
      .def_prop_ro(
          "degree", [](P p) { return p.parms.poly_modulus_degree(); }, "The degree N.")
      .def_prop_ro(
          "coeff_modulus", [](P p) { return values_of(p.parms.coeff_modulus()); },
          "All primes of the modulus: the data primes, then the special primes.")
      .def_prop_ro(
          "data_primes", [](P p) { return values_of(p.parms.data_primes()); },
          "The primes of a fresh ciphertext. Each lower level has one prime less: the last one.")
      .def_prop_ro(
          "special_primes", [](P p) { return values_of(p.parms.special_primes()); },
          "The special primes: key switching divides its noise by them. Ciphertexts do not have\n"
          "them.")
      .def_prop_ro(
          "digit_size", [](P p) { return p.parms.digit_size(); },
          "Number of data primes in one digit of key switching.")
      .def_prop_ro(
          "security", [](P p) { return std::string(to_string(p.level)); },
          "Name of the security level, such as \"tc128\".")
      .def_prop_ro(
          "table", [](P p) { return std::string(to_string(p.table)); },
          "Name of the security table, such as \"classical_2024\".")
      .def("to_bytes", &parameters_to_bytes,
           "Returns the parameters as a few hundred bytes, for from_bytes of the same class.\n"
           "They contain no secret.")
      .def("__eq__", &same_parameters, "other"_a, nb::is_operator(),
           nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](P p) { return nb::hash(parameters_to_bytes(p)); })
      .def("__getstate__", &parameters_to_bytes)
      .def(
          "__copy__", [](P p) { return to_python(p); }, nb::sig("def __copy__(self) -> Self"))
      .def(
          "__deepcopy__", [](P p, nb::handle) { return to_python(p); }, "memo"_a,
          nb::sig("def __deepcopy__(self, memo: object, /) -> Self"))
      .def("__repr__", &describe);
  module.def(
      "max_modulus_bits",
      [](const Integer& degree, const SecurityName& security, const std::string& table) {
        return ringlet::max_modulus_bits(degree.word("max_modulus_bits", "degree"),
                                         parse_security(security, "Parameters"),
                                         parse_table(table, "Parameters"));
      },
      "degree"_a, "security"_a = "tc128", "table"_a = "classical_2024",
      "Returns the largest size in bits of the full modulus, all primes together, at this\n"
      "degree; 0 if the table has no entry.");
}

// Adds unpickling, which reads the parameters of any scheme.
template <SchemeType kScheme>
void bind_reading(nb::class_<ParametersOf<kScheme>, SchemeParameters>& type) {
  type.def("__setstate__", [](ParametersOf<kScheme>& self, const nb::bytes& bytes) {
    new (&self) ParametersOf<kScheme>(
        parameters_from_bytes(kScheme, bytes, SecurityLevel::tc128, "Parameters.__setstate__"));
  });
}

constexpr const char* kPrimes =
    "\n"
    "\n"
    "- degree: N, a power of two.\n"
    "- data_bits, special_bits: sizes of the data primes and of the special primes in\n"
    "  bits. Ringlet chooses primes of these sizes.\n"
    "- coeff_modulus_bits: another way to give the sizes; the last entry is the one\n"
    "  special prime. Without any sizes, the primes are the defaults of the degree.\n"
    "- digit_size: number of data primes in one digit of key switching; by default the\n"
    "  number of special primes.\n"
    "- prime_preference: \"largest\", or \"half_word_one\" for faster transforms with primes\n"
    "  of 55 to 61 bits.\n"
    "- security: 128 or \"tc128\", 192, 256, \"reproduction\" or \"none\".\n"
    "- table: \"classical_2024\", \"quantum_2024\", \"he_standard_2018\" or\n"
    "  \"he_standard_2018_quantum\".\n"
    "\n"
    "The constructor raises InvalidArgument for wrong arguments. The SecretContext checks\n"
    "the security level.";

void bind_ckks_parameters(nb::module_& module) {
  constexpr SchemeType kCkks = SchemeType::ckks;
  const std::string text =
      std::string(
          "Parameters of CKKS: the degree N, the primes, and the scale of encodings.\n"
          "\n"
          "- scale_bits or scale: the scale, as its base-2 logarithm or as a number. One of\n"
          "  them is required with sizes of primes.") +
      kPrimes;
  nb::class_<ParametersOf<kCkks>, SchemeParameters> type(module, "CkksParameters", text.c_str());
  type.def(nb::new_(&make_ckks), "degree"_a, "coeff_modulus_bits"_a = nb::none(), nb::kw_only(),
           "scale_bits"_a = nb::none(), "scale"_a = nb::none(), "data_bits"_a = nb::none(),
           "special_bits"_a = nb::none(), "digit_size"_a = nb::none(), "security"_a = "tc128",
           "table"_a = "classical_2024", "prime_preference"_a = "largest")
      .def_prop_ro(
          "scale", [](const SchemeParameters& p) { return p.scale; },
          "The scale of encodings: the factor of a message before rounding to integers.")
      .def_static(
          "from_bytes",
          [](const BytesLike& data, const OptionalInteger& scale_bits,
             const std::optional<double>& scale, const SecurityName& min_security) {
            return ckks_parameters_from_bytes(data.value, scale_bits, scale,
                                              parse_min_security(min_security, kFromBytes));
          },
          "data"_a, nb::kw_only(), "scale_bits"_a = nb::none(), "scale"_a = nb::none(),
          "min_security"_a = "tc128",
          nb::sig("def from_bytes(data: bytes | bytearray | memoryview, *, "
                  "scale_bits: int | None = None, scale: float | None = None, "
                  "min_security: int | str = 'tc128') -> CkksParameters"),
          "Returns the parameters in `data`: bytes of to_bytes, or a file of parameters of the\n"
          "C++ library.\n"
          "\n"
          "- scale_bits or scale: the scale, required for a file of the C++ library, which does\n"
          "  not contain one.\n"
          "- min_security: lowest accepted security level.\n"
          "\n"
          "Raises InvalidArgument for a lower security level, RuntimeFailure or InvalidArgument\n"
          "for damaged bytes.");
  bind_reading(type);
}

template <SchemeType kScheme>
void bind_exact_parameters(nb::module_& module) {
  const std::string name = to_string(kScheme) == std::string("bfv") ? "BFV" : "BGV";
  const std::string text =
      "Parameters of " + name +
      ": the degree N, the primes, and the modulus t of messages.\n"
      "\n"
      "- plain_modulus: t itself.\n"
      "- plain_bits: t is the largest prime of this size that gives N slots and is not a\n"
      "  prime of the modulus. The default is 20 bits.\n"
      "- ring: m. The ring is then Z[X]/Phi_m instead of Z[X]/(X^N + 1), and m\n"
      "  replaces the degree. With odd m and plain_modulus=2, the default for rings,\n"
      "  messages are bits in slots. `ringlet rings` finds rings.\n"
      "\n"
      "If t gives no slots, messages are polynomials modulo X^N + 1." +
      kPrimes;
  nb::class_<ParametersOf<kScheme>, SchemeParameters> type(
      module, (class_prefix(kScheme) + "Parameters").c_str(), text.c_str());
  type.def("__init__", &make_exact<kScheme>, "degree"_a = nb::none(),
           "coeff_modulus_bits"_a = nb::none(), nb::kw_only(), "plain_modulus"_a = nb::none(),
           "plain_bits"_a = nb::none(), "data_bits"_a = nb::none(), "special_bits"_a = nb::none(),
           "digit_size"_a = nb::none(), "security"_a = "tc128", "table"_a = "classical_2024",
           "ring"_a = nb::none(), "prime_preference"_a = "largest")
      .def_prop_ro(
          "plain_modulus", [](const SchemeParameters& p) { return p.parms.plain_modulus(); },
          "The modulus t of messages.")
      .def_static(
          "from_bytes",
          [](const BytesLike& data, const SecurityName& min_security) {
            return ParametersOf<kScheme>(parameters_from_bytes(
                kScheme, data.value, parse_min_security(min_security, kFromBytes), kFromBytes));
          },
          "data"_a, nb::kw_only(), "min_security"_a = "tc128",
          "Returns the parameters in `data`: bytes of to_bytes, or a file of parameters of the\n"
          "C++ library.\n"
          "\n"
          "- min_security: lowest accepted security level.\n"
          "\n"
          "Raises InvalidArgument for a lower security level, RuntimeFailure or InvalidArgument\n"
          "for damaged bytes.");
  bind_reading(type);
}

}  // namespace

void check_scale_choice(const OptionalInteger& bits, const std::optional<double>& scale) {
  if (bits.has_value() != scale.has_value()) return;
  throw_invalid_argument({"Parameters", bits ? "both scale_bits and scale" : "no scale",
                          "exactly one of scale_bits and scale", "pass for example scale_bits=40"});
}

void set_scale(SchemeParameters& parameters, const OptionalInteger& bits,
               const std::optional<double>& scale, const char* operation) {
  check_scale_choice(bits, scale);
  parameters.scale = bits ? std::ldexp(1.0, bits->number(operation, "scale_bits")) : *scale;
  check_scale(parameters, operation);
}

void check_scale(const SchemeParameters& parameters, const char* operation) {
  const double scale = parameters.scale;
  int bits = 0;  // schemes of integers have no scale but 1
  if (parameters.scheme() == SchemeType::ckks) {
    for (const Modulus& q : parameters.parms.data_primes()) bits += q.bit_count();
  }
  if (scale == 1.0 || (std::isnormal(scale) && scale >= 1.0 && std::ilogb(scale) < bits)) return;
  throw_invalid_argument({operation, (std::ostringstream() << "scale = " << scale).str(),
                          bits == 0 ? "scale 1 in this scheme"
                                    : "from 1 to below 2^" + std::to_string(bits) +
                                          ", the size of the data primes' product",
                          "pass for example scale_bits=40 for CKKS, and no scale for BFV and BGV"});
}

std::string describe(const SchemeParameters& parameters) {
  const EncryptionParameters& parms = parameters.parms;
  std::string bits;
  for (const Modulus& q : parms.coeff_modulus()) {
    bits += (bits.empty() ? "" : ", ") + std::to_string(q.bit_count());
  }
  const bool is_ckks = parameters.scheme() == SchemeType::ckks;
  const std::string ring = parms.has_general_ring()
                               ? "ring=" + std::to_string(parms.ring().cyclotomic_index()) + " "
                               : "";
  return repr_start(parameters.scheme(), "Parameters") + ring +
         "degree=" + std::to_string(parms.poly_modulus_degree()) + " coeff_modulus_bits=[" + bits +
         "] special_primes=" + std::to_string(parms.special_primes().size()) +
         (is_ckks ? " scale=" + scale_text(parameters.scale)
                  : " plain_modulus=" + std::to_string(parms.plain_modulus())) +
         " security=" + to_string(parameters.level) + " table=" + to_string(parameters.table) + ">";
}

void bind_parameters(nb::module_& module) {
  bind_common_parameters(module);
  bind_ckks_parameters(module);
  bind_exact_parameters<SchemeType::bfv>(module);
  bind_exact_parameters<SchemeType::bgv>(module);
}

}  // namespace ringlet::python
