// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "seal/util/common.h"
#include "seal/util/defines.h"
#include "seal/util/pointer.h"

// Iterators over words of ciphertexts, over arrays and over numbers, and tuples of them that move
// together. A PolyIter stands at a polynomial and gives an RNSIter, this stands at the residues
// modulo one prime and gives a CoeffIter, this gives a word.

namespace ringlet::seal4 {
class Ciphertext;
class Modulus;
}  // namespace ringlet::seal4

namespace ringlet::seal4_util {

using seal4::Ciphertext;
using seal4::Modulus;

class NTTTables;
struct MultiplyUIntModOperand;

/// The base of all iterators here.
class SEALIterBase {};

namespace detail {

/// The operators of a random access iterator `Self`, which has advance(n) and distance_from(other).
template <class Self, class Base = SEALIterBase>
class Steps : public Base {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using difference_type = std::ptrdiff_t;

  Steps() = default;
  explicit Steps(const Base& base) : Base(base) {}

  // R for an iterator and an operand that is one or becomes one, but is no number: a SeqIter is its
  // number too, so that operators of numbers would be equally good.
  template <class R, class A, class B>
  using If = std::enable_if_t<std::is_same<A, Self>::value && !std::is_arithmetic<B>::value &&
                                  std::is_convertible<const B&, Self>::value,
                              R>;

  Self& operator++() noexcept { return moved(1); }
  Self& operator--() noexcept { return moved(-1); }
  Self operator++(int) noexcept { return before_move(1); }
  Self operator--(int) noexcept { return before_move(-1); }
  Self& operator+=(difference_type n) noexcept { return moved(n); }
  Self& operator-=(difference_type n) noexcept { return moved(-n); }
  template <class Size, class = std::enable_if_t<std::is_integral<Size>::value>>
  SEAL_NODISCARD decltype(auto) operator[](Size n) const noexcept {
    return Self::value_at(self() + n);
  }

  template <class Size, class = std::enable_if_t<std::is_integral<Size>::value>>
  SEAL_NODISCARD friend Self operator+(const Self& it, Size n) noexcept {
    return Self(it) += static_cast<difference_type>(n);
  }
  template <class Size, class = std::enable_if_t<std::is_integral<Size>::value>>
  SEAL_NODISCARD friend Self operator+(Size n, const Self& it) noexcept {
    return it + n;
  }
  template <class Size, class = std::enable_if_t<std::is_integral<Size>::value>>
  SEAL_NODISCARD friend Self operator-(const Self& it, Size n) noexcept {
    return Self(it) -= static_cast<difference_type>(n);
  }
  template <class A, class B>
  SEAL_NODISCARD friend If<difference_type, A, B> operator-(const A& a, const B& b) noexcept {
    return a.distance_from(b);
  }
#define RINGLET_SEAL_COMPARISON(op)                                                     \
  template <class A, class B>                                                           \
  SEAL_NODISCARD friend If<bool, A, B> operator op(const A & a, const B & b) noexcept { \
    return a.distance_from(b) op 0;                                                     \
  }
  RINGLET_SEAL_COMPARISON(==)
  RINGLET_SEAL_COMPARISON(!=)
  RINGLET_SEAL_COMPARISON(<)
  RINGLET_SEAL_COMPARISON(>)
  RINGLET_SEAL_COMPARISON(<=)
  RINGLET_SEAL_COMPARISON(>=)
#undef RINGLET_SEAL_COMPARISON

 private:
  const Self& self() const noexcept { return static_cast<const Self&>(*this); }
  Self& moved(difference_type n) noexcept {
    Self& it = static_cast<Self&>(*this);
    it.advance(n);
    return it;
  }
  Self before_move(difference_type n) noexcept {
    Self result(self());
    moved(n);
    return result;
  }
};

}  // namespace detail

template <class Pointer_>
class PtrIter;

/// A pointer as an iterator; converts to and from the pointer.
template <class T>
class PtrIter<T*> : public detail::Steps<PtrIter<T*>> {
 public:
  using value_type = T&;
  using pointer = T*;
  using reference = T&;

