// SPDX-License-Identifier: Apache-2.0
// What every public entry of all three schemes refuses: the type of the exception, a message that
// names the operation, level and scale of all operands, the limit and the remedy, and that nothing
// changes.

#include "rlwe/checks.hpp"
#include "support/test.hpp"
#include "unit/schemes/bad_input_support.hpp"

namespace ringlet::test {
namespace {

class BadInput : public ::testing::TestWithParam<SchemeType> {
 protected:
  /// Applies `change` to a world of good operands, and expects that all entries that `selects`
  /// refuse it with all of `parts` in the message.
  template <typename Error = InvalidArgument>
  std::size_t expect_refused(const std::function<bool(const Entry&)>& selects,
                             const std::function<void(World&)>& change,
                             const std::vector<std::string>& parts) {
    std::size_t count = 0;
    for (const Entry& entry : bench_.entries()) {
      if (!selects(entry)) continue;
      SCOPED_TRACE(entry.operation);
      for (const bool in_place : {false, true}) {
        if (in_place && entry.kind == Entry::Kind::output_only) continue;
        World world = bench_.world();
        change(world);
        expect_one<Error>(entry, world, in_place, parts);
      }
      ++count;
    }
    EXPECT_GT(count, 0u);
    return count;
  }

  bool is_ckks() const { return GetParam() == SchemeType::ckks; }
  bool is_exact() const { return !is_ckks(); }

  const BadInputBench& bench_ = BadInputBench::of(GetParam());

