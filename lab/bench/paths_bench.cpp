// SPDX-License-Identifier: Apache-2.0
//
// ringlet_check_paths [--filter TEXT] [--json FILE] [--quick]
//
// Times SEAL's default primes for N = 32768, of 55 and 56 bits, on every path that transforms
// modulo them: plans, fused products, RnsNtt, the routines of the schemes, HEXL's and SEAL's
// interfaces. Each takes turns with the same path on avx512dq/radix2, HEXL's algorithm: within one
// process, or, for SEAL's interface, in two.
// Ratios are baseline over Ringlet's choice: above 1 the choice is faster. The exit status is 1 if
// a row that only transforms misses its target; rows with other work have no target.
// --filter takes the rows whose name contains the text; --quick takes a tenth of the samples.

#include <unistd.h>

#include <sys/wait.h>

#include "hexl/hexl.hpp"
#include "in_turn.hpp"
#include "program.hpp"
#include "ringlet/ntt/rns_ntt.hpp"
#include "ringlet/ringlet.hpp"
#include "seal/seal.h"

namespace ringlet::bench {
namespace {

constexpr std::size_t kDegree = 32768;
constexpr double kTarget = 1.25;
constexpr const char* kBaseline = "avx512dq/radix2";
constexpr int kBlocks = 51;
constexpr int kQuickBlocks = 5;
constexpr double kBlockMicroseconds = 2000;

/// The multiples of the modulus that operands and results may reach.
struct Factors {
  int in;
  int out;
  std::string text() const { return std::to_string(in) + " to " + std::to_string(out); }
};

/// Transforms repeat in place: results must be in the range of the next operands.
constexpr Factors kForwardFactors[] = {{1, 1}, {4, 4}, {4, 1}};
constexpr Factors kInverseFactors[] = {{1, 1}, {2, 2}, {2, 1}};

class Report : public ComparedRows {
 public:
  using ComparedRows::ComparedRows;

  /// Compares two sides; no target if `target` is 0.
  void compare(const std::string& row, std::function<void()> chosen, std::function<void()> baseline,
               double target) {
    ComparedRows::compare(row, {"chosen", std::move(chosen)}, {kBaseline, std::move(baseline)},
                          target);
  }
};

using Words = AlignedVector<std::uint64_t>;

std::vector<Modulus> default_primes() {
  std::vector<Modulus> primes;
  for (const seal::Modulus& q : seal::CoeffModulus::BFVDefault(kDegree)) {
    primes.emplace_back(q.value());
  }
  return primes;
}

/// Plans for all primes and a vector modulo each; gaps between vectors avoid collisions in the
/// cache.
struct Transforms {
  explicit Transforms(const KernelSelection& selection)
      : rns(kDegree, default_primes(), selection),
        stride(kDegree + 64),
        words(rns.size() * stride, 1),
        operands(kTerms, Words(kDegree, 1)),
        keys(kTerms * kTargets, Words(kDegree, 2)),
        sums(kTargets, Words(kDegree)),
        scratch(kTerms * kDegree) {}

  std::span<std::uint64_t> limb(std::size_t i) {
    return std::span(words).subspan(i * stride, kDegree);
  }
  RnsWords all() { return {words, stride, 1, words.size()}; }
  void each(const std::function<void(const Ntt&, std::span<std::uint64_t>)>& call) {
    for (std::size_t i = 0; i < rns.size(); ++i) call(rns[i], limb(i));
  }

