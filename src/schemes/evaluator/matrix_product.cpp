// SPDX-License-Identifier: Apache-2.0
#include "schemes/evaluator/matrix_product.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/rns_poly.hpp"
#include "rlwe/checks.hpp"
#include "schemes/evaluator/scheme_operations.hpp"
#include "schemes/evaluator/tensor.hpp"

namespace ringlet::schemes {
namespace {

// Words of products that are worth another thread.
constexpr std::size_t kProductWordsPerThread = std::size_t{1} << 15;
// Entries to look up that are worth another thread: the host reads a little of each, scattered.
constexpr std::size_t kEntriesPerThread = 512;

/// The views of operands and result of a product where a backend computes.
struct Matrices {
  Matrices(const Backend& backend, const CiphertextMatrix& a_in, const CiphertextMatrix& b_in,
           std::span<Ciphertext> entries)
      : a_entries(a_in.entries().size()),
        b_entries(b_in.entries().size()),
        c_entries(entries.size()) {
    const auto for_each = [](std::size_t count, const auto& body) {
      parallel_for(count, body, Chunks::even, kEntriesPerThread);
    };
    for_each(a_entries.size(),
             [&](std::size_t i) { a_entries[i] = a_in.entries()[i].all_ntt_limbs(backend); });
    for_each(b_entries.size(),
             [&](std::size_t i) { b_entries[i] = b_in.entries()[i].all_ntt_limbs(backend); });
    for_each(c_entries.size(),
             [&](std::size_t i) { c_entries[i] = entries[i].all_ntt_limbs_for_writing(backend); });
    a = {a_entries, a_in.shape().rows, a_in.shape().columns, a_in.size()};
    b = {b_entries, b_in.shape().rows, b_in.shape().columns, b_in.size()};
    c = {c_entries, a.rows, b.columns, a.size + b.size - 1};
  }

  std::vector<ConstNttView> a_entries;
  std::vector<ConstNttView> b_entries;
  std::vector<NttView> c_entries;
  ConstNttMatrix a;
  ConstNttMatrix b;
  NttMatrix c;
};

/// Computes MatrixProduct::separate, on the host limb by limb, elsewhere with all limbs at once.
class SeparateProducts {
 public:
  SeparateProducts(const Backend& backend, const Matrices& matrices, PrimeIndices primes);

  void run(std::size_t held);

 private:
  /// The working memory of one thread.
  struct Workplace {
    NttPoly product;
    NttView view;
  };

  void add_entry(std::size_t entry, std::size_t limb, std::size_t held,
                 const Workplace& workplace) const;

