// SPDX-License-Identifier: Apache-2.0
//
// Encrypted logistic regression: inference, and three steps of training, on breast-cancer data.
//
// A hospital has measurements of cell nuclei, 256 patients for training and 256 others. It encrypts
// them; a server computes. Every feature has its own ciphertext, every patient a slot.
//
// Inference: the server has its own model, and returns encrypted probabilities. The sigmoid is a
// polynomial of degree 7. Training: the server receives encrypted features and labels, makes three
// steps of gradient descent with a cubic polynomial instead of the sigmoid, and returns encrypted
// weights. It sees neither data nor weights. The same polynomials in the clear give the reference.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "common.hpp"
#include "ringlet/ringlet.hpp"
#include "sides.hpp"

namespace {

using ringlet::Circuit;
using ringlet::CircuitValue;
using ringlet::KnownVector;
using Columns = std::vector<std::vector<double>>;  // one for each feature, a number a patient

const std::array<std::string, 8> kFeatures{"radius",    "texture",       "perimeter",
                                           "area",      "smoothness",    "compactness",
                                           "concavity", "concave_points"};
constexpr std::size_t kPatients = 256;  // of each part; a power of two
constexpr double kLimit = 3;            // standardised features are clipped here
constexpr int kSteps = 3;
constexpr double kRate = 0.5;
// Closest cubic to 1/(1 + exp(u)) for |u| <= 8 (Kim, Song, Wang, Xia and Jiang, 2018).
constexpr double kConstant = 0.5;
constexpr double kLinear = -0.15012;
constexpr double kCubic = 0.001593;

double polynomial_slope(double u) { return kConstant + kLinear * u + kCubic * u * u * u; }
double sigmoid_slope(double u) { return 1 / (1 + std::exp(u)); }

/// Features followed by a column of ones, and labels 1 and -1.
struct Part {
  Columns features;
  std::vector<double> labels;

  Columns signed_features() const {
    Columns result = features;
    for (auto& column : result) {
      for (std::size_t i = 0; i < kPatients; ++i) column[i] *= labels[i];
    }
    return result;
  }
};

/// The even rows of the table, or the odd ones, standardised by the even ones.
Part load(const app::Table& table, std::size_t start) {
  Part part;
  for (const std::string& name : kFeatures) {
    const std::vector<double> all = table.column("worst_" + name);
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < kPatients; ++i) {
      sum += all[2 * i];
      squares += all[2 * i] * all[2 * i];
    }
    const double mean = sum / kPatients;
    const double deviation = std::sqrt(squares / kPatients - mean * mean);
    std::vector<double> column(kPatients);
    for (std::size_t i = 0; i < kPatients; ++i) {
      column[i] = std::clamp((all[2 * i + start] - mean) / deviation, -kLimit, kLimit);
    }
    part.features.push_back(column);
  }
  part.features.emplace_back(kPatients, 1.0);
  const std::vector<double> benign = table.column("benign");
  for (std::size_t i = 0; i < kPatients; ++i) part.labels.push_back(2 * benign[2 * i + start] - 1);
  return part;
}

// In the clear ------------------------------------------------------------------------------------

std::vector<double> scores_of(const Columns& features, const std::vector<double>& weights) {
  std::vector<double> scores(kPatients);
  for (std::size_t f = 0; f < weights.size(); ++f) {
    for (std::size_t i = 0; i < kPatients; ++i) scores[i] += weights[f] * features[f][i];
  }
  return scores;
}

double accuracy(const std::vector<double>& scores, const std::vector<double>& labels) {
  std::size_t right = 0;
  for (std::size_t i = 0; i < kPatients; ++i) {
    if ((scores[i] > 0) == (labels[i] > 0)) ++right;
  }
  return static_cast<double>(right) / kPatients;
}

/// Gradient descent from 0 on rows times their labels.
std::vector<double> descend(const Columns& rows, int steps, double rate,
                            const std::function<double(double)>& slope) {
  std::vector<double> weights(rows.size());
  for (int step = 0; step < steps; ++step) {
    const std::vector<double> u = scores_of(rows, weights);
    for (std::size_t f = 0; f < weights.size(); ++f) {
      double sum = 0;
      for (std::size_t i = 0; i < kPatients; ++i) sum += slope(u[i]) * rows[f][i];
      weights[f] += rate / kPatients * sum;
    }
  }
  return weights;
}

// What the server computes, declared before anything is encrypted ---------------------------------

/// Probabilities from one input for each feature.
struct Inference {
  Circuit circuit{kPatients};
  double largest = 0;  // score
  ringlet::Polynomial sigmoid = ringlet::Polynomial::power({0, 1});

  explicit Inference(const std::vector<double>& weights) {
    for (const double weight : weights) largest += kLimit * std::abs(weight);
    sigmoid = ringlet::chebyshev_approximation(
                  [this](double x) { return 1 / (1 + std::exp(-largest * x)); }, -1, 1, 7)
                  .polynomial;
    std::vector<CircuitValue> terms;
    for (const double weight : weights) {
      terms.push_back(circuit.multiply(circuit.input(kLimit), KnownVector(weight / largest)));
    }
    const CircuitValue score = circuit.sum(terms);
    circuit.bound(score, 1);
    circuit.output(polynomial(circuit, score, sigmoid));
  }
};

/// The sum over all patients, in every slot; no partial sum exceeds 1.
CircuitValue total(Circuit& circuit, CircuitValue value) {
  for (std::size_t step = 1; step < kPatients; step *= 2) {
    value = circuit.add(value, circuit.rotate(value, static_cast<int>(step)));
    circuit.bound(value, 1);
  }
  return value;
}

