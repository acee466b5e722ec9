// SPDX-License-Identifier: Apache-2.0
#include "ringlet/backend.hpp"

#include <flint/ulong_extras.h>

#include "ringlet/error.hpp"
#include "support/ntt_reference.hpp"
#include "support/ring_fixture.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

// Limbs in another order than the basis, and not all of them.
const std::vector<std::size_t> kPrimes = {4, 0, 6, 5, 2};

class BackendTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  std::size_t degree() const { return GetParam(); }

  /// One per limb: q - 1 and 0 in turn, or random ones.
  Words random_scalars(bool edges, std::mt19937_64& rng) const {
    Words scalars;
    for (std::size_t l = 0; l < kPrimes.size(); ++l) {
      scalars.push_back(edges ? (l % 2 == 0 ? modulus(l) - 1 : 0) : rng() % modulus(l));
    }
    return scalars;
  }
  NttPoly random_values(std::mt19937_64& rng) const {
    return random_poly<Form::ntt>(basis_, kPrimes, rng);
  }
  NttPoly zero_values() const { return NttPoly(kPrimes.size(), degree()); }
  std::uint64_t modulus(std::size_t limb) const { return basis_[kPrimes[limb]].value(); }

  // Compares every word of `result` with expected(limb, word).
  template <Form F>
  void expect_words(const RnsPoly<F>& result,
                    const std::function<std::uint64_t(std::size_t, std::size_t)>& expected) const {
    for (std::size_t l = 0; l < result.limb_count(); ++l) {
      const auto limb = result.view().limb(l);
      for (std::size_t i = 0; i < degree(); ++i) {
        ASSERT_EQ(limb[i], expected(l, i)) << "limb " << l << ", word " << i;
      }
    }
  }

  // Sums, differences and negatives of each word.
  template <Form F>
  void expect_sums(const Backend& backend, const RnsPoly<F>& a, const RnsPoly<F>& b) const {
    const auto at = [](const RnsPoly<F>& poly, std::size_t l, std::size_t i) {
      return poly.view().limb(l)[i];
    };
    RnsPoly<F> result(kPrimes.size(), degree());
    const PolyView<F> out = result.view_for_writing();
    backend.add(out, a.view(), b.view(), kPrimes);
    expect_words(result, [&](std::size_t l, std::size_t i) {
      return n_addmod(at(a, l, i), at(b, l, i), modulus(l));
    });
    backend.subtract(out, a.view(), b.view(), kPrimes);
    expect_words(result, [&](std::size_t l, std::size_t i) {
      return n_submod(at(a, l, i), at(b, l, i), modulus(l));
    });
    backend.negate(out, a.view(), kPrimes);
    expect_words(result,
                 [&](std::size_t l, std::size_t i) { return n_negmod(at(a, l, i), modulus(l)); });
  }

  RnsBasis basis_ = make_basis(GetParam());
  std::vector<std::shared_ptr<const Backend>> backends_ = make_backends(basis_);
};

TEST_P(BackendTest, ForwardIsTheDefinitionAndInverseTheWayBack) {
  auto rng = make_rng(degree());
  const CoeffPoly a = random_poly<Form::coefficient>(basis_, kPrimes, rng);
  for (const auto& backend : backends_) {
    SCOPED_TRACE(describe(*backend));
    NttPoly values = zero_values();
    backend->forward_ntt(values.view_for_writing(), a.view(), kPrimes);
    for (std::size_t l = 0; l < kPrimes.size(); ++l) {
      const Modulus& q = basis_[kPrimes[l]];
      const std::uint64_t root = minimal_primitive_root(2 * degree(), q);
      // The definition is quadratic: some of the values of long transforms.
      for (std::size_t i = 0; i < degree(); i += degree() / 64 + 1) {
        ASSERT_EQ(values.view().limb(l)[i], ntt_value(limb_words(a, l), i, root, q)) << i;
      }
    }
    CoeffPoly back(kPrimes.size(), degree());
    backend->inverse_ntt(back.view_for_writing(), values.view(), kPrimes);
    EXPECT_EQ(all_words(back), all_words(a));
  }
}

