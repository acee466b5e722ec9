// SPDX-License-Identifier: Apache-2.0
#include "bindings/core/arguments.hpp"
#include "bindings/core/bindings.hpp"
#include "ring/cyclotomic/slots/slot_group.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/ring/cyclotomic.hpp"
#include "ringlet/rlwe/ring_search.hpp"

namespace ringlet::python {
namespace {

CyclotomicPolynomial polynomial_of(const Integer& index, const char* operation) {
  return CyclotomicPolynomial(index.word(operation, "index"));
}

RingProfile profile(const Integer& index, const Integer& prime) {
  const std::uint64_t m = index.word("profile_ring", "index");
  const std::uint64_t p = prime.word("profile_ring", "prime");
  const nb::gil_scoped_release unlocked;
  return profile_ring(m, p);
}

std::vector<RingProfile> search(const Integer& prime, const Integer& min_degree,
                                const Integer& max_degree, const Integer& min_slots,
                                const Integer& max_weight, const Integer& min_stride,
                                const Integer& min_modulus_bits) {
  const char* const operation = "search_rings";
  const RingSearch wanted{
      .prime = prime.word(operation, "prime"),
      .min_degree = min_degree.word(operation, "min_degree"),
      .max_degree = max_degree.word(operation, "max_degree"),
      .min_slots = min_slots.word(operation, "min_slots"),
      .max_weight = max_weight.word(operation, "max_weight"),
      .min_stride = min_stride.word(operation, "min_stride"),
      .min_modulus_bits = min_modulus_bits.number(operation, "min_modulus_bits")};
  const nb::gil_scoped_release unlocked;
  return search_rings(wanted);
}

std::optional<std::size_t> operations(const CyclotomicPolynomial& polynomial,
                                      ReductionMethod method) {
  try {
    return CyclotomicReduction(polynomial, method).operation_count();
  } catch (const InvalidArgument&) {
    return std::nullopt;
  }
}

nb::dict reduction_operations(const Integer& index) {
  const CyclotomicPolynomial polynomial = polynomial_of(index, "reduction_operations");
  std::optional<std::size_t> sparse, blocks, barrett;
  {
    const nb::gil_scoped_release unlocked;
    sparse = operations(polynomial, ReductionMethod::sparse_divisors);
    blocks = operations(polynomial, ReductionMethod::block_system);
    barrett = operations(polynomial, ReductionMethod::barrett);
  }
  nb::dict counts;
  counts["sparse_divisors"] = nb::cast(sparse);
  counts["block_system"] = nb::cast(blocks);
  counts["barrett"] = nb::cast(barrett);
  return counts;
}

std::uint64_t expansion(const Integer& index) {
  const CyclotomicPolynomial polynomial = polynomial_of(index, "expansion_factor");
  const nb::gil_scoped_release unlocked;
  return expansion_factor(polynomial);
}

std::uint64_t growth(const Integer& index) {
  const CyclotomicPolynomial polynomial = polynomial_of(index, "reduction_growth");
  const nb::gil_scoped_release unlocked;
  return reduction_growth(polynomial, 2 * polynomial.degree() - 1);
}

std::vector<std::size_t> dimensions(const Integer& index) {
  const std::uint64_t m = index.word("slot_dimensions", "index");
  const nb::gil_scoped_release unlocked;
  static_cast<void>(profile_ring(m, 2));  // refuses rings without slots
  return slots::make_slot_group(m).dimensions;
}

void bind_profile(nb::module_& module) {
  nb::class_<RingProfile>(
      module, "RingProfile",
      "Facts about the m-th cyclotomic ring, Z[X]/Phi_m, for batching modulo a prime.")
      .def_ro("index", &RingProfile::index, "The index m of the ring.")
      .def_ro("degree", &RingProfile::degree, "Degree of the ring: n = phi(m).")
      .def_ro("slot_count", &RingProfile::slot_count, "Number of slots: n / slot_degree.")
      .def_ro("slot_degree", &RingProfile::slot_degree,
              "Degree of a slot: the order of the prime modulo m.")
      .def_ro("stride", &RingProfile::stride, "Largest s for which Phi_m is a polynomial in X^s.")
      .def_ro("weight", &RingProfile::weight, "Number of coefficients of Phi_m that are not 0.")
      .def_ro("max_coefficient", &RingProfile::max_coefficient,
              "Largest absolute value of a coefficient of Phi_m.")
      .def("__repr__", [](const RingProfile& ring) {
        return "RingProfile(index=" + std::to_string(ring.index) +
               ", degree=" + std::to_string(ring.degree) +
               ", slot_count=" + std::to_string(ring.slot_count) + ")";
      });
}

}  // namespace

void bind_rings(nb::module_& module) {
  bind_profile(module);
  module.def("profile_ring", &profile, "index"_a, "prime"_a = 2,
             "Returns slots, stride and weight of the ring Z[X]/Phi_index for batching modulo\n"
             "`prime`.\n"
             "\n"
             "- index: m, 3 to 262144; the prime must not divide it. Raises InvalidArgument\n"
             "  otherwise.");
  module.def("search_rings", &search, nb::kw_only(), "prime"_a = 2, "min_degree"_a = 0,
             "max_degree"_a = 16384, "min_slots"_a = 0, "max_weight"_a = 0, "min_stride"_a = 0,
             "min_modulus_bits"_a = 0,
             "Returns all cyclotomic rings with these properties, sorted by degree, weight and\n"
             "index.\n"
             "\n"
             "- prime: slots hold values modulo this prime.\n"
             "- min_degree, max_degree: range of the degree n.\n"
             "- min_slots: least number of slots.\n"
             "- max_weight: largest number of coefficients of Phi_m that are not 0.\n"
             "- min_stride: Phi_m is a polynomial in X^s with s of at least this value.\n"
             "- min_modulus_bits: the ring has 128 bits of security with a modulus of this size\n"
             "  (see max_modulus_bits).\n"
             "\n"
             "The value 0 of an argument means no limit.");
  module.def("expansion_factor", &expansion, "index"_a,
             "Returns the smallest known d with max|a*b| <= d * max|a| * max|b| modulo Phi_index.\n"
             "Raises InvalidArgument unless 1 <= index <= 262144.");
  module.def("reduction_growth", &growth, "index"_a,
             "Returns how much the coefficients of a product can grow when it is reduced modulo\n"
             "Phi_index.\n"
             "\n"
             "The number is the largest sum of absolute values in a row of the matrix of this\n"
             "reduction.");
  module.def("reduction_operations", &reduction_operations, "index"_a,
             nb::sig("def reduction_operations(index: int) -> dict[str, int | None]"),
             "Returns, for each method, the number of additions and subtractions that reduce one\n"
             "product modulo Phi_index. None stands for a method that does not work in this ring.");
  module.def("slot_dimensions", &dimensions, "index"_a,
             "Returns the sizes of the dimensions in which the slots of bits are arranged. The\n"
             "index is odd.");
}

}  // namespace ringlet::python