/// Weights after all steps from rows times labels, `count` inputs; a weight fills all slots.
Circuit training_circuit(std::size_t count) {
  Circuit circuit(kPatients);
  // rate/patients (c0 + c1 u + c3 u^3) z = c0' z + (c3' z) u (u^2 + c1/c3): three levels a step.
  std::vector<CircuitValue> rows, constant, cubic, weights;
  for (std::size_t f = 0; f < count; ++f) {
    rows.push_back(circuit.input(kLimit));
    constant.push_back(circuit.multiply(rows[f], KnownVector(kConstant * kRate / kPatients)));
    cubic.push_back(circuit.multiply(rows[f], KnownVector(kCubic * kRate / kPatients)));
    weights.push_back(total(circuit, constant[f]));
  }
  for (int step = 1; step < kSteps; ++step) {
    std::vector<CircuitValue> terms;
    for (std::size_t f = 0; f < count; ++f) {
      terms.push_back(circuit.multiply(weights[f], rows[f]));
    }
    const CircuitValue u = circuit.sum(terms);
    circuit.bound(u, 8);
    const CircuitValue factor = circuit.add(circuit.multiply(u, u), KnownVector(kLinear / kCubic));
    circuit.bound(factor, -kLinear / kCubic);
    for (std::size_t f = 0; f < count; ++f) {
      const CircuitValue product = circuit.multiply(circuit.multiply(cubic[f], u), factor);
      const CircuitValue move = total(circuit, circuit.add(product, constant[f]));
      weights[f] = circuit.add(weights[f], move);
      circuit.bound(weights[f], 1);
    }
  }
  for (const CircuitValue& weight : weights) circuit.output(weight);
  return circuit;
}

// The two sides -----------------------------------------------------------------------------------

/// The whole computation of one circuit: bytes go to the server and come back.
Columns compute(app::Report& report, const std::string& name, const Circuit& circuit,
                double precision, const Columns& columns, const std::string& device) {
  ringlet::ParameterRequest wish;
  wish.precision_bits = precision;
  const app::Offer offer =
      report.phase(name + ", server: parameters", [&] { return app::make_offer(circuit, wish); });
  app::Client hospital =
      report.phase(name + ", hospital: keys", [&] { return app::Client(offer); });
  const auto request = report.phase(name + ", hospital: encrypts", [&] {
    std::vector<app::Bytes> data;
    for (const auto& column : columns) data.push_back(hospital.encrypt(column, kPatients));
    return data;
  });
  const auto answers = report.phase(name + ", server: computes", [&] {
    return app::Server(circuit, hospital.keys(), device).answer(request);
  });
  const Columns result = report.phase(name + ", hospital: decrypts", [&] {
    Columns slots;
    for (const app::Bytes& answer : answers) slots.push_back(hospital.decrypt_numbers(answer));
    return slots;
  });
  report.show(name + ", parameters", "CKKS, " + app::described(hospital.context()));
  report.sent(name + ", to the server: keys", hospital.keys().evaluation_bytes());
  report.sent(name + ", to the server: data", request);
  report.sent(name + ", to the hospital", answers);
  return result;
}

void infer(app::Report& report, const std::vector<double>& model, const Part& test,
           const std::string& device) {
  const Inference inference(model);
  // 12 bits: an error below 2^-12 for all features, which is within the tolerance.
  const Columns result = compute(report, "inference", inference.circuit, 12, test.features, device);
  const std::vector<double> scores = scores_of(test.features, model);
  std::vector<double> found, clear;
  for (std::size_t i = 0; i < kPatients; ++i) {
    found.push_back(result[0][i] - 0.5);
    const auto chance = inference.sigmoid(static_cast<long double>(scores[i] / inference.largest));
    clear.push_back(static_cast<double>(chance.real()) - 0.5);
  }
  const double error = app::largest_difference(found, clear);
  report.show("inference, accuracy encrypted", accuracy(found, test.labels));
  report.show("inference, accuracy in the clear", accuracy(clear, test.labels));
  report.show("inference, accuracy with the sigmoid", accuracy(scores, test.labels));
  report.show("inference, precision in bits", app::bits(error));
  report.check("probabilities within 1e-3 of those in the clear", error < 1e-3);
}

void train(app::Report& report, const Columns& rows, const Part& test, const std::string& device) {
  // The worst data still give 8 bits, which keeps N at 16384. Real data are far from the worst: the
  // check below requires more.
  const Columns result =
      compute(report, "training", training_circuit(rows.size()), 8, rows, device);
  const std::vector<double> clear = descend(rows, kSteps, kRate, polynomial_slope);
  std::vector<double> weights;
  for (std::size_t f = 0; f < clear.size(); ++f) {
    weights.push_back(result[f][0]);
    const std::string name = f < kFeatures.size() ? "worst_" + kFeatures[f] : "bias";
    report.show("weight of " + name, app::shown(weights[f], "%+.5f") + ", in the clear " +
                                         app::shown(clear[f], "%+.5f"));
  }
  const double error = app::largest_difference(weights, clear);
  report.show("training, accuracy encrypted",
              accuracy(scores_of(test.features, weights), test.labels));
  report.show("training, accuracy in the clear",
              accuracy(scores_of(test.features, clear), test.labels));
  report.show("training, precision in bits", app::bits(error));
  report.check("weights within 1e-3 of those in the clear", error < 1e-3);
}

void body(app::Report& report, const app::Options& options) {
  const app::Table table =
      app::read_csv(options.data / "breast_cancer.csv", {.least_rows = 2 * kPatients});
  const Columns rows = load(table, 0).signed_features();
  const Part test = load(table, 1);
  infer(report, descend(rows, 100, 1, sigmoid_slope), test, options.device);
  train(report, rows, test, options.device);
}

}  // namespace

int main(int argc, char** argv) { return app::run(argc, argv, "logistic_regression", body); }
