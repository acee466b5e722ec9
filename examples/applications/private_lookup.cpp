// SPDX-License-Identifier: Apache-2.0
//
// A private lookup: one of 178 wines, while the server does not learn which.
//
// A server has a table of wines with 13 measured values each. A client asks for one by its number
// and receives its values, or that there is no such wine; the server learns nothing about the
// number. The question is a single ciphertext with a 1 in the slot of the wanted record and 0
// elsewhere; the server multiplies by the table and sums. Values are integers, in thousandths, and
// BFV is exact.
//
// The slots: two rows of 8 columns of 256 records. Column 0 holds 1 for every existing record.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common.hpp"
#include "ringlet/ringlet.hpp"
#include "sides.hpp"

namespace {

using ringlet::Circuit;
using ringlet::KnownVector;
using Integers = std::vector<std::int64_t>;

constexpr std::size_t kValues = 13;  // of a record
// Powers of two: places for records, and for 1 + kValues columns.
constexpr std::size_t kRecords = 256;
constexpr std::size_t kColumns = 16;
constexpr std::size_t kRow = kRecords * kColumns / 2;

/// The server's table, one record after the other, in thousandths, without the cultivar.
std::vector<Integers> load(const app::Table& table) {
  std::vector<Integers> records;
  for (const auto& row : table.rows) {
    Integers record;
    for (std::size_t i = 0; i < kValues; ++i) record.push_back(std::llround(1000 * row[i]));
    records.push_back(record);
  }
  return records;
}

/// The server's computation: the question times the table, summed over all records.
Circuit circuit_of(const std::vector<Integers>& records) {
  Integers slots(kRecords * kColumns);
  for (std::size_t r = 0; r < records.size(); ++r) {
    slots[r] = 1;
    for (std::size_t c = 0; c < records[r].size(); ++c) {
      slots[(c + 1) * kRecords + r] = records[r][c];
    }
  }
  Circuit circuit(kRow);
  const auto chosen = circuit.multiply(circuit.input(), KnownVector(slots));
  circuit.output(sum_slots(circuit, chosen, kRecords));
  return circuit;
}

/// The question. It has the same length for every number, and looks random.
app::Bytes ask(const app::Client& client, std::size_t number) {
  Integers one(kRecords);
  one[number] = 1;
  return client.encrypt(one, kRecords);
}

/// The record; nothing if there is no such number.
std::optional<Integers> read(app::Client& client, const app::Bytes& answer) {
  const Integers slots = client.decrypt_integers(answer);
  // A row of the ring may be longer than a row of the circuit.
  const std::size_t row = slots.size() / 2;
  Integers values;
  for (std::size_t c = 0; c < kColumns; ++c) {
    const std::size_t place = c * kRecords;
    values.push_back(slots[place / kRow * row + place % kRow]);
  }
  if (values[0] == 0) return std::nullopt;
  return Integers(values.begin() + 1, values.end());
}

std::vector<std::size_t> wanted(const app::Options& options, std::size_t count) {
  // The first one, one in between, the last one, and one that does not exist.
  if (options.rest.empty()) return {0, 100, count - 1, count};
  std::vector<std::size_t> numbers;
  for (const std::string& text : options.rest) {
    std::size_t number = kRecords;
    const auto end = text.data() + text.size();
    if (std::from_chars(text.data(), end, number).ptr != end || number >= kRecords) {
      throw ringlet::InvalidArgument(
          {"the command line", text, "numbers from 0 to 255", "ask for one of these"});
    }
    if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) {
      numbers.push_back(number);
    }
  }
  return numbers;
}

void body(app::Report& report, const app::Options& options) {
  // At least one slot stays free, for a number that does not exist.
  const app::Table table =
      app::read_csv(options.data / "wine.csv", {.most_rows = kRecords - 1, .columns = kValues + 1});
  const std::vector<Integers> records = load(table);
  const std::vector<std::size_t> numbers = wanted(options, records.size());
  const Circuit circuit = circuit_of(records);
  const app::Offer offer = report.phase("server: parameters", [&] {
    std::int64_t largest = 1;
    for (const Integers& record : records) {
      for (const std::int64_t value : record) largest = std::max(largest, std::abs(value));
    }
    ringlet::ParameterRequest wish;
    wish.scheme = ringlet::SchemeType::bfv;
    // t must exceed twice the largest value: decrypted numbers are signed.
    wish.plain_bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(largest))) + 2;
    return app::make_offer(circuit, wish);
  });
  app::Client client = report.phase("client: keys", [&] { return app::Client(offer); });
  const app::Server server = report.phase("server: reads keys, encodes the table", [&] {
    return app::Server(circuit, client.keys(), options.device);
  });
  report.show("parameters", "BFV, " + app::described(client.context()));
  report.show("table", std::to_string(records.size()) + " records of " +
                           std::to_string(records[0].size()) + " values");
  report.sent("to the server: keys, once", client.keys().evaluation_bytes());
  for (const std::size_t number : numbers) {
    const std::string name = std::to_string(number);
    const auto question = report.phase(
        "client: asks for " + name, [&] { return std::vector<app::Bytes>{ask(client, number)}; });
    const auto answer =
        report.phase("server: answers " + name, [&] { return server.answer(question); });
    const auto record =
        report.phase("client: reads " + name, [&] { return read(client, answer[0]); });
    report.sent("to the server: question " + name, question);
    report.sent("to the client: answer " + name, answer);
    report.show("answer " + name + ", noise budget left in bits", client.noise_budget(answer[0]));
    if (number >= records.size()) {
      report.check("record " + name + " is not there", !record.has_value());
      continue;
    }
    std::string values;
    for (std::size_t i = 0; record && i < 3; ++i) {
      const double value = static_cast<double>((*record)[i]) / 1000;
      values += (i == 0 ? "" : ", ") + table.names[i] + " " + app::shown(value, "%g");
    }
    report.show("record " + name, values);
    const Integers& expected = records[number];
    report.check("record " + name + " is that of the table",
                 record && std::equal(expected.begin(), expected.end(), record->begin()));
  }
}

}  // namespace

int main(int argc, char** argv) {
  return app::run(argc, argv, "private_lookup", body, "[NUMBER ...]");
}
