// SPDX-License-Identifier: Apache-2.0
// What every public entry of all three schemes refuses: the type of the exception, and a message
// with the operation, level and scale of all operands, limit and remedy. Nothing changes.

#include <cfloat>

#include "rlwe/checks.hpp"
#include "unit/schemes/operations.hpp"

namespace ringlet::test {
namespace {

using enum Operation::Trait;

SchemeBench make_bench(SchemeType scheme, int last_bits) {
  return SchemeBench(exact_context(scheme, {64, 257, {50, 40, last_bits}, {60}}));
}

/// The operations of the scheme's Evaluator, and other calls that take plaintexts or ciphertexts.
std::vector<Operation> entries_of(const SchemeBench& own) {
  const auto message = own.is_ckks ? &World::leveled : &World::plain;
  const std::uint32_t takes_message = own.is_ckks ? takes_leveled : takes_plain | native_plain_only;
  constexpr auto reads_ciphertext = output_only | takes_a | native_form_only | is_decryption;
  const auto plain_out = [](World& w, Ciphertext& d) -> Plaintext& {
    return &d == &w.a ? w.leveled : w.plain_destination;
  };
  const Encryptor& encryptor = own.encryptor;
  const Decryptor& decryptor = own.decryptor;
  std::vector<Operation> all = operations_of(own.context);
  const std::vector<Operation> more{
      {"Evaluator::mod_switch_to_next", takes_leveled | goes_to_next | keeps_scale_below,
       [=](auto& e, auto& w, auto& d) { e.mod_switch_to_next(w.leveled, plain_out(w, d)); }},
      {"Evaluator::mod_switch_to", takes_leveled | goes_down | chooses_level | keeps_scale_below,
       [=](auto& e, auto& w, auto& d) { e.mod_switch_to(w.leveled, w.target, plain_out(w, d)); }},
      {"Encryptor::encrypt", output_only | takes_message,
       [=, &encryptor](auto&, auto& w, auto& d) { encryptor.encrypt(w.*message, d); }},
      {"Encryptor::encrypt_symmetric", output_only | takes_message,
       [=, &encryptor](auto&, auto& w, auto& d) { encryptor.encrypt_symmetric(w.*message, d); }},
      {"Encryptor::encrypt_symmetric_seeded", output_only | takes_message,
       [=, &encryptor](auto&, auto& w, auto&) {
         (void)encryptor.encrypt_symmetric_seeded(w.*message);
       }},
      {"Encryptor::encrypt_zero", output_only | chooses_level,
       [&](auto&, auto& w, auto& d) { encryptor.encrypt_zero(w.target, d); }},
      {"Encryptor::encrypt_zero_symmetric", output_only | chooses_level,
       [&](auto&, auto& w, auto& d) { encryptor.encrypt_zero_symmetric(w.target, d); }},
      {"Decryptor::decrypt", reads_ciphertext,
       [&](auto&, auto& w, auto&) { decryptor.decrypt(w.a, w.plain_destination); }},
  };
  all.insert(all.end(), more.begin(), more.end());
  if (own.is_ckks) return all;
  all.push_back({"Decryptor::invariant_noise_budget", reads_ciphertext,
                 [&](auto&, auto& w, auto&) { (void)decryptor.invariant_noise_budget(w.a); }});
  all.push_back({"Decryptor::decrypt_checked", reads_ciphertext,
                 [&](auto&, auto& w, auto&) { (void)decryptor.decrypt_checked(w.a); }});
  all.push_back({"Evaluator::transform_to_ntt", takes_plain | native_plain_only | chooses_level,
                 [](auto& e, auto& w, auto& d) {
                   e.transform_to_ntt(w.plain, w.target,
                                      &d == &w.a ? w.plain : w.plain_destination);
                 }});
  return all;
}

class BadInput : public ::testing::TestWithParam<SchemeType> {
 protected:
  using Change = std::function<void(World&)>;
  using Parts = std::vector<std::string>;

