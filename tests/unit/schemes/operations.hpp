// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/schemes/routines.hpp"
#include "unit/schemes/exact_support.hpp"

// Every operation of Evaluator whose result is a ciphertext, as a table, with good operands.

namespace ringlet::test {

/// Good operands, and where results go. Tests spoil some of them.
struct World {
  Ciphertext a;
  Ciphertext b;
  Plaintext plain;    ///< A message in coefficient form (BFV and BGV).
  Plaintext leveled;  ///< NTT form at the level of a: a message of CKKS, or a transformed one.
  Ciphertext destination;
  Plaintext plain_destination;
  RelinKeys relin;
  GaloisKeys galois;
  ParmsId target;
  int steps = 1;
  std::uint64_t galois_element = 3;
  std::uint64_t exponent = 3;

  std::vector<Snapshot> snapshots() const {
    return {Snapshot(a),       Snapshot(b),           Snapshot(plain),
            Snapshot(leveled), Snapshot(destination), Snapshot(plain_destination)};
  }
};

struct Operation {
  /// What it takes, needs and does.
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

  bool has(std::uint32_t all) const { return (traits & all) == all; }

  std::string name;
  std::uint32_t traits;
  std::function<void(const Evaluator&, World&, Ciphertext& destination)> call;
  std::function<void(const Evaluator&, World&)> in_place = nullptr;  ///< Where there is one.
};

/// Calls an operation on the list {a, b, a}, whose destination may be a or b.
template <typename Call>
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

inline std::vector<Operation> ckks_operations() {
  using enum Operation::Trait;
  constexpr auto kOfA = takes_a | native_form_only | keeps_transparency;
  return {
      {"Evaluator::rescale_to_next", kOfA | goes_to_next | rescales,
       [](auto& e, auto& w, auto& d) { e.rescale_to_next(w.a, d); },
       [](auto& e, auto& w) { e.rescale_to_next_inplace(w.a); }},
      {"Evaluator::relinearize_and_rescale_to_next",
       kOfA | goes_to_next | rescales | relinearizes | needs_relin_key,
       [](auto& e, auto& w, auto& d) { e.relinearize_and_rescale_to_next(w.a, w.relin, d); },
       [](auto& e, auto& w) { e.relinearize_and_rescale_to_next_inplace(w.a, w.relin); }},
      {"Evaluator::rescale_to", kOfA | goes_down | chooses_level | rescales,
       [](auto& e, auto& w, auto& d) { e.rescale_to(w.a, w.target, d); },
       [](auto& e, auto& w) { e.rescale_to_inplace(w.a, w.target); }},
      {"Evaluator::rotate_vector", kOfA | needs_galois_key | size_two_only,
       [](auto& e, auto& w, auto& d) { e.rotate_vector(w.a, w.steps, w.galois, d); },
       [](auto& e, auto& w) { e.rotate_vector_inplace(w.a, w.steps, w.galois); }},
      {"Evaluator::complex_conjugate", kOfA | needs_galois_key | size_two_only,
       [](auto& e, auto& w, auto& d) { e.complex_conjugate(w.a, w.galois, d); },
       [](auto& e, auto& w) { e.complex_conjugate_inplace(w.a, w.galois); }},
  };
}

inline std::vector<Operation> exact_operations() {
  using enum Operation::Trait;
  constexpr auto kOfA = takes_a | native_form_only | keeps_transparency | size_two_only;
  return {
      {"Evaluator::multiply_many",
       kOfA | takes_b | takes_list | needs_relin_key | is_product | is_composed,
       [](auto& e, auto& w, auto& d) {
         on_list(w, d, [&](auto& list, auto& to) { e.multiply_many(list, w.relin, to); });
       }},
      {"Evaluator::exponentiate", kOfA | needs_relin_key | is_product | is_power | is_composed,
       [](auto& e, auto& w, auto& d) { e.exponentiate(w.a, w.exponent, w.relin, d); },
       [](auto& e, auto& w) { e.exponentiate_inplace(w.a, w.exponent, w.relin); }},
      {"Evaluator::rotate_rows", kOfA | needs_galois_key | needs_batching,
       [](auto& e, auto& w, auto& d) { e.rotate_rows(w.a, w.steps, w.galois, d); },
       [](auto& e, auto& w) { e.rotate_rows_inplace(w.a, w.steps, w.galois); }},
      {"Evaluator::rotate_columns", kOfA | needs_galois_key | needs_batching,
       [](auto& e, auto& w, auto& d) { e.rotate_columns(w.a, w.galois, d); },
       [](auto& e, auto& w) { e.rotate_columns_inplace(w.a, w.galois); }},
      {"Evaluator::multiply_plain",
       takes_a | takes_plain | is_product | is_plain_product | keeps_transparency,
       [](auto& e, auto& w, auto& d) { e.multiply_plain(w.a, w.plain, d); },
       [](auto& e, auto& w) { e.multiply_plain_inplace(w.a, w.plain); }},
  };
}

inline Operation form_change(const Context& context) {
  using enum Operation::Trait;
  constexpr auto kTraits = takes_a | keeps_transparency | leaves_native_form;
  if (context.ciphertext_form() == Form::ntt) {
    return {"Evaluator::transform_from_ntt", kTraits,
            [](auto& e, auto& w, auto& d) { e.transform_from_ntt(w.a, d); },
            [](auto& e, auto& w) { e.transform_from_ntt_inplace(w.a); }};
  }
  return {"Evaluator::transform_to_ntt", kTraits,
          [](auto& e, auto& w, auto& d) { e.transform_to_ntt(w.a, d); },
          [](auto& e, auto& w) { e.transform_to_ntt_inplace(w.a); }};
}

/// All that the scheme has.
inline std::vector<Operation> operations_of(const Context& context) {
  using enum Operation::Trait;
  const bool is_ckks = context.scheme() == SchemeType::ckks;
  const auto message = is_ckks ? &World::leveled : &World::plain;
  const std::uint32_t message_sum = takes_a | native_form_only | keeps_transparency | is_sum |
                                    (is_ckks ? takes_leveled : takes_plain | native_plain_only);
  constexpr auto kAnyForm = takes_a | keeps_transparency;
  constexpr auto kOfA = kAnyForm | native_form_only;
  constexpr auto kLower = kOfA | keeps_scale_below;
  std::vector<Operation> all{
      {"Evaluator::negate", kAnyForm, [](auto& e, auto& w, auto& d) { e.negate(w.a, d); },
       [](auto& e, auto& w) { e.negate_inplace(w.a); }},
      {"Evaluator::add", kOfA | takes_b | is_sum,
       [](auto& e, auto& w, auto& d) { e.add(w.a, w.b, d); },
       [](auto& e, auto& w) { e.add_inplace(w.a, w.b); }},
      {"Evaluator::sub", kOfA | takes_b | is_sum | is_difference,
       [](auto& e, auto& w, auto& d) { e.sub(w.a, w.b, d); },
       [](auto& e, auto& w) { e.sub_inplace(w.a, w.b); }},
      {"Evaluator::add_many", kOfA | takes_b | takes_list | is_sum,
       [](auto& e, auto& w, auto& d) {
         on_list(w, d, [&](auto& list, auto& to) { e.add_many(list, to); });
       }},
      {"Evaluator::multiply", kOfA | takes_b | is_product,
       [](auto& e, auto& w, auto& d) { e.multiply(w.a, w.b, d); },
       [](auto& e, auto& w) { e.multiply_inplace(w.a, w.b); }},
      {"Evaluator::square", kOfA | is_product | is_power,
       [](auto& e, auto& w, auto& d) { e.square(w.a, d); },
       [](auto& e, auto& w) { e.square_inplace(w.a); }},
      {"Evaluator::relinearize", takes_a | native_form_only | relinearizes | needs_relin_key,
       [](auto& e, auto& w, auto& d) { e.relinearize(w.a, w.relin, d); },
       [](auto& e, auto& w) { e.relinearize_inplace(w.a, w.relin); }},
      {"Evaluator::apply_galois", kOfA | needs_galois_key | size_two_only,
       [](auto& e, auto& w, auto& d) { e.apply_galois(w.a, w.galois_element, w.galois, d); },
       [](auto& e, auto& w) { e.apply_galois_inplace(w.a, w.galois_element, w.galois); }},
      {"Evaluator::add_plain", message_sum,
       [=](auto& e, auto& w, auto& d) { e.add_plain(w.a, w.*message, d); },
       [=](auto& e, auto& w) { e.add_plain_inplace(w.a, w.*message); }},
      {"Evaluator::sub_plain", message_sum,
       [=](auto& e, auto& w, auto& d) { e.sub_plain(w.a, w.*message, d); },
       [=](auto& e, auto& w) { e.sub_plain_inplace(w.a, w.*message); }},
      {"Evaluator::multiply_plain", kAnyForm | takes_leveled | is_product | is_plain_product,
       [](auto& e, auto& w, auto& d) { e.multiply_plain(w.a, w.leveled, d); },
       [](auto& e, auto& w) { e.multiply_plain_inplace(w.a, w.leveled); }},
      {"Evaluator::mod_switch_to_next", kLower | goes_to_next,
       [](auto& e, auto& w, auto& d) { e.mod_switch_to_next(w.a, d); },
       [](auto& e, auto& w) { e.mod_switch_to_next_inplace(w.a); }},
      {"Evaluator::mod_switch_to", kLower | goes_down | chooses_level,
       [](auto& e, auto& w, auto& d) { e.mod_switch_to(w.a, w.target, d); },
       [](auto& e, auto& w) { e.mod_switch_to_inplace(w.a, w.target); }},
      {"Evaluator::mod_reduce_to_next", kLower | goes_to_next,
       [](auto& e, auto& w, auto& d) { e.mod_reduce_to_next(w.a, d); },
       [](auto& e, auto& w) { e.mod_reduce_to_next_inplace(w.a); }},
      {"Evaluator::mod_reduce_to", kLower | goes_down | chooses_level,
       [](auto& e, auto& w, auto& d) { e.mod_reduce_to(w.a, w.target, d); },
       [](auto& e, auto& w) { e.mod_reduce_to_inplace(w.a, w.target); }},
  };
  all.push_back(form_change(context));
  for (Operation& own : is_ckks ? ckks_operations() : exact_operations()) all.push_back(own);
  return all;
}

/// A scheme with all services, on the processor; a message and an encryption of it.
struct SchemeBench : Services {
  explicit SchemeBench(const Context& with)
      : Services(with, test_seed(), Device::cpu()), is_ckks(with.scheme() == SchemeType::ckks) {
    auto rng = make_rng();
    if (is_ckks) {
      CKKSEncoder(context).encode(random_slots(degree() / 2, rng), kScale, plaintext);
    } else {
      plaintext = plain_of(random_values(degree(), context.plain_modulus().value(), rng));
    }
    ciphertext = encryptor.encrypt(plaintext);
  }

