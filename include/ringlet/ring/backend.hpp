// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ringlet/base/export.hpp"
#include "ringlet/base/host_pool.hpp"
#include "ringlet/kernels/kernel_selection.hpp"
#include "ringlet/ring/memory.hpp"
#include "ringlet/ring/rns_basis.hpp"
#include "ringlet/ring/storage.hpp"

namespace ringlet {

class BasisConversion;
class RnsScaling;
struct KeySwitchSource;
struct PreparedKeys;

/// A key-switching key as a backend likes to read it: made by Backend::prepare_key, understood by
/// the backend that made it alone, never saved. Immutable.
class RINGLET_API PreparedKey {
 public:
  virtual ~PreparedKey();
  PreparedKey(const PreparedKey&) = delete;
  PreparedKey& operator=(const PreparedKey&) = delete;

 protected:
  PreparedKey() noexcept;
};

/// A matrix whose entries are vectors of `size` polynomials, of n limbs each: entry (i, j) is
/// entries[i * columns + j], with limb l of its polynomial x as limb x * n + l.
template <typename Word>
struct BasicNttMatrix {
  std::span<const BasicPolyView<Form::ntt, Word>> entries;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t size = 0;
};
using NttMatrix = BasicNttMatrix<std::uint64_t>;
using ConstNttMatrix = BasicNttMatrix<const std::uint64_t>;

/// The RNS primitives on which all schemes stand. Each is ONE exact integer formula, so that every
/// backend and every kernel gives the same bits. Limb i of a view is modulo basis()[primes[i]]; all
/// views of one call share the list unless the primitive says otherwise. Views have the basis'
/// degree and one limb per entry of `primes` (a precondition of the caller, asserted here for all
/// implementations); results may be the same view as an operand unless the primitive says
/// otherwise. Operands and results are reduced. Without limbs nothing is done. Constant time in the
/// data. Implementations are immutable after construction and shared by threads.
class RINGLET_API Backend {
 public:
  /// Words of limbs, and polynomials one after the other.
  using ConstWords = std::span<const std::uint64_t>;
  using ConstViews = std::span<const ConstNttView>;

  virtual ~Backend();

  /// For people: "cpu", ...
  virtual std::string name() const = 0;
  /// The kernel of each prime of the basis, in order: "table/algorithm" of its transform.
  virtual std::vector<std::string> kernel_names() const = 0;
  const RnsBasis& basis() const noexcept { return basis_; }
  /// Where all views, digits and lists of words of calls are: the memory of a device, or null for
  /// the host. Only scalars and descriptions are always on the host.
  const std::shared_ptr<Memory>& memory() const noexcept { return memory_; }
  /// Host memory for what calls with this backend need on their way, and for their results.
  const std::shared_ptr<HostPool>& pool() const noexcept { return pool_; }
  /// Different for every backend that this process ever makes.
  std::uint64_t id() const noexcept { return id_; }
  /// What KSwitchKey::prepared has of this object, and goes with it.
  const std::shared_ptr<PreparedKeys>& prepared_keys() const noexcept { return prepared_keys_; }

  /// result = a, for as many limbs as the result has: `a` may have more. Nothing if they start at
  /// the same place.
  void copy(ResidueView result, ConstResidueView a) const;

  /// Coefficients to NTT form and back.
  void forward_ntt(NttView result, ConstCoeffView a, PrimeIndices primes) const;
  void inverse_ntt(CoeffView result, ConstNttView a, PrimeIndices primes) const;

  /// result = a + b, a - b, -a, element by element, in either form.
  void add(ResidueView result, ConstResidueView a, ConstResidueView b, PrimeIndices primes) const;
  void subtract(ResidueView result, ConstResidueView a, ConstResidueView b,
                PrimeIndices primes) const;
  void negate(ResidueView result, ConstResidueView a, PrimeIndices primes) const;

