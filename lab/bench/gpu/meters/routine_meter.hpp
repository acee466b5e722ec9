// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/device_words.hpp"
#include "gpu/host.hpp"
#include "gpu/meters/transform_log.hpp"

namespace ringlet::bench {

/// Keys and ciphertexts of the routines.
struct RoutineHost : Host {
  /// @throws InvalidArgument for sizes out of range.
  RoutineHost(const SchemeShape& shape, std::size_t count);

  RelinKeys relin;
  GaloisKeys galois;
  std::vector<Ciphertext> a, b, addends;
};

/// The operands of all routines in one place.
struct Operands {
  explicit Operands(const RoutineHost& host)
      : a(host.a), b(host.b), addends(host.addends), results(host.a.size()) {}
  std::vector<Ciphertext> a, b, addends, results;
  std::vector<Ciphertext> products;  ///< a * b, made when Relinearize needs them.
};

/// Runs a routine for `count` ciphertexts from the first-th on.
using RunRoutine = void (*)(const Evaluator&, const RoutineHost&, Operands&, std::size_t first,
                            std::size_t count);
/// Finds a routine by its name; RoutineMeter states the meaning of `one_division`.
/// @throws InvalidArgument if there is no such routine.
RunRoutine find_routine(const std::string& name, bool one_division);

/// The routines of Zhai et al. on one device, with operands that stay there: MulLin, MulLinRS,
/// SqrLinRS, MulLinRSModSwAdd and Rotate; and Relinearize, key switching alone.
class RoutineMeter {
 public:
  /// Products that are also rescaled are divided once if `one_division`. Otherwise they are
  /// relinearized first, as in the paper.
  RoutineMeter(std::shared_ptr<const RoutineHost> host, const Device& device, bool one_division);

  /// Compares the first ciphertext's result with the processor's.
  /// @throws RuntimeError if a word differs; InvalidArgument if there is no such routine.
  void check(const std::string& name);
  /// Returns the seconds of one routine: of calls for one ciphertext each, or of one call for all.
  double seconds(const std::string& name, bool batched, std::size_t calls);
  /// Returns the numbers of transforms of single limbs, forward and inverse, of one routine.
  std::pair<std::size_t, std::size_t> transform_counts(const std::string& name);
  /// Returns the seconds of the transforms of one routine alone: the same numbers of limbs modulo
  /// the same primes in as many launches.
  double transform_seconds(const std::string& name, std::size_t calls);

 private:
  std::size_t degree() const { return context_.backend().basis().degree(); }
  std::size_t replay_limbs() const;
  const std::vector<LoggedTransform>& log_of(const std::string& name);
  void replay(const std::vector<LoggedTransform>& log) const;

  Device device_;
  std::shared_ptr<const RoutineHost> host_;
  bool one_division_;
  Context context_;
  Evaluator evaluator_;
  Operands operands_;
  DeviceWords replay_words_;
  std::map<std::string, std::vector<LoggedTransform>> logs_;
};

}  // namespace ringlet::bench
