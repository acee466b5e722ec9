// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ringlet/ring/storage.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/keys.hpp"

namespace ringlet::rlwe {

/// Key switching: adds to (c0, c1) an encryption under s of source * s', where `key` leads from s'
/// to s. With d_j the centred value of `source` modulo the primes of digit j, and P the product of
/// the special primes,
///   (c0, c1) += (sum_j d_j*b_j / P, sum_j d_j*a_j / P)
/// rounded, for BGV such that messages modulo t stay. All views are at `level` of `context` (a data
/// level below the key level), all in NTT form or all in coefficient form; `source` may be c0 or
/// c1. Brakerski and Vaikuntanathan's decomposition with the modulus raising of Gentry, Halevi and
/// Smart, IACR ePrint 2012/099; digits of several primes as Han and Ki, CT-RSA 2020. Constant time
/// in the data.
void add_key_switched(const Context& context, const ContextData& level, ConstNttView source,
                      const KSwitchKey& key, NttView c0, NttView c1);
void add_key_switched(const Context& context, const ContextData& level, ConstCoeffView source,
                      const KSwitchKey& key, CoeffView c0, CoeffView c1);

/// (c0, c1) = (a0, a1) + what add_key_switched adds: the results may be the operands.
template <Form F>
struct SwitchedSum {
  ConstPolyView<F> a0;
  ConstPolyView<F> a1;
  PolyView<F> c0;
  PolyView<F> c1;
};
template <Form F>
void add_key_switched(const Context& context, const ContextData& level, ConstPolyView<F> source,
                      const KSwitchKey& key, const SwitchedSum<F>& sum);

/// An image of a ciphertext (c0, c1) under an automorphism, before its key switching: `key` leads
/// from s(X^galois_element) to s, c0 holds c0(X^galois_element), and c1 nothing yet.
template <Form F>
struct SwitchedImage {
  std::uint64_t galois_element = 0;
  const KSwitchKey* key = nullptr;
  PolyView<F> c0;
  PolyView<F> c1;
};

/// Applies add_key_switched to (result.c0, 0), for `image` = c1(X^galois_element). No view overlaps
/// another one.
template <Form F>
void switch_image(const Context& context, const ContextData& level, ConstPolyView<F> image,
                  const SwitchedImage<F>& result);

/// Returns whether switch_images serves the level: rings X^N + 1 and digits of one prime. There an
/// automorphism moves coefficients and changes signs, and the residue of least absolute value of -a
/// is minus that of a: the digits of an image are the images of the digits, exactly.
bool has_switched_images(const Context& context, const ContextData& level);
/// Does switch_image, with the same bits, for several images of one `source` = c1. The digits are
/// computed and transformed once; their values are permuted for each image. Halevi and Shoup,
/// "Faster homomorphic linear transformations in HElib", IACR ePrint 2018/244, section 5. No view
/// overlaps another one.
void switch_images(const Context& context, const ContextData& level, ConstNttView source,
                   std::span<const SwitchedImage<Form::ntt>> images);
void switch_images(const Context& context, const ContextData& level, ConstCoeffView source,
                   std::span<const SwitchedImage<Form::coefficient>> images);

/// An automorphism, and the key that leads from s(X^galois_element) to s.
struct ImageKey {
  std::uint64_t galois_element = 0;
  const KSwitchKey* key = nullptr;
};

/// Polynomials c1 of a ciphertext under automorphisms.
template <Form F>
struct SourceImages {
  ConstPolyView<F> source;
  std::vector<ImageKey> images;
};

/// Does add_key_switched for a sum: with s_b and s_a the sums of d_j*b_j and d_j*a_j over the
/// images of all sources,
///   (sum.c0, sum.c1) = (sum.a0 + s_b / P, sum.a1 + s_a / P).
/// There is one division and one rounding for all images, of which there is at least one. Images of
/// one source share its digits where has_switched_images. sum.a1 may have no limbs: it is then 0.
template <Form F>
void add_switched_images(const Context& context, const ContextData& level,
                         std::span<const SourceImages<F>> sources, const SwitchedSum<F>& sum);

/// Switches the keys of c_2, c_3, ... and rescales, in one division. With s_b and s_a the sums
/// above over all sources before they are divided, sum_j d_j*b_j and sum_j d_j*a_j, and with q the
/// last prime of `level`,
///   (result_0, result_1) = ((P*c_0 + s_b) / (P*q), (P*c_1 + s_a) / (P*q))
/// modulo the other primes of the level, rounded as Backend::divide_and_round does. `polynomials`
/// are c_0, c_1, c_2, ...; keys[k] leads from the secret that goes with c_(k+2) to s. The context's
/// scheme has a scale and the level at least two primes; no result overlaps a polynomial.
void relinearize_and_rescale(const Context& context, const ContextData& level,
                             std::span<const ConstNttView> polynomials,
                             std::span<const KSwitchKey* const> keys, NttView result_0,
                             NttView result_1);

}  // namespace ringlet::rlwe
