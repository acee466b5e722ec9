// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/schemes/routines.hpp"
#include "support/calls/operations.hpp"
#include "unit/schemes/exact_support.hpp"

// The table of operations for Ringlet's own interface.

namespace ringlet::test {

struct NativeApi {
  using Ciphertext = ringlet::Ciphertext;
  using Plaintext = ringlet::Plaintext;
  using RelinKeys = ringlet::RelinKeys;
  using GaloisKeys = ringlet::GaloisKeys;
  using Evaluator = ringlet::Evaluator;
  using CKKSEncoder = ringlet::CKKSEncoder;
  using BatchEncoder = ringlet::BatchEncoder;
  using Error = ErrorInfo;

  template <typename T>
  static Snapshot snapshot(const T& object) {
    return Snapshot(object);
  }
};
using World = WorldOf<NativeApi>;
using Operation = OperationOf<NativeApi>;

inline std::vector<Operation> operations_of(const Context& context) {
  return operations_of<NativeApi>(context.scheme());
}

/// A scheme with all services on the processor; a message and its encryption.
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

  /// Calls check(operation, world) for every operation that fits, with a first operand of two
  /// polynomials and of three.
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

  /// Runs all kinds of operations one after the other.
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
    e.sub_inplace(x, lowered);  // the factors differ in BGV
    e.square_inplace(x);
    e.relinearize_inplace(x, relin_keys);
    return x;
  }

  static constexpr double kScale = 0x1p20;

  bool is_ckks;
  Plaintext plaintext;
  Ciphertext ciphertext;
};

/// The results of all routines on batches of CKKS, by an Evaluator or a DeviceGroup.
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