  static constexpr std::size_t kTerms = 6;
  static constexpr std::size_t kTargets = 2;
  RnsNtt rns;
  std::size_t stride;
  Words words;
  std::vector<Words> operands, keys, sums;
  Words scratch;
};

void compare_plans(Report& report, const KernelSelection& chosen) {
  Transforms ours(chosen);
  Transforms theirs{KernelSelection(kBaseline)};
  for (std::size_t i = 0; i < ours.rns.size(); ++i) {
    std::printf("%llu (%d bits): %s\n",
                static_cast<unsigned long long>(ours.rns[i].modulus().value()),
                ours.rns[i].modulus().bit_count(), ours.rns[i].kernel_name().c_str());
  }
  const auto row = [&](const std::string& name, const std::function<void(Transforms&)>& run,
                       double target) {
    report.compare(name, [&] { run(ours); }, [&] { run(theirs); }, target);
  };
  for (const Factors factors : kForwardFactors) {
    row(
        "forward, factors " + factors.text(),
        [factors](Transforms& t) {
          t.each([&](const Ntt& ntt, auto values) {
            ntt.forward(values, values, factors.in, factors.out);
          });
        },
        kTarget);
  }
  for (const Factors factors : kInverseFactors) {
    row(
        "inverse, factors " + factors.text(),
        [factors](Transforms& t) {
          t.each([&](const Ntt& ntt, auto values) {
            ntt.inverse(values, values, factors.in, factors.out);
          });
        },
        kTarget);
  }
  row("RnsNtt forward", [](Transforms& t) { t.rns.forward(t.all(), t.all()); }, kTarget);
  row("RnsNtt inverse", [](Transforms& t) { t.rns.inverse(t.all(), t.all()); }, kTarget);
  row(
      "Ntt::multiply",
      [](Transforms& t) {
        t.rns[0].multiply(t.sums[0], t.operands[0], t.keys[0], 1, 1, t.scratch);
      },
      0);
  const auto operands_of = [](Transforms& t) {
    return std::vector<Ntt::Operand>(t.operands.begin(), t.operands.end());
  };
  row(
      "Ntt::multiply_accumulate, 6 terms",
      [&](Transforms& t) {
        const std::vector<Ntt::Operand> keys(t.keys.begin(), t.keys.begin() + Transforms::kTerms);
        t.rns[0].multiply_accumulate(t.sums[0], operands_of(t), keys, t.scratch);
      },
      0);
  row(
      "Ntt::inner_product, 6 terms, 2 sums",
      [&](Transforms& t) {
        const std::vector<Ntt::Operand> keys(t.keys.begin(), t.keys.end());
        const std::vector<Ntt::Result> sums(t.sums.begin(), t.sums.end());
        t.rns[0].inner_product(sums, operands_of(t), keys, t.scratch);
      },
      0);
}

EncryptionParameters default_parameters(SchemeType scheme) {
  EncryptionParameters parms(scheme);
  parms.set_poly_modulus_degree(kDegree);
  parms.set_coeff_modulus(default_primes());
  if (scheme != SchemeType::ckks) {
    parms.set_plain_modulus(PlainModulus::batching(kDegree, 20));
  }
  return parms;
}

/// A context, its keys and two ciphertexts of zero.
struct Scheme {
  Scheme(SchemeType type, const KernelSelection& selection)
      : context(default_parameters(type), SecurityLevel::tc128, SecurityTable::he_standard_2018,
                selection),
        keygen(context),
        relin(keygen.create_relin_keys()),
        galois(keygen.create_galois_keys(std::vector<int>{1})),
        evaluator(context),
        encryptor(context, keygen.secret_key()),
        decryptor(context, keygen.secret_key()) {
    if (type == SchemeType::ckks) {
      CKKSEncoder(context).encode(0.5, 0x1p50, plain);
    } else {
      BatchEncoder(context).encode(std::vector<std::uint64_t>(kDegree, 3), plain);
    }
    a = encryptor.encrypt_symmetric(plain);
    b = encryptor.encrypt_symmetric(plain);
    evaluator.multiply(a, b, product);
    transformed = a;
    if (type == SchemeType::bfv) evaluator.transform_to_ntt(a, transformed);
  }

