// SPDX-License-Identifier: Apache-2.0
#include "ringlet/schemes/ciphertext_matrix.hpp"

#include "support/devices/fake_memory.hpp"
#include "support/devices/forwarding_backend.hpp"
#include "unit/schemes/exact_support.hpp"

namespace ringlet::test {
namespace {

constexpr double kMatrixScale = 0x1p40;
constexpr MatrixProduct kForms[] = {MatrixProduct::fused, MatrixProduct::separate};

CiphertextMatrix encrypt(const Ckks& ckks, const MatrixShape& shape, double scale,
                         std::mt19937_64& rng) {
  return {shape, ckks.encrypt_random(shape.rows * shape.columns, scale, rng)};
}

/// c(i, j) + sum over t of a(i, t) * b(t, j), by the Evaluator; c may be null.
Ciphertext naive_entry(const Evaluator& e, const CiphertextMatrix* c, const CiphertextMatrix& a,
                       const CiphertextMatrix& b, std::size_t i, std::size_t j) {
  Ciphertext sum;
  if (c != nullptr) sum = c->at(i, j);
  for (std::size_t t = 0; t < a.shape().columns; ++t) {
    const Ciphertext product = result_of(e, &Evaluator::multiply, a.at(i, t), b.at(t, j));
    sum = sum.size() == 0 ? product : result_of(e, &Evaluator::add, sum, product);
  }
  return sum;
}

void expect_naive(const Evaluator& e, const CiphertextMatrix& result, const CiphertextMatrix* c,
                  const CiphertextMatrix& a, const CiphertextMatrix& b) {
  ASSERT_EQ(result.shape(), (MatrixShape{a.shape().rows, b.shape().columns}));
  for (std::size_t i = 0; i < result.shape().rows; ++i) {
    for (std::size_t j = 0; j < result.shape().columns; ++j) {
      EXPECT_EQ(Snapshot(result.at(i, j)), Snapshot(naive_entry(e, c, a, b, i, j)))
          << "row " << i << ", column " << j;
    }
  }
}

struct Product {
  std::size_t rows;
  std::size_t depth;
  std::size_t columns;
};

void PrintTo(const Product& p, std::ostream* out) {
  *out << p.rows << " x " << p.depth << " x " << p.columns;
}

class MatrixProducts : public ::testing::TestWithParam<Product> {
 protected:
  MatrixShape sum_shape() const { return {GetParam().rows, GetParam().columns}; }

