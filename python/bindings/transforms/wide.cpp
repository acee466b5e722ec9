// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ntt/wide.hpp"

#include "bindings/core/arrays.hpp"
#include "bindings/core/bindings.hpp"
#include "kernels/select.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/base/error.hpp"

// Double words. ringlet.wide turns sequences of integers into arrays and back. Functions here take
// arrays of shape (n, 2), the library's layout of pairs, without a copy.

namespace ringlet::python {
namespace {

constexpr const char* kPairs =
    "a NumPy array of uint64 of shape (n, 2): the low and the high word of each element";

/// Returns the result of a function of the library; errors name the operation of Python.
template <typename Function>
auto call_library(const char* operation, const Function& function) {
  try {
    return function();
  } catch (const InvalidArgument& error) {
    throw_invalid_argument({operation, error.offending(), error.limit(), error.remedy()});
  }
}

nb::int_ to_integer(const DoubleWord& words) {
  return nb::int_(nb::int_(words[1]) << nb::int_(64) | nb::int_(words[0]));
}

nb::int_ to_integer(const WideModulus& q) { return to_integer({q.value()[0], q.value()[1]}); }

/// Returns nothing if the integer is not in [0, 2^128).
/// @throws InvalidArgument if it is no integer.
std::optional<DoubleWord> double_word(const Integer& argument, const char* operation,
                                      const char* name) {
  const nb::object index = nb::steal(PyNumber_Index(argument.object.ptr()));
  if (!index.is_valid()) {
    PyErr_Clear();
    throw_invalid_argument({operation, std::string(name) + " = " + shown(argument.object),
                            "an integer", "convert it with int()"});
  }
  const nb::object low = index & nb::int_(~std::uint64_t{0});
  const nb::object high = index >> nb::int_(64);
  const DoubleWord words{PyLong_AsUnsignedLongLong(low.ptr()),
                         PyLong_AsUnsignedLongLong(high.ptr())};
  if (PyErr_Occurred() == nullptr) return words;
  PyErr_Clear();
  return std::nullopt;
}

WideModulus modulus_of(const Integer& argument, const char* operation) {
  const std::optional<DoubleWord> q = double_word(argument, operation, "q");
  const bool is_double = q && ((*q)[0] > 2 || (*q)[1] > 0) && (*q)[0] % 2 == 1 &&
                         (*q)[1] >> (kMaxDoubleWordBits - 64) == 0;
  if (!is_double) {
    throw_invalid_argument({operation, "q = " + shown(argument.object),
                            "odd moduli from 3 to 2^124 - 1", "take a prime from wide.ntt_primes"});
  }
  return WideModulus(WideInteger{(*q)[0], (*q)[1], 0});
}

WideRing ring_of(const std::string& name, const char* operation) {
  if (name == "negacyclic") return WideRing::negacyclic;
  if (name == "cyclic") return WideRing::cyclic;
  throw_invalid_argument(
      {operation, "ring = '" + name + "'", "\"negacyclic\" or \"cyclic\"", "take one of these"});
}

const char* name_of(WideRing ring) {
  return ring == WideRing::negacyclic ? "negacyclic" : "cyclic";
}

/// An array of shape (n, 2) without gaps, held while it is in use.
class HeldPairs {
 public:
  HeldPairs(const ArrayArgument& argument, const ArraySpec& spec, HeldArray::Access access)
      : held_(argument, {spec.operation, spec.name, 0, PyBUF_MAX_NDIM}, access) {
    if (held_.dimensions() != 2 || held_.batch().shape.length != 2) {
      throw_invalid_argument({spec.operation,
                              std::string(spec.name) + " has shape " + held_.shape(), kPairs,
                              "convert integers with wide.from_integers"});
    }
    if (batch().is_contiguous()) return;
    throw_invalid_argument({spec.operation, std::string(spec.name) + " has gaps between elements",
                            std::string(kPairs) + ", one after the other",
                            "pass a contiguous array, and copy it if it is a result"});
  }

  Batch batch() const noexcept { return held_.batch(); }
  WideOperand operand() const { return WideOperand(batch().flattened().row(0)); }
  std::size_t size() const noexcept { return batch().shape.rows; }

 private:
  HeldArray held_;
};

/// The arrays of one call: its operands and its result.
class Pairs {
 public:
  Pairs(const char* operation, const ArrayArgument& a)
      : operation_(operation), a_(a, {operation, "a"}, HeldArray::Access::read) {}

