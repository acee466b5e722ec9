// SPDX-License-Identifier: Apache-2.0
#include "gpu/programs/roofs.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "gpu/programs/module_cache.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::gpu {
namespace {

// Constants of roofs.inc.
constexpr std::size_t kMostGroup = 256;
constexpr std::size_t kCopyPairs = 4;
constexpr std::size_t kPairBytes = 16;
constexpr std::size_t kPatternBytes = std::size_t{1} << 20;
constexpr std::uint64_t kNever = std::uint64_t{1} << 63U;

/// The start of the chains, and their constants less twice the number of the work-item.
constexpr std::uint64_t kStart = 0x9e3779b97f4a7c15U;
constexpr std::array<std::uint64_t, kMultiplyRoofCount> kConstants = {
    0x00000000c2b2ae3dU, 0xd1b54a32d192ed03U, 0xfffffffff1234567U};
constexpr std::array<const char*, kMultiplyRoofCount> kNames = {
    "roof_multiply_add", "roof_multiply_add_wide", "roof_multiply_high"};

constexpr std::size_t index_of(MultiplyRoof roof) { return static_cast<std::size_t>(roof); }

/// Returns the upper 64 bits of a * b, from four products of halves.
constexpr std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kLow = 0xffffffffU;
  const std::uint64_t low = (a & kLow) * (b & kLow);
  const std::uint64_t mixed = (a >> 32U) * (b & kLow) + (low >> 32U);
  const std::uint64_t other = (a & kLow) * (b >> 32U) + (mixed & kLow);
  return (a >> 32U) * (b >> 32U) + (mixed >> 32U) + (other >> 32U);
}

/// Computes one step of all chains, one chain after the other.
void step(MultiplyRoof roof, std::array<std::uint64_t, Roofs::kChains>& x, std::uint64_t c) {
  constexpr std::uint64_t kLow = 0xffffffffU;
  for (std::size_t k = 0; k < x.size(); ++k) {
    switch (roof) {
      case MultiplyRoof::multiply_add:
        x[k] = (x[k] * c + x[(k + 1) % x.size()]) & kLow;
        break;
      case MultiplyRoof::multiply_add_wide:
        x[k] = (x[k] & kLow) * (x[k] >> 32U) + x[(k + 1) % x.size()];
        break;
      case MultiplyRoof::multiply_high:
        x[k] = high_product(x[k], c);
        break;
    }
  }
}

/// Returns words that no compression of memory makes smaller.
std::vector<std::uint64_t> pattern(std::size_t words) {
  std::vector<std::uint64_t> values(words);
  std::uint64_t state = kStart;
  for (std::uint64_t& value : values) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = state ^ (state >> 29U);
  }
  return values;
}

}  // namespace

Program roofs_program() {
  return {.name = "roofs",
          .files = {"roofs.inc"},
          .definitions = {},
          .main_kernels = {"roof_copy", kNames[0], kNames[1], kNames[2]}};
}

std::vector<Program> roofs_programs() { return {roofs_program()}; }

Roofs::Roofs(std::shared_ptr<DriverDevice> device)
    : device_(std::move(device)), queue_(device_->make_queue(true)) {
  const Program program = roofs_program();
  module_ = build_module(*device_, program_text(program), program.definitions);
  copy_ = module_->kernel("roof_copy");
  group_size_ = std::min(kMostGroup, copy_->largest_group());
  for (std::size_t i = 0; i < multiply_.size(); ++i) {
    multiply_[i] = module_->kernel(kNames[i]);
    group_size_ = std::min(group_size_, multiply_[i]->largest_group());
  }
  group_size_ = std::bit_floor(group_size_);
}

double Roofs::seconds_of(const std::function<void()>& work) {
  const std::shared_ptr<Event> start = queue_->record();
  work();
  const std::shared_ptr<Event> end = queue_->record();
  queue_->flush();
  end->wait();
  return end->seconds_since(*start);
}

// The host uploads the first megabyte, and the device doubles it.
void Roofs::fill(const Buffer& buffer) {
  const std::size_t bytes = buffer.byte_count();
  std::size_t filled = std::min(bytes, kPatternBytes);
  const std::vector<std::uint64_t> words = pattern(filled / sizeof(std::uint64_t));
  queue_->upload(buffer, 0, std::as_bytes(std::span(words)));
  while (filled < bytes) {
    const std::size_t count = std::min(filled, bytes - filled);
    queue_->copy(buffer, filled, buffer, 0, count);
    filled += count;
  }
}

