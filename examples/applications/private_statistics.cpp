// SPDX-License-Identifier: Apache-2.0
//
// Statistics of two columns that two parties hold: means, variances and their correlation.
//
// A clinic knows the body mass index of 442 patients, a laboratory the progression of their
// diabetes a year later. Neither shows its column to anybody. Both encrypt under the public key of
// an analyst; a server computes five encrypted sums, and the analyst decrypts only these. The
// program does it once with CKKS: real numbers, and results flooded with noise, as others will see
// them. It does it again with BFV and integers (the index in tenths), exactly. The circuit is the
// same.
//
// The parties trust the server not to pass on their columns: the analyst's secret key decrypts
// them, too.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common.hpp"
#include "ringlet/ringlet.hpp"
#include "sides.hpp"

namespace {

using ringlet::Circuit;
using ringlet::CircuitValue;
using Numbers = std::vector<double>;

constexpr std::size_t kRow = 512;  // slots, a power of two; those behind the patients hold 0
// Public bounds of the columns' values, and the units of the exact variant.
constexpr std::array<double, 2> kLargest{50, 400};
constexpr std::array<double, 2> kExactUnits{10, 1};
constexpr double kPrecision = 13;  // bits behind the point, of sums of CKKS

/// Sums of x, y, x^2, y^2 and x y, each in all slots.
Circuit circuit_of_sums() {
  Circuit circuit(kRow);
  const CircuitValue x = circuit.input(1);
  const CircuitValue y = circuit.input(1);
  for (const CircuitValue& terms :
       {x, y, circuit.multiply(x, x), circuit.multiply(y, y), circuit.multiply(x, y)}) {
    circuit.output(sum_slots(circuit, terms, kRow));
  }
  return circuit;
}

Numbers sums_in_the_clear(const Numbers& x, const Numbers& y) {
  Numbers sums(5);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::array<double, 5> terms{x[i], y[i], x[i] * x[i], y[i] * y[i], x[i] * y[i]};
    for (std::size_t k = 0; k < terms.size(); ++k) sums[k] += terms[k];
  }
  return sums;
}

/// Two means, two variances and the correlation, from sums of values times `units`.
Numbers statistics(const Numbers& sums, double count, const std::array<double, 2>& units) {
  const double x = sums[0] / count, y = sums[1] / count;
  const double xx = sums[2] / count - x * x, yy = sums[3] / count - y * y;
  return {x / units[0], y / units[1], xx / (units[0] * units[0]), yy / (units[1] * units[1]),
          (sums[4] / count - x * y) / std::sqrt(xx * yy)};
}

Numbers scaled(const Numbers& column, double unit) {
  Numbers result;
  for (const double value : column) result.push_back(value * unit);
  return result;
}

/// The parties encrypt and the server computes. Returns the ciphertexts for the analyst.
template <typename T>
std::vector<app::Bytes> collect(app::Report& report, const std::string& name,
                                const app::Client& analyst, const std::vector<T>& x,
                                const std::vector<T>& y, const std::string& device) {
  const auto columns = report.phase(name + ", parties: encrypt", [&] {
    return std::vector{app::encrypt_for(analyst.keys(), x, kRow),
                       app::encrypt_for(analyst.keys(), y, kRow)};
  });
  auto answers = report.phase(name + ", server: computes", [&] {
    return app::Server(circuit_of_sums(), analyst.keys(), device).answer(columns);
  });
  report.show(name + ", parameters", app::described(analyst.context()));
  report.sent(name + ", to each party: public key", analyst.keys().public_key.size());
  report.sent(name + ", to the server: keys", analyst.keys().evaluation_bytes());
  report.sent(name + ", to the server: columns", columns);
  report.sent(name + ", to the analyst: sums", answers);
  return answers;
}

void show(app::Report& report, const std::string& name, const Numbers& found, const Numbers& clear,
          double tolerance) {
  const auto pair = [&](std::size_t i, const char* format, const char* other) {
    return app::shown(found[i], format) + " and " + app::shown(found[i + 1], other);
  };
  report.show(name + ", means", pair(0, "%.4f", "%.4f"));
  report.show(name + ", variances", pair(2, "%.3f", "%.2f"));
  report.show(name + ", correlation", found[4]);
  Numbers quotients;
  for (std::size_t i = 0; i < found.size(); ++i) quotients.push_back(found[i] / clear[i]);
  const double error = app::largest_difference(quotients, Numbers(found.size(), 1));
  report.show(name + ", largest relative error", error);
  report.check(name + ": within " + app::shown(tolerance, "%g") + " of the clear",
               error < tolerance);
}

