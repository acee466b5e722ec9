// SPDX-License-Identifier: Apache-2.0
#include "kernels/ntt/signed/reductions.hpp"
#include "support/reference/ntt_reference.hpp"

// The ranges of signed transforms: largest sizes of values, as exact integers, along the reductions
// of every arithmetic, degree and shape. Bounds of products and reductions are written here again,
// from docs/notes/signed_ntt.md; SignedReductions has them in doubles and in units of q.

namespace ringlet::kernels {
namespace {

using test::ntt_prime_next_to;
using Wide = __int128;

constexpr Wide power_of_two(int exponent) { return Wide{1} << exponent; }

/// The sizes of values in an arithmetic modulo q.
class Sizes {
  using enum SignedArithmetic;

 public:
  Sizes(SignedArithmetic arithmetic, std::uint64_t q) : arithmetic_(arithmetic), q_(q) {}

  /// The largest size of a product whose operand is up to y.
  Wide product(Wide y) const {
    if (arithmetic_ == real) return (q_ * power_of_two(54) + y * q_) >> 55;
    if (arithmetic_ == long_real) {
      Wide leading = 1;
      while (2 * leading <= y) leading *= 2;
      return q_ / 2 + ((leading * q_) >> 53) + ((y * q_) >> 55) + ((y * q_) >> 64) + 4;
    }
    if (arithmetic_ == shoup64) return q_ + q_ / 4 + 1 + ((y * q_) >> 65) + 1;
    const Wide operand = is_mont64() ? power_of_two(31) + high_half(y) : y;
    return (operand * (q_ / 2) + power_of_two(31) * q_) >> 32;
  }

  /// True if a value up to y may be multiplied, with every sum of half products.
  bool can_multiply(Wide y) const {
    const auto low = static_cast<std::int32_t>(static_cast<std::uint64_t>(q_));
    const Wide half_word = power_of_two(31);
    if (arithmetic_ == real) return y <= power_of_two(52);
    if (arithmetic_ == long_real) return y < power_of_two(63) && product(y) < power_of_two(63);
    if (arithmetic_ == mont32) return y < half_word;
    Wide sum = half_word * (half_word + high_half(y));
    if (is_mont64()) {
      const bool is_together =
          mont64_variant(arithmetic_, static_cast<std::uint64_t>(q_)) == Mont64Variant::together;
      sum += half_word * (!is_together ? Wide{1} : low < 0 ? -Wide{low} : Wide{low});
    }
    return high_half(y) < half_word && sum < power_of_two(63);
  }
  /// True if the arithmetic can hold a value up to x.
  bool can_hold(Wide x) const {
    if (arithmetic_ == real) return x <= power_of_two(53);
    return x < power_of_two(arithmetic_ == mont32 ? 31 : 63);
  }

  /// True if the arithmetic can read a word up to x.
  bool can_read(Wide x) const { return arithmetic_ == real ? x < power_of_two(52) : can_hold(x); }

  Wide reduced(Wide x, std::uint64_t multiple) const {
    if (multiple == 0) return x;
    if (arithmetic_ == real) return q_ / 2 + (x >> 53) + 1;
    // The multiples reach from -8q to 7q, and the quotient is off by less than 2^-40.
    if (arithmetic_ == mont64_nearest && 2 * x + (q_ >> 38) < 15 * q_)
      return q_ / 2 + (x >> 50) + 1;
    if (arithmetic_ == mont64_nearest) return power_of_two(64);
    if (arithmetic_ == long_real || arithmetic_ == shoup64) {
      return q_ / 2 + (x >> 51) + 1;
    }
    return std::max(x - Wide{multiple}, Wide{multiple});
  }
  bool reduces_products() const { return arithmetic_ == long_real; }
  SignedArithmetic arithmetic() const { return arithmetic_; }

  /// True if store_result makes residues of values up to x.
  bool can_store_result(Wide x) const {
    if (!can_hold(x)) return false;
    if (arithmetic_ == mont64) return can_multiply(x) && product(x) < q_;
    if (arithmetic_ != mont32) return reduced(x, 1) < q_;
    // One step reduces values below 2q, two steps values below 4q.
    return x < (mont32_limit(static_cast<std::uint64_t>(q_)) > 2 ? 4 : 2) * q_;
  }
  /// True if store_product makes residues of products of values up to y.
  bool can_store_product(Wide y) const {
    const Wide x = product(y);
    if (arithmetic_ == shoup64) return x < 2 * q_;
    if (arithmetic_ == long_real) return reduced(x, 1) < q_;
    return x < q_;
  }

