// SPDX-License-Identifier: Apache-2.0
// Tests the software half of the card on the bus: against FLINT with the verilated card, and its
// refusals of wrong operands and of failing cards.
#include "hw/karatsuba/bus/bus_driver.hpp"

#include "Vbus_45.h"
#include "hw/karatsuba/bus/job_file.hpp"
#include "hw/karatsuba/bus/mailbox.hpp"
#include "hw/karatsuba/bus/shared_file.hpp"
#include "hw/karatsuba/tb/bus_memory.hpp"
#include "hw/karatsuba/tb/resident_session.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::hw::bus {
namespace {

using resident::Burst;
using resident::Encryption;
using resident::Key;
using resident::Oracle;
using resident::Values;

constexpr std::uint64_t kIndex = 45;
constexpr std::size_t kDegree = 24;
constexpr std::chrono::seconds kPatience{60};
constexpr Burst kUntouched{0x1234, 0x5678};

class SimulatedRegisters : public Registers {
 public:
  explicit SimulatedRegisters(BusMemory<Vbus_45>& card) : card_(card) {}
  void write(Register name, std::uint32_t value) override {
    card_.set(static_cast<std::uint8_t>(name), value);
  }
  Status status() override {
    const Status status{card_.status()};
    card_.cycle();
    return status;
  }

 private:
  BusMemory<Vbus_45>& card_;
};

Key some_key(std::mt19937_64& rng, int bits = 125) {
  return resident::make_key(kDegree, WideModulus::largest_prime(bits).value(), 5, Values::random,
                            rng);
}

std::vector<Encryption> some_encryptions(std::size_t count, std::mt19937_64& rng) {
  std::vector<Encryption> encryptions;
  for (std::size_t i = 0; i < count; ++i) {
    encryptions.push_back(resident::make_encryption(kDegree, 99, 5, Values::random, rng));
  }
  return encryptions;
}

void expect_ciphertext(const Ciphertext& made, const Oracle& oracle, const Encryption& one) {
  for (std::size_t c = 0; c < 2; ++c) {
    const std::vector<Burst> wanted = oracle.component(one, c);
    ASSERT_EQ(made[c].degree(), kDegree);
    for (std::size_t i = 0; i < kDegree; ++i) {
      ASSERT_EQ(made[c][i], (WideInteger{wanted[i][0], wanted[i][1], 0})) << c << ", " << i;
    }
  }
}

/// The failure of the card in a call that must fail.
CardFault fault_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const CardError& error) {
    return error.fault();
  }
  throw std::runtime_error("no fault");
}

TEST(BusDriver, EncryptsOnTheCardAsFlintDoes) {
  auto rng = test::make_rng();
  constexpr std::array<int, 4> kBits{125, 64, 16, 100};
  constexpr std::array<unsigned, 3> kRates{256, 40, 200};
  for (std::size_t round = 0; round < test::scaled(8); ++round) {
    const std::size_t count = 1 + rng() % 6;
    const std::size_t place = rng() % 100;
    const std::size_t words = BusDriver::words_for(kDegree, count);
    std::vector<Burst> memory(place + words + 16, kUntouched);
    BusMemory<Vbus_45> card(memory, rng(), kRates[round % kRates.size()]);
    SimulatedRegisters registers(card);
    const std::span<Burst> shared = std::span(memory).subspan(place, words);
    BusDriver driver(registers, {shared, place}, kDegree, kPatience);
    const Key key = some_key(rng, kBits[round % kBits.size()]);
    const Oracle oracle(kIndex, key);
    driver.load_key(key);
    const std::vector<Encryption> encryptions = some_encryptions(count, rng);
    const std::vector<Ciphertext> made = driver.encrypt(encryptions);
    ASSERT_EQ(made.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      expect_ciphertext(made[i], oracle, encryptions[i]);
      if (HasFatalFailure()) return;
    }
    const std::size_t secret = count * resident::encryption_bursts(kDegree);
    for (std::size_t i = 0; i < secret; ++i) ASSERT_EQ(shared[i], Burst{}) << "a secret is left";
    for (std::size_t i = 0; i < place; ++i) ASSERT_EQ(memory[i], kUntouched);
    for (std::size_t i = place + words; i < memory.size(); ++i) ASSERT_EQ(memory[i], kUntouched);
  }
}

