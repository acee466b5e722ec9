// SPDX-License-Identifier: Apache-2.0
#include "bindings/transforms/ntt_methods.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::python {
namespace {

using ArrayPair = std::pair<ArrayArgument, ArrayArgument>;

/// Two NumPy arrays, unchecked.
struct PairArgument {
  static constexpr char kStubType[] = "tuple[Array, Array]";
  nb::object object;

  /// @throws InvalidArgument if the object is no sequence of two.
  std::array<OptionalArray, 2> arrays(const char* operation) const {
    if (PySequence_Check(object.ptr()) == 0 || nb::len(object) != 2) {
      throw_invalid_argument({operation, "out = " + shown(object), "a pair of arrays, or None",
                              "pass (x, y) for the two results"});
    }
    return {ArrayArgument{object[0]}, ArrayArgument{object[1]}};
  }
};

template <bool kForward>
ArrayPair two_transforms(const Ntt& plan, const ArrayArgument& a, const ArrayArgument& b,
                         const std::optional<PairArgument>& out, const Integer& input_mod_factor,
                         const Integer& output_mod_factor) {
  const char* operation = kForward ? "Ntt.forward_two" : "Ntt.inverse_two";
  const int input = input_mod_factor.number(operation, "input_mod_factor");
  const int output = output_mod_factor.number(operation, "output_mod_factor");
  const HeldArray held_a(a, {operation, "a"}, HeldArray::Access::read);
  const HeldArray held_b(b, {operation, "b"}, HeldArray::Access::read);
  const std::array<Batch, 2> operands{held_a.batch(), held_b.batch()};
  check_length(operation, plan, operands[0]);
  check_shape(operation, operands[1], operands[0].shape);
  const auto outs = out ? out->arrays(operation) : std::array<OptionalArray, 2>{};
  const ResultArray first(outs[0], operation, operands[0].shape);
  const ResultArray second(outs[1], operation, operands[0].shape);
  std::array<Batch, 2> results{first.batch(), second.batch()};
  results[0].name = "out[0]";
  results[1].name = "out[1]";
  check_apart(operation, results[0], results[1]);
  for (std::size_t i = 0; i < 2; ++i) {
    check_overlap(operation, results[i], operands[i]);
    check_apart(operation, results[i], operands[1 - i]);
  }
  {
    const nb::gil_scoped_release unlocked;
    for (const Batch& operand : operands) check_rows(operation, plan, operand, input);
    for_rows(operands[0].shape.rows, [&](std::size_t i) {
      const std::array<Target, 2> to{results[0].row(i), results[1].row(i)};
      const std::array<Source, 2> from{operands[0].row(i), operands[1].row(i)};
      kForward ? plan.forward_two(to, from, input, output)
               : plan.inverse_two(to, from, input, output);
    });
  }
  return {first.array(), second.array()};
}

}  // namespace

void bind_two(nb::class_<Ntt>& ntt) {
  ntt.def("forward_two", &two_transforms<true>, "a"_a, "b"_a, "out"_a = nb::none(), nb::kw_only(),
          "input_mod_factor"_a = 1, "output_mod_factor"_a = 1,
          "Returns (forward(a), forward(b)). The two transforms run together and read the\n"
          "twiddles once if the kernel can do so.\n"
          "\n"
          "- a, b: arrays of one shape, as in `forward`.\n"
          "- out: a pair of arrays to write. out[0] may be `a`, and out[1] may be `b`; no other\n"
          "  overlap is allowed. The call returns the pair.\n"
          "\n"
          "Raises InvalidArgument if an argument does not fit; nothing is written then.")
      .def("inverse_two", &two_transforms<false>, "a"_a, "b"_a, "out"_a = nb::none(), nb::kw_only(),
           "input_mod_factor"_a = 1, "output_mod_factor"_a = 1,
           "Returns (inverse(a), inverse(b)). Arrays and `out` are as in `forward_two`, factors\n"
           "as in `inverse`.");
}

}  // namespace ringlet::python