  const Backend& backend_;
  const Matrices& matrices_;
  PrimeIndices primes_;
  std::size_t limb_step_;
  std::vector<Workplace> workplaces_;
};

SeparateProducts::SeparateProducts(const Backend& backend, const Matrices& matrices,
                                   PrimeIndices primes)
    : backend_(backend),
      matrices_(matrices),
      primes_(primes),
      limb_step_(backend.memory() == nullptr ? 1 : primes.size()) {
  const std::size_t degree = backend.basis().degree();
  std::size_t count = 1;
  if (backend.memory() == nullptr) {
    const std::size_t words =
        matrices.c.entries.size() * matrices.a.size * matrices.a.columns * primes.size() * degree;
    count = std::clamp<std::size_t>(words / kProductWordsPerThread, 1, thread_count());
  }
  workplaces_.resize(count);
  for (Workplace& workplace : workplaces_) {
    workplace.product = NttPoly(limb_step_, degree, Secrecy::open, Contents::unspecified);
    workplace.view = workplace.product.view_for_writing(backend);
  }
}

void SeparateProducts::run(std::size_t held) {
  const std::size_t entries = matrices_.c.entries.size();
  const std::size_t tasks = entries * (primes_.size() / limb_step_);
  const std::size_t share = (tasks + workplaces_.size() - 1) / workplaces_.size();
  parallel_for(workplaces_.size(), [&](std::size_t w) {
    for (std::size_t task = w * share; task < std::min(tasks, (w + 1) * share); ++task) {
      add_entry(task % entries, task / entries * limb_step_, held, workplaces_[w]);
    }
  });
}

void SeparateProducts::add_entry(std::size_t entry, std::size_t limb, std::size_t held,
                                 const Workplace& workplace) const {
  const ConstNttMatrix& a = matrices_.a;
  const ConstNttMatrix& b = matrices_.b;
  const NttMatrix& c = matrices_.c;
  const PrimeIndices primes = primes_.subspan(limb, limb_step_);
  const auto part = [&](const auto& view, std::size_t p) {
    return view.part(p * primes_.size() + limb, limb_step_);
  };
  for (std::size_t p = 0; p < c.size; ++p) {
    const NttView sum = part(c.entries[entry], p);
    bool is_sum = p < held;
    for (std::size_t x = p < b.size ? 0 : p - b.size + 1; x <= std::min(p, a.size - 1); ++x) {
      for (std::size_t t = 0; t < a.columns; ++t) {
        const auto left = part(a.entries[entry / c.columns * a.columns + t], x);
        const auto right = part(b.entries[t * b.columns + entry % c.columns], p - x);
        backend_.multiply(is_sum ? workplace.view : sum, left, right, primes);
        if (is_sum) backend_.add(sum, sum, workplace.view, primes);
        is_sum = true;
      }
    }
  }
}

[[noreturn]] void refuse_shapes(const char* offending, const std::string& limit) {
  refuse(offending, limit, "check the order of the operands, and their shapes");
}

}  // namespace

std::string describe(const Context& context, const char* name, const CiphertextMatrix& matrix) {
  if (matrix.empty()) return concat(name, " without ciphertexts");
  return concat(name, " of ", matrix.shape().rows, " x ", matrix.shape().columns,
                " ciphertexts of size ", matrix.size(), " at ",
                rlwe::describe(context, matrix.entries().front()));
}

void check_not_empty(const CiphertextMatrix& matrix, const char* name) {
  if (!matrix.empty()) return;
  refuse(concat("matrix ", name, " is empty"), "a matrix with entries",
         "fill the matrix with ciphertexts first");
}

const ContextData& check_factors(const Context& context, const CiphertextMatrix& a,
                                 const CiphertextMatrix& b) {
  if (context.scheme() != SchemeType::ckks) {
    refuse<LogicError>(concat("scheme ", to_string(context.scheme())), "scheme ckks",
                       "multiply and add the entries");
  }
  check_not_empty(a, "a");
  check_not_empty(b, "b");
  const Ciphertext& of_a = a.entries().front();
  const Ciphertext& of_b = b.entries().front();
  const ContextData& level = rlwe::check_operand(context, of_a, "matrix a");
  rlwe::check_operand(context, of_b, "matrix b");
  rlwe::check_same_level(of_a, of_b);
  rlwe::check_same_key(of_a, of_b);
  if (a.shape().columns != b.shape().rows) {
    refuse_shapes("the shapes of the factors do not match", "as many rows of b as a has columns");
  }
  check_product_size(a.size() + b.size() - 1);
  make_scheme_operations(context)->check_scale_at(a.scale() * b.scale(), level);
  return level;
}

KeyId key_of(const CiphertextMatrix& a, const CiphertextMatrix& b) {
  return rlwe::common_key(a.entries().front().key_id(), b.entries().front().key_id());
}

void check_sum(const Context& context, const CiphertextMatrix& c, const CiphertextMatrix& a,
               const CiphertextMatrix& b) {
  if (&c == &a || &c == &b) {
    refuse(concat("c is also factor ", &c == &a ? "a" : "b"),
           "a sum that is not one of the factors", "copy the factor first");
  }
  check_not_empty(c, "c");
  const Ciphertext& of_c = c.entries().front();
  rlwe::check_operand(context, of_c, "matrix c");
  rlwe::check_same_level(of_c, a.entries().front());
  rlwe::check_key_id(of_c.key_id(), "matrix c", key_of(a, b), "the product");
  const MatrixShape shape{a.shape().rows, b.shape().columns};
  const std::size_t size = a.size() + b.size() - 1;
  if (c.shape() != shape || c.size() > size) {
    refuse_shapes("the sum does not match the product",
                  concat(shape.rows, " x ", shape.columns, " ciphertexts of size ", size,
                         " at most, the shape of the product"));
  }
  const double scale = a.scale() * b.scale();
  if (!rlwe::scales_match(c.scale(), scale)) {
    rlwe::refuse_scale(concat(": c and a product of ", rlwe::describe_scale(scale)));
  }
}

void add_matrix_product(const Context& context, const CiphertextMatrix& a,
                        const CiphertextMatrix& b, std::span<Ciphertext> entries,
                        const ProductOptions& options) {
  const Backend& backend = context.backend();
  const PrimeIndices primes = context.get_context_data(a.parms_id())->primes();
  if (options.form == MatrixProduct::separate) {
    const Matrices matrices(backend, a, b, entries);
    SeparateProducts(backend, matrices, primes).run(options.held);
    return;
  }
  Ciphertext::share_blocks(a.entries(), a.shape().columns, backend);
  Ciphertext::share_blocks(b.entries(), b.shape().columns, backend);
  Ciphertext::share_blocks(entries, b.shape().columns, backend);
  const Matrices matrices(backend, a, b, entries);
  backend.multiply_matrices(matrices.c, matrices.a, matrices.b, options.held, primes);
}

}  // namespace ringlet::schemes
