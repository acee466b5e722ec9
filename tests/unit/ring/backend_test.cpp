// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ring/backend.hpp"

#include <flint/ulong_extras.h>

#include "ringlet/base/parallel.hpp"
#include "support/reference/cyclotomic_reference.hpp"
#include "support/reference/ntt_reference.hpp"
#include "support/ring_fixture.hpp"
#include "support/threads.hpp"

// Transforms, products and automorphisms over X^N + 1 and other rings, by the kernels of every
// table, compared with FLINT.

namespace ringlet::test {
namespace {

// Some of the basis's limbs, in another order than in the basis.
const Indices kPrimes = {4, 0, 6, 5, 2};

/// Tests over Z[X]/Phi_m, by m.
struct BackendTest : ::testing::TestWithParam<std::uint64_t> {
  CoeffPoly coefficients() { return random_poly<Form::coefficient>(basis_, kPrimes, rng_); }
  NttPoly values() { return random_poly<Form::ntt>(basis_, kPrimes, rng_); }
  NttPoly zero_values() const { return NttPoly(kPrimes.size(), degree_); }
  std::uint64_t modulus(std::size_t limb) const { return basis_[kPrimes[limb]].value(); }
  FlintRing flint(std::size_t limb) const { return {GetParam(), modulus(limb)}; }

