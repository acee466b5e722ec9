// SPDX-License-Identifier: Apache-2.0
#include "ringlet/schemes/ciphertext_matrix.hpp"
#include "support/devices/device_fixture.hpp"
#include "support/scratch.hpp"
#include "unit/schemes/operations.hpp"

// Every operation of the Evaluator, every routine and every product of matrices gives the same bits
// on a device as on the host.

namespace ringlet::test {
namespace {

class DeviceEvaluator : public DeviceTest {};

/// The residues of operands: those of an encryption, or extreme ones.
enum class Residues : std::uint8_t { encrypted, extreme };

/// Makes every residue 0 or the largest, in runs of neighbours, alternating from prime to prime: -1
/// modulo all primes would be small.
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

// Operands may have been used on a device before: all orders of host and device must agree.
void run(SchemeType scheme, const ExactShape& shape, const Device& device,
         Residues residues = Residues::encrypted) {
  SCOPED_TRACE(std::string(to_string(scheme)) + ", " + describe(shape));
  const SchemeBench bench(exact_context(scheme, shape));
  const Evaluator on_host(bench.context, Device::cpu());
  const Evaluator on_device(bench.context, device);
  World world = bench.world();
  if (residues == Residues::extreme) {
    make_extreme(bench.context, world.a, shape.degree);
    make_extreme(bench.context, world.b, 3);
  }
  const auto expect_same_on_device = [&](const auto& call) {
    const Ciphertext expected = call(on_host);
    const Ciphertext result = call(on_device);
    EXPECT_NE(result.device_memory(), nullptr) << "it was not computed on the device";
    expect_same(expected, result);
  };
  bench.for_each_operation(world, [&](const Operation& operation, World& operands) {
    // Composed operations need more primes.
    if (operation.has(Operation::is_composed) && shape.data.size() <= 3) return;
    expect_same_on_device([&](const Evaluator& e) {
      Ciphertext result;
      operation.call(e, operands, result);
      return result;
    });
  });
  expect_same_on_device([&](const Evaluator& e) { return bench.circuit(e, world.a, world.b); });
  if (bench.is_ckks) {
    expect_same_on_device([&](const Evaluator& e) {
      Ciphertext x = world.a;
      for (int depth = 0; depth < 2; ++depth) {
        x.scale() = world.a.scale();
        e.square_inplace(x);
        e.relinearize_and_rescale_to_next_inplace(x, bench.relin_keys);
      }
      return x;
    });
  }
  const auto plains = [&](const Evaluator& e) {
    std::vector<Plaintext> results(2);
    e.mod_switch_to_next(world.leveled, results[0]);
    results[1] = world.leveled;
    if (!bench.is_ckks) {
      e.transform_to_ntt(world.plain, bench.context.first_parms_id(), results[1]);
    }
    return results;
  };
  const std::vector<Plaintext> expected = plains(on_host);
  const std::vector<Plaintext> results = plains(on_device);
  for (std::size_t i = 0; i < expected.size(); ++i) expect_same(expected[i], results[i]);
}

class DeviceSchemes : public DeviceEvaluator, public ::testing::WithParamInterface<SchemeType> {};

TEST_P(DeviceSchemes, GiveTheBitsOfTheHost) {
  std::vector<ExactShape> shapes{
      {16, 97, {30, 50, 40}, {60}},
      {512, 12289, {50, 40, 57, 30}, {60}},
      {512, 1024, {60, 57, 50, 30, 60, 40}, {61, 60}, 2},
  };
  if (test_scale() != 1) {
    shapes.push_back({16, 97, {30, 30, 40}, {41}});
    shapes.push_back({1024, 12289, {50, 40, 57, 30}, {60}});
    shapes.push_back({1024, 1024, {60, 57, 50, 30, 60, 40}, {61, 60}, 2});
    shapes.push_back({4096, 40961, {50, 50, 50}, {51}});
  }
  for (const ExactShape& shape : shapes) run(GetParam(), shape, device);
}

INSTANTIATE_TEST_SUITE_P(, DeviceSchemes, kEveryScheme, scheme_name);

class DeviceAllDegrees : public OfDegree<DeviceEvaluator> {
 protected:
  void run_all(SchemeType scheme) const {
    constexpr std::uint64_t kPlainModulus = 786433;  // 1 modulo 2 * 131072
    for (const Residues residues : {Residues::encrypted, Residues::extreme}) {
      run(scheme, {GetParam(), kPlainModulus, {50, 57, 23, 60}, {60}}, device, residues);
      if (scheme != SchemeType::ckks) continue;
      run(scheme, {GetParam(), kPlainModulus, {60, 20, 50, 30}, {61, 60}, 2}, device, residues);
    }
  }
};

TEST_P(DeviceAllDegrees, OfCkks) { run_all(SchemeType::ckks); }
TEST_P(DeviceAllDegrees, OfBfv) { run_all(SchemeType::bfv); }
TEST_P(DeviceAllDegrees, OfBgv) { run_all(SchemeType::bgv); }

INSTANTIATE_TEST_SUITE_P(, DeviceAllDegrees, ::testing::ValuesIn(degrees_of_practice()),
                         ::testing::PrintToStringParamName());

class DeviceRoutines : public DeviceTest {
 protected:
  static constexpr double kScale = 0x1p40;

