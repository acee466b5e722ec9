// SPDX-License-Identifier: Apache-2.0
#include "support/device_fixture.hpp"
#include "support/test.hpp"
#include "unit/schemes/ckks_support.hpp"
#include "unit/schemes/exact_support.hpp"

// Every operation of the Evaluator on a device gives the bits that it gives on the host.

namespace ringlet::test {
namespace {

class DeviceEvaluator : public test::DeviceTest {};

/// An operation under its name: what it makes of operands, with keys that it knows.
struct Step {
  std::string name;
  std::function<Ciphertext(const Evaluator&)> call;
};

// Operands may have been used on a device before: all orders of host and device must agree.
void expect_same_on_device(const Context& context, const Device& device,
                           const std::vector<Step>& steps) {
  const Evaluator on_host(context, Device::cpu());
  const Evaluator on_device(context, device);
  for (const Step& step : steps) {
    SCOPED_TRACE(step.name);
    const Ciphertext expected = step.call(on_host);
    const Ciphertext result = step.call(on_device);
    EXPECT_EQ(expected.device_memory(), nullptr);
    EXPECT_NE(result.device_memory(), nullptr) << "it was not computed on the device";
    expect_same(expected, result);
  }
}

/// What the residues of operands are.
enum class Residues : std::uint8_t { encrypted, extreme };

/// Every residue becomes 0 or the largest, in runs of neighbours and by turns from prime to prime:
/// -1 modulo all of them would be small.
void make_extreme(const Context& context, Ciphertext& a, std::size_t run) {
  const auto primes = context.get_context_data(a.parms_id())->coeff_modulus();
  for (std::size_t k = 0; k < a.size(); ++k) {
    const ResidueView poly = a.view_for_writing(k);
    for (std::size_t i = 0; i < poly.limb_count; ++i) {
      for (std::size_t n = 0; n < poly.degree; ++n) {
        poly.limb(i)[n] = (n / run + k + i) % 2 == 0 ? 0 : primes[i].value() - 1;
      }
    }
  }
}

/// Adds steps whose results are empty before.
struct StepAdder {
  std::vector<Step>& steps;

