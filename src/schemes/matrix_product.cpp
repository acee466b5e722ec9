// SPDX-License-Identifier: Apache-2.0
#include "schemes/matrix_product.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "base/text.hpp"
#include "ringlet/backend.hpp"
#include "ringlet/error.hpp"
#include "ringlet/rns_poly.hpp"
#include "rlwe/checks.hpp"
#include "schemes/scheme_operations.hpp"
#include "schemes/tensor.hpp"

namespace ringlet::schemes {
namespace {

using ConstViews = std::span<const ConstNttView>;

// Words of products that are worth another thread.
constexpr std::size_t kWordsPerThread = std::size_t{1} << 15;

std::string describe(const Context& context, const CiphertextMatrix& matrix) {
  return concat(matrix.shape().rows, " x ", matrix.shape().columns, " ciphertexts of size ",
                matrix.size(), " at ", rlwe::describe(context, matrix.entries().front()));
}

/// The product of two matrices limb by limb. Views are arranged so that the terms of one result
/// lie side by side: for a row of `a` its polynomials 0 first, for a column of `b` its last ones,
/// so that runs of both meet in the pairs whose indices have one sum.
class MatrixSum {
 public:
  MatrixSum(const Context& context, const CiphertextMatrix& a, const CiphertextMatrix& b,
            std::span<Ciphertext> entries, const ProductOptions& options);

  void run();

 private:
  /// What one thread works with.
  struct Workplace {
    NttPoly product;
    NttView product_view;
    std::vector<ConstNttView> row;
    std::vector<ConstNttView> column;
  };

  void arrange_rows(const CiphertextMatrix& a);
  void arrange_columns(const CiphertextMatrix& b);
  void make_workplaces();
  void add_entry(std::size_t entry, std::size_t limb, Workplace& workplace) const;
  void write_products(NttView sum, ConstViews a, ConstViews b, PrimeIndices primes,
                      NttView product) const;
  void add_products(NttView sum, ConstViews a, ConstViews b, PrimeIndices primes,
                    NttView product) const;

