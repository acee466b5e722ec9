// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/cpu_features.hpp"
#include "kernels/conversion/conversion_kernel.hpp"
#include "kernels/crt/residue_kernel.hpp"
#include "kernels/embedding/embedding_kernel.hpp"
#include "kernels/sampling/sampling_kernel.hpp"
#include "kernels/wide/wide_kernel.hpp"
#include "ringlet/arith/modular.hpp"
#include "ringlet/kernels/comparison.hpp"

// The descriptors of kernels for the rest of the library: plain data and function pointers. Kernel
// units include this header, so it holds no containers and no functions.

namespace ringlet::kernels {

/// Ranges that a caller grants and asks for: inputs in [0, input*q), outputs in [0, output*q).
struct RangeFactors {
  int input = 1;
  int output = 1;
};

/// The parameters of a table of twiddles.
struct NttRequest {
  int log_degree = 0;
  std::uint64_t q = 0;
  std::uint64_t root = 0;  ///< Primitive 2N-th root of unity.
};

/// Sums of products: results[t] = sum over k of NTT(operands[k]) o keys[k * target_count + t], in
/// NTT form, or in coefficient form if `invert`. All operands and results are reduced. With
/// `accumulate`, results[t] in NTT form is a summand too.
struct NttSumArguments {
  std::uint64_t* const* results = nullptr;  ///< target_count vectors, which nothing overlaps.
  const std::uint64_t* const* operands = nullptr;
  const std::uint64_t* const* keys = nullptr;
  std::size_t term_count = 0;
  std::size_t target_count = 0;
  bool accumulate = false;
  bool invert = false;
  std::uint64_t* scratch = nullptr;  ///< term_count * N words.
};

/// Two transforms with the same twiddles: of operands[0] to results[0] and of operands[1] to
/// results[1]. A result may be the same as its own operand; nothing else overlaps.
struct NttTwoArguments {
  std::uint64_t* results[2] = {};
  const std::uint64_t* operands[2] = {};
  RangeFactors factors = {};
};

struct DigitSumArguments;  // kernels/ntt/digit_sum.hpp
struct BlockPermutation;   // kernels/ntt/digit_sum.hpp

/// A transform kernel. Only `build_table` and the functions that transform know what is in the
/// table.
struct NttKernel {
  const char* table = nullptr;
  const char* algorithm = nullptr;
  CpuFeatureMask needs = 0;
  std::uint64_t modulus_limit = 0;  ///< Takes q < modulus_limit, for all range factors.
  int min_log_degree = 0;
  int max_log_degree = 0;
  /// Size of the table, a multiple of 64.
  std::size_t (*table_bytes)(int log_degree) = nullptr;
  /// Fills `table` (64-byte aligned, table_bytes long).
  void (*build_table)(void* table, const NttRequest& request) = nullptr;
  /// `result` and `operand` hold N words each, are the same or do not overlap, any alignment.
  void (*forward)(std::uint64_t* result, const std::uint64_t* operand, const void* table,
                  RangeFactors factors) = nullptr;
  void (*inverse)(std::uint64_t* result, const std::uint64_t* operand, const void* table,
                  RangeFactors factors) = nullptr;
  /// Transforms of 32-bit words with the same table, for range factors f with f*q <= 2^32. Null if
  /// the kernel has none: callers then go through 64-bit words. `scratch` holds N words if the
  /// kernel's `half_words_use_scratch` says so. Those that it wrote are 0 afterwards.
  void (*forward32)(std::uint32_t* result, const std::uint32_t* operand, std::uint64_t* scratch,
                    const void* table, RangeFactors factors) = nullptr;
  void (*inverse32)(std::uint32_t* result, const std::uint32_t* operand, std::uint64_t* scratch,
                    const void* table, RangeFactors factors) = nullptr;
  bool half_words_use_scratch = false;
  /// Several transforms and the steps between them, block by block; null if the kernel has none and
  /// the caller composes the transforms.
  void (*sum)(const NttSumArguments& arguments, const void* table) = nullptr;
  /// Transforms with the values in the order that costs the kernel least; null if that is
  /// bit-reversed order. `reorder` copies values from bit-reversed order to the kernel's or back;
  /// result and operand are the same or do not overlap.
  void (*forward_unordered)(std::uint64_t* result, const std::uint64_t* operand, const void* table,
                            RangeFactors factors) = nullptr;
  void (*inverse_unordered)(std::uint64_t* result, const std::uint64_t* operand, const void* table,
                            RangeFactors factors) = nullptr;
  void (*reorder)(std::uint64_t* result, const std::uint64_t* operand, int log_degree,
                  bool to_bit_reversed) = nullptr;
  /// Two transforms at once; null if the caller makes one after the other.
  void (*forward_two)(const NttTwoArguments& arguments, const void* table) = nullptr;
  void (*inverse_two)(const NttTwoArguments& arguments, const void* table) = nullptr;
  /// Inner products of key switching, from this degree on; null if the caller composes them.
  void (*digit_sum)(const DigitSumArguments& arguments, const void* table) = nullptr;
  int digit_sum_min_log_degree = 0;
  /// Automorphisms of values; null exactly if `digit_sum` is null.
  void (*permute_blocks)(const BlockPermutation& permutation) = nullptr;
  /// For the estimate alone: it prefers the kernel on processors that have none of the traits that
  /// the kernel `avoids`, from this degree on, and passes over the kernel elsewhere.
  CpuTraitMask avoids = 0;
  int estimate_min_log_degree = 0;
  /// Never chosen unless its exact name is given: for studies.
  bool named_only = false;
};

enum class EltwiseOperation : unsigned {
  add,
  add_scalar,
  subtract,
  subtract_scalar,
  negate,
  multiply,
  multiply_add,
  multiply_scalar,
  multiply_scalar_add,
  multiply_accumulate,
  dot,
  reduce,
  reduce_range,
  compare_add,
  compare_subtract,
};
inline constexpr unsigned kEltwiseOperationCount = 15;
inline constexpr const char* kEltwiseOperationNames[kEltwiseOperationCount] = {
    "add",      "add_scalar",   "subtract",        "subtract_scalar",     "negate",
    "multiply", "multiply_add", "multiply_scalar", "multiply_scalar_add", "multiply_accumulate",
    "dot",      "reduce",       "reduce_range",    "compare_add",         "compare_subtract"};

/// Operands of an element-wise kernel; those that an operation does not read are null or zero.
struct EltwiseArguments {
  std::uint64_t* result = nullptr;  ///< `count` words, but one word for `dot`.
  const std::uint64_t* a = nullptr;
  const std::uint64_t* b = nullptr;
  const std::uint64_t* c = nullptr;
  std::size_t count = 0;
  std::uint64_t scalar = 0;  ///< Factor, summand or difference; in [0, q) where q matters.
  std::uint64_t q = 0;
  BarrettRatio ratio = {};    ///< floor(2^128 / q).
  RangeFactors factors = {};  ///< Of the vectors that an operation with range factors reads.
  Comparison comparison = Comparison::equal;
  std::uint64_t bound = 0;  ///< Second operand of the comparison.
  /// The three vectors of multiply_pairs.
  std::uint64_t* const* results = nullptr;
  /// The vectors of multiply_accumulate: term_count pointers each, to `count` words each. For
  /// multiply_pairs: two pointers each.
  const std::uint64_t* const* a_terms = nullptr;
  const std::uint64_t* const* b_terms = nullptr;
  std::size_t term_count = 0;
};

/// An element-wise kernel: any count, any alignment, in place or not, all range factors of the
/// operation with factor*q < 2^64. Results are in [0, q) unless the operation says otherwise.
struct EltwiseKernel {
  const char* table = nullptr;
  const char* algorithm = nullptr;
  EltwiseOperation operation = EltwiseOperation::add;
  CpuFeatureMask needs = 0;
  std::uint64_t modulus_limit = 0;    ///< Takes q < modulus_limit.
  std::uint64_t modulus_minimum = 2;  ///< Takes q >= modulus_minimum.
  void (*run)(const EltwiseArguments& arguments) = nullptr;
  /// For `multiply` alone: a[0] b[0], a[0] b[1] + a[1] b[0] and a[1] b[1] in one pass. A result may
  /// be the same as an operand.
  void (*run_pairs)(const EltwiseArguments& arguments) = nullptr;
  /// For the estimate alone: it prefers the kernel on processors that have none of the traits that
  /// the kernel `avoids`, and passes over the kernel elsewhere.
  CpuTraitMask avoids = 0;
};

/// How Karatsuba's recursion cuts a product of two polynomials of `base_size` * 2^recursions
/// coefficients, a wide and a small one. The wide coefficients are in [0, 2^(chunk_bits *
/// plane_count)), a plane for each chunk of them; the small ones in [-1, 1].
struct KaratsubaShape {
  std::size_t base_size = 0;
  int recursions = 0;
  int chunk_bits = 0;
  std::size_t plane_count = 0;
};

/// A wide polynomial as words: word w of coefficient i at words[w * degree + i].
struct KaratsubaOperand {
  const std::uint64_t* words = nullptr;
  std::size_t degree = 0;
  std::size_t word_count = 0;
};

/// A kernel of Karatsuba's recursion. All pointers are 64-byte aligned, nothing overlaps, all
/// lengths are multiples of 64 bytes. Constant time in the coefficients.
/// Source: Migliore et al. (2017), sections 2.4 and 3.2; docs/notes/karatsuba.md.
struct KaratsubaKernel {
  const char* table = nullptr;
  const char* algorithm = nullptr;
  CpuFeatureMask needs = 0;
  /// Takes shapes with chunk_bits <= max_chunk_bits, chunk_bits + recursions <= word_bits,
  /// base_size a multiple of base_multiple, and base_size * 2^recursions <= 32768.
  int max_chunk_bits = 0;
  int word_bits = 0;
  std::size_t base_multiple = 1;
  std::size_t (*wide_bytes)(const KaratsubaShape& shape) = nullptr;
  std::size_t (*small_bytes)(const KaratsubaShape& shape) = nullptr;
  std::size_t (*scratch_bytes)(const KaratsubaShape& shape) = nullptr;
  /// Pre-computation: the 3^recursions sub-polynomials of a wide or of a small polynomial, whose
  /// missing coefficients are 0, as `multiply` reads them.
  void (*split_wide)(void* wide, const KaratsubaOperand& p, const KaratsubaShape& shape,
                     void* scratch) = nullptr;
  void (*split_small)(void* small, const std::int8_t* u, std::size_t degree,
                      const KaratsubaShape& shape, void* scratch) = nullptr;
  /// Base products and post-computation: planes[k * 2N + i], N = base_size * 2^recursions, is
  /// coefficient i of the product of chunk k with the small polynomial, a signed integer; the last
  /// of the 2N is 0.
  void (*multiply)(std::uint64_t* planes, const void* wide, const void* small,
                   const KaratsubaShape& shape, void* scratch) = nullptr;
  /// The base products alone, for benchmarks: `planes` is unspecified afterwards.
  void (*multiply_base)(std::uint64_t* planes, const void* wide, const void* small,
                        const KaratsubaShape& shape, void* scratch) = nullptr;
};

/// The kernels of one arithmetic on one instruction set, best first where several fit.
struct KernelTable {
  const char* name = nullptr;
  CpuFeatureMask needs = 0;  ///< What every kernel of the table needs.
  std::span<const NttKernel> ntt = {};
  std::span<const EltwiseKernel> eltwise = {};
  std::span<const KaratsubaKernel> karatsuba = {};
  std::span<const ResidueKernel> residue = {};
  std::span<const WideKernel> wide = {};
  std::span<const ConversionKernel> conversion = {};
  std::span<const EmbeddingKernel> embedding = {};
  std::span<const SamplingKernel> sampling = {};
};

}  // namespace ringlet::kernels
