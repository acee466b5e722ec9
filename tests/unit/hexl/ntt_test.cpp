// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "hexl/hexl.hpp"
#include "support/reference/ntt_reference.hpp"
#include "support/refusal.hpp"
#include "support/threads.hpp"
#include "unit/hexl/support.hpp"

namespace ringlet::test {
namespace {

using intel::hexl::AlignedVector64;
using intel::hexl::NTT;

/// The smallest or largest prime of `bits` bits that has a transform of length n.
std::uint64_t prime(int bits, std::size_t n, bool smallest = true) {
  return intel::hexl::GeneratePrimes(1, static_cast<std::size_t>(bits - 1), smallest, n)[0];
}

TEST(HexlNtt, transforms_by_its_definition) {
  auto rng = make_rng();
  for (const std::size_t n : {2, 4, 8, 16, 64, 1024}) {
    for (const int bits : {20, 30, 50, 51, 60, 62}) {
      const std::uint64_t q = prime(bits, n, bits % 2 == 0);
      SCOPED_TRACE(testing::Message() << "n = " << n << ", q = " << q);
      const NTT ntt(n, q);
      EXPECT_EQ(ntt.GetMinimalRootOfUnity(), intel::hexl::MinimalPrimitiveRoot(2 * n, q));
      const Words a = mixed_values(n, q, 1, rng);
      Words values(n);
      ntt.ComputeForward(values.data(), a.data(), 1, 1);
      for (const std::size_t i : {std::size_t{0}, n / 2, n - 1}) {
        EXPECT_EQ(values[i], ntt_value(a, i, ntt.GetMinimalRootOfUnity(), q)) << i;
      }
      Words back(n);
      ntt.ComputeInverse(back.data(), values.data(), 1, 1);
      EXPECT_EQ(back, a);
    }
  }
}

TEST(HexlNtt, takes_and_gives_the_ranges_of_its_factors) {
  auto rng = make_rng();
  const std::size_t n = 128;
  for (const int bits : {50, 62}) {
    const std::uint64_t q = prime(bits, n, false);
    const NTT ntt(n, q);
    const auto expect_range = [&](auto transform, std::uint64_t input, std::uint64_t output) {
      SCOPED_TRACE(testing::Message() << input << " -> " << output << ", " << bits);
      Words values = mixed_values(n, q, input, rng);
      Words plain = words(n, [&](auto i) { return values[i] % q; });
      (ntt.*transform)(plain.data(), plain.data(), 1, 1);
      (ntt.*transform)(values.data(), values.data(), input, output);
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_LT(static_cast<DoubleWord>(values[i]), static_cast<DoubleWord>(output) * q);
        ASSERT_EQ(values[i] % q, plain[i]);
      }
    };
    for (const std::uint64_t input : {1, 2, 4}) {
      for (const std::uint64_t output : {1, 4}) expect_range(&NTT::ComputeForward, input, output);
    }
    for (const std::uint64_t input : {1, 2}) {
      for (const std::uint64_t output : {1, 2}) expect_range(&NTT::ComputeInverse, input, output);
    }
  }
}

TEST(HexlNtt, a_root_of_the_caller_s_choice_is_used) {
  auto rng = make_rng();
  const std::size_t n = 64;
  const std::uint64_t q = prime(50, n);
  const std::uint64_t least = intel::hexl::MinimalPrimitiveRoot(2 * n, q);
  const std::uint64_t root = intel::hexl::PowMod(least, 5, q);
  ASSERT_NE(root, least);
  const NTT ntt(n, q, root);
  EXPECT_EQ(ntt.GetMinimalRootOfUnity(), root);
  const Words a = mixed_values(n, q, 1, rng);
  Words values(n);
  ntt.ComputeForward(values.data(), a.data(), 1, 1);
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(values[i], ntt_value(a, i, root, q)) << i;
}

TEST(HexlNtt, is_empty_at_first_and_may_be_kept_in_maps) {
  NTT empty;
  EXPECT_EQ(empty.GetDegree(), 0u);
  EXPECT_EQ(empty.GetModulus(), 0u);
  EXPECT_EQ(empty.GetMinimalRootOfUnity(), 0u);
  EXPECT_TRUE(empty.GetRootOfUnityPowers().empty());
  EXPECT_TRUE(empty.GetAVX512Precon52RootOfUnityPowers().empty());
  std::array<std::uint64_t, 4> a = {1, 2, 3, 4};
  const auto before = a;
  EXPECT_THROW(empty.ComputeForward(a.data(), a.data(), 1, 1), InvalidArgument);
  EXPECT_THROW(empty.ComputeInverse(a.data(), a.data(), 1, 1), InvalidArgument);
  EXPECT_EQ(a, before);

  std::unordered_map<std::uint64_t, NTT> plans;
  const std::uint64_t q = prime(30, 4);
  plans[q] = NTT(4, q);
  NTT moved = std::move(plans[q]);
  NTT copy = moved;
  empty = copy;
  copy = NTT();
  empty.ComputeForward(a.data(), a.data(), 1, 1);
  EXPECT_NE(a, before);
  moved.ComputeInverse(a.data(), a.data(), 1, 1);
  EXPECT_EQ(a, before);
  EXPECT_EQ(empty.GetDegree(), 4u);
  EXPECT_EQ(empty.GetModulus(), q);
}

/// The getters of powers show what their description says.
TEST(HexlNtt, powers_of_the_root) {
  for (const std::size_t n : {2, 4, 8, 64}) {
    const std::uint64_t q = prime(49, n);
    const NTT ntt(n, q);
    SCOPED_TRACE(n);
    const std::uint64_t w = ntt.GetMinimalRootOfUnity();
    std::uint64_t log_n = 0;
    while ((std::size_t{1} << log_n) < n) ++log_n;
    const auto& roots = ntt.GetRootOfUnityPowers();
    const auto& inverses = ntt.GetInvRootOfUnityPowers();
    ASSERT_EQ(roots.size(), n);
    ASSERT_EQ(inverses.size(), n);
    EXPECT_EQ(inverses[0], 1u);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(roots[intel::hexl::ReverseBits(i, log_n)], intel::hexl::PowMod(w, i, q));
      EXPECT_EQ(ntt.GetRootOfUnityPower(i), roots[i]);
      EXPECT_EQ(ntt.GetInvRootOfUnityPower(i), inverses[i]);
    }
    std::size_t place = 1;
    for (std::size_t block = n / 2; block > 0; block /= 2) {
      for (std::size_t i = 0; i < block; ++i, ++place) {
        EXPECT_EQ(times(inverses[place], roots[block + i], q), 1u) << place;
      }
    }
    std::vector<std::uint64_t> spread;
    for (std::size_t i = 0; i < n; ++i) {
      const bool four = i >= n / 8 && i < n / 4;
      const bool two = i >= n / 4 && i < n / 2;
      spread.insert(spread.end(), four ? 4 : two ? 2 : 1, roots[i]);
    }
    const auto& shown = ntt.GetAVX512RootOfUnityPowers();
    EXPECT_EQ(Words(shown.begin(), shown.end()), spread);
  }
}

