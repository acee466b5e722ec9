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
struct GadgetImages;
struct KeySwitchSource;
struct KeySwitchResult;
struct PreparedKeys;

/// A key-switching key in the internal format of the backend that made it with
/// Backend::prepare_key. Only that backend reads it. It is never saved. Immutable.
class RINGLET_API PreparedKey {
 public:
  virtual ~PreparedKey();
  PreparedKey(const PreparedKey&) = delete;
  PreparedKey& operator=(const PreparedKey&) = delete;

 protected:
  PreparedKey() noexcept;
};

/// The pairs of a key from `first` on, and whether their products are added to sums that are there.
struct KeyTerms {
  const PreparedKey& key;
  std::size_t first = 0;
  bool adds = first != 0;
};

/// A matrix whose entries are vectors of `size` polynomials with n limbs each. Entry (i, j) is
/// entries[i * columns + j]; limb l of polynomial x of the entry is limb x * n + l of this view.
template <typename Word>
struct BasicNttMatrix {
  std::span<const BasicPolyView<Form::ntt, Word>> entries;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t size = 0;
};
using NttMatrix = BasicNttMatrix<std::uint64_t>;
using ConstNttMatrix = BasicNttMatrix<const std::uint64_t>;

/// The RNS primitives that all schemes use. Each primitive is one exact integer formula, so that
/// every backend and every kernel gives the same bits. Limb i of a view is modulo
/// basis()[primes[i]]. All views of one call share the list `primes` unless the primitive states
/// otherwise.
///
/// Preconditions of the caller, asserted here for all implementations: views have the degree of the
/// basis and one limb per entry of `primes`. A result may be the same view as an operand unless the
/// primitive states otherwise. Words of operands and results are reduced. A call without limbs does
/// nothing. Constant time in the data. Implementations are immutable after construction; threads
/// share them.
class RINGLET_API Backend {
 public:
  /// Operands: the words of limbs, and a list of polynomials.
  using ConstWords = std::span<const std::uint64_t>;
  using ConstViews = std::span<const ConstNttView>;

  virtual ~Backend();

  /// Returns the name of this backend for messages: "cpu", ...
  virtual std::string name() const = 0;
  /// Returns "table/algorithm" of the transform of each prime of the basis, in order.
  virtual std::vector<std::string> kernel_names() const = 0;
  const RnsBasis& basis() const noexcept { return basis_; }
  /// Returns the memory in which all views, digits and word lists of calls are: the memory of a
  /// device, or null for the host. Scalars and descriptions are always on the host.
  const std::shared_ptr<Memory>& memory() const noexcept { return memory_; }
  /// Returns the pool of host memory for temporary data and results of calls with this backend.
  const std::shared_ptr<HostPool>& pool() const noexcept { return pool_; }
  /// Returns a number that is different for every backend of this process.
  std::uint64_t id() const noexcept { return id_; }
  /// Returns the prepared keys that KSwitchKey::prepared holds for this backend; they are released
  /// with this backend.
  const std::shared_ptr<PreparedKeys>& prepared_keys() const noexcept { return prepared_keys_; }

  /// Copies a to result, for as many limbs as the result has; `a` may have more. Does nothing if a
  /// and result start at the same address.
  void copy(ResidueView result, ConstResidueView a) const;

  /// Transform coefficients to NTT form, and NTT form to coefficients.
  void forward_ntt(NttView result, ConstCoeffView a, PrimeIndices primes) const;
  void inverse_ntt(CoeffView result, ConstNttView a, PrimeIndices primes) const;

  /// Compute result = a + b, a - b and -a, element by element, in either form.
  void add(ResidueView result, ConstResidueView a, ConstResidueView b, PrimeIndices primes) const;
  void subtract(ResidueView result, ConstResidueView a, ConstResidueView b,
                PrimeIndices primes) const;
  void negate(ResidueView result, ConstResidueView a, PrimeIndices primes) const;

