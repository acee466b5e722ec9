// SPDX-License-Identifier: Apache-2.0
#include <list>

#include "bindings/circuits/circuits.hpp"
#include "bindings/core/bindings.hpp"
#include "bindings/core/interrupts.hpp"
#include "bindings/schemes/levels.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/circuits/circuit_noise.hpp"
#include "ringlet/circuits/circuit_runner.hpp"

namespace ringlet::python {
namespace {

// Returns the scale of the level by the rule of schemes/levels.hpp; 1 for BFV and BGV.
double input_scale(const Workshop& workshop, std::size_t primes) {
  if (workshop.scheme() != SchemeType::ckks) return 1;
  const double scale = workshop.level_scale(primes);
  if (scale > 0) return scale;
  throw_invalid_argument(
      {"PublicContext.runner", "a level whose scale is far from that of the parameters",
       "scales within a factor of two of " + scale_text(workshop.parameters().scale),
       "use data primes close to the scale, such as those of suggest_parameters"});
}

// Returns the parameters of a plan that starts at a level of so many data primes.
EncryptionParameters parms_with(EncryptionParameters parms, std::size_t primes) {
  const std::vector<Modulus> data(parms.data_primes().begin(), parms.data_primes().end());
  const std::vector<Modulus> special(parms.special_primes().begin(), parms.special_primes().end());
  parms.set_coeff_modulus({data.begin(), data.begin() + static_cast<std::ptrdiff_t>(primes)},
                          special);
  return parms;
}

// All contexts of the same parameters share one estimator, as estimates of different estimators do
// not combine. It lives as long as a runner or a result that holds it.
std::shared_ptr<const NoiseEstimator> shared_estimator(const Workshop& workshop) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<const NoiseEstimator>> estimators;
  const std::lock_guard locked(mutex);
  std::weak_ptr<const NoiseEstimator>& entry = estimators[workshop.fingerprint()];
  std::shared_ptr<const NoiseEstimator> estimator = entry.lock();
  if (estimator != nullptr) return estimator;
  estimator = std::make_shared<const NoiseEstimator>(workshop.context().parms(), kExactFailureBits);
  entry = estimator;
  std::erase_if(estimators, [](const auto& known) { return known.second.expired(); });
  return estimator;
}

/// Runs a circuit with the keys of a PublicContext. Safe for threads.
class Runner {
 public:
  /// Needs no interpreter.
  Runner(SharedWorkshop workshop, const Circuit& circuit, std::size_t primes, CircuitInputs kind,
         Interrupts& interrupts)
      : workshop_(std::move(workshop)),
        circuit_(circuit),
        runner_(planned(primes, interrupts)),
        primes_(primes),
        keys_{workshop_->shared_keys()->relinearization, workshop_->shared_keys()->galois} {
    const bool is_ckks = workshop_->scheme() == SchemeType::ckks;
    if (!is_ckks) estimator_ = shared_estimator(*workshop_);
    const auto estimated = [&](CircuitInputs inputs) {
      return estimate_results(circuit, runner_.plan(),
                              parms_with(workshop_->context().parms(), primes),
                              is_ckks ? kApproximateFailureBits : kExactFailureBits, inputs);
    };
    const std::vector<NoiseEstimate> noise = estimated(kind);
    const std::vector<NoiseEstimate> noise_of_any = estimated(CircuitInputs::any);
    for (std::size_t i = 0; i < noise.size(); ++i) {
      estimates_.push_back({noise[i], noise_of_any[i], is_ckks});
    }
  }

  const SharedWorkshop& workshop() const { return workshop_; }
  const Circuit& circuit() const { return circuit_; }
  const CircuitRunner& runner() const { return runner_; }
  std::size_t primes() const { return primes_; }
  /// Returns the circuit from a level of fewer data primes, planned when it is first asked for.
  const CircuitRunner& runner_from(std::size_t primes) const {
    if (primes == primes_) return runner_;
    const std::lock_guard locked(lower_->mutex);
    const auto known = lower_->runners.find(primes);
    if (known != lower_->runners.end()) return known->second;
    Interrupts interrupts;
    return lower_->runners.emplace(primes, planned(primes, interrupts)).first->second;
  }
  const CircuitKeys& keys() const { return keys_; }
  const std::vector<ResultEstimate>& estimates() const { return estimates_; }
  /// The estimator of BFV and BGV; null for CKKS.
  const std::shared_ptr<const NoiseEstimator>& estimator() const { return estimator_; }