  PtrIter() = default;
  template <class S, class = std::enable_if_t<std::is_convertible<S*, T*>::value>>
  PtrIter(S* ptr) noexcept : ptr_(ptr) {}
  template <class S, class = std::enable_if_t<std::is_convertible<S*, T*>::value>>
  PtrIter(PtrIter<S*> copy) noexcept : ptr_(copy.ptr()) {}
  template <class S, class = std::enable_if_t<std::is_convertible<S*, T*>::value>>
  PtrIter(std::vector<S>& values) noexcept : ptr_(values.data()) {}
  template <class S, class = std::enable_if_t<std::is_convertible<const S*, T*>::value>>
  PtrIter(const std::vector<S>& values) noexcept : ptr_(values.data()) {}
  template <class S, class = std::enable_if_t<std::is_convertible<S*, T*>::value>>
  PtrIter(const Pointer<S>& values) noexcept : ptr_(values.get()) {}
  template <class S, class = std::enable_if_t<std::is_convertible<const S*, T*>::value>>
  PtrIter(const ConstPointer<S>& values) noexcept : ptr_(values.get()) {}

  SEAL_NODISCARD T& operator*() const noexcept { return *ptr_; }
  SEAL_NODISCARD T* operator->() const noexcept { return ptr_; }
  SEAL_NODISCARD T* ptr() const noexcept { return ptr_; }
  SEAL_NODISCARD operator T*() const noexcept { return ptr_; }
  SEAL_NODISCARD explicit operator bool() const noexcept { return ptr_ != nullptr; }

  void advance(std::ptrdiff_t n) noexcept { ptr_ += n; }
  SEAL_NODISCARD std::ptrdiff_t distance_from(const PtrIter& other) const noexcept {
    return ptr_ - other.ptr_;
  }
  SEAL_NODISCARD static T& value_at(const PtrIter& it) noexcept { return *it; }

 private:
  T* ptr_ = nullptr;
};

using CoeffIter = PtrIter<std::uint64_t*>;
using ConstCoeffIter = PtrIter<const std::uint64_t*>;
using ModulusIter = PtrIter<Modulus*>;
using ConstModulusIter = PtrIter<const Modulus*>;
using NTTTablesIter = PtrIter<NTTTables*>;
using ConstNTTTablesIter = PtrIter<const NTTTables*>;
using MultiplyUIntModOperandIter = PtrIter<MultiplyUIntModOperand*>;
using ConstMultiplyUIntModOperandIter = PtrIter<const MultiplyUIntModOperand*>;

namespace detail {

/// An iterator whose value is the iterator `Inner` at its place. A step moves by `stride` elements.
template <class Self, class Inner>
class Strided : public Steps<Self> {
 public:
  using value_type = Inner;
  using pointer = typename Inner::pointer;
  using reference = const Inner&;

  SEAL_NODISCARD reference operator*() const noexcept { return inner_; }
  SEAL_NODISCARD const Inner* operator->() const noexcept { return &inner_; }
  SEAL_NODISCARD operator pointer() const noexcept { return inner_; }
  SEAL_NODISCARD explicit operator bool() const noexcept { return static_cast<bool>(inner_); }

  void advance(std::ptrdiff_t n) noexcept { shift(n * static_cast<std::ptrdiff_t>(stride_)); }
  /// Moves by a number of elements.
  void shift(std::ptrdiff_t elements) noexcept { shift_inner(inner_, elements); }
  SEAL_NODISCARD std::ptrdiff_t distance_from(const Self& other) const noexcept {
    const std::ptrdiff_t elements = static_cast<pointer>(*this) - static_cast<pointer>(other);
    return stride_ == 0 ? elements : elements / static_cast<std::ptrdiff_t>(stride_);
  }
  SEAL_NODISCARD static Inner value_at(const Self& it) noexcept { return *it; }

 protected:
  Strided() = default;
  Strided(Inner inner, std::size_t stride) noexcept : inner_(inner), stride_(stride) {}

  Inner inner_{};
  std::size_t stride_ = 0;

 private:
  template <class T>
  static void shift_inner(PtrIter<T*>& inner, std::ptrdiff_t elements) noexcept {
    inner.advance(elements);
  }
  template <class It>
  static void shift_inner(It& inner, std::ptrdiff_t elements) noexcept {
    inner.shift(elements);
  }
};

}  // namespace detail

template <class Pointer_>
class StrideIter;

/// A pointer that moves by `stride` elements; its values are PtrIter.
template <class T>
class StrideIter<T*> : public detail::Strided<StrideIter<T*>, PtrIter<T*>> {
  using Base = detail::Strided<StrideIter<T*>, PtrIter<T*>>;

