// SPDX-License-Identifier: Apache-2.0
// The processor's program. It encrypts the contents of a file on a card in a shared memory. It
// compares with the same encryptions by this processor's own library, with those of the library
// that wrote the file, and with the messages after decryption.
//   hw_bus_host SHARED JOB
// Prints a line per check; the status is 0 if all hold, 1 if one does not, 2 after an error.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

#include "arith/wide_integer.hpp"
#include "hw/karatsuba/bus/bus_driver.hpp"
#include "hw/karatsuba/bus/job_file.hpp"
#include "hw/karatsuba/bus/shared_file.hpp"
#include "ringlet/fv/wide_product.hpp"
#include "ringlet/ring/cyclotomic.hpp"

namespace ringlet::hw::bus {
namespace {

using resident::Encryption;

// A simulated card needs minutes for the milliseconds of a real one.
constexpr std::chrono::minutes kPatience{10};

class Checks {
 public:
  void say(const char* what, std::size_t good, std::size_t all, const char* unit) {
    std::printf("%s: %zu of %zu %s\n", what, good, all, unit);
    all_hold_ = all_hold_ && good == all && all > 0;
  }
  bool all_hold() const { return all_hold_; }

 private:
  bool all_hold_ = true;
};

class Software {
 public:
  explicit Software(const Job& job)
      : job_(job), product_(CyclotomicPolynomial(job.index), WideModulus(job.key.modulus)) {
    for (std::size_t c = 0; c < 2; ++c) prepared_[c] = product_.prepare(job.key.polys[c]);
  }

  const WideProduct& product() const { return product_; }

  Ciphertext encrypt(const Encryption& one) const {
    const SecretVector<std::int8_t> u(one.u.begin(), one.u.end());
    Ciphertext result;
    for (std::size_t c = 0; c < 2; ++c) {
      const SecretVector<std::int32_t> noise(one.noise[c].begin(), one.noise[c].end());
      result[c] = multiply_add(*prepared_[c], u, noise);
    }
    WidePoly message(one.message.size(), result[0].word_count());
    for (std::size_t i = 0; i < one.message.size(); ++i) {
      message.set(i, one.message[i] != 0 ? job_.key.message_bit : WideInteger{});
    }
    add(result[0], result[0], message, product_.modulus());
    return result;
  }

  /// round(2 w / q) modulo 2 for w = C_1 + C_2 * S: 1 from q / 4 to 3 q / 4.
  std::vector<std::uint8_t> decrypt(const Ciphertext& encrypted) const {
    const WideInteger& q = product_.modulus().value();
    const WideInteger three_q = wide::multiply_add(q, 3, 0);
    WidePoly phase = multiply_add(*product_.prepare(encrypted[1]), job_.secret_key, {});
    add(phase, phase, encrypted[0], product_.modulus());
    std::vector<std::uint8_t> message(phase.degree());
    for (std::size_t i = 0; i < message.size(); ++i) {
      const WideInteger four_w = wide::multiply_add(phase[i], 4, 0);
      message[i] = !wide::is_less(four_w, q) && wide::is_less(four_w, three_q) ? 1 : 0;
    }
    return message;
  }

 private:
  WidePoly multiply_add(const PreparedWidePoly& p, std::span<const std::int8_t> u,
                        std::span<const std::int32_t> e) const {
    WidePoly result;
    product_.multiply_add({&result, 1}, p, {&u, 1}, {&e, 1});
    return result;
  }

  const Job& job_;
  WideProduct product_;
  std::array<std::shared_ptr<const PreparedWidePoly>, 2> prepared_;
};

std::size_t equal_polys(const Ciphertext& a, const Ciphertext& b) {
  return std::size_t{a[0] == b[0]} + std::size_t{a[1] == b[1]};
}

void compare(Checks& checks, const Job& job, std::span<const Ciphertext> made) {
  const Software software(job);
  std::printf("products in software: %s\n", software.product().kernel_name().c_str());
  std::size_t as_here = 0, as_written = 0, decrypted = 0;
  for (std::size_t i = 0; i < made.size(); ++i) {
    as_here += equal_polys(made[i], software.encrypt(job.encryptions[i]));
    as_written += equal_polys(made[i], job.ciphertexts[i]);
    decrypted += software.decrypt(made[i]) == job.encryptions[i].message ? 1 : 0;
  }
  checks.say("card and this processor agree", as_here, 2 * made.size(), "polynomials");
  checks.say("card and fv::Encryptor agree", as_written, 2 * made.size(), "polynomials");
  checks.say("decrypted to what was encrypted", decrypted, made.size(), "messages");
}

/// Checks that the card does not encrypt with a key that it does not hold, and works afterwards.
void check_wrong_key(Checks& checks, const Job& job, BusDriver& driver) {
  std::vector<Encryption> one(1, job.encryptions[0]);
  ++one[0].key_name;
  std::size_t refused = 0;
  try {
    driver.encrypt(one);
  } catch (const CardError& error) {
    refused += error.fault() == CardFault::wrong_key ? 1 : 0;
  }
  one[0].key_name = job.key.name;
  const bool goes_on = equal_polys(driver.encrypt(one)[0], job.ciphertexts[0]) == 2;
  checks.say("wrong key refused, right one taken afterwards", refused + (goes_on ? 1 : 0), 2,
             "calls");
}

int run(const char* shared_path, const char* job_path) {
  const Job job = read_job(job_path);
  const SharedFile shared = SharedFile::open(shared_path);
  MailboxRegisters registers(shared.mailbox(), kPatience);
  BusDriver driver(registers, {shared.words(), 0}, CyclotomicPolynomial(job.index).degree(),
                   kPatience);
  driver.load_key(job.key);
  Checks checks;
  const std::span<const Encryption> all(job.encryptions);
  std::vector<Ciphertext> made;
  // One encryption alone, then four at once.
  for (std::size_t first = 0, count = 1; first < all.size(); first += count, count = 4) {
    count = std::min(count, all.size() - first);
    std::vector<Ciphertext> some = driver.encrypt(all.subspan(first, count));
    std::printf("%zu at once: %u cycles from start to idle\n", count, registers.run_cycles());
    std::ranges::move(some, std::back_inserter(made));
  }
  compare(checks, job, made);
  check_wrong_key(checks, job, driver);
  return checks.all_hold() ? 0 : 1;
}

}  // namespace
}  // namespace ringlet::hw::bus

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: hw_bus_host SHARED JOB\n");
    return 2;
  }
  try {
    return ringlet::hw::bus::run(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