  /// result = a * b: the ring product, slot by slot in NTT form.
  void multiply(NttView result, ConstNttView a, ConstNttView b, PrimeIndices primes) const;
  /// result = a * b + c.
  void multiply_add(NttView result, ConstNttView a, ConstNttView b, ConstNttView c,
                    PrimeIndices primes) const;
  /// result = sum over k of a[k] * b[k], for as many a as b and at least one. `result` overlaps no
  /// operand. By default a composition of the two primitives above.
  void multiply_accumulate(NttView result, ConstViews a, ConstViews b, PrimeIndices primes) const;
  /// The product of two pairs as polynomials of degree one: product[0] = a[0] * b[0], product[1] =
  /// a[0] * b[1] + a[1] * b[0], product[2] = a[1] * b[1]. The three overlap neither each other nor
  /// an operand; a and b may be the same. By default a composition of the primitives above.
  void multiply_pairs(std::span<const NttView, 3> product, std::span<const ConstNttView, 2> a,
                      std::span<const ConstNttView, 2> b, PrimeIndices primes) const;
  /// The product of matrices whose entries are multiplied as polynomials in one variable:
  ///   c(i, j)_p = [c(i, j)_p if p < held] + sum over t, and x + y = p, of a(i, t)_x * b(t, j)_y
  /// a has as many columns as b rows, at least one; c the other sides of both, and entries of size
  /// a.size + b.size - 1. `primes` are those of one polynomial. Entries of c overlap neither each
  /// other nor an operand; those of a and b may. By default a composition of multiply,
  /// multiply_add, multiply_accumulate and add, whose memory is there before c is first written: on
  /// the host limb by limb and shared out among threads, elsewhere all limbs of a polynomial at
  /// once.
  void multiply_matrices(const NttMatrix& c, const ConstNttMatrix& a, const ConstNttMatrix& b,
                         std::size_t held, PrimeIndices primes) const;
  /// result = a * scalars[i] on limb i; scalars are reduced. In either form.
  void multiply_scalars(ResidueView result, ConstResidueView a, ConstWords scalars,
                        PrimeIndices primes) const;
  /// result = a * scalars[i] + b on limb i, as above. By default a composition of the primitives
  /// above.
  void multiply_scalars_add(ResidueView result, ConstResidueView a, ConstResidueView b,
                            ConstWords scalars, PrimeIndices primes) const;

  /// result(X) = a(X^galois_element) for an element of basis().ring(). `result` and `a` must
  /// differ.
  void automorphism(NttView result, ConstNttView a, std::uint64_t galois_element,
                    PrimeIndices primes) const;
  void automorphism(CoeffView result, ConstCoeffView a, std::uint64_t galois_element,
                    PrimeIndices primes) const;

  /// result limb i = digit mod basis()[primes[i]], where `digit` holds residues modulo
  /// basis()[digit_prime], taken as integers in [0, q). `digit` must not overlap `result`.
  void lift_digit(CoeffView result, ConstWords digit, std::size_t digit_prime,
                  PrimeIndices primes) const;

  /// The digits of key switching: limb i of the result holds the coefficients of limb i of `a` as
  /// offset digits, t = (a + floor(q/2)) mod q. An offset digit stands for the integer
  /// t - floor(q/2), the residue of least absolute value: with a mean of 0, products of digits and
  /// errors do not pile up in the slots near X = 1. From either form.
  void inverse_ntt_to_digits(CoeffView result, ConstNttView a, PrimeIndices primes) const;
  void to_digits(CoeffView result, ConstCoeffView a, PrimeIndices primes) const;
  /// result = digit - floor(q/2) modulo each of `primes`, in NTT form, for one limb of offset
  /// digits of the prime q = basis()[digit_prime]. `digit` must not overlap `result`.
  void lift_digit_to_ntt(NttView result, ConstWords digit, std::size_t digit_prime,
                         PrimeIndices primes) const;

  /// The basis conversion that `conversion` describes, made for this basis: limb i of `a` is modulo
  /// the prime conversion.from()[i], limb j of the result modulo conversion.to()[j]. The result may
  /// have fewer limbs than there are such primes: then it is the first of them. No overlap.
  void convert_basis(CoeffView result, ConstCoeffView a, const BasisConversion& conversion) const;
  /// The same to conversion.modulus().
  void convert_to_modulus(std::span<std::uint64_t> result, ConstCoeffView a,
                          const BasisConversion& conversion) const;
  /// round(t/Q * x) as `scaling` describes it, made for this basis, of x modulo the primes
  /// scaling.q() and scaling.r(): modulo the primes of Q. The result may be over_q. By default a
  /// composition of the primitives above.
  void scale_and_round(CoeffView result, ConstCoeffView over_q, ConstCoeffView over_r,
                       const RnsScaling& scaling) const;

  // The next three are for words of the host, on every backend: what messages and ciphertexts are
  // before a backend has them. By default loops over words.

  /// Whether limb i is reduced modulo basis()[primes[i]] for all i. Time depends on the answer
  /// alone.
  bool is_reduced(ConstResidueView a, PrimeIndices primes) const;
  /// result limb i = the coefficients of a message in [0, t), t < 2^60, as the residues modulo t of
  /// least absolute value (m - t from (t+1)/2 on), modulo basis()[primes[i]]; missing ones are 0.
  void lift_message(CoeffView result, ConstWords message, std::uint64_t t,
                    PrimeIndices primes) const;
  /// result limb i = a * scalars[i] + b for two vectors of as many words below `bound`, modulo
  /// basis()[primes[i]]; scalars are reduced, missing words are 0. No overlap.
  void combine_words(CoeffView result, ConstWords a, ConstWords b, std::uint64_t bound,
                     ConstWords scalars, PrimeIndices primes) const;