 public:
  StrideIter() = default;
  /// Makes an iterator at a pointer, a vector or a Pointer.
  template <class Values,
            class = std::enable_if_t<std::is_constructible<PtrIter<T*>, Values&&>::value>>
  StrideIter(Values&& values, std::size_t stride) noexcept
      : Base(PtrIter<T*>(std::forward<Values>(values)), stride) {}
  template <class S, class = std::enable_if_t<std::is_convertible<S*, T*>::value>>
  StrideIter(StrideIter<S*> copy) noexcept : Base(copy.ptr(), copy.stride()) {}

  SEAL_NODISCARD T* ptr() const noexcept { return this->inner_; }
  SEAL_NODISCARD std::size_t stride() const noexcept { return this->stride_; }
};

namespace detail {

/// RNSIter and ConstRNSIter: over the primes of a polynomial.
template <class Self, class Word>
class RNSSteps : public Strided<Self, PtrIter<Word*>> {
 public:
  SEAL_NODISCARD std::size_t poly_modulus_degree() const noexcept { return this->stride_; }

 protected:
  using Strided<Self, PtrIter<Word*>>::Strided;
};

/// PolyIter and ConstPolyIter: over polynomials.
template <class Self, class RNS, class Word>
class PolySteps : public Strided<Self, RNS> {
 public:
  SEAL_NODISCARD std::size_t poly_modulus_degree() const noexcept {
    return this->inner_.poly_modulus_degree();
  }
  SEAL_NODISCARD std::size_t coeff_modulus_size() const noexcept { return coeff_modulus_size_; }

 protected:
  PolySteps() = default;
  PolySteps(Word* ptr, std::size_t poly_modulus_degree, std::size_t coeff_modulus_size)
      : Strided<Self, RNS>(RNS(ptr, poly_modulus_degree),
                           mul_safe(poly_modulus_degree, coeff_modulus_size)),
        coeff_modulus_size_(coeff_modulus_size) {}

 private:
  std::size_t coeff_modulus_size_ = 0;
};

}  // namespace detail

/// An iterator over the residues of a polynomial modulo each prime.
class RNSIter : public detail::RNSSteps<RNSIter, std::uint64_t> {
 public:
  RNSIter() = default;
  RNSIter(std::uint64_t* ptr, std::size_t poly_modulus_degree) noexcept
      : RNSSteps(ptr, poly_modulus_degree) {}
  RNSIter(const StrideIter<std::uint64_t*>& it) noexcept : RNSSteps(it.ptr(), it.stride()) {}
};

/// An RNSIter that does not write.
class ConstRNSIter : public detail::RNSSteps<ConstRNSIter, const std::uint64_t> {
 public:
  ConstRNSIter() = default;
  ConstRNSIter(const std::uint64_t* ptr, std::size_t poly_modulus_degree) noexcept
      : RNSSteps(ptr, poly_modulus_degree) {}
  ConstRNSIter(const RNSIter& copy) noexcept : RNSSteps(*copy, copy.poly_modulus_degree()) {}
  template <class S, class = std::enable_if_t<std::is_convertible<S*, const std::uint64_t*>::value>>
  ConstRNSIter(const StrideIter<S*>& it) noexcept : RNSSteps(it.ptr(), it.stride()) {}
};

/// An iterator over polynomials, such as those of a ciphertext.
class PolyIter : public detail::PolySteps<PolyIter, RNSIter, std::uint64_t> {
 public:
  PolyIter() = default;
  /// @throws std::logic_error if the number of words of a polynomial exceeds 64 bits.
  PolyIter(std::uint64_t* ptr, std::size_t poly_modulus_degree, std::size_t coeff_modulus_size)
      : PolySteps(ptr, poly_modulus_degree, coeff_modulus_size) {}
  RINGLET_SEAL_API PolyIter(Ciphertext& ct);
};

/// A PolyIter that does not write.
class ConstPolyIter : public detail::PolySteps<ConstPolyIter, ConstRNSIter, const std::uint64_t> {
 public:
  ConstPolyIter() = default;
  /// @throws std::logic_error if the number of words of a polynomial exceeds 64 bits.
  ConstPolyIter(const std::uint64_t* ptr, std::size_t poly_modulus_degree,
                std::size_t coeff_modulus_size)
      : PolySteps(ptr, poly_modulus_degree, coeff_modulus_size) {}
  RINGLET_SEAL_API ConstPolyIter(const Ciphertext& ct);
  ConstPolyIter(const PolyIter& copy)
      : PolySteps(copy, copy.poly_modulus_degree(), copy.coeff_modulus_size()) {}
};

/// An iterator over the numbers from `start`; converts to and from the number.
template <class T, class = std::enable_if_t<std::is_arithmetic<T>::value>>
class SeqIter : public detail::Steps<SeqIter<T>> {
 public:
  using value_type = T;
  using pointer = void;
  using reference = const T&;