  RnsBasis basis_ = make_basis(RingSpec::cyclotomic(GetParam()));
  std::size_t degree_ = basis_.degree();
  std::vector<std::shared_ptr<const Backend>> backends_ = make_backends(basis_);
  std::mt19937_64 rng_ = make_rng(GetParam());
};

TEST_P(BackendTest, ForwardIsTheDefinitionAndInverseTheWayBack) {
  const CoeffPoly a = coefficients();
  for (const auto& backend : backends_) {
    SCOPED_TRACE(describe(*backend));
    EXPECT_EQ(backend->kernel_names().size(), basis_.size());
    const NttPoly transformed = to_values(*backend, a, kPrimes);
    // CyclotomicNttTest checks the values over other rings.
    for (std::size_t l = 0; l < kPrimes.size() && std::has_single_bit(GetParam()); ++l) {
      const Modulus& q = basis_[kPrimes[l]];
      const std::uint64_t root = minimal_primitive_root(2 * degree_, q);
      // The definition is quadratic, so long transforms are checked at some of the values.
      for (std::size_t i = 0; i < degree_; i += degree_ / 64 + 1) {
        ASSERT_EQ(transformed.view().limb(l)[i], ntt_value(limb_words(a, l), i, root, q)) << i;
      }
    }
    EXPECT_EQ(all_words(to_coefficients(*backend, transformed, kPrimes)), all_words(a));

    CoeffPoly poly = a;
    const CoeffView view = poly.view_for_writing();
    const NttView same{view.data, view.degree, view.limb_count, view.limb_stride};
    backend->forward_ntt(same, view, kPrimes);
    EXPECT_EQ(all_words(poly), all_words(transformed)) << "in place";
    backend->inverse_ntt(view, same, kPrimes);
    EXPECT_EQ(all_words(poly), all_words(a)) << "in place";
  }
}

TEST_P(BackendTest, MultiplyIsTheProductOfTheRing) {
  const CoeffPoly a = coefficients();
  const CoeffPoly b = coefficients();
  std::vector<Words> expected;
  for (std::size_t l = 0; l < kPrimes.size(); ++l) {
    expected.push_back(flint(l).product(limb_words(a, l), limb_words(b, l)));
  }
  for (const auto& backend : backends_) {
    NttPoly x = to_values(*backend, a, kPrimes);
    backend->multiply(x.view_for_writing(), x.view(), to_values(*backend, b, kPrimes).view(),
                      kPrimes);
    const CoeffPoly product = to_coefficients(*backend, x, kPrimes);
    for (std::size_t l = 0; l < kPrimes.size(); ++l) {
      EXPECT_EQ(limb_words(product, l), expected[l]) << describe(*backend);
    }
  }
}

/// Views of three operands, and a scalar for each limb.
struct Operands {
  std::array<ConstNttView, 3> polys;
  Words scalars;
};

/// A primitive that works word by word, and its result from words x and a scalar.
struct WordByWord {
  const char* name;
  void (*run)(const Backend& backend, NttView result, const Operands& operands);
  std::uint64_t (*word)(const std::array<std::uint64_t, 3>& x, std::uint64_t scalar,
                        std::uint64_t q);
};

const std::vector<WordByWord> kWordByWord = {
    {"copy", [](auto& b, auto r, auto& o) { b.copy(r, o.polys[0]); },
     [](auto& x, auto, auto) { return x[0]; }},
    {"add", [](auto& b, auto r, auto& o) { b.add(r, o.polys[0], o.polys[1], kPrimes); },
     [](auto& x, auto, auto q) { return n_addmod(x[0], x[1], q); }},
    {"subtract", [](auto& b, auto r, auto& o) { b.subtract(r, o.polys[0], o.polys[1], kPrimes); },
     [](auto& x, auto, auto q) { return n_submod(x[0], x[1], q); }},
    {"negate", [](auto& b, auto r, auto& o) { b.negate(r, o.polys[0], kPrimes); },
     [](auto& x, auto, auto q) { return n_negmod(x[0], q); }},
    {"multiply", [](auto& b, auto r, auto& o) { b.multiply(r, o.polys[0], o.polys[1], kPrimes); },
     [](auto& x, auto, auto q) { return n_mulmod2(x[0], x[1], q); }},
    {"multiply_add",
     [](auto& b, auto r, auto& o) {
       b.multiply_add(r, o.polys[0], o.polys[1], o.polys[2], kPrimes);
     },
     [](auto& x, auto, auto q) { return n_addmod(n_mulmod2(x[0], x[1], q), x[2], q); }},
    {"multiply_add_if_reduced",
     [](auto& b, auto r, auto& o) {
       EXPECT_TRUE(b.multiply_add_if_reduced(r, o.polys[0], o.polys[1], o.polys[2], kPrimes));
     },
     [](auto& x, auto, auto q) { return n_addmod(n_mulmod2(x[0], x[1], q), x[2], q); }},
    {"multiply_scalars",
     [](auto& b, auto r, auto& o) { b.multiply_scalars(r, o.polys[0], o.scalars, kPrimes); },
     [](auto& x, auto scalar, auto q) { return n_mulmod2(x[0], scalar, q); }},
    {"multiply_scalars_add",
     [](auto& b, auto r, auto& o) {
       b.multiply_scalars_add(r, o.polys[0], o.polys[1], o.scalars, kPrimes);
     },
     [](auto& x, auto scalar, auto q) { return n_addmod(n_mulmod2(x[0], scalar, q), x[1], q); }},
};

TEST_P(BackendTest, PrimitivesWordByWordAreTheirFormulas) {
  const std::array<NttPoly, 3> polys{values(), values(), values()};
  const std::size_t stride = degree_ + 3;  // a stride by which limbs start on any word
  for (const bool edges : {false, true}) {
    Operands apart{{polys[0].view(), polys[1].view(), polys[2].view()}, {}};
    for (std::size_t l = 0; l < kPrimes.size(); ++l) {
      apart.scalars.push_back(edges ? (l % 2 == 0 ? modulus(l) - 1 : 0) : rng_() % modulus(l));
    }
    for (const auto& backend : backends_) {
      for (const WordByWord& primitive : kWordByWord) {
        // The bits of `same` say which operands are the result.
        for (unsigned same = 0; same < 8; ++same) {
          SCOPED_TRACE(describe(*backend) + primitive.name + ", in place " + std::to_string(same));
          Words memory(kPrimes.size() * stride, kSentinel);
          const NttView result{memory.data(), degree_, kPrimes.size(), stride};
          Operands operands = apart;
          Operands sources = apart;
          for (std::size_t k = 0; k < 3; ++k) {
            if ((same >> k & 1) == 0) continue;
            operands.polys[k] = result;
            sources.polys[k] = apart.polys[static_cast<std::size_t>(std::countr_zero(same))];
            backend->copy(result, sources.polys[k]);
          }
          primitive.run(*backend, result, operands);
          for (std::size_t l = 0; l < kPrimes.size(); ++l) {
            for (std::size_t i = 0; i < stride; ++i) {
              std::uint64_t expected = kSentinel;
              if (i < degree_) {
                std::array<std::uint64_t, 3> x{};
                for (std::size_t k = 0; k < 3; ++k) x[k] = sources.polys[k].limb(l)[i];
                expected = primitive.word(x, apart.scalars[l], modulus(l));
              }
              ASSERT_EQ(memory[l * stride + i], expected) << "limb " << l << ", word " << i;
            }
          }
        }
      }
    }
  }
}

TEST_P(BackendTest, SumsOfProductsAreTheirFormulas) {
  std::vector<NttPoly> polys;
  for (int k = 0; k < 10; ++k) polys.push_back(values());
  const std::vector<ConstNttView> views = views_of(polys);
  const std::vector<ConstNttView> reversed(views.rbegin(), views.rend());
  for (const std::size_t terms : {1, 2, 5}) {
    Words expected;
    for (std::size_t l = 0; l < kPrimes.size(); ++l) {
      const std::uint64_t q = modulus(l);
      for (std::size_t i = 0; i < degree_; ++i) {
        std::uint64_t sum = 0;
        for (std::size_t k = 0; k < terms; ++k) {
          sum = n_addmod(sum, n_mulmod2(views[k].limb(l)[i], reversed[k].limb(l)[i], q), q);
        }
        expected.push_back(sum);
      }
    }
    const auto a = std::span(views).first(terms);
    const auto b = std::span(reversed).first(terms);
    for (const auto& backend : backends_) {
      NttPoly sum = zero_values();
      backend->multiply_accumulate(sum.view_for_writing(), a, b, kPrimes);
      EXPECT_EQ(all_words(sum), expected) << describe(*backend);
    }
  }
}

TEST_P(BackendTest, MultiplyPairsMultipliesPolynomialsOfDegreeOne) {
  const std::array<NttPoly, 4> polys{values(), values(), values(), values()};
  for (const std::size_t second : {2, 0}) {  // a product, then a square
    const std::array a{polys[0].view(), polys[1].view()};
    const std::array b{polys[second].view(), polys[second + 1].view()};
    for (const auto& backend : backends_) {
      std::array<NttPoly, 3> results{zero_values(), zero_values(), zero_values()};
      const std::array views{results[0].view_for_writing(), results[1].view_for_writing(),
                             results[2].view_for_writing()};
      backend->multiply_pairs(views, a, b, kPrimes);
      for (std::size_t l = 0; l < kPrimes.size(); ++l) {
        for (std::size_t i = 0; i < degree_; ++i) {
          const auto product = [&](std::size_t x, std::size_t y) {
            return n_mulmod2(a[x].limb(l)[i], b[y].limb(l)[i], modulus(l));
          };
          const std::uint64_t middle = n_addmod(product(0, 1), product(1, 0), modulus(l));
          const std::array actual{views[0].limb(l)[i], views[1].limb(l)[i], views[2].limb(l)[i]};
          ASSERT_EQ(actual, (std::array{product(0, 0), middle, product(1, 1)}))
              << describe(*backend) << "limb " << l << ", word " << i;
        }
      }
    }
  }
}

TEST_P(BackendTest, AutomorphismsOfBothFormsSubstitute) {
  const std::uint64_t m = GetParam();
  const RingSpec& ring = basis_.ring();
  // Small rings are tested with all elements, others with rotations, some edges and random ones.
  std::vector<std::uint64_t> elements(degree_ <= 64 ? 2 * m : 0);
  std::iota(elements.begin(), elements.end(), 0);
  if (degree_ > 64) {
    elements = {1, 2, 3, 5, 25, 125, 625, m / 2 - 1, m / 2 + 1, m - 3, m - 1};
    elements.push_back(ring.default_galois_elements().front());
    for (int i = 0; i < 20; ++i) elements.push_back(rng_() % m);
  }
  std::erase_if(elements, [&](std::uint64_t g) { return !ring.is_galois_element(g); });
  ASSERT_GE(elements.size(), 2u);
  const CoeffPoly a = coefficients();
  for (const std::uint64_t g : elements) {
    Words expected;
    for (std::size_t l = 0; l < kPrimes.size(); ++l) {
      const Words image = flint(l).substitute(limb_words(a, l), g);
      expected.insert(expected.end(), image.begin(), image.end());
    }
    for (const auto& backend : backends_) {
      CoeffPoly image(kPrimes.size(), degree_);
      backend->automorphism(image.view_for_writing(), a.view(), g, kPrimes);
      ASSERT_EQ(all_words(image), expected) << "g = " << g;
      NttPoly moved = zero_values();
      backend->automorphism(moved.view_for_writing(), to_values(*backend, a, kPrimes).view(), g,
                            kPrimes);
      ASSERT_EQ(all_words(to_coefficients(*backend, moved, kPrimes)), expected) << "g = " << g;
      if (degree_ > 64) break;  // the map of values is the same on every table
    }
  }
}

TEST_P(BackendTest, NothingIsWrittenBetweenTheLimbs) {
  const NttPoly a = values();
  const std::size_t stride = degree_ + 3;
  for (const auto& backend : backends_) {
    Words memory(kPrimes.size() * stride, kSentinel);
    const NttView out{memory.data(), degree_, kPrimes.size(), stride};
    const CoeffView coefficients{memory.data(), degree_, kPrimes.size(), stride};
    backend->inverse_ntt(coefficients, a.view(), kPrimes);
    backend->forward_ntt(out, coefficients, kPrimes);
    backend->automorphism(out, a.view(), basis_.ring().default_galois_elements().front(), kPrimes);
    backend->divide_and_round_by_last(out.first(kPrimes.size() - 1), a.view(), kPrimes);
    for (std::size_t i = 0; i < memory.size(); ++i) {
      ASSERT_TRUE(i % stride < degree_ || memory[i] == kSentinel) << describe(*backend) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rings, BackendTest,
                         ::testing::ValuesIn(rings({4, 8, 16, 32, 64, 128, 2048, 8192, 7, 12, 105,
                                                    2783})),
                         ::testing::PrintToStringParamName());

TEST(MakeCpuBackend, ShowsItsNameBasisAndKernels) {
  const RnsBasis basis = make_basis(1024);
  const auto backend = make_cpu_backend(basis, KernelSelection("scalar64"));
  EXPECT_EQ(backend->name(), "cpu");
  EXPECT_EQ(backend->basis().degree(), 1024u);
  const std::vector<std::string> names = backend->kernel_names();
  ASSERT_EQ(names.size(), basis.size());
  for (const std::string& name : names) EXPECT_TRUE(name.starts_with("scalar64/")) << name;
}

TEST(MakeCpuBackend, RefusesWhatAnExactlyNamedKernelCannotDo) {
  const RnsBasis basis = make_basis(1024);  // its largest prime has 61 bits
  for (const KernelInfo& kernel : kernel_catalog()) {
    if (kernel.operation != "ntt" || !kernel.available) continue;
    const KernelSelection exact(kernel.table + "/" + kernel.algorithm);
    if (kernel.modulus_limit <= std::uint64_t{1} << 60) {
      EXPECT_THROW(make_cpu_backend(basis, exact), InvalidArgument) << kernel.name;
    } else {
      EXPECT_EQ(make_cpu_backend(basis, exact)->kernel_names()[0], exact.text());
    }
  }
}

// Every primitive on several threads gives the same bits as on one. The degree is large enough to
// share out each of them.

constexpr std::size_t kDegree = 32768;

struct BackendThreads : ::testing::Test {
  void TearDown() override { set_thread_count(1); }

  /// The words that run(view) writes, as values or as coefficients.
  template <Form F>
  static Words words_of(std::size_t limbs, const auto& run) {
    RnsPoly<F> poly(limbs, kDegree);
    run(poly.view_for_writing());
    return all_words(poly);
  }

  /// The words of each primitive's result from the same operands.
  std::vector<Words> results_of_all_primitives() const {
    std::vector<Words> results;
    const Backend& b = *backend_;
    const ConstNttView a = a_.view();
    const ConstNttView c = c_.view();
    const ConstCoeffView x = coefficients_.view();
    const auto digit = x.limb(2);
    const Words scalars(primes_.size(), 12345);
    const std::vector left{a, c, a};
    const std::vector right{c, c, a};
    const auto values = [&](const auto& run, std::size_t dropped = 0) {
      results.push_back(words_of<Form::ntt>(primes_.size() - dropped, run));
    };
    const auto coefficients = [&](const auto& run, std::size_t dropped = 0) {
      results.push_back(words_of<Form::coefficient>(primes_.size() - dropped, run));
    };
    values([&](auto r) { b.forward_ntt(r, x, primes_); });
    coefficients([&](auto r) { b.inverse_ntt(r, a, primes_); });
    values([&](auto r) { b.add(r, a, c, primes_); });
    values([&](auto r) { b.subtract(r, a, c, primes_); });
    values([&](auto r) { b.negate(r, a, primes_); });
    values([&](auto r) { b.multiply(r, a, c, primes_); });
    values([&](auto r) { b.multiply_add(r, a, c, a, primes_); });
    values([&](auto r) { b.multiply_accumulate(r, left, right, primes_); });
    values([&](auto r) { b.multiply_scalars(r, a, scalars, primes_); });
    values([&](auto r) { b.multiply_scalars_add(r, a, c, scalars, primes_); });
    values([&](auto r) { b.automorphism(r, a, 5, primes_); });
    coefficients([&](auto r) { b.automorphism(r, x, 2 * kDegree - 1, primes_); });
    coefficients([&](auto r) { b.lift_digit(r, digit, primes_[2], primes_); });
    coefficients([&](auto r) { b.inverse_ntt_to_digits(r, a, primes_); });
    values([&](auto r) { b.lift_digit_to_ntt(r, digit, primes_[2], primes_); });
    coefficients([&](auto r) { b.to_digits(r, x, primes_); });
    values([&](auto r) { b.divide_and_round_by_last(r, a, primes_, 3); }, 1);
    coefficients([&](auto r) { b.divide_and_round_by_last(r, x, primes_); }, 1);

    const Indices last(primes_.end() - 3, primes_.end());
    const Indices others(primes_.begin(), primes_.end() - 3);
    const BasisConversion conversion(basis_, last, others);
    coefficients([&](auto r) { b.convert_basis(r, x.part(5, 3), conversion); }, 3);
    values([&](auto r) { b.divide_and_round(r, a, primes_, conversion, 5); }, 3);
    Words residues(kDegree);
    b.convert_to_modulus(residues, x.part(5, 3), BasisConversion(basis_, last, Modulus(786433)));
    results.push_back(residues);
    append_key_products(results);
    return results;
  }

  void append_key_products(std::vector<Words>& results) const {
    // Limbs of keys have the order of the basis, and here limbs of digits do too.
    const Indices all = first_primes(primes_.size());
    const std::vector<ConstNttView> digits{ordered_.view(), ordered_.view(), ordered_.view()};
    const auto key = backend_->prepare_key(digits, digits);
    NttPoly sum_b(primes_.size(), kDegree);
    NttPoly sum_a(primes_.size(), kDegree);
    const auto add = [&](std::span<const ConstNttView> some, std::size_t first) {
      backend_->key_inner_product(sum_b.view_for_writing(), sum_a.view_for_writing(), some,
                                  {*key, first}, all);
    };
    add(std::span(digits).first(2), 0);
    add(std::span(digits).last(1), 2);
    results.push_back(all_words(sum_b));
    results.push_back(all_words(sum_a));
  }

  const Indices primes_{4, 0, 6, 5, 2, 7, 1, 3};
  const RnsBasis basis_ = make_basis(kDegree);
  const std::shared_ptr<const Backend> backend_ = make_cpu_backend(basis_);
  std::mt19937_64 rng_ = make_rng();
  const NttPoly a_ = random_poly<Form::ntt>(basis_, primes_, rng_);
  const NttPoly c_ = random_poly<Form::ntt>(basis_, primes_, rng_);
  const CoeffPoly coefficients_ = random_poly<Form::coefficient>(basis_, primes_, rng_);
  const NttPoly ordered_ = random_poly<Form::ntt>(basis_, first_primes(primes_.size()), rng_);
};

TEST_F(BackendThreads, EveryNumberOfThreadsGivesTheSameBits) {
  const std::vector<Words> expected = results_of_all_primitives();
  for (const std::size_t threads : {2, 3, 4}) {
    set_thread_count(threads);
    const std::vector<Words> results = results_of_all_primitives();
    ASSERT_EQ(results.size(), expected.size());
    for (std::size_t k = 0; k < results.size(); ++k) {
      EXPECT_TRUE(results[k] == expected[k]) << "primitive " << k << ", " << threads << " threads";
    }
  }
}

TEST_F(BackendThreads, ThreadsOfTheProgramMayCallWhileOthersUseTheWorkers) {
  const std::vector<Words> expected = results_of_all_primitives();
  set_thread_count(2);
  expect_in_threads(
      1, [&](std::size_t, std::size_t) { return results_of_all_primitives() == expected; });
}

}  // namespace
}  // namespace ringlet::test
