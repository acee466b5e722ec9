// SPDX-License-Identifier: Apache-2.0
#include "bench_schemes.hpp"

#include <nanobind/stl/shared_ptr.h>

#include "bindings/core/arguments.hpp"
#include "lab_bindings.hpp"
#include "ringlet/base/parallel.hpp"
#include "stopwatch.hpp"

// The jobs of `ringlet bench schemes`: operations of CKKS, BFV and BGV.

namespace ringlet::python {
namespace {

constexpr const char* kOperation = "SchemeMeter";

SchemeType parse_scheme(const std::string& name) {
  for (const SchemeType scheme : {SchemeType::ckks, SchemeType::bfv, SchemeType::bgv}) {
    if (name == to_string(scheme)) return scheme;
  }
  throw_invalid_argument(
      {kOperation, "scheme '" + name + "'", "ckks, bfv or bgv", "use one of these names"});
}

std::shared_ptr<SchemeMeter> make_meter(const std::string& scheme, const Integer& degree,
                                        const std::vector<int>& data_bits,
                                        const std::vector<int>& special_bits,
                                        const std::string& kernels, bool profile) {
  MeterParameters parameters;
  parameters.scheme = parse_scheme(scheme);
  parameters.degree = static_cast<std::size_t>(degree.word(kOperation, "degree"));
  parameters.data_bits = data_bits;
  parameters.special_bits = special_bits;
  parameters.kernels =
      kernels.empty() ? KernelSelection::from_environment() : KernelSelection(kernels);
  parameters.has_profile = profile;
  const nb::gil_scoped_release unlocked;
  return std::make_shared<SchemeMeter>(parameters);
}

std::vector<std::uint64_t> primes_of(const SchemeMeter& meter, bool is_special) {
  const EncryptionParameters& parms = meter.context().parms();
  std::vector<std::uint64_t> values;
  for (const Modulus& prime : is_special ? parms.special_primes() : parms.data_primes()) {
    values.push_back(prime.value());
  }
  return values;
}

/// Adds an operation on `threads` threads. The number stays set after the job, for the next one.
std::size_t add_operation(const std::shared_ptr<SchemeMeter>& meter, Stopwatch& stopwatch,
                          const std::string& name, const Integer& threads) {
  const auto count = static_cast<std::size_t>(threads.word(kOperation, "threads"));
  if (count < 1 || count > kMaxThreadCount) {
    throw_invalid_argument({"SchemeMeter.add_to", "threads = " + std::to_string(count),
                            "1 to " + std::to_string(kMaxThreadCount),
                            "pass a number in this range"});
  }
  return stopwatch.add([meter, count, run = meter->runner(name)](std::uint64_t repetitions) {
    if (thread_count() != count) set_thread_count(count);
    for (std::uint64_t i = 0; i < repetitions; ++i) run();
  });
}

OperationProfile profile_of(SchemeMeter& meter, const std::string& name, const Integer& runs) {
  const int count = runs.number(kOperation, "runs");
  if (count < 1) {
    throw_invalid_argument({"SchemeMeter.profile", "runs = " + std::to_string(count), "1 or more",
                            "ask for 1 or more"});
  }
  const nb::gil_scoped_release unlocked;
  return meter.profile(name, count);
}

}  // namespace

void bind_bench_schemes(nb::module_& module) {
  nb::class_<OperationProfile>(module, "OperationProfile", "Where the time of an operation goes.")
      .def_ro("total_ns", &OperationProfile::total_ns, "Nanoseconds of the call.")
      .def_ro("primitives_ns", &OperationProfile::primitives_ns,
              "Of these, in each kind of primitive of the backend.")
      .def_ro("forward_transforms", &OperationProfile::forward_transforms,
              "Forward transforms of one limb that the primitives stand for.")
      .def_ro("inverse_transforms", &OperationProfile::inverse_transforms,
              "Inverse transforms of one limb.");
  nb::class_<SchemeMeter>(module, "SchemeMeter",
                          "A context with keys and operands, for `ringlet bench schemes`.")
      .def_static("make", &make_meter, "scheme"_a, "degree"_a, "data_bits"_a, "special_bits"_a,
                  "kernels"_a = "", "profile"_a = false,
                  "Primes of these bits; SEAL's default ones if there are none. Kernels of the "
                  "environment\nif none are named. 128-bit security by the standard of 2018.")
      .def("operations", &SchemeMeter::operations, "Names that the scheme and the primes have.")
      .def("check", &SchemeMeter::check, "operation"_a, nb::call_guard<nb::gil_scoped_release>(),
           "Runs an operation, and compares the slots with what they must be.")
      .def("add_to", &add_operation, "stopwatch"_a, "operation"_a, "threads"_a = 1,
           "Adds an operation to a stopwatch, which sets the number of threads; returns its index.")
      .def("profile", &profile_of, "operation"_a, "runs"_a = 5,
           "The fastest of so many runs, of a meter that was made with profile=True.")
      .def_prop_ro(
          "kernel_names",
          [](const SchemeMeter& meter) { return meter.context().backend().kernel_names(); },
          "What transforms run on, one per prime.")
      .def_prop_ro(
          "data_primes", [](const SchemeMeter& meter) { return primes_of(meter, false); },
          "The primes of ciphertexts.")
      .def_prop_ro(
          "special_primes", [](const SchemeMeter& meter) { return primes_of(meter, true); },
          "The primes of keys alone.")
      .def_prop_ro(
          "data_bits",
          [](const SchemeMeter& meter) {
            return meter.context().first_context_data()->total_coeff_modulus_bit_count();
          },
          "Bits of the modulus of ciphertexts.")
      .def_prop_ro(
          "total_bits",
          [](const SchemeMeter& meter) {
            return meter.context().key_context_data()->total_coeff_modulus_bit_count();
          },
          "Bits of the modulus of keys.")
      .def_prop_ro(
          "digit_count",
          [](const SchemeMeter& meter) { return meter.context().parms().digit_count(); },
          "Digits of key switching.")
      .def_prop_ro("key_bytes", &SchemeMeter::key_bytes, "Bytes of the relinearization key.");
}

}  // namespace ringlet::python
