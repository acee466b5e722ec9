// SPDX-License-Identifier: Apache-2.0
#include "ringlet/schemes/ciphertext_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <unistd.h>
#include <utility>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "rlwe/checks.hpp"
#include "schemes/evaluator/evaluation.hpp"
#include "schemes/evaluator/matrix_product.hpp"
#include "schemes/evaluator/polynomials.hpp"
#include "schemes/operand_entry.hpp"

namespace ringlet {
namespace {

constexpr const char* kMatrix = "CiphertextMatrix";

std::string describe(const MatrixShape& shape) { return concat(shape.rows, " x ", shape.columns); }

// Returns the number of entries.
std::size_t check_shape(const MatrixShape& shape) {
  std::size_t count = 0;
  const bool overflows = __builtin_mul_overflow(shape.rows, shape.columns, &count);
  if (!overflows && count > 0) return count;
  refuse(concat("shape = ", describe(shape)),
         "at least one row and one column, and at most as many entries as fit into memory",
         "leave out products with an empty matrix");
}

// All words are written: a system that promises more memory than it has would notice too late.
void check_memory(const ContextData& level, const MatrixShape& shape, std::size_t size) {
  const std::size_t bytes = CiphertextMatrix::byte_count(level, shape, size);
  const auto limit = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                     static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (bytes <= limit) return;
  refuse<RuntimeError>(concat(describe(shape), " ciphertexts of ", bytes, " bytes"),
                       concat("the ", limit, " bytes of this machine's memory"),
                       "multiply blocks of rows and columns one after the other");
}

void check_scale(double scale) {
  if (std::isnormal(scale) && scale > 0) return;
  refuse(concat("scale = ", scale), "positive normal numbers",
         "pass the scale of the products that are added");
}

std::string describe(const Ciphertext& entry) {
  return concat(entry.size(), " polynomials in ", entry.is_ntt_form() ? "NTT" : "coefficient",
                " form, identifier ", rlwe::describe(entry.parms_id()), ", scale ", entry.scale(),
                ", correction factor ", entry.correction_factor(), ", secret key ",
                rlwe::describe(entry.key_id()));
}

bool is_alike(const Ciphertext& a, const Ciphertext& b) {
  return a.size() == b.size() && a.form() == b.form() && a.parms_id() == b.parms_id() &&
         a.scale() == b.scale() && a.correction_factor() == b.correction_factor() &&
         a.key_id() == b.key_id();
}

void check_entries(const MatrixShape& shape, std::span<const Ciphertext> entries) {
  if (entries.size() != check_shape(shape)) {
    refuse(concat(entries.size(), " entries for ", describe(shape)), "rows * columns entries",
           "pass one entry for each place, row after row");
  }
  const Ciphertext& first = entries.front();
  if (first.size() == 0 || !first.is_ntt_form()) {
    refuse(concat("entry 0 of ", describe(first)), "ciphertexts in NTT form",
           "encrypt into the ciphertext, or transform it to NTT form");
  }
  const auto other = std::ranges::find_if(
      entries, [&first](const Ciphertext& entry) { return !is_alike(entry, first); });
  if (other == entries.end()) return;
  refuse(concat("entry ", other - entries.begin(), " of ", describe(*other), "; entry 0 of ",
                describe(first)),
         "entries of the same size, form, level, scale and secret key",
         "rescale, switch or encode all entries to the same level and scale");
}

struct NewEntries {
  std::size_t size;
  KeyId key_id;
  double scale;
};

// Makes ciphertexts whose words will be written where the context computes.
std::vector<Ciphertext> new_entries(const Context& context, const ContextData& level,
                                    const MatrixShape& shape, const NewEntries& as) {
  const std::size_t count = check_shape(shape);
  if (context.backend().memory() == nullptr) check_memory(level, shape, as.size);
  std::vector<Ciphertext> entries;
  entries.reserve(count);
  while (entries.size() < count) {
    Ciphertext& entry = entries.emplace_back(level, as.size, Form::ntt, Contents::unspecified);
    entry.scale() = as.scale;
    entry.key_id() = as.key_id;
  }
  return entries;
}

std::string describe_factors(const Context& context, const CiphertextMatrix& a,
                             const CiphertextMatrix& b) {
  return concat(", ", schemes::describe(context, "a", a), "; ", schemes::describe(context, "b", b));
}

}  // namespace

CiphertextMatrix::CiphertextMatrix(const ContextData& level, const MatrixShape& shape,
                                   std::size_t size, double scale)
    : shape_(shape) {
  const std::size_t count = public_entry(kMatrix, [&] {
    const std::size_t entry_count = check_shape(shape);
    check_scale(scale);
    check_memory(level, shape, size);
    return entry_count;
  });
  entries_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    entries_.emplace_back(level, size, Form::ntt).scale() = scale;
  }
}

CiphertextMatrix::CiphertextMatrix(const MatrixShape& shape, std::vector<Ciphertext>&& entries)
    : shape_(shape) {
  public_entry(kMatrix, [&] { check_entries(shape, entries); });
  entries_ = std::move(entries);
}