 private:
  struct Lower {
    std::mutex mutex;
    std::map<std::size_t, CircuitRunner> runners;
  };

  CircuitRunner planned(std::size_t primes, Interrupts& interrupts) const {
    return CircuitRunner(
        circuit_, workshop_->context(), input_scale(*workshop_, primes), primes,
        [&](std::size_t, std::size_t) { interrupts.check(); },
        has_galois_key(*workshop_->shared_keys()));
  }

  SharedWorkshop workshop_;
  Circuit circuit_;
  CircuitRunner runner_;
  std::size_t primes_;
  std::unique_ptr<Lower> lower_ = std::make_unique<Lower>();
  CircuitKeys keys_;
  std::vector<ResultEstimate> estimates_;
  std::shared_ptr<const NoiseEstimator> estimator_;
};

// Reports progress to a bar, which is always closed at the end, or to a function of the caller.
class Progress {
 public:
  explicit Progress(nb::handle wanted) {
    if (wanted.is_none() || wanted.is(Py_False)) return;
    if (wanted.is(Py_True)) {
      bar_ = nb::module_::import_("ringlet.progress").attr("Bar")();
      tell_ = bar_;
    } else if (PyCallable_Check(wanted.ptr()) != 0) {
      tell_ = nb::borrow(wanted);
    } else {
      throw_invalid_argument({"CircuitRunner", "progress = " + shown(wanted),
                              "True, or a function of done and total",
                              "pass True for a bar on the terminal"});
    }
  }
  ~Progress() {
    if (!bar_) return;
    try {
      bar_.attr("close")();
    } catch (nb::python_error& error) {
      error.discard_as_unraisable("closing a progress bar");
    }
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Call it without the interpreter's lock.
  void operator()(std::size_t done, std::size_t total) {
    if (!interrupts_.check() && done != total) return;
    const nb::gil_scoped_acquire locked;
    if (tell_) tell_(done, total);
  }

 private:
  nb::object bar_;
  nb::object tell_;
  Interrupts interrupts_;
};

std::vector<BoundCiphertext> operands(const nb::args& ciphertexts) {
  std::vector<BoundCiphertext> result;
  for (const nb::handle item : ciphertexts) {
    if (!nb::isinstance<BoundCiphertext>(item)) {
      throw_invalid_argument({"CircuitRunner",
                              "an input of type " + std::string(nb::str(item.type()).c_str()),
                              "ciphertexts", "encrypt the inputs"});
    }
    result.push_back(nb::cast<const BoundCiphertext&>(item));
  }
  return result;
}

// BFV and BGV: returns the noise of the results. An input may be a result itself; an input of
// unknown noise counts as fresh.
std::vector<NoiseEstimate> noise_of_results(const Runner& self, const CircuitRunner& runner,
                                            const std::vector<BoundCiphertext>& given) {
  const Workshop& workshop = *self.workshop();
  const std::size_t primes = runner.plan().input_prime_count();
  const NoiseEstimator& estimator = *self.estimator();
  std::vector<NoiseEstimate> inputs;
  for (const BoundCiphertext& input : given) {
    const NoiseEstimate noise =
        input.noise() ? input.noise()->estimate : estimator.encrypt(estimator.uniform_plain());
    inputs.push_back(noise.prime_count() > primes ? estimator.mod_switch_to(noise, primes) : noise);
  }
  const bool are_fresh = std::ranges::none_of(
      given, [](const BoundCiphertext& input) { return input.noise().has_value(); });
  std::vector<NoiseEstimate> results = estimate_results(
      self.circuit(), runner.plan(), parms_with(workshop.context().parms(), primes), estimator,
      inputs, are_fresh ? CircuitInputs::independent : CircuitInputs::any);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].fits()) continue;
    throw_invalid_argument(
        {"CircuitRunner",
         "result " + std::to_string(i) + ": noise " + bits_text(-results[i].budget_bits()) +
             " bits too large to decrypt, because the inputs are results of circuits",
         "noise small enough to decrypt",
         "run fewer circuits in sequence, or use more data primes"});
  }
  return results;
}

// Whether operations of the circuit bring in slots from outside of the row, unless rows repeat.
bool needs_rows(const Runner& self) {
  const Circuit& circuit = self.circuit();
  const bool has_slots =
      self.workshop()->context().using_batching() || self.workshop()->scheme() == SchemeType::ckks;
  return has_slots ? !circuit.rotations().empty() : circuit.row_length() == 1;
}