TEST(BusDriver, TellsOfAWrongKeyAndGoesOn) {
  auto rng = test::make_rng();
  std::vector<Burst> memory(BusDriver::words_for(kDegree, 3));
  BusMemory<Vbus_45> card(memory, rng(), 256);
  SimulatedRegisters registers(card);
  BusDriver driver(registers, {memory, 0}, kDegree, kPatience);
  const Key key = some_key(rng);
  const Oracle oracle(kIndex, key);
  driver.load_key(key);
  std::vector<Encryption> encryptions = some_encryptions(3, rng);
  encryptions[1].key_name = 6;
  EXPECT_EQ(fault_of([&] { driver.encrypt(encryptions); }), CardFault::wrong_key);
  encryptions[1].key_name = key.name;
  const std::vector<Ciphertext> made = driver.encrypt(encryptions);
  for (std::size_t i = 0; i < 3; ++i) expect_ciphertext(made[i], oracle, encryptions[i]);
}

/// A card that runs a test's function at its start, instead of working.
class FakeCard : public Registers {
 public:
  explicit FakeCard(std::span<Burst> words) : words_(words) {}
  void write(Register name, std::uint32_t value) override {
    registers_[static_cast<std::size_t>(name)] = value;
    ++writes;
    if (name == Register::start && at_start) at_start();
  }
  Status status() override { return {state}; }

  std::span<Burst> target() const { return words_.subspan(registers_[2], registers_[3]); }
  /// Writes results of a card, all of them 0, in the order of tags.
  void give_zeros() const {
    const std::span<Burst> words = target();
    for (std::size_t i = 0; i < words.size() / (kDegree + 1); ++i) {
      words[i * (kDegree + 1)] = {129 | (i % 2) << 8, i / 2};
    }
  }

  std::function<void()> at_start;
  std::uint32_t state = 0;
  std::size_t writes = 0;

 private:
  std::span<Burst> words_;
  std::array<std::uint32_t, kRegisters> registers_{};
};

class BusDriverOnAFake : public ::testing::Test {
 protected:
  BusDriver driver(std::span<Burst> words) {
    return {fake_, {words, 0}, kDegree, std::chrono::milliseconds(5)};
  }
  /// Expects a fault in two encryptions on a card with a key that runs `at_start` at its start.
  void expect_fault(const std::function<void()>& at_start, CardFault fault) {
    BusDriver driver = this->driver(memory_);
    fake_.at_start = nullptr;
    driver.load_key(key_);
    fake_.at_start = at_start;
    EXPECT_EQ(fault_of([&] { driver.encrypt(encryptions_); }), fault);
  }
  /// Expects that `call` throws InvalidArgument and changes neither memory nor card.
  void expect_refused(const std::function<void()>& call) {
    const std::vector<Burst> before = memory_;
    const std::size_t writes = fake_.writes;
    EXPECT_THROW(call(), InvalidArgument);
    EXPECT_EQ(memory_, before);
    EXPECT_EQ(fake_.writes, writes);
  }

  std::mt19937_64 rng_ = test::make_rng();
  std::vector<Burst> memory_ = std::vector<Burst>(BusDriver::words_for(kDegree, 2), kUntouched);
  FakeCard fake_{memory_};
  Key key_ = some_key(rng_);
  std::vector<Encryption> encryptions_ = some_encryptions(2, rng_);
};

TEST_F(BusDriverOnAFake, TakesResultsThatAreWhole) {
  BusDriver driver = this->driver(memory_);
  driver.load_key(key_);
  fake_.at_start = [&] { fake_.give_zeros(); };
  const std::vector<Ciphertext> made = driver.encrypt(encryptions_);
  ASSERT_EQ(made.size(), 2U);
  EXPECT_EQ(made[1][1], WidePoly(kDegree, 2));
}

TEST_F(BusDriverOnAFake, RefusesMemoryThatIsTooSmall) {
  const std::span<Burst> words(memory_);
  BusDriver small = driver(words.first(BusDriver::words_for_key(kDegree) - 1));
  expect_refused([&] { small.load_key(key_); });
  BusDriver one_less = driver(words.first(words.size() - 1));
  one_less.load_key(key_);
  expect_refused([&] { one_less.encrypt(encryptions_); });
  EXPECT_THROW(
      BusDriver(fake_, {words, (std::uint64_t{1} << 32) - words.size() + 1}, kDegree, kPatience),
      InvalidArgument);
  EXPECT_NO_THROW(
      BusDriver(fake_, {words, (std::uint64_t{1} << 32) - words.size()}, kDegree, kPatience));
  EXPECT_THROW(BusDriver(fake_, {words, 0}, 0, kPatience), InvalidArgument);
}

