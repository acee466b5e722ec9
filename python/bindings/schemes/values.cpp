// SPDX-License-Identifier: Apache-2.0
#include "bindings/schemes/values.hpp"

#include "bindings/core/arguments.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::python {
namespace {

constexpr const char* kNumbers = "a number or a one-dimensional array of real or complex numbers";

nb::module_ numpy() { return nb::module_::import_("numpy"); }

std::string class_name(nb::handle object) {
  return nb::cast<std::string>(object.type().attr("__name__"));
}

nb::object as_array(nb::handle object, const char* limit, const char* operation) {
  refuse_masked(object, operation, "values");
  try {
    return numpy().attr("asarray")(object);
  } catch (nb::python_error&) {
    throw_invalid_argument({operation, "NumPy cannot make an array of this " + class_name(object),
                            limit, "pass one number, or a list or an array of numbers"});
  }
}

// Refuses numbers that NumPy has no type for, and other objects. Messages name types, never values.
void check_is_typed(nb::handle object, nb::handle array, const std::string& limit,
                    const std::string& remedy_for_numbers, const char* operation) {
  const bool is_empty = nb::cast<std::size_t>(array.attr("size")) == 0;
  if (is_empty || nb::cast<std::string>(array.attr("dtype").attr("kind")) != "O") return;
  const nb::object first = array.attr("flat")[nb::int_(0)];
  const bool is_scalar = nb::cast<int>(array.attr("ndim")) == 0;
  throw_invalid_argument(
      {operation,
       "values of type " + class_name(object) + (is_scalar ? "" : " of " + class_name(first)) +
           ", which NumPy does not store as numbers",
       limit,
       nb::hasattr(first, "__float__") ? remedy_for_numbers
                                       : "pass one number, or a list or an array of numbers"});
}

std::string dtype_name(nb::handle array) {
  return nb::str(nb::handle(nb::object(array.attr("dtype")))).c_str();
}

bool converts_safely(nb::handle array, const char* type) {
  return nb::cast<bool>(numpy().attr("can_cast")(array.attr("dtype"), type, "safe"));
}

template <typename T>
SecretVector<T> copy_values(nb::handle array, const char* type) {
  const nb::object contiguous = numpy().attr("ascontiguousarray")(array, type).attr("ravel")();
  const auto view = nb::cast<nb::ndarray<const T, nb::ndim<1>, nb::c_contig>>(contiguous);
  return {view.data(), view.data() + view.shape(0)};
}

SlotValues numbers(nb::handle object, const char* operation) {
  const nb::object array = as_array(object, kNumbers, operation);
  check_is_typed(object, array, kNumbers, "pass numpy.asarray(values, dtype=float)", operation);
  const auto dimensions = nb::cast<int>(array.attr("ndim"));
  SlotValues values;
  values.is_scalar = dimensions == 0;
  if (dimensions > 1) {
    throw_invalid_argument({operation, "values have " + std::to_string(dimensions) + " dimensions",
                            kNumbers, "pass values.ravel(), or one row at a time"});
  }
  if (converts_safely(array, "float64")) {
    values.real = copy_values<double>(array, "float64");
  } else if (converts_safely(array, "complex128")) {
    values.is_complex = true;
    values.complex = copy_values<std::complex<double>>(array, "complex128");
  } else {
    throw_invalid_argument({operation, "values have dtype " + dtype_name(array), kNumbers,
                            "convert the values with astype(numpy.float64)"});
  }
  return values;
}

std::string integer_limit(const Workshop& workshop) {
  const std::size_t n = workshop.slot_count();
  const std::uint64_t t = workshop.context().plain_modulus().value();
  return "an integer or up to " + std::to_string(n) + " integers in [-" + std::to_string(t / 2) +
         ", " + std::to_string(t) + "), one-dimensional" +
         (workshop.batch_encoder() == nullptr ? ""
                                              : " or of shape (2, " + std::to_string(n / 2) + ")");
}

void check_integer_shape(const Workshop& workshop, nb::handle array, const char* operation) {
  const nb::object shape = array.attr("shape");
  const std::size_t n = workshop.slot_count();
  const bool is_matrix =
      workshop.batch_encoder() != nullptr && shape.equal(nb::make_tuple(2, n / 2));
  const auto dimensions = nb::cast<int>(array.attr("ndim"));
  if (is_matrix || dimensions == 0) return;
  if (dimensions > 1 || nb::cast<std::size_t>(array.attr("size")) > n) {
    throw_invalid_argument({operation, "values of shape " + std::string(nb::str(shape).c_str()),
                            integer_limit(workshop), "pass as many values as one message takes"});
  }
}

// Replaces values in [-floor(t/2), t) by their residues modulo t. Returns whether all values are in
// range, without a branch on any value.
template <bool kSigned>
bool reduce_in_place(std::span<std::uint64_t> words, std::uint64_t t) {
  std::uint64_t outside = 0;
  for (std::uint64_t& word : words) {
    const std::uint64_t negative = kSigned ? word >> 63 : 0;
    word += t & (0 - negative);
    outside |= static_cast<std::uint64_t>(word >= t);
    outside |= negative & static_cast<std::uint64_t>(word < t - t / 2);
  }
  return outside == 0;
}

SlotValues integers(const Workshop& workshop, nb::handle object, const char* operation) {
  const nb::object array = as_array(object, integer_limit(workshop).c_str(), operation);
  const std::uint64_t t = workshop.context().plain_modulus().value();
  check_is_typed(
      object, array, integer_limit(workshop),
      "pass numpy.asarray(numpy.mod(values, t), dtype=numpy.int64), t = " + std::to_string(t),
      operation);
  const std::string kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
  const bool is_empty = nb::cast<std::size_t>(array.attr("size")) == 0;
  if (!is_empty && kind != "i" && kind != "u" && kind != "b") {
    throw_invalid_argument({operation, "values have dtype " + dtype_name(array),
                            integer_limit(workshop),
                            "round and convert the values if this loss is acceptable: "
                            "numpy.rint(values).astype(numpy.int64)"});
  }
  check_integer_shape(workshop, array, operation);
  SlotValues values;
  values.is_scalar = nb::cast<int>(array.attr("ndim")) == 0;
  bool is_in_range = true;
  if (kind == "u") {
    values.residues = copy_values<std::uint64_t>(array, "uint64");
    is_in_range = reduce_in_place<false>(values.residues, t);
  } else {
    const SecretVector<std::int64_t> words = copy_values<std::int64_t>(array, "int64");
    values.residues.assign(words.begin(), words.end());
    is_in_range = reduce_in_place<true>(values.residues, t);
  }
  if (!is_in_range) {
    throw_invalid_argument({operation, "values out of range", integer_limit(workshop),
                            "reduce the values modulo t, or choose a larger plain modulus"});
  }
  return values;
}

// Returns 1 if any of the first `count` places differs. Vectorized; without a branch on any value.
template <typename T>
std::uint64_t differ(const T* first, const T* second, std::size_t count) {
  std::uint64_t result = 0;
  for (std::size_t i = 0; i < count; ++i) {
    result |= static_cast<std::uint64_t>(first[i] != second[i]);
  }
  return result;
}

// Returns the least power of two from `unit` on after which each row repeats; missing slots are 0.
// What is read depends on places, not on values.
template <typename T>
std::size_t period_of(std::span<const T> slots, std::size_t row, std::size_t unit = 1) {
  const std::vector<T> zeros(slots.size() % row == 0 ? 0 : row / 2);
  std::size_t period = row;
  std::uint64_t differs = 0;
  for (std::size_t half = row / 2; half >= unit; half /= 2) {
    for (std::size_t first = 0; first < slots.size(); first += row) {
      const std::span<const T> left = slots.subspan(first, std::min(half, slots.size() - first));
      const std::size_t paired = std::min(slots.size() - first, 2 * half) - left.size();
      differs |= differ(left.data(), left.data() + left.size(), paired);
      differs |= differ(left.data() + paired, zeros.data(), left.size() - paired);
    }
    period -= half & (differs - 1);
  }
  return period;
}

// Returns the largest number except NaN, which encoding refuses. Uses several lanes because the
// compiler may not reorder the comparisons of one lane.
template <typename T, typename Function>
double largest_of(const SecretVector<T>& values, const Function& function) {
  double lanes[8] = {};
  const T* const data = values.data();
  const std::size_t whole = values.size() / std::size(lanes) * std::size(lanes);
  for (std::size_t i = 0; i < whole; i += std::size(lanes)) {
    for (std::size_t lane = 0; lane < std::size(lanes); ++lane) {
      lanes[lane] = std::max(lanes[lane], function(data[i + lane]));
    }
  }
  for (std::size_t i = whole; i < values.size(); ++i) {
    lanes[0] = std::max(lanes[0], function(data[i]));
  }
  return *std::max_element(std::begin(lanes), std::end(lanes));
}

Plaintext encode_bits(const SlotEncoder& encoder, const SecretVector<std::uint64_t>& residues) {
  const SecretVector<std::uint8_t> bits(residues.begin(), residues.end());
  return encoder.encode(bits);
}

Plaintext encode_integers(const Workshop& workshop, const SlotValues& values) {
  Plaintext plain;
  if (workshop.slot_encoder() != nullptr && !values.is_scalar) {
    plain = encode_bits(*workshop.slot_encoder(), values.residues);
  } else if (values.is_scalar || workshop.batch_encoder() == nullptr) {
    // A constant polynomial has its value in every slot; without batching there are no slots.
    plain.resize(std::max<std::size_t>(values.residues.size(), 1));
    std::copy(values.residues.begin(), values.residues.end(),
              plain.coefficients_for_writing().begin());
  } else {
    workshop.batch_encoder()->encode(std::span<const std::uint64_t>(values.residues), plain);
  }
  return plain;
}

Plaintext encode_numbers(const CKKSEncoder& encoder, const SlotValues& values,
                         const EncodingTarget& target) {
  Plaintext plain;
  if (values.is_scalar && values.is_complex) {
    encoder.encode(values.complex.front(), target.level, target.scale, plain);
  } else if (values.is_scalar) {
    encoder.encode(values.real.front(), target.level, target.scale, plain);
  } else if (values.is_complex) {
    encoder.encode(std::span<const std::complex<double>>(values.complex), target.level,
                   target.scale, plain);
  } else {
    encoder.encode(std::span<const double>(values.real), target.level, target.scale, plain);
  }
  return plain;
}

// Returns an array that owns the values and wipes them.
template <typename T>
nb::object to_array(std::unique_ptr<SecretVector<T>> values) {
  T* data = values->data();
  const std::size_t size = values->size();
  const nb::capsule owner(values.release(), [](void* object) noexcept {
    delete static_cast<SecretVector<T>*>(object);
  });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner));
}

