// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stddef.h>
#include <stdint.h>
#include <type_traits>
#include <utility>

#include "hexl/util/aligned-allocator.hpp"
#include "hexl/util/allocator.hpp"
#include "hexl/util/defines.hpp"

namespace intel {
namespace hexl {

/// The negacyclic number-theoretic transform modulo a prime q, of length N:
///   result[i] = sum_j operand[j] * w^((2 * ReverseBits(i, log2(N)) + 1) * j) mod q
/// for a root of unity w of order 2N.
///
/// Copies share one immutable plan: they cost a reference count, and any number of threads may use
/// the same object or copies of it. Only assignment needs a lock. Constant time in the elements.
class HEXL_RINGLET_API NTT {
 public:
  /// Takes the memory of the plan's tables from an `Adaptee`. The class is only declared here. A
  /// user specialises it, derived from AllocatorInterface, or defines its members for a class that
  /// has memory. The last copy of the NTT releases the tables.
  template <class Adaptee, class... Args>
  struct AllocatorAdapter : public AllocatorInterface<AllocatorAdapter<Adaptee, Args...>> {
    explicit AllocatorAdapter(Adaptee&& _a, Args&&... args);
    AllocatorAdapter(const Adaptee& _a, Args&... args);

    void* allocate_impl(size_t bytes_count);
    void deallocate_impl(void* p, size_t n);

   private:
    Adaptee alloc;
  };

  /// Makes an object without a transform: degree and modulus are 0, there are no roots, and
  /// transforms throw.
  NTT();

  /// Makes a transform with the smallest root of unity of order 2 * degree. `alloc_ptr` gives the
  /// memory of the tables; null is the ordinary memory.
  /// @throws std::invalid_argument unless degree is a power of two in [2, 2^20] and q a prime below
  ///         2^62 that is 1 mod 2 * degree; std::bad_alloc if there is no memory.
  NTT(uint64_t degree, uint64_t q, std::shared_ptr<AllocatorBase> alloc_ptr = {});

  /// Makes a transform with a root that the caller gives.
  /// @throws std::invalid_argument also if root_of_unity is not of order 2 * degree.
  NTT(uint64_t degree, uint64_t q, uint64_t root_of_unity,
      std::shared_ptr<AllocatorBase> alloc_ptr = {});

  /// Makes a transform with memory from AllocatorAdapter<Allocator, AllocatorArgs...>, constructed
  /// from the moved `a` and the forwarded `args`.
  template <class Allocator, class... AllocatorArgs,
            typename std::enable_if<
                !std::is_integral<typename std::decay<Allocator>::type>::value &&
                    !std::is_convertible<Allocator&&, std::shared_ptr<AllocatorBase>>::value,
                int>::type = 0>
  NTT(uint64_t degree, uint64_t q, Allocator&& a, AllocatorArgs&&... args)
      : NTT(degree, q,
            Adapt<Allocator, AllocatorArgs...>(a, std::forward<AllocatorArgs>(args)...)) {}

  template <
      class Allocator, class... AllocatorArgs,
      typename std::enable_if<
          !std::is_convertible<Allocator&&, std::shared_ptr<AllocatorBase>>::value, int>::type = 0>
  NTT(uint64_t degree, uint64_t q, uint64_t root_of_unity, Allocator&& a, AllocatorArgs&&... args)
      : NTT(degree, q, root_of_unity,
            Adapt<Allocator, AllocatorArgs...>(a, std::forward<AllocatorArgs>(args)...)) {}

  /// Returns true if the constructor accepts these arguments.
  static bool CheckArguments(uint64_t degree, uint64_t modulus);

  /// Transforms N words, in place if both vectors are the same, otherwise without a word in common;
  /// any alignment of whole words. Elements are in [0, input_mod_factor * q), with a factor of 1, 2
  /// or 4 (not checked); results in [0, output_mod_factor * q), with a factor of 1 or 4.
  /// @throws std::invalid_argument on a null or misaligned vector, partial overlap or another
  ///         factor, and from an object without a transform.
  void ComputeForward(uint64_t* result, const uint64_t* operand, uint64_t input_mod_factor,
                      uint64_t output_mod_factor) const;

