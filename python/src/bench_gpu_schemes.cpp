// SPDX-License-Identifier: Apache-2.0
// What `ringlet bench gpu` measures of CKKS: the five routines and the products of matrices.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bench_gpu.hpp"
#include "ringlet/ringlet.hpp"
#include "stopwatch.hpp"
#include "transform_log.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace ringlet::python {
namespace {

constexpr double kScale = 0x1p40;
constexpr double kValue = 0.5;
constexpr std::size_t kMostPrimes = 32;
constexpr std::size_t kMostCount = 4096;
constexpr std::size_t kMostSide = 1024;
constexpr std::size_t kMostCalls = 100000;

/// Primes of 40 bits between two of 60, the last of them for keys; no security is asked for,
/// because small degrees serve as well.
Context make_context(const char* operation, std::size_t degree, std::size_t data_primes) {
  check_degree(operation, degree);
  check_range(operation, "data_primes", data_primes, 2, kMostPrimes);
  std::vector<int> bits(data_primes, 40);
  bits.front() = 60;
  bits.push_back(60);
  EncryptionParameters parms(SchemeType::ckks);
  parms.set_poly_modulus_degree(degree);
  parms.set_coeff_modulus(CoeffModulus::create(degree, bits));
  return Context(parms, SecurityLevel::none);
}

/// Keys and messages on the host, for runs on any device.
class Host {
 public:
  Host(const char* operation, std::size_t degree, std::size_t data_primes)
      : context(make_context(operation, degree, data_primes)),
        keygen(context),
        encryptor(context, keygen.create_public_key()),
        decryptor(context, keygen.secret_key()),
        encoder(context) {}

  Ciphertext encrypt(double scale) const {
    Plaintext plain;
    encoder.encode(std::vector<double>(encoder.slot_count(), kValue), scale, plain);
    return encryptor.encrypt(plain);
  }
  std::vector<Ciphertext> encrypt(std::size_t count, double scale) const {
    std::vector<Ciphertext> result;
    while (result.size() < count) result.push_back(encrypt(scale));
    return result;
  }

  Context context;
  KeyGenerator keygen;
  Encryptor encryptor;
  Decryptor decryptor;
  CKKSEncoder encoder;
};

bool are_same(const Ciphertext& a, const Ciphertext& b) {
  if (a.size() != b.size() || a.parms_id() != b.parms_id()) return false;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const auto x = a.view(k);
    const auto y = b.view(k);
    for (std::size_t i = 0; i < x.limb_count; ++i) {
      if (!std::ranges::equal(x.limb(i), y.limb(i))) return false;
    }
  }
  return true;
}

[[noreturn]] void report_difference(const char* operation, const std::string& what) {
  throw_runtime_error(
      {operation, what + " differs from the processor's result", "the same words",
       "the device computes wrong results: report it with the output of `ringlet info`"});
}

// -------------------------------------------------------------------------------------- routines

struct RoutineHost : Host {
  static constexpr const char* kOperation = "GpuRoutines";

  RoutineHost(std::size_t degree, std::size_t data_primes, std::size_t count)
      : Host(kOperation, degree, data_primes),
        relin(keygen.create_relin_keys()),
        galois(keygen.create_galois_keys(std::vector<int>{1})) {
    check_range(kOperation, "count", count, 1, kMostCount);
    a = encrypt(count, kScale);
    b = encrypt(count, kScale);
    addends = encrypt(count, product_scale_after_rescale(Evaluator(context), a[0], b[0]));
  }

  RelinKeys relin;
  GaloisKeys galois;
  std::vector<Ciphertext> a, b, addends;
};

/// The operands of all routines in one place.
struct Operands {
  explicit Operands(const RoutineHost& host)
      : a(host.a), b(host.b), addends(host.addends), results(host.a.size()) {}
  std::vector<Ciphertext> a, b, addends, results;
};

using Run = void (*)(const Evaluator&, const RoutineHost&, Operands&, std::size_t first,
                     std::size_t count);

template <typename T>
auto part(T& list, std::size_t first, std::size_t count) {
  return std::span(list).subspan(first, count);
}

