// SPDX-License-Identifier: Apache-2.0
// A chip: the card on the bus of its memory, simulated, and a program on its processor, which runs
// as a process of its own. Both share FILE.
//   hw_bus_machine_<m> FILE WORDS CYCLES RATE SEED -- PROGRAM [ARGUMENTS]
// The memory has WORDS words of 16 bytes and answers with probability RATE / 256 in each cycle. The
// card's clock stops while it is idle. The status is the program's. It is 3, and the program is
// stopped, if the card did not end within CYCLES cycles in all or broke a rule of the bus.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <signal.h>
#include <spawn.h>
#include <string>
#include <thread>

#include <sys/wait.h>

#include "hw/karatsuba/bus/shared_file.hpp"
#include "hw/karatsuba/tb/bus_memory.hpp"
#include "ringlet/base/error.hpp"
#include RINGLET_BUS_HEADER

extern char** environ;

namespace ringlet::hw::bus {
namespace {

constexpr int kBroken = 3;
constexpr std::uint64_t kCyclesBetweenLooks = 4096;

/// A child process, which ends with this object.
class Program {
 public:
  explicit Program(char** command) {
    if (::posix_spawnp(&id_, command[0], nullptr, nullptr, command, environ) != 0) {
      throw_runtime_error({"chip", command[0], "a program that can be started", "build it"});
    }
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (is_running_) ::kill(id_, SIGKILL);
    if (is_running_) ::waitpid(id_, nullptr, 0);
  }

  bool has_ended() {
    int result = 0;
    if (is_running_ && ::waitpid(id_, &result, WNOHANG) == id_) {
      is_running_ = false;
      status_ = WIFEXITED(result) ? WEXITSTATUS(result) : kBroken;
    }
    return !is_running_;
  }
  int status() const { return status_; }

 private:
  pid_t id_ = 0;
  bool is_running_ = true;
  int status_ = kBroken;
};

void answer(Mailbox& mailbox, BusMemory<RINGLET_BUS_TOP>& card) {
  if (mailbox.kind == Mailbox::Kind::write) {
    card.set(static_cast<std::uint8_t>(mailbox.address & 7), mailbox.value);
  } else {
    card.cycle();
    mailbox.value = card.status();
  }
  mailbox.run_cycles = static_cast<std::uint32_t>(card.run_cycles());
  mailbox.answer.store(mailbox.request.load(std::memory_order_relaxed), std::memory_order_release);
}

int run(char** arguments, char** command) {
  const auto number = [&](int i) { return std::strtoull(arguments[i], nullptr, 10); };
  const SharedFile file = SharedFile::create(arguments[0], number(1));
  Mailbox& mailbox = file.mailbox();
  BusMemory<RINGLET_BUS_TOP> card(file.words(), number(4), static_cast<unsigned>(number(3)));
  const std::uint64_t most = number(2);
  const auto begin = std::chrono::steady_clock::now();
  Program program(command);
  while (card.cycles() < most) {
    const bool asked = mailbox.request.load(std::memory_order_acquire) !=
                       mailbox.answer.load(std::memory_order_relaxed);
    if (asked) {
      answer(mailbox, card);
    } else if (!card.is_idle()) {
      card.cycle();
      if (card.cycles() % kCyclesBetweenLooks == 0 && program.has_ended()) break;
    } else {
      if (program.has_ended()) break;
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }
  if (!program.has_ended()) {
    std::fprintf(stderr, "the card did not end within %llu cycles\n",
                 static_cast<unsigned long long>(most));
    return kBroken;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf("%llu cycles in %.1f s\n", static_cast<unsigned long long>(card.cycles()),
              seconds.count());
  return program.status();
}

}  // namespace
}  // namespace ringlet::hw::bus

int main(int argc, char** argv) {
  constexpr int kCommand = 7;
  if (argc <= kCommand || std::string(argv[kCommand - 1]) != "--") {
    std::fprintf(stderr, "usage: %s FILE WORDS CYCLES RATE SEED -- PROGRAM [ARGUMENTS]\n", argv[0]);
    return 2;
  }
  try {
    return ringlet::hw::bus::run(argv + 1, argv + kCommand);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return ringlet::hw::bus::kBroken;
  }
}