  World world() const {
    World world;
    world.a = ciphertext;
    evaluator.negate(encryptor.encrypt(plaintext), world.b);
    if (is_ckks) {
      world.leveled = plaintext;
    } else {
      world.plain = plaintext;
      evaluator.transform_to_ntt(plaintext, context.first_parms_id(), world.leveled);
    }
    world.destination = encryptor.encrypt_zero();
    world.plain_destination = decryptor.decrypt(ciphertext);
    world.relin = relin_keys;
    world.galois = galois_keys;
    world.target = context.last_parms_id();
    return world;
  }

  /// check(operation, world) for every operation that fits, with a first operand of two polynomials
  /// and of three.
  template <typename Check>
  void for_each_operation(World world, const Check& check) const {
    const bool is_last = world.a.parms_id() == context.last_parms_id();
    for (const bool is_wide : {false, true}) {
      if (is_wide) {
        evaluator.multiply(Ciphertext(world.a), world.b, world.a);
        world.a.scale() = world.b.scale();
      }
      for (const Operation& operation : operations_of(context)) {
        if (is_wide && operation.has(Operation::size_two_only)) continue;
        if (is_last && operation.has(Operation::goes_to_next)) continue;
        if (operation.has(Operation::needs_batching) && !context.using_batching()) continue;
        SCOPED_TRACE(operation.name + (is_wide ? ", three polynomials" : ""));
        check(operation, world);
      }
    }
  }