CiphertextMatrix::CiphertextMatrix(CiphertextMatrix&& other) noexcept
    : shape_(std::exchange(other.shape_, {})), entries_(std::exchange(other.entries_, {})) {}

CiphertextMatrix& CiphertextMatrix::operator=(CiphertextMatrix&& other) noexcept {
  if (this == &other) return *this;
  shape_ = std::exchange(other.shape_, {});
  entries_ = std::exchange(other.entries_, {});
  return *this;
}

const Ciphertext& CiphertextMatrix::at(std::size_t row, std::size_t column) const {
  if (row < shape_.rows && column < shape_.columns) {
    return entries_[row * shape_.columns + column];
  }
  throw_out_of_range({.operation = "CiphertextMatrix::at",
                      .offending = concat("row ", row, ", column ", column),
                      .limit = concat("a matrix of shape ", describe(shape_)),
                      .remedy = "check the shape first; rows and columns count from 0"});
}

std::vector<Ciphertext> CiphertextMatrix::release() noexcept {
  shape_ = {};
  return std::exchange(entries_, {});
}

std::size_t CiphertextMatrix::byte_count(const ContextData& level, const MatrixShape& shape,
                                         std::size_t size) {
  std::size_t bytes = sizeof(std::uint64_t);
  bool overflows = false;
  for (const std::size_t factor :
       {shape.rows, shape.columns, size, level.prime_count(), level.degree()}) {
    overflows = __builtin_mul_overflow(bytes, factor, &bytes) || overflows;
  }
  if (!overflows) return bytes;
  throw_invalid_argument({.operation = kMatrix,
                          .offending = concat(describe(shape), " ciphertexts of size ", size),
                          .limit = "a number of bytes below 2^64",
                          .remedy = "multiply blocks of rows and columns one after the other"});
}

std::size_t CiphertextMatrix::byte_count() const noexcept {
  return empty() ? 0 : entries_.size() * entries_.front().byte_count();
}

void multiply_accumulate(const Evaluator& evaluator, CiphertextMatrix& c, const CiphertextMatrix& a,
                         const CiphertextMatrix& b, MatrixProduct form) {
  const Context& context = evaluator.context();
  const auto told = [&] {
    return concat(describe_factors(context, a, b), "; ", schemes::describe(context, "c", c));
  };
  public_entry("multiply_accumulate", told, [&] {
    const ContextData& level = schemes::check_factors(context, a, b);
    schemes::check_sum(context, c, a, b);
    const std::size_t size = a.size() + b.size() - 1;
    const std::size_t held = c.size();
    const KeyId key_id = rlwe::common_key(c.entries_.front().key_id(), schemes::key_of(a, b));
    if (held == size) {
      schemes::add_matrix_product(context, a, b, c.entries_, {form, held});
      for (Ciphertext& entry : c.entries_) entry.key_id() = key_id;
      return;
    }
    std::vector<Ciphertext> entries =
        new_entries(context, level, c.shape(), {size, key_id, c.scale()});
    Ciphertext::share_blocks(entries, c.shape().columns, context.backend());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      for (std::size_t p = 0; p < held; ++p) {
        context.backend().copy(entries[i].view_for_writing(p, context.backend()),
                               c.entries_[i].view(p, context.backend()));
      }
    }
    schemes::add_matrix_product(context, a, b, entries, {form, held});
    c.entries_ = std::move(entries);
  });
}

void multiply(const Evaluator& evaluator, const CiphertextMatrix& a, const CiphertextMatrix& b,
              CiphertextMatrix& destination, MatrixProduct form) {
  constexpr const char* kOperation = "multiply";
  const Context& context = evaluator.context();
  const auto told = [&] { return describe_factors(context, a, b); };
  public_entry(kOperation, told, [&] {
    const ContextData& level = schemes::check_factors(context, a, b);
    const MatrixShape shape{a.shape().rows, b.shape().columns};
    const std::size_t size = a.size() + b.size() - 1;
    std::vector<Ciphertext> entries =
        new_entries(context, level, shape, {size, schemes::key_of(a, b), a.scale() * b.scale()});
    schemes::add_matrix_product(context, a, b, entries, {form, 0});
    for (Ciphertext& entry : entries) {
      schemes::check_not_transparent(context, entry);
      entry.name_maker(kOperation);
    }
    destination = CiphertextMatrix(shape, std::move(entries));
  });
}

void relinearize(const Evaluator& evaluator, const CiphertextMatrix& a, const RelinKeys& keys,
                 CiphertextMatrix& destination) {
  constexpr const char* kOperation = "relinearize";
  public_entry(kOperation, [&] { schemes::check_not_empty(a, "a"); });
  std::vector<Ciphertext> entries(a.entries().size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Ciphertext& entry = a.entries()[i];
    schemes::evaluate(kOperation, evaluator.context(), entries[i], std::tie(entry),
                      [&] { schemes::Evaluation(evaluator).relinearize(entry, keys, entries[i]); });
  }
  destination = CiphertextMatrix(a.shape(), std::move(entries));
}

}  // namespace ringlet