// It checks the beginning and the end, which is enough because the pattern repeats.
void Roofs::check_copy(const Buffer& copy) {
  const std::size_t bytes = copy.byte_count();
  const std::size_t count = std::min(bytes, kPatternBytes) / sizeof(std::uint64_t);
  const std::vector<std::uint64_t> words = pattern(count);
  std::vector<std::uint64_t> found(count);
  const std::size_t last = bytes / sizeof(std::uint64_t) - count;
  for (const std::size_t first : {std::size_t{0}, last}) {
    queue_->download(std::as_writable_bytes(std::span(found)), copy, first * sizeof(std::uint64_t));
    for (std::size_t i = 0; i < count; ++i) {
      if (found[i] == words[(first + i) % count]) continue;
      throw_runtime_error(
          {.offending = concat("word ", first + i, " of the copy on ", device_->properties().name),
           .limit = "the same words as the source",
           .remedy = "the device or its driver computes wrong results: do not use "
                     "its times"});
    }
  }
}

CopyTimes Roofs::copy(std::size_t bytes, std::size_t rounds, std::size_t launches) {
  const std::size_t group_bytes = group_size_ * kCopyPairs * kPairBytes;
  const std::size_t groups = std::max<std::size_t>(1, bytes / group_bytes);
  const std::shared_ptr<Buffer> source = device_->allocate(groups * group_bytes);
  const std::shared_ptr<Buffer> target = device_->allocate(groups * group_bytes);
  fill(*source);
  const std::array<Argument, 2> arguments{*target, *source};
  const auto run = [&] {
    for (std::size_t i = 0; i < launches; ++i) {
      queue_->launch(*copy_, {.groups = {groups, 1, 1}, .group_size = group_size_}, arguments);
    }
  };
  seconds_of(run);
  check_copy(*target);
  CopyTimes times{groups * group_bytes, {}};
  for (std::size_t round = 0; round < rounds; ++round) {
    times.seconds.push_back(seconds_of(run) / static_cast<double>(launches));
  }
  return times;
}

double Roofs::product_count(std::size_t groups, std::uint64_t rounds) const {
  return static_cast<double>(groups * group_size_ * kChains * kSteps) * static_cast<double>(rounds);
}

void Roofs::launch(MultiplyRoof roof, std::size_t groups, std::uint64_t rounds, std::uint64_t least,
                   const Buffer& result) {
  const std::array<Argument, 5> arguments{result, kStart, kConstants[index_of(roof)], rounds,
                                          least};
  queue_->launch(*multiply_[index_of(roof)], {.groups = {groups, 1, 1}, .group_size = group_size_},
                 arguments);
}

double Roofs::multiply_seconds(MultiplyRoof roof, std::size_t groups, std::uint64_t rounds) {
  const std::shared_ptr<Buffer> result =
      device_->allocate(groups * group_size_ * sizeof(std::uint64_t));
  return seconds_of([&] { launch(roof, groups, rounds, kNever, *result); });
}

std::vector<std::uint64_t> Roofs::multiply_ends(MultiplyRoof roof, std::size_t groups,
                                                std::uint64_t rounds) {
  std::vector<std::uint64_t> ends(groups * group_size_);
  const std::shared_ptr<Buffer> result = device_->allocate(ends.size() * sizeof(std::uint64_t));
  launch(roof, groups, rounds, 0, *result);
  queue_->download(std::as_writable_bytes(std::span(ends)), *result, 0);
  return ends;
}

std::vector<std::uint64_t> Roofs::expected_ends(MultiplyRoof roof, std::size_t groups,
                                                std::uint64_t rounds) const {
  std::vector<std::uint64_t> ends(groups * group_size_);
  for (std::size_t item = 0; item < ends.size(); ++item) {
    std::array<std::uint64_t, kChains> x{};
    for (std::size_t k = 0; k < kChains; ++k) x[k] = kStart + kChains * item + k;
    for (std::uint64_t i = 0; i < rounds * kSteps; ++i) {
      step(roof, x, kConstants[index_of(roof)] + 2 * item);
    }
    for (const std::uint64_t end : x) ends[item] ^= end;
    ends[item] >>= 1U;
  }
  return ends;
}

}  // namespace ringlet::gpu