  std::mt19937_64 rng_ = make_rng();
  Ckks ckks_{64, {60, 50, 57, 58, 61}};
  CiphertextMatrix a_ = encrypt(ckks_, {GetParam().rows, GetParam().depth}, kMatrixScale, rng_);
  CiphertextMatrix b_ = encrypt(ckks_, {GetParam().depth, GetParam().columns}, kMatrixScale, rng_);
  CiphertextMatrix c_ = encrypt(ckks_, sum_shape(), kMatrixScale* kMatrixScale, rng_);
};

TEST_P(MatrixProducts, AreSumsOfProductsBitForBit) {
  const Evaluator& e = ckks_.evaluator;
  for (const MatrixProduct form : kForms) {
    SCOPED_TRACE(static_cast<int>(form));
    CiphertextMatrix product;
    multiply(e, a_, b_, product, form);
    expect_naive(e, product, nullptr, a_, b_);
    // The sums start from fresh ciphertexts of two polynomials, then sums of three, then zeros.
    CiphertextMatrix sum = c_;
    multiply_accumulate(e, sum, a_, b_, form);
    expect_naive(e, sum, &c_, a_, b_);
    const CiphertextMatrix before = sum;
    multiply_accumulate(e, sum, a_, b_, form);
    expect_naive(e, sum, &before, a_, b_);
    CiphertextMatrix zeros(*ckks_.context.first_context_data(), sum_shape(), 3,
                           kMatrixScale * kMatrixScale);
    multiply_accumulate(e, zeros, a_, b_, form);
    EXPECT_EQ(Snapshot::of(zeros), Snapshot::of(product));
  }
}

TEST_P(MatrixProducts, AreRelinearizedEntryByEntry) {
  CiphertextMatrix sum = c_;
  multiply_accumulate(ckks_.evaluator, sum, a_, b_);
  CiphertextMatrix small;
  relinearize(ckks_.evaluator, sum, ckks_.relin_keys, small);
  EXPECT_EQ(small.size(), 2u);
  ASSERT_EQ(small.shape(), sum.shape());
  for (std::size_t i = 0; i < sum.entries().size(); ++i) {
    EXPECT_EQ(Snapshot(small.entries()[i]),
              Snapshot(result_of(ckks_.evaluator, &Evaluator::relinearize, sum.entries()[i],
                                 ckks_.relin_keys)));
  }
  relinearize(ckks_.evaluator, sum, ckks_.relin_keys, sum);
  EXPECT_EQ(Snapshot::of(sum), Snapshot::of(small));
}

constexpr Product kProducts[] = {{1, 1, 1}, {2, 3, 4}, {3, 1, 2}, {1, 7, 1}};
INSTANTIATE_TEST_SUITE_P(Shapes, MatrixProducts, ::testing::ValuesIn(kProducts));

TEST(MatrixProductsWithThreads, AreTheSame) {
  const std::size_t threads = thread_count();
  std::vector<Product> shapes(std::begin(kProducts), std::end(kProducts));
  shapes.push_back({3, 2, 3});
  for (const Product& shape : shapes) {
    std::mt19937_64 rng = make_rng();
    // The last shape has enough words to be shared out.
    const Ckks ckks(&shape == &shapes.back() ? 4096 : 64, {60, 50, 57, 61});
    const CiphertextMatrix a = encrypt(ckks, {shape.rows, shape.depth}, kMatrixScale, rng);
    const CiphertextMatrix b = encrypt(ckks, {shape.depth, shape.columns}, kMatrixScale, rng);
    CiphertextMatrix expected;
    multiply(ckks.evaluator, a, b, expected);
    multiply_accumulate(ckks.evaluator, expected, a, b);
    for (const std::size_t count : {2, 3, 5}) {
      set_thread_count(count);
      for (const MatrixProduct form : kForms) {
        CiphertextMatrix product;
        multiply(ckks.evaluator, a, b, product, form);
        multiply_accumulate(ckks.evaluator, product, a, b, form);
        EXPECT_EQ(Snapshot::of(product), Snapshot::of(expected)) << count << " threads";
      }
    }
    set_thread_count(threads);
  }
}

TEST(MatrixProductsOfWideOperands, HaveTheSizeOfTheProduct) {
  std::mt19937_64 rng = make_rng();
  const Ckks ckks(64, {50, 40, 40, 60});
  const CiphertextMatrix a = encrypt(ckks, {2, 2}, 0x1p30, rng);
  CiphertextMatrix squares;
  multiply(ckks.evaluator, a, a, squares);
  CiphertextMatrix cubes;
  multiply(ckks.evaluator, squares, a, cubes);
  EXPECT_EQ(cubes.size(), 4u);
  expect_naive(ckks.evaluator, cubes, nullptr, squares, a);
  multiply(ckks.evaluator, a, squares, cubes);
  expect_naive(ckks.evaluator, cubes, nullptr, a, squares);
  multiply(ckks.evaluator, a, a, cubes);
  EXPECT_EQ(Snapshot::of(cubes), Snapshot::of(squares));
  CiphertextMatrix in_place = a;
  multiply(ckks.evaluator, in_place, in_place, in_place);
  EXPECT_EQ(Snapshot::of(in_place), Snapshot::of(squares));
}

/// A device whose memory is part of the host's, which recognizes its own words.
struct CountingMemory final : FakeMemory {
  CountingMemory() : FakeMemory("counting", true) {}
};

/// The processor's primitives with counts of the products; given a memory, operands must be in it.
class RecordingBackend final : public ForwardingBackend {
 public:
  explicit RecordingBackend(const RnsBasis& basis, std::shared_ptr<CountingMemory> memory = nullptr)
      : ForwardingBackend(make_cpu_backend(basis), memory), counting_(std::move(memory)) {}

  struct Counts {
    std::atomic<int> multiply{0};
    std::atomic<int> multiply_accumulate{0};
    std::atomic<int> multiply_matrices{0};
    std::atomic<int> add{0};
  };
  mutable Counts counts;

