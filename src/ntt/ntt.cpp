// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ntt.hpp"

#include <bit>
#include <vector>

#include "base/buffer_check.hpp"
#include "base/text.hpp"
#include "kernels/select.hpp"
#include "ringlet/aligned.hpp"
#include "ringlet/error.hpp"
#include "ringlet/primes.hpp"

namespace ringlet {
namespace {

using kernels::RangeFactors;

/// Unit of the tables: they start on this boundary and are whole multiples of it.
struct alignas(kAlignment) CacheLine {
  std::uint64_t words[kAlignment / sizeof(std::uint64_t)];
};

[[noreturn]] void refuse(std::string offending, std::string limit, std::string remedy) {
  throw_invalid_argument({"Ntt", std::move(offending), std::move(limit), std::move(remedy)});
}

void check_degree(std::size_t degree) {
  if (std::has_single_bit(degree) && degree >= kMinNttDegree && degree <= kMaxNttDegree) return;
  refuse(concat("degree = ", degree),
         concat("powers of two from ", kMinNttDegree, " to ", kMaxNttDegree),
         "choose a power of two in that range");
}

void check_modulus(std::size_t degree, const Modulus& q) {
  const std::string remedy = "take a prime from generate_ntt_primes";
  const std::string offending = concat("modulus = ", q.value());
  if (q.bit_count() > kMaxNttModulusBits) {
    refuse(concat(offending, " of ", q.bit_count(), " bits"),
           concat("at most ", kMaxNttModulusBits, " bits"), remedy);
  }
  if (q.value() % 2 == 0) refuse(concat(offending, ", even"), "odd primes", remedy);
  if (!is_prime(q.value())) refuse(concat(offending, ", composite"), "primes", remedy);
  if ((q.value() - 1) % (2 * degree) != 0) {
    refuse(concat(offending, " = ", q.value() % (2 * degree), " mod ", 2 * degree),
           concat("primes that are 1 mod 2*degree = ", 2 * degree), remedy);
  }
}

std::size_t checked_degree(std::size_t degree, const Modulus& q) {
  check_degree(degree);
  check_modulus(degree, q);
  return degree;
}

void check_factor(const char* operation, const char* name, int factor, bool accepted,
                  const char* limit) {
  if (accepted) return;
  throw_invalid_argument({operation, concat(name, " = ", factor), limit,
                          "use one of these factors; 1 means fully reduced values"});
}

}  // namespace

/// The chosen kernel and the table that it built.
class Ntt::Plan {
 public:
  Plan(std::size_t degree, const Modulus& q, std::uint64_t root, const KernelSelection& selection,
       std::pmr::memory_resource& memory = *std::pmr::new_delete_resource())
      : degree_(degree),
        modulus_(q),
        root_(root),
        chosen_(kernels::choose_ntt(std::countr_zero(degree), q.value(), selection)),
        kernel_name_(chosen_.name()),
        table_(chosen_.kernel->table_bytes(std::countr_zero(degree)) / sizeof(CacheLine), &memory) {
    chosen_.kernel->build_table(table_.data(), {std::countr_zero(degree), q.value(), root});
  }

  void forward(std::uint64_t* result, const std::uint64_t* operand, RangeFactors factors) const {
    chosen_.counter.count();
    chosen_.kernel->forward(result, operand, table_.data(), factors);
  }
  void inverse(std::uint64_t* result, const std::uint64_t* operand, RangeFactors factors) const {
    chosen_.counter.count();
    chosen_.kernel->inverse(result, operand, table_.data(), factors);
  }

  std::size_t degree() const noexcept { return degree_; }
  const Modulus& modulus() const noexcept { return modulus_; }
  std::uint64_t root() const noexcept { return root_; }
  const std::string& kernel_name() const noexcept { return kernel_name_; }
  std::size_t table_bytes() const noexcept { return table_.size() * sizeof(CacheLine); }

 private:
  std::size_t degree_;
  Modulus modulus_;
  std::uint64_t root_;
  kernels::Chosen<kernels::NttKernel> chosen_;
  std::string kernel_name_;
  std::pmr::vector<CacheLine> table_;
};

Ntt::Ntt(std::size_t degree, const Modulus& q, const KernelSelection& selection)
    : plan_(std::make_shared<const Plan>(checked_degree(degree, q), q,
                                         minimal_primitive_root(2 * degree, q), selection)) {}

Ntt::Ntt(std::size_t degree, const Modulus& q, std::uint64_t root_of_unity,
         const KernelSelection& selection)
    : Ntt(degree, q, root_of_unity, selection, *std::pmr::new_delete_resource()) {}

Ntt::Ntt(std::size_t degree, const Modulus& q, std::uint64_t root_of_unity,
         const KernelSelection& selection, std::pmr::memory_resource& memory) {
  checked_degree(degree, q);
  if (root_of_unity >= q.value() || !is_primitive_root(root_of_unity, 2 * degree, q)) {
    refuse(concat("root_of_unity = ", root_of_unity),
           concat("elements of order ", 2 * degree, " modulo ", q.value()),
           "leave the root out to use the smallest one");
  }
  plan_ = std::make_shared<const Plan>(degree, q, root_of_unity, selection, memory);
}

void Ntt::forward(std::span<std::uint64_t> result, std::span<const std::uint64_t> operand,
                  int input_mod_factor, int output_mod_factor) const {
  check_buffers("Ntt::forward", degree(), {"result", result}, {{"operand", operand}});
  const int input = input_mod_factor;
  check_factor("Ntt::forward", "input_mod_factor", input, input == 1 || input == 2 || input == 4,
               "1, 2 or 4");
  check_factor("Ntt::forward", "output_mod_factor", output_mod_factor,
               output_mod_factor == 1 || output_mod_factor == 4, "1 or 4");
  plan_->forward(result.data(), operand.data(), {input, output_mod_factor});
}

void Ntt::inverse(std::span<std::uint64_t> result, std::span<const std::uint64_t> operand,
                  int input_mod_factor, int output_mod_factor) const {
  check_buffers("Ntt::inverse", degree(), {"result", result}, {{"operand", operand}});
  check_factor("Ntt::inverse", "input_mod_factor", input_mod_factor,
               input_mod_factor == 1 || input_mod_factor == 2, "1 or 2");
  check_factor("Ntt::inverse", "output_mod_factor", output_mod_factor,
               output_mod_factor == 1 || output_mod_factor == 2, "1 or 2");
  plan_->inverse(result.data(), operand.data(), {input_mod_factor, output_mod_factor});
}

std::size_t Ntt::degree() const noexcept { return plan_->degree(); }
const Modulus& Ntt::modulus() const noexcept { return plan_->modulus(); }
std::uint64_t Ntt::root_of_unity() const noexcept { return plan_->root(); }
const std::string& Ntt::kernel_name() const noexcept { return plan_->kernel_name(); }
std::size_t Ntt::table_bytes() const noexcept { return plan_->table_bytes(); }

}  // namespace ringlet