TEST_P(BackendTest, TransformsWorkInPlace) {
  auto rng = make_rng(degree());
  const CoeffPoly a = random_poly<Form::coefficient>(basis_, kPrimes, rng);
  for (const auto& backend : backends_) {
    SCOPED_TRACE(describe(*backend));
    NttPoly expected = zero_values();
    backend->forward_ntt(expected.view_for_writing(), a.view(), kPrimes);
    CoeffPoly poly = a;
    const CoeffView view = poly.view_for_writing();
    const NttView same{view.data, view.degree, view.limb_count, view.limb_stride};
    backend->forward_ntt(same, view, kPrimes);
    EXPECT_EQ(all_words(poly), all_words(expected));
    backend->inverse_ntt(view, same, kPrimes);
    EXPECT_EQ(all_words(poly), all_words(a));
  }
}

TEST_P(BackendTest, MultiplyIsTheNegacyclicProduct) {
  auto rng = make_rng(degree());
  const CoeffPoly a = random_poly<Form::coefficient>(basis_, kPrimes, rng);
  const CoeffPoly b = random_poly<Form::coefficient>(basis_, kPrimes, rng);
  for (const auto& backend : backends_) {
    SCOPED_TRACE(describe(*backend));
    NttPoly x = zero_values();
    NttPoly y = zero_values();
    backend->forward_ntt(x.view_for_writing(), a.view(), kPrimes);
    backend->forward_ntt(y.view_for_writing(), b.view(), kPrimes);
    backend->multiply(x.view_for_writing(), x.view(), y.view(), kPrimes);
    CoeffPoly product(kPrimes.size(), degree());
    backend->inverse_ntt(product.view_for_writing(), x.view(), kPrimes);
    for (std::size_t l = 0; l < kPrimes.size(); ++l) {
      EXPECT_EQ(limb_words(product, l),
                negacyclic_product(limb_words(a, l), limb_words(b, l), modulus(l)));
    }
  }
}

TEST_P(BackendTest, ElementwisePrimitivesAgreeWithFlint) {
  auto rng = make_rng(degree());
  const NttPoly a = random_values(rng);
  const NttPoly b = random_values(rng);
  const NttPoly c = random_values(rng);
  const auto at = [](const NttPoly& poly, std::size_t l, std::size_t i) {
    return poly.view().limb(l)[i];
  };
  const auto product = [&](std::size_t l, std::size_t i) {
    return n_mulmod2(at(a, l, i), at(b, l, i), modulus(l));
  };
  for (const auto& backend : backends_) {
    SCOPED_TRACE(describe(*backend));
    expect_sums(*backend, a, b);
    NttPoly result = zero_values();
    const NttView out = result.view_for_writing();
    backend->multiply(out, a.view(), b.view(), kPrimes);
    expect_words(result, product);
    backend->multiply_add(out, a.view(), b.view(), c.view(), kPrimes);
    expect_words(result, [&](std::size_t l, std::size_t i) {
      return n_addmod(product(l, i), at(c, l, i), modulus(l));
    });
  }
}

TEST_P(BackendTest, MultiplyAccumulateAddsProducts) {
  auto rng = make_rng(degree());
  std::vector<NttPoly> polys;
  for (int k = 0; k < 10; ++k) polys.push_back(random_values(rng));
  for (const std::size_t terms : {1, 2, 5}) {
    std::vector<ConstNttView> a;
    std::vector<ConstNttView> b;
    for (std::size_t k = 0; k < terms; ++k) {
      a.push_back(polys[k].view());
      b.push_back(polys[9 - k].view());
    }
    for (const auto& backend : backends_) {
      SCOPED_TRACE(describe(*backend));
      NttPoly sum = zero_values();
      backend->multiply_accumulate(sum.view_for_writing(), a, b, kPrimes);
      expect_words(sum, [&](std::size_t l, std::size_t i) {
        std::uint64_t expected = 0;
        for (std::size_t k = 0; k < terms; ++k) {
          expected = n_addmod(expected, n_mulmod2(a[k].limb(l)[i], b[k].limb(l)[i], modulus(l)),
                              modulus(l));
        }
        return expected;
      });
      NttPoly composed = zero_values();
      backend->Backend::multiply_accumulate(composed.view_for_writing(), a, b, kPrimes);
      EXPECT_EQ(all_words(composed), all_words(sum));
    }
  }
}

