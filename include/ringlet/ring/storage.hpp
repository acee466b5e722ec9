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

/// The form of a polynomial's words. Residues are reduced in both forms.
enum class Form : std::uint8_t {
  coefficient,  ///< Coefficients in natural order.
  /// X^N + 1: values at odd powers of the smallest primitive 2N-th root, in bit-reversed order.
  /// Phi_m: values at w^j, where w is the smallest primitive m-th root, for the j below m that are
  /// coprime to m, in ascending order.
  ntt,
  any,  ///< For views only: residues in either form.
};

/// A view of one RNS polynomial in form F: limb i holds N residues modulo one prime. Limbs start
/// `limb_stride` words apart. Word is std::uint64_t or const std::uint64_t.
template <Form F, typename Word>
struct BasicPolyView {
  Word* data = nullptr;
  std::size_t degree = 0;
  std::size_t limb_count = 0;
  std::size_t limb_stride = 0;

  std::span<Word> limb(std::size_t i) const { return {data + i * limb_stride, degree}; }
  /// Returns a view of the first `count` limbs.
  BasicPolyView first(std::size_t count) const { return {data, degree, count, limb_stride}; }
  /// Returns a view of limbs [offset, offset + count).
  BasicPolyView part(std::size_t offset, std::size_t count) const {
    return {data + offset * limb_stride, degree, count, limb_stride};
  }
  /// Converts a view for writing to a view for reading, and a view of one form to a view of form
  /// `any`.
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

/// The contents of a new block.
enum class Contents : std::uint8_t {
  zero,
  unspecified,  ///< For results: each word is written before it is read.
};

/// The sizes of a block of polynomials.
struct StorageShape {
  std::size_t poly_count = 0;
  std::size_t limb_count = 0;
  std::size_t degree = 0;
  friend bool operator==(const StorageShape&, const StorageShape&) = default;
};

/// Owns or borrows the words of `poly_count` RNS polynomials of `limb_count` limbs.
///
/// The words are in host memory, in the memory of devices, or in both. All access goes through
/// views. A Storage chooses its limb stride and pads limbs, because limbs at strides of a power of
/// two collide in the cache. A view copies the words to the memory that the caller names, if they
/// are not there. A copy from a device waits for the work on the words, a copy to a device does
/// not. A view for writing makes all other copies stale: do not use views of these any more. Value
/// semantics: copies are deep. Several threads may take views for reading at once. Writing by one
/// thread while another uses the same object is not synchronised.
class RINGLET_API Storage {
 public:
  Storage() noexcept;
  /// Makes the words of a shape; a shape with a zero in it has no words. Memory for unspecified
  /// words is allocated at their first view, and only in the memory of that view. Host memory comes
  /// from `pool`, or from the system allocator if `pool` is null. Copies use the same pool.
  /// @throws InvalidArgument if the size in bytes overflows; std::bad_alloc.
  explicit Storage(const StorageShape& shape, Secrecy secrecy = Secrecy::open,
                   Contents contents = Contents::zero, std::shared_ptr<HostPool> pool = nullptr);
  /// Returns a Storage on words that somebody else owns and keeps alive. Limb i of polynomial p is
  /// the `degree` words from words + (p * limb_count + i) * limb_stride on; no other word is read
  /// or written. The words are neither released nor wiped. A copy owns its words, with the secrecy
  /// `secrecy`.
  /// @throws InvalidArgument if limb_stride is below the degree, if `words` is null although the
  ///         shape has words, or if the size in bytes overflows.
  static Storage borrow(const StorageShape& shape, std::uint64_t* words, std::size_t limb_stride,
                        Secrecy secrecy = Secrecy::open);

