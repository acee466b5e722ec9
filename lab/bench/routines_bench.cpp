// SPDX-License-Identifier: Apache-2.0
//
// The five routines of CKKS and the two products of matrices of ciphertexts of Zhai et al.,
// "Accelerating Encrypted Computing on Intel GPUs" (IPDPS 2022, IV-C and IV-E), on the device that
// RINGLET_DEVICE names, on the processor by default. Names such as
// routine/MulLinRS/batch/n=4096/l=3/count=4 and matrix_product/10x9x8/fused/n=512/l=3, with the
// degree and the number of data primes; the shapes are rows of C, columns of C, columns of A.
//
// Routines: one call for `count` ciphertexts (batch) against a call for each (single). Products:
// C += A * B in the fused form against one that reduces and stores after each multiplication and
// each addition (separate). Both ways take turns within one benchmark: `separate` is the fastest
// block of the other way, `ratio` how many times faster this one is.
//
// --paper takes the paper's sizes: N = 32768 with 8 data primes for routines; N = 8192 with 3 for
// products, of which the larger one needs 6 GB.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "ringlet/ringlet.hpp"
#include "sampling.hpp"

namespace ringlet::bench {
namespace {

constexpr double kScale = 0x1p40;
constexpr std::size_t kBatch = 4;

struct Size {
  std::size_t degree;
  std::size_t data_primes;
};

struct Sizes {
  Size routines{4096, 3};
  Size products{512, 3};
};

// Degrees are small by default: there is no security to check.
Context make_context(const Size& size) {
  std::vector<int> bits(size.data_primes, 40);
  bits.front() = 60;
  bits.push_back(60);
  EncryptionParameters parms(SchemeType::ckks);
  parms.set_poly_modulus_degree(size.degree);
  parms.set_coeff_modulus(CoeffModulus::create(size.degree, bits));
  return Context(parms, SecurityLevel::none);
}

/// Keys, and encryptions of some message.
class Services {
 public:
  explicit Services(const Size& size)
      : context(make_context(size)),
        keygen(context),
        relin(keygen.create_relin_keys()),
        galois(keygen.create_galois_keys(std::vector<int>{1})),
        evaluator(context),
        encryptor_(context, keygen.secret_key()) {}

  std::vector<Ciphertext> encrypt(std::size_t count, double scale) const {
    const CKKSEncoder encoder(context);
    Plaintext plain;
    encoder.encode(std::vector<double>(encoder.slot_count(), 0.5), scale, plain);
    std::vector<Ciphertext> result;
    while (result.size() < count) result.push_back(encryptor_.encrypt_symmetric(plain));
    return result;
  }

  Context context;
  KeyGenerator keygen;
  RelinKeys relin;
  GaloisKeys galois;
  Evaluator evaluator;

 private:
  Encryptor encryptor_;
};

struct RoutineWork : Services {
  explicit RoutineWork(const Size& size)
      : Services(size),
        a(encrypt(kBatch, kScale)),
        b(encrypt(kBatch, kScale)),
        addends(encrypt(kBatch, product_scale_after_rescale(evaluator, a[0], b[0]))),
        results(kBatch) {}

  /// Waits for a device, whose work takes effect in order; on the host results are there.
  void finish() const { results.back().bring_to_host(); }