TEST(HexlNtt, quotients_of_the_powers) {
  const std::size_t n = 64;
  const std::uint64_t q = prime(61, n);
  const NTT ntt(n, q);
  const auto expect_quotients = [&](const AlignedVector64<std::uint64_t>& quotients,
                                    const AlignedVector64<std::uint64_t>& powers, int shift) {
    ASSERT_EQ(quotients.size(), powers.size());
    for (std::size_t i = 0; i < powers.size(); ++i) {
      EXPECT_EQ(quotients[i],
                static_cast<std::uint64_t>((static_cast<DoubleWord>(powers[i]) << shift) / q));
    }
  };
  // These quotients come first, before any call for the powers themselves.
  const auto& precon64 = ntt.GetPrecon64InvRootOfUnityPowers();
  expect_quotients(precon64, ntt.GetInvRootOfUnityPowers(), 64);
  expect_quotients(ntt.GetPrecon52InvRootOfUnityPowers(), ntt.GetInvRootOfUnityPowers(), 52);
  expect_quotients(ntt.GetPrecon32InvRootOfUnityPowers(), ntt.GetInvRootOfUnityPowers(), 32);
  expect_quotients(ntt.GetAVX512Precon64RootOfUnityPowers(), ntt.GetAVX512RootOfUnityPowers(), 64);
  expect_quotients(ntt.GetAVX512Precon52RootOfUnityPowers(), ntt.GetAVX512RootOfUnityPowers(), 52);
  expect_quotients(ntt.GetAVX512Precon32RootOfUnityPowers(), ntt.GetAVX512RootOfUnityPowers(), 32);
  expect_quotients(ntt.GetPrecon64RootOfUnityPowers(), ntt.GetRootOfUnityPowers(), 64);
  expect_quotients(ntt.GetPrecon32RootOfUnityPowers(), ntt.GetRootOfUnityPowers(), 32);
}