  std::mt19937_64 rng_ = make_rng();
  Ckks ckks_{512, {60, 50, 30, 57, 60}};
  const Evaluator host_{ckks_.context, Device::cpu()};
};

TEST_F(DeviceRoutines, AreThoseOfTheHost) {
  const auto a = ckks_.encrypt_random(2, kScale, rng_);
  const auto b = ckks_.encrypt_random(2, kScale, rng_);
  const auto c = ckks_.encrypt_random(2, product_scale_after_rescale(host_, a[0], b[0]), rng_);
  const auto expected = results_of_routines(host_, ckks_, a, b, c);
  const auto results = results_of_routines(Evaluator(ckks_.context, device), ckks_, a, b, c);
  for (std::size_t k = 0; k < results.size(); ++k) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      SCOPED_TRACE(::testing::Message() << "routine " << k << ", element " << i);
      EXPECT_NE(results[k][i].device_memory(), nullptr) << "it was not computed on the device";
      expect_same(expected[k][i], results[k][i]);
    }
  }
}

TEST_F(DeviceRoutines, MatricesAreThoseOfTheHost) {
  const Evaluator on_device(ckks_.context, device);
  for (const std::size_t depth : {std::size_t{1}, std::size_t{3}}) {
    const CiphertextMatrix a({2, depth}, ckks_.encrypt_random(2 * depth, kScale, rng_));
    const CiphertextMatrix b({depth, 2}, ckks_.encrypt_random(2 * depth, kScale, rng_));
    const CiphertextMatrix c({2, 2}, ckks_.encrypt_random(4, kScale * kScale, rng_));
    for (const MatrixProduct form : {MatrixProduct::fused, MatrixProduct::separate}) {
      CiphertextMatrix expected = c;
      CiphertextMatrix sum = c;
      // The second time, sums start from three polynomials.
      for (int i = 0; i < 2; ++i) {
        multiply_accumulate(host_, expected, a, b);
        multiply_accumulate(on_device, sum, a, b, form);
      }
      CiphertextMatrix expected_product;
      CiphertextMatrix product;
      multiply(host_, a, b, expected_product);
      multiply(on_device, a, b, product, form);
      for (std::size_t i = 0; i < sum.entries().size(); ++i) {
        EXPECT_NE(sum.entries()[i].device_memory(), nullptr);
        expect_same(expected.entries()[i], sum.entries()[i]);
        expect_same(expected_product.entries()[i], product.entries()[i]);
      }
    }
  }
}

class DeviceUse : public DeviceEvaluator {
 protected:
  const Ckks ckks{64, {50, 40, 40, 60}};
  std::mt19937_64 rng = make_rng();
  const Slots slots = ckks.random_slots(rng);
  const Ciphertext a = ckks.encrypt(slots, 0x1p30);
};