  std::string name() const override { return "recording"; }
  void do_add(ResidueView r, ConstResidueView a, ConstResidueView b,
              PrimeIndices p) const override {
    ++counts.add;
    check({r.data, a.data, b.data});
    ForwardingBackend::do_add(r, a, b, p);
  }
  void do_multiply(NttView r, ConstNttView a, ConstNttView b, PrimeIndices p) const override {
    ++counts.multiply;
    check({r.data, a.data, b.data});
    ForwardingBackend::do_multiply(r, a, b, p);
  }
  void do_multiply_accumulate(NttView r, ConstViews a, ConstViews b,
                              PrimeIndices p) const override {
    ++counts.multiply_accumulate;
    check({r.data});
    check_all(a);
    check_all(b);
    ForwardingBackend::do_multiply_accumulate(r, a, b, p);
  }
  void do_multiply_matrices(const NttMatrix& c, const ConstNttMatrix& a, const ConstNttMatrix& b,
                            std::size_t held, PrimeIndices p) const override {
    ++counts.multiply_matrices;
    check_all(c.entries);
    check_all(a.entries);
    check_all(b.entries);
    Backend::do_multiply_matrices(c, a, b, held, p);
  }

 private:
  void check(std::initializer_list<const std::uint64_t*> words) const {
    if (counting_ == nullptr) return;
    for (const std::uint64_t* word : words) {
      EXPECT_TRUE(counting_->owns(word)) << "words that are not on the device";
    }
  }

  template <typename Views>
  void check_all(const Views& views) const {
    for (const auto& view : views) check({view.data});
  }

  std::shared_ptr<CountingMemory> counting_;
};

/// The operands of a product and a sum.
class MatrixOperands : public ::testing::Test {
 protected:
  std::mt19937_64 rng_ = make_rng();
  Ckks ckks_{64, {50, 40, 40, 60}};
  CiphertextMatrix a_ = encrypt(ckks_, {2, 3}, kMatrixScale, rng_);
  CiphertextMatrix b_ = encrypt(ckks_, {3, 4}, kMatrixScale, rng_);
  CiphertextMatrix c_ = encrypt(ckks_, {2, 4}, kMatrixScale* kMatrixScale, rng_);
};

/// One context on the host, and the same on a recording backend.
class MatrixBackends : public MatrixOperands {
 protected:
  static constexpr std::size_t kLimbs = 3;

