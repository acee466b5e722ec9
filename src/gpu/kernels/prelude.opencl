// SPDX-License-Identifier: Apache-2.0
// Names that the kernels use in both languages, for OpenCL C 1.2 and later.

typedef ulong u64;
typedef uint u32;
typedef ulong2 u64x2;  // Two words, 16 bytes aligned: .x and .y.
typedef uint4 u32x4;  // Four words of 32 bits, 16 bytes aligned: .x, .y, .z and .w.

// The driver chooses the width of a kernel's sub-groups, unless a definition sets it.
#ifdef RINGLET_SUB_GROUP_SIZE
#define KERNEL __attribute__((intel_reqd_sub_group_size(RINGLET_SUB_GROUP_SIZE))) __kernel
#else
#define KERNEL __kernel
#endif
// PoCL 3.1 gives a function that is not inlined the numbers of another work-item.
#define FUNCTION static inline __attribute__((always_inline))
#define GLOBAL __global
#define LOCAL __local
// An array in the memory that a group shares, at the top of a kernel.
#define LOCAL_ARRAY(name, count) __local u64 name[count]
#define LOCAL_PAIRS(name, count) __local u64x2 name[count]  // Of pairs of words.
// At most `size` work-items per group.
#define GROUP_LIMIT(size)
// The same, with registers so few that `count` such groups share a processor.
#define GROUP_LIMIT_SHARED(size, count)
// Exactly `size` work-items per group, and registers so few that `count` groups share a processor.
#define GROUP_EXACT(size, count) __attribute__((reqd_work_group_size(size, 1, 1)))
// A pointer to what no other pointer writes.
#define RESTRICT restrict

// Whether barriers are allowed in branches that all work-items of a group take together.
#define BARRIERS_IN_BRANCHES 0
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
// A barrier also for global memory: words that others have read may be written after it.
#define BARRIER_GLOBAL() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define GROUP_ID(d) ((u32)get_group_id(d))
#define GROUP_COUNT(d) ((u32)get_num_groups(d))
#define LOCAL_ID() ((u32)get_local_id(0))
#define GROUP_SIZE() ((u32)get_local_size(0))
#define GLOBAL_ID() ((u32)get_global_id(0))

// The upper 64 bits of a * b: mul_high of arithmetic.inc.
#define MUL_HIGH(a, b) mul_hi((u64)(a), (u64)(b))
// The same of 32-bit words.
#define MUL_HIGH_NARROW(a, b) mul_hi((u32)(a), (u32)(b))
