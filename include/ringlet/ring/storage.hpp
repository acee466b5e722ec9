// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include "ringlet/base/export.hpp"
#include "ringlet/base/host_pool.hpp"
#include "ringlet/ring/memory.hpp"

namespace ringlet {

/// The form of a polynomial's words. Residues are reduced in both.
enum class Form : std::uint8_t {
  coefficient,  ///< Coefficients in natural order.
  /// X^N + 1: values at odd powers of the smallest primitive 2N-th root, in bit-reversed order.
  /// Phi_m: values at w^j, w the smallest primitive m-th root, for the j below m that are coprime
  /// to it, ascending.
  ntt,
  any,  ///< Of a view only: residues in either form, for what does not look at it.
};

/// A view of one RNS polynomial in form F: limb i holds N residues modulo one prime; limbs start
/// `limb_stride` words apart. Word is std::uint64_t or const std::uint64_t. Does not own.
template <Form F, typename Word>
struct BasicPolyView {
  Word* data = nullptr;
  std::size_t degree = 0;
  std::size_t limb_count = 0;
  std::size_t limb_stride = 0;

  std::span<Word> limb(std::size_t i) const { return {data + i * limb_stride, degree}; }
  /// The first `count` limbs.
  BasicPolyView first(std::size_t count) const { return {data, degree, count, limb_stride}; }
  /// Limbs [offset, offset + count).
  BasicPolyView part(std::size_t offset, std::size_t count) const {
    return {data + offset * limb_stride, degree, count, limb_stride};
  }
  /// A view for writing may stand where one for reading is expected, and a view of either form
  /// where residues in any form are.
  template <Form G, typename Other>
    requires((G == F || G == Form::any) &&
             (std::is_same_v<Other, Word> || std::is_same_v<Other, const Word>))
  operator BasicPolyView<G, Other>() const {
    return {data, degree, limb_count, limb_stride};
  }
};

template <Form F>
using PolyView = BasicPolyView<F, std::uint64_t>;
template <Form F>
using ConstPolyView = BasicPolyView<F, const std::uint64_t>;
using CoeffView = PolyView<Form::coefficient>;
using ConstCoeffView = ConstPolyView<Form::coefficient>;
using NttView = PolyView<Form::ntt>;
using ConstNttView = ConstPolyView<Form::ntt>;
using ResidueView = PolyView<Form::any>;
using ConstResidueView = ConstPolyView<Form::any>;

/// What the words of a new block are.
enum class Contents : std::uint8_t {
  zero,
  unspecified,  ///< For results: every word is written before one is read.
};

/// Sizes of a block of polynomials.
struct StorageShape {
  std::size_t poly_count = 0;
  std::size_t limb_count = 0;
  std::size_t degree = 0;
  friend bool operator==(const StorageShape&, const StorageShape&) = default;
};

/// Owns the words of `poly_count` RNS polynomials of `limb_count` limbs; or borrows them.
///
/// The words are in host memory, in the memory of devices, or in both. All access goes through
/// views, each with a limb stride of its own (limbs are padded, because strides of a power of two
/// collide in the cache). A view brings the words to where it is asked for: from a device that
/// waits for the work on them, to a device it does not. A view for writing makes all other copies
/// stale; views of those must not be used any more. Value semantics: copies are deep. Views for
/// reading may be taken by several threads at once; not synchronised for concurrent writers of the
/// same object.
class RINGLET_API Storage {
 public:
  Storage() noexcept;
  /// A shape with a zero in it has no words. Unspecified words take no memory before the first view
  /// of them, and then only where that is. That of the host is of `pool`, or of the system without
  /// one, and so is that of copies.
  /// @throws InvalidArgument if the size in bytes overflows; std::bad_alloc.
  explicit Storage(const StorageShape& shape, Secrecy secrecy = Secrecy::open,
                   Contents contents = Contents::zero, std::shared_ptr<HostPool> pool = nullptr);
  /// A Storage on words that somebody else owns and keeps alive: limb i of polynomial p is the
  /// `degree` words from words + (p * limb_count + i) * limb_stride on, and no other word is read
  /// or written. They are neither released nor wiped. A copy owns words of its own, as secret as
  /// `secrecy` says.
  /// @throws InvalidArgument if limb_stride is below the degree, if `words` is null though there
  ///         are words, or if the size in bytes overflows.
  static Storage borrow(const StorageShape& shape, std::uint64_t* words, std::size_t limb_stride,
                        Secrecy secrecy = Secrecy::open);