  /// Computes result = a * b, the ring product: slot by slot in NTT form.
  void multiply(NttView result, ConstNttView a, ConstNttView b, PrimeIndices primes) const;
  /// Computes result = a * b + c.
  void multiply_add(NttView result, ConstNttView a, ConstNttView b, ConstNttView c,
                    PrimeIndices primes) const;
  /// Does multiply_add and returns true if a and c are reduced, on words of the host; else returns
  /// false, and leaves the result unspecified. The time depends on a and c only by the answer. The
  /// default is a composition of is_reduced and multiply_add.
  bool multiply_add_if_reduced(NttView result, ConstNttView a, ConstNttView b, ConstNttView c,
                               PrimeIndices primes) const;
  /// Computes result = sum over k of a[k] * b[k]. The lists a and b have the same length, at least
  /// 1. `result` overlaps no operand. The default is a composition of multiply and multiply_add.
  void multiply_accumulate(NttView result, ConstViews a, ConstViews b, PrimeIndices primes) const;
  /// Multiplies two pairs as polynomials of degree one: product[0] = a[0] * b[0],
  /// product[1] = a[0] * b[1] + a[1] * b[0], product[2] = a[1] * b[1]. The three results overlap
  /// neither each other nor an operand; a and b may be the same. The default is a composition of
  /// multiply and multiply_add.
  void multiply_pairs(std::span<const NttView, 3> product, std::span<const ConstNttView, 2> a,
                      std::span<const ConstNttView, 2> b, PrimeIndices primes) const;
  /// Adds the product a * b of matrices to c. Entries are multiplied as polynomials in one
  /// variable:
  ///   c(i, j)_p = [c(i, j)_p if p < held] + sum over t, and x + y = p, of a(i, t)_x * b(t, j)_y
  /// The polynomials of c from `held` on are overwritten and not read. a has as many columns as b
  /// has rows, at least one. c has the rows of a and the columns of b, and entries of size
  /// a.size + b.size - 1. `primes` are the primes of one polynomial. Entries of c overlap neither
  /// each other nor an operand; entries of a and b may overlap. The default is a composition of
  /// multiply, multiply_add, multiply_accumulate and add, which allocates its memory before it
  /// first writes c. On the host this default works limb by limb, divided among threads; on a
  /// device it works on all limbs of a polynomial at once.
  void multiply_matrices(const NttMatrix& c, const ConstNttMatrix& a, const ConstNttMatrix& b,
                         std::size_t held, PrimeIndices primes) const;
  /// Computes result = a * scalars[i] on limb i, in either form. Scalars are reduced.
  void multiply_scalars(ResidueView result, ConstResidueView a, ConstWords scalars,
                        PrimeIndices primes) const;
  /// Computes result = a * scalars[i] + b on limb i, in either form. Scalars are reduced. The
  /// default is a composition of multiply_scalars and add.
  void multiply_scalars_add(ResidueView result, ConstResidueView a, ConstResidueView b,
                            ConstWords scalars, PrimeIndices primes) const;

  /// Computes result(X) = a(X^galois_element), for a Galois element of basis().ring(). `result` and
  /// `a` must differ.
  void automorphism(NttView result, ConstNttView a, std::uint64_t galois_element,
                    PrimeIndices primes) const;
  void automorphism(CoeffView result, ConstCoeffView a, std::uint64_t galois_element,
                    PrimeIndices primes) const;

  /// Computes result limb i = digit mod basis()[primes[i]]. `digit` holds residues modulo
  /// q = basis()[digit_prime], read as integers in [0, q). `digit` must not overlap `result`.
  void lift_digit(CoeffView result, ConstWords digit, std::size_t digit_prime,
                  PrimeIndices primes) const;

  /// Compute the digits of key switching, from either form: limb i of the result holds the
  /// coefficients of limb i of `a` as offset digits, t = (a + floor(q/2)) mod q. An offset digit
  /// represents the integer t - floor(q/2), the residue of least absolute value. Its mean is 0, so
  /// that products of digits and errors do not accumulate in the slots near X = 1.
  void inverse_ntt_to_digits(CoeffView result, ConstNttView a, PrimeIndices primes) const;
  void to_digits(CoeffView result, ConstCoeffView a, PrimeIndices primes) const;
  /// Computes result = digit - floor(q/2) modulo each of `primes`, in NTT form. `digit` is one limb
  /// of offset digits of the prime q = basis()[digit_prime]. It must not overlap `result`.
  void lift_digit_to_ntt(NttView result, ConstWords digit, std::size_t digit_prime,
                         PrimeIndices primes) const;

  /// Converts a to another basis by `conversion`, which was made for basis(). Limb i of `a` is
  /// modulo the prime conversion.from()[i], limb j of the result modulo conversion.to()[j]. The
  /// result may have fewer limbs than to() has primes: it then gets the first of them. No overlap.
  void convert_basis(CoeffView result, ConstCoeffView a, const BasisConversion& conversion) const;
  /// Converts a to residues modulo conversion.modulus(), in all else as convert_basis.
  void convert_to_modulus(std::span<std::uint64_t> result, ConstCoeffView a,
                          const BasisConversion& conversion) const;
  /// Computes result = round(t/Q * x) modulo the primes of Q by `scaling`, which was made for
  /// basis(). x is given as over_q, modulo the primes scaling.q(), and over_r, modulo the primes
  /// scaling.r(). The result may be over_q. The default is a composition of convert_basis,
  /// multiply_scalars and multiply_scalars_add.
  void scale_and_round(CoeffView result, ConstCoeffView over_q, ConstCoeffView over_r,
                       const RnsScaling& scaling) const;