  SeqIter() = default;
  SeqIter(T start) noexcept : value_(start) {}

  SEAL_NODISCARD reference operator*() const noexcept { return value_; }
  SEAL_NODISCARD operator T() const noexcept { return value_; }

  void advance(std::ptrdiff_t n) noexcept { value_ = static_cast<T>(value_ + static_cast<T>(n)); }
  SEAL_NODISCARD std::ptrdiff_t distance_from(const SeqIter& other) const noexcept {
    return static_cast<std::ptrdiff_t>(value_) - static_cast<std::ptrdiff_t>(other.value_);
  }
  SEAL_NODISCARD static T value_at(const SeqIter& it) noexcept { return *it; }

 private:
  T value_ = 0;
};

template <class T>
SEAL_NODISCARD SeqIter<T> seq_iter(T value = 0) noexcept {
  return value;
}

/// Iterators that move together. The value is a std::tuple of their values.
template <class... Iters>
class IterTuple : public detail::Steps<IterTuple<Iters...>> {
  using Indices = std::index_sequence_for<Iters...>;

 public:
  using value_type = std::tuple<typename Iters::value_type...>;
  using pointer = void;
  using reference = value_type;

  IterTuple() = default;
  IterTuple(Iters... iters) : iters_(iters...) {}
  /// Makes a tuple from its first iterator and a tuple of the others.
  template <class First, class... Rest,
            class = std::enable_if_t<
                sizeof...(Rest) + 1 == sizeof...(Iters) &&
                std::is_constructible<std::tuple<Iters...>, First&&, const Rest&...>::value>>
  IterTuple(First&& first, const IterTuple<Rest...>& rest)
      : iters_(std::tuple_cat(std::forward_as_tuple(std::forward<First>(first)), rest.iters())) {}
  /// Makes a tuple from values of which each one makes an iterator.
  template <class... Ts, class = std::enable_if_t<sizeof...(Ts) == sizeof...(Iters)>>
  IterTuple(const std::tuple<Ts...>& values) : iters_(values) {}

  SEAL_NODISCARD value_type operator*() const noexcept { return values(Indices{}); }
  SEAL_NODISCARD explicit operator bool() const noexcept { return all_set(Indices{}); }
  SEAL_NODISCARD const std::tuple<Iters...>& iters() const noexcept { return iters_; }

  void advance(std::ptrdiff_t n) noexcept { advance_all(n, Indices{}); }
  /// Returns the distance of the first iterators.
  SEAL_NODISCARD std::ptrdiff_t distance_from(const IterTuple& other) const noexcept {
    return std::get<0>(iters_).distance_from(std::get<0>(other.iters_));
  }
  SEAL_NODISCARD static value_type value_at(const IterTuple& it) noexcept { return *it; }

 private:
  template <std::size_t... I>
  value_type values(std::index_sequence<I...>) const noexcept {
    return value_type(*std::get<I>(iters_)...);
  }
  template <std::size_t... I>
  bool all_set(std::index_sequence<I...>) const noexcept {
    return (static_cast<bool>(std::get<I>(iters_)) && ...);
  }
  template <std::size_t... I>
  void advance_all(std::ptrdiff_t n, std::index_sequence<I...>) noexcept {
    (std::get<I>(iters_).advance(n), ...);
  }

