// SPDX-License-Identifier: Apache-2.0
#include "ringlet/rlwe/context.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/base/error.hpp"
#include "rlwe/keys/key_switch_plan.hpp"
#include "rlwe/random/samplers.hpp"
#include "rlwe/random/sha256.hpp"
#include "rlwe/scheme_traits.hpp"
#include "rlwe/validation.hpp"

namespace ringlet {
namespace {

constexpr const char* kContext = "Context";

void check_backend(const std::shared_ptr<const Backend>& backend, const RnsBasis& basis) {
  const char* problem = nullptr;
  if (backend == nullptr) {
    problem = "backend is null";
  } else if (backend->basis().degree() != basis.degree()) {
    problem = "the backend's basis has another degree than the parameters";
  } else if (backend->basis().ring() != basis.ring()) {
    problem = "the backend's basis has another ring than the parameters";
  } else if (!std::ranges::equal(backend->basis().moduli(), basis.moduli())) {
    problem = "the backend's basis has other primes than the parameters need";
  }
  if (problem == nullptr) return;
  refuse(problem, "a backend with the basis of the parameters",
         "make the backend from the basis of these parameters");
}

std::vector<std::size_t> indices(std::size_t first, std::size_t count) {
  std::vector<std::size_t> result(count);
  std::iota(result.begin(), result.end(), first);
  return result;
}

}  // namespace

struct Context::State {
  State(const EncryptionParameters& parms_in, SecurityLevel level, SecurityTable table,
        std::shared_ptr<const Backend> backend_in, KernelSelection kernels_in);

  ContextData make_level(std::size_t prime_count) const;
  ParmsId digest(std::size_t prime_count) const;
  bool exceeds_plain_modulus(std::size_t prime_count) const;

  EncryptionParameters parms;
  RingSpec ring;
  rlwe::ErrorSampler error_sampler;
  rlwe::SchemeTraits traits;
  std::optional<Modulus> plain_modulus;
  bool using_batching = false;
  SecurityLevel security_level;
  SecurityTable security_table;
  std::shared_ptr<const Backend> backend;
  KernelSelection kernels;
  std::vector<std::size_t> special_primes;
  std::vector<ContextData> levels;  // from the key level down
  std::mutex mutex;                 // guards device_backends
  std::vector<std::pair<Device, std::shared_ptr<const Backend>>> device_backends;
};

Context::State::State(const EncryptionParameters& parms_in, SecurityLevel level,
                      SecurityTable table, std::shared_ptr<const Backend> backend_in,
                      KernelSelection kernels_in)
    : parms(parms_in),
      ring(parms_in.ring()),
      error_sampler(public_entry(kContext, [&] { return rlwe::ErrorSampler(ring); })),
      traits(rlwe::traits_of(parms_in.scheme())),
      security_level(level),
      security_table(table),
      backend(std::move(backend_in)),
      kernels(std::move(kernels_in)),
      special_primes(indices(parms.data_primes().size(), parms.special_primes().size())) {
  if (traits.has_plain_modulus) {
    const std::uint64_t t = parms.plain_modulus();
    plain_modulus.emplace(t);
    using_batching = !parms.has_general_ring() && t % ring.modulus_step() == 1 && is_prime(t);
  }
  levels.reserve(parms.coeff_modulus().size());
  if (!special_primes.empty()) levels.push_back(make_level(parms.coeff_modulus().size()));
  for (std::size_t count = parms.data_primes().size(); count > 0; --count) {
    if (!exceeds_plain_modulus(count)) break;
    levels.push_back(make_level(count));
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    levels[i].chain_index_ = levels.size() - 1 - i;
    if (i == 0) continue;
    levels[i - 1].next_ = &levels[i];
    levels[i].prev_ = &levels[i - 1];
  }
}

// Messages modulo t need q > t.
bool Context::State::exceeds_plain_modulus(std::size_t prime_count) const {
  const RnsBasis& basis = backend->basis();
  return basis.product_bit_count(prime_count) > 64 ||
         basis.product(prime_count)[0] > parms.plain_modulus();
}

ParmsId Context::State::digest(std::size_t prime_count) const {
  rlwe::ByteString message;
  message.append("ringlet.parms.v2");
  message.append(static_cast<std::uint64_t>(parms.scheme()));
  message.append(static_cast<std::uint64_t>(ring.kind()));
  message.append(std::uint64_t{ring.degree()});
  if (parms.has_general_ring()) message.append(ring.cyclotomic_index());
  message.append(traits.has_plain_modulus ? parms.plain_modulus() : 0);
  message.append(static_cast<std::uint64_t>(security_level));
  message.append(
      security_level == SecurityLevel::none ? 0 : static_cast<std::uint64_t>(security_table));
  message.append(std::uint64_t{parms.digit_size()});
  for (const auto primes : {parms.data_primes(), parms.special_primes()}) {
    message.append(std::uint64_t{primes.size()});
    for (const Modulus& prime : primes) message.append(prime.value());
  }
  message.append(std::uint64_t{prime_count});
  return rlwe::sha256_words(message);
}

ContextData Context::State::make_level(std::size_t prime_count) const {
  const auto all = std::span(parms.coeff_modulus());
  const RnsBasis& basis = backend->basis();
  ContextData data;
  data.moduli_.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(prime_count));
  data.parms_id_ = digest(prime_count);
  data.degree_ = parms.poly_modulus_degree();
  data.pool_ = backend->pool();
  data.prime_count_ = prime_count;
  data.key_switch_primes_ = indices(0, prime_count);
  if (prime_count < all.size()) {
    data.key_switch_primes_.insert(data.key_switch_primes_.end(), special_primes.begin(),
                                   special_primes.end());
  }
  if (!special_primes.empty() && prime_count <= parms.data_primes().size()) {
    data.key_switch_plan_ = std::make_shared<const rlwe::KeySwitchPlan>(
        basis, data.primes(), special_primes, parms.digit_size(), traits.has_scale);
  }
  data.product_ = basis.product(prime_count);
  data.bit_count_ = basis.product_bit_count(prime_count);
  if (basis.size() > all.size() && prime_count <= parms.data_primes().size()) {
    data.auxiliary_primes_ =
        indices(all.size(), rlwe::auxiliary_prime_count(parms, data.bit_count_));
  }
  return data;
}

