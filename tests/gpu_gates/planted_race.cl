// SPDX-License-Identifier: Apache-2.0
// Kernels with faults that the checker of kernels must find, and one without. One group of 64.

KERNEL void missing_barrier(GLOBAL u64* words) {
  LOCAL_ARRAY(shared, 64);
  const u32 i = LOCAL_ID();
  shared[i] = words[i];
  words[i] = shared[63 - i];
}

KERNEL void beyond_the_end(GLOBAL u64* words) {
  const u32 i = LOCAL_ID();
  words[i] = words[64 + i];
}

KERNEL void unordered_sum(GLOBAL u64* words) { words[0] += LOCAL_ID(); }

KERNEL void without_fault(GLOBAL u64* words) {
  LOCAL_ARRAY(shared, 64);
  const u32 i = LOCAL_ID();
  shared[i] = words[i];
  BARRIER();
  words[i] = shared[63 - i];
}
