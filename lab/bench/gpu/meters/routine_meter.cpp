// SPDX-License-Identifier: Apache-2.0
#include "gpu/meters/routine_meter.hpp"

namespace ringlet::bench {
namespace {

constexpr const char* kOperation = "routines";
constexpr std::size_t kMostCount = 4096;

template <typename T>
auto part(T& list, std::size_t first, std::size_t count) {
  return std::span(list).subspan(first, count);
}

/// Calls routine(pick), where pick(list) is one ciphertext of a list, or several.
template <typename Routine>
void call(std::size_t first, std::size_t count, const Routine& routine) {
  if (count == 1) {
    routine([&](auto& list) -> auto& { return list[first]; });
  } else {
    routine([&](auto& list) { return part(list, first, count); });
  }
}

const std::map<std::string, RunRoutine>& routines() {
  static const std::map<std::string, RunRoutine> kRoutines{
      {"MulLin",
       [](const Evaluator& e, const RoutineHost& h, Operands& o, std::size_t i, std::size_t n) {
         call(i, n, [&](auto pick) {
           multiply_relinearize(e, pick(std::as_const(o.a)), pick(std::as_const(o.b)), h.relin,
                                pick(o.results));
         });
       }},
      {"MulLinRS",
       [](const Evaluator& e, const RoutineHost& h, Operands& o, std::size_t i, std::size_t n) {
         call(i, n, [&](auto pick) {
           multiply_relinearize_rescale(e, pick(std::as_const(o.a)), pick(std::as_const(o.b)),
                                        h.relin, pick(o.results));
         });
       }},
      {"SqrLinRS",
       [](const Evaluator& e, const RoutineHost& h, Operands& o, std::size_t i, std::size_t n) {
         call(i, n, [&](auto pick) {
           square_relinearize_rescale(e, pick(std::as_const(o.a)), h.relin, pick(o.results));
         });
       }},
      {"MulLinRSModSwAdd",
       [](const Evaluator& e, const RoutineHost& h, Operands& o, std::size_t i, std::size_t n) {
         call(i, n, [&](auto pick) {
           multiply_relinearize_rescale_add(e, pick(std::as_const(o.a)), pick(std::as_const(o.b)),
                                            pick(std::as_const(o.addends)), h.relin,
                                            pick(o.results));
         });
       }},
      {"Rotate",
       [](const Evaluator& e, const RoutineHost& h, Operands& o, std::size_t i, std::size_t n) {
         call(i, n, [&](auto pick) {
           rotate(e, pick(std::as_const(o.a)), 1, h.galois, pick(o.results));
         });
       }},
      {"Relinearize",
       [](const Evaluator& e, const RoutineHost& h, Operands& o, std::size_t first, std::size_t n) {
         for (std::size_t i = first; i < first + n; ++i) {
           e.relinearize(o.products[i], h.relin, o.results[i]);
         }
       }},
  };
  return kRoutines;
}

/// Relinearizes products, then rescales them: two divisions, as in the paper.
template <typename Multiply>
void rescale_in_turn(const Evaluator& e, const RoutineHost& host, std::span<Ciphertext> results,
                     const Multiply& multiply) {
  Ciphertext product;
  for (std::size_t i = 0; i < results.size(); ++i) {
    multiply(i, product);
    e.relinearize_inplace(product, host.relin);
    e.rescale_to_next(product, results[i]);
  }
}

const std::map<std::string, RunRoutine>& routines_in_turn() {
  static const auto kMultiply = [](const Evaluator& e, const RoutineHost& h, Operands& o,
                                   std::size_t first, std::size_t n) {
    rescale_in_turn(e, h, part(o.results, first, n), [&](std::size_t i, Ciphertext& product) {
      e.multiply(o.a[first + i], o.b[first + i], product);
    });
  };
  static const std::map<std::string, RunRoutine> kRoutines{
      {"MulLinRS", kMultiply},
      {"SqrLinRS",
       [](const Evaluator& e, const RoutineHost& h, Operands& o, std::size_t first, std::size_t n) {
         rescale_in_turn(e, h, part(o.results, first, n), [&](std::size_t i, Ciphertext& product) {
           e.square(o.a[first + i], product);
         });
       }},
      {"MulLinRSModSwAdd",
       [](const Evaluator& e, const RoutineHost& h, Operands& o, std::size_t first, std::size_t n) {
         kMultiply(e, h, o, first, n);
         Ciphertext lowered;
         for (std::size_t i = first; i < first + n; ++i) {
           e.mod_switch_to(o.addends[i], o.results[i].parms_id(), lowered);
           e.add_inplace(o.results[i], lowered);
         }
       }},
  };
  return kRoutines;
}

/// Makes the products with which key switching alone begins.
void prepare(const Evaluator& evaluator, Operands& operands, const std::string& name) {
  if (name != "Relinearize" || !operands.products.empty()) return;
  operands.products.resize(operands.a.size());
  for (std::size_t i = 0; i < operands.a.size(); ++i) {
    evaluator.multiply(operands.a[i], operands.b[i], operands.products[i]);
  }
}

Context on_device(const Context& context, const Device& device) {
  check_is_device(kOperation, device);
  return context.on(device);
}

}  // namespace

RunRoutine find_routine(const std::string& name, bool one_division) {
  if (!one_division) {
    const auto in_turn = routines_in_turn().find(name);
    if (in_turn != routines_in_turn().end()) return in_turn->second;
  }
  const auto found = routines().find(name);
  if (found != routines().end()) return found->second;
  throw_invalid_argument({kOperation, "routine '" + name + "'",
                          "MulLin, MulLinRS, SqrLinRS, MulLinRSModSwAdd, Rotate, Relinearize",
                          "pass one of these names"});
}

RoutineHost::RoutineHost(const SchemeShape& shape, std::size_t count)
    : Host(kOperation, shape),
      relin(keygen.create_relin_keys()),
      galois(keygen.create_galois_keys(std::vector<int>{1})) {
  check_range(kOperation, "count", count, 1, kMostCount);
  a = encrypt(count);
  b = encrypt(count);
  addends = encrypt(count, product_scale_after_rescale(Evaluator(context), a[0], b[0]));
}

RoutineMeter::RoutineMeter(std::shared_ptr<const RoutineHost> host, const Device& device,
                           bool one_division)
    : device_(device),
      host_(std::move(host)),
      one_division_(one_division),
      context_(on_device(host_->context, device)),
      evaluator_(context_),
      operands_(*host_),
      replay_words_(context_.backend().memory(), replay_limbs() * degree()) {
  // Any residues will do: the time of a transform does not depend on them.
  replay_words_.fill(scattered_words(4096, std::uint64_t{1} << 39U, 2), replay_limbs() * degree());
}

/// Returns as many limbs as a routine transforms: the replay must not find more in a cache.
std::size_t RoutineMeter::replay_limbs() const {
  const std::size_t primes = context_.backend().basis().size();
  return primes * primes + 8 * primes;
}

void RoutineMeter::check(const std::string& name) {
  const RunRoutine run = find_routine(name, one_division_);
  prepare(evaluator_, operands_, name);
  run(evaluator_, *host_, operands_, 0, 1);
  Operands expected(*host_);
  const Evaluator processor(host_->context);
  prepare(processor, expected, name);
  run(processor, *host_, expected, 0, 1);
  if (!are_same(operands_.results[0], expected.results[0])) report_difference(kOperation, name);
}

double RoutineMeter::seconds(const std::string& name, bool batched, std::size_t calls) {
  const RunRoutine run = find_routine(name, one_division_);
  prepare(evaluator_, operands_, name);
  const std::size_t count = operands_.a.size();
  const double all = device_.time([&] {
    for (std::size_t i = 0; i < calls; ++i) {
      run(evaluator_, *host_, operands_, batched ? 0 : i % count, batched ? count : 1);
    }
  });
  return all / static_cast<double>(calls * (batched ? count : 1));
}

std::pair<std::size_t, std::size_t> RoutineMeter::transform_counts(const std::string& name) {
  std::pair<std::size_t, std::size_t> counts;
  for (const LoggedTransform& call : log_of(name)) {
    (call.is_forward ? counts.first : counts.second) += call.primes.size();
  }
  return counts;
}

double RoutineMeter::transform_seconds(const std::string& name, std::size_t calls) {
  const std::vector<LoggedTransform>& log = log_of(name);
  const double all = device_.time([&] {
    for (std::size_t i = 0; i < calls; ++i) replay(log);
  });
  return all / static_cast<double>(calls);
}

const std::vector<LoggedTransform>& RoutineMeter::log_of(const std::string& name) {
  const auto found = logs_.find(name);
  if (found != logs_.end()) return found->second;
  const auto log =
      std::make_shared<TransformLog>(make_backend(context_.backend().basis(), device_));
  const Evaluator evaluator(host_->context.on(log));
  Operands operands(*host_);
  prepare(evaluator, operands, name);
  log->clear();
  find_routine(name, one_division_)(evaluator, *host_, operands, 0, 1);
  device_.synchronize();
  return logs_[name] = log->transforms();
}

void RoutineMeter::replay(const std::vector<LoggedTransform>& log) const {
  const Backend& backend = context_.backend();
  std::size_t first = 0;
  for (const LoggedTransform& call : log) {
    const std::size_t count = call.primes.size();
    if (first + count > replay_limbs()) first = 0;
    std::uint64_t* const words = replay_words_.data() + first * degree();
    const NttView values{words, degree(), count, degree()};
    const CoeffView coefficients{words, degree(), count, degree()};
    first += count;
    if (call.is_forward) {
      backend.forward_ntt(values, coefficients, call.primes);
    } else {
      backend.inverse_ntt(coefficients, values, call.primes);
    }
  }
}

}  // namespace ringlet::bench