  /// All kinds of operations one after the other.
  Ciphertext circuit(const Evaluator& e, const Ciphertext& a, const Ciphertext& b) const {
    Ciphertext x;
    Ciphertext turned;
    Ciphertext lowered;
    e.multiply(a, b, x);
    e.relinearize_inplace(x, relin_keys);
    is_ckks ? e.rescale_to_next_inplace(x) : e.mod_switch_to_next_inplace(x);
    e.apply_galois(x, 3, galois_keys, turned);
    e.apply_galois_inplace(turned, 2 * degree() - 1, galois_keys);
    e.add_inplace(x, turned);
    e.mod_switch_to(a, x.parms_id(), lowered);
    lowered.scale() = x.scale();
    e.sub_inplace(x, lowered);  // of two correction factors in BGV
    e.square_inplace(x);
    e.relinearize_inplace(x, relin_keys);
    return x;
  }

  static constexpr double kScale = 0x1p20;

  bool is_ckks;
  Plaintext plaintext;
  Ciphertext ciphertext;
};

/// What all routines make of batches of CKKS by an Evaluator or a DeviceGroup, one after the other.
template <typename Where>
std::vector<std::vector<Ciphertext>> results_of_routines(const Where& where, const Ckks& ckks,
                                                         const std::vector<Ciphertext>& a,
                                                         const std::vector<Ciphertext>& b,
                                                         const std::vector<Ciphertext>& c) {
  std::vector<std::vector<Ciphertext>> all(5, std::vector<Ciphertext>(a.size()));
  multiply_relinearize(where, a, b, ckks.relin_keys, all[0]);
  multiply_relinearize_rescale(where, a, b, ckks.relin_keys, all[1]);
  square_relinearize_rescale(where, a, ckks.relin_keys, all[2]);
  multiply_relinearize_rescale_add(where, a, b, c, ckks.relin_keys, all[3]);
  rotate(where, a, 5, ckks.galois_keys, all[4]);
  return all;
}

}  // namespace ringlet::test