template <typename T>
nb::object decode_as(const Workshop& workshop, const Plaintext& plain) {
  auto values = std::make_unique<SecretVector<T>>(workshop.slot_count());
  {
    const nb::gil_scoped_release unlocked;
    workshop.ckks_encoder()->decode(plain, std::span<T>(*values));
  }
  return to_array(std::move(values));
}

// Returns the representative of least absolute value; for even t, t/2 becomes -t/2.
std::int64_t centred(std::uint64_t residue, std::uint64_t t) {
  const auto is_high = static_cast<std::uint64_t>(residue >= (t + 1) / 2);
  return static_cast<std::int64_t>(residue - (t & (0 - is_high)));
}

}  // namespace

InputFacts facts_of(const Workshop& workshop, const SlotValues& values) {
  InputFacts facts;
  if (values.is_complex) {  // compares squares: absolute values take varying time
    facts.magnitude =
        std::sqrt(largest_of(values.complex, [](auto number) { return std::norm(number); }));
  } else {
    facts.magnitude = largest_of(values.real, [](double number) { return std::abs(number); });
  }
  if (values.is_scalar) return facts;
  const bool has_rows = workshop.ckks_encoder() != nullptr || workshop.batch_encoder() != nullptr;
  if (!has_rows) return {workshop.context().parms().poly_modulus_degree(), facts.magnitude};
  const std::size_t row = workshop.context().ring().rotation_count();
  if (values.is_complex) {
    const auto* parts = reinterpret_cast<const double*>(values.complex.data());
    facts.period = period_of<double>({parts, 2 * values.complex.size()}, 2 * row, 2) / 2;
  } else if (workshop.ckks_encoder() != nullptr) {
    facts.period = period_of<double>(values.real, row);
  } else {
    facts.period = period_of<std::uint64_t>(values.residues, row);
  }
  return facts;
}