 private:
  bool is_mont64() const { return arithmetic_ == mont64 || arithmetic_ == mont64_nearest; }
  static Wide high_half(Wide y) { return (y + power_of_two(31)) >> 32; }

  SignedArithmetic arithmetic_;
  Wide q_;
};

/// Counts values that were too large for their use.
struct Faults {
  int count = 0;
  void expect(bool condition) { count += condition ? 0 : 1; }
};

int run_forward(const Sizes& sizes, const std::uint64_t* reductions, int operand, std::uint64_t q,
                int log_degree) {
  Faults faults;
  Wide bound = Wide{q} * operand - 1;
  faults.expect(sizes.can_read(bound));
  for (int s = 0; s < log_degree; ++s) {
    const Wide a = sizes.reduced(bound, reductions[s]);
    const Wide b = sizes.reduces_products() ? a : bound;
    faults.expect(sizes.can_multiply(b));
    bound = a + sizes.product(b);
    faults.expect(sizes.can_hold(bound));
  }
  faults.expect(sizes.can_store_result(bound));
  return faults.count;
}

int run_forward(const Sizes& sizes, const SignedReductions& reductions, std::uint64_t q,
                int log_degree) {
  return run_forward(sizes, reductions.forward, reductions.forward_operand, q, log_degree) +
         run_forward(sizes, reductions.forward_of_larger, reductions.larger_operand, q, log_degree);
}

/// The largest values in the rows of a pass, which are equal at its start.
class InverseRun {
 public:
  InverseRun(const Sizes& sizes, const SignedReductions& reductions, const Schedule& schedule)
      : sizes_(sizes), reductions_(reductions), schedule_(schedule) {}

  int run(std::uint64_t q) {
    bound_ = Wide{q} * reductions_.inverse_operand - 1;
    faults_.expect(sizes_.can_read(bound_));
    for (int p = schedule_.pass_count - 1; p >= 0; --p) run_pass(p);
    return faults_.count;
  }

 private:
  struct Pair {
    Wide sum;
    Wide product;
  };
  /// `sum` and `difference` are the largest sizes of the sum and the difference.
  Pair butterfly(Wide sum, Wide difference, int stage, bool is_reduced) {
    faults_.expect(sizes_.can_hold(sum));
    faults_.expect(sizes_.can_multiply(difference));
    if (stage == 0) {
      faults_.expect(sizes_.can_multiply(sum));
      faults_.expect(sizes_.can_store_product(sum));
    }
    const Wide product = sizes_.product(difference);
    if (stage == 0) return {sizes_.product(sum), product};
    const std::uint64_t multiple = is_reduced ? reductions_.inverse[stage] : 0;
    return {sizes_.reduced(sum, multiple),
            sizes_.reduces_products() ? sizes_.reduced(product, multiple) : product};
  }
  void run_pass(int p) {
    const Pass& pass = schedule_.passes[p];
    const int lane_stages = pass.is_tail ? schedule_.log_lanes : 0;
    const InverseReductions reductions =
        inverse_way(sizes_.arithmetic(), reductions_.inverse_ways[p], pass.row_stages, lane_stages,
                    pass.first_stage == 0);
    for (int i = 0; i < lane_stages; ++i) {
      const int stage = pass.first_stage + pass.row_stages + lane_stages - 1 - i;
      // Operands are nonnegative, so their difference is no larger than they are.
      const Wide difference = i == 0 ? bound_ : 2 * bound_;
      const Pair pair = butterfly(2 * bound_, difference, stage, reductions.at(i));
      bound_ = std::max(pair.sum, pair.product);
    }
    const std::size_t count = std::size_t{1} << pass.row_stages;
    std::vector<Wide> rows(count, bound_);
    for (int u = pass.row_stages - 1; u >= 0; --u) {
      const std::size_t half = count >> (u + 1);
      const bool is_reduced = reductions.at(lane_stages + pass.row_stages - 1 - u);
      for (std::size_t e = 0; e < count; ++e) {
        if ((e & half) != 0) continue;
        const Wide sum = rows[e] + rows[e + half];
        const Pair pair = butterfly(sum, sum, pass.first_stage + u, is_reduced);
        rows[e] = pair.sum;
        rows[e + half] = pair.product;
      }
    }
    for (int e = 0; e < reductions.rows; ++e) {
      rows[e] = sizes_.reduced(rows[e], reductions_.inverse_rows[p][e]);
    }
    bound_ = *std::max_element(rows.begin(), rows.end());
  }