  void add(const char* name, const ArrayArgument& b) {
    b_.emplace(b, ArraySpec{operation_, name}, HeldArray::Access::read);
    check_size(*b_);
  }

  /// @throws InvalidArgument unless a has `size` elements.
  void expect(std::size_t size) const {
    if (a_.size() == size) return;
    refuse_size(a_, size, "pass one coefficient or value for each power, N of them");
  }

  /// Runs `compute`, which writes the result, without the interpreter's lock. Returns the array.
  /// @throws InvalidArgument that names the first element that is not below the modulus of
  /// `checks`.
  template <typename Compute>
  ArrayArgument write(const OptionalArray& out, const WideEltwise* checks, const Compute& compute) {
    const WideResult to = result(out);
    {
      const nb::gil_scoped_release unlocked;
      check_elements(checks);
      compute(to);
    }
    return array_;
  }

  void check_elements(const WideEltwise* plan) const {
    if (plan != nullptr) check_elements(*plan, a_);
    if (plan != nullptr && b_) check_elements(*plan, *b_);
  }

  WideOperand a() const { return a_.operand(); }
  WideOperand b() const { return b_->operand(); }

 private:
  WideResult result(const OptionalArray& out) {
    if (!out || out->object.is_none()) {
      Target words;
      const ArrayArgument flat = make_array(2 * a_.size(), words);
      array_ = {flat.object.attr("reshape")(a_.size(), 2)};
      return WideResult(words);
    }
    array_ = *out;
    out_.emplace(*out, ArraySpec{operation_, "out"}, HeldArray::Access::write);
    check_size(*out_);
    check_overlap(operation_, out_->batch().flattened(), a_.batch().flattened());
    if (b_) check_overlap(operation_, out_->batch().flattened(), b_->batch().flattened());
    return WideResult(out_->batch().flattened().row(0));
  }

  void check_size(const HeldPairs& pairs) const {
    if (pairs.size() != a_.size()) refuse_size(pairs, a_.size(), "pass arrays of the same length");
  }

  [[noreturn]] void refuse_size(const HeldPairs& pairs, std::size_t size,
                                const char* remedy) const {
    throw_invalid_argument(
        {operation_,
         std::string(pairs.batch().name) + " has " + std::to_string(pairs.size()) + " elements",
         std::to_string(size) + " elements", remedy});
  }

  void check_elements(const WideEltwise& plan, const HeldPairs& pairs) const {
    try {
      plan.check(pairs.operand());
    } catch (const InvalidArgument& error) {
      // The library calls the operand of its check "a".
      throw_invalid_argument(
          {operation_, std::string(pairs.batch().name) + error.offending().substr(1), error.limit(),
           "reduce the elements first, with wide.Eltwise(q).reduce"});
    }
  }