  // The next three primitives work on words of the host for every backend: on messages and
  // ciphertexts that no backend holds yet. The defaults are loops over words.

  /// Returns true if limb i is reduced modulo basis()[primes[i]] for all i. The time depends only
  /// on the answer.
  bool is_reduced(ConstResidueView a, PrimeIndices primes) const;
  /// Lifts a message with coefficients in [0, t), t < 2^60: a coefficient m represents the integer
  /// m or, from (t+1)/2 on, m - t. Limb i of the result holds these integers modulo
  /// basis()[primes[i]]. Missing coefficients are 0.
  void lift_message(CoeffView result, ConstWords message, std::uint64_t t,
                    PrimeIndices primes) const;
  /// Computes result limb i = a * scalars[i] + b modulo basis()[primes[i]]. a and b have the same
  /// number of words, each below `bound`; missing words are 0. Scalars are reduced. No overlap.
  void combine_words(CoeffView result, ConstWords a, ConstWords b, std::uint64_t bound,
                     ConstWords scalars, PrimeIndices primes) const;

  /// Divides by the last prime p of `primes` with rounding, coefficient by coefficient:
  ///   result = (a - delta) / p modulo the other primes, delta = t * [a * t^-1]_p with t = preserve
  /// where [.]_p is the residue of least absolute value. With t = 1 this is
  /// floor((a + floor(p/2)) / p). Otherwise it differs from a/p by at most t/2 and is congruent to
  /// a * p^-1 modulo t. t is not a multiple of p. `result` has one limb less than `a` and may start
  /// at the same address. Rescaling, modulus switching and the end of key switching are this
  /// operation.
  /// @throws InvalidArgument if t has no inverse modulo p.
  void divide_and_round_by_last(NttView result, ConstNttView a, PrimeIndices primes,
                                std::uint64_t preserve = 1) const;
  void divide_and_round_by_last(CoeffView result, ConstCoeffView a, PrimeIndices primes,
                                std::uint64_t preserve = 1) const;
  /// Divides by the product P of the last primes of `primes`, which conversion.from() lists:
  ///   result = (a - delta) / P modulo the other primes, delta = t * r with t = preserve
  /// where r is a * t^-1 converted by `conversion`. The other primes are the first primes of
  /// conversion.to(), or all of them. For one prime this is divide_and_round_by_last. `result` has
  /// conversion.from().size() limbs less than `a` and may start at the same address. The default is
  /// a composition of primitives above.
  /// @throws InvalidArgument if t has no inverse modulo one of the last primes.
  void divide_and_round(NttView result, ConstNttView a, PrimeIndices primes,
                        const BasisConversion& conversion, std::uint64_t preserve = 1) const;
  void divide_and_round(CoeffView result, ConstCoeffView a, PrimeIndices primes,
                        const BasisConversion& conversion, std::uint64_t preserve = 1) const;
  /// Divides several polynomials over the same primes: by the primes of `conversion`, as
  /// divide_and_round does, or by the last prime if it is null. A result overlaps no other
  /// polynomial's words. A device divides polynomials at constant distances together. The default
  /// divides one after the other.
  /// @throws InvalidArgument as these functions do.
  void divide_and_round_each(std::span<const NttView> results, ConstViews a, PrimeIndices primes,
                             const BasisConversion* conversion, std::uint64_t preserve = 1) const;
  void divide_and_round_each(std::span<const CoeffView> results, std::span<const ConstCoeffView> a,
                             PrimeIndices primes, const BasisConversion* conversion,
                             std::uint64_t preserve = 1) const;