const std::map<std::string, Run>& routines() {
  static const std::map<std::string, Run> kRoutines{
      {"MulLin",
       [](const Evaluator& e, const RoutineHost& h, Operands& o, std::size_t i, std::size_t n) {
         if (n == 1) return multiply_relinearize(e, o.a[i], o.b[i], h.relin, o.results[i]);
         multiply_relinearize(e, part(std::as_const(o.a), i, n), part(std::as_const(o.b), i, n),
                              h.relin, part(o.results, i, n));
       }},
      {"MulLinRS",
       [](const Evaluator& e, const RoutineHost& h, Operands& o, std::size_t i, std::size_t n) {
         if (n == 1) return multiply_relinearize_rescale(e, o.a[i], o.b[i], h.relin, o.results[i]);
         multiply_relinearize_rescale(e, part(std::as_const(o.a), i, n),
                                      part(std::as_const(o.b), i, n), h.relin,
                                      part(o.results, i, n));
       }},
      {"SqrLinRS",
       [](const Evaluator& e, const RoutineHost& h, Operands& o, std::size_t i, std::size_t n) {
         if (n == 1) return square_relinearize_rescale(e, o.a[i], h.relin, o.results[i]);
         square_relinearize_rescale(e, part(std::as_const(o.a), i, n), h.relin,
                                    part(o.results, i, n));
       }},
      {"MulLinRSModSwAdd",
       [](const Evaluator& e, const RoutineHost& h, Operands& o, std::size_t i, std::size_t n) {
         if (n == 1) {
           return multiply_relinearize_rescale_add(e, o.a[i], o.b[i], o.addends[i], h.relin,
                                                   o.results[i]);
         }
         multiply_relinearize_rescale_add(
             e, part(std::as_const(o.a), i, n), part(std::as_const(o.b), i, n),
             part(std::as_const(o.addends), i, n), h.relin, part(o.results, i, n));
       }},
      {"Rotate",
       [](const Evaluator& e, const RoutineHost& h, Operands& o, std::size_t i, std::size_t n) {
         if (n == 1) return rotate(e, o.a[i], 1, h.galois, o.results[i]);
         rotate(e, part(std::as_const(o.a), i, n), 1, h.galois, part(o.results, i, n));
       }},
  };
  return kRoutines;
}

/// Products are relinearized, then rescaled: two divisions, as in the paper.
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