TEST_P(BackendTest, MultiplyPairsMultipliesPolynomialsOfDegreeOne) {
  auto rng = make_rng(degree());
  const std::array<NttPoly, 4> polys{random_values(rng), random_values(rng), random_values(rng),
                                     random_values(rng)};
  const auto product = [&](std::size_t x, std::size_t y, std::size_t l, std::size_t i) {
    return n_mulmod2(polys[x].view().limb(l)[i], polys[y].view().limb(l)[i], modulus(l));
  };
  for (const std::size_t second : {2, 0}) {  // A product and a square.
    const std::array a{polys[0].view(), polys[1].view()};
    const std::array b{polys[second].view(), polys[second + 1].view()};
    for (const auto& backend : backends_) {
      SCOPED_TRACE(describe(*backend));
      std::array<NttPoly, 3> results{zero_values(), zero_values(), zero_values()};
      const std::array views{results[0].view_for_writing(), results[1].view_for_writing(),
                             results[2].view_for_writing()};
      backend->multiply_pairs(views, a, b, kPrimes);
      expect_words(results[0],
                   [&](std::size_t l, std::size_t i) { return product(0, second, l, i); });
      expect_words(results[1], [&](std::size_t l, std::size_t i) {
        return n_addmod(product(0, second + 1, l, i), product(1, second, l, i), modulus(l));
      });
      expect_words(results[2],
                   [&](std::size_t l, std::size_t i) { return product(1, second + 1, l, i); });
      std::array<NttPoly, 3> composed{zero_values(), zero_values(), zero_values()};
      backend->Backend::multiply_pairs(
          std::array{composed[0].view_for_writing(), composed[1].view_for_writing(),
                     composed[2].view_for_writing()},
          a, b, kPrimes);
      for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(all_words(composed[k]), all_words(results[k]));
    }
  }
}

TEST_P(BackendTest, MultiplyScalarsTakesOneScalarPerLimb) {
  auto rng = make_rng(degree());
  const NttPoly a = random_values(rng);
  for (const bool edges : {false, true}) {
    const Words scalars = random_scalars(edges, rng);
    for (const auto& backend : backends_) {
      SCOPED_TRACE(describe(*backend));
      NttPoly result = zero_values();
      backend->multiply_scalars(result.view_for_writing(), a.view(), scalars, kPrimes);
      expect_words(result, [&](std::size_t l, std::size_t i) {
        return n_mulmod2(a.view().limb(l)[i], scalars[l], modulus(l));
      });
    }
  }
}

TEST_P(BackendTest, MultiplyScalarsAddAlsoAdds) {
  auto rng = make_rng(degree());
  const NttPoly a = random_values(rng);
  const NttPoly b = random_values(rng);
  for (const bool edges : {false, true}) {
    const Words scalars = random_scalars(edges, rng);
    for (const auto& backend : backends_) {
      SCOPED_TRACE(describe(*backend));
      const auto expect_sum = [&](const NttPoly& sum) {
        expect_words(sum, [&](std::size_t l, std::size_t i) {
          const std::uint64_t product = n_mulmod2(a.view().limb(l)[i], scalars[l], modulus(l));
          return n_addmod(product, b.view().limb(l)[i], modulus(l));
        });
      };
      NttPoly sum = zero_values();
      backend->multiply_scalars_add(sum.view_for_writing(), a.view(), b.view(), scalars, kPrimes);
      expect_sum(sum);
      backend->Backend::multiply_scalars_add(sum.view_for_writing(), a.view(), b.view(), scalars,
                                             kPrimes);
      expect_sum(sum);
      // Over either operand, both ways.
      for (const bool composed : {false, true}) {
        for (const bool over_b : {false, true}) {
          NttPoly same = over_b ? b : a;
          const NttView out = same.view_for_writing();
          const ConstNttView x = over_b ? a.view() : out;
          const ConstNttView y = over_b ? out : b.view();
          composed ? backend->Backend::multiply_scalars_add(out, x, y, scalars, kPrimes)
                   : backend->multiply_scalars_add(out, x, y, scalars, kPrimes);
          expect_sum(same);
        }
      }
    }
  }
}

TEST_P(BackendTest, ElementwisePrimitivesWorkInPlace) {
  auto rng = make_rng(degree());
  const NttPoly a = random_values(rng);
  const NttPoly b = random_values(rng);
  for (const auto& backend : backends_) {
    SCOPED_TRACE(describe(*backend));
    NttPoly expected = zero_values();
    backend->multiply_add(expected.view_for_writing(), a.view(), b.view(), a.view(), kPrimes);
    NttPoly sum = a;
    backend->multiply_add(sum.view_for_writing(), sum.view(), b.view(), sum.view(), kPrimes);
    EXPECT_EQ(all_words(sum), all_words(expected));
    backend->subtract(sum.view_for_writing(), sum.view(), sum.view(), kPrimes);
    EXPECT_EQ(all_words(sum), all_words(zero_values()));
    NttPoly difference = b;
    backend->subtract(difference.view_for_writing(), a.view(), difference.view(), kPrimes);
    backend->add(difference.view_for_writing(), difference.view(), b.view(), kPrimes);
    EXPECT_EQ(all_words(difference), all_words(a));
    backend->negate(difference.view_for_writing(), difference.view(), kPrimes);
    backend->add(difference.view_for_writing(), difference.view(), a.view(), kPrimes);
    EXPECT_EQ(all_words(difference), all_words(zero_values()));
  }
}

