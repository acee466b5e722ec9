// SPDX-License-Identifier: Apache-2.0
//
// Lesson 10: bits in slots, and a table that is searched without seeing what is looked for.
//
// Modulo X^N + 1 a plain modulus of 2 leaves one slot. Modulo another cyclotomic polynomial there
// are many: X^8191 - 1 over X - 1 splits into 630 factors of degree 13 modulo 2, so one ciphertext
// holds 630 bits, a sum is their XOR and a product their AND.
//
// A server has a table of customers, kept column by column: one plaintext holds one bit of all
// records. A client wants those of one region, from an age group on, with some flags, and tells the
// server none of that: every bit of the question is encrypted. The answer is one encrypted bit per
// record.
#include <array>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "lesson.hpp"
#include "ringlet/ringlet.hpp"

namespace {

using ringlet::Ciphertext;
using ringlet::Plaintext;

using Bits = std::vector<std::uint8_t>;

constexpr std::size_t kRecords = 500;
constexpr std::size_t kRegionBits = 3;
constexpr std::size_t kAgeBits = 4;
constexpr std::size_t kFlags = 3;  // active, newsletter, overdue

struct Record {
  std::uint32_t region;
  std::uint32_t age_group;
  std::uint32_t flags;
};

/// Records with the frequencies of a small shop: some regions and middle ages more than others.
std::vector<Record> make_table() {
  std::uint32_t state = 20260101;
  const auto draw = [&state](std::uint32_t limit) {
    state = state * 1664525 + 1013904223;
    return (state >> 16) % limit;
  };
  std::vector<Record> table(kRecords);
  for (Record& record : table) {
    record.region = draw(2) == 0 ? draw(3) : draw(8);
    record.age_group = draw(8) + draw(9);
    record.flags = (draw(10) < 7 ? 1 : 0) | (draw(10) < 4 ? 2 : 0) | (draw(10) < 2 ? 4 : 0);
  }
  return table;
}

struct Question {
  std::uint32_t region;
  std::uint32_t least_age_group;
  std::uint32_t wanted_flags;  // others do not matter
};

bool matches(const Record& record, const Question& question) {
  return record.region == question.region && record.age_group >= question.least_age_group &&
         (record.flags & question.wanted_flags) == question.wanted_flags;
}

/// The bits of a question, each in all slots of a ciphertext of its own, lowest first.
struct EncryptedQuestion {
  std::vector<Ciphertext> region;
  std::vector<Ciphertext> least_age_group;
  std::vector<Ciphertext> wanted_flags;
};

/// Knows the secret key.
class Client {
 public:
  explicit Client(const ringlet::Context& context)
      : keygen_(context),
        encoder_(context),
        encryptor_(context, keygen_.create_public_key()),
        decryptor_(context, keygen_.secret_key()) {}

  ringlet::RelinKeys relin_keys() const { return keygen_.create_relin_keys(); }
  ringlet::GaloisKeys galois_keys(const std::vector<std::uint64_t>& elements) const {
    return keygen_.create_galois_keys_for_elements(elements);
  }
  EncryptedQuestion ask(const Question& question) const {
    return {encrypt_number(question.region, kRegionBits),
            encrypt_number(question.least_age_group, kAgeBits),
            encrypt_number(question.wanted_flags, kFlags)};
  }
  Bits read(const Ciphertext& answer) { return encoder_.decode(decryptor_.decrypt(answer)); }
  int budget(const Ciphertext& answer) { return decryptor_.invariant_noise_budget(answer); }

 private:
  std::vector<Ciphertext> encrypt_number(std::uint32_t number, std::size_t bit_count) const {
    std::vector<Ciphertext> result;
    for (std::size_t i = 0; i < bit_count; ++i) {
      const Bits slots(encoder_.slot_count(), number >> i & 1);
      result.push_back(encryptor_.encrypt(encoder_.encode(slots)));
    }
    return result;
  }

