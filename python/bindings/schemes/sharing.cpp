// SPDX-License-Identifier: Apache-2.0
#include "bindings/schemes/sharing.hpp"

#include <cmath>

#include "bindings/circuits/circuits.hpp"
#include "bindings/core/arguments.hpp"
#include "bindings/core/bindings.hpp"
#include "bindings/schemes/values.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::python {
namespace {

/// A SharedResult and the workshop that decodes it.
struct BoundSharedResult {
  SharedWorkshop workshop;
  SharedResult value;
};

SharingPolicy make_policy(const Integer& decryptions, const Integer& security_bits,
                          const Integer& decryptions_before) {
  const char* operation = "SharingPolicy";
  const SharingPolicy policy{decryptions.word(operation, "decryptions"),
                             security_bits.number(operation, "security_bits"),
                             decryptions_before.word(operation, "decryptions_before")};
  // With any degree, this refuses numbers of the policy that are out of range now, not later.
  SharingDecryptor::flooding(policy, 2, 10);
  return policy;
}

constexpr const char* kDecrypt = "SharingDecryptor.decrypt";

// Only level and scale can show that an estimate is of another result.
void check_estimate(const ResultEstimate& estimate, const Ciphertext& encrypted) {
  const double scale = estimate.noise.scale();
  const std::size_t primes = estimate.noise.prime_count();
  const bool has_scale = std::abs(encrypted.scale() / scale - 1) < 0x1p-30;
  if (estimate.is_ckks && encrypted.coeff_modulus_size() == primes && has_scale) return;
  throw_invalid_argument(
      {kDecrypt,
       "a ciphertext of " + std::to_string(encrypted.coeff_modulus_size()) + " primes and scale " +
           scale_text(encrypted.scale()),
       std::to_string(primes) + " primes and scale " + scale_text(scale) + ", as estimated",
       "pass the estimate of the runner that made this result: runner.estimate[i]"});
}

BoundSharedResult decrypted(Sharing& sharing, const BoundCiphertext& encrypted,
                            const ResultEstimate* estimate, std::optional<double> noise_bits,
                            std::optional<double> magnitude) {
  if ((estimate != nullptr) == noise_bits.has_value()) {
    throw_invalid_argument({kDecrypt, estimate ? "estimate and noise_bits" : "no estimate",
                            "exactly one of estimate and noise_bits",
                            "pass estimate=runner.estimate[i]"});
  }
  const nb::gil_scoped_release unlocked;
  const BoundCiphertext own = encrypted.bind_to(sharing.workshop(), kDecrypt);
  const Ciphertext& value = own.value(kDecrypt);
  if (estimate == nullptr) {
    return {sharing.workshop(),
            sharing.decryptor().decrypt(value, *noise_bits, magnitude.value_or(1))};
  }
  check_estimate(*estimate, value);
  return {sharing.workshop(),
          sharing.decryptor().decrypt(value, estimate->noise_of_any.hidden_noise_bits(),
                                      magnitude.value_or(estimate->noise.magnitude()))};
}

std::string describe(const SharingPolicy& policy) {
  return "SharingPolicy(decryptions=" + std::to_string(policy.decryptions) +
         ", security_bits=" + std::to_string(policy.security_bits) +
         ", decryptions_before=" + std::to_string(policy.decryptions_before) + ")";
}

void bind_flooding(nb::module_& module) {
  nb::class_<FloodingNoiseSize>(module, "FloodingNoiseSize",
                                "Size of the noise that a SharingPolicy adds. It is public.")
      .def_ro("deviation_bits", &FloodingNoiseSize::deviation_bits,
              "log2 of the standard deviation of the noise of one coefficient.")
      .def_ro(
          "slot_bits", &FloodingNoiseSize::slot_bits,
          "log2 of a bound on the noise of a slot, times the scale. The bound holds for a whole\n"
          "result, except with probability 2^-40.")
      .def_ro("coefficient_bits", &FloodingNoiseSize::coefficient_bits,
              "log2 of a bound on the noise of a coefficient. The bound holds for a whole result,\n"
              "except with probability 2^-40.")
      .def("__repr__", [](const FloodingNoiseSize& size) {
        return "FloodingNoiseSize(deviation_bits=" + bits_text(size.deviation_bits) +
               ", slot_bits=" + bits_text(size.slot_bits) +
               ", coefficient_bits=" + bits_text(size.coefficient_bits) + ")";
      });
}

void bind_policy(nb::module_& module) {
  using P = const SharingPolicy&;
  nb::class_<SharingPolicy>(
      module, "SharingPolicy",
      "Declares how many CKKS results of one key are shown to others, and how safely.\n"
      "\n"
      "- decryptions: number of results of this key that are ever shared, by all objects\n"
      "  and processes together, in [1, 2^32].\n"
      "- security_bits: statistical security in bits, in [20, 80].\n"
      "- decryptions_before: number of those results that another process has already\n"
      "  shared.\n"
      "\n"
      "Raises InvalidArgument for numbers out of range. A policy can be pickled.")
      .def(
          "__init__",
          [](SharingPolicy* self, const Integer& decryptions, const Integer& security_bits,
             const Integer& decryptions_before) {
            new (self) SharingPolicy(make_policy(decryptions, security_bits, decryptions_before));
          },
          "decryptions"_a, nb::kw_only(), "security_bits"_a = 64, "decryptions_before"_a = 0)
      .def_ro("decryptions", &SharingPolicy::decryptions, "Number of results that are ever shared.")
      .def_ro("security_bits", &SharingPolicy::security_bits, "Statistical security in bits.")
      .def_ro("decryptions_before", &SharingPolicy::decryptions_before,
              "Number of results that were shared before.")
      .def(
          "flooding",
          [](P policy, const Integer& degree, double noise_bits) {
            return SharingDecryptor::flooding(
                policy, degree.word("SharingPolicy.flooding", "degree"), noise_bits);
          },
          "degree"_a, "noise_bits"_a,
          "Returns the size of the noise that is added to a result.\n"
          "\n"
          "- degree: N of the ring.\n"
          "- noise_bits: the noise of results is at most 2^noise_bits.")
      .def("__getstate__",
           [](P policy) {
             return std::tuple(policy.decryptions, policy.security_bits, policy.decryptions_before);
           })
      .def("__setstate__",
           [](SharingPolicy& self, const std::tuple<Integer, Integer, Integer>& state) {
             const auto& [decryptions, security_bits, decryptions_before] = state;
             new (&self) SharingPolicy(make_policy(decryptions, security_bits, decryptions_before));
           })
      .def("__repr__", [](P policy) { return describe(policy); });
}

void bind_result(nb::module_& module) {
  using R = const BoundSharedResult&;
  nb::class_<BoundSharedResult>(module, "SharedResult",
                                "A decrypted result that may be shown to others.")
      .def_prop_ro(
          "values", [](R r) { return decode_numbers(*r.workshop, r.value.plaintext, false); },
          nb::sig("def values(self) -> numpy.typing.NDArray[numpy.float64]"),
          "Real parts of all slots.")
      .def_prop_ro(
          "complex_values",
          [](R r) { return decode_numbers(*r.workshop, r.value.plaintext, true); },
          nb::sig("def complex_values(self) -> numpy.typing.NDArray[numpy.complex128]"),
          "All slots as complex numbers.")
      .def_prop_ro(
          "error_bits", [](R r) { return r.value.error_bits; },
          "log2 of a bound on the error of any slot. The error includes the added noise and the\n"
          "noise of the ciphertext.")
      .def_prop_ro(
          "precision_bits", [](R r) { return r.value.precision_bits(); },
          "Precision of the slots in bits: -error_bits.")
      .def_prop_ro(
          "flooding", [](R r) { return r.value.flooding; }, "Size of the noise that was added.")
      .def("__repr__", [](R r) {
        return std::string("<ringlet.SharedResult ") +
               "precision_bits=" + bits_text(r.value.precision_bits()) + ">";
      });
}

void bind_decryptor(nb::module_& module) {
  nb::class_<Sharing>(
      module, "SharingDecryptor",
      "Decrypts CKKS ciphertexts into results that may be shown to others.\n"
      "\n"
      "The others have the ciphertexts and must not learn the key. Gaussian noise therefore\n"
      "hides the noise of the ciphertext (Li, Micciancio, Schultz and Sorrell, IACR ePrint\n"
      "2022/816; docs/notes/noise_flooding.md).\n"
      "`secret.sharing_decryptor(policy)` makes the object. All sharing decryptors of one\n"
      "SecretContext share one count, and refuse results beyond the declared number. A\n"
      "SecretContext that was loaded from a file starts its own count. Several threads may\n"
      "use the object. Its time does not depend on key, message or noise.")
      .def("decrypt", &decrypted, "ciphertext"_a, nb::kw_only(), "estimate"_a = nb::none(),
           "noise_bits"_a = nb::none(), "magnitude"_a = nb::none(),
           nb::sig("def decrypt(self, ciphertext: CkksCiphertext, *, "
                   "estimate: ResultEstimate | None = None, noise_bits: float | None = None, "
                   "magnitude: float | None = None) -> SharedResult"),
           "Decrypts a ciphertext, adds noise that hides the key, and returns the SharedResult.\n"
           "\n"
           "- estimate: estimate of this result, `runner.estimate[i]`. Pass either this or\n"
           "  noise_bits.\n"
           "- noise_bits: log2 of a bound on the scale times the error of any slot, for all\n"
           "  inputs that others may choose. `noise_bits` of a ParameterSuggestion is such a\n"
           "  bound. The range is from log2(10.5*N*ln(N))/2, which fresh errors exceed in one\n"
           "  case of two, to 180.\n"
           "- magnitude: bound on the absolute value of a slot; by default that of the estimate,\n"
           "  or 1.\n"
           "\n"
           "Raises LogicError if all declared results were shared. Raises InvalidArgument if no\n"
           "bit of the message would be left, if the ciphertext has another level or scale than\n"
           "the estimate, or if message and noise do not fit the modulus; the last error names a\n"
           "scale or modulus that suffices. A refused call does not count.")
      .def_prop_ro(
          "policy", [](const Sharing& self) { return self.decryptor().policy(); },
          "The declared policy; its decryptions_before includes the results that were shared up\n"
          "to now.\n"
          "\n"
          "Save the policy before you show a result, and declare it again after a restart.")
      .def_prop_ro(
          "decryptions_left",
          [](const Sharing& self) { return self.decryptor().decryptions_left(); },
          "Number of results that may still be shared.")
      .def("__repr__", [](const Sharing& self) {
        return std::string("<ringlet.SharingDecryptor ") +
               "decryptions_left=" + std::to_string(self.decryptor().decryptions_left()) + " of " +
               std::to_string(self.decryptor().policy().decryptions) +
               " security_bits=" + std::to_string(self.decryptor().policy().security_bits) + ">";
      });
}

}  // namespace

const SharingPolicy& policy_of(nb::handle object, const char* operation) {
  if (nb::isinstance<SharingPolicy>(object)) return nb::cast<const SharingPolicy&>(object);
  throw_invalid_argument({operation, "sharing policy = " + shown(object), "a ringlet.SharingPolicy",
                          "declare it: ringlet.SharingPolicy(decryptions=1)"});
}

std::unique_ptr<Sharing> make_sharing(const SecretContext& secret, nb::handle policy) {
  const SharingPolicy declared = policy_of(policy, "SecretContext.sharing_decryptor");
  const nb::gil_scoped_release unlocked;
  return std::make_unique<Sharing>(secret, declared);
}

void bind_sharing(nb::module_& module) {
  bind_flooding(module);
  bind_policy(module);
  bind_result(module);
  bind_decryptor(module);
}

}  // namespace ringlet::python