TEST_P(BackendTest, CoefficientsTakeTheSameElementwisePrimitives) {
  auto rng = make_rng(degree());
  const CoeffPoly a = random_poly<Form::coefficient>(basis_, kPrimes, rng);
  const CoeffPoly b = random_poly<Form::coefficient>(basis_, kPrimes, rng);
  const Words threes(kPrimes.size(), 3);
  for (const auto& backend : backends_) {
    expect_sums(*backend, a, b);
    CoeffPoly result(kPrimes.size(), degree());
    backend->multiply_scalars(result.view_for_writing(), a.view(), threes, kPrimes);
    expect_words(result, [&](std::size_t l, std::size_t i) {
      return n_mulmod2(a.view().limb(l)[i], 3, modulus(l));
    });
  }
}

TEST_P(BackendTest, NothingIsWrittenBetweenTheLimbs) {
  constexpr std::uint64_t kSentinel = 0xa5a5a5a5a5a5a5a5u;
  constexpr std::size_t kGap = 3;  // limbs that start on any word
  auto rng = make_rng(degree());
  const NttPoly a = random_values(rng);
  const std::size_t stride = degree() + kGap;
  for (const auto& backend : backends_) {
    SCOPED_TRACE(describe(*backend));
    Words memory(kPrimes.size() * stride, kSentinel);
    const NttView out{memory.data(), degree(), kPrimes.size(), stride};
    const CoeffView coefficients{memory.data(), degree(), kPrimes.size(), stride};
    backend->multiply(out, a.view(), a.view(), kPrimes);
    backend->inverse_ntt(coefficients, out, kPrimes);
    backend->forward_ntt(out, coefficients, kPrimes);
    backend->automorphism(out, a.view(), 3, kPrimes);
    backend->divide_and_round_by_last(out.first(kPrimes.size() - 1), a.view(), kPrimes);
    for (std::size_t l = 0; l < kPrimes.size(); ++l) {
      for (std::size_t i = degree(); i < stride; ++i) {
        ASSERT_EQ(memory[l * stride + i], kSentinel);
      }
    }
  }
}

TEST_P(BackendTest, ManyThreadsMayShareOneBackend) {
  auto rng = make_rng(degree());
  const NttPoly a = random_values(rng);
  const auto work = [this, &a] {
    NttPoly image = zero_values();
    backends_[0]->automorphism(image.view_for_writing(), a.view(), 3, kPrimes);
    backends_[0]->multiply(image.view_for_writing(), image.view(), a.view(), kPrimes);
    NttPoly quotient(kPrimes.size() - 1, degree());
    backends_[0]->divide_and_round_by_last(quotient.view_for_writing(), image.view(), kPrimes);
    return all_words(quotient);
  };
  const Words expected = work();
  std::vector<Words> results(4);
  std::vector<std::thread> threads;
  for (Words& result : results) {
    threads.emplace_back([&work, &result] {
      for (int i = 0; i < 10; ++i) result = work();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Words& result : results) EXPECT_EQ(result, expected);
}

INSTANTIATE_TEST_SUITE_P(Degrees, BackendTest, ::testing::Values(2, 4, 8, 16, 64, 1024, 4096));

TEST(MakeCpuBackend, ShowsItsNameBasisAndKernels) {
  const RnsBasis basis = make_basis(1024);
  const auto backend = make_cpu_backend(basis, KernelSelection("scalar64"));
  EXPECT_EQ(backend->name(), "cpu");
  EXPECT_EQ(backend->basis().degree(), 1024u);
  const std::vector<std::string> names = backend->kernel_names();
  ASSERT_EQ(names.size(), basis.size());
  for (const std::string& name : names) EXPECT_EQ(name.rfind("scalar64/", 0), 0u) << name;
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

}  // namespace
}  // namespace ringlet::test