TEST_F(BusDriverOnAFake, RefusesKeysThatDoNotFit) {
  BusDriver driver = this->driver(memory_);
  const auto refused = [&](const std::function<void(Key&)>& change) {
    Key key = key_;
    change(key);
    expect_refused([&] { driver.load_key(key); });
  };
  refused([](Key& key) { key.modulus = WideModulus::largest_prime(126).value(); });
  refused([](Key& key) { key.modulus = {0, std::uint64_t{1} << 61, 0}; });  // 2^125
  refused([](Key& key) { key.modulus = {0, 0, 1}; });
  refused([&](Key& key) {
    key = resident::make_key(kDegree, {std::uint64_t{1} << 15, 0, 0}, 5, Values::zero, rng_);
  });
  refused([](Key& key) { key.message_bit = key.modulus; });
  refused([](Key& key) { key.polys[1].set(kDegree - 1, key.modulus); });
  refused([](Key& key) { key.polys[0] = WidePoly(kDegree - 1, 2); });
  refused([](Key& key) { key.polys[1] = WidePoly(kDegree + 1, 2); });
  // The smallest and the largest moduli that fit.
  for (const WideInteger& q : {WideInteger{(1 << 15) + 1, 0, 0},
                               WideInteger{~std::uint64_t{0}, (std::uint64_t{1} << 61) - 1, 0}}) {
    EXPECT_NO_THROW(driver.load_key(resident::make_key(kDegree, q, 5, Values::largest, rng_)));
  }
}

TEST_F(BusDriverOnAFake, RefusesOperandsThatDoNotFit) {
  BusDriver driver = this->driver(memory_);
  EXPECT_THROW(driver.encrypt(encryptions_), LogicError);
  driver.load_key(key_);
  expect_refused([&] { driver.encrypt({}); });
  const auto refused = [&](const std::function<void(Encryption&)>& change) {
    std::vector<Encryption> encryptions = encryptions_;
    change(encryptions[1]);
    expect_refused([&] { driver.encrypt(encryptions); });
  };
  refused([](Encryption& one) { one.u.pop_back(); });
  refused([](Encryption& one) { one.u.push_back(0); });
  refused([](Encryption& one) { one.message.pop_back(); });
  refused([](Encryption& one) { one.noise[0].push_back(0); });
  refused([](Encryption& one) { one.noise[1].clear(); });
  refused([](Encryption& one) { one.u[3] = 2; });
  refused([](Encryption& one) { one.message.back() = 255; });
  // All operands belong to another ring.
  refused([&](Encryption& one) {
    one = resident::make_encryption(2 * kDegree, 0, 5, Values::zero, rng_);
  });
}

TEST_F(BusDriverOnAFake, GivesUpWaiting) {
  BusDriver driver = this->driver(memory_);
  driver.load_key(key_);
  fake_.at_start = [&] { fake_.state = 2; };
  EXPECT_EQ(fault_of([&] { driver.encrypt(encryptions_); }), CardFault::timeout);
  const std::size_t writes = fake_.writes;
  EXPECT_EQ(fault_of([&] { driver.encrypt(encryptions_); }), CardFault::busy);
  EXPECT_EQ(fault_of([&] { driver.load_key(key_); }), CardFault::busy);
  EXPECT_EQ(fake_.writes, writes);
  // The previous key remains, unless a new key may have arrived in part.
  fake_.state = 0;
  fake_.at_start = [&] { fake_.give_zeros(); };
  EXPECT_EQ(driver.encrypt(encryptions_).size(), 2U);
  fake_.at_start = [&] { fake_.state = 1; };
  EXPECT_EQ(fault_of([&] { driver.load_key(key_); }), CardFault::timeout);
  fake_.state = 0;
  EXPECT_THROW(driver.encrypt(encryptions_), LogicError);
}

TEST_F(BusDriverOnAFake, TakesNothingElseForAResult) {
  expect_fault([] {}, CardFault::bad_result);
  const auto after_zeros = [&](const std::function<void(std::span<Burst>)>& change) {
    return [this, change] {
      fake_.give_zeros();
      change(fake_.target());
    };
  };
  constexpr std::size_t kFrame = kDegree + 1;
  // One result missing, one twice, one of no encryption, q as a coefficient, an unknown frame.
  const std::vector<std::function<void(std::span<Burst>)>> changes{
      [](auto words) { words[3 * kFrame] = {}; }, [](auto words) { words[3 * kFrame] = words[0]; },
      [](auto words) { words[3 * kFrame][1] = 2; },
      [&](auto words) { words.back() = {key_.modulus[0], key_.modulus[1]}; },
      [&](auto) { fake_.state += 1 << 16; }};
  for (const auto& change : changes) expect_fault(after_zeros(change), CardFault::bad_result);
  expect_fault(after_zeros([](auto words) { words[0][0] |= 1 << 9; }), CardFault::wrong_key);
}

