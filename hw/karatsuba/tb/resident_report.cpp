// SPDX-License-Identifier: Apache-2.0
#include "hw/karatsuba/tb/resident_report.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <sstream>
#include <vector>

#include "Vresident_four.h"
#include "Vresident_one.h"
#include "hw/karatsuba/model/resident_frames.hpp"
#include "hw/karatsuba/model/timing.hpp"
#include "hw/karatsuba/tb/stream_driver.hpp"
#include "ringlet/arith/wide_modulus.hpp"
#include "ringlet/fv/wide_product.hpp"
#include "ringlet/ring/cyclotomic.hpp"

namespace ringlet::hw {

std::string json_of(const ReportedRun& run) {
  LinkModel shared;
  shared.mebibytes_per_second = 2000;
  const CardTime fast = run_time(LinkModel{}, run.card);
  const CardTime slow = run_time(shared, run.card);
  const double software = run.pre_us + run.post_us + run.reduce_us;
  std::ostringstream out;
  out << "{\"encryptions\": " << run.encryptions << ", \"components\": " << run.components
      << ", \"cycles\": {\"input\": " << run.input_cycles << ", \"output\": " << run.output_cycles
      << ", \"total\": " << run.card.cycles << "}, \"bytes\": {\"input\": " << run.card.input_bytes
      << ", \"output\": " << run.card.output_bytes << "}, \"products\": " << run.products
      << ", \"multiplier_use\": " << run.multiplier_use
      << ", \"modelled_us\": {\"hardware\": " << microseconds_of_cycles(run.card.cycles)
      << ", \"link_ideal\": " << std::max(fast.input_us, fast.output_us)
      << ", \"link_shared\": " << std::max(slow.input_us, slow.output_us)
      << ", \"total_ideal\": " << software + fast.total_us
      << ", \"total_shared\": " << software + slow.total_us
      << "}, \"software_us\": {\"pre\": " << run.pre_us << ", \"post\": " << run.post_us
      << ", \"reduce\": " << run.reduce_us << "}}";
  return out.str();
}

namespace resident {
namespace {

constexpr std::uint64_t kIndex = 2783;
constexpr std::size_t kDegree = 2420;
constexpr int kModulusBits = 125;
constexpr std::uint32_t kKeyName = 1;

struct Operands {
  explicit Operands(const WideModulus& q) {
    std::mt19937_64 rng(1);
    key.name = kKeyName;
    key.modulus = q.value();
    // 0, so that the result is the library's product without a message.
    key.message_bit = {};
    for (WidePoly& poly : key.polys) {
      poly = WidePoly(kDegree, 2);
      // Below 2^124, hence below q.
      for (std::size_t i = 0; i < kDegree; ++i) poly.set(i, {rng(), rng() >> 4, 0});
    }
    for (std::uint32_t tag = 0; tag < 4; ++tag) {
      Encryption& one = encryptions.emplace_back();
      one.key_name = kKeyName;
      one.tag = tag;
      for (std::size_t i = 0; i < kDegree; ++i) {
        one.u.push_back(rng() & 1);
        one.message.push_back(rng() & 1);
        for (auto& noise : one.noise) noise.push_back(static_cast<std::int16_t>(rng() % 41) - 20);
      }
    }
  }
  Key key;
  std::vector<Encryption> encryptions;
};

void check(const Polynomial& polynomial, const WideProduct& product, const Operands& operands) {
  const Encryption& one = operands.encryptions[polynomial.tag];
  const std::size_t c = polynomial.second ? 1 : 0;
  const std::vector<std::int8_t> u(one.u.begin(), one.u.end());
  const std::vector<std::int32_t> noise(one.noise[c].begin(), one.noise[c].end());
  std::array<WidePoly, 1> wanted;
  const std::array<std::span<const std::int8_t>, 1> us{u};
  const std::array<std::span<const std::int32_t>, 1> es{noise};
  product.multiply_add(wanted, *product.prepare(operands.key.polys[c]), us, es);
  for (std::size_t i = 0; i < kDegree; ++i) {
    const Burst& burst = polynomial.coefficients[i];
    if (wanted[0][i] != WideInteger{burst[0], burst[1], 0}) {
      throw_runtime_error({"report on the card that keeps the key", "a wrong coefficient",
                           "that of WideProduct", "run the tests of the hardware"});
    }
  }
}

template <class Top>
ReportedRun run(std::size_t count, const Operands& operands, const WideProduct& product) {
  StreamDriver<Top> driver(1);
  std::vector<Burst> key, input;
  append(key, operands.key);
  const std::size_t wanted = 2 * count * (kDegree + 1);
  ReportedRun result{.encryptions = count, .components = 2};
  std::vector<Encryption> encryptions(
      operands.encryptions.begin(),
      operands.encryptions.begin() + static_cast<std::ptrdiff_t>(count));
  encryptions.back().ends_group = true;
  result.pre_us = fastest_us([&] {
    input.clear();
    for (const Encryption& encryption : encryptions) append(input, encryption);
  });
  if (!driver.run(key, 0, {}) || !driver.run(input, wanted, {})) {
    throw_runtime_error({"report on the card that keeps the key", "a stream that stands still",
                         "a result", "run the tests of the hardware"});
  }
  const auto& in = driver.input_cycles();
  const auto& out = driver.output_cycles();
  const std::uint64_t first = in[key.size()];
  result.input_cycles = in.back() - first + 1;
  result.output_cycles = out.back() - out.front() + 1;
  result.card = {input.size() * kBurstBytes, wanted * kBurstBytes, out.back() - first + 1};
  std::vector<Polynomial> polynomials;
  result.post_us = fastest_us([&] {
    polynomials.clear();
    std::span<const Burst> stream = driver.output();
    while (auto polynomial = take_polynomial(stream, kDegree)) {
      polynomials.push_back(std::move(*polynomial));
    }
  });
  for (const Polynomial& polynomial : polynomials) check(polynomial, product, operands);
  return result;
}

template <class Top>
std::string top_json(const std::string& name, const std::string& text) {
  const WideModulus q = WideModulus::largest_prime(kModulusBits);
  const WideProduct product(CyclotomicPolynomial(kIndex), q);
  const Operands operands(q);
  std::ostringstream out;
  out << "{\"name\": \"" << name << "\", \"text\": \"" << text << "\", \"degree\": " << kDegree
      << ", \"modulus_bits\": " << q.bit_count() << ", \"runs\": [";
  for (std::size_t count = 1; count <= operands.encryptions.size(); ++count) {
    out << (count == 1 ? "" : ", ") << "\n" << json_of(run<Top>(count, operands, product));
  }
  out << "]}";
  return out.str();
}

}  // namespace

std::string report_tops() {
  return top_json<Vresident_one>("resident, one lane",
                                 "key on the card, sums instead of multipliers, reduction, noise "
                                 "and message in hardware, 398 cells") +
         ",\n" +
         top_json<Vresident_four>("resident, four lanes",
                                  "the same with four lanes of 557 cells for four encryptions");
}

}  // namespace resident
}  // namespace ringlet::hw