TEST(HexlNtt, copies_show_the_same_powers_and_keep_them_alive) {
  const std::uint64_t q = prime(40, 16);
  auto first = std::make_unique<NTT>(16, q);
  const NTT copy = *first;
  const auto* powers = &first->GetRootOfUnityPowers();
  first.reset();
  EXPECT_EQ(powers, &copy.GetRootOfUnityPowers());
  EXPECT_EQ((*powers)[0], 1u);
}

TEST(HexlNtt, threads_share_one_object) {
  const std::size_t n = 1024;
  const std::uint64_t q = prime(50, n);
  const NTT ntt(n, q);
  auto rng = make_rng();
  const Words a = mixed_values(n, q, 1, rng);
  in_threads([&](std::size_t) {
    const NTT copy = ntt;
    Words x = a;
    for (int round = 0; round < 4; ++round) {
      copy.ComputeForward(x.data(), x.data(), 1, 1);
      ntt.ComputeInverse(x.data(), x.data(), 1, 1);
    }
    EXPECT_EQ(x, a);
    EXPECT_EQ(ntt.GetPrecon52InvRootOfUnityPowers().size(), n);
  });
}

// The threads meet only through the object: ThreadSanitizer sees if a ready array is not whole.
TEST(HexlNtt, late_threads_find_whole_arrays) {
  const NTT ntt(256, prime(50, 256));
  std::atomic<bool> is_made = false;
  std::thread late([&] {
    while (!is_made.load(std::memory_order_relaxed)) std::this_thread::yield();
    EXPECT_EQ(ntt.GetRootOfUnityPowers().size(), 256u);
  });
  ntt.GetRootOfUnityPowers();
  is_made.store(true, std::memory_order_relaxed);
  late.join();
}

TEST(HexlNtt, tables_are_in_memory_of_the_caller_s_adapter) {
  const std::size_t n = 256;
  const std::uint64_t q = prime(50, n);
  auto memory = std::make_shared<CountedMemory>();
  auto rng = make_rng();
  const Words a = mixed_values(n, q, 1, rng);
  const NTT plain(n, q);
  Words expected(n);
  plain.ComputeForward(expected.data(), a.data(), 1, 1);
  {
    const NTT ntt(n, q, MemoryHandle(memory));
    EXPECT_GE(memory->blocks(), 1u);
    EXPECT_GE(memory->bytes(), n * sizeof(std::uint64_t)) << "less than one table of twiddles";
    const std::size_t without_powers = memory->bytes();
    EXPECT_EQ(ntt.GetRootOfUnityPowers()[0], 1u);
    EXPECT_GE(memory->bytes(), without_powers + n * sizeof(std::uint64_t));
    NTT copy = ntt;
    const std::size_t blocks = memory->blocks();
    Words x = a;
    copy.ComputeForward(x.data(), x.data(), 1, 1);
    EXPECT_EQ(x, expected);
    EXPECT_EQ(memory->blocks(), blocks) << "copies and transforms need no memory";
  }
  EXPECT_EQ(memory->blocks(), 0u);
  EXPECT_EQ(memory->bytes(), 0u) << "blocks must come back with their sizes";
  {
    // With a root, with one more argument for the adapter, and with both.
    const NTT ntt(n, q, plain.GetMinimalRootOfUnity(), MemoryHandle(memory), Policy{});
    EXPECT_GE(memory->blocks(), 1u);
    const NTT other(n, q, MemoryHandle(memory), Policy{});
    Words x = a;
    other.ComputeForward(x.data(), x.data(), 1, 1);
    EXPECT_EQ(x, expected);
    ntt.ComputeInverse(x.data(), x.data(), 1, 1);
    EXPECT_EQ(x, a);
  }
  EXPECT_EQ(memory->bytes(), 0u);
  {
    const NTT ntt(n, q, PlainMemory{memory});
    EXPECT_GE(memory->blocks(), 1u);
    EXPECT_EQ(ntt.GetModulus(), q);
  }
  EXPECT_EQ(memory->bytes(), 0u);
}

