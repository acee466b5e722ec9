// SPDX-License-Identifier: Apache-2.0
// A program of SEAL's interface on a device, which RINGLET_DEVICE alone names: the bits of the
// host, and no copy between host and device but those of inputs and of results that are read.

#include "ringlet/gpu/device.hpp"

#include "support/devices/test_device.hpp"
#include "support/scratch.hpp"
#include "support/threads.hpp"
#include "unit/seal/service_setup.hpp"

namespace ringlet::test {
namespace {

using Words = std::vector<std::uint64_t>;
using Row = std::vector<Ciphertext>;

Words words_of(const Ciphertext& in) { return {in.dyn_array().begin(), in.dyn_array().end()}; }

/// Services with a second Evaluator, on a device. The name of the suite tells the runner so.
class SealDevice : public testing::TestWithParam<scheme_type> {
 protected:
  void SetUp() override {
    std::string reason;
    if (find_test_device(reason) == nullptr) GTEST_SKIP() << reason;
    const std::string name = test_device_name().empty() ? "opencl:0" : test_device_name();
    const Variable variable("RINGLET_DEVICE", name);
    device_ = Device::parse(name);
    on_device_ = std::make_unique<seal::Evaluator>(s_.context);
  }

  Ciphertext fresh() {
    Slots slots(s_.slot_count());
    for (auto& value : slots) value = static_cast<std::int64_t>(rng_() % 9) - 4;
    return s_.encrypt(slots);
  }
  Row fresh(std::size_t count) {
    Row result;
    while (result.size() < count) result.push_back(fresh());
    return result;
  }
  std::uint64_t uploaded() const { return device_.memory_statistics().uploaded; }
  std::uint64_t downloaded() const { return device_.memory_statistics().downloaded; }
  /// Returns the bytes of a ciphertext that is copied to a device that has its tables.
  std::uint64_t upload_bytes() {
    Ciphertext result;
    const std::uint64_t before = uploaded();
    on_device_->negate(fresh(), result);
    return uploaded() - before;
  }