  template <typename Call>
  void operator()(const char* name, const Call& call) const {
    steps.push_back({name, [call](const Evaluator& e) {
                       Ciphertext result;
                       call(e, result);
                       return result;
                     }});
  }
};

/// What all schemes have. `a` and `b` are fresh, `plain` is a message for them.
std::vector<Step> common_steps(const Ciphertext& a, const Ciphertext& b, const Plaintext& plain,
                               const RelinKeys& keys, const ContextData& target) {
  std::vector<Step> steps;
  const StepAdder add{steps};
  add("negate", [&](const Evaluator& e, Ciphertext& r) { e.negate(a, r); });
  add("add", [&](const Evaluator& e, Ciphertext& r) { e.add(a, b, r); });
  add("sub", [&](const Evaluator& e, Ciphertext& r) { e.sub(a, b, r); });
  add("add in place", [&](const Evaluator& e, Ciphertext& r) {
    r = a;
    e.add_inplace(r, b);
    e.add_inplace(r, r);
  });
  add("add_many", [&](const Evaluator& e, Ciphertext& r) {
    const std::vector<Ciphertext> operands{a, b, a, b};
    e.add_many(operands, r);
  });
  add("add_plain", [&](const Evaluator& e, Ciphertext& r) { e.add_plain(a, plain, r); });
  add("sub_plain", [&](const Evaluator& e, Ciphertext& r) { e.sub_plain(a, plain, r); });
  add("multiply_plain", [&](const Evaluator& e, Ciphertext& r) { e.multiply_plain(a, plain, r); });
  add("multiply", [&](const Evaluator& e, Ciphertext& r) { e.multiply(a, b, r); });
  add("multiply in place", [&](const Evaluator& e, Ciphertext& r) {
    r = a;
    e.multiply_inplace(r, b);
  });
  add("sizes 3 and 2", [&](const Evaluator& e, Ciphertext& r) {
    Ciphertext square;
    e.square(a, square);
    Ciphertext shorter = b;
    shorter.scale() = square.scale();
    e.add(square, shorter, r);
    e.sub(shorter, r, r);
    e.sub(r, square, r);
  });
  add("square", [&](const Evaluator& e, Ciphertext& r) { e.square(a, r); });
  add("multiply, relinearize", [&](const Evaluator& e, Ciphertext& r) {
    e.multiply(a, b, r);
    e.relinearize_inplace(r, keys);
  });
  add("relinearize of size 2", [&](const Evaluator& e, Ciphertext& r) {
    e.negate(a, r);
    e.relinearize_inplace(r, keys);
  });
  add("mod_switch_to_next", [&](const Evaluator& e, Ciphertext& r) { e.mod_switch_to_next(a, r); });
  add("mod_switch_to",
      [&](const Evaluator& e, Ciphertext& r) { e.mod_switch_to(a, target.parms_id(), r); });
  add("mod_reduce_to",
      [&](const Evaluator& e, Ciphertext& r) { e.mod_reduce_to(a, target.parms_id(), r); });
  add("transform", [&](const Evaluator& e, Ciphertext& r) {
    if (a.is_ntt_form()) {
      e.transform_from_ntt(a, r);
      e.add(r, r, r);
      e.transform_to_ntt_inplace(r);
    } else {
      e.transform_to_ntt(a, r);
      e.add(r, r, r);
      e.transform_from_ntt_inplace(r);
    }
  });
  return steps;
}

struct CkksShape {
  std::size_t degree;
  std::vector<int> data;
  std::vector<int> special;
  std::size_t digit_size;
};

Context ckks_context(const CkksShape& shape) {
  std::vector<int> sizes = shape.data;
  sizes.insert(sizes.end(), shape.special.begin(), shape.special.end());
  const auto primes = CoeffModulus::create(shape.degree, sizes);
  const auto middle = primes.begin() + static_cast<std::ptrdiff_t>(shape.data.size());
  EncryptionParameters parms(SchemeType::ckks);
  parms.set_poly_modulus_degree(shape.degree);
  parms.set_coeff_modulus({primes.begin(), middle}, {middle, primes.end()});
  if (shape.digit_size != 0) parms.set_digit_size(shape.digit_size);
  return Context(parms, SecurityLevel::none);
}

void run_ckks(const CkksShape& shape, const Device& device,
              Residues residues = Residues::encrypted) {
  SCOPED_TRACE("N = " + std::to_string(shape.degree));
  const Ckks ckks(ckks_context(shape));
  auto rng = test::make_rng();
  const double scale = 0x1p28;
  const auto x = test::random_slots(shape.degree / 2, rng);
  const auto y = test::random_slots(shape.degree / 2, rng);
  Ciphertext a = ckks.encrypt(x, scale);
  Ciphertext b = ckks.encrypt(y, scale);
  if (residues == Residues::extreme) {
    make_extreme(ckks.context, a, shape.degree);
    make_extreme(ckks.context, b, 3);
  }
  const Plaintext plain = ckks.encode(y, scale);
  auto steps = common_steps(a, b, plain, ckks.relin_keys, *ckks.context.last_context_data());
  const StepAdder add{steps};
  add("rescale", [&](const Evaluator& e, Ciphertext& r) {
    e.multiply(a, b, r);
    e.relinearize_inplace(r, ckks.relin_keys);
    e.rescale_to_next_inplace(r);
  });
  add("relinearize and rescale", [&](const Evaluator& e, Ciphertext& r) {
    e.multiply(a, b, r);
    e.relinearize_and_rescale_to_next_inplace(r, ckks.relin_keys);
  });
  add("relinearize and rescale of size 2", [&](const Evaluator& e, Ciphertext& r) {
    e.relinearize_and_rescale_to_next(a, ckks.relin_keys, r);
  });
  add("relinearize and rescale twice", [&](const Evaluator& e, Ciphertext& r) {
    e.multiply(a, b, r);
    e.relinearize_and_rescale_to_next_inplace(r, ckks.relin_keys);
    r.scale() = a.scale();
    e.square_inplace(r);
    e.relinearize_and_rescale_to_next_inplace(r, ckks.relin_keys);
  });
  add("rotate_vector", [&](const Evaluator& e, Ciphertext& r) {
    e.rotate_vector(a, 3, ckks.galois_keys, r);
    e.rotate_vector_inplace(r, -4, ckks.galois_keys);
  });
  add("complex_conjugate",
      [&](const Evaluator& e, Ciphertext& r) { e.complex_conjugate(a, ckks.galois_keys, r); });
  add("a circuit", [&](const Evaluator& e, Ciphertext& r) {
    Ciphertext square;
    e.square(a, square);
    e.relinearize_inplace(square, ckks.relin_keys);
    e.rescale_to_next_inplace(square);
    Ciphertext lowered;
    e.mod_switch_to(b, square.parms_id(), lowered);
    e.multiply(square, lowered, r);
    e.relinearize_inplace(r, ckks.relin_keys);
    e.rotate_vector_inplace(r, 1, ckks.galois_keys);
  });
  expect_same_on_device(ckks.context, device, steps);

  const Evaluator on_host(ckks.context, Device::cpu());
  const Evaluator on_device(ckks.context, device);
  Plaintext expected;
  Plaintext result;
  on_host.mod_switch_to_next(plain, expected);
  on_device.mod_switch_to_next(plain, result);
  expect_same(expected, result);
}

TEST_F(DeviceEvaluator, CkksGivesTheBitsOfTheHost) {
  std::vector<CkksShape> shapes{
      {16, {30, 50, 40}, {60}, 0},
      {512, {50, 40, 57, 30}, {60}, 0},
      {512, {60, 57, 50, 30, 60, 40}, {61, 60}, 2},
  };
  if (test::test_scale() != 1) {
    shapes.push_back({1024, {50, 40, 57, 30}, {60}, 0});
    shapes.push_back({1024, {60, 57, 50, 30, 60, 40}, {61, 60}, 2});
    shapes.push_back({4096, {50, 50, 50}, {51}, 0});
  }
  for (const CkksShape& shape : shapes) run_ckks(shape, device);
}

void run_exact(SchemeType scheme, const ExactShape& shape, const Device& device,
               Residues residues = Residues::encrypted) {
  SCOPED_TRACE(test::describe(shape));
  const Exact exact(scheme, shape);
  auto rng = test::make_rng();
  const Plaintext plain = exact.random_plain(rng);
  Ciphertext a = exact.encrypt(exact.random_plain(rng));
  Ciphertext b = exact.encrypt(plain);
  if (residues == Residues::extreme) {
    make_extreme(exact.context, a, shape.degree);
    make_extreme(exact.context, b, 3);
  }
  auto steps = common_steps(a, b, plain, exact.relin_keys, *exact.context.last_context_data());
  const StepAdder add{steps};
  add("apply_galois",
      [&](const Evaluator& e, Ciphertext& r) { e.apply_galois(a, 3, exact.galois_keys, r); });
  add("levels of two operands", [&](const Evaluator& e, Ciphertext& r) {
    e.multiply(a, b, r);
    e.relinearize_inplace(r, exact.relin_keys);
    e.mod_switch_to_next_inplace(r);
    Ciphertext lowered;
    e.mod_switch_to(b, r.parms_id(), lowered);
    e.add_inplace(r, lowered);  // of two correction factors in BGV
    e.multiply_inplace(r, lowered);
  });
  if (exact.context.using_batching()) {
    add("rotations", [&](const Evaluator& e, Ciphertext& r) {
      e.rotate_rows(a, 3, exact.galois_keys, r);
      e.rotate_columns_inplace(r, exact.galois_keys);
    });
  }
  if (shape.data.size() > 3) {
    const std::vector<Ciphertext> operands{a, b, a};
    add("multiply_many", [&exact, operands](const Evaluator& e, Ciphertext& r) {
      e.multiply_many(operands, exact.relin_keys, r);
    });
    add("exponentiate",
        [&](const Evaluator& e, Ciphertext& r) { e.exponentiate(a, 3, exact.relin_keys, r); });
  }
  expect_same_on_device(exact.context, device, steps);

  const Evaluator on_host(exact.context, Device::cpu());
  const Evaluator on_device(exact.context, device);
  Plaintext expected;
  Plaintext result;
  on_host.transform_to_ntt(plain, exact.context.first_parms_id(), expected);
  on_device.transform_to_ntt(plain, exact.context.first_parms_id(), result);
  expect_same(expected, result);
}

std::vector<ExactShape> device_shapes() {
  std::vector<ExactShape> shapes{
      {16, 97, {30, 30, 40}, {60}, 0},
      {512, 12289, {40, 30, 57}, {60}, 0},
      {512, 1024, {54, 60, 49, 30}, {60, 61}, 2},
  };
  if (test::test_scale() != 1) {
    shapes.push_back({16, 97, {30, 30, 40}, {41}, 0});
    shapes.push_back({1024, 12289, {40, 50, 57}, {60}, 0});
    shapes.push_back({1024, 1024, {54, 60, 49, 30}, {60, 61}, 2});
    shapes.push_back({4096, 40961, {49, 49}, {50}, 0});
  }
  return shapes;
}

TEST_F(DeviceEvaluator, BfvGivesTheBitsOfTheHost) {
  for (const ExactShape& shape : device_shapes()) run_exact(SchemeType::bfv, shape, device);
}

TEST_F(DeviceEvaluator, BgvGivesTheBitsOfTheHost) {
  for (const ExactShape& shape : device_shapes()) run_exact(SchemeType::bgv, shape, device);
}

constexpr Residues kResidues[] = {Residues::encrypted, Residues::extreme};

class DeviceAllDegrees : public test::OfDegree<DeviceEvaluator> {
 protected:
  void run_exact_schemes(SchemeType scheme) const {
    constexpr std::uint64_t kPlainModulus = 786433;  // 1 modulo 2 * 131072
    for (const Residues residues : kResidues) {
      run_exact(scheme, {GetParam(), kPlainModulus, {50, 57, 23, 60}, {60}, 0}, device, residues);
    }
  }
};

TEST_P(DeviceAllDegrees, OfCkks) {
  for (const Residues residues : kResidues) {
    run_ckks({GetParam(), {50, 57, 30, 60}, {60}, 0}, device, residues);
    run_ckks({GetParam(), {60, 20, 50, 30}, {61, 60}, 2}, device, residues);
  }
}

TEST_P(DeviceAllDegrees, OfBfv) { run_exact_schemes(SchemeType::bfv); }

TEST_P(DeviceAllDegrees, OfBgv) { run_exact_schemes(SchemeType::bgv); }

INSTANTIATE_TEST_SUITE_P(, DeviceAllDegrees, ::testing::ValuesIn(test::degrees_of_practice()),
                         ::testing::PrintToStringParamName());

class DeviceUse : public DeviceEvaluator {
 protected:
  void SetUp() override {
    DeviceEvaluator::SetUp();
    if (IsSkipped()) return;
    auto rng = test::make_rng();
    slots = test::random_slots(32, rng);
  }