  const Backend& backend_;
  const ContextData& level_;
  ProductOptions options_;
  std::size_t columns_;  ///< Of b and of the result.
  std::size_t depth_;    ///< Columns of a, rows of b.
  std::size_t a_size_;
  std::size_t b_size_;
  std::size_t limb_step_;  ///< Limbs per call of the backend.
  std::vector<ConstNttView> rows_;
  std::vector<ConstNttView> all_columns_;
  std::vector<NttView> sums_;  ///< Entry by entry, polynomial by polynomial.
  std::vector<Workplace> workplaces_;
};

// On the host one limb after the other, so that operands stay in the cache; a device wants few
// calls with much work.
MatrixSum::MatrixSum(const Context& context, const CiphertextMatrix& a, const CiphertextMatrix& b,
                     std::span<Ciphertext> entries, const ProductOptions& options)
    : backend_(context.backend()),
      level_(*context.get_context_data(a.parms_id())),
      options_(options),
      columns_(b.shape().columns),
      depth_(a.shape().columns),
      a_size_(a.size()),
      b_size_(b.size()),
      limb_step_(backend_.memory() == nullptr ? 1 : level_.prime_count()) {
  arrange_rows(a);
  arrange_columns(b);
  make_workplaces();
  sums_.reserve(entries.size() * (a_size_ + b_size_ - 1));
  for (Ciphertext& entry : entries) {
    for (std::size_t p = 0; p < entry.size(); ++p)
      sums_.push_back(entry.ntt_view_for_writing(p, backend_));
  }
}

void MatrixSum::arrange_rows(const CiphertextMatrix& a) {
  rows_.reserve(a.entries().size() * a_size_);
  for (std::size_t i = 0; i < a.shape().rows; ++i) {
    for (std::size_t x = 0; x < a_size_; ++x) {
      for (std::size_t t = 0; t < depth_; ++t) rows_.push_back(a.at(i, t).ntt_view(x, backend_));
    }
  }
}

void MatrixSum::arrange_columns(const CiphertextMatrix& b) {
  all_columns_.reserve(b.entries().size() * b_size_);
  for (std::size_t j = 0; j < columns_; ++j) {
    for (std::size_t y = b_size_; y-- > 0;) {
      for (std::size_t t = 0; t < depth_; ++t)
        all_columns_.push_back(b.at(t, j).ntt_view(y, backend_));
    }
  }
}

void MatrixSum::make_workplaces() {
  std::size_t count = 1;
  if (backend_.memory() == nullptr) {
    const std::size_t results = rows_.size() / depth_ * columns_ * level_.prime_count();
    const std::size_t words = results * depth_ * level_.degree();
    count = std::clamp<std::size_t>(words / kWordsPerThread, 1, thread_count());
  }
  workplaces_.resize(count);
  for (Workplace& workplace : workplaces_) {
    workplace.product = NttPoly(limb_step_, level_.degree(), Secrecy::open, Contents::unspecified);
    workplace.product_view = workplace.product.view_for_writing(backend_);
    workplace.row.resize(a_size_ * depth_);
    workplace.column.resize(b_size_ * depth_);
  }
}

void MatrixSum::run() {
  const std::size_t entries = sums_.size() / (a_size_ + b_size_ - 1);
  const std::size_t tasks = entries * (level_.prime_count() / limb_step_);
  const std::size_t share = (tasks + workplaces_.size() - 1) / workplaces_.size();
  parallel_for(workplaces_.size(), [&](std::size_t w) {
    for (std::size_t task = w * share; task < std::min(tasks, (w + 1) * share); ++task) {
      add_entry(task % entries, task / entries * limb_step_, workplaces_[w]);
    }
  });
}

void MatrixSum::add_entry(std::size_t entry, std::size_t limb, Workplace& workplace) const {
  const auto narrow = [&](ConstViews views, std::size_t index, std::vector<ConstNttView>& result) {
    const ConstViews wanted = views.subspan(index * result.size(), result.size());
    std::ranges::transform(wanted, result.begin(),
                           [&](const ConstNttView& view) { return view.part(limb, limb_step_); });
  };
  narrow(rows_, entry / columns_, workplace.row);
  narrow(all_columns_, entry % columns_, workplace.column);
  const PrimeIndices primes = level_.primes().subspan(limb, limb_step_);
  const std::size_t size = a_size_ + b_size_ - 1;
  for (std::size_t p = 0; p < size; ++p) {
    const std::size_t first = p < b_size_ ? 0 : p - b_size_ + 1;
    const std::size_t last = std::min(p, a_size_ - 1);
    const std::size_t terms = (last - first + 1) * depth_;
    const ConstViews a = ConstViews(workplace.row).subspan(first * depth_, terms);
    const ConstViews b =
        ConstViews(workplace.column).subspan((b_size_ - 1 + first - p) * depth_, terms);
    const NttView sum = sums_[entry * size + p].part(limb, limb_step_);
    if (p < options_.held) {
      add_products(sum, a, b, primes, workplace.product_view);
    } else {
      write_products(sum, a, b, primes, workplace.product_view);
    }
  }
}

void MatrixSum::write_products(NttView sum, ConstViews a, ConstViews b, PrimeIndices primes,
                               NttView product) const {
  if (options_.form == MatrixProduct::fused) {
    backend_.multiply_accumulate(sum, a, b, primes);
    return;
  }
  backend_.multiply(sum, a.front(), b.front(), primes);
  if (a.size() > 1) add_products(sum, a.subspan(1), b.subspan(1), primes, product);
}

void MatrixSum::add_products(NttView sum, ConstViews a, ConstViews b, PrimeIndices primes,
                             NttView product) const {
  if (options_.form == MatrixProduct::separate) {
    for (std::size_t t = 0; t < a.size(); ++t) {
      backend_.multiply(product, a[t], b[t], primes);
      backend_.add(sum, sum, product, primes);
    }
  } else if (a.size() == 1) {
    backend_.multiply_add(sum, a.front(), b.front(), sum, primes);
  } else {
    backend_.multiply_accumulate(product, a, b, primes);
    backend_.add(sum, sum, product, primes);
  }
}

[[noreturn]] void refuse_shapes(const std::string& offending, const std::string& limit,
                                const char* operation) {
  throw_invalid_argument({.operation = operation,
                          .offending = offending,
                          .limit = limit,
                          .remedy = "check the order of the operands, and their shapes"});
}

}  // namespace

void check_not_empty(const CiphertextMatrix& matrix, const char* name, const char* operation) {
  if (!matrix.empty()) return;
  throw_invalid_argument({.operation = operation,
                          .offending = concat("matrix ", name, " is empty"),
                          .limit = "a matrix with entries",
                          .remedy = "make it of ciphertexts first"});
}

const ContextData& check_factors(const Context& context, const CiphertextMatrix& a,
                                 const CiphertextMatrix& b, const char* operation) {
  if (context.scheme() != SchemeType::ckks) {
    throw_logic_error({.operation = operation,
                       .offending = concat("scheme ", to_string(context.scheme())),
                       .limit = "scheme ckks",
                       .remedy = "multiply and add the entries with an Evaluator"});
  }
  check_not_empty(a, "a", operation);
  check_not_empty(b, "b", operation);
  const Ciphertext& of_a = a.entries().front();
  const Ciphertext& of_b = b.entries().front();
  const ContextData& level = rlwe::check_operand(context, of_a, "matrix a", operation);
  rlwe::check_operand(context, of_b, "matrix b", operation);
  rlwe::check_same_level(context, of_a, of_b, operation);
  const std::string both = concat("a of ", describe(context, a), "; b of ", describe(context, b));
  if (a.shape().columns != b.shape().rows) {
    refuse_shapes(both, "as many rows of b as a has columns", operation);
  }
  check_product_size(a.size() + b.size() - 1, operation);
  make_scheme_operations(context)->check_scale_at(a.scale() * b.scale(), level, operation, both);
  return level;
}

void check_sum(const Context& context, const CiphertextMatrix& c, const CiphertextMatrix& a,
               const CiphertextMatrix& b, const char* operation) {
  if (&c == &a || &c == &b) {
    throw_invalid_argument({.operation = operation,
                            .offending = concat("c is ", &c == &a ? "a" : "b"),
                            .limit = "a matrix for the sum that is none of the factors",
                            .remedy = "copy the factor first"});
  }
  check_not_empty(c, "c", operation);
  const Ciphertext& of_c = c.entries().front();
  rlwe::check_operand(context, of_c, "matrix c", operation);
  rlwe::check_same_level(context, of_c, a.entries().front(), operation);
  const MatrixShape shape{a.shape().rows, b.shape().columns};
  const std::size_t size = a.size() + b.size() - 1;
  if (c.shape() != shape || c.size() > size) {
    refuse_shapes(concat("c of ", describe(context, c)),
                  concat(shape.rows, " x ", shape.columns, " ciphertexts of size ", size,
                         " at most, as the product"),
                  operation);
  }
  const double scale = a.scale() * b.scale();
  if (!rlwe::scales_match(c.scale(), scale)) {
    rlwe::throw_scale_mismatch(concat("c of ", describe(context, c)),
                               concat("a product of ", rlwe::describe_scale(scale)), operation);
  }
}

void add_matrix_product(const Context& context, const CiphertextMatrix& a,
                        const CiphertextMatrix& b, std::span<Ciphertext> entries,
                        const ProductOptions& options) {
  MatrixSum(context, a, b, entries, options).run();
}

}  // namespace ringlet::schemes