// Checks the known facts of the inputs. Returns those of the results if all inputs have facts.
std::optional<InputFacts> check_facts(const Runner& self,
                                      const std::vector<BoundCiphertext>& given) {
  const Circuit& circuit = self.circuit();
  std::optional<InputFacts> facts = InputFacts{circuit.row_length()};
  for (std::size_t i = 0; i < std::min(given.size(), circuit.inputs().size()); ++i) {
    if (!given[i].facts()) {
      facts.reset();
      continue;
    }
    const InputFacts& input = *given[i].facts();
    if (facts) facts->period = std::max(facts->period, input.period);
    const double magnitude = circuit.nodes()[circuit.inputs()[i]].magnitude;
    const bool repeats = input.period <= circuit.row_length() || !needs_rows(self);
    if (repeats && fits_magnitude(input, magnitude)) continue;
    throw_invalid_argument(
        {"CircuitRunner",
         "input " + std::to_string(i) +
             (repeats ? " has a slot above its declared magnitude"
                      : " does not repeat its row over all slots of the ciphertext"),
         repeats ? "absolute values up to magnitude = " + std::to_string(magnitude)
                 : "rows of row_length = " + std::to_string(circuit.row_length()),
         repeats ? "declare circuit.input(magnitude=...), or scale the numbers"
                 : "encrypt the input with secret.encrypt(values, circuit=circuit)"});
  }
  return facts;
}

// Returns the level of the lowest input, to which the rule brings the others. If an input has
// another scale, returns the level of the runner, which refuses that input.
std::size_t common_primes(const Runner& self, std::span<const Ciphertext* const> inputs) {
  const Workshop& workshop = *self.workshop();
  std::size_t primes = self.primes();
  for (const Ciphertext* const input : inputs) {
    if (workshop.scheme() == SchemeType::ckks && !has_level_scale(workshop, *input)) {
      return self.primes();
    }
    primes = std::min(primes, prime_count(workshop, *input));
  }
  return primes;
}

const CircuitRunner& runner_from(const Runner& self, std::size_t primes) {
  try {
    return self.runner_from(primes);
  } catch (const InvalidArgument& error) {
    throw_invalid_argument(
        {"CircuitRunner",
         "inputs with " + std::to_string(primes) + " data primes left: " + error.offending(),
         error.limit(), "encrypt the inputs again, or use parameters with more levels"});
  }
}

/// The results of a run; for CKKS without noise.
struct Results {
  std::vector<Ciphertext> values;
  std::vector<NoiseEstimate> noise;
};

Results compute(const Runner& self, const std::vector<BoundCiphertext>& given, Progress& progress) {
  const nb::gil_scoped_release unlocked;
  const Workshop& workshop = *self.workshop();
  std::vector<BoundCiphertext> bound;
  std::vector<const Ciphertext*> inputs;
  bound.reserve(given.size());
  for (const BoundCiphertext& input : given) {
    bound.push_back(input.bind_to(self.workshop(), "CircuitRunner"));
    inputs.push_back(&bound.back().value("CircuitRunner"));
  }
  const std::size_t primes = common_primes(self, inputs);
  const CircuitRunner& runner = runner_from(self, primes);
  std::list<Ciphertext> lower;
  for (const Ciphertext*& input : inputs) {
    const std::size_t own = prime_count(workshop, *input);
    if (own <= primes || own > self.primes()) continue;
    lower.push_back(brought_down(workshop, *input, primes));
    input = &lower.back();
  }
  Results results;
  const bool is_counted = given.size() == self.circuit().inputs().size();
  if (workshop.scheme() != SchemeType::ckks && is_counted) {
    results.noise = noise_of_results(self, runner, given);
  }
  results.values = runner.run(workshop.evaluator(), inputs, self.keys(),
                              [&](std::size_t done, std::size_t total) { progress(done, total); });
  return results;
}

nb::object run(const Runner& self, const nb::args& ciphertexts, nb::handle progress_wanted) {
  const std::vector<BoundCiphertext> given = operands(ciphertexts);
  Progress progress(progress_wanted);
  const std::optional<InputFacts> facts = check_facts(self, given);
  Results results = compute(self, given, progress);
  nb::list list;
  for (std::size_t i = 0; i < results.values.size(); ++i) {
    auto value = std::make_shared<const Ciphertext>(std::move(results.values[i]));
    BoundCiphertext bound(self.workshop(), std::move(value));
    bound.set_facts(facts);
    if (!results.noise.empty()) bound.set_noise({self.estimator(), results.noise[i]});
    list.append(to_python(std::move(bound)));
  }
  return results.values.size() == 1 ? nb::object(list[0]) : nb::object(nb::tuple(list));
}

