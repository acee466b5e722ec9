// SPDX-License-Identifier: Apache-2.0
// The calls that Tables 1 to 4 of the HEXL paper time. lab/scripts/compare_hexl.py compiles this
// file once with each library's headers, and loads both results into one process. Modulus factors
// are 1, as in the paper.
#include <chrono>
#include <cstdint>

#include "hexl/hexl.hpp"

#define PROBE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

enum Operation { kForward, kInverse, kMultiply, kMultiplyAdd };

/// A degree and modulus with the caller's buffers.
struct Job {
  std::uint64_t degree, q;
  std::uint64_t* result;
  const std::uint64_t *a, *b;
  intel::hexl::NTT ntt;
};

}  // namespace

PROBE_EXPORT std::uint64_t probe_prime(std::uint64_t bits, std::uint64_t degree) {
  return intel::hexl::GeneratePrimes(1, bits - 1, true, degree)[0];
}

PROBE_EXPORT void* probe_job(std::uint64_t degree, std::uint64_t q, std::uint64_t* result,
                             const std::uint64_t* a, const std::uint64_t* b) {
  return new Job{degree, q, result, a, b, intel::hexl::NTT(degree, q)};
}

/// Makes `calls` calls and returns their nanoseconds. Transforms work in place on the result.
PROBE_EXPORT double probe_run(void* pointer, int operation, std::uint64_t calls) {
  Job& job = *static_cast<Job*>(pointer);
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < calls; ++i) {
    switch (operation) {
      case kForward:
        job.ntt.ComputeForward(job.result, job.result, 1, 1);
        break;
      case kInverse:
        job.ntt.ComputeInverse(job.result, job.result, 1, 1);
        break;
      case kMultiply:
        intel::hexl::EltwiseMultMod(job.result, job.a, job.b, job.degree, job.q, 1);
        break;
      case kMultiplyAdd:
        intel::hexl::EltwiseFMAMod(job.result, job.a, job.b[0], job.b, job.degree, job.q, 1);
        break;
    }
  }
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}