  /// Division by the last prime p of `primes` with rounding, coefficient by coefficient:
  ///   result = (a - delta) / p modulo the other primes, delta = t * [a * t^-1]_p with t = preserve
  /// and [.]_p the residue of least absolute value. With t = 1 this is floor((a + floor(p/2)) / p);
  /// otherwise it is off by t/2 at most, and congruent to a * p^-1 modulo t. t is not a multiple of
  /// p. `result` has one limb less than `a`; it may start at the same place. Rescaling, modulus
  /// switching and the end of key switching are this operation.
  /// @throws InvalidArgument if t has no inverse modulo p.
  void divide_and_round_by_last(NttView result, ConstNttView a, PrimeIndices primes,
                                std::uint64_t preserve = 1) const;
  void divide_and_round_by_last(CoeffView result, ConstCoeffView a, PrimeIndices primes,
                                std::uint64_t preserve = 1) const;
  /// Division by the product P of the last primes of `primes`, those that conversion.from() lists:
  ///   result = (a - delta) / P modulo the other primes, delta = t * r
  /// where r is what `conversion` makes of a * t^-1. The other primes are conversion.to(), or the
  /// first of them. For one prime this is divide_and_round_by_last. `result` has so many limbs less
  /// than `a`; it may start at the same place. By default a composition of the primitives above.
  /// @throws InvalidArgument if t has no inverse modulo one of the last primes.
  void divide_and_round(NttView result, ConstNttView a, PrimeIndices primes,
                        const BasisConversion& conversion, std::uint64_t preserve = 1) const;
  void divide_and_round(CoeffView result, ConstCoeffView a, PrimeIndices primes,
                        const BasisConversion& conversion, std::uint64_t preserve = 1) const;

  /// Makes ready a key-switching key of the pairs (b[j], a[j]), whose limb p is modulo basis()[p].
  /// These are on the host. The prepared key may read their words later: they outlive it, and stay
  /// as they are. By default it is the views.
  std::shared_ptr<const PreparedKey> prepare_key(ConstViews b, ConstViews a) const;
  /// Products of digits with the pairs from `first_digit` on, in every limb
  ///   sum_b = start_b + sum over k of lifted_digits[k] * b[first_digit + k], the same for sum_a;
  /// a start is 0 for first_digit = 0, else what the sum holds. Limb i is modulo
  /// basis()[primes[i]], of keys too. There is at least one digit; sums overlap neither each other
  /// nor a digit. By default a composition of the primitives above.
  void key_inner_product(NttView sum_b, NttView sum_a, ConstViews lifted_digits,
                         std::size_t first_digit, const PreparedKey& key,
                         PrimeIndices primes) const;
  /// The inner products of key switching, with d_k the polynomial that digit k stands for:
  ///   sum_b = sum over k of d_k * b[k] in limb i modulo basis()[targets[i]], the same for sum_a.
  /// Modulo the digit's own primes d_k is the source itself; elsewhere it is what lift_digit_to_ntt
  /// or convert_basis makes of it. targets[i] = i for every limb i of the source; other primes
  /// follow, those of digit.lift with the digit's own left out. The key has a pair for each digit,
  /// and all targets. Sums overlap neither each other nor the source; where memory runs out they
  /// are not specified. By default a composition of the primitives above.
  /// @throws OutOfDeviceMemory, where a device lacks memory even for one target at a time.
  void multiply_digits_by_key(NttView sum_b, NttView sum_a, const KeySwitchSource& source,
                              const PreparedKey& key, PrimeIndices targets) const;

 protected:
  explicit Backend(RnsBasis basis, std::shared_ptr<Memory> memory = nullptr);

