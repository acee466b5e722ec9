// SPDX-License-Identifier: Apache-2.0
// Writes the accelerators' figures for 1 to 4 encryptions as JSON, to the named file or to the
// standard output: `ringlet bench fv --hardware FILE` reads it.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>
#include <span>
#include <sstream>
#include <vector>

#include "Vkaratsuba_full.h"
#include "hw/karatsuba/model/software_half.hpp"
#include "hw/karatsuba/model/timing.hpp"
#include "hw/karatsuba/tb/device.hpp"
#include "hw/karatsuba/tb/resident_report.hpp"
#include "hw/karatsuba/tb/simulation.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/fv/wide_product.hpp"
#include "ringlet/ring/cyclotomic.hpp"

namespace {

using namespace ringlet;
using namespace ringlet::hw;

constexpr std::uint64_t kRingIndex = 3485;  // n = 2560
constexpr int kModulusBits = 125;
constexpr std::size_t kMostAtOnce = 4;
constexpr int kRepetitions = 15;

// Operands of one job; the answer is compared with the library's product.
struct Operands {
  Operands(const CyclotomicPolynomial& polynomial, const WideModulus& q)
      : p(polynomial.degree(), q.word_count()) {
    std::mt19937_64 rng(1);
    for (std::size_t i = 0; i < p.degree(); ++i) {
      p.set(i, remainder({rng(), rng(), 0}, q.value()));
    }
    for (auto& poly : bits) {
      poly.resize(p.degree());
      for (std::int8_t& bit : poly) bit = static_cast<std::int8_t>(rng() & 1);
      views.emplace_back(poly);
    }
  }
  WidePoly p;
  std::array<std::vector<std::int8_t>, kMostAtOnce> bits;
  std::vector<std::span<const std::int8_t>> views;
};

class Report {
 public:
  Report() {
    job_.modulus = q_.value();
    job_.hold = hold_for_gapless_output(simulation_.shape());
  }

  std::string text() {
    std::ostringstream out;
    out << "{\"clock_hz\": 250e6, \"simulator\": \"" << Verilated::productName() << " "
        << Verilated::productVersion() << "\", \"tops\": [{\"name\": \"faithful\", \"text\": \""
        << "key and bits streamed in, three pre-recursions, 4 x 5 x 4 multipliers of 10 x 27 bits, "
        << "five post-recursions\", \"degree\": " << polynomial_.degree()
        << ", \"modulus_bits\": " << q_.bit_count() << ", \"runs\": [";
    for (std::size_t count = 1; count <= kMostAtOnce; ++count) {
      out << (count == 1 ? "" : ", ") << "\n" << run(count);
    }
    out << "]},\n" << resident::report_tops() << "]}\n";
    return out.str();
  }

 private:
  std::string run(std::size_t count) {
    const auto views = std::span(operands_.views).first(count);
    std::vector<Burst> input;
    ReportedRun report{.encryptions = count};
    report.pre_us = fastest_us([&] { software_.prepare(input, operands_.p, views); });
    job_.encryptions = static_cast<int>(count);
    const Outcome outcome = simulation_.run(job_, input);
    if (outcome.status.state != State::done) {
      throw_runtime_error({"report on the accelerator", "a job that failed", "a job that is done",
                           "run the tests of the hardware"});
    }
    std::vector<WidePoly> results(count);
    std::vector<SoftwareHalf::Joined> joined(count);
    report.post_us = fastest_us([&] { software_.join(joined, outcome.output); });
    // finish() consumes its operand: each repetition needs a copy, made outside of the time.
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<SoftwareHalf::Joined> copies(kRepetitions, joined[i]);
      auto copy = copies.begin();
      report.reduce_us +=
          fastest_us([&] { software_.finish(results[i], *copy++, {}); }, kRepetitions);
    }
    check(results, views);
    const Shape& shape = simulation_.shape();
    report.input_cycles = outcome.input_cycles();
    report.output_cycles = outcome.output_cycles();
    report.card = {shape.in_bursts() * kBurstBytes, shape.out_bursts() * kBurstBytes,
                   outcome.cycles};
    report.products = outcome.products;
    report.multiplier_use = outcome.multiplier_use(shape);
    return json_of(report);
  }

  void check(std::span<const WidePoly> results,
             std::span<const std::span<const std::int8_t>> views) const {
    const WideProduct product(polynomial_, q_);
    std::vector<WidePoly> wanted(results.size());
    const std::vector<std::span<const std::int32_t>> none(results.size());
    product.multiply_add(wanted, *product.prepare(operands_.p), views, none);
    if (!std::equal(results.begin(), results.end(), wanted.begin())) {
      throw_runtime_error({"report on the accelerator", "a wrong product", "that of WideProduct",
                           "run the tests of the hardware"});
    }
  }

  AcceleratorSimulation simulation_{std::make_unique<VerilatedDevice<Vkaratsuba_full>>()};
  CyclotomicPolynomial polynomial_{kRingIndex};
  WideModulus q_ = WideModulus::largest_prime(kModulusBits);
  SoftwareHalf software_{simulation_.shape(), polynomial_, q_};
  Operands operands_{polynomial_, q_};
  Job job_;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string text = Report().text();
    if (argc < 2) {
      std::cout << text;
      return 0;
    }
    std::ofstream file(argv[1]);
    file << text;
    return file.good() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