  Context context;
  KeyGenerator keygen;
  RelinKeys relin;
  GaloisKeys galois;
  Evaluator evaluator;
  Encryptor encryptor;
  Decryptor decryptor;
  Plaintext plain, decrypted;
  Ciphertext a, b, product, transformed, result;
};

void compare_scheme(Report& report, SchemeType type, const KernelSelection& chosen) {
  const std::string name = type == SchemeType::ckks ? "CKKS " : "BFV ";
  Scheme ours(type, chosen);
  Scheme theirs(type, KernelSelection(kBaseline));
  const auto row = [&](const std::string& operation, const std::function<void(Scheme&)>& run,
                       double target = 0) {
    report.compare(name + operation, [&] { run(ours); }, [&] { run(theirs); }, target);
  };
  row("encrypt_symmetric", [](Scheme& s) { s.result = s.encryptor.encrypt_symmetric(s.plain); });
  row("decrypt", [](Scheme& s) { s.decryptor.decrypt(s.a, s.decrypted); });
  row("multiply", [](Scheme& s) { s.evaluator.multiply(s.a, s.b, s.result); });
  row("relinearize", [](Scheme& s) { s.evaluator.relinearize(s.product, s.relin, s.result); });
  if (type == SchemeType::ckks) {
    row("rescale_to_next", [](Scheme& s) { s.evaluator.rescale_to_next(s.a, s.result); });
    row("rotate_vector", [](Scheme& s) { s.evaluator.rotate_vector(s.a, 1, s.galois, s.result); });
  } else {
    row(
        "transform_to_ntt", [](Scheme& s) { s.evaluator.transform_to_ntt(s.a, s.result); },
        kTarget);
    row(
        "transform_from_ntt",
        [](Scheme& s) { s.evaluator.transform_from_ntt(s.transformed, s.result); }, kTarget);
    row("rotate_rows", [](Scheme& s) { s.evaluator.rotate_rows(s.a, 1, s.galois, s.result); });
  }
}

/// HEXL's interface uses the kernels of the environment; the baseline is a plan.
void compare_hexl(Report& report) {
  Transforms ours{KernelSelection()};
  Transforms theirs{KernelSelection(kBaseline)};
  std::vector<intel::hexl::NTT> plans;
  for (std::size_t i = 0; i < ours.rns.size(); ++i) {
    plans.emplace_back(kDegree, ours.rns[i].modulus().value());
  }
  using Compute = decltype(&intel::hexl::NTT::ComputeForward);
  const auto row = [&](const char* name, Compute compute, bool is_forward, Factors factors) {
    report.compare(
        name + (", factors " + factors.text()),
        [&, compute, factors] {
          for (std::size_t i = 0; i < plans.size(); ++i) {
            std::uint64_t* values = ours.limb(i).data();
            (plans[i].*compute)(values, values, static_cast<std::uint64_t>(factors.in),
                                static_cast<std::uint64_t>(factors.out));
          }
        },
        [&, is_forward, factors] {
          theirs.each([&](const Ntt& ntt, auto values) {
            is_forward ? ntt.forward(values, values, factors.in, factors.out)
                       : ntt.inverse(values, values, factors.in, factors.out);
          });
        },
        kTarget);
  };
  for (const Factors factors : kForwardFactors) {
    row("HEXL ComputeForward", &intel::hexl::NTT::ComputeForward, true, factors);
  }
  for (const Factors factors : kInverseFactors) {
    row("HEXL ComputeInverse", &intel::hexl::NTT::ComputeInverse, false, factors);
  }
}

/// SEAL's interface on the kernels of the environment: contexts, keys and ciphertexts of BFV.
struct SealWork {
  SealWork()
      : context(parameters()),
        keygen(context),
        evaluator(context),
        encryptor(context, keygen.secret_key()) {
    keygen.create_relin_keys(relin);
    encryptor.encrypt_zero_symmetric(a);
    encryptor.encrypt_zero_symmetric(b);
    evaluator.multiply(a, b, product);
    evaluator.transform_to_ntt(a, transformed);
  }

  static seal::EncryptionParameters parameters() {
    seal::EncryptionParameters parms(seal::scheme_type::bfv);
    parms.set_poly_modulus_degree(kDegree);
    parms.set_coeff_modulus(seal::CoeffModulus::BFVDefault(kDegree));
    parms.set_plain_modulus(seal::PlainModulus::Batching(kDegree, 20));
    return parms;
  }