  std::shared_ptr<RecordingBackend> make_backend(std::shared_ptr<CountingMemory> memory) const {
    return std::make_shared<RecordingBackend>(ckks_.context.backend().basis(), std::move(memory));
  }
  Context make_context(std::shared_ptr<const Backend> backend) const {
    return Context(ckks_.context.parms(), SecurityLevel::none, SecurityTable::classical_2024,
                   std::move(backend));
  }
  CiphertextMatrix wide_c() const {
    CiphertextMatrix sum = c_;
    multiply_accumulate(ckks_.evaluator, sum, a_, b_);
    return sum;
  }
};

TEST_F(MatrixBackends, FusedProductsAreOneSumForEachPolynomial) {
  const auto backend = make_backend(nullptr);
  const Evaluator evaluator(make_context(backend), Device::cpu());
  CiphertextMatrix sum = wide_c();
  CiphertextMatrix other = sum;
  multiply_accumulate(evaluator, sum, a_, b_);
  const int polynomials = 2 * 4 * 3 * kLimbs;
  EXPECT_EQ(backend->counts.multiply_matrices, 1);
  EXPECT_EQ(backend->counts.multiply_accumulate, polynomials);
  EXPECT_EQ(backend->counts.add, polynomials);
  EXPECT_EQ(backend->counts.multiply, 0);
  // The separate form takes four products per pair of entries, each with its sum.
  backend->counts.add = 0;
  multiply_accumulate(evaluator, other, a_, b_, MatrixProduct::separate);
  EXPECT_EQ(backend->counts.multiply, 2 * 4 * 3 * 4 * static_cast<int>(kLimbs));
  EXPECT_EQ(backend->counts.add, 2 * 4 * 3 * 4 * static_cast<int>(kLimbs));
  EXPECT_EQ(backend->counts.multiply_accumulate, polynomials);
  EXPECT_EQ(Snapshot::of(sum), Snapshot::of(other));
}

TEST_F(MatrixBackends, OnADeviceNothingWaitsAndAllLimbsGoTogether) {
  const auto memory = std::make_shared<CountingMemory>();
  const auto backend = make_backend(memory);
  const Evaluator evaluator(make_context(backend), Device::cpu());
  for (const MatrixProduct form : kForms) {
    CiphertextMatrix sum = c_;
    multiply_accumulate(evaluator, sum, a_, b_, form);
    CiphertextMatrix product;
    multiply(evaluator, a_, b_, product, form);
    EXPECT_EQ(memory->downloads, 0);
    EXPECT_NE(product.at(1, 3).device_memory(), nullptr);
    EXPECT_EQ(Snapshot::of(sum), Snapshot::of(wide_c()));
    memory->downloads = 0;
  }
  EXPECT_EQ(backend->counts.multiply_matrices, 2);
  EXPECT_EQ(backend->counts.multiply_accumulate, 2 * (2 * 4 * 3));
}

TEST_F(MatrixBackends, WithoutMemoryTheSumStays) {
  const auto memory = std::make_shared<CountingMemory>();
  const Evaluator evaluator(make_context(make_backend(memory)), Device::cpu());
  for (const bool grows : {true, false}) {
    const CiphertextMatrix start = grows ? c_ : wide_c();
    CiphertextMatrix done = start;
    multiply_accumulate(ckks_.evaluator, done, a_, b_);
    int refusals = 0;
    bool is_done = false;
    for (std::size_t room = 0; !is_done; ++room) {
      // Copies are on the host at first, so that every run needs all of its memory.
      const CiphertextMatrix a = a_;
      const CiphertextMatrix b = b_;
      CiphertextMatrix sum = start;
      memory->allocations_left = room;
      try {
        multiply_accumulate(evaluator, sum, a, b);
        is_done = true;
      } catch (const std::bad_alloc&) {
        ++refusals;
      }
      memory->allocations_left = std::numeric_limits<std::size_t>::max();
      ASSERT_EQ(Snapshot::of(sum), Snapshot::of(is_done ? done : start)) << "after " << room;
      ASSERT_LT(room, 1000u);
    }
    // One block for each factor and one for the sums, one polynomial for products, and the old sums
    // one by one if they grow.
    EXPECT_EQ(refusals, 1 + 1 + 1 + 1 + (grows ? 8 : 0));
  }
}

class MatrixErrors : public MatrixOperands {
 protected:
  template <typename Error = InvalidArgument>
  void expect_refused(const CiphertextMatrix& c, const CiphertextMatrix& a,
                      const CiphertextMatrix& b, std::initializer_list<std::string> parts) {
    CiphertextMatrix sum = c;
    expect_refusal<Error>([&] { multiply_accumulate(evaluator_, sum, a, b); },
                          "multiply_accumulate", parts);
    EXPECT_EQ(Snapshot::of(sum), Snapshot::of(c));
  }
  template <typename Error = InvalidArgument>
  void expect_no_product(const CiphertextMatrix& a, const CiphertextMatrix& b,
                         std::initializer_list<std::string> parts) {
    expect_refused<Error>(c_, a, b, parts);
    CiphertextMatrix product = c_;
    expect_refusal<Error>([&] { multiply(evaluator_, a, b, product); }, "multiply", parts);
    EXPECT_EQ(Snapshot::of(product), Snapshot::of(c_));
  }
  template <typename Change>
  static CiphertextMatrix changed(CiphertextMatrix matrix, const Change& change) {
    const MatrixShape shape = matrix.shape();
    std::vector<Ciphertext> entries = matrix.release();
    for (Ciphertext& entry : entries) change(entry);
    return {shape, std::move(entries)};
  }
  static CiphertextMatrix with_scale(const CiphertextMatrix& matrix, double scale) {
    return changed(matrix, [=](Ciphertext& entry) { entry.scale() = scale; });
  }
  CiphertextMatrix lowered(const CiphertextMatrix& matrix) const {
    return changed(matrix, [&](Ciphertext& c) { evaluator_.mod_switch_to_next_inplace(c); });
  }

