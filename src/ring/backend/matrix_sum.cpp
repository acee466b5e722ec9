// SPDX-License-Identifier: Apache-2.0
// Products of matrices as sums of products of polynomials.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/parallel.hpp"
#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/rns_poly.hpp"

namespace ringlet {
namespace {

using ConstViews = std::span<const ConstNttView>;

// Words of products that are worth another thread.
constexpr std::size_t kWordsPerThread = std::size_t{1} << 15;

/// Arranges views so that the terms of one result are neighbours: rows of `a` start with their
/// polynomials 0, columns of `b` with their last polynomials. Runs of equal length in both then
/// hold the pairs whose indices have one sum.
class MatrixSum {
 public:
  MatrixSum(const Backend& backend, const NttMatrix& c, const ConstNttMatrix& a,
            const ConstNttMatrix& b, PrimeIndices primes);

  /// Writes the product to c: adds it to polynomials below `held`, overwrites the others.
  void run(std::size_t held);

 private:
  /// The working memory of one thread.
  struct Workplace {
    NttPoly product;
    NttView product_view;
    std::vector<ConstNttView> row;
    std::vector<ConstNttView> column;
  };

  void arrange_rows();
  void arrange_columns();
  void make_workplaces();
  void add_entry(std::size_t entry, std::size_t limb, std::size_t held, Workplace& workplace) const;
  void add_products(NttView sum, ConstViews a, ConstViews b, PrimeIndices primes,
                    NttView product) const;

  const Backend& backend_;
  const NttMatrix& c_;
  const ConstNttMatrix& a_;
  const ConstNttMatrix& b_;
  PrimeIndices primes_;
  std::size_t limb_step_;  ///< Limbs per call of the backend.
  std::vector<ConstNttView> rows_;
  std::vector<ConstNttView> all_columns_;
  std::vector<Workplace> workplaces_;
};

// The host takes one limb after the other, so that operands stay in the cache. A device takes all
// limbs at once, because it needs few calls with much work.
MatrixSum::MatrixSum(const Backend& backend, const NttMatrix& c, const ConstNttMatrix& a,
                     const ConstNttMatrix& b, PrimeIndices primes)
    : backend_(backend),
      c_(c),
      a_(a),
      b_(b),
      primes_(primes),
      limb_step_(backend.memory() == nullptr ? 1 : primes.size()) {
  arrange_rows();
  arrange_columns();
  make_workplaces();
}

void MatrixSum::arrange_rows() {
  rows_.reserve(a_.entries.size() * a_.size);
  for (std::size_t i = 0; i < a_.rows; ++i) {
    for (std::size_t x = 0; x < a_.size; ++x) {
      for (std::size_t t = 0; t < a_.columns; ++t) {
        const ConstNttView& entry = a_.entries[i * a_.columns + t];
        rows_.push_back(entry.part(x * primes_.size(), primes_.size()));
      }
    }
  }
}

void MatrixSum::arrange_columns() {
  all_columns_.reserve(b_.entries.size() * b_.size);
  for (std::size_t j = 0; j < b_.columns; ++j) {
    for (std::size_t y = b_.size; y-- > 0;) {
      for (std::size_t t = 0; t < b_.rows; ++t) {
        const ConstNttView& entry = b_.entries[t * b_.columns + j];
        all_columns_.push_back(entry.part(y * primes_.size(), primes_.size()));
      }
    }
  }
}

void MatrixSum::make_workplaces() {
  const std::size_t degree = c_.entries.front().degree;
  std::size_t count = 1;
  if (backend_.memory() == nullptr) {
    const std::size_t results = c_.entries.size() * a_.size * primes_.size();
    const std::size_t words = results * a_.columns * degree;
    count = std::clamp<std::size_t>(words / kWordsPerThread, 1, thread_count());
  }
  workplaces_.resize(count);
  for (Workplace& workplace : workplaces_) {
    workplace.product = NttPoly(limb_step_, degree, Secrecy::open, Contents::unspecified);
    workplace.product_view = workplace.product.view_for_writing(backend_);
    workplace.row.resize(a_.size * a_.columns);
    workplace.column.resize(b_.size * b_.rows);
  }
}

void MatrixSum::run(std::size_t held) {
  const std::size_t entries = c_.entries.size();
  const std::size_t tasks = entries * (primes_.size() / limb_step_);
  const std::size_t share = (tasks + workplaces_.size() - 1) / workplaces_.size();
  parallel_for(workplaces_.size(), [&](std::size_t w) {
    for (std::size_t task = w * share; task < std::min(tasks, (w + 1) * share); ++task) {
      add_entry(task % entries, task / entries * limb_step_, held, workplaces_[w]);
    }
  });
}

void MatrixSum::add_entry(std::size_t entry, std::size_t limb, std::size_t held,
                          Workplace& workplace) const {
  const auto narrow = [&](ConstViews views, std::size_t index, std::vector<ConstNttView>& result) {
    const ConstViews wanted = views.subspan(index * result.size(), result.size());
    std::ranges::transform(wanted, result.begin(),
                           [&](const ConstNttView& view) { return view.part(limb, limb_step_); });
  };
  narrow(rows_, entry / c_.columns, workplace.row);
  narrow(all_columns_, entry % c_.columns, workplace.column);
  const PrimeIndices primes = primes_.subspan(limb, limb_step_);
  for (std::size_t p = 0; p < c_.size; ++p) {
    const std::size_t first = p < b_.size ? 0 : p - b_.size + 1;
    const std::size_t last = std::min(p, a_.size - 1);
    const std::size_t terms = (last - first + 1) * a_.columns;
    const ConstViews a = ConstViews(workplace.row).subspan(first * a_.columns, terms);
    const ConstViews b =
        ConstViews(workplace.column).subspan((b_.size - 1 + first - p) * a_.columns, terms);
    const NttView sum = c_.entries[entry].part(p * primes_.size() + limb, limb_step_);
    if (p < held) {
      add_products(sum, a, b, primes, workplace.product_view);
    } else {
      backend_.multiply_accumulate(sum, a, b, primes);
    }
  }
}

void MatrixSum::add_products(NttView sum, ConstViews a, ConstViews b, PrimeIndices primes,
                             NttView product) const {
  if (a.size() == 1) {
    backend_.multiply_add(sum, a.front(), b.front(), sum, primes);
  } else {
    backend_.multiply_accumulate(product, a, b, primes);
    backend_.add(sum, sum, product, primes);
  }
}

}  // namespace

void Backend::do_multiply_matrices(const NttMatrix& c, const ConstNttMatrix& a,
                                   const ConstNttMatrix& b, std::size_t held,
                                   PrimeIndices primes) const {
  MatrixSum(*this, c, a, b, primes).run(held);
}

}  // namespace ringlet