 private:
  template <typename Error>
  void expect_one(const Entry& entry, World& world, bool in_place,
                  const std::vector<std::string>& parts) {
    const std::vector<Snapshot> before = world.snapshots();
    try {
      entry.call(world, in_place);
      ADD_FAILURE() << "not refused";
    } catch (const ErrorInfo& info) {
      const auto* error = dynamic_cast<const Error*>(&info);
      ASSERT_NE(error, nullptr) << "another type of exception: " << format(info);
      const std::string message = error->what();
      EXPECT_EQ(info.operation(), entry.operation);
      EXPECT_FALSE(info.limit().empty());
      EXPECT_FALSE(info.remedy().empty());
      for (const std::string& operand : entry.described(bench_, world)) {
        EXPECT_NE(info.offending().find(operand), std::string::npos)
            << "no '" << operand << "' in: " << message;
      }
      for (const std::string& part : parts) {
        EXPECT_NE(message.find(part), std::string::npos) << "no '" << part << "' in: " << message;
      }
    }
    EXPECT_TRUE(world.snapshots() == before) << "an operand or the destination changed";
  }
  static std::string format(const ErrorInfo& info) {
    return format_error({info.operation(), info.offending(), info.limit(), info.remedy()});
  }
};

bool takes_a(const Entry& entry) { return entry.takes_a; }
bool takes_b(const Entry& entry) { return entry.takes_b; }

TEST_P(BadInput, GoodOperandsAreAccepted) {
  std::set<std::string> names;
  for (const Entry& entry : bench_.entries()) {
    for (const bool in_place : {false, true}) {
      if (in_place && entry.kind == Entry::Kind::output_only) continue;
      World world = bench_.world();
      EXPECT_NO_THROW(entry.call(world, in_place)) << entry.operation;
    }
    names.insert(entry.operation);
  }
  EXPECT_GE(names.size(), 24u);
}

TEST_P(BadInput, EmptyCiphertexts) {
  expect_refused(takes_a, [](World& w) { w.a = Ciphertext(); }, {"empty", "encode or encrypt"});
  expect_refused(takes_b, [](World& w) { w.b = Ciphertext(); }, {"empty", "encode or encrypt"});
}

TEST_P(BadInput, CiphertextsOfAnotherContext) {
  const std::string id = to_string(bench_.foreign.context.first_parms_id());
  const std::vector<std::string> parts{id, "no level of this context",
                                       to_string(bench_.own.context.key_parms_id()),
                                       "use keys, plaintexts and ciphertexts of one context"};
  expect_refused(takes_a, [&](World& w) { w.a = bench_.foreign.ciphertext; }, parts);
  expect_refused(takes_b, [&](World& w) { w.b = bench_.foreign.ciphertext; }, parts);
}

TEST_P(BadInput, CiphertextsAtTheKeyLevel) {
  const auto at_key_level = [&] {
    Ciphertext c(*bench_.own.context.key_context_data(), 2, bench_.own.context.ciphertext_form());
    return c;
  };
  expect_refused(takes_a, [&](World& w) { w.a = at_key_level(); }, {"key level", "first_parms_id"});
  expect_refused(takes_b, [&](World& w) { w.b = at_key_level(); }, {"key level", "first_parms_id"});
}

TEST_P(BadInput, ScalesThatTheSchemeDoesNotHave) {
  std::vector<double> bad{0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity(), 1e-310};
  if (is_exact()) bad.push_back(2.0);
  for (const double scale : bad) {
    expect_refused(takes_a, [&](World& w) { w.a.scale() = scale; }, {"has scale", "scale()"});
    expect_refused(takes_b, [&](World& w) { w.b.scale() = scale; }, {"has scale", "scale()"});
  }
}

TEST_P(BadInput, CorrectionFactorsThatTheSchemeDoesNotHave) {
  const std::uint64_t t = is_ckks() ? 1 : bench_.own.context.plain_modulus().value();
  for (const std::uint64_t factor :
       {std::uint64_t{0}, GetParam() == SchemeType::bgv ? t : std::uint64_t{2},
        ~std::uint64_t{0}}) {
    const std::vector<std::string> parts{"correction factor " + std::to_string(factor),
                                         "correction_factor()"};
    expect_refused(takes_a, [&](World& w) { w.a.correction_factor() = factor; }, parts);
    expect_refused(takes_b, [&](World& w) { w.b.correction_factor() = factor; }, parts);
  }
}

TEST_P(BadInput, FormsThatAreNotNative) {
  const auto turn = [&](Ciphertext& c) {
    const Evaluator& e = bench_.own.evaluator;
    c.is_ntt_form() ? e.transform_from_ntt_inplace(c) : e.transform_to_ntt_inplace(c);
  };
  expect_refused([](const Entry& e) { return e.takes_a && !e.takes_any_form; },
                 [&](World& w) { turn(w.a); }, {" form", "transform"});
  // Sums take either form, but one form.
  expect_refused(takes_b, [&](World& w) { turn(w.b); }, {" form", "transform"});
}

TEST_P(BadInput, TransformsToTheFormThatIsThere) {
  const bool ntt = bench_.own.context.ciphertext_form() == Form::ntt;
  expect_refused([](const Entry& e) { return e.kind == Entry::Kind::leaves_native_form; },
                 [&](World& w) {
                   const Evaluator& e = bench_.own.evaluator;
                   ntt ? e.transform_from_ntt_inplace(w.a) : e.transform_to_ntt_inplace(w.a);
                 },
                 {"is_ntt_form()"});
}

TEST_P(BadInput, LevelsThatDiffer) {
  const auto lower = [&](World& w) { bench_.own.evaluator.mod_switch_to_next_inplace(w.b); };
  expect_refused(takes_b, lower,
                 {"operands at different levels", "chain index 2, scale", "chain index 1, scale",
                  "mod_switch_to"});
  expect_refused([](const Entry& e) { return e.takes_a && e.takes_leveled; },
                 [&](World& w) { bench_.own.evaluator.mod_switch_to_next_inplace(w.leveled); },
                 {"operands at different levels", "mod_switch_to"});
}

TEST_P(BadInput, ScalesThatDiffer) {
  if (is_exact()) return;  // they have no other scale, see above
  expect_refused([](const Entry& e) { return e.is_sum && e.takes_b; },
                 [](World& w) { w.b.scale() *= 1 + 1e-12; },
                 {"operands of different scales", "2^20", "rescale"});
  expect_refused([](const Entry& e) { return e.is_sum && e.takes_leveled; },
                 [](World& w) { w.leveled.scale() *= 2; },
                 {"operands of different scales", "(2^20)", "(2^21)", "rescale"});
}

TEST_P(BadInput, ScalesPastTheModulus) {
  if (is_exact()) return;
  const int bits = bench_.own.context.first_context_data()->total_coeff_modulus_bit_count();
  const std::string limit = "below 2^" + std::to_string(bits);
  const auto grow = [bits](World& w) {
    w.a.scale() = std::ldexp(1.0, bits - 20);
    w.b.scale() = std::ldexp(1.0, 20);
    w.leveled.scale() = std::ldexp(1.0, 20);
  };
  expect_refused([](const Entry& e) { return e.is_product; }, grow, {limit, "rescale"});
  // What fits a level may not fit the one below.
  expect_refused([](const Entry& e) { return e.keeps_scale_below; },
                 [bits](World& w) {
                   w.a.scale() = std::ldexp(1.0, bits - 1);
                   w.leveled.scale() = w.a.scale();
                 },
                 {"below 2^", "chain index 2, scale", "rescale it first"});
}

TEST_P(BadInput, SizesThatDoNotFit) {
  const auto wide = [&](std::size_t size) {
    auto rng = make_rng(size);
    Ciphertext c =
        random_ciphertext(bench_.own.context, *bench_.own.context.first_context_data(), size, rng);
    c.scale() = bench_.own.ciphertext.scale();
    return c;
  };
  expect_refused([](const Entry& e) { return e.is_product && (e.takes_b || e.is_power); },
                 [&](World& w) {
                   w.a = wide(9);
                   w.b = wide(9);
                 },
                 {"size 17", "at most 16", "relinearize"});
  expect_refused([](const Entry& e) { return e.needs_galois_key; },
                 [&](World& w) { w.a = wide(3); }, {"size 3", "relinearize it first"});
  expect_refused([](const Entry& e) { return e.operation.starts_with("Evaluator::relinearize"); },
                 [&](World& w) { w.a = wide(4); }, {"size 4", "s^3", "relinearize after each"});
}

TEST_P(BadInput, MissingAndForeignKeys) {
  expect_refused([](const Entry& e) { return e.needs_relin_key; },
                 [](World& w) { w.relin = RelinKeys(); },
                 {"relinearization keys is empty", "make the key with a KeyGenerator"});
  expect_refused(
      [](const Entry& e) { return e.needs_relin_key; },
      [&](World& w) { w.relin = bench_.foreign.relin_keys; },
      {to_string(bench_.foreign.context.key_parms_id()),
       to_string(bench_.own.context.key_parms_id()), "make the key with a KeyGenerator"});
  const auto needs_galois = [](const Entry& e) { return e.needs_galois_key; };
  expect_refused(needs_galois, [](World& w) { w.galois = GaloisKeys(); },
                 {"Galois keys is empty", "make the key with a KeyGenerator"});
  expect_refused(needs_galois, [&](World& w) { w.galois = bench_.foreign.galois_keys; },
                 {to_string(bench_.foreign.context.key_parms_id()), "make the key with"});
  // A key of another automorphism alone.
  const GaloisKeys other = bench_.own.keygen.create_galois_keys_for_elements({5});
  expect_refused(needs_galois, [&](World& w) { w.galois = other; }, {"no key for", "Galois keys"});
}

TEST_P(BadInput, PlaintextsOfTheWrongForm) {
  const auto message = [](const Entry& e) { return e.takes_plain && e.native_plain_only; };
  if (is_ckks()) {
    const auto change = [](World& w) { w.leveled = Plaintext(64); };
    expect_refused([](const Entry& e) { return e.takes_leveled; }, change,
                   {"coefficient form", "NTT form"});
    expect_refused([](const Entry& e) { return e.takes_leveled; },
                   [](World& w) { w.leveled = Plaintext(); }, {"empty"});
  } else {
    expect_refused(message, [&](World& w) { w.plain = w.leveled; },
                   {"NTT form", "coefficient form"});
  }
}

TEST_P(BadInput, PlaintextsThatAreNoMessages) {
  if (is_ckks()) {
    const auto takes = [](const Entry& e) { return e.takes_leveled; };
    expect_refused(takes, [&](World& w) { w.leveled = bench_.foreign.plaintext; },
                   {"no level of this context"});
    expect_refused(takes,
                   [&](World& w) { w.leveled = Plaintext(*bench_.own.context.key_context_data()); },
                   {"key level"});
    for (const double scale : {0.0, -1.0, std::nan("")}) {
      expect_refused(takes, [&](World& w) { w.leveled.scale() = scale; }, {"has scale"});
    }
    return;
  }
  const auto takes = [](const Entry& e) { return e.takes_plain; };
  const std::uint64_t t = bench_.own.context.plain_modulus().value();
  for (const std::uint64_t bad : {t, t + 1, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
    expect_refused(takes, [&](World& w) { w.plain.coefficients_for_writing()[3] = bad; },
                   {"coefficient 3 is " + std::to_string(bad), "t = " + std::to_string(t),
                    "reduce the coefficients"});
  }
  expect_refused(takes, [](World& w) { w.plain.resize(65); },
                 {"65 coefficients", "at most N = 64"});
  expect_refused(takes, [](World& w) { w.plain.scale() = 2.0; }, {"scale 2", "scale 1"});
}

TEST_P(BadInput, ResiduesThatAreNotReduced) {
  const std::uint64_t q = bench_.own.context.first_context_data()->coeff_modulus()[1].value();
  for (const std::uint64_t bad : {q, q + 1, ~std::uint64_t{0}}) {
    expect_refused([](const Entry& e) { return e.is_decryption; },
                   [&](World& w) { w.a.view_for_writing(1).limb(1)[7] = bad; },
                   {"residue " + std::to_string(bad) + " at place 7 of polynomial 1",
                    "below the prime " + std::to_string(q)});
  }
}

TEST_P(BadInput, EncryptorsWithoutTheKey) {
  const auto& own = bench_.own;
  const Encryptor only_public(own.context, own.keygen.create_public_key());
  const Encryptor only_secret(own.context, own.keygen.secret_key());
  Ciphertext destination = own.ciphertext;
  const Snapshot before(destination);
  const auto refused = [&](const auto& call, const std::string& operation, const char* key,
                           const char* remedy) {
    expect_refusal<LogicError>(call, operation, {key, remedy});
    EXPECT_TRUE(Snapshot(destination) == before);
  };
  refused([&] { only_public.encrypt_symmetric(own.plaintext, destination); },
          "Encryptor::encrypt_symmetric", "a secret key", "set_secret_key");
  refused([&] { only_public.encrypt_zero_symmetric(destination); },
          "Encryptor::encrypt_zero_symmetric", "a secret key", "set_secret_key");
  refused([&] { only_secret.encrypt(own.plaintext, destination); }, "Encryptor::encrypt",
          "a public key", "set_public_key");
  refused([&] { only_secret.encrypt_zero(destination); }, "Encryptor::encrypt_zero", "a public key",
          "set_public_key");
}

TEST_P(BadInput, LevelsThatAreNotThere) {
  const auto chooses = [](const Entry& e) { return e.chooses_level; };
  for (const ParmsId& id : {kParmsIdZero, bench_.foreign.context.first_parms_id()}) {
    expect_refused(chooses, [&](World& w) { w.target = id; }, {to_string(id), "no level"});
  }
  expect_refused(chooses, [&](World& w) { w.target = bench_.own.context.key_parms_id(); },
                 {"key level", "first_parms_id"});
  expect_refused([](const Entry& e) { return e.goes_down; },
                 [&](World& w) {
                   bench_.own.evaluator.mod_switch_to_next_inplace(w.a);
                   bench_.own.evaluator.mod_switch_to_next_inplace(w.leveled);
                   w.target = bench_.own.context.first_parms_id();
                 },
                 {"chain index 2", "chain index 1", "levels only go down"});
  expect_refused([](const Entry& e) { return e.goes_to_next; },
                 [&](World& w) {
                   const ParmsId last = bench_.own.context.last_parms_id();
                   bench_.own.evaluator.mod_switch_to_inplace(w.a, last);
                   bench_.own.evaluator.mod_switch_to_inplace(w.leveled, last);
                 },
                 {"last level", "chain index 0", "fewer multiplications"});
}

TEST_P(BadInput, TransparentResults) {
  const ContextData& level = *bench_.own.context.first_context_data();
  const auto transparent = [&] {
    Ciphertext c(level, 2, bench_.own.context.ciphertext_form());
    c.view_for_writing(0).limb(0)[1] = 5;
    c.scale() = bench_.own.ciphertext.scale();
    return c;
  };
  expect_refused<LogicError>([](const Entry& e) { return e.takes_a && e.keeps_transparency; },
                             [&](World& w) { w.a = transparent(), w.b = transparent(); },
                             {"transparent", "encrypt it"});
  expect_refused<LogicError>([](const Entry& e) { return e.operation == "Evaluator::sub"; },
                             [](World& w) { w.b = w.a; }, {"transparent", "encrypt it"});
  if (is_ckks()) {
    expect_refused<LogicError>(
        [](const Entry& e) { return e.operation == "Evaluator::multiply_plain"; },
        [&](World& w) {
          const double scale = w.leveled.scale();
          w.leveled = Plaintext(level);
          w.leveled.scale() = scale;
        },
        {"transparent"});
  } else {
    expect_refused<LogicError>(
        [](const Entry& e) { return e.operation == "Evaluator::multiply_plain" && e.takes_plain; },
        [](World& w) { w.plain = Plaintext(); }, {"transparent"});
  }
}

TEST_P(BadInput, OtherSchemesOperations) {
  std::size_t count = 0;
  for (const Entry& entry : bench_.foreign_entries()) {
    World world = bench_.world();
    const auto before = world.snapshots();
    try {
      entry.call(world, false);
      ADD_FAILURE() << entry.operation << " did not refuse";
    } catch (const ErrorInfo& info) {
      EXPECT_EQ(info.operation(), entry.operation);
      EXPECT_NE(info.offending().find(std::string("scheme ") + to_string(GetParam())),
                std::string::npos)
          << info.offending();
      EXPECT_NE(info.limit().find(is_ckks() ? "bgv" : "ckks"), std::string::npos) << info.limit();
      EXPECT_FALSE(info.remedy().empty());
    }
    EXPECT_TRUE(world.snapshots() == before);
    ++count;
  }
  EXPECT_GE(count, 4u);
}

INSTANTIATE_TEST_SUITE_P(Schemes, BadInput,
                         ::testing::Values(SchemeType::bfv, SchemeType::ckks, SchemeType::bgv),
                         [](const auto& test) { return std::string(to_string(test.param)); });

}  // namespace
}  // namespace ringlet::test
