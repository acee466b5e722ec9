// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/estimates/noise_estimator.hpp"
#include "ringlet/schemes/decryptor.hpp"
#include "ringlet/schemes/evaluator.hpp"
#include "support/circuits/circuit_noise.hpp"
#include "support/circuits/circuit_sets.hpp"
#include "support/environment.hpp"

namespace ringlet::test {

/// What the circuits of one set share: context, keys and services, made when first used.
struct CircuitBench {
  CircuitBench(const CircuitSet& with, std::uint64_t key_seed)
      : set(with),
        context(set.parms, set.level, set.table),
        keygen(context, RandomSource::for_testing(key_seed)),
        public_key(keygen.create_public_key()),
        evaluator(context),
        decryptor(context, keygen.secret_key()),
        secret(secret_norm(context, keygen.secret_key())),
        noise(context, secret),
        estimator(with.parms) {
    // The bounds below assume at most six deviations of a ternary polynomial.
    EXPECT_LE(secret, 6 * std::sqrt(static_cast<double>(context.ring().degree()) * 2 / 3));
    if (!context.using_keyswitching()) return;
    relin_keys = keygen.create_relin_keys();
    // All keys of the largest rings would take hundreds of megabytes.
    galois_keys = context.ring().degree() <= 8192 ? keygen.create_galois_keys()
                                                  : keygen.create_galois_keys({0, 1, -1, 4});
    for (const std::uint64_t g : galois_keys.galois_elements()) galois_elements.push_back(g);
  }

  bool has_keys() const { return context.using_keyswitching(); }
  /// A rotation for which the keys suffice, with one key or with two.
  int rotation(std::mt19937_64& rng) const {
    const int count = static_cast<int>(context.ring().rotation_count());
    if (context.ring().degree() <= 8192) {
      if (chance(rng, 60)) return between(rng, 1 - count, count - 1);
      const int step = 1 << below(rng, std::bit_width(context.ring().rotation_count() - 1));
      return chance(rng, 50) ? step : -step;
    }
    constexpr int kSteps[] = {0, 1, -1, 3, 4, 5};
    return kSteps[below(rng, std::size(kSteps))];
  }
  /// How many key switches a rotation costs: one, or as many as its non-adjacent form has nonzero
  /// digits, which are the bits in which n and 3n differ. The digit N/2 is a full turn.
  std::size_t switches(int steps) const {
    if (steps == 0) return 0;
    if (std::ranges::count(galois_elements, context.ring().galois_element_from_step(steps)) != 0) {
      return 1;
    }
    const auto n = static_cast<std::uint64_t>(std::abs(steps));
    return static_cast<std::size_t>(std::popcount(n ^ (3 * n)));
  }

  CircuitSet set;
  Context context;
  KeyGenerator keygen;
  PublicKey public_key;
  RelinKeys relin_keys;
  GaloisKeys galois_keys;
  std::vector<std::uint64_t> galois_elements;
  Evaluator evaluator;
  Decryptor decryptor;
  double secret;
  CircuitNoise noise;
  NoiseEstimator estimator;
};

/// How many bits NoiseEstimator's estimates were above the measured noise, by depth.
class EstimateGaps {
 public:
  /// Whether an estimate is held to `allowed`, or why not.
  enum class Kind { held, concentrated, small_ring, encoding, dependent };

  /// The gap in bits that one value in a thousand exceeds: see docs/notes/noise_estimate.md.
  static double usual(int depth) { return 6 + 2 * std::max(0, depth - 3); }
  /// The largest allowed gap.
  static double allowed(int depth) { return usual(depth) + 2; }

  /// `estimated` is the logarithm that is compared with the measurement.
  static Kind kind_of(std::size_t degree, const NoiseEstimate& estimate, double estimated) {
    if (estimate.has_dependent_operands()) return Kind::dependent;
    if (degree < kLeastDegree) return Kind::small_ring;
    if (estimate.spread() < least_spread(degree)) return Kind::concentrated;
    // Encoders and decoders promise the worst case of rounding and floating point, far above their
    // usual errors.
    const double noise = estimate.hidden_noise_bits() - std::log2(estimate.scale());
    return estimated > noise + 1 ? Kind::encoding : Kind::held;
  }

  void add(Kind kind, int depth, double gap) { gaps_[kind][depth].push_back(gap); }

  void print() const {
    static const std::map<Kind, const char*> kNames{
        {Kind::held, "independent operands"},
        {Kind::concentrated, "independent operands, noise at few roots"},
        {Kind::small_ring, "independent operands, rings of a degree below 2048"},
        {Kind::encoding, "independent operands, encoding more than noise"},
        {Kind::dependent, "dependent operands"}};
    for (const auto& [kind, gaps] : gaps_) print(kNames.at(kind), gaps);
  }

