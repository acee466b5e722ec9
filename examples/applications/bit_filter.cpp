// SPDX-License-Identifier: Apache-2.0
//
// A bit-vector filter: which patients may join a study, without a look at the study's criteria.
//
// A hospital has records of 442 patients, bit by bit: one plaintext holds one bit of all of them.
// The organiser of a study asks for a sex, a least age and a least body mass index. Every bit of
// the question arrives encrypted, in all slots of its own ciphertext; the answer is one encrypted
// bit for every patient. Comparisons of numbers are circuits of AND, OR and NOT.
//
// On the processor the ring is Z[X]/Phi_8191 modulo 2: 630 slots of bits, products are AND. Devices
// support only rings X^N + 1; there the bits are 0 and 1 among the integers modulo 65537. All
// formulas hold in both: NOT is 1 - x, and OR is a sum of which at most one term is 1.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common.hpp"
#include "ringlet/ringlet.hpp"

namespace {

using ringlet::Ciphertext;
using ringlet::Context;
using ringlet::Plaintext;
using Bits = std::vector<std::uint8_t>;

constexpr std::size_t kFields = 3;
const std::array<std::string, kFields> kNames{"sex", "age", "bmi"};
constexpr std::array<std::size_t, kFields> kWidths{1, 7, 6};  // bits
constexpr std::size_t kSlots = 630;                           // of the smaller of the two rings
using Numbers = std::array<unsigned, kFields>;                // a record, or a question

std::string described(const Numbers& question) {
  return "sex " + std::to_string(question[0]) + ", age from " + std::to_string(question[1]) +
         ", index from " + std::to_string(question[2]);
}
bool matches(const Numbers& record, const Numbers& question) {
  return record[0] == question[0] && record[1] >= question[1] && record[2] >= question[2];
}

/// Whole numbers of each field; sex is 1 or 2 in the file.
std::vector<Numbers> load(const app::Table& table) {
  const auto sex = table.column("sex"), age = table.column("age"), bmi = table.column("bmi");
  std::vector<Numbers> records;
  for (std::size_t i = 0; i < sex.size(); ++i) {
    records.push_back({static_cast<unsigned>(sex[i]) - 1, static_cast<unsigned>(age[i]),
                       static_cast<unsigned>(bmi[i])});
  }
  return records;
}

/// 128 bits of security, at degrees whose moduli leave room for products of products of bits.
ringlet::EncryptionParameters parameters(bool is_on_device) {
  const auto bfv = ringlet::SchemeType::bfv;
  if (is_on_device) {
    ringlet::EncryptionParameters parms = ringlet::default_parameters(bfv, 16384);
    parms.set_plain_modulus(65537);
    return parms;
  }
  return default_parameters(bfv, ringlet::RingSpec::cyclotomic(8191), ringlet::Modulus(2));
}

/// Encodes bits as messages, in either ring.
class BitEncoder {
 public:
  explicit BitEncoder(const Context& context) {
    if (context.plain_modulus().value() == 2) {
      bits_ = std::make_unique<ringlet::SlotEncoder>(context);
    } else {
      integers_ = std::make_unique<ringlet::BatchEncoder>(context);
    }
  }
  std::size_t slot_count() const { return bits_ ? bits_->slot_count() : integers_->slot_count(); }
  Plaintext encode(const Bits& bits) const {
    if (bits_) return bits_->encode(bits);
    Plaintext plain;
    integers_->encode(std::vector<std::uint64_t>(bits.begin(), bits.end()), plain);
    return plain;
  }
  Bits decode(const Plaintext& plain) const {
    if (bits_) return bits_->decode(plain);
    std::vector<std::uint64_t> slots;
    integers_->decode(plain, slots);
    Bits result;
    for (const std::uint64_t slot : slots) {
      result.push_back(static_cast<std::uint8_t>(std::min<std::uint64_t>(slot, 2)));
    }
    return result;
  }

 private:
  std::unique_ptr<ringlet::SlotEncoder> bits_;
  std::unique_ptr<ringlet::BatchEncoder> integers_;
};

/// The bits of a question, field by field, lowest first.
using Question = std::array<std::vector<app::Bytes>, kFields>;

/// Holds the secret key.
class Client {
 public:
  explicit Client(const Context& context)
      : context_(context),
        keygen_(context),
        encoder_(context),
        encryptor_(context, keygen_.secret_key()),
        decryptor_(context, keygen_.secret_key()) {}

  app::Bytes parameters() const { return save(ringlet::SavedParameters::of(context_)); }
  app::Bytes relin_keys() const { return save(keygen_.create_relin_keys()); }
  Question ask(const Numbers& question) const {
    Question result;
    for (std::size_t f = 0; f < kFields; ++f) {
      for (std::size_t i = 0; i < kWidths[f]; ++i) {
        const Bits slots(encoder_.slot_count(), question[f] >> i & 1);
        result[f].push_back(save(encryptor_.encrypt_symmetric_seeded(encoder_.encode(slots))));
      }
    }
    return result;
  }
  Bits read(const app::Bytes& answer) {
    return encoder_.decode(decryptor_.decrypt(ringlet::load<Ciphertext>(context_, answer)));
  }
  int noise_budget(const app::Bytes& answer) {
    return decryptor_.invariant_noise_budget(ringlet::load<Ciphertext>(context_, answer));
  }
  const Context& context() const { return context_; }

