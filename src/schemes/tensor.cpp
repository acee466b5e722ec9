// SPDX-License-Identifier: Apache-2.0
#include "schemes/tensor.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "ringlet/error.hpp"
#include "schemes/polynomials.hpp"

namespace ringlet::schemes {
namespace {

std::vector<ConstNttView> views_of(const Ciphertext& a) {
  std::vector<ConstNttView> views;
  for (std::size_t k = 0; k < a.size(); ++k) views.push_back(a.ntt_view(k));
  return views;
}

std::vector<NttView> views_for_writing(Ciphertext& a) {
  std::vector<NttView> views;
  for (std::size_t k = 0; k < a.size(); ++k) views.push_back(a.ntt_view_for_writing(k));
  return views;
}

}  // namespace

// One limb after the other, so that operands stay in the cache.
void tensor(const Backend& backend, PrimeIndices primes, std::span<const ConstNttView> a,
            std::span<const ConstNttView> b, std::span<const NttView> product) {
  for (std::size_t limb = 0; limb < primes.size(); ++limb) {
    const PrimeIndices prime = primes.subspan(limb, 1);
    for (std::size_t k = 0; k < product.size(); ++k) {
      const NttView sum = product[k].part(limb, 1);
      const std::size_t first = k < b.size() ? 0 : k - b.size() + 1;
      const std::size_t last = std::min(k, a.size() - 1);
      for (std::size_t i = first; i <= last; ++i) {
        const ConstNttView x = a[i].part(limb, 1);
        const ConstNttView y = b[k - i].part(limb, 1);
        if (i == first) {
          backend.multiply(sum, x, y, prime);
        } else {
          backend.multiply_add(sum, x, y, sum, prime);
        }
      }
    }
  }
}

void tensor_square(const Backend& backend, PrimeIndices primes, std::span<const ConstNttView> a,
                   std::span<const NttView> product) {
  for (std::size_t limb = 0; limb < primes.size(); ++limb) {
    const PrimeIndices prime = primes.subspan(limb, 1);
    for (std::size_t k = 0; k < product.size(); ++k) {
      const NttView sum = product[k].part(limb, 1);
      const std::size_t first = k < a.size() ? 0 : k - a.size() + 1;
      for (std::size_t i = first; 2 * i < k; ++i) {
        const ConstNttView x = a[i].part(limb, 1);
        const ConstNttView y = a[k - i].part(limb, 1);
        if (i == first) {
          backend.multiply(sum, x, y, prime);
        } else {
          backend.multiply_add(sum, x, y, sum, prime);
        }
      }
      const bool has_mixed = 2 * first < k;
      if (has_mixed) backend.add(sum, sum, sum, prime);
      if (k % 2 != 0) continue;
      const ConstNttView x = a[k / 2].part(limb, 1);
      if (has_mixed) {
        backend.multiply_add(sum, x, x, sum, prime);
      } else {
        backend.multiply(sum, x, x, prime);
      }
    }
  }
}

void check_product_size(std::size_t size, const char* operation) {
  if (size <= kMaxCiphertextSize) return;
  throw_invalid_argument({operation, concat("a product of size ", size),
                          concat("at most ", kMaxCiphertextSize, " polynomials"),
                          "relinearize the operands first"});
}

void multiply_in_ntt_form(const Context& context, const Ciphertext& a, const Ciphertext& b,
                          double scale, std::uint64_t correction_factor, Ciphertext& destination) {
  constexpr const char* kOperation = "Evaluator::multiply";
  const std::size_t size = a.size() + b.size() - 1;
  check_product_size(size, kOperation);
  const ContextData& level = *context.get_context_data(a.parms_id());
  const auto multiply_into = [&](Ciphertext& result) {
    tensor(context.backend(), level.primes(), views_of(a), views_of(b), views_for_writing(result));
  };
  if (product_is_nonzero(a.view(a.size() - 1), b.view(b.size() - 1))) {
    ElementwiseResult result(destination, level, size, Form::ntt, a, b);
    multiply_into(result.ciphertext());
    result.commit(scale, correction_factor);
    return;
  }
  // The last polynomial vanishes: only the whole product shows whether the result is transparent.
  Ciphertext result(level, size);
  multiply_into(result);
  check_not_transparent(result, kOperation);
  result.scale() = scale;
  result.correction_factor() = correction_factor;
  destination = std::move(result);
}

void square_in_ntt_form(const Context& context, const Ciphertext& a, double scale,
                        std::uint64_t correction_factor, Ciphertext& destination) {
  constexpr const char* kOperation = "Evaluator::square";
  const std::size_t size = 2 * a.size() - 1;
  check_product_size(size, kOperation);
  // In each place residues form a field: a square is transparent only if its operand is.
  check_not_transparent(a, kOperation);
  const ContextData& level = *context.get_context_data(a.parms_id());
  ElementwiseResult result(destination, level, size, Form::ntt, a, a);
  tensor_square(context.backend(), level.primes(), views_of(a),
                views_for_writing(result.ciphertext()));
  result.commit(scale, correction_factor);
}

}  // namespace ringlet::schemes