  ringlet::KeyGenerator keygen_;
  ringlet::SlotEncoder encoder_;
  ringlet::Encryptor encryptor_;
  ringlet::Decryptor decryptor_;
};

/// Has the table, and keys that only compute.
class Server {
 public:
  Server(const ringlet::Context& context, const std::vector<Record>& table, const Client& client)
      : encoder_(context),
        evaluator_(context),
        relin_keys_(client.relin_keys()),
        galois_keys_(client.galois_keys(folding_elements())) {
    for (std::size_t i = 0; i < kRegionBits; ++i) {
      region_.push_back(column(table, [i](const Record& r) { return r.region >> i & 1; }));
    }
    for (std::size_t i = 0; i < kAgeBits; ++i) {
      age_group_.push_back(column(table, [i](const Record& r) { return r.age_group >> i & 1; }));
    }
    for (std::size_t i = 0; i < kFlags; ++i) {
      flags_.push_back(column(table, [i](const Record& r) { return r.flags >> i & 1; }));
    }
  }

  /// One bit for each record; 0 in the slots behind them.
  Ciphertext answer(const EncryptedQuestion& question) const {
    std::vector<Ciphertext> terms;
    for (std::size_t i = 0; i < kRegionBits; ++i) {
      terms.push_back(equal(region_[i], question.region[i]));
    }
    for (std::size_t i = 0; i < kFlags; ++i) {
      // Missing: wanted and not there.
      Ciphertext missing = question.wanted_flags[i];
      evaluator_.multiply_plain_inplace(missing, flags_[i].zeros);
      terms.push_back(negated(std::move(missing)));
    }
    // The noisiest one last: it skips the first products.
    terms.push_back(at_least(age_group_, question.least_age_group));
    Ciphertext result = conjunction(std::move(terms));
    std::vector<std::size_t> records(kRecords);
    for (std::size_t i = 0; i < kRecords; ++i) records[i] = i;
    evaluator_.multiply_plain_inplace(result, encoder_.mask(records));
    return result;
  }

  /// The XOR of all slots in every slot: 630 = 2 * 3 * 3 * 5 * 7 places, folded by each factor.
  Ciphertext parity(Ciphertext bits) const {
    std::size_t step = encoder_.slot_count();
    for (const std::size_t factor : kFactors) {
      step /= factor;
      const Ciphertext one = bits;
      for (std::size_t i = 1; i < factor; ++i) {
        Ciphertext moved = one;
        encoder_.rotate_inplace(evaluator_, moved, 0, static_cast<std::int64_t>(i * step),
                                galois_keys_);
        evaluator_.add_inplace(bits, moved);
      }
    }
    return bits;
  }

 private:
  static constexpr std::array<std::size_t, 5> kFactors{2, 3, 3, 5, 7};

  /// One bit of all records, and its opposite.
  struct Column {
    Plaintext ones;
    Plaintext zeros;
  };

  template <typename Bit>
  Column column(const std::vector<Record>& table, Bit&& bit) const {
    Bits ones(encoder_.slot_count(), 0);
    Bits zeros(encoder_.slot_count(), 1);
    for (std::size_t i = 0; i < table.size(); ++i) {
      ones[i] = static_cast<std::uint8_t>(bit(table[i]));
      zeros[i] = ones[i] ^ 1;
    }
    return {encoder_.encode(ones), encoder_.encode(zeros)};
  }

  std::vector<std::uint64_t> folding_elements() const {
    std::vector<std::uint64_t> elements;
    std::size_t step = encoder_.slot_count();
    for (const std::size_t factor : kFactors) {
      step /= factor;
      for (std::size_t i = 1; i < factor; ++i) {
        elements.push_back(encoder_.galois_element(0, static_cast<std::int64_t>(i * step)));
      }
    }
    return elements;
  }