  bool empty() const { return gaps_.empty(); }

  /// Checks what is no matter of chance, unlike the largest gap: the medians of held values, and
  /// how many are above the usual gap.
  void check_held() const {
    const auto held = gaps_.find(Kind::held);
    if (held == gaps_.end()) return;
    std::size_t count = 0;
    std::size_t above = 0;
    for (const auto& [depth, gaps] : held->second) {
      count += gaps.size();
      for (const double gap : gaps) above += gap > usual(depth) ? 1 : 0;
      if (gaps.size() < 10) continue;
      std::vector<double> sorted = gaps;
      std::ranges::sort(sorted);
      EXPECT_LE(sorted[sorted.size() / 2], usual(depth) - 2) << "median gap at depth " << depth;
    }
    EXPECT_LE(above, 1 + count / 500) << "gaps above the usual ones, of " << count;
  }

 private:
  using ByDepth = std::map<int, std::vector<double>>;

  static void print(const char* name, const ByDepth& gaps) {
    std::printf("  estimate - noise in bits, %s\n", name);
    std::printf("    depth   values    least    0.1 %%   median   99.9 %%     most  above limit\n");
    for (const auto& [depth, values] : gaps) {
      std::vector<double> sorted = values;
      std::ranges::sort(sorted);
      const auto at = [&](double part) {
        return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
      };
      const auto above =
          std::ranges::count_if(sorted, [limit = usual(depth)](double gap) { return gap > limit; });
      std::printf("    %5d %8zu %8.2f %8.2f %8.2f %8.2f %8.2f %12td\n", depth, sorted.size(), at(0),
                  at(0.001), at(0.5), at(0.999), at(1), above);
    }
  }

  /// Noise at fewer roots is a matter of chance: it is a product of a few random numbers, and the
  /// noise at other roots is too small to count.
  static double least_spread(std::size_t degree) {
    return std::max(16.0, static_cast<double>(degree) / 64);
  }
  /// In smaller rings every product of a few noises is a matter of chance. At 128 bits of security
  /// such rings have moduli of at most 27 bits: too few for a product.
  static constexpr std::size_t kLeastDegree = 2048;

  std::map<Kind, ByDepth> gaps_;
};

/// What ran, over all circuits of a test.
struct CircuitStatistics {
  std::map<std::string, std::size_t> operations;
  std::map<int, std::size_t> depths;
  std::map<std::string, std::map<int, std::size_t>> depths_per_set;
  std::size_t circuits = 0;
  std::size_t secure_circuits = 0;
  /// How close each value that was decrypted came to its bound, in the measure of the scheme.
  std::vector<double> ratios;
  EstimateGaps gaps;

  /// The value below which `part` of the ratios lie; 0 if there are none.
  double quantile(double part) const {
    std::vector<double> sorted = ratios;
    std::ranges::sort(sorted);
    const double last = static_cast<double>(sorted.size()) - 1;
    return sorted.empty() ? 0 : sorted[static_cast<std::size_t>(part * last)];
  }

  void print(const char* test, double seconds) const {
    std::printf("%s: %zu circuits, %zu of them at secure sets, all to full depth, %.1f s\n", test,
                circuits, secure_circuits, seconds);
    std::printf("  values decrypted: %zu\n  operations:\n", ratios.size());
    for (const auto& [name, count] : operations) {
      std::printf("    %-36s %9zu\n", name.c_str(), count);
    }
    std::printf("  multiplicative depth of circuits:\n");
    for (const auto& [depth, count] : depths) std::printf("    %2d %9zu\n", depth, count);
    std::printf("  depth (circuits) at secure sets:\n");
    for (const auto& [set, counts] : depths_per_set) {
      std::printf("    %s:", set.c_str());
      for (const auto& [depth, count] : counts) std::printf(" %d (%zu)", depth, count);
      std::printf("\n");
    }
    if (!gaps.empty()) gaps.print();
    gaps.check_held();
  }
};

/// Runs random circuits of one scheme: 100. In a long run all tables of this processor together run
/// 10^4.
///
/// The lowest byte of a circuit's seed is the slot of its parameter set; the highest 16 bits seed
/// keys and toy sets. RINGLET_CIRCUIT_SEED=<seed> repeats that circuit alone, and then checks each
/// of its results at once.
class CircuitRun {
 public:
  CircuitRun(const char* test, std::uint64_t stream) : test_(test) {
    std::uint64_t hash = stream;
    for (const char c : KernelSelection::from_environment().text()) {
      hash = hash * 131 + static_cast<unsigned char>(c);  // each table runs circuits of its own
    }
    std::seed_seq sequence{test_seed(), test_seed() >> 32, hash, hash >> 32};
    rng_.seed(sequence);
    key_part_ = rng_() >> 48 << 48;
    const char* one = std::getenv("RINGLET_CIRCUIT_SEED");
    if (one != nullptr && *one != '\0') {
      only_ = std::strtoull(one, nullptr, 0);
      key_part_ = only_ >> 48 << 48;
    }
  }

