// SPDX-License-Identifier: Apache-2.0
#include <flint/flint.h>
#include <flint/fmpz.h>
#include <flint/fmpz_mod.h>
#include <flint/fmpz_mod_poly.h>
#include <flint/fmpz_mod_vec.h>

#include "wide_job.hpp"

namespace ringlet::peers {
namespace {

static_assert(std::is_same_v<mp_limb_t, std::uint64_t>, "FLINT's words are 64 bits here");

class Fmpz {
 public:
  Fmpz() { fmpz_init(value_); }
  Fmpz(const Fmpz& other) { fmpz_init_set(value_, other.value_); }
  Fmpz& operator=(const Fmpz& other) {
    fmpz_set(value_, other.value_);
    return *this;
  }
  ~Fmpz() { fmpz_clear(value_); }

  fmpz* get() { return value_; }
  const fmpz* get() const { return value_; }

 private:
  fmpz_t value_;
};

// FLINT's vectors are arrays of fmpz.
static_assert(sizeof(Fmpz) == sizeof(fmpz) && std::is_standard_layout_v<Fmpz>);

class FlintIntegers {
 public:
  using Integer = Fmpz;

  explicit FlintIntegers(const std::uint64_t* q) {
    Fmpz modulus;
    read(modulus, q);
    fmpz_mod_ctx_init(context_, modulus.get());
  }
  FlintIntegers(const FlintIntegers&) = delete;
  FlintIntegers& operator=(const FlintIntegers&) = delete;
  ~FlintIntegers() { fmpz_mod_ctx_clear(context_); }

  const fmpz_mod_ctx_struct* context() const { return context_; }

  void read(Fmpz& x, const std::uint64_t* words) const { fmpz_set_ui_array(x.get(), words, 2); }
  void write(std::uint64_t* words, const Fmpz& x) const { fmpz_get_ui_array(words, 2, x.get()); }
  void set_one(Fmpz& x) const { fmpz_one(x.get()); }
  void swap(Fmpz& a, Fmpz& b) const { fmpz_swap(a.get(), b.get()); }
  void multiply(Fmpz& x, const Fmpz& a, const Fmpz& b) const {
    fmpz_mod_mul(x.get(), a.get(), b.get(), context_);
  }
  void add(Fmpz& x, const Fmpz& a, const Fmpz& b) const {
    fmpz_mod_add(x.get(), a.get(), b.get(), context_);
  }
  void subtract(Fmpz& x, const Fmpz& a, const Fmpz& b) const {
    fmpz_mod_sub(x.get(), a.get(), b.get(), context_);
  }

 private:
  fmpz_mod_ctx_t context_;
};

using VectorFunction = void (*)(fmpz*, const fmpz*, const fmpz*, slong, const fmpz_mod_ctx_struct*);

template <VectorFunction kFunction>
class VectorJob final : public WideJob<FlintIntegers> {
 public:
  using WideJob::WideJob;
  void run() override {
    kFunction(result_[0].get(), a_[0].get(), b_[0].get(), static_cast<slong>(a_.size()),
              q_.context());
  }
};

// The call adds to its result: after load() the first repetition gives b + a * b[0], and later
// repetitions add to that.
class AxpyJob final : public WideJob<FlintIntegers> {
 public:
  using WideJob::WideJob;
  void load(const std::uint64_t* a, const std::uint64_t* b) override {
    WideJob::load(a, b);
    result_ = b_;
  }
  void run() override {
    _fmpz_mod_vec_scalar_addmul_fmpz_mod(result_[0].get(), a_[0].get(),
                                         static_cast<slong>(a_.size()), b_[0].get(), q_.context());
  }
};

class DotJob final : public WideJob<FlintIntegers> {
 public:
  using WideJob::WideJob;
  void run() override {
    _fmpz_mod_vec_dot(result_[0].get(), a_[0].get(), b_[0].get(), static_cast<slong>(a_.size()),
                      q_.context());
  }
};

class ProductJob final : public WideJob<FlintIntegers> {
 public:
  ProductJob(std::uint64_t n, const ringlet_wide_modulus& q) : WideJob(n, q) {
    for (auto* poly : {x_, y_, product_}) fmpz_mod_poly_init(poly, q_.context());
  }
  ProductJob(const ProductJob&) = delete;
  ProductJob& operator=(const ProductJob&) = delete;
  ~ProductJob() override {
    for (auto* poly : {x_, y_, product_}) fmpz_mod_poly_clear(poly, q_.context());
  }

  void load(const std::uint64_t* a, const std::uint64_t* b) override {
    WideJob::load(a, b);
    for (std::size_t i = 0; i < a_.size(); ++i) {
      const auto index = static_cast<slong>(i);
      fmpz_mod_poly_set_coeff_fmpz(x_, index, a_[i].get(), q_.context());
      fmpz_mod_poly_set_coeff_fmpz(y_, index, b_[i].get(), q_.context());
    }
  }
  void run() override {
    fmpz_mod_poly_mul(product_, x_, y_, q_.context());
    for (std::size_t i = 0; i < result_.size(); ++i) {
      const auto index = static_cast<slong>(i);
      fmpz_mod_poly_get_coeff_fmpz(result_[i].get(), product_, index, q_.context());
      fmpz_mod_poly_get_coeff_fmpz(high_.get(), product_,
                                   index + static_cast<slong>(result_.size()), q_.context());
      q_.subtract(result_[i], result_[i], high_);
    }
  }

 private:
  fmpz_mod_poly_t x_, y_, product_;
  Fmpz high_;
};

}  // namespace

std::vector<WidePeer> flint_wide_peers() {
  const std::string library = std::string("FLINT ") + FLINT_VERSION + ", ";
  return {
      {"flint/add", library + "_fmpz_mod_vec_add", make_wide<VectorJob<_fmpz_mod_vec_add>>},
      {"flint/subtract", library + "_fmpz_mod_vec_sub", make_wide<VectorJob<_fmpz_mod_vec_sub>>},
      {"flint/multiply", library + "_fmpz_mod_vec_mul", make_wide<VectorJob<_fmpz_mod_vec_mul>>},
      {"flint/axpy", library + "_fmpz_mod_vec_scalar_addmul_fmpz_mod", make_wide<AxpyJob>},
      {"flint/dot", library + "_fmpz_mod_vec_dot", make_wide<DotJob>},
      {"flint/ntt_forward", library + "radix 2, butterflies of fmpz_mod_mul, _add and _sub",
       make_wide_transform<WideTransformJob<FlintIntegers, true>>},
      {"flint/ntt_inverse", library + "radix 2, butterflies of fmpz_mod_mul, _add and _sub",
       make_wide_transform<WideTransformJob<FlintIntegers, false>>},
      {"flint/product", library + "fmpz_mod_poly_mul of N by N coefficients, folded modulo X^N + 1",
       make_wide<ProductJob>},
  };
}

}  // namespace ringlet::peers
