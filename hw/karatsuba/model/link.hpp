// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ringlet/base/error.hpp"

namespace ringlet::hw {

/// Clock of the accelerator: that of the PCI Express core on the paper's board (Migliore et al.
/// 2017, section 3.3.1).
inline constexpr double kClockHz = 250e6;
inline constexpr double kBytesPerMebibyte = 1048576.0;
/// Bytes of one burst of the stream, which is 128 bits wide.
inline constexpr std::uint64_t kBurstBytes = 16;

/// Time of `cycles` at `clock_hz`.
inline double microseconds_of_cycles(std::uint64_t cycles, double clock_hz = kClockHz) {
  return static_cast<double>(cycles) / clock_hz * 1e6;
}

/// The needs of a link between the host and the card for its transfers. Both directions are alike.
struct LinkModel {
  /// Payload per second while packets flow. The paper's board: 3000 alone on the bus, 2000 beside
  /// other components (section 3.3.6).
  double mebibytes_per_second = 3000;
  /// The time from the start of a transfer to its first byte.
  double latency_us = 0;
  /// Payload of a packet and the bytes around it; 0 and 0 if the bandwidth is that of the payload.
  std::uint64_t packet_payload_bytes = 0;
  std::uint64_t packet_overhead_bytes = 0;
  /// Whether both directions flow at once; otherwise they share the bandwidth.
  bool full_duplex = true;
};

/// @throws InvalidArgument unless the bandwidth is positive, the latency is not negative, both are
///         finite, and a link with overhead has packets of at least one byte.
inline void check(const LinkModel& link) {
  if (!(link.mebibytes_per_second > 0) || !std::isfinite(link.mebibytes_per_second) ||
      !(link.latency_us >= 0) || !std::isfinite(link.latency_us)) {
    throw_invalid_argument({"model of a link", "bandwidth or latency",
                            "a positive bandwidth and a latency from 0, both finite",
                            "give MiB per second and microseconds"});
  }
  if (link.packet_overhead_bytes > 0 && link.packet_payload_bytes == 0) {
    throw_invalid_argument({"model of a link", "packets of 0 bytes with overhead",
                            "a payload of at least 1 byte", "give the largest payload"});
  }
}

/// Bytes on the wire for one transfer of `bytes`.
inline std::uint64_t wire_bytes(const LinkModel& link, std::uint64_t bytes) {
  if (link.packet_payload_bytes == 0) return bytes;
  const std::uint64_t packets =
      bytes / link.packet_payload_bytes + (bytes % link.packet_payload_bytes != 0 ? 1 : 0);
  return bytes + packets * link.packet_overhead_bytes;
}

/// Time of one transfer of `bytes` in one direction; 0 for no bytes.
/// @throws InvalidArgument as check().
inline double transfer_microseconds(const LinkModel& link, std::uint64_t bytes) {
  check(link);
  if (bytes == 0) return 0;
  return link.latency_us + static_cast<double>(wire_bytes(link, bytes)) /
                               (link.mebibytes_per_second * kBytesPerMebibyte) * 1e6;
}

/// The data that a run of the card moves, and its computation.
struct CardRun {
  std::uint64_t input_bytes = 0;
  std::uint64_t output_bytes = 0;
  std::uint64_t cycles = 0;
  /// Whether the card computes while data flow, as a pipelined design does.
  bool overlapped = true;
};

/// Microseconds of a run and of its parts.
struct CardTime {
  double input_us = 0;
  double output_us = 0;
  double compute_us = 0;
  double total_us = 0;
};

/// The time of a run. If overlapped, the longest of computation and transfers decides; otherwise
/// they follow one another. Transfers run at once on a full-duplex link, else one after the other.
/// A run that does not overlap ends its input before its output begins.
/// @throws InvalidArgument as check(), and unless the clock is positive and finite.
inline CardTime run_time(const LinkModel& link, const CardRun& run, double clock_hz = kClockHz) {
  if (!(clock_hz > 0) || !std::isfinite(clock_hz)) {
    throw_invalid_argument({"time of a run", "the clock", "a positive number of cycles per second",
                            "give the clock in Hz"});
  }
  CardTime time;
  time.input_us = transfer_microseconds(link, run.input_bytes);
  time.output_us = transfer_microseconds(link, run.output_bytes);
  time.compute_us = microseconds_of_cycles(run.cycles, clock_hz);
  const double transfers =
      link.full_duplex ? std::max(time.input_us, time.output_us) : time.input_us + time.output_us;
  time.total_us = run.overlapped ? std::max(time.compute_us, transfers)
                                 : time.input_us + time.compute_us + time.output_us;
  return time;
}

}  // namespace ringlet::hw