TEST_F(DeviceUse, TransparentResultsAreRefusedWhenTheHostReadsThem) {
  const Evaluator evaluator(ckks.context, device);
  Ciphertext difference = result_of(evaluator, &Evaluator::sub, a, a);
  const Ciphertext negated = result_of(evaluator, &Evaluator::negate, difference);
  EXPECT_NE(negated.device_memory(), nullptr);
  for (int reads = 0; reads < 2; ++reads) {
    expect_refusal<LogicError>([&] { difference.view(0); }, "Evaluator::sub", {"transparent"});
  }
  expect_refusal<LogicError>([&] { ckks.decryptor.decrypt(negated); }, "Decryptor::decrypt",
                             {"transparent"});
  EXPECT_TRUE(difference.is_transparent());
  const Evaluator allowing(ckks.context.allowing_transparent_results(), device);
  EXPECT_TRUE(result_of(allowing, &Evaluator::sub, a, a).is_transparent());
}

TEST_F(DeviceUse, ResultsStayOnTheDeviceUntilTheyAreRead) {
  const Evaluator evaluator(ckks.context, device);
  Ciphertext sum = result_of(evaluator, &Evaluator::add, a, a);
  const Ciphertext copy = sum;
  EXPECT_NE(copy.device_memory(), nullptr);
  sum.bring_to_host();
  EXPECT_NE(sum.device_memory(), nullptr);  // the words are on both sides now
  sum.view_for_writing(0).limb(0)[0] ^= 1;
  EXPECT_EQ(sum.device_memory(), nullptr);
  Slots doubled = slots;
  for (auto& slot : doubled) slot *= 2;
  EXPECT_LT(largest_difference(ckks.decrypt(copy), doubled), 0x1p-10);
}

// The same device with other options counts as another device.
TEST_F(DeviceUse, OperandsOfTwoDevicesAreRefused) {
  const Evaluator first(ckks.context, device);
  const Evaluator second(ckks.context, open({.use_memory_cache = false}));
  Ciphertext on_first = result_of(first, &Evaluator::add, a, a);
  Ciphertext result;
  expect_refusal([&] { second.add(a, on_first, result); }, "Evaluator::add", {device.name()});
  EXPECT_EQ(result.size(), 0u);
  on_first.bring_to_host();
  second.add(a, on_first, result);
  Ciphertext expected;
  Evaluator(ckks.context, Device::cpu()).add(a, on_first, expected);
  expect_same(expected, result);
}

TEST_F(DeviceUse, TheEnvironmentChoosesTheDevice) {
  const Variable variable("RINGLET_DEVICE", device.name());
  const Evaluator chosen(ckks.context);
  const Evaluator explicitly_on_host(ckks.context, Device::cpu());
  variable.set("gpu:1000");
  EXPECT_THROW(Evaluator{ckks.context}, RuntimeError);
  EXPECT_NE(chosen.context().backend().memory(), nullptr);
  EXPECT_EQ(explicitly_on_host.context().backend().memory(), nullptr);
}

// In BFV, loading transforms the half that a file holds as a seed, on the host.
TEST_F(DeviceUse, FilesAreReadForContextsOfADevice) {
  for (const SchemeType scheme : {SchemeType::bfv, SchemeType::bgv}) {
    const Exact exact(scheme, {64, 257, {40, 40}, {40}});
    const SeededCiphertext seeded =
        exact.encryptor.encrypt_symmetric_seeded(exact.random_plain(rng));
    const Context on_device = exact.context.on(device);
    expect_same(seeded.ciphertext(), load<Ciphertext>(on_device, save(seeded)));
    expect_same(seeded.ciphertext(), load<Ciphertext>(on_device, save(seeded.ciphertext())));
  }
}

TEST_F(DeviceUse, AClosedDeviceIsALogicErrorAndOperandsOnTheHostAreWell) {
  const Device closing = open({.use_fused_multiply_add = false});
  const Evaluator evaluator(ckks.context, closing);
  const Ciphertext result = result_of(evaluator, &Evaluator::add, a, a);
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