  seal::SEALContext context;
  seal::KeyGenerator keygen;
  seal::Evaluator evaluator;
  seal::Encryptor encryptor;
  seal::RelinKeys relin;
  seal::Ciphertext a, b, product, transformed, result;
};

struct SealOperation {
  const char* name;
  double target;
  void (*run)(SealWork&);
};

const SealOperation kSealOperations[] = {
    {"SEAL transform_to_ntt_inplace and back", kTarget,
     [](SealWork& w) {
       w.evaluator.transform_to_ntt_inplace(w.a);
       w.evaluator.transform_from_ntt_inplace(w.a);
     }},
    {"SEAL transform_to_ntt", 0, [](SealWork& w) { w.evaluator.transform_to_ntt(w.a, w.result); }},
    {"SEAL transform_from_ntt", 0,
     [](SealWork& w) { w.evaluator.transform_from_ntt(w.transformed, w.result); }},
    {"SEAL multiply", 0, [](SealWork& w) { w.evaluator.multiply(w.a, w.b, w.result); }},
    {"SEAL relinearize", 0,
     [](SealWork& w) { w.evaluator.relinearize(w.product, w.relin, w.result); }},
};

/// The same operations in a second process whose environment names the baseline, since a process
/// reads the environment once. It runs an operation for each byte that it receives, and answers
/// with one byte, which adds some microseconds. Make it before the environment is read.
class BaselineProcess {
 public:
  BaselineProcess() {
    if (pipe(to_child_) != 0 || pipe(from_child_) != 0) throw std::runtime_error("no pipes");
    child_ = fork();
    if (child_ < 0) throw std::runtime_error("no second process");
    if (child_ == 0) serve();
    close(to_child_[0]);
    close(from_child_[1]);
  }
  BaselineProcess(const BaselineProcess&) = delete;
  BaselineProcess& operator=(const BaselineProcess&) = delete;
  ~BaselineProcess() {
    close(to_child_[1]);
    waitpid(child_, nullptr, 0);
  }

  void run(std::size_t operation) const {
    char byte = static_cast<char>(operation);
    if (write(to_child_[1], &byte, 1) != 1 || read(from_child_[0], &byte, 1) != 1) {
      throw std::runtime_error("the process of the baseline has ended");
    }
  }

 private:
  [[noreturn]] void serve() const {
    close(to_child_[1]);
    close(from_child_[0]);
    setenv("RINGLET_FORCE_KERNELS", kBaseline, 1);
    std::optional<SealWork> work;
    for (char byte = 0; read(to_child_[0], &byte, 1) == 1;) {
      if (!work) work.emplace();
      kSealOperations[static_cast<std::size_t>(byte)].run(*work);
      if (write(from_child_[1], &byte, 1) != 1) break;
    }
    _exit(0);
  }

  int to_child_[2];
  int from_child_[2];
  pid_t child_;
};

void compare_seal(Report& report, const BaselineProcess& baseline) {
  SealWork ours;
  for (std::size_t i = 0; i < std::size(kSealOperations); ++i) {
    const SealOperation& operation = kSealOperations[i];
    report.compare(
        operation.name, [&] { operation.run(ours); }, [&, i] { baseline.run(i); },
        operation.target);
  }
}

int run(int argc, char** argv) {
  std::string filter, json_file;
  bool quick = false;
  take_options(argc, argv, "ringlet_check_paths [--filter TEXT] [--json FILE] [--quick]",
               {{"--filter", &filter}, {"--json", &json_file}}, &quick);
  const BaselineProcess seal_baseline;
  const KernelSelection& chosen = KernelSelection::from_environment();
  Report report({.what = "paths",
                 .filter = filter,
                 .json_file = json_file,
                 .blocks = quick ? kQuickBlocks : kBlocks,
                 .block_microseconds = kBlockMicroseconds});
  compare_plans(report, chosen);
  for (const SchemeType type : {SchemeType::ckks, SchemeType::bfv}) {
    compare_scheme(report, type, chosen);
  }
  compare_hexl(report);
  compare_seal(report, seal_baseline);
  return report.finish();
}

}  // namespace
}  // namespace ringlet::bench

int main(int argc, char** argv) {
  return ringlet::bench::run_program(ringlet::bench::run, argc, argv);
}