  std::vector<Ciphertext> a, b, addends, results;
};

struct Routine {
  const char* name;
  std::function<void(RoutineWork&)> batch;
  std::function<void(RoutineWork&, std::size_t)> single;
};

std::vector<Routine> routines() {
  return {
      {"MulLin", [](auto& w) { multiply_relinearize(w.evaluator, w.a, w.b, w.relin, w.results); },
       [](auto& w, std::size_t i) {
         multiply_relinearize(w.evaluator, w.a[i], w.b[i], w.relin, w.results[i]);
       }},
      {"MulLinRS",
       [](auto& w) { multiply_relinearize_rescale(w.evaluator, w.a, w.b, w.relin, w.results); },
       [](auto& w, std::size_t i) {
         multiply_relinearize_rescale(w.evaluator, w.a[i], w.b[i], w.relin, w.results[i]);
       }},
      {"SqrLinRS",
       [](auto& w) { square_relinearize_rescale(w.evaluator, w.a, w.relin, w.results); },
       [](auto& w, std::size_t i) {
         square_relinearize_rescale(w.evaluator, w.a[i], w.relin, w.results[i]);
       }},
      {"MulLinRSModSwAdd",
       [](auto& w) {
         multiply_relinearize_rescale_add(w.evaluator, w.a, w.b, w.addends, w.relin, w.results);
       },
       [](auto& w, std::size_t i) {
         multiply_relinearize_rescale_add(w.evaluator, w.a[i], w.b[i], w.addends[i], w.relin,
                                          w.results[i]);
       }},
      {"Rotate", [](auto& w) { rotate(w.evaluator, w.a, 1, w.galois, w.results); },
       [](auto& w, std::size_t i) { rotate(w.evaluator, w.a[i], 1, w.galois, w.results[i]); }},
  };
}

void register_routine(const Routine& routine, const Size& size) {
  const std::string suffix = "/n=" + std::to_string(size.degree) +
                             "/l=" + std::to_string(size.data_primes) +
                             "/count=" + std::to_string(kBatch);
  for (const bool is_batch : {true, false}) {
    const std::string name = std::string("routine/") + routine.name;
    register_benchmark(
        name + (is_batch ? "/batch" : "/single") + suffix, [=](benchmark::State& state) {
          RoutineWork work(size);
          const std::function<void()> together = [&] {
            routine.batch(work);
            work.finish();
          };
          const std::function<void()> each = [&] {
            for (std::size_t i = 0; i < kBatch; ++i) routine.single(work, i);
            work.finish();
          };
          run_in_turns(state, is_batch ? together : each, is_batch ? each : together);
        });
  }
}

struct ProductShape {
  std::size_t rows;
  std::size_t columns;
  std::size_t depth;
};

struct ProductWork : Services {
  ProductWork(const Size& size, const ProductShape& shape)
      : Services(size),
        a({shape.rows, shape.depth}, encrypt(shape.rows * shape.depth, kScale)),
        b({shape.depth, shape.columns}, encrypt(shape.depth * shape.columns, kScale)),
        c(*context.first_context_data(), {shape.rows, shape.columns}, 3, kScale * kScale) {}

  void run(MatrixProduct form) {
    multiply_accumulate(evaluator, c, a, b, form);
    // Work on a device takes effect in order: the last result is there last. On the host it is.
    c.entries().back().bring_to_host();
  }

  CiphertextMatrix a, b, c;
};

void register_product(const ProductShape& shape, const Size& size) {
  const std::string name = "matrix_product/" + std::to_string(shape.rows) + "x" +
                           std::to_string(shape.columns) + "x" + std::to_string(shape.depth);
  const std::string suffix =
      "/n=" + std::to_string(size.degree) + "/l=" + std::to_string(size.data_primes);
  const auto add = [&](const char* way, MatrixProduct form, MatrixProduct other) {
    register_benchmark(name + "/" + way + suffix, [=](benchmark::State& state) {
      ProductWork work(size, shape);
      run_in_turns(state, [&] { work.run(form); }, [&] { work.run(other); });
    });
  };
  add("fused", MatrixProduct::fused, MatrixProduct::separate);
  add("separate", MatrixProduct::separate, MatrixProduct::fused);
}

void register_all(const Sizes& sizes) {
  for (const Routine& routine : routines()) register_routine(routine, sizes.routines);
  for (const ProductShape& shape : {ProductShape{100, 100, 1}, ProductShape{10, 9, 8}}) {
    register_product(shape, sizes.products);
  }
}

// Whether --paper is among the arguments, from which it is taken.
bool take_paper_option(int& argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) != "--paper") continue;
    std::copy(argv + i + 1, argv + argc, argv + i);
    --argc;
    return true;
  }
  return false;
}

}  // namespace
}  // namespace ringlet::bench

int main(int argc, char** argv) {
  ringlet::bench::Sizes sizes;
  if (ringlet::bench::take_paper_option(argc, argv)) sizes = {{32768, 8}, {8192, 3}};
  ringlet::bench::register_all(sizes);
  return ringlet::bench::run_all(argc, argv);
}