  /// Computes the inverse transform, including the factor 1/N; both factors are 1 or 2, all else as
  /// ComputeForward.
  void ComputeInverse(uint64_t* result, const uint64_t* operand, uint64_t input_mod_factor,
                      uint64_t output_mod_factor) const;

  /// Returns the root of unity of this transform: the smallest, unless the caller gave another.
  uint64_t GetMinimalRootOfUnity() const;
  uint64_t GetDegree() const;
  uint64_t GetModulus() const;

  // Powers of the root w modulo q, and their quotients floor(power * 2^B / q) ("precon"). The
  // transforms do not read these tables. The first call computes them, which costs N
  // multiplications and up to N divisions. All copies keep them, and they are valid as long as one
  // copy lives.

  /// Returns w^i at place ReverseBits(i, log2(N)), for i < N.
  const AlignedVector64<uint64_t>& GetRootOfUnityPowers() const;
  uint64_t GetRootOfUnityPower(size_t i) const { return GetRootOfUnityPowers()[i]; }
  const AlignedVector64<uint64_t>& GetPrecon32RootOfUnityPowers() const;
  const AlignedVector64<uint64_t>& GetPrecon64RootOfUnityPowers() const;

  /// Returns GetRootOfUnityPowers() with each power at a place in [N/8, N/4) repeated four times
  /// and each power at a place in [N/4, N/2) repeated twice, for vector loads.
  const AlignedVector64<uint64_t>& GetAVX512RootOfUnityPowers() const;
  const AlignedVector64<uint64_t>& GetAVX512Precon32RootOfUnityPowers() const;
  const AlignedVector64<uint64_t>& GetAVX512Precon52RootOfUnityPowers() const;
  const AlignedVector64<uint64_t>& GetAVX512Precon64RootOfUnityPowers() const;

  /// Returns the inverse powers in the order in which an inverse transform reads them: 1, then the
  /// powers at places [N/2, N) of GetRootOfUnityPowers(), then at [N/4, N/2), and so on.
  const AlignedVector64<uint64_t>& GetInvRootOfUnityPowers() const;
  uint64_t GetInvRootOfUnityPower(size_t i) const { return GetInvRootOfUnityPowers()[i]; }
  const AlignedVector64<uint64_t>& GetPrecon32InvRootOfUnityPowers() const;
  const AlignedVector64<uint64_t>& GetPrecon52InvRootOfUnityPowers() const;
  const AlignedVector64<uint64_t>& GetPrecon64InvRootOfUnityPowers() const;

  static size_t MaxDegreeBits() { return 20; }
  static size_t MaxModulusBits() { return 62; }

  // Limits of HEXL's own kernels, for callers that read them. The limits of Ringlet's kernels are
  // in docs/kernels.md.
  static constexpr size_t s_default_shift_bits{64};
  static constexpr size_t s_ifma_shift_bits{52};
  static constexpr size_t s_max_fwd_32_modulus{size_t{1} << 30};
  static constexpr size_t s_max_inv_32_modulus{size_t{1} << 30};
  static constexpr size_t s_max_fwd_ifma_modulus{size_t{1} << 50};
  static constexpr size_t s_max_inv_ifma_modulus{size_t{1} << 50};
  static constexpr size_t s_max_inv_dq_modulus{size_t{1} << 62};

  /// Returns the limit of the kernels with this shift: 32, 52 or 64; 0 for any other shift.
  static size_t s_max_fwd_modulus(int bit_shift) {
    return bit_shift == 32   ? size_t{1} << 30
           : bit_shift == 52 ? size_t{1} << 50
           : bit_shift == 64 ? size_t{1} << 62
                             : 0;
  }
  static size_t s_max_inv_modulus(int bit_shift) { return s_max_fwd_modulus(bit_shift); }

 private:
  class State;

  template <class Allocator, class... AllocatorArgs>
  static std::shared_ptr<AllocatorBase> Adapt(typename std::remove_reference<Allocator>::type& a,
                                              AllocatorArgs&&... args) {
    return std::make_shared<AllocatorAdapter<Allocator, AllocatorArgs...>>(
        std::move(a), std::forward<AllocatorArgs>(args)...);
  }

  std::shared_ptr<const State> state_;
};

}  // namespace hexl
}  // namespace intel