  const Sizes& sizes_;
  const SignedReductions& reductions_;
  const Schedule& schedule_;
  Faults faults_;
  Wide bound_ = 0;
};

struct Arithmetic {
  const char* name;
  SignedArithmetic arithmetic;
  std::uint64_t modulus_limit;
  struct Shape {
    int log_lanes;
    int max_row_stages;
  } shapes[2];
};
/// The arithmetics, with the limits and shapes of their policies.
constexpr Arithmetic kArithmetics[] = {
    {"real", SignedArithmetic::real, std::uint64_t{1} << 51, {{2, 3}, {3, 4}}},
    {"long_real", SignedArithmetic::long_real, std::uint64_t{1} << 54, {{3, 3}}},
    {"mont64", SignedArithmetic::mont64, std::uint64_t{1} << 61, {{2, 3}}},
    {"mont64_nearest", SignedArithmetic::mont64_nearest, std::uint64_t{1} << 62, {{3, 3}}},
    {"mont32", SignedArithmetic::mont32, std::uint64_t{1} << 30, {{3, 3}, {4, 3}}},
    {"shoup64", SignedArithmetic::shoup64, std::uint64_t{1} << 61, {{3, 3}}},
};

const char* name_of(SignedArithmetic arithmetic) {
  return std::ranges::find(kArithmetics, arithmetic, &Arithmetic::arithmetic)->name;
}

/// Primes on both sides of powers of two and of simple fractions of them, where plans change, and
/// primes with lower halves on both sides of those where mont64's form changes.
std::vector<std::uint64_t> primes_below(std::uint64_t limit) {
  std::set<std::uint64_t> found{17, 257, 65537, ntt_prime_next_to(limit, 8, true)};
  if (limit >> 40 != 0) found.insert(ntt_prime_next_to(limit, std::size_t{1} << 31, true));
  const auto add_neighbours = [&](std::uint64_t x) {
    if (x >= 1000 && x <= limit) found.insert(ntt_prime_next_to(x, 8, true));
    if (x >= 1000 && x < limit) found.insert(ntt_prime_next_to(x, 8, false));
  };
  for (int bits = 10; bits <= 62; ++bits) {
    const std::uint64_t power = std::uint64_t{1} << bits;
    for (const std::uint64_t eighths : {8, 9, 10, 11, 12, 13, 14, 15}) {
      add_neighbours(power / 8 * eighths);
    }
    for (const std::uint64_t third : {3, 5, 7, 9}) add_neighbours(power / third);
    if (bits < 36) continue;
    for (const std::uint64_t low : {0x7fffffffU, 0x80000000U, 0x40000000U, 0xc0000000U, 1U}) {
      add_neighbours((power / 4 * 3) | low);
      add_neighbours((power / 16 * 15) | low);
    }
  }
  std::erase_if(found, [=](std::uint64_t q) { return q >= limit; });
  return {found.begin(), found.end()};
}

/// All values of SignedReductions, in units of q.
std::vector<std::uint64_t> decisions(SignedArithmetic arithmetic, std::uint64_t q,
                                     const Schedule& schedule) {
  const SignedReductions reductions = make_signed_reductions(arithmetic, q, schedule);
  std::vector<std::uint64_t> found(std::begin(reductions.forward), std::end(reductions.forward));
  found.insert(found.end(), std::begin(reductions.forward_of_larger),
               std::end(reductions.forward_of_larger));
  found.insert(found.end(), std::begin(reductions.inverse), std::end(reductions.inverse));
  for (const auto& rows : reductions.inverse_rows) {
    found.insert(found.end(), std::begin(rows), std::end(rows));
  }
  for (std::uint64_t& multiple : found) multiple /= q;
  found.insert(found.end(), std::begin(reductions.inverse_ways), std::end(reductions.inverse_ways));
  found.push_back(
      static_cast<std::uint64_t>(reductions.forward_operand * 8 + reductions.inverse_operand));
  return found;
}

/// Odd numbers on both sides of a change of the reductions, one change between each two neighbours
/// of ascending `moduli`.
std::vector<std::uint64_t> where_plans_change(SignedArithmetic arithmetic,
                                              const std::vector<std::uint64_t>& moduli,
                                              const Schedule& schedule) {
  std::vector<std::uint64_t> found;
  for (std::size_t i = 1; i < moduli.size(); ++i) {
    std::uint64_t a = moduli[i - 1];
    std::uint64_t b = moduli[i];
    const auto before = decisions(arithmetic, a, schedule);
    if (decisions(arithmetic, b, schedule) == before) continue;
    while (b - a > 2) {
      const std::uint64_t middle = a + (b - a) / 4 * 2;
      (decisions(arithmetic, middle, schedule) == before ? a : b) = middle;
    }
    found.insert(found.end(), {a - 2, a, b, b + 2});
  }
  return found;
}

class SignedRangesOf : public testing::TestWithParam<Arithmetic> {};

/// Checks the reductions of every schedule that kernels may ask for.
TEST_P(SignedRangesOf, NoValueExceedsWhatBecomesOfIt) {
  const SignedArithmetic arithmetic = GetParam().arithmetic;
  const std::vector<std::uint64_t> primes = primes_below(GetParam().modulus_limit);
  std::size_t changes = 0;
  for (const auto& [log_lanes, row_stages] : GetParam().shapes) {
    if (log_lanes == 0) continue;
    for (int n = log_lanes + row_stages + 1; n <= kMaxSignedLogDegree; ++n) {
      const Schedule schedule = make_schedule(n, log_lanes, row_stages);
      std::vector<std::uint64_t> moduli = where_plans_change(arithmetic, primes, schedule);
      changes += moduli.size();
      moduli.insert(moduli.end(), primes.begin(), primes.end());
      for (const std::uint64_t q : moduli) {
        if (q >= GetParam().modulus_limit) continue;
        const SignedReductions reductions = make_signed_reductions(arithmetic, q, schedule);
        const Sizes sizes(arithmetic, q);
        ASSERT_EQ(run_forward(sizes, reductions, q, n), 0)
            << "N = 2^" << n << ", q = " << q << ", " << (1 << log_lanes) << " lanes";
        ASSERT_EQ(InverseRun(sizes, reductions, schedule).run(q), 0)
            << "N = 2^" << n << ", q = " << q << ", " << (1 << log_lanes) << " lanes";
      }
    }
  }
  EXPECT_GT(changes, 100U);
}

/// A reduction is only where the next stage needs it: most plans of the largest modulus fail if one
/// reduction is left out.
TEST_P(SignedRangesOf, ReductionsAreNeeded) {
  const std::uint64_t q = ntt_prime_next_to(GetParam().modulus_limit, 8, true);
  const Sizes sizes(GetParam().arithmetic, q);
  int needed = 0;
  int all = 0;
  for (const int n : {6, 8, 10, 12, 14, 16, 18, 20}) {
    const Schedule schedule = make_schedule(n, 3, 3);
    const SignedReductions reductions = make_signed_reductions(GetParam().arithmetic, q, schedule);
    SignedReductions without = reductions;
    const auto leave_out = [&](auto& reduction) {
      if (std::exchange(reduction, 0) != 0) {
        ++all;
        const int faults =
            run_forward(sizes, without, q, n) + InverseRun(sizes, without, schedule).run(q);
        needed += faults > 0 ? 1 : 0;
      }
      without = reductions;
    };
    for (int s = 0; s < n; ++s) {
      leave_out(without.forward[s]);
      leave_out(without.forward_of_larger[s]);
      leave_out(without.inverse[s]);
    }
    for (int p = 0; p < schedule.pass_count; ++p) leave_out(without.inverse_rows[p][0]);
  }
  EXPECT_GT(all, 8);
  EXPECT_GE(4 * needed, 3 * all) << needed << " of " << all;
}

INSTANTIATE_TEST_SUITE_P(Arithmetics, SignedRangesOf, testing::ValuesIn(kArithmetics),
                         [](const auto& a) { return std::string(a.param.name); });

/// The compiled passes are exactly those that reductions take.
TEST_P(SignedRangesOf, PassesAreCompiledForWhatPlansTake) {
  const SignedArithmetic arithmetic = GetParam().arithmetic;
  std::set<Mont64Variant> reducing_forms;
  bool has_plain_tail = false;
  for (const auto& [log_lanes, max_row_stages] : GetParam().shapes) {
    if (log_lanes == 0) continue;
    std::map<std::tuple<int, int, bool>, std::set<int>> taken;  // by row stages, lane stages, last
    for (const std::uint64_t q : primes_below(GetParam().modulus_limit)) {
      for (int n = log_lanes + max_row_stages + 1; n <= kMaxSignedLogDegree; ++n) {
        const Schedule schedule = make_schedule(n, log_lanes, max_row_stages);
        const SignedReductions reductions = make_signed_reductions(arithmetic, q, schedule);
        for (int p = 0; p < schedule.pass_count; ++p) {
          const Pass& pass = schedule.passes[p];
          const int lane_stages = pass.is_tail ? log_lanes : 0;
          taken[{pass.row_stages, lane_stages, pass.first_stage == 0}].insert(
              reductions.inverse_ways[p]);
          const bool reduces = SignedReductions::reduces(reductions.forward + pass.first_stage,
                                                         pass.row_stages + lane_stages);
          if (reduces) reducing_forms.insert(mont64_variant(arithmetic, q));
          has_plain_tail |= pass.is_tail && !reduces;
        }
      }
    }
    for (const auto& [kind, ways] : taken) {
      const auto [row_stages, lane_stages, is_last] = kind;
      std::set<int> compiled;
      for (int way = 0; way < inverse_way_count(arithmetic, row_stages, lane_stages, is_last);
           ++way) {
        if (has_inverse_way(arithmetic, way, row_stages, lane_stages, is_last))
          compiled.insert(way);
      }
      EXPECT_EQ(ways, compiled) << row_stages << " + " << lane_stages << " stages"
                                << (is_last ? ", last" : "");
    }
  }
  EXPECT_EQ(has_plain_tail, arithmetic != SignedArithmetic::mont32);
  if (arithmetic == SignedArithmetic::mont64) {
    EXPECT_EQ(reducing_forms,
              (std::set{Mont64Variant::one, Mont64Variant::together, Mont64Variant::apart}));
  }
}

/// A plan takes unreduced operands without a reduction where they fit; those of wide moduli do not.
TEST(SignedRanges, PlansTakeOperandsThatAreNotReducedWhereTheyFit) {
  const Schedule schedule = make_schedule(15, 3, 3);
  struct Case {
    SignedArithmetic arithmetic;
    int bits;
    int forward;
    int inverse;
    int larger;
  };
  for (const Case& c :
       {Case{SignedArithmetic::shoup64, 55, 4, 1, 4}, Case{SignedArithmetic::shoup64, 61, 2, 1, 2},
        Case{SignedArithmetic::long_real, 50, 4, 2, 4}, Case{SignedArithmetic::real, 47, 4, 2, 4},
        Case{SignedArithmetic::real, 51, 1, 1, 2}, Case{SignedArithmetic::mont32, 30, 1, 1, 2},
        Case{SignedArithmetic::mont64_nearest, 57, 2, 2, 4},
        Case{SignedArithmetic::mont64_nearest, 62, 1, 1, 1}}) {
    const std::uint64_t q = ntt_prime_next_to(std::uint64_t{1} << c.bits, 32768, true);
    const SignedReductions reductions = make_signed_reductions(c.arithmetic, q, schedule);
    EXPECT_EQ(reductions.forward_operand, c.forward) << name_of(c.arithmetic) << ", " << c.bits;
    EXPECT_EQ(reductions.inverse_operand, c.inverse) << name_of(c.arithmetic) << ", " << c.bits;
    EXPECT_EQ(reductions.larger_operand, c.larger) << name_of(c.arithmetic) << ", " << c.bits;
  }
}

/// Small moduli leave so much room that nothing is reduced before the end.
TEST(SignedRanges, FarFromTheLimitNothingIsReduced) {
  const Schedule schedule = make_schedule(16, 3, 3);
  for (const auto& [arithmetic, bits] :
       {std::pair{SignedArithmetic::real, 48}, std::pair{SignedArithmetic::long_real, 52},
        std::pair{SignedArithmetic::mont64, 58}, std::pair{SignedArithmetic::shoup64, 57},
        std::pair{SignedArithmetic::mont32, 26}}) {
    const std::uint64_t q = ntt_prime_next_to(std::uint64_t{1} << bits, 8, true);
    const SignedReductions reductions = make_signed_reductions(arithmetic, q, schedule);
    EXPECT_EQ(SignedReductions::reduces(reductions.forward, 16),
              arithmetic == SignedArithmetic::mont32)
        << name_of(arithmetic);
  }
}

}  // namespace
}  // namespace ringlet::kernels