  /// Prepares a key-switching key of the pairs (b[j], a[j]), whose limb p is modulo basis()[p]. The
  /// pairs are on the host. The prepared key may read their words later, so they must outlive it
  /// and must not change. The default keeps the views.
  std::shared_ptr<const PreparedKey> prepare_key(ConstViews b, ConstViews a) const;
  /// Adds products of digits with the pairs of a key from `terms.first` on, in every limb:
  ///   sum_b = start_b + sum over k of lifted_digits[k] * b[terms.first + k]
  /// and likewise sum_a with a. start_b and start_a are the values that sum_b and sum_a hold if
  /// `terms.adds`, otherwise 0. Limb i of sums and digits is modulo basis()[primes[i]], and the
  /// limb of the key modulo the same prime is used. There is at least one digit. Sums overlap
  /// neither each other nor a digit. The default is a composition of primitives above.
  void key_inner_product(NttView sum_b, NttView sum_a, ConstViews lifted_digits,
                         const KeyTerms& terms, PrimeIndices primes) const;
  /// Computes the inner products of key switching, where d_k is the polynomial of digit k:
  ///   sum_b = sum over k of d_k * b[k] in limb i modulo basis()[targets[i]]
  /// and likewise sum_a with a. Modulo the digit's own primes d_k is the source itself. Modulo
  /// other primes d_k is the result of lift_digit_to_ntt or convert_basis. targets[i] = i for every
  /// limb i of the source. Other primes follow; digit.lift converts to all targets except the
  /// digit's own primes. The key has a pair for each digit, with limbs for all targets. Sums
  /// overlap neither each other nor the source; they are unspecified if memory runs out. The
  /// default is a composition of primitives above.
  /// @throws OutOfDeviceMemory if a device lacks memory even for one target at a time.
  void multiply_digits_by_key(NttView sum_b, NttView sum_a, const KeySwitchSource& source,
                              const PreparedKey& key, PrimeIndices targets) const;
  /// Computes the inner products of multiply_digits_by_key for images of one source, with d_k(X^g)
  /// for the digits of the image under X -> X^g: of each element of `sums`, the sum over its
  /// images. The ring is X^N + 1 and digits are single primes, so that images of digits are digits
  /// of images. No sum overlaps another one or the source. The default is a composition of
  /// primitives.
  void multiply_images_by_keys(std::span<const GadgetImages> sums, const KeySwitchSource& source,
                               PrimeIndices targets) const;
  /// Divides the sums of multiply_digits_by_key as divide_and_round_each does, and adds the
  /// addends: results have the primes of the targets that are left. In coefficient form the sums
  /// are transformed before the division. The two results do not overlap; each may be its addend or
  /// the polynomial of the source. The default is a composition of primitives above.
  /// @throws as these do.
  void switch_key(const KeySwitchResult& result, const KeySwitchSource& source,
                  const PreparedKey& key, PrimeIndices targets) const;

 protected:
  explicit Backend(RnsBasis basis, std::shared_ptr<Memory> memory = nullptr);

  // An implementation overrides these functions. The primitive of the same name without do_ asserts
  // its preconditions, and calls the function if there is at least one limb to write. Functions
  // that are not pure have a default composition.
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
  virtual bool do_multiply_add_if_reduced(NttView result, ConstNttView a, ConstNttView b,
                                          ConstNttView c, PrimeIndices primes) const;
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
  virtual void do_divide_and_round_each(std::span<const NttView> results, ConstViews a,
                                        PrimeIndices primes, const BasisConversion* conversion,
                                        std::uint64_t preserve) const;
  virtual void do_divide_and_round_each(std::span<const CoeffView> results,
                                        std::span<const ConstCoeffView> a, PrimeIndices primes,
                                        const BasisConversion* conversion,
                                        std::uint64_t preserve) const;
  virtual std::shared_ptr<const PreparedKey> do_prepare_key(ConstViews b, ConstViews a) const;
  virtual void do_key_inner_product(NttView sum_b, NttView sum_a, ConstViews lifted_digits,
                                    const KeyTerms& terms, PrimeIndices primes) const;
  virtual void do_multiply_digits_by_key(NttView sum_b, NttView sum_a,
                                         const KeySwitchSource& source, const PreparedKey& key,
                                         PrimeIndices targets) const;
  virtual void do_multiply_images_by_keys(std::span<const GadgetImages> sums,
                                          const KeySwitchSource& source,
                                          PrimeIndices targets) const;
  virtual void do_switch_key(const KeySwitchResult& result, const KeySwitchSource& source,
                             const PreparedKey& key, PrimeIndices targets) const;

 private:
  RnsBasis basis_;
  std::shared_ptr<Memory> memory_;
  std::shared_ptr<HostPool> pool_;
  std::uint64_t id_;
  std::shared_ptr<PreparedKeys> prepared_keys_;
};

/// Returns the backend that runs on this processor's kernels, with plans for all primes of the
/// basis.
/// @throws as Ntt does.
RINGLET_API std::shared_ptr<const Backend> make_cpu_backend(
    RnsBasis basis, const KernelSelection& selection = KernelSelection::from_environment());

}  // namespace ringlet
