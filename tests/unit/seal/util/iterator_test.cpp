// SPDX-License-Identifier: Apache-2.0
#include "seal/util/iterator.h"

#include <numeric>

#include "seal/seal.h"
#include "seal/util/polycore.h"
#include "unit/seal/thrown.hpp"

namespace ringlet::test {
namespace {

using namespace ::seal::util;  // NOLINT(google-build-using-namespace): as programs do

TEST(SealIterators, walk_polynomials_primes_and_words) {
  std::vector<std::uint64_t> words(2 * 3 * 4);
  std::iota(words.begin(), words.end(), 0);
  const PolyIter polys(words.data(), 4, 3);
  EXPECT_EQ(polys.poly_modulus_degree(), 4u);
  EXPECT_EQ(polys.coeff_modulus_size(), 3u);
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_EQ(polys[i / 12][i / 4 % 3][i % 4], i);
    EXPECT_EQ(*(*(*(polys + i / 12) + i / 4 % 3) + i % 4), i);
  }
  const ConstPolyIter fixed = polys;
  EXPECT_EQ((fixed + 2) - fixed, 2);
  EXPECT_EQ(**(fixed[1] + 1), 16u);
  RNSIter primes = polys[1];
  EXPECT_EQ(static_cast<std::uint64_t*>(primes), words.data() + 12);
  EXPECT_EQ((primes++)[0][1], 13u);
  EXPECT_EQ((--primes, primes += 2, *primes[0]), 20u);
  EXPECT_TRUE(primes > polys[1] && polys[1] <= primes && primes != polys[1]);
  const StrideIter<std::uint64_t*> strided(words, 5);
  EXPECT_EQ(*strided[2], 10u);
  EXPECT_EQ(RNSIter(strided).poly_modulus_degree(), 5u);
  const CoeffIter coeff = words;
  const ConstCoeffIter const_coeff = coeff;
  EXPECT_TRUE(coeff == const_coeff && const_coeff == coeff && const_coeff);
  EXPECT_FALSE(RNSIter());
  EXPECT_EQ(coeff.ptr(), words.data());
  EXPECT_LOGIC_ERROR(PolyIter(words.data(), ~std::size_t{0}, 2));
}

TEST(SealIterators, iter_makes_the_types_of_seal) {
  auto pool = ::seal::MemoryManager::GetPool();
  const std::vector<::seal::Modulus> moduli{3, 5};
  std::vector<std::uint64_t> words(8);
  const Pointer<std::uint64_t> memory = allocate_uint(8, pool);
  ::seal::Ciphertext encrypted;
  const ::seal::Ciphertext& fixed = encrypted;
  const RNSIter rns(words.data(), 4);
  const auto same = [](auto made, auto expected) {
    return std::is_same_v<decltype(made), decltype(expected)>;
  };
  EXPECT_TRUE(same(iter(moduli), ConstModulusIter()));
  EXPECT_TRUE(same(iter(words), CoeffIter()));
  EXPECT_TRUE(same(iter(memory), CoeffIter()));
  EXPECT_TRUE(same(iter(words.data()), CoeffIter()));
  EXPECT_TRUE(same(iter(encrypted), PolyIter()));
  EXPECT_TRUE(same(iter(fixed), ConstPolyIter()));
  EXPECT_TRUE(same(iter(std::size_t{3}), SeqIter<std::size_t>()));
  EXPECT_TRUE(same(iter(rns, moduli, 0), IterTuple<RNSIter, ConstModulusIter, SeqIter<int>>()));
  auto pair = iter(rns, moduli);
  EXPECT_TRUE(same(iter(pair, words), IterTuple<decltype(pair), CoeffIter>()));
  EXPECT_TRUE(same(iter(words, pair), IterTuple<CoeffIter, RNSIter, ConstModulusIter>()));
  EXPECT_TRUE(same(reverse_iter(pair), ReverseIter<decltype(pair)>()));
  EXPECT_EQ((get<0, 1>(iter(pair, words))->value()), 3u);
  const IterTuple<CoeffIter, ConstModulusIter> inside(
      std::make_tuple(words.data(), moduli.data() + 1));
  EXPECT_EQ(std::get<1>(*inside), 5u);
}

TEST(SealIterators, seal_iterate_over_tuples) {
  auto pool = ::seal::MemoryManager::GetPool();
  const std::vector<::seal::Modulus> moduli{3, 5, 7};
  SEAL_ALLOCATE_ZERO_GET_RNS_ITER(rns, 4, 3, pool);
  SEAL_ALLOCATE_GET_COEFF_ITER(copy, 12, pool);
  SEAL_ALLOCATE_GET_STRIDE_ITER(stride, int, 3, std::size_t{2}, pool);
  SEAL_ALLOCATE_GET_PTR_ITER(numbers, int, 3, pool);
  SEAL_ITERATE(iter(rns, moduli, std::size_t{10}, numbers), 3, [&](auto I) {
    SEAL_ITERATE(get<0>(I), 4, [&](auto& J) { J += get<1>(I).value() + std::get<2>(I); });
    get<3>(I) = static_cast<int>(get<2>(I));
  });
  set_poly(rns, 4, 3, copy);
  std::vector<std::uint64_t> expected{13, 13, 13, 13, 16, 16, 16, 16, 19, 19, 19, 19};
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), copy.ptr()));
  EXPECT_EQ(numbers[2], 12);
  EXPECT_EQ(stride.stride(), 2u);
  std::vector<std::uint64_t> backwards;
  SEAL_ITERATE(reverse_iter(rns + 2, iter(moduli) + 2, 2), 3, [&](auto I) {
    backwards.push_back(*get<0>(I) * 100 + get<1>(I).value() * 10 + get<2>(I));
  });
  EXPECT_EQ(backwards, (std::vector<std::uint64_t>{1972, 1651, 1330}));
  EXPECT_EQ(reverse_iter(5) + 2 - reverse_iter(5), 2);
  SEAL_ALLOCATE_ZERO_GET_POLY_ITER(polys, 2, 4, 3, pool);
  EXPECT_TRUE(is_zero_uint(polys, 24));
}

TEST(SealPointers, own_objects_and_share_the_pool) {
  struct Counted {
    explicit Counted(int* count) : count_(count) { ++*count_; }
    Counted(const Counted& other) : Counted(other.count_) {}
    ~Counted() { --*count_; }
    int* count_;
  };
  int count = 0;
  auto pool = ::seal::MemoryPoolHandle::New();
  {
    auto three = allocate<Counted>(3, pool, &count);
    const auto copies = allocate<Counted>(three.get(), 2, pool);
    EXPECT_EQ(count, 5);
    const long users = pool.use_count();
    Pointer<Counted> moved = std::move(three);
    EXPECT_FALSE(three.is_set());
    EXPECT_EQ(pool.use_count(), users);
    const ConstPointer<Counted> fixed = std::move(moved);
    EXPECT_EQ(fixed->count_, &count);
    EXPECT_EQ(Pointer<int>::Aliasing(&count).get(), &count);
    EXPECT_EQ(Pointer<int>::Owning(new int[2]{4, 5})[1], 5);
    pool = ::seal::MemoryPoolHandle();
  }
  EXPECT_EQ(count, 0);
  EXPECT_LOGIC_ERROR(allocate_uint(1, pool));
}

}  // namespace
}  // namespace ringlet::test
