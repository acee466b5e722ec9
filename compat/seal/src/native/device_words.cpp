// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <utility>

#include "native/access.hpp"
#include "native/convert.hpp"

// The words of a ciphertext are in its array, on the device of an Evaluator, or in both. A native
// ciphertext that has both borrows the array. One that only the device has is shared by copies.

namespace ringlet::seal4::detail {

using Native = ringlet::Ciphertext;

/// The words of an object while no other thread moves them. Objects share mutexes, because a mutex
/// in each would make every ciphertext larger.
class CiphertextAccess::Locked {
 public:
  explicit Locked(const Ciphertext& in)
      : lock_(mutex_of(in)), array_(in.data_), device_(in.device_), fields_(in.fields_) {}

  DynArray<std::uint64_t>& on_host() {
    if (!device_.is_alone) return array_;
    const Native& native = *device_.native;
    DynArray<std::uint64_t> words(array_.pool());
    words.resize(native.byte_count() / sizeof(std::uint64_t), false);
    std::uint64_t* out = words.begin();
    for (std::size_t k = 0; k < native.size(); ++k) out = copy_limbs(native.view(k), out);
    array_ = std::move(words);
    device_.native.reset();
    device_.is_alone = false;
    return array_;
  }

  std::size_t word_count() const {
    return device_.is_alone ? device_.native->byte_count() / sizeof(std::uint64_t) : array_.size();
  }

  /// Returns the native object that only the device has; null if the host has the words.
  std::shared_ptr<const Native> alone() const {
    return device_.is_alone ? device_.native : nullptr;
  }

  /// Returns the native object of the device; makes it if the known one has other metadata.
  std::shared_ptr<const Native> on_device(const SEALContext& context, const Ciphertext& in) {
    if (device_.native != nullptr) {
      if (has_shape_of(context, *device_.native) && relabel()) return device_.native;
      on_host();
      device_.native.reset();
    }
    auto native = std::make_shared<const Native>(
        borrow_words(native_level(*context.get_context_data(in.parms_id())), in, array_.begin()));
    if (!device_.is_exposed) device_.native = native;
    return native;
  }

 private:
  static std::mutex& mutex_of(const Ciphertext& in) {
    static std::array<std::mutex, 32> mutexes;
    return mutexes[reinterpret_cast<std::uintptr_t>(&in) / sizeof(in) % mutexes.size()];
  }

  bool has_shape_of(const SEALContext& context, const Native& native) const {
    return native.size() == fields_.size && native.is_ntt_form() == fields_.is_ntt_form &&
           native.parms_id() ==
               native_level(*context.get_context_data(fields_.parms_id)).parms_id();
  }

  /// Gives the native object the scale and the factor, which callers may have set. Returns false if
  /// it borrows the array and another thread still reads it.
  bool relabel() {
    const Native& known = *device_.native;
    if (known.scale() == fields_.scale && known.correction_factor() == fields_.correction_factor) {
      return true;
    }
    const bool is_shared = device_.native.use_count() > 1;
    if (is_shared && !device_.is_alone) return false;
    auto own = is_shared ? std::make_shared<Native>(known)
                         : std::const_pointer_cast<Native>(device_.native);
    own->scale() = fields_.scale;
    own->correction_factor() = fields_.correction_factor;
    device_.native = std::move(own);
    return true;
  }

  std::lock_guard<std::mutex> lock_;
  DynArray<std::uint64_t>& array_;
  DeviceWords& device_;
  const Ciphertext::Fields& fields_;
};

const DynArray<std::uint64_t>& CiphertextAccess::array(const Ciphertext& in) {
  return is_only_on_device(in) ? Locked(in).on_host() : in.data_;
}

DynArray<std::uint64_t>& CiphertextAccess::array_for_writing(Ciphertext& in) {
  if (is_only_on_device(in)) Locked(in).on_host();
  in.device_.native.reset();
  return in.data_;
}

std::uint64_t* CiphertextAccess::reshape(Ciphertext& out, const EncryptionParameters& parms,
                                         std::size_t size) {
  DynArray<std::uint64_t>& array = array_for_writing(out);
  const std::size_t primes = parms.coeff_modulus().size();
  const std::size_t words = size * parms.poly_modulus_degree() * primes;
  if (words > array.capacity()) {
    // reserve() would copy the old words.
    DynArray<std::uint64_t> larger(array.pool());
    larger.resize(words, false);
    array = std::move(larger);
  }
  array.resize(words, false);
  out.fields_.size = size;
  out.fields_.poly_modulus_degree = parms.poly_modulus_degree();
  out.fields_.coeff_modulus_size = primes;
  return array.begin();
}

std::size_t CiphertextAccess::word_count(const Ciphertext& in) {
  return is_only_on_device(in) ? Locked(in).word_count() : in.data_.size();
}

void CiphertextAccess::copy_words(const Ciphertext& in, Ciphertext& out) {
  if (is_only_on_device(in) && !out.device_.is_exposed) {
    if (auto native = Locked(in).alone()) return set_only_on_device(out, std::move(native));
  }
  const DynArray<std::uint64_t>& words = array(in);
  if (is_only_on_device(out)) {
    out.data_ = DynArray<std::uint64_t>(words, out.pool());
    out.device_.is_alone = false;
  } else {
    out.data_ = words;
  }
  out.device_.native.reset();
}

void CiphertextAccess::set_only_on_device(Ciphertext& out, std::shared_ptr<const Native> native) {
  out.device_.native = std::move(native);
  out.device_.is_alone = true;
  out.data_.release();
}

std::shared_ptr<const Native> CiphertextAccess::on_device(const SEALContext& context,
                                                          const Ciphertext& in) {
  return Locked(in).on_device(context, in);
}

void CiphertextAccess::store(const SEALContext& context, Native&& result, Ciphertext& out) {
  if (out.device_.is_exposed || result.device_memory() == nullptr) {
    write_back(context, result, out);
    return;
  }
  const parms_id_type parms_id = level_of(context, result.parms_id())->parms_id();
  set_only_on_device(out, std::make_shared<const Native>(std::move(result)));
  const Native& native = *out.device_.native;
  out.fields_ = {.parms_id = parms_id,
                 .is_ntt_form = native.is_ntt_form(),
                 .size = native.size(),
                 .poly_modulus_degree = native.poly_modulus_degree(),
                 .coeff_modulus_size = native.coeff_modulus_size(),
                 .scale = native.scale(),
                 .correction_factor = native.correction_factor(),
                 .seed = nullptr};
}

}  // namespace ringlet::seal4::detail
