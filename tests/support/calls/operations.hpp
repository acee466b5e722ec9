// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/rlwe/parameters.hpp"
#include "support/test.hpp"

// Every operation of an Evaluator whose result is a ciphertext, as a table, with good operands. An
// `Api` names the types of one interface: Ringlet's own, or SEAL's.

namespace ringlet::test {

/// Arguments of operations other than objects.
struct Choices {
  ParmsId target;
  std::size_t target_primes = 0;  ///< At the level `target`; for oracles.
  int steps = 1;
  std::uint32_t galois_element = 3;
  std::uint64_t exponent = 3;
};

/// Good operands, and the destinations of results. Tests spoil some of them.
template <typename Api>
struct WorldOf : Choices {
  using Ciphertext = typename Api::Ciphertext;
  using Plaintext = typename Api::Plaintext;

  Ciphertext a;
  Ciphertext b;
  Plaintext plain;    ///< A message in coefficient form (BFV and BGV).
  Plaintext leveled;  ///< NTT form at the level of a: a message of CKKS, or a transformed one.
  Ciphertext destination;
  Plaintext plain_destination;
  typename Api::RelinKeys relin;
  typename Api::GaloisKeys galois;

  auto snapshots() const {
    return std::vector{Api::snapshot(a),           Api::snapshot(b),
                       Api::snapshot(plain),       Api::snapshot(leveled),
                       Api::snapshot(destination), Api::snapshot(plain_destination)};
  }
};

struct OperationTraits {
  /// What an operation reads, needs and does.
  enum Trait : std::uint32_t {
    takes_a = 1 << 0,
    takes_b = 1 << 1,
    takes_plain = 1 << 2,
    takes_leveled = 1 << 3,
    native_plain_only = 1 << 4,
    native_form_only = 1 << 5,
    size_two_only = 1 << 6,
    needs_relin_key = 1 << 7,
    needs_galois_key = 1 << 8,
    is_sum = 1 << 9,
    is_difference = 1 << 10,
    is_product = 1 << 11,
    is_plain_product = 1 << 12,
    is_power = 1 << 13,
    relinearizes = 1 << 14,
    rescales = 1 << 15,
    chooses_level = 1 << 16,
    goes_down = 1 << 17,
    goes_to_next = 1 << 18,
    keeps_scale_below = 1 << 19,
    keeps_transparency = 1 << 20,
    leaves_native_form = 1 << 21,
    is_composed = 1 << 22,
    takes_list = 1 << 23,
    needs_batching = 1 << 24,
    is_decryption = 1 << 25,
    output_only = 1 << 26,
  };
};

template <typename Api>
struct OperationOf : OperationTraits {
  using Evaluator = typename Api::Evaluator;
  using World = WorldOf<Api>;
  using Call = std::function<void(const Evaluator&, World&, typename Api::Ciphertext& destination)>;
  using InPlace = std::function<void(const Evaluator&, World&)>;

  OperationOf(std::string its_name, std::uint32_t its_traits, Call its_call,
              InPlace its_in_place = nullptr)
      : name(std::move(its_name)),
        traits(its_traits),
        call(std::move(its_call)),
        in_place(std::move(its_in_place)) {}
  bool has(std::uint32_t all) const { return (traits & all) == all; }