/// CKKS: values are divided by the largest ones.
void real_statistics(app::Report& report, const Numbers& bmi, const Numbers& progression,
                     const Numbers& clear, const std::string& device) {
  const Circuit circuit = circuit_of_sums();
  // The noise of a result depends on the secret key. Somebody who has the ciphertext and sees the
  // result could compute the key, so every result is first flooded with larger noise.
  const ringlet::SharingPolicy policy{.decryptions = circuit.outputs().size()};
  ringlet::ParameterRequest wish;
  wish.precision_bits = kPrecision;
  wish.sharing = policy;
  const auto suggestion =
      report.phase("CKKS, analyst: parameters", [&] { return suggest_parameters(circuit, wish); });
  const app::Client analyst = report.phase(
      "CKKS, analyst: keys", [&] { return app::Client(app::make_offer(circuit, suggestion)); });
  const std::array<double, 2> units{1 / kLargest[0], 1 / kLargest[1]};
  const Numbers x = scaled(bmi, units[0]), y = scaled(progression, units[1]);
  const auto answers = collect(report, "CKKS", analyst, x, y, device);

  double least_bits = 64;
  const Numbers sums = report.phase("CKKS, analyst: decrypts", [&] {
    ringlet::SharingDecryptor sharing(analyst.context(), analyst.secret_key(), policy);
    Numbers result;
    for (const app::Bytes& answer : answers) {
      const auto encrypted = ringlet::load<ringlet::Ciphertext>(analyst.context(), answer);
      const auto shared = sharing.decrypt(encrypted, suggestion.noise_bits, kRow);
      Numbers slots;
      ringlet::CKKSEncoder(analyst.context()).decode(shared.plaintext, slots);
      result.push_back(slots[0]);
      least_bits = std::min(least_bits, shared.precision_bits());
    }
    return result;
  });
  report.show("CKKS, what is left", "precision of " + app::shown(least_bits, "%.1f") +
                                        " bits, by the bound of the noise");
  const double error = app::largest_difference(sums, sums_in_the_clear(x, y));
  report.show("precision of the sums of CKKS in bits", app::bits(error));
  report.check("sums of CKKS within 2^-13", error < std::exp2(-kPrecision));
  show(report, "CKKS", statistics(sums, static_cast<double>(bmi.size()), units), clear, 1e-4);
}

/// BFV: integers, the index in tenths.
void exact_statistics(app::Report& report, const Numbers& bmi, const Numbers& progression,
                      const Numbers& clear, const std::string& device) {
  const Circuit circuit = circuit_of_sums();
  const double largest = std::max(kLargest[0] * kExactUnits[0], kLargest[1] * kExactUnits[1]);
  ringlet::ParameterRequest wish;
  wish.scheme = ringlet::SchemeType::bfv;
  // t must exceed twice every sum: decrypted numbers are signed.
  const auto bound = static_cast<std::uint64_t>(2 * kRow * largest * largest);
  wish.plain_bits = static_cast<int>(std::bit_width(bound)) + 1;
  const auto suggestion =
      report.phase("BFV, analyst: parameters", [&] { return suggest_parameters(circuit, wish); });
  app::Client analyst = report.phase(
      "BFV, analyst: keys", [&] { return app::Client(app::make_offer(circuit, suggestion)); });
  const Numbers x = scaled(bmi, kExactUnits[0]), y = scaled(progression, kExactUnits[1]);
  const auto whole = [](const Numbers& column) {
    std::vector<std::int64_t> result;
    for (const double value : column) result.push_back(std::llround(value));
    return result;
  };
  const auto answers = collect(report, "BFV", analyst, whole(x), whole(y), device);

  int budget = 1 << 20;
  const Numbers sums = report.phase("BFV, analyst: decrypts", [&] {
    Numbers result;
    for (const app::Bytes& answer : answers) {
      result.push_back(static_cast<double>(analyst.decrypt_integers(answer)[0]));
      budget = std::min(budget, analyst.noise_budget(answer));
    }
    return result;
  });
  report.show("BFV, what is left", "noise budget of " + std::to_string(budget) + " bits is left");
  const Numbers expected = sums_in_the_clear(scaled(x, 1), y);
  Numbers rounded;
  for (const double sum : expected) rounded.push_back(std::round(sum));
  report.check("sums of BFV are exact", sums == rounded);
  show(report, "BFV", statistics(sums, static_cast<double>(bmi.size()), kExactUnits), clear, 1e-12);
}

void body(app::Report& report, const app::Options& options) {
  const app::Table table = app::read_csv(options.data / "diabetes.csv", {.most_rows = kRow});
  const Numbers bmi = app::checked(table.column("bmi"), kLargest[0]);
  const Numbers progression = app::checked(table.column("progression"), kLargest[1]);
  const Numbers clear =
      statistics(sums_in_the_clear(bmi, progression), static_cast<double>(bmi.size()), {1, 1});
  real_statistics(report, bmi, progression, clear, options.device);
  exact_statistics(report, bmi, progression, clear, options.device);
  report.show("in the clear, correlation", clear[4]);
}

}  // namespace

int main(int argc, char** argv) { return app::run(argc, argv, "private_statistics", body); }
