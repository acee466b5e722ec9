// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/line.hpp"
#include "gpu/options.hpp"
#include "gpu/reporter.hpp"

// The parts of `ringlet bench gpu`. Each opens the device that the option "device" names, compares
// the results that it times with the processor's word by word, and prints its findings line by
// line. Times are the device's own (Device::time) unless stated otherwise.

namespace ringlet::bench {

/// Measures one part: "list", "roofs", "ntt", "routines", "keyswitch", "products", "server",
/// "compile" or "cubins".
/// @throws InvalidArgument for parts, options and sizes that do not exist; RuntimeError, at the
///         end of all measurements, if a result was wrong; as Device::parse; what `sink` throws.
void measure(std::string_view part, const Options& options, const Sink& sink);

/// Lists devices, and libraries that bring none with the reason.
void list_devices(const Options& options, Reporter& reporter);
/// Measures the bounds of all kernels: copies of memory and chains of products.
void measure_roofs(const Options& options, Reporter& reporter);
/// Measures every row of ntt_rows() at every degree and number of limbs.
void measure_transforms(const Options& options, Reporter& reporter);
/// Measures the five routines of CKKS with the options of every bar, one ciphertext a call or many.
void measure_routines(const Options& options, Reporter& reporter);
/// Measures key switching alone, with digits of one or more primes.
void measure_key_switching(const Options& options, Reporter& reporter);
/// Measures C += A * B of ciphertexts.
void measure_products(const Options& options, Reporter& reporter);
/// Measures a server of logistic regression on the device and on the processor, in turn.
void measure_server(const Options& options, Reporter& reporter);
/// Measures all programs of the catalogue: compiled, then found on disk.
void measure_compiler(const Options& options, Reporter& reporter);
/// Writes machine code of the transforms to the option "folder".
void write_machine_code(const Options& options, Reporter& reporter);

/// Opens the device that the options name, with timing.
Device open_device(const Options& options, DeviceOptions device_options = {});
/// The share of a device's memory that all rows together may take.
inline constexpr double kMemoryShare = 0.6;

}  // namespace ringlet::bench