  std::mt19937_64 rng_ = make_rng();
  Services s_{GetParam()};
  Device device_;
  std::unique_ptr<seal::Evaluator> on_device_;
};

struct Sizes {
  std::size_t rows, inner, columns;
};

/// The product of two matrices of ciphertexts, as programs of SEAL write it.
Row matrix_product(const seal::Evaluator& evaluator, const Row& a, const Row& b, Sizes sizes,
                   const Services& s) {
  Row result;
  for (std::size_t i = 0; i < sizes.rows; ++i) {
    for (std::size_t j = 0; j < sizes.columns; ++j) {
      Ciphertext sum;
      evaluator.multiply(a[sizes.inner * i], b[j], sum);
      for (std::size_t k = 1; k < sizes.inner; ++k) {
        Ciphertext product;
        evaluator.multiply(a[sizes.inner * i + k], b[sizes.columns * k + j], product);
        evaluator.add_inplace(sum, product);
      }
      evaluator.relinearize_inplace(sum, s.relin_keys);
      if (s.is_ckks()) evaluator.rescale_to_next_inplace(sum);
      result.push_back(std::move(sum));
    }
  }
  return result;
}

TEST_P(SealDevice, AMatrixProductCopiesInputsOnceAndResultsOnce) {
  // The sizes of Zhai et al., "Accelerating Encrypted Computing on Intel GPUs", for CKKS.
  const Sizes sizes = s_.is_ckks() ? Sizes{10, 9, 8} : Sizes{2, 3, 2};
  const Row a = fresh(sizes.rows * sizes.inner), b = fresh(sizes.inner * sizes.columns);
  matrix_product(*on_device_, fresh(1), fresh(1), {1, 1, 1}, s_);  // copies keys and tables
  const std::uint64_t bytes = upload_bytes();
  const std::uint64_t up = uploaded(), down = downloaded();
  const Row result = matrix_product(*on_device_, a, b, sizes, s_);
  EXPECT_EQ(uploaded() - up, (a.size() + b.size()) * bytes);
  EXPECT_EQ(downloaded(), down);
  const Row expected = matrix_product(s_.evaluator, a, b, sizes, s_);
  EXPECT_EQ(downloaded(), down);
  words_of(result[0]);
  const std::uint64_t one = downloaded() - down;
  EXPECT_GT(one, 0U);
  for (int time = 0; time < 2; ++time) {
    for (std::size_t i = 0; i < result.size(); ++i) {
      EXPECT_EQ(words_of(result[i]), words_of(expected[i])) << i;
      EXPECT_EQ(result[i].parms_id(), expected[i].parms_id());
      EXPECT_EQ(result[i].scale(), expected[i].scale());
    }
  }
  EXPECT_EQ(downloaded() - down, result.size() * one);
}

// Copies share the words of the device; callers set the scale; later operations change neither.
TEST_P(SealDevice, CopiesAndChangedScalesStayOnTheDevice) {
  const Ciphertext x = fresh();
  Ciphertext square, expected;
  on_device_->square(x, square);
  s_.evaluator.square(x, expected);
  const std::uint64_t up = uploaded(), down = downloaded();
  Ciphertext copy = square;
  const Ciphertext third(copy);
  Row moved;
  moved.push_back(std::move(copy));
  EXPECT_EQ(copy.size(), 0U);  // NOLINT(bugprone-use-after-move): as SEAL's
  if (s_.is_ckks()) moved[0].scale() = expected.scale() = 0x1p81;
  on_device_->add_inplace(moved[0], moved[0]);
  s_.evaluator.add_inplace(expected, expected);
  EXPECT_EQ(moved[0].size_capacity(), 3U);
  EXPECT_EQ(uploaded(), up);
  EXPECT_EQ(downloaded(), down);
  EXPECT_EQ(moved[0].scale(), expected.scale());
  EXPECT_EQ(words_of(moved[0]), words_of(expected));
  s_.evaluator.square(x, expected);
  EXPECT_EQ(words_of(square), words_of(expected));
  EXPECT_EQ(words_of(third), words_of(expected));
  EXPECT_EQ(third.scale(), expected.scale());
}

// A pointer that data() gave sees every later result, and what is written through it counts.
TEST_P(SealDevice, PointersOfCallersStayValid) {
  Ciphertext x = fresh(), y = x;
  std::uint64_t* const words = x.data();
  on_device_->negate_inplace(x);
  s_.evaluator.negate_inplace(y);
  EXPECT_EQ(x.data(), words);
  EXPECT_EQ(words[3], y.data()[3]);
  words[3] = y.data()[3] = 1;
  on_device_->add_inplace(x, x);
  s_.evaluator.add_inplace(y, y);
  EXPECT_EQ(x.data(), words);
  EXPECT_EQ(words_of(x), words_of(y));
  Ciphertext result;
  on_device_->negate(y, result);
  x = result;  // by value: the buffer stays where it is
  EXPECT_EQ(x.data(), words);
  EXPECT_EQ(words_of(x), words_of(result));
}

// Everything else reads a result of the device as any other ciphertext.
TEST_P(SealDevice, ResultsAreReadByEveryService) {
  const Ciphertext x = fresh();
  Ciphertext result, expected;
  const auto compute = [&] {
    result = Ciphertext();  // no pointer into its array is known
    on_device_->add(x, x, result);
    s_.evaluator.add(x, x, expected);
  };
  const auto as_expected = [&](const Ciphertext& it) { return words_of(it) == words_of(expected); };
  compute();
  EXPECT_EQ(s_.decrypt(result), s_.decrypt(expected));
  compute();
  EXPECT_TRUE(seal::is_valid_for(result, s_.context));
  std::stringstream file;
  compute();
  result.save(file);
  Ciphertext loaded;
  loaded.load(s_.context, file);
  EXPECT_TRUE(as_expected(loaded));
  compute();
  result.resize(s_.context, result.parms_id(), 3);
  expected.resize(s_.context, expected.parms_id(), 3);
  EXPECT_TRUE(as_expected(result));
  compute();
  EXPECT_EQ(result[7], expected[7]);
  compute();
  EXPECT_FALSE(result.is_transparent());
  compute();
  s_.evaluator.mod_switch_to_next_inplace(result);  // on the host
  s_.evaluator.mod_switch_to_next_inplace(expected);
  EXPECT_TRUE(as_expected(result));
  compute();
  s_.encryptor.encrypt_zero(result);
  EXPECT_EQ(result.parms_id(), s_.context.first_parms_id());
  if (!s_.is_ckks()) {
    EXPECT_EQ(s_.decrypt(result), Slots(s_.slot_count()));
  }
  compute();
  result.release();
  EXPECT_EQ(result.size(), 0U);
  compute();
  Row many{result, x, result};
  on_device_->add_many(many, result);
  s_.evaluator.add_many(Row{expected, x, expected}, expected);
  EXPECT_TRUE(as_expected(result));
  // Plaintexts come from the host at each use; rotations keep their keys.
  const Plaintext plain = s_.encode(Slots(s_.slot_count(), 2));
  on_device_->multiply_plain(x, plain, result);
  s_.evaluator.multiply_plain(x, plain, expected);
  EXPECT_TRUE(as_expected(result));
}

TEST_P(SealDevice, ThreadsReadOneResult) {
  Ciphertext result, expected;
  const Ciphertext x = fresh();
  s_.evaluator.square(x, expected);
  for (int time = 0; time < 20; ++time) {
    on_device_->square(x, result);
    in_threads([&](std::size_t thread) {
      Ciphertext sum;
      if (thread % 2 == 0) on_device_->add(result, result, sum);
      const Ciphertext copy = result;
      EXPECT_EQ(words_of(copy), words_of(expected));
    });
    EXPECT_EQ(words_of(result), words_of(expected));
  }
}

TEST_P(SealDevice, ATransparentResultIsRefusedWhenItIsRead) {
  const Ciphertext x = fresh();
  Ciphertext zero;
  on_device_->sub(x, x, zero);
  EXPECT_THROW(zero.data(), std::logic_error);
}

INSTANTIATE_TEST_SUITE_P(Schemes, SealDevice, testing::ValuesIn(kSchemes), scheme_name);

}  // namespace
}  // namespace ringlet::test