  /// Applies `change` to a world of good operands, and expects that all entries with `traits`
  /// refuse it with all of `parts` in the message.
  template <typename Error = InvalidArgument>
  void expect_refused(std::uint32_t traits, const Change& change, const Parts& parts) {
    for_each_entry(traits, change, [&](const Operation& entry, World& world, Ciphertext& d) {
      expect_one<Error>(entry, world, d, parts);
    });
  }
  void expect_accepted(std::uint32_t traits, const Change& change) {
    for_each_entry(traits, change, [&](const Operation& entry, World& world, Ciphertext& d) {
      EXPECT_NO_THROW(entry.call(own_.evaluator, world, d));
    });
  }
  template <typename Call>
  void expect_service_refuses(const Call& call, const std::string& operation, const Parts& parts) {
    const Operation entry{operation, 0, [&](auto&, auto&, auto& d) { call(d); }};
    World world = own_.world();
    expect_one<LogicError>(entry, world, world.destination, parts);
  }
  void turn(Ciphertext& c) const {
    c.is_ntt_form() ? own_.evaluator.transform_from_ntt_inplace(c)
                    : own_.evaluator.transform_to_ntt_inplace(c);
  }
  Ciphertext with_zeros(std::size_t size) const {
    Ciphertext c(level_, size, own_.context.ciphertext_form());
    c.scale() = own_.ciphertext.scale();
    return c;
  }
  Ciphertext wide(std::size_t size) const {
    auto rng = make_rng(size);
    Ciphertext c = random_ciphertext(own_.context, level_, size, rng);
    c.scale() = own_.ciphertext.scale();
    return c;
  }

  bool is_ckks() const { return GetParam() == SchemeType::ckks; }

  const SchemeBench own_ = make_bench(GetParam(), 40);
  const SchemeBench foreign_ = make_bench(GetParam(), 41);
  const std::vector<Operation> entries_ = entries_of(own_);
  const ContextData& level_ = *own_.context.first_context_data();