const std::map<std::string, Run>& routines_in_turn() {
  static const auto kMultiply = [](const Evaluator& e, const RoutineHost& h, Operands& o,
                                   std::size_t first, std::size_t n) {
    rescale_in_turn(e, h, part(o.results, first, n), [&](std::size_t i, Ciphertext& product) {
      e.multiply(o.a[first + i], o.b[first + i], product);
    });
  };
  static const std::map<std::string, Run> kRoutines{
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

Run find_routine(const std::string& name, bool one_division) {
  if (!one_division) {
    const auto in_turn = routines_in_turn().find(name);
    if (in_turn != routines_in_turn().end()) return in_turn->second;
  }
  const auto found = routines().find(name);
  if (found != routines().end()) return found->second;
  throw_invalid_argument({RoutineHost::kOperation, "routine '" + name + "'",
                          "MulLin, MulLinRS, SqrLinRS, MulLinRSModSwAdd, Rotate",
                          "pass one of these names"});
}

/// The routines on one device, with operands that stay there.
class RoutineMeter {
 public:
  RoutineMeter(std::shared_ptr<const RoutineHost> host, const Device& device, bool one_division)
      : device_(device),
        host_(std::move(host)),
        one_division_(one_division),
        context_(on(host_->context, device)),
        evaluator_(context_),
        operands_(*host_),
        replay_words_(context_.backend().memory(), replay_limbs() * degree()) {
    // Any residues will do: the time of a transform does not depend on them.
    replay_words_.fill(make_words(4096, std::uint64_t{1} << 39U, 2), replay_limbs() * degree());
  }

  /// The first ciphertext's result against the host's.
  void check(const std::string& name) {
    const Run run = find_routine(name, one_division_);
    run(evaluator_, *host_, operands_, 0, 1);
    Operands expected(*host_);
    run(Evaluator(host_->context), *host_, expected, 0, 1);
    const Ciphertext& result = operands_.results[0];
    if (!are_same(result, expected.results[0])) report_difference("GpuRoutines.check", name);
  }

  /// Seconds of one routine: of calls for one ciphertext each, or of one call for all.
  double seconds(const std::string& name, bool batched, std::size_t calls) {
    check_range("GpuRoutines.seconds", "calls", calls, 1, kMostCalls);
    const Run run = find_routine(name, one_division_);
    const std::size_t count = operands_.a.size();
    const double all = device_.time([&] {
      for (std::size_t i = 0; i < calls; ++i) {
        run(evaluator_, *host_, operands_, batched ? 0 : i % count, batched ? count : 1);
      }
    });
    return all / static_cast<double>(calls * (batched ? count : 1));
  }

  /// Transforms of single limbs, forward and inverse, of one routine.
  std::pair<std::size_t, std::size_t> transform_counts(const std::string& name) {
    std::pair<std::size_t, std::size_t> counts;
    for (const LoggedTransform& call : log_of(name)) {
      (call.is_forward ? counts.first : counts.second) += call.primes.size();
    }
    return counts;
  }

  /// Seconds of the transforms of one routine alone: the same numbers of limbs modulo the same
  /// primes in as many launches.
  double transform_seconds(const std::string& name, std::size_t calls) {
    check_range("GpuRoutines.transform_seconds", "calls", calls, 1, kMostCalls);
    const std::vector<LoggedTransform>& log = log_of(name);
    const double all = device_.time([&] {
      for (std::size_t i = 0; i < calls; ++i) replay(log);
    });
    return all / static_cast<double>(calls);
  }

 private:
  static Context on(const Context& context, const Device& device) {
    check_is_device(RoutineHost::kOperation, device);
    return context.on(device);
  }
  std::size_t degree() const { return context_.backend().basis().degree(); }
  /// As many as a routine transforms, so that the replay finds no more in a cache than it does.
  std::size_t replay_limbs() const {
    const std::size_t primes = context_.backend().basis().size();
    return primes * primes + 8 * primes;
  }

  const std::vector<LoggedTransform>& log_of(const std::string& name) {
    const auto found = logs_.find(name);
    if (found != logs_.end()) return found->second;
    const auto log =
        std::make_shared<TransformLog>(make_backend(context_.backend().basis(), device_));
    Operands operands(*host_);
    find_routine(name, one_division_)(Evaluator(host_->context.on(log)), *host_, operands, 0, 1);
    device_.synchronize();
    return logs_[name] = log->transforms();
  }

  void replay(const std::vector<LoggedTransform>& log) const {
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

  Device device_;
  std::shared_ptr<const RoutineHost> host_;
  bool one_division_;
  Context context_;
  Evaluator evaluator_;
  Operands operands_;
  DeviceWords replay_words_;
  std::map<std::string, std::vector<LoggedTransform>> logs_;
};

// ---------------------------------------------------------------------------- products of matrices

struct ProductShape {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t depth = 0;
};

struct ProductHost : Host {
  static constexpr const char* kOperation = "GpuProducts";

  ProductHost(std::size_t degree, std::size_t data_primes, std::size_t rows, std::size_t columns,
              std::size_t depth)
      : Host(kOperation, degree, data_primes), shape{rows, columns, depth} {
    check_range(kOperation, "rows", rows, 1, kMostSide);
    check_range(kOperation, "columns", columns, 1, kMostSide);
    check_range(kOperation, "depth", depth, 1, kMostSide);
  }

  CiphertextMatrix zeros() const {
    return {*context.first_context_data(), {shape.rows, shape.columns}, 3, kScale * kScale};
  }
  CiphertextMatrix encrypted_a() const {
    return {{shape.rows, shape.depth}, encrypt(shape.rows * shape.depth, kScale)};
  }
  CiphertextMatrix encrypted_b() const {
    return {{shape.depth, shape.columns}, encrypt(shape.depth * shape.columns, kScale)};
  }

  ProductShape shape;
};

/// C += A * B on one device.
class ProductMeter {
 public:
  ProductMeter(std::shared_ptr<const ProductHost> host, const Device& device, bool fused)
      : device_(device),
        host_(std::move(host)),
        evaluator_(host_->context, checked(device)),
        form_(fused ? MatrixProduct::fused : MatrixProduct::separate) {}

  /// Brings the operands to the device, and compares one product's first and last entry with the
  /// processor's.
  void prepare() {
    a_ = host_->encrypted_a();
    b_ = host_->encrypted_b();
    c_ = host_->zeros();
    multiply_accumulate(evaluator_, c_, a_, b_, form_);
    const ProductShape& shape = host_->shape;
    const Evaluator evaluator(host_->context);
    for (const auto& [i, j] :
         {std::pair<std::size_t, std::size_t>{0, 0}, {shape.rows - 1, shape.columns - 1}}) {
      Ciphertext sum;
      for (std::size_t t = 0; t < shape.depth; ++t) {
        Ciphertext product;
        evaluator.multiply(a_.at(i, t), b_.at(t, j), product);
        if (t == 0) {
          sum = std::move(product);
        } else {
          evaluator.add_inplace(sum, product);
        }
      }
      if (!are_same(c_.at(i, j), sum)) report_difference("GpuProducts.prepare", "a product");
    }
  }
  /// Gives the operands back.
  void release() {
    a_ = b_ = c_ = CiphertextMatrix();
    device_.trim();
  }

  /// Seconds of one product, on the device's clock.
  double seconds() {
    return device_.time([&] { multiply_accumulate(evaluator_, c_, a_, b_, form_); });
  }

  /// Seconds of the whole process on the host's clock: allocate, encode, encrypt, multiply,
  /// decrypt.
  double process_seconds() const {
    using Clock = std::chrono::steady_clock;
    device_.synchronize();
    const auto start = Clock::now();
    CiphertextMatrix c = host_->zeros();
    const CiphertextMatrix a = host_->encrypted_a();
    const CiphertextMatrix b = host_->encrypted_b();
    multiply_accumulate(evaluator_, c, a, b, form_);
    Plaintext plain;
    for (const Ciphertext& entry : c.entries()) host_->decryptor.decrypt(entry, plain);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    std::vector<double> values;
    host_->encoder.decode(plain, values);
    const double expected = kValue * kValue * static_cast<double>(host_->shape.depth);
    for (const double value : values) {
      if (!(std::abs(value - expected) < 1e-3)) {
        throw_runtime_error({"GpuProducts.process_seconds",
                             "a slot of the product is " + std::to_string(value),
                             std::to_string(expected) + ", up to 0.001",
                             "the device computes wrong results: report it"});
      }
    }
    return seconds;
  }

 private:
  static const Device& checked(const Device& device) {
    check_is_device(ProductHost::kOperation, device);
    return device;
  }

  Device device_;
  std::shared_ptr<const ProductHost> host_;
  Evaluator evaluator_;
  MatrixProduct form_;
  CiphertextMatrix a_, b_, c_;
};

void bind_routines(nb::module_& module) {
  using Unlocked = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<RoutineHost>(module, "GpuRoutineHost", "Keys and ciphertexts of the routines.")
      .def(nb::init<std::size_t, std::size_t, std::size_t>(), "degree"_a, "data_primes"_a,
           "count"_a, Unlocked());
  nb::class_<RoutineMeter>(
      module, "GpuRoutines",
      "The five routines on one device, relinearized and rescaled in one division or in turn.")
      .def(nb::init<std::shared_ptr<const RoutineHost>, const Device&, bool>(), "host"_a,
           "device"_a, "one_division"_a, Unlocked())
      .def("check", &RoutineMeter::check, "routine"_a, Unlocked(),
           "Raises RuntimeFailure if the result differs from the processor's.")
      .def("seconds", &RoutineMeter::seconds, "routine"_a, "batched"_a, "calls"_a, Unlocked(),
           "Seconds of one routine, in calls for one ciphertext each or for all of them.")
      .def("transform_counts", &RoutineMeter::transform_counts, "routine"_a, Unlocked(),
           "Transforms of single limbs in one routine, forward and inverse.")
      .def("transform_seconds", &RoutineMeter::transform_seconds, "routine"_a, "calls"_a,
           Unlocked(),
           "Seconds of the transforms of one routine alone, in as many launches of the same "
           "shapes.");
}

void bind_products(nb::module_& module) {
  using Unlocked = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<ProductHost>(module, "GpuProductHost", "Keys of the products of matrices.")
      .def(nb::init<std::size_t, std::size_t, std::size_t, std::size_t, std::size_t>(), "degree"_a,
           "data_primes"_a, "rows"_a, "columns"_a, "depth"_a, Unlocked());
  nb::class_<ProductMeter>(module, "GpuProducts", "C += A * B of ciphertexts on one device.")
      .def(nb::init<std::shared_ptr<const ProductHost>, const Device&, bool>(), "host"_a,
           "device"_a, "fused"_a, Unlocked())
      .def("prepare", &ProductMeter::prepare, Unlocked(),
           "Makes the operands. Raises RuntimeFailure if a product differs from the processor's.")
      .def("release", &ProductMeter::release, Unlocked(), "Gives them back.")
      .def("seconds", &ProductMeter::seconds, Unlocked(), "Of one product, on the device's clock.")
      .def("process_seconds", &ProductMeter::process_seconds, Unlocked(),
           "Of the whole process on the host's clock: allocate, encode, encrypt, multiply, "
           "decrypt.");
}

}  // namespace

void bind_bench_gpu_schemes(nb::module_& module) {
  bind_routines(module);
  bind_products(module);
}

}  // namespace ringlet::python