  const char* operation_;
  HeldPairs a_;
  std::optional<HeldPairs> b_;
  std::optional<HeldPairs> out_;
  ArrayArgument array_;
};

using In = const ArrayArgument&;
using Out = const OptionalArray&;

WideEltwise make_eltwise(const Integer& modulus, const OptionalText& kernels) {
  const char* const operation = "wide.Eltwise";
  const WideModulus q = modulus_of(modulus, operation);
  const KernelSelection selection = kernel_selection(kernels);
  return call_library(operation, [&] { return WideEltwise(q, selection); });
}

/// Returns the binding of an operation with two operands.
auto binary(const char* operation,
            void (WideEltwise::*run)(WideResult, WideOperand, WideOperand) const) {
  return [=](const WideEltwise& plan, In a, In b, Out out, bool check) {
    Pairs pairs(operation, a);
    pairs.add("b", b);
    return pairs.write(out, check ? &plan : nullptr,
                       [&](WideResult to) { (plan.*run)(to, pairs.a(), pairs.b()); });
  };
}

ArrayArgument axpy(const WideEltwise& plan, const Integer& scalar, In a, In b, Out out,
                   bool check) {
  const char* const operation = "wide.Eltwise.axpy";
  const std::optional<DoubleWord> factor = double_word(scalar, operation, "scalar");
  const WideInteger& q = plan.modulus().value();
  if (!factor || std::pair((*factor)[1], (*factor)[0]) >= std::pair(q[1], q[0])) {
    throw_invalid_argument({operation, "scalar = " + shown(scalar.object),
                            "scalars in [0, q), q = " + plan.modulus().to_string(),
                            "reduce the scalar first, with scalar % q"});
  }
  Pairs pairs(operation, a);
  pairs.add("b", b);
  return pairs.write(out, check ? &plan : nullptr, [&](WideResult to) {
    plan.multiply_scalar_add(to, *factor, pairs.a(), pairs.b());
  });
}

nb::int_ dot(const WideEltwise& plan, In a, In b, bool check) {
  Pairs pairs("wide.Eltwise.dot", a);
  pairs.add("b", b);
  DoubleWord sum;
  {
    const nb::gil_scoped_release unlocked;
    pairs.check_elements(check ? &plan : nullptr);
    sum = plan.dot(pairs.a(), pairs.b());
  }
  return to_integer(sum);
}

ArrayArgument reduce(const WideEltwise& plan, In a, Out out) {
  Pairs pairs("wide.Eltwise.reduce", a);
  return pairs.write(out, nullptr, [&](WideResult to) { plan.reduce(to, pairs.a()); });
}

/// A transform with the arithmetic of its values.
struct BoundNtt {
  WideNtt plan;
  WideEltwise eltwise;
};

BoundNtt make_ntt(const Integer& degree, const Integer& modulus, const std::string& ring_name,
                  const std::optional<Integer>& root, const OptionalText& kernels) {
  const char* const operation = "wide.Ntt";
  const std::size_t n = degree.word(operation, "degree");
  const WideModulus q = modulus_of(modulus, operation);
  const WideRing ring = ring_of(ring_name, operation);
  const KernelSelection selection = kernel_selection(kernels);
  std::optional<DoubleWord> w;
  if (root) {
    w = double_word(*root, operation, "root");
    if (!w) {
      throw_invalid_argument({operation, "root = " + shown(root->object),
                              "roots of unity in [0, q), q = " + q.to_string(),
                              "leave the root out to use the smallest one"});
    }
  }
  const nb::gil_scoped_release unlocked;
  return call_library(operation, [&] {
    return BoundNtt{w ? WideNtt(n, q, ring, *w, selection) : WideNtt(n, q, ring, selection),
                    WideEltwise(q, selection)};
  });
}

template <bool kForward>
ArrayArgument transform(const BoundNtt& ntt, In a, Out out, bool check) {
  Pairs pairs(kForward ? "wide.Ntt.forward" : "wide.Ntt.inverse", a);
  pairs.expect(ntt.plan.degree());
  return pairs.write(out, check ? &ntt.eltwise : nullptr, [&](WideResult to) {
    kForward ? ntt.plan.forward(to, pairs.a()) : ntt.plan.inverse(to, pairs.a());
  });
}

/// The values of one factor of a product, in memory that is wiped afterwards.
class Values {
 public:
  Values(const WideNtt& plan, WideOperand factor, Target scratch) : words_(2 * plan.degree()) {
    plan.forward(view(), factor, scratch);
  }

  WideResult view() noexcept {
    const Target words(words_);
    return {words.first(words.size() / 2), words.last(words.size() / 2)};
  }