 private:
  template <typename Check>
  void for_each_entry(std::uint32_t traits, const Change& change, const Check& check) {
    std::size_t count = 0;
    for (const Operation& entry : entries_) {
      if (!entry.has(traits)) continue;
      SCOPED_TRACE(entry.name);
      for (const bool in_place : {false, true}) {
        if (in_place && entry.has(output_only)) continue;
        World world = own_.world();
        change(world);
        check(entry, world, in_place ? world.a : world.destination);
      }
      ++count;
    }
    EXPECT_GT(count, 0u);
  }
  template <typename Error>
  void expect_one(const Operation& entry, World& world, Ciphertext& destination,
                  const Parts& parts) {
    const std::vector<Snapshot> before = world.snapshots();
    try {
      entry.call(own_.evaluator, world, destination);
      ADD_FAILURE() << "not refused";
    } catch (const ErrorInfo& info) {
      const auto* error = dynamic_cast<const Error*>(&info);
      ASSERT_NE(error, nullptr) << "another type of exception: " << info.offending();
      const std::string message = error->what();
      EXPECT_EQ(info.operation(), entry.name);
      EXPECT_FALSE(info.limit().empty());
      EXPECT_FALSE(info.remedy().empty());
      for (const std::string& operand : described(entry, world)) {
        EXPECT_NE(info.offending().find(operand), std::string::npos)
            << "no '" << operand << "' in: " << message;
      }
      for (const std::string& part : parts) {
        EXPECT_NE(message.find(part), std::string::npos) << "no '" << part << "' in: " << message;
      }
    }
    EXPECT_TRUE(world.snapshots() == before) << "an operand or the destination changed";
  }
  Parts described(const Operation& entry, const World& world) const {
    Parts operands;
    const auto add = [&](std::uint32_t trait, const auto& operand) {
      if (entry.has(trait)) operands.push_back(rlwe::describe(own_.context, operand));
    };
    add(takes_a, world.a);
    add(takes_b, world.b);
    add(takes_plain, world.plain);
    add(takes_leveled, world.leveled);
    return operands;
  }
};

TEST_P(BadInput, GoodOperandsAreAccepted) {
  std::set<std::string> names;
  for (const Operation& entry : entries_) names.insert(entry.name);
  EXPECT_GE(names.size(), 24u);
  expect_accepted(0, [](World&) {});
}

TEST_P(BadInput, CiphertextsThatDoNotBelong) {
  const auto refuse = [&](const auto& spoil, const Parts& parts) {
    expect_refused(takes_a, [&](World& w) { spoil(w.a); }, parts);
    expect_refused(takes_b, [&](World& w) { spoil(w.b); }, parts);
  };
  refuse([](Ciphertext& c) { c = Ciphertext(); }, {"empty ", "encode or encrypt"});
  refuse([&](Ciphertext& c) { c = foreign_.ciphertext; },
         {to_string(foreign_.context.first_parms_id()).substr(0, 16), "not a level of this context",
          to_string(own_.context.key_parms_id()).substr(0, 16),
          "use keys, plaintexts and ciphertexts of the same context"});
  refuse(
      [&](Ciphertext& c) {
        c = Ciphertext(*own_.context.key_context_data(), 2, own_.context.ciphertext_form());
      },
      {"key level", "pass an object at a data level"});
  std::vector<double> scales{0.0, -1.0, std::nan(""), HUGE_VAL, DBL_MIN / 4};
  if (!is_ckks()) scales.push_back(2.0);
  const std::string remedy = is_ckks() ? "set the scale" : "keep the scale at 1";
  for (const double scale : scales) {
    refuse([=](Ciphertext& c) { c.scale() = scale; }, {"has scale", remedy});
  }
  const std::uint64_t t = is_ckks() ? 1 : own_.context.plain_modulus().value();
  for (const std::uint64_t factor : Words{0, GetParam() == SchemeType::bgv ? t : 2, ~0ull}) {
    refuse([=](Ciphertext& c) { c.correction_factor() = factor; },
           {"correction factor " + std::to_string(factor), "keep the correction factor"});
  }
}

TEST_P(BadInput, KeysOfAnotherSecret) {
  const KeyId own = own_.ciphertext.key_id();
  const KeyGenerator other(own_.context);
  const KeyId others = other.secret_key().key_id();
  ASSERT_NE(own, kKeyIdUnknown);
  const Parts parts{"belongs to secret key " + rlwe::describe(own),
                    "both under the same secret key",
                    "use keys and ciphertexts that belong to the same secret key"};
  expect_refused(takes_b, [&](World& w) { w.b.key_id() = others; }, parts);
  expect_refused(is_decryption, [&](World& w) { w.a.key_id() = others; }, {"the same secret key"});
  expect_refused(needs_relin_key, [&](World& w) { w.relin = other.create_relin_keys(); }, parts);
  expect_refused(needs_galois_key, [&](World& w) { w.galois = other.create_galois_keys(); }, parts);
  for (const Operation& entry : operations_of(own_.context)) {
    for (const bool first_is_known : {true, false}) {
      World world = own_.world();
      (first_is_known ? world.b : world.a).key_id() = kKeyIdUnknown;
      entry.call(own_.evaluator, world, world.destination);
      const bool is_known = first_is_known || entry.has(takes_b);
      EXPECT_EQ(world.destination.key_id(), is_known ? own : kKeyIdUnknown) << entry.name;
    }
  }
}

TEST_P(BadInput, UsedUpBudgetsWhereTheyAreAskedFor) {
  Ciphertext spent = own_.ciphertext;
  const auto decrypt = [&] { (void)own_.decryptor.decrypt_checked(spent); };
  if (is_ckks()) return expect_refusal<LogicError>(decrypt, "Decryptor::decrypt_checked", {"ckks"});
  decrypt();
  for (int k = 0; k < 10; ++k) {
    own_.evaluator.square_inplace(spent);
    own_.evaluator.relinearize_inplace(spent, own_.world().relin);
  }
  expect_refusal(decrypt, "Decryptor::decrypt_checked", {"noise budget of 0 bits", "more primes"});
}

TEST_P(BadInput, FormsThatAreNotNative) {
  expect_refused(takes_a | native_form_only, [&](World& w) { turn(w.a); }, {" form", "transform"});
  // Operands of a sum may have either form, but must have the same form.
  expect_refused(takes_b, [&](World& w) { turn(w.b); }, {" form", "transform"});
  expect_refused(leaves_native_form, [&](World& w) { turn(w.a); }, {"skip this call"});
}

TEST_P(BadInput, LevelsThatDiffer) {
  const Evaluator& e = own_.evaluator;
  const Parts parts{"operands at different levels", "level 2, scale", "level 1, scale",
                    "mod_switch_to"};
  expect_refused(takes_b, [&](World& w) { e.mod_switch_to_next_inplace(w.b); }, parts);
  expect_refused(takes_a | takes_b, [&](World& w) { e.mod_switch_to_next_inplace(w.a); }, parts);
  const Parts some{"operands at different levels", "mod_switch_to"};
  expect_refused(
      takes_a | takes_leveled, [&](World& w) { e.mod_switch_to_next_inplace(w.leveled); }, some);
  expect_refused(
      takes_a | takes_leveled, [&](World& w) { e.mod_switch_to_next_inplace(w.a); }, some);
}

TEST_P(BadInput, ScalesThatDiffer) {
  if (!is_ckks()) return;  // BFV and BGV have only one scale, see above
  const Parts parts{"operands of different scales", "2^20", "rescale"};
  const double near = std::nextafter(std::nextafter(SchemeBench::kScale, 0x1p21), 0x1p21);
  expect_refused(is_sum | takes_b, [=](World& w) { w.b.scale() = near; }, parts);
  expect_refused(is_sum | takes_leveled, [=](World& w) { w.leveled.scale() = near; }, parts);
  expect_refused(is_sum | takes_leveled, [](World& w) { w.leveled.scale() *= 2; },
                 {"operands of different scales", "(2^20)", "(2^21)", "rescale"});
  expect_accepted(is_product, [=](World& w) { w.b.scale() = w.leveled.scale() = near; });
}

// Products and lower levels take scales below 2^bits of their modulus.
TEST_P(BadInput, ScalesPastTheModulus) {
  if (!is_ckks()) return;
  const auto scaled = [](double a, double others) {
    return [=](World& w) {
      w.a.scale() = a;
      w.b.scale() = w.leveled.scale() = others;
    };
  };
  const auto below = [](double limit) { return std::nextafter(limit, 0.0); };
  expect_refused(is_product, scaled(0x1p110, 0x1p20), {"below 2^130", "rescale"});
  expect_refused(is_power, scaled(0x1p65, 0x1p20), {"below 2^130", "rescale"});
  expect_accepted(is_product | takes_b, scaled(below(0x1p110), 0x1p20));
  expect_accepted(is_plain_product, scaled(below(0x1p110), 0x1p20));
  expect_accepted(is_power, scaled(below(0x1p65), 0x1p20));
  for (const auto& [way, limit, text] : {std::tuple(goes_to_next, 0x1p90, "below 2^90"),
                                         std::tuple(goes_down, 0x1p50, "below 2^50")}) {
    expect_refused(way | keeps_scale_below, scaled(limit, limit),
                   {text, "level 2, scale", "rescale it first"});
    expect_accepted(way | keeps_scale_below, scaled(below(limit), below(limit)));
  }
  // These scales underflow or overflow.
  for (const double scale : {DBL_MIN, DBL_MAX}) {
    expect_refused(is_product, scaled(scale, scale), {"scale"});
  }
  expect_refused(rescales, scaled(DBL_MIN, 0x1p20), {"scale"});
}

TEST_P(BadInput, SizesThatDoNotFit) {
  const auto of_nine = [&](World& w) { w.a = w.b = wide(9); };
  for (const std::uint32_t traits : {is_product | takes_b, is_product | is_power}) {
    expect_refused(traits, of_nine, {"size 17", "at most 16", "relinearize"});
  }
  expect_refused(needs_galois_key, [&](World& w) { w.a = wide(3); },
                 {"size 3", "relinearize it first"});
  expect_refused(relinearizes, [&](World& w) { w.a = wide(4); },
                 {"size 4", "s^3", "relinearize after each"});
}

TEST_P(BadInput, MissingAndForeignKeys) {
  for (const std::size_t size : {2, 3}) {
    const std::uint32_t traits = needs_relin_key | (size == 3 ? relinearizes : Operation::Trait{});
    const auto relin = [&](const RelinKeys& keys) {
      return [&](World& w) {
        w.a = wide(size);
        w.relin = keys;
      };
    };
    expect_refused(traits, relin(RelinKeys()),
                   {"empty relinearization keys", "make the key with a key generator"});
    expect_refused(traits, relin(foreign_.relin_keys),
                   {to_string(foreign_.context.key_parms_id()).substr(0, 16),
                    to_string(own_.context.key_parms_id()).substr(0, 16),
                    "make the key with a key generator"});
  }
  expect_refused(needs_galois_key, [](World& w) { w.galois = GaloisKeys(); },
                 {"empty Galois keys", "make the key with a key generator"});
  expect_refused(needs_galois_key, [&](World& w) { w.galois = foreign_.galois_keys; },
                 {to_string(foreign_.context.key_parms_id()).substr(0, 16), "make the key with"});
  // The keys are for another automorphism only.
  const GaloisKeys other = own_.keygen.create_galois_keys_for_elements({5});
  expect_refused(needs_galois_key, [&](World& w) { w.galois = other; },
                 {"no key for", "Galois keys"});
}

TEST_P(BadInput, PlaintextsThatAreNoMessages) {
  if (is_ckks()) {
    const auto refuse = [&](const Plaintext& bad, const Parts& parts) {
      expect_refused(takes_leveled, [&](World& w) { w.leveled = bad; }, parts);
    };
    refuse(Plaintext(64), {" is in coefficient form", "NTT form"});
    refuse(Plaintext(), {"empty "});
    Plaintext moved = own_.plaintext;
    const Plaintext target = std::move(moved);
    expect_refusal_of("Encryptor::encrypt", {"empty plaintext"},
                      [&] { own_.encryptor.encrypt(moved); });  // NOLINT: that is the point
    refuse(foreign_.plaintext, {"not a level of this context"});
    refuse(Plaintext(*own_.context.key_context_data()), {"key level"});
    for (const double scale : {0.0, -1.0, std::nan(""), HUGE_VAL, DBL_MIN / 4}) {
      Plaintext bad = own_.plaintext;
      bad.scale() = scale;
      refuse(bad, {" has scale"});
    }
    return;
  }
  expect_refused(takes_plain | native_plain_only, [&](World& w) { w.plain = w.leveled; },
                 {"NTT form", "coefficient form"});
  const std::uint64_t t = own_.context.plain_modulus().value();
  for (const std::uint64_t bad : Words{t, t + 1, ~0ull, 1ull << 63}) {
    expect_refused(
        takes_plain, [&](World& w) { w.plain.coefficients_for_writing()[3] = bad; },
        {"coefficient 3 is out of range", "t = " + std::to_string(t), "reduce the coefficients"});
  }
  expect_refused(takes_plain, [](World& w) { w.plain.resize(65); },
                 {"65 coefficients", "at most N = 64"});
  expect_refused(takes_plain, [](World& w) { w.plain.scale() = 2.0; }, {"scale 2", "scale 1"});
}

TEST_P(BadInput, ResiduesThatAreNotReduced) {
  const std::uint64_t q = level_.coeff_modulus()[1].value();
  for (const std::uint64_t bad : Words{q, q + 1, ~0ull}) {
    expect_refused(is_decryption, [&](World& w) { w.a.view_for_writing(1).limb(1)[7] = bad; },
                   {"residue " + std::to_string(bad) + " at place 7 of polynomial 1",
                    "below the prime " + std::to_string(q)});
  }
}

TEST_P(BadInput, EncryptorsWithoutTheKey) {
  const Encryptor only_public(own_.context, own_.keygen.create_public_key());
  const Encryptor only_secret(own_.context, own_.keygen.secret_key());
  const Plaintext& plain = own_.plaintext;
  using Call = std::function<void(Ciphertext&)>;
  for (const auto& [name, call] : std::vector<std::pair<std::string, Call>>{
           {"encrypt", [&](auto& d) { only_secret.encrypt(plain, d); }},
           {"encrypt", [&](auto&) { only_secret.encrypt(plain); }},
           {"encrypt_zero", [&](auto& d) { only_secret.encrypt_zero(d); }},
           {"encrypt_zero", [&](auto&) { only_secret.encrypt_zero(); }},
           {"encrypt_symmetric", [&](auto& d) { only_public.encrypt_symmetric(plain, d); }},
           {"encrypt_symmetric", [&](auto&) { only_public.encrypt_symmetric(plain); }},
           {"encrypt_zero_symmetric", [&](auto& d) { only_public.encrypt_zero_symmetric(d); }},
           {"encrypt_zero_symmetric", [&](auto&) { only_public.encrypt_zero_symmetric(); }}}) {
    const std::string key = name.ends_with("symmetric") ? "a secret key" : "a public key";
    expect_service_refuses(call, "Encryptor::" + name, {key, "set " + key});
  }
}

TEST_P(BadInput, ListsOfNoneAndOfMany) {
  const World world = own_.world();
  Ciphertext destination = own_.ciphertext;
  const auto refuse = [&](const std::vector<Ciphertext>& list, const std::string& part) {
    expect_refusal_of("Evaluator::add_many", {part},
                      [&] { own_.evaluator.add_many(list, destination); });
    EXPECT_TRUE(Snapshot(destination) == Snapshot(own_.ciphertext));
  };
  refuse({}, "no operands");
  std::vector<Ciphertext> list{world.a, world.b, world.a};
  turn(list[2]);
  refuse(list, "form");
  own_.evaluator.mod_switch_to_next(world.a, list[2]);
  refuse(list, "different levels");
  list[2] = world.a;
  list[2].scale() *= 2;
  refuse(list, "scale");
}

TEST_P(BadInput, LevelsThatAreNotThere) {
  for (const ParmsId& id : {kParmsIdZero, foreign_.context.first_parms_id()}) {
    expect_refused(chooses_level, [&](World& w) { w.target = id; },
                   {to_string(id).substr(0, 16), "not a level"});
  }
  expect_refused(chooses_level, [&](World& w) { w.target = own_.context.key_parms_id(); },
                 {"key level", "pass an object at a data level"});
  expect_refused(goes_down,
                 [&](World& w) {
                   own_.evaluator.mod_switch_to_next_inplace(w.a);
                   own_.evaluator.mod_switch_to_next_inplace(w.leveled);
                   w.target = own_.context.first_parms_id();
                 },
                 {"level 2", "level 1", "levels only go down"});
  expect_refused(goes_to_next,
                 [&](World& w) {
                   own_.evaluator.mod_switch_to_inplace(w.a, w.target);
                   own_.evaluator.mod_switch_to_inplace(w.leveled, w.target);
                 },
                 {"last level", "level 0", "fewer multiplications"});
}

TEST_P(BadInput, TransparentResults) {
  const Parts parts{"transparent", "encrypt it"};
  const auto transparent = [&] {
    Ciphertext c = with_zeros(2);
    c.view_for_writing(0).limb(0)[1] = 5;
    return c;
  };
  expect_refused<LogicError>(
      takes_a | keeps_transparency, [&](World& w) { w.a = w.b = transparent(); }, parts);
  expect_refused<LogicError>(takes_b | is_product, [&](World& w) { w.a = with_zeros(2); }, parts);
  for (const std::size_t size : {2, 3}) {
    expect_refused<LogicError>(is_difference, [&](World& w) { w.a = w.b = wide(size); }, parts);
  }
  const Ciphertext& a = own_.ciphertext;
  const Ciphertext b = own_.world().b;
  Ciphertext negative = result_of(own_.evaluator, &Evaluator::negate, a);
  expect_service_refuses([&](auto& d) { own_.evaluator.add(a, negative, d); }, "Evaluator::add",
                         parts);
  expect_service_refuses([&](auto& d) { own_.evaluator.add_many(std::vector{a, negative}, d); },
                         "Evaluator::add_many", parts);
  // An operand may be transparent, and a part of a sum may be 0.
  Ciphertext result = result_of(own_.evaluator, &Evaluator::add, with_zeros(2), a);
  EXPECT_EQ(Snapshot(result), Snapshot(a));
  own_.evaluator.add_many(std::vector{a, negative, b}, result);
  EXPECT_EQ(Snapshot(result), Snapshot(b));
  expect_refused<LogicError>(is_plain_product,
                             [&](World& w) {
                               const double scale = w.leveled.scale();
                               w.plain = Plaintext();
                               w.leveled = Plaintext(level_);
                               w.leveled.scale() = scale;
                             },
                             {"transparent"});
}

TEST_P(BadInput, OtherSchemesOperations) {
  std::vector<Operation> foreign =
      is_ckks() ? exact_operations<NativeApi>() : ckks_operations<NativeApi>();
  if (is_ckks()) {
    std::erase_if(foreign, [](const Operation& o) { return o.has(is_plain_product); });
    foreign.push_back({"Decryptor::invariant_noise_budget", 0, [&](auto&, auto& w, auto&) {
                         (void)own_.decryptor.invariant_noise_budget(w.a);
                       }});
  }
  for (const Operation& entry : foreign) {
    World world = own_.world();
    const auto before = world.snapshots();
    try {
      entry.call(own_.evaluator, world, world.destination);
      ADD_FAILURE() << entry.name << " did not refuse";
    } catch (const ErrorInfo& info) {
      EXPECT_EQ(info.operation(), entry.name);
      EXPECT_NE(info.offending().find(std::string("scheme ") + to_string(GetParam())),
                std::string::npos)
          << info.offending();
      EXPECT_NE(info.limit().find(is_ckks() ? "bgv" : "ckks"), std::string::npos) << info.limit();
      EXPECT_FALSE(info.remedy().empty());
    }
    EXPECT_TRUE(world.snapshots() == before);
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, BadInput, kEveryScheme, scheme_name);

}  // namespace
}  // namespace ringlet::test
