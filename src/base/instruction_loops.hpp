// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// Loops of independent instructions and passes over memory, with which benchmarks compare kernels.
// They are assembly, so that the including file needs no flags of an instruction set. Compilers
// without these flags use none of the registers above zmm15.

namespace ringlet::bench {

inline bool has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
  return false;
#endif
}

inline bool has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") != 0;
#else
  return false;
#endif
}

/// True if the processor has vpmadd52, a multiply-add of 52 bits.
inline bool has_avx512_ifma() {
#if defined(__x86_64__)
  return has_avx512() && __builtin_cpu_supports("avx512ifma") != 0;
#else
  return false;
#endif
}

/// Reads and writes each word once, in the widest vectors that there are; `count` is a multiple of
/// eight, at least eight.
inline void run_pass(std::uint64_t* words, std::size_t count) {
#if defined(__x86_64__)
  std::size_t i = 0;
  if (has_avx512()) {
    asm volatile(
        "vpxorq %%zmm17, %%zmm17, %%zmm17\n"
        "1:\n"
        "vpxorq (%[words],%[i],8), %%zmm17, %%zmm16\n"
        "vmovdqu64 %%zmm16, (%[words],%[i],8)\n"
        "add $8, %[i]\n"
        "cmp %[count], %[i]\n"
        "jb 1b\n"
        : [i] "+r"(i)
        : [words] "r"(words), [count] "r"(count)
        : "cc", "memory");
    return;
  }
  if (has_avx2()) {
    asm volatile(
        "vpxor %%xmm1, %%xmm1, %%xmm1\n"
        "1:\n"
        "vpxor (%[words],%[i],8), %%ymm1, %%ymm0\n"
        "vmovdqu %%ymm0, (%[words],%[i],8)\n"
        "vpxor 32(%[words],%[i],8), %%ymm1, %%ymm0\n"
        "vmovdqu %%ymm0, 32(%[words],%[i],8)\n"
        "add $8, %[i]\n"
        "cmp %[count], %[i]\n"
        "jb 1b\n"
        "vzeroupper\n"
        : [i] "+r"(i)
        : [words] "r"(words), [count] "r"(count)
        : "cc", "memory", "xmm0", "xmm1");
    return;
  }
#endif
  std::uint64_t key = 1;
  asm volatile("" : "+r"(key));
  for (std::size_t j = 0; j < count; ++j) words[j] ^= key;
  asm volatile("" : : "r"(words) : "memory");
}

}  // namespace ringlet::bench

#if defined(__x86_64__)
/// Repeats `instruction` once for each number in `registers` ("0,1,2"); `\d` in its text becomes
/// the number.
#define RINGLET_FOR_REGISTERS(registers, instruction) \
  ".irp d," registers "\n" instruction "\n.endr\n"
/// Runs `before`, then `body` `rounds` times; the variable `rounds` is 0 afterwards. The two may
/// write any vector registers. Further arguments are operands of both.
#define RINGLET_INSTRUCTION_LOOP(rounds, before, body, ...)                                    \
  asm volatile(before "1:\n" body                                                              \
                      "dec %[left]\n"                                                          \
                      "jnz 1b\n"                                                               \
                      "vzeroupper\n"                                                           \
               : [left] "+r"(rounds)                                                           \
               : __VA_ARGS__                                                                   \
               : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", \
                 "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15")
#endif