 private:
  Context context_;
  ringlet::KeyGenerator keygen_;
  BitEncoder encoder_;
  ringlet::Encryptor encryptor_;
  ringlet::Decryptor decryptor_;
};

/// Has the table, and keys for evaluation only.
class Server {
 public:
  Server(const app::Bytes& parameters, const app::Bytes& relin_keys,
         const std::vector<Numbers>& table, const std::string& device)
      : context_(ringlet::load_parameters(parameters).make_context()),
        encoder_(context_),
        evaluator_(context_, ringlet::Device::parse(device)),
        relin_keys_(ringlet::load<ringlet::RelinKeys>(context_, relin_keys)),
        table_(table) {}

  /// One bit for each patient; 0 in the slots after them.
  app::Bytes answer(const Question& question) const {
    const Ciphertext age = at_least(digits(1, question[1]));
    const Ciphertext bmi = at_least(digits(2, question[2]));
    Ciphertext result = product(age, product(bmi, digits(0, question[0])[0].same));
    Bits patients(encoder_.slot_count());
    std::fill_n(patients.begin(), table_.size(), std::uint8_t{1});
    evaluator_.multiply_plain_inplace(result, encoder_.encode(patients));
    return save(result);
  }

 private:
  /// The comparison of a digit of the record with the question's: at most one bit is 1.
  struct Digit {
    Ciphertext greater;
    Ciphertext same;
  };

  Ciphertext product(const Ciphertext& a, const Ciphertext& b) const {
    Ciphertext result;
    evaluator_.multiply(a, b, result);
    evaluator_.relinearize_inplace(result, relin_keys_);
    return result;
  }
  Ciphertext sum(Ciphertext a, const Ciphertext& b) const {
    evaluator_.add_inplace(a, b);
    return a;
  }
  Ciphertext times(Ciphertext a, const Bits& known) const {
    evaluator_.multiply_plain_inplace(a, encoder_.encode(known));
    return a;
  }
  Ciphertext opposite(Ciphertext a) const {
    evaluator_.negate_inplace(a);
    evaluator_.add_plain_inplace(a, encoder_.encode(Bits(encoder_.slot_count(), 1)));
    return a;
  }
  /// Compares each bit of a field, of all patients at once, with the question's bit.
  std::vector<Digit> digits(std::size_t field, const std::vector<app::Bytes>& question) const {
    std::vector<Digit> result;
    for (std::size_t i = 0; i < question.size(); ++i) {
      const auto theirs = ringlet::load<Ciphertext>(context_, question[i]);
      const Ciphertext not_theirs = opposite(theirs);
      Bits ours(encoder_.slot_count()), not_ours(encoder_.slot_count(), 1);
      for (std::size_t patient = 0; patient < table_.size(); ++patient) {
        ours[patient] = table_[patient][field] >> i & 1;
        not_ours[patient] = ours[patient] ^ 1;
      }
      result.push_back(
          {times(not_theirs, ours), sum(times(theirs, ours), times(not_theirs, not_ours))});
    }
    return result;
  }
  /// 1 if the record's number, lowest digit first, is not below the question's: of two neighbours
  /// the higher digit decides unless it is equal.
  Ciphertext at_least(std::vector<Digit> digits) const {
    evaluator_.add_inplace(digits[0].greater, digits[0].same);
    while (digits.size() > 1) {
      std::vector<Digit> joined;
      for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        const Digit &low = digits[i], &high = digits[i + 1];
        joined.push_back(
            {sum(product(high.same, low.greater), high.greater), product(high.same, low.same)});
      }
      if (digits.size() % 2 == 1) joined.push_back(std::move(digits.back()));
      digits = std::move(joined);
    }
    return digits[0].greater;
  }

  Context context_;
  BitEncoder encoder_;
  ringlet::Evaluator evaluator_;
  ringlet::RelinKeys relin_keys_;
  std::vector<Numbers> table_;
};

void body(app::Report& report, const app::Options& options) {
  const std::vector<Numbers> table =
      load(app::read_csv(options.data / "diabetes.csv", {.most_rows = kSlots}));
  Client client = report.phase(
      "client: keys", [&] { return Client(Context(parameters(options.device != "cpu"))); });
  const app::Bytes relin_keys = client.relin_keys();
  const Server server = report.phase("server: reads keys", [&] {
    return Server(client.parameters(), relin_keys, table, options.device);
  });
  report.show("parameters", "BFV, degree " + std::to_string(client.context().ring().degree()) +
                                ", messages modulo " +
                                std::to_string(client.context().plain_modulus().value()));
  report.sent("to the server: keys, once", relin_keys.size());
  for (const Numbers& question : {Numbers{0, 50, 30}, Numbers{1, 19, 43}}) {
    const std::string name = described(question);
    const Question request =
        report.phase("client: asks for " + name, [&] { return client.ask(question); });
    const app::Bytes answer =
        report.phase("server: answers " + name, [&] { return server.answer(request); });
    const Bits found =
        report.phase("client: reads the answer to " + name, [&] { return client.read(answer); });
    std::size_t count = 0, expected = 0;
    bool is_right = true;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const bool is_match = i < table.size() && matches(table[i], question);
      is_right = is_right && found[i] == (is_match ? 1 : 0);
      count += found[i];
      expected += is_match ? 1 : 0;
    }
    std::vector<app::Bytes> sent;
    for (const auto& field : request) sent.insert(sent.end(), field.begin(), field.end());
    report.sent("to the server: " + name, sent);
    report.sent("to the client: answer to " + name, answer.size());
    report.show(name + ", noise budget left in bits", client.noise_budget(answer));
    report.show(name, std::to_string(count) + " of " + std::to_string(table.size()) +
                          " patients, in the clear " + std::to_string(expected));
    report.check(name + ", patient by patient", is_right);
  }
}

}  // namespace

int main(int argc, char** argv) { return app::run(argc, argv, "bit_filter", body); }