Context::Context(const EncryptionParameters& parms, SecurityLevel level, SecurityTable table,
                 const KernelSelection& kernels) {
  RnsBasis basis =
      public_entry(kContext, [&] { return rlwe::validate_parameters(parms, level, table); });
  backend_ = make_cpu_backend(std::move(basis), kernels);
  state_ = std::make_shared<State>(parms, level, table, backend_, kernels);
}

Context::Context(const EncryptionParameters& parms, SecurityLevel level, SecurityTable table,
                 std::shared_ptr<const Backend> backend) {
  public_entry(kContext,
               [&] { check_backend(backend, rlwe::validate_parameters(parms, level, table)); });
  backend_ = std::move(backend);
  state_ =
      std::make_shared<State>(parms, level, table, backend_, KernelSelection::from_environment());
}

Context Context::on(const Device& device) const {
  Context result = *this;
  if (device.is_cpu()) {
    result.backend_ = state_->backend;
    return result;
  }
  const std::lock_guard lock(state_->mutex);
  for (const auto& [known, backend] : state_->device_backends) {
    if (known == device) {
      result.backend_ = backend;
      return result;
    }
  }
  result.backend_ = make_backend(state_->backend->basis(), device);
  state_->device_backends.emplace_back(device, result.backend_);
  return result;
}

Context Context::on(std::shared_ptr<const Backend> backend) const {
  public_entry(kContext, [&] { check_backend(backend, state_->backend->basis()); });
  Context result = *this;
  result.backend_ = std::move(backend);
  return result;
}

Context Context::on_host() const { return on(Device::cpu()); }

Context Context::allowing_transparent_results() const {
  Context result = *this;
  result.allows_transparent_results_ = true;
  return result;
}

RnsBasis Context::backend_basis(const EncryptionParameters& parms) {
  return public_entry(kContext, [&] {
    return rlwe::validate_parameters(parms, SecurityLevel::none, SecurityTable::classical_2024);
  });
}

const EncryptionParameters& Context::parms() const noexcept { return state_->parms; }
const RingSpec& Context::ring() const noexcept { return state_->ring; }
const rlwe::ErrorSampler& Context::error_sampler() const noexcept { return state_->error_sampler; }
bool Context::using_batching() const noexcept { return state_->using_batching; }
PrimeIndices Context::special_primes() const noexcept { return state_->special_primes; }
Form Context::ciphertext_form() const noexcept { return state_->traits.ciphertext_form; }
SecurityLevel Context::security_level() const noexcept { return state_->security_level; }
SecurityTable Context::security_table() const noexcept { return state_->security_table; }
const Backend& Context::backend() const noexcept { return *backend_; }
const KernelSelection& Context::kernels() const noexcept { return state_->kernels; }

const Modulus& Context::plain_modulus() const {
  if (state_->plain_modulus) return *state_->plain_modulus;
  throw_logic_error({.operation = "Context::plain_modulus",
                     .offending = concat("scheme ", to_string(scheme())),
                     .limit = "schemes with a plain modulus: bfv and bgv",
                     .remedy = "ask for the scheme first"});
}

const ContextData* Context::key_context_data() const noexcept { return &state_->levels.front(); }

const ContextData* Context::first_context_data() const noexcept {
  return &state_->levels[state_->special_primes.empty() ? 0 : 1];
}

const ContextData* Context::last_context_data() const noexcept { return &state_->levels.back(); }

const ContextData* Context::get_context_data(const ParmsId& parms_id) const noexcept {
  for (const ContextData& data : state_->levels) {
    if (data.parms_id() == parms_id) return &data;
  }
  return nullptr;
}

}  // namespace ringlet
