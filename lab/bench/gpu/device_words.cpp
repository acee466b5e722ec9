// SPDX-License-Identifier: Apache-2.0
#include "gpu/device_words.hpp"

#include "base/text.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::bench {
namespace {

constexpr std::uint64_t kMostDegree = 131072;

}  // namespace

void check_range(const char* operation, const char* name, std::uint64_t value, std::uint64_t least,
                 std::uint64_t most) {
  if (value >= least && value <= most) return;
  throw_invalid_argument({operation, concat(name, " = ", value),
                          concat("from ", least, " to ", most), "ask for a number in this range"});
}

void check_degree(const char* operation, std::uint64_t degree) {
  check_range(operation, "degree", degree, 16, kMostDegree);
  if (std::has_single_bit(degree)) return;
  throw_invalid_argument(
      {operation, concat("degree = ", degree), "powers of two", "ask for a power of two"});
}

void check_is_device(const char* operation, const Device& device) {
  if (!device.is_cpu()) return;
  throw_invalid_argument({operation, "the processor", "devices of OpenCL or CUDA",
                          "name a device that `ringlet info` shows, such as gpu:0"});
}

std::vector<std::uint64_t> scattered_words(std::size_t count, std::uint64_t q, std::uint64_t seed) {
  std::vector<std::uint64_t> words(count);
  std::uint64_t state = seed;
  for (std::uint64_t& word : words) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    word = (state ^ (state >> 29U)) % q;
  }
  return words;
}

DeviceWords::DeviceWords(std::shared_ptr<Memory> memory, std::size_t words)
    : memory_(std::move(memory)), words_(memory_->allocate(words, Secrecy::open)) {}

DeviceWords::~DeviceWords() { memory_->release(words_); }

void DeviceWords::fill(std::span<const std::uint64_t> pattern, std::size_t words) {
  std::size_t filled = std::min(pattern.size(), words);
  memory_->upload(words_, pattern.data(), filled);
  while (filled < words) {
    const std::size_t count = std::min(filled, words - filled);
    memory_->copy(words_ + filled, words_, count);
    filled += count;
  }
}

}  // namespace ringlet::bench