std::string describe(const ResultEstimate& estimate) {
  const std::string promise = estimate.is_ckks
                                  ? "precision_bits=" + bits_text(estimate.noise.precision_bits()) +
                                        " magnitude=" + std::to_string(estimate.noise.magnitude())
                                  : "budget_bits=" + bits_text(estimate.noise.budget_bits());
  return "<ringlet.ResultEstimate " + promise +
         " primes=" + std::to_string(estimate.noise.prime_count()) + ">";
}

std::string describe(const Runner& runner) {
  const PlanCounts& counts = runner.runner().plan().counts();
  return repr_start(runner.workshop()->scheme(), "CircuitRunner") +
         "steps=" + std::to_string(runner.runner().plan().steps().size()) +
         " key_switches=" + std::to_string(counts.key_switches()) +
         " multiplications=" + std::to_string(counts.multiplications) +
         " known_bytes=" + std::to_string(runner.runner().byte_count()) + ">";
}

void bind_estimates(nb::module_& module) {
  using E = const ResultEstimate&;
  nb::class_<ResultEstimate>(
      module, "ResultEstimate",
      "Estimate of a result of a circuit with fresh inputs, from the circuit and the\n"
      "parameters alone.")
      .def_prop_ro(
          "precision_bits", &ResultEstimate::precision_bits,
          "CKKS: the error of every slot is at most 2^-precision_bits, except with probability\n"
          "2^-40. None for BFV and BGV.")
      .def_prop_ro(
          "noise_bits", [](E e) { return e.noise.noise_bits(); },
          "log2 of a bound on the noise. CKKS: noise of a slot, times the scale; the bound\n"
          "holds except with probability 2^-40. BFV and BGV: noise of a coefficient, as the\n"
          "noise budget measures it; the bound holds except with probability 2^-128.")
      .def_prop_ro(
          "hidden_noise_bits", [](E e) { return e.noise_of_any.hidden_noise_bits(); },
          "CKKS: log2 of the noise that SharingDecryptor.decrypt hides. It bounds the noise for\n"
          "any inputs, even if one ciphertext is passed for several inputs. Rounding by\n"
          "encoders is not included, because it does not depend on a key.")
      .def_prop_ro(
          "budget_bits", &ResultEstimate::budget_bits,
          "BFV and BGV: noise budget that is left, in bits, except with probability 2^-128.\n"
          "None for CKKS.")
      .def_prop_ro(
          "magnitude",
          [](E e) { return e.is_ckks ? std::optional(e.noise.magnitude()) : std::nullopt; },
          "CKKS: bound on the absolute value of a slot. None for BFV and BGV.")
      .def_prop_ro(
          "scale", [](E e) { return e.noise.scale(); },
          "Scale of the ciphertext; 1 for BFV and BGV.")
      .def_prop_ro(
          "prime_count", [](E e) { return e.noise.prime_count(); },
          "Number of data primes at the level of the result.")
      .def("__repr__", [](E e) { return describe(e); });
}

void bind_runner(nb::module_& module) {
  nb::class_<Runner>(
      module, "CircuitRunner",
      "A planned circuit with encoded known vectors, on the keys of a PublicContext.\n"
      "\n"
      "`public.runner(circuit)` makes it. Call it with one ciphertext for each input, as\n"
      "often as you want. Several threads may call it at once.")
      .def("__call__", &run, "ciphertexts"_a, "progress"_a = false,
           nb::sig("def __call__(self, *ciphertexts: Ciphertext, "
                   "progress: bool | Callable[[int, int], object] = False) -> Any"),
           "Computes the circuit and returns the result, or a tuple of results in their declared\n"
           "order.\n"
           "\n"
           "- ciphertexts: one for each input: fresh ciphertexts, results of runners, or others\n"
           "  of size 2 at the scale of their level. The runner binds unbound ciphertexts.\n"
           "- progress: True shows a bar on the terminal. A function receives the steps that are\n"
           "  done and their total number, every 50 milliseconds and at the end; an exception in\n"
           "  it ends the call.\n"
           "\n"
           "If an input has a lower level than the runner, the other inputs go down to that\n"
           "level. The circuit is planned and encoded once for this level. The estimate holds\n"
           "for fresh inputs.\n"
           "Raises InvalidArgument for an input that was encrypted in this process and exceeds\n"
           "its declared magnitude. Raises it also for an input that the circuit rotates and\n"
           "that does not repeat the circuit's row.\n"
           "Other Python threads run during the call. Ctrl-C ends the call (KeyboardInterrupt)\n"
           "and changes nothing.")
      .def_prop_ro("estimate", &Runner::estimates,
                   "Estimates of the results, one for each: precision or noise budget.")
      .def_prop_ro(
          "counts", [](const Runner& self) { return self.runner().plan().counts(); },
          "How often a call executes each expensive operation.")
      .def_prop_ro(
          "nbytes", [](const Runner& self) { return self.runner().byte_count(); },
          "Size of the encoded known vectors in bytes.")
      .def("__repr__", [](const Runner& self) { return describe(self); });
}

}  // namespace