TEST(HexlNtt, takes_a_shared_allocator_and_says_when_it_has_no_memory) {
  const std::uint64_t q = prime(40, 16);
  auto memory = std::make_shared<CountedMemory>();
  {
    const NTT ntt(16, q, std::make_shared<CountedStrategy>(memory));
    const NTT null(16, q, nullptr);
    EXPECT_GE(memory->blocks(), 1u);
    EXPECT_EQ(null.GetDegree(), 16u);
  }
  EXPECT_EQ(memory->bytes(), 0u);
  EXPECT_THROW(NTT(16, q, std::make_shared<NoMemory>()), std::bad_alloc);
}

TEST(HexlNtt, checks_its_arguments) {
  const std::uint64_t q = prime(30, 8);
  EXPECT_TRUE(NTT::CheckArguments(8, q));
  EXPECT_TRUE(NTT::CheckArguments(1 << 20, prime(50, 1 << 20)));
  const auto refuses = [](std::size_t degree, std::uint64_t modulus) {
    EXPECT_FALSE(NTT::CheckArguments(degree, modulus)) << degree << ", " << modulus;
    EXPECT_THROW(NTT(degree, modulus), std::invalid_argument) << degree << ", " << modulus;
  };
  for (const std::size_t degree : {0, 1, 12}) refuses(degree, q);
  refuses(1 << 21, prime(50, 1 << 21));
  refuses(8, q + 16 * 3);  // composite or another residue
  for (const std::uint64_t modulus : {0ull, 15ull, ~0ull, (1ull << 62) + 1}) refuses(8, modulus);
  EXPECT_THROW(NTT(8, q, std::uint64_t{1}), std::invalid_argument);
  EXPECT_THROW(NTT(8, q, q), std::invalid_argument);
}

TEST(HexlNtt, refuses_buffers_and_factors) {
  const std::uint64_t q = prime(30, 8);
  const NTT ntt(8, q);
  std::array<std::uint64_t, 16> a{};
  auto* const p = a.data();
  EXPECT_THROW(ntt.ComputeForward(nullptr, p, 1, 1), InvalidArgument);
  EXPECT_THROW(ntt.ComputeForward(p, nullptr, 1, 1), InvalidArgument);
  EXPECT_THROW(ntt.ComputeInverse(p + 1, p, 1, 1), InvalidArgument);
  for (const std::uint64_t factor : {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{8},
                                     (std::uint64_t{1} << 32) + 1, ~std::uint64_t{0}}) {
    EXPECT_THROW(ntt.ComputeForward(p, p, factor, 1), InvalidArgument) << factor;
    EXPECT_THROW(ntt.ComputeForward(p, p, 1, factor), InvalidArgument) << factor;
    EXPECT_THROW(ntt.ComputeInverse(p, p, factor, 1), InvalidArgument) << factor;
    EXPECT_THROW(ntt.ComputeInverse(p, p, 1, factor), InvalidArgument) << factor;
  }
  EXPECT_THROW(ntt.ComputeForward(p, p, 1, 2), InvalidArgument);
  EXPECT_THROW(ntt.ComputeInverse(p, p, 4, 1), InvalidArgument);
  expect_refusal_of("NTT::ComputeInverse", {}, [&] { ntt.ComputeInverse(p, p, 4, 1); });
}

TEST(HexlNtt, constants) {
  EXPECT_EQ(NTT::MaxDegreeBits(), 20u);
  EXPECT_EQ(NTT::MaxModulusBits(), 62u);
  EXPECT_EQ(NTT::s_max_fwd_modulus(32), NTT::s_max_fwd_32_modulus);
  EXPECT_EQ(NTT::s_max_fwd_modulus(52), NTT::s_max_fwd_ifma_modulus);
  EXPECT_EQ(NTT::s_max_inv_modulus(64), NTT::s_max_inv_dq_modulus);
  EXPECT_EQ(NTT::s_max_inv_modulus(7), 0u);
}