  const Ckks ckks{64, {50, 40, 40, 60}};
  test::Slots slots;
};

TEST_F(DeviceUse, TransparentResultsAreRefusedWhenTheHostReadsThem) {
  const Evaluator evaluator(ckks.context, device);
  const Ciphertext a = ckks.encrypt(slots, 0x1p30);
  Ciphertext difference;
  evaluator.sub(a, a, difference);
  Ciphertext negated;
  evaluator.negate(difference, negated);
  EXPECT_NE(negated.device_memory(), nullptr);
  for (int reads = 0; reads < 2; ++reads) {
    test::expect_refusal<LogicError>([&] { difference.view(0); }, "Evaluator::sub",
                                     {"transparent"});
  }
  test::expect_refusal<LogicError>([&] { ckks.decryptor.decrypt(negated); }, "Decryptor::decrypt",
                                   {"transparent"});
  EXPECT_TRUE(difference.is_transparent());
}

TEST_F(DeviceUse, ResultsStayOnTheDeviceUntilTheyAreRead) {
  const Evaluator evaluator(ckks.context, device);
  const Ciphertext a = ckks.encrypt(slots, 0x1p30);
  Ciphertext sum;
  evaluator.add(a, a, sum);
  const Ciphertext copy = sum;
  EXPECT_NE(copy.device_memory(), nullptr);
  sum.bring_to_host();
  EXPECT_NE(sum.device_memory(), nullptr);  // it has them too
  sum.view_for_writing(0).limb(0)[0] ^= 1;
  EXPECT_EQ(sum.device_memory(), nullptr);
  const test::Slots decrypted = ckks.decrypt(copy);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    EXPECT_LT(std::abs(decrypted[i] - 2.0 * slots[i]), 0x1p-10);
  }
}

// The same device with other options is another one.
TEST_F(DeviceUse, OperandsOfTwoDevicesAreRefused) {
  DeviceOptions options;
  options.use_memory_cache = false;
  const Evaluator first(ckks.context, device);
  const Evaluator second(ckks.context, open(options));
  const Ciphertext a = ckks.encrypt(slots, 0x1p30);
  Ciphertext on_first;
  first.add(a, a, on_first);
  Ciphertext result;
  test::expect_refusal<InvalidArgument>([&] { second.add(a, on_first, result); }, "Evaluator::add",
                                        {device.name()});
  EXPECT_EQ(result.size(), 0u);
  on_first.bring_to_host();
  second.add(a, on_first, result);
  Ciphertext expected;
  Evaluator(ckks.context, Device::cpu()).add(a, on_first, expected);
  expect_same(expected, result);
}

TEST_F(DeviceUse, TheEnvironmentChoosesTheDevice) {
  const char* const before = std::getenv("RINGLET_DEVICE");
  const std::string saved = before == nullptr ? "" : before;
  setenv("RINGLET_DEVICE", device.name().c_str(), 1);
  const Evaluator chosen(ckks.context);
  const Evaluator explicitly_on_host(ckks.context, Device::cpu());
  setenv("RINGLET_DEVICE", "gpu:1000", 1);
  EXPECT_THROW(Evaluator{ckks.context}, RuntimeError);
  setenv("RINGLET_DEVICE", saved.c_str(), 1);
  EXPECT_NE(chosen.context().backend().memory(), nullptr);
  EXPECT_EQ(explicitly_on_host.context().backend().memory(), nullptr);
}

// Of BFV the half that travels as a seed is transformed when it is read: on the host.
TEST_F(DeviceUse, FilesAreReadForContextsOfADevice) {
  for (const SchemeType scheme : {SchemeType::bfv, SchemeType::bgv}) {
    const Exact exact(scheme, {64, 257, {40, 40}, {40}});
    auto rng = test::make_rng();
    const SeededCiphertext seeded =
        exact.encryptor.encrypt_symmetric_seeded(exact.random_plain(rng));
    const Context on_device = exact.context.on(device);
    expect_same(seeded.ciphertext(), load<Ciphertext>(on_device, save(seeded)));
    expect_same(seeded.ciphertext(), load<Ciphertext>(on_device, save(seeded.ciphertext())));
  }
}

TEST_F(DeviceUse, AClosedDeviceIsALogicErrorAndOperandsOnTheHostAreWell) {
  DeviceOptions options;
  options.use_fused_multiply_add = false;
  const Device closing = open(options);
  const Evaluator evaluator(ckks.context, closing);
  const Ciphertext a = ckks.encrypt(slots, 0x1p30);
  Ciphertext result;
  evaluator.add(a, a, result);
  closing.close();
  Ciphertext other;
  EXPECT_THROW(evaluator.add(a, a, other), LogicError);
  EXPECT_THROW(result.view(0), LogicError);
  Ciphertext expected;
  Evaluator(ckks.context, Device::cpu()).add(a, a, expected);
  EXPECT_EQ(other.size(), 0u);
}

}  // namespace
}  // namespace ringlet::test
