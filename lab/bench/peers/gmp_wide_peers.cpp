// SPDX-License-Identifier: Apache-2.0
#include <gmp.h>

#include "wide_job.hpp"

namespace ringlet::peers {
namespace {

constexpr mp_bitcnt_t kProductBits = 256;

/// An integer that has room for a product, so that no operation allocates.
class Mpz {
 public:
  Mpz() { mpz_init2(value_, kProductBits); }
  Mpz(const Mpz& other) : Mpz() { mpz_set(value_, other.value_); }
  Mpz& operator=(const Mpz& other) {
    mpz_set(value_, other.value_);
    return *this;
  }
  ~Mpz() { mpz_clear(value_); }

  mpz_ptr get() { return value_; }
  mpz_srcptr get() const { return value_; }

 private:
  mpz_t value_;
};

/// Integers modulo q by the functions that users of GMP call.
class GmpIntegers {
 public:
  using Integer = Mpz;

  explicit GmpIntegers(const std::uint64_t* q) { read(q_, q); }

  void read(Mpz& x, const std::uint64_t* words) const {
    mpz_import(x.get(), 2, -1, sizeof *words, 0, 0, words);
  }
  void write(std::uint64_t* words, const Mpz& x) const {
    words[0] = words[1] = 0;
    mpz_export(words, nullptr, -1, sizeof *words, 0, 0, x.get());
  }
  void set_one(Mpz& x) const { mpz_set_ui(x.get(), 1); }
  void set_zero(Mpz& x) const { mpz_set_ui(x.get(), 0); }
  void swap(Mpz& a, Mpz& b) const { mpz_swap(a.get(), b.get()); }
  void multiply(Mpz& x, const Mpz& a, const Mpz& b) {
    mpz_mul(product_.get(), a.get(), b.get());
    mpz_mod(x.get(), product_.get(), q_.get());
  }
  void multiply_add(Mpz& x, const Mpz& a, const Mpz& b, const Mpz& c) {
    mpz_mul(product_.get(), a.get(), b.get());
    mpz_add(product_.get(), product_.get(), c.get());
    mpz_mod(x.get(), product_.get(), q_.get());
  }
  void add(Mpz& x, const Mpz& a, const Mpz& b) const {
    mpz_add(x.get(), a.get(), b.get());
    if (mpz_cmp(x.get(), q_.get()) >= 0) mpz_sub(x.get(), x.get(), q_.get());
  }
  void subtract(Mpz& x, const Mpz& a, const Mpz& b) const {
    mpz_sub(x.get(), a.get(), b.get());
    if (mpz_sgn(x.get()) < 0) mpz_add(x.get(), x.get(), q_.get());
  }

 private:
  Mpz q_, product_;
};

enum class Operation { add, subtract, multiply, axpy };

template <Operation kOperation>
class EltwiseJob final : public WideJob<GmpIntegers> {
 public:
  using WideJob::WideJob;
  void run() override {
    for (std::size_t i = 0; i < a_.size(); ++i) {
      if constexpr (kOperation == Operation::add) q_.add(result_[i], a_[i], b_[i]);
      if constexpr (kOperation == Operation::subtract) q_.subtract(result_[i], a_[i], b_[i]);
      if constexpr (kOperation == Operation::multiply) q_.multiply(result_[i], a_[i], b_[i]);
      if constexpr (kOperation == Operation::axpy) {
        q_.multiply_add(result_[i], b_[0], a_[i], b_[i]);
      }
    }
  }
};

/// The sum of products is reduced once.
class DotJob final : public WideJob<GmpIntegers> {
 public:
  DotJob(std::uint64_t n, const ringlet_wide_modulus& q) : WideJob(n, q), modulus_(integer(q.q)) {}
  void run() override {
    q_.set_zero(sum_);
    for (std::size_t i = 0; i < a_.size(); ++i) {
      mpz_addmul(sum_.get(), a_[i].get(), b_[i].get());
    }
    mpz_mod(result_[0].get(), sum_.get(), modulus_.get());
  }

 private:
  Mpz modulus_, sum_;
};

}  // namespace

std::vector<WidePeer> gmp_wide_peers() {
  const std::string library = std::string("GMP ") + gmp_version + ", ";
  return {
      {"gmp/add", library + "mpz_add, mpz_sub where needed", make_wide<EltwiseJob<Operation::add>>},
      {"gmp/subtract", library + "mpz_sub, mpz_add where needed",
       make_wide<EltwiseJob<Operation::subtract>>},
      {"gmp/multiply", library + "mpz_mul and mpz_mod", make_wide<EltwiseJob<Operation::multiply>>},
      {"gmp/axpy", library + "mpz_mul, mpz_add and mpz_mod",
       make_wide<EltwiseJob<Operation::axpy>>},
      {"gmp/dot", library + "mpz_addmul, and one mpz_mod", make_wide<DotJob>},
      {"gmp/ntt_forward", library + "radix 2, butterflies of mpz_mul and mpz_mod",
       make_wide_transform<WideTransformJob<GmpIntegers, true>>},
      {"gmp/ntt_inverse", library + "radix 2, butterflies of mpz_mul and mpz_mod",
       make_wide_transform<WideTransformJob<GmpIntegers, false>>},
  };
}

}  // namespace ringlet::peers