  bool is_single() const { return only_ != 0; }
  std::uint64_t key_part() const { return key_part_; }
  /// All circuits together must run each of these operations, named between semicolons.
  void expect_operations(const std::string& names) const {
    if (is_single()) return;
    std::istringstream list(names);
    for (std::string name; std::getline(list >> std::ws, name, ';');) {
      const auto found = statistics_.operations.find(name);
      EXPECT_TRUE(found != statistics_.operations.end()) << "no circuit had " << name;
    }
  }
  /// Expects the operations that every scheme has.
  void expect_common_operations() const {
    expect_operations(
        "add; add_many; add_plain; apply_galois; copy; encrypt; encrypt_symmetric; encrypt_zero; "
        "encrypt_zero_symmetric; mod_switch_to; mod_switch_to_next; multiply; multiply without "
        "relinearization; multiply_plain; negate; relinearize; square; sub; sub_plain; "
        "transform_from_ntt; transform_to_ntt");
  }
  CircuitStatistics& statistics() { return statistics_; }

  /// `secure` and `toy` are the parameter sets; run(bench, seed) runs one circuit.
  template <typename Run>
  void operator()(const std::vector<CircuitSet>& secure, const std::vector<CircuitSet>& toy,
                  Run&& run) {
    make_slots(secure, toy);
    const auto start = std::chrono::steady_clock::now();
    const auto elapsed = [start] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    const std::size_t count = is_single() ? 1 : std::min(100 * test_scale(), share_of_table());
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t slot = is_single() ? (only_ & 0xff) % kCircuitSlots : i % kCircuitSlots;
      const std::uint64_t seed = is_single() ? only_ : key_part_ | (rng_() & 0xffffffffff00) | slot;
      CircuitBench& bench = bench_of(slots_[slot]);
      ++statistics_.circuits;
      statistics_.secure_circuits += bench.set.is_secure() ? 1 : 0;
      run_one(bench, seed, run);
      if (++done_ % 500 == 0) std::printf("  %zu circuits, %.0f s\n", done_, elapsed());
      if (failures_ == kMostFailures) break;
    }
    statistics_.print(test_, elapsed());
    EXPECT_LE(statistics_.operations["(refused as transparent)"], 1 + statistics_.circuits / 10);
    if (!is_single()) {
      EXPECT_GE(2 * statistics_.secure_circuits, statistics_.circuits);
    }
    std::fflush(stdout);
  }

 private:
  static constexpr int kMostFailures = 5;

  static std::size_t share_of_table() {
    constexpr std::size_t kCircuits = 10000;
    std::set<std::string> tables;
    for (const KernelInfo& kernel : kernel_catalog()) {
      if (kernel.available) tables.insert(kernel.table);
    }
    return (kCircuits + tables.size() - 1) / tables.size();
  }

  void make_slots(const std::vector<CircuitSet>& secure, const std::vector<CircuitSet>& toy) {
    for (const auto* sets : {&secure, &toy}) {
      for (const CircuitSet& set : *sets) {
        for (std::size_t k = 0; k < set.share; ++k) slots_.push_back(sets_.size());
        sets_.push_back(set);
      }
    }
    ASSERT_EQ(slots_.size(), kCircuitSlots);
    benches_.resize(sets_.size());
  }

  CircuitBench& bench_of(std::size_t set) {
    if (!benches_[set]) {
      benches_[set] = std::make_unique<CircuitBench>(sets_[set], key_part_ | set);
    }
    return *benches_[set];
  }

  template <typename Run>
  void run_one(CircuitBench& bench, std::uint64_t seed, Run&& run) {
    const auto failed_parts = [] {
      return ::testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count();
    };
    const int before = failed_parts();
    run(bench, seed);
    if (failed_parts() == before) return;
    ++failures_;
    std::printf("to repeat this circuit: RINGLET_CIRCUIT_SEED=0x%llx --gtest_filter=%s\n  at %s\n",
                static_cast<unsigned long long>(seed), test_, describe(bench.set).c_str());
  }

  const char* test_;
  std::mt19937_64 rng_;
  std::uint64_t key_part_ = 0;
  std::uint64_t only_ = 0;
  std::size_t done_ = 0;
  int failures_ = 0;
  std::vector<CircuitSet> sets_;
  std::vector<std::size_t> slots_;
  std::vector<std::unique_ptr<CircuitBench>> benches_;
  CircuitStatistics statistics_;
};

}  // namespace ringlet::test
