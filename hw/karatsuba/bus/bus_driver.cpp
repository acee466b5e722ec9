// SPDX-License-Identifier: Apache-2.0
#include "hw/karatsuba/bus/bus_driver.hpp"

#include <algorithm>
#include <string>
#include <thread>

#include "arith/wide_integer.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/base/wipe.hpp"

namespace ringlet::hw::bus {
namespace {

using resident::Burst;
using resident::Encryption;
using resident::Frame;
using resident::Key;

constexpr const char* kLoadKey = "BusDriver::load_key";
constexpr const char* kEncrypt = "BusDriver::encrypt";
constexpr std::uint64_t kAddressableWords = std::uint64_t{1} << 32;
/// Results start at the boundary of a burst of the bus.
constexpr std::size_t kBurstWords = 16;

constexpr std::size_t round_up(std::size_t words) {
  return (words + kBurstWords - 1) / kBurstWords * kBurstWords;
}

constexpr std::size_t result_words(std::size_t degree, std::size_t count) {
  return 2 * count * (degree + 1);
}

/// Wipes words that may be secret, on every way out.
class Wiper {
 public:
  explicit Wiper(std::span<Burst> words) noexcept : words_(words) {}
  Wiper(const Wiper&) = delete;
  Wiper& operator=(const Wiper&) = delete;
  ~Wiper() { secure_wipe(words_.data(), words_.size_bytes()); }

 private:
  std::span<Burst> words_;
};

void check_key(const Key& key, std::size_t degree) {
  const auto refuse = [](const std::string& offending, const char* limit) {
    throw_invalid_argument(
        {kLoadKey, offending, limit, "take a key of the card's ring and a modulus that fits"});
  };
  const WideInteger& q = key.modulus;
  if (wide::bit_count(q) > kMaxModulusBits || !wide::is_less({kModulusAbove, 0, 0}, q)) {
    refuse("a modulus of " + std::to_string(wide::bit_count(q)) + " bits",
           "above 2^15 and below 2^125");
  }
  if (!wide::is_less(key.message_bit, q)) refuse("the value of a message bit", "below q");
  for (const WidePoly& poly : key.polys) {
    if (poly.degree() != degree) {
      refuse(std::to_string(poly.degree()) + " coefficients", "the degree of the card's ring");
    }
    for (std::size_t i = 0; i < degree; ++i) {
      if (!wide::is_less(poly[i], q)) refuse("a coefficient that is not reduced", "below q");
    }
  }
}

[[noreturn]] void fail(CardFault fault, const char* operation, const char* offending,
                       const char* limit, const char* remedy) {
  throw CardError(fault, {operation, offending, limit, remedy});
}

[[noreturn]] void fail_result(const char* operation, const char* offending) {
  fail(CardFault::bad_result, operation, offending,
       "two polynomials below q for each encryption, and frames that the card knows",
       "reset the card, and load the key again");
}

}  // namespace

BusDriver::BusDriver(Registers& registers, const CardMemory& memory, std::size_t degree,
                     std::chrono::milliseconds patience)
    : registers_(registers), memory_(memory), degree_(degree), patience_(patience) {
  if (degree == 0 || memory.place > kAddressableWords ||
      memory.words.size() > kAddressableWords - memory.place) {
    throw_invalid_argument({"BusDriver", "degree 0, or memory that the card cannot address",
                            "a degree from 1, words below 2^32", "map other memory"});
  }
}

std::size_t BusDriver::words_for_key(std::size_t degree) noexcept { return 3 + 2 * degree; }

std::size_t BusDriver::words_for(std::size_t degree, std::size_t count) noexcept {
  return round_up(count * resident::encryption_bursts(degree)) + result_words(degree, count);
}

void BusDriver::require_room(const char* operation, std::size_t words) const {
  if (words <= memory_.words.size()) return;
  throw_invalid_argument({operation, std::to_string(memory_.words.size()) + " words of memory",
                          "at least " + std::to_string(words),
                          "share more memory, or encrypt fewer messages at once"});
}

void BusDriver::load_key(const Key& key) {
  check_key(key, degree_);
  require_room(kLoadKey, words_for_key(degree_));
  std::vector<Burst> frame;
  frame.reserve(words_for_key(degree_));
  append(frame, key);
  require_idle(kLoadKey);
  modulus_.reset();
  run(kLoadKey, frame, {});
  modulus_.emplace(key.modulus);
}

std::vector<Ciphertext> BusDriver::encrypt(std::span<const Encryption> encryptions) {
  if (!modulus_) {
    throw_logic_error({kEncrypt, "a card without a key", "a key", "call load_key first"});
  }
  const std::size_t count = encryptions.size();
  const bool fits = std::ranges::all_of(
      encryptions, [&](const Encryption& one) { return one.u.size() == degree_; });
  if (count == 0 || !fits) {
    throw_invalid_argument({kEncrypt, "no encryption, or one of another length",
                            std::to_string(degree_) + " bits of each U",
                            "bring operands to the degree of the ring"});
  }
  require_room(kEncrypt, words_for(degree_, count));
  SecretVector<Burst> frames;
  frames.reserve(count * resident::encryption_bursts(degree_));
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = frames.size();
    append(frames, encryptions[i]);
    frames[at] = resident::detail::header(Frame::encryption, i + 1 == count,
                                          encryptions[i].key_name, static_cast<std::uint32_t>(i));
  }
  const auto output = memory_.words.subspan(round_up(frames.size()), result_words(degree_, count));
  run(kEncrypt, frames, output);
  return take(output, count);
}