  const Evaluator& evaluator_ = ckks_.evaluator;
  const ContextData& level_ = *ckks_.context.first_context_data();
};

TEST_F(MatrixErrors, EmptyMatrices) {
  const CiphertextMatrix none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.size(), 0u);
  EXPECT_EQ(none.byte_count(), 0u);
  expect_no_product(none, b_, {"matrix a is empty"});
  expect_no_product(a_, none, {"matrix b is empty"});
  expect_refused(none, a_, b_, {"matrix c is empty"});
  CiphertextMatrix destination = c_;
  expect_refusal([&] { relinearize(evaluator_, none, ckks_.relin_keys, destination); },
                 "relinearize", {"matrix a is empty"});
  expect_refusal([&] { relinearize(evaluator_, c_, RelinKeys(), destination); }, "relinearize",
                 {"relinearization keys"});
  EXPECT_EQ(Snapshot::of(destination), Snapshot::of(c_));
}

TEST_F(MatrixErrors, ShapesThatDoNotFit) {
  expect_no_product(a_, a_, {"a of 2 x 3", "b of 2 x 3", "as many rows of b as a has columns"});
  expect_no_product(b_, a_, {"a of 3 x 4", "b of 2 x 3"});
  for (const MatrixShape shape : {MatrixShape{2, 3}, {3, 4}, {4, 2}, {1, 4}}) {
    const CiphertextMatrix c(level_, shape, 3, kMatrixScale * kMatrixScale);
    expect_refused(c, a_, b_, {"2 x 4 ciphertexts of size 3"});
  }
  const CiphertextMatrix wide(level_, {2, 4}, 4, kMatrixScale * kMatrixScale);
  expect_refused(wide, a_, b_, {"c of 2 x 4 ciphertexts of size 4"});
  const CiphertextMatrix widest(level_, {2, 3}, 16, kMatrixScale);
  expect_no_product(widest, b_, {"a product of size 17"});
}

TEST_F(MatrixErrors, LevelsAndScalesThatDiffer) {
  expect_no_product(lowered(a_), b_, {"different levels", "level 2", "level 1"});
  expect_no_product(a_, lowered(b_), {"different levels"});
  expect_refused(lowered(c_), a_, b_, {"different levels"});
  expect_refused(with_scale(c_, kMatrixScale), a_, b_, {"different scales", "(2^40)", "(2^80)"});
  expect_refused(with_scale(c_, kMatrixScale * kMatrixScale * (1 + 0x1p-40)), a_, b_,
                 {"different scales"});
  expect_no_product(with_scale(a_, 0x1p91), b_, {"(2^131)", "below 2^130"});
}

TEST_F(MatrixErrors, OperandsOfOtherContexts) {
  const Ckks other(64, {50, 40, 41, 60});
  const CiphertextMatrix foreign = encrypt(other, {2, 3}, kMatrixScale, rng_);
  expect_no_product(foreign, b_, {"level of this context"});
  expect_no_product(a_, encrypt(other, {3, 4}, kMatrixScale, rng_), {"level of this context"});
  expect_refused(encrypt(other, {2, 4}, kMatrixScale * kMatrixScale, rng_), a_, b_,
                 {"level of this context"});
  const CiphertextMatrix of_keys(*ckks_.context.key_context_data(), {2, 3}, 2, kMatrixScale);
  expect_no_product(of_keys, b_, {"key level"});
}

TEST_F(MatrixErrors, TheSumIsNoFactor) {
  const CiphertextMatrix square = encrypt(ckks_, {2, 2}, kMatrixScale, rng_);
  CiphertextMatrix both = square;
  for (const auto& call : std::vector<std::function<void()>>{
           [&] { multiply_accumulate(evaluator_, both, both, square); },
           [&] { multiply_accumulate(evaluator_, both, square, both); }}) {
    expect_refusal(call, "multiply_accumulate", {"c is "});
    EXPECT_EQ(Snapshot::of(both), Snapshot::of(square));
  }
}

TEST_F(MatrixErrors, TransparentProductsAndExactSchemes) {
  const CiphertextMatrix zeros(level_, {2, 3}, 2, kMatrixScale);
  CiphertextMatrix product = c_;
  expect_refusal<LogicError>([&] { multiply(evaluator_, zeros, b_, product); }, "multiply",
                             {"transparent"});
  const Exact exact(SchemeType::bgv, {64, 257, {50, 40, 40}, {60}});
  expect_refusal<LogicError>([&] { multiply_accumulate(exact.evaluator, product, a_, b_); },
                             "multiply_accumulate", {"scheme bgv"});
  EXPECT_EQ(Snapshot::of(product), Snapshot::of(c_));
}

TEST_F(MatrixErrors, EntriesThatDiffer) {
  const auto refused = [&](const MatrixShape& shape, std::vector<Ciphertext> entries,
                           std::initializer_list<std::string> parts) {
    const std::size_t count = entries.size();
    expect_refusal([&] { CiphertextMatrix(shape, std::move(entries)); }, "CiphertextMatrix", parts);
    EXPECT_EQ(entries.size(), count);
  };
  const Ciphertext good = a_.at(0, 0);
  Ciphertext bad = good;
  refused({2, 2}, {good, good, good}, {"3 entries for 2 x 2"});
  refused({0, 2}, {}, {"shape = 0 x 2"});
  refused({2, 0}, {}, {"shape = 2 x 0"});
  refused({1, 1}, {Ciphertext()}, {"entry 0"});
  bad.scale() = std::nextafter(kMatrixScale, 0.0);
  refused({1, 2}, {good, bad}, {"entry 1", "entry 0", "scale"});
  evaluator_.mod_switch_to_next(good, bad);
  refused({1, 2}, {good, bad}, {"entry 1"});
  evaluator_.transform_from_ntt(good, bad);
  refused({1, 2}, {good, bad}, {"entry 1", "coefficient form"});
  refused({1, 1}, {bad}, {"entry 0", "coefficient form"});
  evaluator_.square(good, bad);
  bad.scale() = kMatrixScale;
  refused({1, 2}, {good, bad}, {"entry 1", "3 polynomials"});
  bad = good;
  bad.correction_factor() = 3;
  refused({2, 1}, {good, bad}, {"entry 1", "correction factor 3"});
}

TEST_F(MatrixErrors, NewMatricesAreChecked) {
  const auto refused = [&](const MatrixShape& shape, std::size_t size, double scale,
                           const std::string& operation) {
    expect_refusal([&] { CiphertextMatrix(level_, shape, size, scale); }, operation, {});
  };
  constexpr std::size_t kHuge = std::size_t{1} << 40;
  for (const MatrixShape& shape :
       {MatrixShape{0, 1}, {1, 0}, {kHuge, kHuge}, {kHuge, std::size_t{1} << 20}}) {
    refused(shape, 2, 1.0, "CiphertextMatrix");
  }
  refused({1, 1}, 1, 1.0, "Ciphertext");
  refused({1, 1}, 17, 1.0, "Ciphertext");
  for (const double scale : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    refused({1, 1}, 2, scale, "CiphertextMatrix");
  }
}

TEST_F(MatrixErrors, MatricesLargerThanTheMachine) {
  constexpr std::size_t kMany = std::size_t{1} << 17;
  expect_refusal<RuntimeError>([&] { CiphertextMatrix(level_, {kMany, kMany}, 3, kMatrixScale); },
                               "CiphertextMatrix", {"131072 x 131072", "memory"});
  // All entries of these factors of few words are the same.
  Ciphertext words = a_.at(0, 0);
  std::vector<std::uint64_t> flat = words_of(words);
  const auto factor = [&](const MatrixShape& shape) {
    std::vector<Ciphertext> entries;
    for (std::size_t i = 0; i < kMany; ++i) {
      entries.push_back(Ciphertext::borrow(level_, 2, Form::ntt, flat.data()));
    }
    return CiphertextMatrix(shape, std::move(entries));
  };
  CiphertextMatrix product = c_;
  expect_refusal<RuntimeError>(
      [&] { multiply(evaluator_, factor({kMany, 1}), factor({1, kMany}), product); }, "multiply",
      {"131072 x 131072", "memory"});
  EXPECT_EQ(Snapshot::of(product), Snapshot::of(c_));
}

TEST_F(MatrixErrors, PlacesOutside) {
  EXPECT_EQ(Snapshot(a_.at(1, 2)), Snapshot(a_.entries()[5]));
  EXPECT_EQ(a_.byte_count(), 6 * a_.at(0, 0).byte_count());
  EXPECT_EQ(CiphertextMatrix::byte_count(level_, {2, 3}, 2), a_.byte_count());
  for (const auto& [row, column] : {std::pair{2, 0}, {0, 3}, {-1, 0}}) {
    expect_refusal<OutOfRange>([&, r = row, c = column] { a_.at(r, c); }, "CiphertextMatrix::at",
                               {"2 x 3"});
  }
  CiphertextMatrix moved = std::move(a_);
  EXPECT_TRUE(a_.empty());
  EXPECT_EQ(a_.shape(), MatrixShape{});
  EXPECT_EQ(moved.release().size(), 6u);
  EXPECT_TRUE(moved.empty());
}

}  // namespace
}  // namespace ringlet::test
