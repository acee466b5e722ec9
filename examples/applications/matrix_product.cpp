// SPDX-License-Identifier: Apache-2.0
//
// A product of two encrypted matrices: correlations of measurements, across two institutions.
//
// A clinic knows age, sex, body mass index and blood pressure of 442 patients, a laboratory six
// blood values and the progression of their diabetes. With their columns standardised, the product
// of the clinic's matrix, transposed, and the laboratory's holds all 4 x 7 correlations. Both
// matrices are encrypted. Eight patients make one pair of 8 x 8 matrices; 64 such pairs lie
// interleaved in one pair of ciphertexts, are multiplied at once, and their products summed.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "common.hpp"
#include "ringlet/ringlet.hpp"
#include "sides.hpp"

namespace {

using ringlet::Circuit;
using ringlet::CircuitValue;
using ringlet::KnownVector;
using Column = std::vector<double>;

constexpr std::size_t kSize = 8;  // of the matrices
constexpr std::size_t kPairs = 64;
constexpr std::size_t kSlots = kSize * kSize * kPairs;
constexpr double kLargest = 5;  // no standardised value is larger
const std::array<std::string, 4> kClinic{"age", "sex", "bmi", "bp"};
const std::array<std::string, 7> kLaboratory{"s1", "s2", "s3", "s4", "s5", "s6", "progression"};

/// The slot of entry (row, column) of pair k.
std::size_t slot(std::size_t row, std::size_t column, std::size_t k) {
  return (row * kSize + column) * kPairs + k;
}

/// The sum of the products of all pairs is in the slots with k = 0. The other slots have sums of
/// some patients, which nobody may see: the mask of zeros and ones removes them before anybody
/// decrypts.
Circuit circuit_of_product() {
  Circuit circuit(kSlots);
  const CircuitValue a = circuit.input(kLargest);
  const CircuitValue b = circuit.input(kLargest);
  const CircuitValue products = matrix_product(
      circuit, a, b, {.dimension = kSize, .method = ringlet::MatrixProductMethod::fewer_levels});
  const CircuitValue sums = sum_slots(circuit, products, kPairs);
  // Cauchy and Schwarz: with standardised columns no sum exceeds the number of patients, and the
  // removed values consist of two such sums.
  circuit.bound(sums, 2 * kPairs * kSize);
  std::vector<double> mask(kSlots);
  for (std::size_t i = 0; i < kSlots; i += kPairs) mask[i] = 1;
  const CircuitValue product = circuit.multiply(sums, KnownVector(mask));
  circuit.bound(product, kPairs * kSize);
  circuit.output(product);
  return circuit;
}

Column standardised(const Column& values) {
  const auto count = static_cast<double>(values.size());
  double mean = 0, variance = 0;
  for (const double value : values) mean += value / count;
  for (const double value : values) variance += (value - mean) * (value - mean) / count;
  Column result;
  for (const double value : values) result.push_back((value - mean) / std::sqrt(variance));
  return result;
}

/// An institution's columns.
template <std::size_t kCount>
std::vector<Column> columns_of(const app::Table& table,
                               const std::array<std::string, kCount>& names) {
  std::vector<Column> columns;
  for (const std::string& name : names)
    columns.push_back(app::checked(standardised(table.column(name)), kLargest));
  return columns;
}

/// Pair k has patients 8 k, ..., 8 k + 7: each is a row, or a column if transposed.
Column in_pairs(const std::vector<Column>& columns, bool transposed) {
  Column slots(kSlots);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (std::size_t patient = 0; patient < columns[c].size(); ++patient) {
      const std::size_t k = patient / kSize, place = patient % kSize;
      slots[transposed ? slot(c, place, k) : slot(place, c, k)] = columns[c][patient];
    }
  }
  return slots;
}

void body(app::Report& report, const app::Options& options) {
  const app::Table table =
      app::read_csv(options.data / "diabetes.csv", {.most_rows = kPairs * kSize});
  const std::vector<Column> clinic = columns_of(table, kClinic);
  const std::vector<Column> laboratory = columns_of(table, kLaboratory);
  const Circuit circuit = circuit_of_product();

  app::Client researcher = report.phase("researcher: parameters and keys", [&] {
    // Sums are within 2^-5: divided by the number of patients, correlations are within 1e-4.
    ringlet::ParameterRequest wish;
    wish.precision_bits = 5;
    return app::Client(app::make_offer(circuit, wish));
  });
  // Each institution has its columns and the public key. The server must not pass on their
  // ciphertexts: the researcher's secret key decrypts them, too.
  const auto matrices = report.phase("institutions: encrypt", [&] {
    return std::vector{app::encrypt_for(researcher.keys(), in_pairs(clinic, true), kSlots),
                       app::encrypt_for(researcher.keys(), in_pairs(laboratory, false), kSlots)};
  });
  const auto answers = report.phase("server: computes", [&] {
    return app::Server(circuit, researcher.keys(), options.device).answer(matrices);
  });
  const Column product =
      report.phase("researcher: decrypts", [&] { return researcher.decrypt_numbers(answers[0]); });

  report.show("parameters", "CKKS, " + app::described(researcher.context()));
  report.sent("to each institution: public key", researcher.keys().public_key.size());
  report.sent("to the server: keys", researcher.keys().evaluation_bytes());
  report.sent("to the server: matrices", matrices);
  report.sent("to the researcher", answers);
  const auto count = static_cast<double>(table.rows.size());
  std::vector<double> found_all, clear_all;
  for (std::size_t i = 0; i < clinic.size(); ++i) {
    std::string found, expected;
    for (std::size_t j = 0; j < laboratory.size(); ++j) {
      double clear = 0;
      for (std::size_t p = 0; p < clinic[i].size(); ++p) clear += clinic[i][p] * laboratory[j][p];
      const double encrypted = product[slot(i, j, 0)] / count;
      found_all.push_back(encrypted);
      clear_all.push_back(clear / count);
      found += app::shown(encrypted, j == 0 ? "%+.3f" : " %+.3f");
      expected += app::shown(clear / count, " %+.3f");
    }
    report.show("correlations of " + kClinic[i], found + ", in the clear" + expected);
  }
  const double error = app::largest_difference(found_all, clear_all);
  report.show("largest error", error);
  report.show("precision in bits", app::bits(error));
  report.check("all correlations within 1e-4 of those in the clear", error < 1e-4);
}

}  // namespace

int main(int argc, char** argv) { return app::run(argc, argv, "matrix_product", body); }
