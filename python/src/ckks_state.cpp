// SPDX-License-Identifier: Apache-2.0
#include "ckks_state.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include <nanobind/ndarray.h>

#include "ringlet/error.hpp"

namespace nb = nanobind;

namespace ringlet::python {
namespace {

nb::module_ numpy() { return nb::module_::import_("numpy"); }

bool converts_safely(nb::handle array, const char* type) {
  return nb::cast<bool>(numpy().attr("can_cast")(array.attr("dtype"), type, "safe"));
}

template <typename T>
SecretVector<T> copy_values(nb::handle array, const char* type) {
  const nb::object contiguous = numpy().attr("ascontiguousarray")(array, type).attr("ravel")();
  const auto view = nb::cast<nb::ndarray<const T, nb::ndim<1>, nb::c_contig>>(contiguous);
  return {view.data(), view.data() + view.shape(0)};
}

template <typename T>
nb::object decode_as(const Workshop& workshop, const Plaintext& plain) {
  auto values = std::make_unique<SecretVector<T>>(workshop.encoder().slot_count());
  {
    const nb::gil_scoped_release unlocked;
    workshop.encoder().decode(plain, std::span<T>(*values));
  }
  T* data = values->data();
  const std::size_t size = values->size();
  const nb::capsule owner(values.release(), [](void* object) noexcept {
    delete static_cast<SecretVector<T>*>(object);
  });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner));
}

}  // namespace

Workshop::Workshop(const CkksParameters& parameters, const KernelSelection& kernels,
                   std::shared_ptr<const PublicKeys> keys)
    : parameters_(parameters),
      context_(parameters.parms, parameters.level, parameters.table, kernels),
      encoder_(context_),
      evaluator_(context_),
      keys_(std::move(keys)) {}

const PublicKeys& Workshop::keys(const char* operation) const {
  if (keys_ == nullptr) {
    throw_logic_error({operation, "the ciphertext is not bound to a PublicContext",
                       "a ciphertext that is bound to evaluation keys",
                       "call public.bind(ciphertext) and work with the result"});
  }
  return *keys_;
}

const ContextData& Workshop::level(std::size_t index, const char* operation) const {
  const ContextData* data = context_.first_context_data();
  const std::size_t first = data->chain_index();
  while (data != nullptr && data->chain_index() != index) data = data->next_context_data();
  if (data == nullptr) {
    throw_invalid_argument({operation, "level = " + std::to_string(index),
                            "0 to " + std::to_string(first), "choose a level of these parameters"});
  }
  return *data;
}

bool is_numeric(nb::handle object) {
  return PyFloat_Check(object.ptr()) || PyLong_Check(object.ptr()) ||
         PyComplex_Check(object.ptr()) || nb::isinstance<nb::list>(object) ||
         nb::isinstance<nb::tuple>(object) || nb::hasattr(object, "__array__");
}

SlotValues slot_values(nb::handle object, const char* operation) {
  constexpr const char* kLimit = "a number or a one-dimensional array of real or complex numbers";
  nb::object array;
  try {
    array = numpy().attr("asarray")(object);
  } catch (nb::python_error&) {
    throw_invalid_argument({operation, "values = " + shown(object), kLimit,
                            "pass numbers that NumPy can put into one array"});
  }
  const auto dimensions = nb::cast<int>(array.attr("ndim"));
  SlotValues values;
  values.is_scalar = dimensions == 0;
  if (dimensions > 1) {
    throw_invalid_argument({operation, "values have " + std::to_string(dimensions) + " dimensions",
                            kLimit, "pass values.ravel(), or one row at a time"});
  }
  if (converts_safely(array, "float64")) {
    values.real = copy_values<double>(array, "float64");
  } else if (converts_safely(array, "complex128")) {
    values.is_complex = true;
    values.complex = copy_values<std::complex<double>>(array, "complex128");
  } else {
    throw_invalid_argument(
        {operation,
         "values have dtype " +
             std::string(nb::str(nb::handle(nb::object(array.attr("dtype")))).c_str()),
         kLimit, "convert them with astype(numpy.float64)"});
  }
  return values;
}

Plaintext encode(const Workshop& workshop, const SlotValues& values, const ParmsId& level,
                 double scale) {
  Plaintext plain;
  const CKKSEncoder& encoder = workshop.encoder();
  if (values.is_scalar && values.is_complex) {
    encoder.encode(values.complex.front(), level, scale, plain);
  } else if (values.is_scalar) {
    encoder.encode(values.real.front(), level, scale, plain);
  } else if (values.is_complex) {
    encoder.encode(std::span<const std::complex<double>>(values.complex), level, scale, plain);
  } else {
    encoder.encode(std::span<const double>(values.real), level, scale, plain);
  }
  return plain;
}

nb::object decode(const Workshop& workshop, const Plaintext& plain, bool as_complex) {
  return as_complex ? decode_as<std::complex<double>>(workshop, plain)
                    : decode_as<double>(workshop, plain);
}

std::string scale_text(double scale) {
  char text[32];
  std::snprintf(text, sizeof text, "2^%.2f", std::log2(scale));
  return text;
}

std::size_t level_index(const Workshop& workshop, const ParmsId& parms_id) {
  const ContextData* data = workshop.context().get_context_data(parms_id);
  return data == nullptr ? 0 : data->chain_index();
}

}  // namespace ringlet::python
