// SPDX-License-Identifier: Apache-2.0
#include "schemes/evaluator/tensor.hpp"

#include <algorithm>
#include <utility>

#include "base/inline_vector.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "rlwe/checks.hpp"
#include "schemes/evaluator/polynomials.hpp"

namespace ringlet::schemes {
namespace {

InlineVector<ConstNttView, kMaxCiphertextSize> views_of(const Ciphertext& a,
                                                        const Backend& backend) {
  InlineVector<ConstNttView, kMaxCiphertextSize> views;
  for (std::size_t k = 0; k < a.size(); ++k) views.push_back(a.ntt_view(k, backend));
  return views;
}

InlineVector<NttView, kMaxCiphertextSize> views_for_writing(Ciphertext& a, const Backend& backend) {
  InlineVector<NttView, kMaxCiphertextSize> views;
  for (std::size_t k = 0; k < a.size(); ++k) views.push_back(a.ntt_view_for_writing(k, backend));
  return views;
}

// A device wants few calls with much work.
std::size_t limbs_per_call(const Backend& backend, PrimeIndices primes) {
  return backend.memory() == nullptr ? 1 : primes.size();
}

}  // namespace

// Goes limb by limb on the host, so that operands stay in the cache.
void tensor(const Backend& backend, PrimeIndices primes, std::span<const ConstNttView> a,
            std::span<const ConstNttView> b, std::span<const NttView> product) {
  if (a.size() == 2 && b.size() == 2) {
    return backend.multiply_pairs(product.first<3>(), a.first<2>(), b.first<2>(), primes);
  }
  const std::size_t step = limbs_per_call(backend, primes);
  for (std::size_t limb = 0; limb < primes.size(); limb += step) {
    const PrimeIndices prime = primes.subspan(limb, step);
    for (std::size_t k = 0; k < product.size(); ++k) {
      const NttView sum = product[k].part(limb, step);
      const std::size_t first = k < b.size() ? 0 : k - b.size() + 1;
      const std::size_t last = std::min(k, a.size() - 1);
      for (std::size_t i = first; i <= last; ++i) {
        const ConstNttView x = a[i].part(limb, step);
        const ConstNttView y = b[k - i].part(limb, step);
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
  // One pass over memory is worth more than the product that a square saves, but a device has to
  // compose multiply_pairs.
  if (a.size() == 2 && backend.memory() == nullptr) {
    return backend.multiply_pairs(product.first<3>(), a.first<2>(), a.first<2>(), primes);
  }
  const std::size_t step = limbs_per_call(backend, primes);
  for (std::size_t limb = 0; limb < primes.size(); limb += step) {
    const PrimeIndices prime = primes.subspan(limb, step);
    for (std::size_t k = 0; k < product.size(); ++k) {
      const NttView sum = product[k].part(limb, step);
      const std::size_t first = k < a.size() ? 0 : k - a.size() + 1;
      for (std::size_t i = first; 2 * i < k; ++i) {
        const ConstNttView x = a[i].part(limb, step);
        const ConstNttView y = a[k - i].part(limb, step);
        if (i == first) {
          backend.multiply(sum, x, y, prime);
        } else {
          backend.multiply_add(sum, x, y, sum, prime);
        }
      }
      const bool has_mixed = 2 * first < k;
      if (has_mixed) backend.add(sum, sum, sum, prime);
      if (k % 2 != 0) continue;
      const ConstNttView x = a[k / 2].part(limb, step);
      if (has_mixed) {
        backend.multiply_add(sum, x, x, sum, prime);
      } else {
        backend.multiply(sum, x, x, prime);
      }
    }
  }
}

void check_product_size(std::size_t size) {
  if (size <= kMaxCiphertextSize) return;
  refuse(concat("a product of size ", size), concat("at most ", kMaxCiphertextSize, " polynomials"),
         "relinearize the operands first");
}

void multiply_in_ntt_form(const Context& context, const Ciphertext& a, const Ciphertext& b,
                          double scale, std::uint64_t correction_factor, Ciphertext& destination) {
  const std::size_t size = a.size() + b.size() - 1;
  check_product_size(size);
  const Backend& backend = context.backend();
  const ContextData& level = *context.get_context_data(a.parms_id());
  const KeyId key_id = rlwe::common_key(a.key_id(), b.key_id());
  const auto multiply_into = [&](Ciphertext& result) {
    tensor(backend, level.primes(), views_of(a, backend), views_of(b, backend),
           views_for_writing(result, backend));
  };
  if (!is_on_host(context) || product_is_nonzero(a.view(a.size() - 1), b.view(b.size() - 1))) {
    const bool may_reuse = &destination != &a && &destination != &b;
    ElementwiseResult result(context, destination, level, size, Form::ntt, may_reuse);
    multiply_into(result.ciphertext());
    result.commit(key_id, scale, correction_factor);
    return;
  }
  // The last polynomial vanishes: only the whole product shows whether the result is transparent.
  Ciphertext result = destination.new_result(level, size, Form::ntt);
  multiply_into(result);
  check_not_transparent(context, result);
  result.key_id() = key_id;
  result.scale() = scale;
  result.correction_factor() = correction_factor;
  destination = std::move(result);
}

void square_in_ntt_form(const Context& context, const Ciphertext& a, double scale,
                        std::uint64_t correction_factor, Ciphertext& destination) {
  const std::size_t size = 2 * a.size() - 1;
  check_product_size(size);
  // In each place residues form a field: a square is transparent only if its operand is.
  check_operand_not_transparent(context, a);
  const Backend& backend = context.backend();
  const ContextData& level = *context.get_context_data(a.parms_id());
  ElementwiseResult result(context, destination, level, size, Form::ntt, &destination != &a);
  tensor_square(backend, level.primes(), views_of(a, backend),
                views_for_writing(result.ciphertext(), backend));
  result.commit(a.key_id(), scale, correction_factor);
}

}  // namespace ringlet::schemes
