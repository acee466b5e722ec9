// SPDX-License-Identifier: Apache-2.0
// Calls FV in any order, with operands of any kind. Either a result is that of the messages in the
// clear, or the call is refused. Runs 50 sequences over four rings, 10^4 in a long run.

#include "ringlet/fv/fv_serialization.hpp"
#include "support/calls/call_counts.hpp"
#include "unit/fv/support.hpp"

namespace ringlet::test {
namespace {

class FvCallBench {
  struct Value {
    fv::Ciphertext ciphertext;
    fv::Message clear;
    double terms = 1;  ///< Fresh ciphertexts in the sum.
  };
  using Call = Value (FvCallBench::*)(bool is_spoiled);

 public:
  FvCallBench(const fv::Context& context, const fv::Context& other)
      : own_(context, RandomSource::for_testing(test_seed())),
        other_key_(context, RandomSource::for_testing(test_seed() + 1)),
        foreign_(other, RandomSource::for_testing(test_seed() + 2)),
        strangers_{fv::Ciphertext(), foreign_.encryptor.encrypt(fv::Message(foreign_.degree)),
                   other_key_.encryptor.encrypt(fv::Message(own_.degree))},
        calls_{{"add", &FvCallBench::add},
               {"encrypt", &FvCallBench::encrypt},
               {"decrypt", &FvCallBench::decrypt},
               {"save and load", &FvCallBench::reload},
               {"keys", &FvCallBench::reload_keys}} {}

  void run(std::mt19937_64& rng, std::map<std::string, CallCounts>& counts) {
    rng_ = &rng;
    pool_.clear();
    std::string trace;
    for (int k = 0; k < 5; ++k) pool_.push_back(encrypt(false));
    for (std::size_t calls = 1 + any(20); calls > 0; --calls) {
      const auto& [name, call] = calls_[percent(40) ? 0 : any(calls_.size())];
      const bool is_spoiled = percent(20);
      trace += "; " + name + (is_spoiled ? " spoiled" : "");
      try_call(call, is_spoiled, counts[name]);
      ASSERT_FALSE(::testing::Test::HasFailure()) << trace;
    }
    for (const Value& value : pool_) expect_right(value);
    ASSERT_FALSE(::testing::Test::HasFailure()) << trace << "; an operand changed";
  }

 private:
  std::size_t any(std::size_t count) { return (*rng_)() % count; }
  bool percent(std::size_t part) { return any(100) < part; }
  std::uint64_t t() const { return own_.context.parameters().plain_modulus; }
  const Value& any_value() { return pool_[any(pool_.size())]; }
  const fv::Ciphertext& stranger() { return strangers_[any(strangers_.size())]; }
  /// Services of other parameters, or of another key.
  const FvBench& other() { return percent(50) ? foreign_ : other_key_; }

  void try_call(Call call, bool is_spoiled, CallCounts& count) {
    try {
      Value result = (this->*call)(is_spoiled);
      EXPECT_FALSE(is_spoiled) << "accepted";
      ++(expect_right(result) ? count.right : count.lost);
      pool_[any(pool_.size())] = std::move(result);
    } catch (const ErrorInfo& error) {
      EXPECT_TRUE(is_spoiled) << error.operation() << ": " << error.offending();
      EXPECT_FALSE(error.operation().empty() || error.offending().empty() ||
                   error.limit().empty() || error.remedy().empty());
      ++count.refused;
    }
  }

  /// Checks a sum if it has few enough terms to be promised to decrypt; returns whether it has.
  bool expect_right(const Value& value) {
    const fv::Message message = own_.decryptor.decrypt(value.ciphertext);
    const double budget = own_.decryptor.noise_budget(value.ciphertext);
    if (value.terms > static_cast<double>(own_.context.max_additions())) return false;
    EXPECT_EQ(message, value.clear);
    // q is close to a power of two.
    const double room = own_.context.parameters().modulus.bit_count() - 1.01 - std::log2(t());
    EXPECT_GE(budget, room - own_.context.fresh_noise_bits() - std::log2(value.terms));
    return true;
  }

  fv::Message message(bool is_spoiled) {
    fv::Message result = random_message(own_.context, *rng_);
    if (percent(10)) std::ranges::fill(result, 0);
    if (!is_spoiled) return result;
    if (percent(50)) {
      result[any(result.size())] = percent(50) ? t() : (*rng_)() | t();
    } else {
      result.resize(any(2) * (result.size() + 1));
    }
    return result;
  }