 private:
  SecretVector<std::uint64_t> words_;
};

ArrayArgument multiply(const BoundNtt& ntt, In a, In b, Out out, bool check) {
  Pairs pairs("wide.Ntt.multiply", a);
  pairs.expect(ntt.plan.degree());
  pairs.add("b", b);
  return pairs.write(out, check ? &ntt.eltwise : nullptr, [&](WideResult to) {
    SecretVector<std::uint64_t> scratch(ntt.plan.scratch_words());
    Values x(ntt.plan, pairs.a(), scratch);
    if (pairs.a().low() == pairs.b().low()) {
      ntt.eltwise.multiply(x.view(), x.view(), x.view());
    } else {
      ntt.eltwise.multiply(x.view(), x.view(), Values(ntt.plan, pairs.b(), scratch).view());
    }
    ntt.plan.inverse(to, x.view(), scratch);
  });
}

nb::list integers(const std::vector<WideModulus>& moduli) {
  nb::list values;
  for (const WideModulus& q : moduli) values.append(to_integer(q));
  return values;
}

nb::list ntt_primes(const Integer& bits, const Integer& degree, const Integer& count) {
  const char* const operation = "wide.ntt_primes";
  const int width = bits.number(operation, "bits");
  const std::size_t n = degree.word(operation, "degree");
  const std::size_t number = count.word(operation, "count");
  return integers(call_library(operation, [&] {
    const nb::gil_scoped_release unlocked;
    return generate_wide_ntt_primes(width, n, number);
  }));
}

nb::list special_primes(const Integer& bits, const Integer& count) {
  const char* const operation = "wide.special_primes";
  const int width = bits.number(operation, "bits");
  const std::size_t number = count.word(operation, "count");
  return integers(call_library(operation, [&] {
    const nb::gil_scoped_release unlocked;
    return generate_special_wide_primes(width, number);
  }));
}

nb::int_ longest_transform(const Integer& modulus, const std::string& ring_name) {
  const char* const operation = "wide.longest_transform";
  const WideModulus q = modulus_of(modulus, operation);
  const WideRing ring = ring_of(ring_name, operation);
  const int log2 = call_library(operation, [&] {
    const nb::gil_scoped_release unlocked;
    return longest_transform_log2(q, ring);
  });
  return nb::int_(nb::int_(1) << nb::int_(log2));
}

/// Returns for each kernel of double words "table/algorithm", the least and most bits of an odd
/// modulus, and whether the modulus must be k * 2^104 + 1.
nb::list kernel_moduli() {
  nb::list found;
  for (const kernels::KernelTable* table : kernels::kernel_table_list()) {
    for (const kernels::WideKernel& kernel : table->wide) {
      found.append(nb::make_tuple(std::string(table->name) + "/" + kernel.algorithm,
                                  kernel.min_modulus_bits, kernel.max_modulus_bits,
                                  kernel.special_modulus));
    }
  }
  return found;
}

void bind_eltwise_of_wide(nb::module_& module) {
  nb::class_<WideEltwise>(module, "WideEltwise", "Arithmetic on vectors of double words modulo q.")
      .def(nb::new_(&make_eltwise), "q"_a, "kernels"_a = nb::none())
      .def("add", binary("wide.Eltwise.add", &WideEltwise::add), "a"_a, "b"_a, "out"_a, "check"_a)
      .def("subtract", binary("wide.Eltwise.subtract", &WideEltwise::subtract), "a"_a, "b"_a,
           "out"_a, "check"_a)
      .def("multiply", binary("wide.Eltwise.multiply", &WideEltwise::multiply), "a"_a, "b"_a,
           "out"_a, "check"_a)
      .def("axpy", &axpy, "scalar"_a, "a"_a, "b"_a, "out"_a, "check"_a)
      .def("dot", &dot, "a"_a, "b"_a, "check"_a)
      .def("reduce", &reduce, "a"_a, "out"_a)
      .def_prop_ro("modulus", [](const WideEltwise& plan) { return to_integer(plan.modulus()); })
      .def_prop_ro("kernel_name", &WideEltwise::kernel_name);
}

void bind_ntt_of_wide(nb::module_& module) {
  nb::class_<BoundNtt>(module, "WideNtt", "Plan for transforms of double words modulo q.")
      .def(nb::new_(&make_ntt), "degree"_a, "q"_a, "ring"_a, "root"_a = nb::none(),
           "kernels"_a = nb::none())
      .def("forward", &transform<true>, "a"_a, "out"_a, "check"_a)
      .def("inverse", &transform<false>, "a"_a, "out"_a, "check"_a)
      .def("multiply", &multiply, "a"_a, "b"_a, "out"_a, "check"_a)
      .def_prop_ro("degree", [](const BoundNtt& ntt) { return ntt.plan.degree(); })
      .def_prop_ro("modulus", [](const BoundNtt& ntt) { return to_integer(ntt.plan.modulus()); })
      .def_prop_ro("ring",
                   [](const BoundNtt& ntt) { return std::string(name_of(ntt.plan.ring())); })
      .def_prop_ro("root_of_unity",
                   [](const BoundNtt& ntt) { return to_integer(ntt.plan.root_of_unity()); })
      .def_prop_ro("kernel_name", [](const BoundNtt& ntt) { return ntt.plan.kernel_name(); })
      .def_prop_ro("table_bytes", [](const BoundNtt& ntt) { return ntt.plan.table_bytes(); });
}

}  // namespace

void bind_wide(nb::module_& module) {
  bind_eltwise_of_wide(module);
  bind_ntt_of_wide(module);
  module.def("wide_ntt_primes", &ntt_primes, "bits"_a, "degree"_a, "count"_a,
             nb::sig("def wide_ntt_primes(bits: int, degree: int, count: int) -> list[int]"));
  module.def("wide_special_primes", &special_primes, "bits"_a, "count"_a,
             nb::sig("def wide_special_primes(bits: int, count: int) -> list[int]"));
  module.def("wide_kernel_moduli", &kernel_moduli,
             nb::sig("def wide_kernel_moduli() -> list[tuple[str, int, int, bool]]"));
  module.def("wide_longest_transform", &longest_transform, "q"_a, "ring"_a);
}

}  // namespace ringlet::python
