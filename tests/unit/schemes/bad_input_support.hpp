// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rlwe/checks.hpp"
#include "support/test.hpp"
#include "unit/schemes/exact_support.hpp"

// Every public entry of Evaluator, Encryptor and Decryptor as a table, with good operands of one
// scheme that tests spoil.

namespace ringlet::test {

/// Good operands, and where results go.
struct World {
  Ciphertext a;
  Ciphertext b;
  Plaintext plain;    ///< A message in coefficient form (BFV and BGV).
  Plaintext leveled;  ///< NTT form at the first level: a message of CKKS, or a transformed one.
  Ciphertext destination;
  Plaintext plain_destination;
  RelinKeys relin;
  GaloisKeys galois;
  ParmsId target;

  std::vector<Snapshot> snapshots() const {
    return {Snapshot(a),       Snapshot(b),           Snapshot(plain),
            Snapshot(leveled), Snapshot(destination), Snapshot(plain_destination)};
  }
};

class BadInputBench;

/// One public entry, and what it takes.
struct Entry {
  enum class Kind { normal, output_only, leaves_native_form };

  std::string operation;
  /// With the first operand for a destination, or not.
  std::function<void(World&, bool in_place)> call;
  Kind kind = Kind::normal;
  bool takes_a = false;
  bool takes_b = false;
  bool takes_plain = false;
  bool takes_leveled = false;
  bool native_plain_only = false;
  bool takes_any_form = false;
  bool is_sum = false;
  bool is_product = false;
  bool is_power = false;
  bool keeps_scale_below = false;
  bool keeps_transparency = false;
  bool needs_relin_key = false;
  bool needs_galois_key = false;
  bool chooses_level = false;
  bool goes_down = false;
  bool goes_to_next = false;
  bool is_decryption = false;

  std::vector<std::string> described(const BadInputBench& bench, const World& world) const;
};

/// One scheme with its keys, and another context of the same scheme.
class BadInputBench {
 public:
  struct Services {
    Services(SchemeType scheme, int last_bits)
        : context(make_context(scheme, last_bits)),
          keygen(context, RandomSource::for_testing(test_seed())),
          relin_keys(keygen.create_relin_keys()),
          galois_keys(keygen.create_galois_keys()),
          encryptor(context, keygen.create_public_key(), keygen.secret_key()),
          decryptor(context, keygen.secret_key()),
          evaluator(context) {
      auto rng = make_rng();
      if (scheme == SchemeType::ckks) {
        CKKSEncoder(context).encode(random_slots(32, rng), kScale, plaintext);
      } else {
        plaintext = plain_of(random_values(64, 257, rng));
      }
      ciphertext = encryptor.encrypt(plaintext);
    }

    Context context;
    KeyGenerator keygen;
    RelinKeys relin_keys;
    GaloisKeys galois_keys;
    Encryptor encryptor;
    Decryptor decryptor;
    Evaluator evaluator;
    Plaintext plaintext;
    Ciphertext ciphertext;
  };

  static constexpr double kScale = 0x1p20;

  static const BadInputBench& of(SchemeType scheme) {
    static const BadInputBench kBfv(SchemeType::bfv);
    static const BadInputBench kCkks(SchemeType::ckks);
    static const BadInputBench kBgv(SchemeType::bgv);
    return scheme == SchemeType::bfv ? kBfv : scheme == SchemeType::ckks ? kCkks : kBgv;
  }

  World world() const {
    World world;
    world.a = own.ciphertext;
    own.evaluator.negate(own.encryptor.encrypt(own.plaintext), world.b);
    if (is_ckks_) {
      world.leveled = own.plaintext;
    } else {
      world.plain = own.plaintext;
      own.evaluator.transform_to_ntt(own.plaintext, own.context.first_parms_id(), world.leveled);
    }
    world.destination = own.encryptor.encrypt_zero();
    world.plain_destination = own.decryptor.decrypt(own.ciphertext);
    world.relin = own.relin_keys;
    world.galois = own.galois_keys;
    world.target = own.context.last_parms_id();
    return world;
  }

  /// All that the scheme has.
  std::vector<Entry> entries() const {
    std::vector<Entry> all = common_entries();
    for (const auto& more : {plain_entries(), level_entries(), encryption_entries(),
                             is_ckks_ ? ckks_entries() : exact_entries()}) {
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }
  /// What it does not have.
  std::vector<Entry> foreign_entries() const { return is_ckks_ ? exact_entries() : ckks_entries(); }

  Services own;
  Services foreign;

 private:
  explicit BadInputBench(SchemeType scheme)
      : own(scheme, 40), foreign(scheme, 41), is_ckks_(scheme == SchemeType::ckks) {}

  static Context make_context(SchemeType scheme, int last_bits) {
    EncryptionParameters parms(scheme);
    parms.set_poly_modulus_degree(64);
    parms.set_coeff_modulus(CoeffModulus::create(64, {50, 40, last_bits, 60}));
    if (scheme != SchemeType::ckks) parms.set_plain_modulus(Modulus(257));
    return Context(parms, SecurityLevel::none);
  }
  static Ciphertext& out(World& w, bool in_place) { return in_place ? w.a : w.destination; }

  /// An operation on a list, which is left as it was if the call fails.
  template <typename Call>
  static void on_list(World& w, bool in_place, const Call& call) {
    std::vector<Ciphertext> list{w.a, w.b};
    try {
      call(list, in_place ? list.front() : w.destination);
    } catch (...) {
      w.a = list[0];
      w.b = list[1];
      throw;
    }
  }

  std::vector<Entry> common_entries() const;
  std::vector<Entry> plain_entries() const;
  std::vector<Entry> level_entries() const;
  std::vector<Entry> encryption_entries() const;
  std::vector<Entry> ckks_entries() const;
  std::vector<Entry> exact_entries() const;

  bool is_ckks_;
};

inline std::vector<std::string> Entry::described(const BadInputBench& bench,
                                                 const World& world) const {
  std::vector<std::string> operands;
  const Context& context = bench.own.context;
  if (takes_a) operands.push_back(rlwe::describe(context, world.a));
  if (takes_b) operands.push_back(rlwe::describe(context, world.b));
  if (takes_plain) operands.push_back(rlwe::describe(context, world.plain));
  if (takes_leveled) operands.push_back(rlwe::describe(context, world.leveled));
  return operands;
}

}  // namespace ringlet::test