  Value add(bool is_spoiled) {
    const Value a = any_value();
    const Value b = percent(30) ? a : any_value();
    if (is_spoiled) {
      return {percent(50) ? own_.context.add(a.ciphertext, stranger())
                          : own_.context.add(stranger(), a.ciphertext),
              a.clear};
    }
    Value sum{own_.context.add(a.ciphertext, b.ciphertext), a.clear, a.terms + b.terms};
    for (std::size_t i = 0; i < sum.clear.size(); ++i)
      sum.clear[i] = (a.clear[i] + b.clear[i]) % t();
    return sum;
  }

  Value encrypt(bool is_spoiled) {
    std::vector<fv::Message> clear(1 + any(9));
    for (fv::Message& one : clear) one = message(false);
    const std::size_t chosen = any(clear.size());
    if (is_spoiled) clear[chosen] = message(true);
    if (percent(50)) return {own_.encryptor.encrypt(clear[chosen]), clear[chosen]};
    return {own_.encryptor.encrypt(clear)[chosen], clear[chosen]};
  }

  Value decrypt(bool is_spoiled) {
    const Value a = any_value();
    const FvBench& by = is_spoiled && percent(50) ? other() : own_;
    const fv::Ciphertext& encrypted = is_spoiled && &by == &own_ ? stranger() : a.ciphertext;
    if (percent(50)) {
      EXPECT_GE(by.decryptor.noise_budget(encrypted), 0);
    }
    return {a.ciphertext, by.decryptor.decrypt(encrypted), a.terms};
  }

  /// Returns the file, cut or changed if `is_spoiled`.
  template <typename Bytes>
  Bytes spoil(Bytes bytes, bool is_spoiled) {
    if (!is_spoiled) return bytes;
    if (percent(50)) {
      bytes.resize(any(bytes.size()));
    } else {
      bytes[any(bytes.size())] ^= std::byte(1 + any(255));
    }
    return bytes;
  }

  Value reload(bool is_spoiled) {
    Value a = any_value();
    const fv::Context& context = is_spoiled && percent(20) ? foreign_.context : own_.context;
    const bool is_damaged = is_spoiled && &context == &own_.context;
    a.ciphertext = load<fv::Ciphertext>(context, spoil(save(a.ciphertext), is_damaged));
    return a;
  }

  Value reload_keys(bool is_spoiled) {
    const fv::Context& context = own_.context;
    const std::size_t wrong = is_spoiled ? any(4) : 4;
    const auto key = load<fv::PublicKey>(context, spoil(save(own_.public_key), wrong == 0));
    const auto secret = load_secret_key<fv::SecretKey>(
        context, spoil(save_secret_key(context, own_.keys.secret_key()), wrong == 1));
    const fv::Encryptor encryptor(context, wrong == 2 ? foreign_.public_key : key);
    const fv::Decryptor decryptor(context, wrong == 3 ? other().keys.secret_key() : secret);
    const fv::Message clear = message(false);
    const fv::Ciphertext encrypted = encryptor.encrypt(clear);
    EXPECT_EQ(decryptor.decrypt(encrypted), clear);
    return {encrypted, clear};
  }

  FvBench own_;
  FvBench other_key_;
  FvBench foreign_;
  std::vector<fv::Ciphertext> strangers_;
  std::vector<std::pair<std::string, Call>> calls_;
  std::mt19937_64* rng_ = nullptr;
  std::vector<Value> pool_;
};

TEST(FvCalls, AreRightOrRefused) {
  const auto binary = fv::SecretDistribution::binary;
  // The second context allows only a few sums.
  const fv::Context contexts[] = {toy_fv(35, 60), toy_fv(15, 13, 2), toy_fv(255, 135, 0x80000000),
                                  toy_fv(63, 70, 65537, binary)};
  auto rng = make_rng();
  std::map<std::string, CallCounts> counts;
  for (std::size_t i = 0; i < std::size(contexts); ++i) {
    FvCallBench bench(contexts[i], contexts[(i + 1) % std::size(contexts)]);
    const std::size_t end = scaled(50) * (i + 1) / std::size(contexts);
    for (std::size_t k = scaled(50) * i / std::size(contexts); k < end; ++k) {
      bench.run(rng, counts);
      ASSERT_FALSE(HasFailure()) << "sequence " << k;
    }
  }
  expect_counts(counts);
}

}  // namespace
}  // namespace ringlet::test