  // What an implementation computes: the primitive without do_ calls it with operands that fit, and
  // with at least one limb to write. Those that are not pure have a composition.
  virtual void do_copy(ResidueView result, ConstResidueView a) const = 0;
  virtual void do_forward_ntt(NttView result, ConstCoeffView a, PrimeIndices primes) const = 0;
  virtual void do_inverse_ntt(CoeffView result, ConstNttView a, PrimeIndices primes) const = 0;
  virtual void do_add(ResidueView result, ConstResidueView a, ConstResidueView b,
                      PrimeIndices primes) const = 0;
  virtual void do_subtract(ResidueView result, ConstResidueView a, ConstResidueView b,
                           PrimeIndices primes) const = 0;
  virtual void do_negate(ResidueView result, ConstResidueView a, PrimeIndices primes) const = 0;
  virtual void do_multiply(NttView result, ConstNttView a, ConstNttView b,
                           PrimeIndices primes) const = 0;
  virtual void do_multiply_add(NttView result, ConstNttView a, ConstNttView b, ConstNttView c,
                               PrimeIndices primes) const = 0;
  virtual void do_multiply_accumulate(NttView result, ConstViews a, ConstViews b,
                                      PrimeIndices primes) const;
  virtual void do_multiply_pairs(std::span<const NttView, 3> product,
                                 std::span<const ConstNttView, 2> a,
                                 std::span<const ConstNttView, 2> b, PrimeIndices primes) const;
  virtual void do_multiply_matrices(const NttMatrix& c, const ConstNttMatrix& a,
                                    const ConstNttMatrix& b, std::size_t held,
                                    PrimeIndices primes) const;
  virtual void do_multiply_scalars(ResidueView result, ConstResidueView a, ConstWords scalars,
                                   PrimeIndices primes) const = 0;
  virtual void do_multiply_scalars_add(ResidueView result, ConstResidueView a, ConstResidueView b,
                                       ConstWords scalars, PrimeIndices primes) const;
  virtual void do_automorphism(NttView result, ConstNttView a, std::uint64_t galois_element,
                               PrimeIndices primes) const = 0;
  virtual void do_automorphism(CoeffView result, ConstCoeffView a, std::uint64_t galois_element,
                               PrimeIndices primes) const = 0;
  virtual void do_lift_digit(CoeffView result, ConstWords digit, std::size_t digit_prime,
                             PrimeIndices primes) const = 0;
  virtual void do_inverse_ntt_to_digits(CoeffView result, ConstNttView a,
                                        PrimeIndices primes) const = 0;
  virtual void do_to_digits(CoeffView result, ConstCoeffView a, PrimeIndices primes) const = 0;
  virtual void do_lift_digit_to_ntt(NttView result, ConstWords digit, std::size_t digit_prime,
                                    PrimeIndices primes) const = 0;
  virtual void do_convert_basis(CoeffView result, ConstCoeffView a,
                                const BasisConversion& conversion) const = 0;
  virtual void do_convert_to_modulus(std::span<std::uint64_t> result, ConstCoeffView a,
                                     const BasisConversion& conversion) const = 0;
  virtual void do_scale_and_round(CoeffView result, ConstCoeffView over_q, ConstCoeffView over_r,
                                  const RnsScaling& scaling) const;
  virtual bool do_is_reduced(ConstResidueView a, PrimeIndices primes) const;
  virtual void do_lift_message(CoeffView result, ConstWords message, std::uint64_t t,
                               PrimeIndices primes) const;
  virtual void do_combine_words(CoeffView result, ConstWords a, ConstWords b, std::uint64_t bound,
                                ConstWords scalars, PrimeIndices primes) const;
  virtual void do_divide_and_round_by_last(NttView result, ConstNttView a, PrimeIndices primes,
                                           std::uint64_t preserve) const = 0;
  virtual void do_divide_and_round_by_last(CoeffView result, ConstCoeffView a, PrimeIndices primes,
                                           std::uint64_t preserve) const = 0;
  virtual void do_divide_and_round(NttView result, ConstNttView a, PrimeIndices primes,
                                   const BasisConversion& conversion, std::uint64_t preserve) const;
  virtual void do_divide_and_round(CoeffView result, ConstCoeffView a, PrimeIndices primes,
                                   const BasisConversion& conversion, std::uint64_t preserve) const;
  virtual std::shared_ptr<const PreparedKey> do_prepare_key(ConstViews b, ConstViews a) const;
  virtual void do_key_inner_product(NttView sum_b, NttView sum_a, ConstViews lifted_digits,
                                    std::size_t first_digit, const PreparedKey& key,
                                    PrimeIndices primes) const;
  virtual void do_multiply_digits_by_key(NttView sum_b, NttView sum_a,
                                         const KeySwitchSource& source, const PreparedKey& key,
                                         PrimeIndices targets) const;

 private:
  RnsBasis basis_;
  std::shared_ptr<Memory> memory_;
  std::shared_ptr<HostPool> pool_;
  std::uint64_t id_;
  std::shared_ptr<PreparedKeys> prepared_keys_;
};

/// The backend that runs on this processor's kernels. Plans for all primes are made here.
/// @throws as Ntt does.
RINGLET_API std::shared_ptr<const Backend> make_cpu_backend(
    RnsBasis basis, const KernelSelection& selection = KernelSelection::from_environment());

}  // namespace ringlet