  const StorageShape& shape() const noexcept { return shape_; }
  Secrecy secrecy() const noexcept { return secrecy_; }
  bool empty() const noexcept { return shape_.poly_count == 0; }
  /// Returns true if the words are borrowed.
  bool is_borrowed() const noexcept;
  /// Returns the pool of the host's words; null if they come from the system or there are none.
  std::shared_ptr<HostPool> pool() const noexcept;
  /// Returns the number of words from one limb to the next.
  std::size_t limb_stride() const noexcept { return limb_stride_; }
  /// Returns the number of words with data, without padding: poly_count * limb_count * degree.
  std::size_t word_count() const noexcept {
    return shape_.poly_count * shape_.limb_count * shape_.degree;
  }

  /// Returns a view of polynomial `index` in `memory` (null: on the host) for reading. The words
  /// keep their values.
  /// @throws OutOfRange if there is no such polynomial; InvalidArgument if only another device has
  ///         the words; RuntimeError if a device fails; std::bad_alloc.
  template <Form F>
  ConstPolyView<F> view(std::size_t index, const std::shared_ptr<Memory>& memory) const {
    return {poly_data(index, memory), shape_.degree, shape_.limb_count, limb_stride_};
  }
  /// Returns a view of polynomial `index` in `memory` (null: on the host) for writing.
  /// @throws as view.
  template <Form F>
  PolyView<F> view_for_writing(std::size_t index, const std::shared_ptr<Memory>& memory) {
    return {poly_data_for_writing(index, memory), shape_.degree, shape_.limb_count, limb_stride_};
  }
  /// Return one view of all polynomials in `memory`: limb i of polynomial p is limb
  /// p * limb_count + i.
  template <Form F>
  ConstPolyView<F> all(const std::shared_ptr<Memory>& memory) const {
    return {poly_data(0, memory), shape_.degree, all_limbs(), limb_stride_};
  }
  template <Form F>
  PolyView<F> all_for_writing(const std::shared_ptr<Memory>& memory) {
    return {poly_data_for_writing(0, memory), shape_.degree, all_limbs(), limb_stride_};
  }
  /// Return a view of polynomial `index` on the host.
  template <Form F>
  ConstPolyView<F> host(std::size_t index) const {
    return view<F>(index, nullptr);
  }
  template <Form F>
  PolyView<F> host_for_writing(std::size_t index) {
    return view_for_writing<F>(index, nullptr);
  }
  /// Moves the words of `storages` to shared blocks in `memory`, one storage after the other, so
  /// that a kernel can address them by strides. The number of storages is a multiple of
  /// `row_length`. A block holds whole rows of `row_length` storages: as many as fit in
  /// memory->shared_block_words() words, but at least one row. A block is released when no Storage
  /// has words in it; secret words are wiped then. Words that are on the device are copied to the
  /// blocks, words of the host are uploaded. Nothing happens if the words already have this layout.
  /// Existing views for reading, and their words, stay valid until the storage is written. If
  /// `memory` has no room, blocks are smaller, or storages keep their places. Storages also keep
  /// their places if they differ in shape, stride or secrecy.
  /// @throws what Memory throws, except for lack of memory; std::bad_alloc. No value is changed.
  static void share_blocks(std::span<const Storage* const> storages, std::size_t row_length,
                           const std::shared_ptr<Memory>& memory);

  /// Copies the words to the host if only a device has them, and releases the device memory of all
  /// copies. Do not use views of these copies any more.
  /// @throws as view: then nothing is released.
  void drop_device_copies();

  /// Returns true if the host has the words, so that a view there does not wait.
  bool is_on_host() const noexcept;
  /// Returns the memory of the device that has the words; null if no device has them.
  std::shared_ptr<Memory> device_memory() const noexcept;

  /// A copy has the secrecy of its source. Assignment keeps the memory if shape and secrecy agree.
  /// If the destination is borrowed and the shapes agree, assignment writes into the borrowed
  /// words. If the shapes differ, it leaves the borrowed words unchanged, and the destination owns
  /// new words.
  Storage(const Storage& other);
  Storage& operator=(const Storage& other);
  /// The source of a move is empty afterwards. A move takes over the words, borrowed or not, and
  /// copies none.
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
