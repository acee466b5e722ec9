// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/circuits/linear_transform.hpp"

namespace ringlet {
namespace {

double entry_size(std::int64_t value) { return std::abs(static_cast<double>(value)); }
double entry_size(std::complex<double> value) { return std::abs(value); }

}  // namespace

KnownMatrix::KnownMatrix(std::size_t rows, std::size_t columns, std::size_t slot_rows,
                         Entries entries)
    : rows_(rows),
      columns_(columns),
      slot_rows_(slot_rows),
      entries_(std::make_shared<const Entries>(std::move(entries))) {
  const std::size_t count =
      std::visit([](const auto& numbers) { return numbers.size(); }, *entries_);
  const auto measure = [this](const auto& numbers) {
    for (std::size_t i = 0; i < numbers.size(); i += columns_) {
      double sum = 0;
      for (std::size_t j = 0; j < columns_; ++j) {
        const double size = entry_size(numbers[i + j]);
        if (!std::isfinite(size)) {
          refuse("an entry that is not finite", "finite numbers", "remove infinities and NaN");
        }
        sum += size;
      }
      row_sum_ = std::max(row_sum_, sum);
    }
  };
  public_entry("KnownMatrix", [&] {
    // A comparison of rows * columns with count would be wrong: that product may wrap around.
    if (count == 0 || rows == 0 || count % (rows * slot_rows) != 0 ||
        count / (rows * slot_rows) != columns) {
      refuse(concat(count, " entries for ", rows, " rows, ", columns, " columns"),
             "at least one row and one column, rows * columns entries",
             "pass all entries, row by row");
    }
    std::visit(measure, *entries_);
  });
}

KnownMatrix::KnownMatrix(std::size_t rows, std::size_t columns, Integers entries)
    : KnownMatrix(rows, columns, 1, Entries(std::move(entries))) {}
KnownMatrix::KnownMatrix(std::size_t rows, std::size_t columns, Numbers entries)
    : KnownMatrix(rows, columns, 1, Entries(std::move(entries))) {}
KnownMatrix::KnownMatrix(std::size_t rows, std::size_t columns, std::span<const double> entries)
    : KnownMatrix(rows, columns, 1, Entries(Numbers(entries.begin(), entries.end()))) {}

KnownMatrix KnownMatrix::per_row(const KnownMatrix& first, const KnownMatrix& second) {
  const auto describe = [](const KnownMatrix& matrix) {
    return concat(matrix.rows(), " x ", matrix.columns(),
                  matrix.is_integer() ? " integers" : " real or complex numbers",
                  matrix.slot_rows() == 2 ? " for two rows" : "");
  };
  const bool fits = first.rows() == second.rows() && first.columns() == second.columns() &&
                    first.is_integer() && second.is_integer() && first.slot_rows() == 1 &&
                    second.slot_rows() == 1;
  if (!fits) {
    throw_invalid_argument(
        {"KnownMatrix::per_row", concat(describe(first), " and ", describe(second)),
         "two integer matrices of the same shape, each for one row",
         "pass two integer matrices of one row; pad the smaller one with zeros"});
  }
  Integers both = std::get<Integers>(first.entries());
  const Integers& more = std::get<Integers>(second.entries());
  both.insert(both.end(), more.begin(), more.end());
  return {first.rows(), first.columns(), 2, Entries(std::move(both))};
}

}  // namespace ringlet