  std::tuple<Iters...> iters_;
};

/// An iterator in the opposite direction, with the same values.
template <class Iter>
class ReverseIter : public detail::Steps<ReverseIter<Iter>, Iter> {
 public:
  ReverseIter() = default;
  ReverseIter(const Iter& copy) : detail::Steps<ReverseIter<Iter>, Iter>(copy) {}

  void advance(std::ptrdiff_t n) noexcept { Iter::advance(-n); }
  SEAL_NODISCARD std::ptrdiff_t distance_from(const ReverseIter& other) const noexcept {
    return other.Iter::distance_from(*this);
  }
};

/// Returns element N of a tuple of iterators. With several indices, each further one selects in the
/// element that the indices before it selected.
template <std::size_t N, std::size_t... Rest, class... Iters>
SEAL_NODISCARD auto get(const IterTuple<Iters...>& it) noexcept {
  if constexpr (sizeof...(Rest) == 0) {
    return std::get<N>(it.iters());
  } else {
    return get<Rest...>(std::get<N>(it.iters()));
  }
}
/// Returns the element that several indices select in nested tuples of values.
template <std::size_t N, std::size_t Next, std::size_t... Rest, class... Ts>
SEAL_NODISCARD decltype(auto) get(const std::tuple<Ts...>& values) noexcept {
  if constexpr (sizeof...(Rest) == 0) {
    using std::get;
    return get<Next>(std::get<N>(values));
  } else {
    return get<Next, Rest...>(std::get<N>(values));
  }
}

namespace detail {

/// Names the iterator that iter() makes of its arguments.
template <class Enable, class... Ts>
struct IterType;

template <class T>
using IterOf = typename IterType<void, T>::type;

template <class T>
struct IterType<std::enable_if_t<std::is_arithmetic<std::decay_t<T>>::value>, T> {
  using type = SeqIter<std::decay_t<T>>;
};
template <class T>
struct IterType<std::enable_if_t<std::is_base_of<SEALIterBase, std::decay_t<T>>::value>, T> {
  using type = std::decay_t<T>;
};
template <class T>
struct IterType<std::enable_if_t<std::is_pointer<std::decay_t<T>>::value>, T> {
  using type = PtrIter<std::decay_t<T>>;
};
template <>
struct IterType<void, Ciphertext&> {
  using type = PolyIter;
};
template <>
struct IterType<void, const Ciphertext&> {
  using type = ConstPolyIter;
};
template <class T>
struct IterType<void, std::vector<T>&> : IterType<void, T*> {};
template <class T>
struct IterType<void, const std::vector<T>&> : IterType<void, const T*> {};
template <class T>
struct IterType<void, Pointer<T>&> : IterType<void, T*> {};
template <class T>
struct IterType<void, const Pointer<T>&> : IterType<void, T*> {};
template <class T>
struct IterType<void, ConstPointer<T>&> : IterType<void, const T*> {};
template <class T>
struct IterType<void, const ConstPointer<T>&> : IterType<void, const T*> {};
template <class... Ts>
struct IterType<void, std::tuple<Ts...>&> : IterType<void, Ts...> {};
template <class... Ts>
struct IterType<void, const std::tuple<Ts...>&> : IterType<void, Ts...> {};

template <class First, class Rest>
struct Joined {
  using type = IterTuple<First, Rest>;
};
// A tuple in last place is not nested, as in SEAL.
template <class First, class... Rest>
struct Joined<First, IterTuple<Rest...>> {
  using type = IterTuple<First, Rest...>;
};
template <class T, class U, class... Rest>
struct IterType<void, T, U, Rest...>
    : Joined<IterOf<T>, typename IterType<void, U, Rest...>::type> {};

}  // namespace detail

/// Returns an iterator over what the argument stands for, or an IterTuple for several arguments:
/// iterators, pointers, vectors, Pointer objects, ciphertexts, and numbers to count from.
template <class... Ts>
SEAL_NODISCARD auto iter(Ts&&... values) -> typename detail::IterType<void, Ts...>::type {
  return {std::forward<Ts>(values)...};
}

/// Returns iter(values...) in the opposite direction.
template <class... Ts>
SEAL_NODISCARD auto reverse_iter(Ts&&... values)
    -> ReverseIter<typename detail::IterType<void, Ts...>::type> {
  return typename detail::IterType<void, Ts...>::type(std::forward<Ts>(values)...);
}

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