  std::string name;
  std::uint32_t traits;
  Call call;
  InPlace in_place;  ///< Null if there is none.
};

/// Calls an operation on the list {a, b, a}; its destination may be a or b.
template <typename World, typename Ciphertext, typename Call>
void on_list(World& w, Ciphertext& d, const Call& call) {
  std::vector<Ciphertext> list{w.a, w.b, w.a};
  const auto take_back = [&] {
    w.a = list[0];
    w.b = list[1];
  };
  try {
    call(list, &d == &w.a ? list[0] : &d == &w.b ? list[1] : d);
  } catch (...) {
    take_back();
    throw;
  }
  take_back();
}

/// The operation `name` on w.a and the operands that the traits name, with its in-place twin.
#define RINGLET_OPERATION(name, traits, ...)                                      \
  {"Evaluator::" #name, traits,                                                   \
   [=](auto& e, auto& w, auto& d) { e.name(w.a, __VA_ARGS__ __VA_OPT__(, ) d); }, \
   [=](auto& e, auto& w) { e.name##_inplace(w.a __VA_OPT__(, ) __VA_ARGS__); }}

template <typename Api>
std::vector<OperationOf<Api>> ckks_operations() {
  using enum OperationTraits::Trait;
  constexpr auto kOfA = takes_a | native_form_only | keeps_transparency;
  std::vector<OperationOf<Api>> all{
      RINGLET_OPERATION(rescale_to_next, kOfA | goes_to_next | rescales),
      RINGLET_OPERATION(rescale_to, kOfA | goes_down | chooses_level | rescales, w.target),
      RINGLET_OPERATION(rotate_vector, kOfA | needs_galois_key | size_two_only, w.steps, w.galois),
      RINGLET_OPERATION(complex_conjugate, kOfA | needs_galois_key | size_two_only, w.galois),
  };
  if constexpr (requires(const typename Api::Evaluator& e, WorldOf<Api>& w) {
                  e.relinearize_and_rescale_to_next_inplace(w.a, w.relin);
                }) {
    all.push_back(RINGLET_OPERATION(relinearize_and_rescale_to_next,
                                    kOfA | goes_to_next | rescales | relinearizes | needs_relin_key,
                                    w.relin));
  }
  return all;
}

template <typename Api>
std::vector<OperationOf<Api>> exact_operations() {
  using enum OperationTraits::Trait;
  constexpr auto kOfA = takes_a | native_form_only | keeps_transparency | size_two_only;
  return {
      {"Evaluator::multiply_many",
       kOfA | takes_b | takes_list | needs_relin_key | is_product | is_composed,
       [](auto& e, auto& w, auto& d) {
         on_list(w, d, [&](auto& list, auto& to) { e.multiply_many(list, w.relin, to); });
       }},
      RINGLET_OPERATION(exponentiate, kOfA | needs_relin_key | is_product | is_power | is_composed,
                        w.exponent, w.relin),
      RINGLET_OPERATION(rotate_rows, kOfA | needs_galois_key | needs_batching, w.steps, w.galois),
      RINGLET_OPERATION(rotate_columns, kOfA | needs_galois_key | needs_batching, w.galois),
      RINGLET_OPERATION(multiply_plain,
                        takes_a | takes_plain | is_product | is_plain_product | keeps_transparency,
                        w.plain),
  };
}

template <typename Api>
OperationOf<Api> form_change(bool is_ntt_native) {
  using enum OperationTraits::Trait;
  constexpr auto kTraits = takes_a | keeps_transparency | leaves_native_form;
  if (is_ntt_native) return RINGLET_OPERATION(transform_from_ntt, kTraits);
  return RINGLET_OPERATION(transform_to_ntt, kTraits);
}

inline constexpr auto kAnyForm = OperationTraits::takes_a | OperationTraits::keeps_transparency;
inline constexpr auto kOfA = kAnyForm | OperationTraits::native_form_only;
inline constexpr auto kLower = kOfA | OperationTraits::keeps_scale_below;

/// All operations of a scheme.
template <typename Api>
std::vector<OperationOf<Api>> operations_of(SchemeType scheme) {
  using enum OperationTraits::Trait;
  using World = WorldOf<Api>;
  const bool is_ckks = scheme == SchemeType::ckks;
  const auto message = is_ckks ? &World::leveled : &World::plain;
  const std::uint32_t message_sum = takes_a | native_form_only | keeps_transparency | is_sum |
                                    (is_ckks ? takes_leveled : takes_plain | native_plain_only);
  std::vector<OperationOf<Api>> all{
      RINGLET_OPERATION(negate, kAnyForm),
      RINGLET_OPERATION(add, kOfA | takes_b | is_sum, w.b),
      RINGLET_OPERATION(sub, kOfA | takes_b | is_sum | is_difference, w.b),
      {"Evaluator::add_many", kOfA | takes_b | takes_list | is_sum,
       [](auto& e, auto& w, auto& d) {
         on_list(w, d, [&](auto& list, auto& to) { e.add_many(list, to); });
       }},
      RINGLET_OPERATION(multiply, kOfA | takes_b | is_product, w.b),
      RINGLET_OPERATION(square, kOfA | is_product | is_power),
      RINGLET_OPERATION(relinearize, takes_a | native_form_only | relinearizes | needs_relin_key,
                        w.relin),
      RINGLET_OPERATION(apply_galois, kOfA | needs_galois_key | size_two_only, w.galois_element,
                        w.galois),
      RINGLET_OPERATION(add_plain, message_sum, w.*message),
      RINGLET_OPERATION(sub_plain, message_sum, w.*message),
      RINGLET_OPERATION(multiply_plain, kAnyForm | takes_leveled | is_product | is_plain_product,
                        w.leveled),
      RINGLET_OPERATION(mod_switch_to_next, kLower | goes_to_next),
      RINGLET_OPERATION(mod_switch_to, kLower | goes_down | chooses_level, w.target),
      RINGLET_OPERATION(mod_reduce_to_next, kLower | goes_to_next),
      RINGLET_OPERATION(mod_reduce_to, kLower | goes_down | chooses_level, w.target),
  };
  all.push_back(form_change<Api>(scheme != SchemeType::bfv));
  for (auto& own : is_ckks ? ckks_operations<Api>() : exact_operations<Api>()) all.push_back(own);
  return all;
}

#undef RINGLET_OPERATION

}  // namespace ringlet::test