  const StorageShape& shape() const noexcept { return shape_; }
  Secrecy secrecy() const noexcept { return secrecy_; }
  bool empty() const noexcept { return shape_.poly_count == 0; }
  /// Whether the words belong to somebody else.
  bool is_borrowed() const noexcept;
  /// Where the host's words are from; null if that is the system, or if there are none.
  std::shared_ptr<HostPool> pool() const noexcept;
  /// Words between two limbs.
  std::size_t limb_stride() const noexcept { return limb_stride_; }
  /// Words that carry data: poly_count * limb_count * degree (padding is not counted).
  std::size_t word_count() const noexcept {
    return shape_.poly_count * shape_.limb_count * shape_.degree;
  }

  /// View of polynomial `index` in `memory` (null: on the host) for reading.
  /// @throws OutOfRange; InvalidArgument if the words are on another device alone; RuntimeError if
  ///         a device fails; std::bad_alloc. The words stay as they are.
  template <Form F>
  ConstPolyView<F> view(std::size_t index, const std::shared_ptr<Memory>& memory) const {
    return {poly_data(index, memory), shape_.degree, shape_.limb_count, limb_stride_};
  }
  /// View of polynomial `index` in `memory` (null: on the host) for writing. @throws as view.
  template <Form F>
  PolyView<F> view_for_writing(std::size_t index, const std::shared_ptr<Memory>& memory) {
    return {poly_data_for_writing(index, memory), shape_.degree, shape_.limb_count, limb_stride_};
  }
  /// All polynomials as one view, in `memory`: limb i of polynomial p is limb p * limb_count + i.
  template <Form F>
  ConstPolyView<F> all(const std::shared_ptr<Memory>& memory) const {
    return {poly_data(0, memory), shape_.degree, all_limbs(), limb_stride_};
  }
  template <Form F>
  PolyView<F> all_for_writing(const std::shared_ptr<Memory>& memory) {
    return {poly_data_for_writing(0, memory), shape_.degree, all_limbs(), limb_stride_};
  }
  /// The same on the host.
  template <Form F>
  ConstPolyView<F> host(std::size_t index) const {
    return view<F>(index, nullptr);
  }
  template <Form F>
  PolyView<F> host_for_writing(std::size_t index) {
    return view_for_writing<F>(index, nullptr);
  }
  /// Gives `storages` words in `memory` that lie one behind the other, for what finds them by
  /// strides: whole rows of `row_length` storages, of which there is a multiple, share blocks of at
  /// most memory->shared_block_words(), or of one row. A block lives as long as a Storage has words
  /// of it, and is wiped then if they are secret. Words that the device has are copied on it, those
  /// of the host uploaded; where they lie so already nothing happens. Views for reading that others
  /// have stay valid until somebody writes, and so do the words behind them. Where `memory` has no
  /// room, blocks are smaller, or storages stay where they are; so they do if they differ in shape,
  /// stride or secrecy.
  /// @throws what Memory throws but for lack of memory; std::bad_alloc. No value is changed.
  static void share_blocks(std::span<const Storage* const> storages, std::size_t row_length,
                           const std::shared_ptr<Memory>& memory);

  /// Brings the words to the host, if a device alone has them, and gives back the memory that
  /// copies of them take on devices. Views of those must not be used any more. @throws as view:
  /// then nothing is given back.
  void drop_device_copies();

  /// Whether the host has the words, so that a view there does not wait.
  bool is_on_host() const noexcept;
  /// The memory of the device that has the words; null if none has.
  std::shared_ptr<Memory> device_memory() const noexcept;

  /// Copies are as secret as their source. Assignment keeps the memory where the shapes agree: in
  /// particular it writes into borrowed words, and the result is still borrowed. With another shape
  /// it leaves them as they are and owns its own.
  Storage(const Storage& other);
  Storage& operator=(const Storage& other);
  /// What was moved from is empty. A move takes over the words, borrowed or not; it copies none.
  Storage(Storage&& other) noexcept;
  Storage& operator=(Storage&& other) noexcept;
  ~Storage();

 private:
  struct Block;
  struct ReleaseBlock {
    void operator()(Block* block) const noexcept;
  };

  const std::uint64_t* poly_data(std::size_t index, const std::shared_ptr<Memory>& memory) const;
  std::uint64_t* poly_data_for_writing(std::size_t index, const std::shared_ptr<Memory>& memory);
  void check_index(std::size_t index) const;
  std::size_t all_limbs() const noexcept { return shape_.poly_count * shape_.limb_count; }
  bool is_like(const Storage& other) const noexcept;
  static bool share_already(std::span<const Storage* const> storages, std::size_t row_length,
                            const std::shared_ptr<Memory>& memory);

  StorageShape shape_;
  Secrecy secrecy_ = Secrecy::open;
  std::size_t limb_stride_ = 0;
  std::unique_ptr<Block, ReleaseBlock> block_;
};

}  // namespace ringlet