Status BusDriver::require_idle(const char* operation) {
  const Status status = registers_.status();
  if (!status.is_idle()) {
    fail(CardFault::busy, operation, "a card that still runs", "an idle card",
         "wait, or reset the card");
  }
  return status;
}

/// Runs the card. Wipes the input if the card is idle at the end.
void BusDriver::run(const char* operation, std::span<const Burst> input, std::span<Burst> output) {
  const Status before = require_idle(operation);
  const auto shared = memory_.words.first(input.size());
  std::ranges::copy(input, shared.begin());
  // Clears results of an earlier run, which must not pass for results of this one.
  std::ranges::fill(output, Burst{});
  const auto place_of = [&](std::span<Burst> words) {
    return static_cast<std::uint32_t>(
        memory_.place + static_cast<std::size_t>(words.data() - memory_.words.data()));
  };
  registers_.write(Register::source, place_of(shared));
  registers_.write(Register::source_count, static_cast<std::uint32_t>(shared.size()));
  registers_.write(Register::target, output.empty() ? 0 : place_of(output));
  registers_.write(Register::target_count, static_cast<std::uint32_t>(output.size()));
  fence_for_card();
  registers_.write(Register::start, 1);

  const auto end = std::chrono::steady_clock::now() + patience_;
  Status after = registers_.status();
  while (!after.is_idle()) {
    const bool late = std::chrono::steady_clock::now() > end;
    std::this_thread::yield();
    after = registers_.status();
    if (late && !after.is_idle()) {
      fail(CardFault::timeout, operation, "a card that is not idle in time",
           "the driver's patience",
           "allow more time; else reset the card and wipe the shared memory");
    }
  }
  fence_for_card();
  const Wiper wiper(shared);
  if (after.unknown_frames() != before.unknown_frames()) {
    fail_result(operation, "a frame that the card does not know");
  }
}

std::vector<Ciphertext> BusDriver::take(std::span<const Burst> stream, std::size_t count) const {
  std::vector<Ciphertext> results(count);
  bool wrong_key = false;
  for (std::size_t done = 0; done < 2 * count; ++done) {
    if (static_cast<Frame>(stream[0][0] & 0xff) != Frame::polynomial) {
      fail_result(kEncrypt, "fewer results than were asked for");
    }
    const resident::Polynomial polynomial = *resident::take_polynomial(stream, degree_);
    wrong_key |= polynomial.wrong_key;
    if (polynomial.tag >= count || results[polynomial.tag][polynomial.second].degree() != 0) {
      fail_result(kEncrypt, "a result that was not asked for");
    }
    WidePoly& result = results[polynomial.tag][polynomial.second];
    result = WidePoly(degree_, modulus_->word_count());
    for (std::size_t i = 0; i < degree_; ++i) {
      const Burst& word = polynomial.coefficients[i];
      const WideInteger value{word[0], word[1], 0};
      if (!wide::is_less(value, modulus_->value())) fail_result(kEncrypt, "a coefficient above q");
      result.set(i, value);
    }
  }
  if (wrong_key) {
    fail(CardFault::wrong_key, kEncrypt, "an encryption that names another key",
         "the key on the card", "load that key");
  }
  return results;
}

}  // namespace ringlet::hw::bus