using intel::hexl::AlignedAllocator;
using intel::hexl::AlignedVector64;

bool starts_on(const void* address, std::uintptr_t boundary) {
  return reinterpret_cast<std::uintptr_t>(address) % boundary == 0;
}

TEST(HexlAllocator, vectors_start_on_64_bytes) {
  for (std::size_t n = 1; n < 100; n += 7) {
    const AlignedVector64<std::uint64_t> words(n, 5);
    const AlignedVector64<unsigned char> bytes(n);
    EXPECT_TRUE(starts_on(words.data(), 64)) << n;
    EXPECT_TRUE(starts_on(bytes.data(), 64)) << n;
    EXPECT_EQ(words.back(), 5u);
  }
}

TEST(HexlAllocator, other_alignments) {
  AlignedAllocator<char, 1> unaligned;
  char* const byte = unaligned.allocate(3);
  byte[2] = 1;
  unaligned.deallocate(byte, 3);
  AlignedAllocator<double, 4096> page;
  double* const doubles = page.allocate(2);
  EXPECT_TRUE(starts_on(doubles, 4096));
  page.deallocate(doubles, 2);
}

TEST(HexlAllocator, uses_its_strategy_and_gives_back_what_it_took) {
  const auto memory = std::make_shared<CountedMemory>();
  const auto strategy = std::make_shared<CountedStrategy>(memory);
  {
    AlignedVector64<std::uint64_t> words{AlignedAllocator<std::uint64_t, 64>(strategy)};
    for (std::uint64_t i = 0; i < 1000; ++i) words.push_back(i);
    EXPECT_EQ(memory->blocks(), 1u);
    EXPECT_GE(memory->bytes(), 8000u);
    EXPECT_EQ(words[999], 999u);
  }
  EXPECT_EQ(memory->bytes(), 0u);
}

/// Containers that move or swap their memory take its strategy along.
TEST(HexlAllocator, memory_goes_back_where_it_came_from) {
  const auto memory = std::make_shared<CountedMemory>();
  const auto strategy = std::make_shared<CountedStrategy>(memory);
  {
    AlignedVector64<std::uint64_t> a(10, 1, AlignedAllocator<std::uint64_t, 64>(strategy));
    AlignedVector64<std::uint64_t> b(10, 2);
    EXPECT_FALSE(a.get_allocator() == b.get_allocator());
    EXPECT_TRUE(a.get_allocator() != b.get_allocator());
    b = std::move(a);
    EXPECT_EQ(b[9], 1u);
    AlignedVector64<std::uint64_t> c(10, 3);
    std::swap(b, c);
    EXPECT_EQ(c[0], 1u);
    EXPECT_TRUE(c.get_allocator() == (AlignedAllocator<std::uint64_t, 64>(strategy)));
    const AlignedVector64<std::uint64_t> copy = c;
    EXPECT_EQ(memory->blocks(), 2u);
    EXPECT_EQ(copy, c);
  }
  EXPECT_EQ(memory->blocks(), 0u);
}

TEST(HexlAllocator, says_when_there_is_no_memory) {
  AlignedAllocator<std::uint64_t, 64> none(std::make_shared<NoMemory>());
  EXPECT_THROW(none.allocate(1), std::bad_alloc);
  AlignedAllocator<std::uint64_t, 64> ordinary;
  EXPECT_THROW(ordinary.allocate(std::numeric_limits<std::size_t>::max() / 8), std::bad_alloc);
  EXPECT_NO_THROW(ordinary.deallocate(nullptr, 0));
}

TEST(HexlAllocator, the_shared_strategy_of_the_c_library) {
  ASSERT_NE(intel::hexl::mallocStrategy, nullptr);
  AlignedVector64<int> numbers(3, 7, AlignedAllocator<int, 64>(intel::hexl::mallocStrategy));
  EXPECT_EQ(numbers[2], 7);
}

}  // namespace
}  // namespace ringlet::test