TEST(BusRegisters, LieInMemory) {
  std::array<std::uint32_t, kRegisters> block{};
  MappedRegisters registers(block.data());
  for (std::uint32_t i = 0; i < kRegisters; ++i) {
    registers.write(static_cast<Register>(i), 0x30000 + i);
    EXPECT_EQ(block[i], 0x30000 + i);
  }
  EXPECT_TRUE(registers.status().is_idle());
  EXPECT_EQ(registers.status().unknown_frames(), 3);
  block[0] = 0x10002;
  EXPECT_FALSE(registers.status().is_idle());
}

TEST(BusMailbox, ExchangesAndGivesUp) {
  Mailbox mailbox{};
  MailboxRegisters impatient(mailbox, std::chrono::milliseconds(5));
  EXPECT_THROW(impatient.status(), RuntimeError);
  MailboxRegisters registers(mailbox, kPatience);
  std::uint32_t address = 0, value = 0;
  std::thread other([&, before = mailbox.request.load()] {
    while (mailbox.request.load() == before) std::this_thread::yield();
    address = mailbox.address;
    value = mailbox.value;
    mailbox.run_cycles = 17;
    mailbox.answer.store(mailbox.request.load());
  });
  registers.write(Register::target, 4711);
  other.join();
  EXPECT_EQ(address, 2U);
  EXPECT_EQ(value, 4711U);
  EXPECT_EQ(registers.run_cycles(), 17U);
}

class BusFiles : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / ("bus_files_" + std::to_string(::getpid()));
};

TEST_F(BusFiles, OfJobsComeBackAsTheyWere) {
  auto rng = test::make_rng();
  Job job;
  job.index = kIndex;
  job.key = some_key(rng);
  job.secret_key.assign(kDegree, -1);
  job.encryptions = some_encryptions(2, rng);
  job.ciphertexts.assign(2, some_key(rng).polys);
  const std::string path = this->path("job");
  write_job(path, job);
  const Job read = read_job(path);
  EXPECT_EQ(read.index, kIndex);
  EXPECT_EQ(read.key.name, job.key.name);
  EXPECT_EQ(read.key.modulus, job.key.modulus);
  EXPECT_EQ(read.key.message_bit, job.key.message_bit);
  EXPECT_EQ(read.key.polys, job.key.polys);
  EXPECT_EQ(read.secret_key, job.secret_key);
  EXPECT_EQ(read.ciphertexts, job.ciphertexts);
  ASSERT_EQ(read.encryptions.size(), 2U);
  EXPECT_EQ(read.encryptions[1].u, job.encryptions[1].u);
  EXPECT_EQ(read.encryptions[1].message, job.encryptions[1].message);
  EXPECT_EQ(read.encryptions[1].noise, job.encryptions[1].noise);

  const auto size = std::filesystem::file_size(path);
  for (const std::uintmax_t other : {size + 1, size - 1, size / 2, std::uintmax_t{7}}) {
    std::filesystem::resize_file(path, other);
    EXPECT_THROW(read_job(path), RuntimeError) << other;
  }
  EXPECT_THROW(read_job(this->path("none")), RuntimeError);
  EXPECT_THROW(write_job(this->path("none/job"), job), RuntimeError);
}

TEST_F(BusFiles, AreShared) {
  const std::string path = this->path("shared");
  EXPECT_THROW(SharedFile::open(path), RuntimeError);
  const SharedFile made = SharedFile::create(path, 33);
  const SharedFile opened = SharedFile::open(path);
  ASSERT_EQ(opened.words().size(), 33U);
  made.words()[32] = kUntouched;
  made.mailbox().value = 5;
  EXPECT_EQ(opened.words()[32], kUntouched);
  EXPECT_EQ(opened.mailbox().value, 5U);
  std::filesystem::resize_file(path, 4096);
  EXPECT_THROW(SharedFile::open(path), RuntimeError);
}

}  // namespace
}  // namespace ringlet::hw::bus