const Circuit& circuit_of(nb::handle object, const char* operation) {
  if (nb::isinstance<Circuit>(object)) return nb::cast<const Circuit&>(object);
  throw_invalid_argument({operation, "circuit = " + shown(object), "a ringlet.Circuit",
                          "declare a circuit: ringlet.Circuit(row_length)"});
}

NeededKeys needed_keys(const Workshop& workshop, nb::handle circuits, const char* operation) {
  std::vector<Circuit> all;
  if (nb::isinstance<Circuit>(circuits) || !nb::isinstance<nb::sequence>(circuits)) {
    all.push_back(circuit_of(circuits, operation));
  } else {
    for (const nb::handle circuit : circuits) all.push_back(circuit_of(circuit, operation));
  }
  const nb::gil_scoped_release unlocked;
  NeededKeys needed;
  std::set<std::uint64_t> elements;
  for (const Circuit& circuit : all) {
    const EncryptionParameters& parms = workshop.context().parms();
    const CircuitPlan plan(circuit, parms, workshop.parameters().scale, any_galois_key());
    check_results_decrypt(circuit, plan, parms);
    needed.relinearization = needed.relinearization || plan.needs_relinearization();
    elements.insert(plan.galois_elements().begin(), plan.galois_elements().end());
  }
  needed.galois_elements.assign(elements.begin(), elements.end());
  return needed;
}

void check_circuit_keys(const Workshop& workshop, const Circuit& circuit, const CircuitPlan& plan,
                        const char* operation) {
  const PublicKeys& keys = workshop.keys(operation);
  const RingSpec ring = workshop.context().ring();
  std::string missing;
  const auto add = [&](const std::string& name) {
    missing += (missing.empty() ? "" : ", ") + name;
  };
  if (plan.needs_relinearization() && !keys.relinearization.has_key(2)) add("relinearization");
  std::string steps;
  for (const int step : circuit.rotations()) {
    const std::uint64_t element = ring.galois_element_from_step(step);
    const bool is_needed = std::ranges::binary_search(plan.galois_elements(), element);
    if (!is_needed || keys.galois.has_key(element)) continue;
    steps += (steps.empty() ? "" : ", ") + std::to_string(step);
  }
  if (!steps.empty()) add("rotations [" + steps + "]");
  const std::uint64_t mirror = ring.conjugation_element();
  if (std::ranges::binary_search(plan.galois_elements(), mirror) && !keys.galois.has_key(mirror)) {
    add(workshop.scheme() == SchemeType::ckks ? "conjugation" : "swap_rows");
  }
  if (missing.empty()) return;
  throw_invalid_argument({operation, "missing keys: " + missing,
                          "a PublicContext with all keys of the circuit",
                          "make it with secret.public(circuit=circuit), or rotations=[...]"});
}

nb::object make_runner(const SharedWorkshop& workshop, nb::handle circuit,
                       const std::optional<Integer>& level, bool has_symmetric_inputs) {
  const char* operation = "PublicContext.runner";
  const Circuit copy = circuit_of(circuit, operation);
  const ContextData& data = level ? workshop->level(level->word(operation, "level"), operation)
                                  : *workshop->context().first_context_data();
  std::unique_ptr<Runner> runner;
  {
    const nb::gil_scoped_release unlocked;
    Interrupts interrupts;
    const CircuitInputs inputs =
        has_symmetric_inputs ? CircuitInputs::symmetric : CircuitInputs::independent;
    runner = std::make_unique<Runner>(workshop, copy, data.prime_count(), inputs, interrupts);
    check_circuit_keys(*workshop, copy, runner->runner().plan(), operation);
  }
  return nb::cast(std::move(*runner), nb::rv_policy::move);
}

void bind_circuit_runs(nb::module_& module) {
  bind_estimates(module);
  bind_runner(module);
}

}  // namespace ringlet::python