  Ciphertext negated(Ciphertext a) const {
    evaluator_.add_plain_inplace(a, encoder_.all_ones());
    return a;
  }
  Ciphertext both(const Ciphertext& a, const Ciphertext& b) const {
    Ciphertext result;
    evaluator_.multiply(a, b, result);
    evaluator_.relinearize_inplace(result, relin_keys_);
    return result;
  }
  /// Pairs first, then pairs of pairs: the depth is the logarithm of their number.
  Ciphertext conjunction(std::vector<Ciphertext> terms) const {
    while (terms.size() > 1) {
      std::vector<Ciphertext> pairs;
      for (std::size_t i = 0; i + 1 < terms.size(); i += 2) {
        pairs.push_back(both(terms[i], terms[i + 1]));
      }
      if (terms.size() % 2 == 1) pairs.push_back(std::move(terms.back()));
      terms = std::move(pairs);
    }
    return std::move(terms[0]);
  }
  /// 1 where the bit of the record is that of the question.
  Ciphertext equal(const Column& ours, const Ciphertext& theirs) const {
    Ciphertext result = theirs;
    evaluator_.add_plain_inplace(result, ours.zeros);
    return result;
  }
  /// 1 where the number of the record is at least that of the question. Digits are compared as
  /// greater and as equal; of two neighbours the higher one decides unless it is equal.
  Ciphertext at_least(const std::vector<Column>& ours,
                      const std::vector<Ciphertext>& theirs) const {
    struct Digit {
      Ciphertext greater, same;
    };
    std::vector<Digit> digits;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      Ciphertext greater = negated(theirs[i]);
      evaluator_.multiply_plain_inplace(greater, ours[i].ones);
      Ciphertext same = equal(ours[i], theirs[i]);
      // The lowest bit is good if it is not smaller.
      if (i == 0) evaluator_.add_inplace(greater, same);
      digits.push_back({std::move(greater), std::move(same)});
    }
    while (digits.size() > 1) {
      std::vector<Digit> joined;
      for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        Digit digit{both(digits[i + 1].same, digits[i].greater),
                    both(digits[i + 1].same, digits[i].same)};
        evaluator_.add_inplace(digit.greater, digits[i + 1].greater);
        joined.push_back(std::move(digit));
      }
      if (digits.size() % 2 == 1) joined.push_back(std::move(digits.back()));
      digits = std::move(joined);
    }
    return std::move(digits[0].greater);
  }

  ringlet::SlotEncoder encoder_;
  ringlet::Evaluator evaluator_;
  ringlet::RelinKeys relin_keys_;
  ringlet::GaloisKeys galois_keys_;
  std::vector<Column> region_;
  std::vector<Column> age_group_;
  std::vector<Column> flags_;
};

void run(lesson::Checks& checks) {
  // The largest modulus that 128 bits of security allow at this degree: 213 bits.
  const ringlet::Context context(ringlet::default_parameters(
      ringlet::SchemeType::bfv, ringlet::RingSpec::cyclotomic(8191), ringlet::Modulus(2)));
  const ringlet::SlotEncoder encoder(context);
  std::printf("%zu slots for bits, modulo a polynomial of degree %zu\n", encoder.slot_count(),
              context.ring().degree());

  const std::vector<Record> table = make_table();
  Client client(context);
  const Server server(context, table, client);
  for (const Question& question : {Question{1, 6, 1}, Question{0, 9, 0}, Question{5, 3, 5}}) {
    const Ciphertext answer = server.answer(client.ask(question));
    const Bits found = client.read(answer);
    std::size_t count = 0;
    bool agrees = true;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const bool expected = i < kRecords && matches(table[i], question);
      agrees = agrees && (found[i] != 0) == expected;
      count += found[i];
    }
    std::printf("region %u, age group from %u on, flags %u: %zu of %zu records\n", question.region,
                question.least_age_group, question.wanted_flags, count, kRecords);
    checks.expect(agrees, "the same as in the clear");
    std::printf("noise budget that is left: %d bits\n", client.budget(answer));

    const Bits parity = client.read(server.parity(answer));
    checks.expect(parity == Bits(parity.size(), count % 2), "parity of the matches, in every slot");
  }

  try {
    encoder.encode(Bits{0, 1, 2});
    checks.expect(false, "what is no bit is refused");
  } catch (const ringlet::InvalidArgument& error) {
    std::printf("%s\n", error.what());
    checks.expect(true, "what is no bit is refused");
  }
}

}  // namespace

int main() { return lesson::run(run); }