bool is_numeric(nb::handle object) {
  // An object with operators of its own is no number: a ciphertext, a value of a circuit.
  if (nb::getattr(object, "__array_ufunc__", nb::str("")).is_none()) return false;
  return PyFloat_Check(object.ptr()) || PyLong_Check(object.ptr()) ||
         PyComplex_Check(object.ptr()) || nb::isinstance<nb::list>(object) ||
         nb::isinstance<nb::tuple>(object) || nb::hasattr(object, "__array__");
}

SlotValues slot_values(const Workshop& workshop, nb::handle object, const char* operation) {
  return workshop.ckks_encoder() != nullptr ? numbers(object, operation)
                                            : integers(workshop, object, operation);
}

Plaintext encode(const Workshop& workshop, const SlotValues& values, const EncodingTarget& target) {
  return workshop.ckks_encoder() != nullptr
             ? encode_numbers(*workshop.ckks_encoder(), values, target)
             : encode_integers(workshop, values);
}

nb::object decode_numbers(const Workshop& workshop, const Plaintext& plain, bool as_complex) {
  return as_complex ? decode_as<std::complex<double>>(workshop, plain)
                    : decode_as<double>(workshop, plain);
}

nb::object decode_integers(const Workshop& workshop, const Plaintext& plain, bool is_signed) {
  auto values = std::make_unique<SecretVector<std::int64_t>>(workshop.slot_count());
  {
    const nb::gil_scoped_release unlocked;
    const std::uint64_t t = workshop.context().plain_modulus().value();
    SecretVector<std::uint64_t> residues(values->size());
    if (workshop.batch_encoder() != nullptr) {
      workshop.batch_encoder()->decode(plain, std::span<std::uint64_t>(residues));
    } else if (workshop.slot_encoder() != nullptr) {
      SecretVector<std::uint8_t> bits(values->size());
      workshop.slot_encoder()->decode(plain, bits);
      std::ranges::copy(bits, residues.begin());
    } else {
      std::ranges::copy(plain.coefficients(), residues.begin());
    }
    // A bit is 0 or 1, not the residue -1.
    const bool centres = is_signed && workshop.slot_encoder() == nullptr;
    std::ranges::transform(residues, values->begin(), [&](std::uint64_t residue) {
      return centres ? centred(residue, t) : static_cast<std::int64_t>(residue);
    });
  }
  return to_array(std::move(values));
}

}  // namespace ringlet::python
