// SPDX-License-Identifier: Apache-2.0
//
// A small neural network on encrypted digits: 64 inputs, 24 hidden units with x^2, 10 outputs.
//
// Images of 8 x 8 pixels, batched as in CryptoNets: a ciphertext for each pixel, a slot for each
// image. The server has the network, in integers, and returns ten encrypted scores for every image.
// BFV is exact: they equal the scores of the network in the clear, to the last bit. The server sees
// no image, and its time does not depend on their number, up to the number of slots.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common.hpp"
#include "ringlet/ringlet.hpp"
#include "sides.hpp"

namespace {

using ringlet::Circuit;
using ringlet::CircuitValue;
using ringlet::KnownVector;
using Integers = std::vector<std::int64_t>;

constexpr std::size_t kPixels = 64;
constexpr std::size_t kTrainingImages = 1200;  // the network has seen these

/// A hidden unit or an output: the sum of weights times inputs, and a bias.
struct Unit {
  std::int64_t bias;
  Integers weights;

  std::int64_t operator()(const Integers& inputs) const {
    std::int64_t sum = bias;
    for (std::size_t i = 0; i < inputs.size(); ++i) sum += weights[i] * inputs[i];
    return sum;
  }
  /// The largest absolute value if inputs are at most these.
  std::int64_t largest(const Integers& inputs) const {
    std::int64_t sum = std::abs(bias);
    for (std::size_t i = 0; i < inputs.size(); ++i) sum += std::abs(weights[i]) * inputs[i];
    return sum;
  }
  /// Declares the same on encrypted inputs; weights of 0 cost nothing.
  CircuitValue declare(Circuit& circuit, const std::vector<CircuitValue>& inputs) const {
    std::vector<CircuitValue> terms;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (weights[i] == 0) continue;
      terms.push_back(circuit.multiply(inputs[i], KnownVector(weights[i])));
    }
    return circuit.add(circuit.sum(terms), KnownVector(bias));
  }
};

/// Scores W2 (W1 x + b1)^2 + b2 of pixels x in 0, ..., 16.
struct Network {
  std::vector<Unit> hidden;
  std::vector<Unit> outputs;

  explicit Network(const app::Table& table) {
    for (const auto& row : table.rows) {
      Unit unit{static_cast<std::int64_t>(row[1]), {}};
      for (std::size_t i = 2; i < row.size(); ++i) {
        unit.weights.push_back(static_cast<std::int64_t>(row[i]));
      }
      (row[0] == 1 ? hidden : outputs).push_back(unit);
    }
  }

  Integers scores(const Integers& image) const {
    Integers squares;
    for (const Unit& unit : hidden) squares.push_back(unit(image) * unit(image));
    Integers result;
    for (const Unit& unit : outputs) result.push_back(unit(squares));
    return result;
  }
  std::int64_t largest_score() const {
    Integers squares;
    for (const Unit& unit : hidden) {
      const std::int64_t largest = unit.largest(Integers(kPixels, 16));
      squares.push_back(largest * largest);
    }
    std::int64_t largest = 0;
    for (const Unit& unit : outputs) largest = std::max(largest, unit.largest(squares));
    return largest;
  }
  Circuit circuit() const {
    Circuit circuit(1);
    std::vector<CircuitValue> pixels, squares;
    for (std::size_t i = 0; i < kPixels; ++i) pixels.push_back(circuit.input());
    for (const Unit& unit : hidden) {
      const CircuitValue inner = unit.declare(circuit, pixels);
      squares.push_back(circuit.multiply(inner, inner));
    }
    for (const Unit& unit : outputs) circuit.output(unit.declare(circuit, squares));
    return circuit;
  }
};

/// The digit with the largest score.
std::size_t best(const Integers& scores) {
  return static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

app::Offer offer_of(const Network& network, const Circuit& circuit) {
  ringlet::ParameterRequest wish;
  wish.scheme = ringlet::SchemeType::bfv;
  // Scores are signed: t must exceed twice the largest one.
  const auto largest = static_cast<std::uint64_t>(2 * network.largest_score());
  wish.plain_bits = static_cast<int>(std::bit_width(largest)) + 1;
  return app::make_offer(circuit, wish);
}

void body(app::Report& report, const app::Options& options) {
  const app::Table table = app::read_csv(
      options.data / "digits.csv", {.least_rows = kTrainingImages + 1, .columns = kPixels + 1});
  std::vector<Integers> images;
  std::vector<std::size_t> digits;
  for (std::size_t i = kTrainingImages; i < table.rows.size(); ++i) {
    const auto& row = table.rows[i];
    images.emplace_back(row.begin(), row.begin() + kPixels);
    digits.push_back(static_cast<std::size_t>(row[kPixels]));
  }
  const Network network(
      app::read_csv(options.data / "digits_network.csv", {.columns = 2 + kPixels}));
  const Circuit circuit = network.circuit();

  const app::Offer offer =
      report.phase("server: circuit and parameters", [&] { return offer_of(network, circuit); });
  app::Client client = report.phase("client: keys", [&] { return app::Client(offer); });
  const auto request = report.phase("client: encrypts", [&] {
    std::vector<app::Bytes> data;
    for (std::size_t pixel = 0; pixel < kPixels; ++pixel) {
      Integers slots;
      for (const Integers& image : images) slots.push_back(image[pixel]);
      data.push_back(client.encrypt(slots, client.slot_count()));
    }
    return data;
  });
  const auto answers = report.phase("server: computes", [&] {
    return app::Server(circuit, client.keys(), options.device).answer(request);
  });
  const auto scores = report.phase("client: decrypts", [&] {
    std::vector<Integers> result;
    for (const app::Bytes& answer : answers) result.push_back(client.decrypt_integers(answer));
    return result;
  });

  double right = 0, right_in_the_clear = 0;
  bool is_exact = true;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const Integers expected = network.scores(images[i]);
    Integers found;
    for (const Integers& slots : scores) found.push_back(slots[i]);
    is_exact = is_exact && found == expected;
    right += best(found) == digits[i] ? 1 : 0;
    right_in_the_clear += best(expected) == digits[i] ? 1 : 0;
  }
  const auto count = static_cast<double>(images.size());
  int budget = client.noise_budget(answers[0]);
  for (const app::Bytes& answer : answers) budget = std::min(budget, client.noise_budget(answer));
  report.show("parameters", "BFV, " + app::described(client.context()));
  report.sent("to the server: keys", client.keys().evaluation_bytes());
  report.sent("to the server: images", request);
  report.sent("to the client: scores", answers);
  report.show("images",
              std::to_string(images.size()) + ", slots for " + std::to_string(client.slot_count()));
  report.show("accuracy encrypted", right / count);
  report.show("accuracy in the clear", right_in_the_clear / count);
  report.show("noise budget left in bits", budget);
  report.check("all scores are those in the clear", is_exact);
}

}  // namespace

int main(int argc, char** argv) { return app::run(argc, argv, "digits_network", body); }
