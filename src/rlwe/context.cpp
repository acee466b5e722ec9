// SPDX-License-Identifier: Apache-2.0
#include "ringlet/context.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "base/text.hpp"
#include "ringlet/error.hpp"
#include "rlwe/validation.hpp"

namespace ringlet {
namespace {

void check_backend(const std::shared_ptr<const Backend>& backend, const RnsBasis& basis) {
  const char* problem = nullptr;
  if (backend == nullptr) {
    problem = "backend is null";
  } else if (backend->basis().degree() != basis.degree()) {
    problem = "the backend's basis has another degree than the parameters";
  } else if (!std::ranges::equal(backend->basis().moduli(), basis.moduli())) {
    problem = "the backend's basis has other primes than the parameters";
  }
  if (problem == nullptr) return;
  throw_invalid_argument({.operation = "Context",
                          .offending = problem,
                          .limit = "a backend made for the degree and the primes of the parameters",
                          .remedy = "make the backend with RnsBasis(degree, coeff_modulus)"});
}

}  // namespace

struct Context::State {
  State(const EncryptionParameters& parms_in, SecurityLevel level, SecurityTable table,
        std::shared_ptr<const Backend> backend_in);

  void add_level(std::size_t prime_count);

  EncryptionParameters parms;
  RingSpec ring;
  SecurityLevel security_level;
  SecurityTable security_table;
  std::shared_ptr<const Backend> backend;
  std::vector<ContextData> levels;  // from the key level down
};

Context::State::State(const EncryptionParameters& parms_in, SecurityLevel level,
                      SecurityTable table, std::shared_ptr<const Backend> backend_in)
    : parms(parms_in),
      ring(RingSpec::power_of_two(parms_in.poly_modulus_degree())),
      security_level(level),
      security_table(table),
      backend(std::move(backend_in)) {
  const std::size_t count = parms.coeff_modulus().size();
  levels.reserve(count);
  for (std::size_t prime_count = count; prime_count > 0; --prime_count) add_level(prime_count);
  for (std::size_t i = 1; i < count; ++i) {
    levels[i - 1].next_ = &levels[i];
    levels[i].prev_ = &levels[i - 1];
  }
}

void Context::State::add_level(std::size_t prime_count) {
  const std::vector<Modulus>& all = parms.coeff_modulus();
  ContextData data;
  data.moduli_.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(prime_count));
  EncryptionParameters level_parms = parms;
  level_parms.set_coeff_modulus(data.moduli_);
  data.parms_id_ = level_parms.parms_id();
  data.chain_index_ = prime_count - 1;
  data.degree_ = parms.poly_modulus_degree();
  data.prime_count_ = prime_count;
  data.key_switch_primes_.resize(prime_count);
  std::iota(data.key_switch_primes_.begin(), data.key_switch_primes_.end(), std::size_t{0});
  if (prime_count < all.size()) data.key_switch_primes_.push_back(all.size() - 1);
  data.product_ = backend->basis().product(prime_count);
  data.bit_count_ = backend->basis().product_bit_count(prime_count);
  levels.push_back(std::move(data));
}

Context::Context(const EncryptionParameters& parms, SecurityLevel level, SecurityTable table,
                 const KernelSelection& kernels) {
  RnsBasis basis = rlwe::validate_parameters(parms, level, table);
  state_ = std::make_shared<const State>(parms, level, table,
                                         make_cpu_backend(std::move(basis), kernels));
}

Context::Context(const EncryptionParameters& parms, SecurityLevel level, SecurityTable table,
                 std::shared_ptr<const Backend> backend) {
  const RnsBasis basis = rlwe::validate_parameters(parms, level, table);
  check_backend(backend, basis);
  state_ = std::make_shared<const State>(parms, level, table, std::move(backend));
}

const EncryptionParameters& Context::parms() const noexcept { return state_->parms; }
const RingSpec& Context::ring() const noexcept { return state_->ring; }
SecurityLevel Context::security_level() const noexcept { return state_->security_level; }
SecurityTable Context::security_table() const noexcept { return state_->security_table; }
const Backend& Context::backend() const noexcept { return *state_->backend; }

const ContextData* Context::key_context_data() const noexcept { return &state_->levels.front(); }

const ContextData* Context::first_context_data() const noexcept {
  return &state_->levels[state_->levels.size() > 1 ? 1 : 0];
}

const ContextData* Context::last_context_data() const noexcept { return &state_->levels.back(); }

const ContextData* Context::get_context_data(const ParmsId& parms_id) const noexcept {
  for (const ContextData& data : state_->levels) {
    if (data.parms_id() == parms_id) return &data;
  }
  return nullptr;
}

}  // namespace ringlet
