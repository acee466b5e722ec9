// SPDX-License-Identifier: Apache-2.0
// Multiplies two polynomials of Z_q[X]/(X^N + 1) through the transform: (X^(N-1))^2 = -X^(N-2).
#include <cstdint>
#include <iostream>
#include <vector>

#include <ringlet/arith/primes.hpp>
#include <ringlet/kernels/eltwise.hpp>
#include <ringlet/ntt/ntt.hpp>

int main() {
  constexpr std::size_t kDegree = 1024;
  const ringlet::Modulus q = ringlet::generate_ntt_primes(49, kDegree, 1)[0];
  const ringlet::Ntt ntt(kDegree, q);

  std::vector<std::uint64_t> values(kDegree);
  values[kDegree - 1] = 1;
  ntt.forward(values);
  ringlet::Eltwise(q).multiply(values, values, values);
  ntt.inverse(values);

  std::vector<std::uint64_t> expected(kDegree);
  expected[kDegree - 2] = q.value() - 1;
  std::cout << ntt.kernel_name() << (values == expected ? ": right\n" : ": wrong\n");
  return values == expected ? 0 : 1;
}
